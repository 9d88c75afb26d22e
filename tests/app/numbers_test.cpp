// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <bench/whole_number.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <app/base/text.hpp>

/// Numbers of the command line.
namespace tessera::app {
namespace {

TEST(Numbers, WholeOnesAreWrittenInDecimalDigits) {
  EXPECT_EQ(bench::whole_number("0"), 0u);
  EXPECT_EQ(bench::whole_number("10"), 10u);
  EXPECT_EQ(bench::whole_number("010"), 10u);
  EXPECT_EQ(bench::whole_number("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(bench::whole_number("1e3"), 1000u);
  EXPECT_EQ(bench::whole_number("1E+3"), 1000u);
  EXPECT_EQ(bench::whole_number("1.5e3"), 1500u);
  EXPECT_EQ(bench::whole_number("12.50e2"), 1250u);
  EXPECT_EQ(bench::whole_number("5.0"), 5u);
  EXPECT_EQ(bench::whole_number("5."), 5u);
  EXPECT_EQ(bench::whole_number("0e999"), 0u);
  EXPECT_EQ(bench::whole_number("1.8446744073709551615e19"), UINT64_MAX);
  for (std::string const text : {"",
                                 " 5",
                                 "5 ",
                                 "+5",
                                 "-5",
                                 "-0",
                                 "1_0",
                                 "1'0",
                                 "1,000",
                                 "1.5",
                                 "1e-3",
                                 "1.25e1",
                                 "1e",
                                 "e3",
                                 ".",
                                 "1..0",
                                 "1e3.0",
                                 "1e20",
                                 "1e99999999999",
                                 "0x10",
                                 "0b11",
                                 "0o7",
                                 "ten",
                                 "inf",
                                 "18446744073709551616"}) {
    EXPECT_EQ(bench::whole_number(text), std::nullopt) << text;
  }
}

TEST(Numbers, DecimalOnesHaveAPointAndAnExponent) {
  for (auto const& [text, value] : {std::pair{"0", 0.0},
                                    {"60", 60.0},
                                    {"0.25", 0.25},
                                    {".5", 0.5},
                                    {"5.", 5.0},
                                    {"1e-3", 1e-3},
                                    {"2.5E2", 250.0}}) {
    EXPECT_EQ(decimal_number(text), value) << text;
  }
  for (std::string const text : {"", ".", "e3", "-1", "+1", " 1", "1 ", "1s", "1e", "0x1p3", "1_0",
                                 "1,5", "inf", "nan", "1e999"}) {
    EXPECT_EQ(decimal_number(text), std::nullopt) << text;
  }
}

TEST(Numbers, EveryUnitOfSizesIsWhatItsNameSays) {
  constexpr std::uint64_t kilo = 1000, kibi = 1024;
  for (auto const& [text, bytes] : {std::pair<char const*, std::uint64_t>{"3", 3},
                                    {"3B", 3},
                                    {"3KB", 3 * kilo},
                                    {"3MB", 3 * kilo * kilo},
                                    {"3GB", 3 * kilo * kilo * kilo},
                                    {"3TB", 3 * kilo * kilo * kilo * kilo},
                                    {"3KiB", 3 * kibi},
                                    {"3MiB", 3 * kibi * kibi},
                                    {"3GiB", 3 * kibi * kibi * kibi},
                                    {"3TiB", 3 * kibi * kibi * kibi * kibi},
                                    {"1e9", kilo * kilo * kilo},
                                    {"1.5KiB", 1536},
                                    {"0.5GB", kilo * kilo * kilo / 2},
                                    {"010MiB", 10 * kibi * kibi},
                                    {"4611686018427387903", (std::uint64_t{1} << 62U) - 1},
                                    {"4611686018427387904", std::uint64_t{1} << 62U}}) {
    EXPECT_EQ(size_in_bytes(text), bytes) << text;
  }
  for (std::string const text : {"",
                                 "0",
                                 "0.5",
                                 "1.5",
                                 "1.5B",
                                 "1e-3",
                                 "MiB",
                                 "1 MiB",
                                 " 1MiB",
                                 "1MiB ",
                                 "-1MiB",
                                 "+1",
                                 "1mib",
                                 "1K",
                                 "1M",
                                 "1k",
                                 "1KIB",
                                 "1PiB",
                                 "1PB",
                                 "0x10MiB",
                                 "infMiB",
                                 "nan",
                                 "1_000",
                                 "1,000",
                                 "1e30",
                                 "4611686018427387905",
                                 "18446744073709551615KiB"}) {
    EXPECT_EQ(size_in_bytes(text), std::nullopt) << text;
  }
}

TEST(Numbers, TwoExtentsHaveAnXBetween) {
  auto const found = two_extents("32x08");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->first, 32);
  EXPECT_EQ(found->second, 8);
  for (std::string const text : {"", "8", "x", "8x", "x8", "0x8", "8x0", "-1x8", "8x-1", "+1x8",
                                 "8 x8", "8X8", "8x8x8", "8x8 ", "2147483648x1"}) {
    EXPECT_FALSE(two_extents(text)) << text;
  }
}

TEST(Wrapped, BreaksLinesAtSpacesAndKeepsExamples) {
  EXPECT_EQ(wrapped("one two three", 7), "one two\nthree");
  EXPECT_EQ(wrapped("one two three", 13), "one two three");
  EXPECT_EQ(wrapped("unbreakable word", 4), "unbreakable\nword");
  EXPECT_EQ(wrapped("one two\n\n  an example of its own\nthree four\n", 7),
            "one two\n\n  an example of its own\nthree\nfour\n");
  EXPECT_EQ(wrapped("Aᵀ Bᵀ Cᵀ", 8), "Aᵀ Bᵀ Cᵀ");  // columns, not bytes
  EXPECT_EQ(wrapped("", 8), "");
}

}  // namespace
}  // namespace tessera::app
