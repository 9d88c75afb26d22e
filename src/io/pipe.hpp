// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tessera::io {

/// The read end of a pipe or a socket: read once, in order.
class Pipe {
 public:
  /// Takes ownership of an open descriptor, which may be non-blocking. `name` is for messages.
  Pipe(int descriptor, std::string name) : name_(std::move(name)), descriptor_(descriptor) {}
  ~Pipe();
  Pipe(Pipe const&) = delete;
  Pipe& operator=(Pipe const&) = delete;

  /// Fills `to` from `offset`, which must not be before the current position. Skips the bytes in
  /// between. Waits for the writer, also for the first one of a named pipe.
  /// @throws FileError bad_input on a read error, if the pipe ends before `to` is full, or if
  /// `offset` is before the current position
  void read(std::uint64_t offset, std::span<std::byte> to);

  /// Returns up to `count` bytes from `offset` without consuming them; fewer if the pipe ends
  /// before. Waits for them. Discards bytes before `offset`.
  /// @throws FileError bad_input on a read error, or if `offset` is before the current position
  [[nodiscard]] std::vector<std::byte> peek(std::uint64_t offset, std::size_t count);

  /// Reads the next bytes, at most to.size(). @return how many; 0 at the end
  /// @throws FileError bad_input on a read error
  std::size_t read_next(std::span<std::byte> to);

  /// Reads to the end. @throws FileError bad_input if the total is not `bytes` bytes
  void check_end(std::uint64_t bytes);

 private:
  std::size_t read_some(std::span<std::byte> to);
  std::size_t read_system(std::span<std::byte> to);
  void read_all(std::span<std::byte> to);
  void go_to(std::uint64_t offset);
  void drop_until(std::uint64_t offset);
  [[noreturn]] void fail(std::string const& sentence) const;

  std::string name_;
  int descriptor_;
  std::mutex mutex_;
  std::uint64_t position_ = 0;
  std::vector<std::byte> ahead_;  // read from the system and not yet consumed
};

}  // namespace tessera::io
