// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "support/solve.hpp"

/// Known values, and equal bits in memory, streamed and resumed.
namespace tessera::test {
namespace {

class TripletsTest : public SolveTest {};

TEST_F(TripletsTest, finds_the_known_triplets) {
  // Eigenvectors (1, 1) and (1, -1), eigenvalues 3 and 1.
  write_doubles("a.npy", "(3, 2)", {1, 0, 0, 1, 1, 1});
  auto const done = run({"svd", "a.npy", "-k", "2", "--u", "u.npy", "--s", "s.npy", "--vt",
                         "vt.npy", "--history", "h.csv", "--check"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, AllOf(HasSubstr("singular values   a.npy"), HasSubstr("1.73205081"),
                              HasSubstr("passed: |A^T A v - s^2 v|/s_1^2 = "),
                              HasSubstr("|A v - s u|/s_1 = "), HasSubstr("U^T U - I = ")));
  EXPECT_THAT(read("h.csv"), StartsWith("iteration,reads,residual,tolerance\n1,"));
  auto const s = last_elements<double>("s.npy", 2);
  EXPECT_NEAR(s[0], std::sqrt(3.0), 1e-14);
  EXPECT_NEAR(s[1], 1, 1e-14);
  auto const VT = last_elements<double>("vt.npy", 4);
  EXPECT_NEAR(std::fabs(VT[0]), std::sqrt(0.5), 1e-14);
  EXPECT_NEAR(VT[0], VT[1], 1e-14);
  EXPECT_NEAR(VT[2], -VT[3], 1e-14);
  auto const U = last_elements<double>("u.npy", 6);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(U[j], VT[2 * j] / s[j], 1e-14);
    EXPECT_NEAR(U[2 + j], VT[2 * j + 1] / s[j], 1e-14);
    EXPECT_NEAR(U[4 + j], (VT[2 * j] + VT[2 * j + 1]) / s[j], 1e-14);
  }
}

TEST_F(TripletsTest, finds_the_known_components) {
  // (1, 0), (-1, 0), (0, 2), (0, -2), shifted by (10, 20).
  write_doubles("a.npy", "(4, 2)", {11, 20, 9, 20, 10, 22, 10, 18});
  auto const found = report({"pca", "a.npy", "-k", "2", "--components", "v.npy", "--scores",
                             "y.npy", "--variance", "variance.npy", "--ratio", "ratio.npy",
                             "--mean", "mean.npy", "--deviations", "d.npy", "--check"});
  EXPECT_EQ(found["operation"], "pca");
  EXPECT_TRUE(found["check"]["passed"]);
  EXPECT_EQ(found["outputs"]["scores"], "y.npy");
  EXPECT_NEAR(found["explained_variance_ratio"][0].get<double>(), 0.8, 1e-14);
  auto const variance = last_elements<double>("variance.npy", 2);
  EXPECT_NEAR(variance[0], 8.0 / 3, 1e-14);
  EXPECT_NEAR(variance[1], 2.0 / 3, 1e-14);
  EXPECT_NEAR(last_elements<double>("ratio.npy", 2)[1], 0.2, 1e-14);
  EXPECT_EQ(last_elements<double>("mean.npy", 2), (std::vector<double>{10, 20}));
  EXPECT_NEAR(last_elements<double>("d.npy", 2)[0], std::sqrt(2.0 / 3), 1e-14);
  auto const v = last_elements<double>("v.npy", 4);
  EXPECT_NEAR(std::fabs(v[1]), 1, 1e-14);
  EXPECT_NEAR(std::fabs(v[2]), 1, 1e-14);
  auto const scores = last_elements<double>("y.npy", 8);
  EXPECT_NEAR(scores[4], 2 * v[1], 1e-13);
  EXPECT_NEAR(scores[1], v[2], 1e-13);

  auto const scaled = report({"pca", "a.npy", "-k", "2", "--scale", "--check"});
  EXPECT_TRUE(scaled["check"]["passed"]);
  for (auto const& each : scaled["explained_variance"]) EXPECT_NEAR(each.get<double>(), 1, 1e-14);
}

std::size_t count_of(std::string const& part, std::string const& text) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_F(TripletsTest, draws_components_and_singular_values) {
  write_doubles("a.npy", "(4, 2)", {11, 20, 9, 20, 10, 22, 10, 18});
  std::vector<std::string> const pca{"pca", "a.npy", "-k", "2", "--components", "v.npy"};
  ASSERT_EQ(run(pca + std::vector<std::string>{"--plot", "p.svg"}).status, 0);
  std::string const picture = read("p.svg");
  EXPECT_THAT(picture, AllOf(StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\""),
                             HasSubstr("<title>pca by Gram matrices of a.npy</title>"),
                             HasSubstr(">explained variance<"), HasSubstr(">rows of A<"),
                             ::testing::EndsWith("</svg>\n")));
  // The sum's two points and four rows, the farthest at the sides.
  EXPECT_EQ(count_of("<circle ", picture), 6U);
  EXPECT_EQ(count_of("<circle cx=\"64.0\"", picture), 1U);
  EXPECT_EQ(count_of("<circle cx=\"404.0\"", picture), 1U);
  EXPECT_EQ(count_of("fill-opacity", picture), 2U);  // bars
  std::string const components = read("v.npy");
  ASSERT_EQ(run(pca).status, 0);
  EXPECT_EQ(read("v.npy"), components);

  ASSERT_EQ(run({"pca", "a.npy", "-k", "1", "--plot", "one.svg"}).status, 0);
  EXPECT_EQ(count_of("<g transform", read("one.svg")), 1U);
  ASSERT_EQ(run({"svd", "a.npy", "-k", "2", "--plot", "s.svg"}).status, 0);
  EXPECT_THAT(read("s.svg"), HasSubstr(">singular values<"));
  EXPECT_EQ(count_of("<polyline ", read("s.svg")), 1U);
  write_doubles("zero.npy", "(3, 2)", {0, 0, 0, 0, 0, 0});
  ASSERT_EQ(run({"svd", "zero.npy", "-k", "2", "--plot", "zero.svg"}).status, 0);
  EXPECT_EQ(count_of("<circle ", read("zero.svg")), 2U);
}

TEST_F(TripletsTest, draws_some_rows_of_many) {
  make("5000", "3");
  std::vector<std::string> const pca{"pca", "a.npy", "-k", "2", "--method", "direct"};
  ASSERT_EQ(run(pca + std::vector<std::string>{"--plot", "p.svg"}).status, 0);
  EXPECT_THAT(read("p.svg"), HasSubstr(">1667 of 5000 rows of A<"));
  auto const done = run(pca + std::vector<std::string>{"--plot", "-"});
  EXPECT_EQ(done.status, 0);
  EXPECT_EQ(done.out, read("p.svg"));
  EXPECT_THAT(done.err, HasSubstr("principal components"));
}

TEST_F(TripletsTest, refuses_a_picture_that_it_cannot_write) {
  make("50", "3");
  expect_refused({"svd", "a.npy", "-k", "2", "--plot", "s.png"}, 2,
                 "--plot: expected a name that ends with .svg, found s.png");
  expect_refused({"svd", "a.npy", "-k", "2", "--plot", "a.h5:/s"}, 2,
                 "--plot: expected the name of a file");
  expect_refused({"svd", "a.npy", "-k", "2", "--s", "s.svg", "--plot", "s.svg"}, 2,
                 "the output would replace the output s.svg");
  for (std::string const name : {"s.png", "s.svg", "a.h5"}) EXPECT_FALSE(exists(name)) << name;
}

TEST_F(TripletsTest, leaves_out_a_column_of_equal_entries) {
  // The mean of ten times 0.1 is not exactly 0.1.
  std::vector<double> elements;
  for (int i = 0; i < 10; ++i) elements.insert(elements.end(), {i % 3 + 1.0, 0.1, i % 4 - 2.0});
  write_doubles("a.npy", "(10, 3)", elements);
  auto const found = report({"pca", "a.npy", "-k", "2", "--scale", "--components", "v.npy",
                             "--deviations", "d.npy", "--check"});
  EXPECT_TRUE(found["check"]["passed"]);
  EXPECT_EQ(last_elements<double>("d.npy", 3)[1], 0);
  double ratios = 0;
  for (auto const& each : found["explained_variance_ratio"]) ratios += each.get<double>();
  EXPECT_NEAR(ratios, 1, 1e-14);
  auto const v = last_elements<double>("v.npy", 6);
  EXPECT_NEAR(v[1], 0, 1e-15);
  EXPECT_NEAR(v[4], 0, 1e-15);
}

TEST_F(TripletsTest, checks_numbers_of_any_size) {
  for (std::vector<std::string> const& command :
       {std::vector<std::string>{"svd", "--u", "u.npy"}, {"pca"}, {"pca", "--scale"}}) {
    std::vector<nlohmann::json> reports;
    for (int const power : {0, -900, 900}) {
      std::vector<double> a;
      for (int i = 0; i < 48; ++i) a.push_back(std::ldexp(std::cos(3 * i) + i % 5, power));
      write_doubles("a.npy", "(12, 4)", a);
      auto words = command;
      words.insert(words.end(), {"a.npy", "-k", "2", "--check"});
      reports.push_back(report(words));
      auto const& check = reports.back()["check"];
      EXPECT_TRUE(check["passed"].get<bool>()) << power;
      EXPECT_GT(check["right"].get<double>(), 0) << command.back() << ", 2^" << power;
      EXPECT_EQ(reports.back()["sha256"], reports.front()["sha256"]);
      if (command[0] == "svd") continue;
      EXPECT_EQ(reports.back()["explained_variance_ratio"],
                reports.front()["explained_variance_ratio"]);
    }
  }
}

TEST_F(TripletsTest, agrees_with_every_type_and_format) {
  for (std::string const order : {"row-major", "column-major"}) {
    for (std::string const type : {"f32", "f64"}) {
      make("300", "60", order, type);
      for (std::vector<std::string> command : {std::vector<std::string>{"svd", "--u", "u.npy"},
                                               {"pca", "--scores", "y.npy"},
                                               {"pca", "--scale"},
                                               {"svd", "--method", "randomized", "--u", "u.npy"},
                                               {"svd"}}) {
        command.insert(command.end(), {"a.npy", "-k", "4", "--check"});
        auto const found = report(command);
        EXPECT_TRUE(found["check"]["passed"]) << found["check"].dump();
        EXPECT_EQ(found["s"].size(), 4U);
      }
    }
  }
  ASSERT_EQ(run({"gen", "--rows", "300", "--cols", "60", "--output", "b.ex3"}).status, 0);
  ASSERT_EQ(run({"convert", "b.ex3", "b.npy"}).status, 0);
  EXPECT_EQ(report({"svd", "b.ex3", "-k", "3"})["sha256"],
            report({"svd", "b.npy", "-k", "3"})["sha256"]);
}

TEST_F(TripletsTest, agrees_with_hdf5) {
  make("300", "60", "row-major", "f64");
  auto const made = run({"convert", "a.npy", "a.h5:/A"});
  if (made.status == 3) GTEST_SKIP() << "NOT TESTED: this build is without HDF5";
  ASSERT_EQ(made.status, 0) << made.err;
  ASSERT_EQ(run({"convert", "b.npy", "a.h5:/b", "--add-dataset"}).status, 0);
  auto const expect_same = [&](std::vector<std::string> command, std::string const& option) {
    auto of_file = command;
    of_file.insert(of_file.end(), {option, "expected.npy"});
    for (auto& word : command) {
      if (word == "a.npy") word = "a.h5:/A";
      if (word == "b.npy") word = "a.h5:/b";
    }
    std::string const results = "results.h5:/" + command[0];
    command.insert(command.end(), {option, results, "--add-dataset", "--check"});
    EXPECT_EQ(report(command)["sha256"], report(of_file)["sha256"]) << command[0];
    ASSERT_EQ(run({"convert", results, "found.npy"}).status, 0);
    EXPECT_EQ(last_elements<double>("found.npy", 60), last_elements<double>("expected.npy", 60));
  };
  expect_same({"svd", "a.npy", "-k", "1", "--tol", "1e-3"}, "--vt");
  expect_same({"pca", "a.npy", "-k", "1", "--tol", "1e-3"}, "--components");
  expect_same({"lstsq", "a.npy", "b.npy"}, "--output");
  expect_same({"ridge", "a.npy", "b.npy", "--lambda", "1"}, "--output");
  expect_same({"fit", "linear", "a.npy", "b.npy"}, "--output");
}

TEST_F(TripletsTest, reads_the_matrix_for_u_as_rarely_as_it_can) {
  make("2000", "60", "row-major", "f64");
  auto const reads_of_u = [&](std::vector<std::string> command) {
    command.insert(command.end(), {"-k", "10", "--tol", "1e-2", "--kernels", "portable"});
    auto const without = report(command)["reads"].get<int>();
    bool const is_pca = command[0] == "pca";
    command.insert(command.end(), {is_pca ? "--scores" : "--u", "u.npy"});
    return report(command)["reads"].get<int>() - without;
  };
  for (std::string const command : {"svd", "pca"}) {
    EXPECT_EQ(reads_of_u({command, "a.npy"}), 1);
    EXPECT_EQ(reads_of_u({command, "a.npy", "--memory-limit", "1MiB"}), 1);
    EXPECT_EQ(reads_of_u({command, "a.npy", "--method", "lanczos"}), 0);
  }
}

TEST_F(TripletsTest, has_the_bits_of_the_run_in_memory_where_it_streams) {
  for (std::string const order : {"row-major", "column-major"}) {
    make("3000", "700", order);
    expect_same_streamed({"svd", "a.npy", "-k", "2", "--tol", "1e-2", "--u", "u.npy"}, "7MiB",
                         {"sha256", "u_sha256", "s", "reads"});
    expect_same_streamed({"svd", "a.npy", "-k", "2", "--method", "randomized", "--u", "u.npy"},
                         "7MiB", {"sha256", "u_sha256", "s", "reads"});
    expect_same_streamed({"pca", "a.npy", "-k", "2", "--tol", "1e-2", "--scale"}, "7MiB",
                         {"sha256", "explained_variance_ratio"});
    expect_same_streamed({"pca", "a.npy", "-k", "2", "--tol", "1e-2"}, "7MiB",
                         {"sha256", "explained_variance_ratio"});
  }
}

TEST_F(TripletsTest, holds_no_more_memory_than_its_limit_and_64_MiB) {
  make("16000", "4000");  // 244 MiB
  expect_peak_below({"pca", "a.npy", "-k", "1", "--memory-limit", "48MiB", "--tol", "0.2"}, 48);
}

TEST_F(TripletsTest, goes_on_from_a_checkpoint_with_the_same_bits) {
  make("2000", "500", "row-major", "f64");
  expect_same_resumed(
      {"svd", "a.npy", "-k", "2", "--tol", "1e-5", "--method", "lanczos", "--history", "h.csv"}, 6,
      "7MiB", {"sha256", "s", "iterations"});
  expect_same_after_kill({"svd", "a.npy", "-k", "2", "--method", "randomized", "--power-iterations",
                          "20", "--oversampling", "3", "--seed", "5"},
                         "7MiB", {"sha256", "s", "iterations"});
  expect_same_resumed(
      {"pca", "a.npy", "-k", "2", "--tol", "1e-5", "--method", "lanczos", "--scores", "y.npy"}, 6,
      "7MiB", {"sha256", "u_sha256", "s", "iterations"});
}

TEST_F(TripletsTest, finds_repeated_values_and_checks_that_none_is_missed) {
  std::vector<double> a;
  for (int i = 0; i < 40; ++i) {
    for (int j = 0; j < 40; ++j) a.push_back(i != j ? 0 : i < 7 ? 10 : 9 - 0.2 * i);
  }
  write_doubles("a.npy", "(40, 40)", a);
  for (std::string const method : {"direct", "lanczos"}) {
    auto const found = report({"svd", "a.npy", "-k", "6", "--method", method, "--check"});
    for (auto const& s : found["s"]) EXPECT_NEAR(s.get<double>(), 10, 1e-12);
    EXPECT_TRUE(found["check"]["passed"].get<bool>()) << found["check"].dump();
    EXPECT_EQ(found["check"]["missed"], 0);
  }
}

TEST_F(TripletsTest, keeps_a_column_that_varies_little) {
  std::vector<double> a;
  for (int i = 0; i < 1000; ++i) {
    a.push_back(1000 + 0.001 * std::round(std::sin(i * i) * 10));
    a.push_back(std::cos(i));
  }
  write_doubles("a.npy", "(1000, 2)", a);
  auto const found = report(
      {"pca", "a.npy", "-k", "2", "--scale", "--type", "f32", "--deviations", "d.npy", "--check"});
  EXPECT_TRUE(found["check"]["passed"].get<bool>()) << found["check"].dump();
  EXPECT_GT(last_elements<float>("d.npy", 2)[0], 0);
  EXPECT_NEAR(found["explained_variance_ratio"][0].get<double>(), 0.5, 0.1);
}

TEST_F(TripletsTest, refuses_a_checkpoint_of_another_run) {
  make("200", "50");
  auto const kept = [](std::vector<std::string> command) {
    command.insert(command.end(),
                   {"--checkpoint", "c", "--checkpoint-every", "0", "--maxiter", "4"});
    return command;
  };
  ASSERT_EQ(run(kept({"svd", "a.npy", "-k", "3"})).status, 1);
  ASSERT_TRUE(exists("c"));
  expect_refused(kept({"svd", "a.npy", "-k", "2"}), 3, "found one of a run with k 3, ncv 20;");
  expect_refused(kept({"pca", "a.npy", "-k", "3"}), 3, "found one of svd");
}

TEST_F(TripletsTest, says_why_there_are_none) {
  write_doubles("a.npy", "(3, 2)", {1, 0, 0, 1, std::nan(""), 1});
  for (std::string const command : {"svd", "pca"}) {
    auto const done = run({command, "a.npy", "-k", "1", command == "svd" ? "--vt" : "--components",
                           "v.npy", "--check"});
    EXPECT_EQ(done.status, 1);
    EXPECT_THAT(done.err,
                HasSubstr(command + " by Gram matrices did not converge: a number overflowed or "
                                    "underflowed, or the input has an infinity or a NaN; no result "
                                    "is written"));
    EXPECT_FALSE(exists("v.npy"));
  }
  make("300", "100");
  auto const few = run({"svd", "a.npy", "-k", "2", "--maxiter", "5", "--vt", "v.npy"});
  EXPECT_EQ(few.status, 1);
  EXPECT_THAT(few.err, HasSubstr("svd did not converge: the limit of iterations was reached"));
  EXPECT_TRUE(exists("v.npy"));
}

TEST_F(TripletsTest, refuses_what_makes_no_sense) {
  make("30", "10");
  expect_refused({"svd", "a.npy"}, 2, "--count is required");
  expect_refused({"svd", "a.npy", "-k", "0"}, 2, "expected a whole number from 1 to");
  expect_refused({"svd", "a.npy", "-k", "11"}, 2,
                 "-k: expected at most 10, the smaller size of a.npy, found 11");
  expect_refused({"svd", "a.npy", "-k", "3", "--seed", "3"}, 2,
                 "--seed: expected --method randomized");
  expect_refused({"svd", "a.npy", "-k", "3", "--method", "randomized", "--ncv", "8"}, 2,
                 "--ncv: --method randomized does not use it");
  expect_refused({"svd", "a.npy", "-k", "3", "--ncv", "3"}, 2,
                 "--ncv: expected more than -k, which is 3, found 3");
  expect_refused({"svd", "a.npy", "-k", "3", "--maxiter", "0"}, 2, "--maxiter");
  expect_refused({"svd", "a.npy", "-k", "3", "--u", "x.npy", "--vt", "x.npy"}, 2, "x.npy");
  expect_refused({"svd", "a.npy", "-k", "3", "--s", "a.npy"}, 2, "a.npy");
  expect_refused({"pca", "a.npy", "-k", "3", "--checkpoint", "-"}, 2,
                 "--checkpoint: expected the name of a regular file, found -");
  write_doubles("row.npy", "(1, 3)", {1, 2, 3});
  expect_refused({"pca", "row.npy", "-k", "1"}, 3, "has one row: pca expected two or more");
}

}  // namespace
}  // namespace tessera::test
