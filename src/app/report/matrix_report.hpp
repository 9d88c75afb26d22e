// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <app/backend/backends.hpp>
#include <app/check/verdict.hpp>
#include <app/run/options.hpp>
#include <app/run/run.hpp>
#include <app/tuning/tuning_cache.hpp>

namespace tessera::app {

/// A matrix as reports name it.
struct MatrixFacts {
  std::string name;  ///< "A"
  std::string file;  ///< empty: in memory only
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  io::ScalarType type = io::ScalarType::f32;  ///< in memory
  io::Layout layout = io::Layout::right;
  std::optional<io::ElementType> stored = std::nullopt;  ///< in its file; empty: it came from none

  [[nodiscard]] std::uint64_t bytes() const {
    return static_cast<std::uint64_t>(rows * cols) * io::size_of(type);
  }
};
[[nodiscard]] MatrixFacts facts_of(std::string const& name, std::string const& file,
                                   io::HostMatrix const& matrix);

/// All that is known of a finished run of an operation that gives a matrix.
struct MatrixReport {
  std::string operation;  ///< the subcommand
  std::string formula;    ///< for people
  std::vector<MatrixFacts> inputs;
  MatrixFacts result;
  double read_seconds = 0;
  BackendFacts backend;
  bool backend_chosen = false;  ///< by the program, not by the user
  std::string backend_why;      ///< empty: the user said so
  Measurement const& run;
  std::string sha256;                    ///< of the elements of the result, in its order
  std::optional<Verdict> check;          ///< of sums
  std::optional<BitVerdict> bits_check;  ///< of moved elements
  std::optional<TuningInUse> tuning;     ///< empty: the backend's choice
};

/// The report as text for people or as one JSON object.
[[nodiscard]] std::string write_report(MatrixReport const& report, ReportFormat format);

/// As JSON; the other formats are text.
[[nodiscard]] std::string to_json(MatrixReport const& report);

}  // namespace tessera::app
