// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tessera::test {
namespace {

std::optional<std::uint64_t> number(char const* name) {
  char const* const text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  std::string_view const digits(text);
  std::uint64_t value = 0;
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    throw std::runtime_error(std::string(name) + " must be a whole number, found \"" + text + '"');
  }
  return value;
}

}  // namespace

SweepSettings SweepSettings::from_environment() {
  SweepSettings settings;
  settings.seed = number("TESSERA_SWEEP_SEED").value_or(settings.seed);
  settings.first = number("TESSERA_SWEEP_FIRST").value_or(settings.first);
  settings.shapes = number("TESSERA_SWEEP_SHAPES");
  settings.repetitions = number("TESSERA_SWEEP_REPETITIONS");
  if (auto const giants = number("TESSERA_SWEEP_GIANTS")) settings.giants = *giants != 0;
  return settings;
}

std::optional<std::uint64_t> available_host_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string name; file >> name;) {
    std::uint64_t kibibytes = 0;
    if (name == "MemAvailable:" && file >> kibibytes) return kibibytes * 1024;
  }
  return std::nullopt;
}

}  // namespace tessera::test
