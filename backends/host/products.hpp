// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/backends/host/dot.hpp>
#include <tessera/backends/host/fused_lines.hpp>
#include <tessera/backends/host/fused_tiles.hpp>
#include <tessera/backends/host/narrow.hpp>
#include <tessera/backends/host/sum.hpp>
#include <tessera/kernels/label.hpp>

namespace tessera::detail {

template <class Exec, class T>
struct HostKernels {
  static constexpr int columns_at_once = most_columns;
  struct Dot : HostDotPlan<T> {
    DotTuning tuning;
    template <class Columns = OneColumn>
    Dot(Exec const&, Lines<T> const& lines, Tuning const& t, Columns const& columns = {})
        : HostDotPlan<T>(lines, t.dot, columns.count()), tuning(t.dot) {}
    template <class Columns>
    void run(Exec const& exec, Label const& label, Lines<T> const& lines, InputOf<T, Columns> x,
             OutputOf<T, Columns> out, T* workspace, Columns const& columns) const {
      dot(exec, label, lines, x, out, workspace, tuning, columns);
    }
    [[nodiscard]] Index teams() const { return this->line_blocks * this->runs; }
    [[nodiscard]] int threads() const { return 1; }
    [[nodiscard]] int lines_side_by_side() const { return tuning.lines_per_step; }
  };
  struct Sum : HostSumPlan<T> {
    int lines_per_step;
    template <class Columns = OneColumn>
    Sum(Exec const&, Lines<T> const& lines, Tuning const& t, Columns const& columns = {})
        : HostSumPlan<T>(lines, t.sum, max_scratch<Exec>(), columns.count()),
          lines_per_step(t.sum.lines_per_step) {}
    template <class Columns>
    void run(Exec const& exec, Label const& label, Lines<T> const& lines, InputOf<T, Columns> y,
             OutputOf<T, Columns> out, T* workspace, Meeting<T> const& meeting,
             Columns const& columns) const {
      sum(exec, label, lines, y,
          PartialVectors<T, OutputOf<T, Columns>>{
              workspace, this->groups, columns.count() * lines.length, out, meeting.arrivals},
          *this, lines_per_step, columns);
    }
    [[nodiscard]] Index teams() const { return this->groups * this->column_tiles; }
    [[nodiscard]] int threads() const { return 1; }
    [[nodiscard]] int lines_side_by_side() const { return lines_per_step; }
    [[nodiscard]] Index panels_of_team() const { return this->panels_per_team; }
    [[nodiscard]] Index scratch_of(Lines<T> const&) const { return this->scratch(); }
  };
  struct FusedLines : HostFusedLinesPlan<T> {
    FusedLinesTuning tuning;
    template <class Columns = OneColumn>
    FusedLines(Exec const&, Lines<T> const& lines, Tuning const& t, Columns const& columns = {})
        : HostFusedLinesPlan<T>(lines, t.fused_lines, max_scratch<Exec>(), columns.count()),
          tuning(t.fused_lines) {}
    template <class Factor, class Columns, class Source = LinesInMemory>
    void run(Exec const& exec, Label const& label, Lines<T> const& lines, InputOf<T, Columns> x,
             OutputOf<T, Columns> y, OutputOf<T, Columns> out, T* workspace,
             Meeting<T> const& meeting, Factor const& factor, Columns const& columns,
             Source const& source = {}) const {
      fused_lines(
          exec, label, lines, source, x, y,
          PartialVectors<T, OutputOf<T, Columns>>{
              workspace, this->groups, columns.count() * lines.length, out, meeting.arrivals},
          *this, tuning, factor, columns);
    }
    [[nodiscard]] Index exchanged(Lines<T> const&) const { return 0; }
    [[nodiscard]] Index teams() const { return this->groups; }
    [[nodiscard]] int threads() const { return 1; }
    [[nodiscard]] int lines_side_by_side() const { return tuning.lines_per_step; }
    [[nodiscard]] Index panels_of_team() const { return this->panels_per_team; }
    [[nodiscard]] Index scratch_of(Lines<T> const& lines) const { return this->scratch(lines); }
  };
  struct FusedTiles : FusedTilesPlan<T> {
    FusedTilesTuning tuning;
    template <class Columns = OneColumn>
    FusedTiles(Exec const&, Lines<T> const& lines, Tuning const& t, Columns const& columns = {})
        : FusedTilesPlan<T>(lines, t.fused_tiles, max_scratch<Exec>(), columns.count()),
          tuning(t.fused_tiles) {}
    template <class Factor, class Columns>
    void run(Exec const& exec, Label const& label, Lines<T> const& lines, InputOf<T, Columns> x,
             OutputOf<T, Columns> y, OutputOf<T, Columns> out, T* workspace,
             Meeting<T> const& meeting, Factor const& factor, Columns const& columns) const {
      fused_tiles(
          exec, label, lines, x, y,
          PartialVectors<T, OutputOf<T, Columns>>{
              workspace, this->groups, columns.count() * lines.count, out, meeting.arrivals},
          *this, tuning, factor, columns);
    }
    [[nodiscard]] Index exchanged(Lines<T> const&) const { return 0; }
    [[nodiscard]] Index teams() const { return this->groups; }
    [[nodiscard]] int threads() const { return 1; }
    [[nodiscard]] int lines_side_by_side() const { return tuning.lines_per_step; }
    [[nodiscard]] Index panels_of_team() const { return this->panels.count; }
    [[nodiscard]] Index scratch_of(Lines<T> const& lines) const { return this->scratch(lines); }
  };
};

}  // namespace tessera::detail

namespace tessera::backends {

template <class Exec>
  requires(!Backend<Exec>::is_gpu)
struct AcceleratedProducts<Exec> {
  template <class T>
  using Of = detail::HostKernels<Exec, T>;
  template <class T>
  static bool suit_fusion(detail::Lines<T> const& /*columns*/) {
    return true;
  }
  template <class T>
  using OfNarrow = detail::HostNarrowKernels<Exec, T>;
  template <class T, class Columns>
  static constexpr bool reads_narrow = true;
  static constexpr bool fuses_all = true;
};

}  // namespace tessera::backends
