// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tessera/tuning.hpp>

/// The launches that a search tries: a grid around the backend's choice.
namespace tessera::bench {

/// The lines of a matrix as kernels see them (docs/decisions/two-primitives.md).
struct LinesOf {
  Index count;
  Index length;
  Index segments;  ///< per line
  Index panels;    ///< in all lines
};

/// The backend's choice first, then the others of the grid, without duplicates.
std::vector<DotTuning> dot_candidates(DotTuning const& choice, LinesOf const& lines);
std::vector<SumTuning> sum_candidates(SumTuning const& choice, LinesOf const& lines);
std::vector<FusedLinesTuning> fused_lines_candidates(FusedLinesTuning const& choice,
                                                     LinesOf const& lines);
std::vector<FusedTilesTuning> fused_tiles_candidates(FusedTilesTuning const& choice,
                                                     LinesOf const& lines);
/// Tiles of all edges and teams that a backend may have; a backend rejects the others.
std::vector<TransposeTuning> transpose_candidates(TransposeTuning const& choice, Index rows,
                                                  bool is_gpu);
/// Tiles of all sizes that a GPU may have, or around the choice on a host.
std::vector<GemmTuning> gemm_candidates(GemmTuning const& choice, bool is_gpu);

/// "lines_per_step 4, lines_per_team 64, segments_per_run 0".
std::string to_string(DotTuning const& tuning);
std::string to_string(SumTuning const& tuning);
std::string to_string(FusedLinesTuning const& tuning);
std::string to_string(FusedTilesTuning const& tuning);
std::string to_string(TransposeTuning const& tuning);
std::string to_string(GemmTuning const& tuning);

}  // namespace tessera::bench
