// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/backends/gpu/fused_plan.hpp>

namespace tessera::detail::gpu {

/// Memory where teams exchange parts of a line's dot product.
template <class Exec, class T>
struct Exchange {
  using Warp = WarpOf<Exec>;
  using Bits = BitsOf<T>;
  /// Marks an unpublished part: a NaN that publish() never writes.
  static constexpr Bits missing = ~Bits{0};

  Bits* memory;  ///< (lines, parts)
  Index parts;

  KOKKOS_FORCEINLINE_FUNCTION Bits* part(Index line, Index part) const {
    return memory + line * parts + part;
  }
  KOKKOS_FUNCTION void publish(Index line, Index p, T value) const {
    auto bits = Kokkos::bit_cast<Bits>(value);
    if (bits == missing) bits ^= 1;  // still a NaN
    Warp::write_now(part(line, p), bits);
  }
  KOKKOS_FORCEINLINE_FUNCTION T gather(Index line, int lane) const {
    static_assert(FusedLinesPlan<Exec, T>::most_parts == 4 * warp_threads);
    if (parts <= warp_threads) return blocks<1>(line, lane).tree[0] + T(0);
    if (parts <= 2 * warp_threads) {
      auto const two = blocks<2>(line, lane);
      return two.tree[0] + two.tree[1] + T(0);
    }
    auto const four = blocks<4>(line, lane);
    return (four.tree[0] + four.tree[1]) + (four.tree[2] + four.tree[3]) + T(0);
  }

 private:
  template <int Count>
  struct Blocks {
    PerLine<T, Count> tree;
  };
  /// All loads are in flight at once.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION Blocks<Count> blocks(Index line, int lane) const {
    PerLine<Bits, Count> bits;
    static_for<Count>([&](auto b) {
      Index const p = lane + b() * warp_threads;
      bits[b()] = p < parts ? Warp::read_now(part(line, p)) : Bits{0};
    });
    Blocks<Count> result;
    static_for<Count>([&](auto b) {
      // One loop for the warp: polling in a branch is slower.
      Index const p = lane + b() * warp_threads;
      while (bits[b()] == missing) bits[b()] = Warp::read_now(part(line, p));
      result.tree[b()] = tree_over_threads<Warp, warp_threads>(Kokkos::bit_cast<T>(bits[b()]));
    });
    return result;
  }
};

/// Long lines: teams share a panel by columns, and exchange parts of dot products through memory.
/// Meanwhile lines wait in scratch. Teams take parts as they start, so they only wait for teams
/// that run or start next.
template <class Exec, class T, bool Aligned, int Slots, class Factor>
struct FusedParts {
  using Warp = WarpOf<Exec>;
  using Plan = FusedLinesPlan<Exec, T>;
  static constexpr int words = segment_words;
  static constexpr int warps = Plan::part_warps;
  static constexpr int team_size = warps * warp_threads;
  static constexpr int delay = Slots - 1;  ///< lines between a dot product's parts and its use
  static constexpr int ahead = 2;
  FusedArguments<Exec, T, Factor> a;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& member) const {
    Place const place = Place::of(member);
    Index const length = a.lines.length;
    T* const scratch = team_scratch<T>(member, 0, a.scratch);
    auto* const sLines = reinterpret_cast<Word<T>*>(scratch) + place.thread;
    T* const sSums = scratch + Slots * words * team_size * word_width<T>;  // (2, warps)
    T* const sValues = sSums + 2 * warps;                                  // (2)
    Exchange<Exec, T> const exchange{a.exchanged, a.parts};
    Index const item = next_item(member, place, reinterpret_cast<unsigned*>(sValues));
    Index const group = item / a.parts;
    Index const part = item % a.parts;

    Index const column = (part * warps + place.warp) * span<T> +
                         place.half * summation::segment<T> + thread_offset<T, Aligned>(place.part);
    int const rest = rest_of_line(length, column);
    WordStack<words, T> const stack{a.stacks + item * a.levels * words * team_size + place.thread,
                                    team_size};

    int const panel_lines = static_cast<int>(a.panels.lines);
    Index const first = group * a.panels_per_worker * panel_lines;
    int const count = static_cast<int>(
        Kokkos::min(a.lines.count, first + a.panels_per_worker * panel_lines) - first);
    int const panels = (count + panel_lines - 1) / panel_lines;
    int panel = 0;
    LinesLeft left(panel_lines, count);
    T const* line = a.lines.line(first) + column;
    int left_to_load = count;
    PerLine<Word<T>, words> rC = {};
    PerLine<PerLine<Word<T>, words>, ahead> rA;
    auto const load = [&](PerLine<Word<T>, words>& target) {
      load_words<Warp, Aligned, words>(target, line, left_to_load > 0 ? rest : 0, Once{});
      line += a.lines.leading;
      --left_to_load;
    };
    static_for<ahead>([&](auto r) { load(rA[r()]); });
    PerLine<Word<T>, words> rX;
    load_words<Warp, Aligned, words>(rX, a.x + column, rest, Constant{});

    int slot = 0;
    int old_slot = 1;  // slot of line i - delay
    auto const step = [&](int i, PerLine<Word<T>, words>& line_i) {
      bool const is_old = i >= delay;
      if (i < count) {
        T value = segment_dot<Warp, Aligned, words>(line_i, rX, place.part);
        value += Warp::shuffle_xor(value, segment_threads);
        if (place.lane == 0) sSums[(i & 1) * warps + place.warp] = value;
        static_for<words>([&](auto k) { sLines[(slot * words + k()) * team_size] = line_i[k()]; });
        load(line_i);
      }
      if (place.warp == 0 && is_old) {
        T const value = exchange.gather(first + i - delay, place.lane);
        if (place.lane == 0) sValues[i & 1] = value;
      }
      member.team_barrier();
      if (place.thread == 0 && i < count) {
        T const* const sums = sSums + (i & 1) * warps;
        static_assert(warps == 4);
        exchange.publish(first + i, part, (sums[0] + sums[1]) + (sums[2] + sums[3]));
      }
      if (is_old) {
        T const value =
            a.factor_of(first + i - delay, sValues[i & 1], place.thread == 0 && part == 0);
        static_for<words>([&](auto k) {
          multiply_add(value, sLines[(old_slot * words + k()) * team_size], rC[k()]);
        });
        left.take();
        if (left.ends_panel()) {
          stack.push(rC, panel++, panels);
          left.begin_panel();
        }
      }
      slot = old_slot;
      old_slot = old_slot + 1 == Slots ? 0 : old_slot + 1;
    };
    for (int i = 0; i < count + delay; i += ahead) {
      static_for<ahead>([&](auto r) {
        if (i + r() < count + delay) step(i + r(), rA[r()]);
      });
    }
    static_for<words>([&](auto k) {
      store_partial<Aligned>(a.partials + group * length, a.groups == 1, a.out, column,
                             k() * summation::lanes<T>, rest, rC[k()]);
    });
  }

 private:
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION Index next_item(Team const& member, Place const& place,
                                              unsigned* sItem) const {
    if (place.thread == 0) {
      *sItem = static_cast<unsigned>(Kokkos::atomic_fetch_add(a.arrivals, 1));
      if (*sItem + 1 == a.groups * a.parts) *a.arrivals = 0;  // reset by the last team to arrive
    }
    member.team_barrier();
    Index const item = *sItem;
    member.team_barrier();
    return item;
  }
};

template <class Exec, class T>
struct ClearExchange {
  static constexpr int team_size = 256;
  BitsOf<T>* memory;
  Index size;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& member) const {
    Index const i = static_cast<Index>(member.league_rank()) * team_size + member.team_rank();
    if (i < size) memory[i] = Exchange<Exec, T>::missing;
  }
};

/// Marks all parts as missing, however the previous call ended.
template <class Exec, class T>
void clear_exchange(Exec const& exec, std::string const& label, BitsOf<T>* memory, Index size) {
  using Kernel = ClearExchange<Exec, T>;
  for_each_team<Kernel::team_size, 1>(exec, label,
                                      summation::ceil_div(size, Index{Kernel::team_size}),
                                      Kernel::team_size, 0, Kernel{memory, size});
}

}  // namespace tessera::detail::gpu
