// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <filesystem>
#include <limits>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace tessera::test {
namespace {

using nlohmann::json;

class MatrixTest : public ProgramTest {
 protected:
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
                std::string const& order = "row-major") const {
    auto const result =
        run({"gen", "--rows", std::to_string(rows), "--cols", std::to_string(cols), "--type", type,
             "--layout", order, "--distribution", "normal", "--output", name});
    ASSERT_EQ(result.status, 0) << result.err;
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

TEST_F(MatrixTest, products_have_the_same_bits_with_any_number_of_threads) {
  for (std::string const type : {"f32", "f64"}) {
    generate("x.npy", 67, 600, type, "column-major");
    generate("y.npy", 600, 45, type);
    auto const sha = [&](std::vector<std::string> options) {
      options.insert(options.begin(), {"gemm", "x.npy", "y.npy", "c.npy", "--check"});
      auto const r = report(options);
      EXPECT_EQ(r.at("check").at("passed"), true);
      EXPECT_EQ(r.at("check").at("elements"), 67 * 45);
      EXPECT_EQ(r.at("flops"), 2.0 * 67 * 45 * 600);
      return r.at("sha256").get<std::string>();
    };
    EXPECT_EQ(sha({}), sha({"--threads", "1"}));
  }
}

TEST_F(MatrixTest, gemm_reports_sizes_rate_and_the_digest_of_the_result) {
  auto const r = report({"gemm", "a.npy", "bf.npy", "c.npy"});
  EXPECT_EQ(r.at("operation"), "gemm");
  EXPECT_EQ(r.at("method"), "one-stage");
  EXPECT_EQ(r.at("inputs")[0].at("file"), "a.npy");
  EXPECT_EQ(r.at("inputs")[1].at("layout"), "column-major");
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
       {Refusal{{"transpose", "a.npy", "at.npy", "--tile", "8"}, "--tile"},
        Refusal{{"transpose", "a.npy", "at.npy", "--in-place"},
                "--in-place: only square matrices are transposed in place, and a.npy is 2 x 3"},
        Refusal{{"transpose", "a.npy", "./a.npy"}, "would replace a.npy"},
        Refusal{{"transpose", "a.npy"}, "OUTPUT"},
        Refusal{{"transpose", "a.npy", "at.npy", "--format", "csv"},
                "'csv' is not one of text|json"},
        Refusal{{"gemm", "a.npy", "b.npy"}, "OUTPUT"},
        Refusal{{"gemm", "a.npy", "b.npy", "b.npy"}, "would replace b.npy"}}) {
    auto const result = run(arguments);
    EXPECT_EQ(result.status, 2) << sentence;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(result.err.starts_with("tessera: ")) << result.err;
    EXPECT_THAT(result.err, HasSubstr(sentence));
    EXPECT_EQ(listing(), before) << sentence;
  }
}

TEST_F(MatrixTest, too_little_memory_is_found_out_from_the_headers) {
  std::string const header = npy("<f8", "(600000, 600000)", "");
  write("x.npy", header);
  std::error_code error;
  std::filesystem::resize_file(path("x.npy"), header.size() + 8 * 600000ULL * 600000ULL, error);
  if (error) GTEST_SKIP() << "SKIPPED: this file system has no sparse file of 3 TB";
  auto const result = run({"transpose", "x.npy", "t.npy"});
  EXPECT_EQ(result.status, 4) << result.err;
  EXPECT_THAT(result.err, HasSubstr("x.npy: not enough memory for the job (matrix and transpose)"));
  EXPECT_FALSE(exists("t.npy"));
}

}  // namespace
}  // namespace tessera::test
