// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <filesystem>
#include <system_error>

#include <app/commands/commands.hpp>
#include <app/report/report.hpp>
#include <io/formats.hpp>
#include <io/matrix_file.hpp>
#include <io/matrix_reader.hpp>

namespace tessera::app {
namespace {

/// The type of the elements of a result. A raw file does not say: its size decides between the two.
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

ExitStatus run_command(CheckOptions const& options) {
  OperationRow const& row = row_of(options.operation);
  std::string const path = resolve_input(options.input).path;

  io::MatrixReader const reader(path);
  io::MatrixInfo const& info = reader.info();
  auto const length =
      row.result_length(static_cast<std::int64_t>(info.rows), static_cast<std::int64_t>(info.cols));
  auto const type = type_of_result(options.result, length);
  io::HostVector const result =
      io::read_vector(options.result, {.length = static_cast<std::uint64_t>(length), .type = type});

  // A result of another type than its inputs was computed with --type: they are converted alike.
  Input const input = read_input(reader, options.vector, options.operation, type);
  if (input.vector_source == "ones" && options.format != ReportFormat::text) {
    std::fprintf(stderr, "tessera: no vector was given: %s is all ones\n",
                 std::string(row.vector_name).c_str());
  }
  auto const [rows, cols] = extents(input.A);
  CheckReport const report{.operation = row,
                           .input = path,
                           .result = options.result,
                           .rows = rows,
                           .cols = cols,
                           .type = type,
                           .stored = input.info.stored,
                           .layout = input.info.layout,
                           .vector = input.vector_source,
                           .vector_stored = input.vector_stored,
                           .read_seconds = input.read_seconds,
                           .verdict = judge(row.id, input.A, input.x, result, path)};
  std::fputs(write_report(report, options.format).c_str(), stdout);
  return report.verdict.passed() ? ExitStatus::good : ExitStatus::difference;
}

}  // namespace tessera::app
