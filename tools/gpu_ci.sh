#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
#
# gpu_ci.sh cuda-turing|cuda-hopper [CMAKE OPTIONS…]: builds all and runs every test on a machine
# with a GPU, the GPU's again with portable kernels. JUnit files and summary.md:
# build/PRESET/gpu-ci. Exit status 1: a test failed or did not start.
#
# On a newer GPU -DCMAKE_CUDA_ARCHITECTURES=75-virtual runs Turing's PTX. TESSERA_TESTS_AT_ONCE tests
# use the GPU side by side, 6 if it is not set; each has its own CUDA context.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
preset=${1:?"usage: gpu_ci.sh cuda-turing|cuda-hopper [CMAKE OPTIONS…]"}
results=$PWD/build/$preset/gpu-ci
export TESSERA_TEST_NEEDS_DEVICE=1 # no test is skipped

nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv,noheader
cmake --preset "$preset" "${@:2}"
cmake --build --preset "$preset"

rm -rf "$results"
mkdir -p "$results"
status=0
# run NAME ARGS…
run() {
  ctest --preset "$preset" --output-junit "$results/$1.xml" "${@:2}" || status=1
}
at_once=${TESSERA_TESTS_AT_ONCE:-6}
run gpu --label-regex '^gpu$' --parallel "$at_once"
run host --label-exclude '^gpu$' --parallel "$(nproc)"
TESSERA_TEST_KERNELS=portable run gpu-portable --label-regex '^gpu$' --parallel "$at_once"
python3 tools/gpu_summary.py "build/$preset" "$results"/*.xml | tee "$results/summary.md"
exit $status
