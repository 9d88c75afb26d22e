// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "contenders.hpp"

namespace benchmarks {
namespace {

/// Adds up whole blocks of `size` scalars with many independent sums.
template <class T>
T add_up(T const* data, std::int64_t size) {
  constexpr std::int64_t block = 4096;
  constexpr int sums = 64;
  T total = 0;
  Kokkos::parallel_reduce(
      "benchmark::read",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, size / block),
      KOKKOS_LAMBDA(std::int64_t const b, T& sum) {
        T part[sums] = {};
        for (std::int64_t j = b * block; j < (b + 1) * block; j += sums) {
          for (int l = 0; l < sums; ++l) part[l] += data[j + l];
        }
        for (T const x : part) sum += x;
      },
      total);
  return total;
}

/// What reading A once costs: a plain Kokkos loop.
template <class T>
void add_read_stream(std::vector<Contender<T>>& rows) {
  rows.push_back({"read", "read stream", 1, [](Problem<T> const& p) -> Work {
                    return [&p](int call) {
                      add_up<T>(p.row_major_of(call).data(), p.shape.rows * p.shape.cols);
                    };
                  }});
}

Registration const registration([](auto& rows) { add_read_stream(rows); });

}  // namespace
}  // namespace benchmarks
