// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <mutex>
#include <new>

#include <app/base/failure.hpp>
#include <io/errors.hpp>
#include <io/memory.hpp>

namespace tessera::app {
namespace {

struct Kept {
  std::mutex mutex;
  std::optional<Failure> first;
};
Kept& kept() {
  static Kept of_process;
  return of_process;
}

}  // namespace

Failure failure_of(std::exception_ptr const& thrown) {
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
    return {ExitStatus::resources, "ended by an error of a library, which says no more"};
  }
}

void keep_failure() {
  std::lock_guard const lock(kept().mutex);
  if (!kept().first) kept().first = failure_of(std::current_exception());
}

std::optional<Failure> kept_failure() {
  std::lock_guard const lock(kept().mutex);
  return kept().first;
}

}  // namespace tessera::app
