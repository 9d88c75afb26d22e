// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/backends/gpu/combine.hpp>
#include <tessera/backends/gpu/narrow_words.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/tuning.hpp>

namespace tessera::detail::gpu {

/// A team adds `side_by_side` panels at a time, with a word of columns per thread, so that its
/// lines are close in memory.
template <class T>
struct PanelSteps {
  static constexpr int team_size = 256;
  /// Three teams share 64 KiB of a Turing multiprocessor.
  static constexpr int words_in_scratch = 768;

  int threads_per_line;  ///< a power of two, at least 8
  int side_by_side;
  Index count;
  /// Levels of the stacks, which the threads of a step's first panel own.
  int levels_in_scratch;
  int levels_in_memory;

  PanelSteps(Index columns, Index panels)
      : threads_per_line(static_cast<int>(
            std::clamp(ceil_power_of_two(summation::ceil_div(columns, Index{word_width<T>})),
                       Index{8}, Index{team_size}))),
        side_by_side(team_size / threads_per_line),
        count(std::max(Index{1}, ceil_power_of_two(panels) / side_by_side)),
        levels_in_scratch(std::min(stack_levels(count), words_in_scratch / threads_per_line)),
        levels_in_memory(stack_levels(count) - levels_in_scratch) {}

  [[nodiscard]] int columns() const { return threads_per_line * word_width<T>; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Index panels() const { return count * side_by_side; }
  [[nodiscard]] Index scratch() const {
    return (Index{2} * team_size + Index{levels_in_scratch} * threads_per_line) * word_width<T>;
  }
  [[nodiscard]] Index workspace() const {
    return Index{levels_in_memory} * threads_per_line * word_width<T>;
  }
};

template <class Exec, class T>
struct SumPlan {
  summation::Panels panels;
  PanelSteps<T> steps;
  Index column_tiles;   ///< teams that share a line
  Index groups;         ///< teams that share a column
  int lines_in_flight;  ///< lines loaded before they are added: 5 to 8
  /// The last team of a tile of columns adds the teams' results, which saves a kernel. Pays only if
  /// no multiprocessor has two teams that publish their writes.
  bool last_team_combines;

  SumPlan(Exec const& exec, Lines<T> const& lines, Tuning const& tuning)
      : panels(lines.panels()),
        steps(std::min(std::max(tuning.sum.columns_per_team, fewest_columns(lines)), lines.length),
              std::min(tuning.sum.panels_per_team, panels.count)),
        column_tiles(summation::ceil_div(lines.length, Index{steps.columns()})),
        groups(summation::ceil_div(panels.count, steps.panels())) {
    // Ten lines as eight and two would wait twice for memory.
    constexpr Index most_lines = 8;
    lines_in_flight = static_cast<int>(
        summation::ceil_div(panels.lines, summation::ceil_div(panels.lines, most_lines)));
    last_team_combines = groups > 1 && teams() <= backends::Backend<Exec>::multiprocessors(exec) &&
                         steps.columns() <= PanelSteps<T>::team_size &&
                         column_tiles <= backends::counters<Exec>;
  }

  /// If lines do not start on words, each run costs a sector more: a whole warp per line keeps runs
  /// long.
  static Index fewest_columns(Lines<T> const& lines) {
    return is_aligned(lines, lines.data) ? 0 : Index{warp_threads} * word_width<T>;
  }
  [[nodiscard]] Index partials(auto const& lines) const {
    return groups == 1 ? 0 : whole_words<T>(groups * lines.length);
  }
  [[nodiscard]] Index workspace(Lines<T> const& lines) const {
    return partials(lines) + teams() * steps.workspace();
  }
  [[nodiscard]] Index scratch() const { return steps.scratch(); }
  [[nodiscard]] Index teams() const { return groups * column_tiles; }
};

/// Columns are adjacent, or `Spacing` apart if lines do not start on words.
template <class Warp, int Spacing, int InFlight, class How, class T, class Data = T const*>
struct ColumnSum {
  Lines<T, Data> lines;
  T const* y;
  summation::Panels panels;
  Index column;
  int rest;  ///< columns of the line from `column`

  KOKKOS_FORCEINLINE_FUNCTION static int first_column(int part) {
    if constexpr (Spacing == 1) return part * word_width<T>;
    auto const thread = static_cast<unsigned>(part);
    constexpr unsigned width = Spacing;
    return static_cast<int>(thread / width * (width * word_width<T>)+thread % width);
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int offset(int e) { return e * Spacing; }

  KOKKOS_FORCEINLINE_FUNCTION Word<T> over_panel(Index panel) const {
    Word<T> sum{};
    Index const first = panel * panels.lines;
    Data line = lines.line(first) + column;
    T const* factor = y + first;
    auto left =
        static_cast<int>(Kokkos::max(Index{0}, Kokkos::min(lines.count - first, panels.lines)));
    if (rest <= 0) left = 0;
    while (left > 0) {
      // Without a branch per line, all loads start before the first wait.
      left >= InFlight ? add_lines<true>(line, factor, left, sum)
                       : add_lines<false>(line, factor, left, sum);
      // A compile-time number would be multiplied in advance and occupy registers.
      int const done = Kokkos::min(left, InFlight);
      line = line + done * lines.leading;
      factor += done;
      left -= InFlight;
    }
    return sum;
  }

 private:
  template <bool AreAllThere>
  KOKKOS_FORCEINLINE_FUNCTION void add_lines(Data line, T const* factor, int left,
                                             Word<T>& sum) const {
    PerLine<Stored<Data>, InFlight> rA;
    PerLine<T, InFlight> rY;
    static_for<InFlight>([&](auto r) {
      bool const there = AreAllThere || r() < left;
      rA[r()] = load(line + r() * lines.leading, there);
      rY[r()] = there ? Warp::load_constant(factor + r()) : T(0);
    });
    static_for<InFlight>([&](auto r) {
      if (AreAllThere || r() < left) multiply_add(rY[r()], scalars_of(rA[r()], lines.data), sum);
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION Stored<Data> load(Data from, bool there) const {
    Stored<Data> word{};
    if constexpr (Spacing == 1) {
      if (there) word = load_whole<Warp>(from, How{});
    } else {
      static_for<word_width<T>>([&](auto e) {
        bool const inside = there && offset(e()) < rest;
        if (inside) word.e[e()] = load_scalar<Warp>(from + offset(e()), How{});
      });
    }
    return word;
  }
};

template <int Count, class T>
KOKKOS_FORCEINLINE_FUNCTION Word<T> tree_over_words(Word<T> const* sWords, int apart) {
  if constexpr (Count == 1) {
    return *sWords;
  } else {
    return tree_over_words<Count / 2>(sWords, apart) +
           tree_over_words<Count / 2>(sWords + Count / 2 * apart, apart);
  }
}

/// Adds a step's panels: first within warps, then warps through a word of scratch per thread.
/// Threads of the first panel get the result. Scratch is free after the next barrier.
template <class Warp, class Team, class T>
KOKKOS_FORCEINLINE_FUNCTION Word<T> tree_over_step(Team const& member, PanelSteps<T> const& plan,
                                                   Word<T> sum, Word<T>* sSum) {
  for (int apart = plan.threads_per_line; apart < warp_threads; apart *= 2) {
    Word<T> other;
    static_for<word_width<T>>([&](auto e) { other.e[e()] = Warp::shuffle_xor(sum.e[e()], apart); });
    sum = sum + other;
  }
  int const apart = Kokkos::max(plan.threads_per_line, int{warp_threads});
  int const count = PanelSteps<T>::team_size / apart;
  if (count == 1) return sum;
  int const thread = member.team_rank();
  sSum[thread] = sum;
  member.team_barrier();
  if (thread >= plan.threads_per_line) return sum;
  if (count == 2) return tree_over_words<2>(sSum + thread, apart);
  return count == 4 ? tree_over_words<4>(sSum + thread, apart)
                    : tree_over_words<8>(sSum + thread, apart);
}

/// `scratch`: (2, team_size) words, then stacks. `memory`: the team's workspace.
template <class Warp, class Team, class Columns, class T>
KOKKOS_FORCEINLINE_FUNCTION Word<T> tree_over_panels(Team const& member, PanelSteps<T> const& plan,
                                                     Columns const& columns, Index first,
                                                     Word<T>* scratch, Word<T>* memory) {
  constexpr int team_size = PanelSteps<T>::team_size;
  int const thread = member.team_rank();
  int const panel = thread / plan.threads_per_line;
  int const steps = static_cast<int>(plan.count);
  WordStack<1, T, true> const stack{memory + thread, plan.threads_per_line,
                                    scratch + 2 * team_size + thread, plan.levels_in_scratch};
  PerLine<Word<T>, 1> sum{};
  for (int step = 0; step < steps; ++step) {
    Index const number = first + static_cast<Index>(step) * plan.side_by_side + panel;
    sum[0] = tree_over_step<Warp>(member, plan, columns.over_panel(number),
                                  scratch + step % 2 * team_size);
    if (panel == 0) stack.push(sum, step, steps);
  }
  return sum[0];
}

template <class Exec, class T, int Spacing, int InFlight, class Data = T const*>
struct Sum {
  using Plan = SumPlan<Exec, T>;
  using Columns = ColumnSum<WarpOf<Exec>, Spacing, InFlight, Once, T, Data>;

  Lines<T, Data> lines;
  T const* y;
  OutputVector<T> out;
  T* partials;
  Word<T>* stacks;
  int* arrivals;  ///< arrived teams per tile of columns
  Plan plan;
  Index scratch;
  bool out_on_words;
  bool out_stays;  ///< the result stays in cache for its next reader
  CombineVectors<Exec, T, OutputVector<T>> upper;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& member) const {
    // A 32-bit division is faster.
    auto const tiles = static_cast<int>(plan.column_tiles);
    Index const tile = member.league_rank() % tiles;
    Index const group = member.league_rank() / tiles;
    PanelSteps<T> const& steps = plan.steps;
    Index const column = tile * steps.threads_per_line * word_width<T> +
                         Columns::first_column(member.team_rank() % steps.threads_per_line);
    Columns const columns{lines, y, plan.panels, column, rest_of_line(lines.length, column)};
    auto* const sWords = reinterpret_cast<Word<T>*>(team_scratch<T>(member, 0, scratch));
    Word<T> const sum = tree_over_panels<WarpOf<Exec>>(
        member, steps, columns, group * steps.panels(), sWords,
        stacks + member.league_rank() * static_cast<Index>(steps.levels_in_memory) *
                     steps.threads_per_line);
    if (member.team_rank() < steps.threads_per_line) store(group, columns, sum);
    if (plan.last_team_combines) combine(member, tile, sWords);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void store(Index group, Columns const& columns, Word<T> sum) const {
    bool const is_result = plan.groups == 1;
    if (is_result) {
      static_for<word_width<T>>([&](auto e) { sum.e[e()] = sum.e[e()] + T(0); });
    }
    if constexpr (Spacing == 1) {
      if (!is_result || out_on_words) {
        if (columns.rest <= 0) return;
        T* const to = is_result ? out.data : partials + group * lines.length;
        auto* const word = reinterpret_cast<Word<T>*>(to + columns.column);
        if (!is_result || out_stays) {
          *word = sum;
        } else {
          WarpOf<Exec>::store_bytes_once(word, &sum);
        }
        return;
      }
    }
    static_for<word_width<T>>([&](auto e) {
      constexpr int offset = Columns::offset(e());
      if (offset >= columns.rest) return;
      if (is_result) {
        out.set(columns.column + offset, sum.e[e()]);
      } else {
        partials[group * lines.length + columns.column + offset] = sum.e[e()];
      }
    });
  }
  /// All threads execute the fence: with a fence only in the writing ones, ptxas (CUDA 13.0) lets
  /// others of the warp pass the barriers alone.
  template <class Team>
  KOKKOS_FUNCTION void combine(Team const& member, Index tile, Word<T>* sWords) const {
    bool const first_thread = member.team_rank() == 0;
    auto* const sLast = reinterpret_cast<int*>(sWords);
    Kokkos::memory_fence();
    member.team_barrier();
    if (first_thread) {
      int const others = static_cast<int>(plan.groups) - 1;
      *sLast = Kokkos::atomic_fetch_add(arrivals + tile, 1) == others ? 1 : 0;
    }
    member.team_barrier();
    bool const is_last = *sLast != 0;
    member.team_barrier();
    if (!is_last) return;
    Kokkos::memory_fence();
    upper.add(member, tile, reinterpret_cast<T*>(sWords));
    if (first_thread) arrivals[tile] = 0;
  }
};

/// Narrow lines are aligned.
template <class Exec, class T, class Data>
void sum(Exec const& exec, Label const& label, Lines<T, Data> const& lines, T const* y,
         OutputVector<T> out, T* workspace, Meeting<T> const& meeting,
         SumPlan<Exec, T> const& plan) {
  require_countable_lines(plan.panels);
  constexpr int team_size = PanelSteps<T>::team_size;
  auto* const stacks = reinterpret_cast<Word<T>*>(workspace + plan.partials(lines));
  CombineVectors<Exec, T, OutputVector<T>> const upper(workspace, plan.groups, lines.length, out,
                                                       std::min(plan.steps.columns(), team_size));
  bool const out_on_words = out.stride == 1 && on_word(out.data);
  bool const out_stays =
      backends::Backend<Exec>::stays_in_cache(exec, lines.length * static_cast<Index>(sizeof(T)));
  auto const run = [&](auto spacing) {
    with_static<5, 6, 7, 8>(plan.lines_in_flight, [&](auto in_flight) {
      for_each_team<team_size, 4>(
          exec, label, plan.teams(), team_size, scratch_bytes<T>(plan.scratch()),
          Sum<Exec, T, spacing(), in_flight(), Data>{lines, y, out, workspace, stacks,
                                                     meeting.arrivals, plan, plan.scratch(),
                                                     out_on_words, out_stays, upper});
    });
  };
  if constexpr (is_narrow<Data>) {
    run(StaticInt<1>{});
  } else {
    int const columns_apart =
        is_aligned(lines) ? 1 : std::min(plan.steps.threads_per_line, warp_threads);
    with_static<1, 8, 16, warp_threads>(columns_apart, run);
  }
  if (!plan.last_team_combines) {
    combine_groups(exec, label, static_cast<T const*>(workspace), plan.groups, lines.length, out);
  }
}

}  // namespace tessera::detail::gpu
