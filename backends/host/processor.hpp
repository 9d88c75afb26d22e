// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>

#include <tessera/summation.hpp>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define TESSERA_HAS_CPUID
#include <cpuid.h>
#endif

/// Processor properties that tune kernels.
namespace tessera::backends::host {

using summation::Index;

struct Profile {
  char const* name;
  bool asks_memory;      ///< software prefetch speeds up lines from memory
  bool line_by_line;     ///< shorter lines from memory are faster fewer at a time
  bool near_last_cache;  ///< cached long sums need tiles that fit L1
  bool reads_twice;      ///< cached long lines are faster in two stages
  bool keeps_one_line;   ///< without AVX-512, cached lines of 4 to 16 KiB are fastest one by one
  /// Data up to the last-level cache divided by this are fast in any order.
  Index forward_from;
  Index longest_of_eight;  ///< longest cached lines that are handled eight at a time, in bytes
  Index longest_of_eight_avx512;
};

/// The first is for unmeasured processors.
inline constexpr Profile profiles[] = {
    {"generic", false, false, false, false, false, 4, 0, 0},
    {"zen3", false, false, true, false, false, 4, 0, 0},
    {"zen4", false, true, true, true, false, 4, 0, 2 * 1024},
    {"zen5", true, false, false, false, true, 1, 16 * 1024, 4 * 1024},
    {"golden-cove", true, false, false, false, true, 1, 16 * 1024, 4 * 1024},
};

constexpr char const* profile_name(bool is_amd, bool is_intel, int family, int model) {
  int const series = model / 16;
  if (is_amd && family == 0x19) {
    bool const is_zen4 = series == 0x1 || series == 0x6 || series == 0x7 || series == 0xa;
    return is_zen4 ? "zen4" : "zen3";
  }
  if (is_amd && family == 0x1a) return "zen5";
  bool const is_golden_cove = model == 0x8f || model == 0xcf || model == 0xad || model == 0xae;
  if (is_intel && family == 6 && is_golden_cove) return "golden-cove";
  return "generic";
}

inline Profile const& profile() {
  static Profile const found = [] {
    char const* name = profiles[0].name;
#ifdef TESSERA_HAS_CPUID
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    if (__get_cpuid(0, &eax, &ebx, &ecx, &edx) != 0) {
      char vendor[12];
      std::memcpy(vendor, &ebx, 4);
      std::memcpy(vendor + 4, &edx, 4);
      std::memcpy(vendor + 8, &ecx, 4);
      bool const is_amd = std::memcmp(vendor, "AuthenticAMD", 12) == 0;
      bool const is_intel = std::memcmp(vendor, "GenuineIntel", 12) == 0;
      __get_cpuid(1, &eax, &ebx, &ecx, &edx);
      int const base = static_cast<int>(eax >> 8 & 0xf);
      int const family = base == 0xf ? base + static_cast<int>(eax >> 20 & 0xff) : base;
      int const low = static_cast<int>(eax >> 4 & 0xf);
      bool const is_extended = base == 0xf || base == 6;
      int const model = is_extended ? low + static_cast<int>(eax >> 12 & 0xf0) : low;
      name = profile_name(is_amd, is_intel, family, model);
    }
#endif
    return *std::ranges::find_if(profiles,
                                 [&](Profile const& p) { return std::strcmp(p.name, name) == 0; });
  }();
  return found;
}

}  // namespace tessera::backends::host
