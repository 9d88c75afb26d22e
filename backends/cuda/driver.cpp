// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// The functions of the CUDA driver that Kokkos calls, found when they are first called. A program
// linked with the driver's library cannot even be loaded where there is no driver, so that it could
// not say what is missing. (The CUDA runtime finds the driver in the same way.) A function that
// another version of Kokkos calls besides only brings the library back among those needed.

#include <dlfcn.h>

namespace {

constexpr int no_driver = 303;  // CUDA_ERROR_SHARED_OBJECT_INIT_FAILED

/// Calls a function of the driver by its name in the library.
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
