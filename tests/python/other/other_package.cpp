// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <Kokkos_Core.hpp>

// Functions that other_package.py calls by ctypes.

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

bool is_ours = false;  ///< this package initialised Kokkos

/// numbers[i] = i
struct Count {
  double* numbers;

  KOKKOS_FUNCTION void operator()(int i) const { numbers[i] = i; }
};

}  // namespace

extern "C" {

bool other_is_running() {
  return Kokkos::is_initialized();
}

/// Initialises Kokkos unless it is running. Returns whether it did.
bool other_start() {
  if (Kokkos::is_initialized()) return false;
  Kokkos::initialize(Kokkos::InitializationSettings().set_disable_warnings(true));
  is_ours = true;
  return true;
}

/// 0 + 1 + … + (n - 1), from numbers that a kernel writes.
double other_sum(int n) {
  Kokkos::View<double*, Kokkos::HostSpace> const numbers("other::numbers",
                                                         static_cast<std::size_t>(n));
  Kokkos::parallel_for("other::count", Kokkos::RangePolicy<Host>(0, n), Count{numbers.data()});
  Kokkos::fence();
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += numbers(i);
  return sum;
}

/// Finalises Kokkos if this package initialised it and it is running.
void other_finish() {
  if (is_ours && Kokkos::is_initialized()) Kokkos::finalize();
}

}  // extern "C"
