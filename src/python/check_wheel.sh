#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
#
# check_wheel.sh WHEEL…: size, metadata, contents, stable ABI and licences of finished wheels. It needs twine,
# check-wheel-contents and abi3audit from PyPI.
set -euo pipefail
die() { printf 'wheel: %s\n' "$*" >&2; exit 1; }

twine check --strict "$@"
for wheel; do
  name=$(basename "$wheel")
  size=$(wc -c <"$wheel")
  largest=12000000
  if [[ $name == *_cuda* ]]; then largest=100000000; fi # what PyPI accepts
  echo "$name: $size bytes"
  ((size <= largest)) || die "$name has $size bytes, at most $largest are expected: see which library was added"
  [[ $name != *-abi3-* ]] || abi3audit --strict "$wheel"

  files=$(python3 -c 'import sys, zipfile; print(*zipfile.ZipFile(sys.argv[1]).namelist(), sep="\n")' "$wheel")
  folders=tessera
  if grep -q '^tessera_linalg\.libs/' <<<"$files"; then folders+=,tessera_linalg.libs; fi # of auditwheel
  # W010: that folder has no Python modules.
  check-wheel-contents --toplevel "$folders" --ignore W010 "$wheel"

  # Each library inside needs its licence. (Those that are linked statically or have headers only: by hand.)
  for library in $(sed -n 's,^tessera_linalg\.libs/,,p' <<<"$files"); do
    case $library in
      libkokkos*) licence=kokkos ;;
      libgomp[-.]*) licence=gcc-runtime ;;
      libhdf5*) licence=hdf5 ;;
      libsz[-.]* | libaec[-.]*) licence=libaec ;;
      libftxui*) licence=ftxui ;;
      libcrypto*.so.1.1*) licence=openssl-1.1 ;; # of the images of manylinux_2_28
      libcrypto[-.]*) licence=openssl ;;
      *) die "$name contains $library, whose licence is unknown: add it to packaging/licences and to check_wheel.sh" ;;
    esac
    grep -q "/LICENSE-$licence\.txt\$" <<<"$files" || die "$name contains $library without LICENSE-$licence.txt"
  done
done
