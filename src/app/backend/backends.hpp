// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <app/backend/cost_model.hpp>
#include <tessera/backends/backend.hpp>

namespace tessera::app {

/// Where an operation runs.
enum class BackendChoice { automatic, openmp, serial, cuda };

/// The word for a choice on the command line; of a backend, its name in the library.
[[nodiscard]] std::string_view to_string(BackendChoice choice);

/// A backend that this program was built with, on the machine that it runs on.
struct BackendFacts {
  BackendChoice choice;
  std::string name;
  std::string device;  ///< "AMD EPYC 9654, 2 threads"
  bool is_gpu = false;
  int concurrency = 0;             ///< threads, of a GPU those that it runs at a time
  std::size_t scratch_level0 = 0;  ///< bytes that a team can have in fast scratch memory
  std::size_t scratch_level1 = 0;  ///< bytes that a team can have in slow scratch memory
};

/// All backends of this build, the best first. Kokkos must be initialised.
[[nodiscard]] std::vector<BackendFacts> enabled_backends();

/// Refuses a backend that is not in this build.
/// @throws Failure resources
void require_backend(BackendChoice choice);

/// A job, before its data are read.
struct Job {
  std::function<Forecast(BackendChoice)> forecast;               ///< for a backend of this build
  int runs;                                                      ///< warm-up included
  std::string input;                                             ///< the file, for messages
  std::string what = "the job (matrix, vectors and workspace)";  ///< for messages
  std::uint64_t reading = 0;  ///< bytes that reading the matrix takes meanwhile, on the host
};

/// Where a job runs, and why.
struct BackendDecision {
  BackendFacts backend;
  std::string why;  ///< empty: the user said so
};

/// The backend that a choice stands for. `automatic` takes the GPU where the job fits and is
/// estimated to be done earlier there, copies included (cost_model.hpp), else the host.
/// @throws Failure resources when it is not in this build, or the job does not fit on the GPU
[[nodiscard]] BackendDecision choose_backend(BackendChoice choice, Job const& job);

/// Refuses a preference of caches on a host.
/// @throws Failure usage
void require_caches(std::optional<backends::CachePreference> preference,
                    BackendFacts const& backend);

/// Refuses several threads where the backend has one.
/// @param threads as the user said; 0: nothing was said
/// @throws Failure usage
void require_threads(int threads, BackendFacts const& backend);

/// Refuses a device for a backend of the host that was asked for by name.
/// @throws Failure usage
void require_device_in_use(std::optional<int> device, BackendChoice choice);

/// "none", "l1", "shared" or "equal".
[[nodiscard]] std::string_view to_string(backends::CachePreference preference);

/// The host processor, as the operating system names it.
struct Processor {
  std::string name;          ///< "unknown" where nothing says
  std::string instructions;  ///< those that matter here: "avx2 fma avx512f", or "unknown"
};
[[nodiscard]] Processor host_processor();

}  // namespace tessera::app
