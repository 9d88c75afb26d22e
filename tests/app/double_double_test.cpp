// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <app/double_double.hpp>
#include <app/precise_sum.hpp>

namespace tessera::app {
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
  for (double const x : {1e16, 1.0, -1e16, 0x1p-50}) sums.add(0, 1.0, x, 0.0, 1.0);
  EXPECT_EQ(sums.value(0).high, 1 + 0x1p-50);
  EXPECT_EQ(sums.weight(0), 4.0);
}

TEST(PreciseSums, products_of_floats_are_exact) {
  PreciseSums<float, 1> sums;
  sums.add(0, 0.1f, static_cast<double>(0.1f), 0.0, 0.0);
  EXPECT_EQ(sums.value(0).high, static_cast<double>(0.1f) * static_cast<double>(0.1f));
}

TEST(PreciseSums, infinities_and_nan_are_kept_apart) {
  double const infinity = std::numeric_limits<double>::infinity();
  PreciseSums<double, 4> sums;
  sums.add_any(0, infinity, 1.0, 0.0, 0.0);
  sums.add_any(0, 5.0, 1.0, 0.0, 0.0);
  EXPECT_EQ(sums.special(0), infinity);
  EXPECT_EQ(sums.value(0).high, 5.0);
  sums.add_any(1, infinity, 1.0, 0.0, 0.0);
  sums.add_any(1, -infinity, 1.0, 0.0, 0.0);
  EXPECT_TRUE(std::isnan(sums.special(1)));
  sums.add_any(2, infinity, 0.0, 0.0, 0.0);
  EXPECT_TRUE(std::isnan(sums.special(2)));
  sums.add_any(3, infinity, 1e-9, 0.0, 1e-3);  // its sign is not known
  EXPECT_EQ(sums.weight(3), infinity);
}

}  // namespace
}  // namespace tessera::app
