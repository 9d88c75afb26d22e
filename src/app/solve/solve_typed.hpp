// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <Kokkos_Core.hpp>

#include <app/base/progress.hpp>
#include <app/base/text.hpp>
#include <app/checkpoint/checkpoint.hpp>
#include <app/run/options.hpp>
#include <app/solve/solve.hpp>
#include <app/stream/stream.hpp>
#include <io/errors.hpp>
#include <io/matrix_reader.hpp>
#include <io/types.hpp>
#include <tessera/solve/control.hpp>
#include <tessera/solve/operator.hpp>

/// What the solvers share: the bar and checkpoints between two steps, and vectors where they run.
namespace tessera::app {

/// A solver's state as a checkpoint, which has the state's elements.
template <class T>
Checkpoint to_checkpoint(solve::State<T> const& state, CheckpointJob const& job) {
  Checkpoint c{.job = job,
               .blocks_done = state.iteration,
               .block_lines = 0,
               .waiting = {},
               .chain = std::as_bytes(std::span(state.numbers)),
               .output = std::as_bytes(std::span(state.history))};
  for (auto const& vector : state.vectors) c.waiting.push_back(std::as_bytes(std::span(vector)));
  return c;
}

/// The state of `name` in a checkpoint of this job; nothing where there is no such file.
/// @throws io::FileError
template <class T>
std::optional<solve::State<T>> read_solver_state(std::string const& path, std::string const& name,
                                                 CheckpointJob const& job) {
  static_assert(std::is_trivially_copyable_v<solve::Step>);
  auto file = CheckpointFile::open(path);
  if (!file) return std::nullopt;
  require_job(file->job(), job, path);
  solve::State<T> state{.of = file->job().state, .iteration = file->blocks_done()};
  auto const read = [&]<class Element>(std::uint64_t bytes, std::vector<Element>& to) {
    if (bytes % sizeof(Element) != 0) file->fail("a part of an element is left over");
    to.resize(bytes / sizeof(Element));
    file->read(std::as_writable_bytes(std::span(to)));
  };
  auto const& sizes = file->sizes();
  for (std::size_t i = 0; i + 2 < sizes.size(); ++i) read(sizes[i], state.vectors.emplace_back());
  read(sizes[sizes.size() - 2], state.numbers);
  read(sizes[sizes.size() - 1], state.history);
  file->finish();
  state.of.operation = name;
  return state;
}

/// A run of a solver: call(control) runs it, and goes on from the checkpoint where there is one.
/// The file stays: the caller removes it when the result is written.
/// @param name  of the method's states
/// @param limit steps, for the bar
/// @throws io::FileError, and what the call throws
template <class T, class Call>
auto with_checkpoints(SolveOptions const& options, io::MatrixReader const& reader,
                      std::string const& name, CheckpointJob const& job, solve::Index limit,
                      Call const& call) {
  ProgressBar bar("solving");
  std::optional<solve::State<T>> state;
  solve::Control<T> control{.on_step = [&](solve::Step const& step) {
    bar.set(static_cast<std::uint64_t>(step.iteration), static_cast<std::uint64_t>(limit));
    bar.note("residual " + general(step.residual, 2));
    return true;
  }};
  if (!options.checkpoint.empty()) {
    require_writable_checkpoint(options.checkpoint);
    state = read_solver_state<T>(options.checkpoint, name, job);
    control.wants_state = [&, watch = Stopwatch()](solve::Step const&) mutable {
      if (watch.seconds() < options.checkpoint_seconds) return false;
      watch.restart();
      return true;
    };
    control.on_state = [&](solve::State<T> const& found) {
      reader.check_unchanged();
      write_checkpoint(options.checkpoint, to_checkpoint(found, job));
    };
  }
  if (state) control.resume = &*state;
  try {
    return call(control);
  } catch (std::invalid_argument const& error) {
    if (!state) throw;
    throw io::FileError(io::ErrorKind::bad_input, options.checkpoint,
                        std::string("not a checkpoint that can be used: ") + error.what());
  }
}

/// The same with a checkpoint of `name`, and tells `run` where it began and how long it took.
/// @param name    of the method's states
/// @param variant what else a state is of; empty: nothing
/// @param b       what is solved for; without entries: nothing
template <class T, class Call>
auto run_solver(SolveOptions const& options, SolveRequest const& request, std::string const& name,
                std::string const& variant, io::HostVector const& b, solve::Index limit,
                SolveRun& run, Call const& call) {
  CheckpointJob job;
  if (!options.checkpoint.empty()) {
    job = checkpoint_job({.reader = request.reader, .x = b, .type = request.type},
                         OperationId::atax, false);
    job.state.operation = name + variant;
  }
  Stopwatch const watch;
  auto result = with_checkpoints<T>(options, request.reader, name, job, limit,
                                    [&](solve::Control<T> const& control) {
                                      if (control.resume != nullptr) {
                                        run.first_iteration = control.resume->iteration;
                                      }
                                      return call(control);
                                    });
  run.seconds = watch.seconds();
  return result;
}

/// A copy in memory of the host.
template <class T, class Vector>
io::VectorView<T> vector_on_host(Vector const& x) {
  io::VectorView<T> const copy(
      Kokkos::view_alloc("tessera::app::solution", Kokkos::WithoutInitializing), x.extent(0));
  Kokkos::deep_copy(copy, x);
  return copy;
}

/// A copy of a host's vector where a solver runs.
template <class Exec, class T>
solve::Values<Exec, T> vector_on(io::VectorView<T> const& x) {
  solve::Values<Exec, T> const copy(
      Kokkos::view_alloc("tessera::app::right_side", Kokkos::WithoutInitializing), x.extent(0));
  Kokkos::deep_copy(copy, x);
  return copy;
}

/// Calls work.template operator()<Exec, T>(op) with the matrix, and keeps what reading it took.
/// @throws Failure, io::FileError
template <class Work>
void solve_with(SolveRequest const& request, SolveRun& run, Work const& work) {
  run.reading = with_operator(request, [&](AnyOperator const& any) {
    std::visit(
        [&]<class Exec, class T>(solve::NormalOperator<Exec, T> const* op) {
          work.template operator()<Exec, T>(*op);
        },
        any);
  });
}

}  // namespace tessera::app
