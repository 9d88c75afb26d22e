// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <variant>

#include <Kokkos_Core.hpp>

#include <tessera/detail/arguments.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/order/lines.hpp>
#include <tessera/order/narrow.hpp>
#include <tessera/stream/detail/blocks.hpp>
#include <tessera/summation.hpp>
#include <tessera/workspace.hpp>

/// Matrices in memory, read group by group.
namespace tessera::solve::detail {

using summation::Index;

template <class T>
using MatrixInMemory =
    std::variant<tessera::detail::MatrixArgument<T const>, tessera::detail::NarrowArgument<T>>;
template <class T>
using LinesInMemory = std::variant<tessera::detail::Lines<T>, tessera::detail::NarrowLines<T>>;

template <class T>
stream::detail::Blocks groups_of_rows(stream::detail::Extents const& extents, std::size_t bytes) {
  return *stream::detail::Blocks::of<T>(extents, stream::detail::Cut::groups, bytes,
                                        std::numeric_limits<Index>::max());
}
template <class T>
stream::detail::Blocks groups_of_rows(MatrixInMemory<T> const& a, std::size_t bytes) {
  return std::visit(
      [&](auto const& x) {
        return groups_of_rows<T>(
            stream::detail::Extents{static_cast<Index>(x.extent(0)),
                                    std::max(Index{1}, static_cast<Index>(x.extent(1)))},
            bytes);
      },
      a);
}

/// Each work item converts `piece` elements of a line.
template <class T>
struct WidenLines {
  tessera::detail::NarrowLines<T> from;
  Index piece;
  T* to;
  KOKKOS_FUNCTION void operator()(Index item) const {
    Index const pieces = summation::ceil_div(from.length, piece);
    Index const line = item / pieces;
    Index const begin = (item - line * pieces) * piece;
    Index const end = Kokkos::min(from.length, begin + piece);
    T* const out = to + line * from.length;
    if (from.stride == 1) return (from.line(line) + begin).widen(end - begin, out + begin);
    for (Index j = begin; j < end; ++j) (from.line(line) + j * from.stride).widen(1, out + j);
  }
};
/// Writes the widened lines one after the other.
template <class Exec, class T>
void widen_lines(Exec const& exec, tessera::detail::NarrowLines<T> const& lines, T* to) {
  static std::string const label("tessera::solve::widen");
  constexpr Index piece = tessera::detail::teams_of_one<Exec> ? 1024 : 1;
  tessera::detail::for_each_element(exec, label,
                                    lines.count * summation::ceil_div(lines.length, piece),
                                    WidenLines<T>{lines, piece, to});
}

/// take(group, first row, rows, elements, down, across); the last two are strides. Narrow rows are
/// widened for one group, in memory of `widened` if it is not null. Fences if there are any.
template <class T, class Exec, class Take>
void for_groups(Exec const& exec, MatrixInMemory<T> const& a, stream::detail::Blocks const& groups,
                Workspace<Exec>* widened, Take const& take) {
  using namespace tessera::detail;
  if (auto const* const scalars = std::get_if<MatrixArgument<T const>>(&a)) {
    auto const down = static_cast<Index>(scalars->stride(0));
    for (Index group = 0; group < groups.count(); ++group) {
      auto const [first, rows] = groups.part(group);
      take(group, first, rows, scalars->data() + first * down, down,
           static_cast<Index>(scalars->stride(1)));
    }
    return;
  }
  auto const& narrow = std::get<NarrowArgument<T>>(a);
  auto const cols = static_cast<Index>(narrow.extent(1));
  WorkspaceOfCall<Exec> memory(widened);
  auto const bytes = static_cast<std::size_t>(groups.size() * cols) * sizeof(T);
  auto* const to = reinterpret_cast<T*>(memory.reserve(exec, bytes).data);
  with_order("solve", "A", narrow, [&](auto by_rows) {
    for (Index group = 0; group < groups.count(); ++group) {
      auto const [first, rows] = groups.part(group);
      auto lines = lines_of<by_rows()>(narrow);
      lines.data = by_rows() ? lines.line(first) : lines.data + first;
      (by_rows() ? lines.count : lines.length) = rows;
      widen_lines(exec, lines, to);
      take(group, first, rows, to, by_rows() ? cols : Index{1}, by_rows() ? Index{1} : rows);
    }
  });
  exec.fence("tessera::solve: the widened rows are read");
}

}  // namespace tessera::solve::detail
