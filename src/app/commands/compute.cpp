// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <check/verdict.hpp>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <app/backend/backends.hpp>
#include <app/base/failure.hpp>
#include <app/base/notices.hpp>
#include <app/base/progress.hpp>
#include <app/base/ranks.hpp>
#include <app/base/sha256.hpp>
#include <app/base/text.hpp>
#include <app/checkpoint/checkpoint.hpp>
#include <app/commands/commands.hpp>
#include <app/report/report.hpp>
#include <app/run/files.hpp>
#include <app/run/input.hpp>
#include <app/run/stored.hpp>
#include <app/stream/stream.hpp>
#include <io/formats.hpp>
#include <io/matrix_file.hpp>
#include <io/matrix_reader.hpp>
#include <io/output_path.hpp>

namespace tessera::app {
namespace {

void check_usage(ComputeOptions const& options, OperationRow const& row) {
  auto const name = std::string(row.command);
  if (!row.has_methods && options.method != Method::automatic) {
    throw Failure(ExitStatus::usage,
                  "--method: " + name + " has a single method: expected auto, or no --method");
  }
  if (!row.has_methods && !options.is_both() && !options.intermediate.empty()) {
    throw Failure(ExitStatus::usage, "--intermediate: " + name + " has no intermediate vector");
  }
  check_terms(options.terms);
}

void check_block(ComputeOptions const& options, OperationRow const& row, std::int64_t columns) {
  if (columns == 1) return;
  auto const refuse = [&](std::string const& what) {
    throw Failure(ExitStatus::usage,
                  what + " one vector, found " + std::to_string(columns) + " in " + options.vector);
  };
  if (options.is_both()) refuse(std::string(row.command) + ": expected");
  if (!options.terms.add.empty()) refuse("--add: is added to the product with");
  if (!options.checkpoint.empty()) refuse("--checkpoint: is one of a product with");
}

/// Whether the operation reads the elements of the file.
bool holds_stored(ComputeOptions const& options, OperationRow const& row,
                  io::MatrixReader const& reader, BackendChoice backend) {
  using enum OperationId;
  bool const reads_narrow =
      row.id == atax || row.id == aatx || row.id == multiply || row.id == multiply_transposed;
  return reads_narrow &&
         may_hold_stored(reader, options.type.value_or(reader.info().type), backend);
}

Job job_of(ComputeOptions const& options, OperationRow const& row, io::MatrixReader const& reader,
           std::int64_t columns) {
  io::MatrixInfo const& info = reader.info();
  std::string const& path = reader.path();
  Shape const shape{.rows = rows_of_rank(info),
                    .cols = static_cast<std::int64_t>(info.cols),
                    .type = options.type.value_or(info.type),
                    .layout = info.layout,
                    .columns = columns,
                    .method = options.method,
                    .kernels = options.kernels,
                    .keep_intermediate = !options.intermediate.empty(),
                    .has_map = options.terms.map != maps::Kind::identity,
                    .scales = options.terms.alpha != 1 || !options.terms.add.empty()};
  auto* const forecast = row.forecast;
  return {.forecast =
              [=, &options, &row, &reader, &info](BackendChoice backend) {
                Forecast found = forecast(shape, backend);
                if (holds_stored(options, row, reader, backend)) {
                  found.inputs -= bytes_of_widening(info, shape.rows);
                }
                return found;
              },
          .runs = options.repeat + 1,
          .input = path,
          .reading = io::reading_bytes(info, shape.type)};
}

struct Done {
  VectorInput input;
  double read_seconds = 0;
  BackendDecision decision;
  Measurement run;
  std::optional<check::Verdict> check = std::nullopt;
  std::optional<TuningInUse> tuning = std::nullopt;
};

void check_order(ComputeOptions const& options, io::MatrixReader const& reader,
                 std::int64_t columns, std::string const& why) {
  io::MatrixInfo const& info = reader.info();
  if (!info.in_order_only) return;
  auto const fail = [&](std::string const& sentence) {
    throw io::FileError(io::ErrorKind::bad_input, reader.path(),
                        sentence + ", found " + std::string(info.obstacle()) + "; " + why);
  };
  if (!options.checkpoint.empty()) {
    fail("cannot be read from a later position: expected a regular file for --checkpoint");
  }
  if (columns > 1) {
    fail("may be read several times for " + std::to_string(columns) +
         " vectors: expected a regular file");
  }
  if (takes_v_beside_a(info, options.vector, options.operation)) {
    fail("has V after A, which is streamed: expected a regular file or --vector");
  }
  OperationRow const& row = row_of(options.operation);
  bool const in_tiles = row.is_chained || row.gives_two_vectors;
  bool const is_row_major = info.layout == io::Layout::right;
  if (in_tiles && is_row_major == row.is_of_transpose()) {
    auto const [found, expected] = is_row_major ? std::pair("row-major", "column-major")
                                                : std::pair("column-major", "row-major");
    fail(std::string("is ") + found +
         ", and cannot be streamed sequentially: expected a regular file or a " + expected +
         " matrix");
  }
}

bool is_narrowed(VectorInput const& input) {
  return input.info.type == io::ScalarType::f64 && input.type == io::ScalarType::f32;
}

Terms terms_of(ComputeOptions const& options, io::MatrixReader const& reader) {
  io::ScalarType const type = options.type.value_or(reader.info().type);
  return read_terms(options.terms, reader.info(), type, options.type.has_value(), reader.path());
}

ProductRequest product_of(ComputeOptions const& options, VectorInput const& input,
                          Terms const& terms, BackendFacts const& backend) {
  return {.x = input.x,
          .columns = input.columns,
          .method = options.method,
          .kernels = options.kernels,
          .backend = backend.choice,
          .keep_intermediate = !options.intermediate.empty(),
          .terms = terms};
}

/// Of a run that does not hold A; on all ranks.
void require_usable(ComputeOptions const& options, std::string const& path,
                    BackendFacts const& backend) {
  require_same_backend(path, backend);
  require_caches(options.cache_preference, backend);
  require_threads(options.threads, backend);
}

/// Collective.
void require_same_vectors(ComputeOptions const& options, VectorInput const& input,
                          Terms const& terms) {
  bool const is_of_file = input.vector_source != "ones";
  std::string const& beside_a = options.vector.empty() ? options.input : options.vector;
  if (is_of_file) require_same_elements(beside_a, input.x);
  if (terms.has_map()) require_same_elements(options.terms.map_vector, terms.of_map);
  if (!options.terms.add.empty()) require_same_elements(options.terms.add, terms.z);
}

/// Of a run that does not hold A.
void warn_without_matrix(Measurement const& run, VectorInput const& input, Terms const& terms) {
  warn_of_overflow(elements(run.result),
                   {.names = "A",
                    .all = {elements(input.x), elements(terms.of_map), elements(terms.z)},
                    .is_complete = false,
                    .is_narrowed = is_narrowed(input)});
}

Done stream_it(ComputeOptions const& options, OperationRow const& row,
               io::MatrixReader const& reader, StreamChoice const& stream) {
  std::string const& path = reader.path();
  if (options.check) {
    throw Failure(ExitStatus::usage,
                  "--check: needs the matrix in memory, and it is streamed: " + stream.why);
  }
  if (options.repeat_is_given && options.repeat > 1) {
    throw Failure(ExitStatus::usage, "--repeat: needs the matrix in memory, and it is streamed, " +
                                         std::string("once: ") + stream.why);
  }
  check_order(options, reader, vectors_in(options.vector), stream.why);
  BackendFacts const& backend = stream.backend;
  require_usable(options, path, backend);
  if (options.format != ReportFormat::text) {
    notice(path + " is streamed: " + stream.why);
  }
  VectorInput const input =
      read_vector_input(reader, options.vector, options.operation, options.type);
  Terms const terms = terms_of(options, reader);
  require_same_vectors(options, input, terms);
  StreamRequest const request{product_of(options, input, terms, backend),
                              reader,
                              input.type,
                              stream.memory_limit,
                              options.checkpoint,
                              options.checkpoint_seconds};
  Measurement run =
      ranks().are_many() ? stream_on_ranks(row.id, request) : stream_alone(row.id, request);
  run.stream->why = stream.why;
  warn_without_matrix(run, input, terms);
  return {.input = input, .decision = {.backend = backend, .why = ""}, .run = std::move(run)};
}

check::Verdict judge_input(OperationRow const& row, Input const& input,
                           io::HostVector const& result, Terms const& terms,
                           std::string const& path, ProgressBar& bar) {
  auto const order = check::Summation::canonical;
  if (input.stored) {
    return check::judge(row.id, *input.stored, input.info.stored, input.x, result, path, order,
                        terms, progress_of(bar));
  }
  return check::judge(row.id, input.A, input.x, result, path, order, terms, progress_of(bar));
}

check::Verdict verdict_on(ComputeOptions const& options, OperationRow const& row,
                          Input const& input, Terms const& terms, Measurement const& run,
                          std::string const& path) {
  ProgressBar bar("checking");
  if (options.is_both()) {
    return check::judge_both(input.A, input.x, run.result, terms.of_map, *run.intermediate, path,
                             progress_of(bar));
  }
  return judge_input(row, input, run.result, terms, path, bar);
}

Done run_in_memory(ComputeOptions const& options, OperationRow const& row,
                   io::MatrixReader const& reader, Job const& job) {
  auto const decision = choose_backend(options.backend, job);
  auto const& backend = decision.backend;
  require_caches(options.cache_preference, backend);
  if (!options.check) require_threads(options.threads, backend);

  // Small vectors first: their errors precede a long read.
  Terms const terms = terms_of(options, reader);
  Input const input = read_input(reader, options.vector, options.operation, options.type,
                                 holds_stored(options, row, reader, backend.choice));
  std::optional<TuningInUse> tuning;
  if (options.takes_tunings()) {
    tuning = find_tuning(backend, std::string(row.name), input.type, input.info.layout,
                         {.rows = static_cast<std::int64_t>(input.info.rows),
                          .cols = static_cast<std::int64_t>(input.info.cols)});
  }
  RunRequest request{product_of(options, input, terms, backend), input.A, options.repeat,
                     reader.path(), options.cache_preference};
  request.stored = input.stored;
  request.stored_type = input.info.stored;
  Measurement run = run_tuned(tuning, [&](bench::Launch const& launch) {
    request.tuning = launch.tuning;
    return row.run(request);
  });
  std::optional<check::Verdict> check;
  if (options.check) check = verdict_on(options, row, input, terms, run, reader.path());
  warn_of_overflow(
      elements(run.result),
      {.names = "A and " + std::string(row.vector_name),
       .all = {elements(input.A), elements(input.x), elements(terms.of_map), elements(terms.z)},
       .is_complete = !input.stored || !may_be_infinite(input.info.stored),
       .is_narrowed = is_narrowed(input)});
  return {.input = static_cast<VectorInput const&>(input),
          .read_seconds = input.read_seconds,
          .decision = decision,
          .run = std::move(run),
          .check = check,
          .tuning = std::move(tuning)};
}

Done run_by_ranks(ComputeOptions const& options, OperationRow const& row,
                  io::MatrixReader const& reader, Job const& job) {
  auto const decision = choose_backend(options.backend, job);
  require_usable(options, reader.path(), decision.backend);
  VectorInput input = read_vector_input(reader, options.vector, options.operation, options.type);
  input.holds_stored = holds_stored(options, row, reader, decision.backend.choice);
  Terms const terms = terms_of(options, reader);
  require_same_vectors(options, input, terms);
  StreamRequest request{product_of(options, input, terms, decision.backend), reader, input.type};
  request.holds_stored = input.holds_stored;
  Measurement run = run_on_ranks(options.operation, request, options.repeat);
  warn_without_matrix(run, input, terms);
  // The first rank checks for all, with all of A.
  std::optional<check::Verdict> check;
  if (options.check && ranks().is_first()) {
    Input const whole = read_input(
        reader, options.vector, options.operation, options.type,
        !options.is_both() && has_stored(reader, options.type.value_or(reader.info().type)));
    check = verdict_on(options, row, whole, terms, run, reader.path());
  }
  double const read_seconds = run.ranks.front().read_seconds;
  return {.input = input,
          .read_seconds = read_seconds,
          .decision = decision,
          .run = std::move(run),
          .check = check};
}

void notice_of_ones(OperationRow const& row, VectorInput const& input, ReportFormat format) {
  if (input.vector_source == "ones" && format != ReportFormat::text) {
    notice("no vector was given: " + std::string(row.vector_name) + " is all ones");
  }
}

/// A raw file has no type: its size decides.
io::ScalarType type_of_result(std::string const& path, std::int64_t length) {
  io::FormatRow const* const named = io::find_format(path);
  if (named != nullptr && named->format == io::Format::raw) {
    std::error_code error;
    auto const bytes = std::filesystem::file_size(path, error);
    bool const f64 = !error && bytes == static_cast<std::uintmax_t>(length) * sizeof(double);
    return f64 ? io::ScalarType::f64 : io::ScalarType::f32;
  }
  return io::inspect(path).type;
}

}  // namespace

ExitStatus run_command(ComputeOptions const& options) {
  OperationRow const& row = row_of(options.operation);
  check_usage(options, row);
  require_backend(options.backend);
  require_device_in_use(options.device, options.backend);

  InputName const name = resolve_input(options.input);
  std::string const output_path = options.output.empty() ? name.default_output : options.output;
  RunFiles files;
  files.reads(name.path).reads(options.vector).keeps_tunings();
  files.reads(options.terms.map_vector).reads(options.terms.add);
  files.writes(options.intermediate).writes(output_path).writes(options.checkpoint);
  files.reports(options.report, options.format).check();
  CheckpointPlace const checkpoint(options.checkpoint);
  check_add_dataset(options.add_dataset, {output_path, options.intermediate});
  std::int64_t const columns = vectors_in(options.vector);
  check_block(options, row, columns);
  auto const kind = columns > 1 ? ResultFile::Kind::matrix : ResultFile::Kind::vector;
  ResultFile output(output_path, kind, options.add_dataset);
  ResultFile intermediate(options.intermediate, kind, options.add_dataset, &output);
  io::MatrixReader const reader = open_for_ranks(name.path, options.input_format);
  Job const job = job_of(options, row, reader, columns);
  auto const stream = choose_stream(options, job);
  Done const done = stream               ? stream_it(options, row, reader, *stream)
                    : ranks().are_many() ? run_by_ranks(options, row, reader, job)
                                         : run_in_memory(options, row, reader, job);
  notice_of_ones(row, done.input, options.format);
  // Several vectors are the columns of a matrix.
  auto const with_result = [&](io::HostVector const& vectors, auto const& use) {
    if (columns > 1) {
      use(matrix_of(vectors, columns));
    } else {
      use(vectors);
    }
  };
  std::string digest;
  with_result(done.run.result, [&](auto const& result) { digest = sha256(elements(result)); });
  Report const report{
      .product = {.operation = row,
                  .input = name.path,
                  .operands = done.input,
                  .terms = options.terms,
                  .read_seconds = done.read_seconds},
      .method_chosen =
          !stream && !ranks().are_many() && row.has_methods && options.method == Method::automatic,
      .decision = done.decision,
      .backend_chosen = options.backend == BackendChoice::automatic,
      .run = done.run,
      .sha256 = digest,
      .second_sha256 = options.is_both() ? sha256(elements(*done.run.intermediate)) : "",
      .check = done.check,
      .output = output_path,
      .intermediate = options.intermediate,
      .tuning = done.tuning};
  with_result(done.run.result, [&](auto const& result) { output.write(result); });
  if (done.run.intermediate) {
    with_result(*done.run.intermediate, [&](auto const& result) { intermediate.write(result); });
  }
  put_in_place({output.written(), intermediate.written()});
  checkpoint.remove();
  files.print_report(write_report(report, options.format));
  return report.check && !report.check->passed() ? ExitStatus::difference : ExitStatus::good;
}

ExitStatus run_command(CheckOptions const& options) {
  OperationRow const& row = row_of(options.operation);
  if (options.terms.is_any() && options.operation != OperationId::atax) {
    throw Failure(ExitStatus::usage, options.terms.first_option() +
                                         ": expected --operation atax, found " +
                                         std::string(row.command));
  }
  check_terms(options.terms);
  release_notices();
  std::string const path = resolve_input(options.input).path;

  io::MatrixReader const reader(path);
  io::MatrixInfo const& info = reader.info();
  auto const length =
      row.result_length(static_cast<std::int64_t>(info.rows), static_cast<std::int64_t>(info.cols));
  auto const type = type_of_result(options.result, length);
  auto const [result, stored, results] =
      read_vector_for(options.result, {.length = static_cast<std::uint64_t>(length), .type = type},
                      row.gives_rows_vector ? "row" : "column", path, Blocks::taken);
  // A result of another type was computed with --type: convert likewise.
  Terms const terms = read_terms(options.terms, info, type, true, path);
  Input const input =
      read_input(reader, options.vector, options.operation, type, has_stored(reader, type));
  if (results != input.columns) {
    throw io::FileError(io::ErrorKind::bad_input, options.result,
                        "has the wrong number of vectors: expected " +
                            std::to_string(input.columns) + ", one for each of " +
                            input.vector_source + ", found " + std::to_string(results));
  }
  notice_of_ones(row, input, options.format);
  auto const judge = [&] {
    ProgressBar bar("checking");
    return judge_input(row, input, result, terms, path, bar);
  };
  CheckReport const report{.product = {.operation = row,
                                       .input = path,
                                       .operands = input,
                                       .terms = options.terms,
                                       .read_seconds = input.read_seconds},
                           .result = options.result,
                           .verdict = judge()};
  std::fputs(write_report(report, options.format).c_str(), stdout);
  return report.verdict.passed() ? ExitStatus::good : ExitStatus::difference;
}

}  // namespace tessera::app
