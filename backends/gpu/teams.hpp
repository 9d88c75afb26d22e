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

/// A thread's place in its team.
struct Place {
  int thread;
  int lane;  ///< of the warp
  int warp;
  int half;  ///< which of the two segments of the warp's chunk
  int part;  ///< of the sixteen threads that share the segment

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static Place of(Team const& member) {
    int const thread = member.team_rank();
    int const lane = thread % warp_threads;
    return {thread, lane, thread / warp_threads, lane / segment_threads, lane % segment_threads};
  }
  /// The same without signs, which takes fewer instructions where it is worked out again and again
  /// instead of kept. (Other kernels would spill registers with it, nvcc 13.0.)
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

/// Runs `kernel` on `teams` teams of `team_size` <= MaxThreads threads; registers are limited so
/// that MinTeams teams of MaxThreads threads share a multiprocessor. Every `cluster` teams form a
/// cluster, where there are clusters.
template <unsigned MaxThreads, unsigned MinTeams, class Exec, class Kernel>
void for_each_team(Exec const& exec, std::string const& label, Index teams, int team_size,
                   std::size_t scratch, Kernel const& kernel, int cluster = 1) {
  backends::Backend<Exec>::template run_teams<MaxThreads, MinTeams>(exec, label, teams, team_size,
                                                                    scratch, kernel, cluster);
}

/// Teams that share a multiprocessor if each has so many bytes of scratch, of which the system adds
/// some to each.
template <class Exec>
Index teams_with_scratch(Exec const& exec, std::size_t bytes) {
  constexpr std::size_t of_system = 1024;
  return static_cast<Index>((backends::Backend<Exec>::most_scratch(exec) + of_system) /
                            (bytes + of_system));
}

/// The adjacent-pair tree over partial vectors of words that one thread comes by in order. Subtrees
/// that wait have places of the thread's own, (levels, Words, threads). With scratch they are
/// placed by size: the smallest ones, which come most often, are there, as far as there is any (by
/// parts of levels), and the others in memory. Without, they are placed as they come, which takes
/// fewer registers.
template <int Words, class T, bool HasScratch = false>
struct WordStack {
  /// As many as leave registers for a part beside the vector.
  static constexpr int parts_of_level = !HasScratch || Words == 1 ? 1 : Words <= 16 ? 2 : 4;
  static constexpr int part = Words / parts_of_level;  ///< words

  Word<T>* memory;             ///< the thread's first word there
  Index stride;                ///< words between two words of the thread
  Word<T>* scratch = nullptr;  ///< the thread's first word there
  int scratch_parts = 0;

  /// After vector number `index` of `count`: adds what it completes; keeps the sum for later, or
  /// leaves the whole tree in `vector` if it was the last.
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
  /// body(first word, its place) for each part of a level. Two calls: each knows which memory it
  /// reads.
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

/// Lines that threads add one after the other at most, whose counters have 32 bits.
inline constexpr Index most_lines_in_turn = Index{1} << 30;

/// Throws std::invalid_argument if a panel has more lines than that. (The matrix would have 2^45
/// elements and more.)
inline void require_countable_lines(summation::Panels const& panels) {
  if (panels.lines > most_lines_in_turn) {
    throw std::invalid_argument("tessera: a GPU takes matrices whose panels have at most " +
                                std::to_string(most_lines_in_turn) + " lines, found " +
                                std::to_string(panels.lines));
  }
}

/// Levels of a WordStack for `count` vectors: one for each subtree that can wait.
inline int stack_levels(Index count) {
  return count <= 1 ? 0 : summation::tree_levels(count);
}

/// A partial result as a team leaves it: the group's vector in the workspace, or the result.
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
