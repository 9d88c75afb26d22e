// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <support/read_file.hpp>

#include <gmock/gmock.h>

#include "support/program.hpp"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

std::string source_file(std::string const& name) {
  return read_file(fs::path(TESSERA_SOURCE_DIR) / name);
}

std::vector<std::string> commands_of(std::string const& page) {
  std::vector<std::string> commands;
  std::istringstream lines(source_file(page));
  bool shell = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) shell = line == "```sh";
    if (shell && line.starts_with("tessera ")) commands.push_back(line);
  }
  return commands;
}

std::vector<std::string> pages_with_commands() {
  std::vector<std::string> pages{"README.md", "docs/evaluations.md"};
  for (auto const& entry : fs::directory_iterator(fs::path(TESSERA_SOURCE_DIR) / "docs/guide")) {
    pages.push_back("docs/guide/" + entry.path().filename().string());
  }
  std::erase_if(pages, [](std::string const& page) { return commands_of(page).empty(); });
  std::ranges::sort(pages);
  return pages;
}

TEST(ReadmeTest, shows_lines_of_the_example_that_is_compiled) {
  std::string const readme = source_file("README.md");
  auto const first = readme.find("```cpp\n") + 7;
  std::istringstream code(readme.substr(first, readme.find("```", first) - first));
  std::string shown;
  for (std::string line; std::getline(code, line);) shown += "  " + line + "\n";
  EXPECT_THAT(shown, ::testing::HasSubstr("tessera::atax("));
  EXPECT_THAT(source_file("examples/first_steps.cpp"), ::testing::HasSubstr(shown));
}

TEST(ReadmeTest, pages_show_commands) {
  auto const pages = pages_with_commands();
  EXPECT_THAT(pages, ::testing::IsSupersetOf({"README.md", "docs/guide/command-line.md"}));
  std::size_t commands = 0;
  for (auto const& page : pages) commands += commands_of(page).size();
  EXPECT_GE(commands, 25U);
}

class PageTest : public ProgramTest, public ::testing::WithParamInterface<std::string> {};

TEST_P(PageTest, commands_work_as_printed) {
  for (std::string const name : {"digits.npy", "digit_labels.npy", "breast_cancer.npy",
                                 "benign.npy", "diabetes.npy", "progression.npy"}) {
    fs::copy_file(fs::path(TESSERA_SOURCE_DIR) / "tests/data" / name, path(name));
  }
  for (auto const& line : commands_of(GetParam())) {
    std::istringstream words(line.substr(8));
    std::vector<std::string> arguments{std::istream_iterator<std::string>(words), {}};
    auto const result = run(arguments);
    EXPECT_EQ(result.status, 0) << line << "\n" << result.err;
  }
}

INSTANTIATE_TEST_SUITE_P(ReadmeTest, PageTest, ::testing::ValuesIn(pages_with_commands()),
                         [](auto const& page) {
                           std::string name = fs::path(page.param).stem().string();
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace tessera::test
