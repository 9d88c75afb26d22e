// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/resource.h>

#include <gmock/gmock.h>

#include <io/matrix_file.hpp>
#include <io/memory.hpp>

#include "io/support/bytes.hpp"
#include "io/support/child.hpp"
#include "io/support/errors.hpp"
#include "io/support/folder.hpp"

namespace tessera::io::test {
namespace {

constexpr std::uint64_t mebi = 1U << 20U;
constexpr std::uint64_t gibi = 1U << 30U;

std::uint64_t peak_address_space() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::uint64_t kibibytes = 0;
    if (word == "VmPeak:" && status >> kibibytes) return kibibytes * 1024;
  }
  return 0;
}

std::string sparse_file(Folder const& folder, std::uint64_t rows) {
  Bytes const header = npy_bytes(npy_header("<f4", "(" + std::to_string(rows) + ", 1)"), "");
  std::string path = folder.write("A.npy", header);
  std::error_code error;
  std::filesystem::resize_file(path, header.size() + 4 * rows, error);
  return error ? "" : path;
}

TEST(Memory, AMatrixLargerThanMemoryIsRefusedBeforeAnyAllocation) {
  Folder const folder;
  std::uint64_t const bytes = (2 * available_memory() / gibi + 1) * gibi;
  std::string const path = sparse_file(folder, bytes / 4);
  if (path.empty()) GTEST_SKIP() << "the file system makes no file of " << format_bytes(bytes);
  std::uint64_t const before = peak_address_space();
  expect_error(ErrorKind::out_of_memory, path,
               {"not enough memory for the matrix", "expected " + format_bytes(bytes)},
               [&] { static_cast<void>(read_matrix(path)); });
  ASSERT_GT(before, 0U);
  EXPECT_LT(peak_address_space() - before, 64 * mebi);
}

TEST(Memory, ConversionCountsTheSizeInMemory) {
  Folder const folder;
  std::string const path = sparse_file(folder, 32 * mebi / 4);
  ASSERT_FALSE(path.empty());
  auto const read_with_limit = [&](ScalarType type) {
    return in_child([&]() -> std::string {
      std::uint64_t const used = peak_address_space();
      if (used > 1024 * gibi) return "SKIP a sanitizer takes all of the address space";
      rlimit const limit{used + 48 * mebi, used + 48 * mebi};
      if (::setrlimit(RLIMIT_AS, &limit) != 0) return "SKIP setrlimit failed";
      static_cast<void>(kept(read_matrix(path, type)));
      return "read";
    });
  };
  std::string const single = read_with_limit(ScalarType::f32);
  if (single.starts_with("SKIP")) GTEST_SKIP() << single;
  EXPECT_EQ(single, "read");
  EXPECT_THAT(read_with_limit(ScalarType::f64),
              testing::HasSubstr(path + ": not enough memory for the matrix: expected 64.0 MiB "
                                        "available, found "));
}

TEST(Memory, RequireMemorySaysHowMuchIsNeededAndThere) {
  EXPECT_NO_THROW(require_memory(1, "A.npy", "the matrix"));
  expect_error(ErrorKind::out_of_memory, "A.npy",
               {"not enough memory for the result", "16.0 EiB", "GiB"},
               [] { require_memory(~std::uint64_t{0}, "A.npy", "the result"); });
}

/// The file system root that available_memory() reads.
class FakeSystem : public testing::Test {
 protected:
  void put(std::string const& path, std::string const& content) const {
    std::filesystem::create_directories(std::filesystem::path(folder_ / path).parent_path());
    folder_.write(path, content);
  }
  Folder folder_;
};

TEST_F(FakeSystem, TheMachinesMemoryCounts) {
  put("proc/meminfo", "MemTotal:  900 kB\nMemFree:  1 kB\nMemAvailable:   500 kB\n");
  EXPECT_EQ(available_memory(folder_.path()), 500U * 1024);
}

TEST_F(FakeSystem, TheTightestControlGroupCounts) {
  put("proc/meminfo", "MemAvailable: 10000 kB\n");
  put("proc/self/cgroup", "0::/outer/inner\n");
  put("sys/fs/cgroup/outer/inner/memory.max", "max\n");
  put("sys/fs/cgroup/outer/inner/memory.current", "1\n");
  put("sys/fs/cgroup/outer/memory.max", "7000\n");
  put("sys/fs/cgroup/outer/memory.current", "5000\n");
  put("sys/fs/cgroup/outer/memory.stat", "anon 100\ninactive_file 300\nactive_file 40\n");
  EXPECT_EQ(available_memory(folder_.path()), 2340U);
}

TEST_F(FakeSystem, ControlGroupsOfVersion1Count) {
  put("proc/meminfo", "MemAvailable: 10000 kB\n");
  put("proc/self/cgroup", "5:cpu:/x\n4:hugetlb,memory:/job\n");
  put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "4000\n");
  put("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "4500\n");
  EXPECT_EQ(available_memory(folder_.path()), 0U);
}

TEST(Memory, SizesAreWrittenForPeople) {
  EXPECT_EQ(format_bytes(0), "0 bytes");
  EXPECT_EQ(format_bytes(1), "1 byte");
  EXPECT_EQ(format_bytes(1023), "1023 bytes");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(gibi), "1.0 GiB");
}

}  // namespace
}  // namespace tessera::io::test
