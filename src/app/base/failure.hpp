// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <exception>
#include <optional>
#include <stdexcept>
#include <string>

namespace tessera::app {

/// What the program tells its caller.
enum class ExitStatus : int {
  good = 0,        ///< all done
  difference = 1,  ///< a check found that a result is wrong, or could not judge it; or a solver did
                   ///< not converge
  usage = 2,       ///< the command line makes no sense
  file = 3,        ///< an input is bad, or a file cannot be read or written
  resources = 4,   ///< out of memory, or trouble with a backend or a device
};

/// An error that ends the program with a sentence on stderr and an exit status.
class Failure : public std::runtime_error {
 public:
  Failure(ExitStatus status, std::string const& sentence)
      : std::runtime_error(sentence), status_(status) {}

  [[nodiscard]] ExitStatus status() const noexcept { return status_; }

 private:
  ExitStatus status_;
};

/// What the program says of an exception, and with which status it ends.
[[nodiscard]] Failure failure_of(std::exception_ptr const& thrown);

/// Keeps the exception that is being handled, the first one of the process: where processes fail
/// together, the library hands its sentence on, and no status. May be called by several threads.
void keep_failure();
[[nodiscard]] std::optional<Failure> kept_failure();

}  // namespace tessera::app
