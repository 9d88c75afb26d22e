// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>

#include <io/generate.hpp>
#include <io/matrix_file.hpp>

#include "io/support/bytes.hpp"
#include "io/support/errors.hpp"
#include "io/support/folder.hpp"
#include "support/sha256.hpp"

namespace tessera::io::test {
namespace {

constexpr std::array all{Distribution::ex3, Distribution::uniform, Distribution::normal,
                         Distribution::integer};
constexpr std::size_t many = 1'000'000;

template <class T>
std::vector<T> values(Distribution distribution, std::uint64_t seed, std::size_t count = many,
                      std::uint64_t first = 0, Sequence sequence = Sequence::matrix) {
  std::vector<T> result(count);
  generate_values(distribution, seed, sequence, first, std::span(result));
  return result;
}

TEST(GeneratedValues, AreTheSameOnEveryMachine) {
  // Digests of 100 000 values of seed 2026: a change breaks users' test files.
  std::map<Distribution, std::array<char const*, 2>> const digests{
      {Distribution::ex3,
       {"b168b7f10a8dd8fe6d649cc2374001ee9ecb4a1c245e202a291d9332de471d8a",
        "de833b42dcb8ba9b0fa5a70c9ca0277e6d375b67f0ca1e42bc6da2a9bb1d6ffc"}},
      {Distribution::uniform,
       {"43a70d92de7c19ccc8f648a7fe4d8668e2fd2c2a32e2a73ef8f11fde83e5d5d7",
        "61e88c36e6ce0d16dfa4066c023fdfb2ed81aefc2f22652f0a8d922bd8633c13"}},
      {Distribution::normal,
       {"a178af59fc107900dc33e68f044a7ee71eea44c5c46c6133e3f528f5b6c81dcc",
        "0c5bd9537ca742b5af493c17adfa70b52ad2547cd0022d1c89cfed50d451abf2"}},
      {Distribution::integer,
       {"646588eac9e88c3ffb0f334b12bb4ae52b66128321a6979f5765c1940760d367",
        "aee9703d83ff8bc0a0b884f8efdc0afa5da7fae48f91dd7fdfbb984c7cefb6fd"}},
  };
  for (Distribution const distribution : all) {
    EXPECT_EQ(tessera::test::sha256(values<float>(distribution, 2026, 100'000)),
              digests.at(distribution)[0]);
    EXPECT_EQ(tessera::test::sha256(values<double>(distribution, 2026, 100'000)),
              digests.at(distribution)[1]);
  }
}

TEST(GeneratedValues, DoNotDependOnTheBlocksTheyAreMadeIn) {
  for (Distribution const distribution : all) {
    auto const whole = values<double>(distribution, 5, 1000);
    auto const part = values<double>(distribution, 5, 400, 321);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 321));
  }
}

TEST(GeneratedValues, DifferBySeedAndSequence) {
  for (Distribution const distribution : all) {
    EXPECT_NE(values<float>(distribution, 1, 100), values<float>(distribution, 2, 100));
    EXPECT_NE(values<float>(distribution, 1, 100),
              values<float>(distribution, 1, 100, 0, Sequence::vector));
  }
}

/// Of `many`, within six standard deviations.
void expect_share(std::size_t count, double share) {
  double const n = static_cast<double>(many);
  EXPECT_NEAR(static_cast<double>(count), n * share, 6 * std::sqrt(n * share * (1 - share)));
}

TEST(GeneratedValues, Ex3IsDistributedAsPublished) {
  std::size_t ones = 0;
  std::size_t negative = 0;
  std::size_t negative_zeros = 0;
  std::size_t zeros = 0;
  for (float const x : values<float>(Distribution::ex3, 1)) {
    float const size = std::abs(x);
    if (size == 1.0F) ++ones;
    if (x == 0) ++zeros;
    if (std::signbit(x)) ++negative;
    if (x == 0 && std::signbit(x)) ++negative_zeros;
    if (size != 1.0F) {
      float const k = std::round(size * 10000);
      ASSERT_EQ(size, k / 10000.0F);
      ASSERT_LE(k, 1023);
    }
  }
  double const zero_share = 1.0 / 16 + 15.0 / 16 * 8.0 / 9 / 1024;
  expect_share(ones, 1.0 / 9 * 15 / 16);
  expect_share(negative, 1.0 / 3);
  expect_share(zeros, zero_share);
  expect_share(negative_zeros, zero_share / 3);
}

TEST(GeneratedValues, UniformFillsItsInterval) {
  std::array<std::size_t, 10> counts{};
  for (double const x : values<double>(Distribution::uniform, 1)) {
    ASSERT_GE(x, -1);
    ASSERT_LT(x, 1);
    ++counts.at(static_cast<std::size_t>((x + 1) * 5));
  }
  for (std::size_t const count : counts) expect_share(count, 0.1);
  for (float const x : values<float>(Distribution::uniform, 1)) {
    ASSERT_GE(x, -1);
    ASSERT_LT(x, 1);
  }
}

TEST(GeneratedValues, NormalHasTheMomentsOfTwelveUniforms) {
  double sum = 0;
  double squares = 0;
  double fourth = 0;
  for (double const x : values<double>(Distribution::normal, 1)) {
    ASSERT_LE(std::abs(x), 6);
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  double const n = static_cast<double>(many);
  EXPECT_NEAR(sum / n, 0, 6 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 6 * std::sqrt(2 / n));
  EXPECT_NEAR(fourth / n, 2.9, 6 * std::sqrt(96 / n));
}

TEST(GeneratedValues, IntegersAreSmallAndEquallyLikely) {
  std::map<float, std::size_t> counts;
  for (float const x : values<float>(Distribution::integer, 1)) ++counts[x];
  ASSERT_EQ(counts.size(), 9U);
  for (auto const& [value, count] : counts) {
    EXPECT_EQ(value, std::round(value));
    EXPECT_LE(std::abs(value), 4);
    expect_share(count, 1.0 / 9);
  }
}

TEST(Generate, Ex3FilesHoldMatrixAndVector) {
  Folder const folder;
  for (std::string const name : {"7", "7.ex3"}) {
    generate({.rows = 7,
              .cols = 5,
              .distribution = Distribution::ex3,
              .seed = 3,
              .output = folder / name});
    EXPECT_EQ(content_of(folder / name),
              ex3_bytes(5, 7, values<float>(Distribution::ex3, 3, 35),
                        values<float>(Distribution::ex3, 3, 5, 0, Sequence::vector)));
  }
}

TEST(Generate, NpyFilesHoldTheSameValuesInEitherLayout) {
  Folder const folder;
  auto const expected = values<double>(Distribution::normal, 9, 35);
  for (Layout const layout : {Layout::right, Layout::left}) {
    generate({.rows = 7,
              .cols = 5,
              .type = ScalarType::f64,
              .layout = layout,
              .distribution = Distribution::normal,
              .seed = 9,
              .output = folder / "A.npy",
              .vector_output = folder / "v.npy"});
    EXPECT_EQ(inspect(folder / "A.npy").layout, layout);
    std::visit(
        [&](auto const& A) {
          for (std::size_t k = 0; k < 35; ++k) {
            EXPECT_EQ(static_cast<double>(A(k / 5, k % 5)), expected[k]);
          }
        },
        read_matrix(folder / "A.npy"));
    auto const v = std::get<VectorView<double>>(read_vector(folder / "v.npy", {.length = 5}));
    auto const entries = values<double>(Distribution::normal, 9, 5, 0, Sequence::vector);
    for (std::size_t j = 0; j < 5; ++j) EXPECT_EQ(v(j), entries[j]);
  }
}

TEST(Generate, FilesLargerThanTheBufferAreRightAndReported) {
  Folder const folder;
  std::uint64_t last = 0;
  std::uint64_t calls = 0;
  generate({.rows = 2500,
            .cols = 2003,
            .distribution = Distribution::uniform,
            .seed = 4,
            .output = folder / "A.npy",
            .vector_output = folder / "v.bin"},
           [&](std::uint64_t done, std::uint64_t total) {
             EXPECT_GT(done, last);
             EXPECT_EQ(total, 4U * (2500 * 2003 + 2003));
             last = done;
             ++calls;
           });
  EXPECT_EQ(last, 4U * (2500 * 2003 + 2003));
  EXPECT_GE(calls, 3U);
  Bytes const content = content_of(folder / "A.npy");
  EXPECT_TRUE(content.substr(128) ==
              bytes_of(values<float>(Distribution::uniform, 4, 2500 * 2003)));
}

TEST(Generate, WhatAFormatCannotHoldIsRefusedAndNothingIsWritten) {
  Folder const folder;
  auto const expect_refused = [&](GenerateRequest request, std::string_view reason) {
    request.output = folder / request.output;
    expect_error(ErrorKind::bad_output, request.output, {reason}, [&] { generate(request); });
  };
  expect_refused({.rows = 0, .cols = 5, .output = "A.npy"}, "zero");
  expect_refused({.rows = 5, .cols = 0, .output = "A.npy"}, "zero");
  expect_refused({.rows = 5, .cols = 5, .output = "A.bin"}, "cannot hold a matrix");
  expect_refused({.rows = 5, .cols = 5, .output = "A.txt"}, "found .txt");
  expect_refused({.rows = 5, .cols = 5, .output = "."}, "found a directory");
  expect_refused({.rows = 5, .cols = 5, .type = ScalarType::f64, .output = "7"}, "f32");
  expect_refused({.rows = 5, .cols = 5, .layout = Layout::left, .output = "7"},
                 "expected a row-major");
  expect_refused({.rows = 1, .cols = 1ULL << 32U, .output = "7"}, "32-bit");
  expect_refused({.rows = 1ULL << 32U, .cols = 1ULL << 32U, .output = "A.npy"}, "too large");
  expect_refused({.rows = 1, .cols = ~0ULL, .output = "A.npy"}, "too large");
  std::string const twice = folder / "A.npy";
  expect_error(ErrorKind::bad_output, twice, {"named twice"},
               [&] { generate({.rows = 1, .cols = 1, .output = twice, .vector_output = twice}); });
  EXPECT_THAT(folder.names(), testing::IsEmpty());
}

}  // namespace
}  // namespace tessera::io::test
