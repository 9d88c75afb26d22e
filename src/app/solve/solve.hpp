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
#include <tessera/solve/control.hpp>
#include <tessera/solve/operator.hpp>
#include <tessera/solve/stop.hpp>

/// What the commands that solve call: the matrix as solvers read it, how a run went; then, for each
/// kind of problem, its solution, what it takes, and an independent look at it.
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
  std::uint64_t vectors = 0;    ///< as for choose_place
  bool in_segments = false;     ///< ranks have whole segments of rows: it is multiplied with blocks
  std::int64_t block = 0;       ///< vectors of such a block; 0: no block
  std::int64_t gram_width = 0;  ///< columns of a Gram matrix; 0: none, -1: moments only
  bool by_newton = false;       ///< a regression by sums over rows
  std::int64_t predictors = 1;  ///< of each row of that regression
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
  std::string detail;  ///< more about it; may be empty
  std::int64_t iterations = 0;
  std::int64_t reads = 0;
  std::int64_t first_iteration = 0;  ///< of a checkpoint that it went on from
  std::string earlier_limits{};      ///< of the run that wrote it, if they differ
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
    earlier_limits = std::move(other.earlier_limits);
    seconds += other.seconds;
    history = std::move(other.history);
  }
};

/// How far two neighbouring numbers of a type are apart, relative to them.
[[nodiscard]] double rounding_of(io::ScalarType type);

// Least squares.

/// What a method tells of one right-hand side.
struct RightSideFacts {
  solve::Stop stop = solve::Stop::iteration_limit;
  std::int64_t iterations = 0;
  std::int64_t reads = 0;
  double normr = 0;
  double normar = 0;
  double norma = 0;
  double conda = 0;
  double normx = 0;
  std::int64_t rank = -1;  ///< if the method finds it
  bool has_scaled_columns = false;
};

/// Solutions of least squares, on the host.
struct LeastSquaresSolution {
  io::HostVector x;                   ///< one after the other
  std::vector<RightSideFacts> facts;  ///< of each right-hand side
  SolveRun run;                       ///< of all: the first stop without success, if there is one
};

/// What √λ or --damp says.
[[nodiscard]] double damp_of(LeastSquaresOptions const& options);
/// Where iterations stop.
struct StoppingBounds {
  double atol;
  double btol;
  double conlim;
};
[[nodiscard]] StoppingBounds stopping_bounds(LeastSquaresOptions const& options,
                                             io::ScalarType type);
/// Whether a matrix of this size is solved directly: set by --method, or by what it takes. A
/// checkpoint of a run that is not continues with the method of that run.
/// @throws io::FileError for a checkpoint that is damaged
[[nodiscard]] bool is_direct(LeastSquaresOptions const& options, io::MatrixInfo const& info);
/// Steps at most.
[[nodiscard]] std::int64_t limit_of(LeastSquaresOptions const& options, io::MatrixInfo const& info);
/// Bytes that the solver keeps beside the matrix, and those of all right-hand sides and solutions.
[[nodiscard]] std::uint64_t vector_bytes(LeastSquaresOptions const& options,
                                         io::MatrixInfo const& info, io::ScalarType type,
                                         std::int64_t right_sides);

/// Vector j of some that lie one after the other, not copied.
[[nodiscard]] io::HostVector part_of(io::HostVector const& vectors, std::int64_t columns,
                                     std::int64_t j);

/// Solves for one right-hand side after the other. @throws Failure, io::FileError
[[nodiscard]] LeastSquaresSolution solve_least_squares(LeastSquaresOptions const& options,
                                                       SolveRequest const& request,
                                                       VectorOfFile const& b);

/// Norms of the problem, with r = b - A·x. Where A's elements are all very large or very small,
/// A and damp are those beside a power of two, and x is that times it.
struct Residual {
  double normr = 0;     ///< ‖r‖
  double gradient = 0;  ///< ‖Aᵀ·r - damp²·x‖
  double norma = 0;     ///< Frobenius norm of A
  double normb = 0;
  double normx = 0;
  double damp = 0;
  std::vector<double> gradients{};  ///< of each column, its entry of Aᵀ·r - damp²·x
  std::vector<double> norms{};      ///< of each column, with damp below it
  std::vector<double> sizes{};      ///< |x_j|
};

/// Reads the matrix once, or twice for such elements, in blocks, and adds in double-double.
/// @param x, b of the type that the elements of A are taken in
/// @throws io::FileError
[[nodiscard]] Residual residual_of(io::MatrixReader const& reader, io::HostVector const& x,
                                   io::HostVector const& b, double damp);

/// The column whose coefficient is determined worst: if x_j alone may move, ‖r‖ is smallest after a
/// move by `move` times |x_j|.
struct ColumnCheck {
  static constexpr double most_move = 5e-4;  ///< of a coefficient that is determined

  std::int64_t column = -1;   ///< -1: none moves by more than rounding
  double gradient = 0;        ///< |a_jᵀr - damp²·x_j|/(‖a_j‖·‖r‖)
  double gradient_below = 0;  ///< what the tolerance allows a column of that norm
  double move = 0;

  [[nodiscard]] bool is_determined() const { return move <= most_move; }
  /// A coefficient that is not determined passes where the tolerance asks for no more.
  [[nodiscard]] bool passed() const { return is_determined() || gradient <= gradient_below; }
};

/// What an independent look at x found.
struct ResidualCheck {
  Residual found;
  ColumnCheck column{};
  double gradient = 0;        ///< ‖Aᵀr - damp²·x‖/(‖A‖·‖r‖)
  double gradient_below = 0;  ///< where that counts as small
  double residual = 0;        ///< ‖r‖
  double residual_below = 0;

  [[nodiscard]] bool passed() const {
    // A norm that has overflowed says nothing.
    bool const is_known = std::isfinite(found.norma) && std::isfinite(found.gradient);
    return is_known && column.passed() &&
           (gradient <= gradient_below || residual <= residual_below);
  }
};

/// x of one right-hand side passes if either test of the method holds with ten times its tolerance.
/// That of a direct solution is rounding: x in its type moves A·x by ε·‖A‖·‖x‖, and b may be off by
/// ε·‖b‖. Besides, no column may be far from stationary beside its own norm, which those of the
/// others may hide: see ColumnCheck.
/// @throws io::FileError
[[nodiscard]] ResidualCheck check_least_squares(LeastSquaresOptions const& options,
                                                io::MatrixReader const& reader, io::ScalarType type,
                                                io::HostVector const& x, io::HostVector const& b);

// Regression.

/// The observations of a regression, on the host: one entry for each row of A.
struct FitRows {
  io::HostVector y;  ///< of logistic the number of the class, whatever the labels are
  std::optional<io::HostVector> weights{};
  std::optional<io::HostVector> offset{};
  std::vector<double> classes{};        ///< of logistic: the label of each class
  std::vector<std::uint64_t> counts{};  ///< rows of each class

  /// Linear predictors η of a row: one for each class if there are more than two.
  [[nodiscard]] std::int64_t predictors() const {
    return classes.size() > 2 ? static_cast<std::int64_t>(classes.size()) : 1;
  }
};

/// The fit of a regression, on the host.
struct Fit {
  io::HostVector x;  ///< of several classes those of the first, then of the second, and so on
  double intercept = 0;
  std::vector<double> intercepts{};  ///< of each class, if there are more than two; else empty
  double loss = 0;                   ///< with the penalty
  double gradient_norm = 0;          ///< of that
  double quantity = 0;               ///< what had to fall below `bound`
  double bound = 0;
  bool is_newton = false;  ///< by it, which alone has what follows
  double deviance = 0;
  double aic = 0;
  std::int64_t rank = 0;
  double dispersion = 1;
  std::vector<double> standard_errors;  ///< the intercept's last; empty: none
  SolveRun run;
};

/// Iterations at most.
[[nodiscard]] std::int64_t limit_of(FitOptions const& options);
/// Whether it is fitted by Newton's method with the whole Hessian.
[[nodiscard]] bool is_by_newton(FitOptions const& options, io::MatrixInfo const& info);
/// The most classes that are fitted together; 2 of a matrix with many columns.
[[nodiscard]] std::int64_t most_classes(io::MatrixInfo const& info);
/// Bytes that the solver keeps beside the matrix.
/// @param predictors as FitRows has them
[[nodiscard]] std::uint64_t vector_bytes(FitOptions const& options, io::MatrixInfo const& info,
                                         io::ScalarType type, std::int64_t predictors);
/// Solves. @throws Failure, io::FileError
[[nodiscard]] Fit find_fit(FitOptions const& options, SolveRequest const& request,
                           FitRows const& rows);

/// What an independent look at a fit found.
struct GradientCheck {
  double gradient = 0;  ///< the largest of a column, beside the column and the deviance
  double gradient_below = 0;

  [[nodiscard]] bool passed() const { return gradient <= gradient_below; }
};

/// Reads the matrix once, and adds in double-double. @throws io::FileError
[[nodiscard]] GradientCheck check_fit(FitOptions const& options, io::MatrixReader const& reader,
                                      io::ScalarType type, Fit const& fit, FitRows const& rows);

// Singular values.

/// Singular values and vectors on the host: of A, or of what `pca` makes of it.
struct Triplets {
  std::vector<double> s;  ///< fewer than were asked for where it stopped early
  std::vector<double> residuals;
  io::HostMatrix VT;              ///< one a row
  io::HostMatrix U;               ///< one a column, where it is wanted
  std::vector<double> mean;       ///< of each column; of pca, as are those below
  std::vector<double> deviation;  ///< of each column
  std::vector<double> variance;   ///< along each direction
  std::vector<double> ratio;      ///< the same, as a part of that of all columns
  SolveRun run;
};

/// As for least squares.
[[nodiscard]] bool is_direct(TripletOptions const& options, io::MatrixInfo const& info);
/// Columns of the Gram matrices that it takes; 0: it takes none, -1: moments of columns only.
[[nodiscard]] std::int64_t gram_width(TripletOptions const& options, io::MatrixInfo const& info);
/// Vectors of the basis between two restarts, or of a block.
[[nodiscard]] std::int64_t basis_of(TripletOptions const& options, io::MatrixInfo const& info);
/// Steps at most.
[[nodiscard]] std::int64_t limit_of(TripletOptions const& options, io::MatrixInfo const& info);
/// Bytes that the solver keeps beside the matrix.
[[nodiscard]] std::uint64_t vector_bytes(TripletOptions const& options, io::MatrixInfo const& info,
                                         io::ScalarType type);

/// Bytes more where the matrix is in memory.
[[nodiscard]] std::uint64_t bytes_in_memory(TripletOptions const& options,
                                            io::MatrixInfo const& info, io::ScalarType type);
[[nodiscard]] std::uint64_t bytes_in_memory(LeastSquaresOptions const& options,
                                            io::MatrixInfo const& info, io::ScalarType type);
/// Those of a Gram matrix with some columns more.
[[nodiscard]] std::uint64_t gram_bytes(io::MatrixInfo const& info, io::ScalarType type,
                                       std::int64_t more);
/// Whether a checkpoint is there, of a method that is not direct.
[[nodiscard]] bool continues_iterations(SolveOptions const& options);

/// Solves. @throws Failure, io::FileError
[[nodiscard]] Triplets find_triplets(TripletOptions const& options, SolveRequest const& request);

/// What an independent look at triplets found. Relative to the largest singular value s_1, or to
/// what is compared:
///
/// - right: the largest ‖Aᵀ·(A·v) - s²·v‖/s_1²
/// - values: the largest |‖A·v‖ - s|/s_1
/// - left: the largest ‖A·v - s·u‖/s_1, if U is wanted
/// - transposed: the largest ‖Aᵀ·u - s·v‖/s_1, if U is wanted
/// - v_orthogonal, u_orthogonal: the largest entry of Vᵀ·V - I, of Uᵀ·U - I
/// - mean, deviation, variance, ratio: of pca, the largest relative difference
/// - missed: how much larger than the smallest value another one is, which was not found
struct TripletCheck {
  struct Measure {
    char const* name;
    double found;
    double below;  ///< what counts as small
  };
  double small = 0;  ///< of residuals: a function of the type, the sizes and --tol
  std::vector<Measure> measures{};

  void add(char const* name, double found, double below) {
    measures.push_back({name, found, below});
  }
  [[nodiscard]] bool passed() const {
    return std::ranges::all_of(measures, [](Measure const& m) { return m.found <= m.below; });
  }
};

/// Reads the matrix once, of pca three times, and adds in double-double. Unless all values were
/// found, up to six reads more search a larger one.
/// @throws io::FileError
[[nodiscard]] TripletCheck check_triplets(TripletOptions const& options,
                                          io::MatrixReader const& reader, io::ScalarType type,
                                          Triplets const& found);

}  // namespace tessera::app
