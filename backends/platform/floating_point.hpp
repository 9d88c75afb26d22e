// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Equal bits depend on arithmetic that these options change (docs/summation.md). g++ reports each
/// part of -ffast-math; clang the whole and -ffinite-math-only.
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ + 0 > 0) ||  \
    (defined(__GNUC__) && !defined(__clang__) && defined(__GCC_IEC_559) && __GCC_IEC_559 == 0) || \
    defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__)
#error \
    "Tessera's bits need IEEE 754 arithmetic: compile without -ffast-math, -Ofast and their parts"
#endif
#if defined(__FLT_EVAL_METHOD__) && (__FLT_EVAL_METHOD__ == 1 || __FLT_EVAL_METHOD__ == 2)
#error "Tessera's bits need float and double that are rounded as such: compile with -mfpmath=sse"
#endif
