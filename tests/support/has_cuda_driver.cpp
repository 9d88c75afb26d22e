// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// Succeeds if programs with CUDA can be loaded here, fails with 1 if not.

#include <dlfcn.h>

int main() {
  return dlopen("libcuda.so.1", RTLD_LAZY) == nullptr ? 1 : 0;
}
