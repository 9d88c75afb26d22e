// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace tessera::distributed::detail {

/// The sum of two subtrees replaces vector `to`, which comes first.
struct Join {
  int to, from;
};

struct WaitingVector {
  int vector, level;
};

/// Two adjacent subtrees of a level are halves of one at the next.
inline std::vector<Join> joins_of(std::vector<std::vector<int>> const& levels) {
  std::vector<Join> joins;
  std::vector<WaitingVector> waiting;
  auto const join = [&] {
    int const from = waiting.back().vector;
    waiting.pop_back();
    joins.push_back({waiting.back().vector, from});
  };
  int next = 0;
  for (auto const& its : levels) {
    for (int const level : its) {
      waiting.push_back({next++, level});
      while (waiting.size() > 1 && waiting.back().level == waiting[waiting.size() - 2].level) {
        join();
        ++waiting.back().level;
      }
    }
  }
  while (waiting.size() > 1) join();
  return joins;
}

}  // namespace tessera::distributed::detail
