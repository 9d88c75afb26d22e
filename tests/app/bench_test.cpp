// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace tessera::test {
namespace {

using nlohmann::json;

/// Short runs; no test asserts times.
class BenchTest : public ProgramTest {
 protected:
  RunResult bench(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "bench");
    arguments.insert(arguments.end(), {"--repeat", "2", "--seconds", "1e-6"});
    return run(arguments);
  }
  json report(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--format", "json"});
    auto const result = bench(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return json::parse(result.out);
  }
  static std::vector<std::string> names(json const& table) {
    std::vector<std::string> all;
    for (auto const& row : table.at("results")) all.push_back(row.at("name"));
    return all;
  }
};

TEST_F(BenchTest, json_has_the_stable_keys_and_figures_follow_from_each_other) {
  json const r = report({"gemv", "--shapes", "60x50,7x300+2", "--type", "f64"});
  EXPECT_EQ(r.at("operation"), "gemv");
  EXPECT_EQ(r.at("type"), "f64");
  EXPECT_EQ(r.at("layout"), "row-major");
  EXPECT_EQ(r.at("turns"), 2);
  EXPECT_TRUE(r.at("backend").is_string());
  for (char const* const key : {"tessera", "commit", "kokkos", "compiler", "peers",
                                "execution_space", "concurrency", "backend_device"}) {
    EXPECT_TRUE(r.at("context").at(key).is_string()) << key;
  }
  ASSERT_EQ(r.at("tables").size(), 2u);
  json const& table = r.at("tables")[0];
  EXPECT_EQ(table.at("rows"), 60);
  EXPECT_EQ(table.at("cols"), 50);
  EXPECT_FALSE(table.contains("padding"));
  EXPECT_EQ(r.at("tables")[1].at("padding"), 2);
  EXPECT_EQ(table.at("bytes"), 8 * (60 * 50 + 60 + 50));
  EXPECT_EQ(table.at("flops"), 2 * 60 * 50);
  EXPECT_TRUE(table.at("why_not").is_null());
  double const stream = table.at("stream").at("seconds");
  EXPECT_NEAR(table.at("stream").at("gb_per_s").get<double>() * stream * 1e9, 8 * 60 * 50, 1e-3);
  double last = 0;
  double slowest = 0;
  for (auto const& row : table.at("results")) {
    slowest = std::max(slowest, row.at("seconds").at("median").get<double>());
  }
  for (auto const& row : table.at("results")) {
    double const median = row.at("seconds").at("median");
    EXPECT_GE(median, last);
    last = median;
    EXPECT_GE(median, row.at("seconds").at("min").get<double>());
    EXPECT_LE(median, row.at("seconds").at("max").get<double>());
    EXPECT_NEAR(row.at("gb_per_s").get<double>() * median * 1e9, table.at("bytes").get<double>(),
                1e-3);
    EXPECT_NEAR(row.at("gflop_per_s").get<double>() * median * 1e9, 6000, 1e-3);
    EXPECT_NEAR(row.at("share").get<double>() * median, stream, 1e-9);
    EXPECT_NEAR(row.at("speed_up").get<double>() * median, slowest, 1e-9);
    EXPECT_FALSE(row.at("wrong").get<bool>()) << row;
    EXPECT_TRUE(row.at("why_not").is_null()) << row;
    EXPECT_GE(row.at("calls").get<int>(), 1);
  }
  EXPECT_THAT(names(table), AllOf(Contains("tessera"), Contains("atomic"), Contains("grid-sync"),
                                  Contains("ex3")));
}

TEST_F(BenchTest, rows_say_whether_their_bits_come_again) {
  json const r = report({"gemv", "--shapes", "9x9"});
  std::map<std::string, std::string> repeats;
  for (auto const& row : r.at("tables")[0].at("results")) {
    repeats[row.at("name")] = row.at("repeats");
  }
  EXPECT_EQ(repeats.at("tessera"), "yes");
  EXPECT_EQ(repeats.at("atomic"), "no");
  EXPECT_EQ(repeats.at("team-atomic"), "no");
  EXPECT_EQ(repeats.at("ex3"), "with equal launch");
}

TEST_F(BenchTest, reports_say_whose_numbers_were_measured) {
  ASSERT_EQ(
      run({"gen", "--rows", "40", "--cols", "30", "--layout", "column-major", "--output", "a.npy"})
          .status,
      0);
  json const r = report({"gemv", "a.npy", "--vector", "a-vector.npy", "--variants", "ex3",
                         "--most-teams", "3", "--teams", "8x4,8x4"});
  EXPECT_EQ(r.at("files"), json::array({"a.npy"}));
  EXPECT_EQ(r.at("vector"), "a-vector.npy");
  EXPECT_EQ(r.at("most_teams"), 3);
  EXPECT_EQ(r.at("is_turned"), false);
  auto const all = names(r.at("tables")[0]);
  EXPECT_EQ(std::ranges::count(all, "ex3"), 1) << "a team that is named twice is one";

  auto const text = bench({"gemv", "a.npy", "--vector", "a-vector.npy"});
  EXPECT_THAT(text.out, HasSubstr("\nA of a.npy, V of a-vector.npy\n"));
  auto const turned = bench({"transpose", "a.npy"});
  EXPECT_THAT(turned.out, HasSubstr("\nA of a.npy, read as the rows of its transpose\n"));
  EXPECT_EQ(report({"transpose", "a.npy"}).at("is_turned"), true);
}

TEST_F(BenchTest, all_operations_types_and_layouts_run) {
  for (std::string const operation :
       {"atax", "aatx", "weights", "logistic", "gemv", "gemvt", "gemv-both"}) {
    for (std::string const type : {"f32", "f64"}) {
      for (std::string const layout : {"row-major", "column-major"}) {
        json const r = report({operation, "--shapes", "33x20", "--type", type, "--layout", layout});
        EXPECT_EQ(r.at("operation"), operation);
        EXPECT_EQ(r.at("layout"), layout);
      }
    }
  }
  json const atax = report({"atax", "--shapes", "33x20"});
  EXPECT_THAT(
      names(atax.at("tables")[0]),
      AllOf(Contains("tessera auto"), Contains("tessera fused"), Contains("tessera two-stage")));
  json const transpose = report({"transpose", "--shapes", "33x20"});
  EXPECT_EQ(transpose.at("tables")[0].at("bytes"), 4 * 2 * 33 * 20);
  EXPECT_THAT(names(transpose.at("tables")[0]),
              AllOf(Contains("tile-padded"), Contains("copy-col")));
  json const& stream = transpose.at("tables")[0].at("stream");
  EXPECT_EQ(stream.at("name"), "copy stream");
  EXPECT_NEAR(stream.at("gb_per_s").get<double>() * stream.at("seconds").get<double>() * 1e9,
              4 * 2 * 33 * 20, 1e-3);
}

TEST_F(BenchTest, products_of_matrices_count_operations) {
  for (std::string const layout : {"row-major", "column-major"}) {
    json const r = report({"gemm", "--shapes", "20x30x40,17", "--layout", layout});
    json const& table = r.at("tables")[0];
    EXPECT_EQ(table.at("rows"), 20);
    EXPECT_EQ(table.at("cols"), 40);
    EXPECT_EQ(table.at("factor_cols"), 30);
    EXPECT_EQ(table.at("flops"), 2 * 20 * 30 * 40);
    EXPECT_EQ(table.at("bytes"), 4 * (20 * 40 + 40 * 30 + 20 * 30));
    EXPECT_TRUE(table.at("stream").is_null());
    EXPECT_THAT(names(table), AllOf(Contains("tessera"), Contains("naive"), Contains("tiled")));
    for (auto const& row : table.at("results")) {
      EXPECT_TRUE(row.at("share").is_null());
      EXPECT_FALSE(row.at("wrong").get<bool>()) << row;
    }
    EXPECT_EQ(r.at("tables")[1].at("factor_cols"), 17);
  }
  json const block = report({"atax-block", "--shapes", "20x3x40"}).at("tables")[0];
  EXPECT_EQ(block.at("flops"), 4 * 20 * 3 * 40);
  EXPECT_EQ(block.at("bytes"), 4 * (20 * 40 + 2 * 40 * 3));
  EXPECT_THAT(names(block), AllOf(Contains("tessera"), Contains("tessera fused")));
  for (auto const& row : block.at("results")) EXPECT_FALSE(row.at("wrong").get<bool>()) << row;
  auto const text = bench({"gemm", "--shapes", "20x30x40"});
  EXPECT_THAT(text.out, HasSubstr("C = A·B   20 x 40 times 40 x 30, f32, row-major"));
  EXPECT_THAT(text.out, AllOf(HasSubstr("GFLOP/s"), Not(HasSubstr("of read"))));
}

TEST_F(BenchTest, variants_are_all_none_or_named) {
  auto const rows = [&](std::string const& variants) {
    return names(report({"transpose", "--shapes", "8x8", "--variants", variants}).at("tables")[0]);
  };
  EXPECT_GE(rows("all").size(), 12u);
  EXPECT_THAT(rows("none"), AllOf(Contains("tessera"), Not(Contains("tile"))));
  EXPECT_THAT(rows("tile,naive-row"), AllOf(Contains("tessera"), Contains("tile"),
                                            Contains("naive-row"), Not(Contains("tile-padded"))));
}

TEST_F(BenchTest, each_team_is_a_row_and_one_that_is_refused_says_why) {
  auto const result =
      bench({"transpose", "--shapes", "40x30", "--variants", "tile", "--teams", "4x8,2000x2"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("4x8"));
  EXPECT_THAT(result.out, HasSubstr("not run: a block has at most 1024 threads, found 2000 x 2"));
  json const r =
      report({"transpose", "--shapes", "40x30", "--variants", "tile", "--teams", "4x8,2000x2"});
  auto const& last = r.at("tables")[0].at("results").back();
  EXPECT_EQ(last.at("team"), "2000x2");
  EXPECT_TRUE(last.at("why_not").is_string());
  EXPECT_FALSE(last.contains("seconds"));
}

TEST_F(BenchTest, text_names_stream_shares_and_checks) {
  auto const result = bench({"gemvt", "--shapes", "64x32"});
  EXPECT_EQ(result.status, 0) << result.err;
  for (char const* const word : {"C = Aᵀ·B   64 rows x 32 columns, f32, row-major", "read stream",
                                 "GB/s", "of read", "speed-up", "repeats", "check", "equal bits",
                                 "medians of 2 runs in random order", "libraries: "}) {
    EXPECT_THAT(result.out, HasSubstr(word));
  }
}

TEST_F(BenchTest, csv_has_a_line_a_row_with_as_many_fields_as_the_head) {
  auto const result =
      bench({"transpose", "--shapes", "16x16,8x8", "--variants", "tile", "--format", "csv"});
  EXPECT_EQ(result.status, 0) << result.err;
  std::istringstream lines(result.out);
  std::size_t count = 0;
  std::ptrdiff_t commas = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    std::string bare;
    bool quoted = false;
    for (char const c : line) {
      if (c == '"') quoted = !quoted;
      if (!quoted) bare += c;
    }
    if (count == 0) commas = std::ranges::count(bare, ',');
    EXPECT_EQ(std::ranges::count(bare, ','), commas) << line;
  }
  EXPECT_GE(count, 5u);
  EXPECT_TRUE(result.out.starts_with("operation,shape,type,layout,backend,"));
}

TEST_F(BenchTest, output_goes_to_a_file) {
  auto const result = bench({"gemv", "--shapes", "8x8", "--format", "json", "--output", "r.json"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(json::parse(read("r.json")).at("operation"), "gemv");
  auto const bad = bench({"gemv", "--shapes", "8x8", "--output", "no/such/folder/r.json"});
  EXPECT_EQ(bad.status, 3);
  EXPECT_THAT(bad.err, HasSubstr("no/such/folder/r.json"));
}

TEST_F(BenchTest, a_shape_that_does_not_fit_is_said_and_the_others_are_measured) {
  auto const result = bench({"gemv", "--shapes", "30000000x30000000,8x8", "--variants", "none"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("not measured: needs"));
  EXPECT_THAT(result.out, HasSubstr("8 rows x 8 columns"));
}

TEST_F(BenchTest, what_makes_no_sense_is_refused_with_a_sentence) {
  struct Case {
    std::vector<std::string> arguments;
    std::string message;
  };
  for (auto const& [arguments, message] :
       {Case{{}, "OPERATION"},
        Case{{"divide"},
             "'divide' is not one of "
             "atax|aatx|weights|logistic|gemv|gemvt|gemv-both|transpose|gemm|atax-block"},
        Case{{"logistic", "a.npy"}, "bench: logistic expected random matrices, found a.npy"},
        Case{{"gemv-both", "--check"},
             "--check: results of gemv-both are compared with Tessera's only"},
        Case{{"gemv", "--shapes", "4x"}, "--shapes: '4x' is no shape"},
        Case{{"gemv", "--teams", "8"}, "--teams: '8' is no team"},
        Case{{"gemv", "--teams", "8x0"}, "'8x0' is no team"},
        Case{{"gemv", "--shapes", "8x8", "--variants", "fastest"}, "'fastest' is no variant"},
        Case{{"gemv", "--shapes", "8x8", "--variants", "column-tile-static"}, "is no variant"},
        Case{{"atax", "--shapes", "8x8", "--variants", "tile"}, "it has none"},
        Case{{"transpose", "--layout", "column-major"},
             "--layout: a transpose is measured row-major"},
        Case{{"gemv", "--type", "half"}, "'half' is not one of f32|f64"},
        Case{{"gemv", "--format", "xml"}, "'xml' is not one of text|json|csv"}}) {
    auto const result = bench(arguments);
    EXPECT_EQ(result.status, 2) << message;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(message));
  }
}

TEST_F(BenchTest, caches_can_be_told_on_gpus_alone) {
  json const plain = report({"gemv", "--shapes", "8x8"});
  EXPECT_TRUE(plain.at("cache_preference").is_null());
  if (plain.at("backend") == "cuda") {
    EXPECT_EQ(
        report({"gemv", "--shapes", "8x8", "--cache-preference", "l1"}).at("cache_preference"),
        "l1");
  } else {
    auto const result = bench({"gemv", "--shapes", "8x8", "--cache-preference", "l1"});
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.err, HasSubstr("--cache-preference: expected the backend cuda, found "));
  }
}

}  // namespace
}  // namespace tessera::test
