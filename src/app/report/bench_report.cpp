// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bench/measurement.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <app/base/names.hpp>
#include <app/base/text.hpp>
#include <app/report/bench_report.hpp>
#include <app/report/report.hpp>

namespace tessera::app {
namespace {

using bench::Row;
using bench::Table;

bench::Operation const& operation_of(BenchReport const& report) {
  return bench::operation_named(report.options.operation);
}

std::string team_text(std::optional<published::TeamShape> const& team) {
  if (!team) return "";
  return std::to_string(team->rows) + "x" + std::to_string(team->cols);
}

std::string tile_text(std::optional<std::int64_t> const& tile) {
  return tile ? std::to_string(*tile) : "";
}

/// Without the function's name.
std::string plain(std::string const& sentence) {
  auto const colon = sentence.find(": ");
  bool const is_named = sentence.starts_with("tessera::") && colon != std::string::npos;
  return is_named ? sentence.substr(colon + 2) : sentence;
}

std::string table_text(BenchReport const& report, Table const& table) {
  auto const& operation = operation_of(report);
  std::string text = std::string(operation.formula) + "   " + matrix_text(table.shape) + ", " +
                     std::string(io::to_string(report.type)) + ", " +
                     std::string(io::to_string(report.layout)) + "\n";
  if (!table.why_not.empty()) return text + "  not measured: " + table.why_not + "\n";
  if (table.stream) {
    text += "  " + table.stream->name + ": " + duration(table.stream->seconds) + ", " +
            fixed(table.stream->gb_per_s, 1) + " GB/s\n";
  }
  bool const flops = operation.is_counted_in_flops;
  bool const teams =
      std::ranges::any_of(table.rows, [](Row const& row) { return row.team.has_value(); });
  bool const tiles =
      std::ranges::any_of(table.rows, [](Row const& row) { return row.tile.has_value(); });
  std::vector<std::vector<std::string>> lines;
  auto const add = [&](std::vector<std::string> line) {
    if (!report.options.check) line.pop_back();
    if (!table.stream) line.erase(line.begin() + 5);
    if (!tiles) line.erase(line.begin() + 2);
    if (!teams) line.erase(line.begin() + 1);
    lines.push_back(std::move(line));
  };
  add({"kernel", "team", "tile", "time", flops ? "GFLOP/s" : "GB/s",
       "of " + std::string(operation.stream), "speed-up", "repeats", "check", "reference"});
  for (Row const& row : table.rows) {
    std::string const reference = row.opinion ? row.opinion->text : "";
    std::string const name = row.name + (row.is_copy ? " (a copy)" : "");
    if (!row.seconds) {
      bool const in_two = report.options.check && !row.why_not.empty();
      add({name, team_text(row.team), tile_text(row.tile), "-", "-", "-", "-",
           to_string(row.repeats),
           in_two                ? "not run"
           : row.why_not.empty() ? row.check
                                 : "not run: " + plain(row.why_not),
           in_two ? plain(row.why_not) : reference});
      continue;
    }
    add({name, team_text(row.team), tile_text(row.tile), duration(row.seconds->median),
         fixed(flops ? row.gflop_per_s : row.gb_per_s, 1), row.share ? fixed(*row.share, 3) : "-",
         fixed(row.speed_up, 2), to_string(row.repeats), row.check, reference});
  }
  std::size_t const columns = lines.front().size();
  std::size_t const words = report.options.check ? 3 : 2;
  return text + aligned(lines, {columns - words, columns - 2, columns - 1});
}

std::string numbers_text(BenchReport const& report) {
  BenchOptions const& options = report.options;
  if (options.files.empty()) return "";
  std::string text = "A of " + options.files.front();
  if (report.is_turned) text += ", read as the rows of its transpose";
  if (options.files.size() > 1) text += ", B of " + options.files.back();
  if (!options.vector.empty()) text += ", V of " + options.vector;
  return text + "\n";
}

std::string to_text(BenchReport const& report) {
  std::string text;
  for (auto const& [name, value] : report.facts) {
    if (name == "tessera") text += "tessera " + value;
    if (name == "commit") text += ", commit " + value;
    if (name == "peers") text += "; libraries: " + value + "\n";
  }
  text += report.backend.name + (report.backend_chosen ? " (chosen), " : ", ") +
          report.backend.device +
          (report.options.cache_preference
               ? ", cache preference " + std::string(to_string(*report.options.cache_preference))
               : "") +
          "; medians of " + std::to_string(report.options.turns) + " runs in random order\n" +
          numbers_text(report);
  for (auto const& table : report.tables) text += "\n" + table_text(report, table);
  return text;
}

Json to_json(Row const& row) {
  Json json = {{"name", row.name}, {"kind", to_string(row.kind)}};
  json["team"] = row.team ? Json(team_text(row.team)) : Json(nullptr);
  json["tile"] = row.tile ? Json(*row.tile) : Json(nullptr);
  json["is_copy"] = row.is_copy;
  json["repeats"] = to_string(row.repeats);
  json["check"] = text_or_null(row.check);
  json["reference"] = row.opinion ? Json(row.opinion->text) : Json(nullptr);
  json["sha256"] = row.opinion ? Json(row.opinion->sha256) : Json(nullptr);
  json["wrong"] = row.wrong;
  json["why_not"] = text_or_null(row.why_not);
  if (!row.seconds) return json;
  json["seconds"] = {
      {"min", row.seconds->min}, {"median", row.seconds->median}, {"max", row.seconds->max}};
  json["host_seconds"] = row.host_seconds ? Json(*row.host_seconds) : Json(nullptr);
  json["kernels"] = row.kernels;
  json["calls"] = row.calls;
  json["gb_per_s"] = row.gb_per_s;
  json["gflop_per_s"] = row.gflop_per_s;
  json["share"] = row.share ? Json(*row.share) : Json(nullptr);
  json["speed_up"] = row.speed_up;
  return json;
}

Json to_json(Table const& table) {
  Json json = {{"rows", table.shape.rows}, {"cols", table.shape.cols}};
  if (table.shape.padding > 0) json["padding"] = table.shape.padding;
  if (table.shape.is_product()) json["factor_cols"] = table.shape.factor_cols;
  json["why_not"] = text_or_null(table.why_not);
  if (!table.why_not.empty()) return json;
  json["bytes"] = table.bytes;
  json["flops"] = table.flops;
  json["copies"] = table.copies;
  json["stream"] = nullptr;
  if (table.stream) {
    json["stream"] = {{"name", table.stream->name},
                      {"seconds", table.stream->seconds},
                      {"gb_per_s", table.stream->gb_per_s}};
  }
  json["results"] = Json::array();
  for (auto const& row : table.rows) json["results"].push_back(to_json(row));
  return json;
}

std::string to_json(BenchReport const& report) {
  Json context;
  for (auto const& [name, value] : report.facts) context[name] = value;
  context["backend_device"] = report.backend.device;
  Json json = {{"operation", command_of(report.options.operation)},
               {"files", report.options.files},
               {"is_turned", report.is_turned},
               {"vector", text_or_null(report.options.vector)},
               {"most_teams",
                report.options.most_teams == 0 ? Json(nullptr) : Json(report.options.most_teams)},
               {"backend", report.backend.name},
               {"type", io::to_string(report.type)},
               {"layout", io::to_string(report.layout)},
               {"cache_preference", report.options.cache_preference
                                        ? Json(to_string(*report.options.cache_preference))
                                        : Json(nullptr)},
               {"turns", report.options.turns},
               {"seconds_of_turn", report.options.seconds},
               {"context", context},
               {"tables", Json::array()}};
  for (auto const& table : report.tables) json["tables"].push_back(to_json(table));
  return json_text(json);
}

std::string to_csv(BenchReport const& report) {
  std::string text =
      "operation,shape,type,layout,backend,device,name,kind,team,tile,repeats,check,reference,why_"
      "not,seconds_min,"
      "seconds_median,seconds_max,gb_per_s,gflop_per_s,share,speed_up,stream,stream_seconds\n";
  auto const add = [&](Table const& table, Row const& row) {
    auto const number = [&](double value) { return row.seconds ? general(value, 9) : ""; };
    auto const seconds = row.seconds.value_or(bench::Seconds{});
    std::vector<std::string> const fields = {command_of(report.options.operation),
                                             name_of(table.shape),
                                             std::string(io::to_string(report.type)),
                                             std::string(io::to_string(report.layout)),
                                             report.backend.name,
                                             report.backend.device,
                                             row.name,
                                             to_string(row.kind),
                                             team_text(row.team),
                                             tile_text(row.tile),
                                             to_string(row.repeats),
                                             row.check,
                                             row.opinion ? row.opinion->text : "",
                                             row.why_not,
                                             number(seconds.min),
                                             number(seconds.median),
                                             number(seconds.max),
                                             number(row.gb_per_s),
                                             number(row.gflop_per_s),
                                             row.share ? general(*row.share, 9) : "",
                                             number(row.speed_up),
                                             table.stream ? table.stream->name : "",
                                             table.stream ? general(table.stream->seconds, 9) : ""};
    for (std::size_t k = 0; k < fields.size(); ++k)
      text += (k == 0 ? "" : ",") + csv_field(fields[k]);
    text += "\n";
  };
  for (auto const& table : report.tables) {
    if (!table.why_not.empty()) add(table, Row{.name = "all", .why_not = table.why_not});
    for (auto const& row : table.rows) add(table, row);
  }
  return text;
}

}  // namespace

std::string write_report(BenchReport const& report) {
  if (report.options.format == ReportFormat::json) return to_json(report);
  return report.options.format == ReportFormat::csv ? to_csv(report) : to_text(report);
}

}  // namespace tessera::app
