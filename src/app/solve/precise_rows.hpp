// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <check/precise.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include <app/base/progress.hpp>
#include <io/chunked_read.hpp>
#include <io/matrix_reader.hpp>
#include <io/types.hpp>

/// Rows of a file, and sums in double-double.
namespace tessera::app {

using check::add;
using check::DoubleDouble;
using check::two_product;
using check::two_sum;

inline DoubleDouble times(double a, DoubleDouble x) {
  DoubleDouble term = two_product(a, x.high);
  term.low += a * x.low;
  return two_sum(term.high, term.low);
}
inline DoubleDouble times(DoubleDouble x, DoubleDouble y) {
  DoubleDouble term = two_product(x.high, y.high);
  term.low += x.high * y.low + x.low * y.high;
  return two_sum(term.high, term.low);
}

class Sums {
 public:
  explicit Sums(std::size_t size) : sums_(size) {}

  void add(std::size_t i, double a, DoubleDouble x) {
    sums_[i] = check::add(sums_[i], times(a, x));
  }
  DoubleDouble& operator[](std::size_t i) { return sums_[i]; }
  DoubleDouble const& operator[](std::size_t i) const { return sums_[i]; }
  [[nodiscard]] std::size_t size() const { return sums_.size(); }
  [[nodiscard]] double norm() const {
    DoubleDouble square;
    for (DoubleDouble const& sum : sums_) square = check::add(square, times(sum, sum));
    return std::sqrt(square.high);
  }

 private:
  std::vector<DoubleDouble> sums_;
};

/// Returns e if squares of about 2^e, or of its rounding error, leave the range; else 0.
inline int far_exponent(double x) {
  int const e = x > 0 && std::isfinite(x) ? std::ilogb(x) : 0;
  return std::abs(e) > 200 ? e : 0;
}

/// Elements are scaled by 2^-e.
template <class T>
struct RowOfBlock {
  T const* first;
  std::uint64_t stride;
  int e;
  double operator()(std::uint64_t j) const {
    auto const element = static_cast<double>(first[j * stride]);
    return e == 0 ? element : std::scalbn(element, -e);
  }
};

/// Calls work(i, row) for the rows of 2^-e·A in order, then checks that the file is unchanged.
template <class T, class Work>
void for_each_row(io::MatrixReader const& reader, std::string const& title, int e,
                  Work const& work) {
  io::MatrixInfo const& info = reader.info();
  // See io/chunked_read.hpp.
  std::uint64_t const most = std::uint64_t{1} << (info.chunk_rows == 0 ? 20U : 23U);
  std::uint64_t const step = std::clamp<std::uint64_t>(most / info.cols, 1, info.rows);
  bool const by_rows = info.layout == io::Layout::right;
  std::vector<T> block(step * info.cols);
  ProgressBar bar(title);
  for (std::uint64_t first = 0; first < info.rows; first += step) {
    std::uint64_t const rows = std::min(step, info.rows - first);
    io::Block const part{.row = first, .col = 0, .rows = rows, .cols = info.cols};
    std::span<T> const elements(block.data(), part.elements());
    io::read_whole_block(reader, part, elements);
    for (std::uint64_t i = 0; i < rows; ++i) {
      work(first + i, RowOfBlock<T>{.first = block.data() + (by_rows ? i * info.cols : i),
                                    .stride = by_rows ? 1 : rows,
                                    .e = e});
    }
    bar.set(first + rows, info.rows);
  }
  reader.check_unchanged();
}

}  // namespace tessera::app
