// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <fcntl.h>
#include <initializer_list>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>

#include "support/program.hpp"

namespace tessera::test {
namespace {

constexpr std::chrono::seconds patience{60};

class TerminalTest : public ProgramTest {
 protected:
  TerminalTest() {
    if (run({"gen", "--rows", "1000", "--cols", "1000", "--output", "a.npy"}).status != 0) {
      throw std::runtime_error("gen failed");
    }
    if (openpty(&controller_, &terminal_, nullptr, nullptr, nullptr) != 0) {
      throw std::runtime_error("no pseudo-terminal");
    }
  }
  ~TerminalTest() override {
    close(controller_);
    close(terminal_);
  }

  // Ends when `text` is seen, after `time` at the latest. The commands use one thread: threads that
  // wait for each other are slow on a loaded machine.
  std::string watch(std::string const& text, std::chrono::milliseconds time,
                    std::string const& term,
                    std::vector<std::string> const& command = {"atax", "a.npy", "--vector",
                                                               "a-vector.npy", "--repeat",
                                                               "1000000", "--threads", "1"}) const {
    pid_t const child = start(command, {.environment = {{"TERM", term}}}, terminal_);
    std::string seen;
    auto const end = std::chrono::steady_clock::now() + time;
    while (seen.find(text) == std::string::npos) {
      auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(
          end - std::chrono::steady_clock::now());
      pollfd ready{.fd = controller_, .events = POLLIN, .revents = 0};
      if (left.count() <= 0 || poll(&ready, 1, static_cast<int>(left.count())) <= 0) break;
      char buffer[512];
      auto const size = ::read(controller_, buffer, sizeof buffer);
      if (size > 0) seen.append(buffer, static_cast<std::size_t>(size));
    }
    kill(child, SIGTERM);
    finish(child);
    return seen;
  }

  void resize(winsize const& size) const { ioctl(controller_, TIOCSWINSZ, &size); }

 private:
  int controller_ = -1;
  int terminal_ = -1;
};

TEST_F(TerminalTest, bar_shows_after_a_second) {
  auto const start = std::chrono::steady_clock::now();
  std::string const seen = watch("%", patience, "xterm");
  EXPECT_THAT(seen, ::testing::HasSubstr("computing"));
  EXPECT_THAT(seen, ::testing::HasSubstr("%"));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST_F(TerminalTest, bar_of_a_solver_says_the_residual) {
  std::vector<std::string> const long_run{
      "svd",     "a.npy",     "-k", "1", "--method", "randomized", "--power-iterations",
      "1000000", "--threads", "1"};
  EXPECT_THAT(watch("residual ", patience, "xterm", long_run),
              ::testing::HasSubstr("solving residual "));
}

TEST_F(TerminalTest, bar_of_a_narrow_terminal_shows_the_percent_and_fits) {
  for (unsigned short const columns : std::initializer_list<unsigned short>{12, 19, 27}) {
    winsize const size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    resize(size);
    std::string const seen = watch("%", patience, "xterm");
    EXPECT_THAT(seen, ::testing::HasSubstr("%")) << columns;
    auto const begin = seen.rfind('\r');
    ASSERT_NE(begin, std::string::npos);
    // A block of the bar is three bytes of UTF-8 but one column.
    auto const shown = std::count_if(seen.begin() + static_cast<std::ptrdiff_t>(begin) + 1,
                                     seen.end(), [](char byte) { return (byte & 0xC0) != 0x80; });
    EXPECT_LT(shown, columns) << seen;
  }
}

TEST_F(TerminalTest, dumb_terminal_gets_no_bar) {
  EXPECT_EQ(watch("%", std::chrono::milliseconds(1500), "dumb"), "");
}

}  // namespace
}  // namespace tessera::test
