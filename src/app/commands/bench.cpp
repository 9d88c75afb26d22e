// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>
#include <optional>

#include <app/base/failure.hpp>
#include <app/base/numbers.hpp>
#include <app/base/progress.hpp>
#include <app/base/text.hpp>
#include <app/commands/commands.hpp>
#include <app/commands/measured_backend.hpp>
#include <app/report/bench_report.hpp>
#include <app/run/run_files.hpp>
#include <io/output_file.hpp>

namespace tessera::app {
namespace {

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
