// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <app/base/failure.hpp>
#include <app/run/run.hpp>
#include <io/conversion.hpp>
#include <io/generate.hpp>
#include <io/types.hpp>
#include <tessera/backends/backend.hpp>
#include <tessera/maps.hpp>
#include <tessera/options.hpp>

namespace tessera::app {

/// How a report is written.
enum class ReportFormat { text, json, csv };

/// Options of every command that computes.
struct RunOptions {
  BackendChoice backend = BackendChoice::automatic;
  Kernels kernels = Kernels::automatic;
  std::optional<io::ScalarType> type;
  int repeat = 5;
  bool repeat_is_given = false;
  int threads = 0;            ///< 0: the default of Kokkos and OMP_NUM_THREADS
  std::optional<int> device;  ///< empty: the first GPU that can run this program
  std::optional<backends::CachePreference> cache_preference;  ///< empty: CUDA's default
  bool check = false;
  bool add_dataset = false;      ///< to an existing HDF5 file
  bool no_tuning_cache = false;  ///< ignore the tunings of `tessera tune`
  ReportFormat format = ReportFormat::text;
  std::string report;  ///< the file of the report; empty: stdout, or stderr

  /// Whether tunings of `tessera tune` are used: they apply to accelerated kernels only.
  [[nodiscard]] bool takes_tunings() const {
    return !no_tuning_cache && kernels != Kernels::portable;
  }
};

/// `tessera convert INPUT OUTPUT …`
struct ConvertOptions : io::ConversionRequest {
  // Options of a raw INPUT; empty: not given, and `raw` of the request applies.
  std::optional<io::ScalarType> raw_type = std::nullopt;
  std::optional<io::Layout> raw_layout = std::nullopt;
  // Option of a CSV INPUT; empty: decided by its fields.
  std::optional<io::CsvHeader> header = std::nullopt;
};

/// The terms of `atax` in addition to its products: C = α·Aᵀ·f(A·V) + β·z.
struct TermOptions {
  maps::Kind map = maps::Kind::identity;
  std::string map_option;  ///< the option that set map_vector
  std::string map_vector;  ///< a file; empty: none
  double alpha = 1;
  std::optional<double> beta;  ///< empty: 1, if there is a z
  std::string add;             ///< the file of z; empty: none

  /// Factor of z; 0 if there is no z.
  [[nodiscard]] double effective_beta() const { return add.empty() ? 0 : beta.value_or(1); }
  /// The first given option, in the order of the help; empty: none.
  [[nodiscard]] std::string first_option() const {
    if (map != maps::Kind::identity || !map_vector.empty()) {
      return map_option.empty() ? "--map" : map_option;
    }
    if (alpha != 1) return "--alpha";
    if (beta) return "--beta";
    return add.empty() ? "" : "--add";
  }
  [[nodiscard]] bool is_any() const { return !first_option().empty(); }
};

/// `tessera atax|gemv|gemvt INPUT …`
struct ComputeOptions : RunOptions {
  OperationId operation = OperationId::atax;
  std::string input;                       ///< as the user wrote it
  std::optional<io::Format> input_format;  ///< empty: detected
  std::string vector;                      ///< empty: V of an ex3 file, else ones
  std::string output;        ///< empty: none, or NUMBER-out.bin if the input is a number
  std::string intermediate;  ///< of B, or the second of two results; empty: none
  Method method = Method::automatic;
  TermOptions terms;               ///< of atax; of two products, U as the map's vector
  std::uint64_t memory_limit = 0;  ///< bytes; 0: none
  std::string checkpoint;          ///< empty: none
  double checkpoint_seconds = 60;  ///< between two checkpoints

  /// Whether two products are computed at once.
  [[nodiscard]] bool is_both() const { return row_of(operation).gives_two_vectors; }
};

/// Options of every command that solves.
struct SolveOptions : RunOptions {
  std::string input;                       ///< A, as the user wrote it
  std::optional<io::Format> input_format;  ///< empty: detected
  std::string history;                     ///< a CSV file; empty: none
  std::uint64_t memory_limit = 0;          ///< bytes; 0: none
  std::string checkpoint;                  ///< empty: none
  double checkpoint_seconds = 60;          ///< between two checkpoints
  std::optional<std::int64_t> maxiter;     ///< iterations; empty: the method's default
};

enum class LeastSquaresMethod { automatic, direct, lsmr, lsqr };

/// `tessera lstsq A B …`, `tessera ridge A B --lambda …`
struct LeastSquaresOptions : SolveOptions {
  std::string command;     ///< "lstsq" or "ridge"
  std::string right_side;  ///< the file of b
  std::string output;      ///< of x; empty: none
  LeastSquaresMethod method = LeastSquaresMethod::automatic;
  double damp = 0;                 ///< of lstsq
  std::optional<double> lambda{};  ///< of ridge, damp²
  // Empty: the defaults of the method.
  std::optional<double> atol{};
  std::optional<double> btol{};
  std::optional<double> conlim{};
};

enum class TripletMethod { automatic, direct, lanczos, randomized };

/// `tessera svd A -k K …`, `tessera pca A -k K …`
struct TripletOptions : SolveOptions {
  std::string command;  ///< "svd" or "pca"
  std::int64_t k = 0;
  double tol = 0;                                   ///< 0: the precision of the type
  std::optional<std::int64_t> ncv;                  ///< vectors of the basis; empty: the method's
                                                    ///< default
  TripletMethod method = TripletMethod::automatic;  ///< randomized of svd alone
  // For the randomized method; empty: its default.
  std::optional<std::int64_t> oversampling;
  std::optional<std::int64_t> power_iterations;
  std::optional<std::uint64_t> seed;
  bool scale = false;  ///< of pca: divide columns by their deviations
  // Files; empty: none.
  std::string u;           ///< of svd
  std::string s;           ///< of svd
  std::string vt;          ///< of pca the components
  std::string scores;      ///< of pca, as those below
  std::string mean;        ///< of columns
  std::string deviations;  ///< of columns
  std::string variance;    ///< along components
  std::string ratio;       ///< of that to the variance of all columns

  [[nodiscard]] bool is_pca() const { return command == "pca"; }
  [[nodiscard]] bool is_randomized() const { return method == TripletMethod::randomized; }
  [[nodiscard]] bool wants_u() const { return !u.empty() || !scores.empty(); }
};

enum class RegressionLoss { linear, logistic, poisson, gamma, tweedie };
enum class FitSolver { automatic, newton, newton_cg, lbfgs };

/// `tessera fit LOSS A LABELS …`
struct FitOptions : SolveOptions {
  RegressionLoss loss = RegressionLoss::linear;
  std::string labels;   ///< the file of y
  std::string weights;  ///< a file with one number per row; empty: 1
  std::string offset;   ///< a file with one number per row, added to eta; empty: 0
  std::string output;   ///< of x; empty: none
  double penalty = 0;
  std::optional<double> power;  ///< of tweedie, which needs it
  bool has_intercept = true;
  FitSolver solver = FitSolver::automatic;
  double tol = 0;  ///< 0: the default of the solver
};

/// `tessera transpose INPUT OUTPUT …`
struct TransposeOptions : RunOptions {
  std::string input;
  std::optional<io::Format> input_format;  ///< empty: detected
  std::string output;
  bool in_place = false;
};

/// `tessera gemm A B OUTPUT …`
struct GemmOptions : RunOptions {
  std::string A;
  std::string B;
  std::string output;
};

/// Options of the commands that measure.
struct MeasureOptions {
  std::string operation;  ///< its name in src/bench
  BackendChoice backend = BackendChoice::automatic;
  std::optional<int> device;
  int threads = 0;
  double seconds = 0.01;  ///< of a turn, approximately
};

/// `tessera bench OPERATION [FILE…]`
struct BenchOptions : MeasureOptions {
  std::vector<std::string> files;  ///< A, and of gemm B; none: random matrices
  std::string vector;              ///< of a product of A; empty: V of an ex3 file, else ones
  std::string variants = "all";    ///< "all", "none", or names with commas between them
  std::string shapes;              ///< empty: the operation's
  std::string teams;               ///< RxC with commas between them; empty: as published
  std::string tiles;               ///< numbers with commas between them; empty: as published
  std::int64_t most_teams = 0;     ///< of a published kernel; 0: as published
  bool check = false;
  std::optional<io::ScalarType> type;  ///< empty: as the file, else f32
  std::optional<io::Layout> layout;    ///< empty: as the file, else row-major
  std::optional<backends::CachePreference> cache_preference;
  int turns = 7;
  ReportFormat format = ReportFormat::text;
  std::string output;  ///< empty: stdout
};

/// `tessera tune OPERATION|all …`, `tessera tune --show`, `tessera tune --reset`
/// The operation may be "all", and is empty with show and reset.
struct TuneOptions : MeasureOptions {
  std::string shape;  ///< empty: the operation's
  io::ScalarType type = io::ScalarType::f32;
  io::Layout layout = io::Layout::right;
  int turns = 5;
  bool show = false;
  bool reset = false;
};

/// `tessera check INPUT RESULT …`
struct CheckOptions {
  OperationId operation = OperationId::atax;
  std::string input;
  std::string result;
  std::string vector;
  TermOptions terms;  ///< of atax
  int threads = 0;
  ReportFormat format = ReportFormat::text;
};

/// `tessera show FILE …`
struct ShowOptions {
  std::string file;
  std::optional<io::CsvHeader> header = std::nullopt;  ///< of a CSV file; empty: decided by its
                                                       ///< fields
  bool data = false;  ///< print elements, long rows and columns shortened
  bool all = false;   ///< print every element
};

/// `tessera info`
struct InfoOptions {
  int threads = 0;
  ReportFormat format = ReportFormat::text;  ///< text or JSON
};

}  // namespace tessera::app
