// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <app/report/matrix_report.hpp>
#include <app/report/report_text.hpp>
#include <app/run/input.hpp>
#include <io/memory.hpp>

namespace tessera::app {
namespace {

std::string matrix_line(MatrixFacts const& matrix) {
  return line("matrix " + matrix.name,
              (matrix.file.empty() ? "" : matrix.file + ", ") + std::to_string(matrix.rows) +
                  " rows x " + std::to_string(matrix.cols) + " columns, " +
                  io::describe(matrix.type, matrix.stored.value_or(io::element_type(matrix.type))) +
                  ", " + describe(matrix.layout) + ", " + io::format_bytes(matrix.bytes()));
}

std::string to_text(MatrixReport const& r) {
  std::string text = r.formula + "   " + r.inputs.front().file + "\n";
  for (auto const& matrix : r.inputs) text += matrix_line(matrix);
  text += backend_lines(r.backend, r.backend_chosen, r.backend_why);
  text += line("method", r.run.method);
  text += kernels_line(r.run);
  text += variant_lines(r.run);
  if (r.tuning) text += line("tuning", to_text(*r.tuning));
  text += time_lines(r.run, r.read_seconds);
  double const seconds = r.run.seconds.median;
  if (r.run.flops > 0) {
    text += line("rate", fixed(seconds > 0 ? r.run.flops / seconds * 1e-9 : 0, 2) +
                             " GFLOP/s for " + general(r.run.flops, 4) + " operations");
  } else {
    text +=
        line("rate", fixed(seconds > 0 ? static_cast<double>(r.run.bytes) / seconds * 1e-9 : 0, 2) +
                         " GB/s for " + io::format_bytes(r.run.bytes) + " moved");
  }
  text += line("SHA-256", r.sha256);
  if (r.check) text += verdict_lines(*r.check);
  if (r.bits_check) text += line("check", to_sentence(*r.bits_check));
  return text + matrix_line(r.result);
}

}  // namespace

MatrixFacts facts_of(std::string const& name, std::string const& file,
                     io::HostMatrix const& matrix) {
  return std::visit(
      [&]<class T, class Layout>(io::MatrixView<T, Layout> const& view) {
        return MatrixFacts{.name = name,
                           .file = file,
                           .rows = static_cast<std::int64_t>(view.extent(0)),
                           .cols = static_cast<std::int64_t>(view.extent(1)),
                           .type = io::scalar_type<T>,
                           .layout = std::is_same_v<Layout, Kokkos::LayoutRight>
                                         ? io::Layout::right
                                         : io::Layout::left};
      },
      matrix);
}

std::string write_report(MatrixReport const& report, ReportFormat format) {
  return format == ReportFormat::json ? to_json(report) : to_text(report);
}

}  // namespace tessera::app
