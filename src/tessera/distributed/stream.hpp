// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
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
#include <tessera/kernels/factor.hpp>
#include <tessera/stream.hpp>
#include <tessera/stream/aatx.hpp>

/// Streams by many processes, with the bits of one (docs/distributed.md): `atax`, `aatx`,
/// `multiply`, `multiply_transposed` and `multiply_both` take a `Distributed` in place of an
/// execution space; all but the last also for blocks of vectors.
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

/// Columns one after another, as ranks exchange them.
template <class Exec, class T>
using Columns = Kokkos::View<T**, Kokkos::LayoutLeft, typename Exec::memory_space>;

template <class T>
tessera::detail::OutputVectors<T> outputs_of(MatrixArgument<T> const& block) {
  return {block.data(), static_cast<Index>(block.stride(0)), static_cast<Index>(block.stride(1)),
          static_cast<Index>(block.extent(0))};
}

/// Written in place, or copied back at the end.
template <class Exec, class T>
class OutputSideBySide {
 public:
  OutputSideBySide(Exec const& exec, tessera::detail::OutputVectors<T> const& out, Index count = 1)
      : exec_(exec), out_(out) {
    auto const entries = static_cast<std::size_t>(out.data == nullptr ? 0 : out.length);
    auto const columns = static_cast<std::size_t>(count);
    if (entries == 0) return;
    if (out.stride == 1 && (count == 1 || out.pitch == out.length)) {
      columns_ = Columns<Exec, T>(out.data, entries, columns);
    } else {
      columns_ = Columns<Exec, T>(Kokkos::view_alloc(exec, std::string("tessera::stream::output"),
                                                     Kokkos::WithoutInitializing),
                                  entries, columns);
    }
  }
  [[nodiscard]] Columns<Exec, T> const& columns() const { return columns_; }
  [[nodiscard]] OutputVector<T> vector() const { return {columns_.data(), 1}; }
  void finish() const {
    if (columns_.data() == out_.data || columns_.size() == 0) return;
    for (Index j = 0; j < static_cast<Index>(columns_.extent(1)); ++j) {
      copy_vector<T>(exec_, "tessera::stream::copy", out_.length, columns_.data() + j * out_.length,
                     1, out_.column(j));
    }
    exec_.fence("tessera::stream: output is copied");
  }

 private:
  Exec exec_;
  tessera::detail::OutputVectors<T> out_;
  Columns<Exec, T> columns_;
};

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

/// Completes all columns on all ranks, with the messages of one.
template <class Exec, class T>
void share_columns(Distributed<Exec> const& world, Columns<Exec, T> const& B,
                   std::vector<distributed::Rows> const& rows_by_rank) {
  Exec const& exec = world.exec();
  auto const count = static_cast<Index>(B.extent(1));
  if (count == 0) return;
  Kokkos::View<T*, typename Exec::memory_space> packed;
  if (count == 1) {
    packed = decltype(packed)(B.data(), B.extent(0));
    return world.share_rows(packed, rows_by_rank);
  }
  // Rank by rank, and column by column within a rank.
  std::vector<distributed::Rows> packed_by_rank = rows_by_rank;
  for (distributed::Rows& rows : packed_by_rank) rows = {rows.first * count, rows.count * count};
  auto const copy = [&](std::size_t r, auto const& body) {
    distributed::Rows const& rows = rows_by_rank[r];
    if (rows.count == 0) return;
    body(Kokkos::subview(B, Kokkos::pair(rows.first, rows.end()), Kokkos::ALL),
         Columns<Exec, T>(packed.data() + rows.first * count, static_cast<std::size_t>(rows.count),
                          B.extent(1)));
  };
  world.together([&] {
    packed = decltype(packed)(Kokkos::view_alloc(exec, std::string("tessera::stream::packed"),
                                                 Kokkos::WithoutInitializing),
                              B.size());
    copy(static_cast<std::size_t>(world.rank()),
         [&](auto const& own, auto const& to) { Kokkos::deep_copy(exec, to, own); });
  });
  world.share_rows(packed, packed_by_rank);
  for (std::size_t r = 0; r < rows_by_rank.size(); ++r) {
    if (r == static_cast<std::size_t>(world.rank())) continue;
    copy(r, [&](auto const& to, auto const& its) { Kokkos::deep_copy(exec, to, its); });
  }
  exec.fence("tessera::stream: the columns are complete");
}

/// body(columns) with all columns, or with groups that the limit allows.
template <class Body>
Report by_groups(Index columns, Body const& body) {
  Report all;
  Index at_once = columns;
  for (Index first = 0; first < columns;) {
    Index const count = std::min(at_once, columns - first);
    try {
      add_to(all, body(Kokkos::pair(first, first + count)));
      first += count;
    } catch (DistributedLimitError const&) {  // thrown on all ranks
      if (count == 1) throw;
      at_once = count / 2;
    }
  }
  return all;
}

/// B = f(A·V) and C = Aᵀ·B of all ranks; B may have no elements.
/// @param keep_product B is A·V
template <class Exec, class T, class Layout, class Factor>
Report atax_of_columns(Distributed<Exec> const& world, AnySource<T, Layout> const& source,
                       Columns<Exec, T const> const& V, Columns<Exec, T> const& B,
                       Columns<Exec, T> const& C, Options<T> const& options,
                       std::vector<Factor> const& factors, bool keep_product = false) {
  namespace parts = distributed::detail;
  constexpr bool by_rows = std::is_same_v<Layout, Kokkos::LayoutRight>;
  parts::StreamOnRanks<Exec, T, Layout, by_rows ? Cut::panels : Cut::tiles> on_ranks(
      world, "stream::atax", source,
      {.operation = "atax of columns", .sum = static_cast<Index>(C.size())}, options);
  auto const report = on_ranks(
      [&](AnySource<T, Layout> const& part, Index first, OutputVector<T> sum,
          Options<T> const& its) {
        using tessera::kernels::shifted;  // maps have an overload
        std::vector<Factor> its_factors;
        its_factors.reserve(factors.size());
        for (Factor const& factor : factors) its_factors.push_back(shifted(factor, first));
        std::optional<MatrixArgument<T>> its_B;
        if (B.size() > 0) {
          its_B.emplace(Kokkos::subview(B, Kokkos::pair(first, first + part.rows()), Kokkos::ALL));
        }
        Columns<Exec, T> const root(sum.data, C.extent(0), C.extent(1));
        return run_atax_of_columns<Exec, T>(world.exec(), part, tessera::detail::matrix_in(V),
                                            its_B, tessera::detail::matrix_out(root), its,
                                            {.keep_product = keep_product}, its_factors);
      },
      {C.data(), 1});
  if (B.size() == 0) return report;
  Index const unit = by_rows ? extents_of(source).panel() : Index{summation::segment<T>};
  share_columns(world, B, parts::even_rows_by_rank({source.rows(), unit}, world.size()));
  return report;
}

/// A sum over lines, or dot products with them, of all ranks.
template <bool IsSum, class Exec, class T, class Layout>
Report product_of_columns(Distributed<Exec> const& world, std::string const& name,
                          AnySource<T, Layout> const& source, Columns<Exec, T const> const& X,
                          Columns<Exec, T> const& Y, Options<T> const& options) {
  namespace parts = distributed::detail;
  parts::StreamOnRanks<Exec, T, Layout, IsSum ? Cut::panels : Cut::lines> on_ranks(
      world, "stream::" + name, source,
      {.operation = name + " of columns", .sum = IsSum ? static_cast<Index>(Y.size()) : 0},
      options);
  auto const report = on_ranks(
      [&](AnySource<T, Layout> const& part, Index first, OutputVector<T> sum,
          Options<T> const& its) {
        auto const run = [&](auto const& in, auto const& out) {
          return run_product_of_columns<IsSum>(world.exec(), name, part,
                                               tessera::detail::matrix_in(in),
                                               tessera::detail::matrix_out(out), its);
        };
        Kokkos::pair<Index, Index> const some(first, first + extents_of(part).count);
        if constexpr (IsSum) {
          return run(Kokkos::subview(X, some, Kokkos::ALL),
                     Columns<Exec, T>(sum.data, Y.extent(0), Y.extent(1)));
        } else {
          return run(X, Kokkos::subview(Y, some, Kokkos::ALL));
        }
      },
      {Y.data(), 1});
  if (!IsSum) {
    share_columns(world, Y, parts::even_rows_by_rank({extents_of(source).count, 1}, world.size()));
  }
  return report;
}

/// The inputs and outputs of some columns.
template <class Exec, class T>
struct ColumnsOfCall {
  Columns<Exec, T> x;
  std::optional<OutputSideBySide<Exec, T>> first;
  std::optional<OutputSideBySide<Exec, T>> second;

  ColumnsOfCall(Distributed<Exec> const& world, MatrixArgument<T const> const& from,
                std::optional<MatrixArgument<T>> const& to,
                std::optional<MatrixArgument<T>> const& and_to,
                Kokkos::pair<Index, Index> const& some) {
    Index const count = some.second - some.first;
    world.together([&] {
      x = Columns<Exec, T>(Kokkos::view_alloc(world.exec(), std::string("tessera::stream::columns"),
                                              Kokkos::WithoutInitializing),
                           from.extent(0), static_cast<std::size_t>(count));
      Index const length = static_cast<Index>(from.extent(0));
      for (Index j = 0; j < count; ++j) {
        auto const column = tessera::detail::column(from, static_cast<std::size_t>(some.first + j));
        copy_vector<T>(world.exec(), "tessera::stream::copy", length, column.data(),
                       static_cast<Index>(column.stride(0)), {x.data() + j * length, 1});
      }
      tessera::detail::OutputVectors<T> constexpr none{nullptr, 1, 0, 0};
      first.emplace(world.exec(), to ? outputs_of(*to).from(some.first) : none, count);
      second.emplace(world.exec(), and_to ? outputs_of(*and_to).from(some.first) : none, count);
    });
  }
  void finish() const {
    first->finish();
    second->finish();
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

template <class Exec, class T, class Layout>
Report call_atax_of_columns(Distributed<Exec> const& world, AnySource<T, Layout> const& source,
                            MatrixArgument<T const> const& v,
                            std::optional<MatrixArgument<T>> const& b, MatrixArgument<T> const& c,
                            Options<T> const& options, AtaxTerms<Exec, T> const& terms) {
  return tessera::detail::with_map(terms.map, [&](auto const& factor) {
    return by_groups(static_cast<Index>(v.extent(1)), [&](Kokkos::pair<Index, Index> const& some) {
      ColumnsOfCall<Exec, T> const columns(world, v, b, c, some);
      std::vector const factors(columns.x.extent(1), factor);
      Report const report =
          atax_of_columns<Exec, T>(world, source, columns.x, columns.first->columns(),
                                   columns.second->columns(), options, factors, terms.keep_product);
      world.together([&] {
        columns.finish();
        for (Index j = some.first; j < some.second; ++j) {
          // B is mapped.
          tessera::detail::finish_atax(world.exec(), source.rows(), OutputVector<T>{nullptr, 1},
                                       source.cols(), output_of(c, j),
                                       tessera::detail::TermsOfAtax<T>(terms), factor);
        }
        world.exec().fence("tessera::stream::atax: C is there");
      });
      return report;
    });
  });
}

template <bool IsSum, class Exec, class T, class Layout>
Report call_product_of_columns(Distributed<Exec> const& world, std::string const& name,
                               AnySource<T, Layout> const& source, MatrixArgument<T const> const& x,
                               MatrixArgument<T> const& y, Options<T> const& options) {
  return by_groups(static_cast<Index>(x.extent(1)), [&](Kokkos::pair<Index, Index> const& some) {
    ColumnsOfCall<Exec, T> const columns(world, x, y, {}, some);
    Report const report = product_of_columns<IsSum, Exec, T>(world, name, source, columns.x,
                                                             columns.first->columns(), options);
    world.together([&] { columns.finish(); });
    return report;
  });
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
