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

/// Used by the commands that solve: the matrix as solvers read it, and the course of a run. Then,
/// for each kind of problem, its solution, its memory, and an independent check.
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

/// A matrix on any backend of this build, of either type; use std::visit.
using AnyOperator = detail::OperatorsOn<backends::Enabled>::Type;

struct SolvePlace {
  BackendFacts backend;
  std::string why;                     ///< reason for the backend; empty: the user chose it
  std::optional<StreamChoice> stream;  ///< empty: the matrix is read into memory
};

/// Chooses a backend, and memory or a stream.
/// @param vectors bytes that the solver needs in addition to the matrix
/// @param steps   estimated number of iterations
/// @throws Failure, io::FileError
[[nodiscard]] SolvePlace choose_place(SolveOptions const& options, io::MatrixReader const& reader,
                                      std::uint64_t vectors, std::int64_t steps);

/// A matrix that a solver reads.
struct SolveRequest {
  io::MatrixReader const& reader;
  io::ScalarType type;  ///< type to compute in
  SolvePlace const& place;
  Kernels kernels = Kernels::automatic;
  std::uint64_t vectors = 0;    ///< see choose_place
  bool in_segments = false;     ///< ranks own whole segments of rows, for products with blocks
  std::int64_t block = 0;       ///< vectors per block; 0: no block
  std::int64_t gram_width = 0;  ///< columns of a Gram matrix; 0: none, -1: moments only
  bool by_newton = false;       ///< a regression by sums over rows
  std::int64_t predictors = 1;  ///< linear predictors per row of that regression
};

/// The cost and the facts of reading a matrix.
struct Reading {
  double seconds = 0;              ///< to read it into memory and copy it to a device
  bool is_narrowed = false;        ///< elements were rounded to a type of smaller range
  std::vector<RankFacts> ranks{};  ///< if there are several processes
  std::string exchange{};          ///< how these exchange their partial sums
};

/// Calls work(op) with the matrix, streamed or in memory as request.place demands. Checks at the
/// end that the file of a stream has not changed.
/// @throws Failure, io::FileError
Reading with_operator(SolveRequest const& request,
                      std::function<void(AnyOperator const& op)> const& work);
/// The same on all ranks, each of which reads its rows.
Reading with_operator_on_ranks(SolveRequest const& request,
                               std::function<void(AnyOperator const& op)> const& work);

/// The course of a solver's run, for any kind of problem.
struct SolveRun {
  solve::Stop stop = solve::Stop::iteration_limit;
  std::string detail;  ///< details; may be empty
  std::int64_t iterations = 0;
  std::int64_t reads = 0;
  std::int64_t first_iteration = 0;  ///< of the checkpoint from which the run resumed
  std::string earlier_limits{};      ///< of the run that wrote the checkpoint, if they differ
  std::vector<solve::Step> history;
  double seconds = 0;  ///< of all iterations
  Reading reading;

  /// Takes the members that every solver's result has.
  template <class Result>
  void take(Result& result) {
    stop = result.stop;
    iterations = result.iterations;
    reads = result.reads;
    history = std::move(result.history);
  }

  /// Adds a further run of the same reading. `stop` becomes that of the first run without success,
  /// or of the first run with numbers that are not finite.
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

/// The distance of neighbouring numbers of a type, relative to the numbers.
[[nodiscard]] double rounding_of(io::ScalarType type);

// Least squares.

/// A method's results for one right-hand side.
struct RightSideFacts {
  solve::Stop stop = solve::Stop::iteration_limit;
  std::int64_t iterations = 0;
  std::int64_t reads = 0;
  double normr = 0;
  double normar = 0;
  double norma = 0;
  double conda = 0;
  double normx = 0;
  std::int64_t rank = -1;  ///< if the method computes it
  bool has_scaled_columns = false;
};

/// Solutions of least squares, on the host.
struct LeastSquaresSolution {
  io::HostVector x;                   ///< one after the other
  std::vector<RightSideFacts> facts;  ///< of each right-hand side
  SolveRun run;                       ///< of all; stop: the first without success, if any
};

/// √λ, or the value of --damp.
[[nodiscard]] double damp_of(LeastSquaresOptions const& options);
/// When iterations stop.
struct StoppingBounds {
  double atol;
  double btol;
  double conlim;
};
[[nodiscard]] StoppingBounds stopping_bounds(LeastSquaresOptions const& options,
                                             io::ScalarType type);
/// Whether a matrix of this size is solved directly: set by --method, or chosen by cost. If there
/// is a checkpoint of an iterative run, it is continued with the method of that run.
/// @throws io::FileError if the checkpoint is damaged
[[nodiscard]] bool is_direct(LeastSquaresOptions const& options, io::MatrixInfo const& info);
/// Maximum number of iterations.
[[nodiscard]] std::int64_t limit_of(LeastSquaresOptions const& options, io::MatrixInfo const& info);
/// Bytes that the solver needs in addition to the matrix, including all right-hand sides and
/// solutions.
[[nodiscard]] std::uint64_t vector_bytes(LeastSquaresOptions const& options,
                                         io::MatrixInfo const& info, io::ScalarType type,
                                         std::int64_t right_sides);

/// Vector j of vectors stored one after the other, not copied.
[[nodiscard]] io::HostVector part_of(io::HostVector const& vectors, std::int64_t columns,
                                     std::int64_t j);

/// Solves for one right-hand side after the other. @throws Failure, io::FileError
[[nodiscard]] LeastSquaresSolution solve_least_squares(LeastSquaresOptions const& options,
                                                       SolveRequest const& request,
                                                       VectorOfFile const& b);

/// Norms of the problem, with r = b - A·x. If all elements of A are very large or very small, A and
/// damp are divided by a power of two and x is multiplied by it.
struct Residual {
  double normr = 0;     ///< ‖r‖
  double gradient = 0;  ///< ‖Aᵀ·r - damp²·x‖
  double norma = 0;     ///< Frobenius norm of A
  double normb = 0;
  double normx = 0;
  double damp = 0;
  std::vector<double> gradients{};  ///< for each column, its entry of Aᵀ·r - damp²·x
  std::vector<double> norms{};      ///< of each column, with damp below it
  std::vector<double> sizes{};      ///< |x_j|
};

/// Reads the matrix in blocks and adds in double-double. Reads it once, or twice if elements are
/// very large or very small.
/// @param x, b in the type that the elements of A are converted to
/// @throws io::FileError
[[nodiscard]] Residual residual_of(io::MatrixReader const& reader, io::HostVector const& x,
                                   io::HostVector const& b, double damp);

/// The column whose coefficient is determined worst: if only x_j changes, ‖r‖ is smallest after a
/// change of `move`·|x_j|.
struct ColumnCheck {
  static constexpr double most_move = 5e-4;  ///< largest move of a determined coefficient

  std::int64_t column = -1;   ///< -1: no coefficient moves by more than rounding
  double gradient = 0;        ///< |a_jᵀr - damp²·x_j|/(‖a_j‖·‖r‖)
  double gradient_below = 0;  ///< limit set by the tolerance for a column of that norm
  double move = 0;

  [[nodiscard]] bool is_determined() const { return move <= most_move; }
  /// A coefficient that is not determined passes if the tolerance does not demand more.
  [[nodiscard]] bool passed() const { return is_determined() || gradient <= gradient_below; }
};

/// The result of an independent check of x.
struct ResidualCheck {
  Residual found;
  ColumnCheck column{};
  double gradient = 0;        ///< ‖Aᵀr - damp²·x‖/(‖A‖·‖r‖)
  double gradient_below = 0;  ///< limit of `gradient`
  double residual = 0;        ///< ‖r‖
  double residual_below = 0;

  [[nodiscard]] bool passed() const {
    // A norm that has overflowed proves nothing.
    bool const is_known = std::isfinite(found.norma) && std::isfinite(found.gradient);
    return is_known && column.passed() &&
           (gradient <= gradient_below || residual <= residual_below);
  }
};

/// x of one right-hand side passes if either test of the method holds with ten times its tolerance.
/// For a direct solution the tolerance is rounding: x in its type moves A·x by ε·‖A‖·‖x‖, and b may
/// be off by ε·‖b‖. In addition, each column must be nearly stationary relative to its own norm,
/// because other columns may hide its error: see ColumnCheck.
/// @throws io::FileError
[[nodiscard]] ResidualCheck check_least_squares(LeastSquaresOptions const& options,
                                                io::MatrixReader const& reader, io::ScalarType type,
                                                io::HostVector const& x, io::HostVector const& b);

// Regression.

/// The observations of a regression, on the host: one entry per row of A.
struct FitRows {
  io::HostVector y;  ///< for logistic regression the index of the class, whatever the labels are
  std::optional<io::HostVector> weights{};
  std::optional<io::HostVector> offset{};
  std::vector<double> classes{};        ///< for logistic regression: the label of each class
  std::vector<std::uint64_t> counts{};  ///< rows of each class

  /// Number of linear predictors η per row: the number of classes if there are more than two,
  /// otherwise 1.
  [[nodiscard]] std::int64_t predictors() const {
    return classes.size() > 2 ? static_cast<std::int64_t>(classes.size()) : 1;
  }
};

/// The fit of a regression, on the host.
struct Fit {
  io::HostVector x;  ///< with several classes: coefficients of the first, then of the second, …
  double intercept = 0;
  std::vector<double> intercepts{};  ///< one per class if there are more than two; otherwise empty
  double loss = 0;                   ///< including the penalty
  double gradient_norm = 0;          ///< norm of the gradient of `loss`
  double quantity = 0;               ///< the value that had to fall below `bound`
  double bound = 0;
  bool is_newton = false;  ///< if false, the statistics below are not set
  double deviance = 0;
  double aic = 0;
  std::int64_t rank = 0;
  double dispersion = 1;
  std::vector<double> standard_errors;  ///< the intercept's is last; empty: not computed
  SolveRun run;
};

/// Maximum number of iterations.
[[nodiscard]] std::int64_t limit_of(FitOptions const& options);
/// Whether Newton's method with the full Hessian is used.
[[nodiscard]] bool is_by_newton(FitOptions const& options, io::MatrixInfo const& info);
/// Maximum number of classes that are fitted together; 2 for a matrix with many columns.
[[nodiscard]] std::int64_t most_classes(io::MatrixInfo const& info);
/// Bytes that the solver needs in addition to the matrix.
/// @param predictors see FitRows
[[nodiscard]] std::uint64_t vector_bytes(FitOptions const& options, io::MatrixInfo const& info,
                                         io::ScalarType type, std::int64_t predictors);
/// Solves. @throws Failure, io::FileError
[[nodiscard]] Fit find_fit(FitOptions const& options, SolveRequest const& request,
                           FitRows const& rows);

/// The result of an independent check of a fit.
struct GradientCheck {
  double gradient = 0;  ///< largest over the columns, relative to the column and the deviance
  double gradient_below = 0;

  [[nodiscard]] bool passed() const { return gradient <= gradient_below; }
};

/// Reads the matrix once, and adds in double-double. @throws io::FileError
[[nodiscard]] GradientCheck check_fit(FitOptions const& options, io::MatrixReader const& reader,
                                      io::ScalarType type, Fit const& fit, FitRows const& rows);

// Singular values.

/// Singular values and vectors on the host: of A, or of the matrix that `pca` derives from it.
struct Triplets {
  std::vector<double> s;  ///< fewer than requested if the method stopped early
  std::vector<double> residuals;
  io::HostMatrix VT;         ///< one per row
  io::HostMatrix U;          ///< one per column, if requested
  std::vector<double> mean;  ///< of each column; only for pca, like the members below
  std::vector<double> deviation;
  std::vector<double> variance;  ///< along each direction
  std::vector<double> ratio;     ///< `variance` as a fraction of the variance of all columns
  SolveRun run;
};

/// Whether the problem is solved directly; see the overload for least squares.
[[nodiscard]] bool is_direct(TripletOptions const& options, io::MatrixInfo const& info);
/// Columns of the Gram matrices that the method needs; 0: none, -1: moments of columns only.
[[nodiscard]] std::int64_t gram_width(TripletOptions const& options, io::MatrixInfo const& info);
/// Vectors of the basis between two restarts, or of a block.
[[nodiscard]] std::int64_t basis_of(TripletOptions const& options, io::MatrixInfo const& info);
/// Maximum number of iterations.
[[nodiscard]] std::int64_t limit_of(TripletOptions const& options, io::MatrixInfo const& info);
/// Bytes that the solver needs in addition to the matrix.
[[nodiscard]] std::uint64_t vector_bytes(TripletOptions const& options, io::MatrixInfo const& info,
                                         io::ScalarType type);

/// Additional bytes if the matrix is in memory.
[[nodiscard]] std::uint64_t bytes_in_memory(TripletOptions const& options,
                                            io::MatrixInfo const& info, io::ScalarType type);
[[nodiscard]] std::uint64_t bytes_in_memory(LeastSquaresOptions const& options,
                                            io::MatrixInfo const& info, io::ScalarType type);
/// Bytes of a Gram matrix with `more` additional columns.
[[nodiscard]] std::uint64_t gram_bytes(io::MatrixInfo const& info, io::ScalarType type,
                                       std::int64_t more);
/// Whether there is a checkpoint of an iterative method.
[[nodiscard]] bool continues_iterations(SolveOptions const& options);

/// Solves. @throws Failure, io::FileError
[[nodiscard]] Triplets find_triplets(TripletOptions const& options, SolveRequest const& request);

/// The result of an independent check of triplets. Values are relative to the largest singular
/// value s_1, or to the quantity that is compared:
///
/// - right: the largest ‖Aᵀ·(A·v) - s²·v‖/s_1²
/// - values: the largest |‖A·v‖ - s|/s_1
/// - left: the largest ‖A·v - s·u‖/s_1, if U is requested
/// - transposed: the largest ‖Aᵀ·u - s·v‖/s_1, if U is requested
/// - v_orthogonal, u_orthogonal: the largest entry of Vᵀ·V - I, of Uᵀ·U - I
/// - mean, deviation, variance, ratio: for pca, the largest relative difference
/// - missed: by how much a value that was not found exceeds the smallest found one
struct TripletCheck {
  struct Measure {
    char const* name;
    double found;
    double below;  ///< limit of `found`
  };
  double small = 0;  ///< limit of residuals, from the type, the sizes and --tol
  std::vector<Measure> measures{};

  void add(char const* name, double found, double below) {
    measures.push_back({name, found, below});
  }
  [[nodiscard]] bool passed() const {
    return std::ranges::all_of(measures, [](Measure const& m) { return m.found <= m.below; });
  }
};

/// Reads the matrix once, for pca three times, and adds in double-double. Unless all values were
/// found, up to six more reads search for a larger one.
/// @throws io::FileError
[[nodiscard]] TripletCheck check_triplets(TripletOptions const& options,
                                          io::MatrixReader const& reader, io::ScalarType type,
                                          Triplets const& found);

}  // namespace tessera::app
