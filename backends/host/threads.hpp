// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <latch>
#include <pthread.h>
#include <string>
#include <vector>

/// What can be known of a host's threads without Kokkos.
namespace tessera::backends {

/// What a look for threads found.
struct HostThreads {
  int wanted = 1;
  int found = 1;    ///< that run together, `wanted` at most
  std::string why;  ///< there are fewer, as a clause; empty if there are not
};

namespace host {

/// Starts so many threads besides the caller's, each with a stack of `stack_bytes` (0: the
/// system's choice), and ends them again.
/// @return how many of them there were at a time
inline int start_and_end_threads(int threads, std::size_t stack_bytes) {
  std::latch all_started(1);
  auto const wait = [](void* latch) -> void* {
    static_cast<std::latch*>(latch)->wait();
    return nullptr;
  };
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return 0;
  if (stack_bytes > 0) static_cast<void>(::pthread_attr_setstacksize(&attributes, stack_bytes));
  std::vector<pthread_t> started;
  started.reserve(static_cast<std::size_t>(std::max(0, threads)));
  for (pthread_t thread{}; static_cast<int>(started.size()) < threads; started.push_back(thread)) {
    if (::pthread_create(&thread, &attributes, wait, &all_started) != 0) break;
  }
  all_started.count_down();
  for (pthread_t const thread : started) ::pthread_join(thread, nullptr);
  ::pthread_attr_destroy(&attributes);
  return static_cast<int>(started.size());
}

}  // namespace host
}  // namespace tessera::backends
