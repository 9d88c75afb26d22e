// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include <Kokkos_Core.hpp>

#include <tessera/kernels/items.hpp>
#include <tessera/kernels/launch.hpp>
#include <tessera/order/blocks.hpp>
#include <tessera/order/lines.hpp>
#include <tessera/order/powers.hpp>
#include <tessera/tuning.hpp>

/// Shapes and division of work, from what Kokkos reports. No value changes a bit of a result.
namespace tessera::kernels {

using detail::InputVectors;
using detail::Lines;

template <class T, int Columns = 1>
using OfOneThread = Shape<lanes<T>, 0, 4, 1, Columns>;

inline constexpr int most_threads = 512;
/// A quarter on a GPU, where each thread uses many registers.
template <class Exec>
Index threads_at_once(Exec const& exec) {
  return teams_of_one<Exec> ? exec.concurrency() : exec.concurrency() / 4;
}
template <class Exec>
Index teams_at_once(Exec const& exec, int threads) {
  // Small teams even out differences in speed.
  Index const for_each = teams_of_one<Exec> && exec.concurrency() > 1 ? 8 : 1;
  return std::max(Index{1}, for_each * threads_at_once(exec) / threads);
}

inline int threads_for(Index items, int kept) {
  constexpr Index warp = 32;
  Index const threads = summation::ceil_div(summation::ceil_div(items, kept), warp) * warp;
  return static_cast<int>(std::min(Index{most_threads}, threads));
}
/// Items per thread, and the largest team with so many registers.
inline constexpr int many_kept = 4;
inline constexpr int threads_with_many = most_threads / 2;

template <class T>
bool begins_with_word(T const* data) {
  return reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
}
/// A word has as many elements as one of T.
template <class T>
bool begins_with_word(detail::NarrowData<T> const& data) {
  return reinterpret_cast<std::uintptr_t>(data.bytes) %
             (16 / sizeof(T) * element_bytes(data.storage)) ==
         0;
}

template <class T, class Data>
bool on_words(Lines<T, Data> const& lines, InputVectors<T> const& x) {
  constexpr Index word = 16 / sizeof(T);
  return begins_with_word(lines.data) && begins_with_word(x.data) && x.pitch % word == 0 &&
         lines.leading % word == 0 && lines.length % word == 0;
}

enum class LineStorage {
  small,  ///< one item per thread, in registers
  any,    ///< read again from cache
  wide,   ///< as `any`, or many_kept items of words
};

/// Calls body(Shape, threads) for parts of `length` elements. Teams below MaxThreads have more
/// registers per thread.
template <class Exec, LineStorage storage, int MaxThreads, class T, class Data, class Body>
void with_shape(detail::OneColumn const& /*of_block*/, Lines<T, Data> const& lines,
                InputVectors<T> const& x, Index length, Body const& body) {
  if constexpr (teams_of_one<Exec>) {
    body(OfOneThread<T>{}, 1);
  } else {
    constexpr int word = 16 / sizeof(T);
    constexpr int many = many_kept;
    Index const items = summation::segments<T>(length) * (lanes<T> / word);
    bool const words = on_words(lines, x);
    if (length <= lanes<T>) return body(Shape<1, lanes<T> / 32, 8, 32>{}, 32);
    if (storage == LineStorage::small || items <= MaxThreads) {
      int const threads = threads_for(items, 1);
      return words ? body(Shape<word, 1, 2, MaxThreads>{}, threads)
                   : body(Shape<word, 1, 2, MaxThreads, 1, false>{}, threads);
    }
    if constexpr (storage == LineStorage::wide) {
      if (items <= many * threads_with_many) {
        int const threads = threads_for(items, many);
        return words ? body(Shape<word, many, 1, threads_with_many>{}, threads)
                     : body(Shape<word, many, 1, threads_with_many, 1, false>{}, threads);
      }
    }
    if constexpr (storage != LineStorage::small) body(Shape<1, 0, 1, most_threads>{}, most_threads);
  }
}

inline constexpr int most_of_block = 8;
/// Limit of teams whose threads use up to 255 registers.
inline constexpr int threads_with_block = 128;

/// On a GPU, threads keep an item of all columns of short lines.
template <class Exec, LineStorage storage, int /*MaxThreads*/, class T, class Data, class Body>
void with_shape(detail::SomeColumns const& of_block, Lines<T, Data> const& lines,
                InputVectors<T> const& x, Index length, Body const& body) {
  constexpr bool is_fused = storage == LineStorage::wide;
  auto const of = [&]<int Columns>(detail::StaticInt<Columns>) {
    if constexpr (teams_of_one<Exec>) {
      body(OfOneThread<T, Columns>{}, 1);
    } else {
      constexpr int word = 16 / sizeof(T);
      Index const items = summation::segments<T>(length) * (lanes<T> / word);
      bool const words = on_words(lines, x);
      if constexpr (!is_fused || Columns == 4) {  // x and sums of 8 columns do not fit registers
        if (words && items <= threads_with_block) {
          constexpr int lines_of_step = Columns == 4 && !is_fused ? 2 : 1;
          return body(Shape<word, 1, lines_of_step, threads_with_block, Columns>{},
                      threads_for(items, 1));
        }
      }
      int const threads = static_cast<int>(std::min<Index>(items * word, 2 * threads_with_block));
      body(Shape<1, 0, 1, 2 * threads_with_block, Columns>{}, (threads + 31) / 32 * 32);
    }
  };
  of_block.count() <= 4 ? of(detail::StaticInt<4>{}) : of(detail::StaticInt<most_of_block>{});
}

template <class T, class Shape>
Index chunk_of(Index length) {
  constexpr Index most = Shape::width == 1 ? 16 : 64;  // segments; their leaves fit any scratch
  return Shape::kept > 0 ? length : std::min(length, most / Shape::columns * segment<T>);
}

/// The smallest power of two with which `teams` suffice for `count` things.
inline Index dealt_to(Index teams, Index count) {
  return detail::ceil_power_of_two(summation::ceil_div(count, teams));
}

template <class T, class Exec>
Tuning tuning(Exec const& exec, Index count, Index length) {
  constexpr Index columns = teams_of_one<Exec> ? 4096 : 4 * segment<T>;
  constexpr Index tile_bytes = 256 * 1024;
  auto const threads_of = [](Index elements) {
    constexpr int word = 16 / sizeof(T);
    return teams_of_one<Exec>
               ? 1
               : threads_for(summation::segments<T>(elements) * (lanes<T> / word), 1);
  };
  summation::Panels const panels = summation::panels(count, length);
  Index const segments = summation::segments<T>(length);
  Tuning result;

  if constexpr (teams_of_one<Exec>) {
    Index const teams = teams_at_once(exec, 1);
    Index const runs = std::max(teams / std::max(Index{1}, count / 4), Index{1});
    result.dot.segments_per_run =
        detail::floor_power_of_two(std::min(segments, std::max(Index{8}, segments / runs)));
    result.dot.lines_per_team = std::max(Index{4}, summation::ceil_div(count, teams) / 4 * 4);
  } else {
    // Small teams hide each other's barriers. One thread adds the runs of a line: not too many.
    Index const per_run =
        detail::floor_power_of_two(std::clamp(segments / 64, Index{4}, Index{most_threads} / 16));
    Index const runs = summation::ceil_div(segments, per_run);
    Index const teams = 4 * teams_at_once(exec, threads_of(std::min(length, per_run * segment<T>)));
    result.dot.segments_per_run = per_run;
    Index const wanted =
        std::clamp(summation::ceil_div(count * runs, teams) / 4 * 4, Index{4}, Index{128});
    result.dot.lines_per_team =
        std::max(wanted, 4 * summation::ceil_div(count * runs, 4 * detail::most_teams));
  }
  if (result.dot.segments_per_run >= segments) result.dot.segments_per_run = 0;

  result.sum.columns_per_team = columns;
  int const sum_threads = threads_of(std::min(columns, length));
  Index const sum_teams = teams_at_once(exec, sum_threads) * (sum_threads <= 32 ? 1 : 2);
  Index const column_tiles = summation::ceil_div(length, columns);
  result.sum.panels_per_team = dealt_to(std::max(Index{1}, sum_teams / column_tiles), panels.count);

  int const fused_threads = threads_of(length);
  result.fused_lines.panels_per_team =
      dealt_to(teams_at_once(exec, fused_threads) * (fused_threads <= 32 ? 1 : 4), panels.count);

  Index const fit = tile_bytes / (count * Index{segment<T>} * Index{sizeof(T)});
  result.fused_tiles.segments_per_tile =
      teams_of_one<Exec> ? detail::floor_power_of_two(fit) : Index{4};
  Index const tiles = summation::ceil_div(segments, result.fused_tiles.segments_per_tile);
  result.fused_tiles.tiles_per_team = dealt_to(
      teams_at_once(exec, threads_of(result.fused_tiles.segments_per_tile * segment<T>)), tiles);
  return result;
}

template <class Exec>
TransposeTuning transpose_tuning() {
  if (teams_of_one<Exec>) return {.tile_rows = 64, .tile_cols = 64, .team_size = 1, .band = 8};
  return {.tile_rows = 32, .tile_cols = 32, .team_size = 256, .band = 8};
}

template <class Exec>
GemmTuning gemm_tuning() {
  if (teams_of_one<Exec>) return {.tile_rows = 64, .tile_cols = 128, .tile_depth = 128, .band = 8};
  return {.tile_rows = 64, .tile_cols = 64, .tile_depth = 16, .band = 8};
}

template <class T, bool RowMajor, class Exec>
Tuning tuning_of_matrix(Exec const& exec, Index rows, Index cols) {
  constexpr Index most_kept = Index{many_kept * threads_with_many} * 64 / Index{sizeof(T)};
  constexpr Index most_columns = 512;  // column-major: a tile of all columns stays in cache
  Tuning result = tuning<T>(exec, RowMajor ? rows : cols, RowMajor ? cols : rows);
  result.prefer_fused = RowMajor ? teams_of_one<Exec> || cols <= most_kept : cols <= most_columns;
  return result;
}

/// On a GPU small teams take short runs of many lines, so that threads keep an item of all vectors:
/// from the number of registers, not measured. The fused kernel of column-major lines takes one
/// vector.
template <class T, bool RowMajor, class Exec>
Tuning tuning_of_blocks(Exec const& exec, Index rows, Index cols, int vectors) {
  Tuning result = tuning_of_matrix<T, RowMajor>(exec, rows, cols);
  if constexpr (teams_of_one<Exec>) {
    result.sum.columns_per_team = 1024;
    result.prefer_fused = RowMajor;
  } else {
    constexpr Index segments_of_run = 4;
    Index const count = RowMajor ? rows : cols;
    Index const runs =
        summation::ceil_div(summation::segments<T>(RowMajor ? cols : rows), segments_of_run);
    Index const teams = 4 * teams_at_once(exec, threads_for(segments_of_run * 16, 1));
    result.dot.segments_per_run = runs == 1 ? 0 : segments_of_run;
    result.dot.lines_per_team =
        std::max(Index{16}, summation::ceil_div(count * runs, teams) / 4 * 4);
    result.prefer_fused =
        RowMajor && vectors <= 4 && cols * Index{sizeof(T)} <= Index{threads_with_block} * 64;
  }
  return result;
}

}  // namespace tessera::kernels
