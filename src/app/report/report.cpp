// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include <app/base/notices.hpp>
#include <app/base/ranks.hpp>
#include <app/base/text.hpp>
#include <app/report/report.hpp>
#include <app/run/input.hpp>
#include <app/run/stored.hpp>
#include <io/memory.hpp>
#include <tessera/version.hpp>

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

Json json_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

Json text_or_null(std::string const& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

std::string json_text(Json const& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
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

/// In 10^9 per second of the median run.
double rate_of(Measurement const& run, double work) {
  return run.seconds.median > 0 ? work / run.seconds.median * 1e-9 : 0;
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

class CsvTable {
 public:
  void add(std::string const& name, std::string const& value) {
    header_ += (header_.empty() ? "" : ",") + name;
    row_ += (header_ == name ? "" : ",") + csv_field(value);
  }
  void add(std::string const& name, double value) { add(name, general(value, 9)); }
  void add(std::string const& name, std::int64_t value) { add(name, std::to_string(value)); }
  void add_matrix(VectorInput const& operands) {
    add("rows", std::to_string(operands.info.rows));
    add("cols", std::to_string(operands.info.cols));
    add("type", std::string(io::to_string(operands.type)));
    add("layout", std::string(io::to_string(operands.info.layout)));
  }
  [[nodiscard]] std::string text() const { return header_ + "\n" + row_ + "\n"; }

 private:
  std::string header_;
  std::string row_;
};

std::string notices_in_a_field() {
  std::string text;
  for (auto const& notice : report_notices()) text += (text.empty() ? "" : "; ") + notice;
  return text;
}

void add_terms(CsvTable& table, TermOptions const& terms) {
  bool const has_map = terms.map != maps::Kind::identity && terms.map != maps::Kind::replace;
  table.add("map", has_map ? word_of(terms.map) : std::string());
  table.add("map_vector", terms.map_vector);
  table.add("alpha", general(terms.alpha, 17));
  table.add("beta", general(terms.effective_beta(), 17));
  table.add("add", terms.add);
}

void add_verdict(CsvTable& table, check::Verdict const& verdict) {
  auto const if_judged = [&](std::string const& text) { return verdict.judged() > 0 ? text : ""; };
  table.add("failed", verdict.failed);
  table.add("not_judged", verdict.not_judged);
  table.add("greatest_error_in_bounds", if_judged(general(verdict.worst_in_bounds, 9)));
  table.add("greatest_error_in_ulp", if_judged(general(verdict.greatest_ulp, 9)));
  table.add("index", if_judged(std::to_string(verdict.worst)));
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

/// The last columns of a product's row.
std::string with_inputs(CsvTable& table, ProductFacts const& product) {
  VectorInput const& operands = product.operands;
  table.add("stored_type", std::string(io::to_string(operands.info.stored)));
  table.add("vector_stored_type", operands.vector_stored
                                      ? std::string(io::to_string(*operands.vector_stored))
                                      : std::string());
  add_terms(table, product.terms);
  table.add("vectors", operands.columns);
  table.add("notices", notices_in_a_field());
  return table.text();
}

std::string to_csv(Report const& r) {
  CsvTable table;
  table.add("operation", std::string(r.product.operation.command));
  table.add("method", r.run.method);
  table.add("kernels", kernels_of(r.run));
  table.add("backend", r.decision.backend.name);
  table.add("device", r.decision.backend.device);
  table.add_matrix(r.product.operands);
  table.add("seconds_min", r.run.seconds.min);
  table.add("seconds_median", r.run.seconds.median);
  table.add("seconds_max", r.run.seconds.max);
  table.add("repeats", std::int64_t{r.run.seconds.repeats});
  table.add("bytes", static_cast<std::int64_t>(r.run.bytes));
  table.add("gb_per_s", rate_of(r.run, static_cast<double>(r.run.bytes)));
  table.add("sha256", r.sha256);
  table.add("check", std::string(r.check ? to_string(r.check->judgement()) : ""));
  table.add("version", std::string(version));
  table.add("input", r.product.input);
  table.add("vector", r.product.operands.vector_source);
  table.add("read_seconds", r.product.read_seconds);
  table.add("cache_preference", r.run.cache_preference
                                    ? std::string(to_string(*r.run.cache_preference))
                                    : std::string());
  table.add("blocks", r.run.stream ? r.run.stream->blocks : std::int64_t{0});
  return with_inputs(table, r.product);
}

std::string to_text(CheckReport const& r) {
  return product_lines(r.product, " -> " + r.result) +
         report_line("time", duration(r.verdict.seconds) + "; reading took " +
                                 duration(r.product.read_seconds)) +
         verdict_lines(r.verdict);
}

std::string to_csv(CheckReport const& r) {
  CsvTable table;
  table.add("operation", std::string(r.product.operation.command));
  table.add_matrix(r.product.operands);
  table.add("check", std::string(to_string(r.verdict.judgement())));
  add_verdict(table, r.verdict);
  table.add("version", std::string(version));
  table.add("input", r.product.input);
  table.add("result", r.result);
  table.add("vector", r.product.operands.vector_source);
  return with_inputs(table, r.product);
}

/// No greatest error (null) if nothing was judged.
Json to_object(check::Verdict const& verdict) {
  Json not_judged = Json::array();
  for (auto const& run : verdict.which_not_judged) {
    not_judged.push_back({{"first", run.first}, {"last", run.last}, {"why", run.why}});
  }
  auto const if_judged = [&](Json const& value) {
    return verdict.judged() > 0 ? value : Json(nullptr);
  };
  return {{"passed", verdict.passed()},
          {"verdict", to_string(verdict.judgement())},
          {"elements", verdict.elements},
          {"failed", verdict.failed},
          {"not_judged", verdict.not_judged},
          {"which_not_judged", not_judged},
          {"greatest_error_in_bounds", if_judged(json_number(verdict.worst_in_bounds))},
          {"index", if_judged(verdict.worst)},
          {"value", if_judged(json_number(verdict.worst_value))},
          {"reference", if_judged(json_number(verdict.worst_reference))},
          {"bound", if_judged(json_number(verdict.worst_bound))},
          {"greatest_error_in_ulp", if_judged(json_number(verdict.greatest_ulp))},
          {"ulp_index", if_judged(verdict.ulp_index)},
          {"seconds", verdict.seconds}};
}

Json to_object(TermOptions const& terms) {
  if (!terms.is_any()) return nullptr;
  if (terms.map == maps::Kind::replace) return {{"transposed_vector", terms.map_vector}};
  bool const has_map = terms.map != maps::Kind::identity;
  return {{"map", has_map ? Json(word_of(terms.map)) : Json(nullptr)},
          {"map_vector", text_or_null(terms.map_vector)},
          {"alpha", terms.alpha},
          {"beta", terms.effective_beta()},
          {"add", text_or_null(terms.add)}};
}

Json type_or_null(std::optional<io::ElementType> type) {
  return type ? Json(io::to_string(*type)) : Json(nullptr);
}

Json to_object(check::BitVerdict const& verdict) {
  return {{"passed", verdict.passed()},
          {"verdict", to_string(verdict.judgement())},
          {"elements", verdict.elements},
          {"failed", verdict.failed},
          {"seconds", verdict.seconds}};
}

Json to_object(TimeSummary const& time) {
  return {{"min", time.min}, {"median", time.median}, {"max", time.max}, {"repeats", time.repeats}};
}

Json to_object(std::vector<StageTime> const& stages) {
  Json array = Json::array();
  for (auto const& stage : stages) {
    array.push_back({{"name", stage.name}, {"seconds", stage.seconds}});
  }
  return array;
}

Json to_object(MaybePreference const& preference) {
  return preference ? Json(to_string(*preference)) : Json(nullptr);
}

Json to_object(std::optional<StreamFacts> const& stream) {
  if (!stream) return nullptr;
  return {{"blocks", stream->blocks},           {"block_bytes", stream->block_bytes},
          {"bytes_read", stream->bytes_read},   {"memory_limit", stream->memory_limit},
          {"first_block", stream->first_block}, {"why", stream->why}};
}

Json to_object(std::vector<RankFacts> const& ranks) {
  if (ranks.empty()) return nullptr;
  Json array = Json::array();
  for (RankFacts const& rank : ranks) {
    if (rank.streams) {
      array.push_back({{"bytes_read", rank.bytes_read}, {"seconds", rank.seconds}});
      continue;
    }
    array.push_back({{"first_row", rank.first_row},
                     {"rows", rank.rows},
                     {"read_seconds", rank.read_seconds},
                     {"seconds", rank.seconds}});
  }
  return array;
}

Json to_object(MatrixFacts const& matrix) {
  return {{"name", matrix.name},
          {"file", text_or_null(matrix.file)},
          {"rows", matrix.rows},
          {"cols", matrix.cols},
          {"type", io::to_string(matrix.type)},
          {"layout", io::to_string(matrix.layout)},
          {"stored_type", type_or_null(matrix.stored)}};
}

Json to_object(std::optional<TuningInUse> const& tuning) {
  if (!tuning) return nullptr;
  return {{"rows", tuning->record.shape.rows},
          {"cols", tuning->record.shape.cols},
          {"file", tuning->file}};
}

std::string to_json(Report const& r) {
  auto const& [info, x, vectors, type, source, vector_stored, holds_stored] = r.product.operands;
  Json cuts = Json::array();
  for (auto const& cut : r.run.cuts) {
    cuts.push_back({{"name", cut.name},
                    {"teams", cut.teams},
                    {"team_size", cut.team_size},
                    {"panels", cut.panels},
                    {"lines_per_panel", cut.lines_per_panel}});
  }
  return json_text({{"operation", r.product.operation.command},
                    {"method", r.run.method},
                    {"kernels", text_or_null(kernels_of(r.run))},
                    {"backend", r.decision.backend.name},
                    {"backend_why", text_or_null(r.decision.why)},
                    {"device", r.decision.backend.device},
                    {"rows", info.rows},
                    {"cols", info.cols},
                    {"type", io::to_string(type)},
                    {"layout", io::to_string(info.layout)},
                    {"seconds", to_object(r.run.seconds)},
                    {"stages", to_object(r.run.stages)},
                    {"bytes", r.run.bytes},
                    {"gb_per_s", rate_of(r.run, static_cast<double>(r.run.bytes))},
                    {"sha256", r.sha256},
                    {"check", r.check ? to_object(*r.check) : Json(nullptr)},
                    {"version", version},
                    {"input", r.product.input},
                    {"vector", source},
                    {"read_seconds", r.product.read_seconds},
                    {"plan", cuts},
                    {"tuning", to_object(r.tuning)},
                    {"output", text_or_null(r.output)},
                    {"intermediate", text_or_null(r.intermediate)},
                    {"cache_preference", to_object(r.run.cache_preference)},
                    {"stream", to_object(r.run.stream)},
                    {"stored_type", io::to_string(info.stored)},
                    {"held_type", r.run.stream   ? Json(nullptr)
                                  : holds_stored ? Json(io::to_string(info.stored))
                                                 : Json(io::to_string(type))},
                    {"vector_stored_type", type_or_null(vector_stored)},
                    {"terms", to_object(r.product.terms)},
                    {"vectors", vectors},
                    {"second_sha256", text_or_null(r.second_sha256)},
                    {"ranks", to_object(r.run.ranks)},
                    {"exchange", text_or_null(r.run.exchange)},
                    {"notices", report_notices()}});
}

std::string to_json(MatrixReport const& r) {
  Json inputs = Json::array();
  for (auto const& matrix : r.inputs) inputs.push_back(to_object(matrix));
  return json_text({{"operation", r.operation},
                    {"method", r.run.method},
                    {"kernels", text_or_null(kernels_of(r.run))},
                    {"backend", r.decision.backend.name},
                    {"backend_why", text_or_null(r.decision.why)},
                    {"device", r.decision.backend.device},
                    {"inputs", inputs},
                    {"result", to_object(r.result)},
                    {"seconds", to_object(r.run.seconds)},
                    {"stages", to_object(r.run.stages)},
                    {"bytes", r.run.bytes},
                    {"gb_per_s", rate_of(r.run, static_cast<double>(r.run.bytes))},
                    {"flops", r.run.flops},
                    {"gflop_per_s", rate_of(r.run, r.run.flops)},
                    {"sha256", r.sha256},
                    {"check", r.check        ? to_object(*r.check)
                              : r.bits_check ? to_object(*r.bits_check)
                                             : Json(nullptr)},
                    {"version", version},
                    {"read_seconds", r.read_seconds},
                    {"tuning", to_object(r.tuning)},
                    {"cache_preference", to_object(r.run.cache_preference)},
                    {"notices", report_notices()}});
}

std::string to_json(CheckReport const& r) {
  auto const& [info, x, vectors, type, source, vector_stored, holds_stored] = r.product.operands;
  return json_text({{"operation", r.product.operation.command},
                    {"rows", info.rows},
                    {"cols", info.cols},
                    {"type", io::to_string(type)},
                    {"layout", io::to_string(info.layout)},
                    {"check", to_object(r.verdict)},
                    {"version", version},
                    {"input", r.product.input},
                    {"result", r.result},
                    {"vector", source},
                    {"read_seconds", r.product.read_seconds},
                    {"stored_type", io::to_string(info.stored)},
                    {"vector_stored_type", type_or_null(vector_stored)},
                    {"terms", to_object(r.product.terms)},
                    {"vectors", vectors},
                    {"notices", report_notices()}});
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
