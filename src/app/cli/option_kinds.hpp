// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <bench/whole_number.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <app/base/text.hpp>
#include <app/cli/options.hpp>
#include <app/run/options.hpp>

/// Kinds of options: words, numbers, files.
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

inline constexpr std::pair<char const*, std::optional<backends::CachePreference>>
    cache_preference_choices[] = {{"none", backends::CachePreference::none},
                                  {"l1", backends::CachePreference::l1},
                                  {"shared", backends::CachePreference::shared},
                                  {"equal", backends::CachePreference::equal}};
using MaybeType = std::optional<io::ScalarType>;
inline constexpr std::pair<char const*, MaybeType> maybe_types[] = {
    {"as-is", std::nullopt}, {"f32", io::ScalarType::f32}, {"f64", io::ScalarType::f64}};
inline constexpr std::pair<char const*, io::Distribution> distributions[] = {
    {"ex3", io::Distribution::ex3},
    {"uniform", io::Distribution::uniform},
    {"normal", io::Distribution::normal},
    {"integer", io::Distribution::integer}};
using MaybeLayout = std::optional<io::Layout>;
inline constexpr std::pair<char const*, MaybeLayout> output_layouts[] = {
    {"as-is", std::nullopt}, {"row-major", io::Layout::right}, {"column-major", io::Layout::left}};
using MaybeHeader = std::optional<io::CsvHeader>;
inline constexpr std::pair<char const*, MaybeHeader> header_choices[] = {
    {"auto", std::nullopt}, {"yes", io::CsvHeader::yes}, {"no", io::CsvHeader::no}};
using MaybeFormat = std::optional<io::Format>;
inline constexpr std::pair<char const*, MaybeFormat> file_formats[] = {
    {"by-content", std::nullopt}, {"npy", io::Format::npy}, {"npz", io::Format::npz},
    {"hdf5", io::Format::hdf5},   {"ex3", io::Format::ex3}, {"bed", io::Format::bed},
    {"raw", io::Format::raw},     {"csv", io::Format::csv}, {"mtx", io::Format::matrix_market}};
inline constexpr auto formats_with_shape = std::span(file_formats).first<6>();
inline constexpr std::pair<char const*, MaybeFormat> output_formats[] = {{"by-name", std::nullopt},
                                                                         {"npy", io::Format::npy},
                                                                         {"ex3", io::Format::ex3},
                                                                         {"raw", io::Format::raw}};
inline constexpr auto formats_of_matrices = std::span(output_formats).first<3>();  // not raw
inline constexpr std::pair<char const*, Method> methods[] = {
    {"auto", Method::automatic}, {"fused", Method::fused}, {"two-stage", Method::two_stage}};
inline constexpr std::pair<char const*, maps::Kind> map_choices[] = {
    {"weights", maps::Kind::weights},   {"minus", maps::Kind::minus},
    {"logistic", maps::Kind::logistic}, {"logistic-weights", maps::Kind::logistic_weights},
    {"poisson", maps::Kind::poisson},   {"poisson-weights", maps::Kind::poisson_weights}};
inline constexpr std::pair<char const*, Kernels> kernels_choices[] = {
    {"auto", Kernels::automatic},
    {"portable", Kernels::portable},
    {"accelerated", Kernels::accelerated}};
inline constexpr std::pair<char const*, ReportFormat> info_formats[] = {
    {"text", ReportFormat::text}, {"json", ReportFormat::json}};
inline constexpr std::pair<char const*, LeastSquaresMethod> least_squares_methods[] = {
    {"auto", LeastSquaresMethod::automatic},
    {"direct", LeastSquaresMethod::direct},
    {"lsmr", LeastSquaresMethod::lsmr},
    {"lsqr", LeastSquaresMethod::lsqr}};
inline constexpr std::pair<char const*, TripletMethod> triplet_methods[] = {
    {"auto", TripletMethod::automatic},
    {"direct", TripletMethod::direct},
    {"lanczos", TripletMethod::lanczos},
    {"randomized", TripletMethod::randomized}};
inline constexpr auto pca_methods = std::span(triplet_methods).first<3>();
inline constexpr std::pair<char const*, RegressionLoss> losses[] = {
    {"linear", RegressionLoss::linear},
    {"logistic", RegressionLoss::logistic},
    {"poisson", RegressionLoss::poisson},
    {"gamma", RegressionLoss::gamma},
    {"tweedie", RegressionLoss::tweedie}};
inline constexpr std::pair<char const*, FitSolver> fit_solvers[] = {
    {"auto", FitSolver::automatic},
    {"newton", FitSolver::newton},
    {"newton-cg", FitSolver::newton_cg},
    {"lbfgs", FitSolver::lbfgs}};

template <class Type>
inline constexpr std::pair<char const*, Type> type_choices[] = {{"f32", io::ScalarType::f32},
                                                                {"f64", io::ScalarType::f64}};
template <class Layout>
inline constexpr std::pair<char const*, Layout> layout_choices[] = {
    {"row-major", io::Layout::right}, {"column-major", io::Layout::left}};

/// The one of `words` (separated by |) that a text means, also by the names of C, NumPy and
/// Fortran; empty for others.
[[nodiscard]] std::string word_for(std::string const& text, std::string const& words);

/// Names the one that was probably meant.
[[nodiscard]] std::string no_word(std::string const& text, std::string const& words);

template <class Value>
CLI::Option* add_choice(CLI::App& app, std::string const& name, Value& value,
                        std::type_identity_t<Choices<Value>> choices, std::string const& help) {
  std::string words, preset;
  for (auto const& [word, meaning] : choices) {
    words += (words.empty() ? "" : "|") + std::string(word);
    if (meaning == value) preset = word;
  }
  auto const choose = [&value, choices, name, words](std::string const& text) {
    std::string const known = word_for(text, words);
    for (auto const& [word, meaning] : choices) {
      if (known == word) {
        value = meaning;
        return;
      }
    }
    throw CLI::ValidationError(name, no_word(text, words));
  };
  return app.add_option_function<std::string>(name, choose, help)
      ->type_name(words)
      ->default_str(preset);
}

/// Both ends included.
struct WholeRange {
  std::uint64_t least = 1;
  std::uint64_t most = std::uint64_t{1} << 30U;
};

inline constexpr WholeRange any_extent{.least = 1, .most = (std::uint64_t{1} << 63U) - 1};

/// Decimal digits only.
template <class Choose>
  requires std::is_invocable_v<Choose, std::uint64_t>
CLI::Option* add_whole(CLI::App& app, std::string const& name, Choose const& choose,
                       WholeRange const& range, std::string const& help) {
  auto const read = [choose, name, range](std::string const& text) {
    auto const number = bench::whole_number(text);
    if (!number || *number < range.least || *number > range.most) {
      throw CLI::ValidationError(
          name, "expected a whole number from " + std::to_string(range.least) + " to " +
                    std::to_string(range.most) + " in decimal digits, found '" + text + "'");
    }
    choose(*number);
  };
  return app.add_option_function<std::string>(name, read, help);
}

/// `value`: a whole number, or an optional one.
template <class Value>
  requires(!std::is_invocable_v<Value, std::uint64_t>)
CLI::Option* add_whole(CLI::App& app, std::string const& name, Value& value,
                       WholeRange const& range, std::string const& help) {
  return add_whole(
      app, name, [&value](std::uint64_t number) { value = static_cast<Value>(number); }, range,
      help);
}

template <class Number>
CLI::Option* add_count(CLI::App& app, std::string const& name, Number& value,
                       WholeRange const& range, std::string const& help) {
  return add_whole(app, name, value, range, help)->type_name("N");
}

inline std::string like(std::string const& examples, std::string const& text) {
  bool const is_beyond = is_beyond_double(text);
  return (is_beyond ? " that a double holds" : ", such as " + examples) + ", found '" + text + "'";
}

inline std::optional<double> signed_number(std::string_view text) {
  bool const is_negative = text.starts_with('-');
  auto const number = decimal_number(text.substr(is_negative ? 1 : 0));
  return number && is_negative ? -*number : number;
}

inline double number_in(std::string const& name, std::string const& text) {
  if (auto const number = signed_number(text)) return *number;
  throw CLI::ValidationError(name, "expected a decimal number" + like("-0.5 or 1e-3", text));
}

/// Possibly negative.
template <class Value>
CLI::Option* add_number(CLI::App& app, std::string const& name, Value& value,
                        std::string const& help) {
  auto const read = [&value, name](std::string const& text) { value = number_in(name, text); };
  return app.add_option_function<std::string>(name, read, help)->type_name("NUMBER");
}

inline CLI::Option* add_seconds(CLI::App& app, std::string const& name, double& value, double most,
                                std::string const& help) {
  auto const read = [&value, name, most](std::string const& text) {
    auto const number = decimal_number(text);
    if (!number || *number > most) {
      throw CLI::ValidationError(name, "expected a number of seconds from 0 to " +
                                           general(most, 9) + ", such as 0.5, found '" + text +
                                           "'");
    }
    value = *number;
  };
  return app.add_option_function<std::string>(name, read, help)
      ->type_name("S")
      ->default_str(general(value, 9));
}

inline double size_in(std::string const& name, std::string const& text) {
  auto const number = decimal_number(text);
  if (number) return *number;
  throw CLI::ValidationError(name, "expected a number of at least 0" + like("0.5 or 1e-6", text));
}

/// At least 0.
template <class Value>
CLI::Option* add_size(CLI::App& app, std::string const& name, Value& value,
                      std::string const& help) {
  auto const read = [&value, name](std::string const& text) { value = size_in(name, text); };
  auto* const option = app.add_option_function<std::string>(name, read, help)->type_name("NUMBER");
  if constexpr (std::is_same_v<Value, double>) option->default_str(general(value, 9));
  return option;
}

/// At least one, separated by commas.
inline CLI::Option* add_sizes(CLI::App& app, std::string const& name, std::vector<double>& values,
                              std::string const& help) {
  auto const read = [&values, name](std::string const& text) {
    values.clear();
    for (std::size_t from = 0; from <= text.size();) {
      std::size_t const comma = std::min(text.find(',', from), text.size());
      values.push_back(size_in(name, text.substr(from, comma - from)));
      from = comma + 1;
    }
  };
  return app.add_option_function<std::string>(name, read, help)->type_name("NUMBER[,NUMBER...]");
}

/// Such as 32x8, both at least 1.
template <class Choose>
CLI::Option* add_extents(CLI::App& app, std::string const& name, std::string const& what,
                         Choose const& choose, std::string const& help) {
  auto const read = [choose, name, what](std::string const& text) {
    auto const found = two_extents(text);
    if (!found) {
      throw CLI::ValidationError(name, "expected two whole numbers of " + what +
                                           " with an x between, such as 32x8, found '" + text +
                                           "'");
    }
    choose(*found);
  };
  return app.add_option_function<std::string>(name, read, help);
}

/// `-` is `standard`. A name without dashes is a positional.
inline CLI::Option* add_file(CLI::App& app, std::string const& name, std::string& path,
                             std::string const& standard, std::string const& help) {
  auto const take = [&path, standard](std::string const& text) {
    path = text == "-" ? standard : text;
  };
  return app.add_option_function<std::string>(name, take, help)
      ->type_name(name.starts_with('-') ? "FILE" : "");
}
inline CLI::Option* add_input_file(CLI::App& app, std::string const& name, std::string& path,
                                   std::string const& help) {
  return add_file(app, name, path, "/dev/stdin", help);
}
inline CLI::Option* add_output_file(CLI::App& app, std::string const& name, std::string& path,
                                    std::string const& help) {
  return add_file(app, name, path, "/dev/stdout", help);
}

inline void add_result_file(CLI::App& app, std::string const& name, std::string& path,
                            std::string const& what) {
  add_output_file(app, name, path, "File for " + what + " (.npy or .bin)");
}

inline void add_threads(CLI::App& app, int& threads) {
  add_count(app, "--threads", threads, {.most = 65536},
            "Host threads (else OMP_NUM_THREADS, else all processors)");
}

inline void add_device(CLI::App& app, std::optional<int>& device) {
  add_count(app, "--device", device, {.least = 0, .most = 65535},
            "Number of the GPU in `tessera info` (else the first that works)");
}

inline void add_cache_preference(CLI::App& app,
                                 std::optional<backends::CachePreference>& preference) {
  add_choice(app, "--cache-preference", preference, cache_preference_choices,
             "Cache preference of a GPU (cuda)");
}

/// The parsed one stores its options in `chosen`.
void add_commands(CLI::App& app, std::optional<Options>& chosen);

}  // namespace tessera::app
