// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "app/support/program.hpp"

/// TESSERA_KILLS: kills per job. TESSERA_KILLS_SEED repeats their moments.
namespace tessera::test {
namespace {

std::uint64_t number_in_environment(char const* name, std::uint64_t otherwise) {
  char const* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class KillsTest : public ProgramTest {
 protected:
  using Microseconds = std::chrono::microseconds;

  void SetUp() override {
    auto const made = run({"gen", "--rows", "6000", "--cols", "1500", "--distribution", "normal",
                           "--output", "a.npy", "--vector-output", "v.npy"});
    ASSERT_EQ(made.status, 0) << made.err;
  }

  void kill_often(std::vector<std::string> const& command) {
    std::uint64_t const kills = number_in_environment("TESSERA_KILLS", 12);
    std::uint64_t const seed = number_in_environment("TESSERA_KILLS_SEED", std::random_device{}());
    SCOPED_TRACE("TESSERA_KILLS_SEED=" + std::to_string(seed) + " repeats the moments");
    RecordProperty("seed", std::to_string(seed));
    std::printf("%llu kills, TESSERA_KILLS_SEED=%llu\n", static_cast<unsigned long long>(kills),
                static_cast<unsigned long long>(seed));
    Microseconds const whole = time_of(command);
    std::string const wanted = read("c.npy");
    write("c.npy", "old");
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<std::int64_t> moment(0, whole.count() * 11 / 10);
    std::uint64_t in_time = 0;
    for (std::uint64_t kill = 0; kill < kills; ++kill) {
      bool const killed = run_until(command, Microseconds(moment(random)));
      std::string const found = read("c.npy");
      ASSERT_TRUE(found == wanted || (killed && found == "old")) << "c.npy is torn, kill " << kill;
      expect_nothing_torn_beside();
      in_time += killed ? 1 : 0;
      if (found == wanted) write("c.npy", "old");
    }
    EXPECT_GT(in_time, 0U) << "no kill came in time";
    auto const last = run(command);
    EXPECT_EQ(last.status, 0) << last.err;
    EXPECT_EQ(read("c.npy"), wanted);
    EXPECT_FALSE(exists("run.state"));
  }

  /// A kill just before the move leaves a complete output under its temporary name.
  void expect_nothing_torn_beside() {
    for (std::string const& name : listing()) {
      if (name == "run.state") ++checkpoints_;
      if (name == "a.npy" || name == "v.npy" || name == "c.npy" || name == "run.state") continue;
      EXPECT_TRUE(name.starts_with(".c.npy.tessera-") || name.starts_with(".run.state.tessera-"))
          << name;
      std::filesystem::remove(path(name));
    }
  }

  [[nodiscard]] std::uint64_t checkpoints() const { return checkpoints_; }

 private:
  Microseconds time_of(std::vector<std::string> const& command) const {
    auto const start = std::chrono::steady_clock::now();
    auto const result = run(command);
    EXPECT_EQ(result.status, 0) << result.err;
    return std::chrono::duration_cast<Microseconds>(std::chrono::steady_clock::now() - start);
  }

  bool run_until(std::vector<std::string> const& command, Microseconds moment) const {
    pid_t const child = start(command);
    std::this_thread::sleep_for(moment);
    ::kill(child, SIGKILL);
    auto const ended = finish(child);
    EXPECT_TRUE(ended.signal == SIGKILL || ended.status == 0) << ended.err;
    return ended.signal == SIGKILL;
  }

  std::uint64_t checkpoints_ = 0;
};

TEST_F(KillsTest, atax_with_checkpoints_leaves_whole_files_and_ends_with_its_bits) {
  std::vector<std::string> const command = {
      "atax",           "a.npy", "--vector",     "v.npy",     "--output",           "c.npy",
      "--memory-limit", "8MiB",  "--checkpoint", "run.state", "--checkpoint-every", "0"};
  kill_often(command);
  std::string const wanted = read("c.npy");
  ASSERT_NO_FATAL_FAILURE(kill_when_exists(command, "run.state"));
  expect_nothing_torn_beside();
  auto const rest = run(command);
  EXPECT_EQ(rest.status, 0) << rest.err;
  EXPECT_EQ(read("c.npy"), wanted);
  EXPECT_GT(checkpoints(), 0U) << "no kill left a checkpoint behind";
}

TEST_F(KillsTest, convert_leaves_the_old_file_or_the_new_one) {
  kill_often({"convert", "a.npy", "c.npy", "--layout", "column-major"});
}

}  // namespace
}  // namespace tessera::test
