// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace tessera::test {
namespace {

using nlohmann::json;

class ReportTest : public ProgramTest {
 protected:
  ReportTest() {
    if (run({"gen", "--rows", "64", "--cols", "40", "--output", "a.npy"}).status != 0) {
      throw std::runtime_error("gen failed");
    }
  }
  json report(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--vector", "a-vector.npy", "--format", "json"});
    auto const result = run(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return json::parse(result.out);
  }
};

/// Such as "seconds.min"; an array counts as its first element.
std::vector<std::string> keys_of(nlohmann::ordered_json const& object) {
  std::vector<std::string> keys;
  for (auto const& [key, value] : object.items()) {
    keys.push_back(key);
    auto const& inner = value.is_array() && !value.empty() ? value[0] : value;
    if (!inner.is_object()) continue;
    for (auto const& each : keys_of(inner)) keys.push_back(key + "." + each);
  }
  return keys;
}

std::vector<std::string> words_of(std::string const& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

class ExactReportTest : public ReportTest {
 protected:
  std::vector<std::string> keys(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--format", "json"});
    auto const result = run(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    return keys_of(nlohmann::ordered_json::parse(result.out));
  }
  std::vector<std::vector<std::string>> table(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--format", "csv"});
    auto const result = run(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    std::istringstream lines(result.out);
    std::vector<std::vector<std::string>> rows;
    for (std::string line; std::getline(lines, line);) {
      std::vector<std::string> fields(1);
      bool quoted = false;
      for (char const c : line) {
        if (c == '"') quoted = !quoted;
        if (c == ',' && !quoted) {
          fields.emplace_back();
        } else if (c != '"') {
          fields.back() += c;
        }
      }
      rows.push_back(fields);
    }
    return rows;
  }
};

std::string const verdict_keys =
    " check.passed check.verdict check.elements check.failed check.not_judged "
    "check.which_not_judged check.greatest_error_in_bounds "
    "check.index check.value check.reference check.bound check.greatest_error_in_ulp "
    "check.ulp_index check.seconds ";

TEST_F(ExactReportTest, json_of_products_with_a_vector) {
  std::string const start =
      "operation method kernels backend backend_why device rows cols type layout seconds "
      "seconds.min "
      "seconds.median seconds.max seconds.repeats stages stages.name stages.seconds bytes gb_per_s "
      "sha256 check";
  std::string const middle = " version input vector read_seconds plan ";
  std::string const plan = "plan.name plan.teams plan.team_size plan.panels plan.lines_per_panel ";
  for (std::string const command : {"atax", "gemv", "gemvt"}) {
    EXPECT_EQ(keys({command, "a.npy", "--check"}),
              words_of(start + verdict_keys + middle + plan +
                       "tuning output intermediate cache_preference stream stored_type held_type "
                       "vector_stored_type terms vectors second_sha256 ranks exchange notices"))
        << command;
  }
  EXPECT_EQ(keys({"gemv", "a.npy", "--checkpoint", "s"}),
            words_of(start + middle +
                     "tuning output intermediate cache_preference stream stream.blocks "
                     "stream.block_bytes stream.bytes_read stream.memory_limit stream.first_block "
                     "stream.why stored_type held_type vector_stored_type terms vectors "
                     "second_sha256 ranks exchange notices"));
}

TEST_F(ReportTest, that_goes_to_stderr_is_alone_there_and_has_the_notices) {
  std::vector<std::string> const streamed{"atax", "a.npy", "--checkpoint", "s", "--output", "-"};
  auto const result = run(streamed + std::vector<std::string>{"--format", "json"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("\x93NUMPY"));
  auto const notices = json::parse(result.err)["notices"];
  ASSERT_EQ(notices.size(), 2u) << notices;
  EXPECT_THAT(notices[0].get<std::string>(), HasSubstr("a.npy is streamed: "));
  EXPECT_EQ(notices[1], "no vector was given: V is all ones");

  auto const csv = run({"atax", "a.npy", "--output", "-", "--format", "csv"}).err;
  EXPECT_EQ(std::ranges::count(csv, '\n'), 2) << csv;
  EXPECT_THAT(csv, HasSubstr(",no vector was given: V is all ones\n"));

  auto const cut = run({"lstsq", "a.npy", "a.npy:0", "--format", "json"});
  EXPECT_NE(cut.status, 0);
  EXPECT_TRUE(cut.err.starts_with("tessera: "));
  ASSERT_EQ(run({"gen", "--rows", "64", "--cols", "1", "--output", "b.npy"}).status, 0);
  auto const unfinished =
      run({"lstsq", "a.npy", "b.npy", "--maxiter", "1", "--output", "-", "--format", "json"});
  EXPECT_EQ(unfinished.status, 1);
  EXPECT_THAT(json::parse(unfinished.err)["notices"][0].get<std::string>(),
              HasSubstr("lsmr did not converge: "));
  auto const both = run({"atax", "a.npy", "--format", "json"});
  EXPECT_EQ(both.err, "tessera: no vector was given: V is all ones\n");
  EXPECT_EQ(json::parse(both.out)["notices"].size(), 1u);
}

TEST_F(ReportTest, that_is_missing_leaves_its_notices_on_stderr) {
  write("z.npy", npy("<f4", "(3,)", std::string(12, '\0')));
  auto const result = run({"atax", "a.npy", "--checkpoint", "s", "--add", "z.npy", "--output", "-",
                           "--format", "json"});
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.err, HasSubstr("tessera: a.npy is streamed: "));
  EXPECT_THAT(result.err, HasSubstr("tessera: z.npy: has a vector of the wrong length"));
}

TEST_F(ReportTest, goes_to_a_file_of_its_own) {
  ASSERT_EQ(run({"gen", "--rows", "64", "--cols", "1", "--output", "b.npy"}).status, 0);
  for (std::vector<std::string> const& command :
       {std::vector<std::string>{"atax", "a.npy", "--output", "c.npy"},
        {"atax", "a.npy", "--output", "-"},
        {"transpose", "a.npy", "-"},
        {"gemm", "a.npy", "a.npy", "-"},
        {"lstsq", "a.npy", "b.npy"},
        {"svd", "a.npy", "-k", "2"},
        {"fit", "linear", "a.npy", "b.npy", "--penalty", "1"}}) {
    if (command[0] == "gemm") {
      ASSERT_EQ(run({"gen", "--rows", "40", "--cols", "40", "--output", "a2.npy"}).status, 0);
    }
    auto words = command + std::vector<std::string>{"--format", "json", "--report", "r.json"};
    if (command[0] == "gemm") words[2] = "a2.npy";
    auto const result = run(words);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(json::parse(read("r.json"))["operation"], command[0]);
    EXPECT_THAT(result.out, testing::Not(HasSubstr("operation")));
    EXPECT_THAT(result.err, testing::Not(HasSubstr("operation")));
    std::filesystem::remove(path("r.json"));
  }
  for (std::string const name : {"a.npy", "c.npy"}) {
    EXPECT_EQ(run({"atax", "a.npy", "--output", "c.npy", "--report", name}).status, 2);
  }
  auto const missing = run({"atax", "a.npy", "--report", "no-folder/r"});
  EXPECT_EQ(missing.status, 3);
  EXPECT_EQ(missing.out, "");
}

TEST_F(ExactReportTest, json_of_matrices) {
  std::string const start =
      "operation method kernels backend backend_why device inputs inputs.name inputs.file "
      "inputs.rows "
      "inputs.cols inputs.type inputs.layout inputs.stored_type result result.name result.file "
      "result.rows result.cols result.type result.layout result.stored_type seconds seconds.min "
      "seconds.median seconds.max "
      "seconds.repeats stages stages.name stages.seconds bytes gb_per_s flops gflop_per_s sha256 "
      "check";
  std::string const end = " version read_seconds tuning cache_preference notices";
  EXPECT_EQ(
      keys({"transpose", "a.npy", "t.npy", "--check"}),
      words_of(start + " check.passed check.verdict check.elements check.failed check.seconds" +
               end));
  EXPECT_EQ(keys({"gemm", "a.npy", "t.npy", "g.npy", "--check"}),
            words_of(start + verdict_keys + end));
  EXPECT_EQ(keys({"gemm", "a.npy", "t.npy", "g.npy"}), words_of(start + end));
}

TEST_F(ExactReportTest, json_of_a_check) {
  ASSERT_EQ(run({"gemv", "a.npy", "--output", "b.npy"}).status, 0);
  EXPECT_EQ(keys({"check", "a.npy", "b.npy", "--operation", "gemv"}),
            words_of("operation rows cols type layout check" + verdict_keys +
                     "version input result vector read_seconds stored_type vector_stored_type "
                     "terms vectors notices"));
}

TEST_F(ExactReportTest, json_of_a_measurement) {
  auto found = keys({"bench", "gemv", "--shapes", "8x8+1", "--repeat", "1", "--seconds", "0",
                     "--variants", "none"});
  std::erase_if(found, [](auto const& key) { return key.starts_with("context."); });
  EXPECT_EQ(
      found,
      words_of("operation files is_turned vector most_teams backend type layout "
               "cache_preference turns seconds_of_turn context "
               "tables tables.rows tables.cols tables.padding tables.why_not tables.bytes "
               "tables.flops tables.copies tables.stream tables.stream.name "
               "tables.stream.seconds tables.stream.gb_per_s tables.results "
               "tables.results.name tables.results.kind tables.results.team tables.results.tile "
               "tables.results.is_copy tables.results.repeats tables.results.check "
               "tables.results.reference tables.results.sha256 tables.results.wrong "
               "tables.results.why_not tables.results.seconds "
               "tables.results.seconds.min tables.results.seconds.median "
               "tables.results.seconds.max tables.results.host_seconds "
               "tables.results.kernels tables.results.calls tables.results.gb_per_s "
               "tables.results.gflop_per_s tables.results.share tables.results.speed_up"));
}

TEST_F(ExactReportTest, json_of_the_program) {
  auto found = keys({"info"});
  std::erase_if(found, [](auto const& key) { return key.starts_with("devices."); });
  EXPECT_EQ(found, words_of("version commit kokkos processor profile instructions compiled_for "
                            "avx512_loops available_bytes hdf5 mpi backends backends.name "
                            "backends.device backends.threads backends.scratch_level0 "
                            "backends.scratch_level1 devices"));
}

TEST_F(ExactReportTest, csv_of_products_has_every_column_in_its_place) {
  auto const rows =
      table({"gemv", "a.npy", "--vector", "a-vector.npy", "--check", "--repeat", "3"});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0],
            words_of("operation method kernels backend device rows cols type layout seconds_min "
                     "seconds_median seconds_max repeats bytes gb_per_s sha256 check version input "
                     "vector read_seconds cache_preference blocks stored_type "
                     "vector_stored_type map map_vector alpha beta add vectors notices"));
  ASSERT_EQ(rows[1].size(), rows[0].size());
  auto const field = [&](std::string const& name) {
    auto const place = std::ranges::find(rows[0], name) - rows[0].begin();
    return rows[1][static_cast<std::size_t>(place)];
  };
  auto const number = [&](std::string const& name) { return std::stod(field(name)); };
  std::vector<std::pair<std::string, std::string>> const expected = {
      {"operation", "gemv"},    {"method", "one-stage"},
      {"rows", "64"},           {"cols", "40"},
      {"type", "f32"},          {"layout", "row-major"},
      {"repeats", "3"},         {"check", "passed"},
      {"input", "a.npy"},       {"vector", "a-vector.npy"},
      {"cache_preference", ""}, {"blocks", "0"},
      {"stored_type", "f32"},   {"vector_stored_type", "f32"}};
  for (auto const& [name, value] : expected) EXPECT_EQ(field(name), value) << name;
  EXPECT_LE(number("seconds_min"), number("seconds_median"));
  EXPECT_LE(number("seconds_median"), number("seconds_max"));
  EXPECT_NEAR(number("gb_per_s"), number("bytes") / number("seconds_median") * 1e-9,
              1e-6 * number("gb_per_s"));
  EXPECT_EQ(field("sha256").size(), 64u);
  EXPECT_GT(number("read_seconds"), 0);
  EXPECT_THAT(field("device"), HasSubstr("thread"));
  EXPECT_THAT(run({"--version"}).out, HasSubstr("tessera " + field("version") + " "));
  EXPECT_THAT(run({"info"}).out, HasSubstr("backend       " + field("backend")));
}

TEST_F(ExactReportTest, csv_of_a_check_has_every_column_in_its_place) {
  ASSERT_EQ(run({"gemvt", "a.npy", "--output", "c.npy"}).status, 0);
  auto const rows = table({"check", "a.npy", "c.npy", "--operation", "gemvt"});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0], words_of("operation rows cols type layout check failed not_judged "
                              "greatest_error_in_bounds greatest_error_in_ulp index version input "
                              "result vector stored_type vector_stored_type map map_vector alpha "
                              "beta add vectors notices"));
  ASSERT_EQ(rows[1].size(), rows[0].size());
  auto exact = rows[1];
  EXPECT_LE(std::stod(exact[8]), 1);
  EXPECT_LT(std::stoi(exact[10]), 40);
  exact[8] = exact[9] = exact[10] = exact[11] = "";
  EXPECT_EQ(
      exact,
      (std::vector<std::string>{
          "gemvt", "64",    "40",   "f32", "row-major", "passed",
          "0",     "0",     "",     "",    "",          "",
          "a.npy", "c.npy", "ones", "f32", "",          "",
          "",      "1",     "0",    "",    "1",         "no vector was given: B is all ones"}));
}

TEST_F(ExactReportTest, csv_of_a_measurement_has_every_column_in_its_place) {
  auto const rows = table({"bench", "gemv", "--shapes", "8x9", "--repeat", "1", "--seconds", "0",
                           "--variants", "team-atomic", "--teams", "1x1", "--type", "f64"});
  ASSERT_GE(rows.size(), 3u);
  EXPECT_EQ(
      rows[0],
      words_of("operation shape type layout backend device name kind team tile "
               "repeats check reference why_not seconds_min seconds_median seconds_max gb_per_s "
               "gflop_per_s share speed_up stream stream_seconds"));
  bool found = false;
  for (auto const& row : rows) {
    if (row.size() < 23 || row[6] != "team-atomic") continue;
    found = true;
    EXPECT_EQ(std::vector(row.begin(), row.begin() + 4),
              (std::vector<std::string>{"gemv", "8x9", "f64", "row-major"}));
    EXPECT_EQ(std::vector(row.begin() + 7, row.begin() + 11),
              (std::vector<std::string>{"variant", "1x1", "", "no"}));
    EXPECT_EQ(row[13], "");
    EXPECT_EQ(row[14], row[16]);  // with one turn all times are equal
    double const seconds = std::stod(row[15]);
    EXPECT_NEAR(std::stod(row[17]) * seconds * 1e9, 8 * (8 * 9 + 9 + 8), 1e-2);
    EXPECT_NEAR(std::stod(row[18]) * seconds * 1e9, 2 * 8 * 9, 1e-2);
    EXPECT_NEAR(std::stod(row[19]) * seconds, std::stod(row[22]), 1e-6 * seconds);
    EXPECT_EQ(row[21], "read stream");
  }
  EXPECT_TRUE(found);
}

TEST_F(ReportTest, json_has_the_stable_keys_with_their_types) {
  json const r = report({"atax", "a.npy", "--method", "two-stage", "--repeat", "3"});
  EXPECT_EQ(r.at("operation"), "atax");
  EXPECT_EQ(r.at("method"), "two-stage");
  EXPECT_TRUE(r.at("backend").is_string());
  EXPECT_GT(r.at("backend_why").get<std::string>().size(), 20u);
  EXPECT_THAT(r.at("device").get<std::string>(), HasSubstr("thread"));
  EXPECT_EQ(r.at("rows"), 64);
  EXPECT_EQ(r.at("cols"), 40);
  EXPECT_EQ(r.at("type"), "f32");
  EXPECT_EQ(r.at("layout"), "row-major");
  auto const& seconds = r.at("seconds");
  EXPECT_EQ(seconds.at("repeats"), 3);
  EXPECT_GT(seconds.at("min").get<double>(), 0);
  EXPECT_LE(seconds.at("min").get<double>(), seconds.at("median").get<double>());
  EXPECT_LE(seconds.at("median").get<double>(), seconds.at("max").get<double>());
  ASSERT_EQ(r.at("stages").size(), 2u);
  EXPECT_EQ(r.at("stages")[0].at("name"), "multiply");
  EXPECT_EQ(r.at("stages")[1].at("name"), "multiply_transposed");
  EXPECT_GT(r.at("stages")[0].at("seconds").get<double>(), 0);
  EXPECT_EQ(r.at("bytes"), 4 * (2 * 64 * 40 + 2 * 40 + 2 * 64));
  EXPECT_NEAR(r.at("gb_per_s").get<double>(),
              r.at("bytes").get<double>() / seconds.at("median").get<double>() * 1e-9, 1e-9);
  EXPECT_EQ(r.at("sha256").get<std::string>().size(), 64u);
  EXPECT_TRUE(r.at("check").is_null());
  EXPECT_THAT(run({"--version"}).out, HasSubstr(r.at("version").get<std::string>()));
  EXPECT_EQ(r.at("input"), "a.npy");
  EXPECT_EQ(r.at("vector"), "a-vector.npy");
  EXPECT_GT(r.at("read_seconds").get<double>(), 0);
  EXPECT_GT(r.at("plan")[0].at("teams").get<int>(), 0);
  EXPECT_TRUE(r.at("output").is_null());
}

TEST_F(ReportTest, backend_that_was_asked_for_needs_no_reason) {
  std::string const backend = report({"atax", "a.npy"}).at("backend");
  json const r = report({"atax", "a.npy", "--backend", backend});
  EXPECT_EQ(r.at("backend"), backend);
  EXPECT_TRUE(r.at("backend_why").is_null());
}

TEST_F(ReportTest, fused_is_one_stage_that_reads_the_matrix_once) {
  json const r = report({"atax", "a.npy", "--method", "fused"});
  EXPECT_EQ(r.at("method"), "fused");
  EXPECT_EQ(r.at("stages").size(), 1u);
  EXPECT_EQ(r.at("bytes"), 4 * (64 * 40 + 2 * 40));
  EXPECT_EQ(r.at("plan")[0].at("panels"), 8);
  EXPECT_EQ(r.at("plan")[0].at("lines_per_panel"), 8);
}

TEST_F(ReportTest, default_is_five_runs) {
  EXPECT_EQ(report({"gemv", "a.npy"}).at("seconds").at("repeats"), 5);
}

TEST_F(ReportTest, sha256_is_of_the_raw_elements_of_the_result) {
  json const r = report({"gemv", "a.npy", "--output", "b.bin", "--type", "f64"});
  EXPECT_EQ(r.at("sha256"), sha256_of("b.bin"));
  EXPECT_EQ(r.at("type"), "f64");
  EXPECT_EQ(r.at("output"), "b.bin");
  EXPECT_EQ(r.at("method"), "one-stage");
  EXPECT_EQ(r.at("bytes"), 8 * (64 * 40 + 40 + 64));
}

TEST_F(ReportTest, check_gives_the_verdict_as_an_object) {
  json const check = report({"atax", "a.npy", "--check"}).at("check");
  EXPECT_EQ(check.at("passed"), true);
  EXPECT_EQ(check.at("elements"), 40);
  EXPECT_EQ(check.at("failed"), 0);
  EXPECT_LE(check.at("greatest_error_in_bounds").get<double>(), 1);
  EXPECT_GE(check.at("greatest_error_in_ulp").get<double>(), 0);
  EXPECT_LT(check.at("index").get<int>(), 40);
}

TEST_F(ReportTest, types_that_were_converted_are_named) {
  write("i.npy", npy("<i2", "(2, 2)", bytes_of<std::int16_t>({1, -2, 3, 4})));
  write("h.npy", npy("<f2", "(2,)", bytes_of<std::uint16_t>({0x3c00, 0xc000})));  // 1, -2
  std::vector<std::string> const words{"gemv", "i.npy", "--vector", "h.npy"};
  auto const with = [&](std::vector<std::string> arguments,
                        std::vector<std::string> const& more = {"--format", "json"}) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    auto done = run(arguments);
    EXPECT_EQ(done.status, 0) << done.err;
    return done;
  };
  auto const result = with(words, {"--output", "b.npy", "--check"});
  EXPECT_THAT(result.out,
              HasSubstr("2 rows x 2 columns, f32 (int16 in the file and in memory), row-major"));
  EXPECT_THAT(result.out, HasSubstr("h.npy (float16 in the file), 2 entries"));
  EXPECT_EQ(last_elements<float>("b.npy", 2), (std::vector<float>{5, -5}));
  json const r = json::parse(with(words).out);
  EXPECT_EQ(r.at("type"), "f32");
  EXPECT_EQ(r.at("stored_type"), "int16");
  EXPECT_EQ(r.at("vector_stored_type"), "float16");
  json const own = report({"gemv", "a.npy"});
  EXPECT_EQ(own.at("stored_type"), "f32");
  EXPECT_EQ(own.at("vector_stored_type"), "f32");
  json const ones = json::parse(with({"gemv", "a.npy"}).out);
  EXPECT_TRUE(ones.at("vector_stored_type").is_null());
  json const moved = json::parse(with({"transpose", "i.npy", "t.npy"}).out);
  EXPECT_EQ(moved.at("inputs")[0].at("stored_type"), "int16");
  EXPECT_TRUE(moved.at("result").at("stored_type").is_null());
  json const verdict = json::parse(
      with({"check", "i.npy", "b.npy", "--operation", "gemv", "--vector", "h.npy"}).out);
  EXPECT_EQ(verdict.at("stored_type"), "int16");
  EXPECT_EQ(verdict.at("vector_stored_type"), "float16");
}

TEST_F(ReportTest, layout_left_is_named) {
  ASSERT_EQ(
      run({"gen", "--rows", "64", "--cols", "40", "--layout", "column-major", "--output", "f.npy"})
          .status,
      0);
  EXPECT_EQ(report({"atax", "f.npy", "--check"}).at("layout"), "column-major");
}

TEST_F(ReportTest, csv_is_a_header_and_one_row_of_as_many_fields) {
  auto const result = run({"gemvt", "a.npy", "--format", "csv", "--check"});
  ASSERT_EQ(result.status, 0) << result.err;
  std::istringstream lines(result.out);
  std::string header, row, more;
  ASSERT_TRUE(std::getline(lines, header) && std::getline(lines, row));
  EXPECT_FALSE(std::getline(lines, more));
  EXPECT_TRUE(header.starts_with(
      "operation,method,kernels,backend,device,rows,cols,type,layout,seconds_min,"))
      << header;
  EXPECT_TRUE(row.starts_with("gemvt,one-stage,")) << row;
  EXPECT_THAT(row, HasSubstr(",64,40,f32,row-major,"));
  EXPECT_THAT(row, HasSubstr(",passed,"));
  bool quoted = false;
  std::vector<long> commas(1);
  for (char const c : row) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted) ++commas[0];
  }
  EXPECT_EQ(commas[0], std::count(header.begin(), header.end(), ','));
}

TEST_F(ReportTest, text_says_what_ran_and_how_it_was_cut) {
  auto const result =
      run({"atax", "a.npy", "--vector", "a-vector.npy", "--check", "--output", "c.npy"});
  EXPECT_EQ(result.err, "");
  for (auto const* const part :
       {"C = Aᵀ·(A·V)   a.npy", "64 rows x 40 columns, f32, row-major", "a-vector.npy, 40 entries",
        "backend", "method", "8 panels of 8 rows", "team", "median of 5", "reading took", "GB/s",
        "SHA-256", "check        passed: greatest error", "c.npy"}) {
    EXPECT_THAT(result.out, HasSubstr(part));
  }
}

TEST_F(ReportTest, report_that_cannot_be_printed_is_a_file_error) {
  auto const result = run({"atax", "a.npy", "--vector", "a-vector.npy"}, {.out_file = "/dev/full"});
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.err, HasSubstr("tessera: standard output"));
}

}  // namespace
}  // namespace tessera::test
