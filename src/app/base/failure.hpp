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

enum class ExitStatus : int {
  good = 0,
  difference = 1,  ///< wrong or unjudged result, or a solver did not converge
  usage = 2,
  file = 3,       ///< bad input, or a file error
  resources = 4,  ///< memory, backend or device
};

/// Ends the program with a sentence and a status. Functions here throw it or io::FileError.
class Failure : public std::runtime_error {
 public:
  Failure(ExitStatus status, std::string const& sentence)
      : std::runtime_error(sentence), status_(status) {}

  [[nodiscard]] ExitStatus status() const noexcept { return status_; }

 private:
  ExitStatus status_;
};

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

/// The first failure. If ranks fail together, the library passes on only its sentence. Thread-safe.
class KeptFailure {
 public:
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
