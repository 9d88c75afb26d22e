// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backend.hpp>
#include <tessera/backends/gpu/combine.hpp>
#include <tessera/backends/gpu/teams.hpp>
#include <tessera/backends/gpu/trees.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/order/blocks.hpp>
#include <tessera/order/powers.hpp>
#include <tessera/tuning.hpp>

/// Dot products of lines and a block of vectors. Threads keep elements of some vectors in
/// registers; lines pass through scratch.
namespace tessera::detail::gpu {

/// A thread keeps 4 vectors, or this number.
inline constexpr int most_vectors_kept = 8;

/// A warp owns a span of a line for some vectors. Adjacent warps own the span's other vectors, then
/// other spans.
template <class Exec, class T>
struct BlockDotPlan {
  static constexpr int most_warps = 8;
  static constexpr int most_steps = 4;
  static constexpr int most_columns = 32;

  int columns;    ///< vectors in the block
  int kept;       ///< vectors per warp: 4 or most_vectors_kept
  int rows;       ///< lines, or pairs of short lines, that a warp computes at a time
  bool is_short;  ///< lines have at most one segment; a warp computes two
  bool on_words;  ///< all lines start and end on words
  int words;      ///< words of a segment per thread: 1 or all
  int groups;     ///< warps that share a span
  int spans;      ///< spans of each line at a time: a power of two
  int sets;       ///< sets of lines at a time
  int places;     ///< steps that scratch holds
  Index runs;     ///< runs of `spans` spans per line
  Index lines_per_team;
  Index line_blocks;

  BlockDotPlan(Exec const& exec, Lines<T> const& lines, Tuning const& tuning, SomeColumns of_block)
      : columns(of_block.count()),
        kept(columns <= 4 ? 4 : most_vectors_kept),
        rows(!WarpOf<Exec>::has_large_scratch ? 2
             : columns <= most_vectors_kept   ? 4  // more warps have scratch
                                              : 8),
        is_short(lines.length <= summation::segment<T>),
        on_words(is_aligned(lines)),
        words(lines.length <= summation::lanes<T> ? 1 : segment_words),
        groups((columns + kept - 1) / kept) {
    Index const of_line = summation::ceil_div(lines.length, span<T>);
    Index const wanted =
        tuning.dot.segments_per_run == 0 ? Index{most_warps} : tuning.dot.segments_per_run / 2;
    std::size_t const most = backends::Backend<Exec>::most_scratch(exec);
    for (int warps = most_warps;; warps /= 2) {
      auto const bundles = static_cast<int>(floor_power_of_two(warps / groups));
      spans = static_cast<int>(
          std::min({floor_power_of_two(wanted), ceil_power_of_two(of_line), Index{bundles}}));
      sets = bundles / spans;
      places = most_steps;
      while (places > 2 && scratch_bytes<T>(scratch()) > most) --places;
      if (warps / 2 < groups || scratch_bytes<T>(scratch()) <= most) break;
    }
    runs = summation::ceil_div(of_line, Index{spans});
    Index const lines_wanted = std::min(tuning.dot.lines_per_team, lines.count);
    lines_per_team = summation::ceil_div(lines_wanted, lines_of_step()) * lines_of_step();
    line_blocks = summation::ceil_div(lines.count, lines_per_team);
  }

  [[nodiscard]] Index workspace(Lines<T> const& lines) const {
    return runs == 1 ? 0 : runs * columns * lines.count;
  }
  [[nodiscard]] Index teams() const { return line_blocks * runs; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int warps() const { return sets * spans * groups; }
  /// Lines per team between two barriers.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Index lines_of_step() const {
    return Index{sets} * rows * (is_short ? 2 : 1);
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int step_size() const {
    int const of_row = 2 * (words * summation::lanes<T> + (on_words ? 0 : word_width<T>));
    return sets * spans * rows * of_row;
  }
  /// Sums per thread and step.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int own_sums() const {
    int const threads = is_short ? segment_threads : warp_threads;
    return Kokkos::max(1, rows * kept / threads);
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Index scratch() const {
    return Index{places} * step_size() + Index{2} * own_sums() * warps() * warp_threads;
  }
};

template <int Count, class T>
KOKKOS_FORCEINLINE_FUNCTION T tree_over_scalars(T const* from, int apart) {
  if constexpr (Count == 1) {
    return *from;
  } else {
    return tree_over_scalars<Count / 2>(from, apart) +
           tree_over_scalars<Count / 2>(from + Count / 2 * apart, apart);
  }
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION T tree_over_scalars(T const* from, int count, int apart) {
  if (count == 1) return *from;
  if (count == 2) return tree_over_scalars<2>(from, apart);
  return count == 4 ? tree_over_scalars<4>(from, apart) : tree_over_scalars<8>(from, apart);
}

/// Adds over threads. Value s of a thread belongs to column s ^ thread; thread t gets column t %
/// Count.
template <class Warp, int Count, class T>
KOKKOS_FORCEINLINE_FUNCTION T tree_of_columns(T* value) {
  static_for<log2_of<Count>>([&](auto level) {
    constexpr int o = 1 << level();
    static_for<Count / (2 * o)>(
        [&](auto i) { value[i() * 2 * o] += Warp::shuffle_xor(value[i() * 2 * o + o], o); });
  });
  return value[0];
}

/// Adds values of lines over threads, at distances `Mask` to Threads / 2. Threads with several
/// lines split them with their partners.
template <class Warp, int Mask, int Threads, int Count, class T>
KOKKOS_FORCEINLINE_FUNCTION void tree_of_lines(T* value, int lane) {
  if constexpr (Mask < Threads) {
    if constexpr (Count == 1) {
      value[0] += Warp::shuffle_xor(value[0], Mask);
    } else {
      bool const upper = (lane & Mask) != 0;
      static_for<Count / 2>([&](auto i) {
        T const low = value[i()];
        T const high = value[i() + Count / 2];
        T const received = Warp::shuffle_xor(upper ? low : high, Mask);
        value[i()] = (upper ? high : low) + received;
      });
    }
    tree_of_lines<Warp, 2 * Mask, Threads, (Count + 1) / 2>(value, lane);
  }
}

/// After tree_of_columns and tree_of_lines a thread has the sums of one column, `count` lines.
template <int Threads, int Lines, int Columns>
struct OwnSums {
  static constexpr int shared = Lines < Threads / Columns ? Lines : Threads / Columns;
  static constexpr int count = Lines / shared;
  int lane;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int column() const { return lane % Columns; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int line() const {
    int line = 0;
    static_for<log2_of<shared>>([&](auto level) {
      if ((lane & (Columns << level())) != 0) line += Lines >> (level() + 1);
    });
    return line;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool are_first() const {
    return lane % Threads < Columns * shared;
  }
};

template <class T, int Threads>
struct PlaceOfBlock {
  Place thread;
  int group;
  int span;  ///< number in the run
  int set;
  Index run;
  Index column;  ///< first of the span
  int rest;      ///< elements of the line from `column`

  template <class Team, class Plan>
  KOKKOS_FORCEINLINE_FUNCTION PlaceOfBlock(Team const& member, Plan const& plan, Index length)
      : thread(Place::of(member)),
        group(thread.warp % plan.groups),
        span(thread.warp / plan.groups % plan.spans),
        set(thread.warp / plan.groups / plan.spans),
        run(member.league_rank() / plan.line_blocks),
        column((run * plan.spans + span) * gpu::span<T>),
        rest(rest_of_line(length, column)) {}
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int line_of_pair() const {
    return Threads == segment_threads ? thread.half : 0;
  }
};

/// A team computes a run of several lines. `Threads` threads share a span, or a short line's
/// segment, with `Words` words each.
template <class Exec, class T, int Threads, int Words, int Columns, int Rows>
struct BlockDot {
  using Warp = WarpOf<Exec>;
  using PlaceHere = PlaceOfBlock<T, Threads>;
  static constexpr int lines_of_row = warp_threads / Threads;
  static constexpr int width = word_width<T>;
  static constexpr int part = Words * summation::lanes<T>;
  using Own = OwnSums<Threads, Rows, Columns>;
  using Vectors = PerLine<PerLine<Word<T>, Words>, Columns>;

  Lines<T> lines;
  InputVectors<T> x;
  OutputVectors<T> out;  ///< shape for several runs: (runs, columns, count)
  Index run_pitch;
  BlockDotPlan<Exec, T> plan;
  bool x_on_words;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& member) const {
    if (plan.on_words) {
      run<true>(member);
    } else {
      run<false>(member);
    }
  }

 private:
  /// Lines that are not on words have the layout of memory in scratch, from the word with their
  /// first element. The word may begin with elements of the previous line.
  template <bool OnWords>
  static constexpr int line_pitch = part + (OnWords || Threads == warp_threads ? 0 : width);
  template <bool OnWords>
  static constexpr int row_size = 2 * (part + (OnWords ? 0 : width));

  template <bool OnWords, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void run(Team const& member) const {
    PlaceHere const place(member, plan, lines.length);
    Index const begin = member.league_rank() % plan.line_blocks * plan.lines_per_team;
    Index const last = Kokkos::min(lines.count, begin + plan.lines_per_team);
    Index const of_step = plan.lines_of_step();
    auto const steps = static_cast<int>((last - begin + of_step - 1) / of_step);
    int const step_size = plan.step_size();
    int const sums_size = plan.warps() * Own::count * warp_threads;
    T* const sLines = team_scratch<T>(member, 0, plan.scratch());
    T* const sSums = sLines + plan.places * step_size;
    T* const sRows = sLines + (place.set * plan.spans + place.span) * Rows * row_size<OnWords>;
    Index line = begin + place.set * Rows * lines_of_row;
    Index to_copy = line;
    int filled = 0;  // next place to fill
    auto const copy_step = [&] {
      if (to_copy < last) copy<OnWords>(place, to_copy, last, sRows + filled * step_size);
      Warp::end_copies();
      to_copy += of_step;
      filled = filled == plan.places - 1 ? 0 : filled + 1;
    };
    for (int p = 0; p < plan.places - 1; ++p) copy_step();
    Vectors rX;
    load_vectors(place, rX);
    int used = 0;  // next place to multiply
    for (int step = 0; step <= steps; ++step) {
      Warp::wait_for_copies(plan.places - 2);
      member.team_barrier();  // the step is copied, the previous one finished
      if (step > 0 && place.span == ((step - 1) & (plan.spans - 1))) {
        store(place, line - of_step, last, sSums + ((step - 1) & 1) * sums_size);
      }
      if (step == steps) break;
      copy_step();
      multiply<OnWords>(place, line, sRows + used * step_size, rX, sSums + (step & 1) * sums_size);
      line += of_step;
      used = used == plan.places - 1 ? 0 : used + 1;
    }
  }

  template <bool OnWords>
  KOKKOS_FORCEINLINE_FUNCTION void copy(PlaceHere const& place, Index line, Index last,
                                        T* sRows) const {
    int const j = place_in_span(place.thread);
    Warp::for_each(place.group, Rows, plan.groups, [&](int row) {
      T* const sRow = sRows + row * row_size<OnWords>;
      if constexpr (OnWords) {
        Index const i = line + row * lines_of_row + place.line_of_pair();
        int const rest = i < last ? place.rest - j : 0;
        auto* const to =
            reinterpret_cast<Word<T>*>(sRow + place.thread.half * part) + place.thread.part;
        T const* const from = lines.line(i) + place.column + j;
        if (rest > (Words - 1) * summation::lanes<T>) return copy_words<true>(to, from, rest);
        copy_words<false>(to, from, rest);
      } else {
        constexpr int of_line = (Threads == warp_threads ? 2 * part : part) / width + 1;
        static_for<lines_of_row>([&](auto pair) {
          Index const i = line + row * lines_of_row + pair();
          if (i >= last) return;
          T* const to = sRow + pair() * of_line * width;
          T const* const from = lines.line(i) + place.column;
          copy_touched<of_line>(to, from, place.rest, place.thread.lane);
        });
      }
    });
  }
  template <bool AreAllThere>
  KOKKOS_FORCEINLINE_FUNCTION void copy_words(Word<T>* to, T const* from, int rest) const {
    static_for<Words>([&](auto s) {
      constexpr int at = s() * summation::lanes<T>;
      bool const inside = AreAllThere || at < rest;
      Warp::copy_bytes(to + at / word_width<T>,
                       reinterpret_cast<Word<T> const*>(inside ? from + at : lines.data), inside);
    });
  }
  /// Copies the words that a line not on words touches. Elements after the line become zero.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void copy_touched(T* to, T const* from, int rest, int lane) const {
    int const before = elements_before(from);
    T const* const words = from - before;
    int const end = before + rest;
    Warp::for_each(lane, Count, warp_threads, [&](int word) {
      int const first = word * width;
      bool const is_outside = first >= end;
      bool const is_inside = first + width <= end && (word > 0 || words >= lines.data);
      if (is_inside || is_outside) {
        Warp::copy_bytes(reinterpret_cast<Word<T>*>(to) + word,
                         reinterpret_cast<Word<T> const*>(words) + word, is_inside);
      } else {
        static_for<width>([&](auto e) {
          int const at = first + e();
          bool const inside = at >= before && at < end;
          Warp::copy_bytes(to + at, inside ? words + at : lines.data, inside);
        });
      }
    });
  }
  /// In the word.
  KOKKOS_FORCEINLINE_FUNCTION static int elements_before(T const* p) {
    return static_cast<int>(static_cast<unsigned>(address_of(p)) % 16 / unsigned{sizeof(T)});
  }
  KOKKOS_FORCEINLINE_FUNCTION static int place_in_span(Place const& thread) {
    return (Threads == warp_threads ? thread.half * summation::segment<T> : 0) +
           thread.part * width;
  }
  /// rX[s] is column s ^ lane of the group.
  KOKKOS_FORCEINLINE_FUNCTION void load_vectors(PlaceHere const& place, Vectors& rX) const {
    int const j = place_in_span(place.thread);
    static_for<Columns>([&](auto s) {
      int const column = place.group * Columns + (s() ^ place.thread.lane % Columns);
      bool const there = column < plan.columns;
      T const* const from = x.data + (there ? column * x.pitch : 0) + place.column;
      int const rest = there ? place.rest : 0;
      if (x_on_words) {
        load_words<Warp, true, Words>(rX[s()], from + j, rest - j, Constant{});
      } else {
        static_for<Words>([&](auto k) {
          static_for<width>([&](auto e) {
            int const at = j + k() * summation::lanes<T> + e();
            rX[s()][k()].e[e()] = at < rest ? Warp::load_constant(from + at) : T(0);
          });
        });
      }
    });
  }
  template <bool OnWords>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(PlaceHere const& place, Index line, T const* sRows,
                                            Vectors const& rX, T* sSums) const {
    Place const& thread = place.thread;
    auto const* const own =
        reinterpret_cast<Word<T> const*>(sRows + thread.half * line_pitch<OnWords>) + thread.part;
    PerLine<T, Rows> sum;
    static_for<Rows>([&](auto r) {
      [[maybe_unused]] int before = 0;
      if constexpr (!OnWords) {
        before = elements_before(lines.line(line + r() * lines_of_row + place.line_of_pair()) +
                                 place.column);
      }
      PerLine<Word<T>, Words> rA;
      static_for<Words>([&](auto s) {
        auto const* const word =
            own + (r() * row_size<OnWords> + s() * summation::lanes<T>) / width;
        rA[s()] = OnWords ? *word : joined(word[0], word[OnWords ? 0 : 1], before);
      });
      PerLine<T, Columns> value;
      static_for<Columns>([&](auto c) {
        Word<T> chain{};
        static_for<Words>([&](auto s) { multiply_add(rA[s()], rX[c()][s()], chain); });
        value[c()] = tree_over_word(chain);
      });
      sum[r()] = tree_of_columns<Warp, Columns>(value);
    });
    tree_of_lines<Warp, Columns, Threads, Rows>(sum, thread.lane);
    T* const to = sSums + thread.warp * Own::count * warp_threads + thread.lane;
    static_for<Own::count>([&](auto i) { to[i() * warp_threads] = sum[i()]; });
  }
  /// Elements from `first` on of two adjacent words.
  KOKKOS_FORCEINLINE_FUNCTION static Word<T> joined(Word<T> const& a, Word<T> const& b, int first) {
    PerLine<T, 2 * width> e;
    static_for<width>([&](auto i) {
      e[i()] = a.e[i()];
      e[i() + width] = b.e[i()];
    });
    static_for<log2_of<width>>([&](auto level) {
      constexpr int by = width >> (level() + 1);
      static_for<2 * width - by>([&](auto i) {
        if ((first & by) != 0) e[i()] = e[i() + by];
      });
    });
    Word<T> result;
    static_for<width>([&](auto i) { result.e[i()] = e[i()]; });
    return result;
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(PlaceHere const& place, Index line, Index last,
                                         T const* sSums) const {
    Place const& thread = place.thread;
    Own const own{thread.lane};
    int const column = place.group * Columns + own.column();
    if (!own.are_first() || column >= plan.columns) return;
    int const of_warp = Own::count * warp_threads;
    int const apart = plan.groups * of_warp;
    T const* const from =
        sSums + place.set * plan.spans * apart + place.group * of_warp + thread.lane;
    OutputVector<T> const to = out.column(column).from(place.run * run_pitch);
    static_for<Own::count>([&](auto i) {
      T const sum = tree_over_scalars(from + i() * warp_threads, plan.spans, apart);
      Index const at = line + (own.line() + i()) * lines_of_row + place.line_of_pair();
      if (at < last) to.set(at, sum + T(0));
    });
  }
};

template <class Exec, class T>
void block_dot(Exec const& exec, Label const& label, Lines<T> const& lines, InputVectors<T> x,
               OutputVectors<T> out, T* workspace, BlockDotPlan<Exec, T> const& plan) {
  Index const of_run = plan.columns * lines.count;
  OutputVectors<T> const target =
      plan.runs == 1 ? out : OutputVectors<T>{workspace, 1, lines.count, lines.count};
  bool const x_on_words =
      lines.length % word_width<T> == 0 && on_word(x.data) && x.pitch % word_width<T> == 0;
  auto const run = [&](auto threads, auto words, auto kept, auto rows) {
    constexpr int most_threads = BlockDotPlan<Exec, T>::most_warps * warp_threads;
    for_each_team<most_threads, 1>(exec, label, plan.teams(), plan.warps() * warp_threads,
                                   scratch_bytes<T>(plan.scratch()),
                                   BlockDot<Exec, T, threads(), words(), kept(), rows()>{
                                       lines, x, target, of_run, plan, x_on_words});
  };
  auto const with_threads = [&](auto kept, auto rows) {
    if (!plan.is_short) {
      run(StaticInt<warp_threads>{}, StaticInt<segment_words>{}, kept, rows);
    } else {
      with_static<1, segment_words>(
          plan.words, [&](auto words) { run(StaticInt<segment_threads>{}, words, kept, rows); });
    }
  };
  with_static<4, most_vectors_kept>(plan.kept, [&](auto kept) {
    if constexpr (!WarpOf<Exec>::has_large_scratch) {
      with_threads(kept, StaticInt<2>{});
    } else if constexpr (kept() < most_vectors_kept) {
      with_threads(kept, StaticInt<4>{});
    } else {
      with_static<4, 8>(plan.rows, [&](auto rows) { with_threads(kept, rows); });
    }
  });
  if (plan.runs > 1) {
    combine_groups(exec, label, static_cast<T const*>(workspace), plan.runs, of_run, out);
  }
}

}  // namespace tessera::detail::gpu
