// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include <app/progress.hpp>

namespace tessera::app {

/// Lines one after the other in memory: the rows of a LayoutRight matrix, or the columns of a
/// LayoutLeft one (docs/summation.md).
template <class T>
struct Lines {
  T const* data;
  std::int64_t count;   ///< lines
  std::int64_t length;  ///< elements of a line
};

/// Numbers known beyond the precision of T: high + low, double for float and double-double for
/// double. weight[i] is what the absolute values of a product with entry i are multiplied with to
/// get a bound of the error.
///
/// An entry that infinite or NaN input makes non-finite has that value in `high`. An infinite
/// weight means that nothing is known of the entry (it may overflow).
struct PreciseVector {
  std::vector<double> high;
  std::vector<double> low;
  std::vector<double> weight;

  explicit PreciseVector(std::int64_t size)
      : high(static_cast<std::size_t>(size)), low(high.size()), weight(high.size()) {}
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(high.size()); }
};

/// Multiplications that are added up one after the other, before sums are merged without loss.
[[nodiscard]] std::int64_t longest_chain_of_dot(std::int64_t length);
/// @copydoc longest_chain_of_dot
[[nodiscard]] std::int64_t longest_chain_of_sum(std::int64_t count, std::int64_t length);

/// d[i] = Σ_j line_i[j]·x[j], and weight[i] = Σ_j |line_i[j]|·x.weight[j]. Runs on the default host
/// execution space; advances the bar by the bytes read.
template <class T>
[[nodiscard]] PreciseVector dot_lines(Lines<T> lines, PreciseVector const& x, ProgressBar& bar);

/// s[j] = Σ_i line_i[j]·y[i], and weight[j] = Σ_i |line_i[j]|·y.weight[i]. As dot_lines.
template <class T>
[[nodiscard]] PreciseVector sum_lines(Lines<T> lines, PreciseVector const& y, ProgressBar& bar);

/// Bytes that dot_lines or sum_lines need beside the lines and the vectors.
[[nodiscard]] std::uint64_t precise_workspace_bytes(std::int64_t count, std::int64_t length);

extern template PreciseVector dot_lines(Lines<float>, PreciseVector const&, ProgressBar&);
extern template PreciseVector dot_lines(Lines<double>, PreciseVector const&, ProgressBar&);
extern template PreciseVector sum_lines(Lines<float>, PreciseVector const&, ProgressBar&);
extern template PreciseVector sum_lines(Lines<double>, PreciseVector const&, ProgressBar&);

}  // namespace tessera::app
