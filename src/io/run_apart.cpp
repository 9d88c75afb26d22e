// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <io/descriptor.hpp>
#include <io/errors.hpp>
#include <io/memory.hpp>
#include <io/run_apart.hpp>

namespace tessera::io {
namespace {

constexpr rlim_t seconds = 60;

std::atomic<pid_t> apart{0};
static_assert(std::atomic<pid_t>::is_always_lock_free, "a handler of signals reads it");

pid_t wait_for(pid_t id, int* status) {
  pid_t ended = 0;
  do {
    ended = ::waitpid(id, status, 0);
  } while (ended < 0 && errno == EINTR);
  return ended;
}

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

/// It must end quietly and leave no core file.
void prepare() {
  for (int const signal : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGXCPU, SIGPIPE}) {
    ::signal(signal, SIG_DFL);
  }
  int const nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nothing >= 0) ::dup2(nothing, STDERR_FILENO);
  lower_limit(RLIMIT_CORE, 0);
  lower_limit(RLIMIT_CPU, seconds);
  if (std::uint64_t const used = address_space(); used > 0) {
    lower_limit(RLIMIT_AS, used + most_apart);
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

/// Signals of this thread wait.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all{};
    sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsBlocked() { restore(); }
  SignalsBlocked(SignalsBlocked const&) = delete;
  SignalsBlocked& operator=(SignalsBlocked const&) = delete;

  void restore() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

/// Killed on destruction unless it was waited for.
class Child {
 public:
  explicit Child(pid_t id) : id_(id) { apart = id; }
  ~Child() {
    if (id_ <= 0) return;
    ::kill(id_, SIGKILL);
    static_cast<void>(wait());
  }
  Child(Child const&) = delete;
  Child& operator=(Child const&) = delete;

  /// Returns ApartResult::trouble.
  std::string wait() {
    int status = 0;
    apart = 0;  // before its number can be reused
    pid_t const ended = wait_for(id_, &status);
    id_ = 0;
    if (ended < 0) return system_message(errno);
    if (WIFSIGNALED(status)) return std::string("ended by ") + ::strsignal(WTERMSIG(status));
    return WEXITSTATUS(status) == 0 ? "" : "ended early";
  }

 private:
  pid_t id_;
};

bool receive_from(int descriptor, std::uint64_t most_bytes, std::vector<std::byte>& bytes) {
  std::vector<std::byte> buffer(64U << 10U);
  for (;;) {
    ssize_t const got = ::read(descriptor, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    if (static_cast<std::uint64_t>(got) > most_bytes - bytes.size()) return false;
    bytes.insert(bytes.end(), buffer.begin(), buffer.begin() + got);
  }
}

/// It must not hold the locks of its files when a signal that cannot be caught has ended the
/// parent.
void end_with(pid_t parent) {
  static_cast<void>(::prctl(PR_SET_PDEATHSIG, SIGKILL));
  if (::getppid() != parent) ::_exit(1);  // it ended before prctl()
}

[[noreturn]] void work_apart(std::function<void(Send const&)> const& work, int descriptor) {
  prepare();
  try {
    work([&](std::span<std::byte const> bytes) { send_to(descriptor, bytes); });
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

}  // namespace

ApartResult run_apart(std::function<void(Send const&)> const& work, std::uint64_t most_bytes) {
  auto const not_started = [] {
    return ApartResult{.bytes = {}, .trouble = system_message(errno), .started = false};
  };
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return not_started();
  Descriptor from(pipe[0]);
  Descriptor to(pipe[1]);
  SignalsBlocked signals;  // a handler between fork() and Child would not end the process
  pid_t const parent = ::getpid();
  pid_t const id = ::fork();
  if (id < 0) return not_started();
  if (id == 0) {
    end_with(parent);
    signals.restore();
    from.reset();  // writing fails once the parent has ended
    work_apart(work, to.get());
  }
  Child child(id);
  signals.restore();
  to.reset();
  ApartResult result;
  if (!receive_from(from.get(), most_bytes, result.bytes)) {
    result.bytes.clear();
    result.trouble = "more than " + format_bytes(most_bytes) + " of answer";
    return result;
  }
  result.trouble = child.wait();
  return result;
}

void end_apart() noexcept {
  pid_t const id = apart.exchange(0);
  if (id > 0 && ::kill(id, SIGKILL) == 0) wait_for(id, nullptr);
}

}  // namespace tessera::io
