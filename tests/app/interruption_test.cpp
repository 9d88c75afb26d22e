// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <filesystem>
#include <signal.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>

#include "support/program.hpp"

namespace tessera::test {
namespace {

class InterruptionTest : public ProgramTest {
 protected:
  InterruptionTest() {
    if (run({"gen", "--rows", "1000", "--cols", "1000", "--output", "a.npy"}).status != 0) {
      throw std::runtime_error("gen failed");
    }
    write("c.npy", "old");
  }
  pid_t start_long_run() const {
    return start({"atax", "a.npy", "--repeat", "1000000", "--output", "c.npy"});
  }
  static void wait_until_busy(pid_t child) {
    auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    auto const output_open = [&] {
      std::error_code error;
      for (auto const& entry :
           std::filesystem::directory_iterator("/proc/" + std::to_string(child) + "/fd", error)) {
        auto const target = std::filesystem::read_symlink(entry.path(), error).string();
        if (target.find("tessera-app-") != std::string::npos &&
            target.find("/work") != std::string::npos &&
            target.find("a.npy") == std::string::npos) {
          return true;
        }
      }
      return false;
    };
    while (!output_open() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ASSERT_TRUE(output_open()) << "the program never opened its output";
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
};

TEST_F(InterruptionTest, termination_leaves_the_old_output_whole_and_nothing_beside) {
  auto const before = listing();
  for (int const number : {SIGTERM, SIGINT, SIGKILL}) {
    pid_t const child = start_long_run();
    wait_until_busy(child);
    kill(child, number);
    auto const result = finish(child);
    EXPECT_EQ(result.signal, number) << result.status << result.err;
    EXPECT_EQ(read("c.npy"), "old");
    EXPECT_EQ(listing(), before);
  }
}

}  // namespace
}  // namespace tessera::test
