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

class Pipe {
 public:
  Pipe(int descriptor, std::string name) : name_(std::move(name)), descriptor_(descriptor) {}
  ~Pipe();
  Pipe(Pipe const&) = delete;
  Pipe& operator=(Pipe const&) = delete;

  /// Skips bytes before `offset`. Waits for the writer, also for the first one of a named pipe.
  void read(std::uint64_t offset, std::span<std::byte> to);

  [[nodiscard]] std::vector<std::byte> peek(std::uint64_t offset, std::size_t count);

  std::size_t read_next(std::span<std::byte> to);

  /// Checks the total.
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
  std::vector<std::byte> ahead_;  // not yet consumed
};

}  // namespace tessera::io
