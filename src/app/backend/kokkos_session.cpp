// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <unistd.h>

#include <app/backend/kokkos_session.hpp>
#include <app/base/failure.hpp>
#include <tessera/backends/threads.hpp>

namespace tessera::app {
namespace {

/// What a variable of Kokkos has to be.
struct Variable {
  char const* name;
  bool (*is_valid)(std::string_view value);
  char const* expected;
};

bool is_whole(std::string_view text, int least) {
  int value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value >= least;
}

bool is_yes_or_no(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array<std::string_view, 6> known{"yes", "true", "1", "no", "false", "0"};
  return std::ranges::find(known, lower) != known.end();
}

constexpr char const* yes_or_no = "yes, true, 1, no, false or 0";

constexpr std::array<Variable, 6> variables{{
    {.name = "KOKKOS_NUM_THREADS",
     .is_valid = [](std::string_view text) { return is_whole(text, 1); },
     .expected = "a whole number of threads, at least 1"},
    {.name = "KOKKOS_DEVICE_ID",
     .is_valid = [](std::string_view text) { return is_whole(text, 0); },
     .expected = "the number of a device, at least 0"},
    {.name = "KOKKOS_DISABLE_WARNINGS", .is_valid = is_yes_or_no, .expected = yes_or_no},
    {.name = "KOKKOS_PRINT_CONFIGURATION", .is_valid = is_yes_or_no, .expected = yes_or_no},
    {.name = "KOKKOS_TUNE_INTERNALS", .is_valid = is_yes_or_no, .expected = yes_or_no},
    {.name = "KOKKOS_MAP_DEVICE_ID_BY",
     .is_valid = [](std::string_view text) { return text == "random" || text == "mpi_rank"; },
     .expected = "random or mpi_rank"},
}};

/// What came from outside, fit for a message: cut, and printable.
std::string shown(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string result(text.substr(0, most));
  std::ranges::replace_if(result, [](unsigned char c) { return c < ' ' || c > '~'; }, '?');
  return result + (text.size() > most ? "..." : "");
}

/// Until its end, what is written to stdout goes to stderr.
class StdoutToStderr {
 public:
  StdoutToStderr() {
    std::fflush(stdout);
    std::cout.flush();
    kept_ = ::dup(STDOUT_FILENO);
    if (kept_ >= 0) ::dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  ~StdoutToStderr() {
    std::cout.flush();
    std::fflush(stdout);
    if (kept_ < 0) return;
    ::dup2(kept_, STDOUT_FILENO);
    ::close(kept_);
  }
  StdoutToStderr(StdoutToStderr const&) = delete;
  StdoutToStderr& operator=(StdoutToStderr const&) = delete;

 private:
  int kept_ = -1;
};

std::string threads(int count, char const* is = "", char const* are = "") {
  return std::to_string(count) + (count == 1 ? " thread" : " threads") + (count == 1 ? is : are);
}

}  // namespace

void require_kokkos_environment(Environment const& variable) {
  for (auto const& [name, is_valid, expected] : variables) {
    char const* const value = variable(name);
    if (value == nullptr || is_valid(value)) continue;
    throw Failure(ExitStatus::usage, "the environment variable " + std::string(name) +
                                         ": expected " + expected + ", found '" + shown(value) +
                                         "'; correct or unset it");
  }
  char const* const libraries = variable("KOKKOS_TOOLS_LIBS");
  char const* const profile = variable("KOKKOS_PROFILE_LIBRARY");
  if (libraries != nullptr && profile != nullptr && std::string_view(libraries) != profile) {
    throw Failure(
        ExitStatus::usage,
        "the environment variables KOKKOS_TOOLS_LIBS and KOKKOS_PROFILE_LIBRARY: expected "
        "one of them, found '" +
            shown(libraries) + "' and '" + shown(profile) + "'; unset the second");
  }
}

int host_threads(int wanted) {
  std::string source = "--threads " + std::to_string(wanted);
  if (wanted <= 0) {
    source = "the environment or the number of processors asks for ";
    char const* const value = std::getenv("KOKKOS_NUM_THREADS");
    wanted = value == nullptr ? 0 : std::atoi(value);
    if (wanted > 0) source = "KOKKOS_NUM_THREADS=" + std::string(value);
  }
  auto const found = backends::survey_host_threads(wanted);
  if (found.found < found.wanted) {
    if (wanted <= 0) source += threads(found.wanted);
    std::fprintf(stderr, "tessera: %s: %s used, because %s\n", source.c_str(),
                 threads(found.found, " is", " are").c_str(), found.why.c_str());
  }
  return found.found;
}

KokkosSession::KokkosSession(int threads, std::optional<int> device) {
  require_kokkos_environment([](char const* name) -> char const* { return std::getenv(name); });
  Kokkos::InitializationSettings settings;
  settings.set_disable_warnings(true);
  settings.set_num_threads(host_threads(threads));
  if (device) settings.set_device_id(*device);
  StdoutToStderr const apart;
  Kokkos::initialize(settings);
}

KokkosSession::~KokkosSession() {
  StdoutToStderr const apart;
  Kokkos::finalize();
}

}  // namespace tessera::app
