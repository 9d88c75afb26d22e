// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <type_traits>
#include <variant>

#include <Kokkos_Core.hpp>

#include <app/run/run_typed.hpp>
#include <io/types.hpp>
#include <tessera/backends/backends.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/narrow.hpp>

namespace tessera::app {

/// Calls body(exec, A, by_rows) on the host, with A as operations of floats take it.
template <class Body>
void with_stored(AnySpace const& space, io::StoredMatrix const& matrix, io::ElementType stored,
                 Body const& body) {
  using enum io::ElementType;
  auto const run = [&]<class Exec, class Bits, class Layout>(
                       Exec const& exec, io::MatrixView<Bits, Layout> const& A) {
    if constexpr (!backends::Backend<Exec>::is_gpu) {
      auto const as = [&]<class S>(S) {
        body(exec,
             tessera::detail::narrow_in<float>(
                 Kokkos::View<S const**, Layout, typename Exec::memory_space,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                     reinterpret_cast<S const*>(A.data()), A.extent(0), A.extent(1))),
             std::is_same_v<Layout, Kokkos::LayoutRight>);
      };
      if constexpr (sizeof(Bits) == 1) {
        stored == i8 ? as(std::int8_t{}) : as(std::uint8_t{});
      } else if (stored == f16) {
        as(Float16{});
      } else if (stored == bf16) {
        as(Bfloat16{});
      } else {
        stored == i16 ? as(std::int16_t{}) : as(std::uint16_t{});
      }
    }
  };
  std::visit(run, space, matrix);
}

/// Calls body(exec, A, by_rows) with the request's matrix in place.
template <class Body>
void with_matrix_of(RunRequest const& request, Measurement& to, Body const& body) {
  AnySpace const space = space_for(request, to);
  if (request.stored) return with_stored(space, *request.stored, request.stored_type, body);
  auto const run = [&]<class Exec, class T, class Layout>(Exec const& exec,
                                                          io::MatrixView<T, Layout> const& host_a) {
    auto const A = bring(exec, host_a, request.input, to);
    body(exec, tessera::detail::matrix_in(A), std::is_same_v<Layout, Kokkos::LayoutRight>);
  };
  std::visit(run, space, request.A);
}

/// get(LayoutRight()) or get(LayoutLeft()).
template <class Get>
auto of_layout(bool by_rows, Get const& get) {
  return by_rows ? get(Kokkos::LayoutRight()) : get(Kokkos::LayoutLeft());
}

/// Of an element of A in memory.
template <class Matrix>
std::uint64_t element_bytes(Matrix const& A) {
  if constexpr (tessera::detail::reads_narrow<Matrix>) {
    return A.element_bytes();
  } else {
    return sizeof(typename Matrix::non_const_value_type);
  }
}

}  // namespace tessera::app
