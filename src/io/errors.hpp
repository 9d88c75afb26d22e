// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdexcept>
#include <string>
#include <system_error>

namespace tessera::io {

enum class ErrorKind {
  bad_input,
  bad_output,
  out_of_memory,
};

/// bad_input or bad_output. what() is `FILE: what is wrong: expected …, found …`.
class FileError : public std::runtime_error {
 public:
  /// @param path as the user wrote it
  /// @param sentence without file name and full stop
  FileError(ErrorKind kind, std::string path, std::string const& sentence)
      : std::runtime_error(path + ": " + sentence), kind_(kind), path_(std::move(path)) {}

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }
  [[nodiscard]] std::string const& path() const noexcept { return path_; }

 private:
  ErrorKind kind_;
  std::string path_;
};

inline std::string system_message(int error_number) {
  return std::generic_category().message(error_number);
}

}  // namespace tessera::io
