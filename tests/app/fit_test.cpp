// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "support/solve.hpp"

/// `tessera fit`, in memory, streamed and resumed.
namespace tessera::test {
namespace {

class FitTest : public SolveTest {
 protected:
  void make_labels(std::size_t rows) const {
    std::vector<std::uint8_t> labels(rows);
    for (std::size_t i = 0; i < rows; ++i) labels[i] = i * i % 7 < 3 ? 1 : 0;
    write("labels.npy", npy("|u1", "(" + std::to_string(rows) + ",)", bytes_of(labels)));
  }
};

TEST_F(FitTest, finds_the_known_plane) {
  // y = 2·a - b + 3
  write_doubles("a.npy", "(4, 2)", {0, 0, 1, 0, 0, 1, 2, 3});
  write_doubles("y.npy", "(4,)", {3, 5, 2, 4});
  auto const done = run({"fit", "linear", "a.npy", "y.npy", "--tol", "1e-12", "--output", "x.npy",
                         "--history", "h.csv", "--check"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, AllOf(HasSubstr("min sum (eta - y)^2/2   a.npy"),
                              HasSubstr("passed: scaled gradient ")));
  EXPECT_THAT(read("h.csv"), StartsWith("iteration,reads,residual,tolerance,loss\n1,"));
  auto const x = last_elements<double>("x.npy", 2);
  EXPECT_NEAR(x[0], 2, 1e-10);
  EXPECT_NEAR(x[1], -1, 1e-10);
  for (std::string const solver : {"newton", "newton-cg", "lbfgs"}) {
    auto const json =
        report({"fit", "linear", "a.npy", "y.npy", "--tol", "1e-12", "--solver", solver});
    EXPECT_NEAR(json["intercept"].get<double>(), 3, 1e-10);
  }

  // (aᵀ·a + 5)·x = aᵀ·y
  write_doubles("a.npy", "(2, 1)", {1, 2});
  write_doubles("y.npy", "(2,)", {4, 3});
  auto const ridge = report({"fit", "linear", "a.npy", "y.npy", "--no-intercept", "--penalty", "5",
                             "--tol", "1e-12", "--output", "x.npy", "--check"});
  EXPECT_NEAR(last_elements<double>("x.npy", 1)[0], 1, 1e-10);
  EXPECT_EQ(ridge["intercept"], 0);
  EXPECT_FALSE(ridge["has_intercept"]);
  EXPECT_TRUE(ridge["check"]["passed"]);
}

TEST_F(FitTest, finds_the_odds_and_rates_of_two_groups) {
  write_doubles("a.npy", "(8, 1)", {0, 0, 0, 0, 1, 1, 1, 1});
  // One of four, then three of four.
  write_doubles("labels.npy", "(8,)", {0, 1, 0, 0, 1, 1, 0, 1});
  auto const odds = report(
      {"fit", "logistic", "a.npy", "labels.npy", "--tol", "1e-10", "--output", "x.npy", "--check"});
  EXPECT_NEAR(odds["intercept"].get<double>(), -std::log(3.0), 1e-8);
  EXPECT_NEAR(last_elements<double>("x.npy", 1)[0], 2 * std::log(3.0), 1e-8);
  EXPECT_EQ(odds["loss_function"], "logistic");
  EXPECT_TRUE(odds["check"]["passed"]);
  // Means of 2 and 6.
  write_doubles("counts.npy", "(8,)", {1, 3, 2, 2, 4, 8, 6, 6});
  auto const rates = report(
      {"fit", "poisson", "a.npy", "counts.npy", "--tol", "1e-10", "--output", "x.npy", "--check"});
  EXPECT_NEAR(rates["intercept"].get<double>(), std::log(2.0), 1e-8);
  EXPECT_NEAR(last_elements<double>("x.npy", 1)[0], std::log(3.0), 1e-8);
  EXPECT_TRUE(rates["check"]["passed"]);
}

TEST_F(FitTest, takes_weights_and_an_offset) {
  write_doubles("a.npy", "(6, 1)", {0, 0, 1, 1, 1, 5});
  write_doubles("y.npy", "(6,)", {1, 3, 4, 8, 9, 1});
  write_doubles("w.npy", "(6,)", {1, 2, 2, 1, 1, 0});
  write_doubles("o.npy", "(6,)",
                {std::log(2.0), std::log(1.0), std::log(1.0), std::log(4.0), std::log(2.0), 0});
  for (std::string const solver : {"newton", "newton-cg", "lbfgs"}) {
    auto const json = report({"fit", "poisson", "a.npy", "y.npy", "--weights", "w.npy", "--offset",
                              "o.npy", "--solver", solver, "--output", "x.npy", "--check"});
    // 7 in 4, and 25 in 8.
    EXPECT_NEAR(json["intercept"].get<double>(), std::log(7.0 / 4), 1e-7) << solver;
    EXPECT_NEAR(last_elements<double>("x.npy", 1)[0], std::log(25.0 / 8 / (7.0 / 4)), 1e-7);
    EXPECT_TRUE(json["check"]["passed"]);
    EXPECT_EQ(json["weights"], "w.npy");
    EXPECT_EQ(json["offset"], "o.npy");
  }
  EXPECT_THAT(
      run({"fit", "poisson", "a.npy", "y.npy", "--weights", "w.npy", "--offset", "o.npy"}).out,
      AllOf(HasSubstr("weights"), HasSubstr("A x + intercept + o.npy")));
}

TEST_F(FitTest, finds_means_of_gamma_and_tweedie) {
  write_doubles("a.npy", "(4, 1)", {0, 0, 1, 1});
  write_doubles("y.npy", "(4,)", {1, 3, 4, 8});
  for (std::vector<std::string> const& loss : std::vector<std::vector<std::string>>{
           {"gamma"}, {"tweedie", "--power", "1.5"}, {"tweedie", "--power", "3"}}) {
    for (std::string const solver : {"newton", "newton-cg", "lbfgs"}) {
      std::vector<std::string> command{"fit"};
      command.insert(command.end(), loss.begin(), loss.end());
      command.insert(command.end(), {"a.npy", "y.npy", "--solver", solver, "--check"});
      auto const json = report(command);
      EXPECT_NEAR(json["intercept"].get<double>(), std::log(2.0), 1e-6) << loss.back() << solver;
      EXPECT_EQ(json["loss_function"], loss[0]);
      EXPECT_TRUE(json["check"]["passed"]) << loss.back() << solver;
    }
  }
  EXPECT_THAT(run({"fit", "gamma", "a.npy", "y.npy"}).out,
              AllOf(HasSubstr("min sum y e^-eta + eta"), HasSubstr("dispersion")));
}

TEST_F(FitTest, refuses_what_gamma_and_tweedie_do_not_take) {
  make("3", "1", "row-major", "f64");
  write_doubles("y.npy", "(3,)", {1, 0, 2});
  expect_refused({"fit", "gamma", "a.npy", "y.npy"}, 3,
                 "y.npy: expected numbers above 0, found 0 at entry 1");
  expect_refused({"fit", "tweedie", "a.npy", "y.npy", "--power", "2"}, 3,
                 "y.npy: expected numbers above 0, found 0 at entry 1");
  expect_refused({"fit", "tweedie", "a.npy", "y.npy"}, 2, "expected --power P");
  expect_refused({"fit", "tweedie", "a.npy", "y.npy", "--power", "1"}, 2,
                 "--power: expected a number above 1, found 1");
  expect_refused({"fit", "poisson", "a.npy", "y.npy", "--power", "1.5"}, 2,
                 "--power: expected the loss tweedie, found poisson");
  write_doubles("y.npy", "(3,)", {1, -1, 2});
  expect_refused({"fit", "tweedie", "a.npy", "y.npy", "--power", "1.5"}, 3,
                 "y.npy: expected numbers of at least 0, found -1 at entry 1");
}

TEST_F(FitTest, refuses_weights_and_offsets_that_make_no_sense) {
  make("3", "2", "row-major", "f64");
  write_doubles("y.npy", "(3,)", {0, 1, 2});
  auto const with = [](std::string const& option) {
    return std::vector<std::string>{"fit", "linear", "a.npy", "y.npy", option, "w.npy"};
  };
  write_doubles("w.npy", "(2,)", {1, 1});
  for (std::string const option : {"--weights", "--offset"}) {
    expect_refused(with(option), 3, "expected 3 entries, one for each row of a.npy, found 2");
  }
  write_doubles("w.npy", "(3,)", {1, -2, 1});
  expect_refused(with("--weights"), 3,
                 "w.npy: expected finite weights of at least 0, found -2 at entry 1");
  write_doubles("w.npy", "(3,)", {0, 0, 0});
  expect_refused(with("--weights"), 3, "expected a weight above 0, found 0 in all entries");
  write_doubles("w.npy", "(3,)", {0, 1, std::nan("")});
  expect_refused(with("--weights"), 3,
                 "expected finite weights of at least 0, found nan at entry 2");
  expect_refused(with("--offset"), 3, "w.npy: expected finite offsets, found nan at entry 2");
}

TEST_F(FitTest, takes_labels_of_any_two_numbers) {
  write_doubles("a.npy", "(8, 1)", {0, 0, 0, 0, 1, 1, 1, 1});
  write_doubles("y.npy", "(8,)", {0, 1, 0, 0, 1, 1, 0, 1});
  auto const right = report({"fit", "logistic", "a.npy", "y.npy"});
  EXPECT_EQ(right["classes"], (std::vector<double>{0, 1}));
  write_doubles("y.npy", "(8,)", {-1, 2.5, -1, -1, 2.5, 2.5, -1, 2.5});
  auto const found = report({"fit", "logistic", "a.npy", "y.npy", "--check"});
  EXPECT_EQ(found["sha256"], right["sha256"]);
  EXPECT_EQ(found["intercept"], right["intercept"]);
  EXPECT_EQ(found["classes"], (std::vector<double>{-1, 2.5}));
  EXPECT_TRUE(found["check"]["passed"]);
  EXPECT_THAT(run({"fit", "logistic", "a.npy", "y.npy"}).out,
              HasSubstr("-1 (y = 0) and 2.5 (y = 1)"));
  write_doubles("y.npy", "(8,)", {5, 5, 5, 5, 5, 5, 5, 5});
  expect_refused({"fit", "logistic", "a.npy", "y.npy"}, 3,
                 "y.npy: expected labels of two numbers, found 5 in all entries");
}

TEST_F(FitTest, fits_several_classes_together) {
  write_doubles("a.npy", "(12, 1)", {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1});
  // Shares of 1, 2 and 3 of six; then 3, 2 and 1.
  write_doubles("y.npy", "(12,)", {-3, 4, 4, 7, 7, 7, -3, -3, -3, 4, 4, 7});
  auto const json = report({"fit", "logistic", "a.npy", "y.npy", "--output", "x.npy", "--check"});
  EXPECT_EQ(json["loss_function"], "multinomial");
  EXPECT_EQ(json["classes"], (std::vector<double>{-3, 4, 7}));
  EXPECT_EQ(json["class_rows"], (std::vector<int>{4, 4, 4}));
  EXPECT_TRUE(json["intercept"].is_null());
  EXPECT_TRUE(json["check"]["passed"]);
  double const mean = std::log(6.0) / 3;
  auto const intercepts = json["intercepts"].get<std::vector<double>>();
  ASSERT_EQ(intercepts.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(intercepts[k], std::log(static_cast<double>(k + 1)) - mean, 1e-8);
  }
  EXPECT_THAT(read("x.npy"), HasSubstr("'shape': (3, 1)"));
  auto const x = last_elements<double>("x.npy", 3);
  EXPECT_NEAR(x[0], std::log(3.0), 1e-8);
  EXPECT_NEAR(x[1], 0, 1e-8);
  EXPECT_NEAR(x[2], -std::log(3.0), 1e-8);
  EXPECT_NEAR(json["statistics"]["deviance"].get<double>(),
              -4 * (std::log(1.0 / 6) + 2 * std::log(1.0 / 3) + 3 * std::log(0.5)), 1e-8);

  write_doubles("w.npy", "(12,)", {2, 1, 1, 1, 1, 0, 1, 1, 0, 1, 1, 2});
  auto const weighted = report(
      {"fit", "logistic", "a.npy", "y.npy", "--weights", "w.npy", "--output", "x.npy", "--check"});
  EXPECT_TRUE(weighted["check"]["passed"]);
  for (double const entry : last_elements<double>("x.npy", 3)) EXPECT_NEAR(entry, 0, 1e-8);

  auto const text = run({"fit", "logistic", "a.npy", "y.npy", "--penalty", "1", "--check"}).out;
  EXPECT_THAT(text, AllOf(HasSubstr("min sum log(sum_k e^eta_k) - eta_y + penalty |x|^2/2   a.npy"),
                          HasSubstr("-3 (4 rows), 4 (4 rows), 7 (4 rows)"),
                          HasSubstr("eta_k        A x_k + intercept_k, for each class k"),
                          HasSubstr("\n  class"), HasSubstr("passed: scaled gradient ")));
}

TEST_F(FitTest, refuses_what_several_classes_do_not_take) {
  write_doubles("a.npy", "(6, 1)", {0, 1, 2, 3, 4, 5});
  write_doubles("y.npy", "(6,)", {0, 1, 2, 0, 1, 2});
  for (std::string const solver : {"newton-cg", "lbfgs"}) {
    expect_refused({"fit", "logistic", "a.npy", "y.npy", "--solver", solver}, 2,
                   "--solver: expected auto or newton for labels of 3 classes, found " + solver);
  }
  expect_refused({"fit", "logistic", "a.npy", "y.npy", "--offset", "y.npy"}, 2,
                 "--offset: expected none for labels of 3 classes");
  write_doubles("w.npy", "(6,)", {1, 1, 0, 1, 1, 0});
  expect_refused({"fit", "logistic", "a.npy", "y.npy", "--weights", "w.npy"}, 3,
                 "w.npy: expected a weight above 0 in every class, found none in class 2");
  make("6", "300");
  write_doubles("y.npy", "(6,)", {0, 1, 2, 4, 1, 2});
  expect_refused({"fit", "logistic", "a.npy", "y.npy"}, 3,
                 "y.npy: expected at most 3 classes for 300 columns, found a further one, 4, at "
                 "entry 3; fit each class against the others instead");
}

TEST_F(FitTest, has_the_same_bits_of_several_classes_in_memory_streamed_and_resumed) {
  std::vector<std::uint8_t> labels(30000);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = i * i % 7 % 4;
  write("labels.npy", npy("|u1", "(30000,)", bytes_of(labels)));
  std::vector<std::string> const command{"fit",        "logistic",  "a.npy",
                                         "labels.npy", "--penalty", "10"};
  for (std::string const order : {"row-major", "column-major"}) {
    make("30000", "16", order);
    expect_same_streamed(command, "2MiB", {"sha256", "intercepts", "loss", "reads", "statistics"});
  }
  make("30000", "16", "row-major", "f64");
  expect_same_resumed(command, 2, "3MiB", {"sha256", "intercepts", "iterations", "statistics"});
}

TEST_F(FitTest, has_the_bits_of_the_run_in_memory_where_it_streams) {
  make_labels(3000);
  for (std::string const order : {"row-major", "column-major"}) {
    make("3000", "700", order);
    for (std::string const solver : {"newton-cg", "lbfgs"}) {
      expect_same_streamed(
          {"fit", "logistic", "a.npy", "labels.npy", "--penalty", "10", "--solver", solver}, "7MiB",
          {"sha256", "intercept", "loss", "reads"});
    }
    make("20000", "40", order);
    make_labels(20000);
    expect_same_streamed({"fit", "logistic", "a.npy", "labels.npy", "--penalty", "10"}, "3MiB",
                         {"sha256", "intercept", "loss", "reads", "statistics"});
    make_labels(3000);
  }
}

TEST_F(FitTest, goes_on_from_a_checkpoint_with_the_same_bits) {
  make("2000", "500", "row-major", "f64");
  make_labels(2000);
  expect_same_resumed({"fit", "logistic", "a.npy", "labels.npy", "--penalty", "1", "--solver",
                       "newton-cg", "--history", "h.csv"},
                      2, "7MiB", {"sha256", "intercept", "iterations"});
  expect_same_resumed({"fit", "logistic", "a.npy", "labels.npy", "--penalty", "1", "--solver",
                       "lbfgs", "--history", "h.csv"},
                      4, "7MiB", {"sha256", "intercept", "iterations"});
  make("20000", "40", "row-major", "f64");
  make_labels(20000);
  expect_same_resumed({"fit", "logistic", "a.npy", "labels.npy", "--penalty", "1"}, 2, "5MiB",
                      {"sha256", "intercept", "iterations", "statistics"});
}

TEST_F(FitTest, refuses_a_checkpoint_of_another_run) {
  make("200", "50");
  make_labels(200);
  auto const kept = [](std::vector<std::string> command) {
    command.insert(command.end(),
                   {"--checkpoint", "c", "--checkpoint-every", "0", "--maxiter", "1"});
    return command;
  };
  ASSERT_EQ(run(kept({"fit", "logistic", "a.npy", "labels.npy"})).status, 1);
  ASSERT_TRUE(exists("c"));
  expect_refused(kept({"fit", "poisson", "a.npy", "labels.npy"}), 3,
                 "found one of logistic_regression");
  expect_refused(kept({"fit", "logistic", "a.npy", "labels.npy", "--solver", "lbfgs"}), 3,
                 "found one of logistic_regression");
  expect_refused(kept({"fit", "logistic", "a.npy", "labels.npy", "--penalty", "1"}), 3,
                 "found one of a run with penalty 0;");
  expect_refused(kept({"fit", "logistic", "a.npy", "labels.npy", "--no-intercept"}), 3,
                 "expected a checkpoint of this run, found one of logistic_regression");
  write_doubles("w.npy", "(200,)", std::vector<double>(200, 2.0));
  for (std::string const option : {"--weights", "--offset"}) {
    expect_refused(kept({"fit", "logistic", "a.npy", "labels.npy", option, "w.npy"}), 3,
                   "found one of a run with penalty 0;");
  }
}

TEST_F(FitTest, says_why_there_is_no_fit) {
  write_doubles("a.npy", "(3, 1)", {1, std::nan(""), 3});
  write_doubles("y.npy", "(3,)", {1, 0, 1});
  auto const done = run({"fit", "logistic", "a.npy", "y.npy", "--output", "x.npy"});
  EXPECT_EQ(done.status, 1);
  EXPECT_THAT(done.err,
              HasSubstr("A has an infinity or a NaN at row 1, column 0; no x is written"));
  EXPECT_FALSE(exists("x.npy"));

  make("300", "10");
  make_labels(300);
  auto const few = run({"fit", "logistic", "a.npy", "labels.npy", "--maxiter", "0", "--check"});
  EXPECT_EQ(few.status, 1);
  EXPECT_THAT(few.err, HasSubstr("did not converge: the limit of iterations was reached"));
  EXPECT_THAT(few.out, HasSubstr("FAILED: scaled gradient "));
}

TEST_F(FitTest, finds_the_same_whatever_the_scales_of_columns) {
  std::vector<double> plain;
  std::vector<double> scaled;
  std::vector<double> labels;
  for (int i = 0; i < 200; ++i) {
    double const a = std::sin(i);
    double const b = std::cos(3.0 * i);
    labels.push_back(a + b + 0.8 * std::sin(7.0 * i) > 0 ? 1 : 0);
    plain.insert(plain.end(), {a, b});
    scaled.insert(scaled.end(), {std::ldexp(a, -13), std::ldexp(b, 13)});
  }
  write_doubles("y.npy", "(200,)", labels);
  std::vector<std::vector<double>> found;
  for (auto const& matrix : {plain, scaled}) {
    write_doubles("a.npy", "(200, 2)", matrix);
    auto const json = report({"fit", "logistic", "a.npy", "y.npy", "--output", "x.npy", "--check"});
    EXPECT_TRUE(json["check"]["passed"]);
    EXPECT_LE(json["reads"].get<int>(), 12);
    EXPECT_EQ(json["statistics"]["standard_errors"].size(), 3U);
    found.push_back(last_elements<double>("x.npy", 2));
  }
  EXPECT_NEAR(std::ldexp(found[1][0], -13), found[0][0], 1e-9);
  EXPECT_NEAR(std::ldexp(found[1][1], 13), found[0][1], 1e-9);
}

TEST_F(FitTest, tells_of_classes_that_can_be_separated) {
  write_doubles("a.npy", "(4, 1)", {-2, -1, 1, 2});
  write_doubles("y.npy", "(4,)", {0, 0, 1, 1});
  auto const done = run({"fit", "logistic", "a.npy", "y.npy"});
  EXPECT_EQ(done.status, 1);
  EXPECT_THAT(done.err, HasSubstr("the problem as posed has no solution: perfect separation of the "
                                  "classes on columns 0: the coefficients grow without bound"));
  write_doubles("y.npy", "(4,)", {1, 1, 1, 1});
  EXPECT_THAT(run({"fit", "logistic", "a.npy", "y.npy"}).err,
              HasSubstr("y has one class, 1, and two are needed"));
}

/// A step that no row opposes may precede separation of all rows.
TEST_F(FitTest, tells_complete_separation_from_a_quasi_complete_one) {
  std::filesystem::copy_file(std::filesystem::path(TESSERA_SOURCE_DIR) / "tests/data/diabetes.npy",
                             path("a.npy"));
  auto const elements = last_elements<double>("a.npy", 442 * 10);
  std::vector<double> labels(442);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = elements[10 * i] > 0 ? 1 : 0;
  write_doubles("y.npy", "(442,)", labels);
  auto const done = run({"fit", "logistic", "a.npy", "y.npy"});
  EXPECT_EQ(done.status, 1);
  EXPECT_THAT(done.err, HasSubstr("has no solution: perfect separation of the classes on columns"));
  EXPECT_THAT(run({"fit", "logistic", "a.npy", "y.npy", "--maxiter", "3"}).err,
              HasSubstr("perfect or quasi-complete separation of the classes"));
  write_doubles("a.npy", "(6, 1)", {0, 0, 0, 0, 1, 2});
  write_doubles("y.npy", "(6,)", {0, 1, 1, 0, 1, 1});
  EXPECT_THAT(run({"fit", "logistic", "a.npy", "y.npy"}).err,
              HasSubstr("has no solution: quasi-complete separation of the classes on columns 0"));
}

TEST_F(FitTest, aligns_the_table_of_coefficients) {
  make("300", "3");
  make_labels(300);
  std::string const out = run({"fit", "logistic", "a.npy", "labels.npy"}).out;
  std::size_t const begin = out.find("  column ");
  ASSERT_NE(begin, std::string::npos) << out;
  std::istringstream lines(out.substr(begin));
  std::size_t width = 0;
  for (int i = 0; i < 5; ++i) {
    std::string line;
    std::getline(lines, line);
    if (i == 0) width = line.size();
    EXPECT_EQ(line.size(), width) << out;
  }
}

TEST_F(FitTest, refuses_what_makes_no_sense) {
  make("4", "2", "row-major", "f64");
  write_doubles("y.npy", "(4,)", {0, 1, 0.5, -1});
  expect_refused({"fit", "a.npy", "a.npy", "y.npy"}, 2,
                 "'a.npy' is not one of linear|logistic|poisson|gamma|tweedie");
  expect_refused({"fit", "logistic", "a.npy"}, 2, "LABELS is required");
  expect_refused({"fit", "logistic", "a.npy", "y.npy"}, 3,
                 "y.npy: expected labels of two numbers, or more classes of whole numbers, found "
                 "0.5 at entry 2");
  expect_refused({"fit", "poisson", "a.npy", "y.npy"}, 3,
                 "y.npy: expected counts of at least 0, found -1 at entry 3");
  expect_refused({"fit", "linear", "a.npy", "y.npy", "--penalty", "-1"}, 2,
                 "--penalty: expected a number of at least 0");
  write_doubles("short.npy", "(3,)", {0, 1, 1});
  expect_refused({"fit", "linear", "a.npy", "short.npy"}, 3,
                 "expected 4 entries, one for each row of a.npy, found 3");
  expect_refused({"fit", "linear", "a.npy", "y.npy", "--output", "y.npy"}, 2, "y.npy");
}

}  // namespace
}  // namespace tessera::test
