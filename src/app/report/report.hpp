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

struct Report {
  OperationRow const& operation;
  std::string input;
  std::int64_t rows;
  std::int64_t cols;
  io::ScalarType type;
  io::ElementType stored;
  bool holds_stored = false;  ///< in memory as in the file
  io::Layout layout;
  std::string vector;
  std::int64_t vectors = 1;
  std::optional<io::ElementType> vector_stored;
  TermOptions terms;  ///< of atax, or U of two products
  double read_seconds;
  bool method_chosen;
  BackendFacts backend;
  bool backend_chosen;
  std::string backend_why;
  Measurement const& run;
  std::string sha256;
  std::string second_sha256;  ///< empty: one result
  std::optional<check::Verdict> check;
  std::string output;
  std::string intermediate;
  std::optional<TuningInUse> tuning;  ///< empty: the backend's choice

  /// Of the median run, in 10^9 bytes per second.
  [[nodiscard]] double gb_per_s() const;
};

[[nodiscard]] std::string write_report(Report const& report, ReportFormat format);

struct CheckReport {
  OperationRow const& operation;
  std::string input;
  std::string result;
  std::int64_t rows;
  std::int64_t cols;
  io::ScalarType type;
  io::ElementType stored;
  io::Layout layout;
  std::string vector;
  std::int64_t vectors = 1;
  std::optional<io::ElementType> vector_stored;
  TermOptions terms;
  double read_seconds;
  check::Verdict verdict;
};
[[nodiscard]] std::string write_report(CheckReport const& report, ReportFormat format);

struct MatrixFacts {
  std::string name;
  std::string file;  ///< empty: in memory only
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  io::ScalarType type = io::ScalarType::f32;
  io::Layout layout = io::Layout::right;
  std::optional<io::ElementType> stored = std::nullopt;

  [[nodiscard]] std::uint64_t bytes() const {
    return static_cast<std::uint64_t>(rows * cols) * io::size_of(type);
  }
};
[[nodiscard]] MatrixFacts facts_of(std::string const& name, std::string const& file,
                                   io::HostMatrix const& matrix);

struct MatrixReport {
  std::string operation;
  std::string formula;
  std::vector<MatrixFacts> inputs;
  MatrixFacts result;
  double read_seconds = 0;
  BackendFacts backend = {};
  bool backend_chosen = false;
  std::string backend_why = {};
  Measurement const& run;
  std::string sha256 = {};
  std::optional<check::Verdict> check = std::nullopt;
  std::optional<check::BitVerdict> bits_check = std::nullopt;
  std::optional<TuningInUse> tuning = std::nullopt;
};

[[nodiscard]] std::string write_report(MatrixReport const& report, ReportFormat format);

[[nodiscard]] std::string report_line(std::string name, std::string const& text);
/// Empty for one process.
[[nodiscard]] std::string rank_lines(std::vector<RankFacts> const& ranks,
                                     std::string const& exchange);

using Json = nlohmann::ordered_json;

/// Infinity and NaN become strings.
[[nodiscard]] Json json_number(double value);
[[nodiscard]] Json text_or_null(std::string const& text);
/// Replaces invalid UTF-8, as in file names.
[[nodiscard]] std::string json_text(Json const& json);

}  // namespace tessera::app
