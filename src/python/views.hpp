// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <python/operations.hpp>
#include <string>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/maps.hpp>
#include <tessera/narrow.hpp>

/// Arrays as Views.
namespace tessera::python {

template <class Exec, class T>
using MatrixView = Kokkos::View<T**, Kokkos::LayoutStride, typename Exec::memory_space,
                                Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
template <class Exec, class T>
using VectorView = Kokkos::View<T*, Kokkos::LayoutStride, typename Exec::memory_space,
                                Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <class Exec, class T>
MatrixView<Exec, T> matrix(Array const& x) {
  auto const size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  return MatrixView<Exec, T>(static_cast<T*>(x.data),
                             Kokkos::LayoutStride(size(x.extents[0]), size(x.strides[0]),
                                                  size(x.extents[1]), size(x.strides[1])));
}

template <class Exec, class T>
VectorView<Exec, T> vector(Array const& x) {
  return VectorView<Exec, T>(static_cast<T*>(x.data),
                             Kokkos::LayoutStride(static_cast<std::size_t>(x.extents[0]),
                                                  static_cast<std::size_t>(x.strides[0])));
}

/// Calls body(view), where view(array) is a vector if x has one dimension, otherwise a matrix.
template <class Exec, class T, class Body>
void with_views(Array const& x, Body const& body) {
  if (x.dimensions == 1) {
    body([](Array const& y) { return vector<Exec, T>(y); });
  } else {
    body([](Array const& y) { return matrix<Exec, T>(y); });
  }
}

inline maps::Kind kind_of(AtaxCall const& call) {
  for (auto const known :
       {maps::Kind::weights, maps::Kind::minus, maps::Kind::logistic, maps::Kind::logistic_weights,
        maps::Kind::poisson, maps::Kind::poisson_weights}) {
    if (call.map == maps::name_of(known)) return known;
  }
  return maps::Kind::identity;
}

template <class Exec, class T>
RowMap<T, typename Exec::memory_space> map_of(AtaxCall const& call) {
  if (!call.of_map) return {};
  return {kind_of(call), vector<Exec, T>(*call.of_map)};
}

template <class Body>
decltype(auto) with_type(Array const& x, Body const& body) {
  return x.type.bytes == sizeof(double) ? body(double()) : body(float());
}

/// Calls body with a View of A, which may be narrow if T is float.
template <class Exec, class T, class Body>
void with_matrix(Array const& a, Body const& body) {
  if constexpr (std::is_same_v<T, float>) {
    std::string const& name = a.type.name;
    if (name == "float16") return body(matrix<Exec, Float16 const>(a));
    if (name == "bfloat16") return body(matrix<Exec, Bfloat16 const>(a));
    if (name == "int8") return body(matrix<Exec, std::int8_t const>(a));
    if (name == "uint8") return body(matrix<Exec, std::uint8_t const>(a));
    if (name == "int16") return body(matrix<Exec, std::int16_t const>(a));
    if (name == "uint16") return body(matrix<Exec, std::uint16_t const>(a));
  }
  body(matrix<Exec, T>(a));
}

}  // namespace tessera::python
