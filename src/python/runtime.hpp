// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

/// Kokkos within a Python process.
namespace tessera::python {

/// Returns the number of host threads for calls of this thread; with an argument, sets it first.
/// The number is smaller if the thread has set fewer (omp_set_num_threads). Throws
/// std::invalid_argument for a number below one or above Kokkos' number of threads.
int threads(std::optional<int> wanted);

/// Marks that this thread runs a function of the caller while the object lives. Calls of tessera
/// from that function are refused. Calls of other threads do not wait for the current call, because
/// the function may wait for them.
class Function {
 public:
  Function();
  ~Function();
  Function(Function const&) = delete;
  Function& operator=(Function const&) = delete;

 private:
  bool before_;
};

/// Sets a function that is called repeatedly while a call waits for its turn. It may throw.
void call_while_waiting(void (*function)());

/// Whether Kokkos runs.
bool is_running();

/// Finalises Kokkos if this module initialised it. Later calls are refused. If another thread's
/// call does not end within a few seconds, neither that call nor Kokkos is stopped.
void finish();

std::string kokkos_version();
std::string host_backend();
bool has_gpu_backend();

}  // namespace tessera::python
