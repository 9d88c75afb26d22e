#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
#
# hdf5.sh PREFIX [CMAKE OPTIONS…]: a static HDF5 with zlib and without tools, for the wheels of releases. The images
# of manylinux have an earlier one than 1.14. HDF5_SOURCE names a folder with the sources if github.com is not
# reachable. It was tried with these options, and not yet in an image of manylinux.
set -euo pipefail
prefix=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [[ -z ${HDF5_SOURCE:-} ]]; then
  archive=$work/hdf5.tar.gz
  curl --fail --silent --show-error --location --output "$archive" \
    https://github.com/HDFGroup/hdf5/releases/download/hdf5_1.14.6/hdf5-1.14.6.tar.gz
  echo "e4defbac30f50d64e1556374aa49e574417c9e72c6b1de7a4ff88c4b1bea6e9b  $archive" | sha256sum --check
  mkdir "$work/source"
  tar --extract --file "$archive" --directory "$work/source" --strip-components 1
  HDF5_SOURCE=$work/source
fi
cmake -S "$HDF5_SOURCE" -B "$work/build" -DCMAKE_BUILD_TYPE=Release "-DCMAKE_INSTALL_PREFIX=$prefix" \
  -DCMAKE_POSITION_INDEPENDENT_CODE=ON "-DCMAKE_C_FLAGS=-ffunction-sections -fdata-sections" \
  -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF -DHDF5_BUILD_TOOLS=OFF -DHDF5_BUILD_UTILS=OFF -DHDF5_BUILD_EXAMPLES=OFF \
  -DHDF5_BUILD_HL_LIB=OFF -DHDF5_BUILD_CPP_LIB=OFF -DHDF5_ENABLE_SZIP_SUPPORT=OFF -DHDF5_ENABLE_Z_LIB_SUPPORT=ON \
  -DHDF5_ENABLE_SUBFILING_VFD=OFF "$@"
cmake --build "$work/build" --parallel "$(nproc)" --target install
