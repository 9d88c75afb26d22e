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

template <unsigned MaxThreads, unsigned MinTeams = 1, class Exec, class T>
void run_fused_lines(Exec const& exec, Label const& label, FusedLinesPlan<Exec, T> const& plan,
                     auto const& a, auto const& kernel) {
  bool const is_ring = plan.way == FusedLinesPlan<Exec, T>::Way::ring;
  for_each_team<MaxThreads, MinTeams>(exec, label, plan.teams(), plan.team_size,
                                      scratch_bytes<T>(a.scratch), kernel,
                                      is_ring ? static_cast<int>(plan.parts) : 1);
}

template <class Kernel, class Exec, class T>
Kernel ring_of(auto const& a, FusedLinesPlan<Exec, T> const& plan, bool x_is_aligned) {
  int const tree_lanes = static_cast<int>(ceil_power_of_two(
      summation::ceil_div(plan.ring.teams * plan.ring.warps, Index{Kernel::dots_per_lane})));
  constexpr std::uintptr_t word = sizeof(Word<T>);
  std::uintptr_t const begin = address_of(a.lines.data);
  std::uintptr_t const end = address_of(a.lines.line(a.lines.count - 1) + a.lines.length);
  return {a,
          plan.scratch_parts,
          plan.ring.slots,
          plan.ring_piece_words(),
          plan.ring.warps,
          tree_lanes,
          x_is_aligned,
          (begin + word - 1) / word * word,
          end / word * word};
}

template <bool Aligned, class Exec, class T, class Factor>
void fused_lines(Exec const& exec, Label const& label, FusedArguments<Exec, T, Factor> const& a,
                 FusedLinesPlan<Exec, T> const& plan) {
  using Plan = FusedLinesPlan<Exec, T>;
  auto const run = [&]<unsigned MaxThreads, unsigned MinTeams>(auto const& kernel) {
    run_fused_lines<MaxThreads, MinTeams>(exec, label, plan, a, kernel);
  };
  auto const run_ring = [&](auto on_words, auto teams) {
    using Kernel = FusedRing<Exec, T, on_words(), teams(), Factor>;
    run.template operator()<Plan::ring_team, 1>(ring_of<Kernel>(a, plan, Aligned));
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
          policy.set_scratch_size(0, Kokkos::PerTeam(scratch_bytes<T>(a.scratch)));
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

template <class Block = OneColumn, class Exec, class T, class Data, class Factor>
FusedArguments<Exec, T, Factor, Data, Block> arguments_of(
    Lines<T, Data> const& lines, std::type_identity_t<InputOf<T, Block>> const& x,
    std::type_identity_t<OutputOf<T, Block>> const& y,
    std::type_identity_t<OutputOf<T, Block>> const& out, T* workspace, Meeting<T> const& meeting,
    FusedLinesPlan<Exec, T> const& plan, Factor const& factor) {
  return {lines,
          x,
          y,
          out,
          workspace,
          reinterpret_cast<Word<T>*>(workspace + plan.partials(lines)),
          reinterpret_cast<BitsOf<T>*>(meeting.exchange),
          meeting.arrivals,
          plan.panels,
          plan.parts,
          plan.panels_per_worker,
          plan.groups,
          plan.levels(),
          plan.scratch(lines),
          factor};
}

template <class Exec, class T, class Factor>
void fused_lines(Exec const& exec, Label const& label, Lines<T> const& lines, T const* x,
                 OutputVector<T> y, OutputVector<T> out, T* workspace, Meeting<T> const& meeting,
                 FusedLinesPlan<Exec, T> const& plan, Factor const& factor) {
  require_countable_lines(plan.panels);
  auto const arguments = arguments_of(lines, x, y, out, workspace, meeting, plan, factor);
  with_alignment(is_aligned(lines, x),
                 [&](auto aligned) { fused_lines<aligned()>(exec, label, arguments, plan); });
  combine_groups(exec, label, static_cast<T const*>(workspace), plan.groups, lines.length, out);
}

/// Two vectors, by a ring.
template <class Exec, class T, class Factor>
void fused_pair(Exec const& exec, Label const& label, Lines<T> const& lines, InputVectors<T> x,
                OutputVectors<T> y, OutputVectors<T> out, T* workspace,
                FusedLinesPlan<Exec, T> const& plan, Factor const& factor) {
  if constexpr (WarpOf<Exec>::has_clusters) {
    require_countable_lines(plan.panels);
    auto const a =
        arguments_of<SomeColumns>(lines, x, y, out, workspace, Meeting<T>{}, plan, factor);
    bool const x_is_aligned = on_word(x.data) && x.pitch % word_width<T> == 0;
    auto const run = [&](auto on_words, auto teams) {
      using Kernel = FusedRing<Exec, T, on_words(), teams(), Factor, T const*, 2>;
      run_fused_lines<FusedLinesPlan<Exec, T>::ring_team>(exec, label, plan, a,
                                                          ring_of<Kernel>(a, plan, x_is_aligned));
    };
    with_alignment(plan.on_words, [&](auto on_words) {
      with_static<1, 2>(static_cast<int>(plan.ring.teams), [&](auto t) { run(on_words, t); });
    });
    combine_groups(exec, label, static_cast<T const*>(workspace), plan.groups,
                   plan.columns * lines.length, out);
  }
}

}  // namespace tessera::detail::gpu
