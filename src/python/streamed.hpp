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
#include <vector>

/// Matrices that are read block by block.
namespace tessera::python {

/// A rectangle, written to `to` contiguously in the matrix's order.
struct BlockRead {
  std::int64_t first_row;
  std::int64_t rows;
  std::int64_t first_col;
  std::int64_t cols;
  void* to;
  std::atomic<bool> const* is_given_up = nullptr;  ///< nobody waits any more
};

/// Several threads call `read` at once.
struct Reading {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  ElementType type;
  bool by_rows = true;
  std::function<void(BlockRead const&)> read;
  std::function<void()> check{};  ///< after each pass
  std::size_t bytes_at_once = 0;
  std::size_t bytes = 0;  ///< that the reader takes of a pass's limit
  std::string path{};
  std::shared_ptr<std::atomic<std::uint64_t>> elements_read =
      std::make_shared<std::atomic<std::uint64_t>>(0);
  std::string in_order_only{};  ///< why reads must be in order; empty: any position
};

/// @param type empty: the file's
/// @param shape of raw elements
/// Entries that are read as the means of their columns.
struct Filling {
  double code = 0;
  std::vector<double> means;
};

/// @param limit bytes of a pass; a buffer of rows takes at most half
Reading read_file(std::string const& path, std::optional<ElementType> const& type,
                  std::optional<std::array<std::int64_t, 2>> const& shape, bool by_rows,
                  std::size_t limit, std::optional<Filling> const& filling);

struct StreamedMatrix {
  Reading reading;
  std::size_t memory_limit = std::size_t{1} << 30;
  /// After each block and repeatedly while a pass waits, on the call's thread. An exception ends
  /// the pass.
  std::function<void()> on_block{};
};

/// Refuses reads out of the file's order, such as ATAX of columns in a packed file: each block
/// would be read from the start.
void require_order_of_file(StreamedMatrix const& a, bool is_of_transpose = false);

/// Rows from `first_row` on, as many as `to` has. `to` is contiguous in the matrix's order.
void read_rows(StreamedMatrix const& a, std::int64_t first_row, Array const& to);

/// Ignores `call.a`. Vectors are on the host.
void atax(StreamedMatrix const& a, AtaxCall const& call);
void product(StreamedMatrix const& a, Product product, Array const& x, Array const& y);
void multiply_both(StreamedMatrix const& a, Array const& x, Array const& u, Array const& y,
                   Array const& w);

}  // namespace tessera::python
