// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include <Kokkos_Core.hpp>

#include <tessera/tuning.hpp>

/// Preconditions of the operations. Each throws std::invalid_argument with a sentence that names
/// the operation and the sizes.
namespace tessera::checks {

[[noreturn]] inline void fail(std::string_view operation, std::string const& what) {
  throw std::invalid_argument("tessera::" + std::string(operation) + ": " + what);
}

/// A has at least one row and one column.
template <class Matrix>
void require_elements(std::string_view operation, Matrix const& A) {
  if (A.extent(0) == 0 || A.extent(1) == 0) {
    fail(operation, "A must have at least one row and one column, found " +
                        std::to_string(A.extent(0)) + " x " + std::to_string(A.extent(1)));
  }
}

/// The vector called `name` has `expected` entries.
template <class Vector>
void require_extent(std::string_view operation, std::string_view name, Vector const& x,
                    std::size_t expected) {
  if (x.extent(0) != expected) {
    fail(operation, std::string(name) + " must have " + std::to_string(expected) +
                        " entries, found " + std::to_string(x.extent(0)));
  }
}

/// The matrix called `name` is rows x cols.
template <class Matrix>
void require_extents(std::string_view operation, std::string_view name, Matrix const& x,
                     std::size_t rows, std::size_t cols) {
  if (x.extent(0) != rows || x.extent(1) != cols) {
    fail(operation, std::string(name) + " must be " + std::to_string(rows) + " x " +
                        std::to_string(cols) + ", found " + std::to_string(x.extent(0)) + " x " +
                        std::to_string(x.extent(1)));
  }
}

/// The matrix called `name` has `rows` rows, and at least one column.
template <class Matrix>
void require_rows(std::string_view operation, std::string_view name, Matrix const& x,
                  std::size_t rows) {
  if (x.extent(0) != rows || x.extent(1) == 0) {
    fail(operation, std::string(name) + " must have " + std::to_string(rows) +
                        " rows and at least one column, found " + std::to_string(x.extent(0)) +
                        " x " + std::to_string(x.extent(1)));
  }
}

/// A has as many rows as columns.
template <class Matrix>
void require_square(std::string_view operation, Matrix const& A) {
  if (A.extent(0) != A.extent(1)) {
    fail(operation, "A must have as many rows as columns, found " + std::to_string(A.extent(0)) +
                        " x " + std::to_string(A.extent(1)));
  }
}

/// The first byte after a view's last element.
template <class View>
std::uintptr_t end_of(View const& x) {
  return reinterpret_cast<std::uintptr_t>(x.data()) + x.span() * sizeof(typename View::value_type);
}

/// The output called `name` shares no memory with `input`. Views that interleave without sharing
/// an element (two columns of a row-major matrix) count as sharing.
template <class Output, class Input>
void require_apart(std::string_view operation, std::string_view name, Output const& output,
                   std::string_view input_name, Input const& input) {
  auto const begin = reinterpret_cast<std::uintptr_t>(output.data());
  auto const input_begin = reinterpret_cast<std::uintptr_t>(input.data());
  if (begin < end_of(input) && input_begin < end_of(output)) {
    fail(operation, std::string(name) + " must not overlap " + std::string(input_name));
  }
}

inline bool is_power_of_two(Index x) {
  return x > 0 && std::has_single_bit(static_cast<std::uint64_t>(x));
}

/// A caller's tuning has values that mean something; whether a backend has it is asked there.
inline void require_valid(TransposeTuning const& tuning) {
  if (tuning.tile_rows < 1 || tuning.tile_cols < 1 || tuning.team_size < 1 || tuning.band < 1) {
    fail("TransposeTuning", "tile_rows, tile_cols, team_size and band must be at least 1");
  }
}

/// The same of a matrix product's.
inline void require_valid(GemmTuning const& tuning) {
  if (tuning.tile_rows < 1 || tuning.tile_cols < 1 || tuning.tile_depth < 1 || tuning.band < 1) {
    fail("GemmTuning", "tile_rows, tile_cols, tile_depth and band must be at least 1");
  }
}

/// A caller's tuning is one that kernels can follow.
inline void require_valid(Tuning const& tuning) {
  auto const step = [](int lines) { return lines == 1 || lines == 2 || lines == 4 || lines == 8; };
  if (!step(tuning.dot.lines_per_step) || !step(tuning.sum.lines_per_step) ||
      !step(tuning.fused_lines.lines_per_step) || !step(tuning.fused_tiles.lines_per_step)) {
    fail("Tuning", "lines_per_step must be 1, 2, 4 or 8");
  }
  if (tuning.dot.lines_per_team < 1 || tuning.sum.columns_per_team < 1) {
    fail("Tuning", "lines_per_team and columns_per_team must be at least 1");
  }
  if (!is_power_of_two(tuning.sum.panels_per_team) ||
      !is_power_of_two(tuning.fused_lines.panels_per_team) ||
      !is_power_of_two(tuning.fused_tiles.segments_per_tile) ||
      !is_power_of_two(tuning.fused_tiles.tiles_per_team) ||
      (tuning.dot.segments_per_run != 0 && !is_power_of_two(tuning.dot.segments_per_run))) {
    fail("Tuning",
         "panels_per_team, segments_per_tile, tiles_per_team and segments_per_run must be powers "
         "of two");
  }
}

}  // namespace tessera::checks
