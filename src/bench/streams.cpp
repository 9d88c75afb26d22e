// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// Reference rows of every backend: copying A, and an empty kernel.
#include <bench/table.hpp>

namespace tessera::bench {
namespace {

template <class Exec, class T>
void add_copy_stream() {
  auto const prepare = [](Problem<Exec, T> const& p, Launch const&) -> Work {
    using Piece = Kokkos::View<T*, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    p.need_target();
    return [&p](int call) {
      std::size_t const size = p.stored_elements(p.shape);
      Kokkos::deep_copy(p.exec, Piece(p.target_of(call), size), Piece(p.elements(call), size));
    };
  };
  add_stream<Exec, T>("copy", "copy stream", 2, prepare);
}

struct Empty {
  KOKKOS_FUNCTION void operator()(int) const {}
};

template <class Exec>
void run_empty_kernel(Exec const& exec) {
  Kokkos::parallel_for("bench::empty", Kokkos::RangePolicy<Exec>(exec, 0, 1), Empty{});
}

template <class Exec, class T>
void add_empty_launch() {
  add_stream<Exec, T>("launch", "empty kernel of Kokkos", 0,
                      [](Problem<Exec, T> const& p, Launch const&) -> Work {
                        return [&p](int) { run_empty_kernel(p.exec); };
                      });
}

}  // namespace

void add_streams() {
  for_each_table([]<class Exec, class T>(On<Exec, T>) {
    add_copy_stream<Exec, T>();
    add_empty_launch<Exec, T>();
  });
}

}  // namespace tessera::bench
