// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bench/machine.hpp>
#include <bench/measurement.hpp>
#include <bench/whole_number.hpp>
#include <check/verdict.hpp>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <app/backend/backends.hpp>
#include <app/base/failure.hpp>
#include <app/base/names.hpp>
#include <app/base/progress.hpp>
#include <app/base/sha256.hpp>
#include <app/base/text.hpp>
#include <app/commands/commands.hpp>
#include <app/report/report.hpp>
#include <app/run/files.hpp>
#include <app/run/input.hpp>
#include <app/run/options.hpp>
#include <app/run/run.hpp>
#include <io/memory.hpp>
#include <io/output_file.hpp>

namespace tessera::app {
namespace {

struct BenchReport {
  BenchOptions const& options;
  io::ScalarType type;
  io::Layout layout;
  bool is_turned;  ///< column-major, read as rows of the transpose
  BackendFacts backend;
  bool backend_chosen;
  bench::Facts facts;
  std::vector<bench::Table> tables;
};

published::TeamShape parse_team(std::string const& text) {
  if (auto const team = two_extents(text)) return {team->first, team->second};
  throw Failure(ExitStatus::usage,
                "--teams: '" + text + "' is no team: expected RxC, both from 1 to 2147483647");
}

std::int64_t parse_tile(std::string const& text) {
  constexpr std::uint64_t most = std::uint64_t{1} << 30U;
  auto const tile = bench::whole_number(text);
  if (tile && *tile >= 1 && *tile <= most) return static_cast<std::int64_t>(*tile);
  throw Failure(ExitStatus::usage,
                "--tiles: '" + text + "' is no tile: expected a whole number from 1 to 1073741824");
}

struct FileData {
  io::HostMatrix A;
  io::HostMatrix B;
  io::HostVector x;
};

struct Measured {
  std::optional<FileData> data;  ///< none: random numbers
  io::ScalarType type;
  io::Layout layout;
  bool is_turned = false;
  std::vector<bench::Shape> shapes;
};

/// Null for operations without a vector.
OperationRow const* vector_operation(std::string const& name) {
  for (auto const& row : table_of_operations()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

void check_files(BenchOptions const& options) {
  auto const fail = [](std::string const& sentence) { throw Failure(ExitStatus::usage, sentence); };
  bool const is_product = options.operation == "gemm";
  if (!bench::operation_named(options.operation).takes_files) {
    auto const command = command_of(options.operation);
    if (!options.files.empty()) {
      fail("bench: " + command + " expected random matrices, found " + options.files.front());
    }
    if (options.check) fail("--check: results of " + command + " are compared with Tessera's only");
  }
  if (options.files.empty()) {
    if (!options.vector.empty())
      fail("--vector: random matrices have random vectors; FILE is missing");
    return;
  }
  std::size_t const wanted = is_product ? 2 : 1;
  if (options.files.size() != wanted) {
    fail("bench: " + command_of(options.operation) + " expected " +
         (is_product ? "two files, A and B" : "one file") + ", found " +
         std::to_string(options.files.size()));
  }
  if (!options.shapes.empty()) fail("--shapes: a file has its own shape; leave one of the two out");
  if (options.layout) fail("--layout: a file has its own layout; `tessera convert` writes another");
  if (!options.vector.empty() && vector_operation(options.operation) == nullptr) {
    fail("--vector: " + command_of(options.operation) + " has no vector");
  }
}

io::HostMatrix read_factor(BenchOptions const& options, io::MatrixInfo const& first) {
  std::string const path = resolve_input(options.files.back()).path;
  io::MatrixReader const reader(path, {}, io::Reading::in_order);
  auto const& info = reader.info();
  auto const fail = [&](std::string const& sentence) {
    throw io::FileError(io::ErrorKind::bad_input, path, sentence);
  };
  if (info.rows != first.cols) {
    fail("has the wrong number of rows: expected " + std::to_string(first.cols) +
         ", one for each column of A, found " + std::to_string(info.rows));
  }
  if (!options.type && info.type != first.type) {
    fail("has a matrix of another type than A; --type converts both");
  }
  if (info.layout != first.layout) {
    fail(
        "has another layout than A: expected the same layout for both; `tessera convert --layout` "
        "changes it");
  }
  return read_matrix_input(reader, options.type).A;
}

bench::Shape shape_of(io::HostMatrix const& A) {
  auto const [rows, cols] = extents(A);
  return {.rows = rows, .cols = cols};
}

Measured measured_of(BenchOptions const& options) {
  Measured measured{.data = std::nullopt,
                    .type = options.type.value_or(io::ScalarType::f32),
                    .layout = options.layout.value_or(io::Layout::right),
                    .is_turned = false,
                    .shapes = {}};
  if (options.files.empty()) {
    require_layout(options.operation, measured.layout);
    measured.shapes = parse_shapes("--shapes", options.shapes, options.operation);
    return measured;
  }
  io::MatrixReader const reader(resolve_input(options.files.front()).path, {},
                                io::Reading::in_order);
  measured.type = options.type.value_or(reader.info().type);
  measured.layout = reader.info().layout;
  auto& data = measured.data.emplace();
  if (auto const* const row = vector_operation(options.operation)) {
    Input const input = read_input(reader, options.vector, row->id, options.type);
    data.A = input.A;
    data.x = input.x;
  } else {
    data.A = read_matrix_input(reader, options.type).A;
  }
  bench::Shape shape = shape_of(data.A);
  if (options.operation == "gemm") {
    data.B = read_factor(options, reader.info());
    shape.factor_cols = extents(data.B).cols;
  }
  if (options.operation == "transpose" && measured.layout == io::Layout::left) {
    std::swap(shape.rows, shape.cols);
    measured.layout = io::Layout::right;
    measured.is_turned = true;
  }
  measured.shapes = {shape};
  return measured;
}

void* memory_of(io::HostMatrix const& matrix) {
  return std::visit([](auto const& view) -> void* { return view.data(); }, matrix);
}
void* memory_of(io::HostVector const& vector) {
  return std::visit([](auto const& view) -> void* { return view.data(); }, vector);
}

bench::Numbers numbers_of(Measured const& measured) {
  if (!measured.data) return {};
  auto const& [A, B, x] = *measured.data;
  return {.matrix = memory_of(A),
          .other = measured.shapes.front().is_product() ? memory_of(B) : memory_of(x)};
}

template <class T>
io::HostMatrix matrix_at(void* data, std::int64_t rows, std::int64_t cols, io::Layout layout) {
  auto* const first = static_cast<T*>(data);
  auto const m = static_cast<std::size_t>(rows);
  auto const n = static_cast<std::size_t>(cols);
  if (layout == io::Layout::right) return io::MatrixView<T, Kokkos::LayoutRight>(first, m, n);
  return io::MatrixView<T, Kokkos::LayoutLeft>(first, m, n);
}

template <class T>
io::HostVector vector_at(void* data, std::int64_t length) {
  return io::VectorView<T>(static_cast<T*>(data), static_cast<std::size_t>(length));
}

template <class T>
bench::Opinion judge_result(std::string const& operation, bench::Shape const& shape,
                            io::Layout layout, bench::Made const& made) {
  auto const A = matrix_at<T>(made.of.matrix, shape.rows, shape.cols, layout);
  ProgressBar bar("checking");
  auto const progress = progress_of(bar);
  auto const order = made.has_our_bits ? check::Summation::canonical : check::Summation::any;
  auto const opinion = [&](auto const& verdict, auto const& result) {
    return bench::Opinion{.text = to_sentence(verdict),
                          .wrong = verdict.judgement() == check::Judgement::failed,
                          .not_judged = verdict.judgement() == check::Judgement::not_judged,
                          .sha256 = sha256(elements(result))};
  };
  if (operation == "transpose") {
    auto const result = made.is_copy ? matrix_at<T>(made.result, shape.rows, shape.cols, layout)
                                     : matrix_at<T>(made.result, shape.cols, shape.rows, layout);
    return opinion(check::judge_moved(A, result, !made.is_copy, progress), result);
  }
  if (operation == "gemm") {
    auto const B = matrix_at<T>(made.of.other, shape.cols, shape.factor_cols, layout);
    auto const C = matrix_at<T>(made.result, shape.rows, shape.factor_cols, layout);
    return opinion(check::judge_product(A, B, C, "bench", order, progress), C);
  }
  OperationRow const& row = *vector_operation(operation);
  auto const x = vector_at<T>(made.of.other, row.vector_length(shape.rows, shape.cols));
  auto const result = vector_at<T>(made.result, row.result_length(shape.rows, shape.cols));
  return opinion(check::judge(row.id, A, x, result, "bench", order, {}, progress), result);
}

template <class T>
void add_once(std::vector<T>& to, T const& value) {
  if (std::ranges::find(to, value) == to.end()) to.push_back(value);
}

bench::Request request_of(BenchOptions const& options, Measured const& measured,
                          BackendFacts const& backend) {
  bench::Request request{.backend = backend.name,
                         .scalar = std::string(io::to_string(measured.type)),
                         .operation = options.operation,
                         .shape = {},
                         .layout = layout_of(measured.layout),
                         .cache_preference = options.cache_preference,
                         .most_teams = options.most_teams,
                         .numbers = numbers_of(measured),
                         .turns = options.turns,
                         .seconds = options.seconds};
  if (options.variants == "none") {
    request.variants.emplace();
  } else if (options.variants != "all") {
    request.variants = bench::split_at_commas(options.variants);
  }
  if (!options.teams.empty()) {
    for (auto const& team : bench::split_at_commas(options.teams)) {
      add_once(request.teams, parse_team(team));
    }
  }
  if (!options.tiles.empty()) {
    for (auto const& tile : bench::split_at_commas(options.tiles)) {
      add_once(request.tiles, parse_tile(tile));
    }
  }
  return request;
}

/// Refuses padding.
void ask_for_check(bench::Request& request, Measured const& measured) {
  if (request.shape.padding > 0) {
    throw Failure(ExitStatus::usage,
                  "--check: matrices with padding are compared with Tessera's result only");
  }
  bench::Opinion (*const judge)(std::string const&, bench::Shape const&, io::Layout,
                                bench::Made const&) =
      measured.type == io::ScalarType::f32 ? &judge_result<float> : &judge_result<double>;
  request.judge = [&request, &measured, judge](bench::Made const& made) -> bench::Opinion {
    return judge(request.operation, request.shape, measured.layout, made);
  };
}

void require_teams_in_use(bench::Request const& request) {
  bool const tiles = !request.tiles.empty();
  if (request.teams.empty() && !tiles && request.most_teams == 0) return;
  auto const variants =
      bench::names_of_variants(request.backend, request.operation, request.layout);
  if (!variants.empty() && !(request.variants && request.variants->empty())) return;
  throw Failure(
      ExitStatus::usage,
      std::string(!request.teams.empty() ? "--teams"
                  : tiles                ? "--tiles"
                                         : "--most-teams") +
          ": only variants have teams and tiles, and none is measured: " +
          std::string(variants.empty() ? "there is none of " + command_of(request.operation)
                                       : "found --variants none"));
}

bench::Table measure_shape(bench::Request const& request) {
  ProgressBar bar("measuring " + name_of(request.shape));
  try {
    return bench::measure(request, setter_of(bar));
  } catch (std::invalid_argument const& error) {
    throw Failure(ExitStatus::usage, std::string("bench: ") + error.what());
  }
}

using Json = nlohmann::ordered_json;
using bench::Row;
using bench::Table;

bench::Operation const& operation_of(BenchReport const& report) {
  return bench::operation_named(report.options.operation);
}

std::string team_text(std::optional<published::TeamShape> const& team) {
  if (!team) return "";
  return std::to_string(team->rows) + "x" + std::to_string(team->cols);
}

std::string tile_text(std::optional<std::int64_t> const& tile) {
  return tile ? std::to_string(*tile) : "";
}

/// Without the function's name.
std::string plain(std::string const& sentence) {
  auto const colon = sentence.find(": ");
  bool const is_named = sentence.starts_with("tessera::") && colon != std::string::npos;
  return is_named ? sentence.substr(colon + 2) : sentence;
}

std::string table_text(BenchReport const& report, Table const& table) {
  auto const& operation = operation_of(report);
  std::string text = std::string(operation.formula) + "   " + matrix_text(table.shape) + ", " +
                     std::string(io::to_string(report.type)) + ", " +
                     std::string(io::to_string(report.layout)) + "\n";
  if (!table.why_not.empty()) return text + "  not measured: " + table.why_not + "\n";
  if (table.stream) {
    text += "  " + table.stream->name + ": " + duration(table.stream->seconds) + ", " +
            fixed(table.stream->gb_per_s, 1) + " GB/s\n";
  }
  bool const flops = operation.is_counted_in_flops;
  bool const teams =
      std::ranges::any_of(table.rows, [](Row const& row) { return row.team.has_value(); });
  bool const tiles =
      std::ranges::any_of(table.rows, [](Row const& row) { return row.tile.has_value(); });
  std::vector<std::vector<std::string>> lines;
  auto const add = [&](std::vector<std::string> line) {
    if (!report.options.check) line.pop_back();
    if (!table.stream) line.erase(line.begin() + 5);
    if (!tiles) line.erase(line.begin() + 2);
    if (!teams) line.erase(line.begin() + 1);
    lines.push_back(std::move(line));
  };
  add({"kernel", "team", "tile", "time", flops ? "GFLOP/s" : "GB/s",
       "of " + std::string(operation.stream), "speed-up", "repeats", "check", "reference"});
  for (Row const& row : table.rows) {
    std::string const reference = row.opinion ? row.opinion->text : "";
    std::string const name = row.name + (row.is_copy ? " (a copy)" : "");
    if (!row.seconds) {
      bool const in_two = report.options.check && !row.why_not.empty();
      add({name, team_text(row.team), tile_text(row.tile), "-", "-", "-", "-",
           to_string(row.repeats),
           in_two                ? "not run"
           : row.why_not.empty() ? row.check
                                 : "not run: " + plain(row.why_not),
           in_two ? plain(row.why_not) : reference});
      continue;
    }
    add({name, team_text(row.team), tile_text(row.tile), duration(row.seconds->median),
         fixed(flops ? row.gflop_per_s : row.gb_per_s, 1), row.share ? fixed(*row.share, 3) : "-",
         fixed(row.speed_up, 2), to_string(row.repeats), row.check, reference});
  }
  std::size_t const columns = lines.front().size();
  std::size_t const words = report.options.check ? 3 : 2;
  return text + aligned(lines, {columns - words, columns - 2, columns - 1});
}

std::string numbers_text(BenchReport const& report) {
  BenchOptions const& options = report.options;
  if (options.files.empty()) return "";
  std::string text = "A of " + options.files.front();
  if (report.is_turned) text += ", read as the rows of its transpose";
  if (options.files.size() > 1) text += ", B of " + options.files.back();
  if (!options.vector.empty()) text += ", V of " + options.vector;
  return text + "\n";
}

std::string to_text(BenchReport const& report) {
  std::string text;
  for (auto const& [name, value] : report.facts) {
    if (name == "tessera") text += "tessera " + value;
    if (name == "commit") text += ", commit " + value;
    if (name == "peers") text += "; libraries: " + value + "\n";
  }
  text += report.backend.name + (report.backend_chosen ? " (chosen), " : ", ") +
          report.backend.device +
          (report.options.cache_preference
               ? ", cache preference " + std::string(to_string(*report.options.cache_preference))
               : "") +
          "; medians of " + std::to_string(report.options.turns) + " runs in random order\n" +
          numbers_text(report);
  for (auto const& table : report.tables) text += "\n" + table_text(report, table);
  return text;
}

Json to_json(Row const& row) {
  Json json = {{"name", row.name}, {"kind", to_string(row.kind)}};
  json["team"] = row.team ? Json(team_text(row.team)) : Json(nullptr);
  json["tile"] = row.tile ? Json(*row.tile) : Json(nullptr);
  json["is_copy"] = row.is_copy;
  json["repeats"] = to_string(row.repeats);
  json["check"] = text_or_null(row.check);
  json["reference"] = row.opinion ? Json(row.opinion->text) : Json(nullptr);
  json["sha256"] = row.opinion ? Json(row.opinion->sha256) : Json(nullptr);
  json["wrong"] = row.wrong;
  json["why_not"] = text_or_null(row.why_not);
  if (!row.seconds) return json;
  json["seconds"] = {
      {"min", row.seconds->min}, {"median", row.seconds->median}, {"max", row.seconds->max}};
  json["host_seconds"] = row.host_seconds ? Json(*row.host_seconds) : Json(nullptr);
  json["kernels"] = row.kernels;
  json["calls"] = row.calls;
  json["gb_per_s"] = row.gb_per_s;
  json["gflop_per_s"] = row.gflop_per_s;
  json["share"] = row.share ? Json(*row.share) : Json(nullptr);
  json["speed_up"] = row.speed_up;
  return json;
}

Json to_json(Table const& table) {
  Json json = {{"rows", table.shape.rows}, {"cols", table.shape.cols}};
  if (table.shape.padding > 0) json["padding"] = table.shape.padding;
  if (table.shape.is_product()) json["factor_cols"] = table.shape.factor_cols;
  json["why_not"] = text_or_null(table.why_not);
  if (!table.why_not.empty()) return json;
  json["bytes"] = table.bytes;
  json["flops"] = table.flops;
  json["copies"] = table.copies;
  json["stream"] = nullptr;
  if (table.stream) {
    json["stream"] = {{"name", table.stream->name},
                      {"seconds", table.stream->seconds},
                      {"gb_per_s", table.stream->gb_per_s}};
  }
  json["results"] = Json::array();
  for (auto const& row : table.rows) json["results"].push_back(to_json(row));
  return json;
}

std::string to_json(BenchReport const& report) {
  Json context;
  for (auto const& [name, value] : report.facts) context[name] = value;
  context["backend_device"] = report.backend.device;
  Json json = {{"operation", command_of(report.options.operation)},
               {"files", report.options.files},
               {"is_turned", report.is_turned},
               {"vector", text_or_null(report.options.vector)},
               {"most_teams",
                report.options.most_teams == 0 ? Json(nullptr) : Json(report.options.most_teams)},
               {"backend", report.backend.name},
               {"type", io::to_string(report.type)},
               {"layout", io::to_string(report.layout)},
               {"cache_preference", report.options.cache_preference
                                        ? Json(to_string(*report.options.cache_preference))
                                        : Json(nullptr)},
               {"turns", report.options.turns},
               {"seconds_of_turn", report.options.seconds},
               {"context", context},
               {"tables", Json::array()}};
  for (auto const& table : report.tables) json["tables"].push_back(to_json(table));
  return json_text(json);
}

std::string to_csv(BenchReport const& report) {
  std::string text =
      "operation,shape,type,layout,backend,device,name,kind,team,tile,repeats,check,reference,why_"
      "not,seconds_min,"
      "seconds_median,seconds_max,gb_per_s,gflop_per_s,share,speed_up,stream,stream_seconds\n";
  auto const add = [&](Table const& table, Row const& row) {
    auto const number = [&](double value) { return row.seconds ? general(value, 9) : ""; };
    auto const seconds = row.seconds.value_or(bench::Seconds{});
    std::vector<std::string> const fields = {command_of(report.options.operation),
                                             name_of(table.shape),
                                             std::string(io::to_string(report.type)),
                                             std::string(io::to_string(report.layout)),
                                             report.backend.name,
                                             report.backend.device,
                                             row.name,
                                             to_string(row.kind),
                                             team_text(row.team),
                                             tile_text(row.tile),
                                             to_string(row.repeats),
                                             row.check,
                                             row.opinion ? row.opinion->text : "",
                                             row.why_not,
                                             number(seconds.min),
                                             number(seconds.median),
                                             number(seconds.max),
                                             number(row.gb_per_s),
                                             number(row.gflop_per_s),
                                             row.share ? general(*row.share, 9) : "",
                                             number(row.speed_up),
                                             table.stream ? table.stream->name : "",
                                             table.stream ? general(table.stream->seconds, 9) : ""};
    for (std::size_t k = 0; k < fields.size(); ++k)
      text += (k == 0 ? "" : ",") + csv_field(fields[k]);
    text += "\n";
  };
  for (auto const& table : report.tables) {
    if (!table.why_not.empty()) add(table, Row{.name = "all", .why_not = table.why_not});
    for (auto const& row : table.rows) add(table, row);
  }
  return text;
}

std::string write_report(BenchReport const& report) {
  if (report.options.format == ReportFormat::json) return to_json(report);
  return report.options.format == ReportFormat::csv ? to_csv(report) : to_text(report);
}

}  // namespace

ExitStatus run_command(BenchOptions const& options) {
  check_files(options);
  require_plain_file("--output", options.output);
  auto const backend = measured_backend(options);
  require_caches(options.cache_preference, backend);
  RunFiles files;
  for (auto const& file : options.files) files.reads(resolve_input(file).path);
  files.reads(options.vector).keeps_tunings().writes(options.output).without_report().check();
  Measured const measured = measured_of(options);
  auto request = request_of(options, measured, backend);
  require_teams_in_use(request);
  std::optional<io::OutputFile> output;
  if (!options.output.empty()) output.emplace(options.output);

  BenchReport report{.options = options,
                     .type = measured.type,
                     .layout = measured.layout,
                     .is_turned = measured.is_turned,
                     .backend = backend,
                     .backend_chosen = options.backend == BackendChoice::automatic,
                     .facts = bench::facts_of(backend.name),
                     .tables = {}};
  for (auto const& shape : measured.shapes) {
    request.shape = shape;
    if (options.check) ask_for_check(request, measured);
    report.tables.push_back(measure_shape(request));
  }
  std::string const text = write_report(report);
  if (output) {
    output->write_elements(std::span<char const>(text));
    output->commit();
  } else {
    std::fputs(text.c_str(), stdout);
  }
  bool const is_good = std::ranges::all_of(report.tables, [](Table const& table) {
    return std::ranges::all_of(table.rows, [](Row const& row) {
      return !row.wrong && !(row.opinion && row.opinion->not_judged);
    });
  });
  return is_good ? ExitStatus::good : ExitStatus::difference;
}

}  // namespace tessera::app
