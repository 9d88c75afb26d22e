// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "problem.hpp"

namespace benchmarks {

/// The shapes of a list such as "4096x4096,1000x1000+3", where "quick" and "grid" stand for shapes
/// that GPUs are compared by. Throws std::invalid_argument for anything else.
std::vector<Shape> parse_shapes(std::string_view list);

/// The parts of a text between commas.
std::vector<std::string> split_at_commas(std::string_view list);

}  // namespace benchmarks
