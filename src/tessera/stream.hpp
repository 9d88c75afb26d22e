// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/checks.hpp>
#include <tessera/concepts.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/stream/detail/place.hpp>
#include <tessera/stream/detail/products.hpp>
#include <tessera/stream/detail/requirements.hpp>
#include <tessera/stream/options.hpp>
#include <tessera/stream/source.hpp>
#include <tessera/stream/terms.hpp>

/// Operations on matrices larger than memory, with the bits of the operations in memory.
namespace tessera::stream {

/// An execution space, or a `Distributed` (distributed/stream.hpp).
template <class Place>
concept StreamPlace = ExecutionSpace<detail::ExecOf<Place>>;

template <class View, class Exec, class Source>
concept VectorFor = Vector<View> && AccessibleFrom<View, Exec> &&
                    std::same_as<typename View::non_const_value_type, typename Source::value_type>;
template <class View, class Exec, class Source>
concept OutputVectorFor = VectorFor<View, Exec, Source> && OutputVector<View>;

template <class View, class Exec, class Source>
concept BlockFor = MatrixOf<View, Exec> &&
                   std::same_as<typename View::non_const_value_type, typename Source::value_type>;
template <class View, class Exec, class Source>
concept OutputBlockFor =
    BlockFor<View, Exec, Source> && !std::is_const_v<typename View::value_type>;

/// C = α·Aᵀ·f(A·v) + β·z of a streamed matrix, which is read once
///
/// | argument | shape | |
/// |---|---|---|
/// | source | m x n | in: blocks of A |
/// | v | n | in: any stride |
/// | C | n | out: any stride, overwritten |
/// | terms | | f, α, β and z |
///
/// `place` is an execution space, or a `Distributed`: then each rank reads a part of the matrix
/// (distributed/stream.hpp). Views are in memory of the execution space. Work and traffic: 4mn
/// flop; mn·sizeof(T) bytes from the source.
///
/// Guarantees: the bits of `tessera::atax` for any limit and number of readers. A state can be
/// resumed with the same matrix, v and map; α, β, z and keep_product may differ. Synchronous.
/// @throws LimitError if the limit is too small; it names one that works
/// @throws std::invalid_argument for wrong sizes, too many readers, missing kernels, and a state of
/// another operation
/// @throws std::system_error if a reader thread cannot start. Exceptions of the source and the
/// callbacks propagate; C is then undefined.
///
/// Source: docs/decisions/stream-blocks-are-subtrees.md.
///
/// ```cpp
/// auto const ones = [](tessera::stream::Block const& block, double* to) {
///   std::fill_n(to, block.rows * block.cols, 1.0);
/// };
/// auto const source = tessera::stream::make_source<double>(1000, 30, ones);
/// Kokkos::View<double*> v("v", 30), C("C", 30);
/// tessera::stream::atax(Kokkos::DefaultExecutionSpace(), source, v, C,
///                       {.memory_limit = std::size_t{64} << 20});
/// ```
template <StreamPlace Place, MatrixSource Source, VectorFor<detail::ExecOf<Place>, Source> V,
          OutputVectorFor<detail::ExecOf<Place>, Source> C>
Report atax(Place const& place, Source const& source, V const& v, C const& c,
            Options<typename Source::value_type> const& options = {},
            std::type_identity_t<
                AtaxTerms<detail::ExecOf<Place>, typename Source::value_type>> const& terms = {}) {
  using T = typename Source::value_type;
  using At = detail::PlaceOfStream<Place>;
  C const* const none = nullptr;
  At::together(place, [&] { detail::require_atax<T>(source, v, none, c, terms); });
  At::agree(place, "stream::atax", source, options, detail::numbers_of<T>(terms));
  return detail::in_order(source, [&](auto const& any) {
    return At::atax(place, any, tessera::detail::vector_in(v),
                    tessera::detail::OutputVector<T>{nullptr, 1}, tessera::detail::output(c),
                    options, terms);
  });
}

/// C = α·Aᵀ·B + β·z of a streamed matrix, and B = f(A·v)
///
/// B has m entries of any stride. Callbacks see A·v in B.
template <StreamPlace Place, MatrixSource Source, VectorFor<detail::ExecOf<Place>, Source> V,
          OutputVectorFor<detail::ExecOf<Place>, Source> B,
          OutputVectorFor<detail::ExecOf<Place>, Source> C>
Report atax(Place const& place, Source const& source, V const& v, B const& b, C const& c,
            Options<typename Source::value_type> const& options = {},
            std::type_identity_t<
                AtaxTerms<detail::ExecOf<Place>, typename Source::value_type>> const& terms = {}) {
  using T = typename Source::value_type;
  using At = detail::PlaceOfStream<Place>;
  At::together(place, [&] { detail::require_atax<T>(source, v, &b, c, terms); });
  At::agree(place, "stream::atax with B", source, options, detail::numbers_of<T>(terms));
  return detail::in_order(source, [&](auto const& any) {
    return At::atax(place, any, tessera::detail::vector_in(v), tessera::detail::output(b),
                    tessera::detail::output(c), options, terms);
  });
}

/// C = α·Aᵀ·f(A·V) of a streamed matrix, V a block of k vectors
///
/// V and C are n x k, of any layout. No z, no states. Column j has the bits of a call with V's
/// column j. A limit that works for one column works for k, except for copies of vectors.
///
/// ```cpp
/// auto const ones = [](tessera::stream::Block const& block, double* to) {
///   std::fill_n(to, block.rows * block.cols, 1.0);
/// };
/// auto const source = tessera::stream::make_source<double>(1000, 30, ones);
/// Kokkos::View<double**, Kokkos::LayoutRight> V("V", 30, 8), C("C", 30, 8);
/// tessera::stream::atax(Kokkos::DefaultExecutionSpace(), source, V, C);
/// ```
template <StreamPlace Place, MatrixSource Source, BlockFor<detail::ExecOf<Place>, Source> In,
          OutputBlockFor<detail::ExecOf<Place>, Source> Out>
Report atax(Place const& place, Source const& source, In const& v, Out const& c,
            Options<typename Source::value_type> const& options = {},
            std::type_identity_t<
                AtaxTerms<detail::ExecOf<Place>, typename Source::value_type>> const& terms = {}) {
  using T = typename Source::value_type;
  using At = detail::PlaceOfStream<Place>;
  At::together(place, [&] {
    detail::require_atax_of_columns<T>(source, v, c, options, terms);
    detail::require_terms<T>("stream::atax", source, terms, c);
  });
  At::agree(place, "stream::atax of columns", source, options,
            detail::numbers_of<T>(terms, v.extent(1)));
  return detail::in_order(source, [&](auto const& any) {
    std::optional<tessera::detail::MatrixArgument<T>> const none;
    return At::atax_of_columns(place, any, tessera::detail::matrix_in(v), none,
                               tessera::detail::matrix_out(c), options, terms);
  });
}

/// And B = f(A·V), m x k.
template <StreamPlace Place, MatrixSource Source, BlockFor<detail::ExecOf<Place>, Source> In,
          OutputBlockFor<detail::ExecOf<Place>, Source> Rows,
          OutputBlockFor<detail::ExecOf<Place>, Source> Out>
Report atax(Place const& place, Source const& source, In const& v, Rows const& b, Out const& c,
            Options<typename Source::value_type> const& options = {},
            std::type_identity_t<
                AtaxTerms<detail::ExecOf<Place>, typename Source::value_type>> const& terms = {}) {
  using T = typename Source::value_type;
  using At = detail::PlaceOfStream<Place>;
  At::together(place, [&] {
    detail::require_columns("stream::atax", source, "V", v, static_cast<std::size_t>(source.cols()),
                            "B", b, static_cast<std::size_t>(source.rows()));
    detail::require_atax_of_columns<T>(source, v, c, options, terms);
    checks::require_apart("stream::atax", "C", c, "B", b);
    detail::require_terms<T>("stream::atax", source, terms, b, c);
  });
  At::agree(place, "stream::atax of columns with B", source, options,
            detail::numbers_of<T>(terms, v.extent(1)));
  return detail::in_order(source, [&](auto const& any) {
    std::optional const rows_out(tessera::detail::matrix_out(b));
    return At::atax_of_columns(place, any, tessera::detail::matrix_in(v), rows_out,
                               tessera::detail::matrix_out(c), options, terms);
  });
}

/// B = A·v of a streamed matrix
///
/// As `atax`; B has m entries.
///
/// ```cpp
/// auto const ones = [](tessera::stream::Block const& block, double* to) {
///   std::fill_n(to, block.rows * block.cols, 1.0);
/// };
/// auto const source = tessera::stream::make_source<double>(1000, 30, ones);
/// Kokkos::View<double*> v("v", 30), B("B", 1000);
/// tessera::stream::multiply(Kokkos::DefaultExecutionSpace(), source, v, B);
/// ```
template <StreamPlace Place, MatrixSource Source, VectorFor<detail::ExecOf<Place>, Source> V,
          OutputVectorFor<detail::ExecOf<Place>, Source> B>
Report multiply(Place const& place, Source const& source, V const& v, B const& b,
                Options<typename Source::value_type> const& options = {}) {
  using At = detail::PlaceOfStream<Place>;
  At::together(place, [&] { detail::require_multiply(source, v, b); });
  At::agree(place, "stream::multiply", source, options, {});
  return detail::in_order(source, [&](auto const& any) {
    return At::template product<!detail::has_rows<decltype(any)>>(
        place, std::string("multiply"), any, tessera::detail::vector_in(v),
        tessera::detail::output(b), static_cast<Index>(b.extent(0)), options);
  });
}

/// B = A·V of a streamed matrix, V a block of k vectors
///
/// As `atax`; B is m x k.
template <StreamPlace Place, MatrixSource Source, BlockFor<detail::ExecOf<Place>, Source> In,
          OutputBlockFor<detail::ExecOf<Place>, Source> Out>
Report multiply(Place const& place, Source const& source, In const& v, Out const& b,
                Options<typename Source::value_type> const& options = {}) {
  using At = detail::PlaceOfStream<Place>;
  At::together(place, [&] {
    detail::require_columns("stream::multiply", source, "V", v,
                            static_cast<std::size_t>(source.cols()), "B", b,
                            static_cast<std::size_t>(source.rows()));
    detail::require_no_states("stream::multiply", options);
  });
  At::agree(place, "stream::multiply of columns", source, options,
            {static_cast<double>(v.extent(1))});
  return detail::in_order(source, [&](auto const& any) {
    return At::template product_of_columns<!detail::has_rows<decltype(any)>>(
        place, std::string("multiply"), any, tessera::detail::matrix_in(v),
        tessera::detail::matrix_out(b), options);
  });
}

/// C = Aᵀ·B of a streamed matrix
///
/// As `atax`; B has m entries, C n.
template <StreamPlace Place, MatrixSource Source, VectorFor<detail::ExecOf<Place>, Source> B,
          OutputVectorFor<detail::ExecOf<Place>, Source> C>
Report multiply_transposed(Place const& place, Source const& source, B const& b, C const& c,
                           Options<typename Source::value_type> const& options = {}) {
  using At = detail::PlaceOfStream<Place>;
  At::together(place, [&] { detail::require_multiply_transposed(source, b, c); });
  At::agree(place, "stream::multiply_transposed", source, options, {});
  return detail::in_order(source, [&](auto const& any) {
    return At::template product<detail::has_rows<decltype(any)>>(
        place, std::string("multiply_transposed"), any, tessera::detail::vector_in(b),
        tessera::detail::output(c), static_cast<Index>(c.extent(0)), options);
  });
}

/// C = Aᵀ·B of a streamed matrix, B a block of k vectors
///
/// As `atax`; B is m x k, C n x k.
template <StreamPlace Place, MatrixSource Source, BlockFor<detail::ExecOf<Place>, Source> In,
          OutputBlockFor<detail::ExecOf<Place>, Source> Out>
Report multiply_transposed(Place const& place, Source const& source, In const& b, Out const& c,
                           Options<typename Source::value_type> const& options = {}) {
  constexpr auto name = "stream::multiply_transposed";
  using At = detail::PlaceOfStream<Place>;
  At::together(place, [&] {
    detail::require_columns(name, source, "B", b, static_cast<std::size_t>(source.rows()), "C", c,
                            static_cast<std::size_t>(source.cols()));
    detail::require_no_states(name, options);
  });
  At::agree(place, "stream::multiply_transposed of columns", source, options,
            {static_cast<double>(b.extent(1))});
  return detail::in_order(source, [&](auto const& any) {
    return At::template product_of_columns<detail::has_rows<decltype(any)>>(
        place, std::string("multiply_transposed"), any, tessera::detail::matrix_in(b),
        tessera::detail::matrix_out(c), options);
  });
}

/// y = A·x and w = Aᵀ·u of a streamed matrix, in one read
///
/// As `atax`; x and w have n entries, u and y m. A state can be resumed with the same matrix, x and
/// u.
///
/// ```cpp
/// auto const ones = [](tessera::stream::Block const& block, double* to) {
///   std::fill_n(to, block.rows * block.cols, 1.0);
/// };
/// auto const source = tessera::stream::make_source<double>(1000, 30, ones);
/// Kokkos::View<double*> x("x", 30), u("u", 1000), y("y", 1000), w("w", 30);
/// tessera::stream::multiply_both(Kokkos::DefaultExecutionSpace(), source, x, u, y, w);
/// ```
template <StreamPlace Place, MatrixSource Source, VectorFor<detail::ExecOf<Place>, Source> X,
          VectorFor<detail::ExecOf<Place>, Source> U,
          OutputVectorFor<detail::ExecOf<Place>, Source> Y,
          OutputVectorFor<detail::ExecOf<Place>, Source> W>
Report multiply_both(Place const& place, Source const& source, X const& x, U const& u, Y const& y,
                     W const& w, Options<typename Source::value_type> const& options = {}) {
  using T = typename Source::value_type;
  using At = detail::PlaceOfStream<Place>;
  At::together(place, [&] { detail::require_multiply_both(source, x, u, y, w); });
  At::agree(place, "stream::multiply_both", source, options, {});
  // ATAX whose second product uses u.
  RowMap<T, typename U::memory_space> const replace(maps::Kind::replace, u);
  AtaxTerms<detail::ExecOf<Place>, T> const terms{.map = replace, .keep_product = true};
  return detail::in_order(source, [&](auto const& any) {
    return At::atax(place, any, tessera::detail::vector_in(x), tessera::detail::output(y),
                    tessera::detail::output(w), options, terms);
  });
}

}  // namespace tessera::stream

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_STREAM(TEMPLATE, EXEC, T)                   \
  namespace tessera::stream::detail {                       \
  TESSERA_STREAM_OF(TEMPLATE, EXEC, T, Kokkos::LayoutRight) \
  TESSERA_STREAM_OF(TEMPLATE, EXEC, T, Kokkos::LayoutLeft)  \
  TESSERA_STREAM_TREE(TEMPLATE, EXEC, T)                    \
  }
#define TESSERA_STREAM_TREE(TEMPLATE, EXEC, T)                 \
  TEMPLATE void add_vectors(EXEC const&, Index, T const*, T*); \
  TEMPLATE void set_result(EXEC const&, Index, T const*, OutputVector<T> const&);
#define TESSERA_STREAM_OF(TEMPLATE, EXEC, T, LAYOUT)                         \
  TESSERA_STREAM_WITH(TEMPLATE, EXEC, T, LAYOUT, tessera::kernels::Identity) \
  TESSERA_STREAM_WITH(TEMPLATE, EXEC, T, LAYOUT, maps::Function<T>)          \
  TESSERA_STREAM_PRODUCT(TEMPLATE, EXEC, T, LAYOUT, true)                    \
  TESSERA_STREAM_PRODUCT(TEMPLATE, EXEC, T, LAYOUT, false)
#define TESSERA_STREAM_WITH(TEMPLATE, EXEC, T, LAYOUT, FACTOR)                               \
  TEMPLATE Report run_atax(EXEC const&, AnySource<T, LAYOUT> const&,                         \
                           VectorArgument<T const> const&, OutputVector<T>, OutputVector<T>, \
                           Options<T> const&, maps::Kind, FACTOR const&);                    \
  TEMPLATE Report run_atax_of_columns(                                                       \
      EXEC const&, AnySource<T, LAYOUT> const&, MatrixArgument<T const> const&,              \
      std::optional<MatrixArgument<T>> const&, MatrixArgument<T> const&, Options<T> const&,  \
      AtaxTerms<EXEC, T> const&, std::vector<FACTOR> const&);
#define TESSERA_STREAM_PRODUCT(TEMPLATE, EXEC, T, LAYOUT, IS_SUM)                                  \
  TEMPLATE Report run_product<IS_SUM>(EXEC const&, std::string const&,                             \
                                      AnySource<T, LAYOUT> const&, VectorArgument<T const> const&, \
                                      OutputVector<T>, Index, Options<T> const&);                  \
  TEMPLATE Report run_product_of_columns<IS_SUM>(                                                  \
      EXEC const&, std::string const&, AnySource<T, LAYOUT> const&,                                \
      MatrixArgument<T const> const&, MatrixArgument<T> const&, Options<T> const&);
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_STREAM)
