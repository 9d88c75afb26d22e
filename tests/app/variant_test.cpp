// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

/// `gemv|gemvt … --variant NAME`.
namespace tessera::test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> const row_major_variants{"ex3", "repeated-reduction", "team-atomic",
                                                  "atomic", "grid-sync"};
std::vector<std::string> const column_major_variants{"column-tile-static", "column-tile-dynamic"};

class VariantTest : public ProgramTest {
 protected:
  VariantTest() {
    generate("a.npy", "c");
    generate("f.npy", "fortran");
  }
  void generate(std::string const& name, std::string const& order) const {
    auto const result = run({"gen", "--rows", "130", "--cols", "70", "--distribution", "normal",
                             "--order", order, "--output", name});
    if (result.status != 0) throw std::runtime_error(result.err);
  }
  json report(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--format", "json", "--repeat", "1"});
    auto const result = run(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.status == 0 ? json::parse(result.out) : json();
  }
  json gemv(std::string const& input, std::string const& variant,
            std::vector<std::string> options = {}) const {
    options.insert(options.begin(),
                   {"gemv", input, "--vector", "a-vector.npy", "--variant", variant});
    return report(options);
  }
};

TEST_F(VariantTest, every_variant_gives_a_result_that_passes_the_check) {
  for (std::string const input : {"a.npy", "f.npy"}) {
    auto variants = row_major_variants;
    if (input == "f.npy") {
      variants.insert(variants.end(), column_major_variants.begin(), column_major_variants.end());
    }
    for (auto const& variant : variants) {
      auto const r = gemv(input, variant, {"--check", "--output", "b.npy"});
      ASSERT_FALSE(r.is_null()) << variant;
      EXPECT_EQ(r.at("method"), "variant");
      EXPECT_EQ(r.at("variant").at("name"), variant);
      EXPECT_EQ(r.at("check").at("passed"), true) << variant;
      EXPECT_EQ(r.at("check").at("elements"), 130);
      EXPECT_EQ(r.at("check").at("not_judged"), 0);
      EXPECT_GT(r.at("seconds").at("median").get<double>(), 0);
      EXPECT_EQ(r.at("bytes"), 4 * (130 * 70 + 130 + 70));
      EXPECT_THAT(run({"show", "b.npy"}).out, HasSubstr("130 entries"));
    }
  }
  auto const transposed = report({"gemvt", "a.npy", "--variant", "ex3", "--check"});
  EXPECT_EQ(transposed.at("check").at("passed"), true);
  EXPECT_EQ(transposed.at("check").at("elements"), 70);
}

TEST_F(VariantTest, without_the_option_the_operation_runs) {
  auto const r = report({"gemv", "a.npy"});
  EXPECT_EQ(r.at("method"), "one-stage");
  EXPECT_TRUE(r.at("variant").is_null());
  EXPECT_TRUE(r.at("cache_preference").is_null());
}

TEST_F(VariantTest, bits_are_equal_where_the_headers_say_so) {
  auto const sha = [&](std::string const& variant, std::vector<std::string> const& options) {
    return gemv("f.npy", variant, options).at("sha256").get<std::string>();
  };
  auto const chain = sha("column-tile-dynamic", {});
  EXPECT_EQ(sha("column-tile-dynamic", {"--tile", "7", "--teams", "3"}), chain);
  EXPECT_EQ(sha("column-tile-dynamic", {"--team", "1x1", "--tiling", "inexact"}), chain);
  EXPECT_EQ(sha("column-tile-static", {"--tile", "32"}), chain);
  EXPECT_EQ(sha("column-tile-static", {"--threads", "1"}), chain);
  auto const halved = sha("repeated-reduction", {});
  EXPECT_NE(halved, chain);
  EXPECT_EQ(sha("grid-sync", {}), halved);
  EXPECT_EQ(sha("repeated-reduction", {"--team", "1x1", "--teams", "2"}), halved);
  EXPECT_EQ(gemv("a.npy", "repeated-reduction").at("sha256"),
            gemv("a.npy", "grid-sync", {"--team", "1x1"}).at("sha256"));
}

TEST_F(VariantTest, what_is_known_of_the_bits_is_reported) {
  for (auto const& variant : row_major_variants) {
    bool const has_atomics = variant == "atomic" || variant == "team-atomic";
    std::string const word = has_atomics ? "no" : variant == "ex3" ? "with-equal-launch" : "always";
    EXPECT_EQ(gemv("a.npy", variant).at("variant").at("reproducible"), word);

    auto const text = run({"gemv", "a.npy", "--variant", variant}).out;
    EXPECT_THAT(text, HasSubstr("  variant      " + variant + ", team of "));
    if (has_atomics) {
      EXPECT_THAT(text, HasSubstr("NOT reproducible: its floating-point atomics"));
    } else {
      EXPECT_THAT(text, HasSubstr("reproducible: the same bits again"));
      EXPECT_THAT(text, Not(HasSubstr("NOT reproducible")));
    }
    auto const csv = run({"gemv", "a.npy", "--variant", variant, "--format", "csv"}).out;
    std::istringstream lines(csv);
    std::string header, row;
    ASSERT_TRUE(std::getline(lines, header) && std::getline(lines, row));
    EXPECT_TRUE(header.ends_with(
        ",variant,team,reproducible,cache_preference,blocks,stored_type,vector_stored_type"))
        << header;
    EXPECT_THAT(row,
                ::testing::MatchesRegex(".*," + variant + ",[0-9]+x[0-9]+," + word + ",,0,f32,"));
  }
}

TEST_F(VariantTest, team_is_the_one_that_was_asked_for) {
  EXPECT_THAT(gemv("a.npy", "atomic", {"--team", "1x1"}).at("variant").at("team"),
              ElementsAre(1, 1));
}

/// What a variant does not take is refused with a sentence that says what would do.
TEST_F(VariantTest, refuses_what_does_not_apply) {
  struct Refusal {
    std::vector<std::string> arguments;
    std::string sentence;
  };
  auto const before = listing();
  for (auto const& [arguments, sentence] : {
           Refusal{{"gemv", "a.npy", "--variant", "fast"},
                   "--variant: 'fast' is not one of ex3|repeated-reduction|team-atomic|atomic|"
                   "grid-sync|column-tile-static|column-tile-dynamic"},
           Refusal{{"gemvt", "a.npy", "--variant", "atomic"}, "'atomic' is not one of ex3\n"},
           Refusal{{"atax", "a.npy", "--variant", "ex3"}, "--variant"},
           Refusal{{"gemv", "a.npy", "--team", "2x2"},
                   "--team: is for variants, and none was given; --variant takes it with ex3, "},
           Refusal{{"gemv", "a.npy", "--teams", "2"}, "--teams: is for variants"},
           Refusal{{"gemv", "a.npy", "--variant", "atomic", "--tile", "8"},
                   "--tile: atomic does not take it; ex3, column-tile-static and "
                   "column-tile-dynamic do"},
           Refusal{{"gemv", "a.npy", "--variant", "ex3", "--tiling", "exact"},
                   "--tiling: ex3 does not take it; column-tile-static and column-tile-dynamic do"},
           Refusal{{"gemv", "a.npy", "--variant", "column-tile-static"},
                   "takes column-major matrices only (Fortran order)"},
           Refusal{{"gemv", "f.npy", "--variant", "column-tile-static", "--tile", "8"},
                   "tiles of 32, 128 and 512 columns were compiled, found 8"},
           Refusal{{"gemv", "f.npy", "--variant", "column-tile-dynamic", "--tiling", "exact"},
                   "exact tiling needs rows that are a multiple of"},
           Refusal{{"gemv", "a.npy", "--variant", "atomic", "--team", "64x64"},
                   "--variant atomic: a team of 64 x 64 has 4096 threads, and "},
           Refusal{
               {"gemv", "a.npy", "--variant", "atomic", "--team", "8"},
               "expected two whole numbers of threads with an x between, such as 32x8, found '8'"},
           Refusal{{"gemv", "a.npy", "--variant", "atomic", "--team", "0x8"},
                   "such as 32x8, found '0x8'"},
           Refusal{{"gemv", "a.npy", "--variant", "atomic", "--team", "8x8x8"},
                   "such as 32x8, found '8x8x8'"},
           Refusal{{"gemv", "a.npy", "--variant", "atomic", "--teams", "0"}, "--teams"},
           Refusal{{"gemv", "a.npy", "--cache-preference", "l2"},
                   "'l2' is not one of none|l1|shared|equal"},
       }) {
    auto with_output = arguments;
    with_output.insert(with_output.end(), {"--output", "b.npy"});
    auto const result = run(with_output);
    EXPECT_EQ(result.status, 2) << sentence;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(result.err.starts_with("tessera: ")) << result.err;
    EXPECT_THAT(result.err, HasSubstr(sentence));
    EXPECT_EQ(listing(), before) << sentence;
  }
}

TEST_F(VariantTest, refusals_come_before_the_data_are_read) {
  auto const result =
      run({"gemv", "a.npy", "--vector", "none.npy", "--variant", "atomic", "--team", "64x64"});
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_THAT(result.err, HasSubstr("a team of 64 x 64"));
  EXPECT_EQ(run({"gemv", "a.npy", "--vector", "none.npy", "--variant", "atomic"}).status, 3);
}

TEST_F(VariantTest, hosts_have_no_preference_of_caches) {
  for (auto const& command : {std::vector<std::string>{"gemv", "a.npy"},
                              {"atax", "a.npy"},
                              {"transpose", "a.npy", "at.npy"}}) {
    for (std::string const backend : {"openmp", "serial"}) {
      auto arguments = command;
      arguments.insert(arguments.end(), {"--backend", backend, "--cache-preference", "l1"});
      auto const result = run(arguments);
      if (result.status == 4) continue;  // not built
      EXPECT_EQ(result.status, 2);
      EXPECT_THAT(result.err,
                  HasSubstr("tessera: --cache-preference: only cuda has caches that can "
                            "be told; " +
                            backend + " computes here"));
    }
  }
}

}  // namespace
}  // namespace tessera::test
