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
    EXPECT_EQ(stored.value("iterations", 0), wide.value("iterations", 0)) << what;
    EXPECT_EQ(stored["stored_type"], GetParam().name) << what;
    auto const expect_held = [&](nlohmann::json const& found, nlohmann::json const& type) {
      EXPECT_EQ(found["held_type"], found["stream"].is_null() ? type : nullptr) << what;
    };
    expect_held(stored, GetParam().name);
    expect_held(wide, "f32");
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

TEST_P(StoredMatrixTest, has_the_products_of_floats) {
  for (char const* const layout : {"row-major", "column-major"}) {
    make_both(layout);
    write("v.npy", npy("<f4", "(14,)", bytes_of(std::vector<float>(14, 0.3F))));
    write("V.npy", npy("<f4", "(14, 3)", bytes_of(std::vector<float>(42, 0.7F))));
    write("U.npy", npy("<f4", "(900, 2)", bytes_of(std::vector<float>(1800, 0.7F))));
    expect_same({"gemv", "A", "--vector", "v.npy", "--output", "c.npy"}, {"c.npy"});
    expect_same({"gemvt", "A", "--vector", "b.npy", "--output", "c.npy"}, {"c.npy"});
    expect_same({"atax", "A", "--vector", "v.npy", "--minus", "b.npy", "--alpha", "0.5",
                 "--intermediate", "i.npy", "--output", "c.npy"},
                {"c.npy", "i.npy"});
    for (char const* const method : {"fused", "two-stage"}) {
      expect_same({"atax", "A", "--vector", "v.npy", "--method", method, "--output", "c.npy"},
                  {"c.npy"});
      expect_same({"aatx", "A", "--vector", "b.npy", "--method", method, "--output", "c.npy"},
                  {"c.npy"});
      expect_same({"aatx", "A", "--vector", "U.npy", "--method", method, "--output", "c.npy"},
                  {"c.npy"});
      expect_same({"atax", "A", "--vector", "V.npy", "--method", method, "--output", "c.npy"},
                  {"c.npy"});
    }
    expect_same({"gemv", "A", "--vector", "V.npy", "--kernels", "portable", "--output", "c.npy"},
                {"c.npy"});
    expect_same({"atax", "A", "--vector", "V.npy", "--check", "--output", "c.npy"}, {"c.npy"});
    expect_same({"gemvt", "A", "--vector", "U.npy", "--output", "c.npy"}, {"c.npy"});
  }
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

TEST_F(HeldMatrixTest, is_multiplied_as_stored) {
  Words const product{"atax", "a.npy"};
  expect_peak_below(product, 20);
  auto limited = product;
  limited.insert(limited.end(), {"--memory-limit", "60MiB"});
  auto const found = report(limited);
  EXPECT_TRUE(found["stream"].is_null()) << found["stream"];
  EXPECT_EQ(found["held_type"], "uint8");
  EXPECT_LT(found["bytes"], 21'000'000);
  EXPECT_THAT(run(product).out, HasSubstr("f32 (uint8 in the file and in memory), row-major, 19"));
  Words const accelerated{"atax", "a.npy", "--kernels", "accelerated"};
  if (run(accelerated).status == 0) {  // otherwise a build without accelerated kernels
    auto const its = report(accelerated);
    EXPECT_EQ(its["held_type"], "uint8");
    EXPECT_EQ(its["sha256"], found["sha256"]);
  }
  EXPECT_EQ(report({"gemvt", "a.npy", "--type", "f64"})["held_type"], "f64");
  EXPECT_EQ(report({"aatx", "a.npy"})["held_type"], "uint8");
  EXPECT_EQ(report({"atax", "a.npy", "--check"})["held_type"], "uint8");
}

TEST_F(HeldMatrixTest, is_checked_as_stored) {
  for (Words const& words : std::vector<Words>{{"atax", "a.npy", "--check", "--output", "c.npy"},
                                               {"aatx", "a.npy", "--check"},
                                               {"gemv", "a.npy", "--check"},
                                               {"check", "a.npy", "c.npy"}}) {
    expect_peak_below(words, 25);
    EXPECT_EQ(report(words)["check"]["passed"], true) << words[0];
  }
}

TEST_F(HeldMatrixTest, may_have_infinite_halves) {
  write("h.npy", npy("<f2", "(1, 2)", std::string("\x00\x7c\x00\x3c", 4)));
  auto const found = report({"gemv", "h.npy"});
  EXPECT_EQ(found["held_type"], "float16");
  EXPECT_THAT(found["notices"].dump(), HasSubstr("or there are such elements in A and V"));
}

}  // namespace
}  // namespace tessera::test
