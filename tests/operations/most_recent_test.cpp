// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/backends/most_recent.hpp>

/// Data per stream of a GPU are bounded.
namespace tessera::backends {
namespace {

TEST(MostRecent, KeepsTheValuesUsedLast) {
  MostRecent<int, std::shared_ptr<int>> kept(3);
  std::vector<std::weak_ptr<int>> made;
  auto const get = [&](int key) {
    return *kept.get(key, [&] {
      auto value = std::make_shared<int>(10 * key);
      made.emplace_back(value);
      return value;
    });
  };
  EXPECT_EQ(get(1), 10);
  EXPECT_EQ(get(2), 20);
  EXPECT_EQ(get(3), 30);
  EXPECT_EQ(get(1), 10);
  EXPECT_EQ(made.size(), 3U);
  EXPECT_EQ(get(4), 40);
  EXPECT_EQ(kept.size(), 3U);
  EXPECT_TRUE(made[1].expired());
  EXPECT_FALSE(made[0].expired() || made[2].expired());
  EXPECT_EQ(get(2), 20);
  EXPECT_TRUE(made[2].expired());
  EXPECT_EQ(made.size(), 5U);
  for (int key = 0; key < 1000; ++key) get(key);
  EXPECT_EQ(kept.size(), 3U);
  kept.clear();
  for (auto const& value : made) EXPECT_TRUE(value.expired());
}

}  // namespace
}  // namespace tessera::backends
