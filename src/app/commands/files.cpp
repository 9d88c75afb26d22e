// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// The commands on files only: gen, convert and show.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <app/base/failure.hpp>
#include <app/base/progress.hpp>
#include <app/base/text.hpp>
#include <app/commands/commands.hpp>
#include <app/run/files.hpp>
#include <app/run/input.hpp>
#include <io/conversion.hpp>
#include <io/dataset_name.hpp>
#include <io/formats.hpp>
#include <io/matrix_file.hpp>
#include <io/matrix_reader.hpp>
#include <io/memory.hpp>
#include <io/output_path.hpp>

namespace tessera::app {
namespace {

[[noreturn]] void refuse(std::string const& file, std::string const& sentence) {
  throw Failure(ExitStatus::usage, file + ": " + sentence);
}

io::FormatRow const& format_of_output(io::GenerateRequest const& request) {
  return request.format ? io::row_of(*request.format) : io::format_of(request.output);
}

/// A file could not be read if --output-format contradicts its extension.
void check_output_format(std::string const& output, std::optional<io::Format> format) {
  if (!format || !std::filesystem::path(output).has_extension()) return;
  io::FormatRow const* const named = io::find_format(output);
  if (named == nullptr || named->format == *format) return;
  refuse(output, "the extension means " + std::string(named->name) + ", found --output-format " +
                     std::string(io::row_of(*format).name) +
                     "; leave it out, or use a name without extension");
}

bool holds_v(io::GenerateRequest const& request) {
  return format_of_output(request).vector_follows_matrix;
}

/// Also sets the file of V if the format stores no V.
void complete(io::GenerateRequest& request) {
  auto const& format = format_of_output(request);
  bool const ex3 = format.format == io::Format::ex3;
  auto const refuse_output = [&](std::string const& sentence) { refuse(request.output, sentence); };
  if (request.format && !io::split_dataset(request.output).dataset.empty()) {
    refuse_output("is a dataset of an HDF5 file, found --output-format");
  }
  check_output_format(request.output, request.format);
  if (format.format == io::Format::raw) {
    refuse_output(
        "a .bin file has no place for the number of rows: expected .npy, .ex3 or no extension");
  }
  if (ex3 && request.type != io::ScalarType::f32) {
    refuse_output("an ex3 file holds f32 only, found --type f64; use .npy");
  }
  if (ex3 && request.layout != io::Layout::right) {
    refuse_output("an ex3 file is row-major, found --layout column-major; use .npy");
  }
  if (ex3 && !request.vector_output.empty()) {
    refuse_output("an ex3 file holds V itself, found --vector-output");
  }
  if (!format.holds_columns && request.layout != io::Layout::right) {
    refuse_output(
        "an HDF5 dataset holds rows one after the other, found --layout column-major: take .npy");
  }
  bool const has_folder = !io::descriptor_named_by(request.output);
  if (!ex3 && request.vector_output.empty() && has_folder) {
    auto const path = std::filesystem::path(io::split_dataset(request.output).file);
    request.vector_output = (path.parent_path() / (path.stem().string() + "-vector.npy")).string();
  }
}

}  // namespace

ExitStatus run_command(io::GenerateRequest const& options) {
  io::GenerateRequest request = options;
  complete(request);
  check_add_dataset(request.add_dataset, {request.output, request.vector_output});
  RunFiles files;
  files.keeps_tunings().writes(request.output).writes(request.vector_output).check();
  {
    ProgressBar bar("writing " + request.output);
    io::generate(request, setter_of(bar));
  }
  auto const bytes = request.rows * request.cols * io::size_of(request.type);
  std::fprintf(files.report(), "%s: A, %llu rows x %llu columns, %s, %s, %s\n",
               request.output.c_str(), static_cast<unsigned long long>(request.rows),
               static_cast<unsigned long long>(request.cols),
               std::string(io::to_string(request.type)).c_str(),
               std::string(io::to_string(request.layout)).c_str(), io::format_bytes(bytes).c_str());
  if (!holds_v(request) && request.vector_output.empty()) {
    say("V is not in " + request.output + ": --vector-output FILE writes it");
    return ExitStatus::good;
  }
  std::fprintf(files.report(), "%s: V, %llu entries\n",
               (request.vector_output.empty() ? request.output : request.vector_output).c_str(),
               static_cast<unsigned long long>(request.cols));
  return ExitStatus::good;
}

namespace {

void refuse_raw_options(ConvertOptions const& options) {
  // A pipe's name, for example; its content may be raw.
  bool const has_no_name =
      !options.input_format && !std::filesystem::path(options.input).has_extension();
  std::string const hint = has_no_name ? "; --input-format raw reads elements alone" : "";
  if (options.raw.rows != 0) {
    refuse(options.input, "contains its size, found --rows and --cols; leave them out" + hint);
  }
  if (options.raw_type) {
    refuse(options.input,
           "contains its element type, found --type; --output-type selects "
           "that of the output" +
               hint);
  }
  if (options.raw_layout) {
    refuse(options.input,
           "contains its layout, found --input-layout; "
           "--layout selects that of the output" +
               hint);
  }
}

void refuse_header(std::string const& input, std::optional<io::CsvHeader> header,
                   io::MatrixInfo const& info) {
  if (header && info.format != io::Format::csv) {
    refuse(input, "is not a CSV file, found --header");
  }
}

bool may_be_raw(io::ConversionRequest const& request) {
  io::FormatRow const* const named = io::find_format(request.input);
  return request.input_format.value_or(named == nullptr ? io::Format::raw : named->format) ==
         io::Format::raw;
}

void check_usage(ConvertOptions const& options) {
  if (!may_be_raw(options)) refuse_raw_options(options);
  if (options.raw_layout && options.raw.rows == 0) {
    refuse(options.input,
           "is a vector without --rows and --cols, and has no layout, found --input-layout");
  }
  if (options.output_format && !io::split_dataset(options.output).dataset.empty()) {
    refuse(options.output, "is a dataset of an HDF5 file, found --output-format");
  }
  check_output_format(options.output, options.output_format);
}

std::string describe_content(io::MatrixInfo const& info) {
  auto const count = [](std::uint64_t number) { return std::to_string(number); };
  std::string const shape = info.dimensions == 2
                                ? "A, " + count(info.rows) + " rows x " + count(info.cols) +
                                      " columns, " + std::string(io::to_string(info.layout))
                                : "vector, " + count(info.rows) + " entries";
  return shape + ", " + std::string(io::to_string(info.type)) + ", " +
         io::format_bytes(info.elements() * io::size_of(info.type));
}

}  // namespace

ExitStatus run_command(ConvertOptions const& options) {
  ConvertOptions request = options;
  request.input = resolve_input(options.input).path;
  check_usage(request);
  // As other results, it becomes a .npy file; but a given V needs an ex3 file.
  bool const has_no_name = io::has_no_extension_to_say(request.output);
  if (has_no_name && !request.output_format && request.vector.empty()) {
    request.output_format = io::Format::npy;
  }
  request.raw.type = options.raw_type.value_or(request.raw.type);
  request.raw.layout = options.raw_layout.value_or(request.raw.layout);
  request.raw.header = options.header.value_or(io::CsvHeader::automatic);
  check_add_dataset(request.add_dataset, {request.output, request.vector_output});
  RunFiles files;
  files.reads(request.input).reads(request.vector).keeps_tunings();
  files.writes(request.vector_output).writes(request.output).check();
  io::Conversion const conversion = [&] {
    ProgressBar bar("writing " + request.output);
    return io::convert_file(request, setter_of(bar), [&](io::MatrixInfo const& input) {
      if (input.format != io::Format::raw) refuse_raw_options(request);
      refuse_header(request.input, request.header, input);
    });
  }();
  std::fprintf(files.report(), "%s: %s\n", request.output.c_str(),
               describe_content(conversion.output).c_str());
  if (conversion.input.is_converted()) {
    say("the elements of " + request.input + " are " +
        std::string(io::to_string(conversion.input.stored)) + ", and were read as " +
        std::string(io::to_string(conversion.output.type)));
  }
  if (conversion.input.format == io::Format::csv && !conversion.input.version.empty()) {
    say("the first line of " + request.input + " has names: it is left out");
  }
  if (conversion.not_finite > 0) {
    say(std::to_string(conversion.not_finite) + " elements of " + request.output +
        " are infinite or NaN: there are such elements in " + request.input +
        ", or they overflow f32");
  }
  if (conversion.input.has_vector && !conversion.vector_written) {
    say("V of " + request.input + " is not in " + request.output +
        ": --vector-output FILE writes it");
  } else if (conversion.vector_written) {
    std::fprintf(files.report(), "%s: V, %llu entries\n",
                 (request.vector_output.empty() ? request.output : request.vector_output).c_str(),
                 static_cast<unsigned long long>(conversion.output.cols));
  }
  return ExitStatus::good;
}

namespace {

constexpr std::uint64_t edge = 3;  // rows and columns shown per side

void show_line(std::string name, std::string const& text) {
  name.resize(std::max<std::size_t>(name.size(), 9), ' ');
  std::printf("  %s%s\n", name.c_str(), text.c_str());
}

bool is_text(io::MatrixInfo const& info) {
  return info.format == io::Format::csv || info.format == io::Format::matrix_market;
}

void print_info(std::string const& path, io::MatrixInfo const& info) {
  auto const text = [](std::uint64_t number) { return std::to_string(number); };
  bool const is_packed = info.stored == io::ElementType::genotype;
  std::string bytes = io::format_bytes(is_packed ? info.file_bytes - info.data_offset
                                                 : info.elements() * io::size_of(info.stored));
  if (info.data_offset != 0 || info.format == io::Format::raw) {
    bytes += " from byte " + text(info.data_offset);
  }
  std::printf("%s\n", without_controls(path).c_str());
  show_line("format", std::string(io::to_string(info.format)) +
                          (info.version.empty() ? "" : " " + info.version));
  show_line("type",
            std::string(io::to_string(info.stored)) +
                (info.is_converted() ? ", read as " + std::string(io::to_string(info.type)) : "") +
                (info.format == io::Format::raw ? " (or half as many f64: a raw file does not say)"
                                                : "") +
                (is_text(info) || is_packed            ? ""
                 : info.byte_order == std::endian::big ? ", big-endian"
                                                       : ", little-endian"));
  if (info.dimensions == 2) {
    show_line("A", text(info.rows) + " rows x " + text(info.cols) + " columns, " +
                       std::string(io::to_string(info.layout)) + ", " + bytes);
  } else {
    show_line("vector", text(info.rows) + " entries, " + bytes);
  }
  if (info.has_vector)
    show_line("V", text(info.cols) + " entries from byte " + text(info.vector_offset));
  show_line(info.format == io::Format::npz ? "array" : "file", text(info.file_bytes) + " bytes");
}

/// Element (i, j) is number first + i·row_step + j·col_step of the file.
struct Printer {
  io::MatrixReader const& reader;
  io::Part part;
  std::uint64_t rows, cols, row_step, col_step;
  bool all;

  [[nodiscard]] bool hidden(std::uint64_t index, std::uint64_t count) const {
    return !all && count > 2 * edge + 1 && index >= edge && index < count - edge;
  }

  template <class T>
  void print_elements() const {
    for (std::uint64_t i = 0; i < rows; ++i) {
      if (hidden(i, rows)) {
        std::printf("    …\n");
        i = rows - edge - 1;
        continue;
      }
      std::string line = "   ";
      for (std::uint64_t j = 0; j < cols; ++j) {
        if (hidden(j, cols)) {
          line += " …";
          j = cols - edge - 1;
          continue;
        }
        T value{};
        reader.read(part, i * row_step + j * col_step, std::span<T>(&value, 1));
        std::string const text = shortest(value);
        line += std::string(text.size() < 13 ? 13 - text.size() : 1, ' ') + text;
      }
      std::printf("%s\n", line.c_str());
    }
  }

  void operator()() const {
    if (reader.info().type == io::ScalarType::f32) {
      print_elements<float>();
    } else {
      print_elements<double>();
    }
  }
};

}  // namespace

namespace {

void print_parts(std::string const& path, std::vector<std::string> const& names) {
  std::printf("%s\n", without_controls(path).c_str());
  show_line("holds",
            std::to_string(names.size()) + (names.size() == 1 ? " array" : " arrays") + ":");
  for (auto const& name : names) {
    std::string whole = path;
    whole += ':';
    whole += name;
    std::string what;
    try {
      what = describe_content(io::MatrixReader(whole).info());
    } catch (io::FileError const& error) {
      what = std::string(error.what()).substr(whole.size() + 2);
    }
    std::printf("  %s   %s\n", without_controls(whole).c_str(), without_controls(what).c_str());
  }
}

}  // namespace

ExitStatus run_command(ShowOptions const& options) {
  std::string const path = resolve_input(options.file).path;
  if (auto const names = io::parts_of(path)) {
    if (options.data || options.all) {
      refuse(path, "holds several arrays: expected " + path + ":NAME with --data or --all; " +
                       "tessera show " + path + " lists the names");
    }
    print_parts(path, *names);
    return ExitStatus::good;
  }
  io::MatrixReader const reader(path, {.header = options.header.value_or(io::CsvHeader::automatic)},
                                io::Reading::anywhere, std::nullopt, io::Text::taken);
  auto const& info = reader.info();
  refuse_header(path, options.header, info);
  print_info(path, info);
  if (!options.data && !options.all) return ExitStatus::good;

  bool const by_rows = info.layout == io::Layout::right;
  std::printf("  elements of %s\n", info.dimensions == 2 ? "A" : "the vector");
  Printer{.reader = reader,
          .part = io::Part::matrix,
          .rows = info.dimensions == 2 ? info.rows : 1,
          .cols = info.dimensions == 2 ? info.cols : info.rows,
          .row_step = by_rows ? info.cols : 1,
          .col_step = by_rows ? 1 : info.rows,
          .all = options.all}();
  if (info.has_vector) {
    std::printf("  elements of V\n");
    Printer{.reader = reader,
            .part = io::Part::vector,
            .rows = 1,
            .cols = info.cols,
            .row_step = 0,
            .col_step = 1,
            .all = options.all}();
  }
  return ExitStatus::good;
}

}  // namespace tessera::app
