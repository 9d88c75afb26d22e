// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <io/deflated_part.hpp>
#include <io/pipe.hpp>

namespace tessera::io {

/// How a file will be read.
enum class Reading {
  anywhere,  ///< at any position, repeatedly: it must be a regular file
  in_order,  ///< once, from its start to its end: it may be a pipe
};

/// Identifies a file and its version. No program can set the time of its last change.
struct FileIdentity {
  std::uint64_t bytes = 0;
  std::uint64_t inode = 0;
  std::int64_t modified = 0;  ///< its content; nanoseconds since 1970
  std::int64_t changed = 0;   ///< its content, name, owner, permissions or links
  std::uint64_t first = 0;    ///< offset of the first byte that is read

  friend bool operator==(FileIdentity const&, FileIdentity const&) = default;
};

/// A file that is open for reading. A descriptor that was open before, such as /dev/stdin, starts
/// at its current position.
class InputFile {
 public:
  /// bytes() of a pipe, whose end is unknown: a multiple of the size of any element.
  static constexpr std::uint64_t no_end = std::uint64_t{1} << 62U;

  /// @param reading in_order: also accepts a pipe or a socket
  /// @throws FileError bad_input if the file is missing, unreadable or of another kind
  explicit InputFile(std::string const& path, Reading reading = Reading::anywhere);
  /// Opens `path`; messages use `name`.
  InputFile(std::string const& path, std::string name, Reading reading = Reading::anywhere);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  InputFile(InputFile const&) = delete;
  InputFile& operator=(InputFile const&) = delete;

  /// The name for messages.
  [[nodiscard]] std::string const& path() const noexcept { return path_; }
  /// Bytes from the start position to the end when the file was opened, or of the part that
  /// narrow() selected; no_end for a pipe.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  /// Whether this is a pipe, which is read once.
  [[nodiscard]] bool is_pipe() const noexcept { return pipe_ != nullptr; }
  /// Whether this is a pipe or is unpacked: it must be read sequentially.
  [[nodiscard]] bool in_order_only() const noexcept { return pipe_ || deflated_; }

  /// Returns up to `count` bytes from `offset`; fewer if the file ends before. Waits for a pipe,
  /// and does not consume its bytes. @throws FileError bad_input, as read_at()
  [[nodiscard]] std::vector<std::byte> peek(std::uint64_t offset, std::size_t count) const;

  /// Restricts this object to the `bytes` bytes of the regular file from byte `offset`.
  /// @pre these are within the file
  void narrow(std::uint64_t offset, std::uint64_t bytes);
  /// From now on, reads the content of a part of the regular file that is packed by deflate.
  /// @pre the part is within the file
  /// @throws FileError bad_input if tessera was built without zlib
  void unpack(DeflatedPart::Place const& place);

  /// Fills `to` from `offset`, up to the end of the file; in a pipe, `offset` is the current
  /// position.
  /// @return the bytes read, possibly fewer than available; 0 at the end of the file
  /// @throws FileError bad_input on a read error
  std::size_t read_some(std::uint64_t offset, std::span<std::byte> to) const;

  /// Fills `to` from `offset`. Thread-safe. A pipe must be read in order by one thread at a time.
  /// @throws FileError bad_input on a read error, if the file ends too early, or if a pipe was
  /// already read further
  void read_at(std::uint64_t offset, std::span<std::byte> to) const;

  /// The identity of the file when it was opened; empty for a pipe.
  [[nodiscard]] FileIdentity identity() const;
  /// Bytes from places all over the regular file, including its start and end; all bytes of a small
  /// file. @throws FileError bad_input on a read error
  [[nodiscard]] std::vector<std::byte> sample() const;

  /// Checks that the file has not changed, even if its time was set back. Reads a pipe to its end.
  /// @param bytes the size of the file by its header
  /// @throws FileError bad_input if the file was changed since it was opened, or if a pipe has a
  /// different number of bytes
  void check_unchanged(std::uint64_t bytes) const;
  /// As above, for a regular file. @throws FileError bad_input
  void check_unchanged() const { check_unchanged(bytes_); }

  /// Throws FileError bad_input with this file's path.
  [[noreturn]] void fail(std::string const& sentence) const;

 private:
  std::size_t read_system(std::uint64_t offset, std::span<std::byte> to) const;
  void read_whole(std::uint64_t offset, std::span<std::byte> to) const;

  std::string path_;
  std::uint64_t bytes_ = 0;
  std::uint64_t first_ = 0;       // offset of this object in the regular file
  std::uint64_t file_bytes_ = 0;  // of the regular file
  FileIdentity identity_;
  int descriptor_ = -1;         // of a regular file
  std::unique_ptr<Pipe> pipe_;  // or this
  std::unique_ptr<DeflatedPart> deflated_;
};

}  // namespace tessera::io
