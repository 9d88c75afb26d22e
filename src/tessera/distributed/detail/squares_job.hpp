// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <Kokkos_Core.hpp>

#include <tessera/detail/arguments.hpp>
#include <tessera/distributed/detail/parts.hpp>
#include <tessera/distributed/rows.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/options.hpp>
#include <tessera/order/lines.hpp>
#include <tessera/solve/column_squares.hpp>
#include <tessera/workspace.hpp>

namespace tessera::distributed::detail {

/// Sums of squares per column (solve/column_squares.hpp), as a TransposedJob of squares and ones.
template <class Exec, class T, class A = MatrixArgument<T const>>
struct SquaresJob {
  Exec const& exec;
  A a;
  solve::detail::Differences<T> of;
  Kernels kernels;
  Workspace<Exec>& workspace;
  Index all_rows;

  template <class Set, bool RowMajor>
  void add_units(Rows const& rows, OutputVector<T> sum) const {
    solve::detail::add_squares<Exec, T>(exec, lines_of_rows<RowMajor>(a, rows, all_rows), RowMajor,
                                        of, kernels, workspace, sum);
  }
  template <class Set, bool RowMajor>
  void make_factors(Rows const& rows, T* y) const {
    tessera::detail::for_each_element(exec, "tessera::distributed::ones", rows.count,
                                      solve::detail::SetOne<T>{y});
  }
  template <bool RowMajor, class Visit>
  void for_lines(Rows const& rows, Visit const& visit) const {
    using Squares = solve::detail::LineSquares<Exec, T>;
    auto const cols = static_cast<Index>(a.extent(1));
    constexpr auto size = static_cast<Index>(sizeof(T));
    auto const target = static_cast<Index>(
        Squares::target_bytes(exec, static_cast<Index>(a.extent(0)) * cols * size));
    Index const at_once =
        std::clamp(target / (cols * size), Index{1}, std::max(rows.count, Index{1}));
    Squares const squares(exec, of, RowMajor, at_once * cols);
    for (Index first = 0; first < rows.count; first += at_once) {
      Rows const some{rows.first + first, std::min(at_once, rows.count - first)};
      visit(squares(lines_of_rows<RowMajor>(a, some, all_rows), 0), first);
    }
    exec.fence("tessera::distributed: the squares are added");
  }
};

}  // namespace tessera::distributed::detail
