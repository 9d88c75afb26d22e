// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nanobind/nanobind.h>
#include <python/imports.hpp>
#include <python/streamed.hpp>
#include <string>

/// A call's matrix, and its vectors.
namespace tessera::python {

/// A matrix as functions take it: an array, or one that is streamed.
struct MatrixInput {
  Taken array;                               ///< if it is not streamed
  StreamedMatrix const* streamed = nullptr;  ///< if it is
  std::int64_t rows;
  std::int64_t cols;
  ElementType type;
  std::string shape;

  /// A vector lies where the matrix does; one that is streamed is on the host.
  void require_place_of(Call const& call, Taken const& x, char const* name) const;
};

/// A streamed matrix as Python has it.
struct StreamObject : StreamedMatrix {
  nanobind::object recipe;    ///< a function of the package and its arguments, which make it again
  nanobind::object function;  ///< that reads blocks; None if it is a file
};

MatrixInput take_matrix(Call const& call, nanobind::handle a);
/// A matrix that is an array: what streams do not have.
MatrixInput take_array(Call const& call, nanobind::handle a);

/// The kind and the place of the results of a call: those of the matrix, or, of one that is
/// streamed, of the vector.
Taken const& model(MatrixInput const& a, Taken const& v);

/// A vector, or a block of vectors, with so many entries, beside a matrix.
Taken take_vectors(Call const& call, MatrixInput const& a, nanobind::handle x, char const* name,
                   std::int64_t entries);
/// A vector with so many entries.
Taken take_vector(Call const& call, MatrixInput const& a, nanobind::handle x, char const* name,
                  std::int64_t entries);
/// The result of a call: `out`, or a new array of the model's kind. As many vectors as `v` has.
Taken take_output(Call const& call, MatrixInput const& a, Taken const& v, nanobind::handle out,
                  char const* name, std::int64_t entries);

/// To be called with the GIL before the others.
void prepare_to_look_for_signals();
/// Runs the handlers of signals that have arrived, if this is Python's main thread. Throws what
/// they raise, as for Ctrl-C.
void look_for_signals();
/// The same within a call: a handler cannot call tessera itself.
void look_for_signals_in_call();

}  // namespace tessera::python
