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
#include <tessera/detail/digest.hpp>
#include <tessera/distributed.hpp>
#include <tessera/distributed/detail/block_part.hpp>
#include <tessera/distributed/detail/shares.hpp>
#include <tessera/distributed/detail/squares_job.hpp>
#include <tessera/distributed/detail/sum_of_roots.hpp>
#include <tessera/distributed/error.hpp>
#include <tessera/distributed/stream.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/options.hpp>
#include <tessera/solve/operator.hpp>
#include <tessera/workspace.hpp>

/// Distributed matrices for solvers.
namespace tessera::solve {

namespace detail {

template <class Exec, class T>
Kokkos::View<T*, Kokkos::LayoutRight, typename Exec::memory_space> make_memory(Exec const& exec,
                                                                               std::size_t size) {
  return Kokkos::View<T*, Kokkos::LayoutRight, typename Exec::memory_space>(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("tessera::solve::root")),
      size);
}

inline constexpr distributed::detail::Joining<double> joining_of_moments{
    .unit = ColumnMoments::fields, .join = &join_moments};

/// Completes all vectors on all ranks, with the messages of one.
template <class Exec, class T>
void share_block(Distributed<Exec> const& world, Rows<Exec, T> const& BT,
                 std::vector<distributed::Rows> const& rows_by_rank) {
  Exec const& exec = world.exec();
  auto const count = static_cast<Index>(BT.extent(0));
  // Rank by rank, and vector by vector within a rank.
  std::vector<distributed::Rows> packed_by_rank = rows_by_rank;
  for (distributed::Rows& rows : packed_by_rank) rows = {rows.first * count, rows.count * count};
  Kokkos::View<T*, Kokkos::LayoutRight, typename Exec::memory_space> packed;
  auto const copy = [&](std::size_t r, auto const& body) {
    distributed::Rows const& rows = rows_by_rank[r];
    if (rows.count == 0) return;
    body(Kokkos::subview(BT, Kokkos::ALL, Kokkos::pair(rows.first, rows.end())),
         Rows<Exec, T>(packed.data() + rows.first * count, BT.extent(0),
                       static_cast<std::size_t>(rows.count)));
  };
  if (count == 0) return;
  if (count == 1) {
    using Entries = Kokkos::View<T*, typename Exec::memory_space>;
    return world.share_rows(Entries(BT.data(), BT.extent(1)), rows_by_rank);
  }
  world.together([&] {
    packed = make_memory<Exec, T>(exec, BT.size());
    copy(static_cast<std::size_t>(world.rank()),
         [&](auto const& own, auto const& to) { Kokkos::deep_copy(exec, to, own); });
  });
  world.share_rows(packed, packed_by_rank);
  for (std::size_t r = 0; r < rows_by_rank.size(); ++r) {
    if (r == static_cast<std::size_t>(world.rank())) continue;
    copy(r, [&](auto const& to, auto const& its) { Kokkos::deep_copy(exec, to, its); });
  }
  exec.fence("tessera::solve: the vectors are complete");
}

/// Throws on all ranks unless all pass equal arguments.
template <class Exec>
void agree_on_call(Distributed<Exec> const& world, std::string const& method,
                   std::function<std::uint64_t()> const& call) {
  std::uint64_t mine = 0;
  world.together([&] { mine = tessera::detail::Digest().add(method).value() ^ call(); });
  std::vector<std::uint64_t> const all = world.communicator().gather(mine);
  auto const other = std::ranges::find_if(all, [&](auto its) { return its != all.front(); });
  if (other == all.end()) return;
  throw DistributedError(static_cast<int>(other - all.begin()),
                         "tessera::" + method +
                             ": expected the method, the options, the vectors and the state that "
                             "rank 0 has, found others");
}

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
class DistributedOperator final : public BlockOperator<Exec, T> {
  using Base = BlockOperator<Exec, T>;
  using World = Distributed<Exec>;

 public:
  /// `a`: this rank's rows. `world` must outlive the operator.
  DistributedOperator(World const& world, A const& a, AtaxOptions<Exec, T> const& options = {})
      : DistributedOperator(world, a, options, world.template place_of<T>(a)) {}

  /// Whether each rank's rows begin a segment. Otherwise solvers iterate, and sums of columns are
  /// in T: `pca` does not have the bits of one process.
  [[nodiscard]] bool has_gram() const override {
    return std::ranges::all_of(rows_by_rank_, [&](distributed::Rows const& rows) {
      return rows.count == 0 || rows.first % summation::segment<T> == 0;
    });
  }

 private:
  DistributedOperator(World const& world, A a, AtaxOptions<Exec, T> const& options,
                      typename World::Place const& place)
      : Base(world.exec(), place.all_rows, static_cast<Index>(a.extent(1)), place.by_rows),
        world_(world),
        a_(std::move(a)),
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
    AtaxOptions<Exec, T> options = options_;
    options.method = method_;
    options.map = distributed::detail::some_of(map, rows_);
    options.keep_product = keep_product;
    if (b.extent(0) == 0) return world_.atax(a_, v, c, options);
    world_.atax(a_, v, mine(b), c, options);
    world_.share_rows(b, rows_by_rank_);
  }
  void do_multiply(ConstValues<Exec, T> const& v, Values<Exec, T> const& b) const override {
    world_.multiply(a_, v, mine(b), options_);
    world_.share_rows(b, rows_by_rank_);
  }
  void do_multiply_transposed(ConstValues<Exec, T> const& u,
                              Values<Exec, T> const& c) const override {
    world_.multiply_transposed(a_, mine(u), c, options_);
  }
  Index do_atax_of_each(ConstRows<Exec, T> const& VT, std::vector<typename Base::Map> const& maps,
                        Rows<Exec, T> const& BT, Rows<Exec, T> const& CT) const override {
    auto const V = detail::as_columns<Exec, T const>(VT);
    auto const B = my_rows(detail::as_columns<Exec, T>(BT));
    auto const C = detail::as_columns<Exec, T>(CT);
    if (maps.empty()) {
      AtaxOptions<Exec, T> options = options_;
      options.method = method_;
      world_.atax(a_, V, B, C, options);
    } else {
      world_.multiply(a_, V, B, options_);
      world_.together([&] {
        std::vector<typename Base::Map> mine;
        mine.reserve(maps.size());
        for (auto const& map : maps) mine.push_back(distributed::detail::some_of(map, rows_));
        detail::apply_maps<Exec, T>(this->exec(), mine, BT, rows_.first, rows_.count);
      });
      world_.multiply_transposed(a_, B, C, options_);
    }
    detail::share_block(world_, BT, rows_by_rank_);
    return (maps.empty() ? 1 : 2) * passes_of(VT.extent(0));
  }
  Index do_multiply_transposed_of_each(ConstRows<Exec, T> const& UT,
                                       Rows<Exec, T> const& CT) const override {
    world_.multiply_transposed(a_, my_rows(detail::as_columns<Exec, T const>(UT)),
                               detail::as_columns<Exec, T>(CT), options_);
    return passes_of(UT.extent(0));
  }
  template <class Block>
  [[nodiscard]] auto my_rows(Block const& block) const {
    return Kokkos::subview(block, Kokkos::pair(rows_.first, rows_.end()), Kokkos::ALL);
  }
  [[nodiscard]] Index passes_of(std::size_t vectors) const {
    return tessera::detail::passes_of(
        vectors, tessera::detail::columns_at_once<Exec, T>(
                     "solve", tessera::detail::stored_in<T>(a_), options_.kernels));
  }
  void do_multiply_block(detail::BlockProducts<Exec, T> const& products) const override {
    Rows<Exec, T> root;
    world_.together([&] {
      root = Rows<Exec, T>("tessera::solve::root", products.CT.extent(0), products.CT.extent(1));
    });
    add_subtrees<T>(root.data(), products.CT.data(), static_cast<Index>(root.size()),
                    [&](distributed::Rows const& rows, auto const& some) {
                      detail::BlockPart<Exec, T> const part(this->exec(), products, rows,
                                                            root.data());
                      detail::products_in_memory(this->exec(), tessera::detail::stored_in<T>(some),
                                                 part.products(), options_.kernels, workspace_);
                      part.finish();
                    });
    detail::share_block(world_, products.BT, rows_by_rank_);
  }
  void do_gram(detail::GramProducts<Exec, T> const& products) const override {
    detail::GramProducts<Exec, T> part = products;
    world_.together(
        [&] { part.G = detail::make_memory<Exec, double>(this->exec(), products.G.extent(0)); });
    add_subtrees<double>(part.G.data(), products.G.data(), static_cast<Index>(part.G.size()),
                         [&](distributed::Rows const& rows, auto const& some) {
                           part.first_row = rows.first;
                           detail::products_in_memory(this->exec(),
                                                      tessera::detail::stored_in<T>(some), part,
                                                      options_.kernels, workspace_);
                         });
    detail::share_block(world_, products.MT, rows_by_rank_);
  }
  void do_moments(detail::MomentProducts<Exec, T> const& products) const override {
    detail::MomentProducts<Exec, T> part = products;
    world_.together(
        [&] { part.to = detail::make_memory<Exec, double>(this->exec(), products.to.extent(0)); });
    add_subtrees<double>(
        part.to.data(), products.to.data(), products.size(),
        [&](distributed::Rows const& /*rows*/, auto const& some) {
          detail::products_in_memory(this->exec(), tessera::detail::stored_in<T>(some), part,
                                     options_.kernels, workspace_);
        },
        detail::joining_of_moments);
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
            Kokkos::subview(a_, Kokkos::pair(first, first + subtree.rows.count), Kokkos::ALL));
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
    detail::agree_on_call(world_, method, call);
  }
  void do_sums_of_squares(ConstValues<Exec, T> const& mean, ConstValues<Exec, T> const& units,
                          Values<Exec, T> const& c) const override {
    world_.sum_over_rows("sums of squares", a_, c, options_.kernels, [&](Index all_rows) {
      auto const in = tessera::detail::stored_in<T>(a_);
      return distributed::detail::SquaresJob<Exec, T, std::remove_const_t<decltype(in)>>{
          this->exec(), in, {mean.data(), units.data()}, options_.kernels, workspace_, all_rows};
    });
  }
  [[nodiscard]] bool can_sum_rows() const override { return true; }
  void do_sum_rows(detail::RowSums<Exec, T>& sums, double* out) const override {
    Values<Exec, double> root;
    world_.together([&] {
      root =
          detail::make_memory<Exec, double>(this->exec(), static_cast<std::size_t>(sums.length()));
    });
    add_subtrees<double>(
        root.data(), out, sums.length(), [&](distributed::Rows const& rows, auto const& some) {
          detail::sum_rows_in_memory(this->exec(), tessera::detail::stored_in<T>(some), rows.first,
                                     sums, options_.kernels, root.data());
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

/// As StreamOperator, a part per rank. The source and `world` must outlive it. The constructor and
/// all calls are collective.
///
/// ```cpp
/// auto const ones = [](tessera::stream::Block const& block, double* to) {
///   std::fill_n(to, block.rows * block.cols, 1.0);
/// };
/// auto const source = tessera::stream::make_source<double>(1000, 30, ones);
/// tessera::Distributed<Kokkos::DefaultExecutionSpace> const world(MPI_COMM_WORLD);
/// tessera::solve::DistributedStreamOperator const op(world, source);
/// ```
template <ExecutionSpace Exec, stream::MatrixSource Source>
class DistributedStreamOperator final : public detail::StreamedProducts<Distributed<Exec>, Source> {
  using T = typename Source::value_type;
  using Base = BlockOperator<Exec, T>;
  using Products = detail::StreamedProducts<Distributed<Exec>, Source>;

 public:
  DistributedStreamOperator(Distributed<Exec> const& world, Source const& source,
                            stream::Options<T> options = {})
      : Products(world, source, std::move(options)) {}

 private:
  Index do_atax_of_each(ConstRows<Exec, T> const& VT, std::vector<typename Base::Map> const& maps,
                        Rows<Exec, T> const& BT, Rows<Exec, T> const& CT) const override {
    std::vector<tessera::maps::Function<T>> functions;
    functions.reserve(maps.size());
    for (auto const& map : maps) functions.push_back(map.function());
    return reads_of(stream::detail::in_order(this->source_, [&](auto const& source) {
      if (!maps.empty()) return atax_of_each(source, VT, functions, BT, CT);
      return atax_of_each(source, VT, std::vector<kernels::Identity>(VT.extent(0)), BT, CT);
    }));
  }
  template <class Layout, class Factor>
  stream::Report atax_of_each(stream::detail::AnySource<T, Layout> const& source,
                              ConstRows<Exec, T> const& VT, std::vector<Factor> const& factors,
                              Rows<Exec, T> const& BT, Rows<Exec, T> const& CT) const {
    namespace parts = distributed::detail;
    constexpr bool by_rows = std::is_same_v<Layout, Kokkos::LayoutRight>;
    constexpr auto cut = by_rows ? parts::Cut::panels : parts::Cut::tiles;
    parts::StreamOnRanks<Exec, T, Layout, cut> on_ranks(
        world(), "stream::atax", source,
        {.operation = "atax of columns", .sum = static_cast<Index>(CT.size())}, this->options_);
    auto const report = on_ranks(
        [&](auto const& part, Index first, tessera::detail::OutputVector<T> sum,
            stream::Options<T> const& options) {
          using tessera::kernels::shifted;  // maps have an overload
          std::vector<Factor> its_factors;
          its_factors.reserve(factors.size());
          for (Factor const& factor : factors) its_factors.push_back(shifted(factor, first));
          auto const B = tessera::detail::matrix_out(
              Kokkos::subview(detail::as_columns<Exec, T>(BT),
                              Kokkos::pair(first, first + part.rows()), Kokkos::ALL));
          Rows<Exec, T> const root(sum.data, CT.extent(0), CT.extent(1));
          return stream::detail::run_atax_of_columns<Exec, T>(
              this->exec(), part, tessera::detail::matrix_in(detail::as_columns<Exec, T const>(VT)),
              &B, tessera::detail::matrix_out(detail::as_columns<Exec, T>(root)), options, {},
              its_factors);
        },
        {CT.data(), 1});
    Index const unit =
        by_rows ? stream::detail::extents_of(source).panel() : Index{summation::segment<T>};
    detail::share_block(world(), BT,
                        parts::even_rows_by_rank({this->rows(), unit}, world().size()));
    return report;
  }
  Index do_multiply_transposed_of_each(ConstRows<Exec, T> const& UT,
                                       Rows<Exec, T> const& CT) const override {
    return reads_of(stream::detail::in_order(
        this->source_, [&](auto const& source) { return transposed_of_each(source, UT, CT); }));
  }
  /// A sum over rows of A, or the dot products of its columns.
  template <class Layout>
  stream::Report transposed_of_each(stream::detail::AnySource<T, Layout> const& source,
                                    ConstRows<Exec, T> const& UT, Rows<Exec, T> const& CT) const {
    namespace parts = distributed::detail;
    constexpr bool is_sum = std::is_same_v<Layout, Kokkos::LayoutRight>;
    parts::StreamOnRanks<Exec, T, Layout, is_sum ? parts::Cut::panels : parts::Cut::lines> on_ranks(
        world(), "stream::multiply_transposed", source,
        {.operation = "multiply_transposed of columns",
         .sum = is_sum ? static_cast<Index>(CT.size()) : 0},
        this->options_);
    auto const U = detail::as_columns<Exec, T const>(UT);
    auto const C = detail::as_columns<Exec, T>(CT);
    auto const run = [&](auto const& part, auto const& in, auto const& out,
                         stream::Options<T> const& options) {
      return stream::detail::run_product_of_columns<is_sum>(
          this->exec(), "multiply_transposed", part, tessera::detail::matrix_in(in),
          tessera::detail::matrix_out(out), options);
    };
    auto const report = on_ranks(
        [&](auto const& part, Index first, tessera::detail::OutputVector<T> sum,
            stream::Options<T> const& options) {
          Kokkos::pair<Index, Index> const some(first,
                                                first + (is_sum ? part.rows() : part.cols()));
          if constexpr (is_sum) {
            Rows<Exec, T> const root(sum.data, CT.extent(0), CT.extent(1));
            return run(part, Kokkos::subview(U, some, Kokkos::ALL),
                       detail::as_columns<Exec, T>(root), options);
          } else {
            return run(part, U, Kokkos::subview(C, some, Kokkos::ALL), options);
          }
        },
        {CT.data(), 1});
    if (!is_sum) {
      detail::share_block(world(), CT, parts::even_rows_by_rank({this->cols(), 1}, world().size()));
    }
    return report;
  }
  /// Of all ranks together.
  [[nodiscard]] Index reads_of(stream::Report const& report) const {
    std::uint64_t bytes = 0;
    for (std::uint64_t const its :
         world().communicator().gather(static_cast<std::uint64_t>(report.bytes_read))) {
      bytes += its;
    }
    Index const size = this->rows() * this->cols();
    return size == 0 ? 1 : summation::ceil_div(static_cast<Index>(bytes / sizeof(T)), size);
  }
  /// The sum over all rows; run(rows, first, sum, options) computes that of some rows.
  template <class S, class Run>
  void sum_groups(char const* operation, Index size, S* to, Run const& run,
                  distributed::detail::Joining<S> const& joining = {}) const {
    namespace parts = distributed::detail;
    constexpr auto cut = Products::row_major ? parts::Cut::groups : parts::Cut::tiles;
    parts::StreamOnRanks<Exec, T, typename Source::array_layout, cut, S> on_ranks(
        world(), "solve", stream::detail::any_source(this->source_),
        {.operation = operation, .sum = size}, this->options_, joining);
    on_ranks(run, {to, 1});
  }
  void share_rows(Rows<Exec, T> const& BT) const {
    distributed::detail::Units const units{this->rows(), summation::segment<T>};
    detail::share_block(world(), BT, distributed::detail::even_rows_by_rank(units, world().size()));
  }
  [[nodiscard]] Distributed<Exec> const& world() const { return this->place_; }

  void do_multiply_block(detail::BlockProducts<Exec, T> const& products) const override {
    sum_groups("block", products.count() * products.cols(), products.CT.data(),
               [&](auto const& rows, Index first, tessera::detail::OutputVector<T> sum,
                   stream::Options<T> const& options) {
                 detail::BlockPart<Exec, T> const part(this->exec(), products, {first, rows.rows()},
                                                       sum.data);
                 auto const report =
                     detail::stream_products(this->exec(), rows, part.products(), options);
                 part.finish();
                 return report;
               });
    share_rows(products.BT);
  }
  void do_agree(std::string const& method,
                std::function<std::uint64_t()> const& call) const override {
    detail::agree_on_call(world(), method, call);
  }
  void do_gram(detail::GramProducts<Exec, T> const& products) const override {
    using Gram = detail::GramProducts<Exec, T>;
    sum_groups("gram", static_cast<Index>(products.G.size()), products.G.data(),
               [&](auto const& rows, Index first, tessera::detail::OutputVector<double> sum,
                   stream::Options<T> const& options) {
                 Gram part = products;
                 part.first_row = first;
                 part.G = typename Gram::template Vector<double>(sum.data, products.G.extent(0));
                 return detail::stream_products(this->exec(), rows, part, options);
               });
    share_rows(products.MT);
  }
  void do_moments(detail::MomentProducts<Exec, T> const& products) const override {
    sum_groups(
        "moments", products.size(), products.to.data(),
        [&](auto const& rows, Index /*first*/, tessera::detail::OutputVector<double> sum,
            stream::Options<T> const& options) {
          detail::MomentProducts<Exec, T> part = products;
          part.to = decltype(part.to)(sum.data, products.to.extent(0));
          return detail::stream_products(this->exec(), rows, part, options);
        },
        detail::joining_of_moments);
  }
  void do_sum_rows(detail::RowSums<Exec, T>& sums, double* out) const override {
    sum_groups("rows", sums.length(), out,
               [&](auto const& rows, Index first, tessera::detail::OutputVector<double> sum,
                   stream::Options<T> const& options) {
                 return detail::sum_rows_of_stream(this->exec(), rows, first, sums, options,
                                                   sum.data);
               });
  }
};

}  // namespace tessera::solve
