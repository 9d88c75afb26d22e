// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/measurement.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

/// Searches for the fastest launch of Tessera's kernels: a grid of launches. Each is checked as the
/// rows of a Measurement are, and timed in turns of random order.
namespace tessera::bench {

/// One launch that was tried.
struct Trial {
  std::string stage;         ///< what was timed: "multiply", "fused", …, or "atax" for the whole
                             ///< operation
  std::string launch;        ///< as text
  bool is_backends = false;  ///< the backend's own choice
  std::string why_not{};     ///< why there is no time; empty: there is one
  std::string check{};       ///< as Row::check
  bool wrong = false;
  std::optional<Seconds> seconds{};
};

/// The result of a search.
struct Found {
  std::string why_not{};        ///< why nothing could be tried; empty: something could
  std::vector<Trial> trials{};  ///< stage by stage, the operation itself last; by time
  Launch best{};                ///< the fastest correct launch
  double seconds = 0;           ///< of `best`
  double backend_seconds = 0;   ///< of the backend's choice

  [[nodiscard]] bool has_wrong_trial() const;
};

/// Called with the current stage and its progress.
using SearchProgress =
    std::function<void(std::string const& stage, std::size_t done, std::size_t total)>;

/// Searches for the request's operation; ignores its variants and teams. Throws as measure.
Found search(Request const& request, SearchProgress const& progress = {});

}  // namespace tessera::bench
