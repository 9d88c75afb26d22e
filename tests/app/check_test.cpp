// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace tessera::test {
namespace {

class CheckTest : public ProgramTest {
 protected:
  CheckTest() {
    must({"gen", "--rows", "200", "--cols", "100", "--distribution", "uniform", "--output",
          "a.npy"});
    must({"atax", "a.npy", "--vector", "a-vector.npy", "--output", "c.bin", "--intermediate",
          "b.npy"});
    must({"gemvt", "a.npy", "--vector", "b.npy", "--output", "t.npy"});
  }
  void must(std::vector<std::string> const& arguments) const {
    auto const result = run(arguments);
    if (result.status != 0) throw std::runtime_error(result.err);
  }
  RunResult check(std::string const& result) const {
    return run({"check", "a.npy", result, "--vector", "a-vector.npy"});
  }
  void spoil(std::string const& name, float value) const {
    auto elements = last_elements<float>("c.bin", 100);
    elements[17] = value;
    write(name, bytes_of(elements));
  }
};

TEST_F(CheckTest, right_results_pass) {
  auto const atax = check("c.bin");
  EXPECT_EQ(atax.status, 0) << atax.out << atax.err;
  EXPECT_THAT(atax.out, HasSubstr("passed: greatest error 0."));
  EXPECT_THAT(atax.out, HasSubstr("0 of 100 fail"));
  EXPECT_EQ(
      run({"check", "a.npy", "b.npy", "--operation", "gemv", "--vector", "a-vector.npy"}).status,
      0);
  EXPECT_EQ(run({"check", "a.npy", "t.npy", "--operation", "gemvt", "--vector", "b.npy"}).status,
            0);
  must({"aatx", "a.npy", "--vector", "b.npy", "--output", "u.npy", "--check"});
  std::vector<std::string> const aatx = {"check", "a.npy",    "u.npy", "--operation",
                                         "aatx",  "--vector", "b.npy"};
  EXPECT_EQ(run(aatx).status, 0);
  EXPECT_THAT(run(aatx + std::vector<std::string>{"--alpha", "2"}).err,
              HasSubstr("--alpha: expected --operation atax, found aatx"));
  must({"gemv", "a.npy", "--vector", "a-vector.npy", "--output", "u.npy"});
  EXPECT_EQ(run(aatx).status, 1);
}

TEST_F(CheckTest, a_wrong_element_fails_and_is_named) {
  float const right = last_elements<float>("c.bin", 100)[17];
  spoil("bad.bin", right * 1.01f);
  auto const result = check("bad.bin");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, HasSubstr("FAILED: greatest error "));
  EXPECT_THAT(result.out, HasSubstr("of the bound at element 17"));
  EXPECT_THAT(result.out, HasSubstr("1 of 100 fail"));
  EXPECT_THAT(result.out, HasSubstr("element 17 is "));
}

TEST_F(CheckTest, an_error_just_above_the_bound_fails_and_one_below_passes) {
  auto const report =
      run({"check", "a.npy", "c.bin", "--vector", "a-vector.npy", "--format", "json"});
  spoil("zero.bin", 1e30f);
  auto const worst =
      nlohmann::json::parse(
          run({"check", "a.npy", "zero.bin", "--vector", "a-vector.npy", "--format", "json"}).out)
          .at("check");
  ASSERT_EQ(worst.at("index"), 17);
  double const reference = worst.at("reference"), bound = worst.at("bound");
  EXPECT_LT(bound, std::fabs(reference));
  spoil("above.bin", static_cast<float>(reference + 1.01 * bound));
  EXPECT_EQ(check("above.bin").status, 1);
  spoil("below.bin", static_cast<float>(reference + 0.99 * bound));
  EXPECT_EQ(check("below.bin").status, 0);
}

TEST_F(CheckTest, nan_and_infinity_where_a_number_belongs_fail) {
  for (float const value :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    spoil("bad.bin", value);
    auto const result = check("bad.bin");
    EXPECT_EQ(result.status, 1);
    EXPECT_THAT(result.out, HasSubstr("greatest error inf of the bound at element 17"));
  }
}

TEST_F(CheckTest, another_vector_or_operation_fails) {
  EXPECT_EQ(run({"check", "a.npy", "c.bin"}).status, 1);
  EXPECT_EQ(run({"check", "a.npy", "c.bin", "--operation", "gemvt"}).status, 1);
}

TEST_F(CheckTest, result_of_the_wrong_length_is_bad_input) {
  write("short.bin", std::string(396, '\0'));
  auto const result = check("short.bin");
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.err, HasSubstr("tessera: short.bin: "));
  EXPECT_THAT(result.err, HasSubstr("100"));
  EXPECT_EQ(run({"check", "a.npy", "c.bin", "--operation", "gemv"}).status, 3);
}

TEST_F(CheckTest, double_results_of_a_float_file_are_judged_as_double) {
  must({"atax", "a.npy", "--vector", "a-vector.npy", "--type", "f64", "--output", "d.bin"});
  auto const right = check("d.bin");
  EXPECT_EQ(right.status, 0) << right.out;
  EXPECT_THAT(right.out, HasSubstr("f64"));
  auto elements = last_elements<double>("d.bin", 100);
  elements[3] = static_cast<double>(static_cast<float>(elements[3]));
  write("d.bin", bytes_of(elements));
  EXPECT_EQ(check("d.bin").status, 1);
}

TEST_F(CheckTest, json_and_csv_carry_the_verdict) {
  auto const json = nlohmann::json::parse(
      run({"check", "a.npy", "c.bin", "--vector", "a-vector.npy", "--format", "json"}).out);
  EXPECT_EQ(json.at("operation"), "atax");
  EXPECT_EQ(json.at("check").at("passed"), true);
  EXPECT_EQ(json.at("result"), "c.bin");
  auto const csv = run({"check", "a.npy", "c.bin", "--vector", "a-vector.npy", "--format", "csv"});
  EXPECT_THAT(csv.out, HasSubstr("operation,rows,cols,type,layout,check,failed,"));
  EXPECT_THAT(csv.out, HasSubstr("\natax,200,100,f32,row-major,passed,0,"));
}

class OverflowTest : public ProgramTest {
 protected:
  static constexpr float largest = std::numeric_limits<float>::max();
  static constexpr float infinity = std::numeric_limits<float>::infinity();

  OverflowTest() {
    // Whether row 1 overflows depends on the order of summation.
    write("m.npy", npy("<f4", "(3, 2)", bytes_of<float>({1, 1, largest, -largest, 1, 2})));
    write("v.npy", npy("<f4", "(2,)", bytes_of<float>({2, 2})));
  }
  RunResult check_atax(std::vector<float> const& result) const {
    write("c.npy", npy("<f4", "(4,)", bytes_of(result)));
    return run({"check", "big.npy", "c.npy"});
  }
  void expect_not_judged(RunResult const& result) const {
    EXPECT_EQ(result.status, 1) << result.err;
    EXPECT_THAT(result.out,
                HasSubstr("check        NOT JUDGED: greatest error 0 of the bound at element 0, 0 "
                          "ulp at element 0; 0 of 3 fail; 1 of 3 not judged, element 1 the first: "
                          "rounding and the order of summation decide whether it is a number, an "
                          "infinity or NaN\n"));
    EXPECT_THAT(result.out, Not(HasSubstr("should be")));
  }
};

TEST_F(OverflowTest, zeros_where_all_orders_overflow_fail_and_infinity_passes) {
  write("big.npy", npy("<f4", "(8, 4)", bytes_of(std::vector<float>(32, 4e18f))));
  auto const zeros = check_atax({0, 0, 0, 0});
  EXPECT_EQ(zeros.status, 1);
  EXPECT_THAT(zeros.out, HasSubstr("FAILED: greatest error inf of the bound at element 0"));
  EXPECT_THAT(zeros.out, HasSubstr("4 of 4 fail"));
  EXPECT_THAT(zeros.out, HasSubstr("element 0 is 0, should be inf"));
  EXPECT_EQ(check_atax(std::vector<float>(4, infinity)).status, 0);
  EXPECT_EQ(check_atax({infinity, infinity, -infinity, infinity}).status, 1);
  EXPECT_EQ(run({"atax", "big.npy", "--check", "--output", "o.npy"}).status, 0);
}

TEST_F(OverflowTest, numbers_are_judged_though_magnitudes_are_beyond_range) {
  write("b.npy", npy("<f4", "(3,)", bytes_of<float>({4, 0, 6})));
  EXPECT_EQ(run({"check", "m.npy", "b.npy", "--operation", "gemv", "--vector", "v.npy"}).status, 0);
  write("b.npy", npy("<f4", "(3,)", bytes_of<float>({4, largest, 6})));
  EXPECT_EQ(run({"check", "m.npy", "b.npy", "--operation", "gemv", "--vector", "v.npy"}).status, 1);
}

TEST_F(OverflowTest, what_nobody_can_judge_has_status_1_in_every_command) {
  auto const gemv = run({"gemv", "m.npy", "--vector", "v.npy", "--output", "b.npy", "--check"});
  expect_not_judged(gemv);
  expect_not_judged(run({"check", "m.npy", "b.npy", "--operation", "gemv", "--vector", "v.npy"}));
  auto const bench = run({"bench", "gemv", "m.npy", "--vector", "v.npy", "--variants", "atomic",
                          "--repeat", "1", "--seconds", "0", "--check"});
  EXPECT_EQ(bench.status, 1);
  EXPECT_THAT(bench.out, HasSubstr("NOT JUDGED"));
  write("column.npy", npy("<f4", "(2, 1)", bytes_of<float>({2, 2})));
  expect_not_judged(run({"gemm", "m.npy", "column.npy", "product.npy", "--check"}));
}

TEST_F(OverflowTest, json_and_csv_say_what_is_not_judged_and_why) {
  std::vector<std::string> const gemv{"gemv", "m.npy", "--vector", "v.npy", "--check", "--format"};
  auto const with = [&](std::string const& format) {
    auto arguments = gemv;
    arguments.push_back(format);
    return run(arguments);
  };
  auto const json = with("json");
  EXPECT_EQ(json.status, 1);
  auto const check = nlohmann::json::parse(json.out).at("check");
  EXPECT_EQ(check.at("passed"), false);
  EXPECT_EQ(check.at("verdict"), "not judged");
  EXPECT_EQ(check.at("failed"), 0);
  EXPECT_EQ(check.at("not_judged"), 1);
  EXPECT_EQ(
      check.at("which_not_judged"),
      nlohmann::json::parse(R"([{"first": 1, "last": 1, "why": "rounding and the order of )"
                            R"(summation decide whether it is a number, an infinity or NaN"}])"));
  auto const csv = with("csv");
  EXPECT_EQ(csv.status, 1);
  EXPECT_THAT(csv.out, HasSubstr(",not judged,"));
}

TEST_F(OverflowTest, where_nothing_is_judged_there_is_no_greatest_error) {
  write("row.npy", npy("<f4", "(1, 2)", bytes_of<float>({largest, -largest})));
  write("b.npy", npy("<f4", "(1,)", bytes_of<float>({infinity})));
  std::vector<std::string> const check{"check", "row.npy",  "b.npy", "--operation",
                                       "gemv",  "--vector", "v.npy", "--format"};
  auto const with = [&](std::string const& format) {
    auto arguments = check;
    arguments.push_back(format);
    return run(arguments);
  };
  EXPECT_THAT(with("text").out, HasSubstr("check        NOT JUDGED: 1 of 1 not judged, element 0"));
  auto const verdict = nlohmann::json::parse(with("json").out).at("check");
  for (char const* const key : {"greatest_error_in_bounds", "index", "value", "reference", "bound",
                                "greatest_error_in_ulp", "ulp_index"}) {
    EXPECT_TRUE(verdict.at(key).is_null()) << key;
  }
  EXPECT_THAT(with("csv").out, HasSubstr("\ngemv,1,2,f32,row-major,not judged,0,1,,,,"));
}

class CheckReportTest : public ProgramTest {};

TEST_F(CheckReportTest, every_value_is_that_of_its_name) {
  // Element 0 is the worst in ulp (its terms cancel), element 1 in units of its bound.
  write("a.npy", npy("<f4", "(3, 2)", bytes_of<float>({1e4f, -1e4f, 1, 1, 1, 0})));
  write("v.npy", npy("<f4", "(2,)", bytes_of<float>({1, 1})));
  write("b.npy", npy("<f4", "(3,)", bytes_of<float>({0x1p-10f, 2 + 0x1p-20f, 1})));
  std::vector<std::string> const check{"check", "a.npy",    "b.npy", "--operation",
                                       "gemv",  "--vector", "v.npy", "--format"};
  auto const with = [&](std::string const& format) {
    auto arguments = check;
    arguments.push_back(format);
    auto const result = run(arguments);
    EXPECT_EQ(result.status, 1);
    return result.out;
  };
  auto const verdict = nlohmann::json::parse(with("json")).at("check");
  EXPECT_EQ(verdict.at("passed"), false);
  EXPECT_EQ(verdict.at("verdict"), "failed");
  EXPECT_EQ(verdict.at("elements"), 3);
  EXPECT_EQ(verdict.at("failed"), 1);
  EXPECT_EQ(verdict.at("not_judged"), 0);
  EXPECT_EQ(verdict.at("which_not_judged"), nlohmann::json::array());
  EXPECT_EQ(verdict.at("index"), 1);
  EXPECT_EQ(verdict.at("value"), 2 + 0x1p-20);
  EXPECT_EQ(verdict.at("reference"), 2);
  EXPECT_NEAR(verdict.at("bound").get<double>(), 0x1p-22, 0x1p-40);  // two roundings
  EXPECT_EQ(verdict.at("greatest_error_in_bounds").get<double>(),
            0x1p-20 / verdict.at("bound").get<double>());
  EXPECT_EQ(verdict.at("greatest_error_in_ulp"), 0x1p139);  // relative to 2^-149
  EXPECT_EQ(verdict.at("ulp_index"), 0);
  EXPECT_THAT(with("text"), HasSubstr("element 1 is 2.0000009536743164, should be 2, give or take "
                                      "2.38e-07\n"));
  EXPECT_THAT(with("csv"), HasSubstr("\ngemv,3,2,f32,row-major,failed,1,0,3.99"));
}

TEST_F(CheckTest, threads_do_not_change_the_verdict) {
  EXPECT_EQ(run({"check", "a.npy", "c.bin", "--vector", "a-vector.npy", "--threads", "1"}).status,
            0);
  EXPECT_EQ(run({"check", "a.npy", "c.bin", "--vector", "a-vector.npy", "--threads", "3"}).status,
            0);
}

}  // namespace
}  // namespace tessera::test
