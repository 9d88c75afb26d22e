// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "support/same_bits.hpp"

#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace {

using namespace tessera::test;
using testing::HasSubstr;
using testing::Not;

constexpr float infinity = std::numeric_limits<float>::infinity();
float const nan_value = std::nanf("");

TEST(UlpDistance, CountsRepresentableValues) {
  EXPECT_EQ(ulp_distance(1.0F, 1.0F), 0U);
  EXPECT_EQ(ulp_distance(1.0F, std::nextafter(1.0F, 2.0F)), 1U);
  EXPECT_EQ(ulp_distance(1.0, 2.0), std::uint64_t{1} << 52);
  EXPECT_EQ(ulp_distance(0.0F, -0.0F), 0U);
  EXPECT_EQ(ulp_distance(std::nextafter(0.0F, 1.0F), std::nextafter(0.0F, -1.0F)), 2U);
  EXPECT_EQ(ulp_distance(std::numeric_limits<float>::max(), infinity), 1U);
}

TEST(SameBits, TellsSignsOfZeroApart) {
  EXPECT_TRUE(same_bits(0.0F, 0.0F));
  EXPECT_FALSE(same_bits(0.0F, -0.0F));
}

TEST(SameBits, TakesNaNByPlace) {
  EXPECT_TRUE(same_bits(nan_value, -nan_value));
  EXPECT_FALSE(same_bits(nan_value, 1.0F));
  EXPECT_FALSE(same_bits(infinity, nan_value));
}

TEST(SameBitsMatcher, AcceptsOnlyTheExpectedVector) {
  std::vector<float> const expected{1.0F, nan_value, -infinity};
  EXPECT_THAT(expected, same_bits_as(expected));
  EXPECT_THAT((std::vector<float>{1.0F, nan_value, infinity}), Not(same_bits_as(expected)));
  EXPECT_THAT((std::vector<float>{1.0F, nan_value}), Not(same_bits_as(expected)));
}

TEST(SameBitsMatcher, ReportsPlaceBitsDistanceAndNumberOfWrongElements) {
  std::ostringstream out;
  std::vector<float> const found{1.0F, std::nextafter(2.0F, 3.0F), nan_value};
  EXPECT_FALSE(same_bits_as<float>({1.0F, 2.0F, 3.0F}).MatchAndExplain(found, &out));
  std::string const text = out.str();
  EXPECT_THAT(text, HasSubstr("[1] is 2.00000024 (0x40000001), expected 2 (0x40000000), 1 ulp"));
  EXPECT_THAT(text, HasSubstr("[2] is nan"));
  EXPECT_THAT(text, HasSubstr("2 of 3 elements are wrong"));
}

}  // namespace
