// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <signal.h>
#include <stdexcept>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>

#include <io/run_apart.hpp>

#include "io/support/child.hpp"

namespace tessera::io::test {
namespace {

using testing::IsEmpty;

std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

bool has_children() {
  return ::waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD;
}

void send_for_ever(Send const& send) {
  std::vector<std::byte> const piece(1U << 16U);
  for (;;) send(piece);
}

TEST(RunApart, GivesWhatIsSent) {
  auto const before = open_descriptors();
  std::vector<std::byte> const sent(300000, std::byte{7});
  auto const result = run_apart([&](Send const& send) { send(sent); });
  EXPECT_THAT(result.trouble, IsEmpty());
  EXPECT_TRUE(result.bytes == sent);
  EXPECT_EQ(open_descriptors(), before);
}

TEST(RunApart, SaysHowTheProcessEnded) {
  EXPECT_EQ(run_apart([](Send const&) { ::raise(SIGABRT); }).trouble, "ended by Aborted");
  EXPECT_EQ(run_apart([](Send const&) { throw std::runtime_error("no"); }).trouble, "ended early");
}

TEST(RunApart, EndsBeforeItWritesWhereAHandlerSaysSo) {
  std::string const file = testing::TempDir() + "run_apart_" + std::to_string(::getpid());
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  std::thread handler([&] {
    char there = 0;
    ASSERT_EQ(::read(pipe[0], &there, 1), 1);
    end_apart();
    EXPECT_FALSE(std::filesystem::exists(file));
  });
  auto const result = run_apart([&](Send const&) {
    if (::write(pipe[1], "!", 1) != 1) return;
    ::sleep(1);
    std::ofstream(file) << "late";
  });
  handler.join();
  EXPECT_THAT(result.trouble, testing::Not(IsEmpty()));
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_FALSE(has_children());
  ::close(pipe[0]);
  ::close(pipe[1]);
  end_apart();
}

TEST(RunApart, TheProcessEndsWithOneThatIsKilled) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);  // this process can wait for it
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  pid_t const killed = ::fork();
  if (killed == 0) {
    static_cast<void>(run_apart([&](Send const&) {
      pid_t const id = ::getpid();
      if (::write(pipe[1], &id, sizeof id) == sizeof id) ::sleep(5);
    }));
    ::_exit(0);
  }
  pid_t apart = 0;
  ASSERT_EQ(::read(pipe[0], &apart, sizeof apart), static_cast<ssize_t>(sizeof apart));
  ::kill(killed, SIGKILL);
  int status = 0;
  EXPECT_EQ(::waitpid(killed, &status, 0), killed);
  EXPECT_EQ(::waitpid(apart, &status, 0), apart);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST(RunApart, ReportsFailedFork) {
  auto const before = open_descriptors();
  EXPECT_EQ(in_child([&]() -> std::string {
              if (auto const obstacle = become_nobody(); !obstacle.empty()) return obstacle;
              rlimit const limit{0, 0};
              ::setrlimit(RLIMIT_NPROC, &limit);
              auto const result = run_apart([](Send const&) {});
              return (result.started ? "started " : "not started: ") + result.trouble;
            }),
            "not started: Resource temporarily unavailable");
  EXPECT_EQ(open_descriptors(), before);
}

TEST(RunApart, AnAnswerAsLargeAsMayBeIsTaken) {
  std::vector<std::byte> const sent(100000, std::byte{7});
  auto const result = run_apart([&](Send const& send) { send(sent); }, sent.size());
  EXPECT_THAT(result.trouble, IsEmpty());
  EXPECT_EQ(result.bytes.size(), sent.size());
}

TEST(RunApart, EndlessOutputIsAnErrorAndIsFreed) {
  auto const before = open_descriptors();
  auto const result = run_apart(send_for_ever, 1U << 20U);
  EXPECT_EQ(result.trouble, "more than 1.0 MiB of answer");
  EXPECT_THAT(result.bytes, IsEmpty());
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_FALSE(has_children());
}

TEST(RunApart, WithoutMemoryForTheAnswerNothingIsLeft) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "[  SKIPPED ] AddressSanitizer needs more address space than can be limited";
#endif
  EXPECT_EQ(in_child([]() -> std::string {
              auto const before = open_descriptors();
              auto const pages = [] {
                std::uint64_t count = 0;
                std::ifstream("/proc/self/statm") >> count;
                return count;
              };
              rlim_t const most =
                  pages() * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (rlim_t{64} << 20U);
              rlimit const limit{most, most};
              ::setrlimit(RLIMIT_AS, &limit);
              try {
                static_cast<void>(run_apart(send_for_ever));
                return "no error";
              } catch (std::bad_alloc const&) {
                if (open_descriptors() != before) return "a descriptor is left";
                return has_children() ? "a process is left" : "nothing is left";
              }
            }),
            "nothing is left");
}

}  // namespace
}  // namespace tessera::io::test
