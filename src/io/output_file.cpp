// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <utility>

#include <io/dataset_name.hpp>
#include <io/errors.hpp>
#include <io/memory.hpp>
#include <io/output_file.hpp>
#include <io/output_path.hpp>

namespace tessera::io {
namespace {

constexpr mode_t mode_of_new_files = 0666;  // less the umask
constexpr int attempts = 100;               // at a name that nobody has

std::string descriptor_path(int descriptor) {
  return "/proc/self/fd/" + std::to_string(descriptor);
}

/// Holds signals back while it lives, so that nothing stops this thread half-way.
class SignalsHeldBack {
 public:
  SignalsHeldBack() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &old_);
  }
  ~SignalsHeldBack() { ::pthread_sigmask(SIG_SETMASK, &old_, nullptr); }
  SignalsHeldBack(SignalsHeldBack const&) = delete;
  SignalsHeldBack& operator=(SignalsHeldBack const&) = delete;

 private:
  sigset_t old_{};
};

/// A file without a name in `folder`; -1 where the file system or a missing /proc rules it out.
int open_unnamed(std::string const& folder) {
  int const descriptor =
      ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode_of_new_files);
  if (descriptor >= 0 && ::access(descriptor_path(descriptor).c_str(), F_OK) != 0) {
    ::close(descriptor);
    return -1;
  }
  return descriptor;
}

}  // namespace

OutputFile::OutputFile(std::string path, Temporary temporary) : path_(std::move(path)) {
  if (path_.empty()) fail("cannot be written: expected the name of a file, found an empty one");
  if (auto const descriptor = descriptor_named_by(path_)) {
    open_copy_of(*descriptor);
    return;
  }
  auto const [file, dataset] = split_dataset(path_);
  target_ = follow_links(file);
  if (!dataset.empty()) temporary = Temporary::named;
  struct stat status{};
  if (::stat(target_.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) fail("cannot be written: expected a file, found a directory");
    if (!S_ISREG(status.st_mode)) {
      open_in_place();
      return;
    }
    if (!dataset.empty()) {
      fail("exists already: expected a new file, since it may hold other datasets, found " + file);
    }
    old_file_ = OldFile{status.st_mode & 0777U, status.st_uid, status.st_gid};
    check_replaceable();
  } else if (errno != ENOENT) {
    fail("cannot be written: expected a writable place, found: " + system_message(errno));
  } else if (target_.ends_with('/')) {
    fail("cannot be written: expected a file, found the name of a folder that does not exist");
  }
  open_beside(temporary);
}

OutputFile::~OutputFile() {
  discard();
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      old_file_(other.old_file_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      direct_(other.direct_),
      bytes_written_(other.bytes_written_) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(target_, other.target_);
  std::swap(temporary_, other.temporary_);
  std::swap(old_file_, other.old_file_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(direct_, other.direct_);
  std::swap(bytes_written_, other.bytes_written_);
  return *this;
}

void OutputFile::open_copy_of(int descriptor) {
  direct_ = true;
  descriptor_ = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (descriptor_ < 0)
    fail("cannot be written: expected an open file, found: " + system_message(errno));
}

void OutputFile::open_in_place() {
  direct_ = true;
  descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0) {
    fail("cannot be written: expected a writable device, found: " + system_message(errno));
  }
}

void OutputFile::check_replaceable() const {
  // Renaming would replace a read-only file, too; its owner did not want that.
  if (::faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) {
    fail("cannot be written: expected a writable file, found: " + system_message(errno));
  }
  struct stat folder{};
  if (::stat(folder_of(target_).c_str(), &folder) != 0) {
    fail("cannot be written: expected a writable folder, found: " + system_message(errno));
  }
  bool const owned =
      ::geteuid() == 0 || ::geteuid() == folder.st_uid || ::geteuid() == old_file_->owner;
  if ((folder.st_mode & S_ISVTX) != 0 && !owned) {
    fail("cannot be replaced: expected a file of one's own in this folder, found another user's");
  }
}

void OutputFile::open_beside(Temporary temporary) {
  if (temporary == Temporary::unnamed_if_possible) descriptor_ = open_unnamed(folder_of(target_));
  for (int attempt = 0; descriptor_ < 0 && attempt < attempts; ++attempt) {
    std::string name = temporary_name(target_);
    descriptor_ = ::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode_of_new_files);
    if (descriptor_ >= 0) {
      temporary_ = std::move(name);
    } else if (errno != EEXIST) {
      break;
    }
  }
  if (descriptor_ < 0) {
    fail("cannot be written: expected a writable folder '" + folder_of(target_) +
         "', found: " + system_message(errno));
  }
}

void OutputFile::reserve(std::uint64_t bytes) {
  if (direct_ || bytes == 0) return;
  int result = 0;
  do {
    result = ::fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes));
  } while (result != 0 && errno == EINTR);
  if (result != 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) {
    fail_writing(bytes, errno);
  }
  // Other errors mean that the file system cannot set space aside: write() will tell.
}

void OutputFile::write(std::span<std::byte const> bytes) {
  while (!bytes.empty()) {
    ssize_t const written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_writing(bytes.size(), errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    bytes_written_ += static_cast<std::uint64_t>(written);
  }
}

void OutputFile::write_at(std::uint64_t offset, std::span<std::byte const> bytes) {
  if (direct_) fail("cannot be written: expected a regular file, found one without positions");
  while (!bytes.empty()) {
    ssize_t const written =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_writing(bytes.size(), errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

void OutputFile::skip(std::uint64_t bytes) {
  if (direct_ || ::lseek(descriptor_, static_cast<off_t>(bytes), SEEK_CUR) < 0) {
    fail("cannot be written: expected a regular file, found one without positions");
  }
  bytes_written_ += bytes;
}

void OutputFile::commit() {
  if (!direct_) {
    restore_attributes();
    if (::fsync(descriptor_) != 0) fail_writing(bytes_written_, errno);
    link_into_place();
    sync_folder();
  }
  // What is delayed until close (network file systems) must not be lost in silence.
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) {
    fail("cannot be written: expected it to close, found: " + system_message(errno));
  }
}

void OutputFile::restore_attributes() const {
  if (!old_file_) return;
  // The owner first: a change of owner may clear permissions. Who may not give files away keeps it.
  static_cast<void>(::fchown(descriptor_, old_file_->owner, old_file_->group) == 0);
  if (::fchmod(descriptor_, old_file_->mode) != 0) {
    fail("cannot be written: expected to keep its permissions, found: " + system_message(errno));
  }
}

void OutputFile::link_into_place() {
  SignalsHeldBack const held_back;
  std::string const source = descriptor_path(descriptor_);
  auto const link_as = [&](std::string const& name) {
    return ::linkat(AT_FDCWD, source.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  };
  if (temporary_.empty() && link_as(target_)) return;
  for (int attempt = 0; temporary_.empty() && attempt < attempts; ++attempt) {
    if (errno != EEXIST) {
      fail("cannot be put in its place: expected to link it, found: " + system_message(errno));
    }
    std::string name = temporary_name(target_);
    if (link_as(name)) temporary_ = std::move(name);
  }
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    fail("cannot be put in its place: expected to replace it, found: " + system_message(errno));
  }
  temporary_.clear();
}

void OutputFile::sync_folder() const {
  // The file is whole either way; this makes its name survive a loss of power, where supported.
  int const folder = ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  static_cast<void>(::fsync(folder));
  ::close(folder);
}

void OutputFile::discard() noexcept {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  if (descriptor_ >= 0) ::close(descriptor_);
  temporary_.clear();
  descriptor_ = -1;
}

void OutputFile::fail(std::string const& sentence) const {
  throw FileError(ErrorKind::bad_output, path_, sentence);
}

void OutputFile::fail_writing(std::uint64_t bytes, int error_number) const {
  if (error_number == ENOSPC || error_number == EDQUOT) {
    struct statvfs disk{};
    std::string found = "no more";
    if (::fstatvfs(descriptor_, &disk) == 0) found = format_bytes(disk.f_bavail * disk.f_frsize);
    fail("the disk is full: expected room for " + format_bytes(bytes) + " more, found " + found);
  }
  fail("cannot be written: expected room for " + format_bytes(bytes) +
       " more, found: " + system_message(error_number));
}

}  // namespace tessera::io
