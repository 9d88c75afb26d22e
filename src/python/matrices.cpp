// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <nanobind/nanobind.h>
#include <python/matrices.hpp>
#include <python/runtime.hpp>
#include <string>
#include <utility>

namespace tessera::python {

namespace nb = nanobind;

void MatrixInput::require_place_of(Call const& call, Taken const& x, char const* name) const {
  call.require_place(x, name, array, "A");
}

namespace {

MatrixInput take(Call const& call, nb::handle a, bool may_be_narrow) {
  StreamObject const* streamed = nullptr;
  if (nb::try_cast(a, streamed) && streamed != nullptr) {
    Reading const& reading = streamed->reading;
    Taken nothing;
    nothing.array.dimensions = 2;
    nothing.array.extents = {reading.rows, reading.cols};
    std::string const shape = shape_text(nothing.array);
    return {std::move(nothing), streamed, reading.rows, reading.cols, reading.type, shape};
  }
  Taken taken = call.matrix(a, "A", may_be_narrow);
  Array const array = taken.array;
  ElementType const type =
      array.type.is_narrow() ? ElementType{true, sizeof(float), "float32"} : array.type;
  return {std::move(taken), nullptr, array.extents[0], array.extents[1], type, shape_text(array)};
}

/// Of a narrow A the vectors do not have the type.
std::string of_vectors(MatrixInput const& a) {
  return (a.array.array.type.is_narrow() ? "a vector of A of shape " : "A of shape ") + a.shape;
}

}  // namespace

MatrixInput take_matrix(Call const& call, nb::handle a) {
  return take(call, a, false);
}

MatrixInput take_stored(Call const& call, nb::handle a) {
  return take(call, a, true);
}

MatrixInput take_factor(Call const& call, nb::handle a, nb::handle vectors) {
  MatrixInput taken = take(call, a, true);
  ElementType const& stored = taken.array.array.type;
  if (!stored.is_narrow()) return taken;
  Array const given =
      (call.may_copy ? call.forward(vectors, "the vectors") : call.any(vectors, "the vectors"))
          .array;
  if (given.type == taken.type) return taken;
  if (call.may_copy) return take(call, a, false);
  call.fail_type("vectors must be float32 for A of " + stored.name + ", found " + given.type.name +
                 " of shape " + shape_text(given) + "; copy=True computes with copies");
}

Taken const& model(MatrixInput const& a, Taken const& v) {
  return a.streamed == nullptr ? a.array : v;
}

Taken take_vectors(Call const& call, MatrixInput const& a, nb::handle x, char const* name,
                   std::int64_t entries) {
  Taken const taken = call.input(x, name, a.type, of_vectors(a));
  if (taken.array.extents[0] != entries) {
    std::string const n = std::to_string(entries);
    call.fail_value(std::string(name) + " must have shape (" + n + ",) or (" + n +
                    ", k) for A of shape " + a.shape + ", found shape " + shape_text(taken.array));
  }
  a.require_place_of(call, taken, name);
  return taken;
}

Taken take_vector(Call const& call, MatrixInput const& a, nb::handle x, char const* name,
                  std::int64_t entries) {
  Taken taken = call.input(x, name, a.type, of_vectors(a), "one dimension");
  if (taken.array.dimensions != 1 || taken.array.extents[0] != entries) {
    call.fail_value(std::string(name) + " must have shape (" + std::to_string(entries) +
                    ",) for A of shape " + a.shape + ", found shape " + shape_text(taken.array));
  }
  a.require_place_of(call, taken, name);
  return taken;
}

Taken take_output(Call const& call, MatrixInput const& a, Taken const& v, nb::handle out,
                  char const* name, std::int64_t entries) {
  std::array<std::int64_t, 2> const extents{entries, v.array.extents[1]};
  return call.output(out, name, model(a, v), v.array.dimensions, extents, a.type, of_vectors(a));
}

namespace {

MatrixInput require_array(Call const& call, MatrixInput a) {
  if (a.streamed != nullptr) call.fail_type("A must be an array, found a matrix that is streamed");
  return a;
}

}  // namespace

MatrixInput take_array(Call const& call, nb::handle A) {
  return require_array(call, take_matrix(call, A));
}

MatrixInput take_stored_array(Call const& call, nb::handle A) {
  return require_array(call, take_stored(call, A));
}

namespace {

/// The first call needs the GIL.
unsigned long main_thread() {
  static unsigned long const number = nb::cast<unsigned long>(
      nb::module_::import_("threading").attr("main_thread")().attr("ident"));
  return number;
}

}  // namespace

void prepare_to_look_for_signals() {
  static_cast<void>(main_thread());
}

void look_for_signals() {
  // Other threads must not enter Python while it is finalised.
  if (PyThread_get_thread_ident() != main_thread()) return;
  nb::gil_scoped_acquire const acquired;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void look_for_signals_in_call() {
  if (PyThread_get_thread_ident() != main_thread()) return;
  Function const function;
  look_for_signals();
}

}  // namespace tessera::python
