// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backend.hpp>
#include <tessera/backends/gpu/combine.hpp>
#include <tessera/backends/gpu/teams.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/order/blocks.hpp>
#include <tessera/order/powers.hpp>
#include <tessera/tuning.hpp>

/// A thread keeps a word of columns and its sums for some vectors; a warp shares the vectors'
/// entries through scratch.
namespace tessera::detail::gpu {

/// A warp owns consecutive panels and a tile of columns. Adjacent warps share lines.
template <class Exec, class T>
struct BlockSumPlan {
  static constexpr int team_warps = 4;
  static constexpr unsigned teams_at_once = 4;
  static constexpr int most_columns = 32;
  static constexpr int most_kept = 8;
  static constexpr int at_once = 8;  // lines loaded before the previous are added

  summation::Panels panels;
  int columns;  ///< vectors in the block
  int kept;     ///< vectors per warp: 4 or most_kept, whose sums fit registers
  int shares;   ///< groups of vectors, one per warp
  int threads_per_line;
  Index tiles;           ///< of columns, per line
  Index steps;           ///< of side_by_side() panels per warp: a power of two
  Index groups;          ///< of panels
  int parts_in_scratch;  ///< parts of a warp's stack in scratch

  BlockSumPlan(Exec const& exec, Lines<T> const& lines, Tuning const& tuning, SomeColumns of_block)
      : panels(lines.panels()),
        columns(of_block.count()),
        kept(columns <= 4 ? 4 : most_kept),
        shares((columns + kept - 1) / kept),
        threads_per_line(is_narrow(lines.length) ? 8 : warp_threads),
        tiles(summation::ceil_div(lines.length, Index{threads_per_line} * word_width<T>)),
        steps(std::max(Index{1},
                       group_size(tuning.sum.panels_per_team, panels.count) / side_by_side())),
        groups(summation::ceil_div(panels.count, steps * side_by_side())) {
    std::size_t const most = backends::Backend<Exec>::most_scratch(exec);
    parts_in_scratch = parts_of_level * stack_levels(steps);
    while (parts_in_scratch > 0 && scratch_bytes<T>(scratch()) > most_of_team(most)) {
      --parts_in_scratch;
    }
  }

  static bool is_narrow(Index length) { return length <= Index{8} * word_width<T>; }

  [[nodiscard]] KOKKOS_INLINE_FUNCTION int side_by_side() const {
    return warp_threads / threads_per_line;
  }
  [[nodiscard]] Index partials(Lines<T> const& lines) const {
    return groups == 1 ? 0 : whole_words<T>(groups * columns * lines.length);
  }
  [[nodiscard]] Index workspace(Lines<T> const& lines) const {
    return partials(lines) + warps() * stack_in_memory() * word_width<T>;
  }
  [[nodiscard]] Index warps() const { return groups * tiles * shares; }
  [[nodiscard]] Index teams() const { return summation::ceil_div(warps(), Index{team_warps}); }
  [[nodiscard]] Index stack_in_memory() const {
    return (parts_of_level * stack_levels(steps) - parts_in_scratch) * part_of_stack();
  }
  static constexpr int parts_of_level = WordStack<most_kept, T, true>::parts_of_level;
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int part_of_stack() const {
    return kept / parts_of_level * threads_per_line;
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int entries() const {
    return 2 * side_by_side() * at_once * (kept + word_width<T>);
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int scratch_of_warp() const {
    return entries() + parts_in_scratch * part_of_stack() * word_width<T>;
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Index scratch() const {
    return Index{team_warps} * scratch_of_warp();
  }

 private:
  [[nodiscard]] std::size_t most_of_team(std::size_t most) const {
    constexpr std::size_t of_system = 1024;
    return (most + of_system) / teams_at_once - of_system;
  }
};

struct LinesOfPanels {
  Index line;
  int left;
  int part = 0;
  int step = 0;
};

template <class Exec, class T, int Threads, int Spacing, int Columns>
struct BlockSum {
  using Plan = BlockSumPlan<Exec, T>;
  using Warp = WarpOf<Exec>;
  using Stack = WordStack<Columns, T, true>;
  static constexpr int at_once = Plan::at_once;
  static constexpr int row = Columns + word_width<T>;  // avoids bank conflicts
  static constexpr int entries = Columns * at_once / Threads;
  struct Loaded {
    PerLine<Word<T>, at_once> word;
    PerLine<T, entries> entry;
  };

  Lines<T> lines;
  InputVectors<T> y;
  OutputVectors<T> out;
  T* partials;  ///< (groups, columns, length)
  Word<T>* stacks;
  Plan plan;
  Index stack_in_memory;
  int parts;
  int lines_of_part;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& member) const {
    Place const place = Place::of(member);
    Index const warp = member.league_rank() * static_cast<Index>(Plan::team_warps) + place.warp;
    Index const tile = warp / plan.shares % plan.tiles;
    Index const group = warp / plan.shares / plan.tiles;
    if (group >= plan.groups) return;
    int const first_vector = static_cast<int>(warp % plan.shares) * Columns;
    int const thread = place.lane % Threads;
    Index const column =
        tile * Threads * word_width<T> + (Spacing == 1 ? thread * word_width<T> : thread);
    int const rest = rest_of_line(lines.length, column);
    T* const sEntries = team_scratch<T>(member, 0, plan.scratch()) +
                        place.warp * static_cast<Index>(plan.scratch_of_warp());
    Index const first_panel = group * plan.steps * plan.side_by_side();
    auto const steps = static_cast<int>(Kokkos::min(
        plan.steps,
        (plan.panels.count - first_panel + plan.side_by_side() - 1) / plan.side_by_side()));
    Index const own_panel = first_panel + place.lane / Threads;

    LinesOfPanels now = begin_panel(own_panel, 0, steps);
    Loaded loaded;
    load(now, column, rest, first_vector, thread, loaded);
    PerLine<Word<T>, Columns> sum{};
    for (int turn = 0;; turn ^= 1) {
      LinesOfPanels const next = after(now, own_panel, steps);
      T* const sRows =
          sEntries + (turn * (warp_threads / Threads) + place.lane / Threads) * at_once * row;
      static_for<entries>([&](auto i) {
        sRows[thread % at_once * row + thread / at_once + i() * (Threads / at_once)] =
            loaded.entry[i()];
      });
      Warp::sync();
      add(now, loaded.word, sRows, sum);
      if (now.part == parts - 1) {
        add_panels_side_by_side(sum);
        if (place.lane < Threads) {
          Stack const stack{stacks + warp * stack_in_memory + thread, Threads,
                            reinterpret_cast<Word<T>*>(sEntries + plan.entries()) + thread,
                            plan.parts_in_scratch};
          stack.push(sum, now.step, steps);
        }
        if (now.step == steps - 1) break;
        if (place.lane >= Threads) static_for<Columns>([&](auto c) { sum[c()] = Word<T>{}; });
      }
      load(next, column, rest, first_vector, thread, loaded);
      now = next;
    }
    if (place.lane < Threads) store(group, first_vector, column, rest, sum);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION LinesOfPanels begin_panel(Index own_panel, int step,
                                                        int steps) const {
    Index const panel = own_panel + static_cast<Index>(step) * (warp_threads / Threads);
    Index const first = panel * plan.panels.lines;
    Index const left = step < steps ? Kokkos::min(lines.count - first, plan.panels.lines) : 0;
    return {.line = first, .left = static_cast<int>(Kokkos::max(Index{0}, left)), .step = step};
  }
  KOKKOS_FORCEINLINE_FUNCTION LinesOfPanels after(LinesOfPanels const& now, Index own_panel,
                                                  int steps) const {
    if (now.part == parts - 1) return begin_panel(own_panel, now.step + 1, steps);
    return {now.line + lines_of_part, now.left - lines_of_part, now.part + 1, now.step};
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int lines_there(LinesOfPanels const& at) const {
    return Kokkos::min(at.left, lines_of_part);
  }
  KOKKOS_FORCEINLINE_FUNCTION void load(LinesOfPanels const& at, Index column, int rest,
                                        int first_vector, int thread, Loaded& loaded) const {
    int const there = rest > 0 ? lines_there(at) : 0;
    T const* const line = lines.line(at.line) + column;
    there == at_once ? load_lines<true>(line, there, rest, loaded.word)
                     : load_lines<false>(line, there, rest, loaded.word);
    load_entries(at, first_vector, thread, loaded.entry);
  }
  template <bool AreAllThere>
  KOKKOS_FORCEINLINE_FUNCTION void load_lines(T const* line, int there, int rest,
                                              Word<T>* rA) const {
    static_for<at_once>([&](auto r) {
      T const* const from = line + r() * lines.leading;
      bool const is_there = AreAllThere || r() < there;
      rA[r()] = Word<T>{};
      if constexpr (Spacing == 1) {
        if (is_there) rA[r()] = load_whole<Warp>(from, Once{});
      } else {
        static_for<word_width<T>>([&](auto e) {
          if (is_there && e() * Spacing < rest) {
            rA[r()].e[e()] = load_scalar<Warp>(from + e() * Spacing, Once{});
          }
        });
      }
    });
  }
  /// Entries outside the matrix and the block are +0.
  KOKKOS_FORCEINLINE_FUNCTION void load_entries(LinesOfPanels const& at, int first_vector,
                                                int thread, T* rY) const {
    int const r = thread % at_once;
    int const vector = first_vector + thread / at_once;
    bool const is_there = r < lines_there(at);
    T const* const from = y.data + vector * y.pitch + at.line + r;
    static_for<entries>([&](auto i) {
      constexpr int c = i() * (Threads / at_once);
      rY[i()] = T(0);
      if (is_there && vector + c < plan.columns) {
        rY[i()] = Warp::load_constant(from + c * y.pitch);
      }
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(LinesOfPanels const& at, Word<T> const* rA, T const* sRows,
                                       PerLine<Word<T>, Columns>& sum) const {
    int const there = lines_there(at);
    static_for<at_once>([&](auto r) {
      if (r() >= there) return;
      static_for<Columns / word_width<T>>([&](auto k) {
        constexpr int c = k() * word_width<T>;
        auto const factor = *reinterpret_cast<Word<T> const*>(sRows + r() * row + c);
        static_for<word_width<T>>(
            [&](auto e) { multiply_add(factor.e[e()], rA[r()], sum[c + e()]); });
      });
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_panels_side_by_side(PerLine<Word<T>, Columns>& sum) const {
    static_for<log2_of<warp_threads / Threads>>([&](auto level) {
      static_for<Columns>([&](auto c) {
        static_for<word_width<T>>([&](auto e) {
          T& value = sum[c()].e[e()];
          value += Warp::shuffle_xor(value, Threads << level());
        });
      });
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(Index group, int first_vector, Index column, int rest,
                                         PerLine<Word<T>, Columns> const& sum) const {
    static_for<Columns>([&](auto c) {
      int const vector = first_vector + c();
      if (vector >= plan.columns) return;
      T* const partial = partials + (group * plan.columns + vector) * lines.length + column;
      if (Spacing == 1 && plan.groups > 1) {
        if (rest > 0) *reinterpret_cast<Word<T>*>(partial) = sum[c()];
        return;
      }
      static_for<word_width<T>>([&](auto e) {
        constexpr int offset = e() * Spacing;
        if (offset >= rest) return;
        if (plan.groups == 1) {
          out.column(vector).set(column + offset, sum[c()].e[e()] + T(0));
        } else {
          partial[offset] = sum[c()].e[e()];
        }
      });
    });
  }
};

template <class Exec, class T>
void block_sum(Exec const& exec, Label const& label, Lines<T> const& lines, InputVectors<T> y,
               OutputVectors<T> out, T* workspace, BlockSumPlan<Exec, T> const& plan) {
  require_countable_lines(plan.panels);
  using Plan = BlockSumPlan<Exec, T>;
  constexpr int team_size = Plan::team_warps * warp_threads;
  auto* const stacks = reinterpret_cast<Word<T>*>(workspace + plan.partials(lines));
  auto const parts = static_cast<int>(summation::ceil_div(plan.panels.lines, Index{Plan::at_once}));
  auto const of_part = static_cast<int>(summation::ceil_div(plan.panels.lines, Index{parts}));
  auto const run = [&](auto threads, auto spacing, auto kept) {
    constexpr unsigned teams = threads() == 8 ? 2 : Plan::teams_at_once;
    for_each_team<team_size, teams>(
        exec, label, plan.teams(), team_size, scratch_bytes<T>(plan.scratch()),
        BlockSum<Exec, T, threads(), spacing(), kept()>{lines, y, out, workspace, stacks, plan,
                                                        plan.stack_in_memory(), parts, of_part});
  };
  with_static<4, Plan::most_kept>(plan.kept, [&](auto kept) {
    with_static<8, warp_threads>(plan.threads_per_line, [&](auto threads) {
      is_aligned(lines, lines.data) ? run(threads, StaticInt<1>{}, kept)
                                    : run(threads, threads, kept);
    });
  });
  if (plan.groups > 1) {
    combine_groups(exec, label, static_cast<T const*>(workspace), plan.groups,
                   plan.columns * lines.length, out);
  }
}

}  // namespace tessera::detail::gpu
