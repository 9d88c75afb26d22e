// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include <app/base/progress.hpp>

namespace tessera::app {

/// Lines one after the other in memory: the rows of a LayoutRight matrix, or the columns of a
/// LayoutLeft one (docs/summation.md).
template <class T>
struct Lines {
  T const* data;
  std::int64_t count;   ///< lines
  std::int64_t length;  ///< elements of a line
};

/// What a computed element may be. Several where rounding or the order of summation decides.
struct Outcomes {
  bool number = true;  ///< one within its error of the reference
  bool plus = false;   ///< infinity
  bool minus = false;  ///< minus infinity
  bool nan = false;

  [[nodiscard]] int count() const { return int{number} + int{plus} + int{minus} + int{nan}; }
  /// A number, whatever rounding and order do.
  [[nodiscard]] bool is_number() const { return number && count() == 1; }
};

/// What a value of an input is: itself.
[[nodiscard]] Outcomes outcomes_of(double value);

/// A number known beyond the precision of T: high + low, double for float and double-double for
/// double. A computed number lies within `error` of it. Where it cannot be a number, `high` says
/// what it may be instead.
struct PreciseEntry {
  double high = 0;
  double low = 0;
  double error = 0;  ///< infinite: there is no bound
  Outcomes outcomes{};
};

/// The errors of one product, whose terms each go through so many roundings.
struct ErrorModel {
  double relative;   ///< of a term; infinite: so many roundings have no bound
  double of_bound;   ///< by how much the computed bound may be too small: a factor
  double underflow;  ///< absolute, of a sum
};

/// Lines times a vector, in a sum of its own for each element of the result.
using PreciseVector = std::vector<PreciseEntry>;

/// Multiplications that are added up one after the other, before sums are merged without loss.
[[nodiscard]] std::int64_t longest_chain_of_dot(std::int64_t length);
/// @copydoc longest_chain_of_dot
[[nodiscard]] std::int64_t longest_chain_of_sum(std::int64_t count, std::int64_t length);

/// d[i] = Σ_j line_i[j]·x[j], with the errors that a product of this model may have. Runs on the
/// default host execution space; advances the bar by the bytes read.
template <class T>
[[nodiscard]] PreciseVector dot_lines(Lines<T> lines, PreciseVector const& x,
                                      ErrorModel const& model, ProgressBar& bar);

/// s[j] = Σ_i line_i[j]·y[i], as dot_lines.
template <class T>
[[nodiscard]] PreciseVector sum_lines(Lines<T> lines, PreciseVector const& y,
                                      ErrorModel const& model, ProgressBar& bar);

/// Bytes that dot_lines or sum_lines need beside the lines: the vectors and what is added up.
[[nodiscard]] std::uint64_t precise_bytes(std::int64_t count, std::int64_t length);

extern template PreciseVector dot_lines(Lines<float>, PreciseVector const&, ErrorModel const&,
                                        ProgressBar&);
extern template PreciseVector dot_lines(Lines<double>, PreciseVector const&, ErrorModel const&,
                                        ProgressBar&);
extern template PreciseVector sum_lines(Lines<float>, PreciseVector const&, ErrorModel const&,
                                        ProgressBar&);
extern template PreciseVector sum_lines(Lines<double>, PreciseVector const&, ErrorModel const&,
                                        ProgressBar&);

}  // namespace tessera::app
