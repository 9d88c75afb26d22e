// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <string>

namespace tessera::io {

/// The name of a file that is removed with this object, or when a signal ends the process.
///
/// A name is kept in a list that the handler of remove_temporaries_at_signals() reads. Move-only.
class TemporaryFile {
 public:
  /// None.
  TemporaryFile() = default;
  /// Takes charge of a name, which need not be that of a file yet.
  explicit TemporaryFile(std::string name);
  ~TemporaryFile();
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&& other) noexcept;
  TemporaryFile(TemporaryFile const&) = delete;
  TemporaryFile& operator=(TemporaryFile const&) = delete;

  /// The name; empty if there is no file.
  [[nodiscard]] std::string const& name() const noexcept { return name_; }

  /// Gives the name up without removing a file: it belongs to somebody else, or is no longer there.
  void forget() noexcept;

  /// A place in the list. Places are used again, and never freed: a signal may come at any time.
  struct Place;

 private:
  std::string name_;
  Place* place_ = nullptr;
};

/// Removes all temporary files of this process. A process that was forked from it has none.
void remove_temporaries() noexcept;

/// From now on, all temporary files are removed when a signal comes that ends the process: every
/// signal that ends a process by default, such as SIGINT (Ctrl-C), SIGTERM, SIGUSR1 of a batch
/// system, and signals of crashes; except SIGKILL. Then the process ends as it would have. Signals
/// that are ignored or handled already stay so. Call it once, early.
void remove_temporaries_at_signals();

}  // namespace tessera::io
