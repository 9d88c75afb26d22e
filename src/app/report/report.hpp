// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>

#include <app/backend/backends.hpp>
#include <app/check/verdict.hpp>
#include <app/run/input.hpp>
#include <app/run/options.hpp>
#include <app/run/run.hpp>
#include <app/tuning/tuning_cache.hpp>

namespace tessera::app {

/// All that is known of a finished run of an operation.
struct Report {
  OperationRow const& operation;
  std::string input;
  std::int64_t rows;
  std::int64_t cols;
  io::ScalarType type;
  io::ElementType stored;  ///< of A in its file
  io::Layout layout;
  std::string vector;                            ///< where the vector came from
  std::optional<io::ElementType> vector_stored;  ///< in its file; empty: it has none
  double read_seconds;
  bool method_chosen;  ///< by the program, not by the user
  BackendFacts backend;
  bool backend_chosen;      ///< by the program, not by the user
  std::string backend_why;  ///< empty: the user said so
  Measurement const& run;
  std::string sha256;
  std::optional<Verdict> check;
  std::string output;                 ///< empty: none
  std::string intermediate;           ///< empty: none
  std::optional<TuningInUse> tuning;  ///< empty: the backend's choice

  /// Bytes moved per second of the median run, in 10^9.
  [[nodiscard]] double gb_per_s() const;
};

/// The report as text for people, as one JSON object, or as a CSV header and row.
[[nodiscard]] std::string to_text(Report const& report);
[[nodiscard]] std::string to_json(Report const& report);
[[nodiscard]] std::string to_csv(Report const& report);
[[nodiscard]] std::string write_report(Report const& report, ReportFormat format);

/// The verdict of `tessera check`, in the same three formats.
struct CheckReport {
  OperationRow const& operation;
  std::string input;
  std::string result;
  std::int64_t rows;
  std::int64_t cols;
  io::ScalarType type;
  io::ElementType stored;  ///< of A in its file
  io::Layout layout;
  std::string vector;
  std::optional<io::ElementType> vector_stored;
  double read_seconds;
  Verdict verdict;
};
[[nodiscard]] std::string to_text(CheckReport const& report);
[[nodiscard]] std::string to_json(CheckReport const& report);
[[nodiscard]] std::string to_csv(CheckReport const& report);
[[nodiscard]] std::string write_report(CheckReport const& report, ReportFormat format);

}  // namespace tessera::app
