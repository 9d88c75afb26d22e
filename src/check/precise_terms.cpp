// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <check/precise_terms.hpp>
#include <cmath>
#include <limits>

namespace tessera::check {
namespace {

using Wide = long double;
static_assert(std::numeric_limits<Wide>::digits >= 64);
constexpr Wide unbounded = std::numeric_limits<Wide>::infinity();

template <class T>
struct Limits {
  static constexpr Wide largest = static_cast<Wide>(std::numeric_limits<T>::max());
  static constexpr Wide least = static_cast<Wide>(std::numeric_limits<T>::denorm_min());
  static constexpr Wide unit = static_cast<Wide>(std::numeric_limits<T>::epsilon()) / 2;
  /// Relative errors. 1 ulp is at most two units.
  static constexpr Wide of_exp = 2 * unit;
  /// σ(b): exponential, sum and quotient.
  static constexpr Wide of_sigma = of_exp + 2.01L * unit;
  /// σ'(x) = e/(1 + e)²: e, 1 + e twice, a square, a quotient.
  static constexpr Wide of_slope = of_exp + 2 * (of_exp + unit) + 2.01L * unit;
  /// Of the reference.
  static constexpr Wide of_reference = 0x1p-61L;
};

struct Near {
  Wide value;
  Wide error;

  [[nodiscard]] Wide most() const { return std::fabs(value) + error; }
  [[nodiscard]] Wide least() const { return std::fabs(value) - error; }
};

template <class T>
Near rounded(Near const& exact) {
  using L = Limits<T>;
  return {exact.value, exact.error + (L::unit + L::of_reference) * exact.most() + L::least};
}

template <class T>
bool may_overflow(Near const& x) {
  return x.most() * (1 + 4 * Limits<T>::unit) > Limits<T>::largest;
}
template <class T>
bool must_overflow(Near const& x) {
  return x.least() > Limits<T>::largest * (1 + 4 * Limits<T>::unit);
}

PreciseEntry definite(Wide value) {
  PreciseEntry entry;
  entry.high = static_cast<double>(value);
  entry.outcomes = outcomes_of(entry.high);
  return entry;
}

PreciseEntry anything() {
  PreciseEntry entry;
  entry.error = std::numeric_limits<double>::infinity();
  entry.outcomes = {.number = true, .plus = true, .minus = true, .nan = true};
  return entry;
}

template <class T>
PreciseEntry entry_of(Near const& x) {
  if (must_overflow<T>(x)) return definite(x.value > 0 ? unbounded : -unbounded);
  Wide const clamped = std::clamp(x.value, -Limits<T>::largest, Limits<T>::largest);
  PreciseEntry entry;
  entry.high = static_cast<double>(clamped);
  entry.low = static_cast<double>(clamped - static_cast<Wide>(entry.high));
  Wide const error = x.error + std::fabs(x.value - clamped) + std::fabs(x.value) * 0x1p-100L;
  entry.error = static_cast<double>(error * (1 + 0x1p-50L));
  if (may_overflow<T>(x)) (x.value > 0 ? entry.outcomes.plus : entry.outcomes.minus) = true;
  return entry;
}

Wide exactly(maps::Kind map, Wide x, Wide b) {
  switch (map) {
    case maps::Kind::weights:
      return x * b;
    case maps::Kind::minus:
      return b - x;
    case maps::Kind::logistic:
      return 1 / (1 + std::exp(-b)) - x;
    case maps::Kind::logistic_weights: {
      Wide const e = std::exp(-std::fabs(x));
      return b * (e / ((1 + e) * (1 + e)));
    }
    case maps::Kind::poisson:
      return std::exp(b) - x;
    case maps::Kind::poisson_weights:
      return b * std::exp(x);
    case maps::Kind::replace:
      return x;
    case maps::Kind::plus:
    case maps::Kind::identity:
      break;
  }
  return b;
}

template <class T>
PreciseEntry map_number(maps::Kind map, Wide x, Near const& b) {
  using L = Limits<T>;
  Wide const value = exactly(map, x, b.value);
  switch (map) {
    case maps::Kind::weights:
      return entry_of<T>(rounded<T>({value, std::fabs(x) * b.error}));
    case maps::Kind::minus:
      return entry_of<T>(rounded<T>({value, b.error}));
    case maps::Kind::logistic: {
      // The slope of σ is at most 1/4, and at most e^-|b|.
      Wide const slope = std::min(0.25L, std::exp(-std::max(b.least(), 0.0L)));
      Wide const moved = std::min(slope * b.error, 1.0L);
      Wide const sigma = value + x;
      Wide const lost = 2 / L::largest;  // where the exponential overflows
      return entry_of<T>(
          rounded<T>({value, moved + L::of_sigma * (std::fabs(sigma) + moved) + lost}));
    }
    case maps::Kind::logistic_weights: {
      Wide const slope = exactly(map, x, 1);
      Wide const error = slope * b.error + (L::of_slope * slope + 2 * L::least) * b.most();
      return entry_of<T>(rounded<T>({value, error}));
    }
    case maps::Kind::poisson: {
      Wide const power = std::exp(b.value);
      Wide const moved = power * std::expm1(b.error);
      Near const exp{power, moved + L::of_exp * (power + moved) + L::least};
      if (must_overflow<T>(exp)) return definite(unbounded);
      PreciseEntry entry = entry_of<T>(rounded<T>({value, exp.error}));
      if (may_overflow<T>(exp)) entry.outcomes.plus = true;
      return entry;
    }
    case maps::Kind::poisson_weights: {
      Wide const power = std::exp(x);
      Near const exp{power, L::of_exp * power + L::least};
      if (may_overflow<T>(exp)) {
        return must_overflow<T>(exp) && b.least() > 0 ? definite(b.value * unbounded) : anything();
      }
      return entry_of<T>(rounded<T>({value, power * b.error + exp.error * b.most()}));
    }
    case maps::Kind::replace:
      return definite(x);
    case maps::Kind::plus:  // not available on the command line
    case maps::Kind::identity:
      break;
  }
  return anything();
}

template <class T>
PreciseEntry map_entry(maps::Kind map, Wide x, PreciseEntry const& b) {
  if (map == maps::Kind::replace) return definite(x);
  Near const near{static_cast<Wide>(b.high) + static_cast<Wide>(b.low), static_cast<Wide>(b.error)};
  if (b.outcomes.is_number() && std::isfinite(x)) return map_number<T>(map, x, near);
  if (b.outcomes.count() > 1) return anything();
  // An infinity times a possible zero, or minus a possible overflow, may be NaN.
  bool const is_open = b.outcomes.number && (near.least() <= 0 || map == maps::Kind::poisson);
  if (is_open && !std::isnan(x)) return anything();
  Wide const value = exactly(map, x, static_cast<Wide>(b.high));
  return std::isfinite(value) ? entry_of<T>(rounded<T>({value, 0})) : definite(value);
}

template <class T>
PreciseEntry scale_entry(Wide alpha, Wide beta, Wide const* z, PreciseEntry const& c) {
  Wide const added = z == nullptr ? 0 : beta * *z;
  if (!c.outcomes.is_number() || !std::isfinite(added)) {
    if (c.outcomes.count() > 1) return anything();
    return definite(alpha * static_cast<Wide>(c.high) + added);
  }
  Near scaled{alpha * (static_cast<Wide>(c.high) + static_cast<Wide>(c.low)),
              std::fabs(alpha) * static_cast<Wide>(c.error)};
  if (alpha != 1) scaled = rounded<T>(scaled);
  if (z == nullptr) return entry_of<T>(scaled);
  if (must_overflow<T>(scaled)) return definite(scaled.value * unbounded);
  PreciseEntry entry = entry_of<T>(rounded<T>({scaled.value + added, scaled.error}));
  if (may_overflow<T>(scaled)) {
    (scaled.value > 0 ? entry.outcomes.plus : entry.outcomes.minus) = true;
  }
  return entry;
}

}  // namespace

template <class T>
void apply_map(maps::Kind map, io::VectorView<T> const& x, PreciseVector& b) {
  for (std::size_t i = 0; i < b.size(); ++i)
    b[i] = map_entry<T>(map, static_cast<Wide>(x(i)), b[i]);
}

template <class T>
void scale_and_add(T alpha, T beta, io::VectorView<T> const& z, PreciseVector& c) {
  for (std::size_t j = 0; j < c.size(); ++j) {
    Wide const z_j = static_cast<Wide>(z.size() > 0 ? z(j) : T(0));
    c[j] = scale_entry<T>(static_cast<Wide>(alpha), static_cast<Wide>(beta),
                          z.size() > 0 ? &z_j : nullptr, c[j]);
  }
}

template void apply_map(maps::Kind, io::VectorView<float> const&, PreciseVector&);
template void apply_map(maps::Kind, io::VectorView<double> const&, PreciseVector&);
template void scale_and_add(float, float, io::VectorView<float> const&, PreciseVector&);
template void scale_and_add(double, double, io::VectorView<double> const&, PreciseVector&);

}  // namespace tessera::check
