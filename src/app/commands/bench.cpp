// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bench/facts.hpp>
#include <bench/measurement.hpp>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <app/backend/backends.hpp>
#include <app/base/failure.hpp>
#include <app/base/progress.hpp>
#include <app/base/text.hpp>
#include <app/commands/commands.hpp>
#include <app/commands/measured_backend.hpp>
#include <app/run/files.hpp>
#include <app/run/options.hpp>
#include <io/memory.hpp>
#include <io/output_file.hpp>

namespace tessera::app {
namespace {

/// All that `tessera bench` has found.
struct BenchReport {
  BenchOptions const& options;
  BackendFacts backend;
  bool backend_chosen;  ///< by the program, not by the user
  bench::Facts facts;
  std::vector<bench::Table> tables;
};

/// "32x8" as a team of threads.
variants::Team parse_team(std::string const& text) {
  if (auto const team = two_extents(text)) return {team->first, team->second};
  throw Failure(ExitStatus::usage,
                "--teams: '" + text + "' is no team: expected RxC, both at least 1");
}

/// What the options say, but for the shape.
bench::Request request_of(BenchOptions const& options, BackendFacts const& backend) {
  bench::Request request{.backend = backend.name,
                         .scalar = scalar_name(options.type),
                         .operation = options.operation,
                         .shape = {},
                         .layout = layout_of(options.layout),
                         .cache_preference = options.cache_preference,
                         .turns = options.turns,
                         .seconds = options.seconds};
  if (options.variants == "none") {
    request.variants.emplace();
  } else if (options.variants != "all") {
    request.variants = bench::split_at_commas(options.variants);
  }
  if (!options.teams.empty()) {
    for (auto const& team : bench::split_at_commas(options.teams)) {
      request.teams.push_back(parse_team(team));
    }
  }
  return request;
}

/// Refuses teams where no variant is measured.
/// @throws Failure usage
void require_teams_in_use(bench::Request const& request) {
  if (request.teams.empty()) return;
  auto const variants =
      bench::names_of_variants(request.backend, request.operation, request.layout);
  if (!variants.empty() && !(request.variants && request.variants->empty())) return;
  throw Failure(
      ExitStatus::usage,
      "--teams: only variants have teams, and none is measured: " +
          std::string(variants.empty() ? "there is none of " + command_of(request.operation)
                                       : "found --variants none"));
}

/// Measures one shape, with a bar.
bench::Table measure_shape(bench::Request const& request) {
  ProgressBar bar("measuring " + name_of(request.shape));
  try {
    return bench::measure(request,
                          [&](std::size_t done, std::size_t total) { bar.set(done, total); });
  } catch (std::invalid_argument const& error) {
    throw Failure(ExitStatus::usage, std::string("bench: ") + error.what());
  }
}

using Json = nlohmann::ordered_json;
using bench::Row;
using bench::Table;

bench::Operation const& operation_of(BenchReport const& report) {
  return bench::operation_named(report.options.operation);
}

std::string team_text(std::optional<variants::Team> const& team) {
  if (!team) return "";
  return std::to_string(team->rows) + "x" + std::to_string(team->cols);
}

std::string layout_text(io::Layout layout) {
  return layout == io::Layout::right ? "row-major" : "column-major";
}

/// A refusal of the library without the name of its function.
std::string plain(std::string const& sentence) {
  auto const colon = sentence.find(": ");
  bool const is_named = sentence.starts_with("tessera::") && colon != std::string::npos;
  return is_named ? sentence.substr(colon + 2) : sentence;
}

std::string table_text(BenchReport const& report, Table const& table) {
  auto const& operation = operation_of(report);
  std::string text = std::string(operation.formula) + "   " + matrix_text(table.shape) + ", " +
                     std::string(io::to_string(report.options.type)) + ", " +
                     layout_text(report.options.layout) + "\n";
  if (!table.why_not.empty()) return text + "  not measured: " + table.why_not + "\n";
  if (table.stream) {
    text += "  " + table.stream->name + ": " + duration(table.stream->seconds) + ", " +
            fixed(table.stream->gb_per_s, 1) + " GB/s\n";
  }
  bool const flops = operation.is_counted_in_flops;
  bool const teams =
      std::ranges::any_of(table.rows, [](Row const& row) { return row.team.has_value(); });
  std::vector<std::vector<std::string>> lines;
  auto const add = [&](std::vector<std::string> line) {
    if (!table.stream) line.erase(line.begin() + 4);
    if (!teams) line.erase(line.begin() + 1);
    lines.push_back(std::move(line));
  };
  add({"kernel", "team", "time", flops ? "GFLOP/s" : "GB/s", "of " + std::string(operation.stream),
       "speed-up", "repeats", "check"});
  for (Row const& row : table.rows) {
    std::string const name = row.name + (row.is_copy ? " (a copy)" : "");
    if (!row.seconds) {
      add({name, team_text(row.team), "-", "-", "-", "-", to_string(row.repeats),
           row.wrong ? row.check : "not run: " + plain(row.why_not)});
      continue;
    }
    add({name, team_text(row.team), duration(row.seconds->median),
         fixed(flops ? row.gflop_per_s : row.gb_per_s, 1), row.share ? fixed(*row.share, 3) : "-",
         fixed(row.speed_up, 2), to_string(row.repeats), row.check});
  }
  std::size_t const columns = lines.front().size();
  return text + aligned(lines, {columns - 2, columns - 1});
}

std::string to_text(BenchReport const& report) {
  std::string text;
  for (auto const& [name, value] : report.facts) {
    if (name == "tessera") text += "tessera " + value;
    if (name == "commit") text += ", commit " + value;
    if (name == "peers") text += "; peers: " + value + "\n";
  }
  text += report.backend.name + (report.backend_chosen ? " (chosen), " : ", ") +
          report.backend.device +
          (report.options.cache_preference
               ? ", cache preference " + std::string(to_string(*report.options.cache_preference))
               : "") +
          "; medians of " + std::to_string(report.options.turns) + " turns in random order\n";
  for (auto const& table : report.tables) text += "\n" + table_text(report, table);
  return text;
}

Json to_json(Row const& row) {
  Json json = {{"name", row.name}, {"kind", to_string(row.kind)}};
  json["team"] = row.team ? Json(team_text(row.team)) : Json(nullptr);
  json["is_copy"] = row.is_copy;
  json["repeats"] = to_string(row.repeats);
  json["check"] = row.check.empty() ? Json(nullptr) : Json(row.check);
  json["wrong"] = row.wrong;
  json["why_not"] = row.why_not.empty() ? Json(nullptr) : Json(row.why_not);
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
  json["why_not"] = table.why_not.empty() ? Json(nullptr) : Json(table.why_not);
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
               {"backend", report.backend.name},
               {"type", io::to_string(report.options.type)},
               {"layout", io::to_string(report.options.layout)},
               {"cache_preference", report.options.cache_preference
                                        ? Json(to_string(*report.options.cache_preference))
                                        : Json(nullptr)},
               {"turns", report.options.turns},
               {"seconds_of_turn", report.options.seconds},
               {"context", context},
               {"tables", Json::array()}};
  for (auto const& table : report.tables) json["tables"].push_back(to_json(table));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_csv(BenchReport const& report) {
  std::string text =
      "operation,shape,type,layout,backend,device,name,kind,team,repeats,check,why_not,seconds_min,"
      "seconds_median,seconds_max,gb_per_s,gflop_per_s,share,speed_up,stream,stream_seconds\n";
  auto const add = [&](Table const& table, Row const& row) {
    auto const number = [&](double value) { return row.seconds ? general(value, 9) : ""; };
    auto const seconds = row.seconds.value_or(bench::Seconds{});
    std::vector<std::string> const fields = {command_of(report.options.operation),
                                             name_of(table.shape),
                                             std::string(io::to_string(report.options.type)),
                                             std::string(io::to_string(report.options.layout)),
                                             report.backend.name,
                                             report.backend.device,
                                             row.name,
                                             to_string(row.kind),
                                             team_text(row.team),
                                             to_string(row.repeats),
                                             row.check,
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

/// The report as tables for people, as one JSON object, or as CSV with a line a row.
std::string write_report(BenchReport const& report) {
  switch (report.options.format) {
    case ReportFormat::json:
      return to_json(report);
    case ReportFormat::csv:
      return to_csv(report);
    case ReportFormat::text:
      break;
  }
  return to_text(report);
}

}  // namespace

ExitStatus run_command(BenchOptions const& options) {
  require_layout(options.operation, options.layout);
  auto const shapes = parse_shapes("--shapes", options.shapes, options.operation);
  auto const backend = measured_backend(options);
  require_caches(options.cache_preference, backend);
  auto request = request_of(options, backend);
  require_teams_in_use(request);
  RunFiles files;
  files.keeps_tunings().writes(options.output).check();
  std::optional<io::OutputFile> output;
  if (!options.output.empty()) output.emplace(options.output);

  BenchReport report{.options = options,
                     .backend = backend,
                     .backend_chosen = options.backend == BackendChoice::automatic,
                     .facts = bench::facts_of(backend.name),
                     .tables = {}};
  for (auto const& shape : shapes) {
    request.shape = shape;
    report.tables.push_back(measure_shape(request));
  }
  std::string const text = write_report(report);
  if (output) {
    output->write_elements(std::span<char const>(text));
    output->commit();
  } else {
    std::fputs(text.c_str(), stdout);
  }
  bool const wrong = std::ranges::any_of(report.tables, &bench::Table::has_wrong_row);
  return wrong ? ExitStatus::difference : ExitStatus::good;
}

}  // namespace tessera::app
