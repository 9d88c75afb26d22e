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

/// The operands of a product.
struct ProductFacts {
  OperationRow const& operation;
  std::string const& input;
  VectorInput const& operands;
  TermOptions const& terms;  ///< of atax, or U of two products
  double read_seconds;
};

struct Report {
  ProductFacts product;
  bool method_chosen;
  BackendDecision const& decision;
  bool backend_chosen;
  Measurement const& run;
  std::string sha256;
  std::string second_sha256;  ///< empty: one result
  std::optional<check::Verdict> check;
  std::string output;
  std::string intermediate;
  std::optional<TuningInUse> tuning;  ///< empty: the backend's choice
};
[[nodiscard]] std::string write_report(Report const& report, ReportFormat format);

struct CheckReport {
  ProductFacts product;
  std::string result;
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
  BackendDecision const& decision;
  bool backend_chosen = false;
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
