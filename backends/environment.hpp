// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

/// Kokkos terminates the process if it cannot parse a variable; these checks run before.
namespace tessera::backends {

struct KokkosVariable {
  char const* name;
  bool (*is_valid)(std::string_view value);
  char const* expected;
};

inline bool is_whole_number(std::string_view text, int least) {
  int value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value >= least;
}

/// Accepts "4", and "4,2" for nested regions, with spaces.
inline bool is_list_of_threads(std::string_view text) {
  for (bool is_last = false; !is_last;) {
    std::size_t const comma = text.find(',');
    is_last = comma == std::string_view::npos;
    std::string_view part = text.substr(0, comma);
    std::size_t const first = part.find_first_not_of(' ');
    if (first == std::string_view::npos) return false;
    part = part.substr(first, part.find_last_not_of(' ') - first + 1);
    if (!is_whole_number(part, 1)) return false;
    if (!is_last) text.remove_prefix(comma + 1);
  }
  return true;
}

inline bool is_yes_or_no(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array<std::string_view, 6> known{"yes", "true", "1", "no", "false", "0"};
  return std::ranges::find(known, lower) != known.end();
}

inline constexpr char const* yes_or_no = "yes, true, 1, no, false or 0";

inline constexpr std::array<KokkosVariable, 7> kokkos_variables{{
    {.name = "KOKKOS_NUM_THREADS",
     .is_valid = [](std::string_view text) { return is_whole_number(text, 1); },
     .expected = "a whole number of threads, at least 1"},
    // OpenMP only warns, and uses all processors.
    {.name = "OMP_NUM_THREADS",
     .is_valid = is_list_of_threads,
     .expected = "a whole number of threads, at least 1"},
    {.name = "KOKKOS_DEVICE_ID",
     .is_valid = [](std::string_view text) { return is_whole_number(text, 0); },
     .expected = "the number of a device, at least 0"},
    {.name = "KOKKOS_DISABLE_WARNINGS", .is_valid = is_yes_or_no, .expected = yes_or_no},
    {.name = "KOKKOS_PRINT_CONFIGURATION", .is_valid = is_yes_or_no, .expected = yes_or_no},
    {.name = "KOKKOS_TUNE_INTERNALS", .is_valid = is_yes_or_no, .expected = yes_or_no},
    {.name = "KOKKOS_MAP_DEVICE_ID_BY",
     .is_valid = [](std::string_view text) { return text == "random" || text == "mpi_rank"; },
     .expected = "random or mpi_rank"},
}};

using EnvironmentOf = std::function<char const*(char const* name)>;

/// Empty if Kokkos can parse all variables.
inline std::optional<std::string> fault_of_kokkos_environment(EnvironmentOf const& variable) {
  auto const shown = [](std::string_view text) {
    constexpr std::size_t most = 40;
    std::string result(text.substr(0, most));
    std::ranges::replace_if(result, [](unsigned char c) { return c < ' ' || c > '~'; }, '?');
    return result + (text.size() > most ? "..." : "");
  };
  for (auto const& [name, is_valid, expected] : kokkos_variables) {
    char const* const value = variable(name);
    if (value == nullptr || is_valid(value)) continue;
    return "the environment variable " + std::string(name) + ": expected " + expected +
           ", found '" + shown(value) + "'; correct or unset it";
  }
  char const* const libraries = variable("KOKKOS_TOOLS_LIBS");
  char const* const profile = variable("KOKKOS_PROFILE_LIBRARY");
  if (libraries != nullptr && profile != nullptr && std::string_view(libraries) != profile) {
    return "the environment variables KOKKOS_TOOLS_LIBS and KOKKOS_PROFILE_LIBRARY: expected one "
           "of them, found '" +
           shown(libraries) + "' and '" + shown(profile) + "'; unset the second";
  }
  return std::nullopt;
}

}  // namespace tessera::backends
