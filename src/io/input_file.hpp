// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <sys/stat.h>

namespace tessera::io {

/// A regular file, open for reading at any position.
class InputFile {
 public:
  /// @throws FileError bad_input when the file is missing, may not be read or is not a regular file
  explicit InputFile(std::string path);
  /// Opens `path`, which messages call `name`.
  InputFile(std::string const& path, std::string name);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  InputFile(InputFile const&) = delete;
  InputFile& operator=(InputFile const&) = delete;

  /// The name for messages.
  [[nodiscard]] std::string const& path() const noexcept { return path_; }
  /// Size when the file was opened.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

  /// Fills `to` from `offset` on. May be called from several threads at once.
  /// @throws FileError bad_input on a read error or where the file ends too early
  void read_at(std::uint64_t offset, std::span<std::byte> to) const;

  /// @throws FileError bad_input when the file was changed since it was opened
  void check_unchanged() const;

  /// Throws FileError bad_input with this file's path.
  [[noreturn]] void fail(std::string const& sentence) const;

 private:
  std::string path_;
  std::uint64_t bytes_ = 0;
  timespec modified_{};
  int descriptor_ = -1;
};

}  // namespace tessera::io
