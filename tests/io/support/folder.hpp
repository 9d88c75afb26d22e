// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::io::test {

using Bytes = std::string;

/// For every user; removed at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(Folder const&) = delete;
  Folder& operator=(Folder const&) = delete;

  [[nodiscard]] std::string path() const { return path_; }
  [[nodiscard]] std::string operator/(std::string_view name) const {
    return path_ + "/" + std::string(name);
  }
  std::string write(std::string_view name, Bytes const& content) const;
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::string path_;
};

[[nodiscard]] Bytes content_of(std::string const& path);

[[nodiscard]] std::string sample(std::string_view name);

}  // namespace tessera::io::test
