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

/// The end of a pipe or a socket where bytes come out: once, in order.
class Pipe {
 public:
  /// Takes over an open descriptor, which may be non-blocking. `name` is for messages.
  Pipe(int descriptor, std::string name) : name_(std::move(name)), descriptor_(descriptor) {}
  ~Pipe();
  Pipe(Pipe const&) = delete;
  Pipe& operator=(Pipe const&) = delete;

  /// Fills `to` from `offset` on, which must not lie before what was read; what lies between is
  /// dropped. Waits for who writes, also for the first one of a named pipe.
  /// @throws FileError bad_input on a read error, an end before that of `to`, or a way back
  void read(std::uint64_t offset, std::span<std::byte> to);

  /// Up to `count` bytes from `offset` on, which are still to be read; fewer where the pipe ends
  /// before. Waits for them; what lies before `offset` is dropped.
  /// @throws FileError bad_input on a read error, or a way back
  [[nodiscard]] std::vector<std::byte> peek(std::uint64_t offset, std::size_t count);

  /// Takes what comes next, at most to.size() bytes. @return how many; 0 at the end
  /// @throws FileError bad_input on a read error
  std::size_t read_next(std::span<std::byte> to);

  /// Reads on to the end. @throws FileError bad_input where there are not `bytes` bytes in all
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
  std::vector<std::byte> ahead_;  // that was read from the system and not taken
};

}  // namespace tessera::io
