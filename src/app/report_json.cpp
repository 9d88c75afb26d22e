// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>

#include <nlohmann/json.hpp>

#include <app/report.hpp>
#include <tessera/version.hpp>

namespace tessera::app {
namespace {

using Json = nlohmann::ordered_json;

/// JSON knows neither infinity nor NaN; they are written as strings.
Json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

Json to_object(Verdict const& verdict) {
  return {{"passed", verdict.passed()},
          {"elements", verdict.elements},
          {"failed", verdict.failed},
          {"not_judged", verdict.not_judged},
          {"greatest_error_in_bounds", number(verdict.worst_in_bounds)},
          {"index", verdict.worst},
          {"value", number(verdict.worst_value)},
          {"reference", number(verdict.worst_reference)},
          {"bound", number(verdict.worst_bound)},
          {"greatest_error_in_ulp", number(verdict.greatest_ulp)},
          {"ulp_index", verdict.ulp_index},
          {"seconds", verdict.seconds}};
}

Json file_or_null(std::string const& file) {
  return file.empty() ? Json(nullptr) : Json(file);
}

/// A file name need not be UTF-8; a byte that is not is replaced.
std::string text_of(Json const& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string to_json(Report const& r) {
  auto const& time = r.run.seconds;
  Json stages = Json::array();
  for (auto const& stage : r.run.stages) {
    stages.push_back({{"name", stage.name}, {"seconds", stage.seconds}});
  }
  Json cuts = Json::array();
  for (auto const& cut : r.run.cuts) {
    cuts.push_back({{"name", cut.name},
                    {"teams", cut.teams},
                    {"team_size", cut.team_size},
                    {"panels", cut.panels},
                    {"lines_per_panel", cut.lines_per_panel}});
  }
  return text_of(
      {{"operation", r.operation.command},
       {"method", r.run.method},
       {"backend", r.backend.name},
       {"backend_why", r.backend_why.empty() ? Json(nullptr) : Json(r.backend_why)},
       {"device", r.backend.device},
       {"rows", r.rows},
       {"cols", r.cols},
       {"type", io::to_string(r.type)},
       {"layout", io::to_string(r.layout)},
       {"seconds",
        {{"min", time.min}, {"median", time.median}, {"max", time.max}, {"repeats", time.repeats}}},
       {"stages", stages},
       {"bytes", r.run.bytes},
       {"gb_per_s", r.gb_per_s()},
       {"sha256", r.sha256},
       {"check", r.check ? to_object(*r.check) : Json(nullptr)},
       {"version", version},
       {"input", r.input},
       {"vector", r.vector},
       {"read_seconds", r.read_seconds},
       {"plan", cuts},
       {"output", file_or_null(r.output)},
       {"intermediate", file_or_null(r.intermediate)}});
}

std::string to_json(CheckReport const& r) {
  return text_of({{"operation", r.operation.command},
                  {"rows", r.rows},
                  {"cols", r.cols},
                  {"type", io::to_string(r.type)},
                  {"layout", io::to_string(r.layout)},
                  {"check", to_object(r.verdict)},
                  {"version", version},
                  {"input", r.input},
                  {"result", r.result},
                  {"vector", r.vector},
                  {"read_seconds", r.read_seconds}});
}

}  // namespace tessera::app
