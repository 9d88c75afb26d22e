// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

/// Equal bits within the limit and after a kill.
namespace tessera::test {
namespace {

class StreamTest : public ProgramTest {
 protected:
  void make(std::string const& rows, std::string const& cols,
            std::string const& order = "row-major") {
    ASSERT_EQ(run({"gen", "--rows", rows, "--cols", cols, "--distribution", "normal", "--layout",
                   order, "--output", "a.npy", "--vector-output", "v.npy"})
                  .status,
              0);
    ASSERT_EQ(
        run({"gemv", "a.npy", "--vector", "v.npy", "--output", "b.npy", "--repeat", "1"}).status,
        0);
  }
  std::pair<RunResult, std::uint64_t> run_counting_reads(
      std::vector<std::string> const& arguments) const {
    pid_t const child = start(arguments);
    siginfo_t state{};
    ::waitid(P_PID, static_cast<id_t>(child), &state, WEXITED | WNOWAIT);
    std::ifstream counts("/proc/" + std::to_string(child) + "/io");
    std::string name;
    std::uint64_t count = 0;
    counts >> name >> count;
    EXPECT_EQ(name, "rchar:");
    return {finish(child), count};
  }
  nlohmann::json report(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--format", "json"});
    auto const done = run(arguments);
    EXPECT_EQ(done.status, 0) << done.err;
    return nlohmann::json::parse(done.out);
  }
};

TEST_F(StreamTest, has_the_bits_of_the_run_in_memory) {
  for (std::string const order : {"row-major", "column-major"}) {
    make("3000", "700", order);
    for (std::vector<std::string> const& operation :
         {std::vector<std::string>{"atax", "a.npy", "--vector", "v.npy"},
          {"atax", "a.npy", "--vector", "v.npy", "--intermediate", "i.npy"},
          {"gemv", "a.npy", "--vector", "v.npy"},
          {"gemvt", "a.npy", "--vector", "b.npy"},
          {"aatx", "a.npy", "--vector", "b.npy"},
          {"aatx", "a.npy", "--vector", "b.npy", "--intermediate", "i.npy"},
          {"atax", "a.npy", "--type", "f64"}}) {
      auto const in_memory = report(operation);
      EXPECT_TRUE(in_memory["stream"].is_null());
      auto streamed = operation;
      streamed.insert(streamed.end(), {"--memory-limit", "7MiB"});
      auto const found = report(streamed);
      EXPECT_EQ(found["sha256"], in_memory["sha256"]) << order << " " << operation[0];
      EXPECT_EQ(found["method"], "streamed");
      EXPECT_GT(found["stream"]["blocks"], 1);
      EXPECT_EQ(found["stream"]["first_block"], 0);
    }
  }
}

TEST_F(StreamTest, says_that_and_why_it_streams) {
  make("3000", "700");
  auto const text = run({"atax", "a.npy", "--vector", "v.npy", "--memory-limit", "4MiB"});
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("streamed"), HasSubstr(" MiB of memory, the limit is 4.0 MiB"),
                    HasSubstr("reading included")));
  auto const json =
      run({"atax", "a.npy", "--vector", "v.npy", "--memory-limit", "4MiB", "--format", "json"});
  EXPECT_THAT(json.err, HasSubstr("a.npy is streamed: it needs 8."));
  auto const fits = run({"atax", "a.npy", "--vector", "v.npy", "--memory-limit", "1GiB"});
  EXPECT_EQ(fits.status, 0);
  EXPECT_THAT(fits.out, Not(HasSubstr("streamed")));
}

TEST_F(StreamTest, holds_no_more_memory_than_its_limit_and_64_MiB) {
  make("16000", "4000");  // 244 MiB
  for (std::string const operation : {"atax", "gemv"}) {
    SCOPED_TRACE(operation);
    expect_peak_below({operation, "a.npy", "--vector", "v.npy", "--memory-limit", "48MiB"}, 48);
  }
}

TEST_F(StreamTest, streams_a_file_that_is_mostly_a_hole_within_the_limit) {
  constexpr std::uintmax_t rows = 131072;  // 512 MiB
  std::string const header = npy("<f4", "(" + std::to_string(rows) + ", 1024)", "");
  write("a.npy", header);
  std::filesystem::resize_file(path("a.npy"), header.size() + rows * 4096);
  expect_peak_below({"gemv", "a.npy", "--memory-limit", "32MiB", "--output", "b.npy"}, 32);
  EXPECT_EQ(last_elements<float>("b.npy", rows), std::vector<float>(rows, 0.0F));
}

TEST_F(StreamTest, holds_a_long_output_and_its_checkpoint_within_the_limit) {
  // 24 MiB of output, copied by a checkpoint.
  constexpr std::uintmax_t rows = std::uintmax_t{6} << 20U;
  std::string const header = npy("<f4", "(" + std::to_string(rows) + ", 4)", "");
  write("a.npy", header);
  std::filesystem::resize_file(path("a.npy"), header.size() + rows * 16);
  std::vector<std::string> command = {"gemv",          "a.npy",     "--output",           "b.npy",
                                      "--checkpoint",  "run.state", "--checkpoint-every", "0.02",
                                      "--memory-limit"};
  auto small = command;
  small.emplace_back("40MiB");
  auto const refused = run(small);
  EXPECT_EQ(refused.status, 4);
  EXPECT_THAT(refused.err, MatchesRegex("tessera: a.npy: streaming it needs --memory-limit "
                                        "[0-9]+MiB or more, found a limit of 40.0 MiB\n"));
  command.emplace_back("64MiB");
  expect_peak_below(command, 64);
}

TEST_F(StreamTest, counts_the_chunks_of_a_dataset) {
  make("1500", "8000");  // 46 MiB, in three chunks
  auto const packed = run({"convert", "a.npy", "a.h5:/A", "--chunk", "500x8000", "--deflate", "1"});
  if (packed.err.find("HDF5") != std::string::npos && packed.status != 0) {
    GTEST_SKIP() << "this build has no HDF5: memory of its chunks is NOT TESTED";
  }
  ASSERT_EQ(packed.status, 0) << packed.err;
  expect_peak_below({"gemv", "a.h5:/A", "--vector", "v.npy", "--memory-limit", "16MiB"}, 16);
}

TEST_F(StreamTest, reads_tall_chunks_as_often_as_it_says) {
  make("20000", "600");  // 46 MiB
  auto const packed = run({"convert", "a.npy", "a.h5:/A", "--chunk", "20000x20"});
  if (packed.err.find("HDF5") != std::string::npos && packed.status != 0) {
    GTEST_SKIP() << "this build has no HDF5: reading its chunks is NOT TESTED";
  }
  ASSERT_EQ(packed.status, 0) << packed.err;
  constexpr std::uint64_t bytes = std::uint64_t{20000} * 600 * 4;
  constexpr std::uint64_t others = std::uint64_t{16} << 20U;  // libraries, headers, samples
  auto const in_memory = report({"atax", "a.npy", "--vector", "v.npy"});
  std::string const notice =
      "a.h5:/A is in chunks of 20000 x 20, and is read 3 times: "
      "--memory-limit ";
  std::vector<std::string> command{
      "atax",           "a.h5:/A", "--vector",           "v.npy", "--checkpoint", "s",
      "--memory-limit", "12MiB",   "--checkpoint-every", "1000",  "--threads",    "2",
      "--format",       "json"};
  for (bool const fits : {false, true}) {
    auto const [done, read] = run_counting_reads(command);
    EXPECT_EQ(done.status, 0) << done.err;
    auto const found = nlohmann::json::parse(done.out);
    EXPECT_EQ(found["sha256"], in_memory["sha256"]);
    EXPECT_GT(found["stream"]["blocks"], 1);
    EXPECT_GE(read, bytes);
    EXPECT_LE(read, (fits ? 1 : 3) * bytes + others);
    if (fits) {
      EXPECT_THAT(done.err, Not(HasSubstr("is in chunks of")));
    } else {
      ASSERT_THAT(done.err, HasSubstr(notice));
      std::string const named = done.err.substr(done.err.find(notice) + notice.size());
      command[7] = named.substr(0, named.find(' '));
    }
  }
  auto const [solved, read] = run_counting_reads(
      {"svd", "a.h5:/A", "-k", "1", "--maxiter", "2", "--memory-limit", "60MiB", "--threads", "2"});
  EXPECT_LE(solved.status, 1) << solved.err;
  EXPECT_LE(read, 3 * 6 * bytes + others);
}

TEST_F(StreamTest, counts_a_chunk_that_is_larger_than_the_limit) {
  std::string const dataset = std::string(TESSERA_SOURCE_DIR) + "/tests/data/io/old.h5:/thin";
  auto const shown = run({"show", dataset});
  if (shown.err.find("HDF5") != std::string::npos && shown.status != 0) {
    GTEST_SKIP() << "this build has no HDF5: memory of its chunks is NOT TESTED";
  }
  for (auto const& [limit, found] : {std::pair{"4MiB", "4.0 MiB"}, {"1500MiB", "1.5 GiB"}}) {
    auto const refused = run({"gemv", dataset, "--memory-limit", limit});
    EXPECT_EQ(refused.status, 4);
    EXPECT_THAT(refused.err,
                MatchesRegex("tessera: .*/old.h5:/thin: streaming it needs --memory-limit "
                             "20[0-9][0-9]MiB or more, found a limit of " +
                             std::string(found) + "\n"));
  }
}

TEST_F(StreamTest, goes_on_where_it_stopped_and_not_before) {
  make("6000", "1500");
  std::vector<std::string> const command = {
      "gemv",         "a.npy",     "--vector",           "v.npy", "--memory-limit", "8MiB",
      "--checkpoint", "run.state", "--checkpoint-every", "0"};
  auto const whole = report(command);
  ASSERT_NO_FATAL_FAILURE(kill_when_exists(command, "run.state"));
  auto const rest = report(command);
  EXPECT_GT(rest["stream"]["first_block"], 0);
  EXPECT_LT(rest["stream"]["bytes_read"], whole["stream"]["bytes_read"]);
  EXPECT_EQ(rest["sha256"], whole["sha256"]);
}

class CheckpointTest : public StreamTest {
 protected:
  void SetUp() override {
    make("6000", "1500");
    kill_when_exists(command("v.npy"), "run.state");
  }
  static std::vector<std::string> command(std::string const& vector,
                                          std::string const& operation = "atax") {
    return {operation,      "a.npy",     "--vector",           vector, "--memory-limit", "8MiB",
            "--checkpoint", "run.state", "--checkpoint-every", "0"};
  }
  void expect_refused(std::vector<std::string> const& arguments, std::string const& why) {
    std::string const before = read("run.state");
    auto const done = run(arguments);
    EXPECT_EQ(done.status, 3);
    EXPECT_THAT(done.err, AllOf(StartsWith("tessera: run.state: "), HasSubstr(why)));
    EXPECT_EQ(read("run.state"), before) << "a checkpoint that was refused was touched";
  }
};

TEST_F(CheckpointTest, of_another_run_is_refused) {
  expect_refused(command("b.npy", "gemvt"), "found one of atax");
  ASSERT_EQ(run({"gen", "--rows", "1", "--cols", "1500", "--seed", "5", "--distribution", "normal",
                 "--output", "w.npy", "--vector-output", "other.npy"})
                .status,
            0);
  expect_refused(command("other.npy"), "found one of another vector");
  auto double_precision = command("v.npy");
  double_precision.insert(double_precision.end(), {"--type", "f64"});
  expect_refused(double_precision, "found one of a run that computes in float");
  auto with_b = command("v.npy");
  with_b.insert(with_b.end(), {"--intermediate", "i.npy"});
  expect_refused(with_b, "found one of atax");
  std::string const matrix = read("a.npy");
  write("a.npy", matrix);
  expect_refused(command("v.npy"), "found one of another file, or one that has changed");
}

TEST_F(CheckpointTest, of_another_matrix_with_the_same_size_and_time_is_refused) {
  ASSERT_EQ(run({"gen", "--rows", "6000", "--cols", "1500", "--distribution", "normal", "--seed",
                 "7", "--output", "other.npy"})
                .status,
            0);
  auto const time = std::filesystem::last_write_time(path("a.npy"));
  std::filesystem::last_write_time(path("other.npy"), time);
  std::filesystem::rename(path("a.npy"), path("first.npy"));
  std::filesystem::rename(path("other.npy"), path("a.npy"));
  ASSERT_EQ(std::filesystem::last_write_time(path("a.npy")), time);
  expect_refused(command("v.npy"), "found one of another file, or one that has changed");
}

TEST_F(CheckpointTest, of_a_matrix_that_was_written_over_is_refused) {
  auto const time = std::filesystem::last_write_time(path("a.npy"));
  std::string const matrix = read("a.npy");
  std::fstream file(path("a.npy"), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(matrix.size() / 2 + 1));
  file.put(static_cast<char>(matrix[matrix.size() / 2 + 1] ^ 1));
  file.close();
  std::filesystem::last_write_time(path("a.npy"), time);
  expect_refused(command("v.npy"), "found one of another file, or one that has changed");
}

TEST_F(StreamTest, goes_on_with_a_dataset_and_with_no_other) {
  make("6000", "1500");
  auto const packed = run({"convert", "a.npy", "a.h5:/A", "--chunk", "600x1500"});
  if (packed.err.find("HDF5") != std::string::npos && packed.status != 0) {
    GTEST_SKIP() << "this build has no HDF5: checkpoints of datasets are NOT TESTED";
  }
  ASSERT_EQ(packed.status, 0) << packed.err;
  std::vector<std::string> const command = {
      "gemv",         "a.h5:/A",   "--vector",           "v.npy", "--memory-limit", "8MiB",
      "--checkpoint", "run.state", "--checkpoint-every", "0"};
  auto const whole = report(command);
  EXPECT_FALSE(exists("run.state"));
  ASSERT_NO_FATAL_FAILURE(kill_when_exists(command, "run.state"));
  std::string const state = read("run.state");
  auto const rest = report(command);
  EXPECT_GT(rest["stream"]["first_block"], 0);
  EXPECT_EQ(rest["sha256"], whole["sha256"]);
  write("run.state", state);
  std::filesystem::rename(path("a.h5"), path("first.h5"));
  std::filesystem::copy_file(path("first.h5"), path("a.h5"));
  auto const refused = run(command);
  EXPECT_EQ(refused.status, 3);
  EXPECT_THAT(refused.err, HasSubstr("found one of another file, or one that has changed"));
}

TEST_F(CheckpointTest, that_is_damaged_is_refused) {
  std::string const whole = read("run.state");
  for (std::size_t const length :
       {std::size_t{0}, std::size_t{5}, std::size_t{40}, whole.size() / 2, whole.size() - 1}) {
    write("run.state", whole.substr(0, length));
    expect_refused(command("v.npy"), "not a usable checkpoint");
  }
  for (std::size_t const place :
       {std::size_t{3}, std::size_t{60}, whole.size() / 2, whole.size() - 3}) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ 1);
    write("run.state", damaged);
    expect_refused(command("v.npy"), "not a usable checkpoint");
  }
  write("run.state", whole + "x");
  expect_refused(command("v.npy"), "not a usable checkpoint");
}

TEST_F(StreamTest, says_a_limit_that_does) {
  for (std::string const order : {"row-major", "column-major"}) {
    make("3000", "700", order);
    for (std::string const operation : {"atax", "gemv"}) {
      std::vector<std::string> command = {operation, "a.npy", "--vector", "v.npy",
                                          "--memory-limit"};
      command.emplace_back("7KiB");
      auto const refused = run(command);
      EXPECT_EQ(refused.status, 4);
      std::string const before = "tessera: a.npy: streaming it needs --memory-limit ";
      ASSERT_THAT(refused.err,
                  AllOf(StartsWith(before), HasSubstr("B or more, found a limit of 7.0 KiB\n")));
      std::string const rest = refused.err.substr(before.size());
      command.back() = rest.substr(0, rest.find(' '));
      auto const found = run(command);
      EXPECT_EQ(found.status, 0) << command.back() << found.err;
    }
  }
}

TEST_F(StreamTest, refuses_what_streaming_cannot_do) {
  make("3000", "700");
  auto const refuses = [&](std::vector<std::string> const& more, int status,
                           std::string const& why) {
    std::vector<std::string> arguments = {"atax", "a.npy", "--vector", "v.npy"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    auto const done = run(arguments);
    EXPECT_EQ(done.status, status) << done.out;
    EXPECT_THAT(done.err, HasSubstr(why));
  };
  refuses({"--memory-limit", "4MiB", "--check"}, 2, "--check: needs the matrix in memory");
  refuses({"--memory-limit", "two"}, 2, "such as 512MiB, or without a unit, found 'two'");
  refuses({"--memory-limit", "-5MiB"}, 2, "such as 512MiB, or without a unit, found '-5MiB'");
  refuses({"--memory-limit", "1KiB"}, 4, "streaming it needs --memory-limit ");
  refuses({"--checkpoint", "a.npy"}, 2, "a.npy");
}

}  // namespace
}  // namespace tessera::test
