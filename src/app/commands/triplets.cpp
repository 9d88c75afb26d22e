// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <Kokkos_Core.hpp>

#include <app/base/failure.hpp>
#include <app/base/ranks.hpp>
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

void require_sizes(TripletOptions const& options, io::MatrixReader const& reader) {
  io::MatrixInfo const& info = reader.info();
  auto const most = static_cast<std::int64_t>(std::min(info.rows, info.cols));
  if (options.k > most) {
    throw Failure(ExitStatus::usage, "-k: expected at most " + std::to_string(most) +
                                         ", the smaller size of " + reader.path() + ", found " +
                                         std::to_string(options.k));
  }
  if (options.ncv && *options.ncv <= options.k) {
    throw Failure(ExitStatus::usage, "--ncv: expected more than -k, which is " +
                                         std::to_string(options.k) + ", found " +
                                         std::to_string(*options.ncv));
  }
  if (options.is_randomized() && (options.ncv || options.maxiter)) {
    throw Failure(
        ExitStatus::usage,
        std::string(options.ncv ? "--ncv" : "--maxiter") +
            ": --method randomized does not use it; leave it out, or use --method lanczos");
  }
  if (!options.is_randomized() &&
      (options.oversampling || options.power_iterations || options.seed)) {
    std::string const option = options.oversampling       ? "--oversampling"
                               : options.power_iterations ? "--power-iterations"
                                                          : "--seed";
    throw Failure(ExitStatus::usage, option + ": expected --method randomized");
  }
  if (options.method == TripletMethod::direct && (options.ncv || options.maxiter)) {
    throw Failure(ExitStatus::usage,
                  std::string(options.ncv ? "--ncv" : "--maxiter") +
                      ": --method direct does not use it; leave it out, or use --method lanczos");
  }
  if (options.is_pca() && info.rows < 2) {
    throw io::FileError(io::ErrorKind::bad_input, reader.path(),
                        "has one row: pca expected two or more, which can differ");
  }
}

/// U·diag(s): A projected on the components.
io::HostMatrix scores_of(Triplets const& found) {
  io::HostMatrix scores = found.U;
  std::visit(
      [&]<class T, class Layout>(io::MatrixView<T, Layout> const& view) {
        for (std::size_t i = 0; i < view.extent(0); ++i) {
          for (std::size_t j = 0; j < view.extent(1); ++j) {
            view(i, j) = static_cast<T>(static_cast<double>(view(i, j)) * found.s[j]);
          }
        }
      },
      scores);
  return scores;
}

class Results {
 public:
  Results(TripletOptions const& options, RunFiles& files) : options_(options) {
    for (auto const& each : all()) files.writes(each.path);
    check_add_dataset(options.add_dataset,
                      {options.u, options.s, options.vt, options.scores, options.mean,
                       options.deviations, options.variance, options.ratio});
  }
  void open() { files_ = open_results(all(), options_.add_dataset); }
  /// @return for put_in_place()
  std::vector<io::OutputFile*> write(Triplets const& found, io::ScalarType type) {
    if (found.s.empty()) return {};
    files_[0].write(found.VT);
    if (options_.is_pca()) {
      files_[1].write(vector_of(found.variance, type));
      files_[2].write(vector_of(found.ratio, type));
      files_[3].write(vector_of(found.mean, type));
      files_[4].write(vector_of(found.deviation, type));
      if (!options_.scores.empty()) files_[5].write(scores_of(found));
    } else {
      files_[1].write(vector_of(found.s, type));
      if (options_.wants_u()) files_[2].write(found.U);
    }
    return written_of(files_);
  }
  [[nodiscard]] std::vector<NamedResult> all() const {
    constexpr auto vector = ResultFile::Kind::vector;
    constexpr auto matrix = ResultFile::Kind::matrix;
    if (!options_.is_pca()) {
      return {{"vt", options_.vt, matrix}, {"s", options_.s, vector}, {"u", options_.u, matrix}};
    }
    return {{"components", options_.vt, matrix},         {"variance", options_.variance, vector},
            {"ratio", options_.ratio, vector},           {"mean", options_.mean, vector},
            {"deviations", options_.deviations, vector}, {"scores", options_.scores, matrix}};
  }

 private:
  TripletOptions const& options_;
  std::vector<ResultFile> files_;
};

std::string name_of(TripletCheck::Measure const& measure) {
  std::string const name = measure.name;
  if (name == "right") return "|A^T A v - s^2 v|/s_1^2";
  if (name == "values") return "||A v| - s|/s_1";
  if (name == "left") return "|A v - s u|/s_1";
  if (name == "transposed") return "|A^T u - s v|/s_1";
  if (name == "v_orthogonal") return "V^T V - I";
  if (name == "u_orthogonal") return "U^T U - I";
  if (name == "missed") return "larger values that were missed";
  return name;
}

std::string sentence_of(TripletCheck const& check) {
  std::string text = check.passed() ? "passed: " : "FAILED: ";
  for (auto const& measure : check.measures) {
    if (&measure != check.measures.data()) text += ", ";
    text += name_of(measure) + " = " + general(measure.found, 3);
    bool const is_last_of_limit =
        &measure == &check.measures.back() || (&measure + 1)->below != measure.below;
    if (is_last_of_limit) text += " (small is " + general(measure.below, 3) + ")";
  }
  return text;
}

std::string table_of(TripletOptions const& options, Triplets const& found) {
  std::vector<std::vector<std::string>> lines;
  lines.push_back(options.is_pca()
                      ? std::vector<std::string>{"  i", "s", "variance", "ratio", "residual"}
                      : std::vector<std::string>{"  i", "s", "residual"});
  for (std::size_t i = 0; i < found.s.size(); ++i) {
    std::vector<std::string> line{"  " + std::to_string(i + 1), general(found.s[i], 9)};
    if (options.is_pca()) {
      line.push_back(general(found.variance[i], 6));
      line.push_back(fixed(100 * found.ratio[i], 2) + " %");
    }
    line.push_back(general(found.residuals[i], 2));
    lines.push_back(std::move(line));
  }
  return aligned(lines, {});
}

std::string digest_of(io::HostMatrix const& matrix, bool is_there) {
  return is_there ? sha256(elements(matrix)) : std::string();
}

std::string to_text(TripletOptions const& options, SolveSubject const& subject,
                    Results const& results, Triplets const& found,
                    std::optional<TripletCheck> const& check) {
  std::string text = (options.is_pca() ? "principal components   " : "singular values   ") +
                     subject.reader.path() + "\n";
  text += matrix_line(subject);
  if (options.is_pca()) {
    text += report_line("columns",
                        options.scale ? "centred, and divided by their deviations" : "centred");
  }
  text += run_lines(subject);
  text += time_line(subject);
  for (auto const& file : results.all()) {
    if (!file.path.empty()) text += report_line(file.name, file.path);
  }
  bool const is_there = !found.s.empty();
  if (is_there) {
    text += report_line("sha256 V^T", digest_of(found.VT, true));
    if (options.wants_u()) text += report_line("sha256 U", digest_of(found.U, true));
  }
  if (check) text += report_line("check", sentence_of(*check));
  return is_there ? text + table_of(options, found) : text;
}

std::string to_json(TripletOptions const& options, SolveSubject const& subject,
                    Results const& results, Triplets const& found,
                    std::optional<TripletCheck> const& check) {
  bool const is_there = !found.s.empty();
  Json json = to_object(subject);
  json.update({{"k", options.k},
               {"ncv", is_direct(options, subject.reader.info())
                           ? Json(nullptr)
                           : Json(basis_of(options, subject.reader.info()))},
               {"tol", options.tol},
               {"s", json_numbers(found.s)},
               {"residuals", json_numbers(found.residuals)},
               {"sha256", text_or_null(digest_of(found.VT, is_there))},
               {"u_sha256", text_or_null(digest_of(found.U, is_there && options.wants_u()))}});
  if (options.is_pca()) {
    json.update({{"scale", options.scale},
                 {"explained_variance", json_numbers(found.variance)},
                 {"explained_variance_ratio", json_numbers(found.ratio)}});
  }
  if (options.is_randomized()) json["power_iterations"] = limit_of(options, subject.reader.info());
  Json checked = nullptr;
  if (check) {
    checked = {{"passed", check->passed()}};
    for (auto const& measure : check->measures) {
      checked[measure.name] = json_number(measure.found);
      checked[std::string(measure.name) + "_below"] = measure.below;
    }
  }
  json["check"] = checked;
  for (auto const& file : results.all()) json["outputs"][file.name] = text_or_null(file.path);
  return json_text(json);
}

/// Numbers from 1.
std::vector<double> numbered(std::size_t count) {
  std::vector<double> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<double>(i + 1);
  return numbers;
}

/// The rows of A in the first two components: at most some thousands of them, evenly spaced.
Chart rows_chart(Triplets const& found) {
  constexpr std::size_t most = 2000;
  Series rows{.name = "", .mark = Series::Mark::dots};
  std::size_t all = 0;
  std::visit(
      [&]<class T, class Layout>(io::MatrixView<T, Layout> const& U) {
        all = U.extent(0);
        std::size_t const step = (all + most - 1) / most;
        for (std::size_t i = 0; i < all; i += step) {
          rows.x.push_back(static_cast<double>(U(i, 0)) * found.s[0]);
          rows.y.push_back(static_cast<double>(U(i, 1)) * found.s[1]);
        }
      },
      found.U);
  std::string const drawn = std::to_string(rows.x.size());
  return {.title = rows.x.size() == all ? "rows of A"
                                        : drawn + " of " + std::to_string(all) + " rows of A",
          .across = "component 1",
          .up = "component 2",
          .series = {std::move(rows)}};
}

std::vector<Chart> charts_of(TripletOptions const& options, Triplets const& found) {
  auto const across = numbered(found.s.size());
  if (!options.is_pca()) {
    // The values descend.
    bool const is_logarithmic = found.s.back() > 0 && found.s.front() >= 10 * found.s.back();
    return {{.title = "singular values",
             .across = "number",
             .up = "singular value",
             .is_logarithmic = is_logarithmic,
             .series = {{.name = "", .x = across, .y = found.s}}}};
  }
  std::vector<double> sums = found.ratio;
  for (std::size_t i = 1; i < sums.size(); ++i) sums[i] += sums[i - 1];
  std::vector<Chart> charts{
      {.title = "explained variance",
       .across = "component",
       .up = "part of the variance",
       .series = {{.name = "component", .mark = Series::Mark::bars, .x = across, .y = found.ratio},
                  {.name = "sum", .x = across, .y = std::move(sums)}}}};
  if (options.plots_rows() && found.s.size() >= 2) charts.push_back(rows_chart(found));
  return charts;
}

}  // namespace

ExitStatus run_command(TripletOptions const& options) {
  require_solvable(options);
  std::string const path = resolve_input(options.input).path;
  RunFiles files;
  files.reads(path);
  Results results(options, files);
  files.writes(options.history).writes(options.plot).writes(options.checkpoint);
  files.reports(options.report, options.format).check();
  CheckpointPlace const checkpoint(options.checkpoint);
  results.open();
  HistoryFile history(options.history);
  PlotFile plot(options.plot);

  io::MatrixReader const reader = open_solved(options, path);
  io::MatrixInfo const& info = reader.info();
  require_sizes(options, reader);
  io::ScalarType const type = options.type.value_or(info.type);
  std::uint64_t const vectors = vector_bytes(options, info, type);
  std::uint64_t const copies = bytes_in_memory(options, info, type);
  SolvePlace const place = begin_solve(options, reader, vectors, copies, limit_of(options, info));
  bool const directly = is_direct(options, info);
  std::int64_t const block = options.is_randomized() ? basis_of(options, info) : 0;
  Triplets const found = find_triplets(options, {.reader = reader,
                                                 .type = type,
                                                 .place = place,
                                                 .vectors = vectors,
                                                 .in_segments = options.is_randomized() || directly,
                                                 .block = block,
                                                 .gram_width = gram_width(options, info)});
  SolveSubject const subject{.options = options,
                             .reader = reader,
                             .type = type,
                             .place = place,
                             .run = found.run,
                             .method = options.is_randomized() ? "randomized svd"
                                       : directly ? options.command + " by Gram matrices"
                                                  : options.command};
  std::optional<TripletCheck> check;
  if (options.check && !found.s.empty()) check = check_triplets(options, reader, type, found);
  std::vector<io::OutputFile*> written = results.write(found, type);
  history.write(found.run.history, "");
  written.push_back(history.file());
  if (!found.s.empty()) {
    plot.write(subject.method + " of " + reader.path(), charts_of(options, found));
  }
  written.push_back(plot.file());
  put_in_place(written);
  auto const report = [&] {
    return options.format == ReportFormat::text ? to_text(options, subject, results, found, check)
                                                : to_json(options, subject, results, found, check);
  };
  return end_solve(subject, files, checkpoint, report, "result", !check || check->passed());
}

}  // namespace tessera::app
