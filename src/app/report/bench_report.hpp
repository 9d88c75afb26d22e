// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <bench/machine.hpp>
#include <bench/measurement.hpp>
#include <string>
#include <vector>

#include <app/backend/backends.hpp>
#include <app/run/options.hpp>

namespace tessera::app {

struct BenchReport {
  BenchOptions const& options;
  io::ScalarType type;
  io::Layout layout;
  bool is_turned;  ///< column-major, read as rows of the transpose
  BackendFacts backend;
  bool backend_chosen;
  bench::Facts facts;
  std::vector<bench::Table> tables;
};
[[nodiscard]] std::string write_report(BenchReport const& report);

}  // namespace tessera::app
