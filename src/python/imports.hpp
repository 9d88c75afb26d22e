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

/// Arrays of Python objects.
namespace tessera::python {

/// An array of the caller, or a result.
struct Taken {
  Array array;
  nanobind::object object;
  nanobind::ndarray<nanobind::ro> keeper;  ///< of memory
};

struct Call {
  char const* name;
  bool may_copy;
  mutable std::optional<std::uintptr_t> stream = std::nullopt;  ///< of the GPU

  [[noreturn]] void fail_type(std::string const& what) const;
  [[noreturn]] void fail_value(std::string const& what) const;

  /// One or two dimensions, any type. `expected` is what an error expects instead of others.
  [[nodiscard]] Taken any(nanobind::handle x, char const* name,
                          char const* expected = "one or two dimensions") const;
  /// Aligned, without negative strides.
  [[nodiscard]] Taken forward(nanobind::handle x, char const* name,
                              char const* expected = "one or two dimensions") const;
  /// With contiguous rows or columns. `may_be_narrow`: in a narrow type, too.
  [[nodiscard]] Taken matrix(nanobind::handle x, char const* name,
                             bool may_be_narrow = false) const;
  [[nodiscard]] Taken vector(nanobind::handle x, char const* name) const;
  /// Scalars of `type`, which is the type of `model_name`.
  [[nodiscard]] Taken input(nanobind::handle x, char const* name, ElementType const& type,
                            std::string const& model_name,
                            char const* expected = "one or two dimensions") const;
  /// `out`, if writable and of this shape and type; for None a new array of the model's kind and
  /// place.
  [[nodiscard]] Taken output(nanobind::handle out, char const* name, Taken const& model,
                             int dimensions, std::array<std::int64_t, 2> const& extents,
                             ElementType const& type, std::string const& model_name) const;

  void require_scalars(Taken const& x, char const* name) const;
  void require_type(Taken const& x, char const* name, ElementType const& type,
                    std::string const& model_name) const;
  void require_place(Taken const& x, char const* name, Taken const& model,
                     char const* model_name) const;
  void require_readable(Taken const& x, char const* name) const;
  void require_lines(Taken const& x, char const* name) const;
};

/// body(), while Python may run other threads.
template <class Body>
auto without_gil(Body const& body) {
  nanobind::gil_scoped_release const released;
  return body();
}

/// The object that the caller gets.
nanobind::object finished(Taken const& result);

/// Not owned. Needs the GIL.
nanobind::object numpy_view(Array const& x);

/// read(rows, cols) as an array. Needs the GIL.
nanobind::object block_from(nanobind::handle read, ElementType const& type, BlockRead const& at);

}  // namespace tessera::python
