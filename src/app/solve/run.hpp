// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <app/solve/operator.hpp>
#include <tessera/solve/control.hpp>
#include <tessera/solve/stop.hpp>

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

  /// Takes what a further run took, of the same reading. Why it stopped is what the first without
  /// success says, or the first whose numbers are not finite.
  void add(SolveRun&& other, bool is_first) {
    bool const is_worse = other.stop == solve::Stop::not_finite && stop != other.stop;
    if (is_first || solve::is_success(stop) || is_worse) stop = other.stop;
    iterations += other.iterations;
    reads += other.reads;
    first_iteration += other.first_iteration;
    seconds += other.seconds;
    history = std::move(other.history);
  }
};

}  // namespace tessera::app
