// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <unistd.h>

#include <gmock/gmock.h>

#include "support/program.hpp"

namespace tessera::test {
namespace {

class OutputTest : public ProgramTest {
 protected:
  OutputTest() { write("a.npy", npy("<f4", "(1, 2)", bytes_of<float>({1, 2}))); }
};

TEST_F(OutputTest, unwritable_output_is_found_out_before_the_input_is_read) {
  auto const result = run({"atax", "none.npy", "--output", "missing/c.npy"});
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.err, HasSubstr("tessera: missing/c.npy: "));
  auto const intermediate = run({"atax", "none.npy", "--intermediate", "missing/b.npy"});
  EXPECT_EQ(intermediate.status, 3);
  EXPECT_THAT(intermediate.err, HasSubstr("tessera: missing/b.npy: "));
}

TEST_F(OutputTest, folder_as_output_is_refused) {
  std::filesystem::create_directory(path("c.npy"));
  auto const result = run({"atax", "a.npy", "--output", "c.npy"});
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.err, HasSubstr("tessera: c.npy: "));
}

TEST_F(OutputTest, format_that_holds_no_vector_is_refused_before_computing) {
  for (std::string const name : {"c.ex3", "c", "c.txt"}) {
    auto const result = run({"atax", "none.npy", "--output", name});
    EXPECT_EQ(result.status, 3) << name;
    EXPECT_THAT(result.err, HasSubstr("tessera: " + name + ": "));
    EXPECT_FALSE(exists(name));
  }
}

TEST_F(OutputTest, full_disk_is_a_file_error) {
  std::filesystem::create_symlink("/dev/full", path("c.bin"));
  auto const result = run({"atax", "a.npy", "--output", "c.bin"});
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.err, HasSubstr("tessera: c.bin: "));
}

TEST_F(OutputTest, folder_without_permission_is_refused) {
  std::filesystem::create_directory(path("closed"));
  std::filesystem::permissions(
      path("closed"), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  bool const root = geteuid() == 0;
  if (root && run({"--version"}, {.as_nobody = true}).status == 127) {
    GTEST_SKIP() << "SKIPPED: root writes everywhere, and nobody may not run the program here";
  }
  auto const result = run({"atax", "a.npy", "--output", "closed/c.npy"}, {.as_nobody = root});
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.err, HasSubstr("tessera: closed/c.npy: "));
}

TEST_F(OutputTest, old_output_is_replaced_by_a_whole_new_one) {
  write("c.bin", std::string(1000, 'x'));
  ASSERT_EQ(run({"atax", "a.npy", "--output", "c.bin"}).status, 0);
  EXPECT_EQ(read("c.bin"), bytes_of<float>({3, 6}));
  EXPECT_EQ(listing(), (std::vector<std::string>{"a.npy", "c.bin"}));
}

TEST_F(OutputTest, failed_check_exits_1_only_when_it_fails) {
  EXPECT_EQ(run({"atax", "a.npy", "--check"}).status, 0);
}

}  // namespace
}  // namespace tessera::test
