// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tessera/summation.hpp>

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

/// The caches of this machine's processor.
namespace tessera::backends::host {

/// Bytes of a core's first cache for data; 32 KiB where the system does not say.
inline summation::Index first_cache_bytes() {
  constexpr summation::Index usual = 32 * 1024;
#ifdef _SC_LEVEL1_DCACHE_SIZE
  static summation::Index const found = ::sysconf(_SC_LEVEL1_DCACHE_SIZE);
  return found > 0 ? found : usual;
#else
  return usual;
#endif
}

}  // namespace tessera::backends::host
