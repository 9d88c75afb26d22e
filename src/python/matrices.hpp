// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nanobind/nanobind.h>
#include <python/imports.hpp>
#include <python/streamed.hpp>
#include <string>

/// Takes the matrix and the vectors of calls.
namespace tessera::python {

/// A matrix as functions take it: an array, or a streamed matrix.
struct MatrixInput {
  Taken array;                               ///< if it is not streamed
  StreamedMatrix const* streamed = nullptr;  ///< if it is
  std::int64_t rows;
  std::int64_t cols;
  ElementType type;
  std::string shape;

  /// Checks that x is in the same memory as the matrix, or on the host if the matrix is streamed.
  void require_place_of(Call const& call, Taken const& x, char const* name) const;
};

/// The Python object of a streamed matrix.
struct StreamObject : StreamedMatrix {
  nanobind::object recipe;    ///< a function and its arguments that recreate the matrix
  nanobind::object function;  ///< that reads blocks; None for a file
};

MatrixInput take_matrix(Call const& call, nanobind::handle a);
/// Takes a matrix that is an array, for functions that do not support streams.
MatrixInput take_array(Call const& call, nanobind::handle a);

/// The array that decides the kind and the place of the results: the matrix, or the vector if the
/// matrix is streamed.
Taken const& model(MatrixInput const& a, Taken const& v);

/// Takes a vector or a block of vectors with `entries` entries each.
Taken take_vectors(Call const& call, MatrixInput const& a, nanobind::handle x, char const* name,
                   std::int64_t entries);
/// Takes a vector with `entries` entries.
Taken take_vector(Call const& call, MatrixInput const& a, nanobind::handle x, char const* name,
                  std::int64_t entries);
/// The result of a call: `out`, or a new array of the model's kind. It has as many vectors as `v`.
Taken take_output(Call const& call, MatrixInput const& a, Taken const& v, nanobind::handle out,
                  char const* name, std::int64_t entries);

/// Call it with the GIL before the functions below.
void prepare_to_look_for_signals();
/// Runs the handlers of pending signals if this is Python's main thread. Throws what they raise,
/// for example after Ctrl-C.
void look_for_signals();
/// The same within a call: a handler must not call tessera itself.
void look_for_signals_in_call();

}  // namespace tessera::python
