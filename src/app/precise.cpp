// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <limits>

#include <Kokkos_Core.hpp>

#include <app/precise.hpp>
#include <app/precise_sum.hpp>

namespace tessera::app {
namespace {

using HostExec = Kokkos::DefaultHostExecutionSpace;
using Tasks = Kokkos::RangePolicy<HostExec, Kokkos::Schedule<Kokkos::Dynamic>,
                                  Kokkos::IndexType<std::int64_t>>;

constexpr std::int64_t piece_length = 65536;  // elements of a line that one task adds up
constexpr std::int64_t width = 16;            // sums side by side in a dot product
constexpr std::int64_t block = 256;           // columns that one task of a sum over lines owns

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// Runs of lines that a sum over lines is cut into, so that all threads have work.
std::int64_t runs_of_lines(std::int64_t count, std::int64_t length) {
  return std::clamp((std::int64_t{1} << 22) / length, std::int64_t{1},
                    std::min(count, std::int64_t{64}));
}

void store(PreciseTotal const& total, PreciseVector& to, std::size_t i) {
  to.high[i] = total.value.high;
  to.low[i] = total.value.low;
  to.weight[i] = total.weight;
  if (total.special != 0) {
    to.high[i] = total.special;  // NaN or infinite whatever the ordinary terms are
    to.low[i] = 0;
  } else if (!std::isfinite(total.value.high) || !std::isfinite(total.value.low)) {
    to.weight[i] = std::numeric_limits<double>::infinity();
  }
}

template <class T>
PreciseTotal dot_piece(T const* a, PreciseVector const& x, std::int64_t first, std::int64_t last) {
  using Sums = PreciseSums<T, width>;
  auto const at = [](std::int64_t j) { return static_cast<std::size_t>(j); };
  Sums sums;
  std::int64_t j = first;
  for (; j + width <= last; j += width) {
    for (std::size_t k = 0; k < at(width); ++k) {
      auto const e = at(j) + k;
      sums.add(k, a[e], x.high[e], x.low[e], x.weight[e]);
    }
  }
  for (; j < last; ++j) sums.add(at(j % width), a[j], x.high[at(j)], x.low[at(j)], x.weight[at(j)]);
  if (!sums.all_finite()) {
    sums = Sums{};
    for (j = first; j < last; ++j) {
      sums.add_any(at(j % width), a[j], x.high[at(j)], x.low[at(j)], x.weight[at(j)]);
    }
  }
  PreciseTotal total;
  for (std::size_t k = 0; k < at(width); ++k) {
    total.add(sums.value(k), sums.weight(k), sums.special(k));
  }
  return total;
}

template <class T>
PreciseSums<T, block> sum_block(Lines<T> lines, PreciseVector const& y, std::int64_t first_line,
                                std::int64_t last_line, std::int64_t first, std::int64_t columns) {
  using Sums = PreciseSums<T, block>;
  auto const add_lines = [&](auto add_term) {
    for (auto i = first_line; i < last_line; ++i) {
      T const* const a = lines.data + i * lines.length + first;
      auto const e = static_cast<std::size_t>(i);
      double const factor = y.high[e], factor_low = y.low[e], weight = y.weight[e];
      for (std::size_t k = 0; k < static_cast<std::size_t>(columns); ++k) {
        add_term(k, a[k], factor, factor_low, weight);
      }
    }
  };
  Sums sums;
  add_lines([&](auto... term) { sums.add(term...); });
  if (!sums.all_finite()) {
    sums = Sums{};
    add_lines([&](auto... term) { sums.add_any(term...); });
  }
  return sums;
}

}  // namespace

std::int64_t longest_chain_of_dot(std::int64_t length) {
  return ceil_div(std::min(length, piece_length), width) + 1;
}

std::int64_t longest_chain_of_sum(std::int64_t count, std::int64_t length) {
  return ceil_div(count, runs_of_lines(count, length));
}

std::uint64_t precise_workspace_bytes(std::int64_t count, std::int64_t length) {
  auto const dots = count * ceil_div(length, piece_length);
  auto const sums = runs_of_lines(count, length) * length;
  return static_cast<std::uint64_t>(std::max(dots, sums)) * sizeof(PreciseTotal);
}

template <class T>
PreciseVector dot_lines(Lines<T> lines, PreciseVector const& x, ProgressBar& bar) {
  auto const pieces = ceil_div(lines.length, piece_length);
  auto const lines_at_once = pieces > 1 ? 1 : ceil_div(piece_length, lines.length);
  auto const groups = ceil_div(lines.count, lines_at_once);
  std::vector<PreciseTotal> parts(static_cast<std::size_t>(lines.count * pieces));

  Kokkos::parallel_for(
      "tessera::app::dot_lines", Tasks(HostExec(), 0, groups * pieces), [&](std::int64_t task) {
        auto const first = task % pieces * piece_length;
        auto const last = std::min(first + piece_length, lines.length);
        auto const first_line = task / pieces * lines_at_once;
        auto const last_line = std::min(first_line + lines_at_once, lines.count);
        for (auto i = first_line; i < last_line; ++i) {
          parts[static_cast<std::size_t>(i * pieces + task % pieces)] =
              dot_piece(lines.data + i * lines.length, x, first, last);
        }
        bar.advance(static_cast<std::uint64_t>((last - first) * (last_line - first_line)) *
                    sizeof(T));
      });
  HostExec().fence("tessera::app::dot_lines");

  PreciseVector result(lines.count);
  for (std::size_t i = 0; i < result.high.size(); ++i) {
    PreciseTotal total;
    for (std::size_t k = 0; k < static_cast<std::size_t>(pieces); ++k) {
      auto const& part = parts[i * static_cast<std::size_t>(pieces) + k];
      total.add(part.value, part.weight, part.special);
    }
    store(total, result, i);
  }
  return result;
}

template <class T>
PreciseVector sum_lines(Lines<T> lines, PreciseVector const& y, ProgressBar& bar) {
  auto const runs = runs_of_lines(lines.count, lines.length);
  auto const run_length = ceil_div(lines.count, runs);
  auto const blocks = ceil_div(lines.length, block);
  std::vector<PreciseTotal> parts(static_cast<std::size_t>(runs * lines.length));

  Kokkos::parallel_for(
      "tessera::app::sum_lines", Tasks(HostExec(), 0, runs * blocks), [&](std::int64_t task) {
        auto const run = task / blocks;
        auto const first_line = std::min(run * run_length, lines.count);
        auto const last_line = std::min(first_line + run_length, lines.count);
        auto const first = task % blocks * block;
        auto const columns = std::min(block, lines.length - first);
        auto const sums = sum_block(lines, y, first_line, last_line, first, columns);
        for (std::size_t k = 0; k < static_cast<std::size_t>(columns); ++k) {
          parts[static_cast<std::size_t>(run * lines.length + first) + k].add(
              sums.value(k), sums.weight(k), sums.special(k));
        }
        bar.advance(static_cast<std::uint64_t>(columns * (last_line - first_line)) * sizeof(T));
      });
  HostExec().fence("tessera::app::sum_lines");

  PreciseVector result(lines.length);
  for (std::size_t j = 0; j < result.high.size(); ++j) {
    PreciseTotal total;
    for (std::size_t run = 0; run < static_cast<std::size_t>(runs); ++run) {
      auto const& part = parts[run * result.high.size() + j];
      total.add(part.value, part.weight, part.special);
    }
    store(total, result, j);
  }
  return result;
}

template PreciseVector dot_lines(Lines<float>, PreciseVector const&, ProgressBar&);
template PreciseVector dot_lines(Lines<double>, PreciseVector const&, ProgressBar&);
template PreciseVector sum_lines(Lines<float>, PreciseVector const&, ProgressBar&);
template PreciseVector sum_lines(Lines<double>, PreciseVector const&, ProgressBar&);

}  // namespace tessera::app
