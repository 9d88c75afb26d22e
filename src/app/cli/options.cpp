// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// The whole command line: help that fits the terminal, refused input, completion.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <app/base/text.hpp>
#include <app/cli/help_texts.hpp>
#include <app/cli/option_kinds.hpp>
#include <app/cli/options.hpp>
#include <app/cli/words.hpp>
#include <tessera/version.hpp>

namespace tessera::app {
namespace {

void fit_help(CLI::App& app, std::size_t columns) {
  auto const fit = [columns](auto& formatter) {
    // Older CLI11 does not wrap.
    if constexpr (requires { formatter.enable_footer_formatting(false); }) {
      std::size_t const left = formatter.get_column_width();
      formatter.right_column_width(std::max<std::size_t>(columns, left + 20) - left);
      formatter.description_paragraph_width(columns);
      formatter.enable_footer_formatting(false);
    }
  };
  fit(*app.get_formatter());
  app.footer(wrapped(app.get_footer(), columns));
  for (CLI::App* const command : app.get_subcommands([](auto const*) { return true; })) {
    fit(*command->get_formatter());
    command->footer(wrapped(command->get_footer(), columns));
  }
}

std::string join(std::vector<std::string> const& words) {
  std::string text;
  for (auto const& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// The options of a command. Adds those with a choice of words to `choices`, by these words.
std::string command_case(CLI::App const& command, std::map<std::string, std::string>& choices) {
  std::vector<std::string> names;
  for (CLI::Option const* const option : command.get_options()) {
    if (option->get_positional() || option->get_group().empty()) continue;
    names.push_back("--" + option->get_lnames().at(0));
    std::string words = option->get_type_name();
    if (words.find('|') == std::string::npos) continue;
    std::ranges::replace(words, '|', ' ');
    std::string& patterns = choices[words];
    patterns += (patterns.empty() ? "'" : " | '") + command.get_name() + " " + names.back() + "'";
  }
  return "      " + command.get_name() + ") words=\"" + join(names) + "\" ;;\n";
}

std::vector<std::string> request_of(CLI::App const& app) {
  constexpr std::array<std::string_view, 4> own{"threads", "device", "memory-limit",
                                                "checkpoint-every"};
  std::vector<std::string> words;
  for (CLI::App const* const command : app.get_subcommands()) {
    words.push_back(command->get_name());
    for (CLI::Option const* const option : command->get_options()) {
      auto const& names = option->get_lnames();
      bool const is_own = !names.empty() && std::ranges::find(own, names.front()) != own.end();
      if (option->count() == 0 || is_own) continue;
      std::string const type = option->get_type_name();
      bool const is_file = type == "FILE" || (option->get_positional() && type.empty());
      std::string word = option->get_name();
      if (!is_file && !is_flag(*option)) word += " " + join(option->results());
      words.push_back(std::move(word));
    }
  }
  return words;
}

std::string bash_completion(CLI::App const& app) {
  std::vector<std::string> names;
  std::map<std::string, std::string> choices;
  std::string of_words, of_options;
  for (CLI::App const* const command : app.get_subcommands([](auto const*) { return true; })) {
    if (command->get_group().empty()) continue;
    names.push_back(command->get_name());
    of_options += command_case(*command, choices);
  }
  for (auto const& [words, patterns] : choices) {
    of_words.append("    ").append(patterns).append(") words=\"").append(words).append("\" ;;\n");
  }
  // REUSE-IgnoreStart: the head of the script, not of this file
  return "# SPDX-FileCopyrightText: 2026 The Tessera authors\n"
         "# SPDX-License-Identifier: Apache-2.0\n"
         // REUSE-IgnoreEnd
         "# bash completion for tessera; made by `tessera completion bash`\n"
         "_tessera() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words=\n"
         "  if ((COMP_CWORD == 1)); then\n"
         "    COMPREPLY=($(compgen -W \"" +
         join(names) +
         " --help --version\" -- \"$current\"))\n"
         "    return\n"
         "  fi\n"
         "  case \"${COMP_WORDS[1]} $previous\" in\n" +
         of_words +
         "  esac\n"
         "  if [[ ! $words && $current == -* ]]; then\n"
         "    case ${COMP_WORDS[1]} in\n" +
         of_options +
         "    esac\n"
         "  fi\n"
         "  if [[ $words ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "  else\n"
         "    compopt -o filenames\n"
         "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
         "  fi\n"
         "}\n"
         "complete -F _tessera tessera\n";
}

}  // namespace

std::variant<ExitStatus, Options> parse_options(int argc, char const* const* argv,
                                                std::vector<std::string>* asked) {
  CLI::App app(
      "Products and solvers for dense matrices: one pass over A, bitwise identical results",
      "tessera");
  app.footer(help::program);
  app.require_subcommand(1);
  app.set_version_flag(
      "--version", "tessera " + std::string(version) + " (commit " + std::string(git_commit) + ")");

  std::optional<Options> chosen;
  add_commands(app, chosen);
  std::string shell;
  CLI::App* const completion_command =
      app.add_subcommand("completion", "Print a completion script for a shell")->group("");
  completion_command->footer(help::completion);
  completion_command->add_option("SHELL", shell, "bash")
      ->required()
      ->check([](std::string const& text) {
        return word_for(text, "bash").empty() ? no_word(text, "bash") : std::string();
      });
  constexpr std::size_t readable = 100;
  fit_help(app, std::min(columns_of(STDOUT_FILENO), readable));

  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  words = usual_words(app, std::move(words));
  try {
    check_words(app, words);
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (CLI::Success const& done) {
    app.exit(done);  // prints, does not exit
    if (asked != nullptr) *asked = {"help or the version"};
    return ExitStatus::good;
  } catch (CLI::ParseError const& error) {
    if (asked != nullptr) {
      *asked = {"a command line that is refused: " + std::string(error.what())};
    }
    say(error.what());
    std::string const name = words.empty() ? std::string() : words.front();
    auto const named =
        app.get_subcommands([&](CLI::App const* each) { return each->get_name() == name; });
    std::string const command = named.empty() ? "" : name + " ";
    std::fprintf(stderr, "Try 'tessera %s--help'.\n", command.c_str());
    return ExitStatus::usage;
  }

  if (asked != nullptr) *asked = request_of(app);
  if (completion_command->parsed()) {
    std::fputs(bash_completion(app).c_str(), stdout);
    return ExitStatus::good;
  }
  if (chosen) return std::move(*chosen);
  return ExitStatus::usage;  // not reached: a subcommand is required
}

}  // namespace tessera::app
