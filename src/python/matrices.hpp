// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nanobind/nanobind.h>
#include <python/imports.hpp>
#include <python/streamed.hpp>
#include <string>

/// Matrices and vectors of calls.
namespace tessera::python {

struct MatrixInput {
  Taken array;                               ///< if not streamed
  StreamedMatrix const* streamed = nullptr;  ///< else
  std::int64_t rows;
  std::int64_t cols;
  ElementType type;  ///< of vectors and results
  std::string shape;

  /// On the host if the matrix is streamed.
  void require_place_of(Call const& call, Taken const& x, char const* name) const;
};

struct StreamObject : StreamedMatrix {
  nanobind::object recipe;    ///< recreates the matrix
  nanobind::object function;  ///< None for a file
};

MatrixInput take_matrix(Call const& call, nanobind::handle a);
/// As stored: A may have a narrow type.
MatrixInput take_stored(Call const& call, nanobind::handle a);
/// For vectors of A's type. If they are float32, A may have a narrow type.
MatrixInput take_factor(Call const& call, nanobind::handle a, nanobind::handle vectors);
/// Not a matrix that is streamed.
MatrixInput take_array(Call const& call, nanobind::handle a);
MatrixInput take_stored_array(Call const& call, nanobind::handle a);

/// Decides kind and place of results: the matrix, or the vector if it is streamed.
Taken const& model(MatrixInput const& a, Taken const& v);

Taken take_vectors(Call const& call, MatrixInput const& a, nanobind::handle x, char const* name,
                   std::int64_t entries);
Taken take_vector(Call const& call, MatrixInput const& a, nanobind::handle x, char const* name,
                  std::int64_t entries);
/// See Call::output().
Taken take_output(Call const& call, MatrixInput const& a, Taken const& v, nanobind::handle out,
                  char const* name, std::int64_t entries);

/// Call it with the GIL before the functions below.
void prepare_to_look_for_signals();
/// Runs handlers of pending signals on Python's main thread. Throws what they raise.
void look_for_signals();
/// Handlers must not call tessera.
void look_for_signals_in_call();

}  // namespace tessera::python
