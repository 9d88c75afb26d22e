// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/backends/compiled.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/options.hpp>
#include <tessera/solve/blocks.hpp>
#include <tessera/stream/detail/plan.hpp>
#include <tessera/stream/detail/tree.hpp>
#include <tessera/summation.hpp>
#include <tessera/workspace.hpp>

/// Moments of the columns of a matrix, in double, with one read.
namespace tessera::solve::detail {

template <class Exec, class T>
class MomentSums;

/// Entries that moments leave out.
struct MissingEntries {
  double code = std::numeric_limits<double>::quiet_NaN();  ///< NaN: no number is missing
  bool has_nan = false;                                    ///< NaN is missing

  [[nodiscard]] bool are_any() const { return has_nan || !std::isnan(code); }
  [[nodiscard]] KOKKOS_FUNCTION bool contains(double x) const {
    bool const is_code = x == code;
    bool const is_nan = has_nan & (x != x);
    return is_code | is_nan;
  }
};

/// Moments of some entries of a column. A vector of moments holds one column after another, each
/// with its fields in this order.
struct ColumnMoments {
  static constexpr Index fields = 7;

  double count;      ///< entries that are not missing
  double mean;       ///< 0 without entries
  double low;        ///< mean + low is the mean more precisely: distances of means need it
  double squares;    ///< about the mean
  double least;      ///< without NaN
  double most;       ///< without NaN
  double nonfinite;  ///< NaN and infinities

  KOKKOS_FUNCTION static ColumnMoments load(double const* from, Index j) {
    double const* const x = from + j * fields;
    return {x[0], x[1], x[2], x[3], x[4], x[5], x[6]};
  }
  KOKKOS_FUNCTION void store(double* to, Index j) const {
    double* const x = to + j * fields;
    x[0] = count;
    x[1] = mean;
    x[2] = low;
    x[3] = squares;
    x[4] = least;
    x[5] = most;
    x[6] = nonfinite;
  }
  /// mean = a + b, with its rounding error in `low`.
  KOKKOS_FUNCTION void set_mean(double a, double b) {
    mean = a + b;
    double const of_b = mean - a;
    double const error = (a - (mean - of_b)) + (b - of_b);
    low = Kokkos::isfinite(error) ? error : 0;
  }

  /// Moments of the entries of both (Chan, Golub and LeVeque, 1983): no cancellation.
  KOKKOS_FUNCTION static ColumnMoments joined(ColumnMoments const& a, ColumnMoments const& b) {
    if (b.count == 0) return a;
    if (a.count == 0) return b;
    ColumnMoments sum{};
    sum.count = a.count + b.count;
    double const part = b.count / sum.count;
    double const apart = (b.mean - a.mean) + (b.low - a.low);
    // The means, or their distance, may be infinite.
    if (Kokkos::isfinite(apart)) {
      sum.set_mean(a.mean, Kokkos::fma(apart, part, a.low));
    } else {
      sum.mean = a.mean * (a.count / sum.count) + b.mean * part;
    }
    sum.squares = (a.squares + b.squares) + apart * (apart * (a.count * part));
    sum.least = Kokkos::fmin(a.least, b.least);
    sum.most = Kokkos::fmax(a.most, b.most);
    sum.nonfinite = a.nonfinite + b.nonfinite;
    return sum;
  }
};

/// Computes ColumnMoments of all columns of A.
template <class Exec, class T>
struct MomentProducts {
  using value_type = T;
  using Sums = MomentSums<Exec, T>;

  Index cols = 0;
  MissingEntries missing{};
  Kokkos::View<double*, Kokkos::LayoutRight, typename Exec::memory_space> to{};  ///< all fields

  [[nodiscard]] Index size() const { return ColumnMoments::fields * cols; }
  [[nodiscard]] stream::detail::Vectors vectors() const {
    return {.operation = "moments", .count = 0};
  }
};

/// Sums of up to `Most` columns over a segment of rows.
template <std::size_t Most>
struct SegmentSums {
  double count[Most];
  double mean[Most];
  double least[Most];
  double most[Most];
  double rest[Most];
  double squares[Most];

  KOKKOS_FUNCTION void clear(Index columns) {
    for (Index j = 0; j < columns; ++j) {
      count[j] = mean[j] = rest[j] = squares[j] = 0;
      least[j] = Kokkos::Experimental::infinity_v<double>;
      most[j] = -Kokkos::Experimental::infinity_v<double>;
    }
  }
  KOKKOS_FUNCTION void divide(Index j) {
    double const sum = mean[j];
    mean[j] = count[j] > 0 ? sum / count[j] : 0;
    // Equal entries have exactly their value as mean.
    if (mean[j] < least[j]) mean[j] = least[j];
    if (mean[j] > most[j]) mean[j] = most[j];
  }
  [[nodiscard]] KOKKOS_FUNCTION ColumnMoments moments(Index j, double nonfinite) const {
    double const correction = count[j] > 0 ? rest[j] / count[j] : 0;
    double const corrected = squares[j] - rest[j] * correction;
    ColumnMoments found{};
    found.count = count[j];
    found.set_mean(mean[j], Kokkos::isfinite(correction) ? correction : 0);
    found.squares = corrected < 0 ? 0 : corrected;
    found.least = least[j];
    found.most = most[j];
    found.nonfinite = nonfinite;
    return found;
  }
};

/// Moments of columns over segments of rows. The second loop finds the segment in cache: it takes
/// squares about the mean, and the mean's rounding error.
template <class T, std::size_t Most, bool HasMissing>
struct SegmentMomentsOfColumns {
  T const* from;
  Index down;
  Index across;
  Index rows;
  Index cols;
  MissingEntries missing;
  double* to;  ///< all fields for each segment

  KOKKOS_FUNCTION void operator()(Index item) const {
    constexpr auto most = static_cast<Index>(Most);
    Index const pieces = summation::ceil_div(cols, most);
    Index const segment = item / pieces;
    Index const column = (item - segment * pieces) * most;
    Index const some = Kokkos::min(most, cols - column);
    Index const first = segment * summation::segment<T>;
    Index const count = Kokkos::min(rows, first + summation::segment<T>) - first;
    T const* const x = from + first * down + column * across;
    SegmentSums<Most> sums;
    sums.clear(some);
    add_rows<false>(x, count, some, sums);
    double nonfinite[Most];
    for (Index j = 0; j < some; ++j) {
      if (!HasMissing) sums.count[j] = static_cast<double>(count);
      // Only entries that are not finite, or an overflow, make such a sum.
      bool const is_finite = Kokkos::isfinite(sums.mean[j]);
      nonfinite[j] = is_finite ? 0 : nonfinite_in(x + j * across, count);
      sums.divide(j);
    }
    add_rows<true>(x, count, some, sums);
    double* const of_segment = to + segment * ColumnMoments::fields * cols;
    for (Index j = 0; j < some; ++j) {
      sums.moments(j, nonfinite[j]).store(of_segment, column + j);
    }
  }

 private:
  /// Rows of a column-major matrix are copied to a tile, which a vector instruction can read.
  template <bool is_second>
  KOKKOS_FUNCTION void add_rows(T const* x, Index count, Index some,
                                SegmentSums<Most>& sums) const {
    if (Most == 1 || across == 1) {
      for (Index i = 0; i < count; ++i) add_row<is_second>(x + i * down, some, sums);
      return;
    }
    constexpr Index height = 16;
    constexpr auto width = static_cast<Index>(Most);
    T tile[static_cast<std::size_t>(height) * Most];
    for (Index first = 0; first < count; first += height) {
      Index const here = Kokkos::min(height, count - first);
      for (Index j = 0; j < some; ++j) {
        T const* const column = x + first * down + j * across;
        for (Index i = 0; i < here; ++i) tile[i * width + j] = column[i * down];
      }
      for (Index i = 0; i < here; ++i) add_row<is_second>(tile + i * width, some, sums);
    }
  }
  template <bool is_second>
  KOKKOS_FUNCTION void add_row(T const* row, Index some, SegmentSums<Most>& sums) const {
    for (Index j = 0; j < some; ++j) {
      auto const value = static_cast<double>(row[j]);
      bool const is_there = !HasMissing || !missing.contains(value);
      if constexpr (is_second) {
        double const apart = is_there ? value - sums.mean[j] : 0;
        sums.rest[j] = sums.rest[j] + apart;
        sums.squares[j] = Kokkos::fma(apart, apart, sums.squares[j]);
      } else {
        if (HasMissing) sums.count[j] = sums.count[j] + (is_there ? 1 : 0);
        sums.mean[j] = sums.mean[j] + (is_there ? value : 0);
        double const low = is_there ? value : sums.least[j];
        double const high = is_there ? value : sums.most[j];
        sums.least[j] = low < sums.least[j] ? low : sums.least[j];
        sums.most[j] = high > sums.most[j] ? high : sums.most[j];
      }
    }
  }
  [[nodiscard]] KOKKOS_FUNCTION double nonfinite_in(T const* x, Index count) const {
    Index found = 0;
    for (Index i = 0; i < count; ++i) {
      auto const value = static_cast<double>(x[i * down]);
      bool const is_there = !HasMissing || !missing.contains(value);
      if (is_there && !Kokkos::isfinite(value)) ++found;
    }
    return static_cast<double>(found);
  }
};

/// Joins pairs of vectors of moments.
struct JoinNeighbours {
  double const* left;
  double const* right;
  Index step;  ///< from one pair to the next, in elements
  Index cols;
  double* to;
  KOKKOS_FUNCTION void operator()(Index item) const {
    Index const pair = item / cols;
    Index const j = item - pair * cols;
    Index const at = pair * step;
    ColumnMoments::joined(ColumnMoments::load(left + at, j), ColumnMoments::load(right + at, j))
        .store(to + at, j);
  }
};

/// Joins the moments of earlier rows with the moments of later rows.
struct JoinMomentsOfRows {
  template <class Exec>
  static void join(Exec const& exec, Index length, double const* left, double* right) {
    static std::string const label("tessera::solve::moments");
    Index const cols = length / ColumnMoments::fields;
    tessera::detail::for_each_element(exec, label, cols,
                                      JoinNeighbours{left, right, 0, cols, right});
  }
};

/// The same on the host, into `earlier`.
inline void join_moments(double* earlier, double const* later, Index length) {
  for (Index j = 0; j < length / ColumnMoments::fields; ++j) {
    ColumnMoments::joined(ColumnMoments::load(earlier, j), ColumnMoments::load(later, j))
        .store(earlier, j);
  }
}

/// Computes moments from blocks of rows of A. The order depends on the number of rows and on T
/// alone (docs/summation.md).
template <class Exec, class T>
class MomentSums {
 public:
  using Products = MomentProducts<Exec, T>;

  static std::size_t bytes(Index /*count*/, Index cols, Index rows, Index blocks) {
    Index const size = ColumnMoments::fields * cols;
    return Tree::bytes(size, blocks) +
           static_cast<std::size_t>(segments_of(rows) * size) * sizeof(double);
  }

  MomentSums(Exec const& exec, Products products, Kernels /*kernels*/,
             Workspace<Exec>& /*workspace*/, Index rows, Index blocks)
      : exec_(exec),
        products_(std::move(products)),
        tree_(exec, products_.size(), blocks),
        segments_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing,
                                     std::string("tessera::solve::moments")),
                  static_cast<std::size_t>(segments_of(rows) * products_.size())) {}

  /// Adds rows of A, with strides `down` and `across`.
  void take(Index block, Index /*first*/, Index rows, T const* A, Index down, Index across) {
    static std::string const label("tessera::solve::moments");
    Index const cols = products_.cols;
    Index const count = segments_of(rows);
    Index const size = products_.size();
    auto const add = [&]<bool HasMissing>(std::bool_constant<HasMissing>) {
      tessera::detail::for_each_element(exec_, label,
                                        count * summation::ceil_div(cols, Index{most_columns}),
                                        SegmentMomentsOfColumns<T, most_columns, HasMissing>{
                                            A, down, across, rows, cols, products_.missing,
                                            count == 1 ? tree_.next().data() : segments_.data()});
    };
    products_.missing.are_any() ? add(std::true_type()) : add(std::false_type());
    for (Index apart = 1; apart < count; apart *= 2) {
      Index const pairs = (count - apart - 1) / (2 * apart) + 1;
      double* const data = segments_.data();
      tessera::detail::for_each_element(
          exec_, label, pairs * cols,
          JoinNeighbours{data, data + apart * size, 2 * apart * size, cols,
                         2 * apart < count ? data : tree_.next().data()});
    }
    tree_.push(block);
  }
  void finish() { tree_.finish({products_.to.data(), 1}); }

 private:
  using Tree = stream::detail::VectorTree<Exec, double, JoinMomentsOfRows>;

  static constexpr std::size_t most_columns = backends::Backend<Exec>::is_gpu ? 1 : 64;

  static Index segments_of(Index rows) { return summation::ceil_div(rows, summation::segment<T>); }

  Exec exec_;
  Products products_;
  Tree tree_;
  Kokkos::View<double*, typename Exec::memory_space> segments_;  ///< of a block
};

}  // namespace tessera::solve::detail

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_SOLVE_MOMENTS(TEMPLATE, EXEC, T) \
  TESSERA_SOLVE_PRODUCTS(TEMPLATE, EXEC, T, MomentProducts)
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_SOLVE_MOMENTS)
