// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/concepts.hpp>
#include <tessera/distributed.hpp>
#include <tessera/distributed/detail/block_part.hpp>
#include <tessera/distributed/detail/operators.hpp>
#include <tessera/distributed/detail/shares.hpp>
#include <tessera/distributed/stream.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/solve/operator.hpp>

/// Streamed matrices of several processes, for solvers.
namespace tessera::solve {

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
      auto const with = [&](auto const& factors) {
        return stream::detail::atax_of_columns<Exec, T>(
            world(), source, detail::as_columns<Exec, T const>(VT), detail::as_columns<Exec, T>(BT),
            detail::as_columns<Exec, T>(CT), this->options_, factors);
      };
      if (!maps.empty()) return with(functions);
      return with(std::vector<kernels::Identity>(VT.extent(0)));
    }));
  }
  Index do_multiply_transposed_of_each(ConstRows<Exec, T> const& UT,
                                       Rows<Exec, T> const& CT) const override {
    return reads_of(stream::detail::in_order(this->source_, [&](auto const& source) {
      constexpr bool is_sum = stream::detail::has_rows<decltype(source)>;
      return stream::detail::product_of_columns<is_sum, Exec, T>(
          world(), "multiply_transposed", source, detail::as_columns<Exec, T const>(UT),
          detail::as_columns<Exec, T>(CT), this->options_);
    }));
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
