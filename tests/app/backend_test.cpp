// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace tessera::test {
namespace {

class BackendTest : public ProgramTest {
 protected:
  BackendTest() {
    std::istringstream info(run({"info"}).out);
    for (std::string line; std::getline(info, line);) {
      std::istringstream words(line);
      std::string key, name;
      if (words >> key >> name && key == "backend") enabled_.push_back(name);
    }
  }
  bool enabled(std::string const& name) const {
    return std::find(enabled_.begin(), enabled_.end(), name) != enabled_.end();
  }

  std::vector<std::string> enabled_;
};

TEST_F(BackendTest, each_backend_gives_the_same_bytes_or_a_clear_refusal) {
  ASSERT_EQ(run({"gen", "--rows", "123", "--cols", "45", "--distribution", "uniform", "--output",
                 "a.npy"})
                .status,
            0);
  ASSERT_EQ(run({"atax", "a.npy", "--output", "auto.npy"}).status, 0);
  ASSERT_FALSE(enabled_.empty());
  for (std::string const name : {"openmp", "serial", "cuda"}) {
    auto const result = run({"atax", "a.npy", "--backend", name, "--output", name + ".npy"});
    if (enabled(name)) {
      EXPECT_EQ(result.status, 0) << result.err;
      EXPECT_THAT(result.out, HasSubstr("backend      " + name + ","));
      EXPECT_EQ(read(name + ".npy"), read("auto.npy"));
    } else {
      EXPECT_EQ(result.status, 4);
      EXPECT_THAT(result.err,
                  HasSubstr("tessera: --backend " + name +
                            ": this program was built without it; it has " + enabled_.front()));
      EXPECT_FALSE(exists(name + ".npy"));
    }
  }
}

TEST_F(BackendTest, auto_takes_the_first_host_backend_for_a_small_job_and_says_why) {
  ASSERT_EQ(run({"gen", "--rows", "3", "--cols", "4", "--output", "a.npy"}).status, 0);
  auto const host = std::ranges::find_if(enabled_, [](auto const& name) { return name != "cuda"; });
  ASSERT_NE(host, enabled_.end());
  auto const out = run({"atax", "a.npy"}).out;
  EXPECT_THAT(out, HasSubstr("backend      " + *host + " (chosen)"));
  EXPECT_THAT(
      out, HasSubstr(enabled("cuda") ? "why: estimated "
                                     : "why: this program was built without a backend for GPUs\n"));
  EXPECT_THAT(run({"atax", "a.npy", "--backend", *host}).out, Not(HasSubstr("why:")));
}

TEST_F(BackendTest, device_that_is_not_there_is_refused) {
  ASSERT_EQ(run({"gen", "--rows", "3", "--cols", "4", "--output", "a.npy"}).status, 0);
  for (auto const& backend : std::vector<std::string>{"auto", "cuda", enabled_.back()}) {
    auto const result =
        run({"gemv", "a.npy", "--backend", backend, "--device", "4096", "--output", "b.npy"});
    EXPECT_EQ(result.status, 4);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err,
                HasSubstr(std::string("tessera: --device 4096: ") +
                          (enabled("cuda") ? "there is no such device; expected 0"
                                           : "this program was built without a backend for GPUs")));
    EXPECT_FALSE(exists("b.npy"));
  }
}

TEST_F(BackendTest, number_of_threads_changes_no_bit) {
  if (!enabled("openmp")) GTEST_SKIP() << "SKIPPED: this build has no OpenMP backend";
  ASSERT_EQ(run({"gen", "--rows", "2001", "--cols", "35", "--distribution", "normal", "--output",
                 "a.npy"})
                .status,
            0);
  for (std::string const threads : {"1", "2", "3"}) {
    auto const name = "c" + threads + ".npy";
    ASSERT_EQ(run({"atax", "a.npy", "--threads", threads, "--output", name}).status, 0);
    EXPECT_EQ(read(name), read("c1.npy"));
  }
}

TEST_F(BackendTest, kernel_choice_is_reported_and_changes_no_bit) {
  for (auto const& [rows, cols, name] :
       {std::array<std::string, 3>{"4001", "300", "a.npy"}, {"300", "50", "b.npy"}}) {
    ASSERT_EQ(
        run({"gen", "--rows", rows, "--cols", cols, "--distribution", "normal", "--output", name})
            .status,
        0);
  }
  ASSERT_EQ(run({"convert", "a.npy", "f.npy", "--layout", "column-major"}).status, 0);
  for (std::vector<std::string> command : {
           std::vector<std::string>{"atax", "a.npy"},
           {"atax", "f.npy"},
           {"atax", "a.npy", "--method", "two-stage"},
           {"atax", "a.npy", "--memory-limit", "4MiB"},
           {"atax", "f.npy", "--memory-limit", "4MiB"},
           {"gemv", "a.npy"},
           {"gemvt", "a.npy", "--type", "f64"},
           {"transpose", "a.npy", "t.npy"},
           {"gemm", "a.npy", "b.npy", "c.npy"},
       }) {
    SCOPED_TRACE(testing::PrintToString(command));
    command.insert(command.end(), {"--format", "json"});
    std::map<std::string, nlohmann::json> reports;
    for (std::string const kernels : {"auto", "portable", "accelerated"}) {
      auto with_kernels = command;
      with_kernels.insert(with_kernels.end(), {"--kernels", kernels});
      auto const result = run(with_kernels);
      ASSERT_EQ(result.status, 0) << result.err;
      reports[kernels] = nlohmann::json::parse(result.out);
    }
    EXPECT_EQ(reports["portable"]["kernels"], "portable");
    EXPECT_EQ(reports["accelerated"]["kernels"], "accelerated");
    EXPECT_EQ(reports["auto"]["kernels"], "accelerated");
    EXPECT_EQ(reports["portable"]["sha256"], reports["accelerated"]["sha256"]);
    EXPECT_EQ(reports["auto"]["sha256"], reports["accelerated"]["sha256"]);
  }
}

TEST_F(BackendTest, threads_and_the_environment_are_followed) {
  if (!enabled("openmp")) GTEST_SKIP() << "SKIPPED: this build has no OpenMP backend";
  EXPECT_THAT(run({"info", "--threads", "3"}).out, HasSubstr(", 3 threads"));
  EXPECT_THAT(run({"info"}, {.environment = {{"OMP_NUM_THREADS", "2"}}}).out,
              HasSubstr(", 2 threads"));
}

}  // namespace
}  // namespace tessera::test
