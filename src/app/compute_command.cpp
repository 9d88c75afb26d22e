// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>

#include <app/backends.hpp>
#include <app/commands.hpp>
#include <app/failure.hpp>
#include <app/report.hpp>
#include <app/sha256.hpp>
#include <io/matrix_file.hpp>
#include <io/output_file.hpp>
#include <io/writers.hpp>

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
}

bool same_file(std::string const& a, std::string const& b) {
  std::error_code error;
  return a == b || std::filesystem::equivalent(a, b, error);
}

/// Refuses to write one file twice, or over the input.
void check_output(std::string const& output, std::initializer_list<std::string> others) {
  for (auto const& other : others) {
    if (!output.empty() && !other.empty() && same_file(output, other)) {
      std::string sentence = output;
      throw Failure(ExitStatus::usage,
                    sentence.append(": the output would replace ").append(other));
    }
  }
}

/// A vector that is to be written: the file is opened before anything is computed.
class VectorOutput {
 public:
  explicit VectorOutput(std::string const& path) {
    if (path.empty()) return;
    io::check_vector_format(path);
    file_.emplace(path);
  }
  void write(io::HostVector const& vector) {
    if (!file_) return;
    io::write_vector(*file_, elements(vector));
    file_->commit();
  }

 private:
  std::optional<io::OutputFile> file_;
};

/// What the header of the input says about the work.
Job job_of(ComputeOptions const& options, OperationRow const& row, std::string const& path) {
  io::MatrixInfo const info = io::inspect(path);
  return {.operation = row,
          .shape = {.rows = static_cast<std::int64_t>(info.rows),
                    .cols = static_cast<std::int64_t>(info.cols),
                    .type = options.type.value_or(info.type),
                    .layout = info.layout,
                    .method = options.method,
                    .keep_intermediate = !options.intermediate.empty()},
          .runs = options.repeat + 1,
          .input = path};
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
  VectorOutput output(output_path);
  VectorOutput intermediate(options.intermediate);
  auto const [backend, why] = choose_backend(options.backend, job_of(options, row, name.path));

  Input const input = read_input(name.path, options.vector, options.operation, options.type);
  if (input.vector_source == "ones" && options.format != ReportFormat::text) {
    std::fprintf(stderr, "tessera: no vector was given: %s is all ones\n",
                 std::string(row.vector_name).c_str());
  }
  Measurement const run = row.run({.A = input.A,
                                   .x = input.x,
                                   .method = options.method,
                                   .backend = backend.choice,
                                   .repeat = options.repeat,
                                   .keep_intermediate = !options.intermediate.empty(),
                                   .input = name.path});
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
  if (options.check) report.check = judge(row.id, input.A, input.x, run.result, name.path);

  output.write(run.result);
  if (run.intermediate) intermediate.write(*run.intermediate);
  std::fputs(write_report(report, options.format).c_str(), stdout);
  return report.check && !report.check->passed() ? ExitStatus::difference : ExitStatus::good;
}

}  // namespace tessera::app
