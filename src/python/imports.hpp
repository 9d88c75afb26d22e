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

/// Objects of Python's as arrays: what they are, whether they fit, and new ones of their kind.
namespace tessera::python {

/// An array of the caller's, or a result.
struct Taken {
  Array array;
  nanobind::object object;                 ///< as Python has it
  nanobind::ndarray<nanobind::ro> keeper;  ///< of its memory
};

/// One call of a function: its name in messages, and whether it may copy its inputs.
struct Call {
  char const* name;
  bool may_copy;
  bool has_copy = true;  ///< whether the function has an argument `copy` to advise
  mutable std::optional<std::uintptr_t> stream = std::nullopt;  ///< that it works in, of a GPU

  [[noreturn]] void fail_type(std::string const& what) const;
  [[noreturn]] void fail_value(std::string const& what) const;

  /// An array of one or two dimensions and of any type.
  [[nodiscard]] Taken any(nanobind::handle x, char const* name) const;
  /// The same, whose strides are not negative and whose elements are aligned.
  [[nodiscard]] Taken forward(nanobind::handle x, char const* name) const;
  /// A matrix of scalars whose rows or columns lie side by side.
  [[nodiscard]] Taken matrix(nanobind::handle x, char const* name) const;
  /// A vector of scalars.
  [[nodiscard]] Taken vector(nanobind::handle x, char const* name) const;
  /// An array of scalars of a type, which that of `beside` has.
  [[nodiscard]] Taken input(nanobind::handle x, char const* name, ElementType const& type,
                            std::string const& beside) const;
  /// `out`, which has to be of this shape and type and writable, or, where it is None, a new array
  /// of the kind and in the place of `model`.
  [[nodiscard]] Taken output(nanobind::handle out, char const* name, Taken const& model,
                             int dimensions, std::array<std::int64_t, 2> const& extents,
                             ElementType const& type, std::string const& beside) const;

  void require_scalars(Taken const& x, char const* name) const;
  void require_type(Taken const& x, char const* name, ElementType const& type,
                    std::string const& beside) const;
  void require_place(Taken const& x, char const* name, Taken const& model,
                     char const* model_name) const;
  /// Strides are not negative, and elements are aligned.
  void require_readable(Taken const& x, char const* name) const;
  void require_lines(Taken const& x, char const* name) const;
};

/// What a caller gets of a result.
nanobind::object finished(Taken const& result);

/// An array of scalars on a host as NumPy's, which does not own its memory; with the GIL.
nanobind::object numpy_view(Array const& x);

/// read(rows, cols), slices of a matrix: an array of this type and of the block's shape; with the
/// GIL.
nanobind::object block_from(nanobind::handle read, ElementType const& type, BlockRead const& at);

}  // namespace tessera::python
