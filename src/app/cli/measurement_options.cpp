// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// The options of the commands that measure.

#include <bench/operation.hpp>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <app/cli/command_options.hpp>
#include <app/cli/help_texts.hpp>
#include <app/cli/option_kinds.hpp>
#include <app/cli/options.hpp>

namespace tessera::app {
namespace {

Choices<std::string> operations_measured(bool is_tuned) {
  auto const list = [](bool tuned) {
    std::vector<std::pair<char const*, std::string>> choices;
    for (auto const& each : bench::operations()) {
      if (each.is_tuned || !tuned) choices.emplace_back(each.command, each.name);
    }
    if (tuned) choices.emplace_back("all", "all");
    return choices;
  };
  static auto const of_bench = list(false), of_tune = list(true);
  return is_tuned ? of_tune : of_bench;
}

CLI::Option* add_operation(CLI::App& command, std::string& operation, bool is_tuned) {
  auto* const option =
      add_choice(command, "OPERATION", operation, operations_measured(is_tuned), "");
  return option->description(option->get_type_name())->type_name("");
}

template <class Measured>
void add_common(CLI::App& command, Measured& options) {
  add_choice(command, "--type", options.type, type_choices<decltype(options.type)>,
             "Type of the elements");
  add_choice(command, "--layout", options.layout, layout_choices<decltype(options.layout)>,
             "Layout of the matrices");
  add_choice(command, "--backend", options.backend, backend_choices,
             "Backend (auto: the GPU if there is one)");
  add_device(command, options.device);
  add_threads(command, options.threads);
  add_whole(command, "--repeat", options.turns, {.most = 100'000},
            "Runs of each kernel; the median counts")
      ->type_name("R")
      ->default_str(std::to_string(options.turns));
  add_seconds(command, "--seconds", options.seconds, 3600,
              "Shortest duration of a run, in seconds; calls are repeated until it is reached");
}

void add_bench(CLI::App& app, Chosen& chosen) {
  auto const [command, options] = add_command<BenchOptions>(
      app, chosen, "bench", "Measure an operation next to other implementations", help::bench);
  add_operation(command, options.operation, false)->required();
  command.add_option("FILE", options.files, "A, and for gemm B (else random matrices)")
      ->type_name("");
  add_input_file(command, "--vector", options.vector,
                 "V, for aatx U, for gemvt B (else V of an ex3 file, or ones)");
  command
      .add_option("--variants", options.variants,
                  "Published kernels: all, none, or names separated by commas")
      ->type_name("NAME,...")
      ->capture_default_str();
  command
      .add_option(
          "--shapes", options.shapes,
          "Matrices ROWSxCOLS[+PADDING] (gemm: MxNxK or N), quick or grid, separated by commas")
      ->type_name("MxN,...");
  command
      .add_option("--teams", options.teams,
                  "Teams of threads of the variants, separated by commas (else as published)")
      ->type_name("RxC,...");
  command
      .add_option("--tiles", options.tiles,
                  "Tile sizes of the variants, separated by commas (else as published)")
      ->type_name("N,...");
  add_count(command, "--most-teams", options.most_teams, {},
            "Most teams of the variants (else as published)");
  command.add_flag("--check", options.check,
                   "Compare each result with a reference of higher precision");
  add_common(command, options);
  add_cache_preference(command, options.cache_preference);
  add_choice(command, "--format", options.format, format_choices, "Format of the report");
  add_output_file(command, "--output", options.output, "File for the report (else stdout)");
}

void add_tune(CLI::App& app, Chosen& chosen) {
  auto const [command, options] = add_command<TuneOptions>(
      app, chosen, "tune", "Find the best launch configurations, and save them", help::tune);
  add_operation(command, options.operation, true);
  command.add_option("--shape", options.shape, "Matrix ROWSxCOLS (gemm: MxNxK or N) to tune for")
      ->type_name("MxN");
  add_common(command, options);
  // They act on everything that is saved, so they exclude other options.
  auto const others = command.get_options();
  auto* const show = command.add_flag("--show", options.show, "Print what is saved, and where");
  auto* const reset = command.add_flag("--reset", options.reset, "Delete everything that is saved");
  for (auto* const other : others) {
    if (other == command.get_help_ptr()) continue;
    show->excludes(other);
    reset->excludes(other);
  }
  reset->excludes(show);
}

}  // namespace

void add_measurements(CLI::App& app, Chosen& chosen) {
  add_bench(app, chosen);
  add_tune(app, chosen);
}

}  // namespace tessera::app
