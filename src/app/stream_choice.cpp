// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include <app/devices.hpp>
#include <app/failure.hpp>
#include <app/stream_choice.hpp>
#include <io/memory.hpp>

namespace tessera::app {
namespace {

/// Of memory that is free, for a run that nobody has limited.
constexpr double share = 0.7;

std::uint64_t part_of(std::uint64_t free) {
  return static_cast<std::uint64_t>(share * static_cast<double>(free));
}

}  // namespace

std::optional<StreamChoice> choose_stream(ComputeOptions const& options, Job const& job) {
  auto const backends = enabled_backends();
  bool const wants_gpu =
      options.backend == BackendChoice::automatic
          ? false
          : std::ranges::find(backends, options.backend, &BackendFacts::choice)->is_gpu;
  auto const host = std::ranges::find(backends, false, &BackendFacts::is_gpu);
  auto const backend = options.backend == BackendChoice::automatic ? host->choice : options.backend;
  std::uint64_t const needed = job.forecast(backend).memory();
  std::uint64_t const free = io::available_memory();
  std::uint64_t const limit = options.memory_limit > 0 ? options.memory_limit : part_of(free);
  if (!options.checkpoint.empty()) {
    return StreamChoice{.memory_limit = limit, .why = "--checkpoint was given"};
  }
  if (options.memory_limit > 0) {
    if (needed <= options.memory_limit) return std::nullopt;
    return StreamChoice{.memory_limit = limit,
                        .why = "it needs " + io::format_bytes(needed) +
                               " of memory, the limit is " +
                               io::format_bytes(options.memory_limit)};
  }
  // What needs the matrix in memory says itself how much is missing.
  if (options.check || !options.variant.name.empty()) return std::nullopt;
  if (wants_gpu) {
    auto const [device, free_there] = current_device();
    if (!fits_on_device(needed, free_there)) {
      return StreamChoice{.memory_limit = std::min(limit, part_of(free_there)),
                          .why = "it needs " + io::format_bytes(needed) + " on " + name_of(device) +
                                 ", which has " + io::format_bytes(free_there) + " free"};
    }
  }
  if (needed > free) {
    return StreamChoice{.memory_limit = limit,
                        .why = "it needs " + io::format_bytes(needed) + " of memory, " +
                               io::format_bytes(free) + " are available"};
  }
  return std::nullopt;
}

}  // namespace tessera::app
