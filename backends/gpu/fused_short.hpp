// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/backends/gpu/fused_plan.hpp>

namespace tessera::detail::gpu {

/// Lines of up to two segments: a worker of `Threads` threads with Words words each computes a
/// panel, Rows lines per step. Workers only wait for each other at the end.
template <class Exec, class T, bool Aligned, int Threads, int Words, int Rows, class Factor>
struct FusedShort {
  using Warp = WarpOf<Exec>;
  using Plan = FusedLinesPlan<Exec, T>;
  static constexpr int team_size = Plan::small_team;
  static constexpr int workers = team_size / Threads;
  FusedArguments<Exec, T, Factor> a;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& member) const {
    Place const place = Place::of(member);
    int const worker = place.thread / Threads;
    Index const length = a.lines.length;
    int const column = (Threads == warp_threads ? place.half * summation::segment<T> : 0) +
                       thread_offset<T, Aligned>(place.part);
    int const rest = rest_of_line(length, column);
    PerLine<Word<T>, Words> rX;
    load_words<Warp, Aligned, Words>(rX, a.x + column, rest, Constant{});
    WordStack<Words, T> const stack{
        a.stacks + member.league_rank() * static_cast<Index>(a.levels) * Words * team_size +
            place.thread,
        team_size};

    Index const first_panel =
        (member.league_rank() * static_cast<Index>(workers) + worker) * a.panels_per_worker;
    int const panel_lines = static_cast<int>(a.panels.lines);
    Index const first = first_panel * panel_lines;
    Index const last = Kokkos::min(a.lines.count, first + a.panels_per_worker * panel_lines);
    int left = static_cast<int>(Kokkos::max(Index{0}, last - first));
    T const* line = a.lines.line(first) + column;
    auto const panels = static_cast<int>(a.panels_per_worker);
    PerLine<Word<T>, Words> rC = {};
    // All workers take part, even without lines: threads exchange values.
    for (int p = 0; p < panels; ++p) {
      for (int left_of_panel = panel_lines; left_of_panel > 0; left_of_panel -= Rows) {
        int const count = Kokkos::min(left, left_of_panel);
        PerLine<PerLine<Word<T>, Words>, Rows> rA;
        static_for<Rows>([&](auto r) {
          load_words<Warp, Aligned, Words>(rA[r()], line + r() * a.lines.leading,
                                           r() < count ? rest : 0, Once{});
        });
        static_for<Rows>([&](auto r) {
          T value = segment_dot<Warp, Aligned, Words>(rA[r()], rX, place.part);
          if constexpr (Threads == warp_threads) value += Warp::shuffle_xor(value, segment_threads);
          value += T(0);
          if (r() >= count) return;
          value = a.factor_of(last - left + r(), value, place.thread % Threads == 0);
          static_for<Words>([&](auto k) { multiply_add(value, rA[r()][k()], rC[k()]); });
        });
        int const taken = Kokkos::max(0, Kokkos::min(Rows, count));
        left -= taken;
        line += taken * a.lines.leading;
      }
      stack.push(rC, p, panels);
    }
    add_workers(member, place, team_scratch<T>(member, 0, a.scratch), column, rest, rC);
  }

  template <class Team>
  KOKKOS_FUNCTION void add_workers(Team const& member, Place const& place, T* sC, int column,
                                   int rest, Word<T> const* rC) const {
    Index const length = a.lines.length;
    T* const own = sC + place.thread / Threads * length;
    static_for<Words>([&](auto k) {
      static_for<word_width<T>>([&](auto e) {
        constexpr int at = k() * summation::lanes<T> + element_offset<T, Aligned>(e());
        if (at < rest) own[column + at] = rC[k()].e[e()];
      });
    });
    member.team_barrier();
    Index const group = member.league_rank();
    for (Index j = place.thread; j < length; j += team_size) {
      PerLine<T, workers> x;
      static_for<workers>([&](auto w) { x[w()] = sC[w() * length + j]; });
      static_for<log2_of<workers>>([&](auto level) {
        constexpr int o = 1 << level();
        static_for<workers / (2 * o)>(
            [&](auto w) { x[w() * 2 * o] = x[w() * 2 * o] + x[w() * 2 * o + o]; });
      });
      if (a.groups == 1) {
        a.out.set(j, x[0] + T(0));
      } else {
        a.partials[group * length + j] = x[0];
      }
    }
  }
};

}  // namespace tessera::detail::gpu
