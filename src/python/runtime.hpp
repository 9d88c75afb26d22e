// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

/// Kokkos within a Python process.
namespace tessera::python {

/// Host threads of this thread's calls, set first if `wanted`; fewer after omp_set_num_threads.
/// @throws std::invalid_argument below one or above Kokkos' number
int threads(std::optional<int> wanted);

/// While it lives, this thread runs a function of the caller, which must not call tessera. See
/// Turn.
class Function {
 public:
  Function();
  ~Function();
  Function(Function const&) = delete;
  Function& operator=(Function const&) = delete;

 private:
  bool before_;
};

/// Sets a function that is called repeatedly while a call waits for its turn; it may throw.
void call_while_waiting(void (*function)());

bool is_running();

/// Finalises Kokkos if this module initialised it, unless another thread's call does not end within
/// a few seconds.
void finish();

std::string kokkos_version();
std::string host_backend();
bool has_gpu_backend();

}  // namespace tessera::python
