// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/backends/backend.hpp>

namespace tessera::app {

enum class BackendChoice { automatic, openmp, serial, cuda };

[[nodiscard]] std::string_view to_string(BackendChoice choice);

struct BackendFacts {
  BackendChoice choice;
  std::string name;
  std::string device;  ///< "AMD EPYC 9654, 2 threads"
  bool is_gpu = false;
  int concurrency = 0;
  std::size_t scratch_level0 = 0;  ///< fast, per team
  std::size_t scratch_level1 = 0;  ///< slow, per team
};

/// Best first. Kokkos must be initialised.
[[nodiscard]] std::vector<BackendFacts> enabled_backends();

void require_backend(BackendChoice choice);
/// Throws if backends differ, whose exchanges would not match. Collective.
void require_same_backend(std::string const& path, BackendFacts const& mine);

// Cost model of `--backend auto` (docs/decisions/pinned-copies-to-gpus.md): a constant plus the
// larger of bytes over bandwidth and operations over rate.

/// In bytes.
struct Forecast {
  std::uint64_t traffic = 0;  ///< least of one run
  std::uint64_t inputs = 0;
  std::uint64_t results = 0;
  std::uint64_t scratch = 0;  ///< workspace and intermediates
  double flops = 0;           ///< of one run, if operations limit it

  [[nodiscard]] std::uint64_t memory() const { return inputs + results + scratch; }
};

[[nodiscard]] Forecast forecast_product(std::uint64_t rows, std::uint64_t cols, std::uint64_t depth,
                                        std::uint64_t element_bytes, std::uint64_t scratch);

/// In bytes per second and seconds.
struct CostConstants {
  /// Two threads of a server reach 26 to 31 GB/s (benchmarks/results).
  double host_thread = 13e9;
  /// Eight channels of DDR4-3200, the least of a server.
  double host_most = 200e9;
  /// PCIe 3.0 x16 in practice.
  double link = 12e9;
  /// Share of the theoretical bandwidth that a read reaches.
  double device_share = 0.85;
  double device_unknown = 200e9;
  /// Pinning memory and loading kernels, once.
  double device_start = 20e-3;
  /// Launches and waiting, per run.
  double device_launch = 20e-6;
  /// A good product of matrices in float.
  double host_thread_flops = 50e9;
  double device_flops = 10e12;
};

[[nodiscard]] double host_seconds(Forecast const& work, int runs, int threads,
                                  CostConstants const& constants = {});

struct DeviceSeconds {
  double copies = 0;
  double runs = 0;
  [[nodiscard]] double total() const { return copies + runs; }
};
/// @param bandwidth theoretical; 0: unknown
[[nodiscard]] DeviceSeconds device_seconds(Forecast const& work, int runs, double bandwidth,
                                           CostConstants const& constants = {});

struct Comparison {
  bool take_device = false;
  std::string why;  ///< "estimated 0.04 s on cuda (0.03 s of it copies), …"
};
[[nodiscard]] Comparison compare(DeviceSeconds const& device, std::string const& device_backend,
                                 double host, std::string const& host_backend);

struct Job {
  std::function<Forecast(BackendChoice)> forecast;
  int runs;  ///< with warm-up
  std::string input;
  std::string what = "the job (matrix, vectors and workspace)";
  std::uint64_t reading = 0;  ///< host bytes while A is read
};

struct BackendDecision {
  BackendFacts backend;
  std::string why;  ///< empty: the user chose it
};

/// `automatic`: the GPU if the job fits and should finish earlier, with copies; else the host.
[[nodiscard]] BackendDecision choose_backend(BackendChoice choice, Job const& job);

void require_caches(std::optional<backends::CachePreference> preference,
                    BackendFacts const& backend);

/// Refuses several threads if the backend has one. 0: not given.
void require_threads(int threads, BackendFacts const& backend);

void require_device_in_use(std::optional<int> device, BackendChoice choice);

[[nodiscard]] std::string_view to_string(backends::CachePreference preference);

struct Processor {
  std::string name;
  std::string instructions;  ///< "avx2 fma avx512f", or "unknown"
};
[[nodiscard]] Processor host_processor();

}  // namespace tessera::app
