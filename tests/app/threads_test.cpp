// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <cstdint>
#include <string>
#include <sys/resource.h>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

/// Threads that cannot start; Kokkos' environment variables.
namespace tessera::test {
namespace {

class ThreadsTest : public ProgramTest {
 protected:
  using Environment = std::vector<std::pair<std::string, std::string>>;

  ThreadsTest() {
    EXPECT_EQ(run({"gen", "--rows", "5000", "--cols", "300", "--distribution", "normal", "--output",
                   "a.npy"})
                  .status,
              0);
  }
  static nlohmann::json json(RunResult const& result) {
    EXPECT_EQ(result.status, 0) << result.err;
    return nlohmann::json::parse(result.out);
  }
  bool has_threads() const {
    auto const facts = json(run({"info", "--format", "json"}));
    for (auto const& backend : facts.at("backends")) {
      if (backend.at("name") == "openmp") return true;
    }
    return false;
  }
  int threads(std::vector<std::string> const& more, RunOptions const& options = {}) const {
    std::vector<std::string> words = {"info", "--format", "json"};
    words.insert(words.end(), more.begin(), more.end());
    auto const facts = json(run(words, options));
    for (auto const& backend : facts.at("backends")) {
      if (backend.at("name") == "openmp") return backend.at("threads").get<int>();
    }
    return 0;
  }
};

TEST_F(ThreadsTest, fewer_than_asked_for_give_the_same_bits) {
  if (!has_threads()) GTEST_SKIP() << "SKIPPED: this build has no OpenMP backend";
  std::vector<std::vector<std::string>> const jobs{{"gemv", "a.npy"},
                                                   {"atax", "a.npy"},
                                                   {"atax", "a.npy", "--memory-limit", "4MiB"},
                                                   {"transpose", "a.npy", "t.npy"},
                                                   {"gemvt", "a.npy", "--kernels", "portable"},
                                                   {"atax", "a.npy", "--kernels", "portable"}};
  for (auto const& job : jobs) {
    auto const sha = [&](RunOptions const& options) {
      auto words = job;
      words.insert(words.end(), {"--threads", "4", "--repeat", "1", "--format", "json"});
      auto const result = run(words, options);
      return std::pair(json(result), result.err);
    };
    auto const [expected, said] = sha({});
    EXPECT_THAT(said, Not(HasSubstr("--threads")));
    for (auto const& [name, value, sentence] :
         {std::array<std::string, 3>{
              "OMP_THREAD_LIMIT", "1",
              "tessera: --threads 4: 1 thread is used, because OpenMP's limit says so "
              "(OMP_THREAD_LIMIT)\n"},
          {"OMP_THREAD_LIMIT", "3",
           "tessera: --threads 4: 3 threads are used, because OpenMP's limit says so "
           "(OMP_THREAD_LIMIT)\n"},
          {"OMP_MAX_ACTIVE_LEVELS", "0",
           "tessera: --threads 4: 1 thread is used, because OpenMP's limit of levels says so "
           "(OMP_MAX_ACTIVE_LEVELS)\n"},
          {"OMP_DYNAMIC", "true", ""}}) {
      SCOPED_TRACE(job[0] + " " + job.back() + " with " + name + "=" + value);
      auto const [found, err] = sha({.environment = {{name, value}}});
      EXPECT_EQ(found.at("sha256"), expected.at("sha256"));
      EXPECT_THAT(err, HasSubstr(sentence));
      EXPECT_EQ(err.find("--threads") == std::string::npos, sentence.empty()) << err;
    }
  }
}

TEST_F(ThreadsTest, more_than_kokkos_has_places_for_are_cut) {
  if (!has_threads()) GTEST_SKIP() << "SKIPPED: this build has no OpenMP backend";
  for (std::string const asked : {"513", "600"}) {
    auto const result = run({"info", "--format", "json", "--threads", asked});
    EXPECT_EQ(result.err,
              "tessera: --threads " + asked +
                  ": 512 threads are used, because Kokkos' OpenMP backend has no more\n");
    EXPECT_EQ(threads({"--threads", asked}), 512);
  }
  RunOptions const many{.environment = {{"OMP_NUM_THREADS", "600"}}};
  EXPECT_EQ(threads({}, many), 512);
  EXPECT_EQ(
      run({"info"}, many).err,
      "tessera: the environment or the number of processors asks for 600 threads: 512 threads "
      "are used, because Kokkos' OpenMP backend has no more\n");
  EXPECT_EQ(run({"info"}, {.environment = {{"KOKKOS_NUM_THREADS", "600"}}}).err,
            "tessera: KOKKOS_NUM_THREADS=600: 512 threads are used, because Kokkos' OpenMP backend "
            "has no more\n");
}

TEST_F(ThreadsTest, runs_with_fewer_threads_than_requested) {
  if (!has_threads()) GTEST_SKIP() << "SKIPPED: this build has no OpenMP backend";
  if (has_cuda()) GTEST_SKIP() << "SKIPPED: the driver of CUDA needs threads of its own";
  auto const result = run({"gemv", "a.npy", "--threads", "4", "--format", "json"},
                          {.environment = {{"LSAN_OPTIONS", "detect_leaks=0"}},
                           .as_nobody = true,
                           .limits = {{RLIMIT_NPROC, 1}}});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.err,
              HasSubstr("tessera: --threads 4: 1 thread is used, because the system starts no more "
                        "(limits of processes or of memory)\n"));
  EXPECT_EQ(json(result).at("sha256"),
            json(run({"gemv", "a.npy", "--threads", "4", "--format", "json"})).at("sha256"));
}

TEST_F(ThreadsTest, too_little_memory_is_a_sentence_and_its_status) {
#ifdef TESSERA_TEST_WITH_SANITIZERS
  GTEST_SKIP() << "SKIPPED: AddressSanitizer itself needs more than these limits";
#else
  for (std::uint64_t const mebibytes : {80U, 100U, 120U, 150U, 200U, 300U, 500U, 1000U, 2000U}) {
    for (std::string const threads : {"1", has_threads() ? "64" : "1"}) {
      auto const result =
          run({"atax", "a.npy", "--threads", threads}, {.limits = {{RLIMIT_AS, mebibytes << 20}}});
      SCOPED_TRACE(testing::Message() << mebibytes << " MiB, --threads " << threads << ": status "
                                      << result.status << ", " << result.err);
      if (result.status == 127) continue;  // no memory for the loader
      // OpenBLAS (of Kokkos Kernels) may end the process before main().
      if (TESSERA_LINKS_KOKKOS_KERNELS && result.err.starts_with("OpenBLAS error")) continue;
      EXPECT_EQ(result.signal, 0);
      EXPECT_THAT(result.status, AnyOf(0, 4));
      EXPECT_THAT(result.err, Not(HasSubstr("OpenBLAS")));
      EXPECT_TRUE(result.status == 0 || result.err.starts_with("tessera: "));
    }
  }
#endif
}

TEST_F(ThreadsTest, environment_that_kokkos_cannot_read_is_a_bad_command) {
  struct Bad {
    std::string name;
    std::string value;
    std::string expected;
  };
  std::string const number = "expected a whole number of threads, at least 1, found '";
  std::string const choice = "expected yes, true, 1, no, false or 0, found '";
  for (auto const& [name, value, expected] : {
           Bad{"KOKKOS_NUM_THREADS", "", number + "'"},
           Bad{"KOKKOS_NUM_THREADS", "two", number + "two'"},
           Bad{"KOKKOS_NUM_THREADS", "2x", number + "2x'"},
           Bad{"KOKKOS_NUM_THREADS", "0", number + "0'"},
           Bad{"KOKKOS_NUM_THREADS", "-1", number + "-1'"},
           Bad{"KOKKOS_NUM_THREADS", "99999999999999999999", number + "99999999999999999999'"},
           Bad{"KOKKOS_NUM_THREADS", std::string(50, '\n'), number + std::string(40, '?') + "...'"},
           Bad{"KOKKOS_DEVICE_ID", "", "expected the number of a device, at least 0, found ''"},
           Bad{"KOKKOS_DEVICE_ID", "-1", "expected the number of a device, at least 0, found '-1'"},
           Bad{"KOKKOS_DISABLE_WARNINGS", "maybe", choice + "maybe'"},
           Bad{"KOKKOS_PRINT_CONFIGURATION", "", choice + "'"},
           Bad{"KOKKOS_TUNE_INTERNALS", "2", choice + "2'"},
           Bad{"KOKKOS_MAP_DEVICE_ID_BY", "luck", "expected random or mpi_rank, found 'luck'"},
       }) {
    for (std::vector<std::string> const& command :
         {std::vector<std::string>{"gemv", "a.npy", "--threads", "1"}, {"info"}}) {
      auto const result = run(command, {.environment = {{name, value}}});
      EXPECT_EQ(result.status, 2) << name << "=" << value;
      EXPECT_EQ(result.out, "");
      EXPECT_EQ(result.err, "tessera: the environment variable " + name + ": " + expected +
                                "; correct or unset it\n");
    }
  }
  auto const both = run(
      {"gemv", "a.npy"},
      {.environment = {{"KOKKOS_TOOLS_LIBS", "/one.so"}, {"KOKKOS_PROFILE_LIBRARY", "/two.so"}}});
  EXPECT_EQ(both.status, 2);
  EXPECT_EQ(both.err,
            "tessera: the environment variables KOKKOS_TOOLS_LIBS and KOKKOS_PROFILE_LIBRARY: "
            "expected one of them, found '/one.so' and '/two.so'; unset the second\n");
}

TEST_F(ThreadsTest, threads_of_openmp_that_are_no_number_are_a_bad_command) {
  for (std::string const value : {"x", "", "0", "-1", "2x", "4,", "4,,2"}) {
    auto const result = run({"info"}, {.environment = {{"OMP_NUM_THREADS", value}}});
    EXPECT_EQ(result.status, 2) << value;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("tessera: the environment variable OMP_NUM_THREADS: expected "
                                      "a whole number of threads, at least 1, found '" +
                                      value + "'; correct or unset it"));
  }
  for (std::string const value : {"2", "2,1", " 2 , 1 "}) {
    EXPECT_EQ(run({"info"}, {.environment = {{"OMP_NUM_THREADS", value}}}).status, 0) << value;
  }
}

TEST_F(ThreadsTest, kokkos_writes_nothing_to_stdout) {
  auto const plain = json(run({"gemv", "a.npy", "--format", "json"}));
  for (auto const& environment :
       {Environment{{"KOKKOS_PRINT_CONFIGURATION", "YES"}},
        Environment{{"KOKKOS_TOOLS_LIBS", "/there-is-no-such.so"}},
        Environment{{"KOKKOS_DISABLE_WARNINGS", "no"}},
        Environment{{"KOKKOS_DEVICE_ID", "0"}, {"KOKKOS_MAP_DEVICE_ID_BY", "random"}}}) {
    auto const result = run({"gemv", "a.npy", "--format", "json"}, {.environment = environment});
    SCOPED_TRACE(environment[0].first);
    EXPECT_EQ(json(result).at("sha256"), plain.at("sha256"));
  }
  EXPECT_THAT(run({"gemv", "a.npy"}, {.environment = {{"KOKKOS_PRINT_CONFIGURATION", "true"}}}).err,
              HasSubstr("Kokkos Version"));
}

}  // namespace
}  // namespace tessera::test
