// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <python/operations.hpp>
#include <string>

/// Matrices that are read block by block, from a file or with a function.
namespace tessera::python {

/// A rectangle of a matrix, and where to write its elements: contiguous, in the order of the
/// matrix.
struct BlockRead {
  std::int64_t first_row;
  std::int64_t rows;
  std::int64_t first_col;
  std::int64_t cols;
  void* to;
  std::atomic<bool> const* is_given_up = nullptr;  ///< whether the call has ended and nobody waits
};

/// How a matrix is read. Several threads call `read` at once.
struct Reading {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  ElementType type;  ///< float32 or float64
  bool by_rows = true;
  std::function<void(BlockRead const&)> read;
  std::function<void()> check{};  ///< called after each pass; may be empty
  std::size_t bytes_at_once = 0;  ///< as in stream::MatrixSource
  std::size_t bytes = 0;          ///< that the reader takes of a pass's limit
  std::string path{};             ///< of the file
  /// Elements that all passes have read.
  std::shared_ptr<std::atomic<std::uint64_t>> elements_read =
      std::make_shared<std::atomic<std::uint64_t>>(0);
  std::string in_order_only{};  ///< why reads must be in order; empty: any position
};

/// Opens a matrix file: .npy, HDF5, or raw elements of a given shape. Throws io::FileError.
/// @param type  type of the elements in memory; without one the file's
/// @param shape rows and columns of raw elements; empty if the file has a header
/// @param limit bytes that a pass may use; a buffer of rows takes at most half of them
Reading read_file(std::string const& path, std::optional<ElementType> const& type,
                  std::optional<std::array<std::int64_t, 2>> const& shape, bool by_rows,
                  std::size_t limit);

/// A streamed matrix, and the memory that a pass over it may use.
struct StreamedMatrix {
  Reading reading;
  std::size_t memory_limit = std::size_t{1} << 30;
  /// Called after each block, and repeatedly while a pass waits for a block, on the thread of the
  /// call. An exception ends the pass.
  std::function<void()> on_block{};
};

/// Refuses a matrix whose blocks would be read out of the order of its file, each time from the
/// start: ATAX of columns in a packed file. Throws io::FileError.
void require_order_of_file(StreamedMatrix const& a);

/// Like the operations on arrays. Ignores `call.a`; vectors are on the host.
void atax(StreamedMatrix const& a, AtaxCall const& call);
void multiply(StreamedMatrix const& a, Array const& v, Array const& b);
void multiply_transposed(StreamedMatrix const& a, Array const& u, Array const& c);
void multiply_both(StreamedMatrix const& a, Array const& x, Array const& u, Array const& y,
                   Array const& w);

}  // namespace tessera::python
