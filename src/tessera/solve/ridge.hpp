// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/backends/compiled.hpp>
#include <tessera/checks.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/solve/direct_least_squares.hpp>
#include <tessera/solve/lsmr.hpp>
#include <tessera/solve/scaled_columns.hpp>

/// Least squares: direct for few columns, otherwise LSMR.
namespace tessera::solve {
namespace detail {

/// Rounding may require more than min(m, n) iterations.
template <class Operator>
Index patient_limit(Operator const& op) {
  return std::max(10 * std::min(op.rows(), op.cols()), Index{100});
}

/// All λ share a Krylov space, except those whose columns have uneven norms: there the rows below A
/// depend on λ. All share the reads of A unless there are states.
template <class Exec, class T>
class IterativeLeastSquares {
 public:
  using Operator = NormalOperator<Exec, T>;
  using Options = LeastSquaresOptions<Exec, T>;
  using Result = LeastSquares<Exec, T>;

  /// @param name of its states; `lsmr` refuses them because it does not scale
  IterativeLeastSquares(char const* name, Operator const& op, ConstRows<Exec, T> const& BT,
                        Options const& options, Control<T> const& control,
                        std::vector<double> const& damps)
      : name_(name),
        op_(op),
        BT_(BT),
        options_(options),
        control_(control),
        damps_(damps),
        reads_before_(op.reads()) {
    if (control.resume != nullptr) {
      require_state_of(name, control.resume->of, state_of<T>(name, op));
    }
    op.agree(name, [&] {
      auto digest = digest_of(control);
      for (double const damp : damps) digest.add(damp);
      return digest.value();
    });
    plan();
  }

  std::vector<Result> operator()() {
    std::size_t const first = take_state();
    std::vector<Result> results(BT_.extent(0) * damps_.size());
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      auto found = call(i, i == first ? state_ : std::nullopt, i >= first);
      auto next = found.begin();
      for (Part const& part : runs_[i]) {
        for (std::size_t const damp : groups_[part.group].damps) {
          results[part.side * damps_.size() + damp] = std::move(*next++);
        }
      }
    }
    return results;
  }

 private:
  using Scaled = ScaledOperator<Exec, T>;
  /// Penalties that share a Krylov space.
  struct Group {
    std::vector<std::size_t> damps;
    std::vector<T> units;  ///< empty: not scaled

    [[nodiscard]] bool is_scaled() const { return !units.empty(); }
  };
  struct Part {
    std::size_t side;
    std::size_t group;
  };
  using Run = std::vector<Part>;  ///< shares reads of A
  struct Numbers {
    double run = 0;
    double is_scaled = 0;
  };

  void plan() {
    std::vector<std::vector<T>> units(damps_.size());
    // Without a penalty, x must be the shortest for A's columns.
    auto const may_scale = [&](double damp) { return damp > 0 || op_.rows() >= op_.cols(); };
    if (op_.rows() > 0 && op_.cols() > 1 && std::ranges::any_of(damps_, may_scale)) {
      auto const norms = column_norms<Exec, T>(op_);
      for (std::size_t i = 0; i < damps_.size(); ++i) {
        if (may_scale(damps_[i])) units[i] = uneven_units<T>(norms, damps_[i]);
      }
    }
    Group even;
    for (std::size_t i = 0; i < damps_.size(); ++i) {
      if (units[i].empty()) even.damps.push_back(i);
    }
    if (!even.damps.empty()) groups_.push_back(std::move(even));
    for (std::size_t i = 0; i < damps_.size(); ++i) {
      if (!units[i].empty()) groups_.push_back({{i}, std::move(units[i])});
    }
    std::size_t const sides = BT_.extent(0);
    if (control_.on_state || control_.resume != nullptr) {
      for (std::size_t side = 0; side < sides; ++side) {
        for (std::size_t group = 0; group < groups_.size(); ++group)
          runs_.push_back({{side, group}});
      }
      return;
    }
    std::size_t const most =
        std::max(sides, static_cast<std::size_t>(std::max<Index>(options_.at_once, 1)));
    for (std::size_t group = 0; group < groups_.size() && sides > 0; ++group) {
      if (runs_.empty() || runs_.back().size() + sides > most) runs_.emplace_back();
      for (std::size_t side = 0; side < sides; ++side) runs_.back().push_back({side, group});
    }
  }

  std::size_t take_state() {
    if (control_.resume == nullptr) return 0;
    constexpr std::size_t count = sizeof(Numbers) / sizeof(double);
    State<T> state = *control_.resume;
    if (state.numbers.size() < count || !all_finite(state.numbers)) fail_of_state(name_);
    auto from = state.numbers.end() - count;
    auto const numbers = take<Numbers>(from);
    state.numbers.resize(state.numbers.size() - count);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (numbers.run != static_cast<double>(i)) continue;
      if (numbers.is_scaled != (groups_[runs_[i].front().group].is_scaled() ? 1 : 0)) break;
      state_ = std::move(state);
      return i;
    }
    fail_of_state(name_);
  }

  std::vector<Result> call(std::size_t index, std::optional<State<T>> state, bool has_states) {
    Run const& run = runs_[index];
    bool const is_scaled =
        std::ranges::any_of(run, [&](Part const& part) { return groups_[part.group].is_scaled(); });
    auto const buffers = std::make_shared<typename Scaled::Buffers>();
    std::vector<std::unique_ptr<Scaled>> scaled(groups_.size());
    std::vector<Problem<Exec, T>> problems;
    for (Part const& part : run) {
      Group const& group = groups_[part.group];
      auto const b = row<Exec, T const>(BT_, static_cast<Index>(part.side));
      std::vector<double> damps(group.damps.size());
      std::ranges::transform(group.damps, damps.begin(), [&](std::size_t i) { return damps_[i]; });
      if (!is_scaled) {
        problems.push_back({&op_, b, options_.x0, damps});
        continue;
      }
      auto& its_own = scaled[part.group];
      if (!group.is_scaled()) {
        // Has the bits of A, and shares reads with the others.
        std::vector<T> const ones(static_cast<std::size_t>(op_.cols()), T(1));
        if (!its_own) its_own = std::make_unique<Scaled>(op_, ones, 0, buffers);
        problems.push_back({its_own.get(), b, options_.x0, damps});
        continue;
      }
      if (!its_own) its_own = std::make_unique<Scaled>(op_, group.units, damps.front(), buffers);
      ConstValues<Exec, T> x0 = options_.x0;
      if (x0.extent(0) != 0) x0 = scaled_start(group.units);
      problems.push_back({its_own.get(), its_own->right_side(b, options_.x0), x0, {0}});
    }
    if (state) state->of = state_of<T>(Lsmr::name, *problems.front().op);

    Index const begun = state ? state->iteration : 0;
    Index reads = op_.reads() - reads_before_;
    // Each operator counts its product with x0 and all shared products.
    if (options_.x0.extent(0) != 0 && problems.size() > BT_.extent(0)) {
      reads += static_cast<Index>(problems.size() - BT_.extent(0));
    }
    auto const with_reads = [&](Step step) {
      if (step.iteration > begun) step.reads += reads;
      return step;
    };
    auto const add_reads = [&](std::vector<Step>& steps) {
      for (Step& step : steps) step = with_reads(step);
    };
    Control<T> control{.resume = state ? &*state : nullptr};
    if (control_.on_step) {
      control.on_step = [&](Step const& step) { return control_.on_step(with_reads(step)); };
    }
    if (has_states && control_.wants_state) {
      control.wants_state = [&](Step const& step) {
        return control_.wants_state(with_reads(step));
      };
    }
    if (has_states && control_.on_state) {
      control.on_state = [&](State<T> found) {
        found.of = state_of<T>(name_, op_);
        append(found.numbers,
               Numbers{.run = static_cast<double>(index), .is_scaled = is_scaled ? 1.0 : 0.0});
        add_reads(found.history);
        control_.on_state(found);
      };
    }
    control.wants_last_state = control_.wants_last_state;

    auto results = run_lsmr<Exec, T>(problems, options_, control);
    for (Result& result : results) add_reads(result.history);
    auto next = results.begin();
    for (Part const& part : run) {
      Group const& group = groups_[part.group];
      if (group.is_scaled()) take_back(*scaled[part.group], *next);
      next += static_cast<std::ptrdiff_t>(group.damps.size());
    }
    return results;
  }

  [[nodiscard]] Values<Exec, T> scaled_start(std::vector<T> const& units) const {
    auto start = to_host<Exec, T>(op_.exec(), options_.x0);
    for (std::size_t j = 0; j < start.size(); ++j) start[j] /= units[j];
    return on_device(op_.exec(), start);
  }
  void take_back(ScaledOperator<Exec, T> const& scaled, Result& result) const {
    scaled.scale(result.x, result.x);
    result.normx = scaled_norm(to_host<Exec, T>(op_.exec(), result.x));
    if (!std::isfinite(result.normx)) result.stop = Stop::not_finite;
    result.has_scaled_columns = true;
  }

  char const* name_;
  Operator const& op_;
  ConstRows<Exec, T> BT_;
  Options options_;
  Control<T> const& control_;
  std::vector<double> damps_;
  Index reads_before_;
  std::vector<Group> groups_;
  std::vector<Run> runs_;
  std::optional<State<T>> state_;
};

template <class Exec, class T>
std::vector<LeastSquares<Exec, T>> run_penalised(char const* name,
                                                 NormalOperator<Exec, T> const& op,
                                                 ConstRows<Exec, T> const& BT,
                                                 LeastSquaresOptions<Exec, T> const& options,
                                                 Control<T> const& control,
                                                 std::vector<double> const& lambdas) {
  if (lambdas.empty()) checks::fail(name, "expected at least one lambda, found none");
  std::vector<double> damps;
  for (double const lambda : lambdas) {
    if (!(lambda >= 0 && std::isfinite(lambda))) {
      checks::fail(name, "lambda must be a number of at least 0, found " + std::to_string(lambda));
    }
    damps.push_back(std::sqrt(lambda));
  }
  if (options.x0.extent(0) != 0) {
    checks::require_extent(name, "x0", options.x0, static_cast<std::size_t>(op.cols()));
  }
  checks::require_extent(name, "b", row<Exec, T const>(BT, 0), static_cast<std::size_t>(op.rows()));
  Index const reads_before = op.reads();
  LeastSquaresOptions<Exec, T> iterative = options;
  Control<T> its_control = control;
  if (auto const* direct = direct_operator(op, options)) {
    std::string const named = "direct " + std::string(name);
    auto results =
        DirectLeastSquares<Exec, T>(named.c_str(), *direct, BT, options.x0, control, lambdas)();
    if (!results.empty()) return results;
    // Squares over- or underflow; a state of the first read is useless.
    its_control = {.on_step = control.on_step};
  }
  constexpr auto eps = static_cast<double>(std::numeric_limits<T>::epsilon());
  iterative.atol = options.atol.value_or(eps);
  iterative.btol = options.btol.value_or(eps);
  if (!iterative.maxiter) iterative.maxiter = patient_limit(op);
  IterativeLeastSquares<Exec, T> solve(name, op, BT, iterative, its_control, damps);
  auto results = solve();
  for (auto& result : results) result.reads = op.reads() - reads_before;
  return results;
}

template <class Exec, class T>
ConstRows<Exec, T> as_row(ConstValues<Exec, T> const& x) {
  return ConstRows<Exec, T>(x.data(), 1, x.extent(0));
}

}  // namespace detail

/// Minimises ‖A·x - b‖² + λ·‖x - x0‖² over x, for each λ
///
/// Returns a result for each of at least one λ, in their order. They may repeat.
///
/// A is m x n, b has m entries, as in `lsmr`. Passes and accuracy: docs/stopping.md,
/// docs/guide/least-squares.md.
///
/// At most `options.direct` columns are solved directly; conda belongs to the scaled columns.
/// Otherwise `lsmr` runs with damp = √λ, on scaled columns if their norms are uneven
/// (docs/guide/least-squares.md). All λ that need no scaling have the bits of `lsmr` and share its
/// vectors: each adds three of n entries. A λ with scaled columns has its own vectors; up to
/// `options.at_once` share reads.
///
/// Each λ stops on its own. Its bits and iterations do not depend on the others. Callbacks receive
/// the Steps of the first that still runs. A run resumes only from a state with the same lambdas;
/// with states, the λ with scaled columns do not share reads.
/// @throws std::invalid_argument as `lsmr`, for no λ, and for one that is negative or not finite
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// tessera::solve::MatrixOperator const op(Kokkos::DefaultExecutionSpace(), A);
/// Kokkos::View<double*> b("b", 1000);
/// auto const results = tessera::solve::ridge_path(op, b, {0.1, 1.0, 10.0});
/// ```
template <ExecutionSpace Exec, Scalar T, Vector B>
  requires AccessibleFrom<B, Exec> && std::is_same_v<typename B::non_const_value_type, T>
std::vector<LeastSquares<Exec, T>> ridge_path(
    NormalOperator<Exec, T> const& A, B const& b, std::vector<double> const& lambdas,
    std::type_identity_t<LeastSquaresOptions<Exec, T>> const& options = {},
    std::type_identity_t<Control<T>> const& control = {}) {
  auto const side = detail::side_by_side(A.exec(), b);
  return detail::run_penalised<Exec, T>("ridge", A, detail::as_row<Exec, T>(side), options, control,
                                        lambdas);
}

/// `ridge_path` with one λ.
template <ExecutionSpace Exec, Scalar T, Vector B>
  requires AccessibleFrom<B, Exec> && std::is_same_v<typename B::non_const_value_type, T>
LeastSquares<Exec, T> ridge(NormalOperator<Exec, T> const& A, B const& b, double lambda,
                            std::type_identity_t<LeastSquaresOptions<Exec, T>> const& options = {},
                            std::type_identity_t<Control<T>> const& control = {}) {
  auto results = ridge_path(A, b, {lambda}, options, control);
  return std::move(results.front());
}

/// For each column of B, m x k, as `lsmr`; with states of LSMR, columns do not share reads.
template <ExecutionSpace Exec, Scalar T, Matrix B>
  requires AccessibleFrom<B, Exec> && std::is_same_v<typename B::non_const_value_type, T>
std::vector<LeastSquares<Exec, T>> ridge(
    NormalOperator<Exec, T> const& A, B const& b, double lambda,
    std::type_identity_t<LeastSquaresOptions<Exec, T>> const& options = {},
    std::type_identity_t<Control<T>> const& control = {}) {
  return detail::run_penalised<Exec, T>("ridge", A, detail::columns_as_rows<T>(A.exec(), b),
                                        options, control, {lambda});
}

/// The shortest x that minimises ‖A·x - b‖, to the precision of the arithmetic
///
/// As `ridge` with λ = 0. Only a direct solution sets `rank`.
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// tessera::solve::MatrixOperator const op(Kokkos::DefaultExecutionSpace(), A);
/// Kokkos::View<double*> b("b", 1000);
/// auto const result = tessera::solve::lstsq(op, b);  // result.x, result.rank
/// ```
template <ExecutionSpace Exec, Scalar T, Vector B>
  requires AccessibleFrom<B, Exec> && std::is_same_v<typename B::non_const_value_type, T>
LeastSquares<Exec, T> lstsq(NormalOperator<Exec, T> const& A, B const& b,
                            std::type_identity_t<LeastSquaresOptions<Exec, T>> options = {},
                            std::type_identity_t<Control<T>> const& control = {}) {
  auto const side = detail::side_by_side(A.exec(), b);
  options.conlim = options.conlim.value_or(0);
  auto results = detail::run_penalised<Exec, T>("lstsq", A, detail::as_row<Exec, T>(side), options,
                                                control, {0});
  return std::move(results.front());
}

/// For each column of B, as `ridge`.
template <ExecutionSpace Exec, Scalar T, Matrix B>
  requires AccessibleFrom<B, Exec> && std::is_same_v<typename B::non_const_value_type, T>
std::vector<LeastSquares<Exec, T>> lstsq(
    NormalOperator<Exec, T> const& A, B const& b,
    std::type_identity_t<LeastSquaresOptions<Exec, T>> options = {},
    std::type_identity_t<Control<T>> const& control = {}) {
  options.conlim = options.conlim.value_or(0);
  return detail::run_penalised<Exec, T>("lstsq", A, detail::columns_as_rows<T>(A.exec(), b),
                                        options, control, {0});
}

}  // namespace tessera::solve

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_SOLVE_PENALISED(TEMPLATE, EXEC, T)                                         \
  namespace tessera::solve::detail {                                                       \
  TEMPLATE std::vector<LeastSquares<EXEC, T>> run_penalised(                               \
      char const*, NormalOperator<EXEC, T> const&, ConstRows<EXEC, T> const&,              \
      LeastSquaresOptions<EXEC, T> const&, Control<T> const&, std::vector<double> const&); \
  }
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_SOLVE_PENALISED)
