// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// The options of each command.

#include <bench/operation.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <app/base/text.hpp>
#include <app/cli/help_texts.hpp>
#include <app/cli/option_kinds.hpp>
#include <app/cli/options.hpp>
#include <app/run/options.hpp>

namespace tessera::app {
namespace {

using Chosen = std::optional<Options>;

template <class CommandOptions>
CommandOptions& options_of(CLI::App& command, Chosen& chosen) {
  auto const options = std::make_shared<CommandOptions>();
  command.callback([options, &chosen] { chosen = *options; });
  return *options;
}

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
  add_input_file(app, "INPUT", input, "A: a .npy, .npz, HDF5, .bed or ex3 file, or N for test/N")
      ->required();
}

void add_input_format(CLI::App& app, MaybeFormat& format, Choices<MaybeFormat> formats,
                      std::string const& input = "INPUT") {
  add_choice(app, "--input-format", format, formats,
             "Format of " + input + ", if its contents do not identify it");
}

void add_report(CLI::App& app, RunOptions& options, Choices<ReportFormat> formats) {
  add_choice(app, "--format", options.format, formats, "Format of the report");
  add_output_file(app, "--report", options.report,
                  "File for the report (else stdout, or stderr if a result goes to stdout)");
}

void add_dataset_flag(CLI::App& app, bool& add_dataset) {
  app.add_flag("--add-dataset", add_dataset,
               "Add the dataset to an existing HDF5 file, which is copied first");
}

void add_output_format(CLI::App& app, MaybeFormat& format, Choices<MaybeFormat> formats) {
  add_choice(app, "--output-format", format, formats,
             "Format of the output, if its name has no extension, such as - (stdout)");
}

void add_generate(CLI::App& app, Chosen& chosen) {
  auto& command = *app.add_subcommand("gen", "Generate a matrix A and a vector V");
  auto& request = options_of<io::GenerateRequest>(command, chosen);
  request.distribution = io::Distribution::ex3;
  add_whole(command, "--rows", request.rows, any_extent, "Rows of A")->required()->type_name("M");
  add_whole(command, "--cols", request.cols, any_extent, "Columns of A, entries of V")
      ->required()
      ->type_name("N");
  add_choice(command, "--type", request.type, type_choices<io::ScalarType>, "Type of the elements");
  add_choice(command, "--distribution", request.distribution, distributions,
             "Distribution of the values");
  add_choice(command, "--layout", request.layout, layout_choices<io::Layout>,
             "Layout of a .npy file");
  add_whole(command, "--seed", request.seed,
            {.least = 0, .most = std::numeric_limits<std::uint64_t>::max()},
            "Seed of the random numbers")
      ->type_name("S")
      ->default_str(std::to_string(request.seed));
  add_output_file(command, "--output", request.output, "File to write")->required();
  add_output_format(command, request.format, formats_of_matrices);
  add_output_file(command, "--vector-output", request.vector_output,
                  "File for V, if the output is .npy (else NAME-vector.npy)");
  add_dataset_flag(command, request.add_dataset);
  command.footer(help::generate);
}

void add_place(CLI::App& command, RunOptions& options) {
  add_choice(command, "--backend", options.backend, backend_choices,
             "Backend; auto: the one that should finish first");
  add_choice(command, "--kernels", options.kernels, kernels_choices,
             "portable kernels run on every backend; accelerated ones are of this backend");
  add_device(command, options.device);
}

void add_run(CLI::App& command, RunOptions& options, Choices<ReportFormat> report_formats,
             std::string const& check_help) {
  add_place(command, options);
  add_cache_preference(command, options.cache_preference);
  add_choice(command, "--type", options.type, maybe_types,
             "Type of the computation (as-is: that of the file)");
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
                   "Ignore what `tessera tune` has saved");
  add_dataset_flag(command, options.add_dataset);
  add_report(command, options, report_formats);
}

void add_terms(CLI::App& command, TermOptions& terms) {
  add_choice(command, "--map", terms.map, map_choices, "The map f, applied to each entry of A V");
  // Also selects the map `its` if --map is not given.
  auto const add_vector = [&](std::string const& name, maps::Kind its, std::string const& help) {
    auto const take = [&terms, name, its](std::string const& text) {
      terms.map_option = name;
      terms.map_vector = text == "-" ? "/dev/stdin" : text;
      if (terms.map == maps::Kind::identity) terms.map = its;
    };
    return command.add_option_function<std::string>(name, take, help)->type_name("FILE");
  };
  auto* const weights = add_vector("--weights", maps::Kind::weights, "f(b) = w b, with w in FILE");
  auto* const minus = add_vector("--minus", maps::Kind::minus, "f(b) = b - y, with y in FILE");
  auto* const labels = add_vector("--labels", maps::Kind::identity,
                                  "The vector of --map: labels, counts, or eta = A x");
  weights->excludes(minus)->excludes(labels);
  minus->excludes(labels);
  add_number(command, "--alpha", terms.alpha, "Factor of A^T f(A V) (else 1)");
  add_number(command, "--beta", terms.beta, "Factor of the vector of --add (else 1)");
  add_input_file(command, "--add", terms.add, "The vector z that is added to the result");
}

void add_missing(CLI::App& command, std::optional<double>& missing, std::string const& help) {
  auto const take = [&missing](std::string const& text) {
    auto const number = signed_number(text);
    if (!number && text != "nan") {
      throw CLI::ValidationError("--missing",
                                 "expected nan or a number such as 255, found '" + text + "'");
    }
    missing = number.value_or(std::numeric_limits<double>::quiet_NaN());
  };
  command.add_option_function<std::string>("--missing", take, help)->type_name("CODE");
}

void add_memory_limit(CLI::App& command, std::uint64_t& memory_limit) {
  auto const take_limit = [&memory_limit](std::string const& text) {
    auto const bytes = size_in_bytes(text);
    if (!bytes) {
      throw CLI::ValidationError(
          "--memory-limit",
          "expected a size from 1 to 2^62 bytes with one of the units B, KB, MB, GB, TB, KiB, MiB, "
          "GiB, TiB, such as 512MiB, or without a unit, found '" +
              text + "'");
    }
    memory_limit = *bytes;
  };
  command
      .add_option_function<std::string>(
          "--memory-limit", take_limit,
          "Most memory, such as 2GiB; A is streamed from its file if it needs more (else the free "
          "memory)")
      ->type_name("SIZE");
}

template <class Options>
void add_stream(CLI::App& command, Options& options, std::string const& checkpoint_help,
                std::string const& every_help) {
  add_memory_limit(command, options.memory_limit);
  auto* const checkpoint =
      command.add_option("--checkpoint", options.checkpoint, checkpoint_help)->type_name("FILE");
  add_seconds(command, "--checkpoint-every", options.checkpoint_seconds, 1e6, every_help)
      ->needs(checkpoint);
}

constexpr char header_text[] =
    "Whether the first line of a .csv file has names (auto: if it is clear)";

void add_convert(CLI::App& app, Chosen& chosen) {
  auto& command =
      *app.add_subcommand("convert", "Convert a file to another format, layout or type");
  auto& request = options_of<ConvertOptions>(command, chosen);
  add_input_file(command, "INPUT", request.input,
                 "A .npy, .npz, ex3, HDF5, .bed, .mtx, .csv or .bin file")
      ->required();
  add_output_file(command, "OUTPUT", request.output, "The file to write")->required();
  add_input_format(command, request.input_format, file_formats);
  add_output_format(command, request.output_format, output_formats);
  add_choice(command, "--layout", request.layout, output_layouts, "Layout of OUTPUT");
  add_choice(command, "--output-type", request.type, maybe_types, "Type of the elements in OUTPUT");
  auto const take_chunk = [&request](TwoExtents const& chunk) {
    request.chunks = io::Hdf5Chunks{.rows = static_cast<std::uint64_t>(chunk.first),
                                    .cols = static_cast<std::uint64_t>(chunk.second)};
  };
  auto* const chunk =
      add_extents(command, "--chunk", "rows and columns", take_chunk,
                  "Chunks of R rows and C columns in an HDF5 OUTPUT (else it is contiguous)")
          ->type_name("RxC");
  // CLI11 processes options in order: the chunks are set.
  auto const take_level = [&request](std::uint64_t level) {
    request.chunks->deflate = static_cast<int>(level);
  };
  add_whole(command, "--deflate", take_level, {.least = 1, .most = 9},
            "Compress the chunks: 1 is fastest, 9 smallest")
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
             "Layout of a .bin INPUT with --rows and --cols (else row-major)");
  add_choice(command, "--header", request.header, header_choices, header_text);
  add_input_file(command, "--vector", request.vector,
                 "V of an ex3 OUTPUT: a .npy, .npz, HDF5, .bin or ex3 file");
  add_output_file(command, "--vector-output", request.vector_output,
                  "File for V of an ex3 INPUT (.npy or .bin)");
  add_dataset_flag(command, request.add_dataset);
  command.footer(help::convert);
}

void add_second_product(CLI::App& command, ComputeOptions& options) {
  options.terms.map = maps::Kind::replace;
  options.terms.map_option = "--transposed-vector";
  add_input_file(command, "--transposed-vector", options.terms.map_vector,
                 "U: a .npy, .npz, HDF5, .bin or ex3 file with an entry for each row of A")
      ->required();
  add_output_file(command, "--transposed-output", options.intermediate,
                  "File for W (.npy or .bin)");
}

void add_compute(CLI::App& app, OperationRow const& row, Chosen& chosen) {
  auto& command =
      *app.add_subcommand(std::string(row.command), "Compute " + std::string(row.formula_ascii));
  auto& options = options_of<ComputeOptions>(command, chosen);
  options.operation = row.id;
  add_input(command, options.input);
  add_input_format(command, options.input_format, formats_with_shape);
  add_input_file(command, "--vector", options.vector,
                 std::string(row.vector_name) +
                     ": a .npy, .npz, HDF5, .bin or ex3 file (else that of an ex3 INPUT, or ones)" +
                     (options.is_both() ? "" : "; a matrix is a block of vectors"));
  add_output_file(command, "--output", options.output, "File for the result (.npy or .bin)");
  if (options.is_both()) {
    add_second_product(command, options);
  } else {
    auto* const intermediate = add_output_file(
        command, "--intermediate", options.intermediate,
        std::string("File for ") + (row.is_of_transpose() ? "A^T U" : "B") + " (.npy or .bin)");
    auto* const method = add_choice(command, "--method", options.method, methods,
                                    "fused: one pass over A; two-stage: two passes");
    if (!row.has_methods) {  // if used, refused with a message
      intermediate->group("");
      method->group("");
    }
  }
  if (row.id == OperationId::atax) add_terms(command, options.terms);
  add_stream(command, options, "Stream, save the state in FILE, and resume from it if it exists",
             "Seconds between two saves (0: after each block)");
  add_run(command, options, format_choices,
          "Compare the result with a reference of higher precision");
  command.footer(help::compute);
}

void add_transpose(CLI::App& app, Chosen& chosen) {
  auto& command = *app.add_subcommand("transpose", "Transpose a matrix");
  auto& options = options_of<TransposeOptions>(command, chosen);
  add_input(command, options.input);
  add_input_format(command, options.input_format, formats_with_shape);
  add_output_file(command, "OUTPUT", options.output, "File for the transpose (.npy)")->required();
  command.add_flag("--in-place", options.in_place, "Transpose a square matrix in place");
  add_run(command, options, info_formats, "Compare all elements bitwise");
  command.footer(help::transpose);
}

void add_gemm(CLI::App& app, Chosen& chosen) {
  auto& command = *app.add_subcommand("gemm", "Compute C = A B");
  auto& options = options_of<GemmOptions>(command, chosen);
  add_input_file(command, "A", options.A,
                 "A .npy, .npz, HDF5, .bed or ex3 file, or a number N for test/N")
      ->required();
  add_input_file(command, "B", options.B, "Like A, with as many rows as A has columns")->required();
  add_output_file(command, "OUTPUT", options.output, "File for C (.npy)")->required();
  add_run(command, options, info_formats,
          "Compare the result with a reference of higher precision");
  command.footer(help::gemm);
}

void add_solve(CLI::App& command, SolveOptions& options, std::uint64_t least,
               std::string const& check_help) {
  add_input_format(command, options.input_format, formats_with_shape, "A");
  add_missing(command, options.missing,
              "Entries that count as the mean of their column: nan, or a number such as 255; needs "
              "one more pass over A");
  add_output_file(command, "--history", options.history, "CSV file with one line per iteration");
  add_whole(command, "--maxiter", options.maxiter,
            {.least = least, .most = std::uint64_t{1} << 40U},
            "Most iterations (else chosen by the method)")
      ->type_name("N");
  add_stream(command, options, "Save the state in FILE, and resume from it if it exists",
             "Seconds between two saves (0: after each iteration)");
  add_place(command, options);
  add_choice(command, "--type", options.type, maybe_types,
             "Type of the computation (as-is: that of the file)");
  add_threads(command, options.threads);
  command.add_flag("--check", options.check, check_help);
  add_dataset_flag(command, options.add_dataset);
  add_report(command, options, info_formats);
}

void add_solved_matrix(CLI::App& command, SolveOptions& options) {
  options.command = command.get_name();
  add_input_file(command, "A", options.input,
                 "A: a .npy, .npz, HDF5, .bed or ex3 file, or N for test/N")
      ->required();
}

void add_least_squares(CLI::App& app, std::string const& name, std::string const& what,
                       Chosen& chosen) {
  auto& command = *app.add_subcommand(name, what);
  auto& options = options_of<LeastSquaresOptions>(command, chosen);
  add_solved_matrix(command, options);
  add_input_file(command, "B", options.right_side,
                 "b, or a matrix of several: a .npy, .npz, HDF5, .bin or ex3 file")
      ->required();
  if (name == "ridge") {
    add_sizes(command, "--lambda", options.lambdas,
              "Factor of |x|^2, or several separated by commas: X has a column for each")
        ->required();
  } else {
    add_size(command, "--damp", options.damp, "Adds damp^2 |x|^2 to the minimised function");
  }
  add_output_file(command, "--output", options.output, "File for x (.npy or .bin)");
  add_output_file(command, "--plot", options.plot,
                  "File for a picture of the residual by iteration (.svg); needs --method lsmr or "
                  "lsqr, or more than 512 columns");
  add_choice(command, "--method", options.method, least_squares_methods,
             "Method (auto: direct for at most 512 columns without --maxiter, otherwise lsmr)");
  std::string const by_default = " (1e-6 with --method lsmr or lsqr, otherwise the precision of A)";
  add_size(command, "--atol", options.atol, "Stop at this relative error of A" + by_default);
  add_size(command, "--btol", options.btol, "Stop at this relative error of b" + by_default);
  add_size(command, "--conlim", options.conlim,
           "Stop if the estimate of cond(A) exceeds this (0: never, as lstsq does with --method "
           "auto; otherwise 1e8)");
  add_solve(command, options, 0, "Verify x in higher precision, with one more pass over A");
  command.footer(help::least_squares);
}

void add_triplets(CLI::App& command, TripletOptions& options) {
  add_solved_matrix(command, options);
  add_whole(command, "-k,--count", options.k, {}, "How many to compute, the largest first")
      ->required()
      ->type_name("K");
}

void add_triplet_solve(CLI::App& command, TripletOptions& options) {
  add_size(
      command, "--tol", options.tol,
      "Largest residual, relative to the largest singular value (0: the precision of the type)");
  add_whole(command, "--ncv", options.ncv, {},
            "Vectors of the basis between two restarts (else chosen by the method)")
      ->type_name("N");
  add_solve(command, options, 1, "Verify the result in higher precision");
}

void add_svd(CLI::App& app, Chosen& chosen) {
  auto& command = *app.add_subcommand("svd", "Compute the largest singular values of A");
  auto& options = options_of<TripletOptions>(command, chosen);
  add_triplets(command, options);
  add_output_file(command, "--u", options.u, "File for U, one vector per column (.npy)");
  add_output_file(command, "--s", options.s, "File for the singular values (.npy or .bin)");
  add_output_file(command, "--vt", options.vt, "File for V^T, one vector per row (.npy)");
  add_output_file(command, "--plot", options.plot,
                  "File for a picture of the singular values (.svg)");
  add_choice(command, "--method", options.method, triplet_methods,
             "Method (auto: direct for at most 512 columns without --ncv and --maxiter, otherwise "
             "lanczos)");
  add_whole(command, "--oversampling", options.oversampling, {.least = 0, .most = 1'000'000},
            "randomized: vectors of a block in addition to K (else 10)")
      ->type_name("N");
  add_whole(command, "--power-iterations", options.power_iterations,
            {.least = 0, .most = 1'000'000},
            "randomized: passes over A that improve the vectors (else 4)")
      ->type_name("N");
  add_whole(command, "--seed", options.seed, {.least = 0, .most = (std::uint64_t{1} << 24U) - 1},
            "randomized: seed of the first vectors (else 0)")
      ->type_name("N");
  add_triplet_solve(command, options);
  command.footer(help::svd);
}

void add_pca(CLI::App& app, Chosen& chosen) {
  auto& command = *app.add_subcommand("pca", "Compute the principal components of A");
  auto& options = options_of<TripletOptions>(command, chosen);
  add_triplets(command, options);
  command.add_flag("--scale", options.scale, "Divide each column by its standard deviation");
  add_choice(command, "--method", options.method, pca_methods, "Method, as in `tessera svd`");
  add_output_file(command, "--components", options.vt,
                  "File for the components, one per row (.npy)");
  add_output_file(command, "--scores", options.scores,
                  "File for the scores, the coordinates of the rows of A (.npy)");
  add_output_file(command, "--variance", options.variance,
                  "File for the variance of each component (.npy or .bin)");
  add_output_file(command, "--ratio", options.ratio,
                  "File for its share of the total variance (.npy or .bin)");
  add_output_file(command, "--mean", options.mean,
                  "File for the mean of each column (.npy or .bin)");
  add_output_file(command, "--deviations", options.deviations,
                  "File for the standard deviation of each column (.npy or .bin)");
  add_output_file(command, "--plot", options.plot,
                  "File for a picture of the explained variance, and of the rows of A in the first "
                  "two components (.svg)");
  add_triplet_solve(command, options);
  command.footer(help::pca);
}

void add_stats(CLI::App& app, Chosen& chosen) {
  auto& command =
      *app.add_subcommand("stats", "Compute means, variances and extremes of the columns of A");
  auto& options = options_of<StatsOptions>(command, chosen);
  add_solved_matrix(command, options);
  add_whole(command, "--ddof", options.ddof, {.least = 0, .most = 1'000'000},
            "Subtracted from the number of entries in the divisor of a variance")
      ->type_name("N")
      ->default_str("0");
  add_missing(command, options.missing, "Entries that are left out: nan, or a number such as 255");
  add_output_file(command, "--mean", options.mean,
                  "File for the mean of each column (.npy or .bin)");
  add_output_file(command, "--variance", options.variance,
                  "File for the variance of each column (.npy or .bin)");
  add_output_file(command, "--deviations", options.deviations,
                  "File for the standard deviation of each column (.npy or .bin)");
  add_output_file(command, "--min", options.min,
                  "File for the smallest entry of each column (.npy or .bin)");
  add_output_file(command, "--max", options.max,
                  "File for the largest entry of each column (.npy or .bin)");
  add_output_file(command, "--count", options.count,
                  "File for the number of entries of each column that are not missing (.npy or "
                  ".bin)");
  add_input_format(command, options.input_format, formats_with_shape, "A");
  add_memory_limit(command, options.memory_limit);
  add_place(command, options);
  add_threads(command, options.threads);
  add_dataset_flag(command, options.add_dataset);
  add_report(command, options, info_formats);
  command.footer(help::stats);
}

void add_fit(CLI::App& app, Chosen& chosen) {
  auto& command =
      *app.add_subcommand("fit", "Fit a linear, logistic, Poisson, gamma or Tweedie regression");
  auto& options = options_of<FitOptions>(command, chosen);
  add_choice(command, "LOSS", options.loss, losses, "The loss that is minimised")
      ->required()
      ->default_str("");
  add_solved_matrix(command, options);
  add_input_file(command, "LABELS", options.labels,
                 "y: an entry for each row of A, a .npy, .npz, HDF5, .bin or ex3 file")
      ->required();
  add_input_file(command, "--weights", options.weights,
                 "File of one weight per row, at least 0 (else 1)");
  add_input_file(command, "--offset", options.offset,
                 "File of one number per row that is added to eta (else 0)");
  add_output_file(command, "--output", options.output, "File for x (.npy or .bin)");
  add_size(command, "--penalty", options.penalty, "Adds this times |x|^2/2 to the loss");
  add_size(command, "--power", options.power,
           "tweedie: power of the mean in the variance, above 1");
  auto const leave_out = [&options](std::int64_t) { options.has_intercept = false; };
  command.add_flag_function("--no-intercept", leave_out, "No intercept: eta = A x");
  add_choice(command, "--solver", options.solver, fit_solvers,
             "Method (auto: newton for at most 512 columns, otherwise newton-cg)");
  add_size(command, "--tol", options.tol,
           "Bound of the scaled gradient, relative to the root of the deviance (0: the default of "
           "the method)");
  add_solve(command, options, 0,
            "Verify the gradient in higher precision, with one more pass over A");
  command.footer(help::fit);
}

void add_check(CLI::App& app, Chosen& chosen) {
  auto& command =
      *app.add_subcommand("check", "Compare a result with a reference of higher precision");
  auto& options = options_of<CheckOptions>(command, chosen);
  add_input(command, options.input);
  add_input_file(command, "RESULT", options.result, "The result, a .npy or .bin file")->required();
  add_choice(command, "--operation", options.operation, operations_with_one_result(),
             "The operation that computed RESULT");
  add_input_file(command, "--vector", options.vector, "The vector that was used");
  add_terms(command, options.terms);
  add_threads(command, options.threads);
  add_choice(command, "--format", options.format, format_choices, "Format of the report");
  command.footer(help::check);
}

void add_show(CLI::App& app, Chosen& chosen) {
  auto& command = *app.add_subcommand("show", "Print what a file contains");
  auto& options = options_of<ShowOptions>(command, chosen);
  add_input_file(command, "FILE", options.file, "A file of any format")->required();
  add_choice(command, "--header", options.header, header_choices, header_text);
  command.add_flag("--data", options.data,
                   "Print the elements; of a large file those at the edges");
  command.add_flag("--all", options.all, "Print every element");
  command.footer(help::show);
}

void add_info(CLI::App& app, Chosen& chosen) {
  auto& command = *app.add_subcommand("info", "Print what this program can do on this machine");
  auto& options = options_of<InfoOptions>(command, chosen);
  add_threads(command, options.threads);
  add_choice(command, "--format", options.format, info_formats, "Format of the output");
  command.footer(help::info);
}

Choices<std::string> operations_measured(bool is_tuned) {
  auto const list = [](bool tuned) {
    std::vector<std::pair<char const*, std::string>> choices;
    for (auto const& each : bench::operations()) {
      if (each.is_tuned || !tuned) choices.emplace_back(each.command, each.name);
    }
    if (tuned) choices.emplace_back("all", "all");
    return choices;
  };
  static auto const of_bench = list(false), of_tune = list(true);
  return is_tuned ? of_tune : of_bench;
}

CLI::Option* add_operation(CLI::App& command, std::string& operation, bool is_tuned) {
  auto* const option =
      add_choice(command, "OPERATION", operation, operations_measured(is_tuned), "");
  return option->description(option->get_type_name())->type_name("");
}

template <class Measured>
void add_common(CLI::App& command, Measured& options) {
  add_choice(command, "--type", options.type, type_choices<decltype(options.type)>,
             "Type of the elements");
  add_choice(command, "--layout", options.layout, layout_choices<decltype(options.layout)>,
             "Layout of the matrices");
  add_choice(command, "--backend", options.backend, backend_choices,
             "Backend (auto: the GPU if there is one)");
  add_device(command, options.device);
  add_threads(command, options.threads);
  add_whole(command, "--repeat", options.turns, {.most = 100'000},
            "Runs of each kernel; the median counts")
      ->type_name("R")
      ->default_str(std::to_string(options.turns));
  add_seconds(command, "--seconds", options.seconds, 3600,
              "Shortest duration of a run, in seconds; calls are repeated until it is reached");
}

void add_bench(CLI::App& app, Chosen& chosen) {
  auto& command =
      *app.add_subcommand("bench", "Measure an operation next to other implementations");
  auto& options = options_of<BenchOptions>(command, chosen);
  add_operation(command, options.operation, false)->required();
  command.add_option("FILE", options.files, "A, and for gemm B (else random matrices)")
      ->type_name("");
  add_input_file(command, "--vector", options.vector,
                 "V, for aatx U, for gemvt B (else V of an ex3 file, or ones)");
  command
      .add_option("--variants", options.variants,
                  "Published kernels: all, none, or names separated by commas")
      ->type_name("NAME,...")
      ->capture_default_str();
  command
      .add_option(
          "--shapes", options.shapes,
          "Matrices ROWSxCOLS[+PADDING] (gemm: MxNxK or N), quick or grid, separated by commas")
      ->type_name("MxN,...");
  command
      .add_option("--teams", options.teams,
                  "Teams of threads of the variants, separated by commas (else as published)")
      ->type_name("RxC,...");
  command
      .add_option("--tiles", options.tiles,
                  "Tile sizes of the variants, separated by commas (else as published)")
      ->type_name("N,...");
  add_whole(command, "--most-teams", options.most_teams, {},
            "Most teams of the variants (else as published)")
      ->type_name("N");
  command.add_flag("--check", options.check,
                   "Compare each result with a reference of higher precision");
  add_common(command, options);
  add_cache_preference(command, options.cache_preference);
  add_choice(command, "--format", options.format, format_choices, "Format of the report");
  add_output_file(command, "--output", options.output, "File for the report (else stdout)");
  command.footer(help::bench);
}

void add_tune(CLI::App& app, Chosen& chosen) {
  auto& command = *app.add_subcommand("tune", "Find the best launch configurations, and save them");
  auto& options = options_of<TuneOptions>(command, chosen);
  add_operation(command, options.operation, true);
  command.add_option("--shape", options.shape, "Matrix ROWSxCOLS (gemm: MxNxK or N) to tune for")
      ->type_name("MxN");
  add_common(command, options);
  // They act on everything that is saved, so they exclude other options.
  auto const others = command.get_options();
  auto* const show = command.add_flag("--show", options.show, "Print what is saved, and where");
  auto* const reset = command.add_flag("--reset", options.reset, "Delete everything that is saved");
  for (auto* const other : others) {
    if (other == command.get_help_ptr()) continue;
    show->excludes(other);
    reset->excludes(other);
  }
  reset->excludes(show);
  command.footer(help::tune);
}

constexpr std::pair<char const*, std::string_view> headings[] = {
    {"INPUT AND OUTPUT",
     " --input-format --output-format --missing --vector --transposed-vector --output "
     "--transposed-output "
     "--intermediate --vector-output --add-dataset --rows --cols --type --output-type --layout "
     "--input-layout --chunk --deflate --header --in-place --u --s --vt --components --scores "
     "--variance --ratio --mean --deviations --min --max --count "},
    {"LARGE MATRICES", " --memory-limit --checkpoint --checkpoint-every "},
    {"DEVICE", " --backend --kernels --device --threads --cache-preference --no-tuning-cache "},
    {"REPORT", " --repeat --check --history --plot --format --report "},
};

void add_headings(CLI::App& command) {
  for (CLI::Option* const option : command.get_options()) {
    if (option->get_positional() || option->get_group().empty()) continue;
    std::string const name = " --" + option->get_lnames().at(0) + " ";
    for (auto const& [heading, names] : headings) {
      if (names.find(name) != std::string_view::npos) option->group(heading);
    }
  }
}

}  // namespace

void add_commands(CLI::App& app, std::optional<Options>& chosen) {
  add_generate(app, chosen);
  for (OperationRow const& row : table_of_operations()) add_compute(app, row, chosen);
  add_transpose(app, chosen);
  add_gemm(app, chosen);
  add_least_squares(app, "lstsq", "Minimise |A x - b|", chosen);
  add_least_squares(app, "ridge", "Minimise |A x - b|^2 + lambda |x|^2", chosen);
  add_svd(app, chosen);
  add_pca(app, chosen);
  add_stats(app, chosen);
  add_fit(app, chosen);
  add_bench(app, chosen);
  add_tune(app, chosen);
  add_check(app, chosen);
  add_show(app, chosen);
  add_convert(app, chosen);
  add_info(app, chosen);
  for (CLI::App* const command : app.get_subcommands([](auto const*) { return true; })) {
    add_headings(*command);
  }
}

}  // namespace tessera::app
