// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <mutex>
#include <pthread.h>
#include <string>
#include <vector>

/// Host threads without Kokkos.
namespace tessera::backends {

struct HostThreads {
  int wanted = 1;
  int found = 1;
  std::string why;  ///< why there are fewer threads, as a clause
};

namespace host {

/// Starts threads besides the caller's; `stack_bytes` 0: the default. Returns how many ran at the
/// same time.
inline int start_and_end_threads(int threads, std::size_t stack_bytes) {
  std::mutex all_started;
  std::unique_lock closed(all_started);
  auto const wait = [](void* gate) -> void* {
    std::lock_guard const passed(*static_cast<std::mutex*>(gate));
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
  closed.unlock();
  for (pthread_t const thread : started) ::pthread_join(thread, nullptr);
  ::pthread_attr_destroy(&attributes);
  return static_cast<int>(started.size());
}

}  // namespace host
}  // namespace tessera::backends
