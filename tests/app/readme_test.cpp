// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <filesystem>
#include <iterator>
#include <sstream>
#include <support/read_file.hpp>

#include <gmock/gmock.h>

#include "support/program.hpp"

namespace tessera::test {
namespace {

std::string source_file(std::string const& name) {
  return read_file(std::filesystem::path(TESSERA_SOURCE_DIR) / name);
}

using ReadmeTest = ProgramTest;

TEST_F(ReadmeTest, shows_the_example_that_is_compiled) {
  std::string const example = source_file("examples/first_steps.cpp");
  auto const code = example.substr(example.find("#include"));
  EXPECT_THAT(source_file("README.md"), ::testing::HasSubstr("```cpp\n" + code + "```\n"));
}

TEST_F(ReadmeTest, commands_work_as_printed) {
  std::istringstream lines(source_file("README.md"));
  int commands = 0;
  bool shell = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) shell = line == "```sh";
    if (!shell || !line.starts_with("tessera ")) continue;
    std::istringstream words(line.substr(8));
    std::vector<std::string> arguments{std::istream_iterator<std::string>(words), {}};
    auto const result = run(arguments);
    EXPECT_EQ(result.status, 0) << line << "\n" << result.err;
    ++commands;
  }
  EXPECT_GE(commands, 10);
}

}  // namespace
}  // namespace tessera::test
