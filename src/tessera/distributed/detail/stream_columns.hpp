// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/detail/finish_atax.hpp>
#include <tessera/distributed.hpp>
#include <tessera/distributed/detail/share_columns.hpp>
#include <tessera/distributed/detail/shares.hpp>
#include <tessera/distributed/detail/stream.hpp>
#include <tessera/distributed/error.hpp>
#include <tessera/kernels/factor.hpp>
#include <tessera/stream/detail/products.hpp>
#include <tessera/stream/options.hpp>
#include <tessera/stream/terms.hpp>

/// Products of a streamed matrix with blocks of vectors, by all ranks.
namespace tessera::stream::detail {

using distributed::detail::Columns;
using distributed::detail::share_columns;

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
        std::optional<MatrixArgument<T>> its_b;
        if (B.size() > 0) {
          its_b.emplace(Kokkos::subview(B, Kokkos::pair(first, first + part.rows()), Kokkos::ALL));
        }
        Columns<Exec, T> const root(sum.data, C.extent(0), C.extent(1));
        return run_atax_of_columns<Exec, T>(world.exec(), part, tessera::detail::matrix_in(V),
                                            its_b, tessera::detail::matrix_out(root), its,
                                            {.keep_product = keep_product}, its_factors);
      },
      {C.data(), 1});
  if (B.size() == 0) return report;
  Index const unit = by_rows ? extents_of(source).panel() : Index{summation::segment<T>};
  parts::Units const units{source.rows(), unit};
  share_columns(world, B, parts::even_rows_by_rank(units, world.size()));
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
    parts::Units const units{extents_of(source).count, 1};
    share_columns(world, Y, parts::even_rows_by_rank(units, world.size()));
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

}  // namespace tessera::stream::detail
