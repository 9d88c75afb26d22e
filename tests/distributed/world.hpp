// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/distributed.hpp>

#include "support/data.hpp"

/// Shared by the tests of several processes.
namespace tessera::test {

inline int rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
inline int ranks() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

inline distributed::Rows random_rows(std::int64_t rows, std::uint64_t seed) {
  std::vector<std::int64_t> ends{0, rows};
  for (int i = 1; i < ranks(); ++i) {
    auto const any = random_bits(seed, static_cast<std::uint64_t>(i)) >> 1U;
    ends.push_back(static_cast<std::int64_t>(any % static_cast<std::uint64_t>(rows + 1)));
  }
  std::ranges::sort(ends);
  auto const me = static_cast<std::size_t>(rank());
  return {ends[me], ends[me + 1] - ends[me]};
}

template <class Exec, class T>
Kokkos::View<T*, typename Exec::memory_space> to_device(std::vector<T> const& values) {
  Kokkos::View<T*, typename Exec::memory_space> const view("values", values.size());
  Kokkos::deep_copy(view, Kokkos::View<T const*, Kokkos::HostSpace>(values.data(), values.size()));
  return view;
}
template <class View>
std::vector<typename View::non_const_value_type> to_vector(View const& x) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, x);
  std::vector<typename View::non_const_value_type> values(x.extent(0));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = host(i);
  return values;
}

template <class Exec, class T, class Layout>
Kokkos::View<T**, Layout, typename Exec::memory_space> matrix_of(std::vector<T> const& values,
                                                                 std::int64_t rows,
                                                                 std::int64_t cols) {
  using Matrix = Kokkos::View<T**, Layout, typename Exec::memory_space>;
  Matrix const A("A", static_cast<std::size_t>(rows), static_cast<std::size_t>(cols));
  Kokkos::View<T const**, Layout, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const
      from(values.data(), A.extent(0), A.extent(1));
  Kokkos::deep_copy(A, from);
  return A;
}

template <class Matrix>
Matrix rows_of(Matrix const& A, distributed::Rows const& rows) {
  Matrix const some("some rows", static_cast<std::size_t>(rows.count), A.extent(1));
  Kokkos::deep_copy(some, Kokkos::subview(A, Kokkos::pair(rows.first, rows.end()), Kokkos::ALL));
  return some;
}
template <class Vector>
Vector entries_of(Vector const& x, distributed::Rows const& rows) {
  Vector const some("some entries", static_cast<std::size_t>(rows.count));
  Kokkos::deep_copy(some, Kokkos::subview(x, Kokkos::pair(rows.first, rows.end())));
  return some;
}

}  // namespace tessera::test
