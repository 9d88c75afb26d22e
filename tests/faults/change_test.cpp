// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>

#include "app/support/program.hpp"

/// The file changes while the fault shim has stopped the program.
namespace tessera::test {
namespace {

struct ChangedJob {
  std::string name;
  Words arguments;
  std::string input;
  std::int64_t position = 1000;  ///< of a byte after the header
};

void PrintTo(ChangedJob const& job, std::ostream* out) {
  *out << job.name;
}

std::vector<ChangedJob> all_jobs() {
  return {
      {"gemv", {"gemv", "a.npy", "--repeat", "1", "--output", "c.npy"}, "a.npy"},
      {"gemv_streamed",
       {"gemv", "a.npy", "--memory-limit", "600KiB", "--output", "c.npy"},
       "a.npy",
       1'000'000},
      {"atax_with_checkpoint",
       {"atax", "a.npy", "--memory-limit", "600KiB", "--checkpoint", "s", "--output", "c.npy"},
       "a.npy",
       1'000'000},
      {"vector", {"gemvt", "a.npy", "--vector", "b.npy", "--output", "c.npy"}, "b.npy"},
      {"vector_of_a_stream",
       {"gemvt", "a.npy", "--vector", "b.npy", "--memory-limit", "600KiB", "--output", "c.npy"},
       "b.npy"},
      {"raw_vector", {"gemvt", "a.npy", "--vector", "b.bin", "--output", "c.npy"}, "b.bin"},
      {"v_beside_a", {"atax", "a.ex3", "--output", "c.npy"}, "a.ex3", 1'200'100},
      {"check", {"check", "a.npy", "d.npy", "--operation", "gemv"}, "a.npy"},
      {"check_result", {"check", "a.npy", "d.npy", "--operation", "gemv"}, "d.npy"},
      {"convert", {"convert", "a.npy", "c.npy"}, "a.npy"},
      {"convert_turned", {"convert", "a.npy", "c.npy", "--layout", "column-major"}, "a.npy"},
      {"convert_ex3", {"convert", "a.ex3", "c.npy"}, "a.ex3"},
      {"convert_v", {"convert", "a.npy", "c.ex3", "--vector", "v.npy"}, "v.npy"},
      {"convert_hdf5", {"convert", "a.h5:/A", "c.npy"}, "a.h5", 100'000},
      {"transpose", {"transpose", "a.npy", "c.npy"}, "a.npy"},
      {"gemm_a", {"gemm", "a.npy", "at.npy", "c.npy"}, "a.npy"},
      {"gemm_b", {"gemm", "a.npy", "at.npy", "c.npy"}, "at.npy"},
  };
}

class ChangeTest : public ProgramTest, public testing::WithParamInterface<ChangedJob> {
 protected:
  static ChangedJob const& job() { return GetParam(); }

  void SetUp() override {
    if (job().input == "a.h5" &&
        run({"info"}).out.find("HDF5          left out") != std::string::npos) {
      GTEST_SKIP() << "this build has no HDF5: changes of its files are NOT TESTED";
    }
    do_well({"gen", "--rows", "1000", "--cols", "300", "--distribution", "integer", "--output",
             "a.npy", "--vector-output", "v.npy"});
    do_well({"gemv", "a.npy", "--output", "b.npy"});
    do_well({"gemv", "a.npy", "--output", "b.bin"});
    do_well({"gemv", "a.npy", "--output", "d.npy"});
    do_well({"transpose", "a.npy", "at.npy"});
    do_well({"convert", "a.npy", "a.ex3", "--vector", "v.npy"});
    if (job().input == "a.h5") do_well({"convert", "a.npy", "a.h5:/A"});
    before_ = listing();
  }
  void do_well(Words const& words) const {
    auto const done = run(words);
    ASSERT_EQ(done.status, 0) << done.err;
  }

  template <class Change>
  RunResult run_with(Change const& change) const {
    std::string const fault = "read," + job().input + ",SIGSTOP," + std::to_string(job().position);
    pid_t const child =
        start(job().arguments, {.environment = {{"LD_PRELOAD", FAULT_SHIM},
                                                {"ASAN_OPTIONS", "verify_asan_link_order=0"},
                                                {"TESSERA_FAULTS", fault}}});
    siginfo_t state{};
    ::waitid(P_PID, static_cast<id_t>(child), &state, WEXITED | WSTOPPED | WNOWAIT);
    EXPECT_EQ(state.si_code, CLD_STOPPED) << "it never read byte " << job().position;
    change();
    ::kill(child, SIGCONT);
    return finish(child);
  }
  void expect_refused(RunResult const& result, std::string const& how) const {
    std::string const name = job().input == "a.h5" ? "a.h5:/A" : job().input;
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, MatchesRegex("tessera: " + name + ": " + how +
                                         " while it was read: expected .*\n"));
    EXPECT_EQ(listing(), before_) << "something was written";
  }

 private:
  Words before_;
};

TEST_P(ChangeTest, one_byte_is_noticed_even_where_the_time_is_set_back) {
  for (bool const set_back : {false, true}) {
    SCOPED_TRACE(set_back ? "the time is set back" : "written");
    auto const result = run_with([&] {
      struct stat before{};
      std::string const name = path(job().input);
      ASSERT_EQ(::stat(name.c_str(), &before), 0);
      int const file = ::open(name.c_str(), O_WRONLY);
      EXPECT_EQ(::pwrite(file, "x", 1, job().position + 1), 1);
      if (set_back) {
        std::array<timespec, 2> const times = {before.st_atim, before.st_mtim};
        EXPECT_EQ(::futimens(file, times.data()), 0);
      }
      ::close(file);
    });
    expect_refused(result, "was changed");
  }
}

TEST_P(ChangeTest, a_file_that_shrinks_is_noticed) {
  expect_refused(run_with([&] {
                   std::filesystem::resize_file(path(job().input),
                                                static_cast<std::uintmax_t>(job().position));
                 }),
                 "(has become shorter|was changed)");
}

TEST_P(ChangeTest, a_file_that_grows_is_noticed) {
  auto const bytes = std::filesystem::file_size(path(job().input));
  expect_refused(run_with([&] { std::filesystem::resize_file(path(job().input), bytes + 8); }),
                 "was changed");
}

INSTANTIATE_TEST_SUITE_P(Jobs, ChangeTest, testing::ValuesIn(all_jobs()),
                         [](auto const& each) { return each.param.name; });

}  // namespace
}  // namespace tessera::test
