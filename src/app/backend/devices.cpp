// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <unistd.h>

#include <Kokkos_Core.hpp>

#include <app/backend/devices.hpp>
#include <app/base/failure.hpp>
#include <app/base/notices.hpp>
#include <app/base/ranks.hpp>
#include <app/base/text.hpp>
#include <io/memory.hpp>
#include <tessera/backends/devices.hpp>
#include <tessera/backends/environment.hpp>
#include <tessera/backends/threads.hpp>

namespace tessera::app {
namespace {

std::string cuda_version(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string architectures(std::vector<int> const& compiled_for) {
  std::string text;
  for (int const each : compiled_for) {
    text += (text.empty() ? "sm_" : ", sm_") + std::to_string(each);
  }
  return text.empty() ? "another architecture" : text;
}

std::string architecture_of(backends::Device const& device) {
  return "sm_" + std::to_string(device.major) + std::to_string(device.minor);
}

std::optional<std::string> visible_devices() {
  char const* const value = std::getenv("CUDA_VISIBLE_DEVICES");
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

[[noreturn]] void fail_to_start(std::string const& why) {
  throw Failure(ExitStatus::resources,
                why +
                    "; this program was built with CUDA, and Kokkos then starts on a CUDA device "
                    "only, for any backend: for the host alone, build it without CUDA "
                    "(cmake --workflow --preset openmp)");
}

std::optional<std::string> trouble_of(backends::DeviceSurvey const& survey,
                                      backends::Device const& device) {
  auto const why = why_not_usable(device, backends::open_device(device.id), survey.compiled_for);
  return why.empty() ? std::nullopt : std::optional(why);
}

int device_wanted(backends::DeviceSurvey const& survey, int wanted) {
  auto const count = static_cast<int>(survey.devices.size());
  if (wanted >= count) {
    throw Failure(ExitStatus::resources,
                  "--device " + std::to_string(wanted) + ": there is no such device; expected " +
                      (count == 1 ? "0" : "0 to " + std::to_string(count - 1)) +
                      ", `tessera info` lists them");
  }
  if (auto const why = trouble_of(survey, survey.devices[static_cast<std::size_t>(wanted)])) {
    throw Failure(ExitStatus::resources, "--device " + std::to_string(wanted) + ": " + *why);
  }
  return wanted;
}

int first_usable(backends::DeviceSurvey const& survey) {
  std::string reasons;
  for (auto const& device : survey.devices) {
    auto const why = trouble_of(survey, device);
    if (!why) return device.id;
    reasons += (reasons.empty() ? "" : "; ") + *why;
  }
  fail_to_start(reasons);
}

backends::Device device_of_kokkos() {
  auto const id = static_cast<std::size_t>(Kokkos::device_id());  // huge for -1
  auto const survey = backends::survey_devices();
  if (!survey || id >= survey->devices.size()) {
    throw Failure(ExitStatus::resources, "expected a GPU, but Kokkos was started without one");
  }
  return survey->devices[id];
}

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

std::string name_of(backends::Device const& device) {
  return device.name + " (device " + std::to_string(device.id) + ")";
}

std::string describe(backends::Device const& device) {
  return device.name + ", " + architecture_of(device) + ", " +
         std::to_string(device.multiprocessors) + " multiprocessors, " +
         io::format_bytes(device.memory);
}

std::string why_no_device(backends::DeviceSurvey const& survey,
                          std::optional<std::string> const& visible) {
  if (!survey.devices.empty()) return {};
  if (survey.driver_version == 0) return "no CUDA driver was found on this machine";
  if (survey.driver_version / 1000 < survey.runtime_version / 1000) {
    return "the CUDA driver is too old: expected one for CUDA " +
           cuda_version(survey.runtime_version) + ", found one for " +
           cuda_version(survey.driver_version);
  }
  std::string const why = "no CUDA device was found";
  if (visible) return why + ": CUDA_VISIBLE_DEVICES is '" + *visible + "'";
  return why + (survey.error.empty() ? "" : ": " + survey.error);
}

std::string why_not_usable(backends::Device const& device, backends::DeviceState const& state,
                           std::vector<int> const& compiled_for) {
  if (state.error.empty()) return {};
  if (state.lacks_code) {
    return name_of(device) + " is " + architecture_of(device) +
           ", and this program was compiled for " + architectures(compiled_for) +
           ": build it for " + architecture_of(device) + " (" + state.error + ")";
  }
  return name_of(device) + " cannot be used: " + state.error;
}

bool fits_on_device(std::uint64_t needed, std::uint64_t free) {
  // The driver allocates large pieces.
  constexpr std::uint64_t lost = 64U << 20U;
  return free >= lost && needed <= free - lost;
}

std::string no_room_sentence(std::string const& path, std::string const& what, std::uint64_t needed,
                             std::uint64_t free, backends::Device const& device) {
  return path + ": not enough memory on " + name_of(device) + " for " + what + ": expected " +
         io::format_bytes(needed) + " free, found " + io::format_bytes(free) + " of " +
         io::format_bytes(device.memory) +
         "; end what else runs there, or take another device (--device N) or the host "
         "(--backend openmp)";
}

std::optional<int> choose_device(std::optional<int> wanted) {
  auto const survey = backends::survey_devices();
  if (!survey) {
    if (!wanted) return std::nullopt;
    throw Failure(ExitStatus::resources, "--device " + std::to_string(*wanted) +
                                             ": this program was built without a backend for GPUs");
  }
  if (auto const why = why_no_device(*survey, visible_devices()); !why.empty()) fail_to_start(why);
  // Device numbers are CUDA's; Kokkos would renumber visible devices.
  static_cast<void>(::unsetenv("KOKKOS_VISIBLE_DEVICES"));
  if (!wanted && ranks().are_many()) {
    wanted = ranks().on_host % static_cast<int>(survey->devices.size());
  }
  return wanted ? device_wanted(*survey, *wanted) : first_usable(*survey);
}

CurrentDevice current_device() {
  static backends::Device const device = device_of_kokkos();  // takes milliseconds
  return {.device = device, .free = backends::open_device(device.id).free};
}

void require_device_memory(std::uint64_t bytes, std::string const& path, std::string const& what) {
  auto const current = current_device();
  if (fits_on_device(bytes, current.free)) return;
  throw Failure(ExitStatus::resources,
                no_room_sentence(path, what, bytes, current.free, current.device));
}

void require_kokkos_environment(Environment const& variable) {
  if (auto const fault = backends::fault_of_kokkos_environment(variable)) {
    throw Failure(ExitStatus::usage, *fault);
  }
}

int host_threads(int wanted) {
  std::string source = "--threads " + std::to_string(wanted);
  bool const is_given = wanted > 0;
  if (!is_given) {
    source = "the environment or the number of processors asks for ";
    char const* const value = std::getenv("KOKKOS_NUM_THREADS");
    bool const is_said = value != nullptr || std::getenv("OMP_NUM_THREADS") != nullptr;
    wanted = value == nullptr ? 0 : std::atoi(value);
    // More threads than processors would wait for each other.
    if (!is_said && backends::has_host_threads) wanted = ranks().threads;
    if (value != nullptr && wanted > 0) source = "KOKKOS_NUM_THREADS=" + std::string(value);
  }
  auto const found = backends::survey_host_threads(wanted);
  if (found.found < found.wanted) {
    if (source.ends_with("for ")) source += threads(found.wanted);
    notice(source + ": " + threads(found.found, " is", " are") + " used, because " + found.why);
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
