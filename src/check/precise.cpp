// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <check/precise.hpp>
#include <cstddef>
#include <limits>

#include <Kokkos_Core.hpp>

namespace tessera::check {
namespace {

using HostExec = Kokkos::DefaultHostExecutionSpace;
using Tasks = Kokkos::RangePolicy<HostExec, Kokkos::Schedule<Kokkos::Dynamic>,
                                  Kokkos::IndexType<std::int64_t>>;

constexpr std::int64_t piece_length = 65536;  // elements per task
constexpr std::int64_t width = 16;            // parallel sums in a dot product
constexpr std::int64_t block = 256;           // columns per task

void tell(Advance const& advance, std::uint64_t bytes) {
  if (advance) advance(bytes);
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

std::int64_t runs_of_lines(std::int64_t count, std::int64_t length) {
  return std::clamp((std::int64_t{1} << 22) / length, std::int64_t{1},
                    std::min(count, std::int64_t{64}));
}

/// `magnitude` combines value, error and the product's error. Times `relative` it is the entry's
/// error in a sum. Infinite if the entry may be no number.
struct Factors {
  std::vector<double> high;
  std::vector<double> low;
  std::vector<double> magnitude;

  Factors(PreciseVector const& x, ErrorModel const& model)
      : high(x.size()), low(x.size()), magnitude(x.size()) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      high[i] = x[i].high;
      low[i] = x[i].low;
      magnitude[i] = x[i].outcomes.is_number()
                         ? std::fabs(x[i].high) + x[i].error + x[i].error / model.relative
                         : std::numeric_limits<double>::infinity();
    }
  }
};

/// Whether no partial sum in T overflows, in any order, and no term is infinite or NaN.
template <class T>
bool is_ordinary(double magnitude, ErrorModel const& model) {
  constexpr double largest = 0.99 * static_cast<double>(std::numeric_limits<T>::max());
  return magnitude * (1 + model.relative) < largest;  // false for NaN
}

PreciseEntry entry_of(PreciseTotal const& total, ErrorModel const& model) {
  return {.high = total.value.high,
          .low = total.value.low,
          .error = total.magnitude * model.relative * model.of_bound + model.underflow};
}

/// Of line i.
template <class T>
PreciseTotal dot_piece(Lines<T> lines, std::int64_t i, Factors const& x, std::int64_t first,
                       std::int64_t last) {
  using Sums = PreciseSums<T, width>;
  auto const at = [](std::int64_t j) { return static_cast<std::size_t>(j); };
  Sums sums;
  std::array<T, at(block)> room;
  static_assert(block % width == 0);
  for (auto begin = first; begin < last; begin += block) {
    auto const some = std::min(block, last - begin);
    T const* const a = lines.elements(i, begin, some, room.data());
    std::int64_t j = 0;
    for (; j + width <= some; j += width) {
      for (std::size_t k = 0; k < at(width); ++k) {
        auto const e = at(begin + j) + k;
        sums.add(k, a[at(j) + k], x.high[e], x.low[e], x.magnitude[e]);
      }
    }
    for (; j < some; ++j) {
      auto const e = at(begin + j);
      sums.add(at(j % width), a[j], x.high[e], x.low[e], x.magnitude[e]);
    }
  }
  PreciseTotal total;
  for (std::size_t k = 0; k < at(width); ++k) total.add(sums.value(k), sums.magnitude(k));
  return total;
}

template <class T>
PreciseSums<T, block> sum_block(Lines<T> lines, Factors const& y, std::int64_t first_line,
                                std::int64_t last_line, std::int64_t first, std::int64_t columns) {
  PreciseSums<T, block> sums;
  std::array<T, static_cast<std::size_t>(block)> room;
  for (auto i = first_line; i < last_line; ++i) {
    T const* const a = lines.elements(i, first, columns, room.data());
    auto const e = static_cast<std::size_t>(i);
    double const factor = y.high[e], factor_low = y.low[e], magnitude = y.magnitude[e];
    for (std::size_t k = 0; k < static_cast<std::size_t>(columns); ++k) {
      sums.add(k, a[k], factor, factor_low, magnitude);
    }
  }
  return sums;
}

template <class T>
PreciseEntry careful_dot(Lines<T> lines, PreciseVector const& x, ErrorModel const& model,
                         std::int64_t i) {
  CarefulSum<T> sum;
  std::array<T, static_cast<std::size_t>(block)> room;
  for (std::int64_t first = 0; first < lines.length; first += block) {
    auto const some = std::min(block, lines.length - first);
    T const* const a = lines.elements(i, first, some, room.data());
    for (std::int64_t j = 0; j < some; ++j) sum.add(a[j], x[static_cast<std::size_t>(first + j)]);
  }
  return sum.entry(model);
}

/// Sums from column `first`.
template <class T>
std::vector<CarefulSum<T>> careful_sums(Lines<T> lines, PreciseVector const& y, std::int64_t first,
                                        std::int64_t columns) {
  std::vector<CarefulSum<T>> sums(static_cast<std::size_t>(columns));
  std::array<T, static_cast<std::size_t>(block)> room;
  for (std::size_t i = 0; i < y.size(); ++i) {
    T const* const a = lines.elements(static_cast<std::int64_t>(i), first, columns, room.data());
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k].add(a[k], y[i]);
  }
  return sums;
}

}  // namespace

Outcomes outcomes_of(double value) {
  return {.number = std::isfinite(value),
          .plus = std::isinf(value) && value > 0,
          .minus = std::isinf(value) && value < 0,
          .nan = std::isnan(value)};
}

std::int64_t longest_chain_of_dot(std::int64_t length) {
  return ceil_div(std::min(length, piece_length), width) + 1;
}

std::int64_t longest_chain_of_sum(std::int64_t count, std::int64_t length) {
  return ceil_div(count, runs_of_lines(count, length));
}

std::uint64_t precise_bytes(std::int64_t count, std::int64_t length) {
  auto const dots = count * ceil_div(length, piece_length);
  auto const sums = runs_of_lines(count, length) * length;
  auto const vectors = count + length;
  return static_cast<std::uint64_t>(std::max(dots, sums)) * sizeof(PreciseTotal) +
         static_cast<std::uint64_t>(vectors) * (sizeof(PreciseEntry) + 3 * sizeof(double));
}

template <class T>
PreciseVector dot_lines(Lines<T> lines, PreciseVector const& x, ErrorModel const& model,
                        Advance const& advance) {
  Factors const factors(x, model);
  auto const pieces = ceil_div(lines.length, piece_length);
  auto const lines_at_once = pieces > 1 ? 1 : ceil_div(piece_length, lines.length);
  auto const groups = ceil_div(lines.count, lines_at_once);
  std::vector<PreciseTotal> parts(static_cast<std::size_t>(lines.count * pieces));

  Kokkos::parallel_for(
      "tessera::check::dot_lines", Tasks(HostExec(), 0, groups * pieces), [&](std::int64_t task) {
        auto const first = task % pieces * piece_length;
        auto const last = std::min(first + piece_length, lines.length);
        auto const first_line = task / pieces * lines_at_once;
        auto const last_line = std::min(first_line + lines_at_once, lines.count);
        for (auto i = first_line; i < last_line; ++i) {
          parts[static_cast<std::size_t>(i * pieces + task % pieces)] =
              dot_piece(lines, i, factors, first, last);
        }
        tell(advance,
             static_cast<std::uint64_t>((last - first) * (last_line - first_line)) * sizeof(T));
      });
  HostExec().fence("tessera::check::dot_lines");

  PreciseVector result(static_cast<std::size_t>(lines.count));
  Kokkos::parallel_for(
      "tessera::check::dot_lines of lines", Tasks(HostExec(), 0, lines.count), [&](std::int64_t i) {
        PreciseTotal total;
        for (std::int64_t k = 0; k < pieces; ++k) {
          auto const& part = parts[static_cast<std::size_t>(i * pieces + k)];
          total.add(part.value, part.magnitude);
        }
        result[static_cast<std::size_t>(i)] = is_ordinary<T>(total.magnitude, model)
                                                  ? entry_of(total, model)
                                                  : careful_dot(lines, x, model, i);
      });
  HostExec().fence("tessera::check::dot_lines of lines");
  return result;
}

template <class T>
PreciseVector sum_lines(Lines<T> lines, PreciseVector const& y, ErrorModel const& model,
                        Advance const& advance) {
  Factors const factors(y, model);
  auto const runs = runs_of_lines(lines.count, lines.length);
  auto const run_length = ceil_div(lines.count, runs);
  auto const blocks = ceil_div(lines.length, block);
  std::vector<PreciseTotal> parts(static_cast<std::size_t>(runs * lines.length));

  Kokkos::parallel_for(
      "tessera::check::sum_lines", Tasks(HostExec(), 0, runs * blocks), [&](std::int64_t task) {
        auto const run = task / blocks;
        auto const first_line = std::min(run * run_length, lines.count);
        auto const last_line = std::min(first_line + run_length, lines.count);
        auto const first = task % blocks * block;
        auto const columns = std::min(block, lines.length - first);
        auto const sums = sum_block(lines, factors, first_line, last_line, first, columns);
        for (std::size_t k = 0; k < static_cast<std::size_t>(columns); ++k) {
          parts[static_cast<std::size_t>(run * lines.length + first) + k].add(sums.value(k),
                                                                              sums.magnitude(k));
        }
        tell(advance, static_cast<std::uint64_t>(columns * (last_line - first_line)) * sizeof(T));
      });
  HostExec().fence("tessera::check::sum_lines");

  PreciseVector result(static_cast<std::size_t>(lines.length));
  Kokkos::parallel_for(
      "tessera::check::sum_lines of blocks", Tasks(HostExec(), 0, blocks), [&](std::int64_t task) {
        auto const first = task * block;
        auto const columns = std::min(block, lines.length - first);
        std::vector<CarefulSum<T>> careful;  // if an element needs it
        for (std::int64_t j = first; j < first + columns; ++j) {
          PreciseTotal total;
          for (std::int64_t run = 0; run < runs; ++run) {
            auto const& part = parts[static_cast<std::size_t>(run * lines.length + j)];
            total.add(part.value, part.magnitude);
          }
          auto& entry = result[static_cast<std::size_t>(j)];
          if (is_ordinary<T>(total.magnitude, model)) {
            entry = entry_of(total, model);
          } else {
            if (careful.empty()) careful = careful_sums(lines, y, first, columns);
            entry = careful[static_cast<std::size_t>(j - first)].entry(model);
          }
        }
      });
  HostExec().fence("tessera::check::sum_lines of blocks");
  return result;
}

template PreciseVector dot_lines(Lines<float>, PreciseVector const&, ErrorModel const&,
                                 Advance const&);
template PreciseVector dot_lines(Lines<double>, PreciseVector const&, ErrorModel const&,
                                 Advance const&);
template PreciseVector sum_lines(Lines<float>, PreciseVector const&, ErrorModel const&,
                                 Advance const&);
template PreciseVector sum_lines(Lines<double>, PreciseVector const&, ErrorModel const&,
                                 Advance const&);

}  // namespace tessera::check
