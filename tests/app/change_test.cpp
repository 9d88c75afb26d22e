// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>

#include "support/program.hpp"

/// Files that change while they are read, and files with holes.
namespace tessera::test {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using Words = std::vector<std::string>;

/// A file of zeros, most of which is a hole.
class ChangeTest : public ProgramTest {
 protected:
  static constexpr std::uintmax_t rows = 131072;  // 512 MiB
  void make_sparse() const {
    std::string const header = npy("<f4", "(" + std::to_string(rows) + ", 1024)", "");
    write("a.npy", header);
    std::error_code error;
    std::filesystem::resize_file(path("a.npy"), header.size() + rows * 4096, error);
    if (error) throw std::runtime_error("no sparse file of 512 MiB");
  }
  /// The bytes that a program has read so far, its libraries among them.
  [[nodiscard]] static std::uintmax_t bytes_read_by(pid_t child) {
    std::ifstream counters("/proc/" + std::to_string(child) + "/io");
    std::string name;
    std::uintmax_t bytes = 0;
    if (!(counters >> name >> bytes) || name != "rchar:") return 0;
    return bytes;
  }
  /// Waits until a program is reading the elements of a.npy, and stops it there. False if it has
  /// ended before. That the file is open does not say as much: its size may still be unknown.
  [[nodiscard]] static bool stop_while_it_reads(pid_t child) {
    constexpr std::uintmax_t more_than_libraries_and_header = std::uintmax_t{16} << 20;
    for (;;) {
      if (bytes_read_by(child) >= more_than_libraries_and_header) {
        ::kill(child, SIGSTOP);
        return true;
      }
      siginfo_t ended{};
      ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT);
      if (ended.si_pid == child) return false;
    }
  }
  /// Changes the file while the program reads it; it is an error then, whose sentence is returned.
  /// A run that was done with the file before it changed is good, and another one follows.
  template <class Change>
  [[nodiscard]] std::string error_of(Words const& words, Change const& change) const {
    for (int attempt = 0; attempt < 20; ++attempt) {
      make_sparse();
      pid_t const child = start(words);
      bool const stopped = stop_while_it_reads(child);
      if (stopped) change();
      ::kill(child, SIGCONT);
      auto const result = finish(child);
      EXPECT_TRUE(result.status == 3 || result.status == 0) << result.status << result.err;
      if (result.status == 3) return result.err;
    }
    return "never changed while it was read";
  }
};

TEST_F(ChangeTest, a_file_that_shrinks_or_changes_while_it_is_read_is_an_error) {
  if (bytes_read_by(::getpid()) == 0) GTEST_SKIP() << "no /proc/PID/io here: NOT TESTED";
  std::filesystem::create_symlink("/dev/null", path("null.npy"));
  for (Words const& words : {Words{"gemv", "a.npy", "--repeat", "1"},
                             {"gemv", "a.npy", "--memory-limit", "32MiB"},
                             {"convert", "a.npy", "null.npy"}}) {
    make_sparse();
    auto const before = listing();
    EXPECT_THAT(error_of(words, [&] { std::filesystem::resize_file(path("a.npy"), 100000); }),
                MatchesRegex("tessera: a.npy: (has become shorter|was changed) while it "
                             "was read: expected .*\n"))
        << words[0];
    EXPECT_THAT(error_of(words,
                         [&] {
                           int const file = ::open(path("a.npy").c_str(), O_WRONLY);
                           EXPECT_EQ(::pwrite(file, "x", 1, 1000), 1);
                           ::close(file);
                         }),
                HasSubstr("tessera: a.npy: was changed while it was read"))
        << words[0];
    EXPECT_EQ(listing(), before);
  }
}

TEST_F(ChangeTest, a_sparse_file_is_streamed_within_the_limit) {
  make_sparse();
  expect_peak_below({"gemv", "a.npy", "--memory-limit", "32MiB", "--output", "b.npy"}, 32);
  EXPECT_EQ(last_elements<float>("b.npy", rows), std::vector<float>(rows, 0.0F));
}

}  // namespace
}  // namespace tessera::test
