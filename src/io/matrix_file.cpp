// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <Kokkos_Core.hpp>

#include <io/chunked_read.hpp>
#include <io/matrix_file.hpp>
#include <io/matrix_reader.hpp>
#include <io/memory.hpp>
#include <io/parallel_blocks.hpp>

namespace tessera::io {
namespace {

constexpr std::uint64_t block_bytes = 8U << 20U;

[[noreturn]] void fail(std::string const& path, std::string const& sentence) {
  throw FileError(ErrorKind::bad_input, path, sentence);
}

template <class View, class... Extents>
View allocate(std::string const& path, std::string const& what, Extents... extents) {
  std::uint64_t const bytes = (sizeof(typename View::value_type) * ... * std::uint64_t{extents});
  require_memory(bytes, path, "the " + what);
  try {
    View view(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera::io::" + what),
              static_cast<std::size_t>(extents)...);
    prefer_huge_pages(view.data(), bytes);
    return view;
  } catch (std::exception const& error) {  // Kokkos' type differs by version
    throw FileError(ErrorKind::out_of_memory, path,
                    "not enough memory for the " + what + ": expected " + format_bytes(bytes) +
                        ", found: " + error.what());
  }
}

template <class T, class KokkosLayout>
MatrixView<T, KokkosLayout> read_as(MatrixReader const& reader, Progress const& progress) {
  MatrixInfo const& info = reader.info();
  auto const A =
      allocate<MatrixView<T, KokkosLayout>>(reader.path(), "matrix", info.rows, info.cols);
  if constexpr (std::is_same_v<KokkosLayout, Kokkos::LayoutRight>) {
    if (info.chunk_rows != 0) {
      read_whole_block(reader, {.row = 0, .col = 0, .rows = info.rows, .cols = info.cols},
                       std::span<T>(A.data(), A.size()), progress);
      return A;
    }
  }
  T* const elements = A.data();
  parallel_blocks(
      info.elements(), block_bytes / sizeof(T),
      [&](std::uint64_t first, std::uint64_t count) {
        reader.read(Part::matrix, first, std::span<T>(elements + first, count));
      },
      [&](std::uint64_t done) {
        if (progress) progress(done * sizeof(T), info.elements() * sizeof(T));
      },
      info.in_order_only ? 1 : default_threads);
  return A;
}

template <class Matrix, class T>
Matrix read_in_layout(MatrixReader const& reader, Progress const& progress) {
  if (reader.info().layout == Layout::right) {
    return read_as<T, Kokkos::LayoutRight>(reader, progress);
  }
  return read_as<T, Kokkos::LayoutLeft>(reader, progress);
}

void require_matrix(MatrixReader const& reader) {
  MatrixInfo const& info = reader.info();
  if (info.format == Format::raw) {
    fail(reader.path(),
         "has no dimensions: expected a matrix in an ex3 or .npy file, found raw elements");
  }
  if (info.dimensions != 2) {
    fail(reader.path(), "is not a matrix: expected 2 dimensions, found a vector with " +
                            std::to_string(info.rows) + " entries");
  }
}

template <class T>
HostVector read_vector_as(MatrixReader const& reader, Part part, std::uint64_t length) {
  auto const v = allocate<VectorView<T>>(reader.path(), "vector", length);
  reader.read(part, 0, std::span<T>(v.data(), length));
  return v;
}

}  // namespace

std::uint64_t reading_bytes(MatrixInfo const& info, ScalarType type) {
  if (info.chunk_rows == 0) return info.reader_bytes;
  return info.reader_bytes + bytes_of_reading_in_chunks(info, type);
}

MatrixInfo inspect(std::string const& path, RawFile const& raw) {
  return MatrixReader(path, raw).info();
}

HostMatrix read_matrix(MatrixReader const& reader, std::optional<ScalarType> type,
                       Progress const& progress) {
  require_matrix(reader);
  return type.value_or(reader.info().type) == ScalarType::f32
             ? read_in_layout<HostMatrix, float>(reader, progress)
             : read_in_layout<HostMatrix, double>(reader, progress);
}

StoredMatrix read_stored_matrix(MatrixReader const& reader, Progress const& progress) {
  require_matrix(reader);
  return size_of(reader.info().stored) == 1
             ? read_in_layout<StoredMatrix, std::uint8_t>(reader, progress)
             : read_in_layout<StoredMatrix, std::uint16_t>(reader, progress);
}

HostMatrix read_matrix(std::string const& path, std::optional<ScalarType> type,
                       Progress const& progress) {
  MatrixReader const reader(path);
  HostMatrix A = read_matrix(reader, type, progress);
  reader.check_unchanged();
  return A;
}

HostVector read_vector(MatrixReader const& reader, VectorRequest const& request) {
  MatrixInfo const& info = reader.info();
  std::string const& path = reader.path();
  Part const part = reader.vector_part(request.length);
  std::uint64_t const length = part == Part::vector ? info.cols : info.elements();
  ScalarType const type = request.type.value_or(info.type);
  if (type != info.type && !request.convert && !info.is_converted()) {
    fail(path, "has a vector of the wrong type: expected " + std::string(to_string(type)) +
                   ", found " + std::string(to_string(info.type)));
  }
  return type == ScalarType::f32 ? read_vector_as<float>(reader, part, length)
                                 : read_vector_as<double>(reader, part, length);
}

HostVector read_vector(std::string const& path, VectorRequest const& request) {
  MatrixReader const reader(path, {.type = request.type.value_or(ScalarType::f32)});
  HostVector x = read_vector(reader, request);
  reader.check_unchanged();
  return x;
}

}  // namespace tessera::io
