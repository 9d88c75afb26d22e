// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <python/arrays.hpp>
#include <python/imports.hpp>
#include <python/matrices.hpp>
#include <python/runtime.hpp>
#include <python/streamed.hpp>
#include <python/streams.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tessera::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

std::optional<ElementType> type_of_name(Call const& call, std::optional<std::string> const& name) {
  if (!name) return std::nullopt;
  if (*name == "float32") return ElementType{true, 4, *name};
  if (*name == "float64") return ElementType{true, 8, *name};
  call.fail_type("dtype must be float32 or float64, found " + *name);
}

bool rows_first(Call const& call, std::string const& order) {
  if (order != "C" && order != "F") call.fail_value("order must be \"C\" or \"F\", found " + order);
  return order == "C";
}

/// As a new array in the order of the matrix.
nb::object rows_of_stream(StreamObject const& a, std::int64_t first, std::int64_t end) {
  Taken const rows =
      Call{"read", false}.any(nb::module_::import_("numpy").attr("empty")(
                                  nb::make_tuple(end - first, a.reading.cols), a.reading.type.name,
                                  a.reading.by_rows ? "C" : "F"),
                              "the rows");
  without_gil([&] { read_rows(a, first, rows.array); });
  return rows.object;
}

StreamObject open_file(std::string const& path, std::size_t memory_limit,
                       std::optional<std::string> const& dtype,
                       std::optional<std::pair<std::int64_t, std::int64_t>> const& shape,
                       std::string const& order, nb::object recipe, std::optional<double> missing,
                       std::vector<double> means) {
  Call const call{"open", false};
  std::optional<std::array<std::int64_t, 2>> extents;
  if (shape) {
    if (shape->first < 1 || shape->second < 1) {
      call.fail_value("shape must have two positive numbers, found (" +
                      std::to_string(shape->first) + ", " + std::to_string(shape->second) + ")");
    }
    extents = {shape->first, shape->second};
  }
  std::optional<Filling> filling;
  if (missing) filling = {.code = *missing, .means = std::move(means)};
  return {{read_file(path, type_of_name(call, dtype), extents, rows_first(call, order),
                     memory_limit, filling),
           memory_limit, look_for_signals_in_call},
          std::move(recipe),
          nb::none()};
}

/// On its own thread: it may take long, and its caller may stop waiting at a signal.
struct BlockCall {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_done = false;
  nb::object function;  ///< with the GIL, like `block`
  nb::object block;
  std::exception_ptr error;
};

/// Also releases the Python objects if nobody waits.
void run(std::shared_ptr<BlockCall> call, ElementType const& type, BlockRead const& at) {
  nb::gil_scoped_acquire const acquired;
  Function const function;
  nb::object block;
  std::exception_ptr error;
  try {
    block = block_from(call->function, type, at);
  } catch (...) {
    error = std::current_exception();
  }
  call->function.reset();
  {
    std::lock_guard const lock(call->mutex);
    call->block = std::move(block);
    call->error = std::move(error);
    call->is_done = true;
  }
  call->changed.notify_all();
  call.reset();
}

void read_by(nb::handle function, ElementType const& type, bool by_rows, BlockRead const& at) {
  constexpr std::chrono::milliseconds look_every{50};
  auto call = std::make_shared<BlockCall>();
  {
    nb::gil_scoped_acquire const acquired;
    call->function = nb::borrow(function);
    std::thread([call, type, at]() mutable { run(std::move(call), type, at); }).detach();
  }
  std::unique_lock lock(call->mutex);
  while (!call->changed.wait_for(lock, look_every, [&] { return call->is_done; })) {
    lock.unlock();
    if (at.is_given_up != nullptr && *at.is_given_up) throw std::runtime_error("tessera: given up");
    look_for_signals_in_call();
    lock.lock();
  }
  lock.unlock();
  if (call->error) std::rethrow_exception(call->error);
  nb::gil_scoped_acquire const acquired;
  nb::object const block = std::move(call->block);
  Array to{.data = at.to, .dimensions = 2, .extents = {at.rows, at.cols}};
  to.strides =
      by_rows ? std::array<std::int64_t, 2>{at.cols, 1} : std::array<std::int64_t, 2>{1, at.rows};
  to.type = type;
  numpy_view(to).attr("__setitem__")(nb::ellipsis(), block);
}

StreamObject from_callback(std::int64_t rows, std::int64_t cols, nb::object read,
                           std::string const& dtype, std::string const& order,
                           std::size_t memory_limit, nb::object recipe, std::size_t held) {
  Call const call{"from_callback", false};
  if (rows < 1 || cols < 1) {
    call.fail_value("expected at least one row and one column, found " + std::to_string(rows) +
                    " x " + std::to_string(cols));
  }
  Reading reading{.rows = rows,
                  .cols = cols,
                  .type = *type_of_name(call, dtype),
                  .by_rows = rows_first(call, order),
                  .read = {},
                  .bytes = held};
  // The reading's owner owns the function: the garbage collector sees it there.
  reading.read = [function = nb::handle(read), type = reading.type, by_rows = reading.by_rows](
                     BlockRead const& block) { read_by(function, type, by_rows, block); };
  return {{std::move(reading), memory_limit, look_for_signals_in_call},
          std::move(recipe),
          std::move(read)};
}

int visit_stream(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  StreamObject const* const stream = nb::inst_ptr<StreamObject>(self);
  Py_VISIT(stream->recipe.ptr());
  Py_VISIT(stream->function.ptr());
  return 0;
}

int clear_stream(PyObject* self) {
  auto* const stream = nb::inst_ptr<StreamObject>(self);
  stream->reading.read = nullptr;
  stream->recipe.reset();
  stream->function.reset();
  return 0;
}

PyType_Slot stream_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(visit_stream)},
                              {Py_tp_clear, reinterpret_cast<void*>(clear_stream)},
                              {0, nullptr}};

}  // namespace

void add_streams(nb::module_& m) {
  nb::class_<StreamObject>(
      m, "StreamedMatrix", nb::type_slots(stream_slots),
      "A matrix that is read in blocks; `open` and `from_callback` create it.\n\n"
      "A pickle of it holds the path or the function, and the other arguments.\n")
      .def_prop_ro(
          "shape", [](StreamObject const& a) { return std::pair(a.reading.rows, a.reading.cols); },
          "Shape (m, n) of the matrix.")
      .def_prop_ro(
          "ndim", [](StreamObject const&) { return 2; }, "Number of dimensions: 2.")
      .def_prop_ro(
          "dtype",
          [](StreamObject const& a) {
            return nb::module_::import_("numpy").attr("dtype")(a.reading.type.name);
          },
          nb::for_getter(nb::sig("def dtype(self, /) -> typing.Any")),
          "Type of the elements that a pass delivers, float32 or float64.")
      .def_prop_ro(
          "order", [](StreamObject const& a) { return std::string(a.reading.by_rows ? "C" : "F"); },
          "Layout: \"C\" is row-major, \"F\" is column-major.")
      .def_prop_ro(
          "reads",
          [](StreamObject const& a) {
            auto const whole =
                static_cast<double>(a.reading.rows) * static_cast<double>(a.reading.cols);
            return static_cast<double>(a.reading.elements_read->load()) / whole;
          },
          "How often the elements have been read until now, as a number of passes.")
      .def("__reduce__", [](StreamObject const& a) { return a.recipe; })
      .def_ro("memory_limit", &StreamObject::memory_limit,
              "Memory that a pass may use in addition to its vectors, in bytes.")
      .def("__repr__", [](StreamObject const& a) {
        return "<tessera.StreamedMatrix of " + std::to_string(a.reading.rows) + " x " +
               std::to_string(a.reading.cols) + ", " + a.reading.type.name + ">";
      });
  m.def("_open", &open_file, "path"_a, "memory_limit"_a, "dtype"_a.none(), "shape"_a.none(),
        "order"_a, "recipe"_a, "missing"_a = nb::none(), "means"_a = std::vector<double>());
  m.def("_from_callback", &from_callback, "rows"_a, "cols"_a, "read"_a, "dtype"_a, "order"_a,
        "memory_limit"_a, "recipe"_a, "held"_a = 0);
  m.def("_rows_of_stream", &rows_of_stream);
}

}  // namespace tessera::python
