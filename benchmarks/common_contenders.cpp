// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// What calls are measured against on every backend: copying A, and a kernel that does nothing.
#include "contenders.hpp"
#include "target.hpp"

namespace benchmarks {
namespace {

/// What reading A and writing as much costs, by the copy that Kokkos makes.
template <class T>
void add_copy_stream(std::vector<Contender<T>>& rows) {
  rows.push_back({"copy", "copy stream", 2, [](Problem<T> const& p) -> Work {
                    using Piece = Kokkos::View<T*, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
                    std::size_t const size =
                        p.memory.extent(0) / static_cast<std::size_t>(p.copies);
                    need_target(p);
                    return [=, &p](int call) {
                      std::size_t const at = static_cast<std::size_t>(call % p.copies) * size;
                      Kokkos::deep_copy(p.exec, Piece(target_of(p, call), size),
                                        Piece(p.memory.data() + at, size));
                    };
                  }});
}

void run_empty_kernel(Exec const& exec) {
  Kokkos::parallel_for("benchmark::empty", Kokkos::RangePolicy<Exec>(exec, 0, 1),
                       KOKKOS_LAMBDA(int){});
}

/// What a call costs that has one kernel and no work.
template <class T>
void add_empty_launch(std::vector<Contender<T>>& rows) {
  rows.push_back({"launch", "empty kernel of Kokkos", 0, [](Problem<T> const& p) -> Work {
                    return [&p](int) { run_empty_kernel(p.exec); };
                  }});
}

Registration const registration([](auto& rows) {
  add_copy_stream(rows);
  add_empty_launch(rows);
});

}  // namespace
}  // namespace benchmarks
