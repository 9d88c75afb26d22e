// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <variant>

#include <Kokkos_Core.hpp>

#include <app/run/run_typed.hpp>
#include <io/types.hpp>
#include <tessera/aatx.hpp>
#include <tessera/backends/backends.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/narrow.hpp>

namespace tessera::app {

/// Calls body(exec, A, by_rows), or with `transposed` for Aᵀ in the same memory. A is an argument
/// of operations on T.
template <class T, bool transposed, class Exec, class View, class Body>
void with_argument(Exec const& exec, View const& A, Body const& body) {
  constexpr bool by_rows = std::is_same_v<typename View::array_layout, Kokkos::LayoutRight>;
  if constexpr (transposed) {
    body(exec, tessera::detail::stored_in<T>(tessera::detail::TransposeOf(A)), !by_rows);
  } else {
    body(exec, tessera::detail::stored_in<T>(A), by_rows);
  }
}

/// Calls body(S()) for elements of 8 or 16 bits.
template <class Body>
void with_narrow_type(io::ElementType stored, Body const& body) {
  using enum io::ElementType;
  switch (stored) {
    case f16:
      return body(Float16{});
    case bf16:
      return body(Bfloat16{});
    case i8:
      return body(std::int8_t{});
    case u8:
      return body(std::uint8_t{});
    case i16:
      return body(std::int16_t{});
    case u16:
      return body(std::uint16_t{});
    default:
      throw std::logic_error("with_narrow_type: expected elements of 8 or 16 bits");
  }
}

/// As with_argument(), on the host, with operations on floats.
template <bool transposed = false, class Body>
void with_stored(AnySpace const& space, io::StoredMatrix const& matrix, io::ElementType stored,
                 Body const& body) {
  auto const run = [&]<class Exec, class Bits, class Layout>(
                       Exec const& exec, io::MatrixView<Bits, Layout> const& A) {
    if constexpr (!backends::Backend<Exec>::is_gpu) {
      with_narrow_type(stored, [&]<class S>(S) {
        if constexpr (sizeof(S) == sizeof(Bits)) {
          using View = Kokkos::View<S const**, Layout, typename Exec::memory_space,
                                    Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
          with_argument<float, transposed>(
              exec, View(reinterpret_cast<S const*>(A.data()), A.extent(0), A.extent(1)), body);
        }
      });
    }
  };
  std::visit(run, space, matrix);
}

/// As with_argument(), with the request's matrix in place.
template <bool transposed = false, class Body>
void with_matrix_of(RunRequest const& request, Measurement& to, Body const& body) {
  AnySpace const space = space_for(request, to);
  if (request.stored) {
    return with_stored<transposed>(space, *request.stored, request.stored_type, body);
  }
  auto const run = [&]<class Exec, class T, class Layout>(Exec const& exec,
                                                          io::MatrixView<T, Layout> const& host_a) {
    with_argument<T, transposed>(exec, bring(exec, host_a, request.input, to), body);
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
