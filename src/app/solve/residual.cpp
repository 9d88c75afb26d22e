// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include <app/base/progress.hpp>
#include <app/check/precise.hpp>
#include <app/solve/residual.hpp>

namespace tessera::app {
namespace {

/// Sums of double-doubles, each with its low part.
class Sums {
 public:
  explicit Sums(std::size_t size) : sums_(size) {}

  /// Adds a·x to sum i.
  void add(std::size_t i, double a, DoubleDouble x) {
    DoubleDouble term = two_product(a, x.high);
    term.low += a * x.low;
    sums_[i] = app::add(sums_[i], term);
  }
  DoubleDouble& operator[](std::size_t i) { return sums_[i]; }
  [[nodiscard]] double norm() const {
    DoubleDouble square;
    for (DoubleDouble const& sum : sums_) {
      DoubleDouble term = two_product(sum.high, sum.high);
      term.low += 2 * sum.high * sum.low;
      square = app::add(square, term);
    }
    return std::sqrt(square.high);
  }

 private:
  std::vector<DoubleDouble> sums_;
};

template <class T>
double norm_of(io::VectorView<T> const& x) {
  Sums sums(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) sums[i].high = static_cast<double>(x(i));
  return sums.norm();
}

template <class T>
Residual residual_in(io::MatrixReader const& reader, io::VectorView<T> const& x,
                     io::VectorView<T> const& b, double damp) {
  io::MatrixInfo const& info = reader.info();
  constexpr std::uint64_t most = std::uint64_t{1} << 20U;  // elements of a block
  std::uint64_t const step = std::clamp<std::uint64_t>(most / info.cols, 1, info.rows);
  bool const by_rows = info.layout == io::Layout::right;
  std::vector<T> block(step * info.cols);
  Sums gradient(info.cols);
  Sums all(info.rows);
  DoubleDouble square;  // of ‖A‖
  ProgressBar bar("checking x");
  for (std::uint64_t first = 0; first < info.rows; first += step) {
    std::uint64_t const rows = std::min(step, info.rows - first);
    io::Block const part{.row = first, .col = 0, .rows = rows, .cols = info.cols};
    std::span<T> const elements(block.data(), part.elements());
    reader.read_block(part, elements);
    auto const element = [&](std::uint64_t i, std::uint64_t j) {
      return static_cast<double>(elements[by_rows ? i * info.cols + j : j * rows + i]);
    };
    for (std::uint64_t i = 0; i < rows; ++i) {
      Sums r(1);
      r[0].high = static_cast<double>(b(first + i));
      for (std::uint64_t j = 0; j < info.cols; ++j) {
        double const a = element(i, j);
        r.add(0, -a, {.high = static_cast<double>(x(j))});
        square = add(square, two_product(a, a));
      }
      for (std::uint64_t j = 0; j < info.cols; ++j) gradient.add(j, element(i, j), r[0]);
      all[first + i] = r[0];
    }
    bar.set(first + rows, info.rows);
  }
  reader.check_unchanged();
  DoubleDouble const penalty = two_product(damp, damp);
  for (std::uint64_t j = 0; j < info.cols; ++j) {
    gradient.add(j, -static_cast<double>(x(j)), penalty);
  }
  return {.normr = all.norm(),
          .gradient = gradient.norm(),
          .norma = std::sqrt(square.high),
          .normb = norm_of<T>(b),
          .normx = norm_of<T>(x)};
}

}  // namespace

Residual residual_of(io::MatrixReader const& reader, io::HostVector const& x,
                     io::HostVector const& b, double damp) {
  return std::visit(
      [&]<class T>(io::VectorView<T> const& found) {
        return residual_in<T>(reader, found, std::get<io::VectorView<T>>(b), damp);
      },
      x);
}

}  // namespace tessera::app
