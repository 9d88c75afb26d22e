// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/backends/gpu/combine.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/tuning.hpp>

namespace tessera::detail::gpu {

/// The adjacent-pair tree over load(`first`) … load(`count` - 1), at most 2^Levels.
template <int Levels, class Load>
KOKKOS_FORCEINLINE_FUNCTION auto tree_of(int first, int count, Load const& load) {
  if constexpr (Levels == 0) {
    return load(first);
  } else {
    constexpr int half = 1 << (Levels - 1);
    auto sum = tree_of<Levels - 1>(first, count, load);
    if (first + half < count) sum = sum + tree_of<Levels - 1>(first + half, count, load);
    return sum;
  }
}

/// Fused ATAX of few column-major lines. A slice (some lanes of a segment, for all lines) stays in
/// scratch for both products.
template <class Exec, class T>
struct SlicesPlan {
  static constexpr int panels_side_by_side = 4;  ///< per warp
  static constexpr int partial_levels = 4;
  static constexpr Index most_groups_of_panels = Index{1} << partial_levels;
  static constexpr Index most_slices_of_group = backends::Backend<Exec>::most_slices_of_group;
  static constexpr int group_levels = log2_of<static_cast<int>(most_slices_of_group)>;
  static constexpr Index most_teams = 4;  ///< per multiprocessor
  /// Slices of 4 words per lane step are fastest with 512 threads.
  static constexpr int threads_for(int parts) { return parts == 4 ? 512 : 256; }

  int parts = 0;     ///< words per lane step; 0: lines do not fit
  int slots = 0;     ///< slices that scratch holds
  int partials = 0;  ///< partial sums per element of B, each of four panels
  int slices_per_group = 1;
  Index slices = 0;
  Index groups = 0;
  Index teams = 0;

  SlicesPlan(Exec const& exec, Lines<T> const& lines, FusedTilesTuning const& tuning) {
    using Backend = backends::Backend<Exec>;
    Index const groups_of_panels =
        summation::ceil_div(lines.panels().count, Index{panels_side_by_side});
    if (!WarpOf<Exec>::has_copies || groups_of_panels > most_groups_of_panels) return;
    partials = static_cast<int>(groups_of_panels);
    // Best first: large slices, then three slots before two or four. Slices of 16 words need two
    // teams per multiprocessor.
    struct Choice {
      int parts;
      int slots;
      Index teams;
    };
    Index side_by_side = 0;
    for (Choice const& choice :
         {Choice{16, 3, 2}, Choice{8, 3, 2}, Choice{8, 3, 1}, Choice{4, 3, 1}, Choice{4, 2, 1}}) {
      parts = choice.parts;
      slots = choice.slots;
      side_by_side = teams_with_scratch(exec, scratch_bytes<T>(scratch(lines.count)));
      if (side_by_side >= choice.teams) break;
      parts = 0;
    }
    if (parts == 0) return;
    slices = summation::segments<T>(lines.length) * (segment_threads / parts);
    Index const places = Backend::multiprocessors(exec) * std::min(side_by_side, most_teams);
    slices_per_group = static_cast<int>(best_group(places, tuning.tiles_per_team));
    groups = summation::ceil_div(slices, Index{slices_per_group});
    teams = std::min(groups, places);
  }

  [[nodiscard]] bool fits() const { return parts > 0; }
  /// Whether copies are as fast as the two reads of two stages. Unaligned lines are copied by
  /// scalars, fast enough for few lines only.
  static bool are_fast(Lines<T> const& lines) {
    constexpr Index most_off_words = 144;
    return lines.count <= most_off_words || is_aligned(lines, lines.data);
  }
  [[nodiscard]] int team_size() const { return threads_for(parts); }
  /// Scalars per team.
  [[nodiscard]] Index scratch(Index count) const {
    Index const words = (slots * count + partials + 1) * parts * segment_words;
    return words * word_width<T> + (most_slices_of_group + 1) * whole_words<T>(count);
  }
  [[nodiscard]] Index workspace(Index count) const {
    return groups == 1 ? 0 : whole_words<T>(groups * count);
  }

 private:
  /// Minimises the busiest team's time plus a fifth of a slice per group.
  [[nodiscard]] Index best_group(Index places, Index most) const {
    auto const time = [&](Index group) {
      Index const of_team = summation::ceil_div(summation::ceil_div(slices, group), places);
      return of_team * (5 * group + 1);
    };
    Index best = 1;
    for (Index group = 2; group <= std::min(most, most_slices_of_group); group *= 2) {
      if (time(group) <= time(best)) best = group;
    }
    return best;
  }
};

/// A team computes a slice's part of B from scratch, as a sum of panels, then of every dot product,
/// while the next slices are copied.
template <class Exec, class T, bool Aligned, int Parts, class Factor>
struct FusedSlices {
  using Warp = WarpOf<Exec>;
  using Plan = SlicesPlan<Exec, T>;
  static constexpr int column_words = Parts * segment_words;
  static constexpr int per_segment = segment_threads / Parts;
  static constexpr int width = word_width<T>;
  static constexpr int team_size = Plan::threads_for(Parts);

  Lines<T> lines;
  T const* x;
  OutputVector<T> y;
  OutputVector<T> out;
  T* sums;  ///< (groups, count)
  Plan plan;
  summation::Panels panels;
  Index scratch;
  Factor factor;

  struct Scratch {
    Word<T>* slots;     // (slots, count, column_words)
    Word<T>* partials;  // (partials, column_words)
    Word<T>* b;         // (column_words)
    T* dots;            // (slices_per_group, count)
    T* x;               // (count)
  };

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& member) const {
    int const thread = member.team_rank();
    int const count = static_cast<int>(lines.count);
    int const pitch = (count + width - 1) / width * width;
    int const slot_words = count * column_words;
    Scratch s{};
    s.slots = reinterpret_cast<Word<T>*>(team_scratch<T>(member, 0, scratch));
    s.partials = s.slots + plan.slots * slot_words;
    s.b = s.partials + plan.partials * column_words;
    s.dots = reinterpret_cast<T*>(s.b + column_words);
    s.x = s.dots + plan.slices_per_group * pitch;
    for (int c = thread; c < count; c += team_size) s.x[c] = x[c];

    Index const team = member.league_rank();
    Index const first_group = team * plan.groups / plan.teams;
    Index const last_group = (team + 1) * plan.groups / plan.teams;
    Index const first = first_group * plan.slices_per_group;
    Index const last = Kokkos::min(plan.slices, last_group * plan.slices_per_group);
    Index to_copy = first;
    int slot_to_fill = 0;
    auto const copy_next = [&] {
      if (to_copy < last) copy(thread, to_copy, s.slots + slot_to_fill * slot_words);
      Warp::end_copies();
      ++to_copy;
      slot_to_fill = slot_to_fill + 1 == plan.slots ? 0 : slot_to_fill + 1;
    };
    for (int k = 1; k < plan.slots; ++k) copy_next();

    int slot = 0;
    int in_group = 0;
    Index group = first_group;
    for (Index slice = first; slice < last; ++slice) {
      Warp::wait_for_copies(plan.slots - 2);
      member.team_barrier();  // the slot is filled, the previous one free
      copy_next();
      if (in_group == plan.slices_per_group) {
        finish(thread, group++, in_group, pitch, s);
        in_group = 0;
      }
      Word<T> const* const sSlot = s.slots + slot * slot_words;
      add_panels(thread, sSlot, s);
      member.team_barrier();
      finish_b(thread, slice, s);
      member.team_barrier();
      add_dots(thread, sSlot, s, s.dots + in_group * pitch);
      ++in_group;
      slot = slot + 1 == plan.slots ? 0 : slot + 1;
    }
    member.team_barrier();
    finish(thread, group, in_group, pitch, s);
  }

 private:
  /// `word` = step * Parts + part. Odd lines exchange steps to avoid bank conflicts.
  KOKKOS_FORCEINLINE_FUNCTION static int place_of(int line, int word) {
    int const swapped = Parts == 4 ? (word ^ (line & 1) * Parts) : word;
    return line * column_words + swapped;
  }
  KOKKOS_FORCEINLINE_FUNCTION static Index begin_of(Index slice) {
    return slice / per_segment * summation::segment<T> + slice % per_segment * (Parts * width);
  }

  KOKKOS_FORCEINLINE_FUNCTION void copy(int thread, Index slice, Word<T>* slot) const {
    using Piece = std::conditional_t<Aligned, Word<T>, T>;
    constexpr int pieces = Aligned ? 1 : width;
    constexpr int line_pieces = column_words * pieces;
    constexpr int lines_at_once = team_size / line_pieces;
    int const count = static_cast<int>(lines.count);
    int const word = thread % line_pieces / pieces;
    int const piece = thread % pieces;
    int line = thread / line_pieces;
    Index const element =
        begin_of(slice) + (word / Parts) * summation::lanes<T> + (word % Parts) * width + piece;
    bool const inside = element < lines.length;
    T const* from = lines.line(line) + (inside ? element : Index{0});
    Index const step = lines_at_once * lines.leading;
    for (; line < count; line += lines_at_once, from += step) {
      Warp::copy_bytes(reinterpret_cast<Piece*>(slot + place_of(line, word)) + piece,
                       reinterpret_cast<Piece const*>(from), inside);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_panels(int thread, Word<T> const* slot,
                                              Scratch const& s) const {
    constexpr int words_side_by_side = warp_threads / Plan::panels_side_by_side;
    constexpr int blocks = column_words / words_side_by_side;
    int const lane = thread % warp_threads;
    int const count = static_cast<int>(lines.count);
    int const height = static_cast<int>(panels.lines);
    for (int item = thread / warp_threads; item < blocks * plan.partials;
         item += team_size / warp_threads) {
      int const partial = item / blocks;
      int const word = item % blocks * words_side_by_side + lane % words_side_by_side;
      int const panel = partial * Plan::panels_side_by_side + lane / words_side_by_side;
      int const c = panel * height;
      int const last = Kokkos::min(count, c + height);
      Word<T> sum{};
      int const whole = c + Kokkos::max(0, last - c) / 8 * 8;
      Warp::for_each(c, whole, 8, [&](int line) {
        static_for<8>(
            [&](auto k) { multiply_add(s.x[line + k()], slot[place_of(line + k(), word)], sum); });
      });
      Warp::for_each(whole, last, 1,
                     [&](int line) { multiply_add(s.x[line], slot[place_of(line, word)], sum); });
      static_for<width>([&](auto e) {
        static_for<log2_of<Plan::panels_side_by_side>>([&](auto level) {
          sum.e[e()] += Warp::shuffle_xor(sum.e[e()], words_side_by_side << level());
        });
      });
      if (lane < words_side_by_side) s.partials[partial * column_words + word] = sum;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void finish_b(int thread, Index slice, Scratch const& s) const {
    constexpr int elements = column_words * width;
    auto const* const sPartial = reinterpret_cast<T const*>(s.partials);
    auto* const sB = reinterpret_cast<T*>(s.b);
    for (int i = thread; i < elements; i += team_size) {
      T const sum = tree_of<Plan::partial_levels>(
                        0, plan.partials, [&](int p) { return sPartial[p * elements + i]; }) +
                    T(0);
      constexpr int step = Parts * width;
      Index const at = begin_of(slice) + i / step * summation::lanes<T> + i % step;
      bool const inside = at < lines.length;
      sB[i] = inside ? factor(at, sum) : T(0);  // x may be infinite
      if (inside) y.set(at, sum);
    }
  }

  /// Stores each slice's part; finish() adds them, as adding them here is slower.
  KOKKOS_FORCEINLINE_FUNCTION void add_dots(int thread, Word<T> const* slot, Scratch const& s,
                                            T* dots) const {
    int const part = thread % Parts;
    int const worker = thread / Parts;
    constexpr int workers = team_size / Parts;
    int const count = static_cast<int>(lines.count);
    PerLine<Word<T>, segment_words> rB;
    static_for<segment_words>([&](auto k) { rB[k()] = s.b[k() * Parts + part]; });
    // Shuffles need all threads of a warp.
    for (int first = 0; first < count; first += workers) {
      int const line = Kokkos::min(first + worker, count - 1);
      Word<T> lanes{};
      static_for<segment_words>(
          [&](auto k) { multiply_add(slot[place_of(line, k() * Parts + part)], rB[k()], lanes); });
      T const value = tree_over_threads<Warp, Parts>(tree_over_word(lanes));
      if (part == 0) dots[line] = value;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void finish(int thread, Index group, int in_group, int pitch,
                                          Scratch const& s) const {
    for (int c = thread; c < static_cast<int>(lines.count); c += team_size) {
      T const sum = tree_of<Plan::group_levels>(
          0, in_group, [&](int slice) { return s.dots[slice * pitch + c]; });
      if (plan.groups == 1) {
        out.set(c, sum + T(0));
      } else {
        sums[group * lines.count + c] = sum;
      }
    }
  }
};

template <class Exec, class T, class Factor>
void fused_slices(Exec const& exec, Label const& label, Lines<T> const& lines, T const* x,
                  OutputVector<T> y, OutputVector<T> out, T* workspace,
                  SlicesPlan<Exec, T> const& plan, Factor const& factor) {
  Index const scratch = plan.scratch(lines.count);
  auto const run = [&](auto aligned, auto parts) {
    if constexpr (WarpOf<Exec>::has_copies) {  // otherwise no plan fits
      using Kernel = FusedSlices<Exec, T, aligned(), parts(), Factor>;
      constexpr int registers_for = 1024;  // threads per multiprocessor
      for_each_team<Kernel::team_size, registers_for / Kernel::team_size>(
          exec, label, plan.teams, Kernel::team_size, scratch_bytes<T>(scratch),
          Kernel{lines, x, y, out, workspace, plan, lines.panels(), scratch, factor});
    }
  };
  with_alignment(is_aligned(lines, lines.data), [&](auto aligned) {
    switch (plan.parts) {
      case 16:
        return run(aligned, StaticInt<16>{});
      case 8:
        return run(aligned, StaticInt<8>{});
      default:
        return run(aligned, StaticInt<4>{});
    }
  });
  combine_groups(exec, label, static_cast<T const*>(workspace), plan.groups, lines.count, out);
}

}  // namespace tessera::detail::gpu
