// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include <app/cli/option_kinds.hpp>
#include <app/cli/options.hpp>
#include <app/run/options.hpp>

/// What options of several commands share.
namespace tessera::app {

using Chosen = std::optional<Options>;

template <class CommandOptions>
struct Command {
  CLI::App& app;
  CommandOptions& options;
};

/// Stores its options in `chosen` if it is the command of the call.
template <class CommandOptions>
Command<CommandOptions> add_command(CLI::App& app, Chosen& chosen, std::string const& name,
                                    std::string const& what, std::string const& footer) {
  auto& command = *app.add_subcommand(name, what);
  auto const options = std::make_shared<CommandOptions>();
  command.callback([options, &chosen] { chosen = *options; });
  command.footer(footer);
  return {command, *options};
}

void add_input_format(CLI::App& app, MaybeFormat& format, Choices<MaybeFormat> formats,
                      std::string const& input = "INPUT");
void add_dataset_flag(CLI::App& app, bool& add_dataset);
void add_report(CLI::App& app, RunOptions& options, Choices<ReportFormat> formats);
void add_place(CLI::App& command, RunOptions& options);
void add_missing(CLI::App& command, std::optional<double>& missing, std::string const& help);
void add_memory_limit(CLI::App& command, std::uint64_t& memory_limit);

template <class Options>
void add_stream(CLI::App& command, Options& options, std::string const& checkpoint_help,
                std::string const& every_help) {
  add_memory_limit(command, options.memory_limit);
  auto* const checkpoint =
      command.add_option("--checkpoint", options.checkpoint, checkpoint_help)->type_name("FILE");
  add_seconds(command, "--checkpoint-every", options.checkpoint_seconds, 1e6, every_help)
      ->needs(checkpoint);
}

void add_solvers(CLI::App& app, Chosen& chosen);
void add_measurements(CLI::App& app, Chosen& chosen);

}  // namespace tessera::app
