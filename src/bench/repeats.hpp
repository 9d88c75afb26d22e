// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/contender.hpp>

namespace tessera::bench {

/// What the library's tables of variants say, in the words of this one.
inline Repeats repeats_of(variants::Reproducible reproducible) {
  switch (reproducible) {
    case variants::Reproducible::always:
      return Repeats::always;
    case variants::Reproducible::with_equal_launch:
      return Repeats::with_equal_launch;
    case variants::Reproducible::no:
      break;
  }
  return Repeats::no;
}

}  // namespace tessera::bench
