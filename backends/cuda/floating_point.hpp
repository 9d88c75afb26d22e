// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__NVCC__)
// Evaluated by the compiler, as in libdevice.
extern "C" __device__ int __nvvm_reflect(char const*);  // NOLINT(bugprone-reserved-identifier)
#endif

namespace tessera::backends::cuda {

#if defined(__NVCC__)
/// Stops the compilation of kernels that flush subnormal numbers (--use_fast_math, -ftz=true),
/// which no macro reports: the assembler prints the unknown instruction.
__device__ __forceinline__ void require_ieee_arithmetic() {
  if (__nvvm_reflect("__CUDA_FTZ") != 0) {
    asm volatile("Tessera_needs_IEEE_arithmetic__compile_without_use_fast_math_and_ftz_true;");
  }
}
#endif

}  // namespace tessera::backends::cuda
