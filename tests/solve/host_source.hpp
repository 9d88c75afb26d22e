// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>

#include <tessera/stream.hpp>

#include "support/host_matrix.hpp"
#include "support/shapes.hpp"

namespace tessera::test {

/// A and the counter of elements read must outlive the source.
template <class C>
auto source_of(HostMatrix<typename C::Scalar> const& A, Index rows, Index cols,
               std::atomic<Index>* elements = nullptr) {
  using T = typename C::Scalar;
  return stream::make_source<T, typename C::Layout>(
      rows, cols, [&A, elements](stream::Block const& block, T* to) {
        if (elements != nullptr) *elements += block.rows * block.cols;
        bool const by_rows = C::order == reference::Order::row_major;
        Index const lines = by_rows ? block.rows : block.cols;
        Index const first = by_rows ? block.first_row : block.first_col;
        Index const length = by_rows ? block.cols : block.rows;
        Index const begin = by_rows ? block.first_col : block.first_row;
        for (Index i = 0; i < lines; ++i) {
          std::copy_n(A.line(first + i) + begin, length, to + i * length);
        }
      });
}

}  // namespace tessera::test
