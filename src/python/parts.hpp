// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <python/operations.hpp>
#include <vector>

/// What tessera.distributed computes of some rows of a matrix that lies on many processes. MPI is
/// mpi4py's: nothing here knows it.
namespace tessera::python {

/// A matrix, or some of its rows.
struct RowsOfMatrix {
  std::int64_t all_rows;  ///< of the whole matrix
  bool by_rows;           ///< whether rows are contiguous
};

/// Rows [first, first + count), whose sum is a subtree of the sum over all rows; 2^level units.
struct PartOfRows {
  std::int64_t first;
  std::int64_t count;
  int level;
};

/// Rows that a rank best has of a matrix with so many columns. @return first, and how many
/// @param in_segments whether they begin with a segment, for products with blocks of solvers
PartOfRows rows_of_rank(RowsOfMatrix const& matrix, std::int64_t cols, std::size_t bytes_of_scalar,
                        bool in_segments, int rank, int size);
/// The subtrees of a rank's rows. @throws std::invalid_argument where a panel, or a segment, goes
/// on on another rank
std::vector<PartOfRows> parts_of_rows(RowsOfMatrix const& matrix, std::int64_t cols,
                                      std::size_t bytes_of_scalar, std::int64_t first,
                                      std::int64_t count);

/// Some of a rank's rows, counted from its first one.
struct SomeRows {
  std::int64_t first;
  std::int64_t count;
};

/// C = Aᵀ·f(A·v) of some of a rank's rows, which are a subtree; arrays other than C are those of
/// all its rows. alpha, beta and z of the call are not used.
void atax_of_part(RowsOfMatrix const& matrix, SomeRows const& some, AtaxCall const& call);
/// b = A·v of a rank's rows
void multiply_part(RowsOfMatrix const& matrix, Array const& a, Array const& v, Array const& b);
/// c = Aᵀ·u of some of a rank's rows, which are a subtree
void multiply_transposed_part(RowsOfMatrix const& matrix, SomeRows const& some, Array const& a,
                              Array const& u, Array const& c);

/// sums = the tree over all ranks' roots, one per row, contiguous; overwrites the roots. Each is
/// the sum of a subtree of 2^level units. Rounds as kernels do, whatever mode the caller has set.
void add_roots(Array const& roots, std::vector<int> const& levels, Array const& sums);
/// x = alpha·x of contiguous entries in memory of the host, as add_roots rounds.
void scale(double alpha, Array const& x);

/// A rank's rows of a matrix as solvers read it, and how ranks tell each other what they have. All
/// ranks call both functions alike, which may throw; arrays are in memory of the host.
struct OnRanks {
  RowsOfMatrix matrix;
  std::int64_t first;  ///< row of the matrix that is this rank's first
  bool in_segments;    ///< whether all ranks have whole segments of rows
  /// sums = the tree over all ranks' roots, of which this rank's are one a row. Each is the sum of
  /// a subtree of 2^level units.
  std::function<void(Array const& roots, std::vector<int> const& levels, Array const& sums)> add;
  /// x gets the entries of the other ranks' rows; this rank's are there.
  std::function<void(Array const& x)> share;
};

}  // namespace tessera::python
