// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "support/program.hpp"

namespace tessera::test {
namespace {

/// Each command exits with 3, names the file first, and keeps an existing output.
class BadInputTest : public ProgramTest {
 protected:
  void expect_refused(std::string const& input, std::string const& message,
                      std::vector<std::string> const& more = {},
                      RunOptions const& options = {}) const {
    write("old.npy", "old");
    auto const before = listing();
    std::vector<std::string> arguments = {"atax", input, "--output", "old.npy"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    auto const result = run(arguments, options);
    EXPECT_EQ(result.status, 3) << result.out;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, AllOf(HasSubstr("tessera: "), HasSubstr(message)));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(read("old.npy"), "old");
    EXPECT_EQ(listing(), before);
  }
};

TEST_F(BadInputTest, missing_file) {
  expect_refused("none.npy", "tessera: none.npy: does not exist");
  expect_refused("99", "tessera: test/99: does not exist");
  EXPECT_EQ(run({"show", "none.npy"}).status, 3);
  EXPECT_EQ(run({"check", "none.npy", "none.bin"}).status, 3);
}

TEST_F(BadInputTest, directory) {
  std::filesystem::create_directory(path("a.npy"));
  expect_refused("a.npy", "tessera: a.npy: ");
}

TEST_F(BadInputTest, symbolic_links_to_nothing_and_in_a_circle) {
  std::filesystem::create_symlink("none.npy", path("a.npy"));
  expect_refused("a.npy", "tessera: a.npy: does not exist");
  std::filesystem::create_symlink("c.npy", path("b.npy"));
  std::filesystem::create_symlink("b.npy", path("c.npy"));
  expect_refused("b.npy", "tessera: b.npy: cannot be opened: expected a readable file, found: ");
  write("d.npy", npy("<f4", "(1, 1)", bytes_of<float>({1})));
  std::filesystem::create_symlink("d.npy", path("e.npy"));
  EXPECT_EQ(run({"atax", "e.npy"}).status, 0);
}

TEST_F(BadInputTest, no_permission) {
  write("a.npy", npy("<f4", "(1, 1)", bytes_of<float>({1})));
  std::filesystem::permissions(path("a.npy"), std::filesystem::perms::none);
  bool const root = geteuid() == 0;
  write("old.npy", "old");
  std::filesystem::permissions(path("old.npy"), std::filesystem::perms::all);
  if (root && run({"--version"}, {.as_nobody = true}).status == 127) {
    GTEST_SKIP() << "SKIPPED: root reads everything, and nobody may not run the program here";
  }
  expect_refused("a.npy", "tessera: a.npy: ", {}, {.as_nobody = root});
}

TEST_F(BadInputTest, empty_file) {
  write("a.npy", "");
  expect_refused("a.npy", "tessera: a.npy: ");
  write("b.ex3", "");
  expect_refused("b.ex3", "tessera: b.ex3: ");
}

TEST_F(BadInputTest, every_truncation_of_a_small_ex3_file_and_of_a_npy_header) {
  std::string const ex3 = bytes_of<std::uint32_t>({1, 2, 0, 0}) + bytes_of<float>({1, 2, 3});
  for (std::size_t size = 0; size < ex3.size(); size += 3) {
    write("a.ex3", ex3.substr(0, size));
    expect_refused("a.ex3", "tessera: a.ex3: ");
  }
  std::string const good = npy("<f4", "(1, 1)", bytes_of<float>({1}));
  for (std::size_t const size : {1u, 5u, 6u, 8u, 9u, 10u, 40u, 127u, 128u, 131u}) {
    write("a.npy", good.substr(0, size));
    expect_refused("a.npy", "tessera: a.npy: ");
  }
}

TEST_F(BadInputTest, trailing_bytes) {
  write("a.npy", npy("<f4", "(1, 1)", bytes_of<float>({1})) + "x");
  expect_refused("a.npy", "tessera: a.npy: ");
  write("a.ex3", bytes_of<std::uint32_t>({1, 1, 0, 0}) + bytes_of<float>({1, 2}) + "x");
  expect_refused("a.ex3", "tessera: a.ex3: ");
}

TEST_F(BadInputTest, sizes_that_overflow_or_exceed_the_file) {
  write("a.npy", npy("<f4", "(4611686018427387904, 4)", "1234"));
  expect_refused("a.npy", "tessera: a.npy: ");
  write("a.npy", npy("<f4", "(99999999999999999999999, 4)", "1234"));
  expect_refused("a.npy", "tessera: a.npy: ");
  write("a.npy", npy("<f4", "(1000, 1000)", "1234"));
  expect_refused("a.npy", "tessera: a.npy: ");
  write("a.ex3", bytes_of<std::uint32_t>({0xffffffff, 0xffffffff, 0, 0}));
  expect_refused("a.ex3", "tessera: a.ex3: ");
}

TEST_F(BadInputTest, zero_dimensions) {
  write("a.npy", npy("<f4", "(0, 4)", ""));
  expect_refused("a.npy", "tessera: a.npy: ");
  write("a.ex3", bytes_of<std::uint32_t>({0, 4, 0, 0}));
  expect_refused("a.ex3", "tessera: a.ex3: ");
}

TEST_F(BadInputTest, types_that_are_no_numbers_of_ours_are_named) {
  write("a.npy", npy("|b1", "(1, 1)", "1"));
  expect_refused("a.npy", "found '|b1' (truth values)");
  write("a.npy", npy("<c16", "(1, 1)", std::string(16, '1')));
  expect_refused("a.npy", "found '<c16' (complex numbers)");
  write("a.npy", npy("|O", "(1, 1)", "12345678"));
  expect_refused("a.npy", "found '|O' (Python objects)");
  std::string structured = npy("<f4", "(1, 1)", "12345678");
  write("a.npy", structured.replace(structured.find("'<f4'"), 5, "[('x','<f4'),('y','<f4')]"));
  expect_refused("a.npy", "tessera: a.npy: ");
}

TEST_F(BadInputTest, shapes_that_are_no_matrix) {
  write("a.npy", npy("<f4", "(1, 1, 1)", "1234"));
  expect_refused("a.npy", "tessera: a.npy: ");
  write("a.npy", npy("<f4", "(1,)", "1234"));
  expect_refused("a.npy", "tessera: a.npy: ");
  write("a.npy", npy("<f4", "()", "1234"));
  expect_refused("a.npy", "tessera: a.npy: ");
}

TEST_F(BadInputTest, header_that_lies_or_is_absurdly_long) {
  write("a.npy", std::string("\x93NUMPY\x02\x00\xff\xff\xff\x7f", 12) + std::string(100, ' '));
  expect_refused("a.npy", "tessera: a.npy: ");
  write("a.npy", std::string("\x93NUMPY\x09\x00\x76\x00", 10) + std::string(118, ' '));
  expect_refused("a.npy", "tessera: a.npy: ");
  write("a.npy", "this is no npy file at all, but long enough to hold a header");
  expect_refused("a.npy", "tessera: a.npy: ");
}

TEST_F(BadInputTest, unknown_extension) {
  write("a.txt", "1 2 3");
  expect_refused("a.txt", "tessera: a.txt: ");
}

TEST_F(BadInputTest, vector_of_the_wrong_length_or_type) {
  write("a.npy", npy("<f4", "(2, 1)", bytes_of<float>({1, 2})));
  write("long.npy", npy("<f4", "(2,)", bytes_of<float>({1, 2})));
  expect_refused("a.npy", "tessera: long.npy: ", {"--vector", "long.npy"});
  write("double.npy", npy("<f8", "(1,)", bytes_of<double>({1})));
  expect_refused("a.npy", "tessera: double.npy: ", {"--vector", "double.npy"});
  write("raw.bin", "123");
  expect_refused("a.npy", "tessera: raw.bin: ", {"--vector", "raw.bin"});
  expect_refused("a.npy", "tessera: none.npy: ", {"--vector", "none.npy"});
}

TEST_F(BadInputTest, more_memory_than_there_is_says_how_much_and_exits_4) {
  // Sparse, of the right size: 8 TiB.
  write("a.npy", npy("<f4", "(2147483648, 1024)", ""));
  auto const bytes = static_cast<off_t>(read("a.npy").size()) + (off_t{1} << 43);
  if (truncate(path("a.npy").c_str(), bytes) != 0) {
    GTEST_SKIP() << "SKIPPED: this file system has no sparse file of 8 TiB";
  }
  write("old.npy", "old");
  auto const result = run({"atax", "a.npy", "--check", "--output", "old.npy"});
  EXPECT_EQ(result.status, 4);
  EXPECT_THAT(result.err, AllOf(HasSubstr("tessera: a.npy: not enough memory"),
                                HasSubstr("8.0 TiB"), HasSubstr("available")));
  EXPECT_EQ(read("old.npy"), "old");
}

}  // namespace
}  // namespace tessera::test
