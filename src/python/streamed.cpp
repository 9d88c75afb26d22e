// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <functional>
#include <memory>
#include <python/products.hpp>
#include <python/sources.hpp>
#include <python/streamed.hpp>
#include <python/views.hpp>
#include <span>
#include <utility>

#include <io/chunked_read.hpp>
#include <io/matrix_reader.hpp>
#include <tessera/stream.hpp>

namespace tessera::python {
namespace {

io::ScalarType scalar_type(ElementType const& type) {
  return type.bytes == sizeof(float) ? io::ScalarType::f32 : io::ScalarType::f64;
}

template <class T>
std::function<void(BlockRead const&)> reading_as(std::shared_ptr<io::MatrixReader> const& reader,
                                                 io::RowBuffer const& buffer) {
  auto const whole = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
  auto const rows = std::make_shared<io::BufferedRows<T>>(*reader, buffer);
  return [reader, rows, whole](BlockRead const& block) {
    io::Block const part{whole(block.first_row), whole(block.first_col), whole(block.rows),
                         whole(block.cols)};
    std::span const elements(static_cast<T*>(block.to), part.elements());
    if (reader->info().chunk_rows != 0) {
      rows->read(part, elements);
    } else {
      reader->read_block(part, elements);
    }
  };
}

}  // namespace

void require_order_of_file(StreamedMatrix const& a, bool is_of_transpose) {
  if (a.reading.in_order_only.empty() || a.reading.by_rows != is_of_transpose) return;
  throw io::FileError(io::ErrorKind::bad_input, a.reading.path,
                      std::string("is ") + (a.reading.by_rows ? "row" : "column") +
                          "-major, and cannot be streamed sequentially: expected a "
                          "file that can be read at any position, found " +
                          a.reading.in_order_only + "; store the array uncompressed (numpy.savez)");
}

Reading read_file(std::string const& path, std::optional<ElementType> const& type,
                  std::optional<std::array<std::int64_t, 2>> const& shape, bool by_rows,
                  std::size_t limit, std::optional<Filling> const& filling) {
  io::RawFile raw;
  if (type) raw.type = scalar_type(*type);
  if (shape) {
    raw.rows = static_cast<std::uint64_t>((*shape)[0]);
    raw.cols = static_cast<std::uint64_t>((*shape)[1]);
    raw.layout = by_rows ? io::Layout::right : io::Layout::left;
  }
  auto const reader = std::make_shared<io::MatrixReader>(path, raw);
  if (filling) reader->fill_missing(filling->code, filling->means);
  auto const& info = reader->info();
  if (info.dimensions != 2) {
    throw io::FileError(io::ErrorKind::bad_input, path,
                        "expected a matrix, found an array of one dimension");
  }
  bool const is_float = type ? type->bytes == sizeof(float) : info.type == io::ScalarType::f32;
  constexpr std::size_t reader_may_have = std::size_t{32} << 20U;
  io::RowBuffer const buffer =
      io::row_buffer_of(info, is_float ? io::ScalarType::f32 : io::ScalarType::f64,
                        io::RowBuffer::free_bytes + limit / 2);
  std::size_t const taken = info.chunk_rows == 0 ? 0 : info.reader_bytes + buffer.bytes;
  Reading reading{
      .rows = static_cast<std::int64_t>(info.rows),
      .cols = static_cast<std::int64_t>(info.cols),
      .type = is_float ? ElementType{true, sizeof(float), "float32"}
                       : ElementType{true, sizeof(double), "float64"},
      .by_rows = info.layout == io::Layout::right,
      .read = is_float ? reading_as<float>(reader, buffer) : reading_as<double>(reader, buffer),
      .check = [reader] { reader->check_unchanged(); },
      .bytes_at_once = info.chunk_rows == 0 ? 0U : 1U,
      .bytes = taken - std::min(taken, reader_may_have)};
  reading.path = path;
  if (info.in_order_only) reading.in_order_only = info.obstacle();
  return reading;
}

void atax(StreamedMatrix const& a, AtaxCall const& call) {
  require_order_of_file(a);
  with_source(a, [&]<class Exec, class S, class T>(Exec const& exec, S const& source,
                                                   stream::Options<T> const& options, T) {
    stream::AtaxTerms<Exec, T> terms{.alpha = static_cast<T>(call.alpha),
                                     .beta = static_cast<T>(call.beta)};
    terms.map = map_of<Exec, T>(call);
    if (call.z) terms.z = vector<Exec, T>(*call.z);
    with_views<Exec, T>(call.v, [&](auto const& view) {
      if (call.b) {
        stream::atax(exec, source, view(call.v), view(*call.b), view(call.c), options, terms);
      } else {
        stream::atax(exec, source, view(call.v), view(call.c), options, terms);
      }
    });
  });
}

void product(StreamedMatrix const& a, Product product, Array const& x, Array const& y) {
  if (product == Product::aatx) require_order_of_file(a, true);
  with_source(a, [&]<class Exec, class S, class T>(Exec const& exec, S const& source,
                                                   stream::Options<T> const& options, T) {
    with_views<Exec, T>(
        x, [&](auto const& view) { compute(product, exec, source, view(x), view(y), options); });
  });
}

void multiply_both(StreamedMatrix const& a, Array const& x, Array const& u, Array const& y,
                   Array const& w) {
  require_order_of_file(a);
  with_source(a, [&]<class Exec, class S, class T>(Exec const& exec, S const& source,
                                                   stream::Options<T> const& options, T) {
    stream::multiply_both(exec, source, vector<Exec, T>(x), vector<Exec, T>(u), vector<Exec, T>(y),
                          vector<Exec, T>(w), options);
  });
}

void read_rows(StreamedMatrix const& a, std::int64_t first_row, Array const& to) {
  constexpr std::size_t most_bytes = std::size_t{64} << 20U;
  Reading const& reading = a.reading;
  auto const [rows, cols] = to.extents;
  auto const [lines, length] = reading.by_rows ? std::pair(rows, cols) : std::pair(cols, rows);
  if (rows == 0) return;
  Turn const turn;
  std::size_t const line_bytes = static_cast<std::size_t>(length) * to.type.bytes;
  auto const at_once = static_cast<std::int64_t>(
      std::max(std::size_t{1}, std::min(most_bytes, a.memory_limit / 4) / line_bytes));
  for (std::int64_t line = 0; line < lines; line += at_once) {
    std::int64_t const count = std::min(at_once, lines - line);
    void* const place =
        static_cast<std::byte*>(to.data) + static_cast<std::size_t>(line) * line_bytes;
    reading.read(reading.by_rows ? BlockRead{first_row + line, count, 0, cols, place}
                                 : BlockRead{first_row, rows, line, count, place});
    *reading.elements_read += static_cast<std::uint64_t>(count * length);
    if (a.on_block) a.on_block();
  }
  if (reading.check) reading.check();
}

}  // namespace tessera::python
