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

std::vector<double> deviations_of(solve::ColumnStatistics const& found) {
  std::vector<double> deviations;
  deviations.reserve(found.variance.size());
  for (double const variance : found.variance) deviations.push_back(std::sqrt(variance));
  return deviations;
}

std::vector<NamedResult> results_of(StatsOptions const& options) {
  return {
      {"mean", options.mean}, {"variance", options.variance}, {"deviations", options.deviations},
      {"min", options.min},   {"max", options.max},           {"count", options.count}};
}
/// In the order of the results.
std::vector<std::vector<double>> values_of(solve::ColumnStatistics const& found) {
  return {found.mean, found.variance, deviations_of(found),
          found.min,  found.max,      {found.count.begin(), found.count.end()}};
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
  for (NamedResult const& result : results_of(options)) {
    if (!result.path.empty()) text += report_line(result.name, result.path);
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
  auto const results = results_of(options);
  auto const values = values_of(found);
  for (std::size_t i = 0; i < results.size(); ++i) json[results[i].name] = json_numbers(values[i]);
  json["count"] = found.count;
  json["missing"] = found.missing;
  json["nonfinite"] = found.nonfinite;
  for (NamedResult const& result : results) {
    json["outputs"][result.name] = text_or_null(result.path);
  }
  return json_text(json);
}

}  // namespace

ExitStatus run_command(StatsOptions const& options) {
  require_solvable(options);
  std::string const path = resolve_input(options.input).path;
  std::vector<NamedResult> const named = results_of(options);
  RunFiles files;
  files.reads(path);
  for (NamedResult const& result : named) files.writes(result.path);
  files.reports(options.report, options.format).check();
  check_add_dataset(options.add_dataset, {options.mean, options.variance, options.deviations,
                                          options.min, options.max, options.count});
  std::vector<ResultFile> results = open_results(named, options.add_dataset);

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
  auto const values = values_of(found);
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].write(vector_of(values[i], io::ScalarType::f64));
  }
  put_in_place(written_of(results));
  files.print_report(options.format == ReportFormat::text ? to_text(asked, subject, found)
                                                          : to_json(asked, subject, found));
  return ExitStatus::good;
}

}  // namespace tessera::app
