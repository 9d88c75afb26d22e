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

#include <gmock/gmock.h>

namespace tessera::test {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

struct RunResult {
  int status = -1;
  int signal = 0;
  std::string out;
  std::string err;
};

struct RunOptions {
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::vector<std::string> without = {};
  bool as_nobody = false;
  std::vector<std::pair<int, std::uint64_t>> limits = {};
  std::string in_file = "/dev/null";
  std::string out_file = {};  ///< redirects stdout; RunResult::out stays empty
};

/// Runs the program in an empty folder, with an empty cache folder next to it.
class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest();
  ~ProgramTest() override;

  RunResult run(std::vector<std::string> const& arguments, RunOptions const& options = {}) const;

  /// `stderr_descriptor` -1: the file that run() reads.
  pid_t start(std::vector<std::string> const& arguments, RunOptions const& options = {},
              int stderr_descriptor = -1) const;
  RunResult finish(pid_t child) const;
  /// Retries if the command ended first.
  void kill_when_exists(std::vector<std::string> const& arguments, std::string const& name) const;

  /// Peak of at most mebibytes + 64 MiB, half of which a Kokkos above 32 MiB (GPU) replaces. Not
  /// with AddressSanitizer.
  void expect_peak_below(std::vector<std::string> const& arguments, long mebibytes) const;

  bool has_cuda() const;

  std::filesystem::path path(std::string const& name) const { return folder_ / name; }
  std::filesystem::path cache() const { return base_ / "cache"; }
  bool exists(std::string const& name) const { return std::filesystem::exists(path(name)); }
  std::string read(std::string const& name) const;
  void write(std::string const& name, std::string const& bytes) const;
  std::string sha256_of(std::string const& name) const;
  std::vector<std::string> listing() const;
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
  long peak_of(std::vector<std::string> const& arguments) const;

  std::filesystem::path base_;
  std::filesystem::path folder_;
};

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
