// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <filesystem>
#include <limits>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

/// `transpose` and `gemm`.
namespace tessera::test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> const transposes{"naive-row",   "naive-col",    "unroll4-row",
                                          "unroll4-col", "diagonal-row", "diagonal-col",
                                          "tile",        "tile-padded",  "tile-unrolled-padded"};
std::vector<std::string> const products{"serial", "threads", "naive", "tiled"};

class MatrixTest : public ProgramTest {
 protected:
  /// 2 x 3 times 3 x 2, in both orders.
  MatrixTest() {
    write("a.npy", npy("<f4", "(2, 3)", bytes_of<float>({1, 2, 3, 4, 5, 6})));
    write("af.npy", npy("<f4", "(2, 3)", bytes_of<float>({1, 4, 2, 5, 3, 6}), true));
    write("b.npy", npy("<f4", "(3, 2)", bytes_of<float>({1, -1, 0, 2, -1, 1})));
    write("bf.npy", npy("<f4", "(3, 2)", bytes_of<float>({1, 0, -1, -1, 2, 1}), true));
    write("d.npy", npy("<f8", "(2, 3)", bytes_of<double>({1, 2, 3, 4, 5, 6})));
    write("v.npy", npy("<f4", "(3,)", bytes_of<float>({1, 0, -1})));
    write("big.npy", npy(">f4", "(1, 2)", std::string("\x40\x40\0\0\x40\0\0\0", 8)));
  }
  void generate(std::string const& name, int rows, int cols, std::string const& type = "f32",
                std::string const& order = "c") const {
    auto const result =
        run({"gen", "--rows", std::to_string(rows), "--cols", std::to_string(cols), "--type", type,
             "--order", order, "--distribution", "normal", "--output", name});
    ASSERT_EQ(result.status, 0) << result.err;
  }
  /// A backend of the host, by name.
  std::string host() const {
    bool const has_openmp =
        run({"transpose", "a.npy", "probe.npy", "--backend", "openmp"}).status == 0;
    std::filesystem::remove(path("probe.npy"));
    return has_openmp ? "openmp" : "serial";
  }
  json report(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--format", "json", "--repeat", "1"});
    auto const result = run(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.status == 0 ? json::parse(result.out) : json();
  }
};

TEST_F(MatrixTest, transpose_moves_every_element_and_keeps_the_order) {
  ASSERT_EQ(run({"transpose", "a.npy", "at.npy", "--check"}).status, 0);
  EXPECT_EQ(read("at.npy"), npy("<f4", "(3, 2)", bytes_of<float>({1, 4, 2, 5, 3, 6})));
  ASSERT_EQ(run({"transpose", "af.npy", "at.npy", "--check"}).status, 0);
  EXPECT_EQ(read("at.npy"), npy("<f4", "(3, 2)", bytes_of<float>({1, 2, 3, 4, 5, 6}), true));
  ASSERT_EQ(run({"transpose", "d.npy", "at.npy", "--check"}).status, 0);
  EXPECT_EQ(read("at.npy"), npy("<f8", "(3, 2)", bytes_of<double>({1, 4, 2, 5, 3, 6})));
  ASSERT_EQ(run({"transpose", "d.npy", "at.npy", "--type", "f32"}).status, 0);
  EXPECT_EQ(read("at.npy"), npy("<f4", "(3, 2)", bytes_of<float>({1, 4, 2, 5, 3, 6})));
  ASSERT_EQ(run({"transpose", "big.npy", "at.npy"}).status, 0);
  EXPECT_EQ(read("at.npy"), npy("<f4", "(2, 1)", bytes_of<float>({3, 2})));
}

TEST_F(MatrixTest, transpose_moves_nan_and_negative_zero_bit_by_bit) {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  float const infinity = std::numeric_limits<float>::infinity();
  write("x.npy", npy("<f4", "(2, 2)", bytes_of<float>({nan, -0.0f, infinity, 1})));
  auto const r = report({"transpose", "x.npy", "xt.npy", "--check"});
  EXPECT_EQ(r.at("check").at("passed"), true);
  EXPECT_EQ(r.at("check").at("elements"), 4);
  EXPECT_EQ(read("xt.npy"), npy("<f4", "(2, 2)", bytes_of<float>({nan, infinity, -0.0f, 1})));
}

TEST_F(MatrixTest, transposes_of_every_variant_have_the_bits_of_the_operation) {
  for (std::string const type : {"f32", "f64"}) {
    for (std::string const order : {"c", "fortran"}) {
      generate("x.npy", 133, 71, type, order);
      ASSERT_EQ(run({"transpose", "x.npy", "t.npy", "--check"}).status, 0);
      for (auto const& variant : transposes) {
        for (std::string const block : {"32x8", "7x5", "1x256"}) {
          auto const r = report(
              {"transpose", "x.npy", "tv.npy", "--variant", variant, "--team", block, "--check"});
          EXPECT_EQ(r.at("check").at("passed"), true) << variant;
          EXPECT_EQ(r.at("variant").at("name"), variant);
          EXPECT_EQ(r.at("variant").at("reproducible"), "always");
          EXPECT_EQ(read("tv.npy"), read("t.npy")) << variant << " " << block;
        }
      }
    }
  }
}

TEST_F(MatrixTest, variants_that_copy_say_so_and_copy) {
  for (std::string const input : {"a.npy", "af.npy"}) {
    for (std::string const variant : {"copy-row", "copy-col"}) {
      auto const text = run({"transpose", input, "copy.npy", "--variant", variant, "--check"});
      EXPECT_EQ(text.status, 0);
      EXPECT_THAT(text.out, HasSubstr("copies: the result is A itself"));
      EXPECT_THAT(text.out, HasSubstr("check        passed: all 6 elements have the right bits"));
      EXPECT_EQ(read("copy.npy"), read(input));
      auto const r = report({"transpose", input, "copy.npy", "--variant", variant});
      EXPECT_EQ(r.at("variant").at("copies"), true);
    }
  }
}

TEST_F(MatrixTest, transpose_in_place_is_right_after_any_number_of_runs) {
  generate("x.npy", 65, 65);
  ASSERT_EQ(run({"transpose", "x.npy", "t.npy"}).status, 0);
  for (std::string const repeat : {"1", "2", "5"}) {
    auto const result =
        run({"transpose", "x.npy", "p.npy", "--in-place", "--repeat", repeat, "--check"});
    EXPECT_EQ(result.status, 0) << result.out;
    EXPECT_THAT(result.out, HasSubstr("method       in-place"));
    EXPECT_EQ(read("p.npy"), read("t.npy")) << repeat;
  }
}

TEST_F(MatrixTest, gemm_computes_its_formula_in_every_mix_of_orders) {
  std::string const right = npy("<f4", "(2, 2)", bytes_of<float>({-2, 6, -2, 12}));
  std::string const left = npy("<f4", "(2, 2)", bytes_of<float>({-2, -2, 6, 12}), true);
  for (std::string const a : {"a.npy", "af.npy"}) {
    for (std::string const b : {"b.npy", "bf.npy"}) {
      ASSERT_EQ(run({"gemm", a, b, "c.npy", "--check"}).status, 0);
      EXPECT_EQ(read("c.npy"), a == "a.npy" ? right : left) << a << " " << b;
      for (auto const& variant : products) {
        ASSERT_EQ(run({"gemm", a, b, "c.npy", "--variant", variant, "--backend", host()}).status,
                  0);
        EXPECT_EQ(read("c.npy"), a == "a.npy" ? right : left) << variant;
      }
    }
  }
  ASSERT_EQ(run({"gemm", "d.npy", "b.npy", "c.npy", "--type", "f64"}).status, 0);
  EXPECT_EQ(read("c.npy"), npy("<f8", "(2, 2)", bytes_of<double>({-2, 6, -2, 12})));
}

TEST_F(MatrixTest, gemm_takes_an_ex3_test_as_a_factor) {
  std::filesystem::create_directory(path("test"));
  std::string const header = bytes_of<std::uint32_t>({3, 2, 0, 0});
  write("test/12", header + bytes_of<float>({1, 2, 3, 4, 5, 6, 1, 0, -1}));
  ASSERT_EQ(run({"gemm", "12", "b.npy", "c.npy"}).status, 0);
  EXPECT_EQ(read("c.npy"), npy("<f4", "(2, 2)", bytes_of<float>({-2, 6, -2, 12})));
}

TEST_F(MatrixTest, products_of_all_variants_teams_and_tiles_have_equal_bits) {
  for (std::string const type : {"f32", "f64"}) {
    generate("x.npy", 67, 600, type, "fortran");
    generate("y.npy", 600, 45, type);
    auto const sha = [&](std::vector<std::string> options) {
      options.insert(options.begin(), {"gemm", "x.npy", "y.npy", "c.npy", "--check"});
      auto const r = report(options);
      EXPECT_EQ(r.at("check").at("passed"), true);
      EXPECT_EQ(r.at("check").at("elements"), 67 * 45);
      EXPECT_EQ(r.at("flops"), 2.0 * 67 * 45 * 600);
      return r.at("sha256").get<std::string>();
    };
    auto const chain = sha({"--variant", "naive"});
    EXPECT_EQ(sha({"--variant", "serial", "--backend", host()}), chain);
    EXPECT_EQ(sha({"--variant", "threads"}), chain);
    EXPECT_EQ(sha({"--variant", "threads", "--threads", "1"}), chain);
    EXPECT_EQ(sha({"--variant", "naive", "--team", "3x7"}), chain);
    EXPECT_EQ(sha({"--variant", "tiled"}), chain);
    EXPECT_EQ(sha({"--variant", "tiled", "--team", "16x8", "--tile", "5"}), chain);
    EXPECT_NE(sha({}), chain);  // its chains are cut where C is small
    EXPECT_EQ(sha({}), sha({"--threads", "1"}));
  }
}

TEST_F(MatrixTest, operation_and_variants_have_equal_bits_where_a_sum_is_one_chain) {
  generate("x.npy", 67, 256);
  generate("y.npy", 256, 45);
  auto const sha = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"gemm", "x.npy", "y.npy", "c.npy"});
    return report(options).at("sha256").get<std::string>();
  };
  EXPECT_EQ(sha({}), sha({"--variant", "tiled"}));
}

TEST_F(MatrixTest, gemm_reports_sizes_rate_and_the_digest_of_the_result) {
  auto const r = report({"gemm", "a.npy", "bf.npy", "c.npy"});
  EXPECT_EQ(r.at("operation"), "gemm");
  EXPECT_EQ(r.at("method"), "one-stage");
  EXPECT_TRUE(r.at("variant").is_null());
  EXPECT_EQ(r.at("inputs")[0].at("file"), "a.npy");
  EXPECT_EQ(r.at("inputs")[1].at("layout"), "left");
  EXPECT_EQ(r.at("inputs")[1].at("rows"), 3);
  EXPECT_EQ(r.at("result").at("file"), "c.npy");
  EXPECT_EQ(r.at("result").at("rows"), 2);
  EXPECT_EQ(r.at("bytes"), 4 * (6 + 6 + 4));
  EXPECT_EQ(r.at("flops"), 24);
  EXPECT_NEAR(r.at("gflop_per_s").get<double>(), 24e-9 / r.at("seconds").at("median").get<double>(),
              1e-9);
  auto const elements = last_elements<float>("c.npy", 4);
  write("c.bin", bytes_of(elements));
  EXPECT_EQ(r.at("sha256"), sha256_of("c.bin"));
  auto const text = run({"gemm", "a.npy", "b.npy", "c.npy", "--check"}).out;
  for (auto const* const part :
       {"C = A·B   a.npy", "matrix B     b.npy, 3 rows x 2 columns", "GFLOP/s for 24 operations",
        "check        passed", "matrix C     c.npy, 2 rows x 2 columns"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST_F(MatrixTest, bad_inputs_and_outputs_are_file_errors) {
  struct Error {
    std::vector<std::string> arguments;
    std::string sentence;
  };
  auto const before = listing();
  for (auto const& [arguments, sentence] :
       {Error{
            {"gemm", "a.npy", "a.npy", "c.npy"},
            "a.npy: has the wrong number of rows: expected 3, one for each column of a.npy, found "
            "2"},
        Error{{"gemm", "b.npy", "b.npy", "c.npy"},
              "b.npy: has the wrong number of rows: expected 2, one for each column of b.npy, "
              "found 3"},
        Error{{"gemm", "d.npy", "b.npy", "c.npy"},
              "b.npy: has a matrix of the wrong type: expected f64 as in d.npy, found f32; --type "
              "converts both"},
        Error{{"gemm", "a.npy", "v.npy", "c.npy"}, "v.npy: is not a matrix: expected 2 dimensions"},
        Error{{"gemm", "none.npy", "b.npy", "c.npy"}, "none.npy: "},
        Error{{"gemm", "a.npy", "b.npy", "c.bin"},
              "c.bin: cannot hold a matrix alone: expected the extension .npy"},
        Error{{"transpose", "a.npy", "at"}, "at: cannot hold a matrix alone"},
        Error{{"transpose", "a.npy", "missing/at.npy"}, "missing/at.npy: "},
        Error{{"transpose", "v.npy", "at.npy"}, "v.npy: is not a matrix"}}) {
    auto const result = run(arguments);
    EXPECT_EQ(result.status, 3) << sentence;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("tessera: " + sentence));
    EXPECT_EQ(listing(), before) << sentence;
  }
}

TEST_F(MatrixTest, refuses_what_does_not_apply) {
  struct Refusal {
    std::vector<std::string> arguments;
    std::string sentence;
  };
  auto const before = listing();
  for (auto const& [arguments, sentence] :
       {Refusal{
            {"transpose", "a.npy", "at.npy", "--variant", "fast"},
            "'fast' is not one of copy-row|copy-col|naive-row|naive-col|unroll4-row|unroll4-col|"
            "diagonal-row|diagonal-col|tile|tile-padded|tile-unrolled-padded"},
        Refusal{{"transpose", "a.npy", "at.npy", "--team", "8x8"}, "--team: is for variants"},
        Refusal{{"transpose", "a.npy", "at.npy", "--variant", "tile", "--team", "64x32"},
                "--variant tile: a block has at most 1024 threads, found 64 x 32"},
        Refusal{{"transpose", "a.npy", "at.npy", "--tile", "8"}, "--tile"},
        Refusal{{"transpose", "a.npy", "at.npy", "--in-place"},
                "--in-place: only square matrices are transposed in place, and a.npy is 2 x 3"},
        Refusal{{"transpose", "a.npy", "at.npy", "--in-place", "--variant", "tile"},
                "--in-place: the variants are all out of place"},
        Refusal{{"transpose", "a.npy", "./a.npy"}, "would replace a.npy"},
        Refusal{{"transpose", "a.npy"}, "OUTPUT"},
        Refusal{{"transpose", "a.npy", "at.npy", "--format", "csv"},
                "'csv' is not one of text|json"},
        Refusal{{"gemm", "a.npy", "b.npy"}, "OUTPUT"},
        Refusal{{"gemm", "a.npy", "b.npy", "b.npy"}, "would replace b.npy"},
        Refusal{{"gemm", "a.npy", "b.npy", "c.npy", "--variant", "fast"},
                "'fast' is not one of serial|threads|naive|tiled"},
        Refusal{{"gemm", "a.npy", "b.npy", "c.npy", "--variant", "serial", "--team", "2x2"},
                "--team: serial does not take it; naive and tiled do"},
        Refusal{{"gemm", "a.npy", "b.npy", "c.npy", "--variant", "naive", "--tile", "2"},
                "--tile: naive does not take it; tiled does"},
        Refusal{{"gemm", "a.npy", "b.npy", "c.npy", "--variant", "tiled", "--tile", "1000000"},
                "--variant tiled: team and tile need"},
        Refusal{{"gemm", "a.npy", "b.npy", "c.npy", "--variant", "tiled", "--team", "33x32"},
                "--variant tiled: a team has at most 1024 threads, found 33 x 32"}}) {
    auto const result = run(arguments);
    EXPECT_EQ(result.status, 2) << sentence;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(result.err.starts_with("tessera: ")) << result.err;
    EXPECT_THAT(result.err, HasSubstr(sentence));
    EXPECT_EQ(listing(), before) << sentence;
  }
}

/// Of the size that the header promises there is no memory: it is found out before reading.
TEST_F(MatrixTest, too_little_memory_is_found_out_from_the_headers) {
  std::string const header = npy("<f8", "(600000, 600000)", "");
  write("x.npy", header);
  std::error_code error;  // a file of holes takes no room on the disk
  std::filesystem::resize_file(path("x.npy"), header.size() + 8 * 600000ULL * 600000ULL, error);
  if (error) GTEST_SKIP() << "SKIPPED: this file system has no sparse file of 3 TB";
  auto const result = run({"transpose", "x.npy", "t.npy"});
  EXPECT_EQ(result.status, 4) << result.err;
  EXPECT_THAT(result.err, HasSubstr("x.npy: not enough memory for the job (matrix and transpose)"));
  EXPECT_FALSE(exists("t.npy"));
}

}  // namespace
}  // namespace tessera::test
