// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backend.hpp>
#include <tessera/backends/gpu/combine.hpp>
#include <tessera/backends/gpu/narrow_words.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/tuning.hpp>

namespace tessera::detail::gpu {

template <class Exec, class T>
struct DotPlan {
  static constexpr int team_size = 256;
  static constexpr int warps = team_size / warp_threads;

  bool is_short;       ///< lines have at most two segments
  int words;           ///< words of a segment per thread: 1, 2 or all
  int lines_per_step;  ///< lines that a warp or sixteen threads compute at a time
  Index lines_per_team;
  Index line_blocks;
  Index spans_per_run;  ///< spans of a line that a warp adds up
  Index runs;           ///< per line
  /// Loads fetch 256 bytes at once, which also serves the adjacent line if lines begin inside. Does
  /// not pay for few lines in runs.
  bool in_blocks;

  DotPlan(Exec const& exec, Lines<T> const& lines, Tuning const& tuning,
          int element_bytes = sizeof(T))
      : is_short(lines.length <= span<T>),
        words(words_of_segment<T>(lines.length)),
        lines_per_step(element_bytes == sizeof(T) ? step_of(tuning.dot.lines_per_step)
                                                  : narrow_lines_per_step(element_bytes)) {
    Index const spans = summation::ceil_div(lines.length, span<T>);
    Index const most = WarpTree<WarpOf<Exec>, T>::max_values;
    Index const wanted = tuning.dot.segments_per_run == 0
                             ? most
                             : std::max(Index{1}, tuning.dot.segments_per_run / 2);
    Index const fewest = ceil_power_of_two(summation::ceil_div(spans, Index{warp_threads} * most));
    spans_per_run = std::max(std::min(wanted, most), fewest);
    runs = summation::ceil_div(spans, spans_per_run);
    if (spans_per_run > most) {
      throw std::invalid_argument("tessera: a GPU takes lines of at most 2^46 bytes, found " +
                                  std::to_string(lines.length * Index{sizeof(T)}));
    }
    Index const workers = lines.length <= summation::segment<T> ? 2 * warps : runs > 1 ? 1 : warps;
    Index const side_by_side = workers * lines_per_step;
    Index const wanted_lines = std::min(tuning.dot.lines_per_team, lines.count);
    lines_per_team = summation::ceil_div(wanted_lines, side_by_side) * side_by_side;
    line_blocks = summation::ceil_div(lines.count, lines_per_team);
    in_blocks = (runs == 1 || lines.count >= 128) && backends::Backend<Exec>::fetches_blocks(exec);
  }

  /// As many as registers hold, for bytes in flight.
  static constexpr int narrow_lines_per_step(int element_bytes) {
    return element_bytes == 1 ? 3 : 2;
  }

  [[nodiscard]] Index workspace(Lines<T> const& lines) const {
    return runs == 1 ? 0 : lines.count * runs;
  }
  [[nodiscard]] Index run_blocks() const {
    return runs == 1 ? 1 : summation::ceil_div(runs, warps);
  }
  [[nodiscard]] Index teams() const { return line_blocks * run_blocks(); }

 private:
  [[nodiscard]] int step_of(int lines) const {
    if (!is_short) return std::min(lines, 2);
    int const most = most_short_lines(words);
    return lines >= most ? most : most / 2;
  }
};

template <class Exec, class T, bool Aligned, int Threads, int Words, int Rows>
struct DotShort {
  using Warp = WarpOf<Exec>;
  Lines<T> lines;
  T const* x;
  OutputVector<T> out;
  Index lines_per_team;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& member) const {
    Place const place = Place::of(member);
    int const worker = place.thread / Threads;
    int const thread = place.thread % Threads;
    constexpr int workers = DotPlan<Exec, T>::team_size / Threads;
    int const column = (Threads == warp_threads ? place.half * summation::segment<T> : 0) +
                       thread_offset<T, Aligned>(place.part);
    int const rest = rest_of_line(lines.length, column);
    PerLine<Word<T>, Words> rX;
    load_words<Warp, Aligned, Words>(rX, x + column, rest, Constant{});
    Index const first = member.league_rank() * lines_per_team;
    Index const last = Kokkos::min(lines.count, first + lines_per_team);
    for (Index block = first; block < last; block += workers * Rows) {
      Index const line = block + worker * Rows;
      PerLine<PerLine<Word<T>, Words>, Rows> rA;
      static_for<Rows>([&](auto r) {
        Index const i = line + r();
        load_words<Warp, Aligned, Words>(rA[r()], lines.line(i) + column, i < last ? rest : 0,
                                         Once{});
      });
      T own = T(0);  // result that this thread writes; together they write whole sectors
      static_for<Rows>([&](auto r) {
        T sum = segment_dot<Warp, Aligned, Words>(rA[r()], rX, place.part);
        if constexpr (Threads == warp_threads) sum += Warp::shuffle_xor(sum, segment_threads);
        if (thread == r()) own = sum + T(0);
      });
      if (thread < Rows && line + thread < last) out.set(line + thread, own);
    }
  }
};

/// A warp computes Rows lines at a time, or a run of each. `How`: see `DotPlan::in_blocks`.
template <class Exec, class T, bool Aligned, int Rows, class How, class Data = T const*>
struct DotLong {
  using Warp = WarpOf<Exec>;
  static constexpr int words = segment_words;
  static constexpr int ahead = Rows == 1 || is_narrow<Data> ? 2 : 1;
  Lines<T, Data> lines;
  T const* x;
  OutputVector<T> out;
  Index lines_per_team;
  Index line_blocks;
  Index spans_per_run;
  Index runs;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& member) const {
    Place const place = Place::of(member);
    constexpr int warps = DotPlan<Exec, T>::warps;
    bool const whole = runs == 1;
    Index const block = member.league_rank() % line_blocks;
    Index const run = whole ? 0 : member.league_rank() / line_blocks * warps + place.warp;
    Index const step = whole ? warps * Rows : Rows;
    Index const first = block * lines_per_team + (whole ? place.warp * Rows : 0);
    Index const last = Kokkos::min(lines.count, (block + 1) * lines_per_team);
    Index const begin = run * spans_per_run * span<T>;
    Index const end = Kokkos::min(lines.length, begin + spans_per_run * span<T>);
    if (begin >= end) return;
    Index const column = place.half * summation::segment<T> + thread_offset<T, Aligned>(place.part);
    for (Index i = first; i < last; i += step) {
      PerLine<WarpTree<Warp, T>, Rows> tree;
      static_for<Rows>([&](auto r) { tree[r()] = WarpTree<Warp, T>(place.lane); });
      for (Index j = begin; j < end; j += ahead * span<T>) {
        PerLine<PerLine<Word<T>, words>, ahead> rX;
        PerLine<PerLine<PerLine<Stored<Data>, words>, ahead>, Rows> rA;
        static_for<ahead>([&](auto c) {
          Index const at = j + c() * span<T> + column;
          int const rest = rest_of_line(end, at);
          static_for<Rows>([&](auto r) {
            load_words<Warp, Aligned, words>(rA[r()][c()], lines.line(i + r()) + at,
                                             i + r() < last ? rest : 0, How{});
          });
          load_vector<Warp, Aligned, words, Data>(rX[c()], x + at, rest);
        });
        static_for<ahead>([&](auto c) {
          static_for<Rows>([&](auto r) {
            Word<T> chains{};
            static_for<words>([&](auto k) {
              multiply_add(scalars_of(rA[r()][c()][k()], lines.data), rX[c()][k()], chains);
            });
            T sum = tree_over_lanes<Warp, Aligned>(chains, place.part);
            sum += Warp::shuffle_xor(sum, segment_threads);
            tree[r()].push(sum);
          });
        });
      }
      static_for<Rows>([&](auto r) {
        T const sum = tree[r()].sum() + T(0);
        if (place.lane == 0 && i + r() < last) out.set((i + r()) * runs + run, sum);
      });
    }
  }
};

template <bool Aligned, class Exec, class T>
void dot_short(Exec const& exec, std::string const& label, Lines<T> const& lines, T const* x,
               OutputVector<T> out, DotPlan<Exec, T> const& plan) {
  using Plan = DotPlan<Exec, T>;
  auto const run = [&](auto threads, auto words, auto rows) {
    for_each_team<Plan::team_size, 2>(
        exec, label, plan.line_blocks, Plan::team_size, 0,
        DotShort<Exec, T, Aligned, threads(), words(), rows()>{lines, x, out, plan.lines_per_team});
  };
  auto const with_rows = [&](auto threads, auto words) {
    constexpr int most = most_short_lines(words());
    with_static<most, most / 2>(plan.lines_per_step, [&](auto rows) { run(threads, words, rows); });
  };
  if (lines.length > summation::segment<T>) {
    return with_rows(StaticInt<warp_threads>{}, StaticInt<segment_words>{});
  }
  with_words(plan.words, [&](auto words) { with_rows(StaticInt<segment_threads>{}, words); });
}

template <bool Aligned, class Exec, class T>
void dot_long(Exec const& exec, std::string const& label, Lines<T> const& lines, T const* x,
              OutputVector<T> out, DotPlan<Exec, T> const& plan) {
  using Plan = DotPlan<Exec, T>;
  auto const run = [&]<class How>(auto rows, How) {
    for_each_team<Plan::team_size, 2>(
        exec, label, plan.teams(), Plan::team_size, 0,
        DotLong<Exec, T, Aligned, rows(), How>{lines, x, out, plan.lines_per_team, plan.line_blocks,
                                               plan.spans_per_run, plan.runs});
  };
  with_static<1, 2>(plan.lines_per_step, [&](auto rows) {
    if constexpr (Aligned && WarpOf<Exec>::has_block_loads) {  // scalars always fetch their blocks
      if (!plan.in_blocks) return run(rows, Once{});
    }
    run(rows, OnceInBlock{});
  });
}

template <class Exec, class T>
void dot(Exec const& exec, Label const& label, Lines<T> const& lines, T const* x,
         OutputVector<T> out, T* workspace, DotPlan<Exec, T> const& plan) {
  OutputVector<T> const target = plan.runs == 1 ? out : OutputVector<T>{workspace, 1};
  with_alignment(is_aligned(lines, x), [&](auto aligned) {
    if (plan.is_short) {
      dot_short<aligned()>(exec, label, lines, x, target, plan);
    } else {
      dot_long<aligned()>(exec, label, lines, x, target, plan);
    }
  });
  if (plan.runs > 1) {
    gpu::combine_runs(exec, label.combine, workspace, lines.count, plan.runs, out);
  }
}

}  // namespace tessera::detail::gpu
