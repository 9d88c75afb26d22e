// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace tessera::test {
namespace {

using ShowTest = ProgramTest;
using InfoTest = ProgramTest;

TEST_F(ShowTest, npy_file_is_described) {
  write("a.npy", npy(">f8", "(2, 3)", std::string(48, '\0'), true));
  auto const result = run({"show", "a.npy"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("npy 1.0"), HasSubstr("f64, big-endian"),
                                HasSubstr("2 rows x 3 columns"), HasSubstr("column-major"),
                                HasSubstr("176 bytes")));
  EXPECT_THAT(result.out, Not(HasSubstr("elements")));
}

TEST_F(ShowTest, types_that_are_converted_are_named) {
  write("a.npy", npy(">i2", "(2, 3)", std::string(12, '\1')));
  auto const result = run({"show", "a.npy", "--data"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("  type     int16, read as f32, big-endian\n"),
                                HasSubstr("12 bytes"), HasSubstr(" 257")));
  write("b", npy("<f2", "(2,)", std::string(4, '\0')));
  EXPECT_THAT(run({"show", "b"}).out,
              HasSubstr("  type     float16, read as f32, little-endian\n"));
}

TEST_F(ShowTest, text_is_described) {
  write("a.csv", "a,b\n1,2\n3,-0\n");
  EXPECT_EQ(run({"show", "a.csv", "--data"}).out,
            "a.csv\n"
            "  format   csv with a line of names\n"
            "  type     f64\n"
            "  A        2 rows x 2 columns, row-major, 32 bytes\n"
            "  file     13 bytes\n"
            "  elements of A\n"
            "               1            2\n"
            "               3           -0\n");
}

TEST_F(ShowTest, ex3_file_is_described_with_its_vector_and_minus_zero) {
  write("a.ex3", bytes_of<std::uint32_t>({2, 1, 7, 7}) + bytes_of<float>({-0.0f, 0.5f, 1, 2}));
  auto const result = run({"show", "a.ex3", "--data"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("ex3"), HasSubstr("1 rows x 2 columns"),
                                HasSubstr("V        2 entries from byte 24"),
                                HasSubstr("-0          0.5\n"), HasSubstr("1            2\n")));
}

TEST_F(ShowTest, raw_file_reports_unknown_type) {
  write("a.bin", bytes_of<float>({1, 2, 3}));
  EXPECT_THAT(run({"show", "a.bin"}).out,
              AllOf(HasSubstr("raw"), HasSubstr("3 entries"), HasSubstr("does not say")));
}

TEST_F(ShowTest, fortran_order_is_shown_by_rows) {
  write("f.npy", npy("<f4", "(2, 2)", bytes_of<float>({1, 3, 2, 4}), true));
  EXPECT_THAT(run({"show", "f.npy", "--data"}).out,
              HasSubstr("               1            2\n               3            4\n"));
}

TEST_F(ShowTest, data_shortens_and_all_does_not) {
  std::vector<float> elements(40 * 30);
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<float>(i);
  write("a.npy", npy("<f4", "(40, 30)", bytes_of(elements)));
  auto const some = run({"show", "a.npy", "--data"}).out, all = run({"show", "a.npy", "--all"}).out;
  EXPECT_THAT(some, AllOf(HasSubstr("…"), HasSubstr(" 1199\n"), Not(HasSubstr(" 600\n"))));
  EXPECT_THAT(all, AllOf(Not(HasSubstr("…")), HasSubstr(" 1199\n"), HasSubstr("          600")));
  EXPECT_GT(all.size(), 10 * some.size());
}

TEST_F(ShowTest, data_shortens_from_eight_rows_or_columns_on) {
  auto const line = [](std::vector<int> const& numbers) {
    std::string text = "   ";
    for (int const number : numbers) {
      std::string const digits = std::to_string(number);
      text += number < 0 ? " …" : std::string(13 - digits.size(), ' ') + digits;
    }
    return text + "\n";
  };
  auto const shown = [&](std::size_t rows, std::size_t cols) {
    std::vector<float> elements(rows * cols);
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<float>(i);
    write("a.npy", npy("<f4", "(" + std::to_string(rows) + ", " + std::to_string(cols) + ")",
                       bytes_of(elements)));
    std::string const out = run({"show", "a.npy", "--data"}).out;
    std::string const head = "  elements of A\n";
    return out.substr(out.find(head) + head.size());
  };
  EXPECT_EQ(shown(1, 7), line({0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(shown(1, 8), line({0, 1, 2, -1, 5, 6, 7}));
  EXPECT_EQ(shown(7, 1),
            line({0}) + line({1}) + line({2}) + line({3}) + line({4}) + line({5}) + line({6}));
  EXPECT_EQ(shown(8, 1),
            line({0}) + line({1}) + line({2}) + "    …\n" + line({5}) + line({6}) + line({7}));
}

TEST_F(ShowTest, bad_file_is_a_file_error) {
  write("a.npy", "no");
  auto const result = run({"show", "a.npy", "--data"});
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.err, HasSubstr("tessera: a.npy: "));
}

TEST_F(InfoTest, names_all_that_was_promised) {
  auto const result = run({"info"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  for (auto const* const part :
       {"tessera ", "commit", "Kokkos", "processor", "compiled for", "inner loops   ", "memory",
        "backend", "device", "threads",
        "scratch     level 0: ", "level 1: ", "(the choice of --backend auto", "GPU"}) {
    EXPECT_THAT(result.out, HasSubstr(part));
  }
}

TEST_F(ShowTest, lists_what_a_file_holds) {
  write("a.npy", npy("<f4", "(3, 2)", std::string(24, '\0')));
  if (run({"info"}).out.find("HDF5          left out") != std::string::npos) {
    GTEST_SKIP() << "SKIPPED: this build has no HDF5";
  }
  ASSERT_EQ(run({"convert", "a.npy", "x.h5:/first"}).status, 0);
  for (int i = 0; i < 12; ++i) {
    ASSERT_EQ(
        run({"convert", "a.npy", "x.h5:/group/A" + std::to_string(i), "--add-dataset"}).status, 0);
  }
  auto const listed = run({"show", "x.h5"});
  EXPECT_EQ(listed.status, 0) << listed.err;
  EXPECT_EQ(listed.err, "");
  EXPECT_THAT(listed.out, HasSubstr("13 arrays"));
  EXPECT_THAT(listed.out,
              HasSubstr("x.h5:/first   A, 3 rows x 2 columns, row-major, f32, 24 bytes"));
  for (int i = 0; i < 12; ++i) {
    EXPECT_THAT(listed.out, HasSubstr("x.h5:/group/A" + std::to_string(i) + "   A, 3 rows"));
  }
  auto const refused = run({"show", "x.h5", "--data"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("x.h5: holds several arrays: expected x.h5:NAME"));
}

TEST_F(InfoTest, json_has_the_same) {
  auto const result = run({"info", "--format", "json"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  auto const info = nlohmann::json::parse(result.out);
  ASSERT_FALSE(info.at("backends").empty());
  bool has_cuda = false;
  for (auto const& backend : info.at("backends")) {
    EXPECT_GT(backend.at("threads").get<int>(), 0);
    EXPECT_GT(backend.at("scratch_level0").get<std::uint64_t>(), 0u);
    EXPECT_TRUE(backend.at("device").is_string());
    has_cuda = has_cuda || backend.at("name") == "cuda";
  }
  EXPECT_EQ(info.at("devices").is_null(), !has_cuda);
  EXPECT_GT(info.at("available_bytes").get<std::uint64_t>(), 0u);
  for (auto const* const key : {"version", "commit", "kokkos", "processor", "compiled_for"}) {
    EXPECT_TRUE(info.at(key).is_string()) << key;
  }
  EXPECT_TRUE(info.at("avx512_loops").is_boolean());
}

}  // namespace
}  // namespace tessera::test
