// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>

#include <Kokkos_Core.hpp>

#include <tessera/tuning.hpp>

/// Preconditions. Each throws std::invalid_argument.
namespace tessera::checks {

[[noreturn]] inline void fail(std::string_view operation, std::string const& what) {
  throw std::invalid_argument("tessera::" + std::string(operation) + ": " + what);
}

/// Limits, including gaps: computations with such sizes fit 64 bits.
inline constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62;
inline constexpr std::uint64_t most_lines = std::uint64_t{1} << 50;

/// Saturates.
constexpr std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  return std::bit_width(a) + std::bit_width(b) > 64 ? std::numeric_limits<std::uint64_t>::max()
                                                    : a * b;
}
/// Saturates.
constexpr std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  return a > std::numeric_limits<std::uint64_t>::max() - b
             ? std::numeric_limits<std::uint64_t>::max()
             : a + b;
}

template <std::integral Size>
void require_size(std::string_view operation, Size rows, Size cols, std::size_t element_bytes) {
  auto const m = static_cast<std::uint64_t>(rows);
  auto const n = static_cast<std::uint64_t>(cols);
  if (m > most_lines || n > most_lines || product(product(m, n), element_bytes) > most_bytes) {
    fail(operation, "A must have 0 to 2^50 rows and columns and at most 2^62 bytes, found " +
                        std::to_string(rows) + " x " + std::to_string(cols));
  }
}

template <class Matrix>
void require_elements(std::string_view operation, std::string_view name, Matrix const& x) {
  if (x.extent(0) == 0 || x.extent(1) == 0) {
    fail(operation, std::string(name) + " must have at least one row and one column, found " +
                        std::to_string(x.extent(0)) + " x " + std::to_string(x.extent(1)));
  }
}

template <class Vector>
void require_extent(std::string_view operation, std::string_view name, Vector const& x,
                    std::size_t expected) {
  if (x.extent(0) != expected) {
    fail(operation, std::string(name) + " must have " + std::to_string(expected) +
                        " entries, found " + std::to_string(x.extent(0)));
  }
}

template <class Matrix>
void require_extents(std::string_view operation, std::string_view name, Matrix const& x,
                     std::size_t rows, std::size_t cols) {
  if (x.extent(0) != rows || x.extent(1) != cols) {
    fail(operation, std::string(name) + " must be " + std::to_string(rows) + " x " +
                        std::to_string(cols) + ", found " + std::to_string(x.extent(0)) + " x " +
                        std::to_string(x.extent(1)));
  }
}

template <class Matrix>
void require_rows(std::string_view operation, std::string_view name, Matrix const& x,
                  std::size_t rows) {
  if (x.extent(0) != rows) {
    fail(operation, std::string(name) + " must have " + std::to_string(rows) + " rows, found " +
                        std::to_string(x.extent(0)) + " x " + std::to_string(x.extent(1)));
  }
}

template <class Matrix>
void require_square(std::string_view operation, Matrix const& A) {
  if (A.extent(0) != A.extent(1)) {
    fail(operation, "A must have as many rows as columns, found " + std::to_string(A.extent(0)) +
                        " x " + std::to_string(A.extent(1)));
  }
}

/// In bytes.
struct Place {
  std::uint64_t begin;
  std::uint64_t element;
  std::array<std::uint64_t, 2> count;   ///< 1 if absent
  std::array<std::uint64_t, 2> stride;  ///< 0 if there is only one

  [[nodiscard]] constexpr bool is_empty() const { return count[0] == 0 || count[1] == 0; }
  [[nodiscard]] constexpr std::uint64_t along(std::size_t direction) const {
    return product(count[direction] - 1, stride[direction]);
  }
  [[nodiscard]] constexpr std::uint64_t span() const {
    return is_empty() ? 0 : sum(element, sum(along(0), along(1)));
  }
};

template <class View>
std::size_t element_bytes(View const& x) {
  if constexpr (requires { x.element_bytes(); }) {
    return x.element_bytes();
  } else {
    return sizeof(typename View::value_type);
  }
}
template <class View>
void const* begin_of(View const& x) {
  if constexpr (requires { x.data().bytes; }) {
    return x.data().bytes;
  } else {
    return x.data();
  }
}

template <class View>
Place place_of(View const& x) {
  auto const element = static_cast<std::uint64_t>(element_bytes(x));
  Place place{reinterpret_cast<std::uintptr_t>(begin_of(x)), element, {1, 1}, {0, 0}};
  for (std::size_t i = 0; i < View::rank(); ++i) {
    place.count[i] = x.extent(i);
    if (place.count[i] > 1) {
      place.stride[i] = product(static_cast<std::uint64_t>(x.stride(i)), element);
    }
  }
  return place;
}

template <class View>
void require_memory(std::string_view operation, std::string_view name, View const& x) {
  Place const place = place_of(x);
  if (place.is_empty()) return;
  if (begin_of(x) == nullptr) {
    fail(operation, std::string(name) + " has no memory: its data() is null");
  }
  auto const elements = product(product(place.count[0], place.count[1]), place.element);
  if (place.span() > most_bytes || elements > most_bytes) {
    fail(operation,
         std::string(name) + " must span at most 2^62 bytes, gaps between its elements included");
  }
}

constexpr bool are_distinct(Place const& x) {
  if (x.count[0] <= 1 && x.count[1] <= 1) return true;
  if (x.count[0] <= 1) return x.stride[1] >= x.element;
  if (x.count[1] <= 1) return x.stride[0] >= x.element;
  bool const first_is_wide = x.stride[0] > x.stride[1];
  std::size_t const wide = first_is_wide ? 0 : 1;
  std::size_t const narrow = 1 - wide;
  if (x.stride[narrow] < x.element) return false;
  if (x.stride[wide] > x.along(narrow)) return true;
  // The smallest number of steps along one direction that reaches an element along the other.
  std::uint64_t const common = std::gcd(x.stride[0], x.stride[1]);
  return x.stride[1] / common >= x.count[0] || x.stride[0] / common >= x.count[1];
}

template <class Output>
void require_distinct(std::string_view operation, std::string_view name, Output const& output) {
  Place const place = place_of(output);
  if (place.is_empty() || are_distinct(place)) return;
  std::string strides = std::to_string(output.stride(0));
  for (std::size_t i = 1; i < Output::rank(); ++i) {
    strides += " and " + std::to_string(output.stride(i));
  }
  fail(operation, std::string(name) +
                      " must have elements that are distinct in memory, found strides of " +
                      strides);
}

template <class Matrix>
void require_matrix(std::string_view operation, Matrix const& A) {
  require_size(operation, A.extent(0), A.extent(1), element_bytes(A));
  require_memory(operation, "A", A);
}

template <class Vector>
void require_input(std::string_view operation, std::string_view name, Vector const& x,
                   std::size_t expected) {
  require_extent(operation, name, x, expected);
  require_memory(operation, name, x);
}

template <class Vector>
void require_output(std::string_view operation, std::string_view name, Vector const& x,
                    std::size_t expected) {
  require_input(operation, name, x, expected);
  require_distinct(operation, name, x);
}

/// Whether two views are disjoint modulo a common divisor of strides: columns of a row-major
/// matrix, adjacent blocks.
constexpr bool are_apart_by_steps(Place const& a, Place const& b) {
  auto const step_of = [](Place const& x, unsigned directions) {
    std::uint64_t step = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      if ((directions >> i & 1U) != 0) step = std::gcd(step, x.stride[i]);
    }
    return step;
  };
  auto const width_of = [](Place const& x, unsigned directions) {
    std::uint64_t width = x.element;
    for (std::size_t i = 0; i < 2; ++i) {
      if ((directions >> i & 1U) == 0) width += x.along(i);
    }
    return width;
  };
  for (unsigned of_a = 0; of_a < 4; ++of_a) {
    for (unsigned of_b = 0; of_b < 4; ++of_b) {
      std::uint64_t const step = std::gcd(step_of(a, of_a), step_of(b, of_b));
      if (step == 0) continue;
      std::uint64_t const distance = (b.begin % step + step - a.begin % step) % step;
      std::uint64_t const width_of_a = width_of(a, of_a);
      std::uint64_t const width_of_b = width_of(b, of_b);
      if (width_of_b <= step && distance >= width_of_a && distance <= step - width_of_b)
        return true;
    }
  }
  return false;
}

/// False also for some interleaved views, but never for lines, columns or blocks of the same
/// matrix.
constexpr bool are_apart(Place const& a, Place const& b) {
  if (a.is_empty() || b.is_empty()) return true;
  if (a.begin >= b.begin + b.span() || b.begin >= a.begin + a.span()) return true;
  return are_apart_by_steps(a, b);
}

template <class Output, class Input>
void require_apart(std::string_view operation, std::string_view name, Output const& output,
                   std::string_view input_name, Input const& input) {
  if (!are_apart(place_of(output), place_of(input))) {
    fail(operation, std::string(name) + " must not overlap " + std::string(input_name));
  }
}

inline bool is_power_of_two(Index x) {
  return x > 0 && std::has_single_bit(static_cast<std::uint64_t>(x));
}

inline constexpr int most_tile = 65536;

inline void require_valid(TransposeTuning const& tuning) {
  if (tuning.tile_rows < 1 || tuning.tile_cols < 1 || tuning.team_size < 1 || tuning.band < 1) {
    fail("TransposeTuning", "tile_rows, tile_cols, team_size and band must be at least 1");
  }
  if (tuning.tile_rows > most_tile || tuning.tile_cols > most_tile) {
    fail("TransposeTuning", "tile_rows and tile_cols must be at most 65536, found " +
                                std::to_string(tuning.tile_rows) + " and " +
                                std::to_string(tuning.tile_cols));
  }
}

inline void require_valid(GemmTuning const& tuning) {
  if (tuning.tile_rows < 1 || tuning.tile_cols < 1 || tuning.tile_depth < 1 || tuning.band < 1) {
    fail("GemmTuning", "tile_rows, tile_cols, tile_depth and band must be at least 1");
  }
  if (tuning.tile_rows > most_tile || tuning.tile_cols > most_tile ||
      tuning.tile_depth > most_tile) {
    fail("GemmTuning", "tile_rows, tile_cols and tile_depth must be at most 65536, found " +
                           std::to_string(tuning.tile_rows) + ", " +
                           std::to_string(tuning.tile_cols) + " and " +
                           std::to_string(tuning.tile_depth));
  }
}

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
