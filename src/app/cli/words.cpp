// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <utility>

#include <app/cli/option_kinds.hpp>
#include <app/cli/words.hpp>
#include <io/text_file.hpp>

namespace tessera::app {
namespace {

using Words = std::vector<std::string>;

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> other_names{
    {{"float", "f32"},
     {"float32", "f32"},
     {"double", "f64"},
     {"float64", "f64"},
     {"C", "row-major"},
     {"F", "column-major"}}};

/// Refused, with what was probably meant.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> likely_names{
    {{"gpu", "cuda"}, {"cpu", "openmp"}, {"host", "openmp"}}};

Words words_of(std::string const& words) {
  Words all;
  for (std::size_t begin = 0; begin <= words.size();) {
    std::size_t const end = std::min(words.find('|', begin), words.size());
    all.push_back(words.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

/// Number of letters to insert, delete, replace or swap.
std::size_t distance(std::string const& a, std::string const& b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t const replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, replaced});
      bool const are_swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (are_swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

std::string nearest(std::string const& word, Words const& known) {
  for (auto const& [said, meant] : likely_names) {
    if (word == said && std::ranges::find(known, meant) != known.end()) return std::string(meant);
  }
  std::string found;
  std::size_t least = word.size() / 3 + 1;  // at most a third may differ
  for (auto const& candidate : known) {
    bool const is_begun = word.size() > 2 && candidate.starts_with(word);
    std::size_t const far =
        is_begun ? 1 : distance(io::in_lower_case(word), io::in_lower_case(candidate));
    if (far < least) {
      least = far;
      found = candidate;
    }
  }
  return found;
}

std::string hint(std::string const& word, Words const& known) {
  std::string const meant = nearest(word, known);
  return meant.empty() ? "" : "; did you mean " + meant + "?";
}

CLI::App const* subcommand_named(CLI::App const& app, std::string const& name) {
  auto const named =
      app.get_subcommands([&](CLI::App const* each) { return each->get_name() == name; });
  return named.empty() ? nullptr : named.front();
}

Words commands_of(CLI::App const& app) {
  Words names;
  for (CLI::App const* const command : app.get_subcommands([](auto const*) { return true; })) {
    if (!command->get_group().empty()) names.push_back(command->get_name());
  }
  return names;
}

class WordCheck {
 public:
  explicit WordCheck(CLI::App const& command) : command_(command) {
    for (CLI::Option const* const option : command.get_options()) {
      if (option->get_positional()) positionals_.push_back(option);
      for (auto const& name : option->get_lnames()) known_.push_back("--" + name);
    }
  }

  void operator()(Words const& words) {
    for (std::size_t i = 1; i < words.size(); ++i) {
      std::string const& word = words[i];
      if (word == "--") {  // names of files
        are_options_over_ = true;
        for (++i; i < words.size(); ++i) take_positional(words[i]);
      } else if (word.starts_with('-') && word != "-") {
        i += take_option(word, i + 1 < words.size() ? &words[i + 1] : nullptr);
      } else {
        take_positional(word);
      }
    }
  }

 private:
  std::size_t take_option(std::string const& word, std::string const* next) {
    bool const is_long = word.starts_with("--");
    std::size_t const equals = is_long ? word.find('=') : std::string::npos;
    std::string const name = is_long ? word.substr(0, equals) : word.substr(0, 2);
    CLI::Option const* const option = command_.get_option_no_throw(name);
    if (option == nullptr) refuse_option(is_long ? name : word);
    bool const is_again = std::ranges::find(taken_, option) != taken_.end();
    if (is_again && option->get_items_expected_max() == 1) {
      throw CLI::ValidationError(name, "expected once, found twice");
    }
    taken_.push_back(option);
    bool const is_assigned = equals != std::string::npos;
    if (is_flag(*option)) {
      if (!is_assigned) return 0;
      throw CLI::ValidationError(name,
                                 "expected no value, found '" + word.substr(equals + 1) + "'");
    }
    if (is_assigned || (!is_long && word.size() > 2)) {
      check_value(name, *option, word.substr(is_assigned ? equals + 1 : 2));
      return 0;
    }
    if (next == nullptr) throw CLI::ValidationError(name, "expected a value, found none");
    if (next->starts_with("--")) {
      throw CLI::ValidationError(name, "expected a value, found the option " + *next + "; " + name +
                                           "=" + *next + " takes it as a value");
    }
    check_value(name, *option, *next);
    return 1;
  }

  [[noreturn]] void refuse_option(std::string const& name) const {
    bool const is_long = name.starts_with("--");
    std::string const more =
        is_long || name.size() == 2 ? hint_of_option(name) : "; a file of this name is ./" + name;
    throw CLI::ValidationError("unknown option '" + name + "' of " + command_.get_name() + more,
                               CLI::ExitCodes::ValidationError);
  }

  /// Also -k for --k, and --output for -o.
  [[nodiscard]] std::string hint_of_option(std::string const& name) const {
    if (name.size() > 3 || name.size() < 2) return hint(name, known_);
    bool const is_long = name.size() == 3;
    std::string const meant = is_long ? name.substr(1) : "-" + name;
    if (is_long) {
      bool const is_short = command_.get_option_no_throw(meant) != nullptr;
      return is_short ? "; did you mean " + meant + "?" : hint(name, known_);
    }
    auto const begins = [&](std::string const& option) { return option.starts_with(meant); };
    bool const is_unique = std::ranges::count_if(known_, begins) == 1;
    return is_unique ? "; did you mean " + *std::ranges::find_if(known_, begins) + "?" : "";
  }

  static void check_value(std::string const& name, CLI::Option const& option,
                          std::string const& value) {
    if (value.empty()) {
      std::string const more = option.get_positional() ? "" : "; give one, or leave the option out";
      throw CLI::ValidationError(name, "expected a value, found an empty one" + more);
    }
    std::string const words = option.get_type_name();
    if (words.find('|') == std::string::npos) return;
    if (word_for(value, words).empty()) throw CLI::ValidationError(name, no_word(value, words));
  }

  void take_positional(std::string const& word) {
    if (place_ < positionals_.size()) {
      CLI::Option const& option = *positionals_[place_];
      check_value(option.get_name(), option, word);
      if (option.get_items_expected_max() == 1) ++place_;  // otherwise it accepts all
      return;
    }
    bool const has_output = command_.get_option_no_throw("--output") != nullptr;
    std::string const more = are_options_over_ ? "; options are expected before --"
                             : has_output      ? "; --output " + word + " writes the result there"
                                               : "";
    throw CLI::ValidationError("'" + word + "' was not expected" + more,
                               CLI::ExitCodes::ValidationError);
  }

  CLI::App const& command_;
  std::vector<CLI::Option const*> positionals_;
  Words known_;
  std::vector<CLI::Option const*> taken_;
  std::size_t place_ = 0;
  bool are_options_over_ = false;
};

}  // namespace

std::string word_for(std::string const& text, std::string const& words) {
  Words const known = words_of(words);
  auto const is_known = [&](std::string_view word) {
    return std::ranges::find(known, word) != known.end();
  };
  if (is_known(text)) return text;
  for (auto const& [other, word] : other_names) {
    if (text == other && is_known(word)) return std::string(word);
  }
  return {};
}

std::string no_word(std::string const& text, std::string const& words) {
  return "'" + text + "' is not one of " + words + hint(text, words_of(words));
}

bool is_flag(CLI::Option const& option) {
  return option.get_items_expected_max() == 0;
}

Words usual_words(CLI::App const& app, Words words) {
  if (words.empty()) return words;
  if (words.front() == "version" && words.size() == 1) return {"--version"};
  if (words.front() == "help") {
    if (words.size() == 1) return {"--help"};
    words.erase(words.begin());
    words.insert(words.begin() + 1, "--help");
    words.resize(2);
    return words;
  }
  bool const asks_version = subcommand_named(app, words.front()) != nullptr && words.size() == 2 &&
                            words.back() == "--version";
  return asks_version ? Words{"--version"} : words;
}

void check_words(CLI::App const& app, Words const& words) {
  if (words.empty()) {
    throw CLI::ValidationError("expected a command, such as info, found none",
                               CLI::ExitCodes::ValidationError);
  }
  if (app.get_option_no_throw(words.front()) != nullptr) return;  // --help, --version
  if (words.front().starts_with('-')) {
    throw CLI::ValidationError(
        "unknown option '" + words.front() + "'; the command is expected before its options",
        CLI::ExitCodes::ValidationError);
  }
  CLI::App const* const command = subcommand_named(app, words.front());
  if (command == nullptr) {
    throw CLI::ValidationError(
        "'" + words.front() + "' is not a command" + hint(words.front(), commands_of(app)),
        CLI::ExitCodes::ValidationError);
  }
  auto const end = std::ranges::find(words, "--");
  bool const asks_help = std::any_of(
      words.begin(), end, [](std::string const& word) { return word == "--help" || word == "-h"; });
  if (!asks_help) WordCheck{*command}(words);
}

}  // namespace tessera::app
