// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <check/verdict.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <app/backend/backends.hpp>
#include <app/run/input.hpp>
#include <app/run/options.hpp>
#include <app/run/run.hpp>
#include <app/tuning/tuning_cache.hpp>

namespace tessera::app {

/// The facts of a finished run of an operation.
struct Report {
  OperationRow const& operation;
  std::string input;
  std::int64_t rows;
  std::int64_t cols;
  io::ScalarType type;
  io::ElementType stored;  ///< of A in its file
  io::Layout layout;
  std::string vector;                            ///< the source of the vector
  std::int64_t vectors = 1;                      ///< number of vectors
  std::optional<io::ElementType> vector_stored;  ///< in its file; empty: no file
  TermOptions terms;                             ///< of atax, or U of two products
  double read_seconds;
  bool method_chosen;  ///< by the program, not by the user
  BackendFacts backend;
  bool backend_chosen;      ///< by the program, not by the user
  std::string backend_why;  ///< empty: the user chose it
  Measurement const& run;
  std::string sha256;
  std::string second_sha256;  ///< of the second of two results; empty: there is one
  std::optional<check::Verdict> check;
  std::string output;                 ///< empty: none
  std::string intermediate;           ///< empty: none
  std::optional<TuningInUse> tuning;  ///< empty: the backend's choice

  /// Bytes moved per second of the median run, in 10^9.
  [[nodiscard]] double gb_per_s() const;
};

/// The report as text for people, as one JSON object, or as a CSV header and row.
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
  std::int64_t vectors = 1;
  std::optional<io::ElementType> vector_stored;
  TermOptions terms;
  double read_seconds;
  check::Verdict verdict;
};
[[nodiscard]] std::string write_report(CheckReport const& report, ReportFormat format);

/// Facts about a matrix in reports.
struct MatrixFacts {
  std::string name;  ///< "A"
  std::string file;  ///< empty: in memory only
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  io::ScalarType type = io::ScalarType::f32;  ///< in memory
  io::Layout layout = io::Layout::right;
  std::optional<io::ElementType> stored = std::nullopt;  ///< in its file; empty: no file

  [[nodiscard]] std::uint64_t bytes() const {
    return static_cast<std::uint64_t>(rows * cols) * io::size_of(type);
  }
};
[[nodiscard]] MatrixFacts facts_of(std::string const& name, std::string const& file,
                                   io::HostMatrix const& matrix);

/// The facts of a finished run of an operation that returns a matrix.
struct MatrixReport {
  std::string operation;  ///< the subcommand
  std::string formula;    ///< for people
  std::vector<MatrixFacts> inputs;
  MatrixFacts result;
  double read_seconds = 0;
  BackendFacts backend;
  bool backend_chosen = false;  ///< by the program, not by the user
  std::string backend_why;      ///< empty: the user chose it
  Measurement const& run;
  std::string sha256;                           ///< of the elements of the result, in their order
  std::optional<check::Verdict> check;          ///< of sums
  std::optional<check::BitVerdict> bits_check;  ///< of moved elements
  std::optional<TuningInUse> tuning;            ///< empty: the backend's choice
};

/// The report as text for people or as one JSON object.
[[nodiscard]] std::string write_report(MatrixReport const& report, ReportFormat format);

// Shared with the reports that commands write themselves.

/// A line of a report for people.
[[nodiscard]] std::string report_line(std::string name, std::string const& text);
/// The lines about ranks and their exchange; empty if there is one process.
[[nodiscard]] std::string rank_lines(std::vector<RankFacts> const& ranks,
                                     std::string const& exchange);

using Json = nlohmann::ordered_json;

/// JSON has neither infinity nor NaN; they are written as strings.
[[nodiscard]] Json json_number(double value);
/// Null if the text is empty.
[[nodiscard]] Json text_or_null(std::string const& text);
/// The text of a JSON value. Invalid UTF-8, as in file names, is replaced.
[[nodiscard]] std::string json_text(Json const& json);

}  // namespace tessera::app
