// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <map>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

/// `bench OPERATION FILE… --variants NAME`.
namespace tessera::test {
namespace {

using nlohmann::json;
using ::testing::Key;

class VariantTest : public ProgramTest {
 protected:
  VariantTest() {
    generate("a.npy", 130, 70);
    generate("f.npy", 130, 70, "column-major");
  }
  void generate(std::string const& name, int rows, int cols, std::string const& order = "row-major",
                std::string const& type = "f32") const {
    auto const result =
        run({"gen", "--rows", std::to_string(rows), "--cols", std::to_string(cols),
             "--distribution", "normal", "--layout", order, "--type", type, "--output", name});
    if (result.status != 0) throw std::runtime_error(result.err);
  }
  RunResult bench(Words words) const {
    words.insert(words.begin(), "bench");
    words.insert(words.end(), {"--repeat", "1", "--seconds", "0"});
    return run(words);
  }
  json table(Words words) const {
    words.insert(words.end(), {"--format", "json"});
    auto const result = bench(words);
    EXPECT_EQ(result.status, 0) << result.err << result.out;
    return result.status == 0 ? json::parse(result.out).at("tables").at(0) : json();
  }
  std::map<std::string, json> rows(Words const& words) const {
    std::map<std::string, json> all;
    json const found = table(words);
    if (found.is_null()) return all;
    for (auto const& row : found.at("results")) {
      if (row.at("why_not").is_null()) all[row.at("name")] = row;
    }
    return all;
  }
  std::string sha(Words words, std::string const& variant, Words const& options = {}) const {
    words.insert(words.end(), {"--variants", variant, "--check"});
    words.insert(words.end(), options.begin(), options.end());
    auto const all = rows(words);
    EXPECT_THAT(all, Contains(Key(variant)));
    return all.contains(variant) ? all.at(variant).at("sha256").get<std::string>() : "";
  }
};

TEST_F(VariantTest, every_variant_of_a_file_passes_the_check) {
  for (auto const& [words, names] : std::vector<std::pair<Words, Words>>{
           {{"gemv", "a.npy", "--vector", "a-vector.npy"},
            {"ex3", "repeated-reduction", "team-atomic", "atomic", "grid-sync"}},
           {{"gemv", "f.npy", "--vector", "a-vector.npy"},
            {"ex3", "repeated-reduction", "team-atomic", "atomic", "grid-sync",
             "column-tile-static", "column-tile-dynamic", "column-tile-dynamic inexact"}},
           {{"gemvt", "a.npy"}, {"ex3"}},
           {{"gemvt", "f.npy"}, {"ex3"}}}) {
    auto with_check = words;
    with_check.push_back("--check");
    auto const all = rows(with_check);
    for (auto const& name : names) {
      ASSERT_THAT(all, Contains(Key(name)));
      EXPECT_THAT(all.at(name).at("reference").get<std::string>(),
                  HasSubstr("passed: greatest error"));
      EXPECT_EQ(all.at(name).at("wrong"), false);
      EXPECT_GT(all.at(name).at("seconds").at("median").get<double>(), 0);
    }
  }
  EXPECT_EQ(table({"gemv", "a.npy"}).at("bytes"), 4 * (130 * 70 + 130 + 70));
}

TEST_F(VariantTest, our_rows_have_the_bits_of_the_command) {
  for (std::string const command : {"atax", "gemv", "gemvt"}) {
    for (std::string const input : {"a.npy", "f.npy"}) {
      auto const result = run({command, input, "--format", "json"});
      auto const ours = rows({command, input, "--variants", "none", "--check"});
      for (auto const& [name, row] : ours) {
        if (row.at("kind") == "ours") {
          EXPECT_EQ(row.at("sha256"), json::parse(result.out).at("sha256")) << name;
        }
      }
    }
  }
}

TEST_F(VariantTest, bits_are_equal_where_the_headers_say_so) {
  Words const gemv{"gemv", "f.npy", "--vector", "a-vector.npy"};
  auto const chain = sha(gemv, "column-tile-dynamic");
  EXPECT_EQ(sha(gemv, "column-tile-dynamic", {"--tiles", "7", "--most-teams", "3"}), chain);
  EXPECT_EQ(sha(gemv, "column-tile-dynamic inexact", {"--teams", "1x1"}), chain);
  EXPECT_EQ(sha(gemv, "column-tile-static", {"--tiles", "32"}), chain);
  EXPECT_EQ(sha(gemv, "column-tile-static", {"--threads", "1"}), chain);
  auto const halved = sha(gemv, "repeated-reduction");
  EXPECT_NE(halved, chain);
  EXPECT_EQ(sha(gemv, "grid-sync"), halved);
  EXPECT_EQ(sha(gemv, "repeated-reduction", {"--teams", "1x1", "--most-teams", "2"}), halved);
  EXPECT_EQ(sha({"gemv", "a.npy"}, "repeated-reduction"),
            sha({"gemv", "a.npy"}, "grid-sync", {"--teams", "1x1"}));
}

TEST_F(VariantTest, transposes_have_the_bits_of_the_operation_and_copies_those_of_the_file) {
  for (std::string const type : {"f32", "f64"}) {
    for (std::string const order : {"row-major", "column-major"}) {
      generate("x.npy", 133, 71, order, type);
      auto const result = run({"transpose", "x.npy", "t.npy", "--format", "json"});
      for (std::string const block : {"32x8", "7x5", "1x256"}) {
        auto const all = rows({"transpose", "x.npy", "--teams", block, "--check"});
        EXPECT_GE(all.size(), 13u);
        for (auto const& [name, row] : all) {
          EXPECT_EQ(row.at("reference"), "passed: all 9443 elements have the right bits") << name;
          EXPECT_EQ(row.at("is_copy"), name.starts_with("copy"));
          if (row.at("is_copy") == true) continue;
          EXPECT_EQ(row.at("sha256"), json::parse(result.out).at("sha256")) << name;
        }
        EXPECT_EQ(all.at("copy-row").at("sha256"), all.at("copy-col").at("sha256"));
      }
    }
  }
}

TEST_F(VariantTest, products_of_all_variants_teams_and_tiles_have_equal_bits) {
  for (std::string const type : {"f32", "f64"}) {
    generate("x.npy", 67, 600, "row-major", type);
    generate("y.npy", 600, 45, "row-major", type);
    Words const gemm{"gemm", "x.npy", "y.npy"};
    auto const chain = sha(gemm, "naive");
    EXPECT_EQ(sha(gemm, "threads"), chain);
    EXPECT_EQ(sha(gemm, "threads", {"--threads", "1"}), chain);
    EXPECT_EQ(sha(gemm, "naive", {"--teams", "3x7"}), chain);
    EXPECT_EQ(sha(gemm, "tiled"), chain);
    EXPECT_EQ(sha(gemm, "tiled", {"--teams", "16x8", "--tiles", "5"}), chain);
    auto const all = rows({"gemm", "x.npy", "y.npy", "--check"});
    EXPECT_NE(all.at("tessera").at("sha256"), chain);  // a small C splits its sums
    if (all.contains("serial")) {
      EXPECT_EQ(all.at("serial").at("sha256"), chain);
    }
  }
  generate("x.npy", 67, 256, "column-major");
  generate("y.npy", 256, 45, "column-major");
  auto const all = rows({"gemm", "x.npy", "y.npy", "--check"});
  EXPECT_EQ(all.at("tessera").at("sha256"), all.at("tiled").at("sha256"));  // each sum is one chain
}

TEST_F(VariantTest, tiles_and_teams_are_rows_and_columns) {
  auto const found = table(
      {"gemm", "--shapes", "40", "--variants", "tiled", "--teams", "8x8,4x4", "--tiles", "4,8"});
  std::vector<std::pair<std::string, int>> launches;
  for (auto const& row : found.at("results")) {
    if (row.at("name") == "tiled") launches.emplace_back(row.at("team"), row.at("tile"));
  }
  EXPECT_THAT(launches, ::testing::UnorderedElementsAre(std::pair("8x8", 4), std::pair("8x8", 8),
                                                        std::pair("4x4", 4), std::pair("4x4", 8)));
  auto const text =
      bench({"gemm", "--shapes", "40", "--variants", "tiled", "--tiles", "4", "--check"}).out;
  EXPECT_THAT(text, AllOf(HasSubstr("tile "), HasSubstr("reference"), HasSubstr("passed: ")));
  EXPECT_THAT(bench({"gemm", "--shapes", "40"}).out, Not(HasSubstr("reference")));
}

TEST_F(VariantTest, random_matrices_are_checked_too) {
  for (auto words : std::vector<Words>{{"atax", "--shapes", "60x50"},
                                       {"gemv", "--layout", "column-major", "--shapes", "60x50"},
                                       {"transpose", "--shapes", "60x50"},
                                       {"gemm", "--shapes", "20x30x40"}}) {
    words.push_back("--check");
    for (auto const& [name, row] : rows(words)) {
      EXPECT_THAT(row.at("reference").get<std::string>(), HasSubstr("passed: ")) << name;
    }
  }
}

TEST_F(VariantTest, refusals_of_a_variant_are_in_its_row) {
  for (auto const& [words, sentence] : std::vector<std::pair<Words, std::string>>{
           {{"gemv", "f.npy", "--variants", "column-tile-static", "--tiles", "8"},
            "not run: tiles of 32, 128 and 512 columns were compiled, found 8"},
           {{"gemv", "f.npy", "--variants", "column-tile-dynamic exact"},
            "not run: exact tiling needs rows that are a multiple of"},
           {{"gemv", "a.npy", "--variants", "atomic", "--teams", "64x64"},
            "not run: a team of 64 x 64 has 4096 threads, and "},
           {{"transpose", "a.npy", "--variants", "tile", "--teams", "64x32"},
            "not run: a block has at most 1024 threads, found 64 x 32"},
           {{"gemm", "--shapes", "40", "--variants", "tiled", "--tiles", "1000000"},
            "not run: team and tile need"}}) {
    auto const result = bench(words);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr(sentence));
  }
}

TEST_F(VariantTest, refuses_what_does_not_apply) {
  generate("d.npy", 70, 5, "row-major", "f64");
  generate("g.npy", 70, 5, "column-major");
  for (auto const& [words, status, sentence] : std::vector<std::tuple<Words, int, std::string>>{
           {{"gemv", "a.npy", "--variants", "fast"}, 2, "'fast' is no variant"},
           {{"gemv", "a.npy", "--variants", "column-tile-static"}, 2, "is no variant"},
           {{"gemvt", "a.npy", "--variants", "atomic"}, 2, "it has ex3"},
           {{"atax", "a.npy", "--variants", "ex3"}, 2, "it has none"},
           {{"gemv", "a.npy", "--variants", "atomic", "--tiles", "8"},
            2,
            "none of the variants that are measured has a tile to choose"},
           {{"gemm", "--shapes", "9", "--most-teams", "2"}, 2, "has a most of teams"},
           {{"gemm", "--shapes", "9", "--variants", "threads", "--teams", "2x2"},
            2,
            "has teams to choose"},
           {{"gemv", "a.npy", "--tiles", "0"}, 2, "--tiles: '0' is no tile"},
           {{"gemv", "a.npy", "f.npy"}, 2, "gemv expected one file, found 2"},
           {{"gemm", "a.npy"}, 2, "gemm expected two files, A and B, found 1"},
           {{"gemv", "a.npy", "--shapes", "8x8"}, 2, "--shapes: a file has its own shape"},
           {{"gemv", "a.npy", "--layout", "row-major"}, 2, "--layout: a file has its own layout"},
           {{"gemv", "--vector", "a-vector.npy"}, 2, "FILE is missing"},
           {{"transpose", "a.npy", "--vector", "a-vector.npy"}, 2, "transpose has no vector"},
           {{"gemv", "--shapes", "8x8+1", "--check"}, 2, "--check: matrices with padding"},
           {{"gemv", "a.npy", "--output", "a.npy"}, 2, "would replace a.npy"},
           {{"gemv", "none.npy"}, 3, "none.npy: "},
           {{"gemv", "a.npy", "--vector", "none.npy"}, 3, "none.npy: "},
           {{"gemm", "a.npy", "f.npy"}, 3, "has the wrong number of rows: expected 70"},
           {{"gemm", "a.npy", "d.npy"}, 3, "--type converts both"},
           {{"gemm", "a.npy", "g.npy"}, 3, "has another layout than A"}}) {
    auto const result = bench(words);
    EXPECT_EQ(result.status, status) << sentence << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(result.err.starts_with("tessera: ")) << result.err;
    EXPECT_THAT(result.err, HasSubstr(sentence));
  }
}

TEST_F(VariantTest, hosts_have_no_preference_of_caches) {
  for (auto const& command :
       {Words{"gemv", "a.npy"}, {"atax", "a.npy"}, {"transpose", "a.npy", "at.npy"}}) {
    for (std::string const backend : {"openmp", "serial"}) {
      auto arguments = command;
      arguments.insert(arguments.end(), {"--backend", backend, "--cache-preference", "l1"});
      auto const result = run(arguments);
      if (result.status == 4) continue;
      EXPECT_EQ(result.status, 2);
      EXPECT_THAT(result.err,
                  HasSubstr("tessera: --cache-preference: expected the backend cuda, found " +
                            backend + "; leave the option out"));
    }
  }
  auto const result = run({"gemv", "a.npy", "--cache-preference", "l2"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("'l2' is not one of none|l1|shared|equal"));
}

}  // namespace
}  // namespace tessera::test
