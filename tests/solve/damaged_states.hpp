// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <stdexcept>

#include <tessera/solve.hpp>

namespace tessera::test {

/// Calls resume(state) for states with one wrong number each. A run may refuse such a state.
template <class T, class Resume>
void resume_with_wrong_numbers(solve::State<T> const& kept, Resume const& resume) {
  for (std::size_t i = 0; i < kept.numbers.size(); ++i) {
    for (double const x : {-1.0, 0.5, 3.0, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
      auto damaged = kept;
      damaged.numbers[i] = x;
      try {
        resume(damaged);
      } catch (std::invalid_argument const&) {
        continue;
      }
    }
  }
}

}  // namespace tessera::test
