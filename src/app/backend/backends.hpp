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

/// Where an operation runs.
enum class BackendChoice { automatic, openmp, serial, cuda };

/// The name of a choice on the command line; for a backend, its name in the library.
[[nodiscard]] std::string_view to_string(BackendChoice choice);

/// A backend of this build, with facts about this machine.
struct BackendFacts {
  BackendChoice choice;
  std::string name;
  std::string device;  ///< "AMD EPYC 9654, 2 threads"
  bool is_gpu = false;
  int concurrency = 0;             ///< threads; of a GPU, how many run at the same time
  std::size_t scratch_level0 = 0;  ///< bytes that a team can have in fast scratch memory
  std::size_t scratch_level1 = 0;  ///< bytes that a team can have in slow scratch memory
};

/// All backends of this build, the best first. Kokkos must be initialised.
[[nodiscard]] std::vector<BackendFacts> enabled_backends();

/// Refuses a backend that is not in this build.
/// @throws Failure resources
void require_backend(BackendChoice choice);
/// Refuses ranks that have chosen different backends for a matrix, which can happen if their GPUs
/// have different free memory. Their exchanges would not match. Collective.
/// @throws Failure resources
void require_same_backend(std::string const& path, BackendFacts const& mine);

// The cost model of `--backend auto` for GPU and host: bytes over bandwidth or operations over
// their rate, whichever takes longer, plus a constant. The model prefers the host if in doubt,
// because nothing is copied there.

/// The work of an operation for a shape, known before data are read.
struct Forecast {
  std::uint64_t traffic = 0;  ///< least bytes that one run moves through memory
  std::uint64_t inputs = 0;   ///< bytes of the matrix and the vector
  std::uint64_t results = 0;  ///< bytes of the result vectors
  std::uint64_t scratch = 0;  ///< bytes of the workspace and of intermediate vectors
  double flops = 0;           ///< of one run, if limited by operations, not by traffic

  /// Bytes in the memory of the backend.
  [[nodiscard]] std::uint64_t memory() const { return inputs + results + scratch; }
};

/// The work of a product of matrices, rows x depth and depth x cols, with the size of an element.
[[nodiscard]] Forecast forecast_product(std::uint64_t rows, std::uint64_t cols, std::uint64_t depth,
                                        std::uint64_t element_bytes, std::uint64_t scratch);

/// Assumptions of the model, in bytes per second and seconds.
struct CostConstants {
  /// Of one host thread: two threads of a server reach 26 to 31 GB/s together (docs/results).
  double host_thread = 13e9;
  /// Of all host threads: eight channels of DDR4-3200, as a server has at least.
  double host_most = 200e9;
  /// Between host and GPU: PCIe 3.0 x16 in practice. Newer links are 2 to 4 times as fast.
  double link = 12e9;
  /// The fraction of a GPU's theoretical bandwidth that a read reaches.
  double device_share = 0.85;
  /// Of a GPU whose bandwidth is unknown.
  double device_unknown = 200e9;
  /// Pinning memory and loading kernels, once.
  double device_start = 20e-3;
  /// Launching the kernels of one run and waiting for them.
  double device_launch = 20e-6;
  /// Additions and multiplications per second of one host thread, and of a GPU: a good product of
  /// matrices in float.
  double host_thread_flops = 50e9;
  double device_flops = 10e12;
};

/// Seconds on the host for `runs` runs with this number of threads.
[[nodiscard]] double host_seconds(Forecast const& work, int runs, int threads,
                                  CostConstants const& constants = {});

/// Seconds on a GPU: copies to and from it, and runs.
struct DeviceSeconds {
  double copies = 0;
  double runs = 0;
  [[nodiscard]] double total() const { return copies + runs; }
};
/// @param bandwidth theoretical, in bytes per second; 0: unknown
[[nodiscard]] DeviceSeconds device_seconds(Forecast const& work, int runs, double bandwidth,
                                           CostConstants const& constants = {});

/// Which of two backends is estimated to finish first, with a sentence for the report.
struct Comparison {
  bool take_device = false;
  std::string why;  ///< "estimated 0.04 s on cuda (0.03 s of it copies), 0.21 s on openmp"
};
[[nodiscard]] Comparison compare(DeviceSeconds const& device, std::string const& device_backend,
                                 double host, std::string const& host_backend);

/// A job, before its data are read.
struct Job {
  std::function<Forecast(BackendChoice)> forecast;               ///< for a backend of this build
  int runs;                                                      ///< warm-up included
  std::string input;                                             ///< the file, for messages
  std::string what = "the job (matrix, vectors and workspace)";  ///< for messages
  std::uint64_t reading = 0;  ///< host bytes used while the matrix is read
};

/// Where a job runs, and why.
struct BackendDecision {
  BackendFacts backend;
  std::string why;  ///< empty: the user chose it
};

/// The backend of a choice. `automatic` is the GPU if the job fits there and is estimated to finish
/// earlier, including copies; else the host.
/// @throws Failure resources if the backend is not in this build, or the job does not fit on the
/// GPU
[[nodiscard]] BackendDecision choose_backend(BackendChoice choice, Job const& job);

/// Refuses a cache preference on a host backend.
/// @throws Failure usage
void require_caches(std::optional<backends::CachePreference> preference,
                    BackendFacts const& backend);

/// Refuses several threads for a backend that has one thread.
/// @param threads the value of the option; 0: not given
/// @throws Failure usage
void require_threads(int threads, BackendFacts const& backend);

/// Refuses --device if the user chose a host backend by name.
/// @throws Failure usage
void require_device_in_use(std::optional<int> device, BackendChoice choice);

/// "none", "l1", "shared" or "equal".
[[nodiscard]] std::string_view to_string(backends::CachePreference preference);

/// The host processor, as the operating system names it.
struct Processor {
  std::string name;          ///< "unknown" if the system gives none
  std::string instructions;  ///< the ones used here: "avx2 fma avx512f", or "unknown"
};
[[nodiscard]] Processor host_processor();

}  // namespace tessera::app
