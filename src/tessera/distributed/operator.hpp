// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/checks.hpp>
#include <tessera/concepts.hpp>
#include <tessera/distributed.hpp>
#include <tessera/distributed/detail/block_part.hpp>
#include <tessera/distributed/detail/operators.hpp>
#include <tessera/distributed/detail/shares.hpp>
#include <tessera/distributed/detail/squares_job.hpp>
#include <tessera/distributed/detail/sum_of_roots.hpp>
#include <tessera/distributed/stream_operator.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/options.hpp>
#include <tessera/solve/operator.hpp>
#include <tessera/solve/values.hpp>
#include <tessera/workspace.hpp>

/// Distributed matrices for solvers.
namespace tessera::solve {

namespace detail {

/// Without the View's type, as OperatorInMemory: A is an argument that is read as T. The memory is
/// not owned.
template <class Exec, class T, class A>
class OperatorOnRanks : public BlockOperator<Exec, T> {
  using Base = BlockOperator<Exec, T>;
  using World = Distributed<Exec>;

 public:
  /// `a`: this rank's rows. `world` must outlive the operator.
  OperatorOnRanks(World const& world, A const& a, AtaxOptions<Exec, T> const& options = {})
      : OperatorOnRanks(world, a, options, world.template find_place<T>(a)) {}

  /// Whether each rank's rows begin a segment. Otherwise solvers iterate, and sums of columns are
  /// in T: `pca` does not have the bits of one process.
  [[nodiscard]] bool has_gram() const override {
    return std::ranges::all_of(rows_by_rank_, [&](distributed::Rows const& rows) {
      return rows.count == 0 || rows.first % summation::segment<T> == 0;
    });
  }

 private:
  OperatorOnRanks(World const& world, A const& a, AtaxOptions<Exec, T> const& options,
                  typename World::Place const& place)
      : Base(world.exec(), place.all_rows, static_cast<Index>(a.extent(1)), place.by_rows),
        world_(world),
        a_(a),
        rows_(place.rows),
        rows_by_rank_(place.rows_by_rank),
        by_rows_(place.by_rows),
        method_(options.method),
        options_{.workspace = &workspace_, .tuning = options.tuning, .kernels = options.kernels} {}

  template <class Vector>
  [[nodiscard]] Vector mine(Vector const& x) const {
    return Vector(x.data() + rows_.first, static_cast<std::size_t>(rows_.count));
  }

  void do_atax(ConstValues<Exec, T> const& v, typename Base::Map const& map,
               Values<Exec, T> const& b, Values<Exec, T> const& c,
               bool keep_product) const override {
    using namespace tessera::detail;
    AtaxOptions<Exec, T> options = options_;
    options.method = method_;
    options.map = distributed::detail::some_of(map, rows_);
    options.keep_product = keep_product;
    if (b.extent(0) == 0) {
      return world_.template call_atax<T>(a_, vector_in(v), nullptr, vector_out(c), options);
    }
    auto const first = vector_out(mine(b));
    world_.template call_atax<T>(a_, vector_in(v), &first, vector_out(c), options);
    world_.share_rows(b, rows_by_rank_);
  }
  void do_multiply(ConstValues<Exec, T> const& v, Values<Exec, T> const& b) const override {
    using namespace tessera::detail;
    world_.template call_multiply<T>(a_, vector_in(v), vector_out(mine(b)), options_);
    world_.share_rows(b, rows_by_rank_);
  }
  void do_multiply_transposed(ConstValues<Exec, T> const& u,
                              Values<Exec, T> const& c) const override {
    multiply_transposed(tessera::detail::vector_in(mine(u)), tessera::detail::vector_out(c));
  }
  template <class In, class Out>
  void multiply_transposed(In const& u, Out const& c) const {
    world_.template call_transposed<T>("Distributed::multiply_transposed", a_, u, c, options_,
                                       false);
  }
  Index do_atax_of_each(ConstRows<Exec, T> const& VT, std::vector<typename Base::Map> const& maps,
                        Rows<Exec, T> const& BT, Rows<Exec, T> const& CT) const override {
    using namespace tessera::detail;
    auto const V = matrix_in(as_columns<Exec, T const>(VT));
    auto const some = my_rows(as_columns<Exec, T>(BT));
    auto const B = matrix_out(some);
    auto const C = matrix_out(as_columns<Exec, T>(CT));
    if (maps.empty()) {
      AtaxOptions<Exec, T> options = options_;
      options.method = method_;
      world_.template call_atax<T>(a_, V, &B, C, options);
    } else {
      world_.template call_multiply<T>(a_, V, B, options_);
      world_.together([&] {
        std::vector<typename Base::Map> mine;
        mine.reserve(maps.size());
        for (auto const& map : maps) mine.push_back(distributed::detail::some_of(map, rows_));
        solve::detail::apply_maps<Exec, T>(this->exec(), mine, BT, rows_.first, rows_.count);
      });
      multiply_transposed(matrix_in(some), C);
    }
    share_block(world_, BT, rows_by_rank_);
    return (maps.empty() ? 1 : 2) * passes_of(VT.extent(0));
  }
  Index do_multiply_transposed_of_each(ConstRows<Exec, T> const& UT,
                                       Rows<Exec, T> const& CT) const override {
    multiply_transposed(tessera::detail::matrix_in(my_rows(as_columns<Exec, T const>(UT))),
                        tessera::detail::matrix_out(as_columns<Exec, T>(CT)));
    return passes_of(UT.extent(0));
  }
  template <class Block>
  [[nodiscard]] auto my_rows(Block const& block) const {
    return Kokkos::subview(block, Kokkos::pair(rows_.first, rows_.end()), Kokkos::ALL);
  }
  [[nodiscard]] Index passes_of(std::size_t vectors) const {
    return tessera::detail::passes_of(
        vectors, tessera::detail::columns_at_once<Exec, T>("solve", a_, options_.kernels));
  }
  void do_multiply_block(BlockProducts<Exec, T> const& products) const override {
    Rows<Exec, T> root;
    world_.together([&] {
      root = Rows<Exec, T>("tessera::solve::root", products.CT.extent(0), products.CT.extent(1));
    });
    add_subtrees<T>(root.data(), products.CT.data(), static_cast<Index>(root.size()),
                    [&](distributed::Rows const& rows, auto const& some) {
                      BlockPart<Exec, T> const part(this->exec(), products, rows, root.data());
                      products_in_memory(this->exec(), some, part.products(), options_.kernels,
                                         workspace_);
                      part.finish();
                    });
    share_block(world_, products.BT, rows_by_rank_);
  }
  void do_gram(GramProducts<Exec, T> const& products) const override {
    GramProducts<Exec, T> part = products;
    auto const size = static_cast<Index>(products.G.size());
    world_.together([&] { part.G = make_values<Exec, double>(this->exec(), size); });
    add_subtrees<double>(part.G.data(), products.G.data(), size,
                         [&](distributed::Rows const& rows, auto const& some) {
                           part.first_row = rows.first;
                           products_in_memory(this->exec(), some, part, options_.kernels,
                                              workspace_);
                         });
    share_block(world_, products.MT, rows_by_rank_);
  }
  void do_moments(MomentProducts<Exec, T> const& products) const override {
    MomentProducts<Exec, T> part = products;
    world_.together([&] { part.to = make_values<Exec, double>(this->exec(), products.size()); });
    add_subtrees<double>(
        part.to.data(), products.to.data(), products.size(),
        [&](distributed::Rows const& /*rows*/, auto const& some) {
          products_in_memory(this->exec(), some, part, options_.kernels, workspace_);
        },
        joining_of_moments);
  }
  /// to = the tree over all ranks' subtrees of `size` sums. add(rows, a) computes the sums of these
  /// rows at `root`.
  template <class S, class Add>
  void add_subtrees(S const* root, S* to, Index size, Add const& add,
                    distributed::detail::Joining<S> const& joining = {}) const {
    namespace parts = distributed::detail;
    parts::Units const units{this->rows(), summation::segment<T>};
    parts::Share share;
    std::optional<parts::SumOfRoots<S>> sum;
    world_.together([&] {
      std::vector<std::vector<int>> levels;
      for (std::size_t r = 0; r < rows_by_rank_.size(); ++r) {
        distributed::Rows const& rows = rows_by_rank_[r];
        parts::Share const its = parts::share_of(units, rows);
        if (its.begun.count > 0 || its.open.count > 0) {
          checks::fail("products with blocks", "expected ranks whose first rows are multiples of " +
                                                   std::to_string(units.unit) + ", found rank " +
                                                   std::to_string(r) + " with " +
                                                   std::to_string(rows.count) + " rows from row " +
                                                   std::to_string(rows.first) + " on");
        }
        auto& of_rank = levels.emplace_back();
        for (auto const& subtree : its.whole) of_rank.push_back(subtree.level);
        if (r == static_cast<std::size_t>(world_.rank())) share = its;
      }
      sum.emplace(world_.communicator(), std::move(levels), size, joining);
    });
    world_.together([&] {
      Kokkos::View<S const*, typename Exec::memory_space> const entries(
          root, static_cast<std::size_t>(size));
      S* into = sum->roots();
      for (auto const& subtree : share.whole) {
        Index const first = subtree.rows.first - rows_.first;
        add(subtree.rows,
            a_.rows(static_cast<std::size_t>(first), static_cast<std::size_t>(subtree.rows.count)));
        std::ranges::copy(stream::detail::to_host<S>(entries), into);
        into += size;
      }
    });
    std::vector<S> const& sums = (*sum)();
    world_.together([&] {
      stream::detail::from_host(sums,
                                Kokkos::View<S*, typename Exec::memory_space>(to, sums.size()));
    });
  }
  void do_agree(std::string const& method,
                std::function<std::uint64_t()> const& call) const override {
    agree_on_call(world_, method, call);
  }
  void do_sums_of_squares(ConstValues<Exec, T> const& mean, ConstValues<Exec, T> const& units,
                          Values<Exec, T> const& c) const override {
    world_.template call_sum<T>("sums of squares", a_, tessera::detail::vector_out(c),
                                options_.kernels, [&](Index all_rows) {
                                  return distributed::detail::SquaresJob<Exec, T, A>{
                                      this->exec(),     a_,         {mean.data(), units.data()},
                                      options_.kernels, workspace_, all_rows};
                                });
  }
  [[nodiscard]] bool can_sum_rows() const override { return true; }
  void do_sum_rows(RowSums<Exec, T>& sums, double* out) const override {
    Values<Exec, double> root;
    world_.together([&] { root = make_values<Exec, double>(this->exec(), sums.length()); });
    add_subtrees<double>(
        root.data(), out, sums.length(), [&](distributed::Rows const& rows, auto const& some) {
          sum_rows_in_memory(this->exec(), some, rows.first, sums, options_.kernels, root.data());
        });
  }

  World const& world_;
  A a_;
  distributed::Rows rows_;
  std::vector<distributed::Rows> rows_by_rank_;
  bool by_rows_;
  Method method_;
  mutable Workspace<Exec> workspace_;
  Options<Exec> options_;
};

}  // namespace detail

/// A matrix in memory whose rows are distributed (docs/distributed.md). The constructor and all
/// calls are collective; callbacks must decide alike on all ranks. Ignores the workspace of the
/// options. Products with blocks of vectors require that each rank's first row is a multiple of
/// summation::segment<T>.
///
/// A narrow matrix is read as stored, as by MatrixOperator, with the bits of the matrix widened
/// to T.
///
/// ```cpp
/// tessera::Distributed<Kokkos::DefaultExecutionSpace> const world(MPI_COMM_WORLD);
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", world.rows_of<double>(1000, 30).count, 30);
/// tessera::solve::DistributedOperator const op(world, A);
/// Kokkos::View<double*> b("b", 1000);  // complete on every rank
/// auto const result = tessera::solve::lsmr(op, b);
/// ```
template <ExecutionSpace Exec, class A, Scalar T = typename detail::ScalarOf<A>::Type>
  requires StoredMatrixOf<A, Exec>
class DistributedOperator final
    : public detail::OperatorOnRanks<Exec, T, detail::ArgumentOf<A, T>> {
 public:
  /// `a`: this rank's rows. `world` must outlive the operator.
  DistributedOperator(Distributed<Exec> const& world, A a, AtaxOptions<Exec, T> const& options = {})
      : detail::OperatorOnRanks<Exec, T, detail::ArgumentOf<A, T>>(
            world, tessera::detail::stored_in<T>(a), options),
        a_(std::move(a)) {}

 private:
  A a_;  ///< owns the memory
};

}  // namespace tessera::solve
