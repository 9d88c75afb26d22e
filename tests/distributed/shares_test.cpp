// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/distributed/detail/shares.hpp>

namespace tessera::distributed::detail {
namespace {

std::vector<Rows> split_at(std::vector<Index> const& boundaries, Index rows) {
  std::vector<Rows> split;
  Index first = 0;
  for (Index const boundary : boundaries) {
    split.push_back({first, boundary - first});
    first = boundary;
  }
  split.push_back({first, rows - first});
  return split;
}

void expect_all_units_once(Units const& units, std::vector<Rows> const& split) {
  Index next = 0;
  for (Rows const& rows : split) {
    Share const share = share_of(units, rows);
    Index row = rows.first;
    EXPECT_EQ(share.begun.first * share.begun.count, row * share.begun.count);
    row += share.begun.count;
    if (share.ends_begun) ++next;
    for (Subtree const& subtree : share.whole) {
      Index const size = Index{1} << subtree.level;
      EXPECT_EQ(subtree.rows.first, row);
      EXPECT_EQ(subtree.rows.first, next * units.unit);
      EXPECT_EQ(next % size, 0);
      EXPECT_EQ(subtree.rows.end(), std::min(units.rows, (next + size) * units.unit));
      row = subtree.rows.end();
      next = std::min(units.count(), next + size);
    }
    row += share.open.count;
    EXPECT_EQ(row, rows.end());
  }
  EXPECT_EQ(next, units.count());
}

TEST(Shares, HaveEachUnitOnceOfAnySplitInThree) {
  for (Index rows = 1; rows <= 23; ++rows) {
    for (Index const unit : {1, 3, 8}) {
      for (Index a = 0; a <= rows; ++a) {
        for (Index b = a; b <= rows; ++b) {
          expect_all_units_once({rows, unit}, split_at({a, b}, rows));
        }
      }
    }
  }
}

TEST(Shares, AreOneSubtreeEachWherePowersOfTwoAreSplitEvenly) {
  for (int const ranks : {1, 2, 4, 8, 64}) {
    for (int rank = 0; rank < ranks; ++rank) {
      Units const units{1024 * 8, 8};
      EXPECT_EQ(share_of(units, even_rows(units, rank, ranks)).roots(), 1);
    }
  }
}

TEST(Shares, AreWholeUnitsOfAboutTheSameNumber) {
  for (Index const rows : {1, 7, 100, 1000, 8193, 100'000}) {
    for (int const ranks : {1, 2, 3, 5, 7, 8, 100}) {
      Units const units{rows, 8};
      std::vector<Rows> split;
      for (int rank = 0; rank < ranks; ++rank) split.push_back(even_rows(units, rank, ranks));
      expect_all_units_once(units, split);
      Index const even = summation::ceil_div(units.count(), ranks);
      for (Rows const& its : split) {
        EXPECT_LE(summation::ceil_div(its.count, units.unit), even + even / 8 + 1);
        EXPECT_TRUE(its.first % units.unit == 0 || its.count == 0);
      }
      EXPECT_EQ(split.front().first, 0);
      EXPECT_EQ(split.back().end(), rows);
    }
  }
}

}  // namespace
}  // namespace tessera::distributed::detail
