// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <sys/stat.h>

#include <io/pipe.hpp>

namespace tessera::io {

/// How a file is going to be read.
enum class Reading {
  anywhere,  ///< at any position, again and again: it must be a regular file
  in_order,  ///< once, from its start to its end: it may be a pipe
};

/// A file that is open for reading.
class InputFile {
 public:
  /// What bytes() says of a pipe, whose end is not known: a multiple of the size of any element.
  static constexpr std::uint64_t no_end = std::uint64_t{1} << 62U;

  /// @param reading in_order: a pipe or a socket is taken, too
  /// @throws FileError bad_input when the file is missing, may not be read or is of another kind
  explicit InputFile(std::string const& path, Reading reading = Reading::anywhere);
  /// Opens `path`, which messages call `name`.
  InputFile(std::string const& path, std::string name, Reading reading = Reading::anywhere);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  InputFile(InputFile const&) = delete;
  InputFile& operator=(InputFile const&) = delete;

  /// The name for messages.
  [[nodiscard]] std::string const& path() const noexcept { return path_; }
  /// Size when the file was opened; no_end of a pipe.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  /// Whether this is a pipe, which is read once.
  [[nodiscard]] bool in_order_only() const noexcept { return pipe_ != nullptr; }

  /// Fills `to` from `offset` on. May be called from several threads at once; of a pipe, in order,
  /// by one after the other.
  /// @throws FileError bad_input on a read error, where the file ends too early, or where a pipe
  /// was read further already
  void read_at(std::uint64_t offset, std::span<std::byte> to) const;

  /// Reads a pipe to its end.
  /// @param bytes that the file has to have, by its header
  /// @throws FileError bad_input when the file was changed since it was opened, or a pipe has
  /// another number of bytes
  void check_unchanged(std::uint64_t bytes) const;
  /// The same of a regular file. @throws FileError bad_input
  void check_unchanged() const { check_unchanged(bytes_); }

  /// Throws FileError bad_input with this file's path.
  [[noreturn]] void fail(std::string const& sentence) const;

 private:
  std::string path_;
  std::uint64_t bytes_ = 0;
  timespec modified_{};
  int descriptor_ = -1;         // of a regular file
  std::unique_ptr<Pipe> pipe_;  // or this
};

}  // namespace tessera::io
