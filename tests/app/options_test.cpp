// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>

#include <app/cli/options.hpp>

/// Properties of every option.
namespace tessera::app {
namespace {

using Words = std::vector<std::string>;

std::variant<ExitStatus, Options> parse(Words const& words) {
  std::vector<char const*> argv = {"tessera"};
  for (auto const& word : words) argv.push_back(word.c_str());
  return parse_options(static_cast<int>(argv.size()), argv.data());
}

Words options_with_values(std::string const& command) {
  Words const flags = {
      "--help", "--check", "--no-tuning-cache", "--in-place", "--show",        "--reset",
      "--data", "--all",   "--add-dataset",     "--scale",    "--no-intercept"};
  testing::internal::CaptureStdout();
  parse({"completion", "bash"});
  std::istringstream script(testing::internal::GetCapturedStdout());
  for (std::string line; std::getline(script, line);) {
    if (line.find(" " + command + ") words=\"--help") == std::string::npos) continue;
    auto const start = line.find('"') + 1;
    std::istringstream words(line.substr(start, line.rfind('"') - start));
    Words options;
    for (std::string word; words >> word;) {
      if (std::ranges::find(flags, word) == flags.end()) options.push_back(word);
    }
    return options;
  }
  return {};
}

void expect_empty_value_refused(Words const& words, std::string const& option,
                                std::string const& advice) {
  testing::internal::CaptureStderr();
  auto const parsed = parse(words);
  auto const said = testing::internal::GetCapturedStderr();
  ASSERT_TRUE(std::holds_alternative<ExitStatus>(parsed)) << words[0] << " " << option;
  EXPECT_EQ(std::get<ExitStatus>(parsed), ExitStatus::usage);
  EXPECT_TRUE(said.starts_with("tessera: " + option + ": expected a value, found an empty one" +
                               advice + "\n"))
      << words[0] << " " << said;
}

TEST(OptionsTest, EmptyValuesAreRefusedEverywhere) {
  std::vector<Words> const commands = {{"gen", "--rows", "1", "--cols", "1", "--output", "x.npy"},
                                       {"atax", "a.npy"},
                                       {"gemv", "a.npy"},
                                       {"gemvt", "a.npy"},
                                       {"gemv-both", "a.npy", "--transposed-vector", "u.npy"},
                                       {"transpose", "a.npy", "x.npy"},
                                       {"gemm", "a.npy", "a.npy", "x.npy"},
                                       {"lstsq", "a.npy", "b.npy"},
                                       {"ridge", "a.npy", "b.npy", "--lambda", "1"},
                                       {"svd", "a.npy", "--count", "1"},
                                       {"pca", "a.npy", "--count", "1"},
                                       {"stats", "a.npy"},
                                       {"fit", "linear", "a.npy", "y.npy"},
                                       {"bench", "gemv"},
                                       {"tune", "gemv"},
                                       {"check", "a.npy", "a.npy"},
                                       {"show", "a.npy"},
                                       {"convert", "a.npy", "x.npy"},
                                       {"info"}};
  std::map<std::string, Words> const needed = {{"--checkpoint-every", {"--checkpoint", "s"}},
                                               {"--deflate", {"--chunk", "1x1"}},
                                               {"--rows", {"--cols", "1"}},
                                               {"--cols", {"--rows", "1"}}};
  std::size_t options = 0;
  for (auto const& command : commands) {
    for (auto const& option : options_with_values(command[0])) {
      Words words = command;
      auto const given = std::ranges::find(words, option);
      if (given != words.end()) {
        *std::next(given) = "";
      } else {
        words.insert(words.end(), {option, ""});
        if (auto const more = needed.find(option); more != needed.end()) {
          words.insert(words.end(), more->second.begin(), more->second.end());
        }
      }
      expect_empty_value_refused(words, option, "; give one, or leave the option out");
      ++options;
    }
  }
  EXPECT_GT(options, 150u);
}

TEST(OptionsTest, EmptyPositionalsAreRefused) {
  for (auto const& [words, name] : {std::pair{Words{"atax", ""}, "INPUT"},
                                    {Words{"transpose", "a.npy", ""}, "OUTPUT"},
                                    {Words{"gemm", "", "a.npy", "x.npy"}, "A"},
                                    {Words{"gemm", "a.npy", "", "x.npy"}, "B"},
                                    {Words{"check", "a.npy", ""}, "RESULT"},
                                    {Words{"show", ""}, "FILE"},
                                    {Words{"convert", "", "x.npy"}, "INPUT"},
                                    {Words{"convert", "a.npy", ""}, "OUTPUT"},
                                    {Words{"bench", ""}, "OPERATION"},
                                    {Words{"tune", ""}, "OPERATION"}}) {
    expect_empty_value_refused(words, name, "");
  }
}

}  // namespace
}  // namespace tessera::app
