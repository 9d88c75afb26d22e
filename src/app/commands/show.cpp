// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <charconv>
#include <cstdio>
#include <string>
#include <vector>

#include <app/commands/commands.hpp>
#include <app/run/input.hpp>
#include <io/matrix_file.hpp>
#include <io/matrix_reader.hpp>
#include <io/memory.hpp>

namespace tessera::app {
namespace {

constexpr std::uint64_t edge = 3;  // rows and columns shown at each side of a large matrix

void print(std::string name, std::string const& text) {
  name.resize(std::max<std::size_t>(name.size(), 9), ' ');
  std::printf("  %s%s\n", name.c_str(), text.c_str());
}

bool is_text(io::MatrixInfo const& info) {
  return info.format == io::Format::csv || info.format == io::Format::matrix_market;
}

void print_info(std::string const& path, io::MatrixInfo const& info) {
  auto const text = [](std::uint64_t number) { return std::to_string(number); };
  std::string bytes = io::format_bytes(info.elements() * io::size_of(info.stored));
  if (info.data_offset != 0 || info.format == io::Format::raw) {
    bytes += " from byte " + text(info.data_offset);
  }
  std::printf("%s\n", path.c_str());
  print("format",
        std::string(io::to_string(info.format)) + (info.version.empty() ? "" : " " + info.version));
  print("type",
        std::string(io::to_string(info.stored)) +
            (info.is_converted() ? ", read as " + std::string(io::to_string(info.type)) : "") +
            (info.format == io::Format::raw ? " (or half as many f64: a raw file does not say)"
                                            : "") +
            (is_text(info)                         ? ""
             : info.byte_order == std::endian::big ? ", big-endian"
                                                   : ", little-endian"));
  if (info.dimensions == 2) {
    print("A", text(info.rows) + " rows x " + text(info.cols) + " columns, " +
                   std::string(io::to_string(info.layout)) + ", " + bytes);
  } else {
    print("vector", text(info.rows) + " entries, " + bytes);
  }
  if (info.has_vector)
    print("V", text(info.cols) + " entries from byte " + text(info.vector_offset));
  print(info.format == io::Format::npz ? "array" : "file", text(info.file_bytes) + " bytes");
}

/// The shortest text that reads back as the same number.
template <class T>
std::string shortest(T value) {
  char text[64];
  auto const end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

/// Prints a rows x cols matrix whose element (i, j) is number first + i·row_step + j·col_step of
/// the file.
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

ExitStatus run_command(ShowOptions const& options) {
  std::string const path = resolve_input(options.file).path;
  io::MatrixReader const reader(path, {}, io::Reading::anywhere, std::nullopt, io::Text::taken);
  auto const& info = reader.info();
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
