// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include <Kokkos_Core.hpp>

#include <app/base/progress.hpp>
#include <app/solve/least_squares.hpp>
#include <app/solve/progress.hpp>
#include <app/stream/stream.hpp>
#include <tessera/solve.hpp>

namespace tessera::app {
namespace {

template <class Exec, class T>
LeastSquaresSolution solve_on(LeastSquaresOptions const& options, SolveRequest const& request,
                              solve::NormalOperator<Exec, T> const& op,
                              io::VectorView<T> const& host_b, io::HostVector const& b) {
  solve::Values<Exec, T> const right(
      Kokkos::view_alloc("tessera::app::b", Kokkos::WithoutInitializing), host_b.extent(0));
  Kokkos::deep_copy(right, host_b);
  std::int64_t const limit = limit_of(options, request.reader.info());
  solve::LeastSquaresOptions<Exec, T> const how{.damp = damp_of(options),
                                                .atol = options.atol,
                                                .btol = options.btol,
                                                .conlim = options.conlim,
                                                .maxiter = limit,
                                                .history = !options.history.empty()};
  bool const is_lsmr = options.method == LeastSquaresMethod::lsmr;
  CheckpointJob job;
  if (!options.checkpoint.empty()) {
    job = checkpoint_job({.reader = request.reader, .x = b, .type = request.type},
                         OperationId::atax, false);
    job.state.operation = is_lsmr ? "lsmr" : "lsqr";
  }
  std::int64_t first = 0;
  Stopwatch const watch;
  auto result = with_checkpoints<T>(options, request.reader, job, limit,
                                    [&](solve::Control<T> const& control) {
                                      if (control.resume != nullptr)
                                        first = control.resume->iteration;
                                      return is_lsmr ? solve::lsmr(op, right, how, control)
                                                     : solve::lsqr(op, right, how, control);
                                    });
  io::VectorView<T> const x(Kokkos::view_alloc("tessera::app::x", Kokkos::WithoutInitializing),
                            result.x.extent(0));
  Kokkos::deep_copy(x, result.x);
  return {.x = x,
          .stop = result.stop,
          .iterations = result.iterations,
          .reads = result.reads,
          .first_iteration = first,
          .normr = result.normr,
          .normar = result.normar,
          .norma = result.norma,
          .conda = result.conda,
          .normx = result.normx,
          .history = std::move(result.history),
          .seconds = watch.seconds(),
          .reading = {}};
}

}  // namespace

double damp_of(LeastSquaresOptions const& options) {
  return options.lambda ? std::sqrt(*options.lambda) : options.damp;
}

std::int64_t limit_of(LeastSquaresOptions const& options, io::MatrixInfo const& info) {
  if (options.maxiter) return *options.maxiter;
  auto const rows = static_cast<std::int64_t>(info.rows);
  auto const cols = static_cast<std::int64_t>(info.cols);
  return options.method == LeastSquaresMethod::lsmr ? std::min(rows, cols) : 2 * cols;
}

std::uint64_t vector_bytes(LeastSquaresOptions const& options, io::MatrixInfo const& info,
                           io::ScalarType type) {
  std::uint64_t const run = 4 * info.rows + 6 * info.cols;
  std::uint64_t const state = options.checkpoint.empty() ? 0 : info.rows + 4 * info.cols;
  return (run + state) * io::size_of(type);
}

LeastSquaresSolution solve_least_squares(LeastSquaresOptions const& options,
                                         SolveRequest const& request, io::HostVector const& b) {
  LeastSquaresSolution solution;
  Reading const reading = with_operator(request, [&](AnyOperator const& any) {
    std::visit(
        [&]<class Exec, class T>(solve::NormalOperator<Exec, T> const* op) {
          solution = solve_on<Exec, T>(options, request, *op, std::get<io::VectorView<T>>(b), b);
        },
        any);
  });
  solution.reading = reading;
  return solution;
}

}  // namespace tessera::app
