// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <app/backend/backends.hpp>
#include <app/base/failure.hpp>
#include <app/base/sha256.hpp>
#include <app/base/text.hpp>
#include <app/commands/commands.hpp>
#include <app/run/files.hpp>
#include <app/run/input.hpp>
#include <app/solve/least_squares.hpp>
#include <app/solve/operator.hpp>
#include <app/solve/residual.hpp>
#include <io/descriptor.hpp>
#include <io/memory.hpp>
#include <io/output_file.hpp>
#include <io/output_path.hpp>
#include <tessera/version.hpp>

namespace tessera::app {
namespace {

using Json = nlohmann::ordered_json;

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
  double const rounding = type == io::ScalarType::f32
                              ? static_cast<double>(std::numeric_limits<float>::epsilon())
                              : std::numeric_limits<double>::epsilon();
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

/// All that a report says.
struct SolveReport {
  LeastSquaresOptions const& options;
  io::MatrixInfo const& info;
  std::string const& input;
  io::ScalarType type;
  SolvePlace const& place;
  LeastSquaresSolution const& solution;
  std::string sha256;
  std::optional<ResidualCheck> check;
};

char const* name_of(LeastSquaresMethod method) {
  return method == LeastSquaresMethod::lsmr ? "lsmr" : "lsqr";
}

std::string line(std::string name, std::string const& text) {
  name.resize(std::max<std::size_t>(name.size(), 13), ' ');
  return "  " + name + text + "\n";
}

std::string to_text(SolveReport const& r) {
  LeastSquaresSolution const& s = r.solution;
  std::string text = (r.options.lambda ? "min |A x - b|^2 + lambda |x|^2" : "min |A x - b|") +
                     std::string("   ") + r.input + "\n";
  text += line("matrix A", std::to_string(r.info.rows) + " rows x " + std::to_string(r.info.cols) +
                               " columns, " + io::describe(r.type, r.info.stored) + ", " +
                               std::string(io::to_string(r.info.layout)));
  text += line("vector b", r.options.right_side);
  if (r.options.lambda) text += line("lambda", general(*r.options.lambda, 6));
  if (!r.options.lambda && r.options.damp > 0) text += line("damp", general(r.options.damp, 6));
  text += line("backend", r.place.backend.name + ", " + r.place.backend.device);
  if (!r.place.why.empty()) text += line("", "why: " + r.place.why);
  text += line("method", name_of(r.options.method) +
                             std::string(r.place.stream ? ", A is streamed at each step: " : "") +
                             (r.place.stream ? r.place.stream->why : ""));
  text += line("stopped", std::string(solve::sentence(s.stop)));
  text += line("steps", std::to_string(s.iterations) + ", A read " + std::to_string(s.reads) +
                            (s.reads == 1 ? " time" : " times"));
  if (s.first_iteration > 0) {
    text += line("", "went on from a checkpoint after step " + std::to_string(s.first_iteration));
  }
  text += line("|b - A x|", general(s.normr, 9));
  text += line("|A^T r|", general(s.normar, 3));
  text += line("|x|", general(s.normx, 9));
  text += line("cond(A)", "about " + general(s.conda, 3));
  text += line("time", duration(s.seconds) +
                           (r.place.stream ? "; reading included"
                                           : "; reading took " + duration(s.reading.seconds)));
  if (!r.options.output.empty()) text += line("output", r.options.output);
  text += line("sha256", r.sha256);
  if (r.check) text += line("check", sentence_of(*r.check));
  return text;
}

/// JSON knows neither infinity nor NaN; they are written as strings.
Json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

Json to_object(ResidualCheck const& check) {
  return {{"passed", check.passed()},
          {"gradient", number(check.gradient)},
          {"gradient_below", number(check.gradient_below)},
          {"residual", number(check.residual)},
          {"residual_below", number(check.residual_below)},
          {"norm_a", number(check.found.norma)},
          {"norm_b", number(check.found.normb)}};
}

std::string to_json(SolveReport const& r) {
  LeastSquaresSolution const& s = r.solution;
  Json const json = {{"operation", r.options.command},
                     {"method", name_of(r.options.method)},
                     {"backend", r.place.backend.name},
                     {"backend_why", r.place.why.empty() ? Json(nullptr) : Json(r.place.why)},
                     {"device", r.place.backend.device},
                     {"rows", r.info.rows},
                     {"cols", r.info.cols},
                     {"type", io::to_string(r.type)},
                     {"layout", io::to_string(r.info.layout)},
                     {"damp", damp_of(r.options)},
                     {"atol", r.options.atol},
                     {"btol", r.options.btol},
                     {"conlim", r.options.conlim},
                     {"stop", solve::sentence(s.stop)},
                     {"converged", solve::is_success(s.stop)},
                     {"iterations", s.iterations},
                     {"first_iteration", s.first_iteration},
                     {"reads", s.reads},
                     {"normr", number(s.normr)},
                     {"normar", number(s.normar)},
                     {"norma", number(s.norma)},
                     {"conda", number(s.conda)},
                     {"normx", number(s.normx)},
                     {"seconds", s.seconds},
                     {"read_seconds", s.reading.seconds},
                     {"stream", r.place.stream ? Json(r.place.stream->why) : Json(nullptr)},
                     {"sha256", r.sha256},
                     {"check", r.check ? to_object(*r.check) : Json(nullptr)},
                     {"version", version},
                     {"input", r.input},
                     {"right_side", r.options.right_side},
                     {"output", r.options.output.empty() ? Json(nullptr) : Json(r.options.output)},
                     {"stored_type", io::to_string(r.info.stored)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string history_of(std::vector<solve::Step> const& steps) {
  std::string text = "iteration,reads,residual,tolerance,norm_of_residual\n";
  for (solve::Step const& step : steps) {
    text += std::to_string(step.iteration) + "," + std::to_string(step.reads) + "," +
            general(step.residual, 9) + "," + general(step.tolerance, 9) + "," +
            general(step.objective, 17) + "\n";
  }
  return text;
}

}  // namespace

ExitStatus run_command(LeastSquaresOptions const& options) {
  require_backend(options.backend);
  require_device_in_use(options.device, options.backend);
  if (options.checkpoint == "-" || io::descriptor_named_by(options.checkpoint)) {
    throw Failure(
        ExitStatus::usage,
        "--checkpoint: expected the name of a file that stays, found " + options.checkpoint);
  }
  std::string const path = resolve_input(options.input).path;
  RunFiles files;
  files.reads(path).reads(options.right_side);
  files.writes(options.output).writes(options.history).writes(options.checkpoint).check();
  check_add_dataset(options.add_dataset, {options.output});
  ResultFile output(options.output, ResultFile::Kind::vector, options.add_dataset);
  std::optional<io::OutputFile> history;
  if (!options.history.empty()) history.emplace(options.history);

  io::MatrixReader const reader = open_input(path, options.input_format);
  io::MatrixInfo const& info = reader.info();
  if (info.in_order_only && (options.check || !options.checkpoint.empty())) {
    throw io::FileError(io::ErrorKind::bad_input, path,
                        "cannot be read again: --check and --checkpoint expected a regular file, "
                        "found " +
                            std::string(info.obstacle()));
  }
  VectorInput const right =
      read_vector_input(reader, options.right_side, OperationId::multiply_transposed, options.type);
  std::uint64_t const vectors = vector_bytes(options, info, right.type);
  SolvePlace const place = choose_place(options, reader, vectors, limit_of(options, info));
  require_threads(options.threads, place.backend);
  if (!place.stream) {
    io::require_memory(vectors, path, "the vectors");
  } else if (options.format != ReportFormat::text) {
    say(path + " is streamed at each step: " + place.stream->why);
  }
  LeastSquaresSolution const solution = solve_least_squares(options,
                                                            {.reader = reader,
                                                             .type = right.type,
                                                             .place = place,
                                                             .kernels = options.kernels,
                                                             .vectors = vectors},
                                                            right.x);
  SolveReport report{.options = options,
                     .info = info,
                     .input = path,
                     .type = right.type,
                     .place = place,
                     .solution = solution,
                     .sha256 = sha256(elements(solution.x)),
                     .check = std::nullopt};
  bool const is_finite = solution.stop != solve::Stop::not_finite;
  if (options.check && is_finite) {
    report.check = check(options, reader, right.type, solution.x, right.x);
  }
  if (is_finite) output.write(solution.x);
  if (history) {
    std::string const text = history_of(solution.history);
    history->write(std::as_bytes(std::span(text)));
    history->commit();
  }
  bool const converged = solve::is_success(solution.stop);
  if (converged && !options.checkpoint.empty()) std::remove(options.checkpoint.c_str());
  bool const as_text = options.format == ReportFormat::text;
  std::fputs((as_text ? to_text(report) : to_json(report)).c_str(), files.report());
  if (!converged) {
    say(std::string(name_of(options.method)) + " did not converge: " +
        solve::sentence(solution.stop) + (is_finite ? "" : "; no x is written"));
  }
  bool const passed = !report.check || report.check->passed();
  return converged && passed ? ExitStatus::good : ExitStatus::difference;
}

}  // namespace tessera::app
