// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdexcept>
#include <string>
#include <system_error>

namespace tessera::io {

/// The cause of a FileError. The command line maps it to its exit status.
enum class ErrorKind {
  bad_input,      ///< an input file is missing, unreadable, damaged or of the wrong shape or type
  bad_output,     ///< an output file cannot be created or written, or the disk is full
  out_of_memory,  ///< the data need more memory than available
};

/// The exception of src/io. what() is `FILE: what is wrong: expected …, found …`.
class FileError : public std::runtime_error {
 public:
  /// @param kind     the cause
  /// @param path     the file, as the user wrote it
  /// @param sentence what is wrong, what was expected and what was found; no file name, no full
  /// stop
  FileError(ErrorKind kind, std::string path, std::string const& sentence)
      : std::runtime_error(path + ": " + sentence), kind_(kind), path_(std::move(path)) {}

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }
  [[nodiscard]] std::string const& path() const noexcept { return path_; }

 private:
  ErrorKind kind_;
  std::string path_;
};

/// The system's message for an `errno`.
inline std::string system_message(int error_number) {
  return std::generic_category().message(error_number);
}

}  // namespace tessera::io
