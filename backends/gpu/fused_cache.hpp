// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/backends/gpu/fused_plan.hpp>

namespace tessera::detail::gpu {

/// Lines longer than registers hold: read again, from the caches, for the sum.
template <class Exec, class T, bool Aligned, int Rows, class Factor>
struct FusedCache {
  using Warp = WarpOf<Exec>;
  FusedArguments<Exec, T, Factor> a;
  int chunks_per_warp;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& member) const {
    Place const place = Place::of(member);
    int const team_size = member.team_size();
    Index const length = a.lines.length;
    T* const sDot = team_scratch<T>(member, 0, a.scratch);  // (2, Rows, warp_threads)
    for (Index t = place.thread; t < a.scratch; t += team_size) sDot[t] = T(0);
    Index const group = member.league_rank();
    T* const bottom = a.partials + group * length;
    T* const above = reinterpret_cast<T*>(a.stacks) + group * a.levels * length;
    VectorStack<T> const stack{bottom, above, length};
    Index const panel_lines = a.panels.lines;
    Index const first_panel = group * a.panels_per_worker;
    Index const panels = Kokkos::min(a.panels_per_worker, a.panels.count - first_panel);
    Index const run = static_cast<Index>(chunks_per_warp) * chunk<T>;
    Index const begin = Kokkos::min(length, place.warp * run);
    Index const end = Kokkos::min(length, begin + run);
    Index const column = place.half * summation::segment<T> + thread_offset<T, Aligned>(place.part);
    int buffer = 0;
    for (Index p = 0; p < panels; ++p) {
      Index const first = (first_panel + p) * panel_lines;
      Index const last = Kokkos::min(a.lines.count, first + panel_lines);
      T* const target = stack.level(VectorStack<T>::level_of(p));
      for (Index i = first; i < last; i += Rows) {
        PerLine<LongWarpTree<Warp, T>, Rows> tree;
        static_for<Rows>([&](auto r) { tree[r()] = LongWarpTree<Warp, T>(place.lane); });
        for (Index j = begin; j < end; j += chunk<T>) {
          int const rest = rest_of_line(end, j + column);
          PerLine<PerLine<Word<T>, segment_words>, Rows> rA;
          PerLine<Word<T>, segment_words> rX;
          static_for<Rows>([&](auto r) {
            load_words<Warp, Aligned, segment_words>(rA[r()], a.lines.line(i + r()) + j + column,
                                                     i + r() < last ? rest : 0, Cached{});
          });
          load_words<Warp, Aligned, segment_words>(rX, a.x + j + column, rest, Constant{});
          static_for<Rows>([&](auto r) {
            T value = segment_dot<Warp, Aligned, segment_words>(rA[r()], rX, place.part);
            value += Warp::shuffle_xor(value, segment_threads);
            tree[r()].push(value);
          });
        }
        T* const sums = sDot + buffer * Rows * warp_threads;
        buffer ^= 1;
        member.team_barrier();  // the first time: sDot is zero
        static_for<Rows>([&](auto r) {
          T const value = tree[r()].sum();
          if (place.lane == 0) sums[r() * warp_threads + place.warp] = value;
        });
        member.team_barrier();
        PerLine<T, Rows> factor;
        static_for<Rows>([&](auto r) {
          T const value =
              tree_over_threads<Warp, warp_threads>(sums[r() * warp_threads + place.lane]) + T(0);
          if (i + r() < last) factor[r()] = a.factor_of(i + r(), value, place.thread == 0);
        });
        for (Index j = begin; j < end; j += chunk<T>) {
          int const rest = rest_of_line(end, j + column);
          PerLine<Word<T>, segment_words> rC = {};
          if (i > first) {
            load_words<Warp, Aligned, segment_words>(rC, static_cast<T const*>(target) + j + column,
                                                     rest, Cached{});
          }
          static_for<Rows>([&](auto r) {
            PerLine<Word<T>, segment_words> rA;
            load_words<Warp, Aligned, segment_words>(rA, a.lines.line(i + r()) + j + column,
                                                     i + r() < last ? rest : 0, Cached{});
            static_for<segment_words>([&](auto k) {
              if (i + r() < last) multiply_add(factor[r()], rA[k()], rC[k()]);
            });
          });
          static_for<segment_words>([&](auto k) {
            store_word<Aligned>(target + j + column, k() * summation::lanes<T>, rest, rC[k()]);
          });
        }
      }
      // Each thread merges the columns that it wrote.
      merge(stack, VectorStack<T>::level_of(p), p, begin, end, column);
    }
    for (int l = VectorStack<T>::level_of(panels) - 1; l > 0; --l) {
      add(stack.level(l - 1), stack.level(l), begin, end, column);
    }
    if (a.groups == 1) set_out(bottom, begin, end, column);
  }

  /// The thread's columns of the only group's sum.
  KOKKOS_FUNCTION void set_out(T* sums, Index begin, Index end, Index column) const {
    for (Index j = begin; j < end; j += chunk<T>) {
      int const rest = rest_of_line(end, j + column);
      static_for<segment_words>([&](auto k) {
        constexpr int offset = k() * summation::lanes<T>;
        Word<T> const word = load_word<Warp, Aligned>(static_cast<T const*>(sums) + j + column,
                                                      offset, rest, Cached{});
        store_partial<Aligned>(sums, true, a.out, j + column, offset, rest, word);
      });
    }
  }

  KOKKOS_FUNCTION void merge(VectorStack<T> const& stack, int level, Index index, Index begin,
                             Index end, Index column) const {
    for (; (index & 1) != 0; index >>= 1, --level) {
      add(stack.level(level - 1), stack.level(level), begin, end, column);
    }
  }
  /// to += from, in the thread's columns of [begin, end).
  KOKKOS_FUNCTION void add(T* to, T const* from, Index begin, Index end, Index column) const {
    for (Index j = begin; j < end; j += chunk<T>) {
      int const rest = rest_of_line(end, j + column);
      static_for<segment_words>([&](auto k) {
        constexpr int offset = k() * summation::lanes<T>;
        auto const sum = load_word<Warp, Aligned>(static_cast<T const*>(to) + j + column, offset,
                                                  rest, Cached{}) +
                         load_word<Warp, Aligned>(from + j + column, offset, rest, Cached{});
        store_word<Aligned>(to + j + column, offset, rest, sum);
      });
    }
  }
};

}  // namespace tessera::detail::gpu
