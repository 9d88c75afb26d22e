// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <sys/stat.h>
#include <utility>

#include <io/descriptor.hpp>
#include <io/errors.hpp>
#include <io/temporary_file.hpp>

namespace tessera::io {

/// A file that exists completely or not at all.
///
/// The constructor checks that the file can be written, before anything is computed. Bytes go to a
/// temporary file in the same folder. commit() flushes it to disk (fsync) and moves it into place
/// atomically (rename or link). Without commit() the previous file remains unchanged.
///
/// If the file system supports O_TMPFILE (ext4, xfs, btrfs, tmpfs, …), the temporary file has no
/// name while it is written, so even SIGKILL leaves nothing behind. It has a temporary name only
/// for some microseconds inside commit(), if it replaces a file. Otherwise, and for a dataset
/// ("FILE.h5:/dataset"), whose library opens files by name, it is called `.NAME.tessera-XXXXXXXX`
/// from the start. The destructor removes it, and signals do too (remove_temporaries_at_signals()),
/// but SIGKILL does not.
///
/// The file of a dataset may hold other datasets, so an existing file is refused by default. With
/// Existing::extended the temporary file starts as a copy of it, and the old file is locked against
/// other writers. commit() fails if a file has appeared under this name, or if the copied file has
/// changed.
///
/// A symbolic link is kept, and the file it points to is replaced. The new file keeps the
/// permissions of the old one, and its owner if allowed. Other hard links keep the old content.
/// Pipes, devices, /dev/stdout and /dev/fd/N are written directly, without these guarantees.
class OutputFile {
 public:
  /// How the temporary file is made.
  enum class Temporary {
    unnamed_if_possible,
    named,  ///< as on a file system without O_TMPFILE
  };

  /// What happens to an HDF5 file that already exists. Files of other kinds are replaced.
  enum class Existing {
    refused,
    extended,  ///< it is kept, and a dataset is added
  };

  /// @throws FileError bad_output if the file cannot be written
  explicit OutputFile(std::string path, Temporary temporary = Temporary::unnamed_if_possible,
                      Existing existing = Existing::refused);
  ~OutputFile() = default;
  OutputFile(OutputFile&& other) = default;
  OutputFile& operator=(OutputFile&& other) = default;
  OutputFile(OutputFile const&) = delete;
  OutputFile& operator=(OutputFile const&) = delete;

  /// The path as the user wrote it.
  [[nodiscard]] std::string const& path() const noexcept { return path_; }
  /// The name of the file until commit(), for libraries that open files by name; empty if unnamed.
  [[nodiscard]] std::string const& temporary() const noexcept { return temporary_.name(); }
  /// The position of the next write(), in bytes from the start of the file.
  [[nodiscard]] std::uint64_t bytes_written() const noexcept { return bytes_written_; }

  /// Continues with another dataset of the same file.
  /// @param path of the dataset, as the user wrote it
  void begin_next(std::string path) { path_ = std::move(path); }

  /// Reserves disk space for `bytes` if the file system can, to detect a full disk early.
  /// @throws FileError bad_output
  void reserve(std::uint64_t bytes);

  /// Appends to the last write(). @throws FileError bad_output, with a distinct message for a full
  /// disk
  void write(std::span<std::byte const> bytes);
  /// Writes the bytes of an array of numbers or characters.
  template <class T>
  void write_elements(std::span<T const> elements) {
    write(std::as_bytes(elements));
  }

  /// Writes at `offset` without moving the position of write(). Not for pipes and devices.
  /// @throws FileError bad_output
  void write_at(std::uint64_t offset, std::span<std::byte const> bytes);

  /// Moves the position of write() by bytes that write_at() fills. Not for pipes and devices.
  void skip(std::uint64_t bytes) { go_to(bytes_written_ + bytes); }

  /// Sets the position of write(). Not for pipes and devices.
  void go_to(std::uint64_t offset);

  /// True for pipes, devices and open descriptors, which can only be written in order.
  [[nodiscard]] bool in_order_only() const noexcept { return direct_; }

  /// Moves the file into place. Call it once, last.
  /// @throws FileError bad_output; the old file still exists then, unless the sentence states that
  /// the new one has replaced it
  void commit();

  /// Commits all files of a run. Each file is on the disk before the first is moved into place, so
  /// a killed run or a full disk never leaves files of different runs. Only a kill between two
  /// renames can.
  /// @throws FileError bad_output; if flushing to disk fails, all old files still exist
  static void commit_all(std::span<OutputFile* const> files);

 private:
  /// The file that commit() replaces, as it was at the start.
  struct OldFile {
    struct stat status{};
    Descriptor descriptor = {};  // of one that is extended: holds the lock
  };

  void open_copy_of(int descriptor);
  void open_in_place();
  void open_beside(Temporary temporary);
  void check_replaceable() const;
  void lock_old_file();
  void copy_old_file();
  void check_old_file_unchanged() const;
  void restore_attributes() const;
  void flush() const;
  void finish();
  void put_in_place();
  void put_where_nothing_is();
  void replace();
  [[nodiscard]] bool link_as(std::string const& name) const;
  void sync_folder() const;
  [[noreturn]] void fail(std::string const& sentence) const;
  [[noreturn]] void fail_writing(std::uint64_t bytes, int error_number) const;

  std::string path_;
  std::string target_;       // path_ with symbolic links resolved
  bool is_dataset_ = false;  // of an HDF5 file
  TemporaryFile temporary_;
  std::optional<OldFile> old_file_;
  Descriptor descriptor_;
  bool direct_ = false;
  std::uint64_t bytes_written_ = 0;
};

}  // namespace tessera::io
