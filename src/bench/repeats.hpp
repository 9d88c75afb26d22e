// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/contender.hpp>

namespace tessera::bench {

inline Repeats repeats_of(published::Reproducible reproducible) {
  switch (reproducible) {
    case published::Reproducible::always:
      return Repeats::always;
    case published::Reproducible::with_equal_launch:
      return Repeats::with_equal_launch;
    case published::Reproducible::no:
      break;
  }
  return Repeats::no;
}

}  // namespace tessera::bench
