// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ostream>
#include <vector>

#include <tessera/tuning.hpp>

namespace tessera {

/// For messages of failed tests.
void PrintTo(Tuning const& tuning, std::ostream* out);

}  // namespace tessera

namespace tessera::test {

/// Extreme tunings, and tunings that no backend would choose.
std::vector<Tuning> odd_tunings();

/// A tuning with every field drawn at random.
Tuning random_tuning(std::uint64_t seed);

}  // namespace tessera::test
