// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/backends/accelerated/products.hpp>
#include <tessera/backends/backends.hpp>
#include <tessera/backends/compiled.hpp>
#include <tessera/checks.hpp>
#include <tessera/kernels.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/kernels/portable.hpp>
#include <tessera/maps.hpp>
#include <tessera/options.hpp>
#include <tessera/order/narrow.hpp>

/// Portable and accelerated kernels. On hosts one thread computes all lanes; on GPUs the threads of
/// a team share them.
namespace tessera::detail {

template <class Exec, class T>
struct KernelsOfPolicies {
  static constexpr int columns_at_once = kernels::most_of_block;
  using Dot = kernels::DotPlan<Exec, T>;
  using Sum = kernels::SumPlan<Exec, T>;
  using FusedLines = kernels::FusedLinesPlan<Exec, T>;
  using FusedTiles = kernels::FusedTilesPlan<Exec, T>;
};

template <class Kernels>
inline constexpr bool fuses_blocks = !requires { typename Kernels::BlockRing; };

/// Plans have a constructor (exec, lines, tuning, columns) and `run`. Blocks may have others:
/// BlockDot, BlockSum, BlockRing.
template <class Kernels>
concept PlansOfKernels = requires {
  typename Kernels::Dot;
  typename Kernels::Sum;
  typename Kernels::FusedLines;
  typename Kernels::FusedTiles;
  { Kernels::columns_at_once } -> std::convertible_to<int>;
};

template <class Set, class Exec, class T>
concept KernelSet =
    PlansOfKernels<typename Set::template Of<Exec, T>> &&
    requires(Exec const& exec, Index size, Lines<T> const& lines, OneColumn columns) {
      { Set::kind } -> std::convertible_to<Kernels>;
      { Set::lines_have_sources } -> std::convertible_to<bool>;
      { Set::template tuning<T, true>(exec, size, size) } -> std::same_as<Tuning>;
      { Set::template tuning_of_blocks<T, true>(exec, size, size, 2) } -> std::same_as<Tuning>;
      { Set::template suit_fusion<Exec, true>(lines, columns) } -> std::same_as<bool>;
    };

struct AcceleratedKernels {
  static constexpr Kernels kind = Kernels::accelerated;
  template <class Exec, class T>
  using Of = typename backends::AcceleratedProducts<Exec>::template Of<T>;
  static constexpr bool lines_have_sources = true;

  template <class T, bool RowMajor, class Exec>
  static Tuning tuning(Exec const& exec, Index rows, Index cols) {
    if constexpr (RowMajor) {
      return backends::Backend<Exec>::template row_major_tuning<T>(exec, rows, cols);
    } else {
      return backends::Backend<Exec>::template column_major_tuning<T>(exec, rows, cols);
    }
  }
  template <class T, bool RowMajor, class Exec>
  static Tuning tuning_of_blocks(Exec const& exec, Index rows, Index cols, int vectors) {
    return backends::Backend<Exec>::template tuning_of_blocks<T>(
        exec, RowMajor ? rows : cols, RowMajor ? cols : rows, vectors,
        tuning<T, RowMajor>(exec, rows, cols));
  }
  /// Depends on addresses and columns; a tuning knows the shape only. Two columns may be fused one
  /// by one.
  template <class Exec, bool RowMajor, class T, class Columns>
  static bool suit_fusion(Lines<T> const& lines, Columns const& columns) {
    if (!RowMajor && !backends::AcceleratedProducts<Exec>::suit_fusion(lines)) return false;
    if constexpr (Columns::most == 1 || fuses_blocks<Of<Exec, T>>) {
      return true;
    } else {
      auto const count = static_cast<std::size_t>(columns.count());
      return count <= 2 || Of<Exec, T>::fused_at_once(RowMajor, lines, count) > 1;
    }
  }
};

struct PortableKernels {
  static constexpr Kernels kind = Kernels::portable;
  template <class Exec, class T>
  using Of = KernelsOfPolicies<Exec, T>;
  static constexpr bool lines_have_sources = false;

  template <class T, bool RowMajor, class Exec>
  static Tuning tuning(Exec const& exec, Index rows, Index cols) {
    return kernels::tuning_of_matrix<T, RowMajor>(exec, rows, cols);
  }
  template <class T, bool RowMajor, class Exec>
  static Tuning tuning_of_blocks(Exec const& exec, Index rows, Index cols, int vectors) {
    return kernels::tuning_of_blocks<T, RowMajor>(exec, rows, cols, vectors);
  }
  template <class Exec, bool RowMajor, class T, class Data>
  static bool suit_fusion(Lines<T, Data> const& /*lines*/, auto const& /*columns*/) {
    return true;
  }
};

template <class Exec, class T, class Columns>
concept HasNarrowKernels = backends::IsAccelerated<Exec> &&
                           backends::AcceleratedProducts<Exec>::template reads_narrow<T, Columns>;

/// Accelerated kernels that widen just before use: on hosts into a core's cache, on GPUs in
/// registers.
struct NarrowKernels {
  static constexpr Kernels kind = Kernels::accelerated;
  template <class Exec, class T>
  using Of = typename backends::AcceleratedProducts<Exec>::template OfNarrow<T>;

  template <class T, bool RowMajor, class Exec>
  static Tuning tuning(Exec const& exec, Index rows, Index cols) {
    return AcceleratedKernels::tuning<T, RowMajor>(exec, rows, cols);
  }
  template <class T, bool RowMajor, class Exec>
  static Tuning tuning_of_blocks(Exec const& exec, Index rows, Index cols, int vectors) {
    return AcceleratedKernels::tuning_of_blocks<T, RowMajor>(exec, rows, cols, vectors);
  }
  template <class Exec, bool RowMajor, class T>
  static bool suit_fusion(NarrowLines<T> const& lines, auto const& /*columns*/) {
    if constexpr (backends::AcceleratedProducts<Exec>::fuses_all) {
      return true;
    } else {
      return RowMajor && backends::AcceleratedProducts<Exec>::suit_fusion(lines);
    }
  }
};

template <class Kernels, class Columns>
struct ProductsOf {
  using Dot = typename Kernels::Dot;
  using Sum = typename Kernels::Sum;
  using FusedLines = typename Kernels::FusedLines;
};
template <class Kernels>
  requires(requires { typename Kernels::BlockDot; })
struct ProductsOf<Kernels, SomeColumns> {
  using Dot = typename Kernels::BlockDot;
  using Sum = typename Kernels::BlockSum;
  using FusedLines = typename Kernels::BlockRing;
};
template <class Exec, class T, class Set = AcceleratedKernels, class Columns = OneColumn>
using DotOf = typename ProductsOf<typename Set::template Of<Exec, T>, Columns>::Dot;
template <class Exec, class T, class Set = AcceleratedKernels, class Columns = OneColumn>
using SumOf = typename ProductsOf<typename Set::template Of<Exec, T>, Columns>::Sum;
template <class Exec, class T, bool RowMajor, class Set = AcceleratedKernels,
          class Columns = OneColumn>
using FusedOf =
    std::conditional_t<RowMajor,
                       typename ProductsOf<typename Set::template Of<Exec, T>, Columns>::FusedLines,
                       typename Set::template Of<Exec, T>::FusedTiles>;

template <class Set, bool RowMajor, class Exec, class T, class Data, class Body>
decltype(auto) with_fused_kernels(Exec const& exec, Lines<T, Data> const& lines,
                                  Tuning const& tuning, Body const& body) {
  if constexpr (!std::is_same_v<Set, PortableKernels>) {
    using Products = backends::AcceleratedProducts<Exec>;
    if constexpr (!Products::fuses_all) {
      if (!Products::template fuses<RowMajor>(exec, lines, tuning)) return body(PortableKernels{});
    }
  }
  return body(Set{});
}

/// Throws std::invalid_argument for kernels that the execution space lacks.
template <class Exec, class Body>
decltype(auto) with_kernels(Kernels wanted, Body const& body) {
  Kernels const used = kernels_used<Exec>(wanted);
  static_assert(KernelSet<PortableKernels, Exec, float>);
  if constexpr (backends::IsAccelerated<Exec>) {
    static_assert(KernelSet<AcceleratedKernels, Exec, float>);
    if (used == Kernels::accelerated) return body(AcceleratedKernels{});
  }
  return body(PortableKernels{});
}

template <class Matrix>
inline constexpr bool reads_narrow = false;
template <class T>
inline constexpr bool reads_narrow<NarrowLines<T>> = true;

/// Kernels that take some lines only have no blocks.
template <class Exec, class T>
bool narrow_kernels_take(NarrowLines<T> const& lines) {
  return backends::AcceleratedProducts<Exec>::template OfNarrow<T>::take(lines);
}
template <class Exec, class Matrix>
bool narrow_kernels_take(Matrix const& /*a*/) {
  return true;
}

/// As with_kernels, for a vector or a block, and lines or, for a block, their matrix.
/// @throws std::invalid_argument for accelerated kernels that cannot read them
template <class Exec, class T, class Columns, class Matrix, class Body>
decltype(auto) with_kernels_for(char const* operation, Matrix const& a, Kernels wanted,
                                Body const& body) {
  if constexpr (!reads_narrow<Matrix>) {
    return with_kernels<Exec>(wanted, body);
  } else {
    bool const accelerated = kernels_used<Exec>(wanted) == Kernels::accelerated;
    if constexpr (HasNarrowKernels<Exec, T, Columns>) {
      if (accelerated && narrow_kernels_take<Exec>(a)) return body(NarrowKernels{});
    }
    if (accelerated && wanted == Kernels::accelerated) {
      checks::fail(operation, std::string("no accelerated kernel of the backend ") + Exec::name() +
                                  " reads this narrow matrix: choose automatic or portable ones");
    }
    return body(PortableKernels{});
  }
}

template <class Exec, class T, class Matrix>
std::size_t columns_at_once(char const* operation, Matrix const& a, Kernels wanted) {
  return with_kernels_for<Exec, T, SomeColumns>(operation, a, wanted, []<class Set>(Set) {
    return static_cast<std::size_t>(Set::template Of<Exec, T>::columns_at_once);
  });
}
template <class Exec, class T>
std::size_t columns_at_once(Kernels wanted) {
  return with_kernels<Exec>(wanted, []<class Set>(Set) {
    return static_cast<std::size_t>(Set::template Of<Exec, T>::columns_at_once);
  });
}

template <class Exec, bool RowMajor, class T>
std::size_t fused_at_once(Kernels wanted, Lines<T> const& lines, std::size_t columns) {
  return with_kernels<Exec>(wanted, [&]<class Set>(Set) -> std::size_t {
    using Kernels = typename Set::template Of<Exec, T>;
    if constexpr (fuses_blocks<Kernels>) {
      return Kernels::columns_at_once;
    } else {
      return Kernels::fused_at_once(RowMajor, lines, columns);
    }
  });
}

}  // namespace tessera::detail

// See backends/compiled.hpp.
//  NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_LINES_TO_VECTOR(EXEC, T) \
  EXEC const&, Label const&, Lines<T> const&, T const*, OutputVector<T>
#define TESSERA_LINES_TO_BLOCK(EXEC, T) \
  EXEC const&, Label const&, Lines<T> const&, InputVectors<T>, OutputVectors<T>
#define TESSERA_HOST_PRODUCTS(TEMPLATE, EXEC, T)                                               \
  namespace tessera::detail {                                                                  \
  TEMPLATE void dot(TESSERA_LINES_TO_VECTOR(EXEC, T), T*, DotTuning const&, OneColumn const&); \
  TEMPLATE void sum(EXEC const&, Label const&, Lines<T> const&, T const*,                      \
                    PartialVectors<T> const&, HostSumPlan<T> const&, int, OneColumn const&);   \
  TESSERA_HOST_FUSED(TEMPLATE, EXEC, T, kernels::Identity)                                     \
  TESSERA_HOST_FUSED(TEMPLATE, EXEC, T, maps::Function<T>)                                     \
  }
#define TESSERA_HOST_FUSED(TEMPLATE, EXEC, T, FACTOR)                                             \
  TEMPLATE void fused_lines(EXEC const&, Label const&, Lines<T> const&, LinesInMemory const&,     \
                            T const*, OutputVector<T>, PartialVectors<T> const&,                  \
                            HostFusedLinesPlan<T> const&, FusedLinesTuning const&, FACTOR const&, \
                            OneColumn const&);                                                    \
  TEMPLATE void fused_tiles(TESSERA_LINES_TO_VECTOR(EXEC, T), PartialVectors<T> const&,           \
                            FusedTilesPlan<T> const&, FusedTilesTuning const&, FACTOR const&,     \
                            OneColumn const&);
#define TESSERA_GPU_PRODUCTS(TEMPLATE, EXEC, T)                                               \
  namespace tessera::detail {                                                                 \
  TEMPLATE void gpu::dot(TESSERA_LINES_TO_VECTOR(EXEC, T), T*, gpu::DotPlan<EXEC, T> const&); \
  TEMPLATE void gpu::sum(TESSERA_LINES_TO_VECTOR(EXEC, T), T*, Meeting<T> const&,             \
                         gpu::SumPlan<EXEC, T> const&);                                       \
  TEMPLATE void gpu::block_dot(TESSERA_LINES_TO_BLOCK(EXEC, T), T*,                           \
                               gpu::BlockDotPlan<EXEC, T> const&);                            \
  TEMPLATE void gpu::block_sum(TESSERA_LINES_TO_BLOCK(EXEC, T), T*,                           \
                               gpu::BlockSumPlan<EXEC, T> const&);                            \
  TESSERA_GPU_FUSED(TEMPLATE, EXEC, T, kernels::Identity)                                     \
  TESSERA_GPU_FUSED(TEMPLATE, EXEC, T, maps::Function<T>)                                     \
  }
#define TESSERA_GPU_FUSED(TEMPLATE, EXEC, T, FACTOR)                                     \
  TEMPLATE void gpu::block_ring(TESSERA_LINES_TO_BLOCK(EXEC, T), OutputVectors<T>, T*,   \
                                gpu::BlockRingPlan<EXEC, T> const&, FACTOR const&);      \
  TEMPLATE void gpu::fused_lines(TESSERA_LINES_TO_VECTOR(EXEC, T), OutputVector<T>, T*,  \
                                 Meeting<T> const&, gpu::FusedLinesPlan<EXEC, T> const&, \
                                 FACTOR const&);                                         \
  TEMPLATE void gpu::fused_slices(TESSERA_LINES_TO_VECTOR(EXEC, T), OutputVector<T>, T*, \
                                  gpu::SlicesPlan<EXEC, T> const&, FACTOR const&);
#define TESSERA_PRODUCTS_PORTABLY(TEMPLATE, EXEC, T, IN, OUT, COLUMNS)                         \
  TEMPLATE void DotPlan<EXEC, T>::run(EXEC const&, Label const&, Lines<T> const&, IN, OUT, T*, \
                                      COLUMNS const&) const;                                   \
  TEMPLATE void SumPlan<EXEC, T>::run(EXEC const&, Label const&, Lines<T> const&, IN, OUT, T*, \
                                      Meeting<T> const&, COLUMNS const&) const;                \
  TESSERA_FUSED_PORTABLY(TEMPLATE, FusedLinesPlan, EXEC, T, IN, OUT, Identity, COLUMNS)        \
  TESSERA_FUSED_PORTABLY(TEMPLATE, FusedLinesPlan, EXEC, T, IN, OUT, maps::Function<T>, COLUMNS)
#define TESSERA_FUSED_PORTABLY(TEMPLATE, PLAN, EXEC, T, IN, OUT, FACTOR, COLUMNS)                \
  TEMPLATE void PLAN<EXEC, T>::run(EXEC const&, Label const&, Lines<T> const&, IN, OUT, OUT, T*, \
                                   Meeting<T> const&, FACTOR const&, COLUMNS const&) const;
#define TESSERA_PORTABLE_PRODUCTS(TEMPLATE, EXEC, T)                                             \
  namespace tessera::kernels {                                                                   \
  TESSERA_PRODUCTS_PORTABLY(TEMPLATE, EXEC, T, T const*, OutputVector<T>, OneColumn)             \
  TESSERA_PRODUCTS_PORTABLY(TEMPLATE, EXEC, T, InputVectors<T>, OutputVectors<T>, SomeColumns)   \
  TESSERA_FUSED_PORTABLY(TEMPLATE, FusedTilesPlan, EXEC, T, T const*, OutputVector<T>, Identity, \
                         OneColumn)                                                              \
  TESSERA_FUSED_PORTABLY(TEMPLATE, FusedTilesPlan, EXEC, T, T const*, OutputVector<T>,           \
                         maps::Function<T>, OneColumn)                                           \
  }
#define TESSERA_NARROW_PRODUCTS_PORTABLY(TEMPLATE, EXEC, T, IN, OUT, COLUMNS)                   \
  TEMPLATE void DotPlan<EXEC, T>::run(EXEC const&, Label const&, detail::NarrowLines<T> const&, \
                                      IN, OUT, T*, COLUMNS const&) const;                       \
  TEMPLATE void SumPlan<EXEC, T>::run(EXEC const&, Label const&, detail::NarrowLines<T> const&, \
                                      IN, OUT, T*, Meeting<T> const&, COLUMNS const&) const;    \
  TESSERA_NARROW_FUSED_PORTABLY(TEMPLATE, FusedLinesPlan, EXEC, T, IN, OUT, Identity, COLUMNS)  \
  TESSERA_NARROW_FUSED_PORTABLY(TEMPLATE, FusedLinesPlan, EXEC, T, IN, OUT, maps::Function<T>,  \
                                COLUMNS)
#define TESSERA_NARROW_FUSED_PORTABLY(TEMPLATE, PLAN, EXEC, T, IN, OUT, FACTOR, COLUMNS)           \
  TEMPLATE void PLAN<EXEC, T>::run(EXEC const&, Label const&, detail::NarrowLines<T> const&, IN,   \
                                   OUT, OUT, T*, Meeting<T> const&, FACTOR const&, COLUMNS const&) \
      const;
#define TESSERA_NARROW_PRODUCTS(TEMPLATE, EXEC, T)                                            \
  namespace tessera::kernels {                                                                \
  TESSERA_NARROW_PRODUCTS_PORTABLY(TEMPLATE, EXEC, T, T const*, OutputVector<T>, OneColumn)   \
  TESSERA_NARROW_PRODUCTS_PORTABLY(TEMPLATE, EXEC, T, InputVectors<T>, OutputVectors<T>,      \
                                   SomeColumns)                                               \
  TESSERA_NARROW_FUSED_PORTABLY(TEMPLATE, FusedTilesPlan, EXEC, T, T const*, OutputVector<T>, \
                                Identity, OneColumn)                                          \
  TESSERA_NARROW_FUSED_PORTABLY(TEMPLATE, FusedTilesPlan, EXEC, T, T const*, OutputVector<T>, \
                                maps::Function<T>, OneColumn)                                 \
  }
#define TESSERA_HOST_NARROW(TEMPLATE, EXEC, T)                                                    \
  namespace tessera::detail {                                                                     \
  TEMPLATE void dot_of_narrow(EXEC const&, Label const&, NarrowLines<T> const&, T const*,         \
                              OutputVector<T>, T*, HostDotPlan<T> const&, OneColumn const&);      \
  TEMPLATE void sum_of_narrow(EXEC const&, Label const&, NarrowLines<T> const&, T const*,         \
                              PartialVectors<T> const&, HostSumPlan<T> const&, OneColumn const&); \
  TESSERA_HOST_NARROW_FUSED(TEMPLATE, EXEC, T, kernels::Identity)                                 \
  TESSERA_HOST_NARROW_FUSED(TEMPLATE, EXEC, T, maps::Function<T>)                                 \
  }
#define TESSERA_HOST_NARROW_FUSED(TEMPLATE, EXEC, T, FACTOR)                                      \
  TEMPLATE void fused_lines_of_narrow(                                                            \
      EXEC const&, Label const&, NarrowLines<T> const&, T const*, OutputVector<T>,                \
      PartialVectors<T> const&, HostFusedLinesPlan<T> const&, FACTOR const&, OneColumn const&);   \
  TEMPLATE void fused_tiles_of_narrow(EXEC const&, Label const&, NarrowLines<T> const&, T const*, \
                                      OutputVector<T>, PartialVectors<T> const&,                  \
                                      FusedTilesPlan<T> const&, FACTOR const&, OneColumn const&);
#define TESSERA_GPU_NARROW(TEMPLATE, EXEC, T)                                                  \
  namespace tessera::detail {                                                                  \
  TEMPLATE void gpu::dot_of_narrow(EXEC const&, Label const&, NarrowLines<T> const&, T const*, \
                                   OutputVector<T>, T*, gpu::DotPlan<EXEC, T> const&);         \
  TEMPLATE void gpu::sum_of_narrow(EXEC const&, Label const&, NarrowLines<T> const&, T const*, \
                                   OutputVector<T>, T*, Meeting<T> const&,                     \
                                   gpu::SumPlan<EXEC, T> const&);                              \
  TESSERA_GPU_NARROW_FUSED(TEMPLATE, EXEC, T, kernels::Identity)                               \
  TESSERA_GPU_NARROW_FUSED(TEMPLATE, EXEC, T, maps::Function<T>)                               \
  }
#define TESSERA_GPU_NARROW_FUSED(TEMPLATE, EXEC, T, FACTOR)                                  \
  TEMPLATE void gpu::fused_lines_of_narrow(EXEC const&, Label const&, NarrowLines<T> const&, \
                                           T const*, OutputVector<T>, OutputVector<T>, T*,   \
                                           gpu::FusedLinesPlan<EXEC, T> const&, FACTOR const&);
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED_FOR_FLOAT(TESSERA_NARROW_PRODUCTS)
TESSERA_COMPILED_FOR_FLOAT_ON_HOSTS(TESSERA_HOST_NARROW)
TESSERA_COMPILED_FOR_FLOAT_ON_CUDA(TESSERA_GPU_NARROW)
TESSERA_COMPILED_ON_HOSTS(TESSERA_HOST_PRODUCTS)
TESSERA_COMPILED_ON_CUDA(TESSERA_GPU_PRODUCTS)
TESSERA_COMPILED(TESSERA_PORTABLE_PRODUCTS)
