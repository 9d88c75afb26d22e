// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include "support/solve.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

/// Known solutions, and equal bits in memory, streamed and resumed.
namespace tessera::test {
namespace {

TEST_F(SolveTest, finds_the_known_solution) {
  // (1, 1, -1) is orthogonal to both columns.
  write_doubles("a.npy", "(3, 2)", {1, 0, 0, 1, 1, 1});
  write_doubles("b.npy", "(3,)", {3 + 5, 4 + 5, 7 - 5});
  for (std::string const method : {"lsmr", "lsqr"}) {
    auto const done = run({"lstsq", "a.npy", "b.npy", "--method", method, "--output", "x.npy",
                           "--history", "h.csv", "--check"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.out, AllOf(HasSubstr("min |A x - b|   a.npy"), HasSubstr(method),
                                HasSubstr("the least-squares problem is solved within atol"),
                                HasSubstr("passed: |A^T r|/(|A| |r|) = ")));
    auto const x = last_elements<double>("x.npy", 2);
    EXPECT_NEAR(x[0], 3, 1e-12);
    EXPECT_NEAR(x[1], 4, 1e-12);
    EXPECT_THAT(read("h.csv"),
                StartsWith("iteration,reads,residual,tolerance,norm_of_residual\n1,"));
  }
  auto const ridge = report({"ridge", "a.npy", "b.npy", "--lambda", "2", "--output", "x.npy"});
  // (AᵀA + 2·I)·x = Aᵀ·b: 4·x0 + x1 = 10, x0 + 4·x1 = 11.
  auto const x = last_elements<double>("x.npy", 2);
  EXPECT_NEAR(x[0], 29.0 / 15, 1e-12);
  EXPECT_NEAR(x[1], 34.0 / 15, 1e-12);
  EXPECT_EQ(ridge["operation"], "ridge");
  EXPECT_NEAR(ridge["damp"].get<double>(), std::sqrt(2.0), 1e-15);
  EXPECT_EQ(ridge["lambda"], 2);
  EXPECT_EQ(ridge["reads"], ridge["iterations"]);
  EXPECT_LE(ridge["reads"], 4);
  EXPECT_EQ(ridge["rank"], 2);
}

TEST_F(SolveTest, checks_each_column_by_its_own_norm) {
  std::vector<double> a;
  std::vector<double> b;
  for (int i = 0; i < 60; ++i) {
    a.insert(a.end(), {std::cos(i), 1e-9 * std::sin(3.0 * i)});
    b.push_back(std::cos(i) + std::sin(3.0 * i) + std::cos(7.0 * i));
  }
  write_doubles("a.npy", "(60, 2)", a);
  write_doubles("b.npy", "(60,)", b);
  std::vector<std::string> command{"lstsq", "a.npy", "b.npy", "--check", "--method", "lsmr"};
  auto const loose = run(command);
  EXPECT_EQ(loose.status, 1);
  EXPECT_THAT(loose.out, AllOf(HasSubstr("is solved within atol"), HasSubstr("FAILED: "),
                               HasSubstr("x_1 is not determined to 1e-3: moving it by "),
                               HasSubstr("of itself lowers |r|; |a_j^T r|/(|a_j| |r|) = ")));
  auto const json = report(command, 1);
  EXPECT_EQ(json["check"]["undetermined"]["column"], 1);
  EXPECT_FALSE(json["check"]["undetermined"]["passed"]);
  command.back() = "direct";
  auto const direct = report(command);
  EXPECT_TRUE(direct["check"]["passed"]);
  EXPECT_TRUE(direct["check"]["undetermined"].is_null());
}

TEST_F(SolveTest, solves_for_a_block_of_right_hand_sides) {
  make("300", "40", "row-major", "f64");
  constexpr std::size_t rows = 300;
  constexpr std::size_t cols = 40;
  constexpr std::size_t vectors = 3;
  std::vector<double> block;
  for (std::size_t i = 0; i < rows * vectors; ++i)
    block.push_back(std::cos(static_cast<double>(i)));
  write_doubles("block.npy", "(300, 3)", block);
  auto const all = report({"lstsq", "a.npy", "block.npy", "--damp", "0.5", "--method", "lsmr",
                           "--output", "X.npy", "--check"});
  auto const X = last_elements<double>("X.npy", cols * vectors);
  EXPECT_THAT(read("X.npy"), HasSubstr("'shape': (40, 3)"));
  ASSERT_EQ(all["columns"].size(), vectors);
  int reads = 0;
  for (std::size_t k = 0; k < vectors; ++k) {
    std::vector<double> column;
    for (std::size_t i = 0; i < rows; ++i) column.push_back(block[i * vectors + k]);
    write_doubles("one.npy", "(300,)", column);
    auto const one = report({"lstsq", "a.npy", "one.npy", "--damp", "0.5", "--method", "lsmr",
                             "--output", "x.npy", "--check"});
    auto const x = last_elements<double>("x.npy", cols);
    for (std::size_t j = 0; j < cols; ++j) EXPECT_EQ(X[j * vectors + k], x[j]) << j << ", " << k;
    for (char const* key : {"iterations", "stop", "normr", "normar", "normx", "check"}) {
      EXPECT_EQ(all["columns"][k][key], one[key]) << key;
    }
    EXPECT_TRUE(all["columns"][k]["check"]["passed"].get<bool>());
    reads += one["reads"].get<int>();
  }
  EXPECT_LT(all["reads"].get<int>(), reads);
  EXPECT_EQ(all["columns"][2]["reads"], all["reads"]);
  auto const streamed = report({"lstsq", "a.npy", "block.npy", "--damp", "0.5", "--method", "lsmr",
                                "--memory-limit", "80KiB"});
  EXPECT_FALSE(streamed["stream"].is_null());
  EXPECT_EQ(streamed["sha256"], all["sha256"]);
  auto const directly = report({"lstsq", "a.npy", "block.npy", "--output", "X.npy"});
  auto const one = report({"lstsq", "a.npy", "one.npy", "--output", "x.npy"});
  EXPECT_EQ(directly["reads"], one["reads"]);
  EXPECT_EQ(directly["iterations"], one["iterations"]);  // shared by all columns
  auto const D = last_elements<double>("X.npy", cols * vectors);
  auto const d = last_elements<double>("x.npy", cols);
  for (std::size_t j = 0; j < cols; ++j) EXPECT_EQ(D[j * vectors + 2], d[j]) << j;

  EXPECT_THAT(
      run({"ridge", "a.npy", "block.npy", "--lambda", "0.25", "--method", "lsmr"}).out,
      AllOf(HasSubstr("vectors b    block.npy, 3 columns"), HasSubstr("\n    3               11")));
  expect_refused({"lstsq", "a.npy", "block.npy", "--checkpoint", "c"}, 2,
                 "--checkpoint: expected one right-hand side, found 3 columns in block.npy");
  expect_refused({"lstsq", "a.npy", "block.npy", "--history", "h.csv"}, 2,
                 "--history: expected one right-hand side, found 3 columns in block.npy");
  write_doubles("short.npy", "(299, 3)", std::vector<double>(299 * 3));
  expect_refused({"lstsq", "a.npy", "short.npy"}, 3,
                 "has vectors of the wrong length: expected 300 entries, one for each row of "
                 "a.npy, found 299");
}

TEST_F(SolveTest, a_path_of_penalties_has_the_bits_of_each) {
  make("300", "40", "row-major", "f64");
  std::vector<std::string> const lambdas{"0", "0.5", "20", "0.5"};
  constexpr std::size_t cols = 40;
  for (std::string const method : {"direct", "lsmr", "lsqr", "auto"}) {
    std::vector<std::string> rest{"--method", method, "--conlim", "1e8", "--check"};
    if (method == "auto") rest.insert(rest.end(), {"--maxiter", "100"});
    auto const with = [&](std::string const& lambda, std::string const& output) {
      std::vector<std::string> command{"ridge", "a.npy", "b.npy", "--lambda", lambda};
      command.insert(command.end(), rest.begin(), rest.end());
      command.insert(command.end(), {"--output", output});
      return command;
    };
    auto const all = report(with("0,0.5,20,0.5", "X.npy"));
    EXPECT_THAT(read("X.npy"), HasSubstr("'shape': (40, 4)"));
    auto const X = last_elements<double>("X.npy", cols * lambdas.size());
    ASSERT_EQ(all["columns"].size(), lambdas.size());
    EXPECT_EQ(all["lambda"], nlohmann::json({0, 0.5, 20, 0.5}));
    int most = 0;
    for (std::size_t k = 0; k < lambdas.size(); ++k) {
      auto const one = report(with(lambdas[k], "x.npy"));
      auto const x = last_elements<double>("x.npy", cols);
      for (std::size_t j = 0; j < cols; ++j) EXPECT_EQ(X[j * lambdas.size() + k], x[j]) << method;
      for (char const* key : {"stop", "normr", "normar", "normx", "conda", "rank", "check"}) {
        EXPECT_EQ(all["columns"][k][key], one[key]) << method << " " << key;
      }
      EXPECT_EQ(all["columns"][k]["lambda"], one["lambda"]);
      EXPECT_TRUE(all["columns"][k]["check"]["passed"].get<bool>());
      most = std::max(most, one["reads"].get<int>());
    }
    EXPECT_EQ(all["reads"], most) << method;
    EXPECT_LE(all["iterations"], all["reads"]);
    auto streamed = with("0,0.5,20,0.5", "Y.npy");
    streamed.insert(streamed.end(), {"--memory-limit", method == "direct" ? "400KiB" : "85KiB"});
    auto const again = report(streamed);
    EXPECT_EQ(again["sha256"], all["sha256"]) << method;
    EXPECT_EQ(again["reads"], all["reads"]) << method;
  }
  EXPECT_THAT(
      run({"ridge", "a.npy", "b.npy", "--lambda", "1,30", "--maxiter", "100"}).out,
      AllOf(HasSubstr("lambda       2 values; X has a column for each"), HasSubstr("\n    30 ")));
  expect_same_resumed(
      {"ridge", "a.npy", "b.npy", "--lambda", "0.5,2", "--method", "lsmr", "--atol", "1e-13"}, 4,
      "85KiB", {"sha256", "iterations", "stop"});
}

TEST_F(SolveTest, refuses_what_a_path_of_penalties_has_not) {
  make("30", "10", "row-major", "f64");
  for (auto const& [lambda, found] : {std::pair{"1,-1", "'-1'"},
                                      {"1,,2", "''"},
                                      {"1,", "''"},
                                      {",", "''"},
                                      {"1,nan", "'nan'"},
                                      {"1,inf", "'inf'"},
                                      {"1 2", "'1 2'"}}) {
    expect_refused({"ridge", "a.npy", "b.npy", "--lambda", lambda}, 2,
                   "--lambda: expected a number of at least 0, such as 0.5 or 1e-6, found " +
                       std::string(found));
  }
  expect_refused({"ridge", "a.npy", "b.npy", "--lambda", "1,2,3", "--history", "h.csv"}, 2,
                 "--history: expected one --lambda, found 3; solve for one at a time");
  write_doubles("block.npy", "(30, 2)", std::vector<double>(60, 1));
  expect_refused({"ridge", "a.npy", "block.npy", "--lambda", "1,2,3"}, 2,
                 "--lambda: expected one number for several right-hand sides, found 3 and 2 "
                 "columns in block.npy; solve for one number or for one column at a time");
}

TEST_F(SolveTest, says_which_of_several_has_no_solution) {
  write_doubles("a.npy", "(3, 2)", {1, 0, 0, 1, 1, 1});
  write_doubles("block.npy", "(3, 2)", {1, 1, 2, std::nan(""), 3, 3});
  auto const done = report({"lstsq", "a.npy", "block.npy", "--output", "x.npy"}, 1);
  EXPECT_FALSE(exists("x.npy"));
  EXPECT_TRUE(done["columns"][0]["converged"].get<bool>());
  EXPECT_FALSE(done["columns"][1]["converged"].get<bool>());
  EXPECT_EQ(done["stop"], done["columns"][1]["stop"]);
}

TEST_F(SolveTest, checks_numbers_of_any_size) {
  std::vector<double> b;
  for (int i = 0; i < 12; ++i) b.push_back(std::cos(i * i));
  write_doubles("b.npy", "(12,)", b);
  for (int const power : {-900, 900}) {
    std::vector<double> a;
    for (int i = 0; i < 48; ++i) a.push_back(std::ldexp(std::cos(3 * i), power));
    write_doubles("a.npy", "(12, 4)", a);
    auto const found = report({"lstsq", "a.npy", "b.npy", "--atol", "1e-12", "--check"});
    EXPECT_TRUE(found["check"]["passed"].get<bool>()) << power;
    auto const cut = report({"lstsq", "a.npy", "b.npy", "--maxiter", "1", "--check"}, 1);
    EXPECT_FALSE(cut["check"]["passed"].get<bool>()) << power;
  }
}

TEST_F(SolveTest, draws_how_the_residual_falls) {
  write_doubles("a.npy", "(3, 3)", {1, 0, 0, 0, 2, 0, 0, 0, 3});
  write_doubles("b.npy", "(3,)", {1, 1, 1});
  EXPECT_THAT(run({"lstsq", "a.npy", "b.npy", "--method", "lsmr"}).out,
              ::testing::ContainsRegex("residual     █.*▁  from 0\\.[0-9]+ to "));
}

TEST_F(SolveTest, draws_the_residual_of_each_iteration) {
  make("200", "30");
  for (std::string const method : {"lsmr", "lsqr"}) {
    auto const found =
        report({"lstsq", "a.npy", "b.npy", "--method", method, "--plot", method + ".svg"});
    auto const picture = read(method + ".svg");
    EXPECT_EQ(picture.find("<svg "), 0U);
    EXPECT_NE(picture.find("<title>" + method + " for a.npy</title>"), std::string::npos);
    auto const begin = picture.find(" points=\"") + 9;
    auto const line = picture.substr(begin, picture.find('"', begin) - begin);
    EXPECT_EQ(std::ranges::count(line, ','), found["iterations"].get<int>());
    EXPECT_NE(picture.find("stroke-dasharray"), std::string::npos);
    EXPECT_EQ(picture.find("nan"), std::string::npos);
  }
  expect_refused({"lstsq", "a.npy", "b.npy", "--plot", "p.svg"}, 2,
                 "--plot: the direct method has no iterations to draw; use --method lsmr or lsqr");
  expect_refused(
      {"ridge", "a.npy", "a.npy", "--lambda", "1", "--method", "lsmr", "--plot", "p.svg"}, 2,
      "--plot: expected one right-hand side, found 30 columns in a.npy");
  EXPECT_FALSE(exists("p.svg"));
  auto const part = report({"lstsq", "a.npy", "b.npy", "--maxiter", "2", "--plot", "part.svg"}, 1);
  EXPECT_FALSE(part["converged"]);
  EXPECT_TRUE(exists("part.svg"));
}

/// Reference: normal equations in rational numbers.
TEST_F(SolveTest, finds_the_coefficients_of_the_diabetes_table) {
  std::string const data = TESSERA_SOURCE_DIR "/tests/data/";
  std::vector<double> const known{-10.01, -239.82, 519.85, 324.38, -792.18,
                                  476.74, 101.04,  177.06, 751.27, 67.63};
  for (std::string const method : {"lsmr", "lsqr"}) {
    report({"lstsq", data + "diabetes.npy", data + "progression.npy", "--method", method, "--atol",
            "1e-12", "--btol", "1e-12", "--maxiter", "60", "--output", "x.npy", "--check"});
    auto const x = last_elements<double>("x.npy", 10);
    for (std::size_t j = 0; j < x.size(); ++j) EXPECT_NEAR(x[j], known[j], 0.005) << j;
  }
}

TEST_F(SolveTest, has_the_bits_of_the_run_in_memory_where_it_streams) {
  for (std::string const order : {"row-major", "column-major"}) {
    make("3000", "700", order);
    std::vector<std::string> const command{"lstsq", "a.npy", "b.npy"};
    auto const in_memory = report(command);
    EXPECT_TRUE(in_memory["stream"].is_null());
    auto streamed = command;
    streamed.insert(streamed.end(), {"--memory-limit", "7MiB"});
    auto const found = report(streamed);
    EXPECT_FALSE(found["stream"].is_null());
    EXPECT_EQ(found["sha256"], in_memory["sha256"]) << order;
    EXPECT_EQ(found["reads"], in_memory["reads"]);
  }
}

TEST_F(SolveTest, holds_no_more_memory_than_its_limit_and_64_MiB) {
  make("16000", "4000");  // 244 MiB
  expect_peak_below({"lstsq", "a.npy", "b.npy", "--memory-limit", "48MiB", "--atol", "1e-2"}, 48);
}

TEST_F(SolveTest, goes_on_from_a_checkpoint_with_the_same_bits) {
  make("2000", "500", "row-major", "f64");
  std::vector<std::string> const command{"lstsq",  "a.npy", "b.npy",     "--method", "lsmr",
                                         "--atol", "1e-13", "--history", "h.csv"};
  auto const whole = report(command);
  std::string const history = read("h.csv");
  auto kept = command;
  kept.insert(kept.end(), {"--checkpoint", "c", "--checkpoint-every", "0"});
  auto shortened = kept;
  shortened.insert(shortened.end(), {"--maxiter", "9"});
  auto const part = report(shortened, 1);
  EXPECT_EQ(part["iterations"], 9);
  EXPECT_FALSE(part["converged"]);
  ASSERT_TRUE(exists("c"));
  auto const rest = report(kept);
  EXPECT_EQ(rest["first_iteration"], 9);
  EXPECT_EQ(rest["sha256"], whole["sha256"]);
  EXPECT_EQ(rest["iterations"], whole["iterations"]);
  EXPECT_FALSE(exists("c"));

  expect_same_after_kill(command, "7MiB", {"sha256", "iterations"});
}

TEST_F(SolveTest, solves_few_columns_directly) {
  make("3000", "60", "row-major", "f64");
  for (std::vector<std::string> const& command :
       {std::vector<std::string>{"lstsq", "a.npy", "b.npy", "--check"},
        {"ridge", "a.npy", "b.npy", "--lambda", "0.5", "--check"}}) {
    auto const found = report(command);
    EXPECT_EQ(found["method"], command[0] + " by Gram matrices");
    EXPECT_TRUE(found["check"]["passed"].get<bool>());
    EXPECT_LT(found["check"]["gradient"].get<double>(), 1e-13);
    EXPECT_LE(found["reads"].get<int>(), 4);
    EXPECT_EQ(found["rank"], 60);
    expect_same_streamed(command, "1MiB", {"sha256", "reads", "normr"});
  }
  std::vector<std::string> const kept{
      "lstsq", "a.npy", "b.npy", "--checkpoint", "c", "--checkpoint-every", "0"};
  auto shortened = kept;
  shortened.insert(shortened.end(), {"--maxiter", "3"});
  report(shortened, 1);
  ASSERT_TRUE(exists("c"));
  EXPECT_EQ(report(kept)["method"], "lsmr");
  EXPECT_FALSE(exists("c"));
  EXPECT_EQ(report(kept)["method"], "lstsq by Gram matrices");
  expect_refused({"lstsq", "a.npy", "b.npy", "--method", "direct", "--maxiter", "3"}, 2,
                 "--maxiter: --method direct has no iterations");
}

/// lsmr's estimates would accept sizes from 1e-6 to 1e6 early.
TEST_F(SolveTest, solves_columns_of_different_sizes) {
  std::vector<double> a;
  std::vector<double> b;
  for (int i = 0; i < 200; ++i) {
    double sum = 0;
    for (int j = 0; j < 5; ++j) {
      a.push_back(std::cos(i * (j + 1)) * std::pow(10, 3 * j - 6));
      sum += a.back() * std::pow(10, 6 - 3 * j);
    }
    b.push_back(sum + std::sin(i * i));
  }
  write_doubles("a.npy", "(200, 5)", a);
  write_doubles("b.npy", "(200,)", b);
  auto const found = report({"lstsq", "a.npy", "b.npy", "--output", "x.npy", "--check"});
  EXPECT_TRUE(found["check"]["passed"].get<bool>());
  EXPECT_LE(found["reads"].get<int>(), 4);
  auto const x = last_elements<double>("x.npy", 5);
  for (int j = 0; j < 5; ++j) {
    EXPECT_NEAR(x[static_cast<std::size_t>(j)] / std::pow(10, 6 - 3 * j), 1, 0.3) << j;
  }
}

TEST_F(SolveTest, scales_many_columns_of_different_sizes) {
  constexpr int rows = 800;
  constexpr int cols = 520;
  std::vector<double> a;
  std::vector<double> b;
  for (int i = 0; i < rows; ++i) {
    double sum = 0;
    for (int j = 0; j < cols; ++j) {
      double const size = std::pow(10, (j * 37) % 9 - 4);
      double const even = std::cos(static_cast<double>(i) * i + j * (i + 1.0)) + (i == j ? 20 : 0);
      a.push_back(even * size);
      sum += even * (j % 3 - 1);
    }
    b.push_back(sum + std::sin(i * i));
  }
  write_doubles("a.npy", "(800, 520)", a);
  write_doubles("b.npy", "(800,)", b);
  EXPECT_FALSE(report({"lstsq", "a.npy", "b.npy", "--method", "lsmr"})["scaled_columns"]);
  for (std::vector<std::string> const& command :
       {std::vector<std::string>{"lstsq", "a.npy", "b.npy"},
        {"ridge", "a.npy", "b.npy", "--lambda", "0.5"}}) {
    auto checked = command;
    checked.emplace_back("--check");
    auto const found = report(checked);
    EXPECT_EQ(found["method"], "lsmr");
    EXPECT_TRUE(found["scaled_columns"].get<bool>());
    EXPECT_TRUE(found["check"]["passed"].get<bool>());
    EXPECT_THAT(run(command).out, HasSubstr("scaled to equal norms"));
    expect_same_streamed(command, "3MiB", {"sha256", "reads", "normr"});
    auto kept = command;
    kept.insert(kept.end(), {"--checkpoint", "c", "--checkpoint-every", "0"});
    auto shortened = kept;
    shortened.insert(shortened.end(), {"--maxiter", "5"});
    report(shortened, 1);
    auto const rest = report(kept);
    EXPECT_EQ(rest["first_iteration"], 5);
    EXPECT_EQ(rest["sha256"], found["sha256"]);
  }
  auto const path =
      report({"ridge", "a.npy", "b.npy", "--lambda", "0.5,30", "--memory-limit", "3MiB"});
  EXPECT_TRUE(path["columns"][1]["scaled_columns"].get<bool>());
  int const most =
      std::max(path["columns"][0]["iterations"], path["columns"][1]["iterations"]).get<int>();
  EXPECT_EQ(path["reads"], most + 2);  // for the norms of the columns and the start
}

TEST_F(SolveTest, refuses_a_checkpoint_of_another_run) {
  make("200", "50");
  std::vector<std::string> const kept{"--checkpoint", "c", "--checkpoint-every", "0",
                                      "--maxiter",    "4"};
  auto const with = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), kept.begin(), kept.end());
    return run(arguments);
  };
  ASSERT_EQ(with({"lstsq", "a.npy", "b.npy"}).status, 1);
  ASSERT_TRUE(exists("c"));
  auto const other_method = with({"lstsq", "a.npy", "b.npy", "--method", "lsqr"});
  EXPECT_EQ(other_method.status, 3);
  EXPECT_THAT(other_method.err, HasSubstr("found one of lstsq;"));
  auto const other_damp = with({"ridge", "a.npy", "b.npy", "--lambda", "1"});
  EXPECT_EQ(other_damp.status, 3);
  EXPECT_THAT(other_damp.err, HasSubstr("found one of lstsq;"));
  ASSERT_EQ(
      run({"gen", "--rows", "200", "--cols", "1", "--seed", "9", "--output", "other.npy"}).status,
      0);
  auto const other_b = with({"lstsq", "a.npy", "other.npy"});
  EXPECT_EQ(other_b.status, 3);
  EXPECT_THAT(other_b.err, HasSubstr("another vector"));
  write("c", "something else");
  EXPECT_EQ(with({"lstsq", "a.npy", "b.npy"}).status, 3);
}

TEST_F(SolveTest, right_sides_may_have_one_entry) {
  write_doubles("a.npy", "(1, 2)", {3, 4});
  write_doubles("b.npy", "(1, 3)", {25, 0, -50});
  for (std::string const method : {"direct", "lsmr"}) {
    ASSERT_EQ(
        run({"lstsq", "a.npy", "b.npy", "--method", method, "--output", "x.npy", "--check"}).status,
        0);
    auto const x = last_elements<double>("x.npy", 6);
    std::vector<double> const expected{3, 0, -6, 4, 0, -8};
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], expected[i], 1e-14);
  }
}

TEST_F(SolveTest, says_why_there_is_no_solution) {
  write_doubles("a.npy", "(3, 2)", {1, 0, 0, 1, std::nan(""), 1});
  write_doubles("b.npy", "(3,)", {1, 2, 3});
  auto const done = run({"lstsq", "a.npy", "b.npy", "--output", "x.npy"});
  EXPECT_EQ(done.status, 1);
  EXPECT_THAT(
      done.err,
      HasSubstr("a number overflowed or underflowed, or the input has an infinity or a NaN; no "
                "x is written; `tessera stats a.npy` counts the entries of A that are not finite"));
  write_doubles("a.npy", "(3, 2)", {1, 0, 0, 1, 1, 1});
  write_doubles("b.npy", "(3, 2)", {1, 2, 3, HUGE_VAL, 5, std::nan("")});
  for (std::string const method : {"direct", "lsmr"}) {
    auto const of_b = run({"lstsq", "a.npy", "b.npy", "--method", method, "--output", "x.npy"});
    EXPECT_EQ(of_b.status, 1);
    EXPECT_THAT(of_b.err, HasSubstr("a NaN: b.npy has an infinity in row 1, column 1; no x is"));
  }
  EXPECT_FALSE(exists("x.npy"));

  make("300", "100");
  auto const few = run({"lstsq", "a.npy", "b.npy", "--maxiter", "2", "--check"});
  EXPECT_EQ(few.status, 1);
  EXPECT_THAT(few.err, HasSubstr("lsmr did not converge: the limit of iterations was reached"));
  EXPECT_THAT(few.out, HasSubstr("FAILED: |A^T r|/(|A| |r|) = "));
}

TEST_F(SolveTest, refuses_what_makes_no_sense) {
  make("30", "10");
  auto const expect = [&](std::vector<std::string> const& arguments, int status,
                          std::string const& why) {
    auto const done = run(arguments);
    EXPECT_EQ(done.status, status) << why;
    EXPECT_THAT(done.err, HasSubstr(why));
  };
  expect({"lstsq", "a.npy"}, 2, "B is required");
  expect({"ridge", "a.npy", "b.npy"}, 2, "--lambda is required");
  expect({"ridge", "a.npy", "b.npy", "--lambda", "-1"}, 2,
         "--lambda: expected a number of at least 0, such as 0.5 or 1e-6, found '-1'");
  write_doubles("short.npy", "(29,)", std::vector<double>(29));
  expect({"lstsq", "a.npy", "short.npy"}, 3, "expected 30 entries, one for each row of a.npy");
  expect({"lstsq", "a.npy", "b.npy", "--output", "a.npy"}, 2, "a.npy");
  expect({"lstsq", "a.npy", "b.npy", "--checkpoint", "-"}, 2,
         "--checkpoint: expected the name of a regular file, found -");
}

TEST_F(SolveTest, refuses_a_checkpoint_that_cannot_be_written) {
  make("30", "10");
  for (std::string const command : {"lstsq", "atax"}) {
    std::vector<std::string> words{command, "a.npy", "--checkpoint", "no-folder/c"};
    if (command == "lstsq") words.insert(words.begin() + 2, "b.npy");
    expect_refused(words, 3, "no-folder/c: cannot be written: expected a writable folder");
  }
}

TEST_F(SolveTest, error_names_sufficient_limit) {
  for (std::string const layout : {"row-major", "column-major"}) {
    for (auto const& [rows, cols] : {std::pair{"9000", "70"}, {"60", "900"}}) {
      make(rows, cols, layout);
      for (std::vector<std::string> command : std::initializer_list<std::vector<std::string>>{
               {"lstsq", "a.npy", "b.npy", "--atol", "1e-3"},
               {"lstsq", "a.npy", "b.npy", "--atol", "1e-3", "--checkpoint", "s"},
               {"svd", "a.npy", "-k", "1", "--tol", "0.1"},
               {"svd", "a.npy", "-k", "1", "--tol", "0.1", "--u", "u.npy", "--type", "f64"},
               {"svd", "a.npy", "-k", "2", "--method", "randomized"},
               {"pca", "a.npy", "-k", "1", "--tol", "0.1", "--scale", "--scores", "u.npy"},
               {"fit", "linear", "a.npy", "b.npy", "--tol", "0.1", "--penalty", "1"}}) {
        SCOPED_TRACE(layout + " " + rows + " x " + cols + " " + command[0] + " " + command.back());
        command.insert(command.end(), {"--memory-limit", "1KiB"});
        auto const refused = run(command);
        EXPECT_EQ(refused.status, 4);
        std::string const before = "tessera: a.npy: streaming it needs --memory-limit ";
        ASSERT_THAT(refused.err,
                    AllOf(StartsWith(before), HasSubstr("B or more, found a limit of 1.0 KiB\n")));
        std::string const rest = refused.err.substr(before.size());
        command.back() = rest.substr(0, rest.find(' '));
        auto const found = run(command);
        EXPECT_LE(found.status, 1) << command.back() << found.err;  // not converged
        // The blocks of a small A may hold all of A.
        if (rows == std::string("9000")) {
          EXPECT_THAT(found.out, HasSubstr("streamed in each iteration"));
        }
        EXPECT_THAT(found.err, Not(HasSubstr("expected")));
      }
    }
  }
}

}  // namespace
}  // namespace tessera::test
