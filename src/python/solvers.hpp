// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <python/arrays.hpp>
#include <python/parts.hpp>
#include <python/streamed.hpp>
#include <string>
#include <vector>

#include <tessera/solve/losses.hpp>
#include <tessera/solve/stop.hpp>

/// The caller has checked types, shapes and places. Complete on return.
namespace tessera::python {

struct Solving {
  Array a{};                                 ///< if not streamed
  StreamedMatrix const* streamed = nullptr;  ///< else
  std::optional<OnRanks> ranks{};            ///< if distributed; `a`: this rank's rows
  std::function<void(solve::Step const&)> on_step{};
};

struct Ending {
  solve::Stop stop = solve::Stop::breakdown;
  std::int64_t iterations = 0;
  std::int64_t reads = 0;
};

enum class LeastSquaresMethod { lsmr, lsqr, lstsq, ridge };

struct LeastSquaresCall {
  LeastSquaresMethod method = LeastSquaresMethod::lsmr;
  std::vector<Array> b{};  ///< one right-hand side; for lstsq any number
  std::optional<Array> x0{};
  std::vector<double> damps{};   ///< one; for ridge any number of λ
  std::vector<Array> x{};        ///< one per right-hand side and damping factor
  std::optional<double> atol{};  ///< empty: by the method
  std::optional<double> btol{};
  double conlim = 0;
  std::optional<std::int64_t> maxiter{};
};
struct LeastSquaresFound {
  Ending ending;
  double normr = 0;
  double normar = 0;
  double norma = 0;
  double conda = 0;
  double normx = 0;
  std::int64_t rank = -1;
  bool is_direct = false;
  bool has_scaled_columns = false;
};
std::vector<LeastSquaresFound> least_squares(Solving const& solving, LeastSquaresCall const& call);

struct Randomized {
  std::int64_t oversampling = 10;
  std::int64_t power_iterations = 4;
  std::uint64_t seed = 0;
};
struct SvdCall {
  std::int64_t k = 1;
  double tol = 0;
  std::int64_t maxiter = 0;
  std::int64_t ncv = 0;
  bool rises = false;                      ///< ascending
  std::optional<Randomized> randomized{};  ///< tol, maxiter and ncv are ignored
  bool is_pca = false;
  bool scale = false;         ///< of pca
  Array vt{};                 ///< k x n
  std::optional<Array> ut{};  ///< k x m, if wanted
};
struct SvdFound {
  Ending ending;
  bool is_direct = false;
  std::vector<double> s;     ///< fewer than k without convergence
  std::vector<double> mean;  ///< of pca, like the members below
  std::vector<double> deviation;
  std::vector<double> variance;
  std::vector<double> ratio;
};
SvdFound svd(Solving const& solving, SvdCall const& call);

struct ColumnStatsFound {
  std::vector<double> mean;
  std::vector<double> variance;
  std::vector<double> min;
  std::vector<double> max;
  std::vector<std::int64_t> count;
  std::vector<std::int64_t> missing;
  std::vector<std::int64_t> nonfinite;
};
ColumnStatsFound column_stats(Solving const& solving, std::int64_t ddof,
                              std::optional<double> missing);

struct RegressionCall {
  solve::Loss loss = solve::Loss::squares;
  Array y{};
  std::optional<Array> weights{};
  std::optional<Array> offset{};
  Array x{};
  double penalty = 0;
  double power = 1.5;        ///< of Tweedie regression
  std::int64_t classes = 1;  ///< multinomial
  bool has_intercept = true;
  double tol = 0;
  solve::RegressionSolver solver = solve::RegressionSolver::automatic;
  std::int64_t maxiter = 100;
};
struct RegressionFound {
  Ending ending;
  std::string detail;
  double intercept = 0;
  std::vector<double> intercepts;  ///< multinomial
  double loss = 0;
  double gradient_norm = 0;
  double quantity = 0;
  double bound = 0;
  double deviance = 0;
  double aic = 0;
  double dispersion = 1;
  std::int64_t rank = 0;
  std::vector<double> standard_errors;
  std::vector<std::int64_t> columns;
};
RegressionFound regression(Solving const& solving, RegressionCall const& call);
/// Linear regressions of several targets. y and x of the call contain one target after
/// another.
/// @param penalties one per target
std::vector<RegressionFound> regressions(Solving const& solving, RegressionCall const& call,
                                         std::vector<double> const& penalties);

}  // namespace tessera::python
