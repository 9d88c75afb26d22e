// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
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

  [[nodiscard]] KOKKOS_FUNCTION bool contains(double x) const {
    return x == code || (has_nan && x != x);
  }
};

/// Moments of some entries of a column. All vectors of moments have the fields of all columns one
/// after the other, in this order.
struct ColumnMoments {
  static constexpr Index fields = 7;

  double count;      ///< entries that are not missing
  double mean;       ///< 0 if there are none
  double low;        ///< mean + low is the mean more precisely: distances of means need it
  double squares;    ///< about the mean
  double least;      ///< without NaN
  double most;       ///< without NaN
  double nonfinite;  ///< NaN and infinities

  KOKKOS_FUNCTION static ColumnMoments load(double const* from, Index cols, Index j) {
    double const* const x = from + j;
    return {x[0], x[cols], x[2 * cols], x[3 * cols], x[4 * cols], x[5 * cols], x[6 * cols]};
  }
  KOKKOS_FUNCTION void store(double* to, Index cols, Index j) const {
    double* const x = to + j;
    x[0] = count;
    x[cols] = mean;
    x[2 * cols] = low;
    x[3 * cols] = squares;
    x[4 * cols] = least;
    x[5 * cols] = most;
    x[6 * cols] = nonfinite;
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
  double nonfinite[Most];
  double rest[Most];
  double squares[Most];

  KOKKOS_FUNCTION void clear(Index columns) {
    for (Index j = 0; j < columns; ++j) {
      count[j] = mean[j] = nonfinite[j] = rest[j] = squares[j] = 0;
      least[j] = std::numeric_limits<double>::infinity();
      most[j] = -std::numeric_limits<double>::infinity();
    }
  }
  KOKKOS_FUNCTION void add(Index j, double x, bool is_there) {
    count[j] = count[j] + (is_there ? 1 : 0);
    mean[j] = mean[j] + (is_there ? x : 0);
    least[j] = is_there && x < least[j] ? x : least[j];
    most[j] = is_there && x > most[j] ? x : most[j];
    nonfinite[j] = nonfinite[j] + (is_there && !(x - x == 0) ? 1 : 0);
  }
  KOKKOS_FUNCTION void divide(Index j) {
    double const sum = mean[j];
    mean[j] = count[j] > 0 ? sum / count[j] : 0;
    // Equal entries have exactly their value as mean.
    if (mean[j] < least[j]) mean[j] = least[j];
    if (mean[j] > most[j]) mean[j] = most[j];
  }
  KOKKOS_FUNCTION void add_difference(Index j, double x, bool is_there) {
    double const apart = is_there ? x - mean[j] : 0;
    rest[j] = rest[j] + apart;
    squares[j] = Kokkos::fma(apart, apart, squares[j]);
  }
  [[nodiscard]] KOKKOS_FUNCTION ColumnMoments moments(Index j) const {
    double const correction = count[j] > 0 ? rest[j] / count[j] : 0;
    double const corrected = squares[j] - rest[j] * correction;
    ColumnMoments found{};
    found.count = count[j];
    found.set_mean(mean[j], Kokkos::isfinite(correction) ? correction : 0);
    found.squares = corrected < 0 ? 0 : corrected;
    found.least = least[j];
    found.most = most[j];
    found.nonfinite = nonfinite[j];
    return found;
  }
};

/// Moments of columns over segments of rows. The second loop finds the segment in cache: it takes
/// squares about the mean, and the mean's rounding error.
template <class T, std::size_t Most>
struct SegmentMomentsOfColumns {
  T const* from;
  Index down;
  Index across;
  Index rows;
  Index cols;
  Index columns;  ///< of a work item, at most Most
  MissingEntries missing;
  double* to;  ///< all fields for each segment

  KOKKOS_FUNCTION void operator()(Index item) const {
    Index const pieces = summation::ceil_div(cols, columns);
    Index const segment = item / pieces;
    Index const column = (item - segment * pieces) * columns;
    Index const some = Kokkos::min(columns, cols - column);
    Index const first = segment * summation::segment<T>;
    Index const last = Kokkos::min(rows, first + summation::segment<T>);
    T const* const x = from + column * across;
    SegmentSums<Most> sums;
    sums.clear(some);
    for (Index i = first; i < last; ++i) {
      for (Index j = 0; j < some; ++j) {
        auto const value = static_cast<double>(x[i * down + j * across]);
        sums.add(j, value, !missing.contains(value));
      }
    }
    for (Index j = 0; j < some; ++j) sums.divide(j);
    for (Index i = first; i < last; ++i) {
      for (Index j = 0; j < some; ++j) {
        auto const value = static_cast<double>(x[i * down + j * across]);
        sums.add_difference(j, value, !missing.contains(value));
      }
    }
    double* const of_segment = to + segment * ColumnMoments::fields * cols;
    for (Index j = 0; j < some; ++j) sums.moments(j).store(of_segment, cols, column + j);
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
    ColumnMoments::joined(ColumnMoments::load(left + at, cols, j),
                          ColumnMoments::load(right + at, cols, j))
        .store(to + at, cols, j);
  }
};

/// Joins vectors of moments of the rows before with those of the rows after.
struct JoinMomentsOfRows {
  template <class Exec>
  static void join(Exec const& exec, Index length, double const* left, double* right) {
    static std::string const label("tessera::solve::moments");
    Index const cols = length / ColumnMoments::fields;
    tessera::detail::for_each_element(exec, label, cols,
                                      JoinNeighbours{left, right, 0, cols, right});
  }
};

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
    // Few columns of a column-major matrix, so that their rows stay in cache.
    Index const columns = across == 1 ? Index{most_columns} : few_columns;
    Index const count = segments_of(rows);
    Index const size = products_.size();
    tessera::detail::for_each_element(exec_, label, count * summation::ceil_div(cols, columns),
                                      SegmentMomentsOfColumns<T, most_columns>{
                                          A, down, across, rows, cols, columns, products_.missing,
                                          count == 1 ? tree_.next().data() : segments_.data()});
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
  static constexpr Index few_columns = backends::Backend<Exec>::is_gpu ? 1 : 4;

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
