// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <io/errors.hpp>
#include <io/run_apart.hpp>

namespace tessera::io {
namespace {

constexpr rlim_t seconds = 60;
constexpr std::uint64_t more_memory = std::uint64_t{1} << 30U;

void lower_limit(int resource, rlim_t most) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return;
  limit.rlim_cur = std::min(limit.rlim_cur, most);
  static_cast<void>(::setrlimit(resource, &limit));
}

std::uint64_t address_space() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  file >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// What the process apart does first: it must end quietly, and leave no core behind.
void prepare() {
  for (int const signal : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGXCPU, SIGPIPE}) {
    ::signal(signal, SIG_DFL);
  }
  int const nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nothing >= 0) ::dup2(nothing, STDERR_FILENO);
  lower_limit(RLIMIT_CORE, 0);
  lower_limit(RLIMIT_CPU, seconds);
  if (std::uint64_t const used = address_space(); used > 0) {
    lower_limit(RLIMIT_AS, used + more_memory);
  }
}

void send_to(int descriptor, std::span<std::byte const> bytes) {
  while (!bytes.empty()) {
    ssize_t const written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) ::_exit(1);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void receive_from(int descriptor, std::vector<std::byte>& bytes) {
  std::vector<std::byte> buffer(64U << 10U);
  for (;;) {
    ssize_t const got = ::read(descriptor, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    bytes.insert(bytes.end(), buffer.begin(), buffer.begin() + got);
  }
}

std::string trouble_of(pid_t child) {
  int status = 0;
  pid_t ended = 0;
  do {
    ended = ::waitpid(child, &status, 0);
  } while (ended < 0 && errno == EINTR);
  if (ended < 0) return system_message(errno);
  if (WIFSIGNALED(status)) return std::string("ended by ") + ::strsignal(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : "ended early";
}

}  // namespace

ApartResult run_apart(std::function<void(Send const&)> const& work) {
  ApartResult result;
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
    result.trouble = system_message(errno);
    return result;
  }
  pid_t const child = ::fork();
  if (child == 0) {
    prepare();
    try {
      work([&](std::span<std::byte const> bytes) { send_to(pipe[1], bytes); });
    } catch (...) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  ::close(pipe[1]);
  if (child < 0) {
    result.trouble = system_message(errno);
  } else {
    receive_from(pipe[0], result.bytes);
    result.trouble = trouble_of(child);
  }
  ::close(pipe[0]);
  return result;
}

}  // namespace tessera::io
