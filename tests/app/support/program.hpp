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

/// How a run of the program ended, and what it said.
struct RunResult {
  int status = -1;  ///< exit status; -1 when a signal ended it
  int signal = 0;   ///< the signal that ended it, or 0
  std::string out;
  std::string err;
};

/// Circumstances of a run.
struct RunOptions {
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::vector<std::string> without = {};                   ///< variables that are taken away first
  bool as_nobody = false;                                  ///< give root's rights away first
  std::vector<std::pair<int, std::uint64_t>> limits = {};  ///< RLIMIT_…, as `ulimit` sets them
  std::string in_file = "/dev/null";                       ///< stdin
  std::string out_file = {};  ///< stdout goes there; RunResult::out stays empty
};

/// A test that runs the built program in an empty folder of its own, with an empty folder for
/// caches beside it.
class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest();
  ~ProgramTest() override;

  /// Runs `tessera arguments…` in the folder and waits for its end.
  RunResult run(std::vector<std::string> const& arguments, RunOptions const& options = {}) const;

  /// Starts the program with a descriptor as its stderr (or -1: the file of run()), and returns.
  pid_t start(std::vector<std::string> const& arguments, RunOptions const& options = {},
              int stderr_descriptor = -1) const;
  /// Waits for a started program.
  RunResult finish(pid_t child) const;
  /// Runs a command that has a file for a while, such as a checkpoint, and kills it when the file
  /// is there; as often as the command is faster. Fails where it always is.
  void kill_when_exists(std::vector<std::string> const& arguments, std::string const& name) const;

  /// Runs a command, and expects that it ends well and never had more than so many MiB and 64 in
  /// memory; or than so many beside what a program has that has started Kokkos, which on a machine
  /// with a GPU is more. Not with AddressSanitizer, whose own memory counts.
  void expect_peak_below(std::vector<std::string> const& arguments, long mebibytes) const;

  /// Whether the program is built with CUDA, whose driver takes memory and threads as it likes.
  bool has_cuda() const;

  /// A path in the folder.
  std::filesystem::path path(std::string const& name) const { return folder_ / name; }
  /// The folder for caches, as XDG_CACHE_HOME says to the program.
  std::filesystem::path cache() const { return base_ / "cache"; }
  bool exists(std::string const& name) const { return std::filesystem::exists(path(name)); }
  std::string read(std::string const& name) const;
  void write(std::string const& name, std::string const& bytes) const;
  /// SHA-256 of a file.
  std::string sha256_of(std::string const& name) const;
  /// The names in the folder, sorted, hidden ones too.
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
  /// Runs a command, and has its peak of memory in KiB.
  long peak_of(std::vector<std::string> const& arguments) const;

  std::filesystem::path base_;    // holds folder_ and what the program prints
  std::filesystem::path folder_;  // the current folder of the program
};

/// A .npy file, version 1.0, whose header says `descr`, `fortran` and `shape` and whose data are
/// `bytes`.
std::string npy(std::string const& descr, std::string const& shape, std::string const& bytes,
                bool fortran = false);

/// The bytes of some elements.
template <class T>
std::string bytes_of(std::vector<T> const& elements) {
  return {reinterpret_cast<char const*>(elements.data()), elements.size() * sizeof(T)};
}

/// The arguments of one after those of the other.
inline std::vector<std::string> operator+(std::vector<std::string> a,
                                          std::vector<std::string> const& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace tessera::test
