// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <fstream>
#include <sstream>
#include <string_view>

#include <app/backend/processor.hpp>

namespace tessera::app {
namespace {

/// The value of the first line `key : value` of /proc/cpuinfo; empty where there is none.
std::string cpuinfo(std::string_view key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    auto const colon = line.find(':');
    if (colon != std::string::npos && colon + 2 <= line.size()) return line.substr(colon + 2);
  }
  return {};
}

std::string known_instructions(std::string const& flags) {
  constexpr std::array<std::string_view, 6> known = {"avx",     "avx2",  "fma",
                                                     "avx512f", "asimd", "sve"};
  std::string found;
  std::istringstream words(flags);
  for (std::string word; words >> word;) {
    for (auto const name : known) {
      if (word == name) found += (found.empty() ? "" : " ") + word;
    }
  }
  return found;
}

std::string or_unknown(std::string const& text) {
  return text.empty() ? "unknown" : text;
}

}  // namespace

Processor host_processor() {
  auto const flags = cpuinfo("flags");
  return {
      .name = or_unknown(cpuinfo("model name")),
      .instructions = or_unknown(known_instructions(flags.empty() ? cpuinfo("Features") : flags))};
}

}  // namespace tessera::app
