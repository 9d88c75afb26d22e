// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/backends/gpu/fused_parts.hpp>
#include <tessera/backends/gpu/fused_plan.hpp>
#include <tessera/backends/gpu/fused_ring.hpp>
#include <tessera/backends/gpu/fused_short.hpp>
#include <tessera/backends/gpu/fused_team.hpp>
#include <tessera/kernels/label.hpp>

/// Fused ATAX of row-major lines.
namespace tessera::detail::gpu {

template <bool Aligned, class Exec, class T, class Factor>
void fused_lines(Exec const& exec, Label const& label, FusedArguments<Exec, T, Factor> const& a,
                 FusedLinesPlan<Exec, T> const& plan) {
  using Plan = FusedLinesPlan<Exec, T>;
  std::size_t const scratch = scratch_bytes<T>(a.scratch);
  auto const run = [&]<unsigned MaxThreads, unsigned MinTeams>(auto const& kernel) {
    int const cluster = plan.way == Plan::Way::ring ? static_cast<int>(plan.parts) : 1;
    for_each_team<MaxThreads, MinTeams>(exec, label, plan.teams(), plan.team_size, scratch, kernel,
                                        cluster);
  };
  auto const run_ring = [&](auto on_words, auto teams) {
    using Kernel = FusedRing<Exec, T, on_words(), teams(), Factor>;
    int const tree_lanes = static_cast<int>(ceil_power_of_two(
        summation::ceil_div(plan.ring.teams * plan.ring.warps, Index{Kernel::dots_per_lane})));
    constexpr std::uintptr_t word = sizeof(Word<T>);
    auto const begin = reinterpret_cast<std::uintptr_t>(a.lines.data);
    auto const end =
        reinterpret_cast<std::uintptr_t>(a.lines.line(a.lines.count - 1) + a.lines.length);
    run.template operator()<Plan::ring_team, 1>(
        Kernel{a, plan.scratch_parts, plan.ring.slots, plan.ring_piece_words(), plan.ring.warps,
               tree_lanes, Aligned, (begin + word - 1) / word * word, end / word * word});
  };
  auto const run_short = [&](auto threads, auto words) {
    constexpr int rows = most_short_lines(words());
    constexpr unsigned teams = rows * words() <= 8 ? 8 : 4;
    run.template operator()<Plan::small_team, teams>(
        FusedShort<Exec, T, Aligned, threads(), words(), rows, Factor>{a});
  };
  switch (plan.way) {
    case Plan::Way::sixteen:
      return with_words(plan.words(a.lines),
                        [&](auto words) { run_short(StaticInt<segment_threads>{}, words); });
    case Plan::Way::warp:
      return run_short(StaticInt<warp_threads>{}, StaticInt<segment_words>{});
    case Plan::Way::team:
      if (plan.spans_per_warp == 1) {
        return run.template operator()<Plan::largest_team, 1>(
            FusedTeam<Exec, T, Aligned, 1, Plan::team_rows(1), Plan::team_buffers, Factor>{a});
      }
      if constexpr (Plan::most_spans_per_warp == 2) {
        FusedTeam<Exec, T, Aligned, 2, Plan::team_rows(2), Plan::team_buffers, Factor> const kernel{
            a};
        if constexpr (sizeof(T) == 8) {
          return run.template operator()<Plan::largest_team, 1>(kernel);
        } else {
          // Launched by the backend, the float kernel spills more registers (nvcc 13.0) and is
          // slower; the kernel for doubles is faster.
          using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<Plan::largest_team, 1>>;
          Policy policy(exec, static_cast<int>(plan.teams()), plan.team_size, 1);
          policy.set_scratch_size(0, Kokkos::PerTeam(scratch));
          return detail::launch(label, policy, kernel);
        }
      }
      break;
    case Plan::Way::ring:
      if constexpr (WarpOf<Exec>::has_clusters) {
        auto const teams = static_cast<int>(plan.ring.teams);
        if (!plan.on_words) {
          return with_static<1, 2>(teams, [&](auto t) { run_ring(std::false_type{}, t); });
        }
        return with_static<1, 2, 4>(teams, [&](auto t) { run_ring(std::true_type{}, t); });
      }
      break;
    case Plan::Way::parts:
      clear_exchange<Exec, T>(exec, label.clear, a.exchanged, plan.exchanged(a.lines));
      return run.template operator()<Plan::small_team, 4>(
          FusedParts<Exec, T, Aligned, Plan::part_slots, Factor>{a});
  }
}

template <class Exec, class T, class Factor>
void fused_lines(Exec const& exec, Label const& label, Lines<T> const& lines, T const* x,
                 OutputVector<T> y, OutputVector<T> out, T* workspace, Meeting<T> const& meeting,
                 FusedLinesPlan<Exec, T> const& plan, Factor const& factor) {
  require_countable_lines(plan.panels);
  T* const stacks = workspace + plan.partials(lines);
  FusedArguments<Exec, T, Factor> const arguments{lines,
                                                  x,
                                                  y,
                                                  out,
                                                  workspace,
                                                  reinterpret_cast<Word<T>*>(stacks),
                                                  reinterpret_cast<BitsOf<T>*>(meeting.exchange),
                                                  meeting.arrivals,
                                                  plan.panels,
                                                  plan.parts,
                                                  plan.panels_per_worker,
                                                  plan.groups,
                                                  plan.levels(),
                                                  plan.scratch(lines),
                                                  factor};
  with_alignment(is_aligned(lines, x),
                 [&](auto aligned) { fused_lines<aligned()>(exec, label, arguments, plan); });
  combine_groups(exec, label, static_cast<T const*>(workspace), plan.groups, lines.length, out);
}

}  // namespace tessera::detail::gpu
