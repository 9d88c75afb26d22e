// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bench/machine.hpp>
#include <cmath>
#include <cstdio>
#include <optional>

#include <Kokkos_Core.hpp>
#include <nlohmann/json.hpp>

#include <app/backend/backends.hpp>
#include <app/backend/devices.hpp>
#include <app/base/ranks.hpp>
#include <app/commands/commands.hpp>
#include <app/report/report.hpp>
#include <io/format_functions.hpp>
#include <io/memory.hpp>
#include <tessera/backends/devices.hpp>
#include <tessera/backends/host/avx512.hpp>
#include <tessera/backends/host/processor.hpp>
#include <tessera/version.hpp>

namespace tessera::app {
namespace {

struct OpenedDevice {
  backends::Device device;
  backends::DeviceState state;
  std::string trouble;  ///< empty: usable
};

struct Info {
  Processor processor = host_processor();
  std::uint64_t memory = io::available_memory();
  std::string hdf5 = io::hdf5_version();
  std::string mpi = mpi_version();
  std::vector<BackendFacts> backends;  ///< empty: Kokkos could not start
  std::optional<backends::DeviceSurvey> survey;
  std::vector<OpenedDevice> devices;
};

Info gather() {
  Info info;
  if (Kokkos::is_initialized()) info.backends = enabled_backends();
  info.survey = backends::survey_devices();
  if (!info.survey) return info;
  int const current = Kokkos::is_initialized() ? Kokkos::device_id() : -1;
  for (auto const& device : info.survey->devices) {
    auto const state = backends::open_device(device.id);
    info.devices.push_back({.device = device,
                            .state = state,
                            .trouble = why_not_usable(device, state, info.survey->compiled_for)});
  }
  if (current >= 0) static_cast<void>(backends::open_device(current));  // makes it current again
  return info;
}

void print(char const* name, std::string const& text) {
  std::printf("%-14s%s\n", name, text.c_str());
}

std::string inner_loops() {
  namespace avx512 = backends::host::avx512;
  if (avx512::available()) return "AVX-512";
  return TESSERA_HOST_ARCH + std::string(avx512::supported() ? " (TESSERA_AVX512=off)" : "");
}

/// The condition of --backend auto; empty: never chosen.
std::string choice_text(Info const& info, BackendFacts const& backend) {
  bool const any_gpu = info.backends.front().is_gpu;
  auto const host = std::ranges::find(info.backends, false, &BackendFacts::is_gpu);
  std::string const choice = " (the choice of --backend auto";
  if (backend.is_gpu) return choice + " where that is estimated to be faster, copies included)";
  if (host == info.backends.end() || backend.choice != host->choice) return {};
  return choice + (any_gpu ? " else)" : ")");
}

void print_devices(Info const& info) {
  if (!info.survey) return print("GPUs", "not looked for: this program was built without CUDA");
  for (auto const& [device, state, trouble] : info.devices) {
    print("GPU", std::to_string(device.id) + ": " + describe(device));
    print("  memory",
          io::format_bytes(device.memory) + ", " + io::format_bytes(state.free) + " free");
    print("  bandwidth", device.bandwidth > 0
                             ? std::to_string(std::llround(device.bandwidth * 1e-9)) +
                                   " GB/s, theoretical: width of the bus times clock"
                             : "unknown");
    print("  capability", std::to_string(device.major) + "." + std::to_string(device.minor));
    if (!trouble.empty()) print("  trouble", trouble);
  }
  if (info.devices.empty()) print("GPUs", "none");
}

void print_text(Info const& info) {
  print("tessera", std::string(version) + ", commit " + std::string(git_commit));
  print("Kokkos", bench::kokkos_version());
  print("processor", info.processor.name);
  print("  profile", std::string(backends::host::profile().name) + ", of the tuning of hosts");
  print("instructions",
        "compiled for " TESSERA_HOST_ARCH "; the processor has " + info.processor.instructions);
  print("inner loops", inner_loops());
  print("memory", io::format_bytes(info.memory) + " available");
  print("HDF5", info.hdf5.empty() ? "left out: this program was built without its library"
                                  : "library " + info.hdf5);
  print("MPI",
        info.mpi.empty() ? "left out: there is no tessera-mpi beside this program" : info.mpi);
  for (auto const& backend : info.backends) {
    print("backend", backend.name + choice_text(info, backend));
    print("  device", backend.device);
    print("  threads", std::to_string(backend.concurrency));
    print("  scratch", "level 0: " + io::format_bytes(backend.scratch_level0) + ", level 1: " +
                           io::format_bytes(backend.scratch_level1) + " for a team");
  }
  if (info.backends.empty()) print("backends", "none: Kokkos cannot start here");
  print_devices(info);
}

void print_json(Info const& info) {
  Json backends = Json::array();
  for (auto const& backend : info.backends) {
    backends.push_back({{"name", backend.name},
                        {"device", backend.device},
                        {"threads", backend.concurrency},
                        {"scratch_level0", backend.scratch_level0},
                        {"scratch_level1", backend.scratch_level1}});
  }
  Json devices = Json::array();
  for (auto const& [device, state, trouble] : info.devices) {
    devices.push_back(
        {{"id", device.id},
         {"name", device.name},
         {"architecture", "sm_" + std::to_string(device.major) + std::to_string(device.minor)},
         {"compute_capability", std::to_string(device.major) + "." + std::to_string(device.minor)},
         {"multiprocessors", device.multiprocessors},
         {"memory_bytes", device.memory},
         {"free_bytes", state.free},
         {"theoretical_bytes_per_s", device.bandwidth > 0 ? Json(device.bandwidth) : Json(nullptr)},
         {"trouble", text_or_null(trouble)}});
  }
  Json const all = {{"version", version},
                    {"commit", git_commit},
                    {"kokkos", bench::kokkos_version()},
                    {"processor", info.processor.name},
                    {"profile", backends::host::profile().name},
                    {"instructions", info.processor.instructions},
                    {"compiled_for", TESSERA_HOST_ARCH},
                    {"avx512_loops", backends::host::avx512::available()},
                    {"available_bytes", info.memory},
                    {"hdf5", text_or_null(info.hdf5)},
                    {"mpi", text_or_null(info.mpi)},
                    {"backends", backends},
                    {"devices", info.survey ? devices : Json(nullptr)}};
  std::fputs(json_text(all).c_str(), stdout);
}

}  // namespace

ExitStatus run_command(InfoOptions const& options) {
  Info const info = gather();
  if (options.format == ReportFormat::json) {
    print_json(info);
  } else {
    print_text(info);
  }
  return ExitStatus::good;
}

}  // namespace tessera::app
