// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <python/imports.hpp>
#include <python/matrices.hpp>
#include <python/parts.hpp>
#include <python/solvers.hpp>
#include <python/solving.hpp>
#include <string>
#include <utility>
#include <vector>

#include <tessera/solve/losses.hpp>
#include <tessera/solve/stop.hpp>

namespace tessera::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

struct Input : MatrixInput {
  std::optional<OnRanks> ranks{};
};

OnRanks ranks_of(nb::handle A, std::int64_t all_rows) {
  bool const by_rows = nb::cast<std::string>(A.attr("order")) == "C";
  return {
      .matrix = {.all_rows = all_rows, .by_rows = by_rows},
      .first = nb::cast<std::int64_t>(A.attr("rows").attr("start")),
      .in_segments = nb::cast<bool>(A.attr("_in_segments")),
      .add =
          [A](Array const& roots, std::vector<int> const& levels, Array const& sums,
              std::int64_t fields) {
            nb::gil_scoped_acquire const acquired;
            A.attr("_add")(numpy_view(roots), levels, numpy_view(sums), fields);
          },
      .share =
          [A](Array const& x) {
            nb::gil_scoped_acquire const acquired;
            A.attr("_share")(numpy_view(x));
          },
  };
}

/// @param vectors decide the type if A is narrow; None if the call has no vectors
Input take(Call const& call, nb::handle A, nb::handle vectors) {
  if (!nb::hasattr(A, "_share")) {
    return {vectors.is_none() ? take_stored(call, A) : take_factor(call, A, vectors)};
  }
  Input input{take_stored_array(call, A.attr("array"))};
  input.rows = nb::cast<std::int64_t>(A.attr("shape")[0]);
  input.shape = "(" + std::to_string(input.rows) + ", " + std::to_string(input.cols) + ")";
  input.ranks = ranks_of(A, input.rows);
  return input;
}

Solving solving_of(Input const& a, nb::handle on_step) {
  Solving solving{.a = a.array.array, .streamed = a.streamed, .ranks = a.ranks};
  solving.on_step = [on_step](solve::Step const& step) {
    nb::gil_scoped_acquire const acquired;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (on_step.is_none()) return;
    on_step(step.iteration, step.reads, step.residual, step.tolerance, step.objective);
  };
  return solving;
}

Taken model_of(Call const& call, MatrixInput const& a) {
  if (a.streamed == nullptr) return a.array;
  return call.any(nb::module_::import_("numpy").attr("empty")(0), "A");
}

Taken new_array(Call const& call, MatrixInput const& a, Taken const& like, int dimensions,
                std::int64_t rows, std::int64_t cols = 1) {
  return call.output(nb::none(), "the result", like, dimensions, {rows, cols}, a.type, "A");
}

nb::dict dictionary_of(Ending const& ending) {
  nb::dict result;
  result["stop"] = static_cast<int>(ending.stop);
  result["why"] = solve::sentence(ending.stop);
  result["iterations"] = ending.iterations;
  result["reads"] = ending.reads;
  return result;
}

nb::dict dictionary_of(RegressionFound const& found) {
  nb::dict result = dictionary_of(found.ending);
  result["intercept"] = found.intercept;
  result["intercepts"] = found.intercepts;
  result["loss"] = found.loss;
  result["gradient_norm"] = found.gradient_norm;
  result["detail"] = found.detail;
  result["quantity"] = found.quantity;
  result["bound"] = found.bound;
  result["deviance"] = found.deviance;
  result["aic"] = found.aic;
  result["dispersion"] = found.dispersion;
  result["rank"] = found.rank;
  result["standard_errors"] = found.standard_errors;
  result["columns"] = found.columns;
  return result;
}

nb::list least_squares_of(std::string const& name, std::string const& method, nb::handle A,
                          nb::list const& b, nb::handle x0, std::vector<double> damps,
                          std::optional<double> atol, std::optional<double> btol, double conlim,
                          std::optional<std::int64_t> maxiter, nb::handle on_step, bool copy) {
  Call const call{name.c_str(), copy};
  Input const a = take(call, A, b[0]);
  std::vector<Taken> sides;
  LeastSquaresCall arguments{.damps = std::move(damps)};
  for (nb::handle const side : b) {
    sides.push_back(take_vector(call, a, side, "b", a.rows));
    arguments.b.push_back(sides.back().array);
  }
  arguments.method = method == "lsmr"    ? LeastSquaresMethod::lsmr
                     : method == "lsqr"  ? LeastSquaresMethod::lsqr
                     : method == "lstsq" ? LeastSquaresMethod::lstsq
                                         : LeastSquaresMethod::ridge;
  arguments.atol = atol;
  arguments.btol = btol;
  arguments.conlim = conlim;
  arguments.maxiter = maxiter;
  std::optional<Taken> start;
  if (!x0.is_none()) {
    start = take_vector(call, a, x0, "x0", a.cols);
    arguments.x0 = start->array;
  }
  std::vector<Taken> solutions;
  for (std::size_t i = 0; i < arguments.damps.size() * sides.size(); ++i) {
    solutions.push_back(new_array(call, a, model(a, sides.front()), 1, a.cols));
    arguments.x.push_back(solutions.back().array);
  }
  auto const found = without_gil([&] { return least_squares(solving_of(a, on_step), arguments); });
  nb::list results;
  for (std::size_t i = 0; i < found.size(); ++i) {
    nb::dict result = dictionary_of(found[i].ending);
    result["x"] = finished(solutions[i]);
    result["normr"] = found[i].normr;
    result["normar"] = found[i].normar;
    result["norma"] = found[i].norma;
    result["conda"] = found[i].conda;
    result["normx"] = found[i].normx;
    result["rank"] = found[i].rank;
    result["is_direct"] = found[i].is_direct;
    result["has_scaled_columns"] = found[i].has_scaled_columns;
    results.append(result);
  }
  return results;
}

nb::dict triplets_of(Call const& call, nb::handle A, SvdCall arguments, bool want_u,
                     nb::handle on_step) {
  Input const a = take(call, A, nb::none());
  Taken const like = model_of(call, a);
  Taken const vt = new_array(call, a, like, 2, arguments.k, a.cols);
  arguments.vt = vt.array;
  std::optional<Taken> ut;
  if (want_u) {
    ut = new_array(call, a, like, 2, arguments.k, a.rows);
    arguments.ut = ut->array;
  }
  auto const found = without_gil([&] { return svd(solving_of(a, on_step), arguments); });
  nb::dict result = dictionary_of(found.ending);
  result["vt"] = finished(vt);
  result["ut"] = ut ? finished(*ut) : nb::none();
  result["is_direct"] = found.is_direct;
  result["s"] = found.s;
  result["mean"] = found.mean;
  result["deviation"] = found.deviation;
  result["variance"] = found.variance;
  result["ratio"] = found.ratio;
  return result;
}

nb::dict svd_of(std::string const& name, nb::handle A, std::int64_t k, double tol,
                std::int64_t maxiter, std::int64_t ncv, bool want_u, bool rises, bool is_pca,
                bool scale, nb::handle on_step, bool copy) {
  SvdCall arguments{.k = k, .tol = tol, .maxiter = maxiter, .ncv = ncv, .rises = rises};
  arguments.is_pca = is_pca;
  arguments.scale = scale;
  return triplets_of({name.c_str(), copy}, A, arguments, want_u, on_step);
}

nb::dict randomized_svd_of(std::string const& name, nb::handle A, std::int64_t k,
                           std::int64_t oversampling, std::int64_t power_iterations,
                           std::uint64_t seed, nb::handle on_step, bool copy) {
  SvdCall arguments{.k = k};
  arguments.randomized = {oversampling, power_iterations, seed};
  return triplets_of({name.c_str(), copy}, A, arguments, true, on_step);
}

nb::dict column_stats_of(std::string const& name, nb::handle A, std::int64_t ddof,
                         std::optional<double> missing, bool copy) {
  Input const a = take({name.c_str(), copy}, A, nb::none());
  auto const found =
      without_gil([&] { return column_stats(solving_of(a, nb::none()), ddof, missing); });
  nb::dict result;
  result["mean"] = found.mean;
  result["variance"] = found.variance;
  result["min"] = found.min;
  result["max"] = found.max;
  result["count"] = found.count;
  result["missing"] = found.missing;
  result["nonfinite"] = found.nonfinite;
  return result;
}

std::optional<Taken> take_if_given(Call const& call, Input const& a, nb::handle x, char const* name,
                                   std::optional<Array>& to) {
  if (x.is_none()) return std::nullopt;
  Taken taken = take_vector(call, a, x, name, a.rows);
  to = taken.array;
  return taken;
}

solve::RegressionSolver solver_named(std::string const& solver) {
  return solver == "newton"      ? solve::RegressionSolver::newton
         : solver == "newton_cg" ? solve::RegressionSolver::newton_cg
         : solver == "lbfgs"     ? solve::RegressionSolver::lbfgs
                                 : solve::RegressionSolver::automatic;
}

nb::dict regression_of(std::string const& name, std::string const& loss, nb::handle A, nb::handle y,
                       nb::handle weights, nb::handle offset, double penalty, bool intercept,
                       double power, std::int64_t classes, double tol, std::string const& solver,
                       std::int64_t maxiter, nb::handle on_step, bool copy) {
  Call const call{name.c_str(), copy};
  Input const a = take(call, A, y);
  Taken const right = take_vector(call, a, y, "y", a.rows);
  Taken const x = new_array(call, a, model(a, right), 1, classes * a.cols);
  RegressionCall arguments{.loss = loss == "linear"     ? solve::Loss::squares
                                   : loss == "logistic" ? solve::Loss::logistic
                                   : loss == "poisson"  ? solve::Loss::poisson
                                   : loss == "gamma"    ? solve::Loss::gamma
                                   : loss == "tweedie"  ? solve::Loss::tweedie
                                                        : solve::Loss::multinomial,
                           .y = right.array,
                           .x = x.array,
                           .penalty = penalty,
                           .power = power,
                           .classes = classes,
                           .has_intercept = intercept,
                           .tol = tol,
                           .solver = solver_named(solver),
                           .maxiter = maxiter};
  auto const of_weights = take_if_given(call, a, weights, "sample_weight", arguments.weights);
  auto const of_offset = take_if_given(call, a, offset, "offset", arguments.offset);
  auto const found = without_gil([&] { return regression(solving_of(a, on_step), arguments); });
  nb::dict result = dictionary_of(found);
  result["x"] = finished(x);
  return result;
}

/// See regressions().
nb::tuple regressions_of(std::string const& name, nb::handle A, nb::handle y, nb::handle weights,
                         std::vector<double> const& penalties, bool intercept, double tol,
                         std::string const& solver, std::int64_t maxiter, bool copy) {
  Call const call{name.c_str(), copy};
  Input const a = take(call, A, y);
  auto const targets = static_cast<std::int64_t>(penalties.size());
  Taken const right = take_vector(call, a, y, "y", targets * a.rows);
  Taken const x = new_array(call, a, model(a, right), 1, targets * a.cols);
  RegressionCall arguments{.y = right.array,
                           .x = x.array,
                           .has_intercept = intercept,
                           .tol = tol,
                           .solver = solver_named(solver),
                           .maxiter = maxiter};
  auto const of_weights = take_if_given(call, a, weights, "sample_weight", arguments.weights);
  auto const found =
      without_gil([&] { return regressions(solving_of(a, nb::none()), arguments, penalties); });
  nb::list results;
  for (RegressionFound const& each : found) results.append(dictionary_of(each));
  return nb::make_tuple(finished(x), results);
}

}  // namespace

void add_solvers(nb::module_& m) {
  m.def("_least_squares", &least_squares_of, "name"_a, "method"_a, "A"_a, "b"_a, "x0"_a.none(),
        "damps"_a, "atol"_a.none(), "btol"_a.none(), "conlim"_a, "maxiter"_a.none(),
        "on_step"_a.none(), "copy"_a);
  m.def("_svd", &svd_of, "name"_a, "A"_a, "k"_a, "tol"_a, "maxiter"_a, "ncv"_a, "want_u"_a,
        "rises"_a, "is_pca"_a, "scale"_a, "on_step"_a.none(), "copy"_a);
  m.def("_randomized_svd", &randomized_svd_of, "name"_a, "A"_a, "k"_a, "oversampling"_a,
        "power_iterations"_a, "seed"_a, "on_step"_a.none(), "copy"_a);
  m.def("_column_stats", &column_stats_of, "name"_a, "A"_a, "ddof"_a, "missing"_a.none(), "copy"_a);
  m.def("_regression", &regression_of, "name"_a, "loss"_a, "A"_a, "y"_a, "weights"_a.none(),
        "offset"_a.none(), "penalty"_a, "intercept"_a, "power"_a, "classes"_a, "tol"_a, "solver"_a,
        "maxiter"_a, "on_step"_a.none(), "copy"_a);
  m.def("_regressions", &regressions_of, "name"_a, "A"_a, "y"_a, "weights"_a.none(), "penalties"_a,
        "intercept"_a, "tol"_a, "solver"_a, "maxiter"_a, "copy"_a);
}

}  // namespace tessera::python
