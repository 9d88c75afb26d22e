#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
#
# titan_rtx.sh [KOKKOS]: compiles the kernels for sm_75 and writes docs/results/titan-rtx.md from what
# the compiler says of them. KOKKOS is the prefix of a Kokkos built for CUDA; without it, CMake finds
# or fetches one. No GPU is needed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=build/titan-rtx

cmake --preset cuda-turing -B "$folder" -DTESSERA_BUILD_APP=OFF -DTESSERA_BUILD_BENCHMARKS=OFF \
  -DCMAKE_CUDA_FLAGS="-Xptxas -v" ${1:+"-DKokkos_ROOT=$1"}
cmake --build "$folder" --target clean
cmake --build "$folder" --target tessera_kernels -v | tee "$folder/ptxas.log"
tools/kernel_resources.py "$folder/ptxas.log" --titan-rtx >"$folder/titan-rtx.md"
mv "$folder/titan-rtx.md" docs/results/titan-rtx.md
