// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include <app/base/failure.hpp>
#include <app/base/sha256.hpp>
#include <app/base/text.hpp>
#include <app/commands/commands.hpp>
#include <app/commands/solving.hpp>
#include <app/run/files.hpp>
#include <app/run/input.hpp>
#include <app/solve/least_squares.hpp>
#include <app/solve/operator.hpp>
#include <app/solve/precise_rows.hpp>
#include <app/solve/residual.hpp>

namespace tessera::app {
namespace {

/// What an independent look at x found.
struct ResidualCheck {
  Residual found;
  double gradient = 0;        ///< ‖Aᵀr - damp²·x‖/(‖A‖·‖r‖)
  double gradient_below = 0;  ///< where that counts as small
  double residual = 0;        ///< ‖r‖
  double residual_below = 0;

  [[nodiscard]] bool passed() const {
    return gradient <= gradient_below || residual <= residual_below;
  }
};

/// x passes where either test of the method holds with ten times its tolerance, and as many
/// roundings of the type as a step has.
ResidualCheck check(LeastSquaresOptions const& options, io::MatrixReader const& reader,
                    io::ScalarType type, io::HostVector const& x, io::HostVector const& b) {
  double const rounding = rounding_of(type);
  double const damp = damp_of(options);
  Residual const r = residual_of(reader, x, b, damp);
  // Of the problem with damp·I below A.
  double const norma =
      std::sqrt(r.norma * r.norma + damp * damp * static_cast<double>(reader.info().cols));
  double const normr = std::sqrt(r.normr * r.normr + damp * damp * r.normx * r.normx);
  double const product = norma * normr;
  return {.found = r,
          .gradient = product > 0 ? r.gradient / product : 0,
          .gradient_below = 10 * (options.atol + rounding),
          .residual = normr,
          .residual_below = 10 * ((options.btol + rounding) * r.normb +
                                  (options.atol + rounding) * norma * r.normx)};
}

std::string sentence_of(ResidualCheck const& check) {
  return std::string(check.passed() ? "passed" : "FAILED") +
         ": |A^T r|/(|A| |r|) = " + general(check.gradient, 3) + " (small is " +
         general(check.gradient_below, 3) + "), |r| = " + general(check.residual, 6) +
         " (small is " + general(check.residual_below, 3) + ")";
}

std::string to_text(LeastSquaresOptions const& options, SolveSubject const& subject,
                    LeastSquaresSolution const& s, std::optional<ResidualCheck> const& check) {
  std::string text = (options.lambda ? "min |A x - b|^2 + lambda |x|^2" : "min |A x - b|") +
                     std::string("   ") + subject.reader.path() + "\n";
  text += matrix_line(subject);
  text += report_line("vector b", options.right_side);
  if (options.lambda) text += report_line("lambda", general(*options.lambda, 6));
  if (!options.lambda && options.damp > 0) text += report_line("damp", general(options.damp, 6));
  text += run_lines(subject);
  text += report_line("|b - A x|", general(s.normr, 9));
  text += report_line("|A^T r|", general(s.normar, 3));
  text += report_line("|x|", general(s.normx, 9));
  text += report_line("cond(A)", "about " + general(s.conda, 3));
  text += time_line(subject);
  if (!options.output.empty()) text += report_line("output", options.output);
  text += report_line("sha256", sha256(elements(s.x)));
  if (check) text += report_line("check", sentence_of(*check));
  return text;
}

Json to_object(ResidualCheck const& check) {
  return {{"passed", check.passed()},
          {"gradient", json_number(check.gradient)},
          {"gradient_below", json_number(check.gradient_below)},
          {"residual", json_number(check.residual)},
          {"residual_below", json_number(check.residual_below)},
          {"norm_a", json_number(check.found.norma)},
          {"norm_b", json_number(check.found.normb)}};
}

std::string to_json(LeastSquaresOptions const& options, SolveSubject const& subject,
                    LeastSquaresSolution const& s, std::optional<ResidualCheck> const& check) {
  Json json = to_object(subject);
  json.update({{"damp", damp_of(options)},
               {"atol", options.atol},
               {"btol", options.btol},
               {"conlim", options.conlim},
               {"normr", json_number(s.normr)},
               {"normar", json_number(s.normar)},
               {"norma", json_number(s.norma)},
               {"conda", json_number(s.conda)},
               {"normx", json_number(s.normx)},
               {"sha256", sha256(elements(s.x))},
               {"check", check ? to_object(*check) : Json(nullptr)},
               {"right_side", options.right_side},
               {"output", json_file(options.output)}});
  return to_string(json);
}

}  // namespace

ExitStatus run_command(LeastSquaresOptions const& options) {
  require_solvable(options);
  std::string const path = resolve_input(options.input).path;
  RunFiles files;
  files.reads(path).reads(options.right_side);
  files.writes(options.output).writes(options.history).writes(options.checkpoint).check();
  check_add_dataset(options.add_dataset, {options.output});
  ResultFile output(options.output, ResultFile::Kind::vector, options.add_dataset);
  HistoryFile history(options.history);

  io::MatrixReader const reader = open_solved(options, path);
  io::ScalarType const type = options.type.value_or(reader.info().type);
  io::HostVector const b = read_right_side(options, reader, options.right_side);
  std::uint64_t const vectors = vector_bytes(options, reader.info(), type);
  SolvePlace const place =
      begin_solve(options, reader, vectors, 0, limit_of(options, reader.info()));
  LeastSquaresSolution const solution = solve_least_squares(options,
                                                            {.reader = reader,
                                                             .type = type,
                                                             .place = place,
                                                             .kernels = options.kernels,
                                                             .vectors = vectors},
                                                            b);
  SolveSubject const subject{
      .options = options,
      .command = options.command,
      .reader = reader,
      .type = type,
      .place = place,
      .run = solution.run,
      .method = options.method == LeastSquaresMethod::lsmr ? "lsmr" : "lsqr"};
  std::optional<ResidualCheck> checked;
  if (solution.run.stop != solve::Stop::not_finite) {
    if (options.check) checked = check(options, reader, type, solution.x, b);
    output.write(solution.x);
  }
  history.write(solution.run.history, "norm_of_residual");
  bool const as_text = options.format == ReportFormat::text;
  return end_solve(subject, files,
                   as_text ? to_text(options, subject, solution, checked)
                           : to_json(options, subject, solution, checked),
                   "x", !checked || checked->passed());
}

}  // namespace tessera::app
