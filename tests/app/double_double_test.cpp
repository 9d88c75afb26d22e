// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <check/precise.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tessera::check {
namespace {

TEST(DoubleDouble, two_sum_keeps_what_rounding_drops) {
  auto const sum = two_sum(0x1p53, 1.0);
  EXPECT_EQ(sum.high, 0x1p53);
  EXPECT_EQ(sum.low, 1.0);
  auto const other = two_sum(1.0, 0x1p53);
  EXPECT_EQ(other.low, 1.0);
}

TEST(DoubleDouble, two_product_keeps_what_rounding_drops) {
  double const a = 1 + 0x1p-30;
  auto const product = two_product(a, a);
  EXPECT_EQ(product.high, 1 + 0x1p-29);
  EXPECT_EQ(product.low, 0x1p-60);
}

TEST(DoubleDouble, sum_of_two_is_good_to_a_hundred_bits) {
  auto const sum = add({1.0, 0x1p-60}, {-1.0, 0x1p-100});
  EXPECT_EQ(sum.high, 0x1p-60 + 0x1p-100);
  EXPECT_EQ(sum.low, 0.0);
}

TEST(PreciseSums, cancellation_in_double_loses_nothing) {
  PreciseSums<double, 1> sums;
  for (double const x : {1e16, 1.0, -1e16, 0x1p-50}) sums.add(0, 1.0, x, 0.0, std::fabs(x));
  EXPECT_EQ(sums.value(0).high, 1 + 0x1p-50);
  EXPECT_EQ(sums.value(0).low, 0);
  EXPECT_EQ(sums.magnitude(0), 2e16 + 2);  // rounded from 2e16 + 1 + 2^-50
}

TEST(PreciseSums, low_parts_of_products_sums_and_factors_are_kept) {
  double const a = 1 + 0x1p-30;
  PreciseSums<double, 1> product;
  product.add(0, a, a, 0, a);
  EXPECT_EQ(product.value(0).high, 1 + 0x1p-29);
  EXPECT_EQ(product.value(0).low, 0x1p-60);

  PreciseSums<double, 1> sum;
  sum.add(0, 1, 1, 0, 1);
  sum.add(0, 0x1p-60, 1, 0, 1);
  EXPECT_EQ(sum.value(0).high, 1);
  EXPECT_EQ(sum.value(0).low, 0x1p-60);

  PreciseSums<double, 1> factor;
  factor.add(0, 2, 1, 0x1p-60, 1);
  EXPECT_EQ(factor.value(0).high, 2);
  EXPECT_EQ(factor.value(0).low, 0x1p-59);
}

TEST(PreciseSums, products_of_floats_are_exact) {
  PreciseSums<float, 1> sums;
  sums.add(0, 0.1f, static_cast<double>(0.1f), 0.0, 0.0);
  EXPECT_EQ(sums.value(0).high, static_cast<double>(0.1f) * static_cast<double>(0.1f));
}

template <class T>
class CarefulSums : public ::testing::Test {
 protected:
  static constexpr T infinity = std::numeric_limits<T>::infinity();
  static constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  static constexpr T largest = std::numeric_limits<T>::max();
  static constexpr double unit = 0.5 * static_cast<double>(std::numeric_limits<T>::epsilon());
  static constexpr ErrorModel model = {.relative = unit, .of_bound = 1 + 0x1p-50, .underflow = 0};

  struct Term {
    T a;
    PreciseEntry x;
  };
  static PreciseEntry number(T value, T error = 0) {
    return {.high = static_cast<double>(value),
            .error = static_cast<double>(error),
            .outcomes = outcomes_of(static_cast<double>(value))};
  }
  static PreciseEntry sum(std::vector<Term> const& terms) {
    CarefulSum<T> careful;
    for (auto const& [a, x] : terms) careful.add(a, x);
    return careful.entry(model);
  }
  static std::string outcomes(std::vector<Term> const& terms) {
    auto const [is_number, plus, minus, is_nan] = sum(terms).outcomes;
    return std::string(is_number ? "number " : "") + (plus ? "+ " : "") + (minus ? "- " : "") +
           (is_nan ? "nan " : "");
  }
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CarefulSums, Scalars);

TYPED_TEST(CarefulSums, ordinary_terms_have_value_and_error) {
  using T = TypeParam;
  auto const entry = this->sum({{T(3), this->number(2)}, {T(-1), this->number(8, 4)}});
  EXPECT_TRUE(entry.outcomes.is_number());
  EXPECT_EQ(entry.high, -2);
  EXPECT_EQ(entry.low, 0);
  EXPECT_EQ(entry.error, ((6 + 8 + 4) * this->unit + 4) * this->model.of_bound);
}

TYPED_TEST(CarefulSums, infinities_and_nan_make_what_they_make_in_any_order) {
  using T = TypeParam;
  auto const infinity = this->infinity;
  auto const number = [](T value) { return TestFixture::number(value); };
  EXPECT_EQ(this->outcomes({{infinity, number(1)}, {T(5), number(1)}}), "+ ");
  EXPECT_EQ(this->outcomes({{infinity, number(-1)}}), "- ");
  EXPECT_EQ(this->outcomes({{-infinity, number(1)}}), "- ");
  EXPECT_EQ(this->outcomes({{infinity, number(1)}, {-infinity, number(1)}}), "nan ");
  EXPECT_EQ(this->outcomes({{infinity, number(0)}}), "nan ");
  EXPECT_EQ(this->outcomes({{this->nan, number(1)}, {infinity, number(1)}}), "nan ");
  EXPECT_EQ(this->outcomes({{T(2), number(infinity)}}), "+ ");
  EXPECT_EQ(this->outcomes({{T(-2), number(infinity)}}), "- ");
  EXPECT_EQ(this->outcomes({{T(2), number(-infinity)}}), "- ");
  EXPECT_EQ(this->outcomes({{T(0), number(infinity)}}), "nan ");
  EXPECT_EQ(this->outcomes({{T(0), number(1)}}), "number ");
  EXPECT_EQ(this->outcomes({{T(1), number(this->nan)}}), "nan ");
  EXPECT_EQ(this->outcomes({{infinity, TestFixture::number(1, 2)}}), "+ - nan ");
  EXPECT_EQ(this->outcomes({{infinity, TestFixture::number(2, 1)}}), "+ ");
}

TYPED_TEST(CarefulSums, overflow_is_told_where_every_order_agrees) {
  using T = TypeParam;
  auto const largest = this->largest;
  auto const number = [](T value) { return TestFixture::number(value); };
  // Only the sum of magnitudes overflows.
  EXPECT_EQ(this->outcomes({{T(1), number(largest / 2)}, {T(-1), number(largest / 2)}}), "number ");
  EXPECT_EQ(this->outcomes({{T(1), number(largest)}, {T(1), number(largest)}}), "+ ");
  EXPECT_EQ(this->outcomes({{T(-1), number(largest)}, {T(1), number(-largest)}, {T(1), number(9)}}),
            "- ");
  EXPECT_EQ(
      this->outcomes(
          {{T(1), number(largest)}, {T(1), number(largest / 2)}, {T(-1), number(largest / 2)}}),
      "number + ");
  // Any outcome, by order.
  EXPECT_EQ(this->outcomes({{T(2), number(largest)}, {T(-2), number(largest)}}), "number + - nan ");
  // No partial sum returns to range.
  EXPECT_EQ(this->outcomes({{T(3), number(largest)}, {T(-3), number(largest)}}), "+ - nan ");
  // Depends on rounding.
  EXPECT_EQ(this->outcomes({{T(1), number(largest)}, {T(1), number(1)}}), "number + ");
}

TYPED_TEST(CarefulSums, earlier_overflow_allows_either_result) {
  using T = TypeParam;
  PreciseEntry x = this->number(1);
  x.outcomes.plus = true;
  EXPECT_EQ(this->outcomes({{T(3), x}}), "number + ");
  EXPECT_EQ(this->outcomes({{T(-3), x}}), "number - ");
  EXPECT_EQ(this->outcomes({{T(0), x}}), "number nan ");
  EXPECT_EQ(this->outcomes({{T(1), x}, {T(-1), x}}), "number + - nan ");
  EXPECT_EQ(this->outcomes({{T(1), x}, {-this->infinity, this->number(1)}}), "- nan ");
  EXPECT_EQ(this->sum({{T(3), x}}).high, 3);
}

TYPED_TEST(CarefulSums, sums_of_large_and_small_terms_have_the_right_value) {
  using T = TypeParam;
  T const large = this->largest / 2;
  T const small = std::ldexp(T(1), -20);
  auto const entry = this->sum({{large, this->number(1)},
                                {large, this->number(1)},
                                {small, this->number(small)},
                                {large, this->number(-1)}});
  EXPECT_EQ(entry.high, static_cast<double>(large));
  EXPECT_EQ(entry.error, 3 * this->unit * static_cast<double>(large) * this->model.of_bound);

  PreciseEntry x = this->number(1);
  x.outcomes.plus = true;
  auto const tiny = this->sum({{std::numeric_limits<T>::min(), x}});
  EXPECT_EQ(tiny.high, static_cast<double>(std::numeric_limits<T>::min()));
}

TYPED_TEST(CarefulSums, nothing_is_known_of_a_term_without_a_bound) {
  using T = TypeParam;
  PreciseEntry x = this->number(1);
  x.error = std::numeric_limits<double>::infinity();
  EXPECT_EQ(this->sum({{T(1), x}}).error, std::numeric_limits<double>::infinity());
  EXPECT_EQ(this->sum({{T(0), x}}).error, 0);
  CarefulSum<T> sum;
  sum.add(T(1), this->number(1));
  EXPECT_EQ(sum.entry({.relative = x.error, .of_bound = 1, .underflow = 0}).error, x.error);
}

}  // namespace
}  // namespace tessera::check
