// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include "machine.hpp"
#include "problem.hpp"

/// Where contenders write matrices: room for as many as are read, which they share.
namespace benchmarks {

/// Makes the room, for the first contender that needs it. Throws std::runtime_error if there is too
/// little memory.
template <class T>
void need_target(Problem<T> const& p) {
  if (p.target.extent(0) > 0) return;
  std::size_t const bytes = p.memory.extent(0) * sizeof(T);
  if (bytes > free_bytes()) {
    throw std::runtime_error("the output needs " + std::to_string(bytes >> 20) +
                             " MiB of memory more");
  }
  p.target = Kokkos::View<T*, Exec>(Kokkos::view_alloc(Kokkos::WithoutInitializing, "target"),
                                    p.memory.extent(0));
}

/// What a call writes; needs need_target.
template <class T>
T* target_of(Problem<T> const& p, int call) {
  std::size_t const size = p.memory.extent(0) / static_cast<std::size_t>(p.copies);
  return p.target.data() + static_cast<std::size_t>(call % p.copies) * size;
}

/// Elements from row to row of a row-major transpose, which is padded like the matrix.
template <class T>
std::int64_t target_leading(Problem<T> const& p) {
  return p.shape.rows + p.shape.padding;
}

}  // namespace benchmarks
