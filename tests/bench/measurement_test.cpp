// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bench/machine.hpp>
#include <bench/measurement.hpp>
#include <bench/table.hpp>
#include <set>
#include <stdexcept>

#include <gmock/gmock.h>

namespace tessera::bench {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Row row(std::string const& name, double seconds) {
  return {.name = name, .seconds = Seconds{seconds, seconds, seconds}};
}

std::vector<std::string> names_of(Table const& table) {
  std::vector<std::string> names;
  for (auto const& each : table.rows) names.push_back(each.name);
  return names;
}

TEST(BenchFinish, SortsByTimeAndComputesRatesSharesAndSpeedUps) {
  Table table;
  table.bytes = 8e9;
  table.flops = 2e9;
  table.stream = Stream{.name = "read stream", .seconds = 0.5, .gb_per_s = 16};
  table.rows = {row("slow", 4),
                {.name = "refused", .why_not = "too large a team"},
                row("fast", 1),
                {.name = "bad", .check = "WRONG: 1 of 2 elements differ", .wrong = true},
                row("middle", 2)};
  EXPECT_TRUE(table.has_wrong_row());
  finish(table);
  EXPECT_THAT(names_of(table), ElementsAre("fast", "middle", "slow", "refused", "bad"));
  Row const& fast = table.rows[0];
  EXPECT_DOUBLE_EQ(fast.gb_per_s, 8);
  EXPECT_DOUBLE_EQ(fast.gflop_per_s, 2);
  EXPECT_DOUBLE_EQ(*fast.share, 0.5);
  EXPECT_DOUBLE_EQ(fast.speed_up, 4);
  EXPECT_DOUBLE_EQ(table.rows[2].speed_up, 1);
  EXPECT_FALSE(table.rows[3].share.has_value());
  EXPECT_EQ(table.rows[4].speed_up, 0);
}

TEST(BenchFinish, WithoutAStreamThereIsNoShare) {
  Table table;
  table.bytes = 1;
  table.rows = {row("only", 1)};
  EXPECT_FALSE(table.has_wrong_row());
  finish(table);
  EXPECT_FALSE(table.rows[0].share.has_value());
  EXPECT_DOUBLE_EQ(table.rows[0].speed_up, 1);
}

TEST(BenchFinish, MedianIsTheMiddleOrTheMeanOfTheTwo) {
  EXPECT_EQ(summarise({3, 1, 2}).median, 2);
  EXPECT_EQ(summarise({4, 1, 2, 3}).median, 2.5);
  EXPECT_EQ(summarise({4, 1, 2, 3}).min, 1);
  EXPECT_EQ(summarise({4, 1, 2, 3}).max, 4);
}

// Named: nvcc accepts no braced initialisers in generic lambdas.
std::string const products_with_vectors_and_transpose[] = {
    "atax",          "aatx",     "weights", "logistic", "multiply", "multiply_transposed",
    "multiply_both", "transpose"};
std::string const scalars[] = {"f32", "f64"};
constexpr Layout layouts[] = {Layout::row_major, Layout::column_major};

Request request(std::string const& backend, std::string const& operation) {
  return {.backend = backend,
          .operation = operation,
          .shape = {.rows = 60, .cols = 70, .padding = 2},
          .turns = 2,
          .seconds = 1e-6};
}

TEST(BenchMeasure, EveryRowIsRightAndHasATime) {
  backends::for_each_backend([]<class Exec>(std::type_identity<Exec>) {
    for (auto const& operation : products_with_vectors_and_transpose) {
      for (auto const& scalar : scalars) {
        for (auto const layout : layouts) {
          if (operation == "transpose" && layout == Layout::column_major) continue;
          auto wanted = request(backends::Backend<Exec>::name, operation);
          wanted.scalar = scalar;
          wanted.layout = layout;
          std::size_t last_done = 0;
          std::size_t last_total = 0;
          auto const table = measure(wanted, [&](std::size_t done, std::size_t total) {
            last_done = done;
            last_total = total;
          });
          EXPECT_EQ(table.why_not, "");
          EXPECT_GE(table.copies, 1);
          EXPECT_EQ(last_done + 1, last_total);
          EXPECT_EQ(table.bytes,
                    operation_named(operation).bytes(wanted.shape, scalar == "f32" ? 4 : 8));
          ASSERT_TRUE(table.stream.has_value());
          EXPECT_THAT(table.stream->name, HasSubstr(operation == "transpose" ? "copy" : "read"));
          std::set<Kind> kinds;
          double last = 0;
          for (auto const& each : table.rows) {
            kinds.insert(each.kind);
            if (each.name.ends_with(" exact") && !each.seconds) {
              EXPECT_THAT(each.why_not, HasSubstr("exact tiling needs rows that are"));
              continue;
            }
            EXPECT_EQ(each.why_not, "") << each.name;
            EXPECT_FALSE(each.wrong) << each.name << ": " << each.check;
            ASSERT_TRUE(each.seconds.has_value()) << each.name;
            EXPECT_GE(each.seconds->median, last);
            EXPECT_GE(each.speed_up, 1);
            EXPECT_GE(each.calls, 1);
            EXPECT_NEAR(*each.share * each.seconds->median, table.stream->seconds, 1e-9);
            last = each.seconds->median;
          }
          EXPECT_FALSE(table.has_wrong_row());
          EXPECT_THAT(kinds, Contains(Kind::ours));
          EXPECT_EQ(kinds.contains(Kind::variant),
                    !names_of_variants(wanted.backend, operation, layout).empty());
          auto const names = names_of(table);
          for (auto const& name : names_of_variants(wanted.backend, operation, layout)) {
            EXPECT_THAT(names, Contains(name));
          }
        }
      }
    }
  });
}

constexpr Shape product_shape = {.rows = 40, .cols = 70, .factor_cols = 30};

TEST(BenchMeasure, ProductsOfMatricesAreRightWithoutAStream) {
  backends::for_each_backend([]<class Exec>(std::type_identity<Exec>) {
    for (auto const layout : layouts) {
      auto wanted = request(backends::Backend<Exec>::name, "gemm");
      wanted.shape = product_shape;
      wanted.layout = layout;
      auto const table = measure(wanted);
      EXPECT_FALSE(table.stream.has_value());
      for (auto const& each : table.rows) {
        EXPECT_EQ(each.why_not, "") << each.name;
        EXPECT_FALSE(each.wrong) << each.name << ": " << each.check;
        EXPECT_GT(each.gflop_per_s, 0);
      }
      EXPECT_THAT(names_of(table), ::testing::AllOf(Contains("tessera"), Contains("tiled")));
    }
  });
}

TEST(BenchMeasure, VariantsAreChosenByNameAndOthersStay) {
  backends::for_each_backend([]<class Exec>(std::type_identity<Exec>) {
    auto wanted = request(backends::Backend<Exec>::name, "transpose");
    wanted.variants = {"tile", "naive-row"};
    auto const names = names_of(measure(wanted));
    EXPECT_THAT(names,
                ::testing::AllOf(Contains("tile"), Contains("naive-row"), Contains("tessera"),
                                 ::testing::Not(Contains("naive-col"))));
    wanted.variants = std::vector<std::string>{};
    EXPECT_THAT(names_of(measure(wanted)), ::testing::Not(Contains("tile")));
  });
}

TEST(BenchMeasure, TeamsMultiplyVariantsAndARefusedOneSaysWhy) {
  backends::for_each_backend([]<class Exec>(std::type_identity<Exec>) {
    auto wanted = request(backends::Backend<Exec>::name, "multiply");
    wanted.variants = {"atomic"};
    wanted.teams = {{1, 1}, {64, 64}};
    auto const table = measure(wanted);
    int with_team = 0;
    int without = 0;
    for (auto const& each : table.rows) {
      if (each.name != "atomic") {
        EXPECT_FALSE(each.team.has_value());
        ++without;
        continue;
      }
      ++with_team;
      bool const fits = *each.team == published::TeamShape{1, 1};
      EXPECT_EQ(each.seconds.has_value(), fits);
      EXPECT_EQ(each.why_not.find("64 x 64") != std::string::npos, !fits) << each.why_not;
    }
    EXPECT_EQ(with_team, 2);
    EXPECT_GE(without, 1);
    EXPECT_FALSE(table.has_wrong_row());
  });
}

TEST(BenchMeasure, WhatDoesNotExistIsRefused) {
  std::string const backend = backends::Backend<Kokkos::DefaultHostExecutionSpace>::name;
  auto const refuses = [](Request const& wrong, auto const& what) {
    EXPECT_THAT([&] { measure(wrong); }, ThrowsMessage<std::invalid_argument>(what));
  };
  refuses(request("abacus", "multiply"), HasSubstr("there is no f32 on abacus"));
  refuses(request(backend, "divide"), HasSubstr("no operation is called divide"));
  auto wrong_scalar = request(backend, "multiply");
  wrong_scalar.scalar = "half";
  refuses(wrong_scalar, HasSubstr("there is no half on " + backend));
  auto wrong_variant = request(backend, "multiply");
  wrong_variant.variants = {"atomic", "column-tile-static"};
  refuses(wrong_variant,
          AllOf(HasSubstr("'column-tile-static' is no variant of this operation and layout"),
                HasSubstr("repeated-reduction")));
}

TEST(BenchMeasure, AShapeThatDoesNotFitHasAReasonAndNoRows) {
  auto wanted = request(backends::Backend<Kokkos::DefaultHostExecutionSpace>::name, "multiply");
  wanted.shape = {.rows = 30'000'000, .cols = 30'000'000};
  auto const table = measure(wanted);
  EXPECT_THAT(table.why_not, HasSubstr("memory"));
  EXPECT_TRUE(table.rows.empty());
}

TEST(BenchFacts, NameVersionsAndPeers) {
  backends::for_each_backend([]<class Exec>(std::type_identity<Exec>) {
    auto const facts = facts_of(backends::Backend<Exec>::name);
    std::set<std::string> keys;
    for (auto const& [key, value] : facts) {
      EXPECT_NE(value, "") << key;
      EXPECT_TRUE(keys.insert(key).second) << key;
    }
    for (char const* const key :
         {"tessera", "commit", "kokkos", "compiler", "peers", "execution_space", "concurrency"}) {
      EXPECT_TRUE(keys.contains(key)) << key;
    }
    EXPECT_EQ(keys.contains("device"), is_gpu<Exec>);
  });
}

}  // namespace
}  // namespace tessera::bench
