// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <optional>

#include <app/backends.hpp>
#include <app/commands.hpp>
#include <app/failure.hpp>
#include <app/report.hpp>
#include <app/result_file.hpp>
#include <app/sha256.hpp>
#include <io/matrix_file.hpp>

namespace tessera::app {
namespace {

/// Refuses combinations of options that mean nothing.
void check_usage(ComputeOptions const& options, OperationRow const& row) {
  auto const name = std::string(row.command);
  if (!row.has_methods && options.method != Method::automatic) {
    throw Failure(ExitStatus::usage,
                  "--method: " + name + " has one method only, found another than auto");
  }
  if (!row.has_methods && !options.intermediate.empty()) {
    throw Failure(ExitStatus::usage, "--intermediate: " + name + " has no intermediate vector");
  }
  if (row.variants != nullptr) require_applicable(options.variant, row.variants());
}

/// What the header of the input says about the work. Refuses a layout that the variant does not
/// take.
Job job_of(ComputeOptions const& options, OperationRow const& row, std::string const& path) {
  io::MatrixInfo const info = io::inspect(path);
  auto const& variant = options.variant.name;
  if (!variant.empty() && info.layout == io::Layout::right) {
    auto const facts = row.variants();
    if (row_named(facts, variant).column_major_only) {
      throw Failure(ExitStatus::usage, "--variant " + variant +
                                           ": takes column-major matrices only (Fortran order), "
                                           "and the rows of " +
                                           path + " are contiguous");
    }
  }
  Shape const shape{.rows = static_cast<std::int64_t>(info.rows),
                    .cols = static_cast<std::int64_t>(info.cols),
                    .type = options.type.value_or(info.type),
                    .layout = info.layout,
                    .method = options.method,
                    .keep_intermediate = !options.intermediate.empty(),
                    .variant = variant};
  auto* const forecast = variant.empty() ? row.forecast : row.forecast_variant;
  return {.forecast = [=](BackendChoice backend) { return forecast(shape, backend); },
          .runs = options.repeat + 1,
          .input = path};
}

/// Runs the variant on one element, so that most of what it refuses is refused before a long read.
/// Exact tiling is left out: it depends on the sizes.
void try_variant(ComputeOptions const& options, OperationRow const& row, BackendChoice backend,
                 std::string const& path) {
  if (options.variant.name.empty()) return;
  io::MatrixInfo const info = io::inspect(path);
  auto const type = options.type.value_or(info.type);
  VariantChoice variant = options.variant;
  variant.tiling.reset();
  auto const x = type == io::ScalarType::f32 ? io::HostVector(io::VectorView<float>("zero", 1))
                                             : io::HostVector(io::VectorView<double>("zero", 1));
  static_cast<void>(row.run_variant({.A = one_zero(type, info.layout),
                                     .x = x,
                                     .backend = backend,
                                     .input = path,
                                     .variant = variant}));
}

}  // namespace

ExitStatus run_command(ComputeOptions const& options) {
  OperationRow const& row = row_of(options.operation);
  check_usage(options, row);
  require_backend(options.backend);

  InputName const name = resolve_input(options.input);
  std::string const output_path = options.output.empty() ? name.default_output : options.output;
  check_output(output_path, {name.path, options.vector, options.intermediate});
  check_output(options.intermediate, {name.path, options.vector});
  ResultFile output(output_path, ResultFile::Kind::vector);
  ResultFile intermediate(options.intermediate, ResultFile::Kind::vector);
  auto const [backend, why] = choose_backend(options.backend, job_of(options, row, name.path));
  require_caches(options.cache_preference, backend);
  try_variant(options, row, backend.choice, name.path);

  Input const input = read_input(name.path, options.vector, options.operation, options.type);
  if (input.vector_source == "ones" && options.format != ReportFormat::text) {
    std::fprintf(stderr, "tessera: no vector was given: %s is all ones\n",
                 std::string(row.vector_name).c_str());
  }
  auto* const run_it = options.variant.name.empty() ? row.run : row.run_variant;
  Measurement const run = run_it({.A = input.A,
                                  .x = input.x,
                                  .method = options.method,
                                  .backend = backend.choice,
                                  .repeat = options.repeat,
                                  .keep_intermediate = !options.intermediate.empty(),
                                  .input = name.path,
                                  .variant = options.variant,
                                  .cache_preference = options.cache_preference});
  auto const [rows, cols] = extents(input.A);
  Report report{.operation = row,
                .input = name.path,
                .rows = rows,
                .cols = cols,
                .type = input.type,
                .layout = input.info.layout,
                .vector = input.vector_source,
                .read_seconds = input.read_seconds,
                .method_chosen = row.has_methods && options.method == Method::automatic,
                .backend = backend,
                .backend_chosen = options.backend == BackendChoice::automatic,
                .backend_why = why,
                .run = run,
                .sha256 = sha256(elements(run.result)),
                .check = std::nullopt,
                .output = output_path,
                .intermediate = options.intermediate};
  if (options.check) {
    report.check = judge(row.id, input.A, input.x, run.result, name.path,
                         run.variant ? Summation::any : Summation::canonical);
  }

  output.write(run.result);
  if (run.intermediate) intermediate.write(*run.intermediate);
  std::fputs(write_report(report, options.format).c_str(), stdout);
  return report.check && !report.check->passed() ? ExitStatus::difference : ExitStatus::good;
}

}  // namespace tessera::app
