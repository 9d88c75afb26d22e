// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include <app/completion.hpp>
#include <app/extents.hpp>
#include <app/help_texts.hpp>
#include <app/measure_options.hpp>
#include <app/option_choice.hpp>
#include <app/options.hpp>
#include <tessera/version.hpp>

namespace tessera::app {
namespace {

using MaybeType = std::optional<io::ScalarType>;
constexpr std::pair<char const*, MaybeType> maybe_types[] = {
    {"as-is", std::nullopt}, {"f32", io::ScalarType::f32}, {"f64", io::ScalarType::f64}};
constexpr std::pair<char const*, io::ScalarType> file_types[] = {{"f32", io::ScalarType::f32},
                                                                 {"f64", io::ScalarType::f64}};
constexpr std::pair<char const*, io::Distribution> distributions[] = {
    {"ex3", io::Distribution::ex3},
    {"uniform", io::Distribution::uniform},
    {"normal", io::Distribution::normal},
    {"integer", io::Distribution::integer}};
constexpr std::pair<char const*, io::Layout> orders[] = {{"c", io::Layout::right},
                                                         {"fortran", io::Layout::left}};
using MaybeLayout = std::optional<io::Layout>;
constexpr std::pair<char const*, io::Layout> raw_orders[] = {{"row", io::Layout::right},
                                                             {"column", io::Layout::left}};
constexpr std::pair<char const*, MaybeLayout> output_orders[] = {
    {"as-is", std::nullopt}, {"row", io::Layout::right}, {"column", io::Layout::left}};
using MaybeFormat = std::optional<io::Format>;
constexpr std::pair<char const*, MaybeFormat> input_formats[] = {
    {"by-content", std::nullopt}, {"npy", io::Format::npy},          {"npz", io::Format::npz},
    {"hdf5", io::Format::hdf5},   {"ex3", io::Format::ex3},          {"raw", io::Format::raw},
    {"csv", io::Format::csv},     {"mtx", io::Format::matrix_market}};
constexpr auto formats_with_shape = std::span(input_formats).first<5>();
constexpr std::pair<char const*, Method> methods[] = {
    {"auto", Method::automatic}, {"fused", Method::fused}, {"two-stage", Method::two_stage}};
constexpr std::pair<char const*, ReportFormat> info_formats[] = {{"text", ReportFormat::text},
                                                                 {"json", ReportFormat::json}};
constexpr std::pair<char const*, std::optional<variants::Tiling>> tilings[] = {
    {"exact", variants::Tiling::exact}, {"inexact", variants::Tiling::inexact}};
constexpr std::pair<char const*, OperationId> operations[] = {
    {"atax", OperationId::atax},
    {"gemv", OperationId::multiply},
    {"gemvt", OperationId::multiply_transposed}};

void add_input(CLI::App& app, std::string& input) {
  app.add_option("INPUT", input, "A: a .npy, .npz, HDF5 or ex3 file, or a number N for test/N")
      ->required()
      ->type_name("");
}

void add_input_format(CLI::App& app, MaybeFormat& format, Choices<MaybeFormat> formats) {
  add_choice(app, "--input-format", format, formats,
             "What INPUT is, where its content does not say");
}

void add_dataset_flag(CLI::App& app, bool& add_dataset) {
  app.add_flag("--add-dataset", add_dataset,
               "Add to an HDF5 file that exists, which is copied first");
}

CLI::App* add_generate(CLI::App& app, io::GenerateRequest& request) {
  auto& command = *app.add_subcommand("gen", "Make a matrix A and a vector V");
  request.distribution = io::Distribution::ex3;
  auto const size = CLI::PositiveNumber.description("");
  command.add_option("--rows", request.rows, "Rows of A")->required()->type_name("M")->check(size);
  command.add_option("--cols", request.cols, "Columns of A, entries of V")
      ->required()
      ->type_name("N")
      ->check(size);
  add_choice(command, "--type", request.type, file_types, "Type of the elements");
  add_choice(command, "--distribution", request.distribution, distributions,
             "How values are drawn");
  add_choice(command, "--order", request.layout, orders, "Order in a .npy file");
  command.add_option("--seed", request.seed, "Where the random numbers start")
      ->type_name("S")
      ->capture_default_str();
  command.add_option("--output", request.output, "File to write")->required()->type_name("FILE");
  command.add_option("--vector-output", request.vector_output, "File for V, beside a .npy output")
      ->type_name("FILE");
  add_dataset_flag(command, request.add_dataset);
  command.footer(help::generate);
  return &command;
}

/// A variant's name: the words are the rows of its table.
void add_variant_name(CLI::App& app, std::string& name, std::vector<VariantFacts> const& variants) {
  std::string words;
  for (auto const& facts : variants) words += (words.empty() ? "" : "|") + std::string(facts.name);
  auto const choose = [&name, variants, words](std::string const& text) {
    for (auto const& facts : variants) {
      if (text == facts.name) {
        name = text;
        return;
      }
    }
    throw CLI::ValidationError("--variant", "'" + text + "' is not one of " + words);
  };
  app.add_option_function<std::string>("--variant", choose,
                                       "Run a published kernel instead of the operation")
      ->type_name(words);
}

/// "32x8" as a team of threads.
variants::Team parse_team(std::string const& text) {
  if (auto const team = two_extents(text)) return {team->first, team->second};
  throw CLI::ValidationError(
      "--team", "'" + text + "' is not two numbers of threads with an x between, such as 32x8");
}

/// The options of variants, as far as one of the variants takes them.
void add_variant(CLI::App& app, VariantChoice& choice, std::vector<VariantFacts> const& variants,
                 std::string const& team_words, std::string const& team_help) {
  auto const some = [&](bool VariantFacts::* has) {
    return std::ranges::any_of(variants, [&](auto const& facts) { return facts.*has; });
  };
  auto const number = CLI::Range(std::int64_t{1}, std::int64_t{1} << 30).description("");
  add_variant_name(app, choice.name, variants);
  app.add_option_function<std::string>(
         "--team", [&choice](std::string const& text) { choice.team = parse_team(text); },
         team_help)
      ->type_name(team_words);
  if (some(&VariantFacts::takes_teams)) {
    app.add_option("--teams", choice.teams, "Most teams of a variant's kernel")
        ->type_name("N")
        ->check(number);
  }
  if (some(&VariantFacts::takes_tile)) {
    app.add_option("--tile", choice.tile, "Size of a variant's tile in scratch")
        ->type_name("N")
        ->check(number);
  }
  if (some(&VariantFacts::takes_tiling)) {
    add_choice(app, "--tiling", choice.tiling, tilings, "A variant without or with checks of ends");
  }
}

/// What every command that computes can be told, but for the variant.
void add_run(CLI::App& command, RunOptions& options, Choices<ReportFormat> report_formats,
             std::string const& check_help) {
  add_choice(command, "--backend", options.backend, backend_choices, "Where it is computed");
  add_device(command, options.device);
  add_cache_preference(command, options.cache_preference);
  add_choice(command, "--type", options.type, maybe_types, "Type to compute in");
  command.add_option("--repeat", options.repeat, "Timed runs, after a warm-up")
      ->type_name("R")
      ->check(CLI::Range(1, 1'000'000).description(""))
      ->capture_default_str();
  add_threads(command, options.threads);
  command.add_flag("--check", options.check, check_help);
  command.add_flag("--no-tuning-cache", options.no_tuning_cache,
                   "Launch as the backend would, whatever `tessera tune` has found");
  add_dataset_flag(command, options.add_dataset);
  add_choice(command, "--format", options.format, report_formats, "How the report is written");
}

/// "512MiB", "2GiB", "1e9": bytes, at least 1.
std::uint64_t parse_bytes(std::string const& text) {
  constexpr std::pair<std::string_view, double> units[] = {
      {"", 1},      {"B", 1},        {"KB", 1e3},     {"MB", 1e6},     {"GB", 1e9},
      {"TB", 1e12}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40},
  };
  char* end = nullptr;
  double const number = std::strtod(text.c_str(), &end);
  auto const* const unit =
      std::ranges::find(units, std::string_view(end), &std::pair<std::string_view, double>::first);
  double const bytes = unit == std::end(units) ? 0 : number * unit->second;
  if (end == text.c_str() || !(bytes >= 1) || bytes > 0x1p62) {
    throw CLI::ValidationError("--memory-limit",
                               "'" + text + "' is not a size such as 512MiB, 2GiB or 1e9");
  }
  return static_cast<std::uint64_t>(bytes);
}

/// How a matrix that does not fit into memory is read in blocks.
void add_stream(CLI::App& command, ComputeOptions& options) {
  command
      .add_option_function<std::string>(
          "--memory-limit",
          [&options](std::string const& text) { options.memory_limit = parse_bytes(text); },
          "Stream A from its file where it needs more memory than this")
      ->type_name("SIZE");
  command
      .add_option("--checkpoint", options.checkpoint,
                  "Stream, keep the state in this file now and then, go on from it")
      ->type_name("FILE");
  command
      .add_option("--checkpoint-every", options.checkpoint_seconds,
                  "Seconds between two states that are kept (0: after each block)")
      ->type_name("S")
      ->check(CLI::Range(0.0, 1e6).description(""))
      ->capture_default_str();
}

CLI::App* add_convert(CLI::App& app, io::ConversionRequest& request) {
  auto& command = *app.add_subcommand("convert", "Write a file anew in another format or order");
  command.add_option("INPUT", request.input, "A .npy, .npz, ex3, HDF5, .mtx, .csv or .bin file")
      ->required()
      ->type_name("");
  command.add_option("OUTPUT", request.output, "The file to write")->required()->type_name("");
  add_input_format(command, request.input_format, input_formats);
  add_choice(command, "--order", request.layout, output_orders, "Order of the elements in OUTPUT");
  add_choice(command, "--output-type", request.type, maybe_types, "Type of the elements in OUTPUT");
  auto const parse_chunks = [&request](std::string const& text) {
    auto const chunk = two_extents(text);
    if (!chunk) {
      throw CLI::ValidationError("--chunk", "'" + text +
                                                "' is not two numbers with an x between, such as "
                                                "1000x100");
    }
    request.chunks = io::Hdf5Chunks{.rows = static_cast<std::uint64_t>(chunk->first),
                                    .cols = static_cast<std::uint64_t>(chunk->second)};
  };
  auto* const chunk = command
                          .add_option_function<std::string>("--chunk", parse_chunks,
                                                            "Chunks of R rows and C columns in an "
                                                            "HDF5 OUTPUT (else it is contiguous)")
                          ->type_name("RxC");
  command
      .add_option_function<int>(
          "--deflate", [&request](int level) { request.chunks->deflate = level; },
          "Pack the chunks; 1 is fast, 9 is small")
      ->type_name("LEVEL")
      ->check(CLI::Range(1, 9).description(""))
      ->needs(chunk);
  auto const size = CLI::PositiveNumber.description("");
  auto* const rows = command.add_option("--rows", request.raw.rows, "Rows of a .bin INPUT")
                         ->type_name("M")
                         ->check(size);
  auto* const cols = command.add_option("--cols", request.raw.cols, "Columns of a .bin INPUT")
                         ->type_name("N")
                         ->check(size);
  rows->needs(cols);
  cols->needs(rows);
  add_choice(command, "--type", request.raw.type, file_types,
             "Type of the elements in a .bin INPUT");
  add_choice(command, "--input-order", request.raw.layout, raw_orders,
             "Order of the elements in a .bin INPUT");
  command.add_option("--vector", request.vector, "V of an ex3 OUTPUT: a .npy, .bin or ex3 file")
      ->type_name("FILE");
  command
      .add_option("--vector-output", request.vector_output,
                  "Where V of an ex3 INPUT goes (.npy or .bin)")
      ->type_name("FILE");
  add_dataset_flag(command, request.add_dataset);
  command.footer(help::convert);
  return &command;
}

CLI::App* add_compute(CLI::App& app, OperationRow const& row, ComputeOptions& options) {
  auto& command =
      *app.add_subcommand(std::string(row.command), "Compute " + std::string(row.formula_ascii));
  options.operation = row.id;
  add_input(command, options.input);
  add_input_format(command, options.input_format, formats_with_shape);
  command
      .add_option("--vector", options.vector,
                  std::string(row.vector_name) +
                      ": a .npy, .bin or ex3 file (else that of an ex3 INPUT, or ones)")
      ->type_name("FILE");
  command.add_option("--output", options.output, "Where the result goes (.npy or .bin)")
      ->type_name("FILE");
  command
      .add_option("--intermediate", options.intermediate,
                  "Where B goes (.npy or .bin); only for atax")
      ->type_name("FILE");
  add_choice(command, "--method", options.method, methods, "How A^T(A V) is computed");
  add_stream(command, options);
  if (row.variants != nullptr) {
    add_variant(command, options.variant, row.variants(), "RxC",
                "Threads of a variant's team, in R rows and C columns");
  }
  add_run(command, options, format_choices, "Compare the result with a reference, as `check` does");
  command.footer(help::compute);
  return &command;
}

CLI::App* add_transpose(CLI::App& app, TransposeOptions& options) {
  auto& command = *app.add_subcommand("transpose", "Transpose a matrix");
  add_input(command, options.input);
  add_input_format(command, options.input_format, formats_with_shape);
  command.add_option("OUTPUT", options.output, "Where the transpose goes (.npy)")
      ->required()
      ->type_name("");
  command.add_flag("--in-place", options.in_place, "Transpose a square matrix where it lies");
  add_variant(command, options.variant, variants_of_transpose(), "XxY",
              "Threads of a variant's block, X side by side and Y one below the other");
  add_run(command, options, info_formats, "Compare all elements, bit by bit");
  command.footer(help::transpose);
  return &command;
}

CLI::App* add_gemm(CLI::App& app, GemmOptions& options) {
  auto& command = *app.add_subcommand("gemm", "Compute C = A B");
  command.add_option("A", options.A, "A .npy, .npz, HDF5 or ex3 file, or a number N for test/N")
      ->required()
      ->type_name("");
  command.add_option("B", options.B, "As A, with as many rows as A has columns")
      ->required()
      ->type_name("");
  command.add_option("OUTPUT", options.output, "Where C goes (.npy)")->required()->type_name("");
  add_variant(command, options.variant, variants_of_gemm(), "RxC",
              "Threads of a variant's team, in R rows and C columns");
  add_run(command, options, info_formats, "Compare the result with a reference");
  command.footer(help::gemm);
  return &command;
}

CLI::App* add_check(CLI::App& app, CheckOptions& options) {
  auto& command =
      *app.add_subcommand("check", "Compare a result with a reference of higher precision");
  add_input(command, options.input);
  command.add_option("RESULT", options.result, "The result, a .npy or .bin file")
      ->required()
      ->type_name("");
  add_choice(command, "--operation", options.operation, operations, "What RESULT is the result of");
  command.add_option("--vector", options.vector, "The vector that was used")->type_name("FILE");
  add_threads(command, options.threads);
  add_choice(command, "--format", options.format, format_choices, "How the report is written");
  command.footer(help::check);
  return &command;
}

CLI::App* add_show(CLI::App& app, ShowOptions& options) {
  auto& command = *app.add_subcommand("show", "Say what is in a file");
  command.add_option("FILE", options.file, "A file of any format")->required()->type_name("");
  command.add_flag("--data", options.data, "Print elements; of a large file, its edges");
  command.add_flag("--all", options.all, "Print every element");
  command.footer(help::show);
  return &command;
}

CLI::App* add_info(CLI::App& app, InfoOptions& options) {
  auto& command = *app.add_subcommand("info", "Say what this program can do on this machine");
  add_threads(command, options.threads);
  add_choice(command, "--format", options.format, info_formats, "How it is written");
  command.footer(help::info);
  return &command;
}

std::vector<CommandDescription> commands_of(CLI::App const& app) {
  std::vector<CommandDescription> commands;
  for (CLI::App const* const command : app.get_subcommands([](auto const*) { return true; })) {
    if (command->get_group().empty()) continue;
    CommandDescription description{.name = command->get_name(), .options = {}};
    for (CLI::Option const* const option : command->get_options()) {
      if (option->get_positional()) continue;
      std::vector<std::string> choices;
      if (auto const words = option->get_type_name(); words.find('|') != std::string::npos) {
        std::istringstream stream(words);
        for (std::string word; std::getline(stream, word, '|');) choices.push_back(word);
      }
      description.options.push_back(
          {.name = "--" + option->get_lnames().at(0), .choices = choices});
    }
    commands.push_back(std::move(description));
  }
  return commands;
}

}  // namespace

std::variant<ExitStatus, Options> parse_options(int argc, char const* const* argv) {
  CLI::App app("Matrix products that read the matrix once and give the same bits everywhere",
               "tessera");
  app.footer(help::program);
  app.require_subcommand(1);
  app.set_version_flag(
      "--version", "tessera " + std::string(version) + " (commit " + std::string(git_commit) + ")");

  io::GenerateRequest generate;
  io::ConversionRequest convert;
  std::array<ComputeOptions, operation_count> compute;
  TransposeOptions transpose;
  GemmOptions gemm;
  CheckOptions check;
  ShowOptions show;
  InfoOptions info;
  BenchOptions bench;
  TuneOptions tune;
  std::string shell;

  CLI::App const* const generate_command = add_generate(app, generate);
  std::array<CLI::App*, operation_count> compute_commands{};
  for (std::size_t i = 0; i < operation_count; ++i) {
    compute_commands[i] = add_compute(app, table_of_operations()[i], compute[i]);
  }
  CLI::App const* const transpose_command = add_transpose(app, transpose);
  CLI::App const* const gemm_command = add_gemm(app, gemm);
  CLI::App const* const bench_command = add_bench(app, bench);
  CLI::App const* const tune_command = add_tune(app, tune);
  CLI::App const* const check_command = add_check(app, check);
  CLI::App const* const show_command = add_show(app, show);
  CLI::App const* const convert_command = add_convert(app, convert);
  CLI::App const* const info_command = add_info(app, info);
  CLI::App* const completion_command =
      app.add_subcommand("completion", "Print a completion script for a shell")->group("");
  completion_command->add_option("SHELL", shell, "bash")
      ->required()
      ->check(CLI::IsMember({"bash"}));

  try {
    app.parse(argc, argv);
  } catch (CLI::Success const& done) {
    app.exit(done);  // prints help or version, to stdout; ends nothing
    return ExitStatus::good;
  } catch (CLI::ParseError const& error) {
    auto const words = app.remaining();
    bool const no_command = app.get_subcommands().empty() && !words.empty();
    std::string const sentence =
        no_command ? "'" + words.front() + "' is not a command" : std::string(error.what());
    std::fprintf(stderr, "tessera: %s\nTry 'tessera --help' or 'tessera COMMAND --help'.\n",
                 sentence.c_str());
    return ExitStatus::usage;
  }

  if (generate_command->parsed()) return Options(generate);
  if (transpose_command->parsed()) return Options(transpose);
  if (gemm_command->parsed()) return Options(gemm);
  if (bench_command->parsed()) return Options(bench);
  if (tune_command->parsed()) return Options(tune);
  if (check_command->parsed()) return Options(check);
  if (show_command->parsed()) return Options(show);
  if (convert_command->parsed()) return Options(convert);
  if (info_command->parsed()) return Options(info);
  if (completion_command->parsed())
    return Options(CompletionOptions{bash_completion(commands_of(app))});
  for (std::size_t i = 0; i < operation_count; ++i) {
    if (compute_commands[i]->parsed()) return Options(compute[i]);
  }
  return ExitStatus::usage;  // not reached: one subcommand is required
}

}  // namespace tessera::app
