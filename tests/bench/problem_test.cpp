// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/runner.hpp>
#include <bench/table.hpp>
#include <cmath>
#include <set>
#include <vector>

#include <gmock/gmock.h>

namespace tessera::bench {
namespace {

template <class View>
std::vector<double> on_host(View const& view) {
  auto const copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  std::vector<double> values;
  for (std::size_t i = 0; i < copy.extent(0); ++i) values.push_back(static_cast<double>(copy(i)));
  return values;
}

TEST(BenchProblem, RealNumbersAreMixedAndMagnitudesAreTheirs) {
  for_each_table([]<class Exec, class T>(On<Exec, T>) {
    Problem<Exec, T> const problem({.rows = 40, .cols = 30, .padding = 2}, 3);
    auto const real = on_host(problem.memory);
    std::set<double> const distinct(real.begin(), real.end());
    EXPECT_GT(distinct.size(), real.size() / 2);
    for (double const value : real) EXPECT_LT(std::abs(value), 1.0000001);

    problem.fill_first(Data::magnitudes);
    auto const magnitudes = on_host(problem.memory);
    std::size_t const first = problem.stored_elements(problem.shape);
    for (std::size_t i = 0; i < first; ++i) EXPECT_EQ(magnitudes[i], std::abs(real[i]));
    problem.fill_first(Data::real);
    EXPECT_EQ(on_host(problem.memory), real);
  });
}

TEST(BenchProblem, WholeNumbersAreSmallAndSoFewThatSumsAreExact) {
  for_each_table([]<class Exec, class T>(On<Exec, T>) {
    Shape const shapes[] = {Shape{.rows = 40, .cols = 30}, Shape{.rows = 3000, .cols = 2000},
                            Shape{.rows = 1, .cols = 9000}};
    for (Shape const& shape : shapes) {
      Problem<Exec, T> const problem(shape, 1);
      problem.fill_first(Data::whole);
      auto const A = on_host(problem.memory);
      double not_zero = 0;
      for (double const value : A) {
        EXPECT_TRUE(value == 0 || value == 1 || value == -1) << value;
        not_zero += std::abs(value);
      }
      double const wanted = density_of_whole_numbers(shape);
      EXPECT_NEAR(not_zero / static_cast<double>(A.size()), wanted, 0.1 * wanted + 0.02);
      EXPECT_GT(not_zero, 0);
      for (double const value : on_host(problem.v)) EXPECT_EQ(std::abs(value), 1);
      for (double const value : on_host(problem.b)) EXPECT_EQ(std::abs(value), 1);
    }
  });
}

TEST(BenchProblem, DensityKeepsTheLargestSumBelowWhatFloatCounts) {
  for (double m = 1; m < 3e9; m *= 7) {
    for (double n = 1; n < 3e9; n *= 7) {
      Shape const shape{.rows = static_cast<std::int64_t>(m), .cols = static_cast<std::int64_t>(n)};
      double const d = density_of_whole_numbers(shape);
      EXPECT_GT(d, 0);
      EXPECT_LE(d, 0.5);
      EXPECT_LT(d * m * (1 + d * n), 16777216.0 / 4 + 1) << m << " x " << n;
      EXPECT_LT(d * n, 16777216.0 / 4) << m << " x " << n;
    }
  }
}

TEST(BenchProblem, CopiesAreApartAndTheSameInBothLayouts) {
  for_each_table([]<class Exec, class T>(On<Exec, T>) {
    Problem<Exec, T> const problem({.rows = 9, .cols = 5, .padding = 4}, 2);
    EXPECT_NE(problem.elements(0), problem.elements(1));
    EXPECT_EQ(problem.elements(0), problem.elements(2));
    auto const& by_rows = problem.template matrix<Kokkos::LayoutRight>(1);
    auto const& by_cols = problem.template matrix<Kokkos::LayoutLeft>(1);
    EXPECT_EQ(by_rows.data(), by_cols.data());
    EXPECT_EQ(by_rows.extent(0), 9u);
    EXPECT_EQ(by_cols.extent(1), 5u);
    EXPECT_EQ(by_rows.stride(0), 9u);
    EXPECT_EQ(by_cols.stride(1), 13u);
    problem.need_target();
    EXPECT_NE(problem.target_of(0), problem.target_of(1));
  });
}

TEST(BenchProblem, WhatDoesNotFitIsRefusedWithAReason) {
  for_each_table([]<class Exec, class T>(On<Exec, T>) {
    auto const large = make_problem<Exec, T>({.rows = 30'000'000, .cols = 30'000'000});
    EXPECT_EQ(large.first, nullptr);
    EXPECT_THAT(large.second, ::testing::HasSubstr("MiB are free"));
    auto const larger = make_problem<Exec, T>({.rows = 1LL << 62, .cols = 1LL << 62});
    EXPECT_EQ(larger.first, nullptr);
    EXPECT_THAT(larger.second, ::testing::HasSubstr("memory"));
  });
}

TEST(BenchTurns, EveryOneHasItsTurnInEveryRound) {
  std::vector<std::size_t> order;
  take_turns(5, 3, [&](std::size_t k) { order.push_back(k); });
  ASSERT_EQ(order.size(), 15u);
  for (int round = 0; round < 3; ++round) {
    auto const begin = order.begin() + round * 5;
    EXPECT_THAT(std::vector<std::size_t>(begin, begin + 5),
                ::testing::UnorderedElementsAre(0, 1, 2, 3, 4));
  }
  std::vector<std::size_t> again;
  take_turns(5, 3, [&](std::size_t k) { again.push_back(k); });
  EXPECT_EQ(again, order);
}

}  // namespace
}  // namespace tessera::bench
