// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// Exits with 1 if programs with CUDA cannot be loaded here.

#include <dlfcn.h>

int main() {
  return dlopen("libcuda.so.1", RTLD_LAZY) == nullptr ? 1 : 0;
}
