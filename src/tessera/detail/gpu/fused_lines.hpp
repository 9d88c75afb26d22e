// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/detail/gpu/combine.hpp>
#include <tessera/tuning.hpp>

/// Fused ATAX of row-major lines: y[i] = dot product of line i and x; out[j] = sum over i of
/// y[i] * line_i[j].
namespace tessera::detail::gpu {

/// How the panels are dealt to teams, and which of three ways suits the length of a line.
template <class Exec, class T>
struct FusedLinesPlan {
  enum class Way {
    sixteen,    ///< one segment: sixteen threads a panel, the line in registers
    warp,       ///< two segments: a warp a panel
    registers,  ///< a team a panel, a line in its registers
    cache,      ///< a team a panel, a line from the caches the second time
  };
  static constexpr int small_team = 128;    ///< threads where several panels share a team
  static constexpr int largest_team = 512;  ///< threads where a panel has the team

  summation::Panels panels;
  Way way;
  int chunks_per_warp;  ///< of a line: 1 or 2 in registers
  int team_size;
  int workers;              ///< panels that a team handles side by side
  Index panels_per_worker;  ///< a power of two
  Index panels_per_team;
  Index groups;

  FusedLinesPlan(Exec const&, Lines<T> const& lines, Tuning const& tuning)
      : panels(summation::panels(lines.count, lines.length)) {
    Index const chunks = summation::ceil_div(lines.length, chunk<T>);
    constexpr Index most_warps = largest_team / warp_threads;
    way = lines.length <= summation::segment<T> ? Way::sixteen
          : chunks == 1                         ? Way::warp
          : chunks <= 2 * most_warps            ? Way::registers
                                                : Way::cache;
    chunks_per_warp = chunks <= most_warps ? 1 : 2;
    switch (way) {
      case Way::sixteen:
        team_size = small_team;
        workers = small_team / segment_threads;
        break;
      case Way::warp:
        team_size = small_team;
        workers = small_team / warp_threads;
        break;
      case Way::registers:
        team_size = warp_threads * static_cast<int>(summation::ceil_div(chunks, chunks_per_warp));
        workers = 1;
        break;
      case Way::cache:
        team_size = largest_team;
        workers = 1;
        break;
    }
    Index const most = ceil_power_of_two(panels.count);
    panels_per_worker = std::max(
        Index{1}, std::min(tuning.fused_lines.panels_per_team, most) / static_cast<Index>(workers));
    panels_per_team = panels_per_worker * workers;
    groups = summation::ceil_div(panels.count, panels_per_team);
  }

  /// Words of a line that a thread keeps.
  [[nodiscard]] int words(Lines<T> const& lines) const {
    switch (way) {
      case Way::sixteen:
        return lines.length <= summation::lanes<T>       ? 1
               : lines.length <= 2 * summation::lanes<T> ? 2
                                                         : segment_words;
      case Way::warp:
        return segment_words;
      case Way::registers:
        return segment_words * chunks_per_warp;
      case Way::cache:
        break;
    }
    return 0;
  }
  [[nodiscard]] int levels() const { return stack_levels(panels_per_worker); }
  /// Scalars of the partial vectors, one a group.
  [[nodiscard]] Index partials(Lines<T> const& lines) const {
    if (groups == 1 && way != Way::cache) return 0;
    return summation::ceil_div(groups * lines.length, word_width<T>) * word_width<T>;
  }
  /// Scalars of workspace: partial vectors and the stacks of all teams.
  [[nodiscard]] Index workspace(Lines<T> const& lines) const {
    Index const level = way == Way::cache
                            ? lines.length
                            : static_cast<Index>(words(lines)) * team_size * word_width<T>;
    return partials(lines) + groups * levels() * level;
  }
  [[nodiscard]] Index scratch(Lines<T> const& lines) const {
    if (way == Way::sixteen || way == Way::warp) return workers * lines.length;
    return 2 * 2 * warp_threads;  // (buffers, lines a step, warps)
  }
};

/// What the kernels share.
template <class Exec, class T>
struct FusedArguments {
  Lines<T> lines;
  T const* x;
  OutputVector<T> y;
  OutputVector<T> out;
  T* partials;
  Word<T>* stacks;
  summation::Panels panels;
  Index panels_per_worker;
  Index groups;
  int levels;
  Index scratch;
};

/// Short lines: `Threads` threads a panel, Words words of each line a thread, Rows lines a step.
template <class Exec, class T, bool Aligned, int Threads, int Words, int Rows>
struct FusedShort {
  using Warp = WarpOf<Exec>;
  static constexpr int team_size = FusedLinesPlan<Exec, T>::small_team;
  static constexpr int workers = team_size / Threads;
  FusedArguments<Exec, T> a;

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member) const {
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
    Index const panel_lines = a.panels.lines;
    PerLine<Word<T>, Words> rC = {};
    PerLine<PerLine<Word<T>, Words>, Rows> now;
    PerLine<PerLine<Word<T>, Words>, Rows> next;
    // All workers take the same steps, whether they have lines left or not: they exchange.
    Index p = 0;
    Index t = 0;
    auto const load = [&](PerLine<PerLine<Word<T>, Words>, Rows>& rA, Index panel, Index from) {
      Index const first = (first_panel + panel) * panel_lines;
      Index const last =
          panel < a.panels_per_worker ? Kokkos::min(a.lines.count, first + panel_lines) : Index{0};
      static_for<Rows>([&](auto r) {
        Index const i = first + from + r();
        load_words<Warp, Aligned, Words>(rA[r()], a.lines.line(i) + column, i < last ? rest : 0,
                                         Once{});
      });
    };
    auto const use = [&](PerLine<PerLine<Word<T>, Words>, Rows>& rA) {
      Index const first = (first_panel + p) * panel_lines;
      Index const last = Kokkos::min(a.lines.count, first + panel_lines);
      static_for<Rows>([&](auto r) {
        T value = segment_dot<Warp, Aligned, Words>(rA[r()], rX, place.part);
        if constexpr (Threads == warp_threads) value += Warp::shuffle_xor(value, segment_threads);
        value += T(0);
        Index const i = first + t + r();
        if (i < last) {
          if (place.thread % Threads == 0) a.y.set(i, value);
          static_for<Words>([&](auto k) { multiply_add(value, rA[r()][k()], rC[k()]); });
        }
      });
      t += Rows;
      if (t < panel_lines) return;
      stack.push(rC, static_cast<int>(p), static_cast<int>(a.panels_per_worker));
      t = 0;
      ++p;
    };
    auto const load_next = [&](PerLine<PerLine<Word<T>, Words>, Rows>& rA) {
      bool const ends = t + Rows >= panel_lines;
      load(rA, ends ? p + 1 : p, ends ? Index{0} : t + Rows);
    };
    load(now, 0, 0);
    while (p < a.panels_per_worker) {
      load_next(next);
      use(now);
      if (p == a.panels_per_worker) break;
      load_next(now);
      use(next);
    }

    T* const sC = team_scratch<T>(member, 0, a.scratch);  // (workers, length)
    static_for<Words>([&](auto k) {
      store_word<false || Aligned>(sC + worker * length + column, k() * summation::lanes<T>, rest,
                                   rC[k()]);
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

/// A line in the registers of a team: Chunks chunks a warp, Rows lines a step.
template <class Exec, class T, bool Aligned, int Chunks, int Rows>
struct FusedRegisters {
  using Warp = WarpOf<Exec>;
  static constexpr int words = Chunks * segment_words;
  static constexpr bool keeps_x = Chunks == 1;
  FusedArguments<Exec, T> a;

  struct Line {
    PerLine<Word<T>, words> word;
  };

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member) const {
    Place const place = Place::of(member);
    int const team_size = member.team_size();
    int const warps = team_size / warp_threads;
    int const tree_warps = 1 << (32 - Kokkos::countl_zero(static_cast<unsigned>(warps - 1)));
    Index const length = a.lines.length;
    Index const column =
        (static_cast<Index>(place.warp) * Chunks * 2 + place.half) * summation::segment<T> +
        thread_offset<T, Aligned>(place.part);
    int const rest = rest_of_line(length, column);
    T* const sDot = team_scratch<T>(member, 0, a.scratch);  // (2, Rows, warp_threads)
    for (Index t = place.thread; t < a.scratch; t += team_size) sDot[t] = T(0);
    member.team_barrier();

    auto const load = [&](Line& line, T const* from, int line_rest, auto how) {
      static_for<Chunks>([&](auto c) {
        constexpr int begin = c() * chunk<T>;
        load_words<Warp, Aligned, segment_words>(line.word + c() * segment_words, from + begin,
                                                 line_rest - begin, how);
      });
    };
    Line rX;
    if constexpr (keeps_x) load(rX, a.x + column, rest, Constant{});
    WordStack<words, T> const stack{
        a.stacks + member.league_rank() * static_cast<Index>(a.levels) * words * team_size +
            place.thread,
        team_size};

    // 32-bit counters of lines, which leave registers to the lines themselves.
    Index const group = member.league_rank();
    int const panel_lines = static_cast<int>(a.panels.lines);
    Index const first = group * a.panels_per_worker * panel_lines;
    Index const last = Kokkos::min(a.lines.count, first + a.panels_per_worker * panel_lines);
    int left = static_cast<int>(last - first);           // lines of the group
    int left_of_panel = Kokkos::min(panel_lines, left);  // of the panel
    int const panels = (left + panel_lines - 1) / panel_lines;
    int panel = 0;
    int to_load = left;
    int to_load_of_panel = left_of_panel;
    T const* line = a.lines.line(first) + column;  // the next to load
    int buffer = 0;

    Line rC{};
    PerLine<Line, Rows> now;
    PerLine<Line, Rows> next;
    auto const load_lines = [&](PerLine<Line, Rows>& rA) {
      static_for<Rows>([&](auto r) {
        load(rA[r()], line + r() * a.lines.leading, r() < to_load_of_panel ? rest : 0, Once{});
      });
      int const taken = Kokkos::min(Rows, to_load_of_panel);
      line += taken * a.lines.leading;
      to_load -= taken;
      to_load_of_panel -= taken;
      if (to_load_of_panel == 0) to_load_of_panel = Kokkos::min(panel_lines, to_load);
    };
    auto const use = [&](PerLine<Line, Rows>& rA) {
      T* const sums = sDot + buffer * Rows * warp_threads;
      buffer ^= 1;
      static_for<Rows>([&](auto r) {
        T value = T(0);
        static_for<Chunks>([&](auto c) {
          Word<T> lanes{};
          static_for<segment_words>([&](auto k) {
            constexpr int word = c() * segment_words + k();
            constexpr int offset = c() * chunk<T> + k() * summation::lanes<T>;
            if constexpr (keeps_x) {
              multiply_add(rA[r()].word[word], rX.word[word], lanes);
            } else {
              multiply_add(rA[r()].word[word],
                           load_word<Warp, Aligned>(a.x + column, offset, rest, Constant{}), lanes);
            }
          });
          T segments = tree_over_lanes<Warp, Aligned>(lanes, place.part);
          segments += Warp::shuffle_xor(segments, segment_threads);
          value = c() == 0 ? segments : value + segments;
        });
        if (place.lane == 0) sums[r() * warp_threads + place.warp] = value;
      });
      member.team_barrier();
      static_for<Rows>([&](auto r) {
        T value = sums[r() * warp_threads + (place.lane & (tree_warps - 1))];
        value = tree_over_threads<Warp>(value, tree_warps) + T(0);
        if (r() < left_of_panel) {
          if (place.thread == 0) a.y.set(last - left + r(), value);
          static_for<words>([&](auto k) { multiply_add(value, rA[r()].word[k()], rC.word[k()]); });
        }
      });
      int const taken = Kokkos::min(Rows, left_of_panel);
      left -= taken;
      left_of_panel -= taken;
      if (left_of_panel > 0) return;
      stack.push(rC.word, panel++, panels);
      left_of_panel = Kokkos::min(panel_lines, left);
    };
    load_lines(now);
    while (left > 0) {
      load_lines(next);
      use(now);
      if (left == 0) break;
      load_lines(now);
      use(next);
    }
    static_for<Chunks>([&](auto c) {
      static_for<segment_words>([&](auto k) {
        store_partial<Aligned>(a.partials + group * length, a.groups == 1, a.out, column,
                               c() * chunk<T> + k() * summation::lanes<T>, rest,
                               rC.word[c() * segment_words + k()]);
      });
    });
  }
};

/// Lines longer than registers hold: read again, from the caches, for the sum.
template <class Exec, class T, bool Aligned, int Rows>
struct FusedCache {
  using Warp = WarpOf<Exec>;
  FusedArguments<Exec, T> a;

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member) const {
    Place const place = Place::of(member);
    int const team_size = member.team_size();
    int const warps = team_size / warp_threads;
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
    // A warp's run of chunks: a power of two, so that it is a subtree.
    Index const chunks = summation::ceil_div(length, chunk<T>);
    Index run = 1;
    while (run * warps < chunks) run *= 2;
    Index const begin = Kokkos::min(length, place.warp * run * chunk<T>);
    Index const end = Kokkos::min(length, begin + run * chunk<T>);
    Index const column = place.half * summation::segment<T> + thread_offset<T, Aligned>(place.part);
    int buffer = 0;
    for (Index p = 0; p < panels; ++p) {
      Index const first = (first_panel + p) * panel_lines;
      Index const last = Kokkos::min(a.lines.count, first + panel_lines);
      T* const target = stack.level(VectorStack<T>::level_of(p));
      for (Index i = first; i < last; i += Rows) {
        PerLine<WarpTree<Warp, T>, Rows> tree;
        static_for<Rows>([&](auto r) { tree[r()] = WarpTree<Warp, T>(place.lane); });
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
          factor[r()] =
              tree_over_threads<Warp, warp_threads>(sums[r() * warp_threads + place.lane]) + T(0);
          if (place.thread == 0 && i + r() < last) a.y.set(i + r(), factor[r()]);
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
    if (a.groups > 1) return;
    for (Index j = begin; j < end; j += chunk<T>) {
      int const rest = rest_of_line(end, j + column);
      static_for<segment_words>([&](auto k) {
        Word<T> const word = load_word<Warp, Aligned>(static_cast<T const*>(bottom) + j + column,
                                                      k() * summation::lanes<T>, rest, Cached{});
        store_partial<Aligned>(bottom, true, a.out, j + column, k() * summation::lanes<T>, rest,
                               word);
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

template <bool Aligned, class Exec, class T>
void fused_lines(Exec const& exec, std::string const& label, FusedArguments<Exec, T> const& a,
                 FusedLinesPlan<Exec, T> const& plan) {
  using Plan = FusedLinesPlan<Exec, T>;
  std::size_t const scratch = scratch_bytes<T>(a.scratch);
  switch (plan.way) {
    case Plan::Way::sixteen:
      switch (plan.words(a.lines)) {
        case 1:
          return gpu::for_each_team<Plan::small_team, 4>(
              exec, label, plan.groups, plan.team_size, scratch,
              FusedShort<Exec, T, Aligned, segment_threads, 1, 8>{a});
        case 2:
          return gpu::for_each_team<Plan::small_team, 4>(
              exec, label, plan.groups, plan.team_size, scratch,
              FusedShort<Exec, T, Aligned, segment_threads, 2, 4>{a});
        default:
          return gpu::for_each_team<Plan::small_team, 4>(
              exec, label, plan.groups, plan.team_size, scratch,
              FusedShort<Exec, T, Aligned, segment_threads, segment_words, 2>{a});
      }
    case Plan::Way::warp:
      return gpu::for_each_team<Plan::small_team, 4>(
          exec, label, plan.groups, plan.team_size, scratch,
          FusedShort<Exec, T, Aligned, warp_threads, segment_words, 2>{a});
    case Plan::Way::registers:
      if (plan.chunks_per_warp == 2) {
        return gpu::for_each_team<Plan::largest_team, 1>(exec, label, plan.groups, plan.team_size,
                                                         scratch,
                                                         FusedRegisters<Exec, T, Aligned, 2, 1>{a});
      }
      if (plan.team_size <= Plan::largest_team / 2) {
        return gpu::for_each_team<Plan::largest_team / 2, 2>(
            exec, label, plan.groups, plan.team_size, scratch,
            FusedRegisters<Exec, T, Aligned, 1, 2>{a});
      }
      return gpu::for_each_team<Plan::largest_team, 1>(exec, label, plan.groups, plan.team_size,
                                                       scratch,
                                                       FusedRegisters<Exec, T, Aligned, 1, 2>{a});
    case Plan::Way::cache:
      return gpu::for_each_team<Plan::largest_team, 1>(exec, label, plan.groups, plan.team_size,
                                                       scratch, FusedCache<Exec, T, Aligned, 2>{a});
  }
}

/// y[i] = dot product of line i and x; out[j] = sum over i of y[i] * line_i[j].
template <class Exec, class T>
void fused_lines(Exec const& exec, std::string const& label, Lines<T> const& lines, T const* x,
                 OutputVector<T> y, OutputVector<T> out, T* workspace, int*,
                 FusedLinesPlan<Exec, T> const& plan) {
  auto* const stacks = reinterpret_cast<Word<T>*>(workspace + plan.partials(lines));
  FusedArguments<Exec, T> const arguments{lines,
                                          x,
                                          y,
                                          out,
                                          workspace,
                                          stacks,
                                          plan.panels,
                                          plan.panels_per_worker,
                                          plan.groups,
                                          plan.levels(),
                                          plan.scratch(lines)};
  if (is_aligned(lines, x)) {
    fused_lines<true>(exec, label, arguments, plan);
  } else {
    fused_lines<false>(exec, label, arguments, plan);
  }
  if (plan.groups > 1) {
    gpu::combine_vectors(exec, label + "::combine", static_cast<T const*>(workspace), plan.groups,
                         lines.length, out);
  }
}

}  // namespace tessera::detail::gpu
