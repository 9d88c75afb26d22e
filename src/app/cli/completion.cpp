// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <app/cli/options.hpp>

namespace tessera::app {
namespace {

std::string join(std::vector<std::string> const& words) {
  std::string text;
  for (auto const& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// The lines of a case statement for one command: values after an option, else the options.
std::string command_case(CommandDescription const& command) {
  std::vector<std::string> names;
  std::string text = "    " + command.name + ")\n      case $previous in\n";
  for (auto const& option : command.options) {
    names.push_back(option.name);
    if (!option.choices.empty()) {
      text += "        " + option.name + ") words=\"" + join(option.choices) + "\" ;;\n";
    }
  }
  return text + "        *) [[ $current == -* ]] && words=\"" + join(names) +
         "\" ;;\n      esac ;;\n";
}

}  // namespace

std::string bash_completion(std::vector<CommandDescription> const& commands) {
  std::vector<std::string> names;
  std::string cases;
  for (auto const& command : commands) {
    names.push_back(command.name);
    cases += command_case(command);
  }
  return "# SPDX-FileCopyrightText: 2026 The Tessera authors\n"
         "# SPDX-License-Identifier: Apache-2.0\n"
         "# bash completion for tessera; made by `tessera completion bash`\n"
         "_tessera() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words=\n"
         "  if ((COMP_CWORD == 1)); then\n"
         "    COMPREPLY=($(compgen -W \"" +
         join(names) +
         " --help --version\" -- \"$current\"))\n"
         "    return\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  if [[ $words ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "  else\n"
         "    compopt -o filenames\n"
         "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
         "  fi\n"
         "}\n"
         "complete -F _tessera tessera\n";
}

}  // namespace tessera::app
