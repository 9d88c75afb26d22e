// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <app/backend/backends.hpp>
#include <app/run/options.hpp>

namespace tessera::app {

/// A job that is streamed: where, within how much memory, and why.
struct StreamChoice {
  BackendFacts backend;  ///< the host's where the user leaves it open: reading takes the longest
  std::uint64_t memory_limit;
  std::string why;
};

/// Where a job is streamed: by the backend that was chosen, which is among `all`, or the first of
/// the host, or, in a build that has none of the host, the first.
[[nodiscard]] BackendFacts streaming_backend(BackendChoice choice,
                                             std::vector<BackendFacts> const& all);

/// Whether a job is streamed: where the user's limit or a checkpoint asks for it, or where its
/// matrix fits neither the GPU that it is meant for nor the host.
[[nodiscard]] std::optional<StreamChoice> choose_stream(ComputeOptions const& options,
                                                        Job const& job);

}  // namespace tessera::app
