// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/distributed/rows.hpp>
#include <tessera/order/powers.hpp>
#include <tessera/summation.hpp>

/// Each rank's rows, and the subtrees that it computes.
namespace tessera::distributed::detail {

/// Leaves of the sum's tree: panels (row-major) or segments (column-major).
struct Units {
  Index rows;
  Index unit;

  [[nodiscard]] Index count() const { return summation::ceil_div(rows, unit); }
};

template <class T>
Units units_of(bool by_rows, Index rows, Index cols) {
  return {rows, by_rows ? summation::panels(rows, cols).lines : Index{summation::segment<T>}};
}

/// 2^level aligned units; units after the last row are missing.
struct Subtree {
  Rows rows;
  int level;
};

struct Share {
  Rows begun;               ///< rows of a unit that begins on an earlier rank
  bool ends_begun = false;  ///< the unit ends with them: a subtree by itself
  std::vector<Subtree> whole;
  Rows open;  ///< rows of a unit that ends on a later rank

  [[nodiscard]] std::size_t roots() const { return whole.size() + (ends_begun ? 1 : 0); }
  [[nodiscard]] bool hands_chains_on() const {
    return open.count > 0 || (begun.count > 0 && !ends_begun);
  }
};

/// Rounds up to a unit, at most to the end.
inline Index unit_begin(Units const& units, Index row) {
  return std::min(units.rows, summation::ceil_div(row, units.unit) * units.unit);
}

inline Share share_of(Units const& units, Rows const& rows) {
  Share share;
  if (rows.count == 0) return share;
  Index const end = rows.end();
  Index const begun_end = std::min(end, unit_begin(units, rows.first));
  share.begun = {rows.first, begun_end - rows.first};
  share.ends_begun = share.begun.count > 0 && begun_end == unit_begin(units, rows.first);
  Index const whole_end =
      std::max(begun_end, end == units.rows ? end : end / units.unit * units.unit);
  share.open = {whole_end, end - whole_end};
  // Units of +0 after the last row complete the last subtree.
  Index const last = whole_end == units.rows ? tessera::detail::ceil_power_of_two(units.count())
                                             : whole_end / units.unit;
  for (Index u = summation::ceil_div(begun_end, units.unit); u * units.unit < whole_end;) {
    int level = u == 0 ? 62 : std::countr_zero(static_cast<std::uint64_t>(u));
    while ((Index{1} << level) > last - u) --level;
    Index const next = u + (Index{1} << level);
    Index const first = u * units.unit;
    share.whole.push_back({{first, std::min(whole_end, next * units.unit) - first}, level});
    u = next;
  }
  return share;
}

/// About even shares in whole units (docs/distributed.md).
inline Rows even_rows(Units const& units, int rank, int size) {
  Index const count = units.rows == 0 ? 0 : units.count();
  auto const boundary = [&](Index r) {
    if (r == 0 || r == size) return r == 0 ? Index{0} : units.rows;
    Index const even = count / size * r + count % size * r / size;
    Index const beside = count / size / 16;
    Index roundest = even + beside;
    while (roundest > 0 && (roundest & (roundest - 1)) >= even - beside) roundest &= roundest - 1;
    return std::min(units.rows, roundest * units.unit);
  };
  Index const first = boundary(rank);
  return {first, boundary(rank + 1) - first};
}

inline std::vector<Rows> even_rows_by_rank(Units const& units, int size) {
  std::vector<Rows> rows(static_cast<std::size_t>(size));
  for (int r = 0; r < size; ++r) rows[static_cast<std::size_t>(r)] = even_rows(units, r, size);
  return rows;
}

}  // namespace tessera::distributed::detail
