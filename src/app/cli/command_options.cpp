// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// The options of the commands that compute and of those on files, and what all share.

#include <bench/operation.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <app/base/text.hpp>
#include <app/cli/command_options.hpp>
#include <app/cli/help_texts.hpp>
#include <app/cli/option_kinds.hpp>
#include <app/cli/options.hpp>
#include <app/run/options.hpp>

namespace tessera::app {

void add_input_format(CLI::App& app, MaybeFormat& format, Choices<MaybeFormat> formats,
                      std::string const& input) {
  add_choice(app, "--input-format", format, formats,
             "Format of " + input + ", if its contents do not identify it");
}

void add_dataset_flag(CLI::App& app, bool& add_dataset) {
  app.add_flag("--add-dataset", add_dataset,
               "Add the dataset to an existing HDF5 file, which is copied first");
}

void add_report(CLI::App& app, RunOptions& options, Choices<ReportFormat> formats) {
  add_choice(app, "--format", options.format, formats, "Format of the report");
  add_output_file(app, "--report", options.report,
                  "File for the report (else stdout, or stderr if a result goes to stdout)");
}

void add_place(CLI::App& command, RunOptions& options) {
  add_choice(command, "--backend", options.backend, backend_choices,
             "Backend; auto: the one that should finish first");
  add_choice(command, "--kernels", options.kernels, kernels_choices,
             "portable kernels run on every backend; accelerated ones are of this backend");
  add_device(command, options.device);
}

void add_missing(CLI::App& command, std::optional<double>& missing, std::string const& help) {
  auto const take = [&missing](std::string const& text) {
    auto const number = signed_number(text);
    if (!number && text != "nan") {
      throw CLI::ValidationError("--missing",
                                 "expected nan or a number such as 255, found '" + text + "'");
    }
    missing = number.value_or(std::numeric_limits<double>::quiet_NaN());
  };
  command.add_option_function<std::string>("--missing", take, help)->type_name("CODE");
}

void add_memory_limit(CLI::App& command, std::uint64_t& memory_limit) {
  auto const take_limit = [&memory_limit](std::string const& text) {
    auto const bytes = size_in_bytes(text);
    if (!bytes) {
      throw CLI::ValidationError(
          "--memory-limit",
          "expected a size from 1 to 2^62 bytes with one of the units B, KB, MB, GB, TB, KiB, MiB, "
          "GiB, TiB, such as 512MiB, or without a unit, found '" +
              text + "'");
    }
    memory_limit = *bytes;
  };
  command
      .add_option_function<std::string>(
          "--memory-limit", take_limit,
          "Most memory, such as 2GiB; A is streamed from its file if it needs more (else the free "
          "memory)")
      ->type_name("SIZE");
}

namespace {

Choices<OperationId> operations_with_one_result() {
  static std::vector<std::pair<char const*, OperationId>> const all = [] {
    std::vector<std::pair<char const*, OperationId>> choices;
    for (OperationRow const& row : table_of_operations()) {
      if (!row.gives_two_vectors) choices.emplace_back(row.command, row.id);
    }
    return choices;
  }();
  return all;
}

void add_output_format(CLI::App& app, MaybeFormat& format, Choices<MaybeFormat> formats) {
  add_choice(app, "--output-format", format, formats,
             "Format of the output, if its name has no extension, such as - (stdout)");
}

void add_input(CLI::App& app, std::string& input) {
  add_input_file(app, "INPUT", input, "A: a .npy, .npz, HDF5, .bed or ex3 file, or N for test/N")
      ->required();
}

void add_generate(CLI::App& app, Chosen& chosen) {
  auto const [command, request] = add_command<io::GenerateRequest>(
      app, chosen, "gen", "Generate a matrix A and a vector V", help::generate);
  request.distribution = io::Distribution::ex3;
  add_whole(command, "--rows", request.rows, any_extent, "Rows of A")->required()->type_name("M");
  add_count(command, "--cols", request.cols, any_extent, "Columns of A, entries of V")->required();
  add_choice(command, "--type", request.type, type_choices<io::ScalarType>, "Type of the elements");
  add_choice(command, "--distribution", request.distribution, distributions,
             "Distribution of the values");
  add_choice(command, "--layout", request.layout, layout_choices<io::Layout>,
             "Layout of a .npy file");
  add_whole(command, "--seed", request.seed,
            {.least = 0, .most = std::numeric_limits<std::uint64_t>::max()},
            "Seed of the random numbers")
      ->type_name("S")
      ->default_str(std::to_string(request.seed));
  add_output_file(command, "--output", request.output, "File to write")->required();
  add_output_format(command, request.format, formats_of_matrices);
  add_output_file(command, "--vector-output", request.vector_output,
                  "File for V, if the output is .npy (else NAME-vector.npy)");
  add_dataset_flag(command, request.add_dataset);
}

void add_run(CLI::App& command, RunOptions& options, Choices<ReportFormat> report_formats,
             std::string const& check_help) {
  add_place(command, options);
  add_cache_preference(command, options.cache_preference);
  add_choice(command, "--type", options.type, maybe_types,
             "Type of the computation (as-is: that of the file)");
  auto const take_repeat = [&options](std::uint64_t number) {
    options.repeat = static_cast<int>(number);
    options.repeat_is_given = true;
  };
  add_whole(command, "--repeat", take_repeat, {.most = 1'000'000}, "Timed runs, after a warm-up")
      ->type_name("R")
      ->default_str(std::to_string(options.repeat));
  add_threads(command, options.threads);
  command.add_flag("--check", options.check, check_help);
  command.add_flag("--no-tuning-cache", options.no_tuning_cache,
                   "Ignore what `tessera tune` has saved");
  add_dataset_flag(command, options.add_dataset);
  add_report(command, options, report_formats);
}

void add_terms(CLI::App& command, TermOptions& terms) {
  add_choice(command, "--map", terms.map, map_choices, "The map f, applied to each entry of A V");
  // Also selects the map `its` if --map is not given.
  auto const add_vector = [&](std::string const& name, maps::Kind its, std::string const& help) {
    auto const take = [&terms, name, its](std::string const& text) {
      terms.map_option = name;
      terms.map_vector = text == "-" ? "/dev/stdin" : text;
      if (terms.map == maps::Kind::identity) terms.map = its;
    };
    return command.add_option_function<std::string>(name, take, help)->type_name("FILE");
  };
  auto* const weights = add_vector("--weights", maps::Kind::weights, "f(b) = w b, with w in FILE");
  auto* const minus = add_vector("--minus", maps::Kind::minus, "f(b) = b - y, with y in FILE");
  auto* const labels = add_vector("--labels", maps::Kind::identity,
                                  "The vector of --map: labels, counts, or eta = A x");
  weights->excludes(minus)->excludes(labels);
  minus->excludes(labels);
  add_number(command, "--alpha", terms.alpha, "Factor of A^T f(A V) (else 1)");
  add_number(command, "--beta", terms.beta, "Factor of the vector of --add (else 1)");
  add_input_file(command, "--add", terms.add, "The vector z that is added to the result");
}

constexpr char header_text[] =
    "Whether the first line of a .csv file has names (auto: if it is clear)";

void add_convert(CLI::App& app, Chosen& chosen) {
  auto const [command, request] = add_command<ConvertOptions>(
      app, chosen, "convert", "Convert a file to another format, layout or type", help::convert);
  add_input_file(command, "INPUT", request.input,
                 "A .npy, .npz, ex3, HDF5, .bed, .mtx, .csv or .bin file")
      ->required();
  add_output_file(command, "OUTPUT", request.output, "The file to write")->required();
  add_input_format(command, request.input_format, file_formats);
  add_output_format(command, request.output_format, output_formats);
  add_choice(command, "--layout", request.layout, output_layouts, "Layout of OUTPUT");
  add_choice(command, "--output-type", request.type, maybe_types, "Type of the elements in OUTPUT");
  auto const take_chunk = [&request](TwoExtents const& chunk) {
    request.chunks = io::Hdf5Chunks{.rows = static_cast<std::uint64_t>(chunk.first),
                                    .cols = static_cast<std::uint64_t>(chunk.second)};
  };
  auto* const chunk =
      add_extents(command, "--chunk", "rows and columns", take_chunk,
                  "Chunks of R rows and C columns in an HDF5 OUTPUT (else it is contiguous)")
          ->type_name("RxC");
  // CLI11 processes options in order: the chunks are set.
  auto const take_level = [&request](std::uint64_t level) {
    request.chunks->deflate = static_cast<int>(level);
  };
  add_whole(command, "--deflate", take_level, {.least = 1, .most = 9},
            "Compress the chunks: 1 is fastest, 9 smallest")
      ->type_name("LEVEL")
      ->needs(chunk);
  auto* const rows =
      add_whole(command, "--rows", request.raw.rows, any_extent, "Rows of a .bin INPUT")
          ->type_name("M");
  auto* const cols =
      add_count(command, "--cols", request.raw.cols, any_extent, "Columns of a .bin INPUT");
  rows->needs(cols);
  cols->needs(rows);
  add_choice(command, "--type", request.raw_type, type_choices<MaybeType>,
             "Type of the elements in a .bin INPUT (else f32)");
  add_choice(command, "--input-layout", request.raw_layout, layout_choices<MaybeLayout>,
             "Layout of a .bin INPUT with --rows and --cols (else row-major)");
  add_choice(command, "--header", request.header, header_choices, header_text);
  add_input_file(command, "--vector", request.vector,
                 "V of an ex3 OUTPUT: a .npy, .npz, HDF5, .bin or ex3 file");
  add_result_file(command, "--vector-output", request.vector_output, "V of an ex3 INPUT");
  add_dataset_flag(command, request.add_dataset);
}

void add_second_product(CLI::App& command, ComputeOptions& options) {
  options.terms.map = maps::Kind::replace;
  options.terms.map_option = "--transposed-vector";
  add_input_file(command, "--transposed-vector", options.terms.map_vector,
                 "U: a .npy, .npz, HDF5, .bin or ex3 file with an entry for each row of A")
      ->required();
  add_result_file(command, "--transposed-output", options.intermediate, "W");
}

void add_compute(CLI::App& app, OperationRow const& row, Chosen& chosen) {
  auto const [command, options] =
      add_command<ComputeOptions>(app, chosen, std::string(row.command),
                                  "Compute " + std::string(row.formula_ascii), help::compute);
  options.operation = row.id;
  add_input(command, options.input);
  add_input_format(command, options.input_format, formats_with_shape);
  add_input_file(command, "--vector", options.vector,
                 std::string(row.vector_name) +
                     ": a .npy, .npz, HDF5, .bin or ex3 file (else that of an ex3 INPUT, or ones)" +
                     (options.is_both() ? "" : "; a matrix is a block of vectors"));
  add_result_file(command, "--output", options.output, "the result");
  if (options.is_both()) {
    add_second_product(command, options);
  } else {
    auto* const intermediate = add_output_file(
        command, "--intermediate", options.intermediate,
        std::string("File for ") + (row.is_of_transpose() ? "A^T U" : "B") + " (.npy or .bin)");
    auto* const method = add_choice(command, "--method", options.method, methods,
                                    "fused: one pass over A; two-stage: two passes");
    if (!row.has_methods) {  // if used, refused with a message
      intermediate->group("");
      method->group("");
    }
  }
  if (row.id == OperationId::atax) add_terms(command, options.terms);
  add_stream(command, options, "Stream, save the state in FILE, and resume from it if it exists",
             "Seconds between two saves (0: after each block)");
  add_run(command, options, format_choices,
          "Compare the result with a reference of higher precision");
}

void add_transpose(CLI::App& app, Chosen& chosen) {
  auto const [command, options] = add_command<TransposeOptions>(
      app, chosen, "transpose", "Transpose a matrix", help::transpose);
  add_input(command, options.input);
  add_input_format(command, options.input_format, formats_with_shape);
  add_output_file(command, "OUTPUT", options.output, "File for the transpose (.npy)")->required();
  command.add_flag("--in-place", options.in_place, "Transpose a square matrix in place");
  add_run(command, options, info_formats, "Compare all elements bitwise");
}

void add_gemm(CLI::App& app, Chosen& chosen) {
  auto const [command, options] =
      add_command<GemmOptions>(app, chosen, "gemm", "Compute C = A B", help::gemm);
  add_input_file(command, "A", options.A,
                 "A .npy, .npz, HDF5, .bed or ex3 file, or a number N for test/N")
      ->required();
  add_input_file(command, "B", options.B, "Like A, with as many rows as A has columns")->required();
  add_output_file(command, "OUTPUT", options.output, "File for C (.npy)")->required();
  add_run(command, options, info_formats,
          "Compare the result with a reference of higher precision");
}

void add_check(CLI::App& app, Chosen& chosen) {
  auto const [command, options] = add_command<CheckOptions>(
      app, chosen, "check", "Compare a result with a reference of higher precision", help::check);
  add_input(command, options.input);
  add_input_file(command, "RESULT", options.result, "The result, a .npy or .bin file")->required();
  add_choice(command, "--operation", options.operation, operations_with_one_result(),
             "The operation that computed RESULT");
  add_input_file(command, "--vector", options.vector, "The vector that was used");
  add_terms(command, options.terms);
  add_threads(command, options.threads);
  add_choice(command, "--format", options.format, format_choices, "Format of the report");
}

void add_show(CLI::App& app, Chosen& chosen) {
  auto const [command, options] =
      add_command<ShowOptions>(app, chosen, "show", "Print what a file contains", help::show);
  add_input_file(command, "FILE", options.file, "A file of any format")->required();
  add_choice(command, "--header", options.header, header_choices, header_text);
  command.add_flag("--data", options.data,
                   "Print the elements; of a large file those at the edges");
  command.add_flag("--all", options.all, "Print every element");
}

void add_info(CLI::App& app, Chosen& chosen) {
  auto const [command, options] = add_command<InfoOptions>(
      app, chosen, "info", "Print what this program can do on this machine", help::info);
  add_threads(command, options.threads);
  add_choice(command, "--format", options.format, info_formats, "Format of the output");
}

constexpr std::pair<char const*, std::string_view> headings[] = {
    {"INPUT AND OUTPUT",
     " --input-format --output-format --missing --vector --transposed-vector --output "
     "--transposed-output "
     "--intermediate --vector-output --add-dataset --rows --cols --type --output-type --layout "
     "--input-layout --chunk --deflate --header --in-place --u --s --vt --components --scores "
     "--variance --ratio --mean --deviations --min --max --count "},
    {"LARGE MATRICES", " --memory-limit --checkpoint --checkpoint-every "},
    {"DEVICE", " --backend --kernels --device --threads --cache-preference --no-tuning-cache "},
    {"REPORT", " --repeat --check --history --plot --format --report "},
};

void add_headings(CLI::App& command) {
  for (CLI::Option* const option : command.get_options()) {
    if (option->get_positional() || option->get_group().empty()) continue;
    std::string const name = " --" + option->get_lnames().at(0) + " ";
    for (auto const& [heading, names] : headings) {
      if (names.find(name) != std::string_view::npos) option->group(heading);
    }
  }
}

}  // namespace

void add_commands(CLI::App& app, std::optional<Options>& chosen) {
  add_generate(app, chosen);
  for (OperationRow const& row : table_of_operations()) add_compute(app, row, chosen);
  add_transpose(app, chosen);
  add_gemm(app, chosen);
  add_solvers(app, chosen);
  add_measurements(app, chosen);
  add_check(app, chosen);
  add_show(app, chosen);
  add_convert(app, chosen);
  add_info(app, chosen);
  for (CLI::App* const command : app.get_subcommands([](auto const*) { return true; })) {
    add_headings(*command);
  }
}

}  // namespace tessera::app
