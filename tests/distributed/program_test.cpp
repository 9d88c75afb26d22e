// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include "app/support/program.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
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
  }

  static Arguments launch(int ranks, Arguments const& command) {
    Arguments all{TESSERA_MPIEXEC};
    std::istringstream options(TESSERA_MPIEXEC_OPTIONS);
    for (std::string option; options >> option;) all.push_back(option);
    return all + Arguments{"-n", std::to_string(ranks), TESSERA_PROGRAM} + command;
  }
  static RunOptions surroundings() {
    return {.environment = {{"OMP_NUM_THREADS", "1"}, {"OMP_PROC_BIND", "false"}}};
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
           {"pca", "a.npy", "-k", "2"},
           {"fit", "linear", "a.npy", "b.npy"}}) {
    auto const expected = report_of(1, command);
    auto const found = report_of(3, command);
    EXPECT_EQ(found["sha256"], expected["sha256"]) << command[0];
    EXPECT_TRUE(expected["ranks"].is_null());
    ASSERT_EQ(found["ranks"].size(), 3);
    int rows = 0;
    for (auto const& rank : found["ranks"]) rows += rank["rows"].get<int>();
    EXPECT_EQ(rows, 900);
  }
}

TEST_F(RanksTest, write_each_result_once) {
  auto const result = run_on(3, {"atax", "a.npy", "--vector", "a-vector.npy", "--output", "c.npy",
                                 "--intermediate", "other-b.npy"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(read("other-b.npy"), read("b.npy"));
  EXPECT_THAT(result.out, HasSubstr("rank 2: "));
  EXPECT_EQ(listing().size(), 5);
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
  expect(2, "--check: ", {"atax", "a.npy", "--check"});
  expect(2, "--checkpoint: ", {"atax", "a.npy", "--checkpoint", "c.state"});
  expect(2, "gemv-both: ", {"gemv-both", "a.npy", "--transposed-vector", "b.npy"});
  expect(2, "--method randomized: ", {"svd", "a.npy", "-k", "2", "--method", "randomized"});
  expect(4, "none streams", {"lstsq", "a.npy", "b.npy", "--memory-limit", "32KiB"});
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

TEST_F(RanksTest, end_where_one_is_killed_and_leave_results_whole) {
  write("c.npy", "an earlier result");
  for (int const milliseconds : {300, 600, 900}) {
    auto const child = start(
        launch(3, {"atax", "a.npy", "--repeat", "100000000", "--output", "c.npy"}), surroundings());
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    pid_t last = -1;
    while (last < 0) {
      for (pid_t const pid : descendants(child)) last = is_program(pid) ? pid : last;
    }
    ::kill(last, SIGKILL);
    auto const result = finish(child);
    EXPECT_TRUE(result.status != 0 || result.signal != 0);
    EXPECT_EQ(read("c.npy"), "an earlier result");
  }
}

}  // namespace
}  // namespace tessera::test
