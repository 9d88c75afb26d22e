// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "support/solve.hpp"

/// Statistics of columns: known values, and equal bits in memory, streamed and with any threads.
namespace tessera::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

class StatsTest : public SolveTest {
 protected:
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  Words const keys{"mean", "variance", "deviations", "min", "max", "count", "missing", "nonfinite"};
};

TEST_F(StatsTest, have_known_values) {
  write_doubles("a.npy", "(4, 3)",
                {1e9 + 1, 0.1, 3, 1e9 + 2, 0.1, nan, 1e9 + 3, 0.1, 5, 1e9 + 4, 0.1, 4});
  auto const found = report({"stats", "a.npy", "--missing", "nan", "--mean", "mean.npy",
                             "--variance", "v.npy", "--deviations", "d.bin", "--min", "min.npy",
                             "--max", "max.npy", "--count", "count.npy"});
  EXPECT_EQ(found["operation"], "stats");
  EXPECT_EQ(found["reads"], 1);
  EXPECT_EQ(found["ddof"], 0);
  EXPECT_EQ(found["missing_code"], "nan");
  EXPECT_EQ(found["missing"], (std::vector<int>{0, 0, 1}));
  EXPECT_EQ(found["count"], (std::vector<int>{4, 4, 3}));
  EXPECT_EQ(found["nonfinite"], (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(found["outputs"]["deviations"], "d.bin");
  EXPECT_EQ(last_elements<double>("mean.npy", 3), (std::vector<double>{1e9 + 2.5, 0.1, 4}));
  auto const variance = last_elements<double>("v.npy", 3);
  EXPECT_EQ(variance[0], 1.25);
  EXPECT_EQ(variance[1], 0);
  EXPECT_NEAR(variance[2], 2 / 3.0, 1e-15);
  EXPECT_EQ(last_elements<double>("d.bin", 3)[0], std::sqrt(1.25));
  EXPECT_EQ(last_elements<double>("min.npy", 3), (std::vector<double>{1e9 + 1, 0.1, 3}));
  EXPECT_EQ(last_elements<double>("max.npy", 3), (std::vector<double>{1e9 + 4, 0.1, 5}));
  EXPECT_EQ(last_elements<double>("count.npy", 3), (std::vector<double>{4, 4, 3}));

  auto const sample = report({"stats", "a.npy", "--ddof", "1"});
  EXPECT_EQ(sample["variance"][0], 5 / 3.0);
  EXPECT_EQ(sample["variance"][2], "nan");
  EXPECT_EQ(sample["nonfinite"], (std::vector<int>{0, 0, 1}));
  EXPECT_TRUE(sample["missing_code"].is_null());

  auto const text = run({"stats", "a.npy", "--missing", "5", "--ddof", "1"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("column statistics   a.npy"),
                              HasSubstr("divided by the number of entries minus 1"),
                              HasSubstr("  missing      5, left out\n"), HasSubstr("1e+09"),
                              HasSubstr("not finite")));
}

TEST_F(StatsTest, are_the_same_streamed_and_with_any_threads) {
  bool const has_threads = run({"info"}).out.find("openmp") != std::string::npos;
  for (std::string const order : {"row-major", "column-major"}) {
    for (std::string const type : {"f32", "f64"}) {
      make("9000", "70", order, type);
      expect_same_streamed({"stats", "a.npy"}, "1500KiB", keys);
      auto const one = report({"stats", "a.npy", "--threads", "1"});
      auto const three = report({"stats", "a.npy", "--threads", has_threads ? "3" : "1"});
      for (auto const& key : keys) EXPECT_EQ(one[key], three[key]) << key;
    }
  }
}

TEST_F(StatsTest, hold_narrow_matrices_as_stored) {
  std::string bytes;
  std::vector<float> wide;
  for (unsigned k = 0; k < 9000 * 14; ++k) {
    unsigned const number = (k * k + k / 31) % 256;
    bytes += static_cast<char>(number);
    wide.push_back(static_cast<float>(number));
  }
  write("a.npy", npy("|u1", "(9000, 14)", bytes));
  write("wide.npy", npy("<f4", "(9000, 14)", bytes_of(wide)));
  auto const stored = report({"stats", "a.npy", "--missing", "255"});
  auto const widened = report({"stats", "wide.npy", "--missing", "255"});
  EXPECT_EQ(stored["held_type"], "uint8");
  for (auto const& key : keys) EXPECT_EQ(stored[key], widened[key]) << key;
  EXPECT_THAT(stored["missing"].get<std::vector<int>>(), ::testing::Each(::testing::Gt(0)));
  expect_same_streamed({"stats", "a.npy", "--missing", "255"}, "200KiB", keys);
}

TEST_F(StatsTest, leave_out_missing_genotypes) {
  // Codes from the lowest bits on: 2, 1, missing, 0; the second column has missing ones only.
  constexpr std::size_t samples = 40000;
  write("a.bed", "\x6c\x1b\x01" + std::string(samples / 4, static_cast<char>(0b11'01'10'00)) +
                     std::string(samples / 4, static_cast<char>(0b01'01'01'01)));
  std::string lines;
  for (std::size_t i = 0; i < samples; ++i) lines += "0 a 0 0 0 0\n";
  write("a.fam", lines);
  write("a.bim", "1 v 0 1 A G\n1 w 0 2 A G\n");
  expect_same_streamed({"stats", "a.bed"}, "700KiB", keys);
  auto const found = report({"stats", "a.bed"});
  EXPECT_EQ(found["missing"], (std::vector<int>{10000, 40000}));
  EXPECT_EQ(found["mean"][0], 1);
  EXPECT_NEAR(found["variance"][0].get<double>(), 2 / 3.0, 1e-14);
  EXPECT_EQ(found["mean"][1], "nan");
  EXPECT_EQ(found["min"][0], 0);
  EXPECT_EQ(found["max"][0], 2);
  EXPECT_EQ(found["missing_code"], "nan");
}

TEST_F(StatsTest, refuse_what_they_cannot_take) {
  write_doubles("a.npy", "(2, 1)", {1, 2});
  expect_refused({"stats", "a.npy", "--missing", "none"}, 2,
                 "--missing: expected nan or a number such as 255, found 'none'");
  expect_refused({"stats", "a.npy", "--mean", "a.npy"}, 2, "a.npy");
  expect_refused({"stats", "b.npy"}, 3, "b.npy");
  EXPECT_EQ(report({"stats", "a.npy", "--missing", "-1"})["missing_code"], "-1");
}

}  // namespace
}  // namespace tessera::test
