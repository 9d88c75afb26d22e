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

/// A file that is there whole or not at all.
///
/// The constructor finds out whether the file can be written, before anything is computed. The
/// bytes go to a temporary file in the same folder; commit() brings them to the disk (fsync) and
/// puts the temporary in the place of the file in one step (rename or link). Without commit() the
/// file that was there before stays as it was.
///
/// Where the file system can (O_TMPFILE: ext4, xfs, btrfs, tmpfs, …) the temporary has no name
/// while it is written, so that even SIGKILL leaves nothing behind; only a new file that replaces
/// an old one has a temporary name for some microseconds inside commit(). Elsewhere, and for a
/// dataset ("FILE.h5:/dataset"), whose file a library opens by its name, it is called
/// `.NAME.tessera-XXXXXXXX` from the start. The destructor removes it, and so do signals
/// (remove_temporaries_at_signals()), but not SIGKILL.
///
/// The file of a dataset may hold others. So one that exists is refused, or, with
/// Existing::extended, the temporary begins as a copy of it; and commit() fails where a file has
/// appeared under this name, or where that which was copied has changed. While it is extended, the
/// old file has a lock that keeps others from doing the same.
///
/// A symbolic link stays, and the file it points to is replaced. A file that is replaced keeps its
/// permissions, and its owner where that is allowed; other hard links keep the old content. Pipes,
/// devices, /dev/stdout and /dev/fd/N are written directly, without promise.
class OutputFile {
 public:
  /// How the temporary file is made.
  enum class Temporary {
    unnamed_if_possible,
    named,  ///< as on a file system without O_TMPFILE
  };

  /// What becomes of an HDF5 file that is there already. Files of other kinds are replaced.
  enum class Existing {
    refused,
    extended,  ///< it stays, with a dataset more
  };

  /// @throws FileError bad_output when the file could not be written
  explicit OutputFile(std::string path, Temporary temporary = Temporary::unnamed_if_possible,
                      Existing existing = Existing::refused);
  ~OutputFile() = default;
  OutputFile(OutputFile&& other) = default;
  OutputFile& operator=(OutputFile&& other) = default;
  OutputFile(OutputFile const&) = delete;
  OutputFile& operator=(OutputFile const&) = delete;

  /// The path as the user wrote it.
  [[nodiscard]] std::string const& path() const noexcept { return path_; }
  /// The name that the file has until commit(), for libraries that open files themselves; empty
  /// where it has none.
  [[nodiscard]] std::string const& temporary() const noexcept { return temporary_.name(); }
  /// Where write() goes on, in bytes from the start of the file.
  [[nodiscard]] std::uint64_t bytes_written() const noexcept { return bytes_written_; }

  /// From now on another dataset of the same file is written.
  /// @param path that of the dataset, as the user wrote it
  void begin_next(std::string path) { path_ = std::move(path); }

  /// Sets disk space for `bytes` aside where the file system can, so that a full disk is found now.
  /// @throws FileError bad_output
  void reserve(std::uint64_t bytes);

  /// Writes where the last write() ended. @throws FileError bad_output, naming a full disk as such
  void write(std::span<std::byte const> bytes);
  /// Writes the bytes of an array of numbers or characters.
  template <class T>
  void write_elements(std::span<T const> elements) {
    write(std::as_bytes(elements));
  }

  /// Writes at a position of its own, and does not move the place where write() goes on. Not for
  /// pipes and devices. @throws FileError bad_output
  void write_at(std::uint64_t offset, std::span<std::byte const> bytes);

  /// Moves the place where write() goes on by bytes that write_at() fills. Not for pipes and
  /// devices.
  void skip(std::uint64_t bytes) { go_to(bytes_written_ + bytes); }

  /// Lets write() go on at this place. Not for pipes and devices.
  void go_to(std::uint64_t offset);

  /// True for pipes, devices and open descriptors, which take bytes in their order only.
  [[nodiscard]] bool in_order_only() const noexcept { return direct_; }

  /// Puts the file in its place. Call it once, last.
  /// @throws FileError bad_output; the old file is then still there, unless the sentence says that
  /// the new one is in its place
  void commit();

  /// The same of all files of a run. Each is on the disk before the first is put in its place, so
  /// that a killed run or a full disk leaves the files of one run. Only a kill between two renames
  /// can leave files of two runs.
  /// @throws FileError bad_output; if bringing a file to the disk fails, all old files are still
  /// there
  static void commit_all(std::span<OutputFile* const> files);

 private:
  /// The file that commit() replaces, as it was found.
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
