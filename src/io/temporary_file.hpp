// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <string>

namespace tessera::io {

/// Removes its file at destruction, or at a signal that ends the process.
class TemporaryFile {
 public:
  TemporaryFile() = default;
  explicit TemporaryFile(std::string name);
  ~TemporaryFile();
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&& other) noexcept;
  TemporaryFile(TemporaryFile const&) = delete;
  TemporaryFile& operator=(TemporaryFile const&) = delete;

  [[nodiscard]] std::string const& name() const noexcept { return name_; }

  /// Keeps the file, which has another owner or no longer exists.
  void forget() noexcept;

  /// Reused and never freed, because a signal may come at any time.
  struct Place;

 private:
  std::string name_;
  Place* place_ = nullptr;
};

void remove_temporaries() noexcept;

/// Handles every signal that ends a process by default, except SIGKILL and signals already handled
/// or ignored; the process then ends by the signal. Call it once, early.
void remove_temporaries_at_signals();

}  // namespace tessera::io
