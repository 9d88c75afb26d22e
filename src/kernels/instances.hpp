// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tessera/backends/accelerated/gemm.hpp>
#include <tessera/backends/accelerated/products.hpp>
#include <tessera/kernels/gemm.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/kernels/portable.hpp>
#include <tessera/stream/detail/reading.hpp>

// The kernels of the products, of one execution space and scalar. TEMPLATE is `template`, which
// makes them, or `extern template`, which says that another source does.
// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_LINES_TO_VECTOR(EXEC, T) \
  EXEC const&, Label const&, Lines<T> const&, T const*, OutputVector<T>
#define TESSERA_GEMM_KERNELS(TEMPLATE, GEMM, EXEC, T, DEEP_A, DEEP_B)              \
  TEMPLATE void GEMM<DEEP_A, DEEP_B>(EXEC const&, Label const&, Product<T> const&, \
                                     OutputMatrix<T> const&, GemmTuning const&);
#define TESSERA_ALL_GEMM_KERNELS(TEMPLATE, GEMM, EXEC, T)     \
  TESSERA_GEMM_KERNELS(TEMPLATE, GEMM, EXEC, T, false, false) \
  TESSERA_GEMM_KERNELS(TEMPLATE, GEMM, EXEC, T, false, true)  \
  TESSERA_GEMM_KERNELS(TEMPLATE, GEMM, EXEC, T, true, false)  \
  TESSERA_GEMM_KERNELS(TEMPLATE, GEMM, EXEC, T, true, true)
#define TESSERA_FUSED_LINES_KERNELS(TEMPLATE, EXEC, T, SOURCE)                                   \
  TEMPLATE void fused_lines(EXEC const&, Label const&, Lines<T> const&, SOURCE const&, T const*, \
                            OutputVector<T>, PartialVectors<T> const&, FusedLinesPlan<T> const&, \
                            FusedLinesTuning const&, kernels::Identity const&);

#define TESSERA_HOST_KERNELS(TEMPLATE, EXEC, T)                                         \
  namespace tessera::detail {                                                           \
  TEMPLATE void dot(TESSERA_LINES_TO_VECTOR(EXEC, T), T*, DotTuning const&);            \
  TEMPLATE void sum(EXEC const&, Label const&, Lines<T> const&, T const*,               \
                    PartialVectors<T> const&, SumPlan<T> const&, int);                  \
  TESSERA_FUSED_LINES_KERNELS(TEMPLATE, EXEC, T, LinesInMemory)                         \
  TESSERA_FUSED_LINES_KERNELS(TEMPLATE, EXEC, T, stream::detail::LinesToRead<T>)        \
  TEMPLATE void fused_tiles(TESSERA_LINES_TO_VECTOR(EXEC, T), PartialVectors<T> const&, \
                            FusedTilesPlan<T> const&, FusedTilesTuning const&,          \
                            kernels::Identity const&);                                  \
  TESSERA_ALL_GEMM_KERNELS(TEMPLATE, gemm, EXEC, T)                                     \
  }

#define TESSERA_GPU_KERNELS(TEMPLATE, EXEC, T)                                                   \
  namespace tessera::detail {                                                                    \
  TEMPLATE void gpu::dot(TESSERA_LINES_TO_VECTOR(EXEC, T), T*, gpu::DotPlan<EXEC, T> const&);    \
  TEMPLATE void gpu::sum(TESSERA_LINES_TO_VECTOR(EXEC, T), T*, Meeting<T> const&,                \
                         gpu::SumPlan<EXEC, T> const&);                                          \
  TEMPLATE void gpu::fused_lines(TESSERA_LINES_TO_VECTOR(EXEC, T), OutputVector<T>, T*,          \
                                 Meeting<T> const&, gpu::FusedLinesPlan<EXEC, T> const&,         \
                                 kernels::Identity const&);                                      \
  TEMPLATE void gpu::fused_tiles(TESSERA_LINES_TO_VECTOR(EXEC, T), OutputVector<T>, T*,          \
                                 gpu::FusedTilesPlan<EXEC, T> const&, kernels::Identity const&); \
  TESSERA_ALL_GEMM_KERNELS(TEMPLATE, gpu::gemm, EXEC, T)                                         \
  }

#define TESSERA_FUSED_PORTABLY(TEMPLATE, PLAN, EXEC, T)                                        \
  TEMPLATE void PLAN<EXEC, T>::run(EXEC const&, detail::Label const&, detail::Lines<T> const&, \
                                   T const*, OutputVector<T>, OutputVector<T>, T*,             \
                                   detail::Meeting<T> const&, Identity const&) const;
#define TESSERA_PORTABLE_KERNELS(TEMPLATE, EXEC, T)                                \
  namespace tessera::kernels {                                                     \
  TEMPLATE struct DotPlan<EXEC, T>;                                                \
  TEMPLATE struct SumPlan<EXEC, T>;                                                \
  TESSERA_FUSED_PORTABLY(TEMPLATE, FusedLinesPlan, EXEC, T)                        \
  TESSERA_FUSED_PORTABLY(TEMPLATE, FusedTilesPlan, EXEC, T)                        \
  TEMPLATE void gemm(EXEC const&, detail::Label const&, detail::Product<T> const&, \
                     detail::OutputMatrix<T> const&, GemmTuning const&);           \
  }
// NOLINTEND(bugprone-macro-parentheses)
