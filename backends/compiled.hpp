// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>

/// Instances of the compiled library, for programs that link it (Tessera::tessera defines
/// TESSERA_USES_LIBRARY): float and double on each enabled space with a folder in backends/. A list
/// is a macro of (TEMPLATE, EXEC, T); TEMPLATE: `template` in the library, `extern template` in
/// headers.
#if defined(TESSERA_USES_LIBRARY) && defined(KOKKOS_ENABLE_SERIAL)
#define TESSERA_COMPILED_FOR_FLOAT_ON_SERIAL(LIST) LIST(extern template, Kokkos::Serial, float)
#define TESSERA_COMPILED_ON_SERIAL(LIST)     \
  TESSERA_COMPILED_FOR_FLOAT_ON_SERIAL(LIST) \
  LIST(extern template, Kokkos::Serial, double)
#else
#define TESSERA_COMPILED_FOR_FLOAT_ON_SERIAL(LIST)
#define TESSERA_COMPILED_ON_SERIAL(LIST)
#endif
#if defined(TESSERA_USES_LIBRARY) && defined(KOKKOS_ENABLE_OPENMP)
#define TESSERA_COMPILED_FOR_FLOAT_ON_OPENMP(LIST) LIST(extern template, Kokkos::OpenMP, float)
#define TESSERA_COMPILED_ON_OPENMP(LIST)     \
  TESSERA_COMPILED_FOR_FLOAT_ON_OPENMP(LIST) \
  LIST(extern template, Kokkos::OpenMP, double)
#else
#define TESSERA_COMPILED_FOR_FLOAT_ON_OPENMP(LIST)
#define TESSERA_COMPILED_ON_OPENMP(LIST)
#endif
#if defined(TESSERA_USES_LIBRARY) && defined(KOKKOS_ENABLE_CUDA)
#define TESSERA_COMPILED_FOR_FLOAT_ON_CUDA(LIST) LIST(extern template, Kokkos::Cuda, float)
#define TESSERA_COMPILED_ON_CUDA(LIST)     \
  TESSERA_COMPILED_FOR_FLOAT_ON_CUDA(LIST) \
  LIST(extern template, Kokkos::Cuda, double)
#else
#define TESSERA_COMPILED_FOR_FLOAT_ON_CUDA(LIST)
#define TESSERA_COMPILED_ON_CUDA(LIST)
#endif
#define TESSERA_COMPILED_ON_HOSTS(LIST) \
  TESSERA_COMPILED_ON_SERIAL(LIST)      \
  TESSERA_COMPILED_ON_OPENMP(LIST)
/// Narrow matrices: vectors of floats.
#define TESSERA_COMPILED_FOR_FLOAT_ON_HOSTS(LIST) \
  TESSERA_COMPILED_FOR_FLOAT_ON_SERIAL(LIST)      \
  TESSERA_COMPILED_FOR_FLOAT_ON_OPENMP(LIST)
#define TESSERA_COMPILED_FOR_FLOAT(LIST)    \
  TESSERA_COMPILED_FOR_FLOAT_ON_HOSTS(LIST) \
  TESSERA_COMPILED_FOR_FLOAT_ON_CUDA(LIST)
#define TESSERA_COMPILED(LIST)    \
  TESSERA_COMPILED_ON_HOSTS(LIST) \
  TESSERA_COMPILED_ON_CUDA(LIST)
