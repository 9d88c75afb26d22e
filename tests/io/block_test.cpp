// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <io/matrix_reader.hpp>

#include "io/support/bytes.hpp"
#include "io/support/errors.hpp"
#include "io/support/folder.hpp"

namespace tessera::io::test {
namespace {

double value(std::uint64_t i, std::uint64_t j) {
  return static_cast<double>((i * 7919 + j) % 16777213);
}

struct MatrixFile {
  std::string label;
  std::string name;
  Layout layout;
  Bytes (*content)(std::uint64_t rows, std::uint64_t cols);
  RawFile raw;
};

void PrintTo(MatrixFile const& file, std::ostream* out) {
  *out << file.label;
}

template <class T>
std::vector<T> values(std::uint64_t rows, std::uint64_t cols, Layout layout) {
  std::vector<T> elements;
  for (std::uint64_t k = 0; k < rows * cols; ++k) {
    elements.push_back(static_cast<T>(layout == Layout::right ? value(k / cols, k % cols)
                                                              : value(k % rows, k / rows)));
  }
  return elements;
}

Bytes shape(std::uint64_t rows, std::uint64_t cols) {
  return "(" + std::to_string(rows) + ", " + std::to_string(cols) + ")";
}

std::vector<MatrixFile> const matrix_files{
    {"npy_f4_right",
     "A.npy",
     Layout::right,
     [](std::uint64_t rows, std::uint64_t cols) {
       return npy_bytes(npy_header("<f4", shape(rows, cols)),
                        bytes_of(values<float>(rows, cols, Layout::right)));
     },
     {}},
    {"npy_f8_left_big",
     "A.npy",
     Layout::left,
     [](std::uint64_t rows, std::uint64_t cols) {
       return npy_bytes(npy_header(">f8", shape(rows, cols), true),
                        bytes_of(values<double>(rows, cols, Layout::left), true));
     },
     {}},
    {"ex3",
     "1",
     Layout::right,
     [](std::uint64_t rows, std::uint64_t cols) {
       return ex3_bytes(static_cast<std::uint32_t>(cols), static_cast<std::uint32_t>(rows),
                        values<float>(rows, cols, Layout::right), std::vector<float>(cols));
     },
     {}},
    {"raw_f8_left",
     "A.bin",
     Layout::left,
     [](std::uint64_t rows, std::uint64_t cols) {
       return bytes_of(values<double>(rows, cols, Layout::left));
     },
     {.type = ScalarType::f64, .layout = Layout::left}},
};

class ReadBlock : public testing::TestWithParam<MatrixFile> {
 protected:
  [[nodiscard]] MatrixReader open(std::uint64_t rows, std::uint64_t cols) const {
    RawFile raw = GetParam().raw;
    raw.rows = rows;
    raw.cols = cols;
    return MatrixReader(folder_.write(GetParam().name, GetParam().content(rows, cols)), raw);
  }

  template <class T>
  static std::uint64_t count_wrong(MatrixReader const& reader, Block const& block) {
    std::vector<T> elements(block.elements(), -1);
    reader.read_block(block, std::span<T>(elements));
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < block.rows; ++i) {
      for (std::uint64_t j = 0; j < block.cols; ++j) {
        bool const right = reader.info().layout == Layout::right;
        T const found = elements[right ? i * block.cols + j : i + j * block.rows];
        if (found != static_cast<T>(value(block.row + i, block.col + j))) ++wrong;
      }
    }
    return wrong;
  }

  Folder folder_;
};

TEST_P(ReadBlock, EveryBlockHasItsElements) {
  constexpr std::uint64_t rows = 5;
  constexpr std::uint64_t cols = 4;
  MatrixReader const reader = open(rows, cols);
  EXPECT_EQ(reader.info().layout, GetParam().layout);
  for (std::uint64_t row = 0; row <= rows; ++row) {
    for (std::uint64_t col = 0; col <= cols; ++col) {
      for (std::uint64_t height = 0; row + height <= rows; ++height) {
        for (std::uint64_t width = 0; col + width <= cols; ++width) {
          Block const block{.row = row, .col = col, .rows = height, .cols = width};
          EXPECT_EQ(count_wrong<float>(reader, block), 0U);
          EXPECT_EQ(count_wrong<double>(reader, block), 0U);
        }
      }
    }
  }
}

TEST_P(ReadBlock, BlocksBeyondTheBufferOfAConversionHaveTheirElements) {
  for (auto const& [rows, cols] : {std::pair{3, 100'003}, {100'003, 3}, {401, 503}}) {
    auto const height = static_cast<std::uint64_t>(rows);
    auto const width = static_cast<std::uint64_t>(cols);
    MatrixReader const reader = open(height, width);
    for (Block const& block : {Block{.row = 0, .col = 0, .rows = height, .cols = width},
                               Block{.row = 1, .col = 1, .rows = height - 2, .cols = width - 2}}) {
      EXPECT_EQ(count_wrong<float>(reader, block), 0U) << rows << " x " << cols;
      EXPECT_EQ(count_wrong<double>(reader, block), 0U) << rows << " x " << cols;
    }
  }
}

TEST_P(ReadBlock, ABlockBeyondTheMatrixIsRefused) {
  MatrixReader const reader = open(5, 4);
  std::vector<float> elements(1);
  constexpr std::uint64_t huge = ~std::uint64_t{0};
  for (Block const& block : {Block{.row = 5, .col = 0, .rows = 1, .cols = 1},
                             Block{.row = 0, .col = 4, .rows = 1, .cols = 1},
                             Block{.row = huge, .col = 0, .rows = 1, .cols = 1},
                             Block{.row = 1, .col = 0, .rows = huge, .cols = huge},
                             Block{.row = 0, .col = 0, .rows = 1, .cols = 2}}) {
    EXPECT_THAT([&] { reader.read_block(block, std::span(elements)); },
                testing::ThrowsMessage<std::out_of_range>(
                    "tessera::io::MatrixReader::read_block: not a block of the matrix"));
  }
}

TEST_P(ReadBlock, MissingEntriesAreMeans) {
  MatrixReader reader = open(5, 4);
  reader.fill_missing(value(2, 1), {0.5, 1.5, 2.5, 3.5});
  auto const expected = [](std::uint64_t i, std::uint64_t j) {
    return i == 2 && j == 1 ? 1.5F : static_cast<float>(value(i, j));
  };
  bool const by_rows = GetParam().layout == Layout::right;
  for (Block const& block : {Block{.row = 0, .col = 0, .rows = 5, .cols = 4},
                             Block{.row = 1, .col = 1, .rows = 3, .cols = 2},
                             Block{.row = 2, .col = 1, .rows = 1, .cols = 1}}) {
    std::vector<float> elements(block.elements());
    reader.read_block(block, std::span(elements));
    for (std::uint64_t k = 0; k < elements.size(); ++k) {
      std::uint64_t const i = by_rows ? k / block.cols : k % block.rows;
      std::uint64_t const j = by_rows ? k % block.cols : k / block.rows;
      EXPECT_EQ(elements[k], expected(block.row + i, block.col + j)) << i << ", " << j;
    }
  }
  std::vector<double> rest(13);  // from the middle of a line
  reader.read(Part::matrix, 6, std::span(rest));
  for (std::uint64_t k = 0; k < rest.size(); ++k) {
    std::uint64_t const at = 6 + k;
    EXPECT_EQ(rest[k], by_rows ? expected(at / 4, at % 4) : expected(at % 5, at / 5)) << at;
  }
  reader.fill_missing(std::numeric_limits<double>::quiet_NaN(), {0.5, 1.5, 2.5, 3.5});
  reader.read(Part::matrix, 6, std::span(rest));
  EXPECT_EQ(rest[0], by_rows ? value(1, 2) : value(1, 1));
}

INSTANTIATE_TEST_SUITE_P(Files, ReadBlock, testing::ValuesIn(matrix_files),
                         [](auto const& each) { return each.param.label; });

TEST(RawMatrix, MustHaveTheSizeThatItIsSaidToHave) {
  Folder const folder;
  auto const path = folder.write("A.bin", bytes_of<float>({1, 2, 3, 4, 5, 6}));
  EXPECT_NO_THROW(MatrixReader(path, {.rows = 2, .cols = 3}));
  for (auto const& [rows, cols, word] :
       {std::tuple{std::uint64_t{2}, std::uint64_t{2}, "trailing bytes"},
        {std::uint64_t{3}, std::uint64_t{3}, "truncated"},
        {std::uint64_t{2}, std::uint64_t{0}, "dimension of zero"},
        {std::uint64_t{1} << 62U, std::uint64_t{1} << 62U, "overflow"}}) {
    expect_error(ErrorKind::bad_input, path, {word}, [&, rows = rows, cols = cols] {
      MatrixReader(path, {.rows = rows, .cols = cols});
    });
  }
}

}  // namespace
}  // namespace tessera::io::test
