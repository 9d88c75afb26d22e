// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cerrno>
#include <poll.h>
#include <unistd.h>

#include <io/errors.hpp>
#include <io/pipe.hpp>

namespace tessera::io {

Pipe::~Pipe() {
  ::close(descriptor_);
}

void Pipe::read(std::uint64_t offset, std::span<std::byte> to) {
  std::lock_guard const lock(mutex_);
  go_to(offset);
  read_all(to);
}

void Pipe::go_to(std::uint64_t offset) {
  if (offset < position_) {
    fail("cannot be read again from byte " + std::to_string(offset) +
         ": expected a regular file, found a pipe");
  }
  drop_until(offset);
}

std::vector<std::byte> Pipe::peek(std::uint64_t offset, std::size_t count) {
  std::lock_guard const lock(mutex_);
  go_to(offset);
  while (ahead_.size() < count) {
    std::size_t const before = ahead_.size();
    ahead_.resize(count);
    std::size_t const got = read_system(std::span(ahead_).subspan(before));
    ahead_.resize(before + got);
    if (got == 0) break;
  }
  return {ahead_.begin(),
          ahead_.begin() + static_cast<std::ptrdiff_t>(std::min(count, ahead_.size()))};
}

std::size_t Pipe::read_next(std::span<std::byte> to) {
  std::lock_guard const lock(mutex_);
  std::size_t const got = read_some(to);
  position_ += got;
  return got;
}

void Pipe::check_end(std::uint64_t bytes) {
  std::lock_guard const lock(mutex_);
  drop_until(bytes);
  std::array<std::byte, 1> more{};
  if (position_ > bytes || read_some(more) != 0) {
    fail("has trailing bytes: expected the pipe to end after " + std::to_string(bytes) +
         " bytes, found more");
  }
}

std::size_t Pipe::read_some(std::span<std::byte> to) {
  if (ahead_.empty()) return read_system(to);
  auto const count = static_cast<std::ptrdiff_t>(std::min(to.size(), ahead_.size()));
  std::copy_n(ahead_.begin(), count, to.begin());
  ahead_.erase(ahead_.begin(), ahead_.begin() + count);
  return static_cast<std::size_t>(count);
}

std::size_t Pipe::read_system(std::span<std::byte> to) {
  for (;;) {
    // For read(), a named pipe without a writer yet looks like one at its end.
    pollfd ready{.fd = descriptor_, .events = POLLIN, .revents = 0};
    ssize_t const got = ::poll(&ready, 1, -1) < 0 ? -1 : ::read(descriptor_, to.data(), to.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EINTR || errno == EAGAIN) continue;
    fail("cannot be read: expected bytes after the first " + std::to_string(position_) +
         ", found: " + system_message(errno));
  }
}

void Pipe::read_all(std::span<std::byte> to) {
  std::uint64_t const end = position_ + to.size();
  while (!to.empty()) {
    std::size_t const got = read_some(to);
    if (got == 0) {
      fail("is truncated: expected at least " + std::to_string(end) +
           " bytes, found the end of the pipe after " + std::to_string(position_));
    }
    position_ += got;
    to = to.subspan(got);
  }
}

void Pipe::drop_until(std::uint64_t offset) {
  std::array<std::byte, 4096> dropped{};
  while (position_ < offset) {
    auto const count = std::min<std::uint64_t>(dropped.size(), offset - position_);
    read_all(std::span(dropped).first(static_cast<std::size_t>(count)));
  }
}

void Pipe::fail(std::string const& sentence) const {
  throw FileError(ErrorKind::bad_input, name_, sentence);
}

}  // namespace tessera::io
