// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <bench/facts.hpp>
#include <bench/measurement.hpp>
#include <string>
#include <vector>

#include <app/backend/backends.hpp>
#include <app/run/options.hpp>

namespace tessera::app {

/// All that `tessera bench` has found.
struct BenchReport {
  BenchOptions const& options;
  BackendFacts backend;
  bool backend_chosen;  ///< by the program, not by the user
  bench::Facts facts;
  std::vector<bench::Table> tables;
};

/// The report as tables for people, as one JSON object, or as CSV with a line a row.
[[nodiscard]] std::string write_report(BenchReport const& report);

}  // namespace tessera::app
