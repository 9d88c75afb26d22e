// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>
#include <vector>

#include <app/report.hpp>
#include <io/memory.hpp>
#include <tessera/version.hpp>

namespace tessera::app {
namespace {

/// With so many digits after the point.
std::string fixed(double value, int digits) {
  char text[400];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

/// With so many significant digits.
std::string general(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

/// A time with a unit that leaves few digits before the point.
std::string duration(double seconds) {
  if (seconds < 1e-3) return fixed(seconds * 1e6, 1) + " µs";
  if (seconds < 1) return fixed(seconds * 1e3, 3) + " ms";
  return fixed(seconds, 3) + " s";
}

std::string line(std::string name, std::string const& text) {
  name.resize(std::max<std::size_t>(name.size(), 13), ' ');
  return "  " + name + text + "\n";
}

std::string matrix_line(std::int64_t rows, std::int64_t cols, io::ScalarType type,
                        io::Layout layout) {
  auto const bytes = static_cast<std::uint64_t>(rows * cols) * io::size_of(type);
  return line("matrix A", std::to_string(rows) + " rows x " + std::to_string(cols) + " columns, " +
                              std::string(io::to_string(type)) + ", " + describe(layout) + ", " +
                              io::format_bytes(bytes));
}

std::string vector_line(OperationRow const& row, std::string const& source, std::int64_t length) {
  return line("vector " + std::string(row.vector_name),
              source + ", " + std::to_string(length) + (length == 1 ? " entry" : " entries") +
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

/// Fields of a CSV table; a field with a comma, a quote or a line end is quoted.
class CsvTable {
 public:
  void add(std::string const& name, std::string const& value) {
    header_ += (header_.empty() ? "" : ",") + name;
    row_ += (header_ == name ? "" : ",") + quote(value);
  }
  void add(std::string const& name, double value) { add(name, general(value, 9)); }
  void add(std::string const& name, std::int64_t value) { add(name, std::to_string(value)); }
  [[nodiscard]] std::string text() const { return header_ + "\n" + row_ + "\n"; }

 private:
  static std::string quote(std::string const& value) {
    if (value.find_first_of(",\"\n\r") == std::string::npos) return value;
    std::string quoted = "\"";
    for (char const c : value) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
  }

  std::string header_;
  std::string row_;
};

void add_verdict(CsvTable& table, Verdict const& verdict) {
  table.add("failed", verdict.failed);
  table.add("not_judged", verdict.not_judged);
  table.add("greatest_error_in_bounds", verdict.worst_in_bounds);
  table.add("greatest_error_in_ulp", verdict.greatest_ulp);
  table.add("index", verdict.worst);
}

std::string verdict_lines(Verdict const& verdict) {
  std::string text = line("check", to_sentence(verdict));
  if (!verdict.passed()) {
    text += line("", "element " + std::to_string(verdict.worst) + " is " +
                         general(verdict.worst_value, 17) + ", should be " +
                         general(verdict.worst_reference, 17) + ", give or take " +
                         general(verdict.worst_bound, 3));
  }
  return text;
}

}  // namespace

double Report::gb_per_s() const {
  double const seconds = run.seconds.median;
  return seconds > 0 ? static_cast<double>(run.bytes) / seconds * 1e-9 : 0;
}

std::string to_text(Report const& r) {
  std::string text = std::string(r.operation.formula) + "   " + r.input + "\n";
  text += matrix_line(r.rows, r.cols, r.type, r.layout);
  text += vector_line(r.operation, r.vector, r.operation.vector_length(r.rows, r.cols));
  text += line("backend",
               r.backend.name + (r.backend_chosen ? " (chosen)" : "") + ", " + r.backend.device);
  if (!r.backend_why.empty()) text += line("", "why: " + r.backend_why);
  text += line("method", r.run.method + (r.method_chosen ? " (chosen)" : ""));
  for (auto const& cut : r.run.cuts) {
    text += line("", cut.name + ": " + cut_text(cut, r.layout));
  }
  auto const& time = r.run.seconds;
  text += line("time", duration(time.median) + " median of " + std::to_string(time.repeats) + " (" +
                           duration(time.min) + " to " + duration(time.max) + "); reading took " +
                           duration(r.read_seconds));
  if (r.run.stages.size() > 1) {
    for (auto const& stage : r.run.stages)
      text += line("", stage.name + ": " + duration(stage.seconds));
  }
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
  table.add("check", std::string(!r.check ? "" : r.check->passed() ? "passed" : "failed"));
  table.add("version", std::string(version));
  table.add("input", r.input);
  table.add("vector", r.vector);
  table.add("read_seconds", r.read_seconds);
  return table.text();
}

std::string to_text(CheckReport const& r) {
  return std::string(r.operation.formula) + "   " + r.input + " -> " + r.result + "\n" +
         matrix_line(r.rows, r.cols, r.type, r.layout) +
         vector_line(r.operation, r.vector, r.operation.vector_length(r.rows, r.cols)) +
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
  table.add("check", std::string(r.verdict.passed() ? "passed" : "failed"));
  add_verdict(table, r.verdict);
  table.add("version", std::string(version));
  table.add("input", r.input);
  table.add("result", r.result);
  table.add("vector", r.vector);
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
