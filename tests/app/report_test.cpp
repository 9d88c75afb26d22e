// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace tessera::test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
    return json::parse(result.out);  // throws when anything else is on stdout
  }
};

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
  EXPECT_EQ(r.at("layout"), "right");
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
  EXPECT_THAT(result.out, HasSubstr("2 rows x 2 columns, f32 (int16 in the file), rows"));
  EXPECT_THAT(result.out, HasSubstr("h.npy (float16 in the file), 2 entries"));
  EXPECT_EQ(last_elements<float>("b.npy", 2), (std::vector<float>{5, -5}));
  json const r = json::parse(with(words).out);
  EXPECT_EQ(r.at("type"), "f32");
  EXPECT_EQ(r.at("stored_type"), "int16");
  EXPECT_EQ(r.at("vector_stored_type"), "float16");
  json const own = report({"gemv", "a.npy"});
  EXPECT_EQ(own.at("stored_type"), "f32");
  EXPECT_TRUE(own.at("vector_stored_type").is_null());
  json const moved = json::parse(with({"transpose", "i.npy", "t.npy"}).out);
  EXPECT_EQ(moved.at("inputs")[0].at("stored_type"), "int16");
  EXPECT_TRUE(moved.at("result").at("stored_type").is_null());
  json const verdict = json::parse(
      with({"check", "i.npy", "b.npy", "--operation", "gemv", "--vector", "h.npy"}).out);
  EXPECT_EQ(verdict.at("stored_type"), "int16");
  EXPECT_EQ(verdict.at("vector_stored_type"), "float16");
}

TEST_F(ReportTest, layout_left_is_named) {
  ASSERT_EQ(run({"gen", "--rows", "64", "--cols", "40", "--order", "fortran", "--output", "f.npy"})
                .status,
            0);
  EXPECT_EQ(report({"atax", "f.npy", "--check"}).at("layout"), "left");
}

TEST_F(ReportTest, csv_is_a_header_and_one_row_of_as_many_fields) {
  auto const result = run({"gemvt", "a.npy", "--format", "csv", "--check"});
  ASSERT_EQ(result.status, 0) << result.err;
  std::istringstream lines(result.out);
  std::string header, row, more;
  ASSERT_TRUE(std::getline(lines, header) && std::getline(lines, row));
  EXPECT_FALSE(std::getline(lines, more));
  EXPECT_TRUE(
      header.starts_with("operation,method,backend,device,rows,cols,type,layout,seconds_min,"))
      << header;
  EXPECT_TRUE(row.starts_with("gemvt,one-stage,")) << row;
  EXPECT_THAT(row, HasSubstr(",64,40,f32,right,"));
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
       {"C = Aᵀ·(A·V)   a.npy", "64 rows x 40 columns, f32, rows contiguous (LayoutRight)",
        "a-vector.npy, 40 entries", "backend", "method", "8 panels of 8 rows", "team",
        "median of 5", "reading took", "GB/s", "SHA-256", "check        passed: greatest error",
        "c.npy"}) {
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
