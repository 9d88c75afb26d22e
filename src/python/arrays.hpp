// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

/// Python's arrays, described without Python.
namespace tessera::python {

struct Place {
  bool is_gpu = false;
  int device = 0;
  std::uintptr_t stream = 0;

  friend bool operator==(Place const&, Place const&) = default;
};

struct ElementType {
  bool is_float = false;
  std::size_t bytes = 0;
  std::string name;

  [[nodiscard]] bool is_scalar() const { return is_float && (bytes == 4 || bytes == 8); }
  /// Of a matrix that products read as stored.
  [[nodiscard]] bool is_narrow() const {
    return name == "float16" || name == "bfloat16" || name == "int8" || name == "uint8" ||
           name == "int16" || name == "uint16";
  }
  friend bool operator==(ElementType const&, ElementType const&) = default;
};

/// Does not own memory.
struct Array {
  void* data = nullptr;
  int dimensions = 1;
  std::array<std::int64_t, 2> extents{0, 1};
  std::array<std::int64_t, 2> strides{1, 1};  ///< in elements
  ElementType type{};
  Place place{};
};

/// As Python writes it.
std::string shape_text(Array const& array);

}  // namespace tessera::python
