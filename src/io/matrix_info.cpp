// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>

#include <io/matrix_info.hpp>

namespace tessera::io {
namespace {

struct ElementRow {
  ElementType type;
  std::string_view name;
  std::uint64_t size;
  ScalarType scalar;
};

constexpr std::array<ElementRow, 13> element_table{{
    {ElementType::f16, "float16", 2, ScalarType::f32},
    {ElementType::f32, "f32", 4, ScalarType::f32},
    {ElementType::f64, "f64", 8, ScalarType::f64},
    {ElementType::i8, "int8", 1, ScalarType::f32},
    {ElementType::u8, "uint8", 1, ScalarType::f32},
    {ElementType::i16, "int16", 2, ScalarType::f32},
    {ElementType::u16, "uint16", 2, ScalarType::f32},
    {ElementType::i32, "int32", 4, ScalarType::f64},
    {ElementType::u32, "uint32", 4, ScalarType::f64},
    {ElementType::i64, "int64", 8, ScalarType::f64},
    {ElementType::u64, "uint64", 8, ScalarType::f64},
    {ElementType::bf16, "bfloat16", 2, ScalarType::f32},
    {ElementType::genotype, "genotypes", 0, ScalarType::f32},
}};

ElementRow const& row_of(ElementType type) {
  return *std::ranges::find(element_table, type, &ElementRow::type);
}

}  // namespace

std::uint64_t size_of(ElementType type) {
  return row_of(type).size;
}

ScalarType scalar_type_of(ElementType type) {
  return row_of(type).scalar;
}

std::string_view to_string(ElementType type) {
  return row_of(type).name;
}

std::string_view to_string(ScalarType type) {
  return type == ScalarType::f32 ? "f32" : "f64";
}

std::string describe(ScalarType type, ElementType stored) {
  std::string const name(to_string(type));
  if (stored == element_type(type)) return name;
  return name + " (" + std::string(to_string(stored)) + " in the file)";
}

std::string_view to_string(Layout layout) {
  return layout == Layout::right ? "row-major" : "column-major";
}

std::string_view to_string(Format format) {
  switch (format) {
    case Format::ex3:
      return "ex3";
    case Format::npy:
      return "npy";
    case Format::npz:
      return "npz";
    case Format::raw:
      return "raw";
    case Format::bed:
      return "bed";
    case Format::hdf5:
      return "hdf5";
    case Format::matrix_market:
      return "mtx";
    case Format::csv:
      return "csv";
  }
  return "";
}

}  // namespace tessera::io
