// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <io/errors.hpp>

namespace tessera::io {

/// A file that is there whole or not at all.
///
/// The constructor finds out whether the file can be written, before anything is computed. The
/// bytes go to a temporary file in the same folder; commit() brings them to the disk (fsync) and
/// puts the temporary in the place of the file in one step (rename). Without commit() the file that
/// was there before stays as it was.
///
/// Where the file system can (O_TMPFILE: ext4, xfs, btrfs, tmpfs, …) the temporary has no name
/// while it is written, so that even SIGKILL leaves nothing behind; only a new file that replaces
/// an old one has a temporary name for some microseconds inside commit(). Elsewhere it is called
/// `.NAME.tessera-XXXXXXXX` from the start; the destructor removes it, but a killed process leaves
/// it.
///
/// Nor has it for a dataset ("FILE.h5:/dataset"), whose file a library opens by its name. Such a
/// file must not exist before: it may hold other datasets.
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

  /// @throws FileError bad_output when the file could not be written
  explicit OutputFile(std::string path, Temporary temporary = Temporary::unnamed_if_possible);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  OutputFile(OutputFile const&) = delete;
  OutputFile& operator=(OutputFile const&) = delete;

  /// The path as the user wrote it.
  [[nodiscard]] std::string const& path() const noexcept { return path_; }
  /// The name that the file has until commit(), for libraries that open files themselves; empty
  /// where it has none.
  [[nodiscard]] std::string const& temporary() const noexcept { return temporary_; }
  /// Bytes written so far.
  [[nodiscard]] std::uint64_t bytes_written() const noexcept { return bytes_written_; }

  /// Sets disk space for `bytes` aside where the file system can, so that a full disk is found now.
  /// @throws FileError bad_output
  void reserve(std::uint64_t bytes);

  /// Appends. @throws FileError bad_output, naming a full disk as such
  void write(std::span<std::byte const> bytes);
  /// Appends the bytes of an array of numbers or characters.
  template <class T>
  void write_elements(std::span<T const> elements) {
    write(std::as_bytes(elements));
  }

  /// Writes at a position of its own, and does not move the end that write() appends to. Not for
  /// pipes and devices. @throws FileError bad_output
  void write_at(std::uint64_t offset, std::span<std::byte const> bytes);

  /// Moves the end that write() appends to by bytes that write_at() fills. Not for pipes and
  /// devices.
  void skip(std::uint64_t bytes);

  /// True for pipes, devices and open descriptors, which take bytes in their order only.
  [[nodiscard]] bool in_order_only() const noexcept { return direct_; }

  /// Puts the file in its place. Call it once, last.
  /// @throws FileError bad_output; the old file is then still there
  void commit();

 private:
  /// What commit() restores of the file that it replaces.
  struct OldFile {
    unsigned mode;
    unsigned owner;
    unsigned group;
  };

  void open_copy_of(int descriptor);
  void open_in_place();
  void open_beside(Temporary temporary);
  void check_replaceable() const;
  void restore_attributes() const;
  void link_into_place();
  void sync_folder() const;
  void discard() noexcept;
  [[noreturn]] void fail(std::string const& sentence) const;
  [[noreturn]] void fail_writing(std::uint64_t bytes, int error_number) const;

  std::string path_;
  std::string target_;     // path_ with symbolic links resolved
  std::string temporary_;  // its name, while it has one
  std::optional<OldFile> old_file_;
  int descriptor_ = -1;
  bool direct_ = false;
  std::uint64_t bytes_written_ = 0;
};

}  // namespace tessera::io
