// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <vector>

#include <app/report/report.hpp>
#include <app/report/report_text.hpp>
#include <io/memory.hpp>
#include <tessera/version.hpp>

namespace tessera::app {
namespace {

std::string matrix_line(std::int64_t rows, std::int64_t cols, io::ScalarType type,
                        io::ElementType stored, io::Layout layout) {
  auto const bytes = static_cast<std::uint64_t>(rows * cols) * io::size_of(type);
  return line("matrix A", std::to_string(rows) + " rows x " + std::to_string(cols) + " columns, " +
                              io::describe(type, stored) + ", " + describe(layout) + ", " +
                              io::format_bytes(bytes));
}

std::string vector_line(OperationRow const& row, std::string const& source, io::ScalarType type,
                        std::optional<io::ElementType> stored, std::int64_t length) {
  return line("vector " + std::string(row.vector_name),
              source +
                  (stored && *stored != io::element_type(type)
                       ? " (" + std::string(io::to_string(*stored)) + " in the file)"
                       : "") +
                  ", " + std::to_string(length) + (length == 1 ? " entry" : " entries") +
                  (source == "ones" ? " (none was given)" : ""));
}

/// "96 panels of 8 rows, 12 teams of 1 thread".
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
      line("", std::to_string(stream.blocks) + (stream.blocks == 1 ? " block" : " blocks") +
                   " of up to " + io::format_bytes(stream.block_bytes) + ", at most " +
                   io::format_bytes(stream.memory_limit) + " in memory: " + stream.why);
  if (stream.first_block > 0) {
    text += line("", "went on from a checkpoint after block " + std::to_string(stream.first_block));
  }
  return text;
}

/// The fields of a CSV table.
class CsvTable {
 public:
  void add(std::string const& name, std::string const& value) {
    header_ += (header_.empty() ? "" : ",") + name;
    row_ += (header_ == name ? "" : ",") + csv_field(value);
  }
  void add(std::string const& name, double value) { add(name, general(value, 9)); }
  void add(std::string const& name, std::int64_t value) { add(name, std::to_string(value)); }
  [[nodiscard]] std::string text() const { return header_ + "\n" + row_ + "\n"; }

 private:
  std::string header_;
  std::string row_;
};

/// Where nothing was judged there is no greatest error.
void add_verdict(CsvTable& table, Verdict const& verdict) {
  auto const if_judged = [&](std::string const& text) { return verdict.judged() > 0 ? text : ""; };
  table.add("failed", verdict.failed);
  table.add("not_judged", verdict.not_judged);
  table.add("greatest_error_in_bounds", if_judged(general(verdict.worst_in_bounds, 9)));
  table.add("greatest_error_in_ulp", if_judged(general(verdict.greatest_ulp, 9)));
  table.add("index", if_judged(std::to_string(verdict.worst)));
}

}  // namespace

double Report::gb_per_s() const {
  double const seconds = run.seconds.median;
  return seconds > 0 ? static_cast<double>(run.bytes) / seconds * 1e-9 : 0;
}

std::string to_text(Report const& r) {
  std::string text = std::string(r.operation.formula) + "   " + r.input + "\n";
  text += matrix_line(r.rows, r.cols, r.type, r.stored, r.layout);
  text += vector_line(r.operation, r.vector, r.type, r.vector_stored,
                      r.operation.vector_length(r.rows, r.cols));
  text += backend_lines(r.backend, r.backend_chosen, r.backend_why);
  text += line("method", r.run.method + (r.method_chosen ? " (chosen)" : ""));
  text += kernels_line(r.run);
  if (r.run.stream) text += stream_lines(*r.run.stream);
  text += variant_lines(r.run);
  for (auto const& cut : r.run.cuts) {
    text += line("", cut.name + ": " + cut_text(cut, r.layout));
  }
  if (r.tuning) text += line("tuning", to_text(*r.tuning));
  text += time_lines(r.run, r.read_seconds);
  text += line("rate", fixed(r.gb_per_s(), 2) + " GB/s" + " for " + io::format_bytes(r.run.bytes) +
                           " moved");
  text += line("SHA-256", r.sha256);
  if (r.check) text += verdict_lines(*r.check);
  if (!r.output.empty()) text += line("result in", r.output);
  if (!r.intermediate.empty()) text += line("B in", r.intermediate);
  return text;
}

std::string to_csv(Report const& r) {
  CsvTable table;
  table.add("operation", std::string(r.operation.command));
  table.add("method", r.run.method);
  table.add("kernels", kernels_of(r.run));
  table.add("backend", r.backend.name);
  table.add("device", r.backend.device);
  table.add("rows", r.rows);
  table.add("cols", r.cols);
  table.add("type", std::string(io::to_string(r.type)));
  table.add("layout", std::string(io::to_string(r.layout)));
  table.add("seconds_min", r.run.seconds.min);
  table.add("seconds_median", r.run.seconds.median);
  table.add("seconds_max", r.run.seconds.max);
  table.add("repeats", std::int64_t{r.run.seconds.repeats});
  table.add("bytes", static_cast<std::int64_t>(r.run.bytes));
  table.add("gb_per_s", r.gb_per_s());
  table.add("sha256", r.sha256);
  table.add("check", std::string(r.check ? to_string(r.check->judgement()) : ""));
  table.add("version", std::string(version));
  table.add("input", r.input);
  table.add("vector", r.vector);
  table.add("read_seconds", r.read_seconds);
  auto const& variant = r.run.variant;
  table.add("variant", variant ? variant->name : std::string());
  table.add("team", variant && variant->team ? std::to_string(variant->team->rows) + "x" +
                                                   std::to_string(variant->team->cols)
                                             : std::string());
  table.add("reproducible", std::string(variant ? to_string(variant->reproducible) : "always"));
  table.add("cache_preference", r.run.cache_preference
                                    ? std::string(to_string(*r.run.cache_preference))
                                    : std::string());
  table.add("blocks", r.run.stream ? r.run.stream->blocks : std::int64_t{0});
  table.add("stored_type", std::string(io::to_string(r.stored)));
  table.add("vector_stored_type",
            r.vector_stored ? std::string(io::to_string(*r.vector_stored)) : std::string());
  return table.text();
}

std::string to_text(CheckReport const& r) {
  return std::string(r.operation.formula) + "   " + r.input + " -> " + r.result + "\n" +
         matrix_line(r.rows, r.cols, r.type, r.stored, r.layout) +
         vector_line(r.operation, r.vector, r.type, r.vector_stored,
                     r.operation.vector_length(r.rows, r.cols)) +
         line("time", duration(r.verdict.seconds) + "; reading took " + duration(r.read_seconds)) +
         verdict_lines(r.verdict);
}

std::string to_csv(CheckReport const& r) {
  CsvTable table;
  table.add("operation", std::string(r.operation.command));
  table.add("rows", r.rows);
  table.add("cols", r.cols);
  table.add("type", std::string(io::to_string(r.type)));
  table.add("layout", std::string(io::to_string(r.layout)));
  table.add("check", std::string(to_string(r.verdict.judgement())));
  add_verdict(table, r.verdict);
  table.add("version", std::string(version));
  table.add("input", r.input);
  table.add("result", r.result);
  table.add("vector", r.vector);
  table.add("stored_type", std::string(io::to_string(r.stored)));
  table.add("vector_stored_type",
            r.vector_stored ? std::string(io::to_string(*r.vector_stored)) : std::string());
  return table.text();
}

std::string write_report(Report const& report, ReportFormat format) {
  switch (format) {
    case ReportFormat::json:
      return to_json(report);
    case ReportFormat::csv:
      return to_csv(report);
    case ReportFormat::text:
      break;
  }
  return to_text(report);
}

std::string write_report(CheckReport const& report, ReportFormat format) {
  switch (format) {
    case ReportFormat::json:
      return to_json(report);
    case ReportFormat::csv:
      return to_csv(report);
    case ReportFormat::text:
      break;
  }
  return to_text(report);
}

}  // namespace tessera::app
