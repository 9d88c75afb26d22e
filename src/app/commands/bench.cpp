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

#include <app/backend/backends.hpp>
#include <app/base/failure.hpp>
#include <app/base/names.hpp>
#include <app/base/progress.hpp>
#include <app/base/sha256.hpp>
#include <app/base/text.hpp>
#include <app/commands/commands.hpp>
#include <app/report/bench_report.hpp>
#include <app/run/files.hpp>
#include <app/run/input.hpp>
#include <app/run/options.hpp>
#include <app/run/run.hpp>
#include <io/memory.hpp>
#include <io/output_file.hpp>

namespace tessera::app {
namespace {

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
  bool const is_good = std::ranges::all_of(report.tables, [](bench::Table const& table) {
    return std::ranges::all_of(table.rows, [](bench::Row const& row) {
      return !row.wrong && !(row.opinion && row.opinion->not_judged);
    });
  });
  return is_good ? ExitStatus::good : ExitStatus::difference;
}

}  // namespace tessera::app
