// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/checks.hpp>
#include <tessera/concepts.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/stream/detail/run.hpp>
#include <tessera/stream/options.hpp>
#include <tessera/stream/source.hpp>

/// The operations on matrices that are larger than memory: they come in blocks, from a file or a
/// function, and the bits are those of the matrix in memory.
namespace tessera::stream {

namespace detail {

/// A vector's elements side by side in memory of Exec: its own, or a copy that `keep` holds.
template <class Exec, class View, class Keep>
auto side_by_side(Exec const& exec, View const& x, Keep& keep) {
  using T = typename View::non_const_value_type;
  Index const size = tessera::detail::packed_size(x);
  if (size > 0) {
    keep = Keep(Kokkos::view_alloc(exec, std::string("tessera::stream::vector"),
                                   Kokkos::WithoutInitializing),
                static_cast<std::size_t>(size));
  }
  T const* const data = tessera::detail::contiguous(exec, "tessera::stream", x, keep.data());
  return ConstVector<Exec, T>(data, x.extent(0));
}

template <class Source>
void require_elements(char const* operation, Source const& source) {
  if (source.rows() < 1 || source.cols() < 1) {
    checks::fail(operation, "the matrix must have at least one row and one column");
  }
}

template <class Exec, class Source, class V, class T>
Report run_atax(Exec const& exec, Source const& source, V const& v, OutputVector<T> b,
                OutputVector<T> c, Options<T> const& options) {
  Kokkos::View<T*, typename Exec::memory_space> keep;
  Workspace<Exec> workspace;
  Run<Exec, Source, AtaxWork> run(exec, "stream::atax", source, options);
  AtaxWork<Exec, T, decltype(run)::row_major> work(exec, run.extents(), run.plan(), options.method,
                                                   side_by_side(exec, v, keep), b, c, workspace);
  return run(work, workspace);
}

/// One product: dot products of lines, or a sum over lines.
template <template <class, class, bool> class Work, class Exec, class Source, class X, class T>
Report run_product(Exec const& exec, char const* operation, Source const& source, X const& x,
                   OutputVector<T> out, Options<T> const& options) {
  Kokkos::View<T*, typename Exec::memory_space> keep;
  Workspace<Exec> workspace;
  Run<Exec, Source, Work> run(exec, operation, source, options);
  Work<Exec, T, decltype(run)::row_major> work(exec, std::string("tessera::") + operation,
                                               run.extents(), run.plan(),
                                               side_by_side(exec, x, keep), out, workspace);
  return run(work, workspace);
}

template <class Source>
inline constexpr bool has_rows = std::is_same_v<typename Source::array_layout, Kokkos::LayoutRight>;

}  // namespace detail

/// What streamed operations take as vectors beside a source.
template <class View, class Exec, class Source>
concept VectorFor = Vector<View> && AccessibleFrom<View, Exec> &&
                    std::same_as<typename View::non_const_value_type, typename Source::value_type>;
template <class View, class Exec, class Source>
concept OutputVectorFor = VectorFor<View, Exec, Source> && OutputVector<View>;

/// C = Aᵀ·(A·v) of a streamed matrix, which is read once
///
/// | argument | shape | |
/// |---|---|---|
/// | exec | | execution space instance that does the work |
/// | source | m x n | in: hands out blocks of A |
/// | v | n | in: any stride, in memory of `exec` |
/// | C | n | out: any stride, in memory of `exec`, overwritten |
/// | options | | limit of memory, readers, method, progress, state |
///
/// Work and traffic: 4mn flop; mn·sizeof(T) bytes read from the source, each once.
///
/// Guarantees: C has the bits of `tessera::atax` of the matrix in memory, whatever the limit and
/// the number of readers. Synchronous: C is there when the call returns; `exec` is fenced. What the
/// call allocates stays below options.memory_limit, on the host and on a device each. Throws
/// std::invalid_argument for sizes that do not fit and for a limit that is too small (the sentence
/// says what is needed), and what the source and the callbacks throw; C is undefined then.
///
/// Source: aligned groups of panels (row-major) or segments (column-major) are subtrees of the sum
/// (docs/summation.md); their vectors wait in a binary counter.
template <ExecutionSpace Exec, MatrixSource Source, VectorFor<Exec, Source> V,
          OutputVectorFor<Exec, Source> C>
Report atax(Exec const& exec, Source const& source, V const& v, C const& c,
            Options<typename Source::value_type> const& options = {}) {
  using T = typename Source::value_type;
  constexpr auto operation = "stream::atax";
  detail::require_elements(operation, source);
  checks::require_extent(operation, "v", v, static_cast<std::size_t>(source.cols()));
  checks::require_extent(operation, "C", c, static_cast<std::size_t>(source.cols()));
  checks::require_apart(operation, "C", c, "v", v);
  return detail::run_atax(exec, source, v, detail::OutputVector<T>{nullptr, 1},
                          tessera::detail::output(c), options);
}

/// C = Aᵀ·(A·v) of a streamed matrix, and B = A·v on the way
///
/// As `atax` without B; B has m entries, any stride, is overwritten, and must not overlap v or C.
template <ExecutionSpace Exec, MatrixSource Source, VectorFor<Exec, Source> V,
          OutputVectorFor<Exec, Source> B, OutputVectorFor<Exec, Source> C>
Report atax(Exec const& exec, Source const& source, V const& v, B const& b, C const& c,
            Options<typename Source::value_type> const& options = {}) {
  constexpr auto operation = "stream::atax";
  detail::require_elements(operation, source);
  checks::require_extent(operation, "v", v, static_cast<std::size_t>(source.cols()));
  checks::require_extent(operation, "B", b, static_cast<std::size_t>(source.rows()));
  checks::require_extent(operation, "C", c, static_cast<std::size_t>(source.cols()));
  checks::require_apart(operation, "B", b, "v", v);
  checks::require_apart(operation, "C", c, "v", v);
  checks::require_apart(operation, "C", c, "B", b);
  return detail::run_atax(exec, source, v, tessera::detail::output(b), tessera::detail::output(c),
                          options);
}

/// B = A·v of a streamed matrix
///
/// As `atax`, with `multiply` in place of it: B has m entries; 2mn flop.
template <ExecutionSpace Exec, MatrixSource Source, VectorFor<Exec, Source> V,
          OutputVectorFor<Exec, Source> B>
Report multiply(Exec const& exec, Source const& source, V const& v, B const& b,
                Options<typename Source::value_type> const& options = {}) {
  constexpr auto operation = "stream::multiply";
  detail::require_elements(operation, source);
  checks::require_extent(operation, "v", v, static_cast<std::size_t>(source.cols()));
  checks::require_extent(operation, "B", b, static_cast<std::size_t>(source.rows()));
  checks::require_apart(operation, "B", b, "v", v);
  auto const out = tessera::detail::output(b);
  if constexpr (detail::has_rows<Source>) {
    return detail::run_product<detail::DotWork>(exec, operation, source, v, out, options);
  } else {
    return detail::run_product<detail::SumWork>(exec, operation, source, v, out, options);
  }
}

/// C = Aᵀ·B of a streamed matrix
///
/// As `atax`, with `multiply_transposed` in place of it: B has m entries, C n; 2mn flop.
template <ExecutionSpace Exec, MatrixSource Source, VectorFor<Exec, Source> B,
          OutputVectorFor<Exec, Source> C>
Report multiply_transposed(Exec const& exec, Source const& source, B const& b, C const& c,
                           Options<typename Source::value_type> const& options = {}) {
  constexpr auto operation = "stream::multiply_transposed";
  detail::require_elements(operation, source);
  checks::require_extent(operation, "B", b, static_cast<std::size_t>(source.rows()));
  checks::require_extent(operation, "C", c, static_cast<std::size_t>(source.cols()));
  checks::require_apart(operation, "C", c, "B", b);
  auto const out = tessera::detail::output(c);
  if constexpr (detail::has_rows<Source>) {
    return detail::run_product<detail::SumWork>(exec, operation, source, b, out, options);
  } else {
    return detail::run_product<detail::DotWork>(exec, operation, source, b, out, options);
  }
}

}  // namespace tessera::stream
