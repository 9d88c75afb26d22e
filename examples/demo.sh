#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
#
# demo.sh TESSERA: the program, with principal_direction in its folder.
set -eu

[ $# -eq 1 ] || { echo "usage: demo.sh TESSERA" >&2; exit 2; }
bin=$(cd "$(dirname "$1")" && pwd)
tessera=$bin/$(basename "$1")
source=$(cd "$(dirname "$0")/.." && pwd)
digits=$source/tests/data/digits.npy
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n%s\n' "$*"; }

# compute INPUT NAME TYPE: C = A^T(A V) by both methods.
compute() {
  for method in fused two-stage; do
    "$tessera" atax "$1" --method $method --repeat 20 --output "$method$3" >$method.txt
    sed -n '/method/p; /time/p; s/^               \(multiply.*: [0-9].*s\)$/               \1/p; /SHA-256/p' $method.txt | grep -v team
  done
  if cmp fused"$3" two-stage"$3"; then
    echo "  => fused and two-stage: the same file, bit by bit"
  else
    echo "  => fused and two-stage DIFFER" >&2
    exit 1
  fi
  "$tessera" check "$1" fused"$3" | sed -n '/check/p'
}

"$tessera" info | sed -n '1p; /processor/p; /backend/p; /threads/p'

say "1. A test in the ex3 format: 512 columns x 768 lines"
mkdir test
"$tessera" gen --rows 768 --cols 512 --seed 1 --output test/1
compute 1 test .bin

say "2. Real data: 1797 handwritten digits of 8 x 8 pixels (UCI, tests/data/README.md)"
cp "$digits" digits.npy
"$tessera" show digits.npy | sed -n '/A  /p'
compute digits.npy digits .npy

say "3. What the data look like: principal components, one read of the matrix a step"
"$tessera" pca digits.npy -k 3 --check | sed -n '/columns/p; /steps/p; /residual /p; /check/p; /^  *[i0-9] /p'
"$bin/principal_direction" digits.npy
