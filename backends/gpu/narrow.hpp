// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <Kokkos_Core.hpp>

#include <tessera/backends/gpu/dot.hpp>
#include <tessera/backends/gpu/fused_lines.hpp>
#include <tessera/backends/gpu/fused_plan.hpp>
#include <tessera/backends/gpu/fused_ring.hpp>
#include <tessera/backends/gpu/fused_team.hpp>
#include <tessera/backends/gpu/narrow_words.hpp>
#include <tessera/backends/gpu/sum.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/kernels/portable.hpp>
#include <tessera/order/blocks.hpp>
#include <tessera/tuning.hpp>

/// Products of narrow matrices with vectors of floats. Lines begin on words and are longer than a
/// warp's span; the portable kernels compute others, and blocks of vectors.
namespace tessera::detail::gpu {

template <class Exec>
void dot_of_narrow(Exec const& exec, Label const& label, NarrowLines<float> const& narrow,
                   float const* x, OutputVector<float> out, float* workspace,
                   DotPlan<Exec, float> const& plan) {
  using Plan = DotPlan<Exec, float>;
  OutputVector<float> const target = plan.runs == 1 ? out : OutputVector<float>{workspace, 1};
  with_stored(narrow, [&]<class Data>(Lines<float, Data> const& lines) {
    constexpr int rows = Plan::narrow_lines_per_step(Data::element_bytes);
    auto const run = [&]<class How>(How) {
      for_each_team<Plan::team_size, 2>(
          exec, label, plan.teams(), Plan::team_size, 0,
          DotLong<Exec, float, true, rows, How, Data>{lines, x, target, plan.lines_per_team,
                                                      plan.line_blocks, plan.spans_per_run,
                                                      plan.runs});
    };
    plan.in_blocks ? run(OnceInBlock{}) : run(Once{});
  });
  if (plan.runs > 1) combine_runs(exec, label.combine, workspace, narrow.count, plan.runs, out);
}

template <class Exec>
void sum_of_narrow(Exec const& exec, Label const& label, NarrowLines<float> const& narrow,
                   float const* y, OutputVector<float> out, float* workspace,
                   Meeting<float> const& meeting, SumPlan<Exec, float> const& plan) {
  with_stored(narrow, [&](auto const& lines) {
    gpu::sum(exec, label, lines, y, out, workspace, meeting, plan);
  });
}

template <class Exec, class Factor>
void fused_lines_of_narrow(Exec const& exec, Label const& label, NarrowLines<float> const& narrow,
                           float const* x, OutputVector<float> y, OutputVector<float> out,
                           float* workspace, FusedLinesPlan<Exec, float> const& plan,
                           Factor const& factor) {
  require_countable_lines(plan.panels);
  using Plan = FusedLinesPlan<Exec, float>;
  with_stored(narrow, [&]<class Data>(Lines<float, Data> const& lines) {
    auto const a = arguments_of(lines, x, y, out, workspace, Meeting<float>{}, plan, factor);
    if (plan.way == Plan::Way::team) {
      return run_fused_lines<Plan::largest_team>(
          exec, label, plan,  a,
          FusedTeam<Exec, float, true, 1, Plan::narrow_team_rows, Plan::team_buffers, Factor, Data>{
              a});
    }
    if constexpr (WarpOf<Exec>::has_clusters) {
      with_static<1, 2>(static_cast<int>(plan.ring.teams), [&](auto teams) {
        run_fused_lines<Plan::ring_team>(
            exec, label, plan, a,
            ring_of<FusedRing<Exec, float, true, teams(), Factor, Data>>(a, plan, on_word(x)));
      });
    }
  });
  combine_groups(exec, label, static_cast<float const*>(workspace), plan.groups, narrow.length, out);
}

}  // namespace tessera::detail::gpu

namespace tessera::detail {

template <class Exec, class T>
struct GpuNarrowKernels {
  static constexpr int columns_at_once = 1;

  static bool take(NarrowLines<T> const& lines) {
    return gpu::is_aligned(lines) && lines.length > gpu::span<T>;
  }
  /// Two stages take as long as clusters of four.
  static bool suit_fusion(NarrowLines<T> const& lines) {
    return lines.length <= 2 * gpu::FusedLinesPlan<Exec, T>::elements_of_ring;
  }
  static bool fuses(Exec const& exec, NarrowLines<T> const& lines, Tuning const& tuning) {
    if (!gpu::FusedLinesPlan<Exec, T>::takes(exec, shape_of(lines))) return false;
    gpu::FusedLinesPlan<Exec, T> const plan(exec, lines, tuning);
    using Way = typename gpu::FusedLinesPlan<Exec, T>::Way;
    return (plan.way == Way::ring && plan.ring.teams <= 2) ||
           (plan.way == Way::team && plan.spans_per_warp == 1);
  }

  struct Dot : gpu::DotPlan<Exec, T> {
    Dot(Exec const& exec, NarrowLines<T> const& lines, Tuning const& tuning, OneColumn = {})
        : gpu::DotPlan<Exec, T>(exec, shape_of(lines), tuning,
                                gpu::bytes_of_element(lines.data)) {}
    [[nodiscard]] Index workspace(NarrowLines<T> const& lines) const {
      return gpu::DotPlan<Exec, T>::workspace(shape_of(lines));
    }
    void run(Exec const& exec, Label const& label, NarrowLines<T> const& lines, T const* x,
             OutputVector<T> out, T* workspace, OneColumn /*of_block*/) const {
      gpu::dot_of_narrow<Exec>(exec, label, lines, x, out, workspace, *this);
    }
  };
  struct Sum : gpu::SumPlan<Exec, T> {
    Sum(Exec const& exec, NarrowLines<T> const& lines, Tuning const& tuning, OneColumn = {})
        : gpu::SumPlan<Exec, T>(exec, shape_of(lines), tuning) {}
    [[nodiscard]] Index workspace(NarrowLines<T> const& lines) const {
      return gpu::SumPlan<Exec, T>::workspace(shape_of(lines));
    }
    void run(Exec const& exec, Label const& label, NarrowLines<T> const& lines, T const* y,
             OutputVector<T> out, T* workspace, Meeting<T> const& meeting,
             OneColumn /*of_block*/) const {
      gpu::sum_of_narrow<Exec>(exec, label, lines, y, out, workspace, meeting, *this);
    }
  };
  struct FusedLines : gpu::FusedLinesPlan<Exec, T> {
    FusedLines(Exec const& exec, NarrowLines<T> const& lines, Tuning const& tuning, OneColumn = {})
        : gpu::FusedLinesPlan<Exec, T>(exec, lines, tuning) {}
    void run(Exec const& exec, Label const& label, NarrowLines<T> const& lines, T const* x,
             OutputVector<T> y, OutputVector<T> out, T* workspace, Meeting<T> const& /*meeting*/,
             auto const& factor, OneColumn /*of_block*/) const {
      gpu::fused_lines_of_narrow<Exec>(exec, label, lines, x, y, out, workspace, *this, factor);
    }
  };
  using FusedTiles = kernels::FusedTilesPlan<Exec, T>;
};

}  // namespace tessera::detail
