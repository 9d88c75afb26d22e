// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <python/operations.hpp>
#include <string>

/// Checks results with a reference of higher precision.
namespace tessera::python {

struct Checked {
  std::int64_t elements = 0;
  std::int64_t failed = 0;
  std::int64_t not_judged = 0;
  std::string sentence;
};

/// Arrays are on the host and not empty; rows or columns of A are contiguous.
Checked check_atax(AtaxCall const& call);

}  // namespace tessera::python
