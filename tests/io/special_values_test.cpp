// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <bit>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>

#include <io/matrix_file.hpp>
#include <io/matrix_reader.hpp>
#include <io/writers.hpp>

#include "io/support/bytes.hpp"
#include "io/support/errors.hpp"
#include "io/support/folder.hpp"

namespace tessera::io::test {
namespace {

std::vector<std::uint32_t> const patterns{0x00000000, 0x80000000, 0x7fc00000, 0xffc12345,
                                          0x7f800001, 0xff800000, 0x7f800000, 0x00000001,
                                          0x807fffff, 0x3f800000, 0x7f7fffff, 0x12345678};

Bytes pattern_bytes(bool big_endian) {
  Bytes bytes;
  for (std::uint32_t const pattern : patterns) {
    Bytes one = little(pattern);
    bytes += big_endian ? Bytes(one.rbegin(), one.rend()) : one;
  }
  return bytes;
}

template <class View>
std::vector<std::uint32_t> bits_of(View const& A) {
  std::vector<std::uint32_t> bits(A.size());
  std::memcpy(bits.data(), A.data(), A.size() * sizeof(float));
  return bits;
}

TEST(SpecialValues, EveryBitOfAMatrixSurvivesReading) {
  Folder const folder;
  for (bool const big_endian : {false, true}) {
    auto const path = folder.write(
        "A.npy",
        npy_bytes(npy_header(big_endian ? ">f4" : "<f4", "(3, 4)"), pattern_bytes(big_endian)));
    EXPECT_EQ(bits_of(std::get<MatrixView<float, Kokkos::LayoutRight>>(read_matrix(path))),
              patterns);
  }
}

TEST(SpecialValues, EveryBitOfAMatrixSurvivesWriting) {
  Folder const folder;
  Bytes const original = npy_bytes(npy_header("<f4", "(3, 4)"), pattern_bytes(false));
  auto const path = folder.write("A.npy", original);
  OutputFile out(folder / "B.npy");
  write_matrix(out, read_matrix(path));
  out.commit();
  EXPECT_TRUE(content_of(folder / "B.npy").ends_with(pattern_bytes(false)));
}

TEST(Reader, PiecesGiveTheSameElementsAsTheWhole) {
  MatrixReader const reader(sample("big_f8_fortran.npy"));
  std::vector<double> whole(12);
  reader.read(Part::matrix, 0, std::span(whole));
  for (std::size_t first = 0; first < 12; ++first) {
    for (std::size_t count = 1; first + count <= 12; ++count) {
      std::vector<double> piece(count, -1);
      reader.read(Part::matrix, first, std::span(piece));
      EXPECT_EQ(0, std::memcmp(piece.data(), whole.data() + first, count * sizeof(double)));
    }
  }
  EXPECT_NO_THROW(reader.check_unchanged());
}

TEST(Reader, ALargeMatrixIsReadAndConvertedRight) {
  Folder const folder;
  std::size_t const rows = 1237;
  std::size_t const cols = 5009;
  std::vector<float> values(rows * cols);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<float>(k % 16777213);
  auto const path =
      folder.write("A.npy", npy_bytes(npy_header(">f4", "(1237, 5009)"), bytes_of(values, true)));
  std::uint64_t last = 0;
  auto const A = std::get<MatrixView<double, Kokkos::LayoutRight>>(
      read_matrix(path, ScalarType::f64, [&](std::uint64_t done, std::uint64_t total) {
        EXPECT_LE(last, done);
        EXPECT_EQ(total, 8U * 1237 * 5009);
        last = done;
      }));
  EXPECT_EQ(last, 8U * 1237 * 5009);
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (A(k / cols, k % cols) != static_cast<double>(values[k])) ++wrong;
  }
  EXPECT_EQ(wrong, 0U);
}

TEST(Reader, AFileThatShrinksWhileItIsReadIsAnError) {
  Folder const folder;
  auto const path = folder.write("v.bin", bytes_of<float>({1, 2, 3, 4}));
  MatrixReader const reader(path);
  folder.write("v.bin", bytes_of<float>({1, 2}));
  std::vector<float> values(4);
  expect_error(ErrorKind::bad_input, path, {"shorter", "expected 16 bytes", "found 8"},
               [&] { reader.read(Part::matrix, 0, std::span(values)); });
}

TEST(Reader, AFileThatChangesWhileItIsReadIsAnError) {
  Folder const folder;
  auto const path = folder.write("v.bin", bytes_of<float>({1, 2, 3, 4}));
  std::filesystem::last_write_time(path,
                                   std::filesystem::last_write_time(path) - std::chrono::hours(1));
  MatrixReader const reader(path);
  EXPECT_NO_THROW(reader.check_unchanged());
  folder.write("v.bin", bytes_of<float>({1, 2, 3, 5}));
  expect_error(ErrorKind::bad_input, path, {"changed"}, [&] { reader.check_unchanged(); });
}

}  // namespace
}  // namespace tessera::io::test
