// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <io/chunked_read.hpp>
#include <io/conversion.hpp>
#include <io/formats.hpp>
#include <io/hdf5_chunk.hpp>
#include <io/matrix_reader.hpp>
#include <io/output_file.hpp>
#include <io/output_path.hpp>
#include <io/parallel_blocks.hpp>
#include <io/writers.hpp>

namespace tessera::io {
namespace {

constexpr std::uint64_t buffer_bytes = 16U << 20U;
constexpr std::uint64_t share_bytes = 1U << 20U;  // per thread

[[noreturn]] void refuse(std::string const& output, std::string const& sentence) {
  throw FileError(ErrorKind::bad_output, output, sentence);
}

std::uint64_t lines_of(MatrixInfo const& info) {
  return info.layout == Layout::right ? info.rows : info.cols;
}
std::uint64_t length_of_lines(MatrixInfo const& info) {
  return info.layout == Layout::right ? info.cols : info.rows;
}

Block block_of(MatrixInfo const& info, std::uint64_t line, std::uint64_t lines, std::uint64_t first,
               std::uint64_t count) {
  if (info.layout == Layout::right) {
    return {.row = line, .col = first, .rows = lines, .cols = count};
  }
  return {.row = first, .col = line, .rows = count, .cols = lines};
}

template <class T>
void transpose(std::span<T const> from, std::uint64_t rows, std::uint64_t cols, std::span<T> to) {
  constexpr std::uint64_t side = 32;
  parallel_blocks(cols, side,
                  [&](std::uint64_t first, std::uint64_t count) {
                    for (std::uint64_t top = 0; top < rows; top += side) {
                      std::uint64_t const bottom = std::min(top + side, rows);
                      for (std::uint64_t col = first; col < first + count; ++col) {
                        for (std::uint64_t row = top; row < bottom; ++row) {
                          to[col * rows + row] = from[row * cols + col];
                        }
                      }
                    }
                  },
                  {});
}

template <class T>
class Copier {
 public:
  Copier(std::uint64_t total_bytes, Progress const& progress)
      : total_(total_bytes), progress_(progress) {}

  void copy(MatrixReader const& reader, Part part, std::uint64_t count, OutputFile& out) {
    from_.resize(std::min(count, capacity));
    for (std::uint64_t first = 0; first < count; first += from_.size()) {
      std::span<T> const piece(from_.data(), std::min<std::uint64_t>(from_.size(), count - first));
      parallel_blocks(
          piece.size(), share_bytes / sizeof(T),
          [&](std::uint64_t begin, std::uint64_t size) {
            reader.read(part, first + begin, piece.subspan(begin, size));
          },
          {}, reader.info().in_order_only ? 1 : default_threads);
      look_at(reader, piece);
      out.write_elements(std::span<T const>(piece));
      advance(piece.size());
    }
  }

  /// In tiles, so that reads and writes are long for any shape and whole chunks are read at once.
  void copy_tiles(MatrixReader const& reader, bool transposed, OutputFile& out) {
    std::uint64_t const start = out.bytes_written();
    std::uint64_t const lines = lines_of(reader.info());
    std::uint64_t const length = length_of_lines(reader.info());
    for_each_tile(reader, transposed, reader.info().chunk_rows, reader.info().chunk_cols,
                  [&](Tile const& tile) {
                    // Parts of the output's lines in the tile.
                    std::uint64_t pieces = transposed ? tile.count : tile.lines;
                    std::uint64_t size = transposed ? tile.lines : tile.count;
                    std::uint64_t const whole = transposed ? lines : length;
                    std::uint64_t const place = transposed ? tile.first * whole + tile.line
                                                           : tile.line * whole + tile.first;
                    if (size == whole) {
                      size *= pieces;
                      pieces = 1;
                    }
                    for (std::uint64_t k = 0; k < pieces; ++k) {
                      out.write_at(start + (place + k * whole) * sizeof(T),
                                   std::as_bytes(tile.elements.subspan(k * size, size)));
                    }
                  });
    out.skip(lines * length * sizeof(T));
  }

  void copy_turned_in_order(MatrixReader const& reader, OutputFile& out) {
    std::uint64_t const lines = std::min(lines_of(reader.info()), capacity);
    std::uint64_t const count = std::min(capacity / lines, length_of_lines(reader.info()));
    for_each_tile_of(reader, true, lines, count,
                     [&](Tile const& tile) { out.write_elements(tile.elements); });
  }

  void copy_chunks_in_order(MatrixReader const& reader, OutputFile& out) {
    std::uint64_t const rows = lines_of(reader.info());
    std::uint64_t const cols = length_of_lines(reader.info());
    std::uint64_t const width = std::min(cols, capacity);
    std::uint64_t const height = std::max<std::uint64_t>(1, capacity / cols);
    from_.resize(std::min(height, rows) * width);
    for (std::uint64_t row = 0; row < rows; row += height) {
      std::uint64_t const some = std::min(height, rows - row);
      for (std::uint64_t col = 0; col < cols; col += width) {
        std::uint64_t const count = std::min(width, cols - col);
        std::span<T> const tile(from_.data(), some * count);
        read_tile(reader, row, some, col, count, tile);
        look_at(reader, tile);
        out.write_elements(std::span<T const>(tile));
        advance(tile.size());
      }
    }
  }

  void copy_chunks(MatrixReader const& reader, bool transposed, Hdf5Chunks const& chunks,
                   OutputFile& out, MatrixInfo const& info) {
    Hdf5ChunkWriter writer(out, info, chunks);
    std::uint64_t const height = transposed ? chunks.cols : chunks.rows;  // of input lines
    std::uint64_t const width = transposed ? chunks.rows : chunks.cols;
    for_each_tile(reader, transposed, height, width, [&](Tile const& tile) {
      Block const block =
          transposed
              ? Block{.row = tile.first, .col = tile.line, .rows = tile.count, .cols = tile.lines}
              : Block{.row = tile.line, .col = tile.first, .rows = tile.lines, .cols = tile.count};
      writer.write(block, std::as_bytes(tile.elements));
    });
    writer.close();
  }

  [[nodiscard]] std::uint64_t not_finite() const { return not_finite_; }

 private:
  static constexpr std::uint64_t capacity = buffer_bytes / sizeof(T);

  /// Elements first … first + count - 1 of input lines, in output order.
  struct Tile {
    std::uint64_t line;
    std::uint64_t lines;
    std::uint64_t first;
    std::uint64_t count;
    std::span<T const> elements;
  };

  /// As square as possible, in multiples of `height` lines and `width` elements (0: any), except at
  /// the ends.
  template <class Use>
  void for_each_tile(MatrixReader const& reader, bool transposed, std::uint64_t height,
                     std::uint64_t width, Use const& use) {
    MatrixInfo const& info = reader.info();
    std::uint64_t const all_lines = lines_of(info);
    std::uint64_t const length = length_of_lines(info);
    height = std::clamp<std::uint64_t>(height, 1, all_lines);
    width = std::clamp<std::uint64_t>(width, 1, length);
    if (width > capacity / height) height = width = 1;
    auto const side = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(capacity)));
    auto const whole = [](std::uint64_t room, std::uint64_t unit, std::uint64_t all) {
      return room >= all ? all : std::max(unit, room / unit * unit);
    };
    std::uint64_t const narrowest = std::max(std::min(all_lines, side), height);
    std::uint64_t const most_count = whole(capacity / narrowest, width, length);
    std::uint64_t const most_lines = whole(capacity / most_count, height, all_lines);
    for_each_tile_of(reader, transposed, most_lines, most_count, use);
  }

  /// In order along the lines of the transpose.
  template <class Use>
  void for_each_tile_of(MatrixReader const& reader, bool transposed, std::uint64_t most_lines,
                        std::uint64_t most_count, Use const& use) {
    std::uint64_t const all_lines = lines_of(reader.info());
    std::uint64_t const length = length_of_lines(reader.info());
    from_.resize(most_lines * most_count);
    if (transposed) to_.resize(from_.size());
    for (std::uint64_t first = 0; first < length; first += most_count) {
      std::uint64_t const count = std::min(most_count, length - first);
      for (std::uint64_t line = 0; line < all_lines; line += most_lines) {
        std::uint64_t const lines = std::min(most_lines, all_lines - line);
        std::span<T> const tile(from_.data(), lines * count);
        read_tile(reader, line, lines, first, count, tile);
        look_at(reader, tile);
        std::span<T const> elements = tile;
        if (transposed) {
          std::span<T> const turned(to_.data(), tile.size());
          transpose(elements, lines, count, turned);
          elements = turned;
        }
        use(Tile{line, lines, first, count, elements});
        advance(tile.size());
      }
    }
  }

  static void read_tile(MatrixReader const& reader, std::uint64_t line, std::uint64_t lines,
                        std::uint64_t first, std::uint64_t count, std::span<T> tile) {
    if (reader.info().chunk_rows != 0) {
      return read_whole_block(reader, block_of(reader.info(), line, lines, first, count), tile);
    }
    std::uint64_t const share = std::max<std::uint64_t>(1, share_bytes / sizeof(T) / count);
    parallel_blocks(lines, share,
                    [&](std::uint64_t begin, std::uint64_t size) {
                      reader.read_block(block_of(reader.info(), line + begin, size, first, count),
                                        tile.subspan(begin * count, size * count));
                    },
                    {});
  }

  void look_at(MatrixReader const& reader, std::span<T const> elements) {
    if (std::is_same_v<T, float> && reader.info().type == ScalarType::f64) {
      not_finite_ += static_cast<std::uint64_t>(
          std::ranges::count_if(elements, [](T value) { return !std::isfinite(value); }));
    }
  }

  void advance(std::uint64_t elements) {
    done_ += elements * sizeof(T);
    if (progress_) progress_(done_, total_);
  }

  std::uint64_t total_;
  Progress const& progress_;
  std::uint64_t done_ = 0;
  std::uint64_t not_finite_ = 0;
  std::vector<T> from_;
  std::vector<T> to_;
};

MatrixInfo info_of_output(MatrixReader const& reader, ConversionRequest const& request,
                          FormatRow const& format) {
  MatrixInfo info;
  info.format = format.format;
  info.type = request.type.value_or(reader.info().type);
  info.dimensions = reader.info().dimensions;
  info.rows = reader.info().rows;
  info.cols = reader.info().cols;
  info.has_vector = format.vector_follows_matrix;
  info.layout =
      request.layout.value_or(format.holds_columns ? reader.info().layout : Layout::right);
  if (info.dimensions == 1) {
    info.layout = Layout::right;
    if (request.layout) {
      refuse(request.output,
             "cannot be put into an order of rows or columns: expected a matrix in " +
                 request.input + ", found a vector with " + std::to_string(info.rows) + " entries");
    }
    if (request.chunks) {
      refuse(request.output, "is not stored in chunks of rows and columns: expected a matrix in " +
                                 request.input + ", found a vector with " +
                                 std::to_string(info.rows) + " entries");
    }
    if (format.begin_vector == nullptr) {
      refuse(request.output, "holds a matrix: expected one in " + request.input +
                                 ", found a vector with " + std::to_string(info.rows) + " entries");
    }
  } else if (info.layout == Layout::left && !format.holds_columns) {
    refuse(request.output, "cannot be column-major: expected a row-major matrix for an " +
                               std::string(format.name) + ", found a column-major one");
  }
  return info;
}

void begin(OutputFile& out, FormatRow const& format, MatrixInfo const& info) {
  if (info.dimensions == 1) return format.begin_vector(out, info);
  if (!format.holds_elements_only) format.begin_matrix(out, info);
}

/// Whether elements change places.
bool is_transposed(MatrixReader const& reader, MatrixInfo const& info) {
  bool const is_line = info.rows == 1 || info.cols == 1;
  return !is_line && info.layout != reader.info().layout;
}

void check_pipe(MatrixReader const& reader, ConversionRequest const& request, bool transposed,
                bool gives_its_v) {
  std::string const obstacle(reader.info().obstacle());
  if (transposed || request.chunks) {
    refuse(request.output, "cannot be written in another order than that of " + request.input +
                               ": expected a regular file there, found " + obstacle);
  }
  if (gives_its_v) {
    refuse(request.vector_output, "cannot hold V of " + request.input + ", since A goes to " +
                                      request.output + ": expected a regular file, found " +
                                      obstacle);
  }
}

template <class T>
void copy_matrix(Copier<T>& copier, MatrixReader const& reader, ConversionRequest const& request,
                 MatrixInfo const& info, OutputFile& out) {
  bool const transposed = is_transposed(reader, info);
  bool const in_chunks = reader.info().chunk_rows != 0;
  if (request.chunks) {
    copier.copy_chunks(reader, info.layout != reader.info().layout, *request.chunks, out, info);
  } else if (transposed && out.in_order_only()) {
    copier.copy_turned_in_order(reader, out);
  } else if (in_chunks && out.in_order_only()) {
    copier.copy_chunks_in_order(reader, out);
  } else if (transposed || in_chunks) {
    copier.copy_tiles(reader, transposed, out);
  } else {
    copier.copy(reader, Part::matrix, info.elements(), out);
  }
}

template <class T>
Conversion convert_as(MatrixReader const& reader, ConversionRequest const& request,
                      FormatRow const& format, MatrixInfo info, Progress const& progress) {
  std::optional<MatrixReader> vector_file;
  if (info.has_vector && !request.vector.empty()) {
    vector_file.emplace(request.vector, RawFile{.type = info.type});
  } else if (info.has_vector && !reader.info().has_vector) {
    refuse(request.output, "holds A and V: expected a file with V in addition to " + request.input +
                               ", found none");
  }
  MatrixReader const* const vector = !info.has_vector ? nullptr
                                     : vector_file    ? &*vector_file
                                                      : &reader;
  Part const vector_part = vector ? vector->vector_part(info.cols) : Part::vector;
  std::optional<OutputFile> vector_out;
  auto const existing =
      request.add_dataset ? OutputFile::Existing::extended : OutputFile::Existing::refused;
  OutputFile out(request.output, OutputFile::Temporary::unnamed_if_possible, existing);
  bool const has_vector_output = !request.vector_output.empty();
  bool const transposed = is_transposed(reader, info);
  bool const from_pipe = reader.info().in_order_only;
  if (from_pipe) check_pipe(reader, request, transposed, vector == &reader && has_vector_output);
  if (!request.chunks) begin(out, format, info);
  std::uint64_t const vector_elements = info.has_vector || has_vector_output ? info.cols : 0;
  std::uint64_t const elements = info.elements() + (info.has_vector ? info.cols : 0);
  // A pipe's header is not trusted: no space is reserved.
  if (!request.chunks && !from_pipe) out.reserve(out.bytes_written() + elements * sizeof(T));
  if (has_vector_output && !in_same_file(request.output, request.vector_output)) {
    vector_out.emplace(request.vector_output, OutputFile::Temporary::unnamed_if_possible, existing);
  }

  Copier<T> copier((info.elements() + vector_elements) * sizeof(T), progress);
  copy_matrix(copier, reader, request, info, out);
  if (vector) copier.copy(*vector, vector_part, info.cols, out);
  if (has_vector_output) {
    MatrixInfo vector_info;
    vector_info.type = info.type;
    vector_info.dimensions = 1;
    vector_info.rows = info.cols;
    if (!vector_out) out.begin_next(request.vector_output);
    OutputFile& to = vector_out ? *vector_out : out;
    format_of_result(request.vector_output).begin_vector(to, vector_info);
    copier.copy(reader, Part::vector, info.cols, to);
  }
  reader.check_unchanged();
  if (vector_file) vector_file->check_unchanged();
  std::vector<OutputFile*> files{&out};
  if (vector_out) files.push_back(&*vector_out);
  OutputFile::commit_all(files);
  return {.input = reader.info(),
          .output = std::move(info),
          .vector_written = vector != nullptr || has_vector_output,
          .not_finite = copier.not_finite()};
}

}  // namespace

Conversion convert_file(ConversionRequest const& request, Progress const& progress,
                        std::function<void(MatrixInfo const&)> const& check) {
  FormatRow const& format =
      request.output_format ? row_of(*request.output_format) : format_of(request.output);
  MatrixReader const reader(request.input, request.raw, Reading::in_order, request.input_format,
                            Text::taken);
  if (check) check(reader.info());
  if (!request.vector.empty() && !format.vector_follows_matrix) {
    refuse(request.output,
           "has no place for V: expected an ex3 test file, found a " + std::string(format.name));
  }
  if (!request.vector_output.empty()) {
    check_vector_format(request.vector_output);
    if (!reader.info().has_vector) {
      refuse(request.vector_output,
             "has nothing to hold: expected a V in " + request.input + ", found none");
    }
  }
  MatrixInfo info = info_of_output(reader, request, format);
  if (request.chunks && format.format != Format::hdf5) {
    refuse(request.output, "is not stored in chunks: expected an HDF5 dataset, found a " +
                               std::string(format.name));
  }
  return info.type == ScalarType::f32
             ? convert_as<float>(reader, request, format, std::move(info), progress)
             : convert_as<double>(reader, request, format, std::move(info), progress);
}

}  // namespace tessera::io
