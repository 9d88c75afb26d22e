// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <app/base/notices.hpp>
#include <app/base/ranks.hpp>
#include <app/base/text.hpp>
#include <app/report/report.hpp>
#include <app/report/report_formats.hpp>
#include <app/run/input.hpp>
#include <app/run/stored.hpp>
#include <tessera/version.hpp>

namespace tessera::app {

Json json_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

Json text_or_null(std::string const& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

std::string json_text(Json const& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

/// No greatest error (null) if nothing was judged.
Json to_object(check::Verdict const& verdict) {
  Json not_judged = Json::array();
  for (auto const& run : verdict.which_not_judged) {
    not_judged.push_back({{"first", run.first}, {"last", run.last}, {"why", run.why}});
  }
  auto const if_judged = [&](Json const& value) {
    return verdict.judged() > 0 ? value : Json(nullptr);
  };
  return {{"passed", verdict.passed()},
          {"verdict", to_string(verdict.judgement())},
          {"elements", verdict.elements},
          {"failed", verdict.failed},
          {"not_judged", verdict.not_judged},
          {"which_not_judged", not_judged},
          {"greatest_error_in_bounds", if_judged(json_number(verdict.worst_in_bounds))},
          {"index", if_judged(verdict.worst)},
          {"value", if_judged(json_number(verdict.worst_value))},
          {"reference", if_judged(json_number(verdict.worst_reference))},
          {"bound", if_judged(json_number(verdict.worst_bound))},
          {"greatest_error_in_ulp", if_judged(json_number(verdict.greatest_ulp))},
          {"ulp_index", if_judged(verdict.ulp_index)},
          {"seconds", verdict.seconds}};
}

Json to_object(TermOptions const& terms) {
  if (!terms.is_any()) return nullptr;
  if (terms.map == maps::Kind::replace) return {{"transposed_vector", terms.map_vector}};
  bool const has_map = terms.map != maps::Kind::identity;
  return {{"map", has_map ? Json(word_of(terms.map)) : Json(nullptr)},
          {"map_vector", text_or_null(terms.map_vector)},
          {"alpha", terms.alpha},
          {"beta", terms.effective_beta()},
          {"add", text_or_null(terms.add)}};
}

Json type_or_null(std::optional<io::ElementType> type) {
  return type ? Json(io::to_string(*type)) : Json(nullptr);
}

Json to_object(check::BitVerdict const& verdict) {
  return {{"passed", verdict.passed()},
          {"verdict", to_string(verdict.judgement())},
          {"elements", verdict.elements},
          {"failed", verdict.failed},
          {"seconds", verdict.seconds}};
}

Json to_object(TimeSummary const& time) {
  return {{"min", time.min}, {"median", time.median}, {"max", time.max}, {"repeats", time.repeats}};
}

Json to_object(std::vector<StageTime> const& stages) {
  Json array = Json::array();
  for (auto const& stage : stages) {
    array.push_back({{"name", stage.name}, {"seconds", stage.seconds}});
  }
  return array;
}

Json to_object(MaybePreference const& preference) {
  return preference ? Json(to_string(*preference)) : Json(nullptr);
}

Json to_object(std::optional<StreamFacts> const& stream) {
  if (!stream) return nullptr;
  return {{"blocks", stream->blocks},           {"block_bytes", stream->block_bytes},
          {"bytes_read", stream->bytes_read},   {"memory_limit", stream->memory_limit},
          {"first_block", stream->first_block}, {"why", stream->why}};
}

Json to_object(std::vector<RankFacts> const& ranks) {
  if (ranks.empty()) return nullptr;
  Json array = Json::array();
  for (RankFacts const& rank : ranks) {
    if (rank.streams) {
      array.push_back({{"bytes_read", rank.bytes_read}, {"seconds", rank.seconds}});
      continue;
    }
    array.push_back({{"first_row", rank.first_row},
                     {"rows", rank.rows},
                     {"read_seconds", rank.read_seconds},
                     {"seconds", rank.seconds}});
  }
  return array;
}

Json to_object(MatrixFacts const& matrix) {
  return {{"name", matrix.name},
          {"file", text_or_null(matrix.file)},
          {"rows", matrix.rows},
          {"cols", matrix.cols},
          {"type", io::to_string(matrix.type)},
          {"layout", io::to_string(matrix.layout)},
          {"stored_type", type_or_null(matrix.stored)}};
}

Json to_object(std::optional<TuningInUse> const& tuning) {
  if (!tuning) return nullptr;
  return {{"rows", tuning->record.shape.rows},
          {"cols", tuning->record.shape.cols},
          {"file", tuning->file}};
}

}  // namespace

std::string to_json(Report const& r) {
  auto const& [info, x, vectors, type, source, vector_stored, holds_stored] = r.product.operands;
  Json cuts = Json::array();
  for (auto const& cut : r.run.cuts) {
    cuts.push_back({{"name", cut.name},
                    {"teams", cut.teams},
                    {"team_size", cut.team_size},
                    {"panels", cut.panels},
                    {"lines_per_panel", cut.lines_per_panel}});
  }
  return json_text({{"operation", r.product.operation.command},
                    {"method", r.run.method},
                    {"kernels", text_or_null(kernels_of(r.run))},
                    {"backend", r.decision.backend.name},
                    {"backend_why", text_or_null(r.decision.why)},
                    {"device", r.decision.backend.device},
                    {"rows", info.rows},
                    {"cols", info.cols},
                    {"type", io::to_string(type)},
                    {"layout", io::to_string(info.layout)},
                    {"seconds", to_object(r.run.seconds)},
                    {"stages", to_object(r.run.stages)},
                    {"bytes", r.run.bytes},
                    {"gb_per_s", rate_of(r.run, static_cast<double>(r.run.bytes))},
                    {"sha256", r.sha256},
                    {"check", r.check ? to_object(*r.check) : Json(nullptr)},
                    {"version", version},
                    {"input", r.product.input},
                    {"vector", source},
                    {"read_seconds", r.product.read_seconds},
                    {"plan", cuts},
                    {"tuning", to_object(r.tuning)},
                    {"output", text_or_null(r.output)},
                    {"intermediate", text_or_null(r.intermediate)},
                    {"cache_preference", to_object(r.run.cache_preference)},
                    {"stream", to_object(r.run.stream)},
                    {"stored_type", io::to_string(info.stored)},
                    {"held_type", r.run.stream   ? Json(nullptr)
                                  : holds_stored ? Json(io::to_string(info.stored))
                                                 : Json(io::to_string(type))},
                    {"vector_stored_type", type_or_null(vector_stored)},
                    {"terms", to_object(r.product.terms)},
                    {"vectors", vectors},
                    {"second_sha256", text_or_null(r.second_sha256)},
                    {"ranks", to_object(r.run.ranks)},
                    {"exchange", text_or_null(r.run.exchange)},
                    {"notices", report_notices()}});
}

std::string to_json(MatrixReport const& r) {
  Json inputs = Json::array();
  for (auto const& matrix : r.inputs) inputs.push_back(to_object(matrix));
  return json_text({{"operation", r.operation},
                    {"method", r.run.method},
                    {"kernels", text_or_null(kernels_of(r.run))},
                    {"backend", r.decision.backend.name},
                    {"backend_why", text_or_null(r.decision.why)},
                    {"device", r.decision.backend.device},
                    {"inputs", inputs},
                    {"result", to_object(r.result)},
                    {"seconds", to_object(r.run.seconds)},
                    {"stages", to_object(r.run.stages)},
                    {"bytes", r.run.bytes},
                    {"gb_per_s", rate_of(r.run, static_cast<double>(r.run.bytes))},
                    {"flops", r.run.flops},
                    {"gflop_per_s", rate_of(r.run, r.run.flops)},
                    {"sha256", r.sha256},
                    {"check", r.check        ? to_object(*r.check)
                              : r.bits_check ? to_object(*r.bits_check)
                                             : Json(nullptr)},
                    {"version", version},
                    {"read_seconds", r.read_seconds},
                    {"tuning", to_object(r.tuning)},
                    {"cache_preference", to_object(r.run.cache_preference)},
                    {"notices", report_notices()}});
}

std::string to_json(CheckReport const& r) {
  auto const& [info, x, vectors, type, source, vector_stored, holds_stored] = r.product.operands;
  return json_text({{"operation", r.product.operation.command},
                    {"rows", info.rows},
                    {"cols", info.cols},
                    {"type", io::to_string(type)},
                    {"layout", io::to_string(info.layout)},
                    {"check", to_object(r.verdict)},
                    {"version", version},
                    {"input", r.product.input},
                    {"result", r.result},
                    {"vector", source},
                    {"read_seconds", r.product.read_seconds},
                    {"stored_type", io::to_string(info.stored)},
                    {"vector_stored_type", type_or_null(vector_stored)},
                    {"terms", to_object(r.product.terms)},
                    {"vectors", vectors},
                    {"notices", report_notices()}});
}

}  // namespace tessera::app
