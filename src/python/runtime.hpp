// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

/// Kokkos within a Python process.
namespace tessera::python {

/// How many threads work on the host for calls of this thread; with a number, from then on so many.
/// Fewer if the thread has set fewer (omp_set_num_threads). Throws std::invalid_argument for a
/// number that is less than one, or more than Kokkos has.
int threads(std::optional<int> wanted);

/// As long as it lives, this thread runs a function of the caller's: a call of tessera in there is
/// refused, and calls of other threads, for which the function may wait, need not wait for its
/// call.
class Function {
 public:
  Function();
  ~Function();
  Function(Function const&) = delete;
  Function& operator=(Function const&) = delete;

 private:
  bool before_;
};

/// The function is called again and again while a call waits for its turn. It may throw.
void call_while_waiting(void (*function)());

/// Whether Kokkos runs.
bool is_running();

/// Ends Kokkos where this module started it. Later calls are refused. A call of another thread that
/// does not end in a few seconds is left alone, and Kokkos with it.
void finish();

/// What this module was built with.
std::string kokkos_version();
std::string host_backend();
bool has_gpu_backend();

}  // namespace tessera::python
