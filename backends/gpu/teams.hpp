// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backend.hpp>
#include <tessera/backends/gpu/words.hpp>
#include <tessera/kernels/teams.hpp>
#include <tessera/order/vector_stack.hpp>

/// Teams of whole warps.
namespace tessera::detail::gpu {

struct Place {
  int thread;
  int lane;
  int warp;
  int half;  ///< number of the segment in the warp's span
  int part;  ///< number among the segment's sixteen threads

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static Place of(Team const& member) {
    int const thread = member.team_rank();
    int const lane = thread % warp_threads;
    return {thread, lane, thread / warp_threads, lane / segment_threads, lane % segment_threads};
  }
  /// Takes fewer instructions in kernels where the compiler recomputes the place; others would
  /// spill registers (nvcc 13.0).
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static Place of_unsigned(Team const& member) {
    auto const thread = static_cast<unsigned>(member.team_rank());
    constexpr unsigned of_warp = warp_threads;
    constexpr unsigned of_segment = segment_threads;
    unsigned const lane = thread % of_warp;
    return {static_cast<int>(thread), static_cast<int>(lane), static_cast<int>(thread / of_warp),
            static_cast<int>(lane / of_segment), static_cast<int>(lane % of_segment)};
  }
};

/// Registers are limited so that MinTeams teams of MaxThreads threads fit a multiprocessor. Every
/// `cluster` teams (1 to 8) form a cluster, if the device has clusters.
template <unsigned MaxThreads, unsigned MinTeams, class Exec, class Kernel>
void for_each_team(Exec const& exec, std::string const& label, Index teams, int team_size,
                   std::size_t scratch, Kernel const& kernel, int cluster = 1) {
  backends::Backend<Exec>::template run_teams<MaxThreads, MinTeams>(exec, label, teams, team_size,
                                                                    scratch, kernel, cluster);
}

template <class Exec>
Index teams_with_scratch(Exec const& exec, std::size_t bytes) {
  constexpr std::size_t of_system = 1024;
  return static_cast<Index>((backends::Backend<Exec>::most_scratch(exec) + of_system) /
                            (bytes + of_system));
}

/// The adjacent-pair tree over vectors of words that a thread pushes in order. Waiting subtrees:
/// (levels, Words, threads). Scratch holds the smallest, most accessed ones, in parts of levels.
/// Without it they are in order of arrival, which takes fewer registers.
template <int Words, class T, bool HasScratch = false>
struct WordStack {
  /// Leaves registers for a part and the vector.
  static constexpr int parts_of_level = !HasScratch || Words == 1 ? 1 : Words <= 16 ? 2 : 4;
  static constexpr int part = Words / parts_of_level;  ///< in words

  Word<T>* memory;
  Index stride;  ///< distance of a thread's words, in words
  Word<T>* scratch = nullptr;
  int scratch_parts = 0;

  /// Adds the subtrees that vector `index` completes. After the last, `vector` is the whole tree.
  KOKKOS_FORCEINLINE_FUNCTION void push(PerLine<Word<T>, Words>& vector, int index,
                                        int count) const {
    bool const last = index + 1 == count;
    int level = 0;
    if constexpr (HasScratch) {
      for (int rest = index; rest != 0 && (last || (rest & 1) != 0); rest >>= 1, ++level) {
        if ((rest & 1) != 0) add(level, vector);
      }
    } else {
      level = Kokkos::popcount(static_cast<unsigned>(index));
      for (int rest = index; level > 0 && (last || (rest & 1) != 0); rest >>= 1) {
        add(--level, vector);
      }
    }
    if (!last) keep(level, vector);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void add(int level, PerLine<Word<T>, Words>& vector) const {
    at(level, [&](auto first, Word<T> const* own) {
      static_for<part>(
          [&](auto k) { vector[first() + k()] = own[k() * stride] + vector[first() + k()]; });
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION void keep(int level, PerLine<Word<T>, Words>& vector) const {
    at(level, [&](auto first, Word<T>* own) {
      static_for<part>([&](auto k) {
        own[k() * stride] = vector[first() + k()];
        vector[first() + k()] = Word<T>{};
      });
    });
  }
  /// Two calls of body: the compiler knows the memory of each.
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION void at(int level, Body const& body) const {
    static_for<parts_of_level>([&](auto p) {
      StaticInt<p() * part> const first;
      int const number = level * parts_of_level + p();
      if (HasScratch && number < scratch_parts) {
        body(first, scratch + number * part * stride);
      } else {
        body(first, memory + (number - scratch_parts) * part * stride);
      }
    });
  }
};

inline constexpr Index most_lines_in_turn = Index{1} << 30;

inline void require_countable_lines(summation::Panels const& panels) {
  if (panels.lines > most_lines_in_turn) {
    throw std::invalid_argument("tessera: a GPU takes matrices whose panels have at most " +
                                std::to_string(most_lines_in_turn) + " lines, found " +
                                std::to_string(panels.lines));
  }
}

inline int stack_levels(Index count) {
  return count <= 1 ? 0 : summation::tree_levels(count);
}

template <bool Aligned, class T>
KOKKOS_FORCEINLINE_FUNCTION void store_partial(T* group, bool is_result, OutputVector<T> const& out,
                                               Index column, int offset, int rest,
                                               Word<T> const& word) {
  if (!is_result) {
    store_word<Aligned>(group + column, offset, rest, word);
    return;
  }
  static_for<word_width<T>>([&](auto e) {
    constexpr int at = element_offset<T, Aligned>(e());
    if (offset + at < rest) out.set(column + offset + at, word.e[e()] + T(0));
  });
}

}  // namespace tessera::detail::gpu
