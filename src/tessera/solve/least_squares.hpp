// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/detail/arguments.hpp>
#include <tessera/detail/packing.hpp>
#include <tessera/solve/control.hpp>
#include <tessera/solve/golub_kahan.hpp>
#include <tessera/solve/least_squares_run.hpp>
#include <tessera/solve/least_squares_types.hpp>
#include <tessera/solve/shared_products.hpp>
#include <tessera/solve/values.hpp>

/// Problems that share the reads of a matrix.
namespace tessera::solve::detail {

template <class Exec, class View>
ConstValues<Exec, typename View::non_const_value_type> side_by_side(Exec const& exec,
                                                                    View const& x) {
  using T = typename View::non_const_value_type;
  using Result = ConstValues<Exec, T>;
  if (x.stride(0) == 1 || x.extent(0) <= 1) return Result(x.data(), x.extent(0));
  auto const copy = make_values<Exec, T>(exec, static_cast<Index>(x.extent(0)));
  static std::string const label("tessera::solve::pack");
  tessera::detail::contiguous(exec, label, x, copy.data());
  return copy;
}

template <class Exec, class View>
auto columns_of(Exec const& exec, View const& B) {
  std::vector<ConstValues<Exec, typename View::non_const_value_type>> columns;
  columns.reserve(B.extent(1));
  for (std::size_t j = 0; j < B.extent(1); ++j) {
    columns.push_back(side_by_side(exec, Kokkos::subview(B, Kokkos::ALL, j)));
  }
  return columns;
}

/// A right-hand side and its penalties.
template <class Exec, class T>
struct Problem {
  NormalOperator<Exec, T> const* op;
  ConstValues<Exec, T> b;
  ConstValues<Exec, T> x0;
  std::vector<double> damps;
};

template <class Exec, class T>
std::vector<Problem<Exec, T>> problems_of(NormalOperator<Exec, T> const& op,
                                          std::vector<ConstValues<Exec, T>> const& sides,
                                          LeastSquaresOptions<Exec, T> const& options) {
  std::vector<Problem<Exec, T>> problems;
  problems.reserve(sides.size());
  for (auto const& b : sides) problems.push_back({&op, b, options.x0, {options.damp}});
  return problems;
}

/// Several problems of one matrix with shared reads of A and the bits of separate runs. Returns a
/// result per problem and damp. Callbacks receive the Steps of the first problem that still runs.
/// States are for a single one.
template <class Method, class Exec, class T>
std::vector<LeastSquares<Exec, T>> run_least_squares(std::vector<Problem<Exec, T>> const& problems,
                                                     LeastSquaresOptions<Exec, T> const& options,
                                                     Control<T> const& control) {
  using Run = LeastSquaresRun<Method, Exec, T>;
  auto const options_of = [&](Problem<Exec, T> const& problem) {
    auto its_own = options;
    its_own.x0 = problem.x0;
    return its_own;
  };
  if (problems.size() == 1) {
    auto const& problem = problems.front();
    return Run(*problem.op, problem.b, options_of(problem), control, problem.damps)();
  }
  if (control.on_state || control.resume != nullptr) {
    checks::fail(Method::name, "expected no states: several right-hand sides have none");
  }
  backends::host::OrdinaryArithmetic const mode;
  std::size_t first = 0;
  bool is_cancelled = false;
  std::vector<Control<T>> controls(problems.size());
  std::vector<std::unique_ptr<Run>> runs;
  typename NormalOperator<Exec, T>::List operators;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    if (control.on_step) {
      controls[i].on_step = [&, i](Step const& step) {
        if (i == first) is_cancelled = !control.on_step(step);
        return !is_cancelled;
      };
    }
    Problem<Exec, T> const& problem = problems[i];
    operators.push_back(problem.op);
    runs.push_back(std::make_unique<Run>(*problem.op, problem.b, options_of(problem), controls[i],
                                         problem.damps));
  }

  SharedProducts<Exec, T> products(operators);
  std::vector<GolubKahan<Exec, T>*> processes;
  std::vector<Run*> active;
  for (auto const& run : runs) {
    if (!run->prepare()) continue;
    active.push_back(run.get());
    processes.push_back(&run->process());
  }
  products.start(processes);
  for (Run* const run : active) run->begin_iterations();
  for (;;) {
    active.clear();
    processes.clear();
    for (std::size_t i = 0; i < problems.size(); ++i) {
      if (!runs[i]->goes_on()) continue;
      if (active.empty()) first = i;
      active.push_back(runs[i].get());
      processes.push_back(&runs[i]->process());
    }
    if (active.empty()) break;
    products.advance(processes);
    for (Run* const run : active) run->step();
    for (Run* const run : active) {
      if (is_cancelled) run->cancel();
    }
  }
  std::vector<LeastSquares<Exec, T>> results;
  for (auto const& run : runs) {
    for (auto& result : run->results()) results.push_back(std::move(result));
  }
  return results;
}

}  // namespace tessera::solve::detail

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_SOLVE_LEAST_SQUARES(RUN, TEMPLATE, EXEC, T)                             \
  namespace tessera::solve::detail {                                                    \
  TEMPLATE std::vector<LeastSquares<EXEC, T>> RUN(std::vector<Problem<EXEC, T>> const&, \
                                                  LeastSquaresOptions<EXEC, T> const&,  \
                                                  Control<T> const&);                   \
  }
// NOLINTEND(bugprone-macro-parentheses)
