// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bench/search.hpp>
#include <bench/table.hpp>
#include <set>
#include <stdexcept>

#include <gmock/gmock.h>

#include <tessera/checks.hpp>

namespace tessera::bench {
namespace {

Request request(std::string const& backend, std::string const& operation, Layout layout) {
  return {.backend = backend,
          .operation = operation,
          .shape = {.rows = 300, .cols = 200},
          .layout = layout,
          .turns = 1,
          .seconds = 1e-6};
}

void expect_a_search(Found const& found) {
  ASSERT_EQ(found.why_not, "");
  EXPECT_FALSE(found.has_wrong_trial());
  EXPECT_GT(found.seconds, 0);
  EXPECT_GT(found.backend_seconds, 0);
  EXPECT_LE(found.seconds, found.backend_seconds);
  std::string stage;
  double last = 0;
  for (auto const& trial : found.trials) {
    if (trial.stage != stage) last = 0;
    stage = trial.stage;
    ASSERT_TRUE(trial.seconds.has_value()) << trial.launch << ": " << trial.why_not;
    EXPECT_GE(trial.seconds->median, last);
    EXPECT_EQ(trial.check, "equal bits") << trial.launch;
    last = trial.seconds->median;
  }
  std::set<std::string> stages;
  std::set<std::string> with_choice;
  for (auto const& trial : found.trials) {
    stages.insert(trial.stage);
    if (!trial.is_backends) continue;
    EXPECT_TRUE(with_choice.insert(trial.stage).second) << trial.stage;
  }
  EXPECT_EQ(with_choice, stages);
}

// Named: nvcc accepts no braced initialisers in generic lambdas.
constexpr Layout layouts[] = {Layout::row_major, Layout::column_major};
std::string const products[] = {"multiply", "multiply_transposed"};

TEST(BenchSearch, FindsARightLaunchForEveryOperationAndLayout) {
  backends::for_each_backend([]<class Exec>(std::type_identity<Exec>) {
    std::string const backend = backends::Backend<Exec>::name;
    for (auto const layout : layouts) {
      for (auto const& operation : products) {
        auto const found = search(request(backend, operation, layout));
        expect_a_search(found);
        EXPECT_GT(found.trials.size(), 3u);
        EXPECT_EQ(found.trials.front().stage, operation);
        ASSERT_TRUE(found.best.tuning.has_value());
        EXPECT_NO_THROW(checks::require_valid(*found.best.tuning));
      }
      auto product = request(backend, "gemm", layout);
      product.shape = {.rows = 100, .cols = 80, .factor_cols = 90};
      auto const best_product = search(product);
      expect_a_search(best_product);
      ASSERT_TRUE(best_product.best.gemm.has_value());
      EXPECT_NO_THROW(checks::require_valid(*best_product.best.gemm));
      auto const found = search(request(backend, "atax", layout));
      expect_a_search(found);
      EXPECT_EQ(found.trials.back().stage, "atax");
      EXPECT_EQ(std::ranges::count(found.trials, "atax", &Trial::stage), 3);
      EXPECT_TRUE(found.best.tuning.has_value());
    }
    auto const found = search(request(backend, "transpose", Layout::row_major));
    expect_a_search(found);
    ASSERT_TRUE(found.best.transpose.has_value());
    EXPECT_NO_THROW(checks::require_valid(*found.best.transpose));
  });
}

TEST(BenchSearch, TellsHowFarItIsStageByStage) {
  std::string const backend = backends::Backend<Kokkos::DefaultHostExecutionSpace>::name;
  std::vector<std::string> stages;
  search(request(backend, "atax", Layout::row_major),
         [&](std::string const& stage, std::size_t done, std::size_t total) {
           if (stages.empty() || stages.back() != stage) stages.push_back(stage);
           EXPECT_LT(done, total);
         });
  EXPECT_THAT(stages, ::testing::ElementsAre("fused", "multiply", "multiply_transposed", "atax"));
}

TEST(BenchSearch, WhatDoesNotFitOrExistIsRefused) {
  std::string const backend = backends::Backend<Kokkos::DefaultHostExecutionSpace>::name;
  auto large = request(backend, "multiply", Layout::row_major);
  large.shape = {.rows = 30'000'000, .cols = 30'000'000};
  EXPECT_THAT(search(large).why_not, ::testing::HasSubstr("memory"));
  auto const refuses = [](Request const& wrong, std::string const& what) {
    EXPECT_THAT([&] { search(wrong); },
                ::testing::ThrowsMessage<std::invalid_argument>(::testing::HasSubstr(what)));
  };
  refuses(request("abacus", "multiply", Layout::row_major), "there is no f32 on abacus");
  refuses(request(backend, "transpose", Layout::column_major), "for this layout");
}

}  // namespace
}  // namespace tessera::bench
