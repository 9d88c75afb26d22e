// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/checks.hpp>
#include <tessera/concepts.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/detail/gemm.hpp>
#include <tessera/detail/gpu/gemm.hpp>
#include <tessera/options.hpp>

namespace tessera {

/// C = A·B, the product of two matrices
///
/// | argument | shape | |
/// |---|---|---|
/// | exec | | execution space instance that does the work |
/// | A | m x k | in: LayoutRight or LayoutLeft, any leading dimension, m, k >= 1 |
/// | B | k x n | in: LayoutRight or LayoutLeft, any leading dimension, n >= 1 |
/// | C | m x n | out: LayoutRight or LayoutLeft, any leading dimension, overwritten |
/// | options | | workspace and tuning |
///
/// Work and traffic: 2mnk flop; at least (mk + kn + mn)·sizeof(T) bytes. Each factor is read from
/// memory once for every tile of C that meets it, as far as caches do not hold it.
///
/// Guarantees: asynchronous in `exec`; no fence, and no allocation with a kept workspace that is
/// large enough. The bits of C are a function of A and B alone, not of layouts, the tuning or the
/// backend (docs/summation.md); -0 never comes out. C must not overlap A or B. Throws
/// std::invalid_argument for sizes that do not fit, overlap, or a tuning that the backend does not
/// have, before any work is enqueued.
///
/// Source: on GPUs, tiles in registers over tiles in shared memory, after V. Volkov and J. W.
/// Demmel, Benchmarking GPUs to Tune Dense Linear Algebra, SC 2008; on hosts, packed strips and
/// blocks of registers, after K. Goto and R. A. van de Geijn, Anatomy of High-Performance Matrix
/// Multiplication, ACM TOMS 34 (2008). Chains and tree: docs/summation.md.
template <ExecutionSpace Exec, MatrixOf<Exec> A, FactorOf<Exec, A> B, OutputMatrixOf<Exec, A> C>
void gemm(Exec const& exec, A const& a, B const& b, C const& c,
          GemmOptions<Exec> const& options = {}) {
  using T = typename C::value_type;
  constexpr auto operation = "gemm";
  checks::require_elements(operation, a);
  checks::require_rows(operation, "B", b, a.extent(1));
  checks::require_extents(operation, "C", c, a.extent(0), b.extent(1));
  checks::require_apart(operation, "C", c, "A", a);
  checks::require_apart(operation, "C", c, "B", b);
  if (options.tuning) checks::require_valid(*options.tuning);

  using Backend = backends::Backend<Exec>;
  auto const product = detail::product_of(a, b, c);
  GemmTuning const tuning =
      options.tuning
          ? *options.tuning
          : Backend::template gemm_tuning<T>(exec, product.rows(), product.cols(), product.chains);
  detail::Parts<Exec, T> parts(exec, options.workspace, product.parts());
  auto const in_parts = product.in(parts.take(product.parts()));
  detail::OutputMatrix<T> const out{product.data, product.cols(), product.leading};

  // Of the factor that makes rows of a row-major C, then of the other: whether lines are
  // contiguous.
  constexpr bool swapped = !detail::is_row_major<C>;
  constexpr bool deep_a = swapped ? !detail::is_row_major<B> : detail::is_row_major<A>;
  constexpr bool deep_b = swapped ? detail::is_row_major<A> : !detail::is_row_major<B>;
  if constexpr (Backend::is_gpu) {
    detail::gpu::gemm<deep_a, deep_b>(exec, "tessera::gemm", in_parts, out, tuning);
  } else {
    detail::gemm<deep_a, deep_b>(exec, "tessera::gemm", in_parts, out, tuning);
  }
}

}  // namespace tessera
