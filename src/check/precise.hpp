// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <array>
#include <check/progress.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include <tessera/order/narrow.hpp>

namespace tessera::check {

/// Contiguous lines: rows of a LayoutRight matrix, columns of a LayoutLeft one (docs/summation.md).
template <class T>
struct Lines {
  void const* data;
  std::int64_t count;
  std::int64_t length;
  std::optional<Storage> stored = std::nullopt;  ///< empty: elements are T

  /// Elements [first, first + some) of line i, in place or widened into `room`.
  T const* elements(std::int64_t i, std::int64_t first, std::int64_t some, T* room) const {
    std::int64_t const at = i * length + first;
    if (!stored) return static_cast<T const*>(data) + at;
    tessera::detail::NarrowData<T> const narrow{static_cast<unsigned char const*>(data), *stored};
    (narrow + at).widen(some, room);
    return room;
  }
};

/// Several if rounding or order decides.
struct Outcomes {
  bool number = true;  ///< within its error of the reference
  bool plus = false;
  bool minus = false;
  bool nan = false;

  [[nodiscard]] int count() const { return int{number} + int{plus} + int{minus} + int{nan}; }
  [[nodiscard]] bool is_number() const { return number && count() == 1; }
};

[[nodiscard]] Outcomes outcomes_of(double value);

/// high + low: double for float, double-double for double. A computed number is within `error`;
/// without a number `high` is the outcome.
struct PreciseEntry {
  double high = 0;
  double low = 0;
  double error = 0;  ///< infinite: no bound
  Outcomes outcomes{};
};

struct ErrorModel {
  double relative;   ///< of a term; infinite: no bound
  double of_bound;   ///< factor for the bound's own rounding
  double underflow;  ///< absolute, of a sum
};

using PreciseVector = std::vector<PreciseEntry>;

/// Longest chain of additions before sums are merged exactly.
[[nodiscard]] std::int64_t longest_chain_of_dot(std::int64_t length);
[[nodiscard]] std::int64_t longest_chain_of_sum(std::int64_t count, std::int64_t length);

/// d[i] = Σ_j line_i[j]·x[j], on the default host execution space.
template <class T>
[[nodiscard]] PreciseVector dot_lines(Lines<T> lines, PreciseVector const& x,
                                      ErrorModel const& model, Advance const& advance);

/// s[j] = Σ_i line_i[j]·y[i].
template <class T>
[[nodiscard]] PreciseVector sum_lines(Lines<T> lines, PreciseVector const& y,
                                      ErrorModel const& model, Advance const& advance);

/// Bytes in addition to the lines.
[[nodiscard]] std::uint64_t precise_bytes(std::int64_t count, std::int64_t length);

extern template PreciseVector dot_lines(Lines<float>, PreciseVector const&, ErrorModel const&,
                                        Advance const&);
extern template PreciseVector dot_lines(Lines<double>, PreciseVector const&, ErrorModel const&,
                                        Advance const&);
extern template PreciseVector sum_lines(Lines<float>, PreciseVector const&, ErrorModel const&,
                                        Advance const&);
extern template PreciseVector sum_lines(Lines<double>, PreciseVector const&, ErrorModel const&,
                                        Advance const&);

/// Unevaluated sum of two doubles, about 106 bits. Compilers must neither reorder nor contract.
struct DoubleDouble {
  double high = 0;
  double low = 0;
};

/// a + b exactly: Knuth's TwoSum.
[[nodiscard]] inline DoubleDouble two_sum(double a, double b) {
  double const sum = a + b;
  double const from_b = sum - a;
  return {.high = sum, .low = (a - (sum - from_b)) + (b - from_b)};
}

/// a·b exactly (above underflow).
[[nodiscard]] inline DoubleDouble two_product(double a, double b) {
  double const product = a * b;
  return {.high = product, .low = std::fma(a, b, -product)};
}

/// Relative error below 2^-103; the result does not overlap.
[[nodiscard]] inline DoubleDouble add(DoubleDouble x, DoubleDouble y) {
  DoubleDouble const high = two_sum(x.high, y.high);
  DoubleDouble const low = two_sum(x.low, y.low);
  DoubleDouble const first = two_sum(high.high, high.low + low.high);
  return two_sum(first.high, first.low + low.low);
}

/// `Width` sums of products and of magnitudes; loops over k vectorise. Infinite, NaN or too large
/// terms make the magnitude infinite or NaN.
template <class T, std::size_t Width>
class PreciseSums {
 public:
  /// Adds a·(x + x_low) and |a|·magnitude.
  void add(std::size_t k, T a, double x, [[maybe_unused]] double x_low, double magnitude) {
    double const factor = static_cast<double>(a);
    if constexpr (std::is_same_v<T, float>) {
      high_[k] += factor * x;  // exact in double
    } else {
      DoubleDouble const product = two_product(factor, x);
      DoubleDouble const sum = two_sum(high_[k], product.high);
      high_[k] = sum.high;
      low_[k] += (product.low + sum.low) + factor * x_low;
    }
    magnitude_[k] += std::fabs(factor) * magnitude;
  }

  [[nodiscard]] DoubleDouble value(std::size_t k) const { return two_sum(high_[k], low_[k]); }
  [[nodiscard]] double magnitude(std::size_t k) const { return magnitude_[k]; }

 private:
  std::array<double, Width> high_{};
  std::array<double, Width> low_{};
  std::array<double, Width> magnitude_{};
};

struct PreciseTotal {
  DoubleDouble value;
  double magnitude = 0;

  void add(DoubleDouble part, double part_magnitude) {
    value = check::add(value, part);
    magnitude += part_magnitude;
  }
};

/// A sum in a wider range than T's, for elements that PreciseSums cannot judge. It follows which
/// infinities, NaN and overflow can occur (docs/accuracy.md): partial sums in any order are between
/// the totals of positive and of negative terms.
template <class T>
class CarefulSum {
 public:
  void add(T a, PreciseEntry const& x) {
    if (std::isnan(a)) return may_be({.number = false, .nan = true});
    if (std::isinf(a)) return may_be(times_infinity(a > 0, x));
    may_be(times_number(a, x.outcomes));
    if (a == 0 || !x.outcomes.number) return;

    double const factor = static_cast<double>(a);
    double const size = std::fabs(x.high);
    if (std::fabs(factor) * (size + x.error) < large) {
      ordinary_.add(factor, x.high, x.low, x.error);
    } else {
      large_.add(factor * scale, x.high * scale, x.low * scale, x.error * scale);
    }
    // No partial sum can bring it back into range.
    double const least = (size * almost - x.error) * scale;
    if (std::fabs(factor) * scale * least > 2 * scaled(largest)) may_be_number_ = false;
  }

  [[nodiscard]] PreciseEntry entry(ErrorModel const& model) const {
    bool const is_large = large_.magnitude() > 0;
    auto const down = [&](double value) { return is_large ? scaled(value) : value; };
    auto const up = [&](double value) { return is_large ? value / scale / scale : value; };
    Terms const all = is_large ? large_ + ordinary_.scaled_down() : ordinary_;
    double const limit = down(largest);
    double const size = std::fabs(all.sum.high);
    double const error = all.magnitude() > 0
                             ? (all.magnitude() * model.relative + all.inherited) * model.of_bound
                             : 0;
    double const growth = (1 + model.relative) * model.of_bound;
    bool const may_rise = may_be_plus_ || all.positive * growth > limit;
    bool const may_fall = may_be_minus_ || all.negative * growth > limit;

    PreciseEntry entry;
    entry.outcomes = {.number = may_be_number_ && !(size * almost - error > limit),
                      .plus = may_rise && !excludes_plus_,
                      .minus = may_fall && !excludes_minus_,
                      .nan = may_be_nan_ || (may_rise && may_fall)};
    if (!entry.outcomes.number) {
      entry.high = entry.outcomes.nan    ? std::numeric_limits<double>::quiet_NaN()
                   : entry.outcomes.plus ? std::numeric_limits<double>::infinity()
                                         : -std::numeric_limits<double>::infinity();
      return entry;
    }
    // Rounding may bring back a sum just above the largest number.
    double const above = std::max(size - limit, 0.0);
    entry.high = above > 0 ? std::copysign(largest, all.sum.high) : up(all.sum.high);
    entry.low = above > 0 ? 0 : up(all.sum.low);
    entry.error = up(error + above) + model.underflow;
    return entry;
  }

 private:
  /// Scales both factors of a large term, to stay in range. Products of floats need none.
  static constexpr double scale = std::is_same_v<T, float> ? 1 : 0x1p-600;
  static constexpr double large = 0x1p900;
  static constexpr double largest = static_cast<double>(std::numeric_limits<T>::max());
  static constexpr double almost = 1 - 0x1p-50;

  static constexpr double scaled(double value) { return value * scale * scale; }

  struct Terms {
    DoubleDouble sum;
    double positive = 0;  ///< magnitudes with errors
    double negative = 0;
    double inherited = 0;  ///< from errors of x

    void add(double factor, double high, double low, double x_error) {
      DoubleDouble term = two_product(factor, high);
      term.low += factor * low;
      sum = check::add(sum, term);
      double const size = std::fabs(term.high);
      double const error = std::fabs(factor) * x_error;
      (term.high > 0 ? positive : negative) += size + error;
      (term.high > 0 ? negative : positive) += std::max(error - size, 0.0);
      inherited += error;
    }
    [[nodiscard]] double magnitude() const { return positive + negative; }
    [[nodiscard]] Terms scaled_down() const {
      return {.sum = {.high = scaled(sum.high), .low = scaled(sum.low)},
              .positive = scaled(positive),
              .negative = scaled(negative),
              .inherited = scaled(inherited)};
    }
    friend Terms operator+(Terms const& a, Terms const& b) {
      return {.sum = check::add(a.sum, b.sum),
              .positive = a.positive + b.positive,
              .negative = a.negative + b.negative,
              .inherited = a.inherited + b.inherited};
    }
  };

  /// Outcomes of a times the infinities and NaN of x.
  static Outcomes times_number(T a, Outcomes const& x) {
    if (a == 0) return {.number = x.number, .nan = x.plus || x.minus || x.nan};
    return {.number = x.number,
            .plus = a > 0 ? x.plus : x.minus,
            .minus = a > 0 ? x.minus : x.plus,
            .nan = x.nan};
  }

  static Outcomes times_infinity(bool is_plus, PreciseEntry const& x) {
    bool const number = x.outcomes.number;
    bool const rises = x.outcomes.plus || (number && x.high + x.error > 0);
    bool const falls = x.outcomes.minus || (number && x.high - x.error < 0);
    bool const is_zero = number && std::fabs(x.high) <= x.error;
    return {.number = false,
            .plus = is_plus ? rises : falls,
            .minus = is_plus ? falls : rises,
            .nan = x.outcomes.nan || is_zero};
  }

  void may_be(Outcomes const& term) {
    may_be_number_ = may_be_number_ && term.number;
    may_be_plus_ = may_be_plus_ || term.plus;
    may_be_minus_ = may_be_minus_ || term.minus;
    may_be_nan_ = may_be_nan_ || term.nan;
    excludes_plus_ = excludes_plus_ || !(term.number || term.plus);
    excludes_minus_ = excludes_minus_ || !(term.number || term.minus);
  }

  Terms ordinary_;
  Terms large_;
  bool may_be_number_ = true;
  bool may_be_plus_ = false;
  bool may_be_minus_ = false;
  bool may_be_nan_ = false;
  bool excludes_plus_ = false;  ///< a term turns +infinity into -infinity or NaN
  bool excludes_minus_ = false;
};

}  // namespace tessera::check
