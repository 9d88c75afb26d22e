// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/backends/device.hpp>

/// Choices for the initialisation of Kokkos: the GPU, the number of threads, and error messages.
/// Kokkos itself aborts on errors, so everything is checked before it is initialised.
namespace tessera::app {

/// "NVIDIA H200 (device 0)".
[[nodiscard]] std::string name_of(backends::Device const& device);

/// "NVIDIA H200, sm_90, 132 multiprocessors, 139.8 GiB".
[[nodiscard]] std::string describe(backends::Device const& device);

/// Why a survey found no GPU; empty if it found one.
/// @param visible the value of CUDA_VISIBLE_DEVICES; empty: not set
[[nodiscard]] std::string why_no_device(backends::DeviceSurvey const& survey,
                                        std::optional<std::string> const& visible);

/// Why an opened GPU cannot be used; empty if it can.
[[nodiscard]] std::string why_not_usable(backends::Device const& device,
                                         backends::DeviceState const& state,
                                         std::vector<int> const& compiled_for);

/// Whether `needed` bytes fit. The driver hands out memory in large pieces, so some are kept free.
[[nodiscard]] bool fits_on_device(std::uint64_t needed, std::uint64_t free);

/// "FILE: not enough memory on … for WHAT: expected … free, found …; …".
[[nodiscard]] std::string no_room_sentence(std::string const& path, std::string const& what,
                                           std::uint64_t needed, std::uint64_t free,
                                           backends::Device const& device);

/// The GPU for Kokkos: the wanted one; else, for ranks, each host's GPUs in turn; else the first
/// that can run this program. Empty if this build has no GPU backend: Kokkos then needs none.
/// @throws Failure resources if no GPU is usable, or not the wanted one
[[nodiscard]] std::optional<int> choose_device(std::optional<int> wanted);

/// The GPU that Kokkos was started on, and its memory now.
struct CurrentDevice {
  backends::Device device;
  std::uint64_t free = 0;
};
[[nodiscard]] CurrentDevice current_device();

/// Checks the memory of the GPU that Kokkos was started on. Call it before allocating.
/// @throws Failure resources: no_room_sentence
void require_device_memory(std::uint64_t bytes, std::string const& path, std::string const& what);

/// Reads a variable of an environment by its name; null: not set.
using Environment = char const* (*)(char const* name);

/// Throws a Failure (usage) if a variable of Kokkos has a value at which Kokkos would abort, or
/// which Kokkos would misread.
void require_kokkos_environment(Environment const& variable);

/// Number of host threads for Kokkos. Prints one sentence on stderr if it is smaller than
/// requested. `wanted`: --threads, 0 if not given.
int host_threads(int wanted);

/// Initialises Kokkos and finalises it. Output of Kokkos and its tools in between goes to stderr,
/// because stdout is for results.
class KokkosSession {
 public:
  /// `threads`: --threads, 0 if not given. `device`: a GPU, empty without a GPU backend.
  KokkosSession(int threads, std::optional<int> device);
  ~KokkosSession();
  KokkosSession(KokkosSession const&) = delete;
  KokkosSession& operator=(KokkosSession const&) = delete;
};

}  // namespace tessera::app
