// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <CLI/CLI.hpp>

#include <app/options.hpp>

/// Options that several commands have.
namespace tessera::app {

template <class Value>
using Choices = std::span<std::pair<char const*, Value> const>;

inline constexpr std::pair<char const*, BackendChoice> backend_choices[] = {
    {"auto", BackendChoice::automatic},
    {"openmp", BackendChoice::openmp},
    {"serial", BackendChoice::serial},
    {"cuda", BackendChoice::cuda}};
inline constexpr std::pair<char const*, ReportFormat> format_choices[] = {
    {"text", ReportFormat::text}, {"json", ReportFormat::json}, {"csv", ReportFormat::csv}};

/// An option whose value is one of a few words; any other word is refused with the list of them.
template <class Value>
CLI::Option* add_choice(CLI::App& app, std::string const& name, Value& value,
                        std::type_identity_t<Choices<Value>> choices, std::string const& help) {
  std::string words, preset;
  for (auto const& [word, meaning] : choices) {
    words += (words.empty() ? "" : "|") + std::string(word);
    if (meaning == value) preset = word;
  }
  auto const choose = [&value, choices, name, words](std::string const& text) {
    for (auto const& [word, meaning] : choices) {
      if (text == word) {
        value = meaning;
        return;
      }
    }
    throw CLI::ValidationError(name, "'" + text + "' is not one of " + words);
  };
  return app.add_option_function<std::string>(name, choose, help)
      ->type_name(words)
      ->default_str(preset);
}

inline void add_threads(CLI::App& app, int& threads) {
  app.add_option("--threads", threads, "Host threads (else OMP_NUM_THREADS decides)")
      ->type_name("N")
      ->check(CLI::Range(1, 65536).description(""));
}

inline void add_device(CLI::App& app, std::optional<int>& device) {
  app.add_option("--device", device,
                 "Which GPU, as `tessera info` counts them (else the first that works)")
      ->type_name("N")
      ->check(CLI::Range(0, 65535).description(""));
}

inline constexpr std::pair<char const*, std::optional<backends::CachePreference>>
    cache_preference_choices[] = {{"none", backends::CachePreference::none},
                                  {"l1", backends::CachePreference::l1},
                                  {"shared", backends::CachePreference::shared},
                                  {"equal", backends::CachePreference::equal}};

inline void add_cache_preference(CLI::App& app,
                                 std::optional<backends::CachePreference>& preference) {
  add_choice(app, "--cache-preference", preference, cache_preference_choices,
             "What a GPU's multiprocessors use their memory for (cuda)");
}

}  // namespace tessera::app
