// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <bench/operation.hpp>
#include <string>
#include <utility>

#include <app/cli/help_texts.hpp>
#include <app/cli/option_choice.hpp>

namespace tessera::app {
namespace {

/// The operation by its command; `more` are words of `tune` that stand for themselves.
CLI::Option* add_operation(CLI::App& command, std::string& operation,
                           std::vector<std::string> const& more) {
  std::string words;
  for (auto const& each : bench::operations()) {
    if (each.is_tuned || more.empty())
      words += (words.empty() ? "" : "|") + std::string(each.command);
  }
  for (auto const& word : more) words += "|" + word;
  auto const choose = [&operation, more, words](std::string const& text) {
    for (auto const& each : bench::operations()) {
      if (text == each.command && (each.is_tuned || more.empty())) {
        operation = each.name;
        return;
      }
    }
    for (auto const& word : more) {
      if (text == word) {
        operation = word;
        return;
      }
    }
    throw CLI::ValidationError("OPERATION", "'" + text + "' is not one of " + words);
  };
  return command.add_option_function<std::string>("OPERATION", choose, words)->type_name("");
}

/// What both commands have.
template <class Measured>
void add_common(CLI::App& command, Measured& options) {
  add_choice(command, "--type", options.type, type_choices<decltype(options.type)>,
             "Type of the elements");
  add_choice(command, "--layout", options.layout, layout_choices<decltype(options.layout)>,
             "Order of matrices in memory");
  add_choice(command, "--backend", options.backend, backend_choices,
             "Where it is measured (auto: the GPU where there is one)");
  add_device(command, options.device);
  add_threads(command, options.threads);
  add_whole(command, "--repeat", options.turns, {.most = 100'000},
            "Turns of each contender; the median of them counts")
      ->type_name("R")
      ->default_str(std::to_string(options.turns));
  add_seconds(command, "--seconds", options.seconds, 3600,
              "Least time of a turn: so many calls are timed together");
}

}  // namespace

CLI::App* add_bench(CLI::App& app, BenchOptions& options) {
  auto& command = *app.add_subcommand("bench", "Time an operation beside all that do the same");
  add_operation(command, options.operation, {})->required();
  command
      .add_option("FILE", options.files,
                  "A, and of gemm B, as other commands take them (else random matrices)")
      ->type_name("");
  add_input_file(command, "--vector", options.vector,
                 "V, or of gemvt B (else V of an ex3 file, or ones)");
  command
      .add_option("--variants", options.variants,
                  "Published kernels: all, none, or names with commas between them")
      ->type_name("NAME,...")
      ->capture_default_str();
  command
      .add_option("--shapes", options.shapes,
                  "Matrices ROWSxCOLS[+PADDING] (of gemm MxNxK or N), quick or grid, with commas "
                  "between them")
      ->type_name("MxN,...");
  command
      .add_option("--teams", options.teams,
                  "Teams of threads of variants, RxC with commas between them (else as published)")
      ->type_name("RxC,...");
  command
      .add_option(
          "--tiles", options.tiles,
          "Sizes of variants' tiles in scratch, with commas between them (else as published)")
      ->type_name("N,...");
  add_whole(command, "--most-teams", options.most_teams, {},
            "Most teams of a variant's kernel (else as published)")
      ->type_name("N");
  command.add_flag("--check", options.check,
                   "Compare each result with a reference of higher precision");
  add_common(command, options);
  add_cache_preference(command, options.cache_preference);
  add_choice(command, "--format", options.format, format_choices, "How the report is written");
  add_output_file(command, "--output", options.output, "Where the report goes (else stdout)");
  command.footer(help::bench);
  return &command;
}

CLI::App* add_tune(CLI::App& app, TuneOptions& options) {
  auto& command =
      *app.add_subcommand("tune", "Find the best launches on this machine, and keep them");
  add_operation(command, options.operation, {"all"});
  command.add_option("--shape", options.shape, "Matrix ROWSxCOLS (of gemm MxNxK or N) to tune for")
      ->type_name("MxN");
  add_common(command, options);
  // What is shown or forgotten is all that is kept: nothing else that can be said matters then.
  auto const others = command.get_options();
  auto* const show = command.add_flag("--show", options.show, "Say what is kept, and where");
  auto* const reset = command.add_flag("--reset", options.reset, "Forget all that is kept");
  for (auto* const other : others) {
    if (other == command.get_help_ptr()) continue;
    show->excludes(other);
    reset->excludes(other);
  }
  reset->excludes(show);
  command.footer(help::tune);
  return &command;
}

}  // namespace tessera::app
