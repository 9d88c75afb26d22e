// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include "app/support/program.hpp"

#include <chrono>
#include <csignal>
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

/// The program, started by mpirun.
namespace tessera::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Arguments = std::vector<std::string>;
using Json = nlohmann::json;

class RanksTest : public ProgramTest {
 protected:
  RanksTest() {
    run_on(1, {"gen", "--rows", "900", "--cols", "70", "--output", "a.npy"});
    run_on(1, {"gemv", "a.npy", "--vector", "a-vector.npy", "--output", "b.npy"});
    run_on(1, {"convert", "a.npy", "f.npy", "--layout", "column-major"});
  }

  static Arguments launch(int ranks, Arguments const& command) {
    Arguments all{TESSERA_MPIEXEC};
    std::istringstream options(TESSERA_MPIEXEC_OPTIONS);
    for (std::string option; options >> option;) all.push_back(option);
    return all + Arguments{"-n", std::to_string(ranks), TESSERA_PROGRAM} + command;
  }
  /// One rank gets a fault of tests/faults/fault_shim.cpp.
  static Arguments launch_with(int ranks, int faulty, std::string const& fault,
                               Arguments const& command) {
    Arguments all = launch(1, {});
    all.resize(all.size() - 3);
    for (int rank = 0; rank < ranks; ++rank) {
      if (rank > 0) all.emplace_back(":");
      all.insert(all.end(), {"-n", "1"});
      if (rank == faulty) {
        all.insert(all.end(),
                   {"/usr/bin/env", "LD_PRELOAD=" FAULT_SHIM, "TESSERA_FAULTS=" + fault});
      }
      all.emplace_back(TESSERA_PROGRAM);
      all.insert(all.end(), command.begin(), command.end());
    }
    return all;
  }
  /// Ranks of one host, for whose sake Open MPI need not look for networks.
  static RunOptions surroundings() {
    return {.environment = {{"OMP_NUM_THREADS", "1"},
                            {"OMP_PROC_BIND", "false"},
                            {"OMPI_MCA_btl", "self,sm"},
                            {"OMPI_MCA_mpi_yield_when_idle", "1"}}};
  }
  /// Of one rank without mpirun.
  RunResult run_on(int ranks, Arguments const& command) const {
    if (ranks == 1) return run(Arguments{TESSERA_PROGRAM} + command, surroundings());
    return run(launch(ranks, command), surroundings());
  }
  /// The only JSON object of a run.
  Json report_of(int ranks, Arguments const& command) const {
    auto const result = run_on(ranks, command + Arguments{"--format", "json"});
    EXPECT_EQ(result.status, 0) << result.err;
    return Json::parse(result.out);
  }
};

TEST_F(RanksTest, have_the_bits_of_one_process) {
  run_on(1, {"gen", "--rows", "900", "--cols", "2", "--seed", "5", "--output", "block.npy"});
  for (auto const& command : std::vector<Arguments>{
           {"atax", "a.npy", "--vector", "a-vector.npy", "--minus", "b.npy", "--alpha", "0.5"},
           {"gemv", "a.npy", "--vector", "a-vector.npy"},
           {"gemvt", "a.npy", "--vector", "b.npy", "--type", "f64"},
           {"lstsq", "a.npy", "b.npy"},
           {"lstsq", "a.npy", "block.npy"},
           {"svd", "a.npy", "-k", "2"},
           {"svd", "a.npy", "-k", "2", "--method", "randomized", "--check"},
           {"pca", "a.npy", "-k", "2"},
           {"lstsq", "a.npy", "b.npy", "--check"},
           {"gemv-both", "a.npy", "--vector", "a-vector.npy", "--transposed-vector", "b.npy"},
           {"fit", "linear", "a.npy", "b.npy"}}) {
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

TEST_F(RanksTest, say_how_they_exchanged) {
  Arguments const host{"--backend", "openmp"};
  for (auto const& command :
       std::vector<Arguments>{{"atax", "a.npy", "--vector", "a-vector.npy"},
                              {"gemv", "a.npy", "--vector", "a-vector.npy"},
                              {"gemvt", "a.npy", "--vector", "b.npy", "--memory-limit", "64KiB"}}) {
    EXPECT_EQ(report_of(2, command + host)["exchange"], "mpi from host memory") << command[0];
    auto const text = run_on(2, command + host).out;
    EXPECT_THAT(text, testing::HasSubstr("mpi from host memory")) << command[0];
  }
}

TEST_F(RanksTest, stream_by_rank_with_the_bits_of_one_process) {
  for (auto const& command : std::vector<Arguments>{
           {"atax", "a.npy", "--vector", "a-vector.npy", "--minus", "b.npy", "--alpha", "0.5"},
           {"gemv", "a.npy", "--vector", "a-vector.npy"},
           {"gemv", "f.npy", "--vector", "a-vector.npy"},
           {"gemvt", "a.npy", "--vector", "b.npy"},
           {"gemvt", "f.npy", "--vector", "b.npy"},
           {"atax", "f.npy", "--vector", "a-vector.npy"},
           {"gemv-both", "a.npy", "--vector", "a-vector.npy", "--transposed-vector", "b.npy"},
           {"lstsq", "a.npy", "b.npy", "--check"},
           {"svd", "a.npy", "-k", "2", "--method", "randomized"},
           {"pca", "a.npy", "-k", "2"}}) {
    bool const is_small = command[0] != "pca" && command[0] != "svd" && command[1] == "a.npy";
    auto const expected = report_of(1, command);
    auto const found =
        report_of(3, command + Arguments{"--memory-limit", is_small ? "64KiB" : "1MiB"});
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
  Arguments const solve{"lstsq", "a.npy", "b.npy", "--atol", "0", "--btol", "0", "--conlim", "0"};
  Arguments const kept{"--checkpoint", "s.state", "--checkpoint-every", "0"};
  auto const whole = run_on(1, solve + Arguments{"--maxiter", "9", "--format", "json"});
  run_on(3, solve + kept + Arguments{"--maxiter", "4"});
  ASSERT_TRUE(exists("s.state"));
  auto const rest = run_on(2, solve + kept + Arguments{"--maxiter", "9", "--format", "json"});
  EXPECT_EQ(Json::parse(rest.out)["sha256"], Json::parse(whole.out)["sha256"]);
  EXPECT_GT(Json::parse(rest.out)["first_iteration"], 0);
}

TEST_F(RanksTest, go_on_with_a_product_from_a_checkpoint_of_another_number_of_ranks) {
  Arguments const product{"atax", "big.npy"};
  run_on(1, {"gen", "--rows", "60000", "--cols", "100", "--output", "big.npy"});
  auto const expected = report_of(1, product);
  Arguments const kept =
      product + Arguments{"--checkpoint",   "c.state", "--checkpoint-every", "0",
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
  auto const expect = [&](int status, std::string const& sentence, Arguments const& command) {
    auto const result = run_on(3, command);
    EXPECT_EQ(result.status, status);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(sentence));
    auto const once = result.err.find("tessera: ");
    EXPECT_EQ(result.err.find("tessera: ", once + 1), std::string::npos) << result.err;
  };
  expect(3, "no.npy: does not exist", {"atax", "no.npy"});
  expect(4, "expected a limit of at least", {"lstsq", "a.npy", "b.npy", "--memory-limit", "12KiB"});
  expect(3, "folder", {"atax", "a.npy", "--output", "no-folder/c.npy"});
}

TEST_F(RanksTest, end_together_where_the_file_of_one_is_short) {
  std::filesystem::create_directory(path("elsewhere"));
  write("elsewhere/a.npy", read("a.npy").substr(0, 100'000));
  Arguments all = launch(2, {"gemvt", "a.npy", "--output", path("c.npy").string()});
  auto const one = launch(1, {"gemvt", "a.npy", "--output", path("c.npy").string()});
  bool is_option = true;  // those of all ranks stand in front
  all.emplace_back(":");
  for (auto const& word : one) {
    if (word == "-n") {
      is_option = false;
      all.insert(all.end(), {"-wdir", path("elsewhere").string()});
    }
    if (!is_option) all.push_back(word);
  }
  auto const result = run(all, surroundings());
  EXPECT_EQ(result.status, 3) << result.err;
  EXPECT_THAT(result.err, HasSubstr("tessera: rank 2: a.npy: is truncated"));
  EXPECT_FALSE(exists("c.npy"));
}

/// The processes that a process has started, and those that these have.
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

/// Those of a launcher, once there are some. Linux may leave children out while others begin or
/// end.
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

TEST_F(RanksTest, end_together_where_one_has_a_fault) {
  write("c.npy", "an earlier result");
  Arguments const in_memory{"atax", "a.npy", "--output", "c.npy"};
  Arguments const streamed = in_memory + Arguments{"--memory-limit", "64KiB"};
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
  // What nobody catches ends one rank, and so the run.
  auto const result = run(launch_with(3, 0, "fsync,,throw,0", in_memory), surroundings());
  EXPECT_NE(result.status, 0);
  EXPECT_NE(result.err, "");
  EXPECT_EQ(read("c.npy"), "an earlier result");
}

TEST_F(RanksTest, end_together_where_the_disk_of_a_checkpoint_is_full) {
  run_on(1, {"gen", "--rows", "60000", "--cols", "100", "--output", "big.npy"});
  Arguments const kept{"atax", "big.npy",        "--checkpoint", "c.state",  "--checkpoint-every",
                       "0",    "--memory-limit", "1MiB",         "--output", "c.npy"};
  auto const result = run(launch_with(3, 0, "write,,ENOSPC,100", kept), surroundings());
  EXPECT_EQ(result.status, 3) << result.err;
  EXPECT_THAT(result.err, HasSubstr("c.state"));
  EXPECT_FALSE(exists("c.npy"));
}

TEST_F(RanksTest, end_where_one_is_killed_at_any_moment_and_leave_results_whole) {
  write("c.npy", "an earlier result");
  // As many as there is time for, at most 50.
  auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  std::mt19937 random(39);
  int kills = 0;
  int of_running = 0;  // in MPI_Init, the others may see it before the launcher does
  for (; kills < 50 && (kills < 5 || std::chrono::steady_clock::now() < end); ++kills) {
    Arguments const long_run{"atax", "a.npy", "--repeat", "1000000", "--output", "c.npy"};
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
