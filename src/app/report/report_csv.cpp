// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <string>

#include <app/base/notices.hpp>
#include <app/base/text.hpp>
#include <app/report/report.hpp>
#include <app/report/report_formats.hpp>
#include <app/run/input.hpp>
#include <tessera/version.hpp>

namespace tessera::app {
namespace {

class CsvTable {
 public:
  void add(std::string const& name, std::string const& value) {
    header_ += (header_.empty() ? "" : ",") + name;
    row_ += (header_ == name ? "" : ",") + csv_field(value);
  }
  void add(std::string const& name, double value) { add(name, general(value, 9)); }
  void add(std::string const& name, std::int64_t value) { add(name, std::to_string(value)); }
  void add_matrix(VectorInput const& operands) {
    add("rows", std::to_string(operands.info.rows));
    add("cols", std::to_string(operands.info.cols));
    add("type", std::string(io::to_string(operands.type)));
    add("layout", std::string(io::to_string(operands.info.layout)));
  }
  [[nodiscard]] std::string text() const { return header_ + "\n" + row_ + "\n"; }

 private:
  std::string header_;
  std::string row_;
};

std::string notices_in_a_field() {
  std::string text;
  for (auto const& notice : report_notices()) text += (text.empty() ? "" : "; ") + notice;
  return text;
}

void add_terms(CsvTable& table, TermOptions const& terms) {
  bool const has_map = terms.map != maps::Kind::identity && terms.map != maps::Kind::replace;
  table.add("map", has_map ? word_of(terms.map) : std::string());
  table.add("map_vector", terms.map_vector);
  table.add("alpha", general(terms.alpha, 17));
  table.add("beta", general(terms.effective_beta(), 17));
  table.add("add", terms.add);
}

void add_verdict(CsvTable& table, check::Verdict const& verdict) {
  auto const if_judged = [&](std::string const& text) { return verdict.judged() > 0 ? text : ""; };
  table.add("failed", verdict.failed);
  table.add("not_judged", verdict.not_judged);
  table.add("greatest_error_in_bounds", if_judged(general(verdict.worst_in_bounds, 9)));
  table.add("greatest_error_in_ulp", if_judged(general(verdict.greatest_ulp, 9)));
  table.add("index", if_judged(std::to_string(verdict.worst)));
}

/// The last columns of a product's row.
std::string with_inputs(CsvTable& table, ProductFacts const& product) {
  VectorInput const& operands = product.operands;
  table.add("stored_type", std::string(io::to_string(operands.info.stored)));
  table.add("vector_stored_type", operands.vector_stored
                                      ? std::string(io::to_string(*operands.vector_stored))
                                      : std::string());
  add_terms(table, product.terms);
  table.add("vectors", operands.columns);
  table.add("notices", notices_in_a_field());
  return table.text();
}

}  // namespace

std::string to_csv(Report const& r) {
  CsvTable table;
  table.add("operation", std::string(r.product.operation.command));
  table.add("method", r.run.method);
  table.add("kernels", kernels_of(r.run));
  table.add("backend", r.decision.backend.name);
  table.add("device", r.decision.backend.device);
  table.add_matrix(r.product.operands);
  table.add("seconds_min", r.run.seconds.min);
  table.add("seconds_median", r.run.seconds.median);
  table.add("seconds_max", r.run.seconds.max);
  table.add("repeats", std::int64_t{r.run.seconds.repeats});
  table.add("bytes", static_cast<std::int64_t>(r.run.bytes));
  table.add("gb_per_s", rate_of(r.run, static_cast<double>(r.run.bytes)));
  table.add("sha256", r.sha256);
  table.add("check", std::string(r.check ? to_string(r.check->judgement()) : ""));
  table.add("version", std::string(version));
  table.add("input", r.product.input);
  table.add("vector", r.product.operands.vector_source);
  table.add("read_seconds", r.product.read_seconds);
  table.add("cache_preference", r.run.cache_preference
                                    ? std::string(to_string(*r.run.cache_preference))
                                    : std::string());
  table.add("blocks", r.run.stream ? r.run.stream->blocks : std::int64_t{0});
  return with_inputs(table, r.product);
}

std::string to_csv(CheckReport const& r) {
  CsvTable table;
  table.add("operation", std::string(r.product.operation.command));
  table.add_matrix(r.product.operands);
  table.add("check", std::string(to_string(r.verdict.judgement())));
  add_verdict(table, r.verdict);
  table.add("version", std::string(version));
  table.add("input", r.product.input);
  table.add("result", r.result);
  table.add("vector", r.product.operands.vector_source);
  return with_inputs(table, r.product);
}

}  // namespace tessera::app
