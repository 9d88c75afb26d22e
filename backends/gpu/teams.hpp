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
  int lane;  ///< in the warp
  int warp;
  int half;  ///< index of the segment in the warp's chunk
  int part;  ///< among the sixteen threads that share the segment

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static Place of(Team const& member) {
    int const thread = member.team_rank();
    int const lane = thread % warp_threads;
    return {thread, lane, thread / warp_threads, lane / segment_threads, lane % segment_threads};
  }
  /// The same with unsigned arithmetic, which takes fewer instructions if the compiler recomputes
  /// the place instead of keeping it. (Other kernels would spill registers with it, nvcc 13.0.)
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

/// Runs `kernel` on `teams` teams of `team_size` <= MaxThreads threads. Limits registers so that
/// MinTeams teams of MaxThreads threads fit one multiprocessor. Every `cluster` teams form a
/// cluster, if the device has clusters.
template <unsigned MaxThreads, unsigned MinTeams, class Exec, class Kernel>
void for_each_team(Exec const& exec, std::string const& label, Index teams, int team_size,
                   std::size_t scratch, Kernel const& kernel, int cluster = 1) {
  backends::Backend<Exec>::template run_teams<MaxThreads, MinTeams>(exec, label, teams, team_size,
                                                                    scratch, kernel, cluster);
}

/// Number of teams that fit a multiprocessor if each has `bytes` bytes of scratch. The system adds
/// some to each.
template <class Exec>
Index teams_with_scratch(Exec const& exec, std::size_t bytes) {
  constexpr std::size_t of_system = 1024;
  return static_cast<Index>((backends::Backend<Exec>::most_scratch(exec) + of_system) /
                            (bytes + of_system));
}

/// The adjacent-pair tree over partial vectors of words, which one thread pushes in order. Waiting
/// subtrees are stored per thread, (levels, Words, threads). With scratch, the smallest subtrees,
/// which are accessed most, are in scratch while it lasts (in parts of levels), the others in
/// memory. Without scratch, waiting subtrees are stored in the order of their arrival, which takes
/// fewer registers.
template <int Words, class T, bool HasScratch = false>
struct WordStack {
  /// The number of parts that leaves registers for a part in addition to the vector.
  static constexpr int parts_of_level = !HasScratch || Words == 1 ? 1 : Words <= 16 ? 2 : 4;
  static constexpr int part = Words / parts_of_level;  ///< words per part

  Word<T>* memory;             ///< the thread's first word in memory
  Index stride;                ///< distance between two words of the thread, in words
  Word<T>* scratch = nullptr;  ///< the thread's first word in scratch
  int scratch_parts = 0;

  /// Pushes vector number `index` of `count` and adds the subtrees that it completes. Stores the
  /// sum for later; if the vector is the last one, leaves the whole tree in `vector`.
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
  /// Calls body(first word, its address) for each part of a level. The two calls let the compiler
  /// know which memory each one accesses.
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

/// Maximum number of lines that a thread adds in sequence: counters have 32 bits.
inline constexpr Index most_lines_in_turn = Index{1} << 30;

/// Throws std::invalid_argument if a panel has more lines than most_lines_in_turn. (The matrix
/// would have at least 2^45 elements.)
inline void require_countable_lines(summation::Panels const& panels) {
  if (panels.lines > most_lines_in_turn) {
    throw std::invalid_argument("tessera: a GPU takes matrices whose panels have at most " +
                                std::to_string(most_lines_in_turn) + " lines, found " +
                                std::to_string(panels.lines));
  }
}

/// Levels of a WordStack for `count` vectors, one for each subtree that can wait.
inline int stack_levels(Index count) {
  return count <= 1 ? 0 : summation::tree_levels(count);
}

/// Stores a team's partial result: in the group's vector in the workspace, or in the result.
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
