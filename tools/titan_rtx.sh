#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
#
# titan_rtx.sh: benchmarks/results/titan-rtx.md from what the compiler reports for sm_75. No GPU is
# needed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=build/compile-only/cuda-turing

.ci/compile_only cuda-turing
tools/kernel_resources.py "$folder/ptxas.log" --titan-rtx >"$folder/titan-rtx.md"
mv "$folder/titan-rtx.md" benchmarks/results/titan-rtx.md
