// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tessera/tuning.hpp>

/// Launches that a search tries around the backend's choice.
namespace tessera::bench {

/// The matrix as kernels see it (docs/decisions/two-primitives.md).
struct LinesOf {
  Index count;
  Index length;
  Index segments;
  Index panels;  ///< of all lines
};

/// The backend's choice first; no duplicates.
std::vector<DotTuning> dot_candidates(DotTuning const& choice, LinesOf const& lines);
std::vector<SumTuning> sum_candidates(SumTuning const& choice, LinesOf const& lines);
std::vector<FusedLinesTuning> fused_lines_candidates(FusedLinesTuning const& choice,
                                                     LinesOf const& lines);
std::vector<FusedTilesTuning> fused_tiles_candidates(FusedTilesTuning const& choice,
                                                     LinesOf const& lines);
/// May include tiles that the backend rejects.
std::vector<TransposeTuning> transpose_candidates(TransposeTuning const& choice, Index rows,
                                                  bool is_gpu);
std::vector<GemmTuning> gemm_candidates(GemmTuning const& choice, bool is_gpu);

std::string to_string(DotTuning const& tuning);
std::string to_string(SumTuning const& tuning);
std::string to_string(FusedLinesTuning const& tuning);
std::string to_string(FusedTilesTuning const& tuning);
std::string to_string(TransposeTuning const& tuning);
std::string to_string(GemmTuning const& tuning);

}  // namespace tessera::bench
