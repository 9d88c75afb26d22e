#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
#
# gpu_ci.sh PRESET [CMAKE OPTIONS…]: configures the preset cuda-turing or cuda-hopper on a machine with a GPU,
# builds all of it, and runs every test. The tests on the GPU run a second time with the portable kernels.
# Results go to build/PRESET/gpu-ci: a JUnit file for each run, and summary.md. The exit status is 1 if a test
# failed or could not be started.
#
# `gpu_ci.sh cuda-turing -DCMAKE_CUDA_ARCHITECTURES=75-virtual` on a newer GPU runs the code for Turing: the
# driver compiles its PTX for the GPU that is there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
preset=${1:?"usage: gpu_ci.sh cuda-turing|cuda-hopper [CMAKE OPTIONS…]"}
results=$PWD/build/$preset/gpu-ci
export TESSERA_TEST_NEEDS_DEVICE=1 # no test may be skipped because there is no GPU

nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv,noheader
cmake --preset "$preset" "${@:2}"
cmake --build --preset "$preset"

rm -rf "$results"
mkdir -p "$results"
status=0
# run NAME ARGS…: one run of ctest, which continues after failures
run() {
  ctest --preset "$preset" --output-junit "$results/$1.xml" "${@:2}" || status=1
}
run gpu --label-regex '^gpu$'
run host --label-exclude '^gpu$' --parallel "$(nproc)"
TESSERA_TEST_KERNELS=portable run gpu-portable --label-regex '^gpu$'
python3 tools/gpu_summary.py "build/$preset" "$results"/*.xml | tee "$results/summary.md"
exit $status
