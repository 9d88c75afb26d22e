// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::io::test {

/// Bytes of a file, as text: convenient to join and to compare.
using Bytes = std::string;

/// A new folder that every user may enter; removed at the end with its content.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(Folder const&) = delete;
  Folder& operator=(Folder const&) = delete;

  [[nodiscard]] std::string path() const { return path_; }
  /// Path of a file in the folder.
  [[nodiscard]] std::string operator/(std::string_view name) const {
    return path_ + "/" + std::string(name);
  }
  /// Makes a file and returns its path.
  std::string write(std::string_view name, Bytes const& content) const;
  /// Names of all files in the folder, sorted.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::string path_;
};

/// The whole content of a file; fails the test if it does not exist.
[[nodiscard]] Bytes content_of(std::string const& path);

/// Path of one of the committed files in tests/data/io.
[[nodiscard]] std::string sample(std::string_view name);

}  // namespace tessera::io::test
