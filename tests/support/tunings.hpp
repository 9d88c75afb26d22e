// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ostream>
#include <vector>

#include <tessera/tuning.hpp>

namespace tessera {

void PrintTo(Tuning const& tuning, std::ostream* out);

}  // namespace tessera

namespace tessera::test {

std::vector<Tuning> odd_tunings();

Tuning random_tuning(std::uint64_t seed);

}  // namespace tessera::test
