// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>

#include <io/conversion.hpp>
#include <io/matrix_file.hpp>
#include <io/matrix_reader.hpp>
#include <io/types.hpp>

#include "io/support/bytes.hpp"
#include "io/support/elements.hpp"
#include "io/support/errors.hpp"
#include "io/support/folder.hpp"
#include "support/sha256.hpp"

// Half precision and integers are converted on reading.
namespace tessera::io::test {
namespace {

struct TypeCase {
  std::string descr;  ///< NumPy's, without its byte order
  ElementType stored;
  std::string name;
  ScalarType read_as;
  std::vector<double> ends;  ///< tests/data/io/make_samples.py, 2 x 3
};

std::vector<TypeCase> const& types() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> const real{-0.0, infinity, -infinity, 65504, 0x1p-24, -1.5};
  using enum ElementType;
  static std::vector<TypeCase> const all{
      {"f2", f16, "float16", ScalarType::f32, real},
      {"f4", f32, "f32", ScalarType::f32, real},
      {"f8", f64, "f64", ScalarType::f64, real},
      {"i1", i8, "int8", ScalarType::f32, {-128, 0, 1, 2, 100, 127}},
      {"u1", u8, "uint8", ScalarType::f32, {0, 0, 1, 2, 100, 255}},
      {"i2", i16, "int16", ScalarType::f32, {-32768, 0, 1, 2, 100, 32767}},
      {"u2", u16, "uint16", ScalarType::f32, {0, 0, 1, 2, 100, 65535}},
      {"i4", i32, "int32", ScalarType::f64, {-0x1p31, 0, 1, 2, 100, 2147483647}},
      {"u4", u32, "uint32", ScalarType::f64, {0, 0, 1, 2, 100, 4294967295}},
      {"i8", i64, "int64", ScalarType::f64, {-0x1p63, 0, 1, 2, 100, 0x1p62}},
      {"u8", u64, "uint64", ScalarType::f64, {0, 0, 1, 2, 100, 0x1p63}}};
  return all;
}

std::vector<std::uint64_t> bits_of(std::vector<double> const& values) {
  std::vector<std::uint64_t> bits;
  for (double const value : values) bits.push_back(std::bit_cast<std::uint64_t>(value));
  return bits;
}

/// Elements of 8 and 16 bits, not converted.
void expect_stored(MatrixReader const& reader, TypeCase const& type) {
  constexpr std::array halves{0x8000, 0x7c00, 0xfc00, 0x7bff, 0x0001, 0xbe00};
  std::visit(
      [&]<class Bits, class Layout>(MatrixView<Bits, Layout> const& view) {
        ASSERT_EQ(sizeof(Bits), size_of(type.stored));
        ASSERT_EQ(view.extent(0), 2U);
        ASSERT_EQ(view.extent(1), 3U);
        for (std::size_t k = 0; k < 6; ++k) {
          auto const expected = type.stored == ElementType::f16
                                    ? halves[k]
                                    : static_cast<Bits>(static_cast<std::int64_t>(type.ends[k]));
          EXPECT_EQ(view(k / 3, k % 3), expected) << k;
        }
      },
      read_stored_matrix(reader));
  std::vector<std::uint32_t> found;
  auto const read_some = [&]<class Bits>(Bits) {
    std::vector<Bits> some(2);
    reader.read_block({.row = 1, .col = 1, .rows = 1, .cols = 2}, std::span(some));
    found.assign(some.begin(), some.end());
    std::vector<Bits> all(6);
    reader.read(Part::matrix, 0, std::span(all));
    EXPECT_EQ(found, std::vector<std::uint32_t>(all.begin() + 4, all.end()));
  };
  auto const is_byte = size_of(type.stored) == 1;
  is_byte ? read_some(std::uint8_t{}) : read_some(std::uint16_t{});
  std::vector<std::uint8_t> bytes(6);
  std::vector<std::uint16_t> words(6);
  EXPECT_THROW(is_byte ? reader.read(Part::matrix, 0, std::span(words))
                       : reader.read(Part::matrix, 0, std::span(bytes)),
               std::invalid_argument);
}

void expect_type(std::string const& path, TypeCase const& type, bool big_endian) {
  SCOPED_TRACE(path);
  MatrixInfo const info = inspect(path);
  EXPECT_EQ(info.stored, type.stored);
  EXPECT_EQ(to_string(info.stored), type.name);
  EXPECT_EQ(info.type, type.read_as);
  EXPECT_EQ(info.is_converted(), type.descr != "f4" && type.descr != "f8");
  if (type.descr.back() != '1') {
    EXPECT_EQ(info.byte_order == std::endian::big, big_endian);
  }
  EXPECT_EQ(bits_of(elements_of<double>(path)), bits_of(type.ends));
  MatrixReader const reader(path);
  std::vector<double> some(2);
  reader.read_block({.row = 1, .col = 1, .rows = 1, .cols = 2}, std::span(some));
  EXPECT_EQ(some, (std::vector<double>{type.ends[4], type.ends[5]}));
  if (size_of(info.stored) <= 2) expect_stored(reader, type);
}

TEST(ElementTypes, OfNumpyAreReadInEitherByteOrder) {
  for (bool const big_endian : {false, true}) {
    for (TypeCase const& type : types()) {
      expect_type(sample("stored.npz") + ":" + (big_endian ? "big_" : "little_") + type.descr, type,
                  big_endian);
    }
  }
}

TEST(ElementTypes, OfNpyFilesAreReadInEitherByteOrder) {
  Folder const folder;
  for (TypeCase const& type : types()) {
    if (type.descr.front() == 'f') continue;
    std::size_t const size = static_cast<std::size_t>(type.descr.back() - '0');
    for (bool const big_endian : {false, true}) {
      Bytes data;
      for (double const value : type.ends) {
        auto const whole = value >= 0x1p63
                               ? std::uint64_t{1} << 63U
                               : static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
        Bytes one = little(whole).substr(0, size);
        data += big_endian ? Bytes(one.rbegin(), one.rend()) : one;
      }
      std::string const order = size == 1 ? "|" : big_endian ? ">" : "<";
      expect_type(folder.write("A.npy", npy_bytes(npy_header(order + type.descr, "(2, 3)"), data)),
                  type, big_endian);
    }
  }
}

TEST(ElementTypes, EveryHalfKeepsItsBits) {
  Folder const folder;
  Bytes little_halves;
  Bytes big_halves;
  for (std::uint32_t bits = 0; bits <= 0xffffU; ++bits) {
    Bytes const one = little(static_cast<std::uint16_t>(bits));
    little_halves += one;
    big_halves += Bytes(one.rbegin(), one.rend());
  }
  auto const halves = elements_of<float>(
      folder.write("A.npy", npy_bytes(npy_header("<f2", "(256, 256)"), little_halves)));
  ASSERT_EQ(halves.size(), 65536U);
  for (std::uint32_t bits = 0; bits <= 0xffffU; ++bits) {
    std::uint32_t const found = std::bit_cast<std::uint32_t>(halves[bits]);
    int const exponent = static_cast<int>(bits >> 10U & 0x1fU);
    std::uint32_t const fraction = bits & 0x3ffU;
    std::uint32_t expected = 0x7f800000U | fraction << 13U;
    if (exponent != 31) {
      double const size =
          exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
      expected = std::bit_cast<std::uint32_t>(static_cast<float>(size));
    }
    ASSERT_EQ(found, expected | (bits & 0x8000U) << 16U) << bits;
  }
  EXPECT_EQ(tessera::test::sha256(std::as_bytes(std::span(halves))),
            "f4fdd084f85448d28c84f20fabf4022ba938e40b7f382d2727dec6f41ac6267a");
  auto const swapped = elements_of<float>(
      folder.write("B.npy", npy_bytes(npy_header(">f2", "(256, 256)"), big_halves)));
  EXPECT_EQ(std::memcmp(swapped.data(), halves.data(), 65536 * sizeof(float)), 0);
}

TEST(ElementTypes, AnIntegerIsNeverRounded) {
  Folder const folder;
  auto const file = [&](std::string const& descr, std::uint64_t value) {
    std::size_t const size = static_cast<std::size_t>(descr.back() - '0');
    return folder.write("A.npy", npy_bytes(npy_header(descr, "(1, 2)"),
                                           Bytes(size, '\0') + little(value).substr(0, size)));
  };
  auto const refused = [&](std::string const& descr, std::uint64_t value, ScalarType type,
                           std::string const& words) {
    std::string const path = file(descr, value);
    expect_error(ErrorKind::bad_input, path, {words},
                 [&] { static_cast<void>(read_matrix(path, type)); });
  };
  using enum ScalarType;
  refused("<i4", (1U << 24U) + 1, f32,
          "has an integer that f32 does not hold exactly: expected at most 24 significant bits, "
          "found 16777217; --type f64 holds it");
  refused("<i4", 0 - std::uint64_t{(1U << 24U) + 1}, f32, "found -16777217");
  refused("<u4", 0xffffffff, f32, "found 4294967295; --type f64 holds it");
  refused("<i8", (std::uint64_t{1} << 53U) + 1, f64,
          "has an integer that f64 does not hold exactly: expected at most 53 significant bits, "
          "found 9007199254740993; store the integers as float64 where they may be rounded");
  refused("<i8", 0 - (std::uint64_t{1} << 53U) - 1, f64, "found -9007199254740993");
  refused("<i8", ~std::uint64_t{0} >> 1U, f64, "found 9223372036854775807");
  refused("<u8", ~std::uint64_t{0}, f64, "found 18446744073709551615");
  refused("<u8", ~std::uint64_t{0}, f32, "found 18446744073709551615; store the integers");
  EXPECT_EQ(elements_of<float>(file("<i4", 1U << 31U))[1], -0x1p31F);
  EXPECT_EQ(elements_of<float>(file("<i4", (1U << 24U) + 2))[1], 16777218.0F);
  EXPECT_EQ(elements_of<float>(file("<u8", std::uint64_t{1} << 63U))[1], 0x1p63F);
  EXPECT_EQ(elements_of<double>(file("<u8", ~std::uint64_t{0} << 11U))[1], 0x1p64 - 0x1p11);
}

TEST(ElementTypes, AVectorOfIntegersGoesWithEitherType) {
  Folder const folder;
  auto const path =
      folder.write("v.npy", npy_bytes(npy_header("<i2", "(2,)"),
                                      little(std::uint16_t{3}) + little(std::uint16_t{0xffff})));
  auto const single = std::get<VectorView<float>>(read_vector(path, {.type = ScalarType::f32}));
  auto const twice = std::get<VectorView<double>>(read_vector(path, {.type = ScalarType::f64}));
  EXPECT_EQ(single(1), -1);
  EXPECT_EQ(twice(1), -1);
  EXPECT_EQ(twice(0), 3);
}

TEST(ElementTypes, AreConvertedIntoFiles) {
  Folder const folder;
  convert_file({.input = sample("stored.npz") + ":big_i2", .output = folder / "A.npy"});
  EXPECT_EQ(inspect(folder / "A.npy").stored, ElementType::f32);
  EXPECT_EQ(elements_of<double>(folder / "A.npy"),
            (std::vector<double>{-32768, 0, 1, 2, 100, 32767}));
  convert_file({.input = sample("stored.npz") + ":little_u4",
                .output = folder / "B.npy",
                .layout = Layout::left});
  EXPECT_EQ(inspect(folder / "B.npy").stored, ElementType::f64);
  EXPECT_EQ(elements_of<double>(folder / "B.npy"),
            (std::vector<double>{0, 2, 0, 100, 1, 4294967295}));
}

}  // namespace
}  // namespace tessera::io::test
