// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <check/verdict.hpp>
#include <cstdio>

#include <app/base/failure.hpp>
#include <app/base/progress.hpp>
#include <app/base/sha256.hpp>
#include <app/commands/commands.hpp>
#include <app/report/report.hpp>
#include <app/run/files.hpp>
#include <app/run/input.hpp>
#include <app/run/run.hpp>
#include <app/tuning/tuning_cache.hpp>
#include <io/matrix_file.hpp>
#include <io/memory.hpp>

namespace tessera::app {
namespace {

Job job_of(GemmOptions const& options, std::string const& path_a, std::string const& path_b) {
  io::MatrixInfo const A = io::inspect(path_a);
  io::MatrixInfo const B = io::inspect(path_b);
  auto const fail = [&](std::string const& sentence) {
    throw io::FileError(io::ErrorKind::bad_input, path_b, sentence);
  };
  if (B.rows != A.cols) {
    fail("has the wrong number of rows: expected " + std::to_string(A.cols) +
         ", one for each column of " + path_a + ", found " + std::to_string(B.rows));
  }
  if (!options.type && B.type != A.type) {
    fail("has a matrix of the wrong type: expected " + std::string(io::to_string(A.type)) +
         " as in " + path_a + ", found " + std::string(io::to_string(B.type)) +
         "; --type converts both");
  }
  auto const type = options.type.value_or(A.type);
  auto const scratch =
      workspace_of_gemm(static_cast<std::int64_t>(A.rows), static_cast<std::int64_t>(B.cols),
                        static_cast<std::int64_t>(A.cols), type);
  auto const forecast = forecast_product(A.rows, B.cols, A.cols, io::size_of(type), scratch);
  return {.forecast = [=](BackendChoice) { return forecast; },
          .runs = options.repeat + 1,
          .input = path_a,
          .what = "the job (three matrices and workspace)"};
}

Job job_of(TransposeOptions const& options, io::MatrixReader const& reader) {
  io::MatrixInfo const& info = reader.info();
  std::string const& path = reader.path();
  if (options.in_place && info.rows != info.cols) {
    throw Failure(ExitStatus::usage,
                  "--in-place: only square matrices are transposed in place, and " + path + " is " +
                      std::to_string(info.rows) + " x " + std::to_string(info.cols));
  }
  auto const bytes = info.elements() * io::size_of(options.type.value_or(info.type));
  return {.forecast =
              [=](BackendChoice) {
                return Forecast{.traffic = 2 * bytes, .inputs = bytes, .results = bytes};
              },
          .runs = options.repeat + 1,
          .input = path,
          .what = "the job (matrix and transpose)"};
}

/// @param its has the matrices
template <class Run>
Measurement measure(RunOptions const& options, BackendFacts const& backend,
                    std::optional<TuningInUse>& tuning, MatrixRequest its, Run const& run) {
  its.backend = backend.choice;
  its.kernels = options.kernels;
  its.repeat = options.repeat;
  its.cache_preference = options.cache_preference;
  return run_tuned(tuning, [&](bench::Launch const& launch) {
    its.launch = launch;
    return run(its);
  });
}

void complete(MatrixReport& report, RunOptions const& options,
              std::optional<TuningInUse> const& tuning) {
  report.backend_chosen = options.backend == BackendChoice::automatic;
  report.sha256 = sha256(elements(report.run.matrix));
  report.tuning = tuning;
}

}  // namespace

ExitStatus run_command(GemmOptions const& options) {
  require_backend(options.backend);
  require_device_in_use(options.device, options.backend);

  std::string const path_a = resolve_input(options.A).path;
  std::string const path_b = resolve_input(options.B).path;
  RunFiles files;
  files.reads(path_a).reads(path_b).keeps_tunings().writes(options.output);
  files.reports(options.report, options.format).check();
  check_add_dataset(options.add_dataset, {options.output});
  ResultFile output(options.output, ResultFile::Kind::matrix, options.add_dataset);
  Job const job = job_of(options, path_a, path_b);
  BackendDecision const decision = choose_backend(options.backend, job);
  BackendFacts const& backend = decision.backend;
  require_caches(options.cache_preference, backend);
  if (!options.check) require_threads(options.threads, backend);
  io::require_memory(job.forecast(backend.choice).memory(), path_a, job.what);

  io::MatrixReader const reader_a(path_a);
  io::MatrixReader const reader_b(path_b);
  MatrixInput const A = read_matrix_input(reader_a, options.type);
  MatrixInput const B = read_matrix_input(reader_b, options.type);
  MatrixFacts facts_a = facts_of("A", path_a, A.A);
  MatrixFacts facts_b = facts_of("B", path_b, B.A);
  facts_a.stored = reader_a.info().stored;
  facts_b.stored = reader_b.info().stored;
  std::optional<TuningInUse> tuning;
  if (options.takes_tunings() && facts_a.layout == facts_b.layout) {
    tuning = find_tuning(backend, "gemm", facts_a.type, facts_a.layout,
                         {.rows = facts_a.rows, .cols = facts_a.cols, .factor_cols = facts_b.cols});
  }
  Measurement const run =
      measure(options, backend, tuning, {.A = A.A, .B = &B.A, .input = path_a}, &run_gemm);
  MatrixReport report{.operation = "gemm",
                      .formula = "C = A·B",
                      .inputs = {facts_a, facts_b},
                      .result = facts_of("C", options.output, run.matrix),
                      .read_seconds = A.read_seconds + B.read_seconds,
                      .decision = decision,
                      .run = run};
  complete(report, options, tuning);
  if (options.check) {
    ProgressBar bar("checking");
    report.check = check::judge_product(A.A, B.A, run.matrix, path_a, check::Summation::canonical,
                                        progress_of(bar));
  }

  warn_of_overflow(elements(run.matrix), {.names = "A and B",
                                          .all = {elements(A.A), elements(B.A)},
                                          .is_narrowed = A.is_narrowed || B.is_narrowed});
  output.write(run.matrix);
  put_in_place({output.written()});
  files.print_report(write_report(report, options.format));
  return report.check && !report.check->passed() ? ExitStatus::difference : ExitStatus::good;
}

ExitStatus run_command(TransposeOptions const& options) {
  require_backend(options.backend);
  require_device_in_use(options.device, options.backend);

  std::string const path = resolve_input(options.input).path;
  RunFiles files;
  files.reads(path).keeps_tunings().writes(options.output);
  files.reports(options.report, options.format).check();
  check_add_dataset(options.add_dataset, {options.output});
  ResultFile output(options.output, ResultFile::Kind::matrix, options.add_dataset);
  io::MatrixReader const reader(path, {}, io::Reading::in_order, options.input_format);
  Job const job = job_of(options, reader);
  BackendDecision const decision = choose_backend(options.backend, job);
  BackendFacts const& backend = decision.backend;
  require_caches(options.cache_preference, backend);
  if (!options.check) require_threads(options.threads, backend);
  io::require_memory(job.forecast(backend.choice).memory(), path, job.what);

  MatrixInput const input = read_matrix_input(reader, options.type);
  MatrixFacts facts = facts_of("A", path, input.A);
  facts.stored = reader.info().stored;
  std::optional<TuningInUse> tuning;
  if (options.takes_tunings() && !options.in_place) {
    // A column-major transpose is the row-major one of the other shape.
    bool const by_rows = facts.layout == io::Layout::right;
    tuning = find_tuning(
        backend, "transpose", facts.type, io::Layout::right,
        {.rows = by_rows ? facts.rows : facts.cols, .cols = by_rows ? facts.cols : facts.rows});
  }
  Measurement const run =
      measure(options, backend, tuning, {.A = input.A, .in_place = options.in_place, .input = path},
              &run_transpose);
  MatrixReport report{.operation = "transpose",
                      .formula = "At = Aᵀ",
                      .inputs = {facts},
                      .result = facts_of("At", options.output, run.matrix),
                      .read_seconds = input.read_seconds,
                      .decision = decision,
                      .run = run};
  complete(report, options, tuning);
  if (options.check) {
    ProgressBar bar("checking");
    report.bits_check = check::judge_moved(input.A, run.matrix, true, progress_of(bar));
  }

  if (input.is_narrowed) {
    warn_of_overflow(elements(run.matrix),
                     {.names = "A", .all = {elements(input.A)}, .is_narrowed = true});
  }
  output.write(run.matrix);
  put_in_place({output.written()});
  files.print_report(write_report(report, options.format));
  bool const failed = report.bits_check && !report.bits_check->passed();
  return failed ? ExitStatus::difference : ExitStatus::good;
}

}  // namespace tessera::app
