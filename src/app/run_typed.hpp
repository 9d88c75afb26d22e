// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <app/backend_visit.hpp>
#include <app/progress.hpp>
#include <app/run.hpp>
#include <io/memory.hpp>
#include <tessera/plan.hpp>

namespace tessera::app {

/// A part of an operation: what it is called and how it is launched. A plain pair, so that the
/// lambdas of the operations stay visible to the compiler.
template <class Launch>
struct Stage {
  std::string name;
  Launch launch;
};
template <class Launch>
Stage(char const*, Launch) -> Stage<Launch>;

/// Runs all stages once to warm up, then `repeat` times: fence, start, run, fence, stop, for each
/// stage. The time of a run is the sum of its stages.
template <class Exec, class... Launch>
void measure(Exec const& exec, int repeat, Measurement& to, Stage<Launch> const&... stage) {
  (stage.launch(), ...);
  exec.fence("tessera::app::warm_up");

  ProgressBar bar("computing");
  std::vector<double> totals;
  std::vector<std::vector<double>> laps(sizeof...(stage));
  for (int run = 0; run < repeat; ++run) {
    bar.set(static_cast<std::uint64_t>(run), static_cast<std::uint64_t>(repeat));
    double total = 0;
    std::size_t index = 0;
    auto const time = [&](auto const& one) {
      Stopwatch const watch;
      one.launch();
      exec.fence("tessera::app::stage");
      double const seconds = watch.seconds();
      laps[index++].push_back(seconds);
      total += seconds;
    };
    (time(stage), ...);
    totals.push_back(total);
  }
  to.seconds = summarise(totals);
  to.stages.clear();
  std::size_t index = 0;
  (to.stages.push_back({.name = stage.name, .seconds = median(laps[index++])}), ...);
}

/// Takes over what the library says it will do, and makes sure that there is memory for it.
inline void take_plan(Plan const& plan, RunRequest const& request, Measurement& to) {
  io::require_memory(plan.workspace_bytes, request.input, "the workspace");
  for (auto const& stage : plan.stages) {
    to.cuts.push_back({.name = stage.name,
                       .teams = stage.teams,
                       .team_size = stage.team_size,
                       .panels = stage.panels,
                       .lines_per_panel = stage.lines_per_panel});
  }
}

/// A vector of `length` in the memory of Exec.
template <class Exec, class T>
using DeviceVector = Kokkos::View<T*, Kokkos::LayoutRight, typename Exec::memory_space>;

template <class Exec, class T>
DeviceVector<Exec, T> make_vector(RunRequest const& request, char const* label,
                                  std::int64_t length) {
  io::require_memory(static_cast<std::uint64_t>(length) * sizeof(T), request.input,
                     std::string("vector ") + label);
  return DeviceVector<Exec, T>(
      Kokkos::view_alloc(std::string("tessera::app::") + label, Kokkos::WithoutInitializing),
      static_cast<std::size_t>(length));
}

/// A vector of any memory as a vector of the host.
template <class T, class Vector>
io::VectorView<T> to_host(Vector const& vector) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), vector);
}

/// Calls work(exec, A, x) with an instance of the execution space of the request, and A and x in
/// the memory of that space, which on a host are the request's own.
template <class Work>
void run_typed(RunRequest const& request, Work const& work) {
  with_backend(request.backend, [&]<class Exec>() {
    std::visit(
        [&]<class T, class Layout>(io::MatrixView<T, Layout> const& host_matrix) {
          using Space = typename Exec::memory_space;
          auto const A = Kokkos::create_mirror_view_and_copy(Space(), host_matrix);
          auto const x =
              Kokkos::create_mirror_view_and_copy(Space(), std::get<io::VectorView<T>>(request.x));
          work(Exec(), A, x);
        },
        request.A);
  });
}

}  // namespace tessera::app
