// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>

#include <io/errors.hpp>
#include <io/memory.hpp>

namespace tessera::app {

/// The exit status of the program.
enum class ExitStatus : int {
  good = 0,        ///< all done
  difference = 1,  ///< a check found a wrong result, or could not judge it; or a solver did not
                   ///< converge
  usage = 2,       ///< the command line is invalid
  file = 3,        ///< an input is bad, or a file cannot be read or written
  resources = 4,   ///< out of memory, or a failure of a backend or a device
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

/// The message and the exit status for an exception.
[[nodiscard]] inline Failure failure_of(std::exception_ptr const& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (Failure const& failure) {
    return failure;
  } catch (io::FileError const& error) {
    bool const memory = error.kind() == io::ErrorKind::out_of_memory;
    return {memory ? ExitStatus::resources : ExitStatus::file, error.what()};
  } catch (std::bad_alloc const&) {
    auto const free = io::format_bytes(io::available_memory());
    return {ExitStatus::resources, "out of memory; found " + free + " available"};
  } catch (std::exception const& error) {
    return {ExitStatus::resources, error.what()};
  } catch (...) {
    return {ExitStatus::resources, "ended by an error of a library that has no message"};
  }
}

/// The first failure that a thread of this process has kept. If ranks fail together, the library
/// passes on the sentence of the failure but not its exit status. Thread-safe.
class KeptFailure {
 public:
  /// Keeps the exception that is being handled, unless one is kept already.
  static void keep() {
    std::lock_guard const lock(of_process().mutex_);
    if (!of_process().first_) of_process().first_ = failure_of(std::current_exception());
  }
  [[nodiscard]] static std::optional<Failure> first() {
    std::lock_guard const lock(of_process().mutex_);
    return of_process().first_;
  }

 private:
  static KeptFailure& of_process() {
    static KeptFailure kept;
    return kept;
  }

  std::mutex mutex_;
  std::optional<Failure> first_;
};

}  // namespace tessera::app
