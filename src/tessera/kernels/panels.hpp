// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/order/vector_stack.hpp>
#include <tessera/summation.hpp>

/// How a team traverses the panels of its group.
namespace tessera::kernels {

using detail::Joined;
using detail::VectorStack;
using summation::Index;

/// Lines of one panel; none if `count` is 0.
struct Step {
  Index first = 0;
  int count = 0;
  Index panel = 0;      ///< number in the group
  Index panel_end = 0;  ///< line after the panel
  bool begins = false;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool ends_panel() const {
    return first + count == panel_end;
  }
};

struct Group {
  Index first;
  Index last;
  Index panel_lines;
  Index panels;

  KOKKOS_FUNCTION Group(Index index, Index panels_per_group, Index lines_of_panel, Index count)
      : first(index * panels_per_group * lines_of_panel),
        last(Kokkos::min(count, first + panels_per_group * lines_of_panel)),
        panel_lines(lines_of_panel),
        panels(summation::ceil_div(last - first, lines_of_panel)) {}

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Step begin(int most) const {
    return step(first, 0, Kokkos::min(last, first + panel_lines), true, most);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Step next(Step const& before, int most) const {
    if (!before.ends_panel()) {
      return step(before.first + before.count, before.panel, before.panel_end, false, most);
    }
    Index const end = before.panel_end;
    return step(end, before.panel + 1, Kokkos::min(last, end + panel_lines), true, most);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static Step step(Index first, Index panel, Index panel_end,
                                               bool begins, int most) {
    auto const count = static_cast<int>(Kokkos::min(Index{most}, panel_end - first));
    return {first, count, panel, panel_end, begins};
  }
};

/// The last panel joins all waiting subtrees.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION Joined<T> joined(VectorStack<T> const& stack, Index index,
                                             Index count) {
  if (index + 1 < count) return stack.joined(index);
  int const waiting = VectorStack<T>::level_of(index);
  return {stack.level(0), waiting, waiting > 1 ? stack.level(waiting - 1) : nullptr, stack.pitch};
}

template <class T>
struct Stacks {
  T* data;  // (groups, levels, length)
  Index levels;
  Index length;

  static Index levels_for(Index panels) { return 1 + VectorStack<T>::levels_above(panels); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION VectorStack<T> of(Index group) const {
    T* const bottom = data + group * levels * length;
    return {bottom, bottom + length, length};
  }
};

}  // namespace tessera::kernels
