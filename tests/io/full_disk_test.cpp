// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <signal.h>
#include <span>
#include <string>
#include <sys/resource.h>
#include <vector>

#include <gmock/gmock.h>

#include <io/generate.hpp>
#include <io/output_file.hpp>

#include "io/support/child.hpp"
#include "io/support/folder.hpp"

namespace tessera::io::test {
namespace {

constexpr unsigned disk_bytes = 256 * 1024;

/// On a mount of 256 KiB with C.bin. Returns the error and the content afterwards.
std::string on_small_disk(std::string const& disk, std::function<void()> const& action) {
  return in_child([&]() -> std::string {
    std::string const obstacle = mount_small_disk(disk, disk_bytes);
    if (!obstacle.empty()) return "SKIP " + obstacle;
    {
      OutputFile old_file(disk + "/C.bin");
      old_file.write_elements(std::span<char const>("old", 3));
      old_file.commit();
    }
    std::string result = "no error";
    try {
      action();
    } catch (FileError const& error) {
      result = error.what();
    }
    for (auto const& entry : std::filesystem::directory_iterator(disk)) {
      result += " | " + entry.path().filename().string() + "=" + std::to_string(entry.file_size());
    }
    return result + " | " + content_of(disk + "/C.bin");
  });
}

TEST(FullDisk, IsReportedWhileWritingAndTheOldFileStays) {
  Folder const folder;
  for (auto const temporary :
       {OutputFile::Temporary::unnamed_if_possible, OutputFile::Temporary::named}) {
    std::string const result = on_small_disk(folder.path(), [&] {
      OutputFile out(folder / "C.bin", temporary);
      std::vector<float> const values(2 * disk_bytes / sizeof(float), 1.0F);
      out.write_elements(std::span<float const>(values));
      out.commit();
    });
    if (result.starts_with("SKIP")) GTEST_SKIP() << result;
    EXPECT_THAT(result,
                testing::StartsWith(folder / "C.bin" + ": the disk is full: expected room for "));
    EXPECT_THAT(result, testing::EndsWith(" more, found 0 bytes | C.bin=3 | old"));
  }
}

TEST(FullDisk, IsFoundBeforehandByReserving) {
  Folder const folder;
  std::string const result = on_small_disk(folder.path(), [&] {
    OutputFile out(folder / "C.bin");
    out.reserve(2 * disk_bytes);
  });
  if (result.starts_with("SKIP")) GTEST_SKIP() << result;
  EXPECT_THAT(result, testing::HasSubstr("the disk is full: expected room for 512.0 KiB more"));
  EXPECT_THAT(result, testing::EndsWith("| C.bin=3 | old"));
}

TEST(FullDisk, GenerateLeavesNoHalfFile) {
  Folder const folder;
  std::string const result = on_small_disk(folder.path(), [&] {
    generate({.rows = 1000,
              .cols = 1000,
              .output = folder / "A.npy",
              .vector_output = folder / "v.npy"});
  });
  if (result.starts_with("SKIP")) GTEST_SKIP() << result;
  EXPECT_THAT(result, testing::StartsWith(folder / "A.npy" + ": the disk is full"));
  EXPECT_THAT(result, testing::EndsWith("| C.bin=3 | old"));
}

TEST(FullDisk, AFileSizeLimitIsReported) {
  Folder const folder;
  std::string const result = in_child([&] {
    rlimit const limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::signal(SIGXFSZ, SIG_IGN);
    OutputFile out(folder / "C.bin");
    std::vector<float> const values(1000);
    out.write_elements(std::span<float const>(values));
    return std::string("no error");
  });
  EXPECT_THAT(result, testing::HasSubstr("C.bin: cannot be written: expected room for"));
  EXPECT_THAT(result, testing::HasSubstr("File too large"));
  EXPECT_THAT(folder.names(), testing::IsEmpty());
}

}  // namespace
}  // namespace tessera::io::test
