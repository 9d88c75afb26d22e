// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/contender.hpp>
#include <bench/table.hpp>
#include <cstddef>
#include <string>
#include <utility>

#include <tessera/atax.hpp>

namespace tessera::bench {
namespace {

template <class Exec, class T, Layout layout>
void add_atax_row(std::string const& name, Method method, Kernels kernels = Kernels::automatic) {
  auto const prepare = [method, kernels](Problem<Exec, T> const& p, Launch const& launch) -> Work {
    return [=, &p, tuning = launch.tuning](int call) {
      AtaxOptions<Exec, T> const options{
          .method = method, .workspace = p.workspace(), .tuning = tuning, .kernels = kernels};
      atax(p.exec, p.template matrix<KokkosLayout<layout>>(call), p.v, p.C, options);
    };
  };
  add_ours<Exec, T>("atax", name, layout, method == Method::two_stage ? 2 : 1, prepare);
}

template <class Exec, class T, Layout layout>
void add_block_row(std::string const& name, Method method, Kernels kernels = Kernels::automatic) {
  using L = KokkosLayout<layout>;
  auto const prepare = [method, kernels](Problem<Exec, T> const& p, Launch const&) -> Work {
    return [=, &p](int call) {
      AtaxOptions<Exec, T> const options{
          .method = method, .workspace = p.workspace(), .kernels = kernels};
      atax(p.exec, p.template matrix<L>(call), p.template factor<L>(call),
           p.template block_of_atax<L>(call), options);
    };
  };
  add_ours<Exec, T>("atax_block", name, layout, 1, prepare);
}

template <class Exec, class T, Layout layout, class MapOf>
void add_mapped_row(std::string const& operation, std::string const& name, Kernels kernels,
                    MapOf const& map_of) {
  using P = Problem<Exec, T>;
  auto const prepare = [=](P const& p, Launch const&) -> Work {
    return [=, &p](int call) {
      AtaxOptions<Exec, T> const options{
          .workspace = p.workspace(), .kernels = kernels, .map = map_of(p.b)};
      atax(p.exec, p.template matrix<KokkosLayout<layout>>(call), p.v, p.C, options);
    };
  };
  auto& row = add_ours<Exec, T>(operation, name, layout, 1, prepare);
  if (operation == "logistic") {  // b + 1 (check.hpp)
    row.prepare_bound = [](P const& p, Launch const&) -> Work {
      Kokkos::View<T*, Exec> const ones("bench::ones", static_cast<std::size_t>(p.shape.rows));
      Kokkos::deep_copy(p.exec, ones, T(1));
      return [=, &p](int call) {
        AtaxOptions<Exec, T> const options{.workspace = p.workspace(),
                                           .map = maps::plus(T(1), ones)};
        atax(p.exec, p.template matrix<KokkosLayout<layout>>(call), p.v, p.C, options);
      };
    };
  }
}

template <class Exec, class T, Layout layout>
void add_mapped_rows() {
  for (auto const& [name, kernels] :
       {std::pair{"tessera", Kernels::automatic}, {"tessera portable", Kernels::portable}}) {
    add_mapped_row<Exec, T, layout>("weights", name, kernels,
                                    [](auto const& w) { return maps::weights(w); });
    add_mapped_row<Exec, T, layout>("logistic", name, kernels,
                                    [](auto const& y) { return maps::logistic(y); });
  }
}

}  // namespace

void add_atax() {
  for_each_layout([]<class Exec, class T, Layout layout>(On<Exec, T>, In<layout>) {
    add_atax_row<Exec, T, layout>("tessera auto", Method::automatic);
    add_atax_row<Exec, T, layout>("tessera fused", Method::fused);
    add_atax_row<Exec, T, layout>("tessera two-stage", Method::two_stage);
    add_atax_row<Exec, T, layout>("tessera portable", Method::automatic, Kernels::portable);
    add_mapped_rows<Exec, T, layout>();
    add_block_row<Exec, T, layout>("tessera", Method::automatic);
    add_block_row<Exec, T, layout>("tessera fused", Method::fused);
    add_block_row<Exec, T, layout>("tessera portable", Method::automatic, Kernels::portable);
  });
}

}  // namespace tessera::bench
