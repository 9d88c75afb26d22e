// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
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
#include <io/errors.hpp>

namespace tessera::app {
namespace {

struct LossRow {
  RegressionLoss loss;
  char const* name;
  char const* formula;
};
constexpr std::array<LossRow, 5> loss_rows{{
    {RegressionLoss::linear, "linear", "min sum (eta - y)^2/2"},
    {RegressionLoss::logistic, "logistic", "min sum log(1 + e^eta) - y eta"},
    {RegressionLoss::poisson, "poisson", "min sum e^eta - y eta"},
    {RegressionLoss::gamma, "gamma", "min sum y e^-eta + eta"},
    {RegressionLoss::tweedie, "tweedie",
     "min sum e^((2 - p) eta)/(2 - p) + y e^((1 - p) eta)/(p - 1)"},
}};

LossRow const& row_of_loss(RegressionLoss loss) {
  return *std::ranges::find(loss_rows, loss, &LossRow::loss);
}

void require_power(FitOptions const& options) {
  bool const is_tweedie = options.loss == RegressionLoss::tweedie;
  std::string sentence;
  if (is_tweedie && !options.power) {
    sentence = "fit tweedie: expected --power P, the power of the mean in the variance, found none";
  } else if (!is_tweedie && options.power) {
    sentence =
        std::string("--power: expected the loss tweedie, found ") + row_of_loss(options.loss).name;
  } else if (is_tweedie && !(*options.power > 1)) {
    sentence = "--power: expected a number above 1, found " + general(*options.power, 9) +
               "; for a power of 1 use fit poisson";
  }
  if (!sentence.empty()) throw Failure(ExitStatus::usage, sentence);
}

template <class IsGood>
void require_entries(io::HostVector const& x, std::string const& path, std::string const& expected,
                     IsGood const& is_good) {
  std::visit(
      [&](auto const& view) {
        for (std::size_t i = 0; i < view.size(); ++i) {
          auto const entry = static_cast<double>(view(i));
          if (is_good(entry)) continue;
          throw io::FileError(io::ErrorKind::bad_input, path,
                              "expected " + expected + ", found " + general(entry, 9) +
                                  " at entry " + std::to_string(i));
        }
      },
      x);
}

/// Replaces labels by indices of classes, ascending. Two classes may be any numbers; more are
/// whole. A single class 0 or 1, infinity and NaN are left to the solver.
void take_classes(io::MatrixInfo const& info, std::string const& path, FitRows& rows) {
  auto const refuse = [&](std::string const& sentence) {
    throw io::FileError(io::ErrorKind::bad_input, path, sentence);
  };
  auto const most = static_cast<std::size_t>(most_classes(info));
  std::map<double, std::uint64_t> found;
  std::string not_whole;
  auto const take = [&](double label, std::size_t i) {
    if (!std::isfinite(label)) return;
    if (label != std::floor(label) && not_whole.empty()) {
      not_whole = general(label, 9) + " at entry " + std::to_string(i);
    }
    bool const is_new = ++found[label] == 1;
    if (!is_new || found.size() <= 2) return;
    if (!not_whole.empty()) {
      refuse("expected labels of two numbers, or more classes of whole numbers, found " +
             not_whole);
    }
    if (found.size() <= most) return;
    refuse("expected at most " + std::to_string(most) + " classes for " +
           std::to_string(info.cols) + " columns, found a further one, " + general(label, 9) +
           ", at entry " + std::to_string(i) + "; fit each class against the others instead");
  };
  std::visit(
      [&](auto const& view) {
        for (std::size_t i = 0; i < view.size(); ++i) take(static_cast<double>(view(i)), i);
      },
      rows.y);
  if (found.size() < 2) {
    if (found.empty() || found.contains(0) || found.contains(1)) return;
    refuse("expected labels of two numbers, found " + general(found.begin()->first, 9) +
           " in all entries");
  }
  for (auto const& [label, count] : found) {
    rows.classes.push_back(label);
    rows.counts.push_back(count);
  }
  std::visit(
      [&]<class T>(io::VectorView<T> const& view) {
        for (std::size_t i = 0; i < view.size(); ++i) {
          if (!std::isfinite(view(i))) continue;
          auto const at = std::ranges::lower_bound(rows.classes, static_cast<double>(view(i)));
          view(i) = static_cast<T>(at - rows.classes.begin());
        }
      },
      rows.y);
}

void require_classes(FitOptions const& options, FitRows const& rows) {
  if (rows.predictors() == 1) return;
  std::string const of = " for labels of " + std::to_string(rows.classes.size()) + " classes";
  if (options.solver != FitSolver::automatic && options.solver != FitSolver::newton) {
    throw Failure(ExitStatus::usage,
                  "--solver: expected auto or newton" + of + ", found " +
                      (options.solver == FitSolver::lbfgs ? "lbfgs" : "newton-cg"));
  }
  if (rows.offset) {
    throw Failure(ExitStatus::usage,
                  "--offset: expected none" + of +
                      ": it is the same for all classes, and changes nothing; leave it out");
  }
  if (!rows.weights) return;
  std::vector<double> sums(rows.classes.size());
  std::visit(
      [&]<class T>(io::VectorView<T> const& y) {
        auto const& weights = std::get<io::VectorView<T>>(*rows.weights);
        for (std::size_t i = 0; i < y.size(); ++i) {
          if (std::isfinite(y(i)))
            sums[static_cast<std::size_t>(y(i))] += static_cast<double>(weights(i));
        }
      },
      rows.y);
  for (std::size_t k = 0; k < sums.size(); ++k) {
    if (sums[k] > 0) continue;
    throw io::FileError(io::ErrorKind::bad_input, options.weights,
                        "expected a weight above 0 in every class, found none in class " +
                            general(rows.classes[k], 9));
  }
}

FitRows read_rows(FitOptions const& options, io::MatrixReader const& reader) {
  // Both types represent whole labels and counts.
  bool const is_whole =
      options.loss == RegressionLoss::logistic || options.loss == RegressionLoss::poisson;
  FitRows rows{.y = read_right_side(options, reader, options.labels, is_whole).x};
  if (options.loss == RegressionLoss::logistic) {
    take_classes(reader.info(), options.labels, rows);
  } else if (options.loss == RegressionLoss::poisson) {
    // Infinity and NaN: the solver names their row.
    require_entries(rows.y, options.labels, "counts of at least 0",
                    [](double y) { return y >= 0 || !std::isfinite(y); });
  } else if (options.loss == RegressionLoss::gamma || options.power.value_or(0) >= 2) {
    require_entries(rows.y, options.labels, "numbers above 0",
                    [](double y) { return y > 0 || !std::isfinite(y); });
  } else if (options.loss == RegressionLoss::tweedie) {
    require_entries(rows.y, options.labels, "numbers of at least 0",
                    [](double y) { return y >= 0 || !std::isfinite(y); });
  }
  if (!options.weights.empty()) {
    rows.weights = read_right_side(options, reader, options.weights, true).x;
    bool is_any = false;
    require_entries(*rows.weights, options.weights, "finite weights of at least 0",
                    [&](double weight) {
                      is_any = is_any || weight > 0;
                      return weight >= 0 && std::isfinite(weight);
                    });
    if (!is_any) {
      throw io::FileError(io::ErrorKind::bad_input, options.weights,
                          "expected a weight above 0, found 0 in all entries");
    }
  }
  if (!options.offset.empty()) {
    rows.offset = read_right_side(options, reader, options.offset, true).x;
    require_entries(*rows.offset, options.offset, "finite offsets",
                    [](double offset) { return std::isfinite(offset); });
  }
  require_classes(options, rows);
  return rows;
}

std::string sentence_of(GradientCheck const& check) {
  return std::string(check.passed() ? "passed" : "FAILED") + ": scaled gradient " +
         general(check.gradient, 3) + " (at most " + general(check.gradient_below, 3) + ")";
}

std::string classes_of(FitRows const& rows) {
  constexpr std::size_t most = 10;
  auto const& classes = rows.classes;
  auto const& counts = rows.counts;
  if (classes.size() == 2) {
    return general(classes[0], 9) + " (y = 0) and " + general(classes[1], 9) + " (y = 1), of " +
           std::to_string(counts[0]) + " and " + std::to_string(counts[1]) + " rows";
  }
  std::string text;
  for (std::size_t k = 0; k < std::min(most, classes.size()); ++k) {
    text += (k == 0 ? "" : ", ") + general(classes[k], 9) + " (" + std::to_string(counts[k]) +
            (counts[k] == 1 ? " row)" : " rows)");
  }
  if (classes.size() > most) text += ", and " + std::to_string(classes.size() - most) + " more";
  return text;
}

constexpr std::size_t most_lines = 40;  ///< longer tables are omitted

std::string intercepts_of(FitRows const& rows, Fit const& fit) {
  if (fit.intercepts.empty()) return report_line("intercept", general(fit.intercept, 17));
  if (fit.intercepts.size() > most_lines) {
    return report_line("intercepts", "one for each class, in the report of --format json");
  }
  std::vector<std::vector<std::string>> lines{{"class", "intercept"}};
  for (std::size_t k = 0; k < fit.intercepts.size(); ++k) {
    lines.push_back({general(rows.classes[k], 9), general(fit.intercepts[k], 17)});
  }
  return aligned(lines, {});
}

/// Like statsmodels; empty for many columns.
std::string table_of(Fit const& fit) {
  auto const& errors = fit.standard_errors;
  if (errors.empty() || errors.size() > most_lines + 1) return "";
  std::vector<std::vector<std::string>> lines{
      {"column", "coefficient", "standard error", "z", "P(>|z|)"}};
  std::visit(
      [&](auto const& x) {
        for (std::size_t j = 0; j < errors.size(); ++j) {
          bool const is_last = j == x.size();
          double const value = is_last ? fit.intercept : static_cast<double>(x(j));
          if (is_last && std::isnan(errors[j])) continue;
          double const z = value / errors[j];
          lines.push_back({is_last ? "intercept" : std::to_string(j), general(value, 9),
                           general(errors[j], 5), general(z, 4),
                           general(std::erfc(std::fabs(z) / std::sqrt(2.0)), 3)});
        }
      },
      fit.x);
  return aligned(lines, {});
}

io::HostMatrix rows_of(io::HostVector const& x, std::int64_t classes) {
  auto const count = static_cast<std::size_t>(classes);
  return std::visit(
      [&]<class T>(io::VectorView<T> const& all) -> io::HostMatrix {
        return io::MatrixView<T, Kokkos::LayoutRight>(all.data(), count, all.size() / count);
      },
      x);
}

std::string to_text(FitOptions const& options, SolveSubject const& subject, FitRows const& rows,
                    Fit const& fit, std::optional<GradientCheck> const& check) {
  bool const has_classes = rows.predictors() > 1;
  std::string text =
      (has_classes ? "min sum log(sum_k e^eta_k) - eta_y" : row_of_loss(options.loss).formula) +
      std::string(options.penalty > 0 ? " + penalty |x|^2/2   " : "   ") + subject.reader.path() +
      "\n";
  text += matrix_line(subject);
  bool const has_labels = options.loss == RegressionLoss::logistic;
  text += report_line(has_labels ? "labels y" : "response y", options.labels);
  if (!rows.classes.empty()) {
    text += report_line("classes", classes_of(rows));
  }
  if (rows.weights) text += report_line("weights", options.weights);
  std::string const of_class = has_classes ? "_k" : "";
  text += report_line("eta" + of_class,
                      "A x" + of_class + (options.has_intercept ? " + intercept" + of_class : "") +
                          (rows.offset ? " + " + options.offset : "") +
                          (has_classes ? ", for each class k" : ""));
  if (options.power) text += report_line("power", "p = " + general(*options.power, 6));
  if (options.penalty > 0) text += report_line("penalty", general(options.penalty, 6));
  text += run_lines(subject);
  text += report_line("loss", general(fit.loss, 9));
  text += report_line("|gradient|", general(fit.gradient_norm, 3));
  text += report_line("scaled", general(fit.quantity, 3) + " (at most " + general(fit.bound, 3) +
                                    "), relative to the root of the deviance");
  if (fit.is_newton && fit.rank > 0) {
    text += report_line("deviance", general(fit.deviance, 9) + ", AIC " + general(fit.aic, 9) +
                                        ", rank " + std::to_string(fit.rank));
    if (fit.dispersion != 1) text += report_line("dispersion", general(fit.dispersion, 9));
  }
  if (options.has_intercept) text += intercepts_of(rows, fit);
  text += table_of(fit);
  text += time_line(subject);
  if (!options.output.empty()) text += report_line("output", options.output);
  text += report_line("sha256", sha256(elements(fit.x)));
  if (check) text += report_line("check", sentence_of(*check));
  return text;
}

std::string to_json(FitOptions const& options, SolveSubject const& subject, FitRows const& rows,
                    Fit const& fit, std::optional<GradientCheck> const& check) {
  bool const has_classes = rows.predictors() > 1;
  Json json = to_object(subject);
  json.update({{"loss_function", has_classes ? "multinomial" : row_of_loss(options.loss).name},
               {"penalty", options.penalty},
               {"power", options.power ? Json(*options.power) : Json(nullptr)},
               {"has_intercept", options.has_intercept},
               {"tol", fit.bound},
               {"scaled_gradient", json_number(fit.quantity)},
               {"detail", text_or_null(fit.run.detail)},
               {"loss", json_number(fit.loss)},
               {"gradient_norm", json_number(fit.gradient_norm)},
               {"intercept", has_classes ? Json(nullptr) : json_number(fit.intercept)},
               {"sha256", sha256(elements(fit.x))},
               {"labels", options.labels},
               {"weights", text_or_null(options.weights)},
               {"offset", text_or_null(options.offset)},
               {"output", text_or_null(options.output)}});
  json["classes"] = json["class_rows"] = json["intercepts"] = nullptr;
  if (!rows.classes.empty()) {
    json["classes"] = rows.classes;
    json["class_rows"] = rows.counts;
  }
  if (has_classes) json["intercepts"] = json_numbers(fit.intercepts);
  json["statistics"] = nullptr;
  if (fit.is_newton && fit.rank > 0) {
    json["statistics"] = {{"deviance", json_number(fit.deviance)},
                          {"aic", json_number(fit.aic)},
                          {"rank", fit.rank},
                          {"dispersion", json_number(fit.dispersion)},
                          {"standard_errors", json_numbers(fit.standard_errors)}};
  }
  json["check"] = nullptr;
  if (check) {
    json["check"] = {{"passed", check->passed()},
                     {"gradient", json_number(check->gradient)},
                     {"gradient_below", check->gradient_below}};
  }
  return json_text(json);
}

}  // namespace

ExitStatus run_command(FitOptions const& options) {
  require_power(options);
  require_solvable(options);
  std::string const path = resolve_input(options.input).path;
  RunFiles files;
  files.reads(path).reads(options.labels).reads(options.weights).reads(options.offset);
  files.writes(options.output).writes(options.history).writes(options.checkpoint);
  files.reports(options.report, options.format).check();
  CheckpointPlace const checkpoint(options.checkpoint);
  check_add_dataset(options.add_dataset, {options.output});
  io::MatrixReader const reader = open_solved(options, path);
  io::ScalarType const type = options.type.value_or(reader.info().type);
  FitRows const rows = read_rows(options, reader);
  std::int64_t const predictors = rows.predictors();
  ResultFile output(options.output,
                    predictors > 1 ? ResultFile::Kind::matrix : ResultFile::Kind::vector,
                    options.add_dataset);
  HistoryFile history(options.history);
  std::uint64_t const vectors = vector_bytes(options, reader.info(), type, predictors);
  // A Newton iteration reads A several times.
  SolvePlace const place = begin_solve(options, reader, vectors, 0, 4 * limit_of(options));
  bool const by_newton = predictors > 1 || is_by_newton(options, reader.info());
  Fit const fit = find_fit(options,
                           {.reader = reader,
                            .type = type,
                            .place = place,
                            .vectors = vectors,
                            .in_segments = by_newton,
                            .by_newton = by_newton,
                            .predictors = predictors},
                           rows);
  SolveSubject const subject{.options = options,
                             .reader = reader,
                             .type = type,
                             .place = place,
                             .run = fit.run,
                             .method = fit.is_newton ? "Newton with the complete Hessian"
                                       : options.solver == FitSolver::lbfgs ? "L-BFGS"
                                                                            : "truncated Newton"};
  std::optional<GradientCheck> check;
  if (fit.run.stop != solve::Stop::not_finite) {
    if (options.check) check = check_fit(options, reader, type, fit, rows);
    if (predictors > 1) {
      output.write(rows_of(fit.x, predictors));
    } else {
      output.write(fit.x);
    }
  }
  history.write(fit.run.history, "loss");
  put_in_place({output.written(), history.file()});
  auto const report = [&] {
    return options.format == ReportFormat::text ? to_text(options, subject, rows, fit, check)
                                                : to_json(options, subject, rows, fit, check);
  };
  return end_solve(subject, files, checkpoint, report, "x", !check || check->passed());
}

}  // namespace tessera::app
