// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <io/dataset_name.hpp>
#include <io/errors.hpp>
#include <io/memory.hpp>
#include <io/output_file.hpp>
#include <io/output_path.hpp>

namespace tessera::io {
namespace {

constexpr mode_t mode_of_new_files = 0666;
constexpr int attempts = 100;

std::string descriptor_path(int descriptor) {
  return "/proc/self/fd/" + std::to_string(descriptor);
}

/// Not open if the file system has no unnamed files, or /proc is missing.
Descriptor open_unnamed(std::string const& folder) {
  Descriptor descriptor(
      ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode_of_new_files));
  if (descriptor.is_open() && ::access(descriptor_path(descriptor.get()).c_str(), F_OK) != 0) {
    descriptor.reset();
  }
  return descriptor;
}

bool same_time(timespec const& a, timespec const& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool same_file(struct stat const& a, struct stat const& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace

OutputFile::OutputFile(std::string path, Temporary temporary, Existing existing)
    : path_(std::move(path)) {
  if (path_.empty()) fail("cannot be written: expected the name of a file, found an empty one");
  if (auto const descriptor = descriptor_named_by(path_)) {
    open_copy_of(*descriptor);
    return;
  }
  auto const [file, dataset] = split_dataset(path_);
  target_ = follow_links(file);
  is_dataset_ = !dataset.empty();
  if (is_dataset_) temporary = Temporary::named;
  struct stat status{};
  if (::stat(target_.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) fail("cannot be written: expected a file, found a directory");
    if (!S_ISREG(status.st_mode)) {
      open_in_place();
      return;
    }
    if (is_dataset_ && existing == Existing::refused) {
      fail("exists already: expected a new file, since it may hold other datasets, found " + file +
           "; name another one, or use --add-dataset");
    }
    old_file_ = OldFile{};
    old_file_->status = status;
    check_replaceable();
  } else if (errno != ENOENT) {
    fail("cannot be written: expected a writable place, found: " + system_message(errno));
  } else if (target_.ends_with('/')) {
    fail("cannot be written: expected a file, found the name of a folder that does not exist");
  }
  open_beside(temporary);
  if (is_dataset_ && old_file_) {
    lock_old_file();
    copy_old_file();
  }
}

void OutputFile::open_copy_of(int descriptor) {
  direct_ = true;
  descriptor_ = Descriptor(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
  if (!descriptor_.is_open())
    fail("cannot be written: expected an open file, found: " + system_message(errno));
}

void OutputFile::open_in_place() {
  direct_ = true;
  descriptor_ = Descriptor(::open(target_.c_str(), O_WRONLY | O_CLOEXEC));
  if (!descriptor_.is_open()) {
    fail("cannot be written: expected a writable device, found: " + system_message(errno));
  }
}

void OutputFile::check_replaceable() const {
  // Renaming would replace a protected file.
  if (::faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) {
    fail("cannot be written: expected a writable file, found: " + system_message(errno));
  }
  struct stat folder{};
  if (::stat(folder_of(target_).c_str(), &folder) != 0) {
    fail("cannot be written: expected a writable folder, found: " + system_message(errno));
  }
  bool const owned =
      ::geteuid() == 0 || ::geteuid() == folder.st_uid || ::geteuid() == old_file_->status.st_uid;
  if ((folder.st_mode & S_ISVTX) != 0 && !owned) {
    fail("cannot be replaced: expected your own file in this folder, found another user's");
  }
}

void OutputFile::open_beside(Temporary temporary) {
  if (temporary == Temporary::unnamed_if_possible) descriptor_ = open_unnamed(folder_of(target_));
  for (int attempt = 0; !descriptor_.is_open() && attempt < attempts; ++attempt) {
    TemporaryFile named(temporary_name(target_));
    descriptor_ = Descriptor(
        ::open(named.name().c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode_of_new_files));
    if (descriptor_.is_open()) {
      temporary_ = std::move(named);
      return;
    }
    int const error_number = errno;
    named.forget();  // not ours
    errno = error_number;
    if (errno != EEXIST) break;
  }
  if (!descriptor_.is_open()) {
    fail("cannot be written: expected a writable folder '" + folder_of(target_) +
         "', found: " + system_message(errno));
  }
}

void OutputFile::lock_old_file() {
  for (int attempt = 0; attempt < attempts; ++attempt) {
    Descriptor& file = old_file_->descriptor;
    file = Descriptor(::open(target_.c_str(), O_RDWR | O_CLOEXEC));
    if (!file.is_open()) {
      fail("cannot be extended: expected a writable file, found: " + system_message(errno));
    }
    // HDF5's library holds this lock while it writes. Released at once for readers.
    if (::flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      fail(
          "cannot be extended: expected a file that nobody writes, found one that another program "
          "has open for writing; wait for its end");
    }
    static_cast<void>(::flock(file.get(), LOCK_UN));
    // Excludes runs that extend the file. Some file systems have no locks.
    struct flock lock{};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    if (::fcntl(file.get(), F_OFD_SETLK, &lock) != 0 && (errno == EAGAIN || errno == EACCES)) {
      fail(
          "cannot be extended: expected no other run that adds a dataset, found one; wait for its "
          "end");
    }
    // The last holder may have replaced the file.
    struct stat named{};
    if (::fstat(file.get(), &old_file_->status) == 0 && ::stat(target_.c_str(), &named) == 0 &&
        same_file(old_file_->status, named)) {
      return;
    }
  }
  fail("cannot be extended: expected the same file twice, found that others keep replacing it");
}

void OutputFile::copy_old_file() {
  int const from = old_file_->descriptor.get();
  auto const left = [&] {
    return static_cast<std::uint64_t>(old_file_->status.st_size) - bytes_written_;
  };
  reserve(left());
  while (left() > 0) {  // may share blocks
    ssize_t const copied = ::copy_file_range(from, nullptr, descriptor_.get(), nullptr, left(), 0);
    if (copied < 0 && errno == EINTR) continue;
    if (copied < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO)) {
      fail_writing(left(), errno);
    }
    if (copied <= 0) break;
    bytes_written_ += static_cast<std::uint64_t>(copied);
  }
  std::vector<std::byte> buffer(left() > 0 ? std::size_t{1} << 20U : 0);
  while (left() > 0) {
    ssize_t const got = ::pread(from, buffer.data(), std::min<std::uint64_t>(buffer.size(), left()),
                                static_cast<off_t>(bytes_written_));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      fail("cannot be extended: expected to read all of it, found: " +
           (got < 0 ? system_message(errno) : "it has become shorter"));
    }
    write(std::span(buffer).first(static_cast<std::size_t>(got)));
  }
  check_old_file_unchanged();
}

void OutputFile::check_old_file_unchanged() const {
  struct stat const& then = old_file_->status;
  struct stat now{};
  if (::stat(target_.c_str(), &now) == 0 && same_file(now, then) && now.st_size == then.st_size &&
      same_time(now.st_mtim, then.st_mtim) && same_time(now.st_ctim, then.st_ctim)) {
    return;
  }
  fail(
      "cannot be extended: expected the file as it was when it was copied, found that another "
      "program has changed it; it stays as it is");
}

void OutputFile::reserve(std::uint64_t bytes) {
  if (direct_ || bytes == 0) return;
  int result = 0;
  do {
    result = ::fallocate(descriptor_.get(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes));
  } while (result != 0 && errno == EINTR);
  if (result != 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) {
    fail_writing(bytes, errno);
  }
  // Some file systems cannot reserve space.
}

void OutputFile::write(std::span<std::byte const> bytes) {
  while (!bytes.empty()) {
    ssize_t const written = ::write(descriptor_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_writing(bytes.size(), errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    bytes_written_ += static_cast<std::uint64_t>(written);
  }
}

void OutputFile::write_at(std::uint64_t offset, std::span<std::byte const> bytes) {
  if (direct_)
    fail("cannot be written: expected a regular file, found one that is written sequentially");
  while (!bytes.empty()) {
    ssize_t const written =
        ::pwrite(descriptor_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_writing(bytes.size(), errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

void OutputFile::go_to(std::uint64_t offset) {
  if (direct_ || ::lseek(descriptor_.get(), static_cast<off_t>(offset), SEEK_SET) < 0) {
    fail("cannot be written: expected a regular file, found one that is written sequentially");
  }
  bytes_written_ = offset;
}

void OutputFile::commit() {
  std::array<OutputFile*, 1> const alone{this};
  commit_all(alone);
}

void OutputFile::commit_all(std::span<OutputFile* const> files) {
  for (OutputFile const* const file : files) {
    if (file->direct_) continue;
    file->restore_attributes();
    file->flush();
  }
  for (OutputFile* const file : files) {
    if (!file->direct_) file->put_in_place();
  }
  for (OutputFile* const file : files) file->finish();
}

void OutputFile::finish() {
  if (!direct_) sync_folder();
  if (descriptor_.reset() != 0 && direct_ && errno != EINTR) {
    fail("cannot be written: expected it to close, found: " + system_message(errno));
  }
}

void OutputFile::restore_attributes() const {
  if (!old_file_) return;
  struct stat const& old = old_file_->status;
  // The owner first, because its change may clear permissions. Not every user may change it.
  static_cast<void>(::fchown(descriptor_.get(), old.st_uid, old.st_gid) == 0);
  if (::fchmod(descriptor_.get(), old.st_mode & 0777U) != 0) {
    fail("cannot be written: expected to keep its permissions, found: " + system_message(errno));
  }
}

void OutputFile::flush() const {
  if (::fsync(descriptor_.get()) != 0) fail_writing(bytes_written_, errno);
  // Some file systems report a write error only at close().
  int const copy = ::fcntl(descriptor_.get(), F_DUPFD_CLOEXEC, 0);
  if (copy < 0 || (::close(copy) != 0 && errno != EINTR)) {
    fail("cannot be written: expected it to close, found: " + system_message(errno));
  }
}

void OutputFile::put_in_place() {
  if (is_dataset_ && !old_file_) return put_where_nothing_is();
  if (is_dataset_) check_old_file_unchanged();
  replace();
}

bool OutputFile::link_as(std::string const& name) const {
  return ::linkat(AT_FDCWD, descriptor_path(descriptor_.get()).c_str(), AT_FDCWD, name.c_str(),
                  AT_SYMLINK_FOLLOW) == 0;
}

void OutputFile::replace() {
  if (temporary().empty() && link_as(target_)) return;
  for (int attempt = 0; temporary().empty() && attempt < attempts; ++attempt) {
    if (errno != EEXIST) {
      fail("cannot be put in its place: expected to link it, found: " + system_message(errno));
    }
    TemporaryFile named(temporary_name(target_));
    if (link_as(named.name())) {
      temporary_ = std::move(named);
    } else {
      int const error_number = errno;
      named.forget();
      errno = error_number;
    }
  }
  if (::rename(temporary().c_str(), target_.c_str()) != 0) {
    fail("cannot be put in its place: expected to replace it, found: " + system_message(errno));
  }
  temporary_.forget();
}

void OutputFile::put_where_nothing_is() {
  if (::link(temporary().c_str(), target_.c_str()) == 0) {
    temporary_ = {};
    return;
  }
  bool const linkless = errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS;
  if (linkless && ::renameat2(AT_FDCWD, temporary().c_str(), AT_FDCWD, target_.c_str(),
                              RENAME_NOREPLACE) == 0) {
    temporary_.forget();
    return;
  }
  if (errno == EEXIST) {
    fail(
        "cannot be put in its place: expected no file of this name, found one that has appeared "
        "since the start of the run; it stays as it is");
  }
  fail("cannot be put in its place: expected to link it, found: " + system_message(errno));
}

void OutputFile::sync_folder() const {
  // So that the name survives a loss of power.
  Descriptor const folder(::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open() || ::fsync(folder.get()) == 0) return;
  if (errno == EIO || errno == ENOSPC || errno == EDQUOT) {
    fail(
        "was written, but may get lost if the power fails: expected the disk to store its name, "
        "found: " +
        system_message(errno));
  }
}

void OutputFile::fail(std::string const& sentence) const {
  throw FileError(ErrorKind::bad_output, path_, sentence);
}

void OutputFile::fail_writing(std::uint64_t bytes, int error_number) const {
  if (error_number == ENOSPC || error_number == EDQUOT) {
    struct statvfs disk{};
    std::string found = "no more";
    if (::fstatvfs(descriptor_.get(), &disk) == 0) {
      std::uint64_t const free = disk.f_bavail * disk.f_frsize;
      found = free < bytes ? format_bytes(free) : "a quota or a device that allows no more";
    }
    fail("the disk is full: expected room for " + format_bytes(bytes) + " more, found " + found);
  }
  fail("cannot be written: expected room for " + format_bytes(bytes) +
       " more, found: " + system_message(error_number));
}

}  // namespace tessera::io
