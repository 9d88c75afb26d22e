// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <check/precise.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <app/base/progress.hpp>
#include <io/matrix_reader.hpp>
#include <io/types.hpp>

/// What independent looks at a solution share: sums of higher precision, and rows of a file.
namespace tessera::app {

using check::add;
using check::DoubleDouble;
using check::two_product;
using check::two_sum;

/// How far two neighbouring numbers of a type are apart, relative to them.
[[nodiscard]] inline double rounding_of(io::ScalarType type) {
  return type == io::ScalarType::f32 ? static_cast<double>(std::numeric_limits<float>::epsilon())
                                     : std::numeric_limits<double>::epsilon();
}

/// a·x
[[nodiscard]] inline DoubleDouble times(double a, DoubleDouble x) {
  DoubleDouble term = two_product(a, x.high);
  term.low += a * x.low;
  return two_sum(term.high, term.low);
}
/// x·y
[[nodiscard]] inline DoubleDouble times(DoubleDouble x, DoubleDouble y) {
  DoubleDouble term = two_product(x.high, y.high);
  term.low += x.high * y.low + x.low * y.high;
  return two_sum(term.high, term.low);
}

/// Sums of double-doubles, each with its low part.
class Sums {
 public:
  explicit Sums(std::size_t size) : sums_(size) {}

  /// Adds a·x to sum i.
  void add(std::size_t i, double a, DoubleDouble x) {
    sums_[i] = check::add(sums_[i], times(a, x));
  }
  DoubleDouble& operator[](std::size_t i) { return sums_[i]; }
  DoubleDouble const& operator[](std::size_t i) const { return sums_[i]; }
  [[nodiscard]] double norm() const {
    DoubleDouble square;
    for (DoubleDouble const& sum : sums_) square = check::add(square, times(sum, sum));
    return std::sqrt(square.high);
  }

 private:
  std::vector<DoubleDouble> sums_;
};

/// A row of a block of a matrix.
template <class T>
struct RowOfBlock {
  T const* first;
  std::uint64_t stride;
  double operator()(std::uint64_t j) const { return static_cast<double>(first[j * stride]); }
};

/// Calls work(i, row) for each row of a matrix, in order, and looks whether its file has changed.
/// @throws io::FileError
template <class T, class Work>
void for_each_row(io::MatrixReader const& reader, std::string const& title, Work const& work) {
  io::MatrixInfo const& info = reader.info();
  constexpr std::uint64_t most = std::uint64_t{1} << 20U;  // elements of a block
  std::uint64_t const step = std::clamp<std::uint64_t>(most / info.cols, 1, info.rows);
  bool const by_rows = info.layout == io::Layout::right;
  std::vector<T> block(step * info.cols);
  ProgressBar bar(title);
  for (std::uint64_t first = 0; first < info.rows; first += step) {
    std::uint64_t const rows = std::min(step, info.rows - first);
    io::Block const part{.row = first, .col = 0, .rows = rows, .cols = info.cols};
    std::span<T> const elements(block.data(), part.elements());
    reader.read_block(part, elements);
    for (std::uint64_t i = 0; i < rows; ++i) {
      work(first + i, RowOfBlock<T>{.first = block.data() + (by_rows ? i * info.cols : i),
                                    .stride = by_rows ? 1 : rows});
    }
    bar.set(first + rows, info.rows);
  }
  reader.check_unchanged();
}

}  // namespace tessera::app
