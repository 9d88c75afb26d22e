// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <python/parts.hpp>
#include <python/turn.hpp>
#include <python/views.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/atax.hpp>
#include <tessera/concepts.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/detail/kernels.hpp>
#include <tessera/detail/product.hpp>
#include <tessera/distributed/detail/block_jobs.hpp>
#include <tessera/distributed/detail/block_part.hpp>
#include <tessera/distributed/detail/parts.hpp>
#include <tessera/distributed/detail/shares.hpp>
#include <tessera/distributed/detail/squares_job.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/options.hpp>
#include <tessera/solve/in_memory.hpp>
#include <tessera/solve/operator.hpp>
#include <tessera/solve/values.hpp>
#include <tessera/workspace.hpp>

/// Distributed matrices for the library's solvers.
namespace tessera::python {

/// Errors name `proposed_by`.
inline std::vector<distributed::detail::Subtree> subtrees_of(
    distributed::detail::Units const& units, distributed::Rows const& rows,
    std::string const& proposed_by) {
  if (rows.count == 0) return {};
  auto share = distributed::detail::share_of(units, rows);
  if (share.begun.count > 0 || share.open.count > 0) {
    throw std::invalid_argument("expected rows that start and end at multiples of " +
                                std::to_string(units.unit) + ", as " + proposed_by +
                                " proposes, found " + std::to_string(rows.count) + " from row " +
                                std::to_string(rows.first) + " on");
  }
  return std::move(share.whole);
}

/// Vectors are complete on every rank, so all ranks decide the same. `a` is an argument that is
/// read as T.
template <ExecutionSpace Exec, Scalar T, tessera::detail::ReadAs<T> A>
class RanksOperator final : public solve::BlockOperator<Exec, T> {
  using Base = solve::BlockOperator<Exec, T>;
  using Vector = solve::Values<Exec, T>;
  using ConstVector = solve::ConstValues<Exec, T>;
  using Index = summation::Index;
  using Rows = distributed::Rows;
  template <class Element>
  using Block = Kokkos::View<Element**, Kokkos::LayoutRight, typename Exec::memory_space>;
  using Output = tessera::detail::OutputVector<T>;

 public:
  /// `ranks` must outlive this.
  RanksOperator(Exec const& exec, A const& a, OnRanks const& ranks)
      : Base(exec, ranks.matrix.all_rows, static_cast<Index>(a.extent(1)), ranks.matrix.by_rows),
        ranks_(ranks),
        a_(a),
        rows_{ranks.first, static_cast<Index>(a.extent(0))} {}

  [[nodiscard]] bool has_gram() const override { return true; }

 private:
  void do_atax(ConstVector const& v, typename Base::Map const& map, Vector const& b,
               Vector const& c, bool keep_product) const override {
    AtaxOptions<Exec, T> options{.workspace = &workspace_};
    options.map = distributed::detail::some_of(map, rows_);
    options.keep_product = keep_product;
    bool const wants_b = b.extent(0) > 0;
    auto const in = tessera::detail::vector_in(v);
    if (is_empty()) {
      std::optional<tessera::detail::VectorArgument<T>> its_b;
      if (wants_b) its_b.emplace(tessera::detail::vector_out(mine(b)));
      tessera::detail::call_atax<Exec, T>(this->exec(), a_, in, its_b ? &*its_b : nullptr,
                                          tessera::detail::vector_out(c), options);
      if (wants_b) share(b.data(), b.extent(0));
      return;
    }
    Output const its_b{wants_b ? b.data() + rows_.first : nullptr, 1};
    tessera::detail::with_map(options.map, [&]<class Factor>(Factor const& factor) {
      distributed::detail::AtaxJob<Exec, T, Factor, A> const job{
          this->exec(), a_, in, its_b, options, factor, this->rows()};
      add_units(job, c);
      tessera::detail::finish_atax(this->exec(), rows_.count, its_b, 0, Output{c.data(), 1},
                                   tessera::detail::TermsOfAtax<T>(options), factor);
    });
    if (wants_b) share(b.data(), b.extent(0));
  }
  void do_multiply(ConstVector const& v, Vector const& b) const override {
    if (is_empty()) {
      tessera::detail::call_product<Exec, T>(
          this->exec(), tessera::detail::plain_product, a_, tessera::detail::vector_in(v),
          tessera::detail::vector_out(mine(b)), Options<Exec>{.workspace = &workspace_});
    } else if (rows_.count > 0) {
      with_my_kernels([&]<class Set, class ByRows>(Set, ByRows by_rows) {
        auto const lines =
            distributed::detail::lines_of_rows<by_rows()>(a_, {0, rows_.count}, this->rows());
        distributed::detail::multiply_rows<Set, by_rows()>(
            this->exec(), lines, tessera::detail::vector_in(v), Output{b.data() + rows_.first, 1},
            Options<Exec>{.workspace = &workspace_});
      });
    }
    share(b.data(), b.extent(0));
  }
  void do_multiply_transposed(ConstVector const& u, Vector const& c) const override {
    ConstVector const mine(u.data() + rows_.first, entries());
    Options<Exec> const options{.workspace = &workspace_};
    auto const in_u = tessera::detail::vector_in(mine);
    if (is_empty()) {
      return tessera::detail::call_product<Exec, T>(this->exec(),
                                                    tessera::detail::transposed_product, a_, in_u,
                                                    tessera::detail::vector_out(c), options);
    }
    add_units(distributed::detail::TransposedJob<Exec, T, A>{this->exec(), a_, in_u, options,
                                                             this->rows()},
              c);
  }
  Index do_atax_of_each(Block<T const> const& VT, std::vector<typename Base::Map> const& maps,
                        Block<T> const& BT, Block<T> const& CT) const override {
    if (is_empty()) return Base::do_atax_of_each(VT, maps, BT, CT);
    auto const V = tessera::detail::matrix_in(solve::detail::as_columns<Exec, T const>(VT));
    auto const B = tessera::detail::matrix_out(my_rows(BT));
    AtaxOptions<Exec, T> const options{.workspace = &workspace_};
    if (maps.empty()) {
      kernels::Identity const factor;
      using Job = distributed::detail::AtaxBlockJob<Exec, T, kernels::Identity, A>;
      add_units(Job{this->exec(), a_, V, &B, options, factor, this->rows()},
                solve::detail::flat(CT));
    } else {
      if (rows_.count > 0) multiply_my_rows_by(V, B);
      std::vector<typename Base::Map> mine;
      mine.reserve(maps.size());
      for (auto const& map : maps) mine.push_back(distributed::detail::some_of(map, rows_));
      solve::detail::apply_maps<Exec, T>(this->exec(), mine, BT, rows_.first, rows_.count);
      add_products_of(my_rows(BT), CT);
    }
    share_block(BT);
    return (maps.empty() ? 1 : 2) * passes_of(VT.extent(0));
  }
  Index do_multiply_transposed_of_each(Block<T const> const& UT,
                                       Block<T> const& CT) const override {
    if (is_empty()) return Base::do_multiply_transposed_of_each(UT, CT);
    add_products_of(my_rows(UT), CT);
    return passes_of(UT.extent(0));
  }
  void multiply_my_rows_by(tessera::detail::MatrixArgument<T const> const& V,
                           tessera::detail::MatrixArgument<T> const& B) const {
    with_my_kernels([&]<class Set, class ByRows>(Set, ByRows by_rows) {
      auto const lines =
          distributed::detail::lines_of_rows<by_rows()>(a_, {0, rows_.count}, this->rows());
      distributed::detail::multiply_rows_by_block<Set, by_rows()>(
          this->exec(), lines, V, B, Options<Exec>{.workspace = &workspace_});
    });
  }
  /// C = Aᵀ·U.
  template <class Columns>
  void add_products_of(Columns const& U, Block<T> const& CT) const {
    auto const u = tessera::detail::matrix_in(U);
    Options<Exec> const options{.workspace = &workspace_};
    add_units(distributed::detail::TransposedBlockJob<Exec, T, A>{this->exec(), a_, u, options,
                                                                  this->rows()},
              solve::detail::flat(CT));
  }
  void do_multiply_block(solve::detail::BlockProducts<Exec, T> const& products) const override {
    add_segments(products, products.CT, products.BT, [&](Rows const& rows, T* sum) {
      solve::detail::BlockPart<Exec, T> const part(this->exec(), products,
                                                   {rows_.first + rows.first, rows.count}, sum);
      multiply_some(rows, part.products());
      part.finish();
    });
  }
  void do_gram(solve::detail::GramProducts<Exec, T> const& products) const override {
    add_segments(products, products.G, products.MT, [&](Rows const& rows, double* sum) {
      auto part = products;
      part.first_row = rows_.first + rows.first;
      part.G = decltype(part.G)(sum, products.G.size());
      multiply_some(rows, part);
    });
  }
  void do_moments(solve::detail::MomentProducts<Exec, T> const& products) const override {
    auto const add = [&](Rows const& rows, double* sum) {
      auto part = products;
      part.to = decltype(part.to)(sum, products.to.size());
      multiply_some(rows, part);
    };
    add_segments(products, products.to, {}, add, solve::detail::ColumnMoments::fields);
  }
  void do_sums_of_squares(ConstVector const& mean, ConstVector const& units,
                          Vector const& c) const override {
    if (is_empty()) return Kokkos::deep_copy(this->exec(), c, T(0));
    add_units(distributed::detail::SquaresJob<Exec, T, A>{this->exec(),
                                                          a_,
                                                          {mean.data(), units.data()},
                                                          Kernels::automatic,
                                                          workspace_,
                                                          this->rows()},
              c);
  }

  /// Sums without elements have no order: each rank computes its rows.
  [[nodiscard]] bool is_empty() const { return this->rows() == 0 || this->cols() == 0; }
  [[nodiscard]] Vector mine(Vector const& b) const {
    return Vector(b.data() + rows_.first, entries());
  }
  /// This rank's rows of a block that is stored column after column.
  template <class Element>
  [[nodiscard]] auto my_rows(Block<Element> const& block) const {
    return Kokkos::subview(solve::detail::as_columns<Exec, Element>(block),
                           Kokkos::pair(rows_.first, rows_.end()), Kokkos::ALL);
  }
  [[nodiscard]] Index passes_of(std::size_t vectors) const {
    return tessera::detail::passes_of(
        vectors, tessera::detail::columns_at_once<Exec, T>("solve", a_, Kernels::automatic));
  }
  template <class Body>
  void with_my_kernels(Body const& body) const {
    distributed::detail::with_set<Exec, T>("distributed.World", a_, Kernels::automatic,
                                           ranks_.matrix.by_rows, body);
  }
  [[nodiscard]] std::size_t entries() const { return static_cast<std::size_t>(rows_.count); }

  /// The whole matrix, if segments continue on another rank. Larger matrices get such rows only on
  /// request.
  Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space> const& gathered() const {
    constexpr Index most = Index{64} << 20U;  // bytes
    if (gathered_.size() > 0) return gathered_;
    if (this->rows() * this->cols() * Index{sizeof(T)} > most) {
      throw std::invalid_argument(
          "expected rows that start at a multiple of " + std::to_string(summation::segment<T>) +
          ", as World.rows_of with blocks=True proposes, found a rank with rows from " +
          std::to_string(rows_.first) + " on");
    }
    auto const size = [](Index x) { return static_cast<std::size_t>(x); };
    Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace> const whole(
        "tessera::python::whole", size(this->rows()), size(this->cols()));
    std::vector<T> const mine = my_columns();
    std::vector<T> column(size(this->rows()));
    for (std::size_t j = 0; j < whole.extent(1); ++j) {
      std::copy_n(mine.begin() + static_cast<Index>(j) * rows_.count, rows_.count,
                  column.begin() + rows_.first);
      share_on_host(column, 1);
      for (std::size_t i = 0; i < column.size(); ++i) whole(i, j) = column[i];
    }
    gathered_ = Kokkos::create_mirror_view_and_copy(typename Exec::memory_space(), whole);
    return gathered_;
  }

  /// This rank's rows on the host, column after column.
  [[nodiscard]] std::vector<T> my_columns() const {
    static std::string const label("tessera::python::columns");
    std::vector<T> columns(entries() * static_cast<std::size_t>(this->cols()));
    if (columns.empty()) return columns;
    solve::detail::MatrixInMemory<T> const a(a_);
    auto const groups = solve::detail::groups_of_rows(a, std::size_t{1} << 20U);
    auto const copy = [&](Index /*group*/, Index first, Index rows, T const* elements, Index down,
                          Index across) {
      Vector const column("tessera::python::column", static_cast<std::size_t>(rows));
      for (Index j = 0; j < this->cols(); ++j) {
        tessera::detail::copy_vector<T>(this->exec(), label, rows, elements + j * across, down,
                                        {column.data(), 1});
        this->exec().fence("tessera: a column is there");
        auto const on_host = stream::detail::to_host<T>(column);
        std::ranges::copy(on_host, columns.begin() + j * rows_.count + first);
      }
    };
    solve::detail::for_groups<T, Exec>(this->exec(), a, groups, nullptr, copy);
    return columns;
  }

  template <class Job>
  void add_units(Job const& job, Vector const& c) const {
    with_my_kernels([&]<class Set, class ByRows>(Set, ByRows by_rows) {
      auto const units = distributed::detail::units_of<T>(by_rows(), this->rows(), this->cols());
      add_subtrees(units, "World.rows_of", c.data(), c.size(), [&](Rows const& rows, T* sum) {
        job.template add_units<Set, by_rows()>(rows, Output{sum, 1});
      });
    });
  }
  /// c = the tree over all ranks' subtrees; add(rows, sum) computes one of this rank's. `fields`:
  /// as in add_roots().
  template <class S, class Add>
  void add_subtrees(distributed::detail::Units const& units, std::string const& proposed_by, S* c,
                    std::size_t size, Add const& add, std::int64_t fields = 1) const {
    auto const subtrees = subtrees_of(units, rows_, proposed_by);
    solve::Values<Exec, S> const root("tessera::python::root", size);
    std::vector<S> roots;
    std::vector<int> levels;
    for (auto const& subtree : subtrees) {
      add(Rows{subtree.rows.first - rows_.first, subtree.rows.count}, root.data());
      auto const entries = stream::detail::to_host<S>(root);
      roots.insert(roots.end(), entries.begin(), entries.end());
      levels.push_back(subtree.level);
    }
    std::vector<S> sums(size);
    auto const length = static_cast<std::int64_t>(size);
    {
      Turn::Function const function;
      ranks_.add(on_host(roots.data(), 2, {static_cast<std::int64_t>(levels.size()), length}),
                 levels, on_host(sums.data(), 1, {length, 1}), fields);
    }
    stream::detail::from_host(sums, solve::Values<Exec, S>(c, size));
  }
  /// to = the sum over all segments of rows, with the `shared` rows of vectors; add(rows, sum)
  /// computes that of some of this rank's.
  template <class Products, class To, class Add>
  void add_segments(Products const& products, To const& to, Block<T> const& shared, Add const& add,
                    std::int64_t fields = 1) const {
    if (!ranks_.in_segments) {
      auto const whole = gathered();
      return solve::detail::products_in_memory(this->exec(), tessera::detail::matrix_in(whole),
                                               products, Kernels::automatic, workspace_);
    }
    add_subtrees({this->rows(), summation::segment<T>}, "World.rows_of with blocks=True", to.data(),
                 to.size(), add, fields);
    share_block(shared);
  }
  template <class Products>
  void multiply_some(Rows const& rows, Products const& products) const {
    auto const some =
        a_.rows(static_cast<std::size_t>(rows.first), static_cast<std::size_t>(rows.count));
    solve::detail::products_in_memory(this->exec(), some, products, Kernels::automatic, workspace_);
  }
  /// Lines of `width` entries.
  void share_on_host(std::vector<T>& lines, std::size_t width) const {
    Turn::Function const function;
    std::size_t const count = lines.size() / width;
    ranks_.share(on_host(lines.data(), width == 1 ? 1 : 2,
                         {static_cast<std::int64_t>(count), static_cast<std::int64_t>(width)}));
  }
  void share(T* x, std::size_t size) const {
    Vector const device(x, size);
    auto entries = stream::detail::to_host<T>(device);
    share_on_host(entries, 1);
    stream::detail::from_host(entries, device);
  }
  /// The vectors of a block, with the messages of one.
  void share_block(Block<T> const& block) const {
    auto const count = block.extent(0), size = block.extent(1);
    if (count == 0) return;
    if (count == 1) return share(block.data(), size);
    auto columns = stream::detail::to_host<T>(solve::detail::flat(block));
    std::vector<T> lines(columns.size());
    auto const copy = [&](std::size_t first, std::size_t end, auto const& body) {
      for (std::size_t i = first; i < end; ++i) {
        for (std::size_t j = 0; j < count; ++j) body(columns[j * size + i], lines[i * count + j]);
      }
    };
    auto const first = static_cast<std::size_t>(rows_.first);
    copy(first, first + entries(), [](T const& x, T& to) { to = x; });
    share_on_host(lines, count);
    copy(0, size, [](T& to, T const& x) { to = x; });
    stream::detail::from_host(columns, solve::detail::flat(block));
  }
  template <class S>
  static Array on_host(S* data, int dimensions, std::array<std::int64_t, 2> const& extents) {
    Array array{.data = data, .dimensions = dimensions, .extents = extents};
    array.strides = {extents[1], 1};
    array.type = {true, sizeof(S), sizeof(S) == sizeof(float) ? "float32" : "float64"};
    return array;
  }

  OnRanks const& ranks_;
  A a_;
  Rows rows_;
  mutable Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space> gathered_;
  mutable Workspace<Exec> workspace_;
};

}  // namespace tessera::python
