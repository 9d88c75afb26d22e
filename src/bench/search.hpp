// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/measurement.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

/// Searches for the fastest launch of our kernels.
namespace tessera::bench {

struct Trial {
  std::string stage;  ///< "multiply", "fused", …; "atax" for the whole
  std::string launch;
  bool is_backends = false;
  std::string why_not{};
  std::string check{};
  bool wrong = false;
  std::optional<Seconds> seconds{};
};

struct Found {
  std::string why_not{};
  std::vector<Trial> trials{};  ///< by stage, the whole last; by time within a stage
  Launch best{};
  double seconds = 0;
  double backend_seconds = 0;

  [[nodiscard]] bool has_wrong_trial() const;
};

using SearchProgress =
    std::function<void(std::string const& stage, std::size_t done, std::size_t total)>;

/// Ignores the request's variants and teams.
Found search(Request const& request, SearchProgress const& progress = {});

}  // namespace tessera::bench
