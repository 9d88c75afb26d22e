// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>

#include <tessera/tuning.hpp>
#include <tessera/workspace.hpp>

/// Published kernels in portable form.
namespace tessera::published {

/// Rows and columns of threads.
struct TeamShape {
  int rows = 0;
  int cols = 0;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr Index threads() const {
    return Index{rows} * cols;
  }
  friend constexpr bool operator==(TeamShape const&, TeamShape const&) = default;
};

/// Whether the ends of tiles are checked.
enum class Tiling {
  automatic,  ///< exact if the sizes allow it
  exact,      ///< sizes must be multiples of the team's and the tile's
  inexact,
};

enum class Reproducible {
  no,                 ///< floating-point atomics
  with_equal_launch,  ///< same shape, team, teams and tile
  always,
};

template <class Exec>
struct VariantOptions {
  Workspace<Exec>* workspace = nullptr;
  /// 0: as published, like the next two.
  TeamShape team{};
  Index teams = 0;
  /// Scalars of the input vector in scratch.
  Index tile = 0;
  Tiling tiling = Tiling::automatic;
};

}  // namespace tessera::published
