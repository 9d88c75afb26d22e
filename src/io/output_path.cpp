// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string_view>
#include <system_error>

#include <io/dataset_name.hpp>
#include <io/errors.hpp>
#include <io/output_path.hpp>

namespace tessera::io {

std::string follow_links(std::string const& path) {
  constexpr int most_links = 40;
  std::filesystem::path target(path);
  for (int links = 0; links < most_links; ++links) {
    std::error_code error;
    auto const next = std::filesystem::read_symlink(target, error);
    if (error) return target.string();
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  throw FileError(ErrorKind::bad_output, path,
                  "cannot be written: expected at most 40 symbolic links, found more");
}

std::string folder_of(std::string const& path) {
  auto const folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

bool in_same_file(std::string const& a, std::string const& b) {
  auto const file_a = split_dataset(a);
  auto const file_b = split_dataset(b);
  if (file_a.dataset.empty() || file_b.dataset.empty()) return false;
  std::string const target_a = follow_links(file_a.file);
  std::string const target_b = follow_links(file_b.file);
  std::error_code error;
  bool const same_folder =
      std::filesystem::equivalent(folder_of(target_a), folder_of(target_b), error);
  return !error && same_folder &&
         std::filesystem::path(target_a).filename() == std::filesystem::path(target_b).filename();
}

std::string temporary_name(std::string const& target) {
  constexpr std::size_t longest_kept = 200;  // of 255
  std::string const name = std::filesystem::path(target).filename().string();
  std::random_device random;
  std::array<char, 16> random_part{};
  static_cast<void>(std::snprintf(random_part.data(), random_part.size(), "%08x", random()));
  return folder_of(target) + "/." + name.substr(0, longest_kept) + ".tessera-" + random_part.data();
}

std::optional<int> descriptor_named_by(std::string const& path) {
  if (path == "/dev/stdin") return 0;
  if (path == "/dev/stdout") return 1;
  if (path == "/dev/stderr") return 2;
  for (std::string_view const prefix : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(prefix)) continue;
    int number = 0;
    char const* const end = path.data() + path.size();
    auto const [last, error] = std::from_chars(path.data() + prefix.size(), end, number);
    if (error == std::errc{} && last == end && number >= 0) return number;
  }
  return std::nullopt;
}

}  // namespace tessera::io
