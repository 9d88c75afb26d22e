// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include "io/support/child.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdexcept>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tessera::io::test {

void end_with_parent() {
  for (int const number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
}

std::string in_child(std::function<std::string()> const& action) {
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0) throw std::runtime_error("pipe failed");
  pid_t const child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    end_with_parent();
    ::close(pipe[0]);
    std::string text;
    try {
      text = action();
    } catch (std::exception const& error) {
      text = std::string("exception: ") + error.what();
    }
    bool const sent = ::write(pipe[1], text.data(), text.size()) >= 0;
    ::_exit(sent ? 0 : 1);
  }
  ::close(pipe[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = ::read(pipe[0], buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  ::close(pipe[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : "died";
}

std::string mount_small_disk(std::string const& folder, unsigned bytes) {
  if (::geteuid() != 0) {
    auto const user = std::to_string(::geteuid());
    auto const group = std::to_string(::getegid());
    if (::unshare(CLONE_NEWUSER) != 0) return std::string("no user namespace: ") + strerror(errno);
    std::ofstream("/proc/self/uid_map") << "0 " + user + " 1";
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/gid_map") << "0 " + group + " 1";
  }
  if (::unshare(CLONE_NEWNS) != 0) return std::string("no mount namespace: ") + strerror(errno);
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 && errno != EINVAL) {
    return std::string("no private mounts: ") + strerror(errno);  // EINVAL: / is no mount (chroot)
  }
  std::string const options = "size=" + std::to_string(bytes);
  if (::mount("tessera-test", folder.c_str(), "tmpfs", 0, options.c_str()) != 0) {
    return std::string("no tmpfs: ") + strerror(errno);
  }
  return "";
}

std::string become_nobody() {
  constexpr unsigned nobody = 65534;
  if (::geteuid() != 0) return "";
  if (::setgroups(0, nullptr) != 0 || ::setgid(nobody) != 0 || ::setuid(nobody) != 0) {
    return std::string("cannot give up root: ") + strerror(errno);
  }
  return "";
}

}  // namespace tessera::io::test
