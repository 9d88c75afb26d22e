// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bench/published/transpose/elements.hpp>
#include <bench/published/transpose/tile.hpp>
#include <string_view>

#include <Kokkos_Core.hpp>

/// Transposes in the order of their course.
namespace tessera::published {

template <class Exec, class T>
using TransposeInput = Kokkos::View<T const**, Kokkos::LayoutRight, typename Exec::memory_space,
                                    Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
template <class Exec, class T>
using TransposeOutput = Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space,
                                     Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <class Exec, class T>
struct TransposeVariant {
  std::string_view name;
  bool is_copy;  ///< computes A (m x n), not its transpose
  std::string_view blocks;
  void (*run)(Exec const& exec, TransposeInput<Exec, T> const& A,
              TransposeOutput<Exec, T> const& out, Block const& block);
};

template <ExecutionSpace Exec, Element T>
constexpr auto transpose_variants() {
  using In = TransposeInput<Exec, T>;
  using Out = TransposeOutput<Exec, T>;
  constexpr std::string_view any = "at most 1024 threads";
  constexpr std::string_view fitting = "at most 1024 threads, whose tile fits the team's scratch";
  return std::array<TransposeVariant<Exec, T>, 11>{{
      {"copy-row", true, any, &move_elements<Copy, Along::rows, Exec, In, Out>},
      {"copy-col", true, any, &move_elements<Copy, Along::columns, Exec, In, Out>},
      {"naive-row", false, any, &move_elements<Naive, Along::rows, Exec, In, Out>},
      {"naive-col", false, any, &move_elements<Naive, Along::columns, Exec, In, Out>},
      {"unroll4-row", false, any, &move_elements<Unroll4, Along::rows, Exec, In, Out>},
      {"unroll4-col", false, any, &move_elements<Unroll4, Along::columns, Exec, In, Out>},
      {"diagonal-row", false, any, &move_elements<Diagonal, Along::rows, Exec, In, Out>},
      {"diagonal-col", false, any, &move_elements<Diagonal, Along::columns, Exec, In, Out>},
      {"tile", false, fitting, &tile<Exec, In, Out>},
      {"tile-padded", false, fitting, &tile_padded<Exec, In, Out>},
      {"tile-unrolled-padded", false, fitting, &tile_unrolled_padded<Exec, In, Out>},
  }};
}

}  // namespace tessera::published
