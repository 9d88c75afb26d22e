// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/detail/digest.hpp>
#include <tessera/distributed.hpp>
#include <tessera/distributed/detail/stream.hpp>
#include <tessera/distributed/detail/stream_columns.hpp>
#include <tessera/kernels/factor.hpp>
#include <tessera/stream.hpp>
#include <tessera/stream/aatx.hpp>

/// Streams by many processes, with the bits of one (docs/distributed.md): `atax`, `aatx`,
/// `multiply`, `multiply_transposed` and `multiply_both` take a `Distributed` in place of an
/// execution space. `multiply_both` takes vectors, the others also blocks of vectors.
///
/// All ranks pass the same matrix, replicated vectors, and the same memory limit per rank. Results
/// are replicated.
///
/// The first rank's wants_state decides; on_state is called on all. Any number of processes can
/// resume from a state, except inside a panel (if the limit fits no panel): then only one.
/// on_progress assumes equal progress of the other ranks.
///
/// ```cpp
/// auto const ones = [](tessera::stream::Block const& block, double* to) {
///   std::fill_n(to, block.rows * block.cols, 1.0);
/// };
/// auto const source = tessera::stream::make_source<double>(1000, 30, ones);
/// tessera::Distributed<Kokkos::DefaultExecutionSpace> const world(MPI_COMM_WORLD);
/// Kokkos::View<double*> v("v", 30), C("C", 30);
/// tessera::stream::atax(world, source, v, C);
/// ```
namespace tessera::stream {

namespace detail {

inline constexpr std::int64_t no_state = 0;

template <class T>
std::int64_t digest_of_state(State<T> const* state) {
  if (state == nullptr) return no_state;
  tessera::detail::Digest digest;
  digest.add(state->blocks_done, state->block_lines, state->waiting.size());
  for (auto const& values : state->waiting) digest.add(values);
  digest.add(state->chain).add(state->output);
  return static_cast<std::int64_t>(digest.value() | 1U);  // no_state is even
}

/// All ranks throw unless their calls are equal.
template <class Exec, class Source>
void require_same_call(Distributed<Exec> const& world, char const* operation, Source const& source,
                       Options<typename Source::value_type> const& options,
                       std::vector<double> const& numbers) {
  std::int64_t call = 0;
  auto const add = [&](std::int64_t x) { call = (call * 1'000'003 + x) % 2'147'483'647; };
  for (char const* c = operation; *c != '\0'; ++c) add(*c);
  for (double const x : numbers) add(std::bit_cast<std::int64_t>(x) % 2'147'483'647);
  add(options.on_state && options.wants_state ? 1 : 0);
  struct Facts {
    std::int64_t rows, cols, bytes, call, state;
  };
  Facts const mine{static_cast<Index>(source.rows()), static_cast<Index>(source.cols()),
                   sizeof(typename Source::value_type), call, digest_of_state(options.resume)};
  std::vector<Facts> const all = world.communicator().gather(mine);
  for (std::size_t r = 0; r < all.size(); ++r) {
    auto const refuse = [&](std::string const& what) {
      throw DistributedError(static_cast<int>(r), "tessera::" + std::string(operation) +
                                                      ": expected what rank 0 has, " + what);
    };
    auto const size = [](Facts const& its) {
      return std::to_string(its.rows) + " x " + std::to_string(its.cols) + " elements of " +
             std::to_string(its.bytes) + " bytes";
    };
    if (size(all[r]) != size(all[0])) refuse(size(all[0]) + ", found " + size(all[r]));
    if (all[r].call != all[0].call) refuse("found another call");
    if (all[r].state == all[0].state) continue;
    refuse(all[0].state == no_state   ? "no state to resume from, found one"
           : all[r].state == no_state ? "a state to resume from, found none"
                                      : "found another state to resume from");
  }
}

template <class Exec, class T>
struct VectorsOfCall {
  std::optional<SideBySide<Exec, T>> x;
  std::optional<OutputSideBySide<Exec, T>> grown;

  VectorsOfCall(Distributed<Exec> const& world, VectorArgument<T const> const& from,
                OutputVector<T> to, Index entries) {
    world.together([&] {
      x.emplace(world.exec(), from);
      grown.emplace(world.exec(),
                    tessera::detail::OutputVectors<T>{to.data, to.stride, 0, entries});
    });
  }
};

template <class Exec, class T, class Layout>
Report call_atax(Distributed<Exec> const& world, AnySource<T, Layout> const& source,
                 VectorArgument<T const> const& v, OutputVector<T> b, OutputVector<T> c,
                 Options<T> const& options, AtaxTerms<Exec, T> const& terms) {
  constexpr Cut cut = std::is_same_v<Layout, Kokkos::LayoutRight> ? Cut::panels : Cut::tiles;
  Exec const& exec = world.exec();
  Index const rows = source.rows();
  Index const cols = source.cols();
  maps::Kind const map = terms.map.function().kind;
  return tessera::detail::with_map(terms.map, [&](auto const& factor) {
    VectorsOfCall<Exec, T> const vectors(world, v, b, rows);
    OutputVector<T> const kept = vectors.grown->vector();
    distributed::detail::StreamOnRanks<Exec, T, Layout, cut> on_ranks(
        world, name_of_atax(map), source,
        {.operation = state_of_atax(map, b.data != nullptr), .sum = cols, .grown = kept}, options);
    Report const report = on_ranks(
        [&](AnySource<T, Layout> const& part, Index first, OutputVector<T> sum,
            Options<T> const& its) {
          using tessera::kernels::shifted;  // maps have an overload
          return run_atax(exec, part, tessera::detail::vector_in(vectors.x->vector()),
                          from(kept, first), sum, its, map, shifted(factor, first));
        },
        c);
    world.together([&] {
      vectors.grown->finish();
      tessera::detail::finish_atax(exec, rows, b, cols, c, tessera::detail::TermsOfAtax<T>(terms),
                                   factor);
      exec.fence("tessera::stream::atax: C is there");
    });
    return report;
  });
}

template <bool IsSum, class Exec, class T, class Layout>
Report run_product_on_ranks(Distributed<Exec> const& world, std::string const& name,
                            AnySource<T, Layout> const& source, VectorArgument<T const> const& x,
                            OutputVector<T> out, Index entries, Options<T> const& options) {
  constexpr OutputVector<T> none{nullptr, 1};
  VectorsOfCall<Exec, T> const vectors(world, x, IsSum ? none : out, entries);
  OutputVector<T> const made = vectors.grown->vector();
  distributed::detail::StreamOnRanks<Exec, T, Layout, IsSum ? Cut::panels : Cut::lines> on_ranks(
      world, "stream::" + name, source,
      {.operation = name, .sum = IsSum ? entries : 0, .grown = made}, options);
  Report const report = on_ranks(
      [&](AnySource<T, Layout> const& part, Index first, OutputVector<T> sum,
          Options<T> const& its) {
        ConstVector<Exec, T> const& all = vectors.x->vector();
        if constexpr (IsSum) {
          ConstVector<Exec, T> const its_x(all.data() + first,
                                           static_cast<std::size_t>(extents_of(part).count));
          return run_product<true>(world.exec(), name, part, tessera::detail::vector_in(its_x), sum,
                                   entries, its);
        } else {
          return run_product<false>(world.exec(), name, part, tessera::detail::vector_in(all),
                                    from(made, first), entries, its);
        }
      },
      out);
  world.together([&] { vectors.grown->finish(); });
  return report;
}

/// All ranks, in place of an execution space.
template <class Space>
struct PlaceOfStream<Distributed<Space>> {
  using Exec = Space;
  using Limit = DistributedLimitError;
  using World = Distributed<Space>;
  static Exec exec(World const& world) { return world.exec(); }
  template <class Body>
  static void together(World const& world, Body const& body) {
    world.together(body);
  }
  template <class Source, class Options>
  static void agree(World const& world, char const* operation, Source const& source,
                    Options const& options, std::vector<double> const& numbers) {
    require_same_call(world, operation, source, options, numbers);
  }
  template <class... Arguments>
  static Report atax(World const& world, Arguments const&... arguments) {
    return call_atax(world, arguments...);
  }
  template <bool IsSum, class... Arguments>
  static Report product(World const& world, Arguments const&... arguments) {
    return run_product_on_ranks<IsSum>(world, arguments...);
  }
  template <class... Arguments>
  static Report atax_of_columns(World const& world, Arguments const&... arguments) {
    return call_atax_of_columns(world, arguments...);
  }
  template <bool IsSum, class... Arguments>
  static Report product_of_columns(World const& world, Arguments const&... arguments) {
    return call_product_of_columns<IsSum>(world, arguments...);
  }
};

}  // namespace detail
}  // namespace tessera::stream
