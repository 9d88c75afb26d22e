// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>

#include <tessera/tuning.hpp>
#include <tessera/workspace.hpp>

/// Published kernels in portable form, correct for every shape, to run and compare. The operations
/// (tessera/multiply.hpp and its neighbours) are faster and do not use them.
namespace tessera::published {

/// The threads of a team (a block of a GPU) in two directions. Each variant defines the use of its
/// rows and columns.
struct Team {
  int rows = 0;
  int cols = 0;

  /// Total number of threads.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr Index threads() const {
    return Index{rows} * cols;
  }
  friend constexpr bool operator==(Team const&, Team const&) = default;
};

/// Whether a kernel checks the ends of the matrix.
enum class Tiling {
  automatic,  ///< exact if the sizes allow it
  exact,      ///< no checks: sizes must be multiples of the team's and the tile's
  inexact,    ///< checks, for all sizes
};

/// Reproducibility of a variant's bits.
enum class Reproducible {
  no,                 ///< floating-point atomics: threads add in order of arrival
  with_equal_launch,  ///< the same bits for the same shape, team, teams and tile
  always,             ///< the bits are a function of A and the vector alone
};

/// Options of every variant.
template <class Exec>
struct VariantOptions {
  /// As in tessera::Options, for variants that keep partial results in memory.
  Workspace<Exec>* workspace = nullptr;
  /// 0 x 0: the published team if the execution space supports it.
  Team team{};
  /// Most teams of a kernel; 0: as published. With fewer teams than tiles, each team processes
  /// several.
  Index teams = 0;
  /// Scalars of the input vector in a team's scratch, for variants that have such a tile;
  /// 0: as published.
  Index tile = 0;
  /// For variants with a tile and a kernel without checks.
  Tiling tiling = Tiling::automatic;
};

}  // namespace tessera::published
