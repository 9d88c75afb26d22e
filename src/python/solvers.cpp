// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <python/ranks.hpp>
#include <python/solvers.hpp>
#include <python/sources.hpp>
#include <python/turn.hpp>
#include <python/views.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/backends/instances.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/detail/packing.hpp>
#include <tessera/solve.hpp>

namespace tessera::python {
namespace {

/// calls_of(rows, columns): calls of `body` beyond the products of all solvers.
template <class CallsOf, class Body>
void with_operator(Solving const& solving, CallsOf const& calls_of, Body const& body) {
  auto const run = [&]<class Exec, class T>(solve::BlockOperator<Exec, T> const& op) {
    solve::Control<T> control;
    if (solving.on_step) {
      control.on_step = [&](solve::Step const& step) {
        Turn::Function const function;
        solving.on_step(step);
        return true;
      };
    }
    body(op, control);
  };
  if (solving.streamed != nullptr) {
    require_order_of_file(*solving.streamed);
    with_source(*solving.streamed, [&]<class S, class T>(Host const& exec, S const& source,
                                                         stream::Options<T> const& options, T) {
      solve::StreamOperator<Host, S> const op(exec, source, options);
      // Now, not after a product that needs less.
      if (auto const needed = op.bytes_needed(calls_of(op.rows(), op.cols()));
          needed > options.memory_limit) {
        throw stream::LimitError("solve", needed, options.memory_limit);
      }
      run.template operator()<Host, T>(op);
    });
    return;
  }
  Array const& a = solving.a;
  Place const& place = a.place;
  Turn const turn(place.is_gpu ? Turn::Needs::first_lane : Turn::Needs::lane);
  with_type(a, [&]<class T>(T) {
    auto const run_on = [&]<class Exec>(Exec const& exec) {
      with_matrix<Exec, T>(a, [&](auto const& view) {
        auto const in = tessera::detail::stored_in<T>(view);
        using A = std::remove_const_t<decltype(in)>;
        if (solving.ranks) {
          return run.template operator()<Exec, T>(
              RanksOperator<Exec, T, A>(exec, in, *solving.ranks));
        }
        run.template operator()<Exec, T>(solve::detail::OperatorInMemory<Exec, T, A>(exec, in));
      });
    };
    if (place.is_gpu) {
      backends::with_stream(place.device, place.stream, run_on);
    } else {
      run_on(turn.host(a.extents[0] * a.extents[1] * static_cast<std::int64_t>(a.type.bytes)));
    }
  });
}

template <class Exec, class T>
solve::ConstValues<Exec, T> values(Exec const& exec, Array const& x) {
  return solve::detail::side_by_side(exec, vector<Exec, T>(x));
}

/// The vectors as columns of a new matrix.
template <class Exec, class T>
auto columns(Exec const& exec, std::vector<Array> const& all) {
  Kokkos::View<T**, Kokkos::LayoutLeft, typename Exec::memory_space> const to(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing,
                         std::string("tessera::python::columns")),
      static_cast<std::size_t>(all.front().extents[0]), all.size());
  for (std::size_t j = 0; j < all.size(); ++j) {
    Kokkos::deep_copy(exec, Kokkos::subview(to, Kokkos::ALL, j), values<Exec, T>(exec, all[j]));
  }
  return to;
}

template <class Result>
Ending ending_of(Result const& result) {
  return {.stop = result.stop, .iterations = result.iterations, .reads = result.reads};
}

template <class Exec, class T>
void write_rows(Exec const& exec, solve::Rows<Exec, T> const& from, Array const& to,
                bool from_last) {
  static std::string const label("tessera::python::write");
  auto const count = static_cast<std::int64_t>(from.extent(0));
  auto const size = static_cast<std::int64_t>(from.extent(1));
  for (std::int64_t i = 0; i < count && size > 0; ++i) {
    T const* const row = from.data() + (from_last ? count - 1 - i : i) * size;
    tessera::detail::copy_vector<T>(exec, label, size, row, 1,
                                    {static_cast<T*>(to.data) + i * to.strides[0], to.strides[1]});
  }
  exec.fence("tessera: the result goes to Python");
}

template <class Exec, class T>
void write(Exec const& exec, solve::Values<Exec, T> const& from, Array const& to) {
  Array as_row = to;
  as_row.strides = {0, to.strides[0]};
  write_rows(exec, solve::Rows<Exec, T>(from.data(), 1, from.extent(0)), as_row, false);
}

template <class Exec, class T>
RegressionFound found_of(solve::Regression<Exec, T> const& result) {
  return {.ending = ending_of(result),
          .detail = result.detail,
          .intercept = result.intercept,
          .intercepts = result.intercepts,
          .loss = result.loss,
          .gradient_norm = result.gradient_norm,
          .quantity = result.quantity,
          .bound = result.bound,
          .deviance = result.deviance,
          .aic = result.aic,
          .dispersion = result.dispersion,
          .rank = result.rank,
          .standard_errors = result.standard_errors,
          .columns = {result.columns.begin(), result.columns.end()}};
}

}  // namespace

std::vector<LeastSquaresFound> least_squares(Solving const& solving, LeastSquaresCall const& call) {
  std::vector<LeastSquaresFound> all;
  bool const chooses =
      call.method == LeastSquaresMethod::ridge || call.method == LeastSquaresMethod::lstsq;
  auto const calls = [&](solve::Index rows, solve::Index cols) -> solve::SolverCalls {
    solve::LeastSquaresOptions<Host, double> const options{.maxiter = call.maxiter};
    auto const sides = static_cast<solve::Index>(call.b.size());
    if (!chooses || !solve::detail::may_be_direct(rows, cols, options)) {
      return {.block = sides > 1 ? sides : 0};
    }
    auto const penalties = std::max<solve::Index>(static_cast<solve::Index>(call.damps.size()), 1);
    return {.block = sides * penalties, .gram_width = cols + sides};
  };
  with_operator(
      solving, calls,
      [&]<class Exec, class T>(solve::BlockOperator<Exec, T> const& op,
                               solve::Control<T> const& control) {
        auto const b = values<Exec, T>(op.exec(), call.b.front());
        solve::LeastSquaresOptions<Exec, T> options{
            .atol = call.atol, .btol = call.btol, .conlim = call.conlim, .maxiter = call.maxiter};
        if (call.x0) options.x0 = values<Exec, T>(op.exec(), *call.x0);
        std::vector<solve::LeastSquares<Exec, T>> results;
        if (call.method == LeastSquaresMethod::ridge) {
          results = solve::ridge_path(op, b, call.damps, options, control);
        } else if (call.method == LeastSquaresMethod::lstsq) {
          results = solve::lstsq(op, columns<Exec, T>(op.exec(), call.b), options, control);
        } else {
          options.damp = call.damps.front();
          results.push_back(call.method == LeastSquaresMethod::lsmr
                                ? solve::lsmr(op, b, options, control)
                                : solve::lsqr(op, b, options, control));
        }
        for (std::size_t i = 0; i < results.size(); ++i) {
          auto const& result = results[i];
          write(op.exec(), result.x, call.x[i]);
          all.push_back({.ending = ending_of(result),
                         .normr = result.normr,
                         .normar = result.normar,
                         .norma = result.norma,
                         .conda = result.conda,
                         .normx = result.normx,
                         .rank = result.rank,
                         .is_direct = result.is_direct,
                         .has_scaled_columns = result.has_scaled_columns});
        }
      });
  return all;
}

SvdFound svd(Solving const& solving, SvdCall const& call) {
  SvdFound found;
  solve::SvdOptions const options{
      .tol = call.tol, .maxiter = call.maxiter, .ncv = call.ncv, .want_u = call.ut.has_value()};
  auto const calls = [&](solve::Index rows, solve::Index cols) -> solve::SolverCalls {
    if (call.randomized)
      return {.block = std::min({rows, cols, call.k + call.randomized->oversampling})};
    if (solve::detail::may_be_direct(cols, options)) return {.gram_width = cols + 1};
    return {.gram_width = call.is_pca ? -1 : 0};
  };
  with_operator(
      solving, calls,
      [&]<class Exec, class T>(solve::BlockOperator<Exec, T> const& op,
                               solve::Control<T> const& control) {
        auto const take = [&](solve::SvdResult<Exec, T> const& result) {
          found.ending = ending_of(result);
          found.is_direct = result.is_direct;
          found.s = result.s;
          if (call.rises) std::reverse(found.s.begin(), found.s.end());
          write_rows(op.exec(), result.VT, call.vt, call.rises);
          if (call.ut) write_rows(op.exec(), result.UT, *call.ut, call.rises);
        };
        if (auto const& randomized = call.randomized) {
          return take(solve::randomized_svd(op, call.k,
                                            {.oversampling = randomized->oversampling,
                                             .power_iterations = randomized->power_iterations,
                                             .seed = randomized->seed,
                                             .want_u = call.ut.has_value()},
                                            control));
        }
        if (!call.is_pca) return take(solve::svd(op, call.k, options, control));
        auto const result = solve::pca(op, call.k, {.svd = options, .scale = call.scale}, control);
        take(result.svd);
        found.mean.assign(result.mean.begin(), result.mean.end());
        found.deviation = result.deviation;
        found.variance = result.explained_variance;
        found.ratio = result.explained_variance_ratio;
      });
  return found;
}

ColumnStatsFound column_stats(Solving const& solving, std::int64_t ddof,
                              std::optional<double> missing) {
  ColumnStatsFound found;
  auto const calls = [](solve::Index /*rows*/, solve::Index /*cols*/) -> solve::SolverCalls {
    return {.column_statistics = true};
  };
  with_operator(solving, calls,
                [&]<class Exec, class T>(solve::BlockOperator<Exec, T> const& op,
                                         solve::Control<T> const& /*control*/) {
                  auto its = solve::column_statistics(op, {.ddof = ddof, .missing = missing});
                  found = {.mean = std::move(its.mean),
                           .variance = std::move(its.variance),
                           .min = std::move(its.min),
                           .max = std::move(its.max),
                           .count = {its.count.begin(), its.count.end()},
                           .missing = {its.missing.begin(), its.missing.end()},
                           .nonfinite = {its.nonfinite.begin(), its.nonfinite.end()}};
                });
  return found;
}

RegressionFound regression(Solving const& solving, RegressionCall const& call) {
  RegressionFound found;
  auto const calls = [&](solve::Index /*rows*/, solve::Index cols) -> solve::SolverCalls {
    bool const is_multinomial = call.loss == solve::Loss::multinomial;
    bool const is_newton =
        solve::solver_of({.solver = call.solver}, cols) == solve::RegressionSolver::newton;
    if (!is_multinomial && !is_newton) return {};
    auto sums = solve::detail::newton_sums(cols);
    if (is_multinomial) sums.push_back(solve::detail::class_sums(cols, call.classes));
    return {.sums = std::move(sums)};
  };
  with_operator(solving, calls,
                [&]<class Exec, class T>(solve::BlockOperator<Exec, T> const& op,
                                         solve::Control<T> const& control) {
                  solve::Observations<Exec, T> observed{.y = values<Exec, T>(op.exec(), call.y)};
                  if (call.weights) observed.weights = values<Exec, T>(op.exec(), *call.weights);
                  if (call.offset) observed.offset = values<Exec, T>(op.exec(), *call.offset);
                  solve::RegressionOptions const options{.penalty = call.penalty,
                                                         .has_intercept = call.has_intercept,
                                                         .power = call.power,
                                                         .tol = call.tol,
                                                         .solver = call.solver,
                                                         .maxiter = call.maxiter};
                  auto const result = solve::detail::run_regression<Exec, T>(
                      call.loss, op, observed, options, control, call.classes);
                  write(op.exec(), result.x, call.x);
                  found = found_of(result);
                });
  return found;
}

std::vector<RegressionFound> regressions(Solving const& solving, RegressionCall const& call,
                                         std::vector<double> const& penalties) {
  std::vector<RegressionFound> all;
  auto const targets = static_cast<solve::Index>(penalties.size());
  auto const calls = [&](solve::Index /*rows*/, solve::Index cols) -> solve::SolverCalls {
    if (solve::solver_of({.solver = call.solver}, cols) != solve::RegressionSolver::newton)
      return {};
    auto sums = solve::detail::newton_sums(cols);
    sums.push_back(solve::detail::target_sums(cols, targets, true));
    return {.sums = std::move(sums)};
  };
  with_operator(
      solving, calls,
      [&]<class Exec, class T>(solve::BlockOperator<Exec, T> const& op,
                               solve::Control<T> const& control) {
        auto const y = values<Exec, T>(op.exec(), call.y);
        solve::ConstValues<Exec, T> weights;
        if (call.weights) weights = values<Exec, T>(op.exec(), *call.weights);
        solve::RegressionOptions const options{.has_intercept = call.has_intercept,
                                               .tol = call.tol,
                                               .solver = call.solver,
                                               .maxiter = call.maxiter};
        Kokkos::View<T const**, Kokkos::LayoutLeft, typename Exec::memory_space> const Y(
            y.data(), static_cast<std::size_t>(op.rows()), penalties.size());
        auto const results = solve::linear_regressions(op, Y, weights, penalties, options, control);
        auto const cols = static_cast<std::size_t>(op.cols());
        solve::Values<Exec, T> const x(
            Kokkos::view_alloc(op.exec(), std::string("tessera::python::x")),
            cols * results.size());
        for (std::size_t j = 0; j < results.size(); ++j) {
          Kokkos::deep_copy(op.exec(), Kokkos::subview(x, std::pair(j * cols, (j + 1) * cols)),
                            results[j].x);
          all.push_back(found_of(results[j]));
        }
        write(op.exec(), x, call.x);
      });
  return all;
}

}  // namespace tessera::python
