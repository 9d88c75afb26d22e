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

enum class Reading {
  anywhere,  ///< repeatedly: a regular file
  in_order,  ///< once: may be a pipe
};

/// A file and its version. No program can set `changed`.
struct FileIdentity {
  std::uint64_t bytes = 0;
  std::uint64_t inode = 0;
  std::int64_t modified = 0;  ///< content; nanoseconds since 1970
  std::int64_t changed = 0;   ///< content, name, owner, permissions or links
  std::uint64_t first = 0;    ///< offset of the first byte read

  friend bool operator==(FileIdentity const&, FileIdentity const&) = default;
};

/// /dev/stdin and the like start at their current position.
class InputFile {
 public:
  /// bytes() of a pipe: a multiple of any element's size.
  static constexpr std::uint64_t no_end = std::uint64_t{1} << 62U;

  explicit InputFile(std::string const& path, Reading reading = Reading::anywhere);
  InputFile(std::string const& path, std::string name, Reading reading = Reading::anywhere);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  InputFile(InputFile const&) = delete;
  InputFile& operator=(InputFile const&) = delete;

  [[nodiscard]] std::string const& path() const noexcept { return path_; }
  /// From the start position, at opening or by narrow(); no_end for a pipe.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] bool is_pipe() const noexcept { return pipe_ != nullptr; }
  [[nodiscard]] bool in_order_only() const noexcept { return pipe_ || deflated_; }

  /// Waits for a pipe; does not consume its bytes. Fewer than `count` at the end.
  [[nodiscard]] std::vector<std::byte> peek(std::uint64_t offset, std::size_t count) const;

  /// From now on, reads only these bytes of a regular file.
  void narrow(std::uint64_t offset, std::uint64_t bytes);
  /// From now on, reads the unpacked content.
  void unpack(DeflatedPart::Place const& place);

  /// For a pipe, `offset` is the current position. Returns 0 at the end.
  std::size_t read_some(std::uint64_t offset, std::span<std::byte> to) const;

  /// Thread-safe. A pipe must be read in order by one thread at a time.
  void read_at(std::uint64_t offset, std::span<std::byte> to) const;

  /// When it was opened; empty for a pipe.
  [[nodiscard]] FileIdentity identity() const;
  /// Bytes from all over the regular file.
  [[nodiscard]] std::vector<std::byte> sample() const;

  /// Throws if the file has changed, even if its time was set back. Reads a pipe to its end.
  /// @param bytes by the header
  void check_unchanged(std::uint64_t bytes) const;
  void check_unchanged() const { check_unchanged(bytes_); }

  [[noreturn]] void fail(std::string const& sentence) const;

 private:
  std::size_t read_system(std::uint64_t offset, std::span<std::byte> to) const;
  void read_whole(std::uint64_t offset, std::span<std::byte> to) const;

  std::string path_;
  std::uint64_t bytes_ = 0;
  std::uint64_t first_ = 0;
  std::uint64_t file_bytes_ = 0;
  FileIdentity identity_;
  int descriptor_ = -1;
  std::unique_ptr<Pipe> pipe_;
  std::unique_ptr<DeflatedPart> deflated_;
};

}  // namespace tessera::io
