// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "support/solve.hpp"

/// Solvers read missing entries as the mean of their column.
namespace tessera::test {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<std::string>;

class MissingTest : public SolveTest {
 protected:
  static constexpr std::size_t rows = 9000;
  static constexpr std::size_t cols = 12;

  /// coded.npy has `code` where whole.npy has the mean of the other entries of the column, rounded.
  template <class T>
  void make_both(std::string const& descr, double code, bool by_rows) const {
    std::vector<double> entries;
    std::vector<bool> missing;
    for (std::size_t k = 0; k < rows * cols; ++k) {
      std::size_t const j = by_rows ? k % cols : k / rows;
      entries.push_back(static_cast<double>((k * 7919 + k / 31) % 101 + (k % 17 == j ? 90 : 0)));
      missing.push_back(j == 3 || (k * 31) % 23 == j);  // column 3 has no entries
    }
    std::vector<double> sums(cols);
    std::vector<double> counts(cols);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      std::size_t const j = by_rows ? k % cols : k / rows;
      if (missing[k]) continue;
      sums[j] += entries[k];
      ++counts[j];
    }
    std::vector<T> coded;
    std::vector<float> whole;
    for (std::size_t k = 0; k < entries.size(); ++k) {
      std::size_t const j = by_rows ? k % cols : k / rows;
      double const mean = counts[j] > 0 ? sums[j] / counts[j] : 0;
      coded.push_back(static_cast<T>(missing[k] ? code : entries[k]));
      whole.push_back(static_cast<float>(missing[k] ? mean : entries[k]));
    }
    write("coded.npy", npy(descr, "(9000, 12)", bytes_of(coded), !by_rows));
    write("whole.npy", npy("<f4", "(9000, 12)", bytes_of(whole), !by_rows));
    ASSERT_EQ(run({"gen", "--rows", "9000", "--cols", "1", "--distribution", "normal", "--seed",
                   "7", "--output", "b.npy"})
                  .status,
              0);
  }
  void expect_same(Words words, std::string const& code, Words const& more = {}) const {
    auto const at = std::ranges::find(words, "A");
    *at = "whole.npy";
    auto const place = at - words.begin();
    words.insert(words.end(), {"--format", "json"});
    words.insert(words.end(), more.begin(), more.end());
    auto const expected = run(words);
    ASSERT_EQ(expected.status, 0) << expected.err;
    std::string const digest = sha256_of("out.npy");
    words[static_cast<std::size_t>(place)] = "coded.npy";
    words.insert(words.end(), {"--missing", code});
    auto const found = run(words);
    ASSERT_EQ(found.status, 0) << found.err;
    EXPECT_EQ(sha256_of("out.npy"), digest) << ::testing::PrintToString(words);
    auto const json = nlohmann::json::parse(found.out);
    EXPECT_EQ(json["missing_code"], code);
    EXPECT_EQ(json["stream"].is_null(), more.empty());
    if (more.empty()) {
      EXPECT_EQ(json["held_type"], "f32");
    }
  }
  void expect_same_by_all(std::string const& code) const {
    for (Words const& more : {Words{}, {"--memory-limit", "480KiB"}}) {
      expect_same({"pca", "A", "-k", "2", "--scale", "--components", "out.npy"}, code, more);
      expect_same({"pca", "A", "-k", "2", "--method", "lanczos", "--mean", "out.npy"}, code, more);
      expect_same({"svd", "A", "-k", "2", "--vt", "out.npy"}, code, more);
      expect_same({"ridge", "A", "b.npy", "--lambda", "3", "--output", "out.npy"}, code, more);
      expect_same({"fit", "linear", "A", "b.npy", "--penalty", "3", "--output", "out.npy"}, code,
                  more);
    }
  }
};

TEST_F(MissingTest, codes_of_integers_are_means) {
  make_both<unsigned char>("|u1", 255, true);
  expect_same_by_all("255");
  make_both<short>("<i2", -32768, false);
  expect_same_by_all("-32768");
}

TEST_F(MissingTest, a_code_is_rounded_to_the_type_of_the_matrix) {
  make_both<float>("<f4", -99.9, true);
  expect_same_by_all("-99.9");
}

TEST_F(MissingTest, nan_is_the_mean) {
  for (bool const by_rows : {true, false}) {
    make_both<float>("<f4", std::numeric_limits<double>::quiet_NaN(), by_rows);
    expect_same_by_all("nan");
  }
}

TEST_F(MissingTest, the_result_is_checked) {
  make_both<unsigned char>("|u1", 255, true);
  auto const found = report({"pca", "coded.npy", "-k", "2", "--missing", "255", "--check"});
  EXPECT_TRUE(found["check"]["passed"]);
  EXPECT_THAT(run({"pca", "coded.npy", "-k", "2", "--missing", "255"}).out,
              HasSubstr("  missing      255, read as the mean of its column\n"));
}

TEST_F(MissingTest, a_checkpoint_belongs_to_a_code) {
  make_both<unsigned char>("|u1", 255, true);
  Words const words{
      "pca", "coded.npy",          "-k", "2",         "--method", "lanczos", "--checkpoint",
      "c",   "--checkpoint-every", "0",  "--maxiter", "1"};
  auto with = [&](std::string const& code) {
    Words all = words;
    all.insert(all.end(), {"--missing", code});
    return all;
  };
  ASSERT_EQ(run(with("255")).status, 1);
  ASSERT_TRUE(exists("c"));
  auto const other = run(with("254"));
  EXPECT_EQ(other.status, 3);
  EXPECT_THAT(other.err, HasSubstr("missing 255"));
}

}  // namespace
}  // namespace tessera::test
