// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/kernels/combine.hpp>
#include <tessera/kernels/combine_runs.hpp>
#include <tessera/kernels/dot.hpp>
#include <tessera/kernels/factor.hpp>
#include <tessera/kernels/fused_columns.hpp>
#include <tessera/kernels/fused_rows.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/kernels/launch.hpp>
#include <tessera/kernels/sum.hpp>
#include <tessera/kernels/tuning.hpp>
#include <tessera/order/blocks.hpp>
#include <tessera/order/lines.hpp>
#include <tessera/order/powers.hpp>

/// Plans map work to teams. Matrices must not be empty. `run` is defined outside its class: inside
/// it would be inline, and compiled again despite the library.
namespace tessera::kernels {

using detail::InputOf;
using detail::InputVectors;
using detail::Label;
using detail::Meeting;
using detail::OneColumn;
using detail::OutputOf;
using detail::OutputVectors;
using detail::SomeColumns;

template <class Exec, class T>
struct DotPlan {
  Index lines_per_team;
  Index line_blocks;
  Index runs;
  Index run_length;
  int columns;

  template <class Data, class Columns = OneColumn>
  DotPlan(Exec const& /*exec*/, Lines<T, Data> const& lines, Tuning const& tuning,
          Columns const& of_block = {})
      : lines_per_team(std::min(tuning.dot.lines_per_team, lines.count)),
        line_blocks(summation::ceil_div(lines.count, lines_per_team)),
        runs(1),
        run_length(lines.length),
        columns(of_block.count()) {
    Index const segments = summation::segments<T>(lines.length);
    if (tuning.dot.segments_per_run != 0 && tuning.dot.segments_per_run < segments) {
      run_length = tuning.dot.segments_per_run * segment<T>;
      runs = summation::ceil_div(lines.length, run_length);
    }
  }

  [[nodiscard]] Index workspace(auto const& lines) const {
    return runs == 1 ? 0 : columns * lines.count * runs;
  }
  [[nodiscard]] Index teams() const { return line_blocks * runs; }
  [[nodiscard]] int threads() const {
    return teams_of_one<Exec> ? 1 : threads_for(summation::segments<T>(run_length) * 16, 1);
  }
  [[nodiscard]] static int lines_side_by_side() { return OfOneThread<T>::lines; }

  template <class Columns, class Data>
  void run(Exec const& exec, Label const& label, Lines<T, Data> const& lines, InputOf<T, Columns> x,
           OutputOf<T, Columns> out, T* workspace, Columns const& of_block) const;
};

template <class Exec, class T>
template <class Columns, class Data>
void DotPlan<Exec, T>::run(Exec const& exec, Label const& label, Lines<T, Data> const& lines,
                           InputOf<T, Columns> x, OutputOf<T, Columns> out, T* workspace,
                           Columns const& of_block) const {
  OutputOf<T, Columns> const target =
      runs == 1 ? out : detail::contiguous_output<Columns>(workspace, lines.count * runs);
  with_shape<Exec, LineStorage::any, most_threads>(
      of_block, lines, detail::as_block(x), run_length,
      [&]<class Shape>(Shape, int threads_of_team) {
        run_teams<T, Shape::max_threads>(
            exec, label, teams(), threads_of_team,
            Dot<T, Shape, Data>{lines, x, target, lines_per_team, runs, run_length,
                                chunk_of<T, Shape>(run_length), columns});
      });
  if (runs > 1) {
    detail::combine_runs(exec, label.combine, workspace, columns * lines.count, runs, out);
  }
}

template <class Exec, class T>
struct SumPlan {
  summation::Panels panels;
  Index panels_per_team;
  Index groups;
  Index columns_per_team;
  Index column_tiles;
  int columns;

  template <class Data, class Columns = OneColumn>
  SumPlan(Exec const& /*exec*/, Lines<T, Data> const& lines, Tuning const& tuning,
          Columns const& of_block = {})
      : panels(lines.panels()),
        panels_per_team(detail::group_size(tuning.sum.panels_per_team, panels.count)),
        groups(summation::ceil_div(panels.count, panels_per_team)),
        columns(of_block.count()) {
    columns_per_team =
        summation::segments<T>(std::min(tuning.sum.columns_per_team, lines.length)) * segment<T>;
    column_tiles = summation::ceil_div(lines.length, columns_per_team);
  }

  [[nodiscard]] Index workspace(auto const& lines) const {
    return groups * Stacks<T>::levels_for(panels_per_team) *
           detail::whole_words<T>(columns * lines.length);
  }
  [[nodiscard]] Index teams() const { return groups * column_tiles; }
  [[nodiscard]] int threads() const {
    return teams_of_one<Exec> ? 1 : threads_for(summation::segments<T>(columns_per_team) * 16, 1);
  }
  [[nodiscard]] static int lines_side_by_side() { return OfOneThread<T>::lines; }
  [[nodiscard]] Index panels_of_team() const { return panels_per_team; }
  [[nodiscard]] static Index scratch_of(auto const& /*lines*/) { return 0; }

  template <class Columns, class Data>
  void run(Exec const& exec, Label const& label, Lines<T, Data> const& lines, InputOf<T, Columns> y,
           OutputOf<T, Columns> out, T* workspace, Meeting<T> const& meeting,
           Columns const& of_block) const;
};

template <class Exec, class T>
template <class Columns, class Data>
void SumPlan<Exec, T>::run(Exec const& exec, Label const& label, Lines<T, Data> const& lines,
                           InputOf<T, Columns> y, OutputOf<T, Columns> out, T* workspace,
                           Meeting<T> const& /*meeting*/, Columns const& of_block) const {
  Stacks<T> const stacks{workspace, Stacks<T>::levels_for(panels_per_team), columns * lines.length};
  InputVectors<T> const sums{workspace, lines.length};
  with_shape<Exec, LineStorage::any, most_threads>(
      of_block, lines, sums, columns_per_team, [&]<class Shape>(Shape, int threads_of_team) {
        run_teams<T, Shape::max_threads>(
            exec, label, teams(), threads_of_team,
            Sum<T, Shape, Data>{lines, y, stacks, panels, panels_per_team, columns_per_team,
                                column_tiles, columns});
      });
  combine(exec, label.combine, stacks, groups, out);
}

template <class Exec, class T>
struct FusedLinesPlan {
  summation::Panels panels;
  Index panels_per_team;
  Index groups;
  Index length;
  int columns;

  template <class Data, class Columns = OneColumn>
  FusedLinesPlan(Exec const& /*exec*/, Lines<T, Data> const& lines, Tuning const& tuning,
                 Columns const& of_block = {})
      : panels(lines.panels()),
        panels_per_team(detail::group_size(tuning.fused_lines.panels_per_team, panels.count)),
        groups(summation::ceil_div(panels.count, panels_per_team)),
        length(lines.length),
        columns(of_block.count()) {}

  [[nodiscard]] Index workspace(auto const& lines) const {
    return groups * Stacks<T>::levels_for(panels_per_team) * columns * lines.length;
  }
  [[nodiscard]] static Index exchanged(auto const& /*lines*/) { return 0; }
  [[nodiscard]] Index teams() const { return groups; }
  [[nodiscard]] int threads() const {
    return teams_of_one<Exec> ? 1 : threads_for(summation::segments<T>(length) * 16, 1);
  }
  [[nodiscard]] static int lines_side_by_side() { return OfOneThread<T>::lines; }
  [[nodiscard]] Index panels_of_team() const { return panels_per_team; }
  [[nodiscard]] Index scratch_of(auto const& lines) const {
    return scratch_of_trees<T, OfOneThread<T>>(chunk_of<T, OfOneThread<T>>(lines.length));
  }

  template <class Factor, class Columns, class Data>
  void run(Exec const& exec, Label const& label, Lines<T, Data> const& lines, InputOf<T, Columns> x,
           OutputOf<T, Columns> y, OutputOf<T, Columns> out, T* workspace,
           Meeting<T> const& meeting, Factor const& factor, Columns const& of_block) const;
};

template <class Exec, class T>
template <class Factor, class Columns, class Data>
void FusedLinesPlan<Exec, T>::run(Exec const& exec, Label const& label, Lines<T, Data> const& lines,
                                  InputOf<T, Columns> x, OutputOf<T, Columns> y,
                                  OutputOf<T, Columns> out, T* workspace,
                                  Meeting<T> const& /*meeting*/, Factor const& factor,
                                  Columns const& of_block) const {
  Stacks<T> const stacks{workspace, Stacks<T>::levels_for(panels_per_team), columns * lines.length};
  with_shape<Exec, LineStorage::wide, most_threads>(
      of_block, lines, detail::as_block(x), lines.length,
      [&]<class Shape>(Shape, int threads_of_team) {
        run_teams<T, Shape::max_threads>(
            exec, label, groups, threads_of_team,
            FusedRows<T, Shape, Factor, Data>{lines, x, y, stacks, panels, panels_per_team,
                                              chunk_of<T, Shape>(lines.length), factor, columns});
      });
  combine(exec, label.combine, stacks, groups, out);
}

template <class Exec, class T>
struct FusedTilesPlan {
  summation::Panels panels;
  Index width;
  Index tiles;
  Index tiles_per_team;
  Index groups;

  template <class Data, class Columns = OneColumn>
  FusedTilesPlan(Exec const& /*exec*/, Lines<T, Data> const& lines, Tuning const& tuning,
                 Columns const& /*of_block*/ = {})
      : panels(lines.panels()) {
    Index const segments = summation::segments<T>(lines.length);
    Index const most = teams_of_one<Exec> ? 64 : threads_with_many / 16;  // the trees fit scratch
    Index const of_tile =
        detail::group_size(std::min(tuning.fused_tiles.segments_per_tile, most), segments);
    width = of_tile * segment<T>;
    tiles = summation::ceil_div(lines.length, width);
    tiles_per_team = detail::group_size(tuning.fused_tiles.tiles_per_team, tiles);
    groups = summation::ceil_div(tiles, tiles_per_team);
  }

  [[nodiscard]] Index workspace(auto const& lines) const {
    return stacks_size(lines) + groups * Stacks<T>::levels_for(panels.count) * width;
  }
  [[nodiscard]] static Index exchanged(auto const& /*lines*/) { return 0; }
  [[nodiscard]] Index teams() const { return groups; }
  [[nodiscard]] int threads() const {
    return teams_of_one<Exec> ? 1 : threads_for(summation::segments<T>(width) * 16, 1);
  }
  [[nodiscard]] static int lines_side_by_side() { return OfOneThread<T>::lines; }
  [[nodiscard]] Index panels_of_team() const { return panels.count; }
  [[nodiscard]] Index scratch_of(auto const& /*lines*/) const {
    return width + scratch_of_trees<T, OfOneThread<T>>(width);
  }

  template <class Factor, class Data>
  void run(Exec const& exec, Label const& label, Lines<T, Data> const& lines, T const* x,
           OutputVector<T> y, OutputVector<T> out, T* workspace, Meeting<T> const& meeting,
           Factor const& factor, OneColumn const& of_block) const;
  template <class Factor, class Data>
  void run(Exec const& exec, Label const& label, Lines<T, Data> const& lines, InputVectors<T> x,
           OutputVectors<T> y, OutputVectors<T> out, T* workspace, Meeting<T> const& meeting,
           Factor const& factor, SomeColumns const& of_block) const {
    for (int c = 0; c < of_block.count(); ++c) {
      run(exec, label, lines, detail::column_of(x, c), y.column(c), out.column(c), workspace,
          meeting, factor, OneColumn{});
    }
  }

 private:
  [[nodiscard]] Index stacks_size(auto const& lines) const {
    return detail::whole_words<T>(groups * Stacks<T>::levels_for(tiles_per_team) * lines.count);
  }
};

template <class Exec, class T>
template <class Factor, class Data>
void FusedTilesPlan<Exec, T>::run(Exec const& exec, Label const& label, Lines<T, Data> const& lines,
                                  T const* x, OutputVector<T> y, OutputVector<T> out, T* workspace,
                                  Meeting<T> const& /*meeting*/, Factor const& factor,
                                  OneColumn const& of_block) const {
  Stacks<T> const stacks{workspace, Stacks<T>::levels_for(tiles_per_team), lines.count};
  Stacks<T> const parts{workspace + stacks_size(lines), Stacks<T>::levels_for(panels.count), width};
  InputVectors<T> const sums{workspace, width};  // read one number at a time; y is in scratch
  with_shape<Exec, LineStorage::small, threads_with_many>(
      of_block, lines, sums, width, [&]<class Shape>(Shape, int threads_of_team) {
        run_teams<T, Shape::max_threads>(
            exec, label, groups, threads_of_team,
            FusedColumns<T, Shape, Factor, Data>{lines, x, y, stacks, parts, panels, width, tiles,
                                                 tiles_per_team, factor});
      });
  combine(exec, label.combine, stacks, groups, out);
}

}  // namespace tessera::kernels
