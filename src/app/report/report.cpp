// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <app/base/ranks.hpp>
#include <app/base/text.hpp>
#include <app/report/report.hpp>
#include <app/report/report_formats.hpp>
#include <app/run/input.hpp>
#include <app/run/stored.hpp>
#include <io/memory.hpp>

namespace tessera::app {

std::string report_line(std::string name, std::string const& text) {
  name.resize(std::max<std::size_t>(name.size(), 13), ' ');
  return "  " + name + text + "\n";
}

std::string rank_lines(std::vector<RankFacts> const& ranks, std::string const& exchange) {
  std::string text;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    RankFacts const& its = ranks[rank];
    std::string line = "rank " + std::to_string(rank) + ": ";
    if (its.streams) {
      line += io::format_bytes(its.bytes_read) + " read in " + duration(its.seconds);
    } else {
      line += std::to_string(its.rows) + " rows from row " + std::to_string(its.first_row) +
              " on, reading took " + duration(its.read_seconds) +
              (its.seconds > 0 ? ", a run " + duration(its.seconds) : std::string());
    }
    text += report_line(rank == 0 ? "processes" : "", line);
  }
  if (!exchange.empty()) text += report_line("exchange", exchange);
  return text;
}

namespace {

std::string backend_lines(BackendDecision const& decision, bool is_chosen) {
  std::string text = report_line("backend", decision.backend.name + (is_chosen ? " (chosen)" : "") +
                                                ", " + decision.backend.device);
  if (!decision.why.empty()) text += report_line("", "why: " + decision.why);
  return text;
}

std::string kernels_line(Measurement const& run) {
  return run.kernels ? report_line("kernels", kernels_of(run)) : "";
}

std::string caches_line(Measurement const& run) {
  if (!run.cache_preference) return "";
  return report_line("caches", "prefer " + std::string(to_string(*run.cache_preference)));
}

std::string time_lines(Measurement const& run, double read_seconds) {
  auto const& time = run.seconds;
  std::string text = report_line(
      "time", duration(time.median) + " median of " + std::to_string(time.repeats) + " (" +
                  duration(time.min) + " to " + duration(time.max) + "); " +
                  (run.stream ? "reading included" : "reading took " + duration(read_seconds)));
  if (run.stages.size() > 1) {
    for (auto const& stage : run.stages)
      text += report_line("", stage.name + ": " + duration(stage.seconds));
  }
  return text;
}

std::string verdict_lines(check::Verdict const& verdict) {
  std::string text = report_line("check", to_sentence(verdict));
  if (verdict.failed > 0) {
    text += report_line("", "element " + std::to_string(verdict.worst) + " is " +
                                general(verdict.worst_value, 17) + ", should be " +
                                general(verdict.worst_reference, 17) + ", give or take " +
                                general(verdict.worst_bound, 3));
  }
  return text;
}

/// @param is_held its elements are in memory as in the file
std::string matrix_text(std::uint64_t rows, std::uint64_t cols, io::ScalarType type,
                        io::ElementType stored, io::Layout layout, bool is_held = false) {
  return std::to_string(rows) + " rows x " + std::to_string(cols) + " columns, " +
         describe_elements(type, stored, is_held) + ", " + std::string(io::to_string(layout)) +
         ", " + io::format_bytes(rows * cols * (is_held ? io::size_of(stored) : io::size_of(type)));
}

std::int64_t rows_of(ProductFacts const& product) {
  return static_cast<std::int64_t>(product.operands.info.rows);
}
std::int64_t cols_of(ProductFacts const& product) {
  return static_cast<std::int64_t>(product.operands.info.cols);
}

std::string vector_line(ProductFacts const& product) {
  auto const& [info, x, vectors, type, source, stored, is_held] = product.operands;
  std::int64_t const length = product.operation.vector_length(rows_of(product), cols_of(product));
  return report_line("vector " + std::string(product.operation.vector_name),
                     source +
                         (stored && *stored != io::element_type(type)
                              ? " (" + std::string(io::to_string(*stored)) + " in the file)"
                              : "") +
                         ", " + (vectors == 1 ? "" : std::to_string(vectors) + " vectors of ") +
                         std::to_string(length) + (length == 1 ? " entry" : " entries") +
                         (source == "ones" ? " (none was given)" : ""));
}

std::string terms_lines(TermOptions const& terms) {
  if (terms.map == maps::Kind::replace) return report_line("vector U", terms.map_vector);
  std::string text;
  if (terms.map != maps::Kind::identity) {
    text += report_line("map", word_of(terms.map) + " of " + terms.map_vector);
  }
  if (terms.alpha != 1) text += report_line("alpha", general(terms.alpha, 17));
  if (!terms.add.empty()) {
    text += report_line("beta", general(terms.effective_beta(), 17) + " times " + terms.add);
  }
  return text;
}

/// @param result "" or " -> FILE"
std::string product_lines(ProductFacts const& product, std::string const& result) {
  OperationRow const& row = product.operation;
  io::MatrixInfo const& info = product.operands.info;
  std::string const formula = row.id == OperationId::atax && product.terms.is_any()
                                  ? "C = α·Aᵀ·f(A·V) + β·z"
                                  : std::string(row.formula);
  return formula + "   " + product.input + result + "\n" +
         report_line("matrix A",
                     matrix_text(info.rows, info.cols, product.operands.type, info.stored,
                                 info.layout, product.operands.holds_stored)) +
         vector_line(product) + terms_lines(product.terms);
}

std::string bytes_rate_line(Measurement const& run) {
  return report_line("rate", fixed(rate_of(run, static_cast<double>(run.bytes)), 2) + " GB/s for " +
                                 io::format_bytes(run.bytes) + " moved");
}

std::string cut_text(StageCut const& cut, io::Layout layout) {
  auto const some = [](std::int64_t count, std::string const& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  };
  std::string text;
  if (cut.panels > 0) {
    text = some(cut.panels, "panel") + " of " +
           some(cut.lines_per_panel, layout == io::Layout::right ? "row" : "column") + ", ";
  }
  return text + some(cut.teams, "team") + " of " + some(cut.team_size, "thread");
}

std::string stream_lines(StreamFacts const& stream) {
  std::string text =
      report_line("", std::to_string(stream.blocks) + (stream.blocks == 1 ? " block" : " blocks") +
                          " of up to " + io::format_bytes(stream.block_bytes) + ", at most " +
                          io::format_bytes(stream.memory_limit) + " in memory: " + stream.why);
  if (stream.first_block > 0) {
    text += report_line(
        "", "resumed from a checkpoint after block " + std::to_string(stream.first_block));
  }
  return text;
}

std::string matrix_line(MatrixFacts const& matrix) {
  return report_line(
      "matrix " + matrix.name,
      (matrix.file.empty() ? "" : matrix.file + ", ") +
          matrix_text(static_cast<std::uint64_t>(matrix.rows),
                      static_cast<std::uint64_t>(matrix.cols), matrix.type,
                      matrix.stored.value_or(io::element_type(matrix.type)), matrix.layout));
}

std::string to_text(MatrixReport const& r) {
  std::string text = r.formula + "   " + r.inputs.front().file + "\n";
  for (auto const& matrix : r.inputs) text += matrix_line(matrix);
  text += backend_lines(r.decision, r.backend_chosen);
  text += report_line("method", r.run.method);
  text += kernels_line(r.run);
  text += caches_line(r.run);
  if (r.tuning) text += report_line("tuning", to_text(*r.tuning));
  text += time_lines(r.run, r.read_seconds);
  if (r.run.flops > 0) {
    text += report_line("rate", fixed(rate_of(r.run, r.run.flops), 2) + " GFLOP/s for " +
                                    general(r.run.flops, 4) + " operations");
  } else {
    text += bytes_rate_line(r.run);
  }
  text += report_line("SHA-256", r.sha256);
  if (r.check) text += verdict_lines(*r.check);
  if (r.bits_check) text += report_line("check", to_sentence(*r.bits_check));
  return text + matrix_line(r.result);
}

std::string to_text(Report const& r) {
  std::string text = product_lines(r.product, "");
  text += backend_lines(r.decision, r.backend_chosen);
  text += report_line("method", r.run.method + (r.method_chosen ? " (chosen)" : ""));
  text += kernels_line(r.run);
  if (r.run.stream) text += stream_lines(*r.run.stream);
  text += caches_line(r.run);
  for (auto const& cut : r.run.cuts) {
    text += report_line("", cut.name + ": " + cut_text(cut, r.product.operands.info.layout));
  }
  if (r.tuning) text += report_line("tuning", to_text(*r.tuning));
  text += rank_lines(r.run.ranks, r.run.exchange);
  text += time_lines(r.run, r.product.read_seconds);
  text += bytes_rate_line(r.run);
  text += report_line("SHA-256", r.sha256);
  if (!r.second_sha256.empty()) text += report_line("  of W", r.second_sha256);
  if (r.check) text += verdict_lines(*r.check);
  if (!r.output.empty()) text += report_line("result in", r.output);
  if (!r.intermediate.empty()) {
    text += report_line(!r.second_sha256.empty()                ? "W in"
                        : r.product.operation.is_of_transpose() ? "A^T U in"
                                                                : "B in",
                        r.intermediate);
  }
  return text;
}

std::string to_text(CheckReport const& r) {
  return product_lines(r.product, " -> " + r.result) +
         report_line("time", duration(r.verdict.seconds) + "; reading took " +
                                 duration(r.product.read_seconds)) +
         verdict_lines(r.verdict);
}

template <class AnyReport>
std::string written(AnyReport const& report, ReportFormat format) {
  if (format == ReportFormat::json) return to_json(report);
  return format == ReportFormat::csv ? to_csv(report) : to_text(report);
}

}  // namespace

std::string write_report(Report const& report, ReportFormat format) {
  return written(report, format);
}

std::string write_report(CheckReport const& report, ReportFormat format) {
  return written(report, format);
}

std::string write_report(MatrixReport const& report, ReportFormat format) {
  return format == ReportFormat::json ? to_json(report) : to_text(report);
}

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

}  // namespace tessera::app
