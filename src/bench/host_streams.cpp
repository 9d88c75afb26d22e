// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/table.hpp>

namespace tessera::bench {
namespace {

template <class T>
struct AddUp {
  static constexpr std::int64_t block = 4096;
  static constexpr int sums = 64;
  T const* data;

  KOKKOS_FUNCTION void operator()(std::int64_t k, T& sum) const {
    T part[sums] = {};
    for (std::int64_t j = k * block; j < (k + 1) * block; j += sums) {
      for (int l = 0; l < sums; ++l) part[l] += data[j + l];
    }
    for (T const x : part) sum += x;
  }
};

/// Reads with many independent sums.
template <class Exec, class T>
T add_up(Exec const& exec, T const* data, std::int64_t size) {
  T total = 0;
  Kokkos::parallel_reduce(
      "bench::read",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, size / AddUp<T>::block),
      AddUp<T>{data}, total);
  return total;
}

template <class Exec, class T>
void add_read_stream() {
  auto const prepare = [](Problem<Exec, T> const& p, Launch const&) -> Work {
    return
        [&p](int call) { add_up<Exec, T>(p.exec, p.elements(call), p.shape.rows * p.shape.cols); };
  };
  add_stream<Exec, T>("read", "read stream", 1, prepare);
}

}  // namespace

void add_host_streams() {
  for_each_table([]<class Exec, class T>(On<Exec, T>) {
    if constexpr (!is_gpu<Exec>) add_read_stream<Exec, T>();
  });
}

}  // namespace tessera::bench
