// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/detail/dot.hpp>
#include <tessera/detail/fused_lines.hpp>
#include <tessera/detail/fused_tiles.hpp>
#include <tessera/detail/gpu/dot.hpp>
#include <tessera/detail/gpu/fused_lines.hpp>
#include <tessera/detail/gpu/fused_tiles.hpp>
#include <tessera/detail/gpu/sum.hpp>
#include <tessera/detail/label.hpp>
#include <tessera/detail/sum.hpp>
#include <tessera/kernels.hpp>
#include <tessera/kernels/portable.hpp>
#include <tessera/options.hpp>

/// The kernels of an execution space: portable ones (tessera/kernels), which every backend runs,
/// and accelerated ones. All follow one order of summation: on a host, a thread walks a line with
/// all its lanes; on a GPU, the threads of a team share a line's lanes.
namespace tessera::detail {

/// Host threads: teams of one.
template <class Exec, class T>
struct HostKernels {
  struct Dot : DotPlan<T> {
    DotTuning tuning;
    Dot(Exec const&, Lines<T> const& lines, Tuning const& t)
        : DotPlan<T>(lines, t.dot), tuning(t.dot) {}
    void run(Exec const& exec, Label const& label, Lines<T> const& lines, T const* x,
             OutputVector<T> out, T* workspace) const {
      dot(exec, label, lines, x, out, workspace, tuning);
    }
    [[nodiscard]] Index teams() const { return this->line_blocks * this->runs; }
    [[nodiscard]] int threads() const { return 1; }
    [[nodiscard]] int lines_side_by_side() const { return tuning.lines_per_step; }
  };
  struct Sum : SumPlan<T> {
    int lines_per_step;
    Sum(Exec const&, Lines<T> const& lines, Tuning const& t)
        : SumPlan<T>(lines, t.sum, max_scratch<Exec>()), lines_per_step(t.sum.lines_per_step) {}
    void run(Exec const& exec, Label const& label, Lines<T> const& lines, T const* y,
             OutputVector<T> out, T* workspace, Meeting<T> const& meeting) const {
      sum(exec, label, lines, y,
          PartialVectors<T>{workspace, this->groups, lines.length, out, meeting.arrivals}, *this,
          lines_per_step);
    }
    [[nodiscard]] Index teams() const { return this->groups * this->column_tiles; }
    [[nodiscard]] int threads() const { return 1; }
    [[nodiscard]] int lines_side_by_side() const { return lines_per_step; }
    [[nodiscard]] Index panels_of_team() const { return this->panels_per_team; }
    [[nodiscard]] Index scratch_of(Lines<T> const&) const { return this->scratch(); }
  };
  struct FusedLines : FusedLinesPlan<T> {
    FusedLinesTuning tuning;
    FusedLines(Exec const&, Lines<T> const& lines, Tuning const& t)
        : FusedLinesPlan<T>(lines, t.fused_lines, max_scratch<Exec>()), tuning(t.fused_lines) {}
    void run(Exec const& exec, Label const& label, Lines<T> const& lines, T const* x,
             OutputVector<T> y, OutputVector<T> out, T* workspace, Meeting<T> const& meeting,
             auto const& source) const {
      fused_lines(exec, label, lines, source, x, y,
                  PartialVectors<T>{workspace, this->groups, lines.length, out, meeting.arrivals},
                  *this, tuning);
    }
    void run(Exec const& exec, Label const& label, Lines<T> const& lines, T const* x,
             OutputVector<T> y, OutputVector<T> out, T* workspace,
             Meeting<T> const& meeting) const {
      run(exec, label, lines, x, y, out, workspace, meeting, LinesInMemory{});
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
    FusedTiles(Exec const&, Lines<T> const& lines, Tuning const& t)
        : FusedTilesPlan<T>(lines, t.fused_tiles, max_scratch<Exec>()), tuning(t.fused_tiles) {}
    void run(Exec const& exec, Label const& label, Lines<T> const& lines, T const* x,
             OutputVector<T> y, OutputVector<T> out, T* workspace,
             Meeting<T> const& meeting) const {
      fused_tiles(exec, label, lines, x, y,
                  PartialVectors<T>{workspace, this->groups, lines.count, out, meeting.arrivals},
                  *this, tuning);
    }
    [[nodiscard]] Index exchanged(Lines<T> const&) const { return 0; }
    [[nodiscard]] Index teams() const { return this->groups; }
    [[nodiscard]] int threads() const { return 1; }
    [[nodiscard]] int lines_side_by_side() const { return tuning.lines_per_step; }
    /// A team adds all panels of its tile's part of B.
    [[nodiscard]] Index panels_of_team() const { return this->panels.count; }
    [[nodiscard]] Index scratch_of(Lines<T> const& lines) const { return this->scratch(lines); }
  };
};

/// GPUs: teams of warps.
template <class Exec, class T>
struct GpuKernels {
  struct Dot : gpu::DotPlan<Exec, T> {
    using gpu::DotPlan<Exec, T>::DotPlan;
    void run(Exec const& exec, Label const& label, Lines<T> const& lines, T const* x,
             OutputVector<T> out, T* workspace) const {
      gpu::dot<Exec, T>(exec, label, lines, x, out, workspace, *this);
    }
    [[nodiscard]] int threads() const { return this->team_size; }
    [[nodiscard]] int lines_side_by_side() const { return this->lines_per_step; }
  };
  struct Sum : gpu::SumPlan<Exec, T> {
    using gpu::SumPlan<Exec, T>::SumPlan;
    void run(Exec const& exec, Label const& label, Lines<T> const& lines, T const* y,
             OutputVector<T> out, T* workspace, Meeting<T> const& meeting) const {
      gpu::sum<Exec, T>(exec, label, lines, y, out, workspace, meeting, *this);
    }
    [[nodiscard]] int threads() const { return this->steps.team_size; }
    [[nodiscard]] int lines_side_by_side() const { return this->lines_in_flight; }
    [[nodiscard]] Index panels_of_team() const { return this->steps.panels(); }
    [[nodiscard]] Index scratch_of(Lines<T> const&) const { return this->scratch(); }
  };
  struct FusedLines : gpu::FusedLinesPlan<Exec, T> {
    using gpu::FusedLinesPlan<Exec, T>::FusedLinesPlan;
    void run(Exec const& exec, Label const& label, Lines<T> const& lines, T const* x,
             OutputVector<T> y, OutputVector<T> out, T* workspace,
             Meeting<T> const& meeting) const {
      gpu::fused_lines<Exec, T>(exec, label, lines, x, y, out, workspace, meeting, *this);
    }
    [[nodiscard]] int threads() const { return this->team_size; }
    [[nodiscard]] int lines_side_by_side() const { return 1; }
    [[nodiscard]] Index panels_of_team() const { return this->panels_per_team; }
    [[nodiscard]] Index scratch_of(Lines<T> const& lines) const { return this->scratch(lines); }
  };
  struct FusedTiles : gpu::FusedTilesPlan<Exec, T> {
    using gpu::FusedTilesPlan<Exec, T>::FusedTilesPlan;
    void run(Exec const& exec, Label const& label, Lines<T> const& lines, T const* x,
             OutputVector<T> y, OutputVector<T> out, T* workspace, Meeting<T> const&) const {
      gpu::fused_tiles<Exec, T>(exec, label, lines, x, y, out, workspace, *this);
    }
    [[nodiscard]] Index exchanged(Lines<T> const&) const { return 0; }
    [[nodiscard]] int lines_side_by_side() const { return 8; }
    [[nodiscard]] Index panels_of_team() const { return this->panels.count; }
    [[nodiscard]] Index scratch_of(Lines<T> const& lines) const { return this->scratch(lines); }
  };
};

/// Those that every backend runs.
template <class Exec, class T>
struct KernelsOfPolicies {
  using Dot = kernels::DotPlan<Exec, T>;
  using Sum = kernels::SumPlan<Exec, T>;
  using FusedLines = kernels::FusedLinesPlan<Exec, T>;
  using FusedTiles = kernels::FusedTilesPlan<Exec, T>;
};

/// A backend's own kernels.
struct AcceleratedKernels {
  static constexpr Kernels kind = Kernels::accelerated;
  template <class Exec, class T>
  using Of = std::conditional_t<backends::Backend<Exec>::is_gpu, GpuKernels<Exec, T>,
                                HostKernels<Exec, T>>;
  /// Whether lines may come from elsewhere than memory, on a host.
  static constexpr bool lines_have_sources = true;

  template <class T, bool RowMajor, class Exec>
  static Tuning tuning(Exec const& exec, Index rows, Index cols) {
    if constexpr (RowMajor) {
      return backends::Backend<Exec>::template row_major_tuning<T>(exec, rows, cols);
    } else {
      return backends::Backend<Exec>::template column_major_tuning<T>(exec, rows, cols);
    }
  }
  /// Whether a tuning's choice to fuse, made for the shape, holds for where these lines lie.
  template <class Exec, bool RowMajor, class T>
  static bool suit_fusion(Lines<T> const& lines) {
    if constexpr (backends::Backend<Exec>::is_gpu && !RowMajor) {
      return gpu::SlicesPlan<Exec, T>::are_fast(lines);
    } else {
      return true;
    }
  }
};

/// The portable kernels.
struct PortableKernels {
  static constexpr Kernels kind = Kernels::portable;
  template <class Exec, class T>
  using Of = KernelsOfPolicies<Exec, T>;
  static constexpr bool lines_have_sources = false;

  template <class T, bool RowMajor, class Exec>
  static Tuning tuning(Exec const& exec, Index rows, Index cols) {
    return kernels::tuning_of_matrix<T, RowMajor>(exec, rows, cols);
  }
  template <class Exec, bool RowMajor, class T>
  static bool suit_fusion(Lines<T> const& /*lines*/) {
    return true;
  }
};

template <class Exec, class T, class Set = AcceleratedKernels>
using DotOf = typename Set::template Of<Exec, T>::Dot;
template <class Exec, class T, class Set = AcceleratedKernels>
using SumOf = typename Set::template Of<Exec, T>::Sum;
/// Fused ATAX of a row-major or column-major matrix.
template <class Exec, class T, bool RowMajor, class Set = AcceleratedKernels>
using FusedOf = std::conditional_t<RowMajor, typename Set::template Of<Exec, T>::FusedLines,
                                   typename Set::template Of<Exec, T>::FusedTiles>;

/// Returns body(the kernels that run where these are wanted). Throws std::invalid_argument if there
/// are none.
template <class Exec, class Body>
decltype(auto) with_kernels(Kernels wanted, Body const& body) {
  Kernels const used = kernels_used<Exec>(wanted);
  if constexpr (backends::IsAccelerated<Exec>) {
    if (used == Kernels::accelerated) return body(AcceleratedKernels{});
  }
  return body(PortableKernels{});
}

}  // namespace tessera::detail
