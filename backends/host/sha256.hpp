// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__)) && !defined(__CUDACC__) && !defined(__HIPCC__)
#define TESSERA_WITH_SHA
#include <cpuid.h>
#include <immintrin.h>
#endif

/// SHA-256 with the instructions of x86-64 processors, several times as fast as portable code. For the digests of
/// results.
namespace tessera::backends::host {

inline constexpr std::array<std::uint32_t, 64> sha256_constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/// Adds a block of 64 bytes to the hash value.
using Sha256Block = void (*)(std::array<std::uint32_t, 8>& hash, std::byte const* block);

#ifdef TESSERA_WITH_SHA

inline bool has_sha_instructions() {
  unsigned int eax = 0, ebx = 0, ecx = 0, edx = 0;
  bool const sha = __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx >> 29 & 1u) != 0;
  return sha && __builtin_cpu_supports("sse4.1") != 0;
}

// Four rounds at a time. The instructions keep H as (A, B, E, F) and (C, D, G, H).
__attribute__((target("sha,sse4.1"))) inline void compress_by_instructions(std::array<std::uint32_t, 8>& H,
                                                                    std::byte const* block) {
  auto const at = [](auto* data) { return reinterpret_cast<__m128i*>(data); };
  auto const of = [](auto const* data) { return reinterpret_cast<__m128i const*>(data); };
  __m128i const dcba = _mm_loadu_si128(of(H.data()));
  __m128i const hgfe = _mm_loadu_si128(of(H.data() + 4));
  __m128i const cdab = _mm_shuffle_epi32(dcba, 0xb1);
  __m128i const efgh = _mm_shuffle_epi32(hgfe, 0x1b);
  __m128i const first_abef = _mm_alignr_epi8(cdab, efgh, 8);
  __m128i const first_cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);

  __m128i const big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i W[4];
  for (int i = 0; i < 4; ++i)
    W[i] = _mm_shuffle_epi8(_mm_loadu_si128(of(block + 16 * i)), big_endian);

  __m128i abef = first_abef, cdgh = first_cdgh;
  for (unsigned int t = 0; t < 16; ++t) {
    __m128i& now = W[t % 4];
    __m128i const sum = _mm_add_epi32(now, _mm_loadu_si128(of(sha256_constants.data() + 4 * t)));
    cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
    abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
    if (t < 12) {  // the words of round t + 4
      __m128i const last = W[(t + 3) % 4];
      now = _mm_sha256msg1_epu32(now, W[(t + 1) % 4]);
      now = _mm_add_epi32(now, _mm_alignr_epi8(last, W[(t + 2) % 4], 4));
      now = _mm_sha256msg2_epu32(now, last);
    }
  }
  abef = _mm_add_epi32(abef, first_abef);
  cdgh = _mm_add_epi32(cdgh, first_cdgh);

  __m128i const feba = _mm_shuffle_epi32(abef, 0x1b);
  __m128i const dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(at(H.data()), _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(at(H.data() + 4), _mm_alignr_epi8(dchg, feba, 8));
}

#endif

/// The function with these instructions, or nullptr if the compiler or the processor has none.
inline Sha256Block sha256_instructions() {
#ifdef TESSERA_WITH_SHA
  return has_sha_instructions() ? compress_by_instructions : nullptr;
#else
  return nullptr;
#endif
}

}  // namespace tessera::backends::host
