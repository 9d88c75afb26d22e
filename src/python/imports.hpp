// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <optional>
#include <python/arrays.hpp>
#include <python/streamed.hpp>
#include <string>

/// Converts Python objects to arrays, checks them, and creates new arrays of the same kind.
namespace tessera::python {

/// An array of the caller, or a result.
struct Taken {
  Array array;
  nanobind::object object;                 ///< the Python object
  nanobind::ndarray<nanobind::ro> keeper;  ///< keeps the memory alive
};

/// One call of a function: its name for messages, and whether it may copy its inputs.
struct Call {
  char const* name;
  bool may_copy;
  bool has_copy = true;  ///< whether messages may suggest the argument `copy`
  mutable std::optional<std::uintptr_t> stream = std::nullopt;  ///< stream of the GPU

  [[noreturn]] void fail_type(std::string const& what) const;
  [[noreturn]] void fail_value(std::string const& what) const;

  /// Takes an array of one or two dimensions and any type.
  [[nodiscard]] Taken any(nanobind::handle x, char const* name) const;
  /// The same, with aligned elements and without negative strides.
  [[nodiscard]] Taken forward(nanobind::handle x, char const* name) const;
  /// Takes a matrix of scalars with contiguous rows or columns.
  [[nodiscard]] Taken matrix(nanobind::handle x, char const* name) const;
  /// Takes a vector of scalars.
  [[nodiscard]] Taken vector(nanobind::handle x, char const* name) const;
  /// Takes an array of scalars of the given type, which is the type of `beside`.
  [[nodiscard]] Taken input(nanobind::handle x, char const* name, ElementType const& type,
                            std::string const& beside) const;
  /// Returns `out`, which must be writable and have this shape and type. If it is None, returns a
  /// new array of the kind and in the place of `model`.
  [[nodiscard]] Taken output(nanobind::handle out, char const* name, Taken const& model,
                             int dimensions, std::array<std::int64_t, 2> const& extents,
                             ElementType const& type, std::string const& beside) const;

  void require_scalars(Taken const& x, char const* name) const;
  void require_type(Taken const& x, char const* name, ElementType const& type,
                    std::string const& beside) const;
  void require_place(Taken const& x, char const* name, Taken const& model,
                     char const* model_name) const;
  /// Checks that no stride is negative and that the elements are aligned.
  void require_readable(Taken const& x, char const* name) const;
  void require_lines(Taken const& x, char const* name) const;
};

/// The object that the caller gets as a result.
nanobind::object finished(Taken const& result);

/// A NumPy array that refers to the scalars of `x` on the host, without owning them. Needs the GIL.
nanobind::object numpy_view(Array const& x);

/// Calls read(rows, cols) with slices of a matrix. Returns an array of this type and of the block's
/// shape. Needs the GIL.
nanobind::object block_from(nanobind::handle read, ElementType const& type, BlockRead const& at);

}  // namespace tessera::python
