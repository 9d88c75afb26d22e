// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <map>

#include <gmock/gmock.h>

#include "support/program.hpp"

namespace tessera::test {
namespace {

using GenerateTest = ProgramTest;

struct Digest {
  std::string distribution;
  std::string type;
  std::string sha256;
};

class GenerateDigestTest : public ProgramTest, public ::testing::WithParamInterface<Digest> {};

TEST_P(GenerateDigestTest, same_seed_gives_the_committed_bytes) {
  auto const& [distribution, type, sha256] = GetParam();
  auto const made = run({"gen", "--rows", "37", "--cols", "11", "--seed", "42", "--distribution",
                         distribution, "--type", type, "--output", "a.npy"});
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(sha256_of("a.npy"), sha256);
}

INSTANTIATE_TEST_SUITE_P(
    all, GenerateDigestTest,
    ::testing::Values(
        Digest{"ex3", "f32", "3820491613d3cfb86e6cfc53b02b6a0531b353ec3e8a86389128131bfd915ca3"},
        Digest{"ex3", "f64", "ef3be001d5962cb67e416394b9b420a88f41475731bb9d78fe8b443376a54e42"},
        Digest{"uniform", "f32",
               "2c785efa03f407ec945a9da8099967c3de7eff6a9a6333a5103ffa2f64b92958"},
        Digest{"uniform", "f64",
               "2396fa480f42c0a62706235b81497363d2518364853bc427a8eec6d51e3ed704"},
        Digest{"normal", "f32", "6fcf134b24c8a02124fa6fa152d4853d0f73c7eb96ebb8b9c3ad890f8d37090b"},
        Digest{"normal", "f64", "fa5ed8d14a9febf596c65220753f98aad278adf8612ea4e74cc7e1c756c367fd"},
        Digest{"integer", "f32",
               "ea40d0ec494bf5c3677180f4772c132c2bbe0bc62be6cf2c2721be1487f8b9aa"},
        Digest{"integer", "f64",
               "80f5ee787ffe0f15ded2be013a5cb3a324645cf004118819bc11d69430065162"}),
    [](auto const& test) { return test.param.distribution + "_" + test.param.type; });

TEST_F(GenerateTest, ex3_file_has_the_committed_bytes) {
  ASSERT_EQ(run({"gen", "--rows", "37", "--cols", "11", "--seed", "42", "--output", "7"}).status,
            0);
  EXPECT_EQ(sha256_of("7"), "197f901126fa41f7f358291719f226ae73cb744ede1722ef88d68bcb06faf1dd");
}

TEST_F(GenerateTest, other_seed_gives_other_bytes) {
  ASSERT_EQ(run({"gen", "--rows", "9", "--cols", "9", "--seed", "1", "--output", "a.npy"}).status,
            0);
  ASSERT_EQ(run({"gen", "--rows", "9", "--cols", "9", "--seed", "2", "--output", "b.npy"}).status,
            0);
  EXPECT_NE(read("a.npy"), read("b.npy"));
}

TEST_F(GenerateTest, npy_output_puts_the_vector_beside) {
  auto const made = run({"gen", "--rows", "5", "--cols", "3", "--output", "a.npy"});
  EXPECT_EQ(made.status, 0);
  EXPECT_EQ(made.err, "");
  EXPECT_THAT(made.out, HasSubstr("5 rows x 3 columns"));
  EXPECT_THAT(listing(), ElementsAre("a-vector.npy", "a.npy"));
  EXPECT_THAT(run({"show", "a-vector.npy"}).out, HasSubstr("3 entries"));
}

TEST_F(GenerateTest, vector_output_names_the_vector) {
  auto const made =
      run({"gen", "--rows", "5", "--cols", "3", "--output", "a.npy", "--vector-output", "v.npy"});
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_THAT(listing(), ElementsAre("a.npy", "v.npy"));
}

TEST_F(GenerateTest, ex3_extension_and_no_extension_give_the_same_ex3_file) {
  ASSERT_EQ(run({"gen", "--rows", "5", "--cols", "3", "--output", "a.ex3"}).status, 0);
  ASSERT_EQ(run({"gen", "--rows", "5", "--cols", "3", "--output", "7"}).status, 0);
  EXPECT_THAT(listing(), ElementsAre("7", "a.ex3"));
  EXPECT_EQ(read("a.ex3"), read("7"));
  EXPECT_EQ(read("7").size(), 16u + 4u * 3u * 6u);
  EXPECT_EQ(read("7").substr(0, 8), bytes_of(std::vector<std::uint32_t>{3, 5}));  // columns first
}

TEST_F(GenerateTest, fortran_order_holds_the_same_matrix) {
  ASSERT_EQ(run({"gen", "--rows", "4", "--cols", "3", "--output", "c.npy"}).status, 0);
  ASSERT_EQ(
      run({"gen", "--rows", "4", "--cols", "3", "--layout", "column-major", "--output", "f.npy"})
          .status,
      0);
  auto const c = last_elements<float>("c.npy", 12), f = last_elements<float>("f.npy", 12);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(c[i * 3 + j], f[j * 4 + i]);
  }
}

TEST_F(GenerateTest, what_ex3_cannot_hold_is_bad_usage) {
  auto const f64 = run({"gen", "--rows", "4", "--cols", "3", "--type", "f64", "--output", "7"});
  EXPECT_EQ(f64.status, 2);
  EXPECT_EQ(f64.err, "tessera: 7: an ex3 file holds f32 only, found --type f64; use .npy\n");
  auto const order =
      run({"gen", "--rows", "4", "--cols", "3", "--layout", "column-major", "--output", "7"});
  EXPECT_EQ(order.status, 2);
  EXPECT_THAT(order.err, HasSubstr("found --layout column-major"));
  auto const vector =
      run({"gen", "--rows", "4", "--cols", "3", "--output", "7", "--vector-output", "v.npy"});
  EXPECT_EQ(vector.status, 2);
  EXPECT_THAT(vector.err, HasSubstr("found --vector-output"));
  auto const raw = run({"gen", "--rows", "4", "--cols", "3", "--output", "a.bin"});
  EXPECT_EQ(raw.status, 2);
  EXPECT_THAT(raw.err, HasSubstr("no place for the number of rows"));
  EXPECT_TRUE(listing().empty());
}

TEST_F(GenerateTest, sizes_must_be_positive_numbers) {
  for (std::string const size : {"0", "-1", "x", "1.5", "99999999999999999999999"}) {
    EXPECT_EQ(run({"gen", "--rows", size, "--cols", "3", "--output", "a.npy"}).status, 2) << size;
    EXPECT_EQ(run({"gen", "--rows", "3", "--cols", size, "--output", "a.npy"}).status, 2) << size;
  }
  EXPECT_TRUE(listing().empty());
}

TEST_F(GenerateTest, sizes_beyond_64_bits_are_refused) {
  auto const big = run({"gen", "--rows", "9223372036854775807", "--cols", "9223372036854775807",
                        "--output", "a.npy"});
  EXPECT_EQ(big.status, 3);
  EXPECT_THAT(big.err, HasSubstr("tessera: a.npy: "));
  EXPECT_TRUE(listing().empty());
}

TEST_F(GenerateTest, output_that_cannot_be_written_is_a_file_error) {
  auto const made = run({"gen", "--rows", "4", "--cols", "3", "--output", "missing/a.npy"});
  EXPECT_EQ(made.status, 3);
  EXPECT_THAT(made.err, HasSubstr("tessera: missing/a.npy: "));
}

}  // namespace
}  // namespace tessera::test
