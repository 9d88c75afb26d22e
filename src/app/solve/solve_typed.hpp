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

/// Shared by solvers: progress, checkpoints, copies.
namespace tessera::app {

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

/// Empty if there is no file.
/// @param limits of the run that wrote it
template <class T>
std::optional<solve::State<T>> read_solver_state(std::string const& path, std::string const& name,
                                                 CheckpointJob const& job, std::string& limits) {
  static_assert(std::is_trivially_copyable_v<solve::Step>);
  auto file = CheckpointFile::open(path);
  if (!file) return std::nullopt;
  require_job(file->job(), job, path);
  solve::State<T> state{.of = file->job().state, .iteration = file->blocks_done()};
  auto const read = [&]<class Element>(std::uint64_t bytes, std::vector<Element>& to) {
    if (bytes % sizeof(Element) != 0) file->fail("an array in it ends inside an element");
    to.resize(bytes / sizeof(Element));
    file->read(std::as_writable_bytes(std::span(to)));
  };
  auto const& sizes = file->sizes();
  for (std::size_t i = 0; i + 2 < sizes.size(); ++i) read(sizes[i], state.vectors.emplace_back());
  read(sizes[sizes.size() - 2], state.numbers);
  read(sizes[sizes.size() - 1], state.history);
  file->finish();
  state.of.operation = name;
  limits = file->job().limits;
  return state;
}

/// A resumed method counts only its own reads of A: adds earlier ones.
inline std::vector<solve::Step> with_all_reads(std::vector<solve::Step> steps, std::int64_t first,
                                               std::int64_t reads_before) {
  for (solve::Step& step : steps) {
    if (step.iteration > first) step.reads += reads_before;
  }
  return steps;
}

template <class Result>
auto& result_of(Result& result) {
  if constexpr (requires { result.svd; }) {
    return result.svd;
  } else {
    return result;
  }
}

struct StateSubject {
  std::string name;
  std::string variant{};    ///< distinguishes states of one method
  io::HostVector const& b;  ///< may be empty
  std::string options{};    ///< that the state depends on
  std::string limits{};     ///< that a resumed run may change
};

/// Resumes from the checkpoint if there is one. The caller removes the file after writing results.
/// @param run gets the first iteration and the seconds
/// @param limit of iterations, for the progress bar
template <class T, class Call>
auto run_solver(SolveOptions const& options, SolveRequest const& request,
                StateSubject const& subject, solve::Index limit, SolveRun& run, Call const& call) {
  Stopwatch const time;
  ProgressBar bar("solving");
  CheckpointJob job;
  std::optional<solve::State<T>> state;
  std::int64_t reads_before = 0;
  solve::Control<T> control{.on_step = [&](solve::Step const& step) {
    bar.set(static_cast<std::uint64_t>(step.iteration), static_cast<std::uint64_t>(limit));
    bar.note("residual " + general(step.residual, 2));
    return true;
  }};
  if (!options.checkpoint.empty()) {
    job =
        checkpoint_job({{.x = subject.b}, request.reader, request.type}, OperationId::atax, false);
    job.state.operation = subject.name + subject.variant;
    job.options = subject.options;
    if (options.missing) job.options += ", missing " + missing_code(options);
    job.limits = subject.limits;
    std::string limits;
    state = read_solver_state<T>(options.checkpoint, subject.name, job, limits);
    if (limits != job.limits) run.earlier_limits = limits;
    control.wants_state = [&, watch = Stopwatch()](solve::Step const&) mutable {
      if (watch.seconds() < options.checkpoint_seconds) return false;
      watch.restart();
      return true;
    };
    control.on_state = [&](solve::State<T> const& found) {
      request.reader.check_unchanged();
      auto const history = with_all_reads(found.history, run.first_iteration, reads_before);
      Checkpoint checkpoint = to_checkpoint(found, job);
      checkpoint.output = std::as_bytes(std::span(history));
      try_checkpoint(options.checkpoint, checkpoint);
    };
    control.wants_last_state = true;
  }
  if (state) {
    control.resume = &*state;
    run.first_iteration = state->iteration;
    if (!state->history.empty()) reads_before = state->history.back().reads;
  }
  try {
    auto result = call(control);
    result_of(result).history =
        with_all_reads(std::move(result_of(result).history), run.first_iteration, reads_before);
    run.seconds = time.seconds();
    return result;
  } catch (std::invalid_argument const& error) {
    if (!state) throw;
    throw io::FileError(io::ErrorKind::bad_input, options.checkpoint,
                        std::string("not a usable checkpoint: ") + error.what());
  }
}

template <class T, class Vector>
io::VectorView<T> vector_on_host(Vector const& x) {
  io::VectorView<T> const copy(
      Kokkos::view_alloc("tessera::app::solution", Kokkos::WithoutInitializing), x.extent(0));
  Kokkos::deep_copy(copy, x);
  return copy;
}

template <class Exec, class T>
solve::Values<Exec, T> vector_on(io::VectorView<T> const& x) {
  solve::Values<Exec, T> const copy(
      Kokkos::view_alloc("tessera::app::right_side", Kokkos::WithoutInitializing), x.extent(0));
  Kokkos::deep_copy(copy, x);
  return copy;
}

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
