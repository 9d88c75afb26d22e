// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/backends/accelerated/products.hpp>
#include <tessera/backends/backends.hpp>
#include <tessera/kernels.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/kernels/portable.hpp>
#include <tessera/options.hpp>

/// The kernels of an execution space: portable ones (tessera/kernels), which every backend runs,
/// and accelerated ones. All follow one order of summation: on a host, a thread walks a line with
/// all its lanes; on a GPU, the threads of a team share a line's lanes.
namespace tessera::detail {

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
  using Of = typename backends::AcceleratedProducts<Exec>::template Of<T>;
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
    return RowMajor || backends::AcceleratedProducts<Exec>::suit_fusion(lines);
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
