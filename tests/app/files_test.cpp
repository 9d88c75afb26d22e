// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdlib>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

/// No file that a run reads or writes is lost.
namespace tessera::test {
namespace {

class FilesTest : public ProgramTest {
 protected:
  FilesTest() {
    write("a.npy", npy("<f4", "(2, 2)", bytes_of<float>({1, 2, 3, 4})));
    write("v.npy", npy("<f4", "(2,)", bytes_of<float>({1, 1})));
  }
  void expect_refused(Words const& words, std::string const& sentence,
                      RunOptions const& options = {}) const {
    auto const before = listing();
    auto const result = run(words, options);
    EXPECT_EQ(result.status, 2) << sentence << result.out;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "tessera: " + sentence + "\n");
    EXPECT_EQ(listing(), before);
  }
  int shell(std::string const& line) const {
    int const status = std::system(
        ("cd '" + path("").string() + "' && T='" TESSERA_BINARY "' && " + line).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

TEST_F(FilesTest, two_outputs_are_never_one_file) {
  std::filesystem::create_directory(path("sub"));
  std::filesystem::create_directory_symlink("sub", path("also"));
  std::filesystem::create_symlink("x.npy", path("link.npy"));
  auto const both = [](std::string const& first, std::string const& second) {
    return Words{"atax", "a.npy", "--intermediate", first, "--output", second};
  };
  expect_refused(both("x.npy", "x.npy"), "x.npy: the output would replace the output x.npy");
  expect_refused(both("x.npy", "./x.npy"), "./x.npy: the output would replace the output x.npy");
  expect_refused(both("x.npy", "sub/../x.npy"),
                 "sub/../x.npy: the output would replace the output x.npy");
  expect_refused(both("sub/x.npy", "also/x.npy"),
                 "also/x.npy: the output would replace the output sub/x.npy");
  expect_refused(both("x.npy", "link.npy"), "link.npy: the output would replace the output x.npy");
  expect_refused(both("x.npy", path("x.npy").string()),
                 path("x.npy").string() + ": the output would replace the output x.npy");
  expect_refused({"gemv", "a.npy", "--output", "x.npy", "--checkpoint", "./x.npy"},
                 "./x.npy: the output would replace the output x.npy");
  expect_refused(
      {"gen", "--rows", "2", "--cols", "2", "--output", "x.npy", "--vector-output", "./x.npy"},
      "./x.npy: the output would replace the output x.npy");
  EXPECT_EQ(run(both("sub/x.npy", "x.npy")).status, 0);
  EXPECT_TRUE(exists("sub/x.npy") && exists("x.npy"));
}

TEST_F(FilesTest, no_output_replaces_what_is_read) {
  std::filesystem::create_hard_link(path("v.npy"), path("w.npy"));
  for (std::string const command : {"atax", "gemv", "gemvt"}) {
    expect_refused({command, "a.npy", "--vector", "v.npy", "--output", "./v.npy"},
                   "./v.npy: the output would replace v.npy");
    expect_refused({command, "a.npy", "--checkpoint", "./a.npy"},
                   "./a.npy: the output would replace a.npy");
  }
  expect_refused({"atax", "a.npy", "--vector", "v.npy", "--intermediate", "w.npy"},
                 "w.npy: the output would replace v.npy");
  expect_refused({"transpose", "a.npy", "./a.npy"}, "./a.npy: the output would replace a.npy");
  expect_refused({"gemm", "a.npy", "v.npy", "./v.npy"}, "./v.npy: the output would replace v.npy");
  ASSERT_EQ(run({"convert", "a.npy", "a.ex3", "--vector", "v.npy"}).status, 0);
  expect_refused({"convert", "a.npy", "b.ex3", "--vector", "v.npy", "--vector-output", "./v.npy"},
                 "./v.npy: the output would replace v.npy");
  expect_refused({"convert", "a.ex3", "a.npy", "--vector-output", "./a.ex3"},
                 "./a.ex3: the output would replace a.ex3");
}

TEST_F(FilesTest, one_dataset_is_never_written_twice) {
  expect_refused({"atax", "a.npy", "--output", "r.h5:/c", "--intermediate", "./r.h5:c"},
                 "r.h5:/c: the output would replace the output ./r.h5:c");
  expect_refused({"convert", "a.npy", "r.h5:/A", "--vector-output", "./r.h5://A/"},
                 "r.h5:/A: the output would replace the output ./r.h5://A/");
  expect_refused(
      {"gen", "--rows", "2", "--cols", "2", "--output", "r.h5:/A", "--vector-output", "r.h5:/./A"},
      "r.h5:/./A: the output would replace the output r.h5:/A");
  write("s.h5", "");
  expect_refused({"transpose", "s.h5:/A", "./s.h5:A", "--add-dataset"},
                 "./s.h5:A: the output would replace s.h5:/A");
}

TEST_F(FilesTest, two_datasets_of_one_file_are_written_in_one_run) {
  auto const gen = run(
      {"gen", "--rows", "3", "--cols", "2", "--output", "r.h5:/A", "--vector-output", "./r.h5:/V"});
  if (run({"info"}).out.find("HDF5          left out") != std::string::npos) {
    GTEST_SKIP() << "SKIPPED: this build has no HDF5";
  }
  EXPECT_EQ(gen.status, 0) << gen.err;
  Words const compute{"atax", "r.h5:/A", "--vector", "r.h5:/V"};
  auto const with = [&](Words const& more) {
    Words words = compute;
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  auto const made = with({"--output", "s.h5:/c", "--intermediate", "./s.h5:/b"});
  EXPECT_EQ(made.status, 0) << made.err;
  auto const added = with({"--output", "r.h5:/c", "--intermediate", "./r.h5:/b", "--add-dataset"});
  EXPECT_EQ(added.status, 0) << added.err;
  for (std::string const name : {"A", "V", "b", "c"}) {
    EXPECT_EQ(run({"show", "r.h5:/" + name}).status, 0) << name;
  }
  for (std::string const name : {"b", "c"}) {
    EXPECT_EQ(run({"show", "s.h5:/" + name}).status, 0) << name;
  }
  auto const again = with({"--output", "r.h5:/d"});
  EXPECT_EQ(again.status, 3) << again.err;
  EXPECT_EQ(run({"show", "r.h5:/c"}).status, 0);
}

TEST_F(FilesTest, tunings_are_not_replaced) {
  std::filesystem::create_directories(cache() / "tessera");
  auto const kept = (cache() / "tessera" / "tuning-x.json").string();
  write(kept, "{}");
  std::filesystem::create_symlink(kept, path("r.json"));
  expect_refused({"bench", "gemv", "--shapes", "2x2", "--output", "r.json"},
                 "r.json: the output would replace " + kept);
  expect_refused({"gemv", "a.npy", "--checkpoint", kept},
                 kept + ": the output would replace " + kept);
}

TEST_F(FilesTest, report_goes_into_no_file_of_the_run) {
  write("c.npy", "");
  expect_refused({"atax", "a.npy", "--output", "c.npy"},
                 "c.npy: the report on stdout would go into this file; send it elsewhere",
                 {.out_file = path("c.npy").string()});
  std::filesystem::remove(path("c.npy"));
  // The report would follow the matrix.
  EXPECT_EQ(shell("$T atax a.npy >> a.npy 2> err"), 2);
  EXPECT_EQ(read("err"),
            "tessera: a.npy: the report on stdout would go into this file; send it elsewhere\n");
  EXPECT_EQ(read("a.npy"), npy("<f4", "(2, 2)", bytes_of<float>({1, 2, 3, 4})));
  EXPECT_EQ(shell("$T gemv a.npy --output - > c.npy 2>&1"), 2);
  EXPECT_EQ(read("c.npy"),
            "tessera: /dev/stdout: the report on stderr would go into this file; send it "
            "elsewhere\n");
}

TEST_F(FilesTest, closed_descriptors_become_no_file_of_the_run) {
  EXPECT_EQ(shell("$T bench gemv --shapes 9x9 --repeat 2 --seconds 1e-6 --output - > r.txt 2>&1"),
            0)
      << "bench has nothing to say on stderr";
  EXPECT_THAT(read("r.txt"), HasSubstr("9 rows x 9 columns"));
  EXPECT_EQ(shell("$T gemv a.npy --vector v.npy --output c.npy >&- 2> err"), 3);
  EXPECT_THAT(read("err"), HasSubstr("tessera: standard output: "));
  EXPECT_EQ(read("c.npy"), npy("<f4", "(2,)", bytes_of<float>({3, 7})));
  EXPECT_EQ(shell("$T gemv a.npy --output d.npy <&- >&- 2>&-"), 3);  // the notice about V is lost
  EXPECT_EQ(read("d.npy"), read("c.npy"));
}

TEST_F(FilesTest, null_device_takes_any_number_of_results) {
  std::filesystem::create_symlink("/dev/null", path("null.npy"));
  EXPECT_EQ(run({"atax", "a.npy", "--output", "null.npy", "--intermediate", "null.npy"}).status, 0);
}

TEST_F(FilesTest, data_on_stdout_is_alone_there) {
  struct Case {
    Words words;
    std::string file;
    std::string report;
  };
  Case const cases[] = {
      {{"atax", "a.npy", "--output"}, "c.npy", "C = Aᵀ·(A·V)   a.npy\n"},
      {{"gemv", "a.npy", "--format", "csv", "--output"}, "b.npy", "operation,method,"},
      {{"atax", "a.npy", "--intermediate"}, "i.npy", "C = Aᵀ·(A·V)   a.npy\n"},
      {{"transpose", "a.npy"}, "t.npy", "At = Aᵀ   a.npy\n"},
      {{"gemm", "a.npy", "a.npy"}, "g.npy", "C = A·B   a.npy\n"},
      {{"gen", "--rows", "3", "--cols", "2", "--output"}, "r.ex3", ": A, 3 rows x 2 columns"},
      {{"gen", "--rows", "3", "--cols", "2", "--output-format", "npy", "--vector-output", "w.npy",
        "--output"},
       "r.npy",
       ": A, 3 rows x 2 columns"},
      {{"convert", "a.npy", "--output-format", "raw", "--layout", "row-major"},
       "x.bin",
       ": A, 2 rows"},
      {{"convert", "a.npy", "--output-format", "npy", "--output-type", "f64"},
       "y.npy",
       ": A, 2 rows x 2 columns"},
      {{"convert", "a.npy", "--vector", "v.npy"}, "z.ex3", ": V, 2 entries"}};
  for (auto const& [words, file, report] : cases) {
    Words named = words;
    named.push_back(file);
    auto const by_name = run(named);
    ASSERT_EQ(by_name.status, 0) << by_name.err;
    EXPECT_THAT(by_name.out, HasSubstr(report));
    for (std::string const name : {"-", "/dev/stdout", "/dev/fd/1"}) {
      Words piped = words;
      piped.push_back(name);
      auto const result = run(piped);
      EXPECT_EQ(result.status, 0) << result.err;
      EXPECT_EQ(result.out, read(file)) << name << " " << file;
      EXPECT_THAT(result.err, HasSubstr(report));
    }
  }
  auto const without_v =
      run({"gen", "--rows", "3", "--cols", "2", "--output", "-", "--output-format", "npy"});
  EXPECT_EQ(without_v.out, read("r.npy"));
  EXPECT_THAT(without_v.err,
              HasSubstr("tessera: V is not in /dev/stdout: --vector-output FILE writes it\n"));
  auto const both = run({"atax", "a.npy", "--output", "-", "--intermediate", "-"});
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.err, HasSubstr("/dev/stdout: the output would replace the output /dev/stdout"));
}

TEST_F(FilesTest, programs_join_by_pipes) {
  ASSERT_EQ(run({"gen", "--rows", "50", "--cols", "30", "--output", "r.ex3"}).status, 0);
  ASSERT_EQ(run({"atax", "r.ex3", "--output", "c.npy"}).status, 0);
  EXPECT_EQ(shell("$T gen --rows 50 --cols 30 --output - 2>/dev/null | "
                  "$T atax - --input-format ex3 --output - 2>/dev/null | "
                  "$T convert - d.npy --input-format npy >/dev/null"),
            0);
  EXPECT_EQ(read("d.npy"), read("c.npy"));
  EXPECT_EQ(shell("{ exec 3>&1; $T gemv a.npy --output /dev/fd/3 2> err; } | cat > e.npy"), 0);
  EXPECT_EQ(read("e.npy"), npy("<f4", "(2,)", bytes_of<float>({3, 7})));
  EXPECT_THAT(read("err"), HasSubstr("SHA-256"));
}

TEST_F(FilesTest, a_redirected_file_is_read_from_where_it_stands) {
  write("two.npy", read("v.npy") + read("a.npy"));
  std::string const skip =
      "{ dd bs=" + std::to_string(read("v.npy").size()) + " count=1 of=/dev/null 2>/dev/null; ";
  EXPECT_EQ(shell(skip + "$T gemv - --input-format npy --output c.npy --format json > report; } < "
                         "two.npy 2>/dev/null"),
            0);
  EXPECT_EQ(read("c.npy"), npy("<f4", "(2,)", bytes_of<float>({3, 7})));
  EXPECT_EQ(shell(skip + "$T gemv - --input-format npy --checkpoint s --output d.npy; } < "
                         "two.npy >/dev/null 2>&1"),
            0);
  EXPECT_EQ(read("d.npy"), read("c.npy"));
  EXPECT_EQ(shell(skip + "$T convert - e.npy --input-format npy --layout column-major; } < two.npy "
                         ">/dev/null 2>&1"),
            0);
  EXPECT_EQ(last_elements<float>("e.npy", 4), (std::vector<float>{1, 3, 2, 4}));
  EXPECT_EQ(shell("$T gemv a.npy --output - >> v.npy 2>/dev/null"), 0);
  EXPECT_EQ(read("v.npy"), npy("<f4", "(2,)", bytes_of<float>({1, 1})) + read("c.npy"));
}

TEST_F(FilesTest, state_is_a_file_that_stays) {
  expect_refused({"gemv", "a.npy", "--checkpoint", "/dev/stdout"},
                 "--checkpoint: expected the name of a regular file, found /dev/stdout");
  expect_refused({"gemv", "a.npy", "--checkpoint", "-"},
                 "--checkpoint: expected the name of a regular file, found -");
}

}  // namespace
}  // namespace tessera::test
