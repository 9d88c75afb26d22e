// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cmath>
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
#include <app/run/input.hpp>
#include <app/run/options.hpp>
#include <app/stream/stream.hpp>
#include <io/matrix_reader.hpp>
#include <io/types.hpp>
#include <tessera/solve/column_statistics.hpp>
#include <tessera/solve/control.hpp>
#include <tessera/solve/operator.hpp>
#include <tessera/solve/stop.hpp>

/// Solutions, memory and checks of the commands that solve.
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

using AnyOperator = detail::OperatorsOn<backends::Enabled>::Type;

struct SolvePlace {
  BackendFacts backend;
  std::string why;
  std::optional<StreamChoice> stream;  ///< empty: in memory
  bool holds_stored = false;           ///< 8 or 16 bits an element in memory, as in the file
  Kernels kernels = Kernels::automatic;
};

/// @param vectors bytes besides the matrix
/// @param steps estimated iterations
[[nodiscard]] SolvePlace choose_place(SolveOptions const& options, io::MatrixReader const& reader,
                                      std::uint64_t vectors, std::int64_t steps);

struct SolveRequest {
  io::MatrixReader const& reader;
  io::ScalarType type;
  SolvePlace const& place;
  std::uint64_t vectors = 0;  ///< see choose_place
  bool in_segments = false;   ///< ranks own whole segments of rows
  std::int64_t block = 0;     ///< vectors per block; 0: none
  std::int64_t gram_width = 0;
  bool by_newton = false;  ///< regression by sums over rows
  bool column_statistics = false;
  std::int64_t predictors = 1;  ///< see FitRows
};

struct Reading {
  double seconds = 0;        ///< including copies to a device
  bool is_narrowed = false;  ///< rounded to a smaller range
  std::vector<RankFacts> ranks{};
  std::string exchange{};
};

/// Calls work(op). Checks at the end that a stream's file is unchanged.
Reading with_operator(SolveRequest const& request,
                      std::function<void(AnyOperator const& op)> const& work);
Reading with_operator_on_ranks(SolveRequest const& request,
                               std::function<void(AnyOperator const& op)> const& work);

struct SolveRun {
  solve::Stop stop = solve::Stop::iteration_limit;
  std::string detail;
  std::int64_t iterations = 0;
  std::int64_t reads = 0;
  std::int64_t first_iteration = 0;  ///< of the resumed checkpoint; 0: none
  std::string earlier_limits{};      ///< of the checkpoint, if they differ
  std::vector<solve::Step> history;
  double seconds = 0;
  Reading reading;

  template <class Result>
  void take(Result& result) {
    stop = result.stop;
    iterations = result.iterations;
    reads = result.reads;
    history = std::move(result.history);
  }

  /// `stop` becomes that of the first run without success, or of one that is not finite.
  void add(SolveRun&& other, bool is_first) {
    bool const is_worse = other.stop == solve::Stop::not_finite && stop != other.stop;
    if (is_first || solve::is_success(stop) || is_worse) stop = other.stop;
    iterations += other.iterations;
    reads += other.reads;
    first_iteration += other.first_iteration;
    earlier_limits = std::move(other.earlier_limits);
    seconds += other.seconds;
    history = std::move(other.history);
  }
};

/// Relative distance of neighbouring numbers.
[[nodiscard]] double rounding_of(io::ScalarType type);

struct RightSideFacts {
  solve::Stop stop = solve::Stop::iteration_limit;
  std::int64_t iterations = 0;
  std::int64_t reads = 0;
  double normr = 0;
  double normar = 0;
  double norma = 0;
  double conda = 0;
  double normx = 0;
  std::int64_t rank = -1;  ///< -1: not computed
  bool has_scaled_columns = false;
};

struct LeastSquaresSolution {
  io::HostVector x;  ///< one right-hand side, or penalty, after the other
  std::vector<RightSideFacts> facts;
  SolveRun run;
};

/// √λ of each --lambda, or --damp.
[[nodiscard]] std::vector<double> damps_of(LeastSquaresOptions const& options);
[[nodiscard]] inline bool is_path(LeastSquaresOptions const& options) {
  return options.lambdas.size() > 1;
}
/// Columns of X.
[[nodiscard]] std::int64_t solutions_of(LeastSquaresOptions const& options,
                                        std::int64_t right_sides);
struct StoppingBounds {
  double atol;
  double btol;
  double conlim;
};
[[nodiscard]] StoppingBounds stopping_bounds(LeastSquaresOptions const& options,
                                             io::ScalarType type);
/// By --method or cost. A checkpoint is continued with its method.
[[nodiscard]] bool is_direct(LeastSquaresOptions const& options, io::MatrixInfo const& info);
[[nodiscard]] std::int64_t limit_of(LeastSquaresOptions const& options, io::MatrixInfo const& info);
/// For all right-hand sides and penalties.
[[nodiscard]] std::uint64_t vector_bytes(LeastSquaresOptions const& options,
                                         io::MatrixInfo const& info, io::ScalarType type,
                                         std::int64_t right_sides);

/// Right-hand sides, or penalties, that share reads. Fewer if there is a memory limit.
[[nodiscard]] std::int64_t right_sides_at_once(LeastSquaresOptions const& options,
                                               io::MatrixInfo const& info, io::ScalarType type,
                                               std::int64_t right_sides);

/// Vector j of `columns` entries, not copied.
[[nodiscard]] io::HostVector part_of(io::HostVector const& vectors, std::int64_t columns,
                                     std::int64_t j);

[[nodiscard]] LeastSquaresSolution solve_least_squares(LeastSquaresOptions const& options,
                                                       SolveRequest const& request,
                                                       VectorOfFile const& b);

/// With r = b - A·x. If A is very large or small, A and damp are divided by a power of two, and x
/// is multiplied by it.
struct Residual {
  double normr = 0;
  double gradient = 0;  ///< ‖Aᵀ·r - damp²·x‖
  double norma = 0;     ///< Frobenius norm of A
  double normb = 0;
  double normx = 0;
  double damp = 0;
  std::vector<double> gradients{};  ///< entries of Aᵀ·r - damp²·x
  std::vector<double> norms{};      ///< of columns, with damp
  std::vector<double> sizes{};      ///< |x_j|
};

/// In double-double. Reads A twice if it is very large or small.
/// @param x, b in the type that A is converted to
[[nodiscard]] Residual residual_of(io::MatrixReader const& reader, io::HostVector const& x,
                                   io::HostVector const& b, double damp);

/// The column whose coefficient is determined worst: if only x_j changes, ‖r‖ is smallest after a
/// change of `move`·|x_j|.
struct ColumnCheck {
  static constexpr double most_move = 5e-4;  ///< of a determined coefficient

  std::int64_t column = -1;   ///< -1: no move exceeds rounding
  double gradient = 0;        ///< |a_jᵀr - damp²·x_j|/(‖a_j‖·‖r‖)
  double gradient_below = 0;  ///< set by the tolerance
  double move = 0;

  [[nodiscard]] bool is_determined() const { return move <= most_move; }
  /// An undetermined coefficient passes if the tolerance demands no more.
  [[nodiscard]] bool passed() const { return is_determined() || gradient <= gradient_below; }
};

struct ResidualCheck {
  Residual found;
  ColumnCheck column{};
  double gradient = 0;  ///< ‖Aᵀr - damp²·x‖/(‖A‖·‖r‖)
  double gradient_below = 0;
  double residual = 0;
  double residual_below = 0;

  [[nodiscard]] bool passed() const {
    // A norm that overflows proves nothing.
    bool const is_known = std::isfinite(found.norma) && std::isfinite(found.gradient);
    return is_known && column.passed() &&
           (gradient <= gradient_below || residual <= residual_below);
  }
};

/// See docs/stopping.md. A direct solution may be off by rounding: x in its type moves A·x by
/// ε·‖A‖·‖x‖, and b may be off by ε·‖b‖.
[[nodiscard]] ResidualCheck check_least_squares(LeastSquaresOptions const& options,
                                                io::MatrixReader const& reader, io::ScalarType type,
                                                io::HostVector const& x, io::HostVector const& b);

struct FitRows {
  io::HostVector y;  ///< logistic: index of the class
  std::optional<io::HostVector> weights{};
  std::optional<io::HostVector> offset{};
  std::vector<double> classes{};        ///< logistic: labels
  std::vector<std::uint64_t> counts{};  ///< rows per class

  /// Linear predictors η per row: the number of classes if more than two, else 1.
  [[nodiscard]] std::int64_t predictors() const {
    return classes.size() > 2 ? static_cast<std::int64_t>(classes.size()) : 1;
  }
};

struct Fit {
  io::HostVector x;  ///< class after class
  double intercept = 0;
  std::vector<double> intercepts{};  ///< per class if more than two
  double loss = 0;                   ///< with the penalty
  double gradient_norm = 0;
  double quantity = 0;
  double bound = 0;
  bool is_newton = false;  ///< else the statistics below are not set
  double deviance = 0;
  double aic = 0;
  std::int64_t rank = 0;
  double dispersion = 1;
  std::vector<double> standard_errors;  ///< the intercept's is last
  SolveRun run;
};

[[nodiscard]] std::int64_t limit_of(FitOptions const& options);
/// By the whole Hessian.
[[nodiscard]] bool is_by_newton(FitOptions const& options, io::MatrixInfo const& info);
/// 2 for a matrix with many columns.
[[nodiscard]] std::int64_t most_classes(io::MatrixInfo const& info);
[[nodiscard]] std::uint64_t vector_bytes(FitOptions const& options, io::MatrixInfo const& info,
                                         io::ScalarType type, std::int64_t predictors);
[[nodiscard]] Fit find_fit(FitOptions const& options, SolveRequest const& request,
                           FitRows const& rows);

struct GradientCheck {
  double gradient = 0;  ///< largest, relative to column and deviance
  double gradient_below = 0;

  [[nodiscard]] bool passed() const { return gradient <= gradient_below; }
};

[[nodiscard]] GradientCheck check_fit(FitOptions const& options, io::MatrixReader const& reader,
                                      io::ScalarType type, Fit const& fit, FitRows const& rows);

struct Triplets {
  std::vector<double> s;  ///< fewer if the method stopped early
  std::vector<double> residuals;
  io::HostMatrix VT;         ///< one per row
  io::HostMatrix U;          ///< one per column, if requested
  std::vector<double> mean;  ///< only for pca, as those below
  std::vector<double> deviation;
  std::vector<double> variance;
  std::vector<double> ratio;
  SolveRun run;
};

[[nodiscard]] bool is_direct(TripletOptions const& options, io::MatrixInfo const& info);
/// Columns of Gram matrices; 0: none, -1: moments only.
[[nodiscard]] std::int64_t gram_width(TripletOptions const& options, io::MatrixInfo const& info);
/// Vectors of the basis between restarts, or of a block.
[[nodiscard]] std::int64_t basis_of(TripletOptions const& options, io::MatrixInfo const& info);
[[nodiscard]] std::int64_t limit_of(TripletOptions const& options, io::MatrixInfo const& info);
[[nodiscard]] std::uint64_t vector_bytes(TripletOptions const& options, io::MatrixInfo const& info,
                                         io::ScalarType type);

/// Further bytes if the matrix is in memory.
[[nodiscard]] std::uint64_t bytes_in_memory(TripletOptions const& options,
                                            io::MatrixInfo const& info, io::ScalarType type);
[[nodiscard]] std::uint64_t bytes_in_memory(LeastSquaresOptions const& options,
                                            io::MatrixInfo const& info, io::ScalarType type,
                                            std::int64_t right_sides);
/// With `more` additional columns.
[[nodiscard]] std::uint64_t gram_bytes(io::MatrixInfo const& info, io::ScalarType type,
                                       std::int64_t more);
/// Whether the checkpoint is of an iterative method.
[[nodiscard]] bool continues_iterations(SolveOptions const& options);

/// Further bytes in memory.
[[nodiscard]] std::uint64_t bytes_of_statistics(io::MatrixInfo const& info, io::ScalarType type);
[[nodiscard]] solve::ColumnStatistics find_statistics(StatsOptions const& options,
                                                      SolveRequest const& request, SolveRun& run);
/// Code of missing entries; empty: none.
[[nodiscard]] std::string missing_code(SolveOptions const& options);

[[nodiscard]] Triplets find_triplets(TripletOptions const& options, SolveRequest const& request);

/// Largest errors, relative to s_1 or the compared quantity:
/// - right: ‖Aᵀ·(A·v) - s²·v‖/s_1²
/// - values: |‖A·v‖ - s|/s_1
/// - left: ‖A·v - s·u‖/s_1
/// - transposed: ‖Aᵀ·u - s·v‖/s_1
/// - v_orthogonal, u_orthogonal: entries of Vᵀ·V - I, Uᵀ·U - I
/// - missed: by which a value exceeds the smallest found
struct TripletCheck {
  struct Measure {
    char const* name;
    double found;
    double below;
  };
  double small = 0;  ///< limit by type, sizes and --tol
  std::vector<Measure> measures{};

  void add(char const* name, double found, double below) {
    measures.push_back({name, found, below});
  }
  [[nodiscard]] bool passed() const {
    return std::ranges::all_of(measures, [](Measure const& m) { return m.found <= m.below; });
  }
};

/// Reads A once (pca: three times) in double-double. Up to six more reads search for a larger
/// value, unless all values were found.
[[nodiscard]] TripletCheck check_triplets(TripletOptions const& options,
                                          io::MatrixReader const& reader, io::ScalarType type,
                                          Triplets const& found);

}  // namespace tessera::app
