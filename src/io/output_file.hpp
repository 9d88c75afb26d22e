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

/// A file that exists completely or not at all: commit() flushes a temporary file in the same
/// folder (fsync) and moves it into place (rename or link). The constructor checks that the file
/// can be written.
///
/// With O_TMPFILE the temporary file has no name, so even SIGKILL leaves nothing behind; commit()
/// names it for some microseconds if it replaces a file. Otherwise, and for a dataset, whose
/// library opens files by name, it is `.NAME.tessera-XXXXXXXX`, which the destructor and
/// remove_temporaries_at_signals() remove.
///
/// Existing::extended copies the old HDF5 file and locks it against other writers. commit() fails
/// if a file has appeared or the copied one has changed.
///
/// A symbolic link is kept and its target replaced. Permissions are kept, and the owner if allowed;
/// other hard links keep the old content. Pipes, devices, /dev/stdout and /dev/fd/N are written
/// directly.
class OutputFile {
 public:
  enum class Temporary {
    unnamed_if_possible,
    named,
  };

  /// For an existing HDF5 file; other files are replaced.
  enum class Existing {
    refused,
    extended,
  };

  explicit OutputFile(std::string path, Temporary temporary = Temporary::unnamed_if_possible,
                      Existing existing = Existing::refused);
  ~OutputFile() = default;
  OutputFile(OutputFile&& other) = default;
  OutputFile& operator=(OutputFile&& other) = default;
  OutputFile(OutputFile const&) = delete;
  OutputFile& operator=(OutputFile const&) = delete;

  [[nodiscard]] std::string const& path() const noexcept { return path_; }
  /// Until commit(); empty if unnamed.
  [[nodiscard]] std::string const& temporary() const noexcept { return temporary_.name(); }
  [[nodiscard]] std::uint64_t bytes_written() const noexcept { return bytes_written_; }

  /// Names what follows, such as another dataset.
  void begin_next(std::string path) { path_ = std::move(path); }

  /// Detects a full disk early.
  void reserve(std::uint64_t bytes);

  void write(std::span<std::byte const> bytes);
  template <class T>
  void write_elements(std::span<T const> elements) {
    write(std::as_bytes(elements));
  }

  /// For regular files, without moving the position of write().
  void write_at(std::uint64_t offset, std::span<std::byte const> bytes);

  /// Moves the position of write() past bytes of write_at().
  void skip(std::uint64_t bytes) { go_to(bytes_written_ + bytes); }

  void go_to(std::uint64_t offset);

  [[nodiscard]] bool in_order_only() const noexcept { return direct_; }

  /// If it throws, the old file still exists, unless the message states that the new one replaced
  /// it.
  void commit();

  /// Flushes all before moving the first: only a kill between two renames leaves files of different
  /// runs.
  static void commit_all(std::span<OutputFile* const> files);

 private:
  /// What commit() replaces, as it was at the start.
  struct OldFile {
    struct stat status{};
    Descriptor descriptor = {};  // if extended: holds the lock
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
  std::string target_;
  bool is_dataset_ = false;
  TemporaryFile temporary_;
  std::optional<OldFile> old_file_;
  Descriptor descriptor_;
  bool direct_ = false;
  std::uint64_t bytes_written_ = 0;
};

}  // namespace tessera::io
