// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "failing_threads.hpp"

#include <atomic>
#include <cerrno>
#include <dlfcn.h>
#include <limits>
#include <pthread.h>

namespace {

std::atomic<int> threads_left = std::numeric_limits<int>::max();

}  // namespace

extern "C" int pthread_create(pthread_t* thread, pthread_attr_t const* attributes,
                              void* (*work)(void*), void* argument) noexcept {
  using Create = int(pthread_t*, pthread_attr_t const*, void* (*)(void*), void*);
  static auto* const next = reinterpret_cast<Create*>(::dlsym(RTLD_NEXT, "pthread_create"));
  if (threads_left.fetch_sub(1) <= 0) return EAGAIN;
  return next(thread, attributes, work, argument);
}

namespace tessera::test {

FewThreads::FewThreads(int more) {
  threads_left = more;
}
FewThreads::~FewThreads() {
  threads_left = std::numeric_limits<int>::max();
}

}  // namespace tessera::test
