// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <utility>

#include <Kokkos_Core.hpp>

#include <app/backend_visit.hpp>
#include <app/failure.hpp>
#include <app/processor.hpp>

namespace tessera::app {
namespace {

/// The names of the choices; a backend of the library has the name of its choice.
constexpr std::array<std::pair<BackendChoice, std::string_view>, 4> names = {
    {{BackendChoice::automatic, "auto"},
     {BackendChoice::openmp, "openmp"},
     {BackendChoice::serial, "serial"},
     {BackendChoice::cuda, "cuda"}}};

BackendChoice choice_named(std::string_view name) {
  return std::ranges::find(names, name, &std::pair<BackendChoice, std::string_view>::second)->first;
}

template <class Exec>
BackendFacts facts_of() {
  using Policy = Kokkos::TeamPolicy<Exec>;
  int const threads = Exec().concurrency();
  return {.choice = choice_named(backends::Backend<Exec>::name),
          .name = backends::Backend<Exec>::name,
          .device = host_processor().name + ", " + std::to_string(threads) +
                    (threads == 1 ? " thread" : " threads"),
          .concurrency = threads,
          .scratch_level0 = static_cast<std::size_t>(Policy::scratch_size_max(0)),
          .scratch_level1 = static_cast<std::size_t>(Policy::scratch_size_max(1))};
}

}  // namespace

std::string_view to_string(BackendChoice choice) {
  return std::ranges::find(names, choice, &std::pair<BackendChoice, std::string_view>::first)
      ->second;
}

std::vector<BackendFacts> enabled_backends() {
  std::vector<BackendFacts> all;
  backends::for_each_backend(
      [&]<class Exec>(std::type_identity<Exec>) { all.push_back(facts_of<Exec>()); });
  std::ranges::reverse(all);  // the library lists the simplest first
  return all;
}

BackendFacts choose_backend(BackendChoice choice) {
  auto const all = enabled_backends();
  std::string built;
  for (auto const& backend : all) {
    if (choice == BackendChoice::automatic || choice == backend.choice) return backend;
    built += (built.empty() ? "" : ", ") + backend.name;
  }
  throw Failure(ExitStatus::resources, "--backend " + std::string(to_string(choice)) +
                                           ": this program was built without it; it has " + built);
}

}  // namespace tessera::app
