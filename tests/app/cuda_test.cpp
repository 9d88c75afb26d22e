// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <filesystem>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace tessera::test {
namespace {

using nlohmann::json;

class CudaWithoutDeviceTest : public ProgramTest {
 protected:
  RunResult run_blind(std::vector<std::string> const& arguments) const {
    return run(arguments, {.environment = {{"CUDA_VISIBLE_DEVICES", ""}}});
  }
};

TEST_F(CudaWithoutDeviceTest, commands_say_what_is_missing_and_write_nothing) {
  write("a.npy", npy("<f4", "(1, 1)", bytes_of<float>({1})));
  std::vector<std::vector<std::string>> const commands = {
      {"atax", "a.npy", "--output", "c.npy"},
      {"gemv", "a.npy", "--output", "c.npy", "--backend", "cuda"},
      {"gemvt", "a.npy", "--output", "c.npy", "--backend", "openmp"},
      {"atax", "a.npy", "--output", "c.npy", "--device", "0"},
      {"gen", "--rows", "1", "--cols", "1", "--output", "c.npy"},
      {"show", "a.npy"}};
  for (auto const& command : commands) {
    auto const result = run_blind(command);
    EXPECT_EQ(result.status, 4) << command.front();
    EXPECT_EQ(result.signal, 0);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err,
                AllOf(HasSubstr("tessera: no CUDA d"), HasSubstr("for the host alone, build it "
                                                                 "without CUDA")));
    EXPECT_THAT(listing(), ElementsAre("a.npy"));
  }
}

TEST_F(CudaWithoutDeviceTest, info_says_what_it_can_and_then_what_is_missing) {
  auto const result = run_blind({"info"});
  EXPECT_EQ(result.status, 4);
  EXPECT_THAT(result.out, AllOf(HasSubstr("processor"), HasSubstr("GPUs          none\n"),
                                HasSubstr("backends      none: Kokkos cannot start here\n")));
  EXPECT_THAT(result.err, HasSubstr("tessera: no CUDA d"));
  auto const as_json = json::parse(run_blind({"info", "--format", "json"}).out);
  EXPECT_TRUE(as_json.at("backends").empty());
  EXPECT_TRUE(as_json.at("devices").is_array() && as_json.at("devices").empty());
}

TEST_F(CudaWithoutDeviceTest, help_and_completion_need_no_device) {
  EXPECT_EQ(run_blind({"--help"}).status, 0);
  EXPECT_EQ(run_blind({"--version"}).status, 0);
  EXPECT_EQ(run_blind({"completion", "bash"}).status, 0);
}

class CudaProgramTest : public ProgramTest {
 protected:
  void SetUp() override {
    auto const info = run({"info", "--format", "json"});
    if (info.status != 0) {
      GTEST_SKIP() << "SKIPPED: there is no usable CUDA device: " << info.err;
    }
    info_ = json::parse(info.out);
  }
  void generate(std::string const& name, int rows, int cols, std::string const& type = "f32",
                std::string const& order = "row-major") const {
    ASSERT_EQ(run({"gen", "--rows", std::to_string(rows), "--cols", std::to_string(cols), "--type",
                   type, "--layout", order, "--distribution", "normal", "--output", name})
                  .status,
              0);
  }
  json report(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--format", "json"});
    auto const result = run(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.status == 0 ? json::parse(result.out) : json();
  }

  json info_;
};

std::vector<std::string> stage_names(json const& report) {
  std::vector<std::string> names;
  for (auto const& stage : report.at("stages")) {
    names.push_back(stage.at("name"));
    EXPECT_GT(stage.at("seconds").get<double>(), 0) << names.back();
  }
  return names;
}

TEST_F(CudaProgramTest, gives_the_bits_of_the_host_for_every_operation_type_and_layout) {
  for (std::string const type : {"f32", "f64"}) {
    for (std::string const order : {"row-major", "column-major"}) {
      generate("a.npy", 777, 555, type, order);
      for (std::string const command : {"atax", "gemv", "gemvt"}) {
        auto const device = report({command, "a.npy", "--backend", "cuda"});
        EXPECT_EQ(device.at("backend"), "cuda");
        EXPECT_EQ(device.at("sha256"),
                  report({command, "a.npy", "--backend", "openmp"}).at("sha256"))
            << command << " " << type << " " << order;
      }
    }
  }
}

TEST_F(CudaProgramTest, matrix_of_many_halves_of_the_pinned_buffer_arrives_whole) {
  generate("a.npy", 3001, 3301);  // 37.8 MiB; a half has 8 MiB
  for (std::string const method : {"fused", "two-stage"}) {
    auto const words = [&](std::string const& backend) {
      return std::vector<std::string>{"atax", "a.npy", "--backend", backend, "--method", method};
    };
    EXPECT_EQ(report(words("cuda")).at("sha256"), report(words("serial")).at("sha256")) << method;
  }
}

TEST_F(CudaProgramTest, copies_are_stages_beside_the_kernels) {
  generate("a.npy", 300, 200);
  EXPECT_THAT(stage_names(report({"atax", "a.npy", "--backend", "cuda", "--method", "fused"})),
              ElementsAre("copy to device", "fused", "copy to host"));
  EXPECT_THAT(stage_names(report({"atax", "a.npy", "--backend", "cuda", "--method", "two-stage"})),
              ElementsAre("copy to device", "multiply", "multiply_transposed", "copy to host"));
  EXPECT_THAT(stage_names(report({"gemv", "a.npy", "--backend", "openmp"})),
              ElementsAre("multiply"));
  auto const text = run({"gemvt", "a.npy", "--backend", "cuda"}).out;
  EXPECT_THAT(text, AllOf(HasSubstr("copy to device: "), HasSubstr("multiply_transposed: "),
                          HasSubstr("copy to host: ")));
}

TEST_F(CudaProgramTest, intermediate_vector_comes_back_too) {
  generate("a.npy", 300, 200);
  for (std::string const backend : {"cuda", "openmp"}) {
    ASSERT_EQ(
        run({"atax", "a.npy", "--backend", backend, "--intermediate", backend + ".npy", "--check"})
            .status,
        0);
  }
  EXPECT_EQ(read("cuda.npy"), read("openmp.npy"));
}

TEST_F(CudaProgramTest, auto_weighs_copies_against_runs) {
  generate("a.npy", 3001, 3301);
  auto const many = report({"gemv", "a.npy", "--repeat", "200", "--threads", "1"});
  EXPECT_EQ(many.at("backend"), "cuda");
  EXPECT_THAT(many.at("backend_why").get<std::string>(),
              AllOf(HasSubstr("estimated "), HasSubstr(" on cuda ("), HasSubstr(" of it copies)")));
  auto const one = report({"gemv", "a.npy", "--repeat", "1"});
  EXPECT_EQ(one.at("backend"), "openmp");
  EXPECT_THAT(one.at("backend_why").get<std::string>(), HasSubstr(" on openmp"));
}

TEST_F(CudaProgramTest, device_can_be_named) {
  generate("a.npy", 30, 20);
  auto const last = std::to_string(info_.at("devices").size() - 1);
  auto const next = std::to_string(info_.at("devices").size());
  EXPECT_EQ(report({"atax", "a.npy", "--backend", "cuda", "--device", last}).at("backend"), "cuda");
  auto const result = run({"atax", "a.npy", "--backend", "cuda", "--device", next});
  EXPECT_EQ(result.status, 4);
  EXPECT_THAT(result.err,
              HasSubstr("tessera: --device " + next + ": there is no such device; expected 0"));
}

class LargerThanTheDevice : public CudaProgramTest {
 protected:
  void SetUp() override {
    CudaProgramTest::SetUp();
    if (IsSkipped()) return;
    auto const memory = info_.at("devices").at(0).at("memory_bytes").get<std::uint64_t>();
    std::uint64_t const rows = memory / (4 * 1024) + 1;
    std::string const header = npy("<f4", "(" + std::to_string(rows) + ", 1024)", "");
    write("huge.npy", header);
    std::error_code error;
    std::filesystem::resize_file(path("huge.npy"), header.size() + rows * 4 * 1024, error);
    if (error) GTEST_SKIP() << "SKIPPED: no file as large as the device: " << error.message();
  }
};

TEST_F(LargerThanTheDevice, matrix_is_streamed) {
  auto const found =
      report({"atax", "huge.npy", "--backend", "cuda", "--device", "0", "--output", "c.npy"});
  EXPECT_EQ(found.at("backend"), "cuda");
  EXPECT_EQ(found.at("method"), "streamed");
  EXPECT_GT(found.at("stream").at("blocks"), 1);
  EXPECT_TRUE(exists("c.npy"));
}

TEST_F(LargerThanTheDevice, matrix_is_refused_before_it_is_read_where_it_cannot_be_streamed) {
  auto const result = run({"transpose", "huge.npy", "c.npy", "--backend", "cuda", "--device", "0"});
  EXPECT_EQ(result.status, 4);
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("tessera: huge.npy: not enough memory on "), HasSubstr("(device 0)"),
                    HasSubstr(" free, found "), HasSubstr("--backend openmp")));
  EXPECT_FALSE(exists("c.npy"));
}

TEST_F(CudaProgramTest, published_kernels_are_right_and_have_the_bits_that_they_document) {
  generate("a.npy", 777, 555, "f32", "row-major");
  generate("f.npy", 777, 555, "f32", "column-major");
  generate("b.npy", 555, 333);
  for (auto const& job : std::vector<std::vector<std::string>>{{"gemv", "a.npy"},
                                                               {"gemv", "f.npy"},
                                                               {"gemvt", "a.npy"},
                                                               {"transpose", "a.npy"},
                                                               {"transpose", "f.npy"},
                                                               {"gemm", "a.npy", "b.npy"}}) {
    auto const on = [&](std::string const& backend) {
      auto words = job;
      words.insert(words.begin(), "bench");
      words.insert(words.end(),
                   {"--backend", backend, "--check", "--repeat", "1", "--seconds", "0"});
      std::map<std::string, std::string> digests;
      for (auto const& row : report(words).at("tables")[0].at("results")) {
        EXPECT_EQ(row.at("wrong"), false) << row;
        if (row.at("kind") == "variant" && row.at("repeats") == "yes") {
          digests[row.at("name")] = row.at("sha256");
        }
      }
      return digests;
    };
    auto const host = on("openmp");
    for (auto const& [name, digest] : on("cuda")) EXPECT_EQ(digest, host.at(name)) << name;
  }
}

TEST_F(CudaProgramTest, transposes_and_products_have_the_bits_of_the_host) {
  for (std::string const type : {"f32", "f64"}) {
    generate("a.npy", 777, 555, type, "column-major");
    generate("b.npy", 555, 333, type);
    generate("s.npy", 500, 500, type);
    auto const same = [&](std::vector<std::string> const& words) {
      auto const on = [&](std::string const& backend) {
        auto all = words;
        all.insert(all.end(), {"--backend", backend, "--check"});
        auto const r = report(all);
        EXPECT_EQ(r.at("check").at("passed"), true) << words.back();
        return r.at("sha256");
      };
      EXPECT_EQ(on("cuda"), on("openmp")) << words.back();
    };
    same({"transpose", "a.npy", "t.npy"});
    same({"transpose", "s.npy", "t.npy", "--in-place"});
    same({"gemm", "a.npy", "b.npy", "c.npy"});
  }
  EXPECT_THAT(stage_names(report({"gemm", "a.npy", "b.npy", "c.npy", "--backend", "cuda"})),
              ElementsAre("copy to device", "gemm", "copy to host"));
}

TEST_F(CudaProgramTest, preference_of_caches_is_told_to_the_device_and_changes_no_bit) {
  generate("a.npy", 777, 555);
  generate("s.npy", 300, 300);
  std::vector<std::vector<std::string>> const commands{{"gemv", "a.npy"},
                                                       {"atax", "a.npy"},
                                                       {"transpose", "a.npy", "t.npy"},
                                                       {"gemm", "s.npy", "s.npy", "c.npy"}};
  for (auto command : commands) {
    command.insert(command.end(), {"--backend", "cuda"});
    auto const plain = report(command);
    EXPECT_TRUE(plain.at("cache_preference").is_null());
    for (std::string const preference : {"none", "l1", "shared", "equal"}) {
      auto words = command;
      words.insert(words.end(), {"--cache-preference", preference});
      auto const told = report(words);
      // "none" on devices without configurable caches.
      EXPECT_THAT(told.at("cache_preference").get<std::string>(),
                  ::testing::AnyOf(preference, "none"));
      EXPECT_EQ(told.at("sha256"), plain.at("sha256"));
      EXPECT_THAT(run(words).out, HasSubstr("  caches       prefer "));
    }
  }
}

TEST_F(CudaProgramTest, info_lists_the_devices) {
  ASSERT_FALSE(info_.at("devices").empty());
  auto const& device = info_.at("devices").at(0);
  EXPECT_EQ(device.at("id"), 0);
  EXPECT_THAT(device.at("architecture").get<std::string>(), HasSubstr("sm_"));
  EXPECT_THAT(device.at("compute_capability").get<std::string>(), HasSubstr("."));
  EXPECT_GT(device.at("multiprocessors").get<int>(), 0);
  EXPECT_GT(device.at("theoretical_bytes_per_s").get<double>(), 1e10);
  EXPECT_LT(device.at("free_bytes").get<std::uint64_t>(),
            device.at("memory_bytes").get<std::uint64_t>());
  EXPECT_GT(device.at("free_bytes").get<std::uint64_t>(), 0u);
  auto const text = run({"info"}).out;
  EXPECT_THAT(text, AllOf(HasSubstr("GPU           0: " + device.at("name").get<std::string>()),
                          HasSubstr(" free\n"), HasSubstr("GB/s, theoretical"),
                          HasSubstr("capability  "), Not(HasSubstr("trouble"))));
}

}  // namespace
}  // namespace tessera::test
