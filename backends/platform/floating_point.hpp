// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Refuses arithmetic that a compiler may change, where the compiler says that it may: sums in
/// another order, results without -0, NaN or infinity, or with more digits. Every bit that is
/// promised depends on it (docs/summation.md). g++ tells of each part of -ffast-math; clang of the
/// whole and of -ffinite-math-only.
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ + 0 > 0) ||  \
    (defined(__GNUC__) && !defined(__clang__) && defined(__GCC_IEC_559) && __GCC_IEC_559 == 0) || \
    defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__)
#error \
    "Tessera's bits need IEEE 754 arithmetic: compile without -ffast-math, -Ofast and their parts"
#endif
#if defined(__FLT_EVAL_METHOD__) && (__FLT_EVAL_METHOD__ == 1 || __FLT_EVAL_METHOD__ == 2)
#error "Tessera's bits need float and double that are rounded as such: compile with -mfpmath=sse"
#endif
