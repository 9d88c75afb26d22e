// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <exception>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <optional>
#include <python/arrays.hpp>
#include <python/checking.hpp>
#include <python/distributed.hpp>
#include <python/imports.hpp>
#include <python/matrices.hpp>
#include <python/operations.hpp>
#include <python/runtime.hpp>
#include <python/solving.hpp>
#include <python/streamed.hpp>
#include <python/streams.hpp>
#include <string>
#include <string_view>
#include <utility>

#include <io/errors.hpp>
#include <tessera/version.hpp>

namespace tessera::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

std::pair<std::string_view, nb::handle> map_of(Call const& call, nb::handle weights,
                                               nb::handle minus, nb::handle map) {
  bool const has_weights = !weights.is_none();
  bool const has_minus = !minus.is_none();
  if (map.is_none()) {
    if (has_weights && has_minus) call.fail_value("expected weights or minus, found both");
    if (has_weights) return {"weights", weights};
    if (has_minus) return {"minus", minus};
    return {"", map};
  }
  std::string const name = nb::isinstance<nb::str>(map) ? nb::cast<std::string>(map) : "";
  for (auto const& [known, takes_minus] : {std::pair<std::string_view, bool>{"logistic", true},
                                           {"poisson", true},
                                           {"logistic_weights", false},
                                           {"poisson_weights", false}}) {
    if (name != known) continue;
    if (has_minus != takes_minus || has_weights == takes_minus) {
      call.fail_value("map=\"" + name + "\" needs " +
                      (takes_minus ? "minus= and no weights=" : "weights= and no minus="));
    }
    return {known, takes_minus ? minus : weights};
  }
  call.fail_value(
      "map must be \"logistic\", \"poisson\", \"logistic_weights\" or \"poisson_weights\", "
      "found " +
      nb::cast<std::string>(nb::repr(map)));
}

struct Terms {
  nb::handle weights;
  nb::handle minus;
  nb::handle map;
  double alpha;
  double beta;
  nb::handle z;
};
/// Must stay alive during the call.
struct TakenTerms {
  std::optional<Taken> of_map;
  std::optional<Taken> added;
};

TakenTerms take_terms(Call const& call, MatrixInput const& a, Taken const& in, Terms const& given,
                      AtaxCall& to) {
  TakenTerms taken;
  auto const [kind, vector_of_map] = map_of(call, given.weights, given.minus, given.map);
  if (!kind.empty()) {
    char const* const name = vector_of_map.is(given.weights) ? "weights" : "minus";
    taken.of_map = take_vector(call, a, vector_of_map, name, a.rows);
    to.of_map = taken.of_map->array;
  }
  if (!given.z.is_none()) {
    if (in.array.dimensions != 1)
      call.fail_value("z is added to one vector, found a block of them");
    taken.added = take_vector(call, a, given.z, "z", a.cols);
    to.z = taken.added->array;
  } else if (given.beta != 0) {
    call.fail_value("beta needs z");
  }
  to.map = kind;
  to.alpha = given.alpha;
  to.beta = given.beta;
  return taken;
}

using Pair = std::pair<nb::object, nb::object>;

/// Two None if `out` is None.
Pair pair_of(Call const& call, nb::handle out, char const* names) {
  if (out.is_none()) return {nb::none(), nb::none()};
  if (!nb::isinstance<nb::tuple>(out) || nb::len(out) != 2) {
    call.fail_value(std::string("out must be a pair of arrays, ") + names);
  }
  return {out[0], out[1]};
}

nb::object atax_of(nb::handle A, nb::handle v, nb::handle weights, nb::handle minus, nb::handle map,
                   double alpha, double beta, nb::handle z, bool return_b, nb::handle out,
                   bool copy) {
  Call const call{"atax", copy};
  Terms const given{weights, minus, map, alpha, beta, z};
  MatrixInput const a = take_factor(call, A, v);
  Taken const in = take_vectors(call, a, v, "v", a.cols);

  auto const [out_c, out_b] =
      return_b ? pair_of(call, out, "C and B, with return_b=True") : Pair{nb::borrow(out), {}};
  Taken const c = take_output(call, a, in, out_c, "out", a.cols);
  std::optional<Taken> b;
  if (return_b) b = take_output(call, a, in, out_b, "out[1]", a.rows);

  AtaxCall arguments{.a = a.array.array, .v = in.array, .c = c.array};
  if (b) arguments.b = b->array;
  TakenTerms const terms = take_terms(call, a, in, given, arguments);
  without_gil([&] {
    if (a.streamed != nullptr) {
      atax(*a.streamed, arguments);
    } else {
      atax(arguments);
    }
  });
  nb::object result = finished(c);
  if (!b) return result;
  return nb::make_tuple(result, finished(*b));
}

/// A named product of a vector or a block; x and the result have m or n entries.
template <Product product>
nb::object product_of(char const* operation, char const* name, nb::handle A, nb::handle x,
                      nb::handle out, bool copy) {
  Call const call{operation, copy};
  MatrixInput const a = take_factor(call, A, x);
  Taken const in = take_vectors(call, a, x, name, takes_rows(product) ? a.rows : a.cols);
  Taken const result = take_output(call, a, in, out, "out", gives_rows(product) ? a.rows : a.cols);
  without_gil([&] {
    if (a.streamed != nullptr) {
      python::product(*a.streamed, product, in.array, result.array);
    } else {
      python::product(a.array.array, product, in.array, result.array);
    }
  });
  return finished(result);
}

template <Product product>
void add_product(nb::module_& m, char const* operation, char const* name) {
  m.def(
      operation,
      [=](nb::handle A, nb::handle x, nb::handle out, bool copy) {
        return product_of<product>(operation, name, A, x, out, copy);
      },
      "A"_a, nb::arg(name), "out"_a = nb::none(), "copy"_a = false);
}

nb::object matvec_both_of(nb::handle A, nb::handle x, nb::handle u, nb::handle out, bool copy) {
  Call const call{"matvec_both", copy};
  MatrixInput const a = take_matrix(call, A);
  Taken const right = take_vector(call, a, x, "x", a.cols);
  Taken const left = take_vector(call, a, u, "u", a.rows);
  auto const [out_y, out_w] = pair_of(call, out, "A x and A^T u");
  Taken const y = take_output(call, a, right, out_y, "out[0]", a.rows);
  Taken const w = take_output(call, a, left, out_w, "out[1]", a.cols);
  without_gil([&] {
    if (a.streamed != nullptr) {
      multiply_both(*a.streamed, right.array, left.array, y.array, w.array);
    } else {
      multiply_both(a.array.array, right.array, left.array, y.array, w.array);
    }
  });
  return nb::make_tuple(finished(y), finished(w));
}

nb::object matmul_of(nb::handle A, nb::handle B, nb::handle out, bool copy) {
  Call const call{"matmul", copy};
  MatrixInput const a = take_array(call, A);
  Taken const b = call.matrix(B, "B");
  std::string const of_a = "A of shape " + a.shape;
  call.require_type(b, "B", a.type, of_a);
  if (b.array.extents[0] != a.cols) {
    call.fail_value("B must have " + std::to_string(a.cols) + " rows for " + of_a +
                    ", found shape " + shape_text(b.array));
  }
  call.require_place(b, "B", a.array, "A");
  Taken const c = call.output(out, "out", a.array, 2, {a.rows, b.array.extents[1]}, a.type,
                              of_a + " and B of shape " + shape_text(b.array));
  call.require_lines(c, "out");
  without_gil([&] { gemm(a.array.array, b.array, c.array); });
  return finished(c);
}

nb::object transpose_of(nb::handle A, nb::handle out, bool copy) {
  Call const call{"transpose", copy};
  constexpr auto expected = "two dimensions";
  Taken const a = call.forward(A, "A", expected);
  std::string const shape = shape_text(a.array);
  if (a.array.dimensions != 2) {
    call.fail_value(std::string("A must have ") + expected + ", found shape " + shape);
  }
  if (a.array.type.bytes != 4 && a.array.type.bytes != 8) {
    call.fail_type("A must have elements of 4 or 8 bytes, found " + a.array.type.name +
                   " of shape " + shape);
  }
  Taken const at = call.output(out, "out", a, 2, {a.array.extents[1], a.array.extents[0]},
                               a.array.type, "A of shape " + shape);
  without_gil([&] { transpose(a.array, at.array); });
  return finished(at);
}

/// A vector of the type, shape and place of another.
Taken take_alike(Call const& call, nb::handle x, std::string const& name, Taken const& model,
                 std::string const& of_model) {
  std::string const its = of_model + " of shape " + shape_text(model.array);
  Taken taken = call.input(x, name.c_str(), model.array.type, its, "one dimension");
  if (taken.array.dimensions != 1 || taken.array.extents[0] != model.array.extents[0]) {
    call.fail_value(name + " must have the shape of " + its + ", found shape " +
                    shape_text(taken.array));
  }
  call.require_place(taken, name.c_str(), model, of_model.c_str());
  return taken;
}

/// Elements that failed, that could not be judged, and in total, and a sentence.
nb::tuple check_of(nb::handle A, nb::handle v, nb::handle c, nb::handle weights, nb::handle minus,
                   nb::handle map, double alpha, double beta, nb::handle z) {
  Call const call{"check", false};
  MatrixInput const a = take_array(call, A);
  Array const& array = a.array.array;
  if (array.place.is_gpu) call.fail_type("A of shape " + a.shape + " must be on the host");
  if (a.rows == 0 || a.cols == 0) {
    call.fail_value("A must not be empty, found shape " + a.shape);
  }
  bool const has_rows = array.strides[1] == 1 && (a.rows == 1 || array.strides[0] == a.cols);
  bool const has_columns = array.strides[0] == 1 && (a.cols == 1 || array.strides[1] == a.rows);
  if (!has_rows && !has_columns) {
    call.fail_value("A of shape " + a.shape +
                    " must have rows or columns without gaps; copy=True makes a copy");
  }
  Taken const x = take_vectors(call, a, v, "v", a.cols);
  Taken const result = take_vectors(call, a, c, "c", a.cols);
  if (result.array.extents[1] != x.array.extents[1] || result.array.extents[1] == 0) {
    call.fail_value("v of shape " + shape_text(x.array) + " and c of shape " +
                    shape_text(result.array) + " must have as many columns");
  }
  AtaxCall arguments{.a = array, .v = x.array, .c = result.array};
  TakenTerms const terms = take_terms(call, a, x, {weights, minus, map, alpha, beta, z}, arguments);
  auto const checked = without_gil([&] { return check_atax(arguments); });
  return nb::make_tuple(checked.failed, checked.not_judged, checked.elements, checked.sentence);
}

double dot_of(nb::handle x, nb::handle y, bool copy) {
  Call const call{"dot", copy};
  Taken const first = call.vector(x, "x");
  Taken const second = take_alike(call, y, "y", first, "x");
  nb::gil_scoped_release const released;
  return dot(first.array, second.array);
}

void axpby_of(double a, nb::handle x, double b, nb::handle y) {
  Call const call{"axpby", false};
  // May "copy", so that no error advises it: a copy of y would not be written.
  Taken const model = Call{"axpby", true}.any(y, "y", "one dimension");
  if (!model.array.type.is_scalar()) {
    call.fail_type("y must be float32 or float64, found " + model.array.type.name + " of shape " +
                   shape_text(model.array));
  }
  if (model.array.dimensions != 1) {
    call.fail_value("y must have one dimension, found shape " + shape_text(model.array));
  }
  Taken const in = take_alike(call, x, "x", model, "y");
  Taken const out = call.output(y, "y", in, 1, in.array.extents, in.array.type, "x");
  nb::gil_scoped_release const released;
  axpby(a, in.array, b, out.array);
}

nb::dict info() {
  nb::dict result;
  result["version"] = std::string(version);
  result["commit"] = std::string(git_commit);
  result["host"] = host_backend();
  result["gpu"] = has_gpu_backend();
  result["hdf5"] = TESSERA_PYTHON_HDF5 != 0;
  result["kokkos"] = kokkos_version();
  bool const runs = is_running();
  result["running"] = runs;
  result["threads"] = nb::none();
  if (runs) {
    int number = 0;
    {
      nb::gil_scoped_release const released;
      number = threads({});
    }
    result["threads"] = number;
  }
  return result;
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "The compiled part of tessera.";
  nb::set_leak_warnings(false);
  nb::register_exception_translator([](std::exception_ptr const& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (io::FileError const& error) {
      bool const is_full = error.kind() == io::ErrorKind::out_of_memory;
      PyErr_SetString(is_full ? PyExc_MemoryError : PyExc_OSError, error.what());
    }
  });

  prepare_to_look_for_signals();
  call_while_waiting(look_for_signals);

  add_streams(m);
  // Faster by position.
  m.def("atax", &atax_of, "A"_a, "v"_a, "weights"_a = nb::none(), "minus"_a = nb::none(),
        "map"_a = nb::none(), "alpha"_a = 1.0, "beta"_a = 0.0, "z"_a = nb::none(),
        "return_b"_a = false, "out"_a = nb::none(), "copy"_a = false);
  add_product<Product::plain>(m, "matvec", "x");
  add_product<Product::transposed>(m, "rmatvec", "u");
  add_product<Product::aatx>(m, "aatx", "u");
  m.def("matvec_both", &matvec_both_of, "A"_a, "x"_a, "u"_a, "out"_a = nb::none(), "copy"_a = false,
        nb::sig("def matvec_both(A: object, x: object, u: object, out: object = "
                "None, copy: bool = False) -> tuple[typing.Any, typing.Any]"));
  m.def("transpose", &transpose_of, "A"_a, "out"_a = nb::none(), "copy"_a = false);
  m.def("matmul", &matmul_of, "A"_a, "B"_a, "out"_a = nb::none(), "copy"_a = false);
  m.def("_check", &check_of, "A"_a, "v"_a, "c"_a, "weights"_a.none(), "minus"_a.none(),
        "map"_a.none(), "alpha"_a, "beta"_a, "z"_a.none());
  m.def("dot", &dot_of, "x"_a, "y"_a, "copy"_a = false);
  m.def("axpby", &axpby_of, "a"_a, "x"_a, "b"_a, "y"_a);
  m.def("threads", &threads, "n"_a = nb::none(), nb::call_guard<nb::gil_scoped_release>());
  m.def("info", &info, nb::sig("def info() -> dict[str, typing.Any]"));
  add_solvers(m);
  m.def(
      "_map_of",
      [](nb::handle weights, nb::handle minus, nb::handle map) {
        auto const [kind, vector] = map_of({"distributed.World.atax", false}, weights, minus, map);
        return nb::make_tuple(std::string(kind), vector);
      },
      "weights"_a.none(), "minus"_a.none(), "map"_a.none());
  add_parts(m);
  m.def("_finish", &finish, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace tessera::python
