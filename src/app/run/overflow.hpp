// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <io/types.hpp>

namespace tessera::app {

/// What a result was computed from.
struct Operands {
  std::string names;                 ///< "A and V"
  std::vector<io::ElementSpan> all;  ///< those in memory, in the type of the result
  bool is_complete = true;           ///< false: a streamed matrix is not among them
  bool is_narrowed = false;          ///< they were f64 in a file, and are f32
};

/// Elements that are infinite or NaN.
[[nodiscard]] std::uint64_t count_not_finite(io::ElementSpan elements);

/// A sentence about elements of a result that are infinite or NaN. Empty where there are none, and
/// where the operands have such elements too: then they are data.
[[nodiscard]] std::string overflow_warning(io::ElementSpan result, Operands const& operands);

/// Says that on stderr.
void warn_of_overflow(io::ElementSpan result, Operands const& operands);

}  // namespace tessera::app
