// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <utility>

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

  /// Reads on to the end. @throws FileError bad_input where there are not `bytes` bytes in all
  void check_end(std::uint64_t bytes);

 private:
  std::size_t read_some(std::span<std::byte> to);
  void read_all(std::span<std::byte> to);
  void drop_until(std::uint64_t offset);
  [[noreturn]] void fail(std::string const& sentence) const;

  std::string name_;
  int descriptor_;
  std::mutex mutex_;
  std::uint64_t position_ = 0;
};

}  // namespace tessera::io
