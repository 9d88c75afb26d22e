// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/backends/accelerated/gemm.hpp>
#include <tessera/backends/backends.hpp>
#include <tessera/checks.hpp>
#include <tessera/concepts.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/detail/packing.hpp>
#include <tessera/kernels.hpp>
#include <tessera/kernels/gemm.hpp>
#include <tessera/kernels/gemm_long.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/options.hpp>
#include <tessera/order/product.hpp>

namespace tessera {
namespace detail {

/// In chains of `chain` products; 0: those in docs/summation.md.
template <bool RowsOfA, bool RowsOfB, bool RowsOfC, class Exec, class T>
void run_gemm(Exec const& exec, MatrixArgument<T const> const& a, MatrixArgument<T const> const& b,
              MatrixArgument<T> const& c, GemmOptions<Exec> const& options, Index chain) {
  static Label const label("tessera::gemm");
  OutputMatrix<T> const out{c.data(), static_cast<Index>(c.extent(RowsOfC ? 1 : 0)),
                            static_cast<Index>(c.stride(RowsOfC ? 0 : 1))};
  if (a.extent(1) == 0) {
    return set_zero<T>(exec, label.zero, static_cast<Index>(c.extent(0) * c.extent(1)), out);
  }
  auto product = product_of<RowsOfA, RowsOfB, RowsOfC>(a, b, c);
  if (chain > 0) product.chains = {chain, summation::ceil_div(product.depth, chain)};
  WorkspaceParts<Exec, T> parts(exec, options.workspace, product.parts());
  auto const in_parts = product.in(parts.take(product.parts()));
  bool const is_long = teams_of_one<Exec> && !options.tuning && kernels::has_long_sums(in_parts);
  if (kernels_used<Exec>(options.kernels) == Kernels::portable) {
    if constexpr (teams_of_one<Exec>) {
      if (is_long) return kernels::gemm_long<kernels::TurnByElements>(exec, label, in_parts, out);
    }
    return kernels::gemm(exec, label, in_parts, out,
                         options.tuning.value_or(kernels::gemm_tuning<Exec>()));
  }
  // Whether lines are contiguous: of the factor that makes rows of a row-major C, and of the other.
  constexpr bool deep_a = RowsOfC ? RowsOfA : !RowsOfB;
  constexpr bool deep_b = RowsOfC ? !RowsOfB : RowsOfA;
  if constexpr (backends::IsAccelerated<Exec>) {
    using Backend = backends::Backend<Exec>;
    if constexpr (teams_of_one<Exec>) {
      if (is_long) return gemm_long(exec, label, in_parts, out);
    }
    GemmTuning const tuning = options.tuning
                                  ? *options.tuning
                                  : Backend::template gemm_tuning<T>(
                                        exec, product.rows(), product.cols(), product.chains);
    accelerated_gemm<deep_a, deep_b>(exec, label, in_parts, out, tuning);
  }
}

template <class Exec, class T>
void call_gemm(Exec const& exec, MatrixArgument<T const> const& a, MatrixArgument<T const> const& b,
               MatrixArgument<T> const& c, GemmOptions<Exec> const& options, Index chain) {
  constexpr auto operation = "gemm";
  checks::require_matrix(operation, a);
  checks::require_rows(operation, "B", b, a.extent(1));
  checks::require_memory(operation, "B", b);
  checks::require_extents(operation, "C", c, a.extent(0), b.extent(1));
  checks::require_memory(operation, "C", c);
  checks::require_distinct(operation, "C", c);
  checks::require_apart(operation, "C", c, "A", a);
  checks::require_apart(operation, "C", c, "B", b);
  if (options.tuning) checks::require_valid(*options.tuning);

  auto const rows = static_cast<Index>(a.extent(0));
  auto const cols = static_cast<Index>(b.extent(1));
  Region const region(operation, rows, static_cast<Index>(a.extent(1)), cols);
  if (rows == 0 || cols == 0) return;
  with_order(operation, "A", a, [&](auto rows_of_a) {
    with_order(operation, "B", b, [&](auto rows_of_b) {
      with_order(operation, "C", c, [&](auto rows_of_c) {
        run_gemm<rows_of_a(), rows_of_b(), rows_of_c()>(exec, a, b, c, options, chain);
      });
    });
  });
}

}  // namespace detail

/// C = A·B
///
/// | argument | shape | |
/// |---|---|---|
/// | A | m x k | in: rows or columns contiguous, any leading dimension |
/// | B | k x n | in: as A |
/// | C | m x n | out: as A, overwritten |
///
/// Work and traffic: 2mnk flop; at least (mk + kn + mn)·sizeof(T) bytes. Without a tuning, hosts
/// read factors only once for long sums with a tiny result, such as XᵀX of a tall X.
///
/// Guarantees and errors as `atax`, but the bits depend on A and B alone. C never contains -0. If k
/// = 0, C = 0.
///
/// Source: on GPUs, Volkov and Demmel, SC 2008; on hosts, Goto and van de Geijn, ACM TOMS 34
/// (2008).
///
/// ```cpp
/// Kokkos::View<float**, Kokkos::LayoutRight> A("A", 100, 40), C("C", 100, 20);
/// Kokkos::View<float**, Kokkos::LayoutLeft> B("B", 40, 20);
/// tessera::gemm(Kokkos::DefaultExecutionSpace(), A, B, C);
/// ```
template <ExecutionSpace Exec, MatrixOf<Exec> A, FactorOf<Exec, A> B, OutputMatrixOf<Exec, A> C>
void gemm(Exec const& exec, A const& a, B const& b, C const& c,
          std::type_identity_t<GemmOptions<Exec>> const& options = {}) {
  detail::call_gemm(exec, detail::matrix_in(a), detail::matrix_in(b), detail::matrix_out(c),
                    options, 0);
}

template <ExecutionSpace Exec, ForeignScalars A, class... Arguments>
refused::TesseraComputesWithFloatAndDoubleOnly gemm(Exec const&, A const&,
                                                    Arguments const&...) = delete;

}  // namespace tessera

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_GEMM_KERNELS(TEMPLATE, GEMM, EXEC, T, DEEP_A, DEEP_B)              \
  TEMPLATE void GEMM<DEEP_A, DEEP_B>(EXEC const&, Label const&, Product<T> const&, \
                                     OutputMatrix<T> const&, GemmTuning const&);
#define TESSERA_ALL_GEMM_KERNELS(TEMPLATE, GEMM, EXEC, T)     \
  namespace tessera::detail {                                 \
  TESSERA_GEMM_KERNELS(TEMPLATE, GEMM, EXEC, T, false, false) \
  TESSERA_GEMM_KERNELS(TEMPLATE, GEMM, EXEC, T, false, true)  \
  TESSERA_GEMM_KERNELS(TEMPLATE, GEMM, EXEC, T, true, false)  \
  TESSERA_GEMM_KERNELS(TEMPLATE, GEMM, EXEC, T, true, true)   \
  }
#define TESSERA_HOST_GEMM(TEMPLATE, EXEC, T) TESSERA_ALL_GEMM_KERNELS(TEMPLATE, gemm, EXEC, T)
#define TESSERA_GPU_GEMM(TEMPLATE, EXEC, T) TESSERA_ALL_GEMM_KERNELS(TEMPLATE, gpu::gemm, EXEC, T)
#define TESSERA_PORTABLE_GEMM(TEMPLATE, EXEC, T)                                   \
  namespace tessera::kernels {                                                     \
  TEMPLATE void gemm(EXEC const&, detail::Label const&, detail::Product<T> const&, \
                     detail::OutputMatrix<T> const&, GemmTuning const&);           \
  }
#define TESSERA_GEMM(TEMPLATE, EXEC, T)                                             \
  namespace tessera::detail {                                                       \
  TEMPLATE void call_gemm(EXEC const&, MatrixArgument<T const> const&,              \
                          MatrixArgument<T const> const&, MatrixArgument<T> const&, \
                          GemmOptions<EXEC> const&, Index);                         \
  }
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED_ON_HOSTS(TESSERA_HOST_GEMM)
TESSERA_COMPILED_ON_CUDA(TESSERA_GPU_GEMM)
TESSERA_COMPILED(TESSERA_PORTABLE_GEMM)
TESSERA_COMPILED(TESSERA_GEMM)
