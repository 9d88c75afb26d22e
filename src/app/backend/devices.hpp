// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/backends/device.hpp>

/// Kokkos aborts on errors, so everything is checked before it starts.
namespace tessera::app {

[[nodiscard]] std::string name_of(backends::Device const& device);

[[nodiscard]] std::string describe(backends::Device const& device);

/// Empty if a GPU was found.
/// @param visible CUDA_VISIBLE_DEVICES
[[nodiscard]] std::string why_no_device(backends::DeviceSurvey const& survey,
                                        std::optional<std::string> const& visible);

[[nodiscard]] std::string why_not_usable(backends::Device const& device,
                                         backends::DeviceState const& state,
                                         std::vector<int> const& compiled_for);

[[nodiscard]] bool fits_on_device(std::uint64_t needed, std::uint64_t free);

[[nodiscard]] std::string no_room_sentence(std::string const& path, std::string const& what,
                                           std::uint64_t needed, std::uint64_t free,
                                           backends::Device const& device);

/// The wanted device; for ranks, the host's GPUs in turn; else the first usable one. Empty without
/// a GPU backend.
[[nodiscard]] std::optional<int> choose_device(std::optional<int> wanted);

struct CurrentDevice {
  backends::Device device;
  std::uint64_t free = 0;
};
[[nodiscard]] CurrentDevice current_device();

void require_device_memory(std::uint64_t bytes, std::string const& path, std::string const& what);

/// Null: not set.
using Environment = char const* (*)(char const* name);

/// Refuses variables at which Kokkos aborts or which it misreads.
void require_kokkos_environment(Environment const& variable);

/// Prints a sentence if there are fewer than `wanted` (0: not given).
int host_threads(int wanted);

/// Sends output of Kokkos and its tools to stderr: stdout is for results.
class KokkosSession {
 public:
  KokkosSession(int threads, std::optional<int> device);
  ~KokkosSession();
  KokkosSession(KokkosSession const&) = delete;
  KokkosSession& operator=(KokkosSession const&) = delete;
};

}  // namespace tessera::app
