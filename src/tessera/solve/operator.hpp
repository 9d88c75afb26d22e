// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/atax.hpp>
#include <tessera/backends/compiled.hpp>
#include <tessera/backends/platform/arithmetic.hpp>
#include <tessera/checks.hpp>
#include <tessera/concepts.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/detail/product.hpp>
#include <tessera/detail/run_atax.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/maps.hpp>
#include <tessera/narrow.hpp>
#include <tessera/options.hpp>
#include <tessera/solve/blocks.hpp>
#include <tessera/solve/column_squares.hpp>
#include <tessera/solve/gram.hpp>
#include <tessera/solve/in_memory.hpp>
#include <tessera/solve/moments.hpp>
#include <tessera/solve/normal_operator.hpp>
#include <tessera/solve/row_sums.hpp>
#include <tessera/stream.hpp>
#include <tessera/workspace.hpp>

/// Matrices in memory and streams as solvers read them.
namespace tessera::solve {

namespace detail {

template <class Source>
class SquaredSource {
 public:
  using value_type = typename Source::value_type;
  using array_layout = typename Source::array_layout;
  static constexpr bool reads_in_kernels = stream::may_read_in_kernels<Source>;

  SquaredSource(Source const& source, std::vector<value_type> mean, std::vector<value_type> units)
      : source_(source), mean_(std::move(mean)), units_(std::move(units)) {}
  [[nodiscard]] Index rows() const { return static_cast<Index>(source_.rows()); }
  [[nodiscard]] Index cols() const { return static_cast<Index>(source_.cols()); }
  [[nodiscard]] std::size_t bytes_at_once() const { return stream::bytes_at_once(source_); }
  void read(stream::Block const& block, value_type* to) const {
    backends::host::OrdinaryArithmetic const mode;
    source_.read(block, to);
    bool const by_rows = std::is_same_v<array_layout, Kokkos::LayoutRight>;
    Index const length = by_rows ? block.cols : block.rows;
    for (Index i = 0; i < block.rows * block.cols; ++i) {
      auto const j =
          static_cast<std::size_t>(block.first_col + (by_rows ? i % length : i / length));
      value_type const difference = units_[j] * (to[i] - mean_[j]);
      to[i] = difference * difference;
    }
  }

 private:
  Source const& source_;
  std::vector<value_type> mean_;
  std::vector<value_type> units_;
};

/// A map for each of several vectors with `length` entries.
template <class T>
struct MapColumns {
  static constexpr Index most = 32;
  Kokkos::Array<maps::Function<T>, most> functions;
  Index length;
  Index pitch;  ///< between vectors
  T* b;
  KOKKOS_FUNCTION void operator()(Index k) const {
    Index const column = k / length;
    Index const i = k - column * length;
    T& entry = b[column * pitch + i];
    entry = functions[static_cast<std::size_t>(column)](i, entry);
  }
};

/// b_j = f_j(b_j) for vectors of `length` entries, BT.extent(1) entries apart.
template <class Exec, class T>
void apply_maps(Exec const& exec, std::vector<typename NormalOperator<Exec, T>::Map> const& maps,
                Rows<Exec, T> const& BT, Index first_row, Index length) {
  static std::string const label("tessera::solve::map");
  using Body = MapColumns<T>;
  auto const count = static_cast<Index>(maps.size());
  auto const pitch = static_cast<Index>(BT.extent(1));
  for (Index first = 0; first < count && length > 0; first += Body::most) {
    Index const some = std::min(Body::most, count - first);
    Body body{{}, length, pitch, BT.data() + first * pitch + first_row};
    for (Index j = 0; j < some; ++j) {
      body.functions[static_cast<std::size_t>(j)] =
          maps[static_cast<std::size_t>(first + j)].function();
    }
    tessera::detail::for_each_element(exec, label, some * length, body);
  }
}

template <class View>
struct ScalarOf {
  using Type = float;
};
template <Matrix View>
struct ScalarOf<View> {
  using Type = typename View::non_const_value_type;
};

/// What reads a View's elements as T.
template <class View, class T>
using ArgumentOf = decltype(tessera::detail::stored_in<T>(std::declval<View const&>()));

/// Without the View's type: compiled once for all layouts and stored types. The memory is not
/// owned.
template <class Exec, class T, tessera::detail::ReadAs<T> A>
class OperatorInMemory : public BlockOperator<Exec, T> {
  using Base = BlockOperator<Exec, T>;

 public:
  OperatorInMemory(Exec const& exec, A const& a, AtaxOptions<Exec, T> const& options = {})
      : Base(exec, static_cast<Index>(a.extent(0)), static_cast<Index>(a.extent(1)), has_rows(a)),
        a_(a),
        method_(options.method),
        options_{.workspace = &workspace_, .tuning = options.tuning, .kernels = options.kernels} {}

  [[nodiscard]] bool has_gram() const override { return true; }

 private:
  static bool has_rows(A const& a) {
    bool rows = true;
    tessera::detail::with_order("solve", "A", a, [&](auto by_rows) { rows = by_rows(); });
    return rows;
  }
  [[nodiscard]] AtaxOptions<Exec, T> atax_options() const {
    AtaxOptions<Exec, T> options = options_;
    options.method = method_;
    return options;
  }
  void do_atax(ConstValues<Exec, T> const& v, typename Base::Map const& map,
               Values<Exec, T> const& b, Values<Exec, T> const& c,
               bool keep_product) const override {
    using namespace tessera::detail;
    AtaxOptions<Exec, T> options = atax_options();
    options.map = map;
    options.keep_product = keep_product;
    auto const first = vector_out(b);
    call_atax<Exec, T>(this->exec(), a_, vector_in(v), b.extent(0) == 0 ? nullptr : &first,
                       vector_out(c), options);
  }
  void do_multiply(ConstValues<Exec, T> const& v, Values<Exec, T> const& b) const override {
    using namespace tessera::detail;
    call_product<Exec, T>(this->exec(), plain_product, a_, vector_in(v), vector_out(b), options_);
  }
  void do_multiply_transposed(ConstValues<Exec, T> const& u,
                              Values<Exec, T> const& c) const override {
    using namespace tessera::detail;
    call_product<Exec, T>(this->exec(), transposed_product, a_, vector_in(u), vector_out(c),
                          options_);
  }
  template <class Products>
  void add(Products const& products) const {
    products_in_memory(this->exec(), a_, products, options_.kernels, workspace_, &widened_);
  }
  void do_multiply_block(BlockProducts<Exec, T> const& products) const override { add(products); }
  void do_gram(GramProducts<Exec, T> const& products) const override { add(products); }
  void do_moments(MomentProducts<Exec, T> const& products) const override { add(products); }
  [[nodiscard]] bool can_sum_rows() const override { return true; }
  void do_sum_rows(RowSums<Exec, T>& sums, double* out) const override {
    sum_rows_in_memory(this->exec(), a_, 0, sums, options_.kernels, out, &widened_);
  }
  Index do_atax_of_each(ConstRows<Exec, T> const& VT, std::vector<typename Base::Map> const& maps,
                        Rows<Exec, T> const& BT, Rows<Exec, T> const& CT) const override {
    using namespace tessera::detail;
    auto const V = matrix_in(as_columns<Exec, T const>(VT));
    auto const B = matrix_out(as_columns<Exec, T>(BT));
    auto const C = matrix_out(as_columns<Exec, T>(CT));
    if (maps.empty()) {
      auto const options = atax_options();
      call_atax<Exec, T>(this->exec(), a_, V, &B, C, options);
      if constexpr (reads_narrow<A>) {
        return passes_of(VT.extent(0));
      } else {
        return reads_of_block(this->exec(), a_, VT.extent(0), options);
      }
    }
    call_product<Exec, T>(this->exec(), plain_product, a_, V, B, options_);
    solve::detail::apply_maps<Exec, T>(this->exec(), maps, BT, 0, this->rows());
    call_product<Exec, T>(this->exec(), transposed_product, a_,
                          matrix_in(as_columns<Exec, T const>(BT)), C, options_);
    return 2 * passes_of(VT.extent(0));
  }
  Index do_multiply_transposed_of_each(ConstRows<Exec, T> const& UT,
                                       Rows<Exec, T> const& CT) const override {
    using namespace tessera::detail;
    call_product<Exec, T>(this->exec(), transposed_product, a_,
                          matrix_in(as_columns<Exec, T const>(UT)),
                          matrix_out(as_columns<Exec, T>(CT)), options_);
    return passes_of(UT.extent(0));
  }
  void do_sums_of_squares(ConstValues<Exec, T> const& mean, ConstValues<Exec, T> const& units,
                          Values<Exec, T> const& c) const override {
    using namespace tessera::detail;
    bool const by_rows = this->layout() == std::string_view("rows");
    add_squares<Exec, T>(this->exec(), by_rows ? lines_of<true>(a_) : lines_of<false>(a_), by_rows,
                         {mean.data(), units.data()}, options_.kernels, workspace_, {c.data(), 1});
  }
  [[nodiscard]] Index passes_of(std::size_t vectors) const {
    return tessera::detail::passes_of(
        vectors, tessera::detail::columns_at_once<Exec, T>("solve", a_, options_.kernels));
  }

  A a_;
  Method method_;
  mutable Workspace<Exec> workspace_;
  mutable Workspace<Exec> widened_;  ///< rows of a narrow matrix
  Options<Exec> options_;
};

}  // namespace detail

/// A matrix in memory of Exec. It serves one thread at a time: another thread's call throws
/// std::invalid_argument.
///
/// A narrow matrix is read as stored, with the bits of the matrix widened to T. Products with
/// blocks, Gram matrices and sums over rows widen a group of rows at a time.
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// tessera::solve::MatrixOperator const op(Kokkos::DefaultExecutionSpace(), A);
/// Kokkos::View<std::uint8_t**, Kokkos::LayoutRight> images("images", 60000, 784);
/// tessera::solve::MatrixOperator const of_floats(Kokkos::DefaultExecutionSpace(), images);
/// ```
template <ExecutionSpace Exec, class A, Scalar T = typename detail::ScalarOf<A>::Type>
  requires StoredMatrixOf<A, Exec>
class MatrixOperator final : public detail::OperatorInMemory<Exec, T, detail::ArgumentOf<A, T>> {
 public:
  MatrixOperator(Exec const& exec, A a, AtaxOptions<Exec, T> const& options = {})
      : detail::OperatorInMemory<Exec, T, detail::ArgumentOf<A, T>>(
            exec, tessera::detail::stored_in<T>(a), options),
        a_(std::move(a)) {}

 private:
  A a_;  ///< owns the memory
};

/// Calls of a solver in addition to `atax` and `multiply_transposed`.
struct SolverCalls {
  Index block = 0;       ///< vectors per product; 0: none
  Index gram_width = 0;  ///< columns; 0: none, -1: only moments
  std::vector<detail::RowSumsSize> sums{};
  bool column_statistics = false;
};

namespace detail {

/// Of a streamed matrix, by an execution space or all ranks.
template <class Place, stream::MatrixSource Source>
class StreamedProducts
    : public BlockOperator<stream::detail::ExecOf<Place>, typename Source::value_type> {
 public:
  [[nodiscard]] bool has_gram() const override { return true; }
  [[nodiscard]] bool can_sum_rows() const override { return true; }

 protected:
  using Exec = stream::detail::ExecOf<Place>;
  using T = typename Source::value_type;
  using Base = BlockOperator<Exec, T>;
  static constexpr bool row_major =
      std::is_same_v<typename Source::array_layout, Kokkos::LayoutRight>;

  StreamedProducts(Place const& place, Source const& source, stream::Options<T> options)
      : Base(stream::detail::PlaceOfStream<Place>::exec(place), static_cast<Index>(source.rows()),
             static_cast<Index>(source.cols()), row_major),
        place_(place),
        source_(source),
        options_(std::move(options)) {
    options_.wants_state = {};
    options_.on_state = {};
    options_.resume = nullptr;
  }

 private:
  void do_atax(ConstValues<Exec, T> const& v, typename Base::Map const& map,
               Values<Exec, T> const& b, Values<Exec, T> const& c,
               bool keep_product) const override {
    stream::AtaxTerms<Exec, T> const terms{.map = map, .keep_product = keep_product};
    if (b.extent(0) == 0) {
      stream::atax(place_, source_, v, c, options_, terms);
    } else {
      stream::atax(place_, source_, v, b, c, options_, terms);
    }
  }
  void do_multiply(ConstValues<Exec, T> const& v, Values<Exec, T> const& b) const override {
    stream::multiply(place_, source_, v, b, options_);
  }
  void do_multiply_transposed(ConstValues<Exec, T> const& u,
                              Values<Exec, T> const& c) const override {
    stream::multiply_transposed(place_, source_, u, c, options_);
  }
  void do_sums_of_squares(ConstValues<Exec, T> const& mean, ConstValues<Exec, T> const& units,
                          Values<Exec, T> const& c) const override {
    this->exec().fence("tessera::solve: the means are there");
    SquaredSource const squares(source_, stream::detail::to_host<T>(mean),
                                stream::detail::to_host<T>(units));
    stream::multiply_transposed(place_, squares, ones<Exec, T>(this->exec(), this->rows()), c,
                                options_);
  }

 protected:
  Place place_;
  Source const& source_;
  stream::Options<T> options_;
};

}  // namespace detail

/// Streams from a source, which must outlive it. Ignores states of the options.
///
/// ```cpp
/// auto const ones = [](tessera::stream::Block const& block, double* to) {
///   std::fill_n(to, block.rows * block.cols, 1.0);
/// };
/// auto const source = tessera::stream::make_source<double>(1000, 30, ones);
/// tessera::solve::StreamOperator const op(Kokkos::DefaultExecutionSpace(), source);
/// ```
template <ExecutionSpace Exec, stream::MatrixSource Source>
class StreamOperator final : public detail::StreamedProducts<Exec, Source> {
  using T = typename Source::value_type;
  using Base = BlockOperator<Exec, T>;

 public:
  StreamOperator(Exec const& exec, Source const& source, stream::Options<T> options = {})
      : detail::StreamedProducts<Exec, Source>(exec, source, std::move(options)) {}

  /// The memory_limit that these calls need.
  [[nodiscard]] std::size_t bytes_needed(SolverCalls const& calls = {}) const {
    auto const source = stream::detail::any_source(this->source_);
    auto const vector = [](Index entries) {
      return tessera::detail::VectorArgument<T const>(nullptr, static_cast<std::size_t>(entries),
                                                      1);
    };
    std::size_t bytes = 0;
    auto const need = [&](auto const& call) {
      bytes = std::max(bytes, stream::detail::bytes_needed_by(this->options_, call));
    };
    auto const need_products = [&](auto const& products) {
      need([&](stream::Options<T> const& options) {
        detail::stream_products(this->exec(), source, products, options);
      });
    };
    need([&](stream::Options<T> const& options) {
      stream::detail::run_atax<Exec, T>(this->exec(), source, vector(this->cols()), {nullptr, 1},
                                        {nullptr, 1}, options, maps::Kind::identity,
                                        kernels::Identity());
    });
    need([&](stream::Options<T> const& options) {
      stream::detail::run_product<stream::detail::has_rows<Source>>(
          this->exec(), "multiply_transposed", source, vector(this->rows()), {nullptr, 1},
          this->cols(), options);
    });
    if (calls.gram_width != 0) {
      detail::GramProducts<Exec, T> products;
      products.has_moments_only = calls.gram_width < 0;
      products.cols = calls.gram_width < 0 ? this->cols() : calls.gram_width;
      need_products(products);
    }
    if (calls.column_statistics) {
      need_products(detail::MomentProducts<Exec, T>{.cols = this->cols()});
    }
    for (auto const& size : calls.sums) {
      detail::SizedRowSums<Exec, T> sums(size);
      need([&](stream::Options<T> const& options) {
        detail::sum_rows_of_stream(this->exec(), source, 0, sums, options, nullptr);
      });
    }
    if (calls.block > 0) {
      detail::BlockProducts<Exec, T> products;
      products.CT = Rows<Exec, T>(static_cast<T*>(nullptr), static_cast<std::size_t>(calls.block),
                                  static_cast<std::size_t>(this->cols()));
      need_products(products);
    }
    return bytes;
  }

 private:
  template <class Products>
  void add(Products const& products) const {
    detail::stream_products(this->exec(), stream::detail::any_source(this->source_), products,
                            this->options_);
  }
  void do_multiply_block(detail::BlockProducts<Exec, T> const& products) const override {
    add(products);
  }
  void do_gram(detail::GramProducts<Exec, T> const& products) const override { add(products); }
  void do_moments(detail::MomentProducts<Exec, T> const& products) const override { add(products); }
  void do_sum_rows(detail::RowSums<Exec, T>& sums, double* out) const override {
    detail::sum_rows_of_stream(this->exec(), stream::detail::any_source(this->source_), 0, sums,
                               this->options_, out);
  }
  Index do_atax_of_each(ConstRows<Exec, T> const& VT, std::vector<typename Base::Map> const& maps,
                        Rows<Exec, T> const& BT, Rows<Exec, T> const& CT) const override {
    auto const V = detail::as_columns<Exec, T const>(VT);
    auto const B = detail::as_columns<Exec, T>(BT);
    auto const C = detail::as_columns<Exec, T>(CT);
    auto const& options = this->options_;
    if (maps.empty()) {
      return reads_of(stream::atax(this->exec(), this->source_, V, B, C, options));
    }
    std::vector<maps::Function<T>> functions;
    functions.reserve(maps.size());
    for (auto const& map : maps) functions.push_back(map.function());
    std::optional const out(tessera::detail::matrix_out(B));
    return reads_of(stream::detail::in_order(this->source_, [&](auto const& source) {
      return stream::detail::run_atax_of_columns<Exec, T>(
          this->exec(), source, tessera::detail::matrix_in(V), out, tessera::detail::matrix_out(C),
          options, {}, functions);
    }));
  }
  Index do_multiply_transposed_of_each(ConstRows<Exec, T> const& UT,
                                       Rows<Exec, T> const& CT) const override {
    return reads_of(stream::multiply_transposed(this->exec(), this->source_,
                                                detail::as_columns<Exec, T const>(UT),
                                                detail::as_columns<Exec, T>(CT), this->options_));
  }
  [[nodiscard]] Index reads_of(stream::Report const& report) const {
    return static_cast<Index>(report.bytes_read / sizeof(T)) / (this->rows() * this->cols());
  }
};

}  // namespace tessera::solve
