// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>
#include <limits>
#include <span>
#include <sstream>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <app/base/text.hpp>
#include <app/cli/help_texts.hpp>
#include <app/cli/option_choice.hpp>
#include <app/cli/options.hpp>
#include <app/run/options.hpp>
#include <tessera/version.hpp>

namespace tessera::app {
namespace {

using MaybeType = std::optional<io::ScalarType>;
constexpr std::pair<char const*, MaybeType> maybe_types[] = {
    {"as-is", std::nullopt}, {"f32", io::ScalarType::f32}, {"f64", io::ScalarType::f64}};
constexpr std::pair<char const*, io::Distribution> distributions[] = {
    {"ex3", io::Distribution::ex3},
    {"uniform", io::Distribution::uniform},
    {"normal", io::Distribution::normal},
    {"integer", io::Distribution::integer}};
using MaybeLayout = std::optional<io::Layout>;
constexpr std::pair<char const*, MaybeLayout> output_layouts[] = {
    {"as-is", std::nullopt}, {"row-major", io::Layout::right}, {"column-major", io::Layout::left}};
using MaybeFormat = std::optional<io::Format>;
constexpr std::pair<char const*, MaybeFormat> file_formats[] = {
    {"by-content", std::nullopt}, {"npy", io::Format::npy},          {"npz", io::Format::npz},
    {"hdf5", io::Format::hdf5},   {"ex3", io::Format::ex3},          {"raw", io::Format::raw},
    {"csv", io::Format::csv},     {"mtx", io::Format::matrix_market}};
constexpr auto formats_with_shape = std::span(file_formats).first<5>();
constexpr std::pair<char const*, MaybeFormat> output_formats[] = {{"by-name", std::nullopt},
                                                                  {"npy", io::Format::npy},
                                                                  {"ex3", io::Format::ex3},
                                                                  {"raw", io::Format::raw}};
constexpr auto formats_of_matrices = std::span(output_formats).first<3>();  // not raw
constexpr std::pair<char const*, Method> methods[] = {
    {"auto", Method::automatic}, {"fused", Method::fused}, {"two-stage", Method::two_stage}};
constexpr std::pair<char const*, maps::Kind> map_choices[] = {
    {"weights", maps::Kind::weights},   {"minus", maps::Kind::minus},
    {"logistic", maps::Kind::logistic}, {"logistic-weights", maps::Kind::logistic_weights},
    {"poisson", maps::Kind::poisson},   {"poisson-weights", maps::Kind::poisson_weights}};
constexpr std::pair<char const*, Kernels> kernels_choices[] = {
    {"auto", Kernels::automatic},
    {"portable", Kernels::portable},
    {"accelerated", Kernels::accelerated}};
constexpr std::pair<char const*, ReportFormat> info_formats[] = {{"text", ReportFormat::text},
                                                                 {"json", ReportFormat::json}};
/// What `check` takes.
Choices<OperationId> operations_with_one_result() {
  static std::vector<std::pair<char const*, OperationId>> const all = [] {
    std::vector<std::pair<char const*, OperationId>> choices;
    for (OperationRow const& row : table_of_operations()) {
      if (!row.gives_two_vectors) choices.emplace_back(row.command, row.id);
    }
    return choices;
  }();
  return all;
}

void add_input(CLI::App& app, std::string& input) {
  add_input_file(app, "INPUT", input, "A: a .npy, .npz, HDF5 or ex3 file, or a number N for test/N")
      ->required();
}

void add_input_format(CLI::App& app, MaybeFormat& format, Choices<MaybeFormat> formats) {
  add_choice(app, "--input-format", format, formats,
             "What INPUT is, where its content does not say");
}

void add_dataset_flag(CLI::App& app, bool& add_dataset) {
  app.add_flag("--add-dataset", add_dataset,
               "Add to an HDF5 file that exists, which is copied first");
}

void add_output_format(CLI::App& app, MaybeFormat& format, Choices<MaybeFormat> formats) {
  add_choice(app, "--output-format", format, formats,
             "What the output is where its name does not say, such as - (stdout)");
}

CLI::App* add_generate(CLI::App& app, io::GenerateRequest& request) {
  auto& command = *app.add_subcommand("gen", "Make a matrix A and a vector V");
  request.distribution = io::Distribution::ex3;
  add_whole(command, "--rows", request.rows, any_extent, "Rows of A")->required()->type_name("M");
  add_whole(command, "--cols", request.cols, any_extent, "Columns of A, entries of V")
      ->required()
      ->type_name("N");
  add_choice(command, "--type", request.type, type_choices<io::ScalarType>, "Type of the elements");
  add_choice(command, "--distribution", request.distribution, distributions,
             "How values are drawn");
  add_choice(command, "--layout", request.layout, layout_choices<io::Layout>,
             "Order of the elements in a .npy file");
  add_whole(command, "--seed", request.seed,
            {.least = 0, .most = std::numeric_limits<std::uint64_t>::max()},
            "Where the random numbers start")
      ->type_name("S")
      ->default_str(std::to_string(request.seed));
  add_output_file(command, "--output", request.output, "File to write")->required();
  add_output_format(command, request.format, formats_of_matrices);
  add_output_file(command, "--vector-output", request.vector_output,
                  "File for V, beside a .npy output");
  add_dataset_flag(command, request.add_dataset);
  command.footer(help::generate);
  return &command;
}

/// What every command that computes can be told.
void add_run(CLI::App& command, RunOptions& options, Choices<ReportFormat> report_formats,
             std::string const& check_help) {
  add_choice(command, "--backend", options.backend, backend_choices, "Where it is computed");
  add_choice(command, "--kernels", options.kernels, kernels_choices,
             "Those that every backend runs, or the backend's own");
  add_device(command, options.device);
  add_cache_preference(command, options.cache_preference);
  add_choice(command, "--type", options.type, maybe_types, "Type to compute in");
  auto const take_repeat = [&options](std::uint64_t number) {
    options.repeat = static_cast<int>(number);
    options.repeat_is_given = true;
  };
  add_whole(command, "--repeat", take_repeat, {.most = 1'000'000}, "Timed runs, after a warm-up")
      ->type_name("R")
      ->default_str(std::to_string(options.repeat));
  add_threads(command, options.threads);
  command.add_flag("--check", options.check, check_help);
  command.add_flag("--no-tuning-cache", options.no_tuning_cache,
                   "Launch as the backend would, whatever `tessera tune` has found");
  add_dataset_flag(command, options.add_dataset);
  add_choice(command, "--format", options.format, report_formats, "How the report is written");
}

/// What atax computes beside its products.
void add_terms(CLI::App& command, TermOptions& terms) {
  add_choice(command, "--map", terms.map, map_choices,
             "What is done to each entry of A V before A^T multiplies it");
  // The vector of a map; of one that it is the name of, if any.
  auto const add_vector = [&](std::string const& name, maps::Kind its, std::string const& help) {
    auto const take = [&terms, name, its](std::string const& text) {
      terms.map_option = name;
      terms.map_vector = text == "-" ? "/dev/stdin" : text;
      if (terms.map == maps::Kind::identity) terms.map = its;
    };
    return command.add_option_function<std::string>(name, take, help)->type_name("FILE");
  };
  auto* const weights =
      add_vector("--weights", maps::Kind::weights, "Multiply A V by these, entry by entry");
  auto* const minus = add_vector("--minus", maps::Kind::minus, "Subtract these from A V");
  auto* const labels = add_vector("--labels", maps::Kind::identity,
                                  "The vector of --map: labels or counts, or of its weights A x");
  weights->excludes(minus)->excludes(labels);
  minus->excludes(labels);
  add_number(
      command, "--alpha", [&terms](double value) { terms.alpha = value; },
      "Multiply A^T(...) by this (else 1)");
  add_number(
      command, "--beta", [&terms](double value) { terms.beta = value; },
      "Multiply the vector of --add by this (else 1)");
  add_input_file(command, "--add", terms.add, "A vector to add to the result");
}

/// How much memory a matrix may take, and where the state of a run is kept.
template <class Options>
void add_stream(CLI::App& command, Options& options, std::string const& checkpoint_help,
                std::string const& every_help) {
  auto const take_limit = [&options](std::string const& text) {
    auto const bytes = size_in_bytes(text);
    if (!bytes) {
      throw CLI::ValidationError(
          "--memory-limit",
          "expected a size from 1 to 2^62 bytes with one of the units B, KB, "
          "MB, GB, TB, KiB, MiB, GiB, TiB, such as 512MiB, or none, found '" +
              text + "'");
    }
    options.memory_limit = *bytes;
  };
  command
      .add_option_function<std::string>(
          "--memory-limit", take_limit,
          "Stream A from its file where it needs more memory than this")
      ->type_name("SIZE");
  auto* const checkpoint =
      command.add_option("--checkpoint", options.checkpoint, checkpoint_help)->type_name("FILE");
  add_seconds(command, "--checkpoint-every", options.checkpoint_seconds, 1e6, every_help)
      ->needs(checkpoint);
}

CLI::App* add_convert(CLI::App& app, ConvertOptions& request) {
  auto& command = *app.add_subcommand("convert", "Write a file anew in another format or order");
  add_input_file(command, "INPUT", request.input,
                 "A .npy, .npz, ex3, HDF5, .mtx, .csv or .bin file")
      ->required();
  add_output_file(command, "OUTPUT", request.output, "The file to write")->required();
  add_input_format(command, request.input_format, file_formats);
  add_output_format(command, request.output_format, output_formats);
  add_choice(command, "--layout", request.layout, output_layouts,
             "Order of the elements in OUTPUT");
  add_choice(command, "--output-type", request.type, maybe_types, "Type of the elements in OUTPUT");
  auto const take_chunk = [&request](TwoExtents const& chunk) {
    request.chunks = io::Hdf5Chunks{.rows = static_cast<std::uint64_t>(chunk.first),
                                    .cols = static_cast<std::uint64_t>(chunk.second)};
  };
  auto* const chunk =
      add_extents(command, "--chunk", "rows and columns", take_chunk,
                  "Chunks of R rows and C columns in an HDF5 OUTPUT (else it is contiguous)")
          ->type_name("RxC");
  // Options are taken in this order, so that there are chunks then.
  auto const take_level = [&request](std::uint64_t level) {
    request.chunks->deflate = static_cast<int>(level);
  };
  add_whole(command, "--deflate", take_level, {.least = 1, .most = 9},
            "Pack the chunks; 1 is fast, 9 is small")
      ->type_name("LEVEL")
      ->needs(chunk);
  auto* const rows =
      add_whole(command, "--rows", request.raw.rows, any_extent, "Rows of a .bin INPUT")
          ->type_name("M");
  auto* const cols =
      add_whole(command, "--cols", request.raw.cols, any_extent, "Columns of a .bin INPUT")
          ->type_name("N");
  rows->needs(cols);
  cols->needs(rows);
  add_choice(command, "--type", request.raw_type, type_choices<MaybeType>,
             "Type of the elements in a .bin INPUT (else f32)");
  add_choice(command, "--input-layout", request.raw_layout, layout_choices<MaybeLayout>,
             "Order of the elements in a .bin INPUT with --rows and --cols (else row-major)");
  add_input_file(command, "--vector", request.vector,
                 "V of an ex3 OUTPUT: a .npy, .bin or ex3 file");
  add_output_file(command, "--vector-output", request.vector_output,
                  "Where V of an ex3 INPUT goes (.npy or .bin)");
  add_dataset_flag(command, request.add_dataset);
  command.footer(help::convert);
  return &command;
}

/// What is computed beside A·X: W = Aᵀ·U.
void add_second_product(CLI::App& command, ComputeOptions& options) {
  options.terms.map = maps::Kind::replace;
  options.terms.map_option = "--transposed-vector";
  add_input_file(command, "--transposed-vector", options.terms.map_vector,
                 "U: a .npy, .bin or ex3 file with an entry for each row of A")
      ->required();
  add_output_file(command, "--transposed-output", options.intermediate,
                  "Where W goes (.npy or .bin)");
}

CLI::App* add_compute(CLI::App& app, OperationRow const& row, ComputeOptions& options) {
  auto& command =
      *app.add_subcommand(std::string(row.command), "Compute " + std::string(row.formula_ascii));
  options.operation = row.id;
  add_input(command, options.input);
  add_input_format(command, options.input_format, formats_with_shape);
  add_input_file(command, "--vector", options.vector,
                 std::string(row.vector_name) +
                     ": a .npy, .bin or ex3 file (else that of an ex3 INPUT, or ones)" +
                     (options.is_both() ? "" : "; a matrix is a block of vectors"));
  add_output_file(command, "--output", options.output, "Where the result goes (.npy or .bin)");
  if (options.is_both()) {
    add_second_product(command, options);
  } else {
    auto* const intermediate = add_output_file(command, "--intermediate", options.intermediate,
                                               "Where B goes (.npy or .bin)");
    auto* const method =
        add_choice(command, "--method", options.method, methods, "How A^T(A V) is computed");
    if (!row.has_methods) {  // refused with a sentence, and not shown
      intermediate->group("");
      method->group("");
    }
  }
  if (row.id == OperationId::atax) add_terms(command, options.terms);
  add_stream(command, options, "Stream, keep the state in this file now and then, go on from it",
             "Seconds between two states that are kept (0: after each block)");
  add_run(command, options, format_choices, "Compare the result with a reference, as `check` does");
  command.footer(help::compute);
  return &command;
}

CLI::App* add_transpose(CLI::App& app, TransposeOptions& options) {
  auto& command = *app.add_subcommand("transpose", "Transpose a matrix");
  add_input(command, options.input);
  add_input_format(command, options.input_format, formats_with_shape);
  add_output_file(command, "OUTPUT", options.output, "Where the transpose goes (.npy)")->required();
  command.add_flag("--in-place", options.in_place, "Transpose a square matrix where it lies");
  add_run(command, options, info_formats, "Compare all elements, bit by bit");
  command.footer(help::transpose);
  return &command;
}

CLI::App* add_gemm(CLI::App& app, GemmOptions& options) {
  auto& command = *app.add_subcommand("gemm", "Compute C = A B");
  add_input_file(command, "A", options.A,
                 "A .npy, .npz, HDF5 or ex3 file, or a number N for test/N")
      ->required();
  add_input_file(command, "B", options.B, "As A, with as many rows as A has columns")->required();
  add_output_file(command, "OUTPUT", options.output, "Where C goes (.npy)")->required();
  add_run(command, options, info_formats, "Compare the result with a reference");
  command.footer(help::gemm);
  return &command;
}

/// What every command that solves can be told.
/// @param least steps that --maxiter may say
void add_solve(CLI::App& command, SolveOptions& options, std::uint64_t least,
               std::string const& check_help) {
  add_input_format(command, options.input_format, formats_with_shape);
  add_output_file(command, "--history", options.history, "Where a line for each step goes (CSV)");
  add_whole(command, "--maxiter", options.maxiter,
            {.least = least, .most = std::uint64_t{1} << 40U},
            "Steps at most (else the method decides)")
      ->type_name("N");
  add_stream(command, options, "Keep the state in this file now and then, go on from it",
             "Seconds between two states that are kept (0: after each step)");
  add_choice(command, "--backend", options.backend, backend_choices, "Where it is computed");
  add_choice(command, "--kernels", options.kernels, kernels_choices,
             "Those that every backend runs, or the backend's own");
  add_device(command, options.device);
  add_choice(command, "--type", options.type, maybe_types, "Type to compute in");
  add_threads(command, options.threads);
  command.add_flag("--check", options.check, check_help);
  add_dataset_flag(command, options.add_dataset);
  add_choice(command, "--format", options.format, info_formats, "How the report is written");
}

void add_solved_matrix(CLI::App& command, SolveOptions& options) {
  add_input_file(command, "A", options.input,
                 "A: a .npy, .npz, HDF5 or ex3 file, or a number N for test/N")
      ->required();
}

constexpr std::pair<char const*, LeastSquaresMethod> least_squares_methods[] = {
    {"lsmr", LeastSquaresMethod::lsmr}, {"lsqr", LeastSquaresMethod::lsqr}};

CLI::App* add_least_squares(CLI::App& app, std::string const& name, std::string const& what,
                            LeastSquaresOptions& options) {
  auto& command = *app.add_subcommand(name, what);
  options.command = name;
  add_solved_matrix(command, options);
  add_input_file(command, "B", options.right_side,
                 "b, or a matrix of several: a .npy, .bin or ex3 file")
      ->required();
  if (name == "ridge") {
    add_size(
        command, "--lambda", [&options](double lambda) { options.lambda = lambda; },
        "Weight of |x|^2")
        ->required();
  } else {
    add_size(command, "--damp", options.damp, "Adds damp^2 |x|^2 to what becomes small");
  }
  add_output_file(command, "--output", options.output, "Where x goes (.npy or .bin)");
  add_choice(command, "--method", options.method, least_squares_methods, "How it is solved");
  add_size(command, "--atol", options.atol, "Relative error of A, which decides when to stop");
  add_size(command, "--btol", options.btol, "Relative error of b, which decides when to stop");
  add_size(command, "--conlim", options.conlim,
           "Stop where cond(A) seems larger than this (0: never)");
  add_solve(command, options, 0, "Find the residual of x in higher precision");
  command.footer(help::least_squares);
  return &command;
}

void add_triplets(CLI::App& command, TripletOptions& options) {
  options.command = command.get_name();
  add_solved_matrix(command, options);
  add_whole(command, "-k,--count", options.k, {}, "How many are found, the largest first")
      ->required()
      ->type_name("K");
}

/// What both can be told after their outputs.
void add_triplet_solve(CLI::App& command, TripletOptions& options) {
  add_size(command, "--tol", options.tol,
           "Residual of each, beside the largest singular value (0: the precision of the type)");
  add_whole(command, "--ncv", options.ncv, {},
            "Vectors of the basis between two restarts (else the larger of 2 K + 1 and 20)")
      ->type_name("N");
  add_solve(command, options, 1, "Find residuals and orthogonality in higher precision");
}

constexpr std::pair<char const*, TripletMethod> triplet_methods[] = {
    {"lanczos", TripletMethod::lanczos}, {"randomized", TripletMethod::randomized}};

CLI::App* add_svd(CLI::App& app, TripletOptions& options) {
  auto& command = *app.add_subcommand("svd", "Find the largest singular values of A");
  add_triplets(command, options);
  add_output_file(command, "--u", options.u, "Where U goes, one vector a column (.npy)");
  add_output_file(command, "--s", options.s, "Where the singular values go (.npy or .bin)");
  add_output_file(command, "--vt", options.vt, "Where V^T goes, one vector a row (.npy)");
  add_choice(command, "--method", options.method, triplet_methods, "How they are found");
  add_whole(command, "--oversampling", options.oversampling, {.least = 0, .most = 1'000'000},
            "Vectors of a block beside K, if randomized (else 10)")
      ->type_name("N");
  add_whole(command, "--power-iterations", options.power_iterations,
            {.least = 0, .most = 1'000'000},
            "Reads of A that make the vectors better, if randomized (else 4)")
      ->type_name("N");
  add_whole(command, "--seed", options.seed, {.least = 0, .most = (std::uint64_t{1} << 24U) - 1},
            "Of the vectors to begin with, if randomized (else 0)")
      ->type_name("N");
  add_triplet_solve(command, options);
  command.footer(help::svd);
  return &command;
}

CLI::App* add_pca(CLI::App& app, TripletOptions& options) {
  auto& command = *app.add_subcommand("pca", "Find the directions in which the rows of A differ");
  add_triplets(command, options);
  command.add_flag("--scale", options.scale, "Divide each column by its standard deviation");
  add_output_file(command, "--components", options.vt, "Where the directions go, one a row (.npy)");
  add_output_file(command, "--scores", options.scores,
                  "Where the rows of A in these directions go (.npy)");
  add_output_file(command, "--variance", options.variance,
                  "Where the variance along each direction goes (.npy or .bin)");
  add_output_file(command, "--ratio", options.ratio,
                  "Where its part of the whole variance goes (.npy or .bin)");
  add_output_file(command, "--mean", options.mean,
                  "Where the mean of each column goes (.npy or .bin)");
  add_output_file(command, "--deviations", options.deviations,
                  "Where the standard deviation of each column goes (.npy or .bin)");
  add_triplet_solve(command, options);
  command.footer(help::pca);
  return &command;
}

constexpr std::pair<char const*, RegressionLoss> losses[] = {{"linear", RegressionLoss::linear},
                                                             {"logistic", RegressionLoss::logistic},
                                                             {"poisson", RegressionLoss::poisson}};

constexpr std::pair<char const*, FitSolver> fit_solvers[] = {{"newton-cg", FitSolver::newton_cg},
                                                             {"lbfgs", FitSolver::lbfgs}};

CLI::App* add_fit(CLI::App& app, FitOptions& options) {
  auto& command = *app.add_subcommand("fit", "Fit a linear, logistic or Poisson regression");
  add_choice(command, "LOSS", options.loss, losses, "What becomes small")->required();
  add_solved_matrix(command, options);
  add_input_file(command, "LABELS", options.labels,
                 "y: an entry for each row of A, a .npy, .bin or ex3 file")
      ->required();
  add_output_file(command, "--output", options.output, "Where x goes (.npy or .bin)");
  add_size(command, "--penalty", options.penalty, "Adds this times |x|^2/2 to what becomes small");
  auto const leave_out = [&options](std::int64_t) { options.has_intercept = false; };
  command.add_flag_function("--no-intercept", leave_out, "eta is A x alone");
  add_choice(command, "--solver", options.solver, fit_solvers, "How x is found");
  add_size(command, "--tol", options.tol,
           "Norm of the gradient, beside that at 0 (0: the root of the type's precision)");
  add_solve(command, options, 0, "Find the gradient in higher precision");
  command.footer(help::fit);
  return &command;
}

CLI::App* add_check(CLI::App& app, CheckOptions& options) {
  auto& command =
      *app.add_subcommand("check", "Compare a result with a reference of higher precision");
  add_input(command, options.input);
  add_input_file(command, "RESULT", options.result, "The result, a .npy or .bin file")->required();
  add_choice(command, "--operation", options.operation, operations_with_one_result(),
             "What RESULT is the result of");
  add_input_file(command, "--vector", options.vector, "The vector that was used");
  add_terms(command, options.terms);
  add_threads(command, options.threads);
  add_choice(command, "--format", options.format, format_choices, "How the report is written");
  command.footer(help::check);
  return &command;
}

CLI::App* add_show(CLI::App& app, ShowOptions& options) {
  auto& command = *app.add_subcommand("show", "Say what is in a file");
  add_input_file(command, "FILE", options.file, "A file of any format")->required();
  command.add_flag("--data", options.data, "Print elements; of a large file, its edges");
  command.add_flag("--all", options.all, "Print every element");
  command.footer(help::show);
  return &command;
}

CLI::App* add_info(CLI::App& app, InfoOptions& options) {
  auto& command = *app.add_subcommand("info", "Say what this program can do on this machine");
  add_threads(command, options.threads);
  add_choice(command, "--format", options.format, info_formats, "How it is written");
  command.footer(help::info);
  return &command;
}

constexpr char empty_value[] =
    "expected a value, found an empty one; give one, or leave the option out";

bool is_flag(CLI::Option const& option) {
  return option.get_items_expected_max() == 0;
}

/// Refuses empty values of all options and positionals of all commands.
void refuse_empty_values(CLI::App& app) {
  auto const is_there = [](std::string const& value) {
    return std::string(value.empty() ? empty_value : "");
  };
  for (CLI::App* const command : app.get_subcommands([](auto const*) { return true; })) {
    for (CLI::Option* const option : command->get_options()) {
      if (!is_flag(*option)) option->check(is_there);
    }
  }
}

/// Refuses "--option=" without a value, and "--flag=value".
/// @param words of the command line, the name of the command first
void check_assignments(CLI::App const& app, std::span<char const* const> words) {
  if (words.empty()) return;
  auto const commands =
      app.get_subcommands([&](CLI::App const* each) { return each->get_name() == words.front(); });
  if (commands.empty()) return;
  for (std::string const word : words) {
    if (word == "--") return;  // names of files follow
    auto const equals = word.find('=');
    if (equals == std::string::npos || !word.starts_with("--")) continue;
    std::string const name = word.substr(0, equals);
    CLI::Option const* const option = commands.front()->get_option_no_throw(name);
    if (option == nullptr) continue;
    if (is_flag(*option)) {
      throw CLI::ValidationError(name,
                                 "expected no value, found '" + word.substr(equals + 1) + "'");
    }
    if (equals + 1 == word.size()) throw CLI::ValidationError(name, empty_value);
  }
}

/// Lays out help for the terminal: options in two columns, paragraphs in lines that fit.
void fit_help(CLI::App& app, std::size_t columns) {
  auto const fit = [columns](auto& formatter) {
    // Older releases of CLI11 break no line.
    if constexpr (requires { formatter.enable_footer_formatting(false); }) {
      std::size_t const left = formatter.get_column_width();
      formatter.right_column_width(std::max<std::size_t>(columns, left + 20) - left);
      formatter.description_paragraph_width(columns);
      formatter.enable_footer_formatting(false);
    }
  };
  fit(*app.get_formatter());
  app.footer(wrapped(app.get_footer(), columns));
  for (CLI::App* const command : app.get_subcommands([](auto const*) { return true; })) {
    fit(*command->get_formatter());
    command->footer(wrapped(command->get_footer(), columns));
  }
}

std::vector<CommandDescription> commands_of(CLI::App const& app) {
  std::vector<CommandDescription> commands;
  for (CLI::App const* const command : app.get_subcommands([](auto const*) { return true; })) {
    if (command->get_group().empty()) continue;
    CommandDescription description{.name = command->get_name(), .options = {}};
    for (CLI::Option const* const option : command->get_options()) {
      if (option->get_positional() || option->get_group().empty()) continue;
      std::vector<std::string> choices;
      if (auto const words = option->get_type_name(); words.find('|') != std::string::npos) {
        std::istringstream stream(words);
        for (std::string word; std::getline(stream, word, '|');) choices.push_back(word);
      }
      description.options.push_back(
          {.name = "--" + option->get_lnames().at(0), .choices = choices});
    }
    commands.push_back(std::move(description));
  }
  return commands;
}

std::string join(std::vector<std::string> const& words) {
  std::string text;
  for (auto const& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// The lines of a case statement for one command: values after an option, else the options.
std::string command_case(CommandDescription const& command) {
  std::vector<std::string> names;
  std::string text = "    " + command.name + ")\n      case $previous in\n";
  for (auto const& option : command.options) {
    names.push_back(option.name);
    if (!option.choices.empty()) {
      text += "        " + option.name + ") words=\"" + join(option.choices) + "\" ;;\n";
    }
  }
  return text + "        *) [[ $current == -* ]] && words=\"" + join(names) +
         "\" ;;\n      esac ;;\n";
}

}  // namespace

std::variant<ExitStatus, Options> parse_options(int argc, char const* const* argv) {
  CLI::App app("Matrix products that read the matrix once and give the same bits everywhere",
               "tessera");
  app.footer(help::program);
  app.require_subcommand(1);
  app.set_version_flag(
      "--version", "tessera " + std::string(version) + " (commit " + std::string(git_commit) + ")");

  io::GenerateRequest generate;
  ConvertOptions convert;
  auto const operations = table_of_operations();
  std::vector<ComputeOptions> compute(operations.size());
  TransposeOptions transpose;
  GemmOptions gemm;
  LeastSquaresOptions lstsq;
  LeastSquaresOptions ridge;
  TripletOptions svd;
  TripletOptions pca;
  FitOptions fit;
  CheckOptions check;
  ShowOptions show;
  InfoOptions info;
  BenchOptions bench;
  TuneOptions tune;
  std::string shell;

  CLI::App const* const generate_command = add_generate(app, generate);
  std::vector<CLI::App const*> compute_commands;
  compute_commands.reserve(operations.size());
  for (std::size_t i = 0; i < operations.size(); ++i) {
    compute_commands.push_back(add_compute(app, operations[i], compute[i]));
  }
  CLI::App const* const transpose_command = add_transpose(app, transpose);
  CLI::App const* const gemm_command = add_gemm(app, gemm);
  CLI::App const* const lstsq_command =
      add_least_squares(app, "lstsq", "Find x that makes |A x - b| small", lstsq);
  CLI::App const* const ridge_command =
      add_least_squares(app, "ridge", "Find x that makes |A x - b|^2 + lambda |x|^2 small", ridge);
  CLI::App const* const svd_command = add_svd(app, svd);
  CLI::App const* const pca_command = add_pca(app, pca);
  CLI::App const* const fit_command = add_fit(app, fit);
  CLI::App const* const bench_command = add_bench(app, bench);
  CLI::App const* const tune_command = add_tune(app, tune);
  CLI::App const* const check_command = add_check(app, check);
  CLI::App const* const show_command = add_show(app, show);
  CLI::App const* const convert_command = add_convert(app, convert);
  CLI::App const* const info_command = add_info(app, info);
  CLI::App* const completion_command =
      app.add_subcommand("completion", "Print a completion script for a shell")->group("");
  completion_command->add_option("SHELL", shell, "bash")
      ->required()
      ->check(CLI::IsMember({"bash"}));
  refuse_empty_values(app);
  constexpr std::size_t readable = 100;
  fit_help(app, std::min(columns_of(STDOUT_FILENO), readable));

  try {
    check_assignments(app,
                      std::span(argv, static_cast<std::size_t>(argc)).subspan(argc > 0 ? 1 : 0));
    app.parse(argc, argv);
  } catch (CLI::Success const& done) {
    app.exit(done);  // prints help or version, to stdout; ends nothing
    return ExitStatus::good;
  } catch (CLI::ParseError const& error) {
    auto const words = app.remaining();
    bool const no_command = app.get_subcommands().empty() && !words.empty();
    std::string const sentence =
        no_command ? "'" + words.front() + "' is not a command" : std::string(error.what());
    say(sentence);
    std::fputs("Try 'tessera --help' or 'tessera COMMAND --help'.\n", stderr);
    return ExitStatus::usage;
  }

  if (generate_command->parsed()) return Options(generate);
  if (transpose_command->parsed()) return Options(transpose);
  if (gemm_command->parsed()) return Options(gemm);
  if (lstsq_command->parsed()) return Options(lstsq);
  if (ridge_command->parsed()) return Options(ridge);
  if (svd_command->parsed()) return Options(svd);
  if (pca_command->parsed()) return Options(pca);
  if (fit_command->parsed()) return Options(fit);
  if (bench_command->parsed()) return Options(bench);
  if (tune_command->parsed()) return Options(tune);
  if (check_command->parsed()) return Options(check);
  if (show_command->parsed()) return Options(show);
  if (convert_command->parsed()) return Options(convert);
  if (info_command->parsed()) return Options(info);
  if (completion_command->parsed()) {
    std::fputs(bash_completion(commands_of(app)).c_str(), stdout);
    return ExitStatus::good;
  }
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (compute_commands[i]->parsed()) return Options(compute[i]);
  }
  return ExitStatus::usage;  // not reached: one subcommand is required
}

std::string bash_completion(std::vector<CommandDescription> const& commands) {
  std::vector<std::string> names;
  std::string cases;
  for (auto const& command : commands) {
    names.push_back(command.name);
    cases += command_case(command);
  }
  return "# SPDX-FileCopyrightText: 2026 The Tessera authors\n"
         "# SPDX-License-Identifier: Apache-2.0\n"
         "# bash completion for tessera; made by `tessera completion bash`\n"
         "_tessera() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words=\n"
         "  if ((COMP_CWORD == 1)); then\n"
         "    COMPREPLY=($(compgen -W \"" +
         join(names) +
         " --help --version\" -- \"$current\"))\n"
         "    return\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  if [[ $words ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "  else\n"
         "    compopt -o filenames\n"
         "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
         "  fi\n"
         "}\n"
         "complete -F _tessera tessera\n";
}

}  // namespace tessera::app
