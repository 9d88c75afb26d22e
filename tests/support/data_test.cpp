// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "support/data.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <gmock/gmock.h>

#include "support/sha256.hpp"

namespace {

using namespace tessera::test;
using testing::Each;

TEST(TestData, HasTheSameBitsForever) {
  EXPECT_EQ(sha256(real_numbers<float>(1000, 7)),
            "2d49b6f90081d9ccb7dd0a1c2ebb5fce31f237951113dc95455e56f7e792e445");
  EXPECT_EQ(sha256(real_numbers<double>(1000, 7)),
            "0c9deb7c997bcc90e03974f0616bce448ab2dcaa5c0cae07e44562df5a552a2d");
  EXPECT_EQ(sha256(whole_numbers<float>(1000, 7, 4)),
            "3b6eb26436cefde5fe5e472bb3ed61e05a7d012ff1fa32be413c727977eb426e");
}

TEST(TestData, WholeNumbersTakeEveryValueOfTheirRange) {
  auto const values = whole_numbers<double>(10000, 1, 3);
  for (int expected = -3; expected <= 3; ++expected) {
    EXPECT_GT(std::ranges::count(values, expected), 1200) << expected;
  }
  EXPECT_THAT(values, Each(testing::AllOf(testing::Ge(-3), testing::Le(3))));
}

template <class T>
void expect_mixed_magnitudes() {
  auto const values = real_numbers<T>(20000, 3);
  std::vector<int> of_exponent(16, 0);
  int negative = 0;
  int odd = 0;
  for (T const x : values) {
    int const exponent = std::ilogb(x) + 8;
    ASSERT_GE(exponent, 0);
    ASSERT_LT(exponent, 16);
    ++of_exponent[static_cast<std::size_t>(exponent)];
    negative += std::signbit(x) ? 1 : 0;
    T const significand = std::scalbn(x, std::numeric_limits<T>::digits - 1 - std::ilogb(x));
    odd += std::fmod(significand, T(2)) != T(0) ? 1 : 0;
  }
  EXPECT_THAT(of_exponent, Each(testing::Gt(1000)));
  EXPECT_NEAR(negative, 10000, 500);
  EXPECT_NEAR(odd, 10000, 500);
}

TEST(TestData, RealNumbersMixSignsExponentsAndLowestBits) {
  expect_mixed_magnitudes<float>();
  expect_mixed_magnitudes<double>();
}

TEST(TestData, SeedsGiveUnrelatedValues) {
  auto const first = real_numbers<float>(1000, 1);
  auto const second = real_numbers<float>(1000, 2);
  auto const vector = real_numbers<float>(1000, vector_seed(1));
  std::size_t equal = 0;
  for (std::size_t i = 0; i + 1 < 1000; ++i) {
    equal +=
        (first[i] == second[i] || first[i] == second[i + 1] || first[i] == vector[i]) ? 1U : 0U;
  }
  EXPECT_LT(equal, 5U);
}

TEST(Sha256, GivesThePublishedDigestOfAbc) {
  std::vector<char> const abc{'a', 'b', 'c'};
  EXPECT_EQ(sha256(abc), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
