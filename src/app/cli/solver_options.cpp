// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// The options of the commands that solve.

#include <cstdint>
#include <limits>
#include <string>

#include <CLI/CLI.hpp>

#include <app/cli/command_options.hpp>
#include <app/cli/help_texts.hpp>
#include <app/cli/option_kinds.hpp>
#include <app/cli/options.hpp>

namespace tessera::app {
namespace {

void add_solve(CLI::App& command, SolveOptions& options, std::uint64_t least,
               std::string const& check_help) {
  add_input_format(command, options.input_format, formats_with_shape, "A");
  add_missing(command, options.missing,
              "Entries that count as the mean of their column: nan, or a number such as 255; needs "
              "one more pass over A");
  add_output_file(command, "--history", options.history, "CSV file with one line per iteration");
  add_count(command, "--maxiter", options.maxiter,
            {.least = least, .most = std::uint64_t{1} << 40U},
            "Most iterations (else chosen by the method)");
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
  auto const [command, options] =
      add_command<LeastSquaresOptions>(app, chosen, name, what, help::least_squares);
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
  add_result_file(command, "--output", options.output, "x");
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
  add_count(command, "--ncv", options.ncv, {},
            "Vectors of the basis between two restarts (else chosen by the method)");
  add_solve(command, options, 1, "Verify the result in higher precision");
}

void add_svd(CLI::App& app, Chosen& chosen) {
  auto const [command, options] = add_command<TripletOptions>(
      app, chosen, "svd", "Compute the largest singular values of A", help::svd);
  add_triplets(command, options);
  add_output_file(command, "--u", options.u, "File for U, one vector per column (.npy)");
  add_result_file(command, "--s", options.s, "the singular values");
  add_output_file(command, "--vt", options.vt, "File for V^T, one vector per row (.npy)");
  add_output_file(command, "--plot", options.plot,
                  "File for a picture of the singular values (.svg)");
  add_choice(command, "--method", options.method, triplet_methods,
             "Method (auto: direct for at most 512 columns without --ncv and --maxiter, otherwise "
             "lanczos)");
  add_count(command, "--oversampling", options.oversampling, {.least = 0, .most = 1'000'000},
            "randomized: vectors of a block in addition to K (else 10)");
  add_count(command, "--power-iterations", options.power_iterations,
            {.least = 0, .most = 1'000'000},
            "randomized: passes over A that improve the vectors (else 4)");
  add_count(command, "--seed", options.seed, {.least = 0, .most = (std::uint64_t{1} << 24U) - 1},
            "randomized: seed of the first vectors (else 0)");
  add_triplet_solve(command, options);
}

void add_pca(CLI::App& app, Chosen& chosen) {
  auto const [command, options] = add_command<TripletOptions>(
      app, chosen, "pca", "Compute the principal components of A", help::pca);
  add_triplets(command, options);
  command.add_flag("--scale", options.scale, "Divide each column by its standard deviation");
  add_choice(command, "--method", options.method, pca_methods, "Method, as in `tessera svd`");
  add_output_file(command, "--components", options.vt,
                  "File for the components, one per row (.npy)");
  add_output_file(command, "--scores", options.scores,
                  "File for the scores, the coordinates of the rows of A (.npy)");
  add_result_file(command, "--variance", options.variance, "the variance of each component");
  add_result_file(command, "--ratio", options.ratio, "its share of the total variance");
  add_result_file(command, "--mean", options.mean, "the mean of each column");
  add_result_file(command, "--deviations", options.deviations,
                  "the standard deviation of each column");
  add_output_file(command, "--plot", options.plot,
                  "File for a picture of the explained variance, and of the rows of A in the first "
                  "two components (.svg)");
  add_triplet_solve(command, options);
}

void add_stats(CLI::App& app, Chosen& chosen) {
  auto const [command, options] = add_command<StatsOptions>(
      app, chosen, "stats", "Compute means, variances and extremes of the columns of A",
      help::stats);
  add_solved_matrix(command, options);
  add_count(command, "--ddof", options.ddof, {.least = 0, .most = 1'000'000},
            "Subtracted from the number of entries in the divisor of a variance")
      ->default_str("0");
  add_missing(command, options.missing, "Entries that are left out: nan, or a number such as 255");
  add_result_file(command, "--mean", options.mean, "the mean of each column");
  add_result_file(command, "--variance", options.variance, "the variance of each column");
  add_result_file(command, "--deviations", options.deviations,
                  "the standard deviation of each column");
  add_result_file(command, "--min", options.min, "the smallest entry of each column");
  add_result_file(command, "--max", options.max, "the largest entry of each column");
  add_result_file(command, "--count", options.count,
                  "the number of entries of each column that are not missing");
  add_input_format(command, options.input_format, formats_with_shape, "A");
  add_memory_limit(command, options.memory_limit);
  add_place(command, options);
  add_threads(command, options.threads);
  add_dataset_flag(command, options.add_dataset);
  add_report(command, options, info_formats);
}

void add_fit(CLI::App& app, Chosen& chosen) {
  auto const [command, options] = add_command<FitOptions>(
      app, chosen, "fit", "Fit a linear, logistic, Poisson, gamma or Tweedie regression",
      help::fit);
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
  add_result_file(command, "--output", options.output, "x");
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
}

}  // namespace

void add_solvers(CLI::App& app, Chosen& chosen) {
  add_least_squares(app, "lstsq", "Minimise |A x - b|", chosen);
  add_least_squares(app, "ridge", "Minimise |A x - b|^2 + lambda |x|^2", chosen);
  add_svd(app, chosen);
  add_pca(app, chosen);
  add_stats(app, chosen);
  add_fit(app, chosen);
}

}  // namespace tessera::app
