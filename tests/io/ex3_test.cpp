// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>

#include <io/format_functions.hpp>
#include <io/matrix_file.hpp>

#include "io/support/bytes.hpp"
#include "io/support/errors.hpp"
#include "io/support/folder.hpp"

namespace tessera::io::test {
namespace {

using RightF32 = MatrixView<float, Kokkos::LayoutRight>;

TEST(Ex3, ReadsWhatTheOriginalToolsWrite) {
  Folder const folder;
  std::vector<float> const A{1, 2, 3, 4, 5, 6};
  auto const path = folder.write("7", ex3_bytes(2, 3, A, {7, 8}));

  MatrixInfo const info = inspect(path);
  EXPECT_EQ(info.format, Format::ex3);
  EXPECT_EQ(info.type, ScalarType::f32);
  EXPECT_EQ(info.layout, Layout::right);
  EXPECT_EQ(info.rows, 3U);
  EXPECT_EQ(info.cols, 2U);
  EXPECT_TRUE(info.has_vector);
  EXPECT_EQ(info.vector_offset, 40U);

  auto const view = std::get<RightF32>(read_matrix(path));
  ASSERT_EQ(view.extent(0), 3U);
  ASSERT_EQ(view.extent(1), 2U);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 2; ++j) EXPECT_EQ(view(i, j), A[2 * i + j]);
  }
  auto const v = std::get<VectorView<float>>(read_vector(path));
  ASSERT_EQ(v.extent(0), 2U);
  EXPECT_EQ(v(0), 7);
  EXPECT_EQ(v(1), 8);
}

TEST(Ex3, SkipsPaddingUnread) {
  Folder const folder;
  auto const path = folder.write("7.ex3", ex3_bytes(1, 1, {3}, {4}, "\xff\x01\x80zzzzz"));
  EXPECT_EQ(std::get<RightF32>(read_matrix(path))(0, 0), 3);
  EXPECT_EQ(std::get<VectorView<float>>(read_vector(path))(0), 4);
}

TEST(Ex3, ReadsTheCommittedSample) {
  auto const A = std::get<RightF32>(read_matrix(sample("sample.ex3")));
  ASSERT_EQ(A.extent(0), 3U);
  ASSERT_EQ(A.extent(1), 4U);
  EXPECT_EQ(A(0, 0), 0);
  EXPECT_TRUE(std::signbit(A(0, 0)));
  EXPECT_TRUE(std::isnan(A(0, 1)));
  EXPECT_EQ(A(1, 0), std::numeric_limits<float>::infinity());
  EXPECT_EQ(A(2, 2), 22.5F);
  auto const V = std::get<VectorView<float>>(read_vector(sample("sample.ex3"), {.length = 4}));
  EXPECT_EQ(V(1), -1);
  EXPECT_TRUE(std::signbit(V(2)));
}

TEST(Ex3, WritesTheSameBytesAsTheOriginalTools) {
  Folder const folder;
  std::vector<float> const values{1, -0.0F, 0.1F, NAN, -INFINITY, 6};
  std::vector<float> const V{-0.0F, 8};
  OutputFile out(folder / "7");
  MatrixInfo info;
  info.rows = 3;
  info.cols = 2;
  begin_ex3_matrix(out, info);
  out.write_elements(std::span<float const>(values));
  out.write_elements(std::span<float const>(V));
  out.commit();
  EXPECT_EQ(content_of(folder / "7"), ex3_bytes(2, 3, values, V));
}

TEST(Ex3, ConvertsToDouble) {
  auto const A = std::get<MatrixView<double, Kokkos::LayoutRight>>(
      read_matrix(sample("sample.ex3"), ScalarType::f64));
  EXPECT_EQ(A(2, 2), 22.5);
  EXPECT_TRUE(std::signbit(A(0, 0)));
  auto const V = std::get<VectorView<double>>(
      read_vector(sample("sample.ex3"), {.type = ScalarType::f64, .convert = true}));
  EXPECT_EQ(V(3), 0.5);
}

TEST(Ex3, RefusesZeroDimensions) {
  Folder const folder;
  expect_bad_matrix(folder.write("1", ex3_bytes(0, 5, {}, {})), {"zero", "5 rows x 0 columns"});
  expect_bad_matrix(folder.write("2", ex3_bytes(2, 0, {}, {1, 2})), {"zero"});
}

TEST(Ex3, RefusesSizesThatOverflow64Bits) {
  Folder const folder;
  auto const path = folder.write("1", ex3_bytes(0xffffffffU, 0xffffffffU, {1}, {1}));
  expect_bad_matrix(path, {"overflow", "4294967295"});
}

TEST(Ex3, RefusesSizesThatOnlyFitWhenMultipliedIn32Bits) {
  Folder const folder;  // 4 * 65536 * 65536 is 0 in 32 bits
  auto const path = folder.write("1", ex3_bytes(65536, 65536, {}, std::vector<float>(65536, 1.0F)));
  expect_bad_matrix(path, {"truncated", "17180131344"});
}

}  // namespace
}  // namespace tessera::io::test
