// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "support/solve.hpp"

/// Solvers hold matrices of 8- and 16-bit elements in memory as stored, with the bits of the
/// matrix of floats.
namespace tessera::test {
namespace {

struct Type {
  char const* name;
  char const* descr;
};

class StoredMatrixTest : public SolveTest, public ::testing::WithParamInterface<Type> {
 protected:
  /// a.npy of the type, wide.npy of floats, b.npy.
  void make_both(std::string const& order) const {
    constexpr int rows = 900;
    constexpr int cols = 14;
    std::string stored;
    std::vector<float> wide;
    bool const by_rows = order == "row-major";
    for (int k = 0; k < rows * cols; ++k) {
      int const j = by_rows ? k % cols : k / rows;
      int const number = (k * 7919 + k / 31) % 101 + (k % 17 == j ? 20 : 0);
      wide.push_back(static_cast<float>(number));
      stored += element(number);
    }
    std::string const shape = "(900, 14)";
    write("a.npy", npy(GetParam().descr, shape, stored, !by_rows));
    write("wide.npy", npy("<f4", shape, bytes_of(wide), !by_rows));
    ASSERT_EQ(run({"gen", "--rows", "900", "--cols", "1", "--distribution", "uniform", "--seed",
                   "7", "--type", "f32", "--output", "b.npy"})
                  .status,
              0);
  }

  void expect_same(Words words, Words const& outputs, Words const& more = {}) const {
    auto const with = [&](std::string const& matrix) {
      Words all = words;
      std::ranges::replace(all, std::string("A"), matrix);
      all.insert(all.end(), more.begin(), more.end());
      return all;
    };
    auto const wide = report(with("wide.npy"));
    Words digests;
    for (std::string const& name : outputs) digests.push_back(sha256_of(name));
    auto const stored = report(with("a.npy"));
    std::string const what = words[0] + " " + ::testing::PrintToString(more);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      EXPECT_EQ(sha256_of(outputs[i]), digests[i]) << what << ": " << outputs[i];
    }
    EXPECT_EQ(stored["iterations"], wide["iterations"]) << what;
    EXPECT_EQ(stored["stored_type"], GetParam().name) << what;
    if (wide["stream"].is_null()) {
      EXPECT_EQ(stored["held_type"], GetParam().name) << what;
      EXPECT_EQ(wide["held_type"], "f32") << what;
    } else {
      EXPECT_TRUE(stored["held_type"].is_null()) << what;
    }
  }

 private:
  static std::string element(int number) {
    std::string const descr = GetParam().descr;
    if (descr.ends_with("1")) return {static_cast<char>(number)};
    auto bits = static_cast<std::uint16_t>(number);
    if (descr.ends_with("f2")) bits = half(number);
    std::string const bytes = bytes_of(std::vector{bits});
    return descr.starts_with(">") ? std::string(bytes.rbegin(), bytes.rend()) : bytes;
  }
  /// Of a whole number of 0 to 2047.
  static std::uint16_t half(int number) {
    if (number == 0) return 0;
    int exponent = 0;
    while (number >> (exponent + 1) != 0) ++exponent;
    return static_cast<std::uint16_t>((exponent + 15) << 10 | (number << (10 - exponent) & 0x3ff));
  }
};

TEST_P(StoredMatrixTest, has_the_bits_of_floats) {
  make_both("row-major");
  expect_same({"lstsq", "A", "b.npy", "--method", "lsmr", "--output", "x.npy"}, {"x.npy"});
  expect_same({"pca", "A", "-k", "2", "--scale", "--components", "vt.npy", "--check"}, {"vt.npy"});
}

class StoredInEverySolverTest : public StoredMatrixTest {};

TEST_P(StoredInEverySolverTest, has_the_bits_of_floats) {
  make_both("column-major");
  for (Words const& more : {Words{}, {"--memory-limit", "200KiB"}}) {
    expect_same({"lstsq", "A", "b.npy", "--output", "x.npy"}, {"x.npy"}, more);
    expect_same({"ridge", "A", "b.npy", "--lambda", "2", "--output", "x.npy"}, {"x.npy"}, more);
    expect_same({"fit", "linear", "A", "b.npy", "--output", "x.npy"}, {"x.npy"}, more);
    expect_same({"svd", "A", "-k", "2", "--s", "s.npy", "--vt", "vt.npy", "--u", "u.npy"},
                {"s.npy", "vt.npy", "u.npy"}, more);
    expect_same({"svd", "A", "-k", "2", "--method", "randomized", "--vt", "vt.npy"}, {"vt.npy"},
                more);
    expect_same({"pca", "A", "-k", "2", "--components", "vt.npy", "--scores", "s.npy"},
                {"vt.npy", "s.npy"}, more);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, StoredMatrixTest,
                         ::testing::Values(Type{"int8", "|i1"}, Type{"uint8", "|u1"},
                                           Type{"int16", "<i2"}, Type{"uint16", "<u2"},
                                           Type{"float16", "<f2"}, Type{"int16", ">i2"},
                                           Type{"float16", ">f2"}),
                         [](auto const& test) {
                           return std::string(test.param.name) +
                                  (test.param.descr[0] == '>' ? "_big" : "");
                         });

INSTANTIATE_TEST_SUITE_P(Bytes, StoredInEverySolverTest, ::testing::Values(Type{"uint8", "|u1"}));

class HeldMatrixTest : public SolveTest {
 protected:
  HeldMatrixTest() {
    std::string stored(std::size_t{20000} * 1000, '\0');
    for (std::size_t k = 0; k < stored.size(); ++k) {
      stored[k] = static_cast<char>(k * 2654435761U >> 24U);
    }
    write("a.npy", npy("|u1", "(20000, 1000)", stored));
    write("b.npy", npy("<f4", "(20000,)", bytes_of(std::vector<float>(20000, 1))));
  }
  Words const solve_{"lstsq", "a.npy", "b.npy", "--method", "lsmr", "--atol", "1e-2"};
};

TEST_F(HeldMatrixTest, fits_into_a_limit_that_is_smaller_than_the_floats) {
  auto limited = solve_;
  limited.insert(limited.end(), {"--memory-limit", "60MiB"});  // floats: 76 MiB
  auto const found = report(limited);
  EXPECT_TRUE(found["stream"].is_null()) << found["stream"];
  EXPECT_EQ(found["held_type"], "uint8");
  EXPECT_EQ(found["sha256"], report(solve_)["sha256"]);
  auto const text = run(solve_);
  EXPECT_THAT(text.out, HasSubstr("20000 rows x 1000 columns, f32 (uint8 in the file and in "
                                  "memory), row-major"));
}

TEST_F(HeldMatrixTest, is_widened_for_doubles) {
  auto doubles = solve_;
  doubles.insert(doubles.end(), {"--type", "f64"});
  EXPECT_EQ(report(doubles)["held_type"], "f64");
}

TEST_F(HeldMatrixTest, needs_no_memory_for_floats) {
  expect_peak_below(solve_, 20);  // uint8: 19 MiB, floats: 76 MiB
}

}  // namespace
}  // namespace tessera::test
