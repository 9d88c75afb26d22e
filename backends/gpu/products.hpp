// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <variant>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/backends/gpu/block_dot.hpp>
#include <tessera/backends/gpu/block_ring.hpp>
#include <tessera/backends/gpu/block_sum.hpp>
#include <tessera/backends/gpu/dot.hpp>
#include <tessera/backends/gpu/fused_lines.hpp>
#include <tessera/backends/gpu/fused_slices.hpp>
#include <tessera/backends/gpu/narrow.hpp>
#include <tessera/backends/gpu/sum.hpp>
#include <tessera/kernels/label.hpp>

namespace tessera::detail {

template <class Exec, class T>
struct GpuKernels {
  static constexpr int columns_at_once = gpu::BlockDotPlan<Exec, T>::most_columns;
  struct Dot : gpu::DotPlan<Exec, T> {
    Dot(Exec const& exec, Lines<T> const& lines, Tuning const& tuning, OneColumn = {})
        : gpu::DotPlan<Exec, T>(exec, lines, tuning) {}
    void run(Exec const& exec, Label const& label, Lines<T> const& lines, T const* x,
             OutputVector<T> out, T* workspace, OneColumn /*of_block*/) const {
      gpu::dot<Exec, T>(exec, label, lines, x, out, workspace, *this);
    }
    [[nodiscard]] int threads() const { return this->team_size; }
    [[nodiscard]] int lines_side_by_side() const { return this->lines_per_step; }
  };
  struct Sum : gpu::SumPlan<Exec, T> {
    Sum(Exec const& exec, Lines<T> const& lines, Tuning const& tuning, OneColumn = {})
        : gpu::SumPlan<Exec, T>(exec, lines, tuning) {}
    void run(Exec const& exec, Label const& label, Lines<T> const& lines, T const* y,
             OutputVector<T> out, T* workspace, Meeting<T> const& meeting,
             OneColumn /*of_block*/) const {
      gpu::sum<Exec, T>(exec, label, lines, y, out, workspace, meeting, *this);
    }
    [[nodiscard]] int threads() const { return this->steps.team_size; }
    [[nodiscard]] int lines_side_by_side() const { return this->lines_in_flight; }
    [[nodiscard]] Index panels_of_team() const { return this->steps.panels(); }
    [[nodiscard]] Index scratch_of(Lines<T> const&) const { return this->scratch(); }
  };
  struct BlockDot : gpu::BlockDotPlan<Exec, T> {
    using gpu::BlockDotPlan<Exec, T>::BlockDotPlan;
    void run(Exec const& exec, Label const& label, Lines<T> const& lines, InputVectors<T> x,
             OutputVectors<T> out, T* workspace, SomeColumns /*of_block*/) const {
      gpu::block_dot<Exec, T>(exec, label, lines, x, out, workspace, *this);
    }
  };
  struct BlockSum : gpu::BlockSumPlan<Exec, T> {
    using gpu::BlockSumPlan<Exec, T>::BlockSumPlan;
    void run(Exec const& exec, Label const& label, Lines<T> const& lines, InputVectors<T> y,
             OutputVectors<T> out, T* workspace, Meeting<T> const& /*meeting*/,
             SomeColumns /*of_block*/) const {
      gpu::block_sum<Exec, T>(exec, label, lines, y, out, workspace, *this);
    }
  };
  static bool fuse_pairs(Lines<T> const& lines) {
    return backends::Backend<Exec>::template fuse_pairs<T>(lines.panels(), lines.length);
  }
  static std::size_t fused_at_once(bool row_major, Lines<T> const& lines, std::size_t columns) {
    if (!row_major || columns < 2) return 1;
    if (columns == 2 && fuse_pairs(lines)) return 2;
    bool const together = columns > 2 && gpu::BlockRingPlan<Exec, T>::takes(lines);
    return together ? std::size_t{gpu::BlockRingPlan<Exec, T>::most_columns} : 1;
  }
  /// Two vectors, or up to eight and short lines.
  class BlockRing {
   public:
    BlockRing(Exec const& exec, Lines<T> const& lines, Tuning const& tuning, SomeColumns of_block)
        : plan_(of_block.count() == 2 && fuse_pairs(lines)
                    ? Plan(Pair(exec, lines, tuning, 2))
                    : Plan(Segments(exec, lines, tuning, of_block))) {}
    [[nodiscard]] Index workspace(Lines<T> const& lines) const {
      return std::visit([&](auto const& plan) { return plan.workspace(lines); }, plan_);
    }
    [[nodiscard]] static constexpr Index exchanged(Lines<T> const& /*lines*/) { return 0; }
    void run(Exec const& exec, Label const& label, Lines<T> const& lines, InputVectors<T> x,
             OutputVectors<T> y, OutputVectors<T> out, T* workspace, Meeting<T> const& /*meeting*/,
             auto const& factor, SomeColumns /*of_block*/) const {
      if (auto const* pair = std::get_if<Pair>(&plan_)) {
        gpu::fused_pair<Exec, T>(exec, label, lines, x, y, out, workspace, *pair, factor);
      } else {
        gpu::block_ring<Exec, T>(exec, label, lines, x, y, out, workspace,
                                 std::get<Segments>(plan_), factor);
      }
    }

   private:
    using Pair = gpu::FusedLinesPlan<Exec, T>;
    using Segments = gpu::BlockRingPlan<Exec, T>;
    using Plan = std::variant<Pair, Segments>;
    Plan plan_;
  };
  struct FusedLines : gpu::FusedLinesPlan<Exec, T> {
    FusedLines(Exec const& exec, Lines<T> const& lines, Tuning const& tuning, OneColumn = {})
        : gpu::FusedLinesPlan<Exec, T>(exec, lines, tuning) {}
    void run(Exec const& exec, Label const& label, Lines<T> const& lines, T const* x,
             OutputVector<T> y, OutputVector<T> out, T* workspace, Meeting<T> const& meeting,
             auto const& factor, OneColumn /*of_block*/) const {
      gpu::fused_lines<Exec, T>(exec, label, lines, x, y, out, workspace, meeting, *this, factor);
    }
    [[nodiscard]] int threads() const { return this->team_size; }
    [[nodiscard]] int lines_side_by_side() const { return 1; }
    [[nodiscard]] Index panels_of_team() const { return this->panels_per_team; }
    [[nodiscard]] Index scratch_of(Lines<T> const& lines) const { return this->scratch(lines); }
  };
  struct FusedTiles {
    summation::Panels panels;
    gpu::SlicesPlan<Exec, T> slices;
    FusedTiles(Exec const& exec, Lines<T> const& lines, Tuning const& tuning, OneColumn = {})
        : panels(lines.panels()), slices(exec, lines, tuning.fused_tiles) {}
    void run(Exec const& exec, Label const& label, Lines<T> const& lines, T const* x,
             OutputVector<T> y, OutputVector<T> out, T* workspace, Meeting<T> const&,
             auto const& factor, OneColumn /*of_block*/) const {
      gpu::fused_slices<Exec, T>(exec, label, lines, x, y, out, workspace, slices, factor);
    }
    [[nodiscard]] Index workspace(Lines<T> const& lines) const {
      return slices.workspace(lines.count);
    }
    [[nodiscard]] Index exchanged(Lines<T> const&) const { return 0; }
    [[nodiscard]] Index teams() const { return slices.teams; }
    [[nodiscard]] int threads() const { return slices.team_size(); }
    [[nodiscard]] int lines_side_by_side() const { return 8; }
    [[nodiscard]] Index panels_of_team() const { return panels.count; }
    [[nodiscard]] Index scratch_of(Lines<T> const& lines) const {
      return slices.scratch(lines.count);
    }
  };
};

}  // namespace tessera::detail

namespace tessera::backends {

template <class Exec>
  requires(Backend<Exec>::is_gpu)
struct AcceleratedProducts<Exec> {
  template <class T>
  using Of = detail::GpuKernels<Exec, T>;
  template <class T>
  static bool suit_fusion(detail::Lines<T> const& columns) {
    return detail::gpu::SlicesPlan<Exec, T>::are_fast(columns);
  }
  template <class T>
  static bool suit_fusion(detail::NarrowLines<T> const& rows) {
    return OfNarrow<T>::suit_fusion(rows);
  }
  template <class T>
  using OfNarrow = detail::GpuNarrowKernels<Exec, T>;
  template <class T, class Columns>
  static constexpr bool reads_narrow = std::is_same_v<T, float> && Columns::most == 1;
  static constexpr bool fuses_all = false;
  template <bool RowMajor, class T>
  static bool fuses(Exec const& exec, detail::Lines<T> const& lines, Tuning const& tuning) {
    if constexpr (RowMajor) {
      return detail::gpu::FusedLinesPlan<Exec, T>::takes(exec, lines);
    } else {
      return detail::gpu::SlicesPlan<Exec, T>(exec, lines, tuning.fused_tiles).fits();
    }
  }
  template <bool RowMajor, class T>
  static bool fuses(Exec const& exec, detail::NarrowLines<T> const& lines, Tuning const& tuning) {
    return RowMajor && OfNarrow<T>::fuses(exec, lines, tuning);
  }
};

}  // namespace tessera::backends
