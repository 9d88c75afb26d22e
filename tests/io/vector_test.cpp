// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>

#include <io/matrix_file.hpp>
#include <io/writers.hpp>

#include "io/support/bytes.hpp"
#include "io/support/errors.hpp"
#include "io/support/folder.hpp"

namespace tessera::io::test {
namespace {

Bytes npy_of(Bytes const& shape) {
  return npy_bytes(npy_header("<f4", shape), bytes_of<float>({1, 2, 3}));
}

void expect_bad_vector(std::string const& path, VectorRequest const& request,
                       std::initializer_list<std::string_view> parts) {
  expect_error(ErrorKind::bad_input, path, parts,
               [&] { static_cast<void>(read_vector(path, request)); });
}

TEST(Vector, RowsAndColumnsAreVectors) {
  Folder const folder;
  for (Bytes const shape : {"(3,)", "(3, 1)", "(1, 3)"}) {
    auto const path = folder.write("v.npy", npy_of(shape));
    auto const v = std::get<VectorView<float>>(read_vector(path, {.length = 3}));
    ASSERT_EQ(v.extent(0), 3U);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(v(i), static_cast<float>(i + 1));
  }
}

TEST(Vector, AMatrixIsNoVector) {
  expect_bad_vector(sample("little_f4_c.npy"), {}, {"not a vector", "3 x 4"});
}

TEST(Vector, TheWrongLengthIsRefused) {
  Folder const folder;
  expect_bad_vector(folder.write("v.npy", npy_of("(3,)")), {.length = 4},
                    {"wrong length", "expected 4 entries", "found 3"});
  expect_bad_vector(sample("sample.ex3"), {.length = 3}, {"expected 3 entries", "found 4"});
  expect_bad_vector(folder.write("v.bin", bytes_of<float>({1, 2})), {.length = 3},
                    {"expected 3 entries", "found 2"});
}

TEST(Vector, TheWrongTypeIsRefusedUnlessConversionIsAskedFor) {
  Folder const folder;
  auto const path = folder.write("v.npy", npy_of("(3,)"));
  expect_bad_vector(path, {.type = ScalarType::f64}, {"wrong type", "expected f64", "found f32"});
  auto const v = std::get<VectorView<double>>(
      read_vector(path, {.length = 3, .type = ScalarType::f64, .convert = true}));
  EXPECT_EQ(v(2), 3.0);
}

TEST(Vector, DoublesAreRoundedToNearestFloats) {
  Folder const folder;
  double const between = 1.0 + std::ldexp(1.0, -24);  // halfway: to even
  auto const path =
      folder.write("v.npy", npy_bytes(npy_header("<f8", "(3,)"),
                                      bytes_of<double>({between, 1e300, -std::ldexp(1.0, -200)})));
  auto const v =
      std::get<VectorView<float>>(read_vector(path, {.type = ScalarType::f32, .convert = true}));
  EXPECT_EQ(v(0), 1.0F);
  EXPECT_EQ(v(1), INFINITY);
  EXPECT_EQ(v(2), 0.0F);
  EXPECT_TRUE(std::signbit(v(2)));
}

TEST(Vector, RawElementsHaveTheTypeAskedFor) {
  Folder const folder;
  auto const path = folder.write("v.bin", bytes_of<double>({-0.0, NAN, 3.25}));
  auto const v =
      std::get<VectorView<double>>(read_vector(path, {.length = 3, .type = ScalarType::f64}));
  EXPECT_TRUE(std::signbit(v(0)));
  EXPECT_TRUE(std::isnan(v(1)));
  EXPECT_EQ(v(2), 3.25);
  EXPECT_EQ(inspect(path).rows, 6U);
  EXPECT_EQ(inspect(path, {.type = ScalarType::f64}).rows, 3U);
  EXPECT_EQ(inspect(path).format, Format::raw);
}

TEST(Vector, RawElementsAreNoMatrix) {
  Folder const folder;
  expect_bad_matrix(folder.write("A.bin", bytes_of<float>({1, 2})), {"no dimensions"});
}

TEST(Vector, RawBytesThatEndInsideAnElementAreRefused) {
  Folder const folder;
  auto const path = folder.write("v.bin", bytes_of<float>({1, 2, 3}));
  expect_bad_vector(path, {.type = ScalarType::f64}, {"inside an element", "8 bytes", "found 12"});
}

TEST(Vector, IsWrittenInTheFormatOfTheExtension) {
  Folder const folder;
  std::vector<double> const values{1, -0.0, INFINITY};
  for (std::string const name : {"v.npy", "v.bin"}) {
    OutputFile out(folder / name);
    write_vector(out, std::span<double const>(values));
    out.commit();
  }
  EXPECT_EQ(content_of(folder / "v.bin"), bytes_of(values));
  EXPECT_TRUE(content_of(folder / "v.npy").ends_with(bytes_of(values)));
  EXPECT_EQ(content_of(folder / "v.npy").size() % 64, 24U);
}

TEST(Vector, FormatsThatHoldNoVectorAreRefusedBeforehand) {
  for (std::string const path : {"C", "C.ex3", "C.txt"}) {
    expect_error(ErrorKind::bad_output, path, {"expected the extension .npy, .bin"},
                 [&] { check_vector_format(path); });
  }
  EXPECT_NO_THROW(check_vector_format("folder.d/C.BIN"));
  EXPECT_NO_THROW(check_vector_format("C.npy"));
}

}  // namespace
}  // namespace tessera::io::test
