// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <python/operations.hpp>
#include <vector>

/// What tessera.distributed computes from some rows of a matrix that is distributed over processes.
/// MPI calls are made by mpi4py, not here.
namespace tessera::python {

/// A matrix, or some of its rows.
struct RowsOfMatrix {
  std::int64_t all_rows;  ///< number of rows of the whole matrix
  bool by_rows;           ///< whether rows are contiguous
};

/// Rows [first, first + count), whose sum is a subtree of the sum over all rows: 2^level units.
struct PartOfRows {
  std::int64_t first;
  std::int64_t count;
  int level;
};

/// The rows that a rank should own of a matrix with so many columns.
/// @param in_segments whether they start at a segment, as products with blocks in solvers need
/// @return the first row and their count
PartOfRows rows_of_rank(RowsOfMatrix const& matrix, std::int64_t cols, std::size_t bytes_of_scalar,
                        bool in_segments, int rank, int size);
/// The subtrees of a rank's rows.
/// @throws std::invalid_argument if a panel or a segment continues on another rank
std::vector<PartOfRows> parts_of_rows(RowsOfMatrix const& matrix, std::int64_t cols,
                                      std::size_t bytes_of_scalar, std::int64_t first,
                                      std::int64_t count);

/// Some of a rank's rows, counted from the rank's first row.
struct SomeRows {
  std::int64_t first;
  std::int64_t count;
};

/// C = Aᵀ·f(A·v) over some of a rank's rows, which form a subtree. Arrays other than C cover all
/// the rank's rows. Ignores alpha, beta and z of the call.
void atax_of_part(RowsOfMatrix const& matrix, SomeRows const& some, AtaxCall const& call);
/// b = A·v of a rank's rows
void multiply_part(RowsOfMatrix const& matrix, Array const& a, Array const& v, Array const& b);
/// c = Aᵀ·u over some of a rank's rows, which form a subtree
void multiply_transposed_part(RowsOfMatrix const& matrix, SomeRows const& some, Array const& a,
                              Array const& u, Array const& c);

/// sums = the tree over the roots of all ranks. The roots are contiguous, one per row, and are
/// overwritten. Each is the sum of a subtree of 2^level units. Uses the rounding mode of the
/// kernels, whatever mode the caller has set.
void add_roots(Array const& roots, std::vector<int> const& levels, Array const& sums);
/// x = alpha·x for contiguous entries on the host, with the rounding mode of add_roots.
void scale(double alpha, Array const& x);

/// A rank's rows of a matrix as solvers read it, and how ranks exchange data. All ranks make the
/// same calls of both functions, which may throw. Arrays are on the host.
struct OnRanks {
  RowsOfMatrix matrix;
  std::int64_t first;  ///< the first row of this rank
  bool in_segments;    ///< whether each rank owns whole segments of rows
  /// sums = the tree over the roots of all ranks. `roots` holds this rank's, one per row; each is
  /// the sum of a subtree of 2^level units.
  std::function<void(Array const& roots, std::vector<int> const& levels, Array const& sums)> add;
  /// Fills the entries of x that belong to other ranks' rows; this rank's are already set.
  std::function<void(Array const& x)> share;
};

}  // namespace tessera::python
