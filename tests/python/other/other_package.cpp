// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <Kokkos_Core.hpp>

// Called by other_package.py.

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

bool is_ours = false;  ///< this package initialised Kokkos

struct Count {
  double* numbers;

  KOKKOS_FUNCTION void operator()(int i) const { numbers[i] = i; }
};

}  // namespace

extern "C" {

bool other_is_running() {
  return Kokkos::is_initialized();
}

bool other_start() {
  if (Kokkos::is_initialized()) return false;
  Kokkos::initialize(Kokkos::InitializationSettings().set_disable_warnings(true));
  is_ours = true;
  return true;
}

double other_sum(int n) {
  Kokkos::View<double*, Kokkos::HostSpace> const numbers("other::numbers",
                                                         static_cast<std::size_t>(n));
  Kokkos::parallel_for("other::count", Kokkos::RangePolicy<Host>(0, n), Count{numbers.data()});
  Kokkos::fence();
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += numbers(i);
  return sum;
}

void other_finish() {
  if (is_ours && Kokkos::is_initialized()) Kokkos::finalize();
}

}  // extern "C"
