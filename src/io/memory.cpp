// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <io/memory.hpp>

namespace tessera::io {
namespace {

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

std::uint64_t left_below(std::uint64_t limit, std::uint64_t used) {
  return limit > used ? limit - used : 0;
}

/// cgroup v2 writes "max" for no limit.
std::optional<std::uint64_t> number_in(std::string const& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

std::uint64_t number_after(std::string const& path, std::string_view name) {
  std::ifstream file(path);
  std::string word;
  std::uint64_t number = 0;
  while (file >> word) {
    if (word == name && file >> number) return number;
    file.clear();
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

struct CgroupFiles {
  char const* limit;
  char const* usage;
  char const* inactive;
  char const* active;
};
constexpr CgroupFiles version_1{"memory.limit_in_bytes", "memory.usage_in_bytes",
                                "total_inactive_file", "total_active_file"};
constexpr CgroupFiles version_2{"memory.max", "memory.current", "inactive_file", "active_file"};

/// The system drops cached file pages.
std::uint64_t left_in_cgroup(std::string const& folder, CgroupFiles const& files) {
  auto const limit = number_in(folder + "/" + files.limit);
  auto const usage = number_in(folder + "/" + files.usage);
  if (!limit || !usage) return no_limit;
  std::string const statistics = folder + "/memory.stat";
  std::uint64_t const cached =
      number_after(statistics, files.inactive) + number_after(statistics, files.active);
  return left_below(*limit, left_below(*usage, cached));
}

std::uint64_t left_in_cgroups(std::string const& mount, std::string group,
                              CgroupFiles const& files) {
  std::uint64_t left = left_in_cgroup(mount, files);
  while (group.size() > 1) {
    left = std::min(left, left_in_cgroup(mount + group, files));
    group.resize(group.find_last_of('/'));
  }
  return left;
}

std::uint64_t left_in_all_cgroups(std::string const& root) {
  std::uint64_t left = no_limit;
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {  // "4:cpu,memory:/a/b", v2: "0::/a/b"
    auto const first = line.find(':');
    auto const second = line.find(":/", first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    std::string const controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    std::string const group = line.substr(second + 1);
    if (controllers == ",,") {
      left = std::min(left, left_in_cgroups(root + "/sys/fs/cgroup", group, version_2));
    } else if (controllers.find(",memory,") != std::string::npos) {
      left = std::min(left, left_in_cgroups(root + "/sys/fs/cgroup/memory", group, version_1));
    }
  }
  return left;
}

std::uint64_t left_in_address_space(std::string const& root) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return no_limit;
  auto const pages = number_in(root + "/proc/self/statm").value_or(0);
  return left_below(limit.rlim_cur, pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
}

std::uint64_t left_in_machine(std::string const& root) {
  std::uint64_t const kibibytes = number_after(root + "/proc/meminfo", "MemAvailable:");
  return kibibytes > 0 ? kibibytes * 1024 : no_limit;
}

}  // namespace

std::uint64_t available_memory(std::string const& root) {
  return std::min({left_in_machine(root), left_in_all_cgroups(root), left_in_address_space(root)});
}

void require_memory(std::uint64_t bytes, std::string const& path, std::string const& what) {
  std::uint64_t const available = available_memory();
  if (bytes <= available) return;
  throw FileError(ErrorKind::out_of_memory, path,
                  "not enough memory for " + what + ": expected " + format_bytes(bytes) +
                      " available, found " + format_bytes(available));
}

void prefer_huge_pages(void* data, std::uint64_t bytes) noexcept {
  constexpr std::uintptr_t huge_page = 2U << 20U;
  auto const page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  auto const begin = reinterpret_cast<std::uintptr_t>(data);
  auto const first = (begin + page - 1) / page * page;
  auto const end = (begin + bytes) / page * page;
  if (bytes < 2 * huge_page || end <= first) return;
  // Failures change only the speed.
  static_cast<void>(
      ::madvise(static_cast<char*>(data) + (first - begin), end - first, MADV_HUGEPAGE));
}

std::string format_bytes(std::uint64_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  constexpr std::array<char const*, 6> units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  std::array<char, 32> text{};
  static_cast<void>(std::snprintf(text.data(), text.size(), "%.1f %s", value, units[unit]));
  return text.data();
}

}  // namespace tessera::io
