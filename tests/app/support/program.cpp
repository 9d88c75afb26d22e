// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include "program.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <grp.h>
#include <signal.h>
#include <span>
#include <stdexcept>
#include <support/read_file.hpp>
#include <support/sha256.hpp>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tessera::test {
namespace {

bool has_ended(pid_t child) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid != 0;
}

/// A shell ignores SIGINT for background processes.
void take_signals() {
  for (int const number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
}

[[noreturn]] void become(std::vector<std::string> const& arguments, RunOptions const& options,
                         std::filesystem::path const& folder, std::string const& out_file,
                         std::string const& err_file, int stderr_descriptor) {
  std::vector<char*> argv;
  for (auto const& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  take_signals();
  // Saved tunings change reports.
  setenv("XDG_CACHE_HOME", (folder.parent_path() / "cache").c_str(), 1);
  for (auto const& name : options.without) unsetenv(name.c_str());
  for (auto const& [name, value] : options.environment) {
    setenv(name.c_str(), value.c_str(), 1);
  }
  int const out = open(out_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  int const err = stderr_descriptor >= 0
                      ? stderr_descriptor
                      : open(err_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  int const in = open(options.in_file.c_str(), O_RDONLY);
  bool ready = out >= 0 && err >= 0 && in >= 0 && dup2(in, 0) == 0 && dup2(out, 1) == 1 &&
               dup2(err, 2) == 2 && chdir(folder.c_str()) == 0;
  if (ready && options.as_nobody) {
    ready = setgroups(0, nullptr) == 0 && setgid(65534) == 0 && setuid(65534) == 0;
  }
  for (auto const& [resource, most] : options.limits) {
    rlimit const limit{most, most};
    ready = ready && setrlimit(static_cast<__rlimit_resource_t>(resource), &limit) == 0;
  }
  if (ready) execv(TESSERA_BINARY, argv.data());
  _exit(127);
}

}  // namespace

ProgramTest::ProgramTest() {
  std::string pattern = (std::filesystem::temp_directory_path() / "tessera-app-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  base_ = pattern;
  folder_ = base_ / "work";
  std::filesystem::create_directory(folder_);
  std::filesystem::create_directory(cache());
  std::filesystem::permissions(base_, std::filesystem::perms::all);
  std::filesystem::permissions(folder_, std::filesystem::perms::all);
  std::filesystem::permissions(cache(), std::filesystem::perms::all);
}

ProgramTest::~ProgramTest() {
  std::error_code error;
  std::filesystem::remove_all(base_, error);
}

pid_t ProgramTest::start(std::vector<std::string> const& arguments, RunOptions const& options,
                         int stderr_descriptor) const {
  std::vector<std::string> words = {"tessera"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  auto const out = options.out_file.empty() ? (base_ / "out").string() : options.out_file;
  auto const err = (base_ / "err").string();
  std::filesystem::remove(base_ / "out");
  std::filesystem::remove(base_ / "err");
  pid_t const child = fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) become(words, options, folder_, out, err, stderr_descriptor);
  return child;
}

RunResult ProgramTest::finish(pid_t child) const {
  int status = 0;
  if (waitpid(child, &status, 0) != child) throw std::runtime_error("cannot wait");
  return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
          .out = read_file(base_ / "out"),
          .err = read_file(base_ / "err")};
}

long ProgramTest::peak_of(std::vector<std::string> const& arguments) const {
  pid_t const child = start(arguments);
  int status = 0;
  rusage usage{};
  if (::wait4(child, &status, 0, &usage) != child) throw std::runtime_error("cannot wait");
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << read_file(base_ / "err");
  return usage.ru_maxrss;
}

void ProgramTest::expect_peak_below(std::vector<std::string> const& arguments,
                                    long mebibytes) const {
  long const peak = peak_of(arguments);
#ifdef TESSERA_TEST_WITH_SANITIZERS
  std::printf(
      "[  SKIPPED ] AddressSanitizer is on: a peak of %ld KiB is NOT COMPARED with %ld MiB\n", peak,
      mebibytes);
#else
  constexpr long MiB = 1024;
  EXPECT_LT(peak, (mebibytes + 32) * MiB + std::max(32 * MiB, peak_of({"info"})));
#endif
}

void ProgramTest::kill_when_exists(std::vector<std::string> const& arguments,
                                   std::string const& name) const {
  for (int attempt = 0; attempt < 100 && !exists(name); ++attempt) {
    pid_t const child = start(arguments);
    while (!exists(name) && !has_ended(child)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ::kill(child, SIGKILL);
    finish(child);
  }
  ASSERT_TRUE(exists(name)) << "the program was never stopped half-way";
}

RunResult ProgramTest::run(std::vector<std::string> const& arguments,
                           RunOptions const& options) const {
  return finish(start(arguments, options));
}

bool ProgramTest::has_cuda() const {
  return run({"info"}).out.find("cuda") != std::string::npos;
}

std::string ProgramTest::read(std::string const& name) const {
  return read_file(path(name));
}

void ProgramTest::write(std::string const& name, std::string const& bytes) const {
  std::ofstream(path(name), std::ios::binary) << bytes;
}

std::string ProgramTest::sha256_of(std::string const& name) const {
  std::string const bytes = read(name);
  return sha256(std::as_bytes(std::span<char const>(bytes)));
}

std::vector<std::string> ProgramTest::listing() const {
  std::vector<std::string> names;
  for (auto const& entry : std::filesystem::directory_iterator(folder_)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

std::string npy(std::string const& descr, std::string const& shape, std::string const& bytes,
                bool fortran) {
  std::string header = "{'descr': '" + descr +
                       "', 'fortran_order': " + (fortran ? "True" : "False") +
                       ", 'shape': " + shape + ", }";
  header.resize((header.size() + 11 + 63) / 64 * 64 - 11, ' ');
  header += '\n';
  auto const size = static_cast<unsigned>(header.size());
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(size % 256) +
         static_cast<char>(size / 256) + header + bytes;
}

}  // namespace tessera::test
