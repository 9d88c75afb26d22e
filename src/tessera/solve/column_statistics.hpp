// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <tessera/backends/platform/arithmetic.hpp>
#include <tessera/checks.hpp>
#include <tessera/solve/moments.hpp>
#include <tessera/solve/operator.hpp>
#include <tessera/solve/values.hpp>
#include <tessera/stream/detail/tree.hpp>

namespace tessera::solve {

struct ColumnStatisticsOptions {
  /// Subtracted from the number of entries in the divisor of variances: 0 as in NumPy, 1 for the
  /// variance of a sample.
  Index ddof = 0;
  /// Entries equal to it, rounded to T, are left out; NaN leaves out NaN.
  std::optional<double> missing{};
};

/// An entry for each column.
struct ColumnStatistics {
  std::vector<double> mean;      ///< NaN if no entry is left
  std::vector<double> variance;  ///< NaN unless more than ddof entries are left
  std::vector<double> min;       ///< of the entries that are not NaN
  std::vector<double> max;
  std::vector<Index> count;      ///< entries that are not missing
  std::vector<Index> missing;    ///< entries that are left out
  std::vector<Index> nonfinite;  ///< NaN and infinite entries among `count`
};

namespace detail {

/// A number beyond the largest of T stays as it is: infinite entries are not equal to it.
template <class T>
double code_of_entries(double missing) {
  auto const code = static_cast<double>(static_cast<T>(missing));
  return std::isinf(code) ? missing : code;
}

}  // namespace detail

/// Means, variances, extremes and counts of the columns of A, m x n, with one read of A.
///
/// Computed in double for every scalar type, without cancellation: the variance is right if the
/// mean is far larger than the deviations, and 0 for a column of equal entries. A NaN that is not
/// missing makes the mean and the variance of its column NaN, an infinity makes the variance NaN.
/// The order of summation is in docs/summation.md. Memory: 56·n bytes for each 1 KiB of a column
/// that is in memory at a time.
/// Distributed matrices give the bits of one process.
/// @throws std::invalid_argument if ddof is negative, or the ranks of a distributed matrix in
/// memory
///     do not begin with whole segments of rows (docs/distributed.md)
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// tessera::solve::MatrixOperator const op(Kokkos::DefaultExecutionSpace(), A);
/// auto const found = tessera::solve::column_statistics(op, {.ddof = 1});
/// ```
template <ExecutionSpace Exec, Scalar T>
ColumnStatistics column_statistics(BlockOperator<Exec, T> const& op,
                                   ColumnStatisticsOptions const& options = {}) {
  backends::host::OrdinaryArithmetic const mode;
  if (options.ddof < 0) {
    checks::fail("column_statistics", "expected ddof >= 0, found " + std::to_string(options.ddof));
  }
  detail::MomentProducts<Exec, T> products;
  products.cols = op.cols();
  if (options.missing) {
    products.missing = {.code = detail::code_of_entries<T>(*options.missing),
                        .has_nan = std::isnan(*options.missing)};
  }
  std::vector<double> values(static_cast<std::size_t>(products.size()), 0);
  if (op.rows() > 0 && op.cols() > 0) {
    products.to = detail::make_values<Exec, double>(op.exec(), products.size());
    op.moments(products);
    values = stream::detail::to_host<double>(products.to);
  }
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  auto const whole = [](double x) { return static_cast<Index>(x); };
  ColumnStatistics found;
  for (Index j = 0; j < op.cols(); ++j) {
    auto const x = detail::ColumnMoments::load(values.data(), j);
    double const divisor = x.count - static_cast<double>(options.ddof);
    found.mean.push_back(x.count > 0 ? x.mean : nan);
    found.variance.push_back(divisor > 0 ? x.squares / divisor : nan);
    bool const has_numbers = x.count > 0 && x.least <= x.most;
    found.min.push_back(has_numbers ? x.least : nan);
    found.max.push_back(has_numbers ? x.most : nan);
    found.count.push_back(whole(x.count));
    found.missing.push_back(op.rows() - whole(x.count));
    found.nonfinite.push_back(whole(x.nonfinite));
  }
  return found;
}

}  // namespace tessera::solve
