// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include <app/backend/devices.hpp>
#include <app/base/failure.hpp>
#include <app/stream/stream_choice.hpp>
#include <io/memory.hpp>

namespace tessera::app {
namespace {

/// Of memory that is free, for a run that nobody has limited.
constexpr double share = 0.7;

std::uint64_t part_of(std::uint64_t free) {
  return static_cast<std::uint64_t>(share * static_cast<double>(free));
}

}  // namespace

BackendFacts streaming_backend(BackendChoice choice, std::vector<BackendFacts> const& all) {
  if (choice != BackendChoice::automatic) {
    return *std::ranges::find(all, choice, &BackendFacts::choice);
  }
  auto const host = std::ranges::find(all, false, &BackendFacts::is_gpu);
  return host != all.end() ? *host : all.front();
}

std::optional<StreamChoice> choose_stream(ComputeOptions const& options, Job const& job) {
  BackendFacts const backend = streaming_backend(options.backend, enabled_backends());
  // What reading takes and every program may have; a stream has fewer buffers.
  constexpr std::uint64_t reading_may_have = std::uint64_t{48} << 20U;
  std::uint64_t const reading = job.reading - std::min(job.reading, reading_may_have);
  std::uint64_t const needed_there = job.forecast(backend.choice).memory();
  std::uint64_t const needed = needed_there + reading;
  std::uint64_t const free = io::available_memory();
  std::uint64_t const limit = options.memory_limit > 0 ? options.memory_limit : part_of(free);
  if (!options.checkpoint.empty()) {
    return StreamChoice{.backend = backend, .memory_limit = limit, .why = "--checkpoint was given"};
  }
  if (options.memory_limit > 0) {
    if (needed <= options.memory_limit) return std::nullopt;
    return StreamChoice{.backend = backend,
                        .memory_limit = limit,
                        .why = "it needs " + io::format_bytes(needed) +
                               " of memory, the limit is " +
                               io::format_bytes(options.memory_limit)};
  }
  // What needs the matrix in memory says itself how much is missing.
  if (options.check || !options.variant.name.empty()) return std::nullopt;
  if (backend.is_gpu) {
    auto const [device, free_there] = current_device();
    if (!fits_on_device(needed_there, free_there)) {
      return StreamChoice{.backend = backend,
                          .memory_limit = std::min(limit, part_of(free_there)),
                          .why = "it needs " + io::format_bytes(needed_there) + " on " +
                                 name_of(device) + ", which has " + io::format_bytes(free_there) +
                                 " free"};
    }
  }
  if (needed > free) {
    return StreamChoice{.backend = backend,
                        .memory_limit = limit,
                        .why = "it needs " + io::format_bytes(needed) + " of memory, " +
                               io::format_bytes(free) + " are available"};
  }
  return std::nullopt;
}

}  // namespace tessera::app
