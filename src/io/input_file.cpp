// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <io/errors.hpp>
#include <io/input_file.hpp>
#include <io/output_path.hpp>

namespace tessera::io {
namespace {

std::string kind_of_file(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

std::string advice_on_zarr(std::string const& path) {
  std::error_code error;
  for (char const* const mark : {"zarr.json", ".zarray", ".zgroup"}) {
    if (std::filesystem::exists(std::filesystem::path(path) / mark, error)) {
      return " of Zarr, which only the Python package reads; use tessera.from_zarr there";
    }
  }
  return {};
}

std::int64_t nanoseconds(timespec const& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

FileIdentity identity_of(struct stat const& status) {
  return {.bytes = static_cast<std::uint64_t>(status.st_size),
          .inode = status.st_ino,
          .modified = nanoseconds(status.st_mtim),
          .changed = nanoseconds(status.st_ctim)};
}

std::uint64_t position_of(int descriptor) {
  off_t const position = ::lseek(descriptor, 0, SEEK_CUR);
  return position < 0 ? 0 : static_cast<std::uint64_t>(position);
}

}  // namespace

InputFile::InputFile(std::string const& path, Reading reading) : InputFile(path, path, reading) {}

InputFile::InputFile(std::string const& path, std::string name, Reading reading)
    : path_(std::move(name)) {
  // To open an open file's name again may be forbidden or may block. O_NONBLOCK: a pipe without a
  // writer must not block before it is refused.
  auto const number = descriptor_named_by(path);
  descriptor_ = number ? ::fcntl(*number, F_DUPFD_CLOEXEC, 0)
                       : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) {
    if (errno == ENOENT) fail("does not exist: expected a file, found nothing");
    fail("cannot be opened: expected a readable file, found: " + system_message(errno));
  }
  struct stat status{};
  int const error_number = ::fstat(descriptor_, &status) == 0 ? 0 : errno;
  bool const pipe = S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode);
  if (error_number == 0 && pipe && reading == Reading::in_order) {
    pipe_ = std::make_unique<Pipe>(std::exchange(descriptor_, -1), path_);
    bytes_ = no_end;
    return;
  }
  if (error_number != 0 || !S_ISREG(status.st_mode)) {
    ::close(std::exchange(descriptor_, -1));
    if (error_number != 0) fail("cannot be examined: found: " + system_message(error_number));
    fail("is not a regular file: expected " +
         std::string(reading == Reading::in_order ? "a file or a pipe"
                                                  : "a file that can be read at any position") +
         ", found " + kind_of_file(status.st_mode) +
         (S_ISDIR(status.st_mode) ? advice_on_zarr(path) : std::string()));
  }
  file_bytes_ = static_cast<std::uint64_t>(status.st_size);
  if (number) first_ = std::min(file_bytes_, position_of(descriptor_));
  bytes_ = file_bytes_ - first_;
  identity_ = identity_of(status);
}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

InputFile::InputFile(InputFile&& other) noexcept {
  *this = std::move(other);
}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(bytes_, other.bytes_);
  std::swap(first_, other.first_);
  std::swap(file_bytes_, other.file_bytes_);
  std::swap(identity_, other.identity_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(pipe_, other.pipe_);
  std::swap(deflated_, other.deflated_);
  return *this;
}

std::vector<std::byte> InputFile::peek(std::uint64_t offset, std::size_t count) const {
  if (pipe_) return pipe_->peek(offset, count);
  std::vector<std::byte> bytes(count);
  bytes.resize(read_some(offset, bytes));
  return bytes;
}

void InputFile::narrow(std::uint64_t offset, std::uint64_t bytes) {
  first_ += offset;
  bytes_ = bytes;
}

void InputFile::unpack(DeflatedPart::Place const& place) {
  deflated_ = std::make_unique<DeflatedPart>(place, path_);
  bytes_ = place.bytes;
}

std::size_t InputFile::read_system(std::uint64_t offset, std::span<std::byte> to) const {
  for (;;) {
    ssize_t const got = ::pread(descriptor_, to.data(), to.size(), static_cast<off_t>(offset));
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EINTR) continue;
    fail("cannot be read: expected " + std::to_string(to.size()) + " bytes at position " +
         std::to_string(offset) + ", found: " + system_message(errno));
  }
}

void InputFile::read_whole(std::uint64_t offset, std::span<std::byte> to) const {
  while (!to.empty()) {
    std::size_t const got = read_system(offset, to);
    if (got == 0) {
      fail("has become shorter while it was read: expected " + std::to_string(file_bytes_) +
           " bytes, found " + std::to_string(offset));
    }
    offset += got;
    to = to.subspan(got);
  }
}

void InputFile::read_at(std::uint64_t offset, std::span<std::byte> to) const {
  if (pipe_) return pipe_->read(offset, to);
  if (deflated_) {
    return deflated_->read(offset, to, [&](std::uint64_t place, std::span<std::byte> packed) {
      read_whole(first_ + place, packed);
    });
  }
  read_whole(first_ + offset, to);
}

std::size_t InputFile::read_some(std::uint64_t offset, std::span<std::byte> to) const {
  if (pipe_) return pipe_->read_next(to);
  std::uint64_t const left = offset < bytes_ ? bytes_ - offset : 0;
  auto const some = to.first(static_cast<std::size_t>(std::min<std::uint64_t>(to.size(), left)));
  if (!some.empty()) read_at(offset, some);
  return some.size();
}

void InputFile::check_unchanged(std::uint64_t bytes) const {
  if (pipe_) return pipe_->check_end(bytes);
  if (deflated_) {
    deflated_->check_end([&](std::uint64_t place, std::span<std::byte> packed) {
      read_whole(first_ + place, packed);
    });
  }
  struct stat status{};
  if (::fstat(descriptor_, &status) != 0) {
    fail("cannot be examined: found: " + system_message(errno));
  }
  if (identity_of(status) != identity_) {
    fail("was changed while it was read: expected " + std::to_string(file_bytes_) +
         " bytes written before, found " + std::to_string(status.st_size) +
         " bytes, some newer, or with another name, owner, permission or link");
  }
}

FileIdentity InputFile::identity() const {
  FileIdentity found = identity_;
  found.first = first_;
  return found;
}

std::vector<std::byte> InputFile::sample() const {
  constexpr std::uint64_t places = 64;
  constexpr std::uint64_t size = 4096;
  if (file_bytes_ <= places * size) {
    std::vector<std::byte> all(file_bytes_);
    read_whole(0, all);
    return all;
  }
  std::vector<std::byte> some(places * size);
  std::uint64_t const last = file_bytes_ - size;
  for (std::uint64_t k = 0; k < places; ++k) {
    std::uint64_t const place = k + 1 == places ? last : last / (places - 1) * k;
    read_whole(place, std::span(some).subspan(k * size, size));
  }
  return some;
}

void InputFile::fail(std::string const& sentence) const {
  throw FileError(ErrorKind::bad_input, path_, sentence);
}

}  // namespace tessera::io
