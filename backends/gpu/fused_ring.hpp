// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/backends/gpu/fused_plan.hpp>
#include <tessera/backends/gpu/narrow_words.hpp>

namespace tessera::detail::gpu {

/// Fused ATAX of longer lines (docs/decisions/rings-of-bulk-copies.md). A team, or `Teams` teams
/// that share the columns, owns a panel. Each warp prefetches pieces of the next lines to a ring of
/// slots in scratch. Finished sums stay in scratch while there is room: writing to memory costs
/// many times what reading costs.
///
/// A piece has the same offset in its slot as in its rows of memory. If lines are not all OnWords,
/// every word they touch is copied.
///
/// A team exchanges dot products through scratch and a barrier; warps of a cluster only send theirs
/// to each team's scratch and signal the arrival. Two places are enough: a warp sends for line i +
/// 2 after receiving all of line i + 1, which each warp sent after using line i.
template <class Exec, class T, bool OnWords, int Teams, class Factor, class Data = T const*,
          int Columns = 1>
struct FusedRing {
  using Warp = WarpOf<Exec>;
  using Plan = FusedLinesPlan<Exec, T>;
  using Arrival = typename Warp::Arrival;
  static constexpr int element_bytes = static_cast<int>(sizeof(Stored<Data>)) / word_width<T>;
  static constexpr int most_slots = Plan::ring_most_slots(element_bytes);
  static constexpr int spans = ring_spans(Columns);
  static constexpr int words = spans * segment_words;
  static constexpr int whole_piece = spans * span<T>;
  using Stack = RingStack<T>;
  /// Equal offsets in adjacent segments share banks: the second half-warp reverses each word.
  static constexpr bool halves_meet = !OnWords && sizeof(T) == 4;
  static constexpr int sums = Plan::ring_sums;
  static constexpr int dots = Plan::ring_dots(Teams);
  static constexpr int dots_per_lane = dots / warp_threads;
  static constexpr int arrival_bytes = Plan::ring_arrival_bytes(element_bytes);
  static constexpr int fixed_bytes = Plan::ring_fixed_bytes(Teams, element_bytes, Columns);
  static_assert(dots_per_lane <= 2 && (sums & (sums - 1)) == 0);
  using Held = PerLine<Word<T>, words>;
  using HeldOfColumns = PerLine<Word<T>, Columns * words>;
  using Values = PerLine<T, Columns>;
  using Block = std::conditional_t<Columns == 1, OneColumn, SomeColumns>;
  FusedArguments<Exec, T, Factor, Data, Block> a;
  int scratch_parts;  ///< parts of a thread's stack in scratch
  int slots;
  int piece_words;
  int warps;
  int tree_lanes;  ///< lanes that add up the warps' dot products: a power of two
  bool x_is_aligned;
  /// If lines do not start on words: begin of the first and end of the last word in the matrix.
  std::uintptr_t first_word;
  std::uintptr_t last_word;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& member) const {
    Place const place = Place::of_unsigned(member);
    int part = 0;
    if constexpr (Teams > 1) part = member.cluster_rank();
    int const warp = part * warps + place.warp;
    Index const length = a.lines.length;
    Index const piece = static_cast<Index>(warp) * whole_piece;
    int const own = place.half * summation::segment<T> + thread_offset<T, OnWords>(place.part);
    Index const column = piece + own;
    int const rest = rest_of_line(length, column);
    int const piece_length = Kokkos::min(rest_of_line(length, piece), int{whole_piece});
    Scratch const s = scratch_of(member, place);
    meet(member, place, s);

    HeldOfColumns rX{};
    static_for<Columns>(
        [&](auto c) { load_x(rX + c() * words, column_of(a.x, c()) + column, rest, place.half); });
    Index const rank = member.league_rank();
    Index const group = rank / Teams;
    int const words_in_memory = a.levels * Columns * words - scratch_parts * Stack::part;
    int const team_size = warps * warp_threads;
    Stack const stack{a.stacks + rank * words_in_memory * team_size + place.thread, team_size,
                      s.stack, scratch_parts};
    int const panel_lines = static_cast<int>(a.panels.lines);
    Index const first = group * a.panels_per_worker * panel_lines;
    Index const last = Kokkos::min(a.lines.count, first + a.panels_per_worker * panel_lines);
    LinesLeft left(panel_lines, static_cast<int>(last - first));
    [[maybe_unused]] int const left_of_first = first == 0 ? left.of_group : -1;
    [[maybe_unused]] int const left_of_last = last == a.lines.count ? 1 : -1;
    int const panels = (left.of_group + panel_lines - 1) / panel_lines;
    int panel = 0;
    Pieces pieces{
        place,        own, rest, piece_length, s.piece, s.arrivals, a.lines.line(first) + piece,
        left.of_group};
    for (int k = 0; k < slots; ++k) copy_next(pieces, k);
    Sums products{s.ready, s.dots, warp};
    find_others(products, place.lane);

    HeldOfColumns rC{};
    int slot = 0;
    unsigned round = 0;
    while (left.of_group > 0) {
      if (piece_length > 0) Warp::wait_for_arrival(pieces.arrivals + slot, round % 2);
      if constexpr (!OnWords) {
        bool const is_first = left.of_group == left_of_first;
        bool const is_last = left.of_group == left_of_last;
        if (piece_length > 0 && (is_first || is_last)) {
          complete(pieces.slots + slot * piece_words,
                   a.lines.line(is_first ? 0 : a.lines.count - 1) + piece, piece_length,
                   place.lane);
        }
      }
      Held rA;
      hold(rA, pieces, slot);
      // If there are few loads, send first: other warps wait.
      if constexpr (!OnWords) refill(pieces, slot);
      Values value;
      static_for<Columns>([&](auto c) { value[c()] = dot(rA, rX + c() * words, place.part); });
      send(products, value, place.lane);
      if constexpr (OnWords) refill(pieces, slot);
      if (++slot == slots) {
        slot = 0;
        ++round;
      }
      receive(member, products, place, value);
      static_for<Columns>([&](auto c) {
        value[c()] =
            a.factor_of(last - left.of_group, value[c()], place.thread == 0 && part == 0, c());
        static_for<words>(
            [&](auto k) { multiply_add(value[c()], rA[k()], rC[c() * words + k()]); });
      });
      left.take();
      if (!left.ends_panel()) continue;
      stack.push(rC, panel++, panels);
      left.begin_panel();
    }
    static_for<Columns>([&](auto c) {
      turn_halves(rC + c() * words, place.half);
      static_for<words>([&](auto k) {
        store_partial<OnWords>(a.partials + (group * Columns + c()) * length, a.groups == 1,
                               column_of(a.out, c()), column, offset_of(k()), rest,
                               rC[c() * words + k()]);
      });
    });
  }

 private:
  struct Scratch {
    Arrival* ready;     // (sums)
    T* dots;            // (sums, Columns, dots)
    Word<T>* piece;     // (slots, piece_words), one per warp
    Arrival* arrivals;  // (most_slots), one per warp
    Word<T>* stack;     // (scratch_parts, part_words, team_size), from the thread's word
  };
  struct Pieces {
    Place place;
    int own;     ///< the thread's first element in the piece
    int rest;    ///< elements of the line from `own`
    int length;  ///< 0: the warp has no piece
    Word<T>* slots;
    Arrival* arrivals;
    Data next;
    int to_copy;
  };
  struct Sums {
    Arrival* ready;
    T* dots;
    int warp;
    unsigned line = 0;  ///< number in the group
    typename Warp::Remote to_dots = 0;
    typename Warp::Remote to_ready = 0;
  };

  /// Fixed offsets first: the compiler knows the addresses.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION Scratch scratch_of(Team const& member, Place const& place) const {
    auto* const begin = static_cast<std::byte*>(member.team_scratch(0).get_shmem_aligned(
        static_cast<std::size_t>(a.scratch) * sizeof(T), Plan::ring_row));
    auto* const ready = reinterpret_cast<Arrival*>(begin);
    auto* const all_words = reinterpret_cast<Word<T>*>(begin + fixed_bytes);
    return {ready, reinterpret_cast<T*>(begin + arrival_bytes),
            all_words + place.warp * slots * piece_words, ready + sums + place.warp * most_slots,
            all_words + warps * slots * piece_words + place.thread};
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int bytes_of_dots() const {
    return Columns * Teams * warps * static_cast<int>(sizeof(T));
  }
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void meet(Team const& member, Place const& place,
                                        Scratch const& s) const {
    for (int t = place.thread; t < sums * Columns * dots; t += warps * warp_threads) {
      s.dots[t] = T(0);
    }
    if (place.lane == 0) Warp::expect_arrivals(s.arrivals, slots);
    Warp::sync();
    if constexpr (Teams == 1) {
      member.team_barrier();
    } else {
      if (place.thread == 0) {
        Warp::expect_arrivals(s.ready, sums);
        for (int k = 0; k < sums; ++k) Warp::expect_bytes(s.ready + k, bytes_of_dots());
      }
      member.cluster_barrier();
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void load_x(Word<T>* rX, T const* x, int rest, int half) const {
    static_for<words>([&](auto k) {
      constexpr int offset = offset_of(k());
      rX[k()] = OnWords && x_is_aligned ? load_word<Warp, true>(x, offset, rest, Constant{})
                                        : load_scalars<Warp, OnWords>(x, offset, rest, Constant{});
    });
    turn_halves(rX, half);
  }

  KOKKOS_FORCEINLINE_FUNCTION void copy_next(Pieces& pieces, int slot) const {
    if (pieces.to_copy > 0 && pieces.length > 0 && pieces.place.lane == 0) {
      copy(pieces.slots + slot * piece_words, pieces.next, pieces.length, pieces.arrivals + slot);
    }
    pieces.next = pieces.next + a.lines.leading;
    --pieces.to_copy;
  }
  /// Copies the next piece, after all loads from the slot.
  KOKKOS_FORCEINLINE_FUNCTION void refill(Pieces& pieces, int slot) const {
    Warp::before_copies();
    Warp::sync();  // all threads hold the piece
    copy_next(pieces, slot);
  }
  KOKKOS_FORCEINLINE_FUNCTION void hold(Held& held, Pieces const& pieces, int slot) const {
    unsigned const shift = (static_cast<unsigned>(scalars_before(pieces.next)) -
                            static_cast<unsigned>(slots) * static_cast<unsigned>(a.lines.leading)) %
                           unsigned{Plan::ring_row / element_bytes};
    auto const* const sOwn = reinterpret_cast<std::byte const*>(pieces.slots + slot * piece_words) +
                             (pieces.own + shift) * unsigned{element_bytes};
    if (pieces.length == whole_piece) {
      take<true>(held, pieces, sOwn);
    } else {
      take<false>(held, pieces, sOwn);
    }
  }
  template <bool Whole>
  KOKKOS_FORCEINLINE_FUNCTION void take(Held& held, Pieces const& pieces,
                                        std::byte const* sOwn) const {
    auto const is_inside = [&](int offset) { return Whole || offset < pieces.rest; };
    if constexpr (OnWords) {
      static_for<words>([&](auto k) {
        constexpr int offset = offset_of(k());
        Stored<Data> stored{};
        if (is_inside(offset)) {
          stored = *reinterpret_cast<Stored<Data> const*>(sOwn + offset * element_bytes);
        }
        held[k()] = scalars_of(stored, a.lines.data);
      });
    } else {
      bool const turned = halves_meet && pieces.place.half != 0;
      int const between = turned ? -segment_threads : segment_threads;
      int const begin = turned ? (word_width<T> - 1) * segment_threads : 0;
      static_for<word_width<T>>([&](auto e) {
        int const at = begin + e() * between;
        T const* const sElements = reinterpret_cast<T const*>(sOwn) + at;
        static_for<words>([&](auto k) {
          constexpr int offset = offset_of(k());
          held[k()].e[e()] = is_inside(offset + at) ? sElements[offset] : T(0);
        });
      });
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static T dot(Word<T> const* held, Word<T> const* rX, int part) {
    T value = T(0);
    static_for<spans>([&](auto c) {
      constexpr int start = c() * segment_words;
      T segments = segment_dot<Warp, OnWords, segment_words>(held + start, rX + start, part);
      segments += Warp::shuffle_xor(segments, segment_threads);
      value = c() == 0 ? segments : value + segments;
    });
    return value;
  }
  KOKKOS_FORCEINLINE_FUNCTION static void find_others(Sums& products, int lane) {
    if constexpr (Teams > 1) {
      if (lane >= Teams * Columns) return;
      products.to_dots =
          Warp::of_cluster(products.dots + lane / Teams * dots + products.warp, lane % Teams);
      products.to_ready = Warp::of_cluster(products.ready, lane % Teams);
    }
  }
  /// Lane c * Teams + t sends the dot product of column c to team t.
  KOKKOS_FORCEINLINE_FUNCTION static void send(Sums const& products, T const* values, int lane) {
    unsigned const sum = products.line % sums;
    T value = values[0];
    static_for<Columns>([&](auto c) {
      if (c() > 0 && lane / Teams == c()) value = values[c()];
    });
    if constexpr (Teams == 1) {
      if (lane < Columns) {
        products.dots[(sum * Columns + static_cast<unsigned>(lane)) * dots +
                      static_cast<unsigned>(products.warp)] = value;
      }
    } else if (lane < Teams * Columns) {
      Warp::send(products.to_dots + sum * unsigned{Columns * dots * sizeof(T)}, value,
                 products.to_ready + sum * unsigned{sizeof(Arrival)});
    }
  }
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void receive(Team const& member, Sums& products, Place const& place,
                                           Values& values) const {
    unsigned const sum = products.line % sums;
    if constexpr (Teams == 1) {
      member.team_barrier();
    } else {
      Warp::wait_for_arrival(products.ready + sum, products.line / sums % 2);
    }
    static_for<Columns>([&](auto c) {
      T const* const sPair = products.dots + (sum * Columns + c()) * dots +
                             (place.lane & (tree_lanes - 1)) * dots_per_lane;
      T value;
      if constexpr (dots_per_lane == 1) {
        value = sPair[0];
      } else {
        value = sPair[0] + sPair[1];
      }
      values[c()] = tree_over_threads<Warp>(value, tree_lanes) + T(0);
    });
    if (Teams > 1 && place.thread == 0) Warp::expect_bytes(products.ready + sum, bytes_of_dots());
    ++products.line;
  }

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int offset_of(int word) {
    return word / segment_words * span<T> + word % segment_words * summation::lanes<T>;
  }
  KOKKOS_FORCEINLINE_FUNCTION static void turn_halves(Word<T>* held, int half) {
    if constexpr (halves_meet) {
      static_for<words>([&](auto k) {
        Word<T> const word = held[k()];
        static_for<word_width<T>>([&](auto e) {
          if (half != 0) held[k()].e[e()] = word.e[word_width<T> - 1 - e()];
        });
      });
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static int scalars_before(Data p) {
    return static_cast<int>(address_of(p) % Plan::ring_row) / element_bytes;
  }
  /// Copies the words that `count` scalars touch, except words that reach outside the matrix.
  KOKKOS_FORCEINLINE_FUNCTION void copy(Word<T>* sWords, Data from, int count,
                                        Arrival* arrival) const {
    std::uintptr_t const address = address_of(from);
    if constexpr (OnWords) {
      Warp::copy_piece(
          reinterpret_cast<std::byte*>(sWords) + static_cast<unsigned>(address) % Plan::ring_row,
          reinterpret_cast<void const*>(address), count * element_bytes, arrival);
    } else {
      constexpr std::uintptr_t word = sizeof(Word<T>);
      auto const end_address = address + static_cast<unsigned>(count) * sizeof(T);
      std::uintptr_t const first = address & ~(word - 1);
      std::uintptr_t const begin = Kokkos::max(first, first_word);
      std::uintptr_t const end = Kokkos::min((end_address + word - 1) & ~(word - 1), last_word);
      int const bytes = static_cast<int>(end) - static_cast<int>(begin);
      if (bytes > 0) {
        unsigned const place =
            static_cast<unsigned>(first) % Plan::ring_row + static_cast<unsigned>(begin - first);
        Warp::copy_piece(reinterpret_cast<std::byte*>(sWords) + place,
                         reinterpret_cast<T const*>(begin), bytes, arrival);
      } else {
        Warp::expect_bytes(arrival, 0);
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void complete(Word<T>* sWords, T const* from, int count,
                                            int lane) const {
    constexpr int width = word_width<T>;
    int const shift = scalars_before(from);
    T* const sScalars = reinterpret_cast<T*>(sWords) + shift;
    auto const bring = [&](int scalar) {
      auto const address = reinterpret_cast<std::uintptr_t>(from + scalar);
      bool const left_out = address < first_word || address >= last_word;
      if (scalar >= 0 && scalar < count && left_out) sScalars[scalar] = from[scalar];
    };
    if (lane < width) {
      bring(lane - shift % width);
      bring((shift + count - 1) / width * width - shift + lane);
      Warp::before_copies();
    }
    Warp::sync();
  }
};

}  // namespace tessera::detail::gpu
