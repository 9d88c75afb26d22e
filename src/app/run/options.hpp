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

enum class ReportFormat { text, json, csv };

struct RunOptions {
  BackendChoice backend = BackendChoice::automatic;
  Kernels kernels = Kernels::automatic;
  std::optional<io::ScalarType> type;
  int repeat = 5;
  bool repeat_is_given = false;
  int threads = 0;                                            ///< 0: by Kokkos and OMP_NUM_THREADS
  std::optional<int> device;                                  ///< empty: the first usable GPU
  std::optional<backends::CachePreference> cache_preference;  ///< empty: CUDA's default
  bool check = false;
  bool add_dataset = false;
  bool no_tuning_cache = false;
  ReportFormat format = ReportFormat::text;
  std::string report;  ///< empty: stdout, or stderr

  /// Tunings apply to accelerated kernels only.
  [[nodiscard]] bool takes_tunings() const {
    return !no_tuning_cache && kernels != Kernels::portable;
  }
};

struct ConvertOptions : io::ConversionRequest {
  // Of a raw INPUT; empty: as the request's `raw`.
  std::optional<io::ScalarType> raw_type = std::nullopt;
  std::optional<io::Layout> raw_layout = std::nullopt;
  // Of a CSV INPUT; empty: by its fields.
  std::optional<io::CsvHeader> header = std::nullopt;
};

/// C = α·Aᵀ·f(A·V) + β·z.
struct TermOptions {
  maps::Kind map = maps::Kind::identity;
  std::string map_option;  ///< that set map_vector
  std::string map_vector;
  double alpha = 1;
  std::optional<double> beta;  ///< empty: 1 with z
  std::string add;

  [[nodiscard]] double effective_beta() const { return add.empty() ? 0 : beta.value_or(1); }
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

struct ComputeOptions : RunOptions {
  OperationId operation = OperationId::atax;
  std::string input;
  std::optional<io::Format> input_format;
  std::string vector;        ///< empty: V of an ex3 file or ones
  std::string output;        ///< empty: N-out.bin for a number, else none
  std::string intermediate;  ///< of B, or the second result
  Method method = Method::automatic;
  TermOptions terms;               ///< of atax; of two products, U as the map's vector
  std::uint64_t memory_limit = 0;  ///< 0: none
  std::string checkpoint;
  double checkpoint_seconds = 60;

  [[nodiscard]] bool is_both() const { return row_of(operation).gives_two_vectors; }
};

struct SolveOptions : RunOptions {
  std::string command;
  std::string input;
  std::optional<io::Format> input_format;
  std::string history;
  std::string plot;
  std::uint64_t memory_limit = 0;
  std::string checkpoint;
  double checkpoint_seconds = 60;
  std::optional<std::int64_t> maxiter;  ///< empty: the method's
  std::optional<double> missing;        ///< entries that count as the mean of their column
};

enum class LeastSquaresMethod { automatic, direct, lsmr, lsqr };

struct LeastSquaresOptions : SolveOptions {
  std::string right_side;
  std::string output;
  LeastSquaresMethod method = LeastSquaresMethod::automatic;
  double damp = 0;
  std::vector<double> lambdas{};  ///< of `ridge`: damp²
  std::optional<double> atol{};
  std::optional<double> btol{};
  std::optional<double> conlim{};
};

enum class TripletMethod { automatic, direct, lanczos, randomized };

struct TripletOptions : SolveOptions {
  std::int64_t k = 0;
  double tol = 0;                                   ///< 0: the type's precision
  std::optional<std::int64_t> ncv;                  ///< vectors of the basis; empty: the method's
  TripletMethod method = TripletMethod::automatic;  ///< randomized: svd only
  // Of the randomized method; empty: its defaults.
  std::optional<std::int64_t> oversampling;
  std::optional<std::int64_t> power_iterations;
  std::optional<std::uint64_t> seed;
  bool scale = false;  ///< of pca: divide columns by deviations
  // Empty: not written.
  std::string u;
  std::string s;
  std::string vt;      ///< of pca: components
  std::string scores;  ///< for pca, as those below
  std::string mean;
  std::string deviations;
  std::string variance;
  std::string ratio;  ///< of this to the variance of all columns

  [[nodiscard]] bool is_pca() const { return command == "pca"; }
  [[nodiscard]] bool is_randomized() const { return method == TripletMethod::randomized; }
  /// Rows of A in the first two components.
  [[nodiscard]] bool plots_rows() const { return is_pca() && !plot.empty() && k >= 2; }
  [[nodiscard]] bool wants_u() const { return !u.empty() || !scores.empty() || plots_rows(); }
};

struct StatsOptions : SolveOptions {
  std::int64_t ddof = 0;
  // Empty: not written.
  std::string mean;
  std::string variance;
  std::string deviations;
  std::string min;
  std::string max;
  std::string count;
};

enum class RegressionLoss { linear, logistic, poisson, gamma, tweedie };
enum class FitSolver { automatic, newton, newton_cg, lbfgs };

struct FitOptions : SolveOptions {
  RegressionLoss loss = RegressionLoss::linear;
  std::string labels;
  std::string weights;  ///< file; empty: 1
  std::string offset;   ///< file, added to η; empty: 0
  std::string output;
  double penalty = 0;
  std::optional<double> power;
  bool has_intercept = true;
  FitSolver solver = FitSolver::automatic;
  double tol = 0;  ///< 0: the solver's
};

struct TransposeOptions : RunOptions {
  std::string input;
  std::optional<io::Format> input_format;
  std::string output;
  bool in_place = false;
};

struct GemmOptions : RunOptions {
  std::string A;
  std::string B;
  std::string output;
};

struct MeasureOptions {
  std::string operation;
  BackendChoice backend = BackendChoice::automatic;
  std::optional<int> device;
  int threads = 0;
  double seconds = 0.01;  ///< of a turn, approximately
};

struct BenchOptions : MeasureOptions {
  std::vector<std::string> files;  ///< A, or A and B of gemm; empty: random
  std::string vector;              ///< empty: V of an ex3 file, else ones
  std::string variants = "all";    ///< "all", "none", or names, with commas
  std::string shapes;
  std::string teams;            ///< RxC; empty: as published
  std::string tiles;            ///< empty: as published
  std::int64_t most_teams = 0;  ///< 0: as published
  bool check = false;
  std::optional<io::ScalarType> type;  ///< empty: the file's, else f32
  std::optional<io::Layout> layout;    ///< empty: the file's, else row-major
  std::optional<backends::CachePreference> cache_preference;
  int turns = 7;
  ReportFormat format = ReportFormat::text;
  std::string output;
};

/// The operation may be "all".
struct TuneOptions : MeasureOptions {
  std::string shape;  ///< empty: the operation's
  io::ScalarType type = io::ScalarType::f32;
  io::Layout layout = io::Layout::right;
  int turns = 5;
  bool show = false;
  bool reset = false;
};

struct CheckOptions {
  OperationId operation = OperationId::atax;
  std::string input;
  std::string result;
  std::string vector;
  TermOptions terms;
  int threads = 0;
  ReportFormat format = ReportFormat::text;
};

struct ShowOptions {
  std::string file;
  std::optional<io::CsvHeader> header = std::nullopt;  ///< empty: by its fields
  bool data = false;                                   ///< print elements, shortened
  bool all = false;                                    ///< print every element
};

struct InfoOptions {
  int threads = 0;
  ReportFormat format = ReportFormat::text;
};

}  // namespace tessera::app
