// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include "app/support/program.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <sys/types.h>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

/// The program under mpirun.
namespace tessera::test {
namespace {

using Json = nlohmann::json;

class RanksTest : public ProgramTest {
 protected:
  RanksTest() {
    run_on(1, {"gen", "--rows", "900", "--cols", "70", "--output", "a.npy"});
    run_on(1, {"gemv", "a.npy", "--vector", "a-vector.npy", "--output", "b.npy"});
    run_on(1, {"convert", "a.npy", "f.npy", "--layout", "column-major"});
  }

  static Words launch(int ranks, Words const& command) {
    Words all{TESSERA_MPIEXEC};
    std::istringstream options(TESSERA_MPIEXEC_OPTIONS);
    for (std::string option; options >> option;) all.push_back(option);
    return all + Words{"-n", std::to_string(ranks), TESSERA_PROGRAM} + command;
  }
  static Words launch_each(std::vector<Words> const& of_ranks) {
    Words all = launch(1, {});
    all.resize(all.size() - 3);
    for (std::size_t rank = 0; rank < of_ranks.size(); ++rank) {
      if (rank > 0) all.emplace_back(":");
      all = all + Words{"-n", "1"} + of_ranks[rank];
    }
    return all;
  }
  static Words launch_with(int ranks, int faulty, std::string const& fault, Words const& command) {
    std::vector<Words> all(static_cast<std::size_t>(ranks), Words{TESSERA_PROGRAM} + command);
    auto& its = all[static_cast<std::size_t>(faulty)];
    its = Words{"/usr/bin/env", "LD_PRELOAD=" FAULT_SHIM, "TESSERA_FAULTS=" + fault} + its;
    return launch_each(all);
  }
  static Words launch_in(Words const& folders, Words const& command) {
    std::vector<Words> all;
    for (auto const& folder : folders) {
      all.push_back(Words{"-wdir", folder, TESSERA_PROGRAM} + command);
    }
    return launch_each(all);
  }
  void expect_end(Words const& launched, int status, std::string const& sentence) const {
    auto const result = run(launched, surroundings());
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(sentence));
    auto const once = result.err.find("tessera: ");
    EXPECT_EQ(result.err.find("tessera: ", once + 1), std::string::npos) << result.err;
  }
  static RunOptions surroundings() {
    return {.environment = {{"OMP_NUM_THREADS", "1"},
                            {"OMP_PROC_BIND", "false"},
                            {"OMPI_MCA_btl", "self,sm"},
                            {"OMPI_MCA_mpi_yield_when_idle", "1"}}};
  }
  RunResult run_on(int ranks, Words const& command) const {
    if (ranks == 1) return run(Words{TESSERA_PROGRAM} + command, surroundings());
    return run(launch(ranks, command), surroundings());
  }
  Json report_of(int ranks, Words const& command) const {
    auto const result = run_on(ranks, command + Words{"--format", "json"});
    EXPECT_EQ(result.status, 0) << result.err;
    return Json::parse(result.out);
  }
};

TEST_F(RanksTest, have_the_bits_of_one_process) {
  run_on(1, {"gen", "--rows", "900", "--cols", "2", "--seed", "5", "--output", "block.npy"});
  run_on(1, {"gen", "--rows", "70", "--cols", "3", "--seed", "6", "--output", "three.npy"});
  std::string labels(900, '\7');
  std::string weights(900, '\1');
  for (std::size_t i = 0; i < 900; ++i) {
    if (i * i % 7 < 3) labels[i] = '\2';
    weights[i] = static_cast<char>(i % 3);
  }
  write("labels.npy", npy("|u1", "(900,)", labels));
  write("weights.npy", npy("|u1", "(900,)", weights));
  for (auto const& command : std::vector<Words>{
           {"atax", "a.npy", "--vector", "a-vector.npy", "--minus", "b.npy", "--alpha", "0.5"},
           {"gemv", "a.npy", "--vector", "a-vector.npy"},
           {"gemvt", "a.npy", "--vector", "b.npy", "--type", "f64"},
           {"aatx", "a.npy", "--vector", "b.npy", "--intermediate", "w.npy"},
           {"atax", "a.npy", "--vector", "three.npy", "--minus", "b.npy", "--intermediate",
            "w.npy"},
           {"gemv", "a.npy", "--vector", "three.npy"},
           {"gemvt", "a.npy", "--vector", "block.npy"},
           {"aatx", "a.npy", "--vector", "block.npy"},
           {"lstsq", "a.npy", "b.npy"},
           {"lstsq", "a.npy", "block.npy"},
           {"svd", "a.npy", "-k", "2"},
           {"svd", "a.npy", "-k", "2", "--method", "randomized", "--check"},
           {"pca", "a.npy", "-k", "2"},
           {"lstsq", "a.npy", "b.npy", "--check"},
           {"gemv-both", "a.npy", "--vector", "a-vector.npy", "--transposed-vector", "b.npy"},
           {"fit", "linear", "a.npy", "b.npy"},
           {"fit", "logistic", "a.npy", "labels.npy", "--weights", "weights.npy", "--offset",
            "b.npy", "--penalty", "1", "--check"},
           {"fit", "logistic", "a.npy", "weights.npy", "--penalty", "1", "--check"}}) {
    auto const expected = report_of(1, command);
    auto const found = report_of(3, command);
    EXPECT_EQ(found["sha256"], expected["sha256"]) << command[0];
    EXPECT_TRUE(expected["ranks"].is_null());
    ASSERT_EQ(found["ranks"].size(), 3);
    int rows = 0;
    for (auto const& rank : found["ranks"]) rows += rank["rows"].get<int>();
    EXPECT_EQ(rows, 900);
    EXPECT_TRUE(expected["exchange"].is_null());
    EXPECT_TRUE(found["exchange"].is_string()) << command[0];
  }
}

TEST_F(RanksTest, hold_narrow_rows_as_stored) {
  std::string elements(std::size_t{900} * 70, '\0');
  for (std::size_t k = 0; k < elements.size(); ++k) {
    elements[k] = static_cast<char>(k * 2654435761U >> 24U);
  }
  write("rows.npy", npy("|u1", "(900, 70)", elements));
  write("columns.npy", npy("|i1", "(900, 70)", elements, true));
  run_on(1, {"gen", "--rows", "70", "--cols", "3", "--type", "f32", "--output", "three.npy"});
  run_on(1, {"gen", "--rows", "900", "--cols", "1", "--type", "f32", "--output", "y.npy"});
  for (std::string const matrix : {"rows.npy", "columns.npy"}) {
    for (auto const& command : std::vector<Words>{{"atax", matrix, "--check"},
                                                  {"atax", matrix, "--vector", "three.npy"},
                                                  {"gemv", matrix},
                                                  {"gemvt", matrix},
                                                  {"aatx", matrix}}) {
      auto const expected = report_of(1, command);
      auto const found = report_of(3, command);
      EXPECT_EQ(found["sha256"], expected["sha256"]) << command[0] << ' ' << matrix;
      EXPECT_EQ(found["held_type"], found["stored_type"]) << command[0] << ' ' << matrix;
      EXPECT_LT(found["bytes"], 2 * 900 * 70) << command[0] << ' ' << matrix;
    }
    for (auto const& command : std::vector<Words>{{"lstsq", matrix, "y.npy"},
                                                  {"lstsq", matrix, "y.npy", "--method", "lsmr"},
                                                  {"svd", matrix, "-k", "2", "--check"},
                                                  {"pca", matrix, "-k", "2"},
                                                  {"fit", "linear", matrix, "y.npy"}}) {
      auto const expected = report_of(1, command);
      auto const found = report_of(3, command);
      EXPECT_EQ(found["sha256"], expected["sha256"]) << command[0] << ' ' << matrix;
      EXPECT_EQ(found["held_type"], found["stored_type"]) << command[0] << ' ' << matrix;
    }
    EXPECT_EQ(report_of(3, {"gemv", matrix, "--type", "f64"})["held_type"], "f64");
  }
}

TEST_F(RanksTest, say_how_they_exchanged) {
  Words const host{"--backend", "openmp"};
  for (auto const& command :
       std::vector<Words>{{"atax", "a.npy", "--vector", "a-vector.npy"},
                          {"gemv", "a.npy", "--vector", "a-vector.npy"},
                          {"gemvt", "a.npy", "--vector", "b.npy", "--memory-limit", "64KiB"}}) {
    EXPECT_EQ(report_of(2, command + host)["exchange"], "mpi from host memory") << command[0];
    auto const text = run_on(2, command + host).out;
    EXPECT_THAT(text, testing::HasSubstr("mpi from host memory")) << command[0];
  }
}

TEST_F(RanksTest, stream_by_rank_with_the_bits_of_one_process) {
  for (auto const& command : std::vector<Words>{
           {"atax", "a.npy", "--vector", "a-vector.npy", "--minus", "b.npy", "--alpha", "0.5"},
           {"gemv", "a.npy", "--vector", "a-vector.npy"},
           {"gemv", "f.npy", "--vector", "a-vector.npy"},
           {"gemvt", "a.npy", "--vector", "b.npy"},
           {"gemvt", "f.npy", "--vector", "b.npy"},
           {"aatx", "a.npy", "--vector", "b.npy", "--intermediate", "w.npy"},
           {"aatx", "f.npy", "--vector", "b.npy"},
           {"atax", "f.npy", "--vector", "a-vector.npy"},
           {"gemv-both", "a.npy", "--vector", "a-vector.npy", "--transposed-vector", "b.npy"},
           {"lstsq", "a.npy", "b.npy", "--method", "lsmr", "--check"},
           {"svd", "a.npy", "-k", "2", "--method", "randomized"},
           {"pca", "a.npy", "-k", "2"}}) {
    bool const is_small = command[0] != "pca" && command[0] != "svd" && command[1] == "a.npy";
    auto const expected = report_of(1, command);
    auto const found = report_of(3, command + Words{"--memory-limit", is_small ? "64KiB" : "1MiB"});
    EXPECT_EQ(found["sha256"], expected["sha256"]) << command[0] << " " << command[1];
    if (is_small) {
      EXPECT_FALSE(found["stream"].is_null()) << command[0];
    }
  }
  auto const found =
      report_of(3, {"gemvt", "a.npy", "--vector", "b.npy", "--memory-limit", "64KiB"});
  std::int64_t bytes = 0;
  for (auto const& rank : found["ranks"]) bytes += rank["bytes_read"].get<std::int64_t>();
  EXPECT_EQ(bytes, 900 * 70 * 4);
}

TEST_F(RanksTest, read_missing_entries_with_the_bits_of_one_process) {
  std::string coded;
  for (int k = 0; k < 900 * 70; ++k) {
    coded += static_cast<char>(k * 31 % 23 == k % 70 ? 255 : k * 7919 % 251);
  }
  std::string tall;
  for (int i = 0; i < 10; ++i) tall += coded;
  write("tall.npy", npy("|u1", "(9000, 70)", tall));
  write("tall-f.npy", npy("|u1", "(9000, 70)", tall, true));
  write("coded.npy", npy("|u1", "(900, 70)", coded));
  write("coded-f.npy", npy("|u1", "(900, 70)", coded, true));
  for (Words const& command : std::vector<Words>{
           {"stats", "tall.npy", "--variance", "out.npy"},
           {"stats", "tall-f.npy", "--mean", "out.npy"},
           {"ridge", "coded.npy", "b.npy", "--lambda", "3", "--output", "out.npy"},
           {"lstsq", "coded-f.npy", "b.npy", "--output", "out.npy", "--check"},
           {"svd", "coded.npy", "-k", "2", "--method", "lanczos", "--vt", "out.npy"},
           {"fit", "linear", "coded.npy", "b.npy", "--output", "out.npy"},
           {"pca", "coded.npy", "-k", "2", "--scale", "--mean", "out.npy", "--check"}}) {
    bool const is_stats = command[0] == "stats";
    for (Words const& more : {Words{}, Words{"--memory-limit", is_stats ? "600KiB" : "1MiB"}}) {
      Words const whole = command + Words{"--missing", "255"};
      auto const expected = report_of(1, whole);
      auto const bits = read("out.npy");
      for (int const ranks : {2, 3}) {
        auto const found = report_of(ranks, whole + more);
        EXPECT_EQ(read("out.npy"), bits) << ranks << command[0];
        if (is_stats) {
          EXPECT_EQ(found["stream"].is_null(), more.empty());
        }
        for (char const* const name : {"sha256", "variance", "min", "count", "missing"}) {
          EXPECT_EQ(found.value(name, Json()), expected.value(name, Json())) << name;
        }
      }
    }
  }
}

TEST_F(RanksTest, check_products) {
  auto const report = report_of(3, {"atax", "a.npy", "--vector", "a-vector.npy", "--check"});
  EXPECT_EQ(report["check"]["passed"], true) << report;
}

TEST_F(RanksTest, write_each_result_once) {
  auto const result = run_on(3, {"atax", "a.npy", "--vector", "a-vector.npy", "--output", "c.npy",
                                 "--intermediate", "other-b.npy"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(read("other-b.npy"), read("b.npy"));
  EXPECT_THAT(result.out, HasSubstr("rank 2: "));
  EXPECT_EQ(listing().size(), 6);
}

TEST_F(RanksTest, go_on_from_a_checkpoint_of_another_number_of_ranks) {
  Words const solve{"lstsq", "a.npy", "b.npy", "--atol", "0", "--btol", "0", "--conlim", "0"};
  Words const kept{"--checkpoint", "s.state", "--checkpoint-every", "0"};
  auto const whole = run_on(1, solve + Words{"--maxiter", "9", "--format", "json"});
  run_on(3, solve + kept + Words{"--maxiter", "4"});
  ASSERT_TRUE(exists("s.state"));
  auto const rest = run_on(2, solve + kept + Words{"--maxiter", "9", "--format", "json"});
  EXPECT_EQ(Json::parse(rest.out)["sha256"], Json::parse(whole.out)["sha256"]);
  EXPECT_GT(Json::parse(rest.out)["first_iteration"], 0);
}

TEST_F(RanksTest, go_on_with_a_product_from_a_checkpoint_of_another_number_of_ranks) {
  Words const product{"atax", "big.npy"};
  run_on(1, {"gen", "--rows", "60000", "--cols", "100", "--output", "big.npy"});
  auto const expected = report_of(1, product);
  Words const kept = product + Words{"--checkpoint",   "c.state", "--checkpoint-every", "0",
                                     "--memory-limit", "1MiB",    "--format",           "json"};
  for (int const ranks : {2, 3, 1}) {
    // Rank 0 ends when its third checkpoint is put in its place.
    auto const stopped = run(launch_with(3, 0, "rename,c.state,SIGKILL,2", kept), surroundings());
    EXPECT_NE(stopped.status, 0);
    ASSERT_TRUE(exists("c.state")) << stopped.err;
    auto const rest = run_on(ranks, kept);
    ASSERT_EQ(rest.status, 0) << rest.err;
    auto const report = Json::parse(rest.out);
    EXPECT_EQ(report["sha256"], expected["sha256"]);
    EXPECT_GT(report["stream"]["first_block"], 0);
    EXPECT_FALSE(exists("c.state"));
  }
}

TEST_F(RanksTest, leave_other_commands_to_the_first) {
  auto const result = run_on(3, {"show", "a.npy"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, run_on(1, {"show", "a.npy"}).out);
}

TEST_F(RanksTest, end_together_with_one_sentence) {
  auto const expect = [&](int status, std::string const& sentence, Words const& command) {
    auto const result = run_on(3, command);
    EXPECT_EQ(result.status, status);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(sentence));
    auto const once = result.err.find("tessera: ");
    EXPECT_EQ(result.err.find("tessera: ", once + 1), std::string::npos) << result.err;
  };
  expect(3, "no.npy: does not exist", {"atax", "no.npy"});
  expect(4, "streaming it needs --memory-limit",
         {"lstsq", "a.npy", "b.npy", "--memory-limit", "12KiB"});
  expect(3, "folder", {"atax", "a.npy", "--output", "no-folder/c.npy"});
}

TEST_F(RanksTest, end_together_where_the_file_of_one_is_short) {
  std::filesystem::create_directory(path("elsewhere"));
  write("elsewhere/a.npy", read("a.npy").substr(0, 100'000));
  expect_end(
      launch_in({".", ".", "elsewhere"}, {"gemvt", "a.npy", "--output", path("c.npy").string()}), 3,
      "tessera: rank 2: a.npy: is truncated");
  EXPECT_FALSE(exists("c.npy"));
}

TEST_F(RanksTest, end_together_where_the_matrix_of_one_is_another) {
  std::filesystem::create_directory(path("elsewhere"));
  Words const elsewhere{"gen", "--output", "elsewhere/a.npy", "--rows"};
  std::vector<Words> const commands{{"atax", "a.npy"},
                                    {"gemv", "a.npy"},
                                    {"atax", "a.npy", "--memory-limit", "64KiB"},
                                    {"svd", "a.npy", "-k", "2"},
                                    {"lstsq", "a.npy", path("b.npy").string()},
                                    {"fit", "linear", "a.npy", path("b.npy").string()}};
  auto const expect_each = [&](std::string const& sentence, std::string const& other) {
    for (auto const& command : commands) {
      SCOPED_TRACE(command[0]);
      expect_end(launch_in({".", "elsewhere"}, command), 3, sentence);
    }
    expect_end(launch_in({"elsewhere", "."}, commands[1]), 3, other);
  };
  run_on(1, elsewhere + Words{"800", "--cols", "70"});
  expect_each(
      "a.npy: expected 900 rows of 70 elements, f32, row-major on each rank, as on rank 0, "
      "found 800 rows of 70 elements, f32, row-major on rank 1",
      "found 900 rows of 70 elements, f32, row-major on rank 1");
  run_on(1, elsewhere + Words{"900", "--cols", "70", "--seed", "7"});
  expect_end(launch_in({".", "elsewhere"}, commands[0]), 3,
             "a.npy: expected bytes whose sample has SHA-256 ");
  run_on(1, elsewhere + Words{"900", "--cols", "70", "--type", "f64"});
  expect_end(launch_in({".", "elsewhere"}, commands[0]), 3, "found 900 rows of 70 elements, f64");
  run_on(1, elsewhere + Words{"900", "--cols", "70", "--layout", "column-major"});
  expect_end(launch_in({".", "elsewhere"}, commands[0]), 3, "f32, column-major on rank 1");
}

TEST_F(RanksTest, end_together_where_a_vector_of_one_is_another) {
  std::filesystem::create_directory(path("elsewhere"));
  auto const generate = [&](std::string const& rows, std::string const& seed,
                            std::string const& to) {
    run_on(1, {"gen", "--rows", rows, "--cols", "1", "--distribution", "integer", "--seed", seed,
               "--output", to});
  };
  generate("70", "1", "v.npy");
  generate("70", "2", "elsewhere/v.npy");
  generate("900", "1", "u.npy");
  generate("900", "2", "elsewhere/u.npy");
  std::string const a = path("a.npy").string();
  auto const is_own = [](std::string const& word) { return word == "u.npy" || word == "v.npy"; };
  for (auto const& command : std::vector<Words>{
           {"atax", a, "--vector", "v.npy"},
           {"atax", a, "--vector", "v.npy", "--memory-limit", "64KiB"},
           {"atax", a, "--minus", "u.npy"},
           {"atax", a, "--add", "v.npy"},
           {"gemvt", a, "--vector", "u.npy"},
           {"gemv-both", a, "--vector", path("v.npy").string(), "--transposed-vector", "u.npy"},
           {"lstsq", a, "u.npy"},
           {"lstsq", a, "u.npy", "--memory-limit", "1MiB", "--damp", "1"},
           {"fit", "linear", a, "u.npy"},
           {"fit", "linear", a, path("b.npy").string(), "--offset", "u.npy"}}) {
    SCOPED_TRACE(testing::PrintToString(command));
    expect_end(launch_in({".", "elsewhere"}, command), 3,
               *std::ranges::find_if(command, is_own) + ": expected elements with SHA-256 ");
  }
}

TEST_F(RanksTest, end_together_where_a_checkpoint_is_there_for_one) {
  run_on(1, {"gen", "--rows", "60000", "--cols", "100", "--output", "big.npy"});
  Words const kept{"--checkpoint", "s.state", "--checkpoint-every", "0"};
  std::filesystem::create_directory(path("elsewhere"));
  for (std::string const name : {"a.npy", "b.npy", "big.npy"}) {
    std::filesystem::create_symlink(path(name), path("elsewhere/" + name));
  }
  auto const expect_both = [&](Words const& command) {
    SCOPED_TRACE(command[0]);
    ASSERT_TRUE(exists("s.state"));
    std::string const digest = "the checkpoint with SHA-256 ";
    expect_end(launch_in({".", "elsewhere"}, command), 3, "s.state: expected " + digest);
    expect_end(launch_in({".", "elsewhere"}, command), 3, "found none on rank 1");
    expect_end(launch_in({"elsewhere", "."}, command), 3,
               "s.state: expected none on each rank, as on rank 0, found " + digest);
    write("elsewhere/s.state", read("s.state"));
    auto changed = read("s.state");
    changed.back() = changed.back() == '0' ? '1' : '0';
    write("elsewhere/s.state", changed);
    expect_end(launch_in({".", "elsewhere"}, command), 3, "s.state: expected " + digest);
    std::filesystem::remove(path("elsewhere/s.state"));
    std::filesystem::remove(path("s.state"));
  };
  for (auto const& command : std::vector<Words>{
           {"pca", "a.npy", "-k", "3", "--ncv", "8"},
           {"lstsq", "a.npy", "b.npy", "--atol", "0", "--btol", "0", "--conlim", "0"},
           {"fit", "linear", "a.npy", "b.npy", "--solver", "lbfgs"}}) {
    run_on(2, command + kept + Words{"--maxiter", "2"});
    expect_both(command + kept);
  }
  Words const product = Words{"atax", "big.npy", "--memory-limit", "1MiB"} + kept;
  run(launch_with(2, 0, "rename,s.state,SIGKILL,2", product), surroundings());
  expect_both(product);
}

TEST_F(RanksTest, cut_a_stream_alike_whatever_threads_and_memory_each_has) {
  run_on(1, {"gen", "--rows", "60000", "--cols", "400", "--output", "big.npy"});
  run_on(1, {"convert", "big.npy", "bigf.npy", "--layout", "column-major"});
  auto const expect_same = [&](Words const& command, std::vector<Words> const& of_ranks) {
    auto const expected = report_of(1, command);
    std::vector<Words> all;
    for (auto const& own : of_ranks) {
      all.push_back(Words{TESSERA_PROGRAM} + command +
                    Words{"--format", "json", "--checkpoint", "z"} + own);
      all.back() = all.back() + Words{"--checkpoint-every", "0"};
    }
    auto const found = run(launch_each(all), surroundings());
    ASSERT_EQ(found.status, 0) << found.err;
    EXPECT_EQ(Json::parse(found.out)["sha256"], expected["sha256"]) << command[0];
  };
  for (auto const& command :
       std::vector<Words>{{"gemv", "bigf.npy"}, {"atax", "big.npy"}, {"gemvt", "big.npy"}}) {
    expect_same(command, {{"--threads", "1"}, {"--threads", "8"}, {"--threads", "3"}});
    expect_same(command, {{"--memory-limit", "32MiB"}, {"--memory-limit", "8MiB"}});
  }
}

TEST_F(RanksTest, end_together_where_each_is_asked_for_something_else) {
  Words const a{TESSERA_PROGRAM, "atax", "a.npy"};
  auto const expect = [&](Words const& first, Words const& second, std::string const& found) {
    expect_end(launch_each({first, second}), 2,
               "rank 1 has another command line than rank 0: " + found);
  };
  expect(a, a + Words{"--nonsense"},
         "expected 'atax', found 'a command line that is refused: unknown option '--nonsense' of "
         "atax'");
  expect(a, a + Words{"--help"}, "expected 'atax', found 'help or the version'");
  expect(a, {TESSERA_PROGRAM, "--version"}, "expected 'atax', found 'help or the version'");
  expect(a, {TESSERA_PROGRAM, "gemv", "a.npy"}, "expected 'atax', found 'gemv'");
  expect(a, {TESSERA_PROGRAM, "show", "a.npy"}, "expected 'atax', found 'show'");
  expect(a + Words{"--repeat", "3"}, a + Words{"--repeat", "4"},
         "expected '--repeat 3', found '--repeat 4'");
  expect(a, a + Words{"--intermediate", "other.npy"}, "expected none, found '--intermediate'");
  expect(a + Words{"--check"}, a, "expected '--check', found none");
  Words const svd{TESSERA_PROGRAM, "svd", "a.npy", "-k"};
  expect(svd + Words{"2"}, svd + Words{"3"}, "expected '--count 2', found '--count 3'");
  Words const least{TESSERA_PROGRAM, "lstsq", "a.npy", "b.npy"};
  expect(least + Words{"--damp", "1"}, least + Words{"--damp", "2"},
         "expected '--damp 1', found '--damp 2'");
  expect(least + Words{"--maxiter", "5"}, least + Words{"--maxiter", "9"},
         "expected '--maxiter 5', found '--maxiter 9'");
  auto const refused = run(launch_each({a + Words{"--nonsense"}, a}), surroundings());
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("unknown option '--nonsense' of atax"));
  std::filesystem::create_symlink(path("a.npy"), path("same.npy"));
  auto const good = run(launch_each({a + Words{"--threads", "1"},
                                     {TESSERA_PROGRAM, "atax", "same.npy", "--threads", "2"}}),
                        surroundings());
  EXPECT_EQ(good.status, 0) << good.err;
}

TEST_F(RanksTest, refuse_what_one_process_has_open) {
  expect_end(launch(2, {"atax", "-"}), 3,
             "tessera: /dev/stdin: is read by several processes: expected a regular file, found ");
  expect_end(launch(2, {"svd", "/dev/fd/0", "-k", "1"}), 3,
             "tessera: /dev/fd/0: is read by several processes: expected a regular file, found ");
}

TEST_F(RanksTest, say_once_what_is_wrong_in_the_environment) {
  Words const a{TESSERA_PROGRAM, "atax", "a.npy"};
  Words const wrong = Words{"/usr/bin/env", "TESSERA_CUDA_AWARE_MPI=maybe"} + a;
  expect_end(launch_each({a, wrong, a}), 4,
             "rank 1: TESSERA_CUDA_AWARE_MPI: expected on or off, found maybe");
  expect_end(launch_each({wrong, wrong, wrong}), 4, "TESSERA_CUDA_AWARE_MPI");
}

TEST_F(RanksTest, name_a_limit_that_is_enough_for_all) {
  run_on(1, {"gen", "--rows", "1190", "--cols", "548", "--type", "f64", "--output", "s.npy"});
  run_on(1, {"convert", "s.npy", "sf.npy", "--layout", "column-major"});
  for (auto const& command : std::vector<Words>{{"atax", "s.npy"},
                                                {"gemv", "s.npy"},
                                                {"gemvt", "s.npy"},
                                                {"atax", "sf.npy"},
                                                {"gemv", "sf.npy"},
                                                {"gemvt", "sf.npy"},
                                                {"svd", "s.npy", "-k", "2"}}) {
    for (int const ranks : {1, 3}) {
      SCOPED_TRACE(command[0] + " " + command[1] + " on " + std::to_string(ranks));
      auto const refused = run_on(ranks, command + Words{"--memory-limit", "4096"});
      EXPECT_EQ(refused.status, 4);
      std::string const before = command[1] + ": streaming it needs --memory-limit ";
      std::string const behind = " or more, found a limit of 4.0 KiB\n";
      auto const at = refused.err.find("tessera: " + before);
      ASSERT_NE(at, std::string::npos) << refused.err;
      auto const from = refused.err.find(before) + before.size();
      auto const to = refused.err.find(behind);
      ASSERT_NE(to, std::string::npos) << refused.err;
      auto const limit = refused.err.substr(from, to - from);
      auto const taken = run_on(ranks, command + Words{"--memory-limit", limit});
      EXPECT_EQ(taken.status, 0) << limit << ": " << taken.err;
    }
  }
  Words const a{TESSERA_PROGRAM, "atax", "s.npy", "--memory-limit"};
  expect_end(launch_each({a + Words{"1MiB"}, a + Words{"4096"}}), 4, "found a limit of 4.0 KiB");
}

TEST_F(RanksTest, share_the_memory_of_a_host) {
  Words const unlimited{"atax", "a.npy", "--checkpoint", "s.state"};
  auto const limit = [&](int ranks) {
    return report_of(ranks, unlimited)["stream"]["memory_limit"].get<double>();
  };
  double const of_one = limit(1);
  EXPECT_LT(limit(4), of_one / 2);
  EXPECT_GT(limit(4), of_one / 8);
}

TEST_F(RanksTest, share_the_processors_of_a_host) {
  auto const threads = [&](Words const& launched, std::vector<std::string> const& without) {
    RunOptions options = surroundings();
    std::erase_if(options.environment,
                  [&](auto const& each) { return each.first == "OMP_NUM_THREADS"; });
    options.without = without;
    options.environment.emplace_back("PRTE_MCA_hwloc_default_binding_policy", "none");
    auto const result = run(launched + Words{"info", "--format", "json"}, options);
    EXPECT_EQ(result.status, 0) << result.err;
    int found = 0;
    Json const facts = Json::parse(result.out);
    for (auto const& backend : facts.at("backends")) {
      if (backend.at("name") == "openmp") found = backend.at("threads").get<int>();
    }
    return found;
  };
  std::vector<std::string> const none{"OMP_NUM_THREADS", "KOKKOS_NUM_THREADS"};
  int const all = threads({TESSERA_PROGRAM}, none);
  if (all == 0) GTEST_SKIP() << "SKIPPED: this build has no OpenMP backend";
  EXPECT_EQ(threads(launch(2, {}), none), std::max(1, all / 2));
  EXPECT_EQ(threads(launch(3, {}), none), std::max(1, all / 3));
  EXPECT_EQ(threads(launch_each({{"/usr/bin/env", "OMP_NUM_THREADS=3", TESSERA_PROGRAM}}), none),
            3);
}

TEST_F(RanksTest, refuse_a_foreign_mpi_launcher) {
  if (std::string(TESSERA_MPIEXEC_OPTIONS).empty()) GTEST_SKIP() << "SKIPPED: not Open MPI";
  auto const expect = [&](Words const& variables, int status, std::string const& sentence) {
    auto const result = run(variables + Words{TESSERA_PROGRAM, "show", "a.npy"});
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_THAT(result.err, HasSubstr(sentence));
  };
  expect({"PMI_RANK=0", "PMI_SIZE=3"}, 4,
         "a launcher has started 3 processes of this program, and each is alone for its MPI");
  expect({"SLURM_STEP_NUM_TASKS=4"}, 4,
         "srun has started 4 processes of this program without PMIx");
  expect({"SLURM_STEP_NUM_TASKS=1"}, 0, "");
  expect({"SLURM_STEP_NUM_TASKS=4", "TESSERA_MPI=off"}, 0, "");
  expect({"PMI_RANK=0", "PMI_SIZE=3", "TESSERA_MPI=off"}, 0, "");
  expect({"PMI_RANK=0", "PMI_SIZE=1"}, 0, "");
  expect({"TESSERA_MPI=perhaps"}, 2,
         "the environment variable TESSERA_MPI: expected on or off, found 'perhaps'");
}

TEST_F(RanksTest, need_the_program_with_mpi) {
  std::filesystem::copy_file(TESSERA_PROGRAM, path("tessera"));
  auto const expect = [&](Words const& variables, int status, std::string const& sentence) {
    auto const result = run(variables + Words{path("tessera").string(), "show", "a.npy"});
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_THAT(result.err, HasSubstr(sentence));
  };
  std::string const none = "and there is no tessera-mpi next to it: expected one process";
  expect({"OMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_SIZE=2"}, 4,
         "a launcher has started 2 processes of this program, " + none);
  expect({"PMIX_RANK=0"}, 4, "a launcher has started several processes of this program, " + none);
  expect({"PMIX_RANK=0", "SLURM_STEP_NUM_TASKS=2"}, 4, "2 processes of this program, " + none);
  expect({"PMIX_RANK=0", "SLURM_STEP_NUM_TASKS=1"}, 0, "");
  expect({"PMIX_RANK=0", "TESSERA_MPI=off"}, 0, "");
  expect({"OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=1"}, 0, "");
}

TEST_F(RanksTest, may_start_the_program) {
  std::string const shown = run_on(1, {"show", "a.npy"}).out;
  Words all = launch(2, {"show", "a.npy"});
  auto const program = std::ranges::find(all, TESSERA_PROGRAM);
  all.insert(program, RANK_PARENT);
  auto const each = run(all, surroundings());
  EXPECT_EQ(each.status, 0) << each.err;
  auto const sorted_lines = [](std::string const& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    std::ranges::sort(lines);
    return lines;
  };
  EXPECT_EQ(sorted_lines(each.out), sorted_lines(shown + shown));
  // With MPI, each program would be the same rank.
  auto const both = run(launch_each({{"/bin/sh", "-c",
                                      "TESSERA_MPI=off " TESSERA_PROGRAM " show a.npy & "
                                      "TESSERA_MPI=off " TESSERA_PROGRAM " show a.npy & wait"}}),
                        surroundings());
  EXPECT_EQ(both.status, 0) << both.err;
  EXPECT_EQ(both.out.size(), 2 * shown.size());
  // The script is not an MPI rank, the program is.
  auto const scripts = run(launch_each({{"/bin/sh", "-c", TESSERA_PROGRAM " atax a.npy; exit $?"},
                                        {"/bin/sh", "-c", TESSERA_PROGRAM " atax a.npy; exit $?"}}),
                           surroundings());
  EXPECT_EQ(scripts.status, 0) << scripts.err;
  EXPECT_THAT(scripts.out, HasSubstr("rank 1: "));
}

std::vector<pid_t> descendants(pid_t pid) {
  std::vector<pid_t> all;
  std::error_code error;
  auto const tasks = "/proc/" + std::to_string(pid) + "/task";
  for (auto const& task : std::filesystem::directory_iterator(tasks, error)) {
    std::ifstream children(task.path() / "children");
    for (pid_t child = 0; children >> child;) {
      all.push_back(child);
      for (pid_t const later : descendants(child)) all.push_back(later);
    }
  }
  return all;
}
bool is_program(pid_t pid) {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/exe", error).filename() ==
         "tessera-mpi";
}

/// Call after their start: Linux may omit children while others start or end.
std::vector<pid_t> ranks_of(pid_t launcher) {
  std::vector<pid_t> ranks;
  auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (ranks.empty() && std::chrono::steady_clock::now() < end) {
    for (pid_t const pid : descendants(launcher)) {
      if (is_program(pid)) ranks.push_back(pid);
    }
  }
  return ranks;
}

bool has_open(pid_t pid, std::string const& name) {
  std::error_code error;
  auto const all = "/proc/" + std::to_string(pid) + "/fd";
  for (auto const& each : std::filesystem::directory_iterator(all, error)) {
    if (std::filesystem::read_symlink(each, error).filename() == name) return true;
  }
  return false;
}

TEST_F(RanksTest, end_with_their_launcher) {
  // No MPI daemon notices the end of this launcher.
  auto const launcher = start({"PMI_RANK=0", "PMI_SIZE=1", "/bin/sh", "-c",
                               TESSERA_PROGRAM " atax a.npy --repeat 1000000; exit 1"},
                              surroundings());
  auto const ranks = ranks_of(launcher);
  auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  auto const wait_while = [&](auto const& is_so) {
    while (is_so() && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  };
  bool const is_there = !ranks.empty();
  if (is_there) wait_while([&] { return !has_open(ranks[0], "a.npy"); });
  bool const has_begun = is_there && has_open(ranks[0], "a.npy");
  ::kill(launcher, SIGKILL);
  finish(launcher);
  ASSERT_TRUE(has_begun);
  wait_while([&] { return is_program(ranks[0]); });
  EXPECT_FALSE(is_program(ranks[0]));
  ::kill(ranks[0], SIGKILL);
}

TEST_F(RanksTest, end_together_where_one_has_a_fault) {
  write("c.npy", "an earlier result");
  Words const in_memory{"atax", "a.npy", "--output", "c.npy"};
  Words const streamed = in_memory + Words{"--memory-limit", "64KiB"};
  for (auto const& command : {in_memory, streamed}) {
    auto const expect = [&](int faulty, std::string const& fault, std::string const& sentence) {
      auto const result = run(launch_with(3, faulty, fault, command), surroundings());
      EXPECT_EQ(result.status, 3) << result.err;
      EXPECT_THAT(result.err, HasSubstr(sentence)) << fault;
      EXPECT_EQ(read("c.npy"), "an earlier result");
    };
    expect(2, "read,a.npy,EIO,200000", "tessera: rank 2: a.npy: ");
    expect(2, "read,a.npy,end,200000", "tessera: rank 2: a.npy: ");
    expect(1, "read,a.npy,EIO,100000", "tessera: rank 1: a.npy: ");
    expect(0, "write,,ENOSPC,100", "c.npy: ");
  }
  auto const result = run(launch_with(3, 0, "fsync,,throw,0", in_memory), surroundings());
  EXPECT_NE(result.status, 0);
  EXPECT_NE(result.err, "");
  EXPECT_EQ(read("c.npy"), "an earlier result");
}

TEST_F(RanksTest, end_together_where_the_disk_of_a_checkpoint_is_full) {
  run_on(1, {"gen", "--rows", "60000", "--cols", "100", "--output", "big.npy"});
  Words const kept{"atax", "big.npy",        "--checkpoint", "c.state",  "--checkpoint-every",
                   "0",    "--memory-limit", "1MiB",         "--output", "c.npy"};
  auto const result = run(launch_with(3, 0, "write,,ENOSPC,100", kept), surroundings());
  EXPECT_EQ(result.status, 3) << result.err;
  EXPECT_THAT(result.err, HasSubstr("c.state"));
  EXPECT_FALSE(exists("c.npy"));
}

TEST_F(RanksTest, end_where_one_is_killed_at_any_moment_and_leave_results_whole) {
  write("c.npy", "an earlier result");
  auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  std::mt19937 random(39);
  int kills = 0;
  int of_running = 0;  // ranks in MPI_Init may see it before the launcher
  for (; kills < 20 && (kills < 5 || std::chrono::steady_clock::now() < end); ++kills) {
    Words const long_run{"atax", "a.npy", "--repeat", "1000000", "--output", "c.npy"};
    auto const child = start(launch(3, long_run), surroundings());
    bool const has_begun = !ranks_of(child).empty();
    if (has_begun) std::this_thread::sleep_for(std::chrono::milliseconds(random() % 700));
    auto const ranks = ranks_of(child);
    if (!has_begun || ranks.empty()) {
      ::kill(child, SIGTERM);
      FAIL() << "kill " << kills << ": there are no ranks: " << finish(child).err;
    }
    ::kill(ranks[random() % ranks.size()], SIGKILL);
    auto const result = finish(child);
    SCOPED_TRACE(testing::Message() << "kill " << kills << ", status " << result.status
                                    << ", signal " << result.signal << ", " << result.err);
    EXPECT_TRUE(result.status != 0 || result.signal != 0);
    EXPECT_NE(result.err, "");
    EXPECT_THAT(result.err, Not(HasSubstr("tessera: "))) << "it ended by itself";
    EXPECT_EQ(read("c.npy"), "an earlier result");
    if (result.err.find("9 (Killed)") != std::string::npos) ++of_running;
  }
  EXPECT_GT(of_running, 0);
  RecordProperty("kills", kills);
}

}  // namespace
}  // namespace tessera::test
