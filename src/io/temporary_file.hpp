// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <string>

namespace tessera::io {

/// The name of a file that is removed with this object, or by a signal that ends the process. The
/// handler of remove_temporaries_at_signals() reads a list of these names. Move-only.
class TemporaryFile {
 public:
  TemporaryFile() = default;
  /// Takes charge of a name. The file need not exist yet.
  explicit TemporaryFile(std::string name);
  ~TemporaryFile();
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&& other) noexcept;
  TemporaryFile(TemporaryFile const&) = delete;
  TemporaryFile& operator=(TemporaryFile const&) = delete;

  /// The name; empty if there is no file.
  [[nodiscard]] std::string const& name() const noexcept { return name_; }

  /// Releases the name without removing the file: it has another owner or no longer exists.
  void forget() noexcept;

  /// An entry of the list. Entries are reused and never freed: a signal may come at any time.
  struct Place;

 private:
  std::string name_;
  Place* place_ = nullptr;
};

/// Removes all temporary files of this process. A forked process starts with none.
void remove_temporaries() noexcept;

/// Installs handlers that remove all temporary files when a signal ends the process. They cover
/// every signal that ends a process by default, such as SIGINT (Ctrl-C), SIGTERM, SIGUSR1 of a
/// batch system, and signals of crashes; except SIGKILL. The process then ends with the signal.
/// Signals that are ignored or already handled are left alone. Call it once, early.
void remove_temporaries_at_signals();

}  // namespace tessera::io
