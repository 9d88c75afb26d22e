// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <app/solve/operator.hpp>
#include <tessera/solve/control.hpp>

namespace tessera::app {

/// How a run of a solver went, whatever it solved.
struct SolveRun {
  solve::Stop stop = solve::Stop::iteration_limit;
  std::int64_t iterations = 0;
  std::int64_t reads = 0;
  std::int64_t first_iteration = 0;  ///< of a checkpoint that it went on from
  std::vector<solve::Step> history;
  double seconds = 0;  ///< of all steps
  Reading reading;

  /// Takes what every result of a solver has.
  template <class Result>
  void take(Result& result) {
    stop = result.stop;
    iterations = result.iterations;
    reads = result.reads;
    history = std::move(result.history);
  }
};

}  // namespace tessera::app
