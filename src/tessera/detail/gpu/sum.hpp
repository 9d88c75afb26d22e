// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/detail/gpu/combine.hpp>
#include <tessera/tuning.hpp>
#include <tessera/workspace.hpp>

namespace tessera::detail::gpu {

/// How a sum over lines is dealt to teams: a thread has a word of columns and a run of panels.
template <class Exec, class T>
struct SumPlan {
  static constexpr int team_size = 256;
  /// Levels of the threads' stacks in scratch: three teams of Turing share 64 KiB.
  static constexpr int most_scratch_levels = 4;

  summation::Panels panels;
  int threads_per_line;  ///< threads side by side in a line: a power of two
  int runs;              ///< threads of a column: team_size / threads_per_line
  Index column_tiles;    ///< teams that share a line
  Index panels_per_run;  ///< panels of a thread: a power of two
  Index panels_per_team;
  Index groups;         ///< teams that share a column
  int lines_in_flight;  ///< that a thread loads before it adds them: 5 to 8
  /// Whether the last team of a tile of columns adds what the tile's teams have made. It spares a
  /// kernel, and pays where no multiprocessor has two teams to let others see what they wrote.
  bool last_team_combines;

  SumPlan(Exec const& exec, Lines<T> const& lines, Tuning const& tuning) : panels(lines.panels()) {
    constexpr Index width = word_width<T>;
    Index const words = ceil_power_of_two(
        summation::ceil_div(std::min(tuning.sum.columns_per_team, lines.length), width));
    threads_per_line = static_cast<int>(std::clamp(words, Index{8}, Index{team_size}));
    runs = team_size / threads_per_line;
    column_tiles = summation::ceil_div(lines.length, threads_per_line * width);
    Index const most = ceil_power_of_two(panels.count);
    panels_per_run =
        std::max(Index{1}, std::min(tuning.sum.panels_per_team, most) / static_cast<Index>(runs));
    panels_per_team = panels_per_run * runs;
    groups = summation::ceil_div(panels.count, panels_per_team);
    // A panel in equal parts: of ten lines, eight and then two would wait as long for less.
    constexpr Index most_lines = 8;
    lines_in_flight = static_cast<int>(
        summation::ceil_div(panels.lines, summation::ceil_div(panels.lines, most_lines)));
    last_team_combines = groups > 1 && teams() <= backends::Backend<Exec>::multiprocessors(exec) &&
                         columns() <= team_size && column_tiles <= Workspace<Exec>::counters;
  }

  /// Scalars of the partial vectors, one a group.
  [[nodiscard]] Index partials(Lines<T> const& lines) const {
    return groups == 1 ? 0 : whole_words<T>(groups * lines.length);
  }
  /// Scalars of workspace: partial vectors and the stacks of all threads.
  [[nodiscard]] Index workspace(Lines<T> const& lines) const {
    return partials(lines) + teams() * levels_in_memory() * team_size * word_width<T>;
  }
  /// Scalars of scratch: a word a thread, and its stack.
  [[nodiscard]] Index scratch() const {
    return Index{1 + levels_in_scratch()} * team_size * word_width<T>;
  }
  [[nodiscard]] int levels_in_scratch() const {
    return std::min(stack_levels(panels_per_run), most_scratch_levels);
  }
  [[nodiscard]] int levels_in_memory() const {
    return stack_levels(panels_per_run) - levels_in_scratch();
  }
  [[nodiscard]] Index teams() const { return groups * column_tiles; }
  /// Columns of a team.
  [[nodiscard]] int columns() const { return threads_per_line * word_width<T>; }
};

/// One thread's word of columns of a sum over lines: neighbours, or, where lines do not start on
/// words, columns with a Spacing, so that as many threads next to each other read neighbours.
template <class Warp, int Spacing, int InFlight, class How, class T>
struct ColumnSum {
  Lines<T> lines;
  T const* y;
  summation::Panels panels;
  Index column;  ///< the thread's first
  int rest;      ///< columns from there on

  /// The first column of the thread number `part` of a line.
  KOKKOS_FORCEINLINE_FUNCTION static int first_column(int part) {
    if constexpr (Spacing == 1) return part * word_width<T>;
    auto const thread = static_cast<unsigned>(part);
    constexpr unsigned width = Spacing;
    return static_cast<int>(thread / width * (width * word_width<T>)+thread % width);
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int offset(int e) { return e * Spacing; }
  KOKKOS_FORCEINLINE_FUNCTION Word<T> load(T const* from, int there) const {
    Word<T> word{};
    if constexpr (Spacing == 1) {
      if (there > 0) word = load_whole<Warp>(from, How{});
    } else {
      static_for<word_width<T>>([&](auto e) {
        if (offset(e()) < there) word.e[e()] = load_scalar<Warp>(from + offset(e()), How{});
      });
    }
    return word;
  }
  /// The tree over `count` panels, a power of two, from `first_panel` on; panels that are not there
  /// count as +0.
  template <class Stack>
  KOKKOS_FORCEINLINE_FUNCTION Word<T> over_panels(Index first_panel, Index count,
                                                  Stack const& stack) const {
    Word<T> sum[1] = {};
    Index const first = first_panel * panels.lines;
    T const* line = lines.line(first) + column;  // the next to load
    T const* factor = y + first;
    Index left = lines.count - first;
    for (int p = 0; p < static_cast<int>(count); ++p) {
      auto left_of_panel = static_cast<int>(Kokkos::max(Index{0}, Kokkos::min(left, panels.lines)));
      left -= panels.lines;
      while (left_of_panel > 0) {
        PerLine<Word<T>, InFlight> rA;
        PerLine<T, InFlight> rY;
        static_for<InFlight>([&](auto r) {
          bool const there = r() < left_of_panel;
          rA[r()] = load(line + r() * lines.leading, there ? rest : 0);
          rY[r()] = there ? Warp::load_constant(factor + r()) : T(0);
        });
        static_for<InFlight>([&](auto r) {
          if (r() < left_of_panel) multiply_add(rY[r()], rA[r()], sum[0]);
        });
        int const done = Kokkos::min(left_of_panel, InFlight);
        line += done * lines.leading;
        factor += done;
        left_of_panel -= InFlight;
      }
      stack.push(sum, p, static_cast<int>(count));
    }
    return sum[0];
  }
};

/// The adjacent-pair tree over `runs` threads that are `spacing` apart in their team, through
/// scratch for a word a thread; the first has it.
template <class Team, class T>
KOKKOS_FORCEINLINE_FUNCTION Word<T> tree_over_runs(Team const& member, Word<T> sum, Word<T>* sSum,
                                                   int runs, int spacing) {
  int const thread = member.team_rank();
  for (int o = 1; o < runs; o *= 2) {
    sSum[thread] = sum;
    member.team_barrier();
    if (thread / spacing % (2 * o) == 0) sum = sum + sSum[thread + o * spacing];
    member.team_barrier();
  }
  return sum;
}

template <class Exec, class T, int Spacing, int InFlight>
struct Sum {
  using Plan = SumPlan<Exec, T>;
  using Columns = ColumnSum<WarpOf<Exec>, Spacing, InFlight, Once, T>;

  Lines<T> lines;
  T const* y;
  OutputVector<T> out;
  T* partials;
  Word<T>* stacks;
  int* arrivals;  ///< of teams, one for each tile of columns
  Plan plan;
  int levels_in_memory;
  int levels_in_scratch;
  CombineVectors<Exec, T, OutputVector<T>> upper;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& member) const {
    int const thread = member.team_rank();
    int const part = thread % plan.threads_per_line;
    int const run = thread / plan.threads_per_line;
    // Divided in 32 bits, which takes a third of a microsecond less.
    auto const tiles = static_cast<int>(plan.column_tiles);
    Index const tile = member.league_rank() % tiles;
    Index const group = member.league_rank() / tiles;
    Index const column = tile * plan.threads_per_line * word_width<T> + Columns::first_column(part);
    Columns const columns{lines, y, plan.panels, column, rest_of_line(lines.length, column)};
    auto* const sSum = reinterpret_cast<Word<T>*>(team_scratch<T>(
        member, 0, (1 + levels_in_scratch) * Plan::team_size * word_width<T>));  // (team_size)
    WordStack<1, T, true> const stack{
        stacks + member.league_rank() * static_cast<Index>(levels_in_memory) * Plan::team_size +
            thread,
        Plan::team_size, sSum + Plan::team_size + thread, levels_in_scratch};
    Word<T> sum = columns.over_panels(group * plan.panels_per_team + run * plan.panels_per_run,
                                      plan.panels_per_run, stack);
    sum = tree_over_runs(member, sum, sSum, plan.runs, plan.threads_per_line);
    if (run == 0) {
      static_for<word_width<T>>([&](auto e) {
        constexpr int offset = Columns::offset(e());
        if (offset >= columns.rest) return;
        if (plan.groups == 1) {
          out.set(column + offset, sum.e[e()] + T(0));
        } else {
          partials[group * lines.length + column + offset] = sum.e[e()];
        }
      });
    }
    if (plan.last_team_combines) combine(member, tile, sSum);
  }

 private:
  /// The tree over the groups, if this team is the last of its tile to arrive. All threads have a
  /// fence: if only those did that have written, ptxas (CUDA 13.0) would take a warp's other
  /// threads past the barriers on their own.
  template <class Team>
  KOKKOS_FUNCTION void combine(Team const& member, Index tile, Word<T>* scratch) const {
    bool const first_thread = member.team_rank() == 0;
    auto* const sLast = reinterpret_cast<int*>(scratch);
    Kokkos::memory_fence();
    member.team_barrier();
    if (first_thread) {
      int const others = static_cast<int>(plan.groups) - 1;
      *sLast = Kokkos::atomic_fetch_add(arrivals + tile, 1) == others ? 1 : 0;
    }
    member.team_barrier();
    bool const is_last = *sLast != 0;
    member.team_barrier();  // the scratch is free again
    if (!is_last) return;
    Kokkos::memory_fence();
    upper.add(member, tile, reinterpret_cast<T*>(scratch));
    if (first_thread) arrivals[tile] = 0;
  }
};

/// out[j] = sum over lines i of y[i] * line_i[j], in the canonical order.
template <class Exec, class T>
void sum(Exec const& exec, std::string const& label, Lines<T> const& lines, T const* y,
         OutputVector<T> out, T* workspace, Meeting<T> const& meeting,
         SumPlan<Exec, T> const& plan) {
  using Plan = SumPlan<Exec, T>;
  auto* const stacks = reinterpret_cast<Word<T>*>(workspace + plan.partials(lines));
  CombineVectors<Exec, T, OutputVector<T>> const upper(workspace, plan.groups, lines.length, out,
                                                       std::min(plan.columns(), Plan::team_size));
  int const columns_apart =
      is_aligned(lines, lines.data) ? 1 : std::min(plan.threads_per_line, warp_threads);
  with_static<1, 8, 16, warp_threads>(columns_apart, [&](auto spacing) {
    with_static<5, 6, 7, 8>(plan.lines_in_flight, [&](auto in_flight) {
      for_each_team<Plan::team_size, 4>(
          exec, label, plan.teams(), Plan::team_size, scratch_bytes<T>(plan.scratch()),
          Sum<Exec, T, spacing(), in_flight()>{lines, y, out, workspace, stacks, meeting.arrivals,
                                               plan, plan.levels_in_memory(),
                                               plan.levels_in_scratch(), upper});
    });
  });
  if (!plan.last_team_combines) {
    combine_groups(exec, label, static_cast<T const*>(workspace), plan.groups, lines.length, out);
  }
}

}  // namespace tessera::detail::gpu
