// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace tessera::test {

class SolveTest : public ProgramTest {
 protected:
  void make(std::string const& rows, std::string const& cols,
            std::string const& order = "row-major", std::string const& type = "f32") const {
    ASSERT_EQ(run({"gen", "--rows", rows, "--cols", cols, "--distribution", "normal", "--layout",
                   order, "--type", type, "--output", "a.npy"})
                  .status,
              0);
    ASSERT_EQ(run({"gen", "--rows", rows, "--cols", "1", "--distribution", "uniform", "--seed", "7",
                   "--type", type, "--output", "b.npy"})
                  .status,
              0);
  }
  nlohmann::json report(std::vector<std::string> arguments, int status = 0) const {
    arguments.insert(arguments.end(), {"--format", "json"});
    auto const done = run(arguments);
    EXPECT_EQ(done.status, status) << done.err << done.out;
    return nlohmann::json::parse(done.out);
  }
  void write_doubles(std::string const& name, std::string const& shape,
                     std::vector<double> const& elements) const {
    write(name, npy("<f8", shape, bytes_of(elements)));
  }
  void expect_refused(std::vector<std::string> const& arguments, int status,
                      std::string const& why) const {
    auto const done = run(arguments);
    EXPECT_EQ(done.status, status) << why;
    EXPECT_NE(done.err.find(why), std::string::npos) << why << "\n" << done.err;
  }
  void expect_same_streamed(std::vector<std::string> command, std::string const& limit,
                            std::vector<std::string> const& keys) const {
    auto const in_memory = report(command);
    EXPECT_TRUE(in_memory["stream"].is_null());
    command.insert(command.end(), {"--memory-limit", limit});
    auto const streamed = report(command);
    EXPECT_FALSE(streamed["stream"].is_null());
    expect_same(streamed, in_memory, keys);
  }
  /// Cut short or killed, in memory and streamed.
  void expect_same_resumed(std::vector<std::string> const& command, int steps,
                           std::string const& limit, std::vector<std::string> const& keys) const {
    auto const whole = report(command);
    auto kept = command;
    kept.insert(kept.end(), {"--checkpoint", "c", "--checkpoint-every", "0"});
    auto shortened = kept;
    shortened.insert(shortened.end(), {"--maxiter", std::to_string(steps)});
    auto const part = report(shortened, 1);
    EXPECT_EQ(part["iterations"], steps);
    EXPECT_FALSE(part["converged"]);
    ASSERT_TRUE(exists("c"));
    auto const rest = report(kept);
    EXPECT_EQ(rest["first_iteration"], steps);
    expect_same(rest, whole, keys);
    EXPECT_FALSE(exists("c"));
    expect_same_after_kill(whole, kept, limit, keys);
  }
  void expect_same_after_kill(std::vector<std::string> command, std::string const& limit,
                              std::vector<std::string> const& keys) const {
    auto const whole = report(command);
    command.insert(command.end(), {"--checkpoint", "c", "--checkpoint-every", "0"});
    expect_same_after_kill(whole, command, limit, keys);
  }

 private:
  void expect_same_after_kill(nlohmann::json const& whole, std::vector<std::string> const& kept,
                              std::string const& limit,
                              std::vector<std::string> const& keys) const {
    auto streamed = kept;
    streamed.insert(streamed.end(), {"--memory-limit", limit});
    for (auto const& killed : {kept, streamed}) {
      kill_when_exists(killed, "c");
      auto const after_kill = report(streamed);
      EXPECT_GT(after_kill["first_iteration"], 0);
      EXPECT_FALSE(after_kill["stream"].is_null());
      expect_same(after_kill, whole, keys);
    }
  }
  static void expect_same(nlohmann::json const& found, nlohmann::json const& expected,
                          std::vector<std::string> const& keys) {
    for (auto const& key : keys) {
      EXPECT_FALSE(expected[key].is_null()) << key;
      EXPECT_EQ(found[key], expected[key]) << key;
    }
  }
};

}  // namespace tessera::test
