// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <python/operations.hpp>
#include <vector>

/// For tessera.distributed, which makes the MPI calls.
namespace tessera::python {

struct RowsOfMatrix {
  std::int64_t all_rows;  ///< of the whole matrix
  bool by_rows;
};

/// A subtree of 2^level units.
struct PartOfRows {
  std::int64_t first;
  std::int64_t count;
  int level;
};

/// @param in_segments parts start at a segment, for products with blocks
PartOfRows rows_of_rank(RowsOfMatrix const& matrix, std::int64_t cols, std::size_t bytes_of_scalar,
                        bool in_segments, int rank, int size);
/// @throws std::invalid_argument if a panel or a segment continues on another rank
std::vector<PartOfRows> parts_of_rows(RowsOfMatrix const& matrix, std::int64_t cols,
                                      std::size_t bytes_of_scalar, std::int64_t first,
                                      std::int64_t count);

/// Counted from the rank's first row.
struct SomeRows {
  std::int64_t first;
  std::int64_t count;
};

/// C = Aᵀ·f(A·v) over a subtree of a rank's rows; of a block, C has a row for each vector. Arrays
/// other than C cover all its rows. Ignores alpha, beta and z.
void atax_of_part(RowsOfMatrix const& matrix, SomeRows const& some, AtaxCall const& call);
/// b = A·v of a rank's rows; v may be a block of vectors
void multiply_part(RowsOfMatrix const& matrix, Array const& a, Array const& v, Array const& b);
/// c = Aᵀ·u over a subtree of a rank's rows; of a block, c has a row for each vector
void multiply_transposed_part(RowsOfMatrix const& matrix, SomeRows const& some, Array const& a,
                              Array const& u, Array const& c);

/// sums = the tree over all ranks' roots of 2^level units, one per row, which are overwritten.
/// Rounds as the kernels, whatever mode the caller has set.
/// @param fields elements that belong together: 1 are added, more are moments of a column
void add_roots(Array const& roots, std::vector<int> const& levels, Array const& sums,
               std::int64_t fields);
/// x = alpha·x, on the host; rounds as add_roots().
void scale(double alpha, Array const& x);

/// For solvers. All ranks make the same calls of both functions, which may throw. Arrays are on the
/// host.
struct OnRanks {
  RowsOfMatrix matrix;
  std::int64_t first;
  bool in_segments;  ///< each rank owns whole segments
  /// As add_roots(), with this rank's roots.
  std::function<void(Array const& roots, std::vector<int> const& levels, Array const& sums,
                     std::int64_t fields)>
      add;
  /// Fills the entries, or rows, of other ranks' rows.
  std::function<void(Array const& x)> share;
};

}  // namespace tessera::python
