// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstdio>
#include <string>

#include <app/backend/backends.hpp>
#include <app/check/verdict.hpp>
#include <app/run/run.hpp>

/// The lines that text reports share.
namespace tessera::app {

/// With so many digits after the point.
inline std::string fixed(double value, int digits) {
  char text[400];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

/// With so many significant digits.
inline std::string general(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

/// A time with a unit that leaves few digits before the point.
inline std::string duration(double seconds) {
  if (seconds < 1e-3) return fixed(seconds * 1e6, 1) + " µs";
  if (seconds < 1) return fixed(seconds * 1e3, 3) + " ms";
  return fixed(seconds, 3) + " s";
}

/// A field of a CSV table; one with a comma, a quote or a line end is quoted.
inline std::string csv_field(std::string const& value) {
  if (value.find_first_of(",\"\n\r") == std::string::npos) return value;
  std::string quoted = "\"";
  for (char const c : value) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

inline std::string line(std::string name, std::string const& text) {
  name.resize(std::max<std::size_t>(name.size(), 13), ' ');
  return "  " + name + text + "\n";
}

inline std::string backend_lines(BackendFacts const& backend, bool is_chosen,
                                 std::string const& why) {
  std::string text =
      line("backend", backend.name + (is_chosen ? " (chosen)" : "") + ", " + backend.device);
  if (!why.empty()) text += line("", "why: " + why);
  return text;
}

inline std::string kernels_line(Measurement const& run) {
  return run.kernels ? line("kernels", kernels_of(run)) : "";
}

/// What ran instead of the operation, and what the caches were told.
inline std::string variant_lines(Measurement const& run) {
  std::string text;
  if (run.variant) {
    text += line("variant", to_text(*run.variant));
    text += line("", std::string(sentence_of(run.variant->reproducible)));
    if (run.variant->is_copy) text += line("", "copies: the result is A itself");
  }
  if (run.cache_preference)
    text += line("caches", "prefer " + std::string(to_string(*run.cache_preference)));
  return text;
}

inline std::string time_lines(Measurement const& run, double read_seconds) {
  auto const& time = run.seconds;
  std::string text = line(
      "time", duration(time.median) + " median of " + std::to_string(time.repeats) + " (" +
                  duration(time.min) + " to " + duration(time.max) + "); " +
                  (run.stream ? "reading included" : "reading took " + duration(read_seconds)));
  if (run.stages.size() > 1) {
    for (auto const& stage : run.stages)
      text += line("", stage.name + ": " + duration(stage.seconds));
  }
  return text;
}

inline std::string verdict_lines(Verdict const& verdict) {
  std::string text = line("check", to_sentence(verdict));
  if (verdict.failed > 0) {
    text += line("", "element " + std::to_string(verdict.worst) + " is " +
                         general(verdict.worst_value, 17) + ", should be " +
                         general(verdict.worst_reference, 17) + ", give or take " +
                         general(verdict.worst_bound, 3));
  }
  return text;
}

}  // namespace tessera::app
