// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <app/backend/backends.hpp>
#include <app/base/ranks.hpp>
#include <app/run/options.hpp>
#include <app/stream/stream.hpp>
#include <io/matrix_reader.hpp>
#include <io/types.hpp>
#include <tessera/solve/control.hpp>
#include <tessera/solve/operator.hpp>
#include <tessera/solve/stop.hpp>

/// What the commands that solve share: the matrix as solvers read it.
namespace tessera::app {

namespace detail {
template <class List>
struct OperatorsOn;
template <class... Exec>
struct OperatorsOn<backends::Spaces<Exec...>> {
  using Type = std::variant<solve::NormalOperator<Exec, float> const*...,
                            solve::NormalOperator<Exec, double> const*...>;
};
}  // namespace detail

/// A matrix on any backend of this build, of either type: use std::visit.
using AnyOperator = detail::OperatorsOn<backends::Enabled>::Type;

/// Where a solver runs.
struct SolvePlace {
  BackendFacts backend;
  std::string why;                     ///< of the backend; empty: the user said so
  std::optional<StreamChoice> stream;  ///< empty: the matrix is read into memory
};

/// Chooses among the backends, and between memory and a stream.
/// @param vectors bytes that the solver keeps beside the matrix
/// @param steps   that it takes, about
/// @throws Failure, io::FileError
[[nodiscard]] SolvePlace choose_place(SolveOptions const& options, io::MatrixReader const& reader,
                                      std::uint64_t vectors, std::int64_t steps);

/// A matrix that a solver reads.
struct SolveRequest {
  io::MatrixReader const& reader;
  io::ScalarType type;  ///< to compute in
  SolvePlace const& place;
  Kernels kernels = Kernels::automatic;
  std::uint64_t vectors = 0;  ///< as for choose_place
  bool in_segments = false;   ///< ranks have whole segments of rows: it is multiplied with blocks
};

/// What it took to have the matrix.
struct Reading {
  double seconds = 0;              ///< into memory, and to a device
  bool is_narrowed = false;        ///< elements were rounded to a type of less range
  std::vector<RankFacts> ranks{};  ///< of several processes
  std::string exchange{};          ///< by what these add their parts of a sum
};

/// Calls work(op) with the matrix: in memory where it is not streamed. A stream is checked to be
/// of a file that has not changed, at the end.
/// @throws Failure, io::FileError
Reading with_operator(SolveRequest const& request,
                      std::function<void(AnyOperator const& op)> const& work);
/// The same on all ranks, each of which reads its rows.
Reading with_operator_on_ranks(SolveRequest const& request,
                               std::function<void(AnyOperator const& op)> const& work);

/// How a run of a solver went, whatever it solved.
struct SolveRun {
  solve::Stop stop = solve::Stop::iteration_limit;
  std::int64_t iterations = 0;
  std::int64_t reads = 0;
  std::int64_t first_iteration = 0;  ///< of a checkpoint that it went on from
  std::vector<solve::Step> history;
  double seconds = 0;  ///< of all steps
  Reading reading;

  /// Takes what every result of a solver has.
  template <class Result>
  void take(Result& result) {
    stop = result.stop;
    iterations = result.iterations;
    reads = result.reads;
    history = std::move(result.history);
  }

  /// Takes what a further run took, of the same reading. Why it stopped is what the first without
  /// success says, or the first whose numbers are not finite.
  void add(SolveRun&& other, bool is_first) {
    bool const is_worse = other.stop == solve::Stop::not_finite && stop != other.stop;
    if (is_first || solve::is_success(stop) || is_worse) stop = other.stop;
    iterations += other.iterations;
    reads += other.reads;
    first_iteration += other.first_iteration;
    seconds += other.seconds;
    history = std::move(other.history);
  }
};

}  // namespace tessera::app
