// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <app/base/notices.hpp>
#include <app/base/text.hpp>
#include <app/commands/commands.hpp>
#include <app/commands/solving.hpp>
#include <app/run/files.hpp>
#include <app/run/input.hpp>
#include <app/solve/solve.hpp>
#include <io/matrix_reader.hpp>
#include <tessera/version.hpp>

namespace tessera::app {
namespace {

template <class Number>
std::vector<double> doubles(std::vector<Number> const& values) {
  return {values.begin(), values.end()};
}

std::vector<double> deviations_of(solve::ColumnStatistics const& found) {
  std::vector<double> deviations;
  deviations.reserve(found.variance.size());
  for (double const variance : found.variance) deviations.push_back(std::sqrt(variance));
  return deviations;
}

struct Output {
  char const* name;
  std::string const& path;
  std::vector<double> values;
};

std::vector<Output> outputs_of(StatsOptions const& options, solve::ColumnStatistics const& found) {
  return {{"mean", options.mean, found.mean},
          {"variance", options.variance, found.variance},
          {"deviations", options.deviations, deviations_of(found)},
          {"min", options.min, found.min},
          {"max", options.max, found.max},
          {"count", options.count, doubles(found.count)}};
}

/// The first columns.
std::string table_of(solve::ColumnStatistics const& found) {
  constexpr std::size_t most = 20;
  std::size_t const cols = found.mean.size();
  auto const deviations = deviations_of(found);
  std::vector<std::vector<std::string>> lines{
      {"  column", "mean", "deviation", "min", "max", "missing", "not finite"}};
  for (std::size_t j = 0; j < std::min(cols, most); ++j) {
    lines.push_back({"  " + std::to_string(j), general(found.mean[j], 9), general(deviations[j], 6),
                     general(found.min[j], 6), general(found.max[j], 6),
                     std::to_string(found.missing[j]), std::to_string(found.nonfinite[j])});
  }
  std::string text = aligned(lines, {});
  if (cols > most) {
    text += "  and " + std::to_string(cols - most) +
            " more columns: --format json, or output files such as --mean, have all\n";
  }
  return text;
}

std::string to_text(StatsOptions const& options, SolveSubject const& subject,
                    solve::ColumnStatistics const& found) {
  SolvePlace const& place = subject.place;
  std::string text = "column statistics   " + subject.reader.path() + "\n";
  text += matrix_line(subject);
  text += report_line("variance",
                      "divided by the number of entries" +
                          (options.ddof == 0 ? "" : " minus " + std::to_string(options.ddof)));
  text += report_line("backend", place.backend.name + ", " + place.backend.device);
  if (!place.why.empty()) text += report_line("", "why: " + place.why);
  if (place.stream) text += report_line("", "A is streamed: " + place.stream->why);
  text += time_line(subject);
  for (Output const& output : outputs_of(options, found)) {
    if (!output.path.empty()) text += report_line(output.name, output.path);
  }
  return text + table_of(found);
}

std::string to_json(StatsOptions const& options, SolveSubject const& subject,
                    solve::ColumnStatistics const& found) {
  Json json = to_object(subject);
  for (char const* const of_iterations :
       {"method", "stop", "converged", "iterations", "first_iteration", "earlier_limits"}) {
    json.erase(of_iterations);
  }
  json["ddof"] = options.ddof;
  for (Output const& output : outputs_of(options, found)) {
    if (std::string_view(output.name) != "count") json[output.name] = json_numbers(output.values);
  }
  json["count"] = found.count;
  json["missing"] = found.missing;
  json["nonfinite"] = found.nonfinite;
  for (Output const& output : outputs_of(options, found)) {
    json["outputs"][output.name] = text_or_null(output.path);
  }
  return json_text(json);
}

}  // namespace

ExitStatus run_command(StatsOptions const& options) {
  require_solvable(options);
  std::string const path = resolve_input(options.input).path;
  std::vector<Output> const named = outputs_of(options, {});
  RunFiles files;
  files.reads(path);
  for (Output const& output : named) files.writes(output.path);
  files.reports(options.report, options.format).check();
  check_add_dataset(options.add_dataset, {options.mean, options.variance, options.deviations,
                                          options.min, options.max, options.count});
  std::vector<NamedResult> paths;
  paths.reserve(named.size());
  for (Output const& output : named) paths.push_back({.path = output.path});
  std::vector<ResultFile> results = open_results(paths, options.add_dataset);

  io::MatrixReader const reader =
      open_for_ranks(path, options.input_format, {.missing_is_nan = true});
  io::MatrixInfo const& info = reader.info();
  StatsOptions asked = options;
  if (info.stored == io::ElementType::genotype) {
    asked.missing = std::numeric_limits<double>::quiet_NaN();
  }
  std::uint64_t const bytes = bytes_of_statistics(info, info.type);
  SolvePlace const place = begin_solve(options, reader, bytes, 0, 1);
  SolveRun run;
  auto const found = find_statistics(asked,
                                     {.reader = reader,
                                      .type = info.type,
                                      .place = place,
                                      .vectors = 0,
                                      .in_segments = true,
                                      .column_statistics = true},
                                     run);
  SolveSubject const subject{.options = asked,
                             .reader = reader,
                             .type = info.type,
                             .place = place,
                             .run = run,
                             .method = options.command};
  std::vector<io::OutputFile*> written;
  written.reserve(results.size());
  std::vector<Output> const outputs = outputs_of(options, found);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    results[i].write(vector_of(outputs[i].values, io::ScalarType::f64));
  }
  for (ResultFile const& file : results) written.push_back(file.written());
  put_in_place(written);
  files.print_report(options.format == ReportFormat::text ? to_text(asked, subject, found)
                                                          : to_json(asked, subject, found));
  return ExitStatus::good;
}

}  // namespace tessera::app
