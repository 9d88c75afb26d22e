// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include <Kokkos_Macros.hpp>

#include <tessera/backends/platform/floating_point.hpp>

/// The canonical order of summation (docs/summation.md): a function of the matrix' shape alone,
/// never of a backend, a tuning or a number of threads.
namespace tessera::summation {

using Index = std::int64_t;

/// Accumulators of a dot product: 256 bytes per line.
template <class Scalar>
inline constexpr int lanes = 256 / static_cast<int>(sizeof(Scalar));
/// Steps of each lane's chain inside one segment.
inline constexpr int chain_steps = 4;
/// Consecutive elements that are added up before the tree over segments.
template <class Scalar>
inline constexpr int segment = lanes<Scalar> * chain_steps;
inline constexpr Index min_panel_lines = 8;
/// Matrix products: lengths of chains are multiples of chain_grain, and enough_chains keep any
/// device busy.
inline constexpr Index min_chain = 256;
inline constexpr Index chain_grain = 16;
inline constexpr Index enough_chains = Index{1} << 20;
/// Of an ordinary line, and the minimum of max_panels() for such lines.
inline constexpr Index max_ordinary_length = 16384;
inline constexpr Index min_ordinary_panels = 1024;

KOKKOS_INLINE_FUNCTION constexpr Index ceil_div(Index a, Index b) {
  return (a + b - 1) / b;
}

/// A single row or column is contiguous in both layouts, so it always has the row-major order.
constexpr bool lines_are_rows(bool row_major, Index rows, Index cols) {
  return row_major || rows == 1 || cols == 1;
}

/// ceil(log2(x)) for x >= 1: levels of the adjacent-pair tree over x values.
constexpr int tree_levels(Index x) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(x - 1)));
}

constexpr Index max_panels(Index length) {
  if (length > max_ordinary_length) {
    return 8 * std::max(Index{1}, (Index{1} << 20) / length);
  }
  return std::clamp((Index{1} << 22) / length, min_ordinary_panels, Index{32768});
}

struct Panels {
  Index lines;  ///< the last panel may have fewer
  Index count;

  friend constexpr bool operator==(Panels const&, Panels const&) = default;
};

constexpr Panels panels(Index count, Index length) {
  // Equal to the code below, without divisions, which are slow for small matrices.
  if (length <= max_ordinary_length && count <= min_ordinary_panels * min_panel_lines) {
    return {.lines = min_panel_lines, .count = ceil_div(count, min_panel_lines)};
  }
  Index const lines = std::max(min_panel_lines, ceil_div(count, max_panels(length)));
  return {.lines = lines, .count = ceil_div(count, lines)};
}

template <class Scalar>
KOKKOS_INLINE_FUNCTION constexpr Index segments(Index length) {
  return ceil_div(length, segment<Scalar>);
}

struct Chains {
  Index length;  ///< the last chain may have fewer
  Index count;   ///< per element

  friend constexpr bool operator==(Chains const&, Chains const&) = default;
};

/// One chain per element, unless there are so few elements that a device would be idle.
constexpr Chains chains(Index rows, Index cols, Index depth) {
  bool const many = rows >= enough_chains || cols >= enough_chains;
  Index const elements = many ? enough_chains : std::min(enough_chains, rows * cols);
  Index const wanted = std::min(enough_chains / elements, ceil_div(depth, min_chain));
  Index const length = ceil_div(ceil_div(depth, wanted), chain_grain) * chain_grain;
  return {.length = length, .count = ceil_div(depth, length)};
}

/// Roundings of one product's contribution to the result, as below.
constexpr Index product_depth(Index rows, Index cols, Index depth) {
  Chains const c = chains(rows, cols, depth);
  return std::min(c.length, depth) + tree_levels(c.count);
}

template <class Scalar>
constexpr int dot_depth(Index length) {
  constexpr Index width = lanes<Scalar>;
  int const chain = static_cast<int>(std::min(Index{chain_steps}, ceil_div(length, width)));
  return chain + tree_levels(length <= width ? length : width * segments<Scalar>(length));
}

/// At most 2^63.
constexpr Index sum_depth(Index count, Index length) {
  Panels const p = panels(count, length);
  return std::min(p.lines, count) + tree_levels(p.count);
}

}  // namespace tessera::summation
