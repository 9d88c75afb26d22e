// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "support/program.hpp"

/// Every command reads PLINK's genotypes, with the bits of the same matrix in a .npy file.
namespace tessera::test {
namespace {

class GenotypesTest : public ProgramTest {
 protected:
  static constexpr std::uint64_t samples = 2999;
  static constexpr std::uint64_t variants = 400;

  GenotypesTest() {
    std::mt19937_64 numbers(1);
    std::string bed("\x6c\x1b\x01");
    // The two halves of the samples differ, so that few iterations find a component.
    constexpr std::uint64_t column = (samples + 3) / 4;
    for (std::uint64_t k = 0; k < variants * column; ++k) {
      std::uint64_t const one = numbers();
      std::uint64_t const other = numbers();
      bed.push_back(
          static_cast<char>((k % column < column / 2 ? one | other : one & other) & 0xffU));
    }
    write("a.bed", bed);
    for (auto const& [name, count] : {std::pair{"a.fam", samples}, {"a.bim", variants}}) {
      std::string lines;
      for (std::uint64_t k = 0; k < count; ++k) lines += "0 name 0 0 0 0\n";
      write(name, lines);
    }
    expect_done({"convert", "a.bed", "a.npy"});
    expect_done({"gen", "--rows", std::to_string(variants), "--cols", "1", "--distribution",
                 "normal", "--output", "v.npy", "--vector-output", "v1.npy"});
    expect_done({"gen", "--rows", std::to_string(samples), "--cols", "1", "--distribution",
                 "normal", "--seed", "2", "--output", "u.npy", "--vector-output", "u1.npy"});
  }

  void expect_done(Words const& words) const {
    auto const result = run(words);
    EXPECT_EQ(result.status, 0) << words[0] << ": " << result.err;
  }

  /// @param words without A, which follows the command; they write out.npy
  void expect_same(Words words, Words const& more = {}, std::string const& same = "a.npy") const {
    std::string const output = "out.npy";
    words.insert(words.begin() + 1, same);
    expect_done(words);
    std::string const expected = sha256_of(output);
    std::filesystem::remove(path(output));
    words[1] = "a.bed";
    words.insert(words.end(), more.begin(), more.end());
    expect_done(words);
    EXPECT_EQ(sha256_of(output), expected) << words[0] << " " << ::testing::PrintToString(more);
  }
};

TEST_F(GenotypesTest, have_the_bits_of_the_matrix_in_every_command) {
  for (Words const& more : {Words{}, {"--memory-limit", "3MiB"}}) {
    for (Words const& words :
         {Words{"atax", "--vector", "v.npy", "--output", "out.npy"},
          {"gemv", "--vector", "v.npy", "--output", "out.npy"},
          {"gemvt", "--vector", "u.npy", "--output", "out.npy"},
          {"lstsq", "u.npy", "--method", "lsmr", "--atol", "1e-2", "--output", "out.npy"},
          {"svd", "-k", "1", "--method", "lanczos", "--tol", "1e-2", "--vt", "out.npy"},
          {"pca", "-k", "1", "--method", "lanczos", "--tol", "0.1", "--scale", "--scores",
           "out.npy"}}) {
      expect_same(words, more);
    }
  }
  expect_same({"transpose", "out.npy"});
  expect_same({"gemm", "v.npy", "out.npy"});
}

// A mean is rounded to the type of the matrix.
TEST_F(GenotypesTest, have_the_bits_of_double_in_double) {
  expect_done({"convert", "a.bed", "d.npy", "--output-type", "f64"});
  expect_same({"gemv", "--type", "f64", "--output", "out.npy"}, {}, "d.npy");
  expect_same({"gemv", "--type", "f64", "--output", "out.npy"}, {"--memory-limit", "3MiB"},
              "d.npy");
}

TEST_F(GenotypesTest, are_shown) {
  auto const shown = run({"show", "a.bed"});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.out,
              AllOf(HasSubstr("  format   bed\n"), HasSubstr("  type     genotypes, read as f32\n"),
                    HasSubstr("  A        2999 rows x 400 columns, column-major, 293.0 KiB "
                              "from byte 3\n"),
                    HasSubstr("  file     300003 bytes\n")));
}

TEST_F(GenotypesTest, files_next_to_the_matrix_are_not_replaced) {
  for (std::string const name : {"a.fam", "a.bim"}) {
    auto const before = sha256_of(name);
    auto const result = run({"convert", "a.bed", name, "--output-format", "npy"});
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_THAT(result.err, HasSubstr(name + ": the output would replace a"));
    EXPECT_EQ(sha256_of(name), before);
  }
}

TEST_F(GenotypesTest, without_samples_or_variants_are_refused) {
  std::filesystem::remove(path("a.bim"));
  auto const result = run({"atax", "a.bed"});
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.err, HasSubstr("a.bed: has no .bim file: expected a.bim with one line for "
                                    "each variant, found nothing"));
}

}  // namespace
}  // namespace tessera::test
