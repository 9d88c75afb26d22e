// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace tessera::test {

struct RunResult {
  int status = -1;  ///< exit status; -1 if a signal ended it
  int signal = 0;   ///< the signal that ended it, or 0
  std::string out;
  std::string err;
};

struct RunOptions {
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::vector<std::string> without = {};                   ///< variables to remove first
  bool as_nobody = false;                                  ///< give up root's rights first
  std::vector<std::pair<int, std::uint64_t>> limits = {};  ///< RLIMIT_…, as `ulimit` sets them
  std::string in_file = "/dev/null";                       ///< stdin
  std::string out_file = {};  ///< redirects stdout; RunResult::out stays empty
};

/// Runs the built program in an empty temporary folder, with an empty folder for caches next to it.
class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest();
  ~ProgramTest() override;

  /// Runs `tessera arguments…` in the folder and waits until it ends.
  RunResult run(std::vector<std::string> const& arguments, RunOptions const& options = {}) const;

  /// Starts the program and returns. stderr is the descriptor, or for -1 the file that run() uses.
  pid_t start(std::vector<std::string> const& arguments, RunOptions const& options = {},
              int stderr_descriptor = -1) const;
  RunResult finish(pid_t child) const;
  /// Runs a command that creates a file temporarily, such as a checkpoint, and kills it when the
  /// file exists. Tries again if the command ended before. Fails if it always does.
  void kill_when_exists(std::vector<std::string> const& arguments, std::string const& name) const;

  /// Runs a command, expects success, and expects a peak of at most mebibytes + 64 MiB of memory.
  /// If an initialised Kokkos needs more than 32 MiB, as with a GPU, that amount replaces half of
  /// the 64 MiB. Not compared with AddressSanitizer, whose own memory counts.
  void expect_peak_below(std::vector<std::string> const& arguments, long mebibytes) const;

  /// Whether the program is built with CUDA. The memory and the threads of CUDA's driver are out of
  /// control.
  bool has_cuda() const;

  std::filesystem::path path(std::string const& name) const { return folder_ / name; }
  /// The folder for caches, passed as XDG_CACHE_HOME.
  std::filesystem::path cache() const { return base_ / "cache"; }
  bool exists(std::string const& name) const { return std::filesystem::exists(path(name)); }
  std::string read(std::string const& name) const;
  void write(std::string const& name, std::string const& bytes) const;
  std::string sha256_of(std::string const& name) const;
  /// The names in the folder, sorted, including hidden ones.
  std::vector<std::string> listing() const;
  /// The last `count` elements of a file, e.g. all of a raw file or the data of a .npy file.
  template <class T>
  std::vector<T> last_elements(std::string const& name, std::size_t count) const {
    std::string const bytes = read(name);
    std::vector<T> elements(count);
    if (bytes.size() < count * sizeof(T)) throw std::runtime_error(name + " is too short");
    std::copy_n(bytes.end() - static_cast<std::ptrdiff_t>(count * sizeof(T)), count * sizeof(T),
                reinterpret_cast<char*>(elements.data()));
    return elements;
  }

 private:
  /// Runs a command and returns its peak memory in KiB.
  long peak_of(std::vector<std::string> const& arguments) const;

  std::filesystem::path base_;    // holds folder_ and what the program prints
  std::filesystem::path folder_;  // the current folder of the program
};

/// A .npy file, version 1.0, with this `descr`, `fortran`, `shape` and data.
std::string npy(std::string const& descr, std::string const& shape, std::string const& bytes,
                bool fortran = false);

template <class T>
std::string bytes_of(std::vector<T> const& elements) {
  return {reinterpret_cast<char const*>(elements.data()), elements.size() * sizeof(T)};
}

inline std::vector<std::string> operator+(std::vector<std::string> a,
                                          std::vector<std::string> const& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace tessera::test
