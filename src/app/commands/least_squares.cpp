// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <app/base/failure.hpp>
#include <app/base/sha256.hpp>
#include <app/base/text.hpp>
#include <app/commands/commands.hpp>
#include <app/commands/solving.hpp>
#include <app/run/files.hpp>
#include <app/run/input.hpp>
#include <app/solve/solve.hpp>

namespace tessera::app {
namespace {

std::vector<ResidualCheck> check_all(LeastSquaresOptions const& options,
                                     io::MatrixReader const& reader, io::ScalarType type,
                                     io::HostVector const& x, VectorOfFile const& b) {
  std::vector<ResidualCheck> checks;
  std::int64_t const solutions = solutions_of(options, b.columns);
  checks.reserve(static_cast<std::size_t>(solutions));
  for (std::int64_t j = 0; j < solutions; ++j) {
    LeastSquaresOptions of_one = options;
    if (is_path(options)) of_one.lambdas = {options.lambdas[static_cast<std::size_t>(j)]};
    checks.push_back(check_least_squares(of_one, reader, type, part_of(x, solutions, j),
                                         part_of(b.x, b.columns, is_path(options) ? 0 : j)));
  }
  return checks;
}

std::string sentence_of(ColumnCheck const& check) {
  if (check.is_determined()) return "";
  std::string const j = std::to_string(check.column);
  std::string const move = std::isfinite(check.move) ? "by " + general(check.move, 3) + " of itself"
                                                     : std::string("away from 0");
  return "x_" + j + " is not determined to 1e-3: moving it " + move +
         " lowers |r|; |a_j^T r|/(|a_j| |r|) = " + general(check.gradient, 3) +
         (check.passed() ? ", which the tolerance allows"
                         : " (small is " + general(check.gradient_below, 3) + ")");
}

std::string sentence_of(ResidualCheck const& check) {
  return std::string(check.passed() ? "passed" : "FAILED") +
         ": |A^T r|/(|A| |r|) = " + general(check.gradient, 3) + " (small is " +
         general(check.gradient_below, 3) + "), |r| = " + general(check.residual, 6) +
         " (small is " + general(check.residual_below, 3) + ")";
}

std::string table_of(LeastSquaresOptions const& options, std::vector<RightSideFacts> const& all) {
  std::vector<std::vector<std::string>> lines{{is_path(options) ? "  lambda" : "  column",
                                               "iterations", "|b - A x|", "|A^T r|", "|x|",
                                               "stopped"}};
  for (std::size_t j = 0; j < all.size(); ++j) {
    RightSideFacts const& facts = all[j];
    lines.push_back(
        {"  " + (is_path(options) ? general(options.lambdas[j], 6) : std::to_string(j + 1)),
         std::to_string(facts.iterations), general(facts.normr, 9), general(facts.normar, 3),
         general(facts.normx, 9), std::string(solve::sentence(facts.stop))});
  }
  return aligned(lines, {});
}

/// In the element order of its file.
std::string digest_of(LeastSquaresSolution const& s) {
  auto const columns = static_cast<std::int64_t>(s.facts.size());
  return sha256(columns == 1 ? elements(s.x) : elements(matrix_of(s.x, columns)));
}

std::string to_text(LeastSquaresOptions const& options, SolveSubject const& subject,
                    LeastSquaresSolution const& s, std::vector<ResidualCheck> const& checks) {
  bool const is_one = s.facts.size() == 1;
  RightSideFacts const& first = s.facts.front();
  bool const is_block = !is_one && !is_path(options);
  std::string text = (!options.lambdas.empty() ? "min |A x - b|^2 + lambda |x|^2"
                      : options.damp > 0       ? "min |A x - b|^2 + damp^2 |x|^2"
                                               : "min |A x - b|") +
                     std::string("   ") + subject.reader.path() + "\n";
  text += matrix_line(subject);
  text += report_line(
      is_block ? "vectors b" : "vector b",
      options.right_side + (is_block ? ", " + std::to_string(s.facts.size()) + " columns" : ""));
  if (is_path(options)) {
    text +=
        report_line("lambda", std::to_string(s.facts.size()) + " values; X has a column for each");
  } else if (!options.lambdas.empty()) {
    text += report_line("lambda", general(options.lambdas.front(), 6));
  } else if (options.damp > 0) {
    text += report_line("damp", general(options.damp, 6));
  }
  text += run_lines(subject);
  if (is_one) {
    text += report_line("|b - A x|", general(first.normr, 9));
    text += report_line("|A^T r|", general(first.normar, 3));
    text += report_line("|x|", general(first.normx, 9));
  }
  if (std::ranges::any_of(s.facts, &RightSideFacts::has_scaled_columns)) {
    text += report_line("columns", "scaled to equal norms");
  }
  if (!is_path(options)) {
    text += report_line("cond(A)", "about " + general(first.conda, 3) +
                                       (first.has_scaled_columns ? ", of the scaled columns" : ""));
  }
  if (first.rank >= 0 && !is_path(options)) {
    text += report_line("rank", std::to_string(first.rank) + " of " +
                                    std::to_string(subject.reader.info().cols) + " columns");
  }
  text += time_line(subject);
  if (!options.output.empty()) text += report_line("output", options.output);
  text += report_line("sha256", digest_of(s));
  for (ResidualCheck const& check : checks) {
    text += report_line("check", sentence_of(check));
    std::string const of_column = sentence_of(check.column);
    if (!of_column.empty()) text += report_line("", of_column);
  }
  return is_one ? text : text + table_of(options, s.facts);
}

Json to_object(ColumnCheck const& check) {
  if (check.is_determined()) return nullptr;
  return {{"column", check.column},
          {"passed", check.passed()},
          {"gradient", json_number(check.gradient)},
          {"gradient_below", json_number(check.gradient_below)},
          {"move", json_number(check.move)}};
}

Json to_object(ResidualCheck const& check) {
  return {{"passed", check.passed()},
          {"gradient", json_number(check.gradient)},
          {"gradient_below", json_number(check.gradient_below)},
          {"residual", json_number(check.residual)},
          {"residual_below", json_number(check.residual_below)},
          {"undetermined", to_object(check.column)},
          {"norm_a", json_number(check.found.norma)},
          {"norm_b", json_number(check.found.normb)}};
}

Json to_object(RightSideFacts const& facts, ResidualCheck const* check) {
  return {{"normr", json_number(facts.normr)},
          {"normar", json_number(facts.normar)},
          {"norma", json_number(facts.norma)},
          {"conda", json_number(facts.conda)},
          {"normx", json_number(facts.normx)},
          {"rank", facts.rank >= 0 ? Json(facts.rank) : Json(nullptr)},
          {"scaled_columns", facts.has_scaled_columns},
          {"check", check != nullptr ? to_object(*check) : Json(nullptr)}};
}

std::string to_json(LeastSquaresOptions const& options, SolveSubject const& subject,
                    LeastSquaresSolution const& s, std::vector<ResidualCheck> const& checks) {
  Json json = to_object(subject);
  StoppingBounds const bounds = stopping_bounds(options, subject.type);
  std::vector<double> const damps = damps_of(options);
  auto const lambda_of = [&](std::size_t j) {
    return options.lambdas.empty() ? options.damp * options.damp : options.lambdas[j];
  };
  json.update({{"damp", is_path(options) ? json_numbers(damps) : Json(damps.front())},
               {"lambda", is_path(options) ? json_numbers(options.lambdas) : Json(lambda_of(0))},
               {"atol", bounds.atol},
               {"btol", bounds.btol},
               {"conlim", bounds.conlim},
               {"sha256", digest_of(s)},
               {"right_side", options.right_side},
               {"output", text_or_null(options.output)}});
  auto const of = [&](std::size_t j) {
    return to_object(s.facts[j], checks.empty() ? nullptr : &checks[j]);
  };
  if (s.facts.size() == 1) {
    json.update(of(0));
    return json_text(json);
  }
  json["columns"] = Json::array();
  for (std::size_t j = 0; j < s.facts.size(); ++j) {
    RightSideFacts const& facts = s.facts[j];
    Json column{{"stop", solve::sentence(facts.stop)},
                {"converged", solve::is_success(facts.stop)},
                {"iterations", facts.iterations},
                {"reads", facts.reads}};
    if (is_path(options)) column["lambda"] = lambda_of(j);
    column.update(of(j));
    json["columns"].push_back(std::move(column));
  }
  return json_text(json);
}

void require_one(LeastSquaresOptions const& options, VectorOfFile const& b) {
  std::string const picture = !options.history.empty() ? "--history"
                              : !options.plot.empty()  ? "--plot"
                                                       : "";
  if (is_path(options)) {
    std::string const found = std::to_string(options.lambdas.size());
    if (!picture.empty()) {
      throw Failure(ExitStatus::usage, picture + ": expected one --lambda, found " + found +
                                           "; solve for one at a time");
    }
    if (b.columns == 1) return;
    throw Failure(ExitStatus::usage,
                  "--lambda: expected one number for several right-hand sides, found " + found +
                      " and " + std::to_string(b.columns) + " columns in " + options.right_side +
                      "; solve for one number or for one column at a time");
  }
  std::string const option =
      picture.empty() && !options.checkpoint.empty() ? "--checkpoint" : picture;
  if (b.columns == 1 || option.empty()) return;
  throw Failure(ExitStatus::usage, option + ": expected one right-hand side, found " +
                                       std::to_string(b.columns) + " columns in " +
                                       options.right_side);
}

/// Empty if all entries of b are finite.
std::string not_finite_in(std::string const& path, VectorOfFile const& b) {
  return std::visit(
      [&](auto const& x) -> std::string {
        std::size_t const rows = x.size() / static_cast<std::size_t>(b.columns);
        for (std::size_t i = 0; i < x.size(); ++i) {
          if (std::isfinite(x(i))) continue;
          return path + " has " + (std::isnan(x(i)) ? "a NaN" : "an infinity") + " in row " +
                 std::to_string(i % rows) +
                 (b.columns == 1 ? "" : ", column " + std::to_string(i / rows));
        }
        return "";
      },
      b.x);
}

/// What decides when the method stops, by iteration.
Chart chart_of(std::vector<solve::Step> const& history) {
  Series residual{.name = "convergence ratio"};
  Series tolerance{.name = "tolerance", .mark = Series::Mark::dashes};
  for (solve::Step const& step : history) {
    residual.x.push_back(static_cast<double>(step.iteration));
    residual.y.push_back(step.residual);
    tolerance.y.push_back(step.tolerance);
  }
  tolerance.x = residual.x;
  return {.title = "residual by iteration",
          .across = "iteration",
          .up = "convergence ratio",
          .is_logarithmic = true,
          .series = {residual, tolerance}};
}

}  // namespace

ExitStatus run_command(LeastSquaresOptions const& options) {
  require_solvable(options);
  if (options.method == LeastSquaresMethod::direct && options.maxiter) {
    throw Failure(ExitStatus::usage,
                  "--maxiter: --method direct has no iterations; leave it out, or use --method "
                  "lsmr or lsqr");
  }
  std::string const path = resolve_input(options.input).path;
  RunFiles files;
  files.reads(path).reads(options.right_side);
  files.writes(options.output).writes(options.history).writes(options.plot);
  files.writes(options.checkpoint);
  files.reports(options.report, options.format).check();
  CheckpointPlace const checkpoint(options.checkpoint);
  check_add_dataset(options.add_dataset, {options.output});

  io::MatrixReader const reader = open_solved(options, path);
  io::ScalarType const type = options.type.value_or(reader.info().type);
  VectorOfFile const b = read_right_side(options, reader, options.right_side, false, Blocks::taken);
  require_one(options, b);
  std::int64_t const solutions = solutions_of(options, b.columns);
  auto const kind = solutions == 1 ? ResultFile::Kind::vector : ResultFile::Kind::matrix;
  ResultFile output(options.output, kind, options.add_dataset);
  HistoryFile history(options.history);
  if (!options.plot.empty() && is_direct(options, reader.info())) {
    throw Failure(ExitStatus::usage,
                  "--plot: the direct method has no iterations to draw; use --method lsmr or lsqr");
  }
  PlotFile plot(options.plot);
  std::uint64_t const vectors = vector_bytes(options, reader.info(), type, b.columns);
  std::uint64_t const copies = bytes_in_memory(options, reader.info(), type, b.columns);
  SolvePlace const place =
      begin_solve(options, reader, vectors, copies, limit_of(options, reader.info()));
  bool const directly = is_direct(options, reader.info());
  std::int64_t const together = right_sides_at_once(options, reader.info(), type, b.columns);
  // The direct method multiplies with all solutions at once.
  std::int64_t const block = is_path(options) ? solutions : together;
  std::int64_t const gram_width =
      directly ? static_cast<std::int64_t>(reader.info().cols) + together : 0;
  LeastSquaresSolution solution = solve_least_squares(options,
                                                      {.reader = reader,
                                                       .type = type,
                                                       .place = place,
                                                       .vectors = vectors,
                                                       .in_segments = directly,
                                                       .block = directly ? block : 0,
                                                       .gram_width = gram_width},
                                                      b);
  bool const is_finite = std::ranges::none_of(solution.facts, [](RightSideFacts const& facts) {
    return facts.stop == solve::Stop::not_finite;
  });
  if (!is_finite) solution.run.detail = not_finite_in(options.right_side, b);
  SolveSubject const subject{.options = options,
                             .reader = reader,
                             .type = type,
                             .place = place,
                             .run = solution.run,
                             .method = directly ? options.command + " by Gram matrices"
                                       : options.method == LeastSquaresMethod::lsqr ? "lsqr"
                                                                                    : "lsmr"};
  std::vector<ResidualCheck> checks;
  if (is_finite) {
    if (options.check) checks = check_all(options, reader, type, solution.x, b);
    if (solutions == 1) {
      output.write(solution.x);
    } else {
      output.write(matrix_of(solution.x, solutions));
    }
  }
  history.write(solution.run.history, "norm_of_residual");
  plot.write(subject.method + " for " + reader.path(), {chart_of(solution.run.history)});
  put_in_place({output.written(), history.file(), plot.file()});
  auto const report = [&] {
    return options.format == ReportFormat::text ? to_text(options, subject, solution, checks)
                                                : to_json(options, subject, solution, checks);
  };
  return end_solve(subject, files, checkpoint, report, "x",
                   std::ranges::all_of(checks, &ResidualCheck::passed));
}

}  // namespace tessera::app
