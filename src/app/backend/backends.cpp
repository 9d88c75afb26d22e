// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include <Kokkos_Core.hpp>

#include <app/backend/backends.hpp>
#include <app/backend/devices.hpp>
#include <app/base/failure.hpp>
#include <app/base/ranks.hpp>
#include <io/memory.hpp>
#include <tessera/backends/backends.hpp>

namespace tessera::app {
namespace {

/// Backends of the library have the same names.
constexpr std::array<std::pair<BackendChoice, std::string_view>, 4> backend_names = {
    {{BackendChoice::automatic, "auto"},
     {BackendChoice::openmp, "openmp"},
     {BackendChoice::serial, "serial"},
     {BackendChoice::cuda, "cuda"}}};

BackendChoice choice_named(std::string_view name) {
  return std::ranges::find(backend_names, name, &std::pair<BackendChoice, std::string_view>::second)
      ->first;
}

std::string describe_host(int threads) {
  return host_processor().name + ", " + std::to_string(threads) +
         (threads == 1 ? " thread" : " threads");
}

template <class Exec>
BackendFacts facts_of() {
  using Policy = Kokkos::TeamPolicy<Exec>;
  constexpr bool is_gpu = backends::Backend<Exec>::is_gpu;
  int const threads = Exec().concurrency();
  return {.choice = choice_named(backends::Backend<Exec>::name),
          .name = backends::Backend<Exec>::name,
          .device = is_gpu ? describe(current_device().device) : describe_host(threads),
          .is_gpu = is_gpu,
          .concurrency = threads,
          .scratch_level0 = static_cast<std::size_t>(Policy::scratch_size_max(0)),
          .scratch_level1 = static_cast<std::size_t>(Policy::scratch_size_max(1))};
}

BackendDecision choose_automatically(std::vector<BackendFacts> const& all, Job const& job) {
  auto const gpu = std::ranges::find(all, true, &BackendFacts::is_gpu);
  auto const host = std::ranges::find(all, false, &BackendFacts::is_gpu);
  if (gpu == all.end()) {
    return {.backend = *host, .why = "this program was built without a backend for GPUs"};
  }
  if (host == all.end()) return {.backend = *gpu, .why = "this program has no other backend"};

  auto const on_gpu = job.forecast(gpu->choice);
  auto const [device, free] = current_device();
  if (!fits_on_device(on_gpu.memory(), free)) {
    return {.backend = *host,
            .why = "the job needs " + io::format_bytes(on_gpu.memory()) + " on " + name_of(device) +
                   ", which has " + io::format_bytes(free) + " free"};
  }
  auto const on_host = job.forecast(host->choice);
  auto const comparison = compare(device_seconds(on_gpu, job.runs, device.bandwidth), gpu->name,
                                  host_seconds(on_host, job.runs, host->concurrency), host->name);
  return {.backend = comparison.take_device ? *gpu : *host, .why = comparison.why};
}

/// Empty without a line `key : value`.
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

std::string seconds_text(double seconds) {
  char text[64];
  std::snprintf(text, sizeof text, "%.2g s", seconds);
  return text;
}

}  // namespace

std::string_view to_string(BackendChoice choice) {
  return std::ranges::find(backend_names, choice,
                           &std::pair<BackendChoice, std::string_view>::first)
      ->second;
}

std::vector<BackendFacts> enabled_backends() {
  std::vector<BackendFacts> all;
  backends::for_each_backend(
      [&]<class Exec>(std::type_identity<Exec>) { all.push_back(facts_of<Exec>()); });
  std::ranges::reverse(all);  // the library lists the simplest first
  return all;
}

void require_backend(BackendChoice choice) {
  std::string built;
  for (auto const& backend : enabled_backends()) {
    if (choice == BackendChoice::automatic || choice == backend.choice) return;
    built += (built.empty() ? "" : ", ") + backend.name;
  }
  throw Failure(ExitStatus::resources, "--backend " + std::string(to_string(choice)) +
                                           ": this program was built without it; it has " + built);
}

void require_same_backend(std::string const& path, BackendFacts const& mine) {
  if (auto const difference = difference_of_ranks("the backend " + mine.name);
      !difference.empty()) {
    throw Failure(ExitStatus::resources, path + ": " + difference + "; --backend chooses for all");
  }
}

Forecast forecast_product(std::uint64_t rows, std::uint64_t cols, std::uint64_t depth,
                          std::uint64_t element_bytes, std::uint64_t scratch) {
  std::uint64_t const inputs = (rows * depth + depth * cols) * element_bytes;
  std::uint64_t const results = rows * cols * element_bytes;
  return {.traffic = inputs + results,
          .inputs = inputs,
          .results = results,
          .scratch = scratch,
          .flops = 2.0 * static_cast<double>(rows) * static_cast<double>(cols) *
                   static_cast<double>(depth)};
}

double host_seconds(Forecast const& work, int runs, int threads, CostConstants const& constants) {
  double const bandwidth = std::min(threads * constants.host_thread, constants.host_most);
  return runs * std::max(static_cast<double>(work.traffic) / bandwidth,
                         work.flops / (threads * constants.host_thread_flops));
}

DeviceSeconds device_seconds(Forecast const& work, int runs, double bandwidth,
                             CostConstants const& constants) {
  double const reached =
      bandwidth > 0 ? bandwidth * constants.device_share : constants.device_unknown;
  double const copied = static_cast<double>(work.inputs) + static_cast<double>(work.results);
  return {
      .copies = constants.device_start + copied / constants.link,
      .runs =
          runs * (constants.device_launch + std::max(static_cast<double>(work.traffic) / reached,
                                                     work.flops / constants.device_flops)),
  };
}

Comparison compare(DeviceSeconds const& device, std::string const& device_backend, double host,
                   std::string const& host_backend) {
  return {.take_device = device.total() < host,
          .why = "estimated " + seconds_text(device.total()) + " on " + device_backend + " (" +
                 seconds_text(device.copies) + " of it copies), " + seconds_text(host) + " on " +
                 host_backend};
}

BackendDecision choose_backend(BackendChoice choice, Job const& job) {
  require_backend(choice);
  auto const all = enabled_backends();
  if (choice == BackendChoice::automatic) return choose_automatically(all, job);
  auto const& backend = *std::ranges::find(all, choice, &BackendFacts::choice);
  if (backend.is_gpu) {
    require_device_memory(job.forecast(choice).memory(), job.input, job.what);
  }
  return {.backend = backend, .why = ""};
}

void require_caches(std::optional<backends::CachePreference> preference,
                    BackendFacts const& backend) {
  if (!preference || backend.is_gpu) return;
  throw Failure(ExitStatus::usage, "--cache-preference: expected the backend cuda, found " +
                                       backend.name +
                                       "; leave the option out or add --backend cuda");
}

void require_threads(int threads, BackendFacts const& backend) {
  if (threads <= 1 || backend.choice != BackendChoice::serial) return;
  throw Failure(ExitStatus::usage, "--threads: serial computes with one thread, found " +
                                       std::to_string(threads) +
                                       "; leave the option out or use --backend openmp");
}

void require_device_in_use(std::optional<int> device, BackendChoice choice) {
  if (!device || choice == BackendChoice::automatic || choice == BackendChoice::cuda) return;
  throw Failure(ExitStatus::usage, "--device: " + std::string(to_string(choice)) +
                                       " computes on the host, found --device " +
                                       std::to_string(*device) +
                                       "; leave one of the two options out");
}

std::string_view to_string(backends::CachePreference preference) {
  switch (preference) {
    case backends::CachePreference::none:
      return "none";
    case backends::CachePreference::l1:
      return "l1";
    case backends::CachePreference::shared:
      return "shared";
    case backends::CachePreference::equal:
      break;
  }
  return "equal";
}

Processor host_processor() {
  auto const flags = cpuinfo("flags");
  return {
      .name = or_unknown(cpuinfo("model name")),
      .instructions = or_unknown(known_instructions(flags.empty() ? cpuinfo("Features") : flags))};
}

}  // namespace tessera::app
