// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <signal.h>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "support/program.hpp"

/// Runs that end by resource limits or signals.
namespace tessera::test {
namespace {

class ProcessEndTest : public ProgramTest {
 protected:
  ProcessEndTest() {
    has_hdf5_ = run({"info"}).out.find("HDF5          left out") == std::string::npos;
    write("a.npy", npy("<f4", "(50, 40)", std::string(50 * 40 * 4, '\0')));
  }

  bool has_hdf5_ = false;
};

TEST_F(ProcessEndTest, a_limit_of_file_sizes_is_an_error_of_the_file) {
  std::vector<Words> commands = {
      {"gen", "--rows", "100", "--cols", "100", "--output", "c.npy"},
      {"convert", "a.npy", "c.npy", "--output-type", "f64"},
      {"convert", "a.npy", "c.npy", "--layout", "column-major"},
      {"transpose", "a.npy", "c.npy"},
  };
  if (has_hdf5_) {
    commands.push_back({"convert", "a.npy", "c.h5:/A"});
    commands.push_back({"convert", "a.npy", "c.h5:/A", "--chunk", "50x40", "--deflate", "1"});
    commands.push_back({"transpose", "a.npy", "c.h5:/A"});
  }
  auto const before = listing();
  for (auto const& command : commands) {
    auto const result = run(command, {.limits = {{RLIMIT_FSIZE, 1000}}});
    SCOPED_TRACE(command[0] + " " + command[2] + ": " + result.err);
    EXPECT_EQ(result.signal, 0);
    EXPECT_EQ(result.status, 3);
    EXPECT_THAT(result.err,
                AllOf(StartsWith("tessera: c."), HasSubstr(": cannot be written: expected"),
                      HasSubstr(", found: File too large")));
    EXPECT_EQ(listing(), before);
  }
}

TEST_F(ProcessEndTest, a_limit_of_the_size_of_stdout_is_an_error_of_stdout) {
  auto const result = run({"show", "a.npy", "--all"},
                          {.limits = {{RLIMIT_FSIZE, 100}}, .out_file = path("report").string()});
  EXPECT_EQ(result.signal, 0);
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.err, "tessera: standard output: File too large\n");
}

TEST_F(ProcessEndTest, a_limit_of_memory_never_ends_in_a_status_of_another_meaning) {
#ifdef TESSERA_TEST_WITH_SANITIZERS
  GTEST_SKIP() << "[  SKIPPED ] AddressSanitizer needs more address space than can be limited";
#endif
  if (has_cuda()) GTEST_SKIP() << "SKIPPED: the driver of CUDA takes more memory than these limits";
  std::vector<Words> commands = {
      {"convert", "a.npy", "c.npy", "--layout", "column-major"},
      {"gen", "--rows", "9", "--cols", "9", "--output", "c.npy"},
      {"atax", "a.npy", "--output", "c.npy"},
  };
  if (has_hdf5_) commands.push_back({"convert", "a.npy", "c.h5:/A"});
  int sentences = 0;
  for (auto const& command : commands) {
    for (std::uint64_t mebibytes = 16; mebibytes <= 512; mebibytes += mebibytes / 4) {
      std::filesystem::remove(path("c.h5"));
      RunOptions const limited{.limits = {{RLIMIT_AS, mebibytes << 20U}}};
      if (run({"--version"}, limited).status != 0) continue;  // the libraries do not fit the limit
      auto const result = run(command, limited);
      SCOPED_TRACE(command[0] + " in " + std::to_string(mebibytes) + " MiB: " + result.err);
      EXPECT_EQ(result.signal, 0);
      if (result.status == 0) continue;
      EXPECT_TRUE(result.status == 3 || result.status == 4) << result.status;
      EXPECT_THAT(result.err, HasSubstr("tessera: "));
      for (auto const& name : listing()) EXPECT_THAT(name, testing::Not(StartsWith(".")));
      ++sentences;
    }
  }
  std::printf("%d runs ended with a sentence\n", sentences);
}

class WaitingRunTest : public ProcessEndTest {
 protected:
  void SetUp() override {
    if (!has_hdf5_) GTEST_SKIP() << "this build has no HDF5: its outputs are NOT TESTED";
    ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
    pipe_ = ::open(path("pipe").c_str(), O_RDWR | O_CLOEXEC);
  }
  void TearDown() override { end_pipe(); }

  void end_pipe() {
    if (pipe_ >= 0) ::close(std::exchange(pipe_, -1));
  }

  void send(std::string const& bytes) const {
    ASSERT_EQ(::write(pipe_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  /// A killed run's process that reads the file is killed, too, but may end a moment later.
  void wait_for_lock(std::string const& name) const {
    int const file = ::open(path(name).c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_GE(file, 0);
    struct flock lock{};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    EXPECT_EQ(::fcntl(file, F_OFD_SETLKW, &lock), 0);
    ::close(file);
  }
  pid_t start_and_wait(Words const& more = {}) {
    send(npy("<f4", "(5, 4)", ""));
    Words command = {"convert", "/dev/stdin", "c.h5:/A", "--input-format", "npy"};
    command.insert(command.end(), more.begin(), more.end());
    pid_t const child = start(command, {.in_file = path("pipe").string()});
    auto const has_temporary = [&] { return listing().front().starts_with(".c.h5.tessera-"); };
    for (int wait = 0; wait < 2000 && !has_temporary(); ++wait) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_TRUE(has_temporary());
    return child;
  }

 private:
  int pipe_ = -1;
};

TEST_F(WaitingRunTest, signals_leave_nothing_beside_an_hdf5_output) {
  for (int const number :
       {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGPWR,
        SIGSTKFLT, SIGSYS, SIGTRAP, SIGXCPU, SIGRTMIN, SIGRTMIN + 1, SIGRTMAX}) {
    SCOPED_TRACE(number);
    pid_t const child = start_and_wait();
    ::kill(child, number);
    EXPECT_EQ(finish(child).signal, number);
    EXPECT_EQ(listing(), (std::vector<std::string>{"a.npy", "pipe"}));
  }
}

TEST_F(WaitingRunTest, a_run_that_adds_a_dataset_and_is_killed_leaves_the_file_as_it_was) {
  ASSERT_EQ(run({"convert", "a.npy", "c.h5:/old"}).status, 0);
  std::string const before = read("c.h5");
  for (int const number : {SIGINT, SIGKILL}) {
    pid_t const child = start_and_wait({"--add-dataset"});
    ::kill(child, number);
    EXPECT_EQ(finish(child).signal, number);
    EXPECT_TRUE(read("c.h5") == before);
    auto const left = listing();
    EXPECT_EQ(left.size(), number == SIGKILL ? 4U : 3U);
    if (number == SIGKILL) std::filesystem::remove(path(left.front()));
    wait_for_lock("c.h5");
  }
  pid_t const child = start_and_wait({"--add-dataset"});
  send(std::string(80, '\0'));
  end_pipe();
  auto const result = finish(child);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(run({"show", "c.h5:/old"}).status, 0);
  EXPECT_EQ(run({"show", "c.h5:/A"}).status, 0);
}

TEST_F(WaitingRunTest, an_hdf5_file_that_appears_during_the_run_stays) {
  pid_t const child = start_and_wait();
  write("c.h5", "theirs");
  send(std::string(80, '\0'));
  end_pipe();
  auto const result = finish(child);
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.err, AllOf(StartsWith("tessera: c.h5:/A: cannot be put in its place"),
                                HasSubstr("found one that has appeared")));
  EXPECT_EQ(read("c.h5"), "theirs");
  EXPECT_EQ(listing(), (std::vector<std::string>{"a.npy", "c.h5", "pipe"}));
}

}  // namespace
}  // namespace tessera::test
