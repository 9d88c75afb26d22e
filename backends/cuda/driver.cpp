// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// The driver's functions that Kokkos calls, loaded at the first call: a program linked with the
// driver's library does not start without driver. If another Kokkos calls further functions, the
// program depends on that library again.

#include <dlfcn.h>

namespace {

constexpr int no_driver = 303;  // CUDA_ERROR_SHARED_OBJECT_INIT_FAILED

template <class... Argument>
int call(char const* name, Argument... argument) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  void* const found = library == nullptr ? nullptr : dlsym(library, name);
  if (found == nullptr) return no_driver;
  return reinterpret_cast<int (*)(Argument...)>(found)(argument...);
}

}  // namespace

extern "C" {

int cuCtxGetDevice(int* device) {
  return call("cuCtxGetDevice", device);
}
int cuCtxPushCurrent_v2(void* context) {
  return call("cuCtxPushCurrent_v2", context);
}
int cuStreamGetCtx(void* stream, void** context) {
  return call("cuStreamGetCtx", stream, context);
}

}  // extern "C"
