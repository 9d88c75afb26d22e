// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <span>
#include <utility>

#include <Kokkos_Core.hpp>

#include <app/backend/backends.hpp>
#include <app/base/names.hpp>
#include <app/base/notices.hpp>
#include <app/base/ranks.hpp>
#include <app/base/text.hpp>
#include <app/commands/solving.hpp>
#include <app/run/input.hpp>
#include <app/run/stored.hpp>
#include <io/errors.hpp>
#include <io/matrix_file.hpp>
#include <io/memory.hpp>
#include <io/output_path.hpp>
#include <io/shell_word.hpp>
#include <tessera/version.hpp>

namespace tessera::app {
namespace {

template <class T>
io::HostVector vector_in(std::vector<double> const& values) {
  io::VectorView<T> const vector(
      Kokkos::view_alloc("tessera::app::values", Kokkos::WithoutInitializing), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) vector(i) = static_cast<T>(values[i]);
  return vector;
}

Json json_ranks(std::vector<RankFacts> const& ranks) {
  if (ranks.empty()) return nullptr;
  Json array = Json::array();
  for (RankFacts const& rank : ranks) {
    array.push_back(
        {{"first_row", rank.first_row}, {"rows", rank.rows}, {"read_seconds", rank.read_seconds}});
  }
  return array;
}

}  // namespace

void require_solvable(SolveOptions const& options) {
  require_backend(options.backend);
  require_device_in_use(options.device, options.backend);
}

namespace {

/// Reads A once for the means of its columns.
void fill_missing(SolveOptions const& options, io::MatrixReader& reader) {
  if (reader.info().in_order_only) {
    throw io::FileError(io::ErrorKind::bad_input, reader.path(),
                        "is read once more for the means of its columns: --missing expected a "
                        "regular file, found " +
                            std::string(reader.info().obstacle()));
  }
  StatsOptions of_means;
  static_cast<SolveOptions&>(of_means) = options;
  io::ScalarType const type = reader.info().type;
  SolvePlace const place =
      choose_place(options, reader, bytes_of_statistics(reader.info(), type), 1);
  SolveRun run;
  auto found = find_statistics(of_means,
                               {.reader = reader,
                                .type = type,
                                .place = place,
                                .in_segments = true,
                                .column_statistics = true},
                               run);
  for (std::size_t j = 0; j < found.mean.size(); ++j) {
    if (found.count[j] == 0) found.mean[j] = 0;
  }
  reader.fill_missing(*options.missing, std::move(found.mean));
}

}  // namespace

io::MatrixReader open_solved(SolveOptions const& options, std::string const& path) {
  io::MatrixReader reader = open_for_ranks(path, options.input_format);
  if (reader.info().in_order_only && (options.check || !options.checkpoint.empty())) {
    throw io::FileError(io::ErrorKind::bad_input, path,
                        "cannot be read again: --check and --checkpoint expected a regular file, "
                        "found " +
                            std::string(reader.info().obstacle()));
  }
  if (options.missing) fill_missing(options, reader);
  return reader;
}

VectorOfFile read_right_side(SolveOptions const& options, io::MatrixReader const& reader,
                             std::string const& path, bool converts, Blocks blocks) {
  io::MatrixInfo const& info = reader.info();
  VectorOfFile b = read_vector_for(path,
                                   {.length = info.rows,
                                    .type = options.type.value_or(info.type),
                                    .convert = converts || options.type.has_value()},
                                   "row", reader.path(), blocks);
  require_same_elements(path, b.x);
  return b;
}

SolvePlace begin_solve(SolveOptions const& options, io::MatrixReader const& reader,
                       std::uint64_t vectors, std::uint64_t copies, std::int64_t steps) {
  SolvePlace place = choose_place(options, reader, vectors + copies, steps);
  require_same_backend(reader.path(), place.backend);
  require_threads(options.threads, place.backend);
  if (!place.stream) {
    io::require_memory(vectors + copies, reader.path(), "the vectors");
  } else if (options.format != ReportFormat::text) {
    notice(reader.path() + " is streamed in each iteration: " + place.stream->why);
  }
  return place;
}

std::string picture_of(std::vector<solve::Step> const& history) {
  constexpr char const* heights[]{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::size_t most_columns = 60;
  std::vector<double> sizes;  // logarithms
  for (solve::Step const& step : history) {
    if (step.residual > 0 && std::isfinite(step.residual)) sizes.push_back(std::log(step.residual));
  }
  if (sizes.size() < 2) return "";
  auto const [least, most] = std::ranges::minmax(sizes);
  if (!(most > least)) return "";
  std::size_t const columns = std::min(sizes.size(), most_columns);
  std::string picture;
  for (std::size_t i = 0; i < columns; ++i) {
    // The last iteration of each column.
    double const size = sizes[(i + 1) * sizes.size() / columns - 1];
    picture += heights[std::lround(7 * (size - least) / (most - least))];
  }
  return picture + "  from " + general(std::exp(sizes.front()), 2) + " to " +
         general(std::exp(sizes.back()), 2);
}

HistoryFile::HistoryFile(std::string const& path) {
  require_plain_file("--history", path);
  if (!path.empty() && ranks().is_first()) file_.emplace(path);
}

void HistoryFile::write(std::vector<solve::Step> const& steps, std::string const& objective) {
  if (!file_) return;
  std::string text = "iteration,reads,residual,tolerance";
  text += (objective.empty() ? "" : "," + objective) + "\n";
  for (solve::Step const& step : steps) {
    text += std::to_string(step.iteration) + "," + std::to_string(step.reads) + "," +
            general(step.residual, 9) + "," + general(step.tolerance, 9);
    text += (objective.empty() ? "" : "," + general(step.objective, 17)) + "\n";
  }
  file_->write(std::as_bytes(std::span(text)));
}

PlotFile::PlotFile(std::string const& path) {
  if (path.empty()) return;
  require_plain_file("--plot", path);
  if (!path.ends_with(".svg") && !io::descriptor_named_by(path)) {
    throw Failure(ExitStatus::usage, "--plot: expected a name that ends with .svg, found " + path);
  }
  if (ranks().is_first()) file_.emplace(path);
}

void PlotFile::write(std::string const& title, std::vector<Chart> const& charts) {
  if (!file_) return;
  std::string const text = svg_of(title, charts);
  file_->write(std::as_bytes(std::span(text)));
  is_written_ = true;
}

std::string matrix_line(SolveSubject const& subject) {
  io::MatrixInfo const& info = subject.reader.info();
  std::string const text = report_line(
      "matrix A", std::to_string(info.rows) + " rows x " + std::to_string(info.cols) +
                      " columns, " +
                      describe_elements(subject.type, info.stored, subject.place.holds_stored) +
                      ", " + std::string(io::to_string(info.layout)));
  if (!subject.options.missing) return text;
  bool const is_filled = subject.reader.fills_missing();
  return text + report_line("missing",
                            missing_code(subject.options) +
                                (is_filled ? ", read as the mean of its column" : ", left out"));
}

std::string run_lines(SolveSubject const& subject) {
  SolvePlace const& place = subject.place;
  SolveRun const& run = subject.run;
  std::string text = report_line("backend", place.backend.name + ", " + place.backend.device);
  if (!place.why.empty()) text += report_line("", "why: " + place.why);
  text += report_line(
      "method",
      subject.method + (place.stream ? ", A is streamed in each iteration: " + place.stream->why
                                     : std::string()));
  text += report_line("stopped", std::string(solve::sentence(run.stop)));
  if (!run.detail.empty()) text += report_line("", run.detail);
  text += report_line("iterations", std::to_string(run.iterations) + ", A read " +
                                        std::to_string(run.reads) +
                                        (run.reads == 1 ? " time" : " times"));
  if (run.first_iteration > 0) {
    text += report_line(
        "", "resumed from a checkpoint after iteration " + std::to_string(run.first_iteration) +
                (run.earlier_limits.empty() ? "" : ", of a run with " + run.earlier_limits));
  }
  std::string const picture = picture_of(run.history);
  if (!picture.empty()) text += report_line("residual", picture);
  return text;
}

std::string time_line(SolveSubject const& subject) {
  return rank_lines(subject.run.reading.ranks, subject.run.reading.exchange) +
         report_line("time", duration(subject.run.seconds) +
                                 (subject.place.stream
                                      ? "; reading included"
                                      : "; reading took " + duration(subject.run.reading.seconds)));
}

Json json_numbers(std::vector<double> const& values) {
  Json array = Json::array();
  for (double const value : values) array.push_back(json_number(value));
  return array;
}

Json to_object(SolveSubject const& subject) {
  io::MatrixInfo const& info = subject.reader.info();
  SolvePlace const& place = subject.place;
  SolveRun const& run = subject.run;
  return {{"operation", subject.options.command},
          {"method", subject.method},
          {"backend", place.backend.name},
          {"backend_why", text_or_null(place.why)},
          {"device", place.backend.device},
          {"rows", info.rows},
          {"cols", info.cols},
          {"type", io::to_string(subject.type)},
          {"stored_type", io::to_string(info.stored)},
          {"held_type", place.stream         ? Json(nullptr)
                        : place.holds_stored ? Json(io::to_string(info.stored))
                                             : Json(io::to_string(subject.type))},
          {"layout", io::to_string(info.layout)},
          {"missing_code", text_or_null(missing_code(subject.options))},
          {"stop", solve::sentence(run.stop)},
          {"converged", solve::is_success(run.stop)},
          {"iterations", run.iterations},
          {"first_iteration", run.first_iteration},
          {"earlier_limits", text_or_null(run.earlier_limits)},
          {"reads", run.reads},
          {"seconds", run.seconds},
          {"read_seconds", run.reading.seconds},
          {"stream", place.stream ? Json(place.stream->why) : Json(nullptr)},
          {"ranks", json_ranks(run.reading.ranks)},
          {"exchange", text_or_null(run.reading.exchange)},
          {"version", version},
          {"input", subject.reader.path()},
          {"notices", report_notices()}};
}

ExitStatus end_solve(SolveSubject const& subject, RunFiles& files,
                     CheckpointPlace const& checkpoint, std::function<std::string()> const& report,
                     std::string const& missing, bool is_checked_well) {
  bool const converged = solve::is_success(subject.run.stop);
  if (converged) {
    checkpoint.remove();
    files.print_report(report());
    return is_checked_well ? ExitStatus::good : ExitStatus::difference;
  }
  bool const is_finite = subject.run.stop != solve::Stop::not_finite;
  std::string const search = "; `tessera stats " + io::shell_word(subject.reader.path()) +
                             "` counts the entries of A that are not finite";
  std::string const sentence = subject.method +
                               " did not converge: " + solve::sentence(subject.run.stop) +
                               (subject.run.detail.empty() ? "" : ": " + subject.run.detail) +
                               (is_finite ? "" : "; no " + missing + " is written") +
                               (is_finite || !subject.run.detail.empty() ? "" : search);
  // In text the sentence comes last; programs find it in the report.
  if (subject.options.format == ReportFormat::text) {
    files.print_report(report());
    say(sentence);
  } else {
    notice(sentence);
    files.print_report(report());
  }
  return ExitStatus::difference;
}

io::HostVector vector_of(std::vector<double> const& values, io::ScalarType type) {
  return type == io::ScalarType::f32 ? vector_in<float>(values) : vector_in<double>(values);
}

}  // namespace tessera::app
