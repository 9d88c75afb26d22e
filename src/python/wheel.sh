#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
#
# wheel.sh FOLDER [STEP…]: builds the wheel with its libraries there, and tests it in a clean environment. The steps
# are the functions below; without any: get_tools build repair try_it run_tests. packaging/wheels/cuda.sh calls it for
# the wheel with CUDA. Exits with 77 if PyPI does not answer.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
out=$1
shift
say() { printf 'wheel: %s\n' "$*" >&2; }

get_tools() {
  python3 -m venv --system-site-packages "$out/tools"
  if ! "$out/tools/bin/pip" install --quiet 'auditwheel>=6' wheel abi3audit check-wheel-contents twine >&2; then
    echo "PyPI does not answer, which has auditwheel and wheel: the wheel was NOT BUILT"
    exit 77
  fi
}

# As the preset openmp, for the compiler cache. Without pip, which takes minutes to start in an emulator.
build() {
  say "building"
  rm -rf "$out"/{built,repaired,unpacked,dist,clean,other}
  (cd "$here" && CXX=${CXX:-c++} CC=${CC:-cc} python3 -c '
import sys
from scikit_build_core.build import build_wheel

out, *options = sys.argv[1:]
build_wheel(f"{out}/built", {"build-dir": f"{out}-build"} | {f"cmake.define.{option}": "ON" for option in options})
' "$out" TESSERA_WARNINGS_AS_ERRORS CMAKE_UNITY_BUILD OPENSSL_USE_STATIC_LIBS >&2)
}

repair() {
  # libgomp's thread pools are separate, so that of another package is harmless.
  say "taking in its libraries"
  "$out/tools/bin/auditwheel" show "$out"/built/*.whl >&2
  "$out/tools/bin/auditwheel" repair --exclude 'libcuda*.so.*' --wheel-dir "$out/repaired" "$out"/built/*.whl >&2

  # Another Kokkos or Tessera may be found first (RTLD_GLOBAL): unique symbol names.
  "$out/tools/bin/python" -m wheel unpack --dest "$out/unpacked" "$out"/repaired/*.whl >&2
  shopt -s nullglob
  shared=("$out"/unpacked/*/{tessera_linalg.libs/libkokkos*,tessera/lib/libtessera.so})
  shopt -u nullglob
  if ((${#shared[@]})); then
    nm --dynamic --defined-only --format=just-symbols --without-symbol-versions "${shared[@]}" | grep -iE 'kokkos|tessera' |
      sort -u | sed 's/.*/& tessera_&/' >"$out/names"
    for file in "${shared[@]}" "$out"/unpacked/*/tessera/{_core*.so,bin/tessera}; do
      patchelf --rename-dynamic-symbols "$out/names" "$file"
    done
  fi
  if [[ -n ${TESSERA_CUDA:-} ]]; then make_it_cuda "$out"/unpacked/*; fi
  mkdir "$out/dist"
  # wheel has no option for zlib's level; 9 saves 70 kB.
  "$out/tools/bin/python" -c 'import runpy, zlib; zlib.Z_DEFAULT_COMPRESSION = 9; runpy.run_module("wheel", run_name="__main__")' \
    pack --dest-dir "$out/dist" "$out"/unpacked/* >&2

  say "checking it"
  PATH="$out/tools/bin:$PATH" "$here/src/python/check_wheel.sh" "$out"/dist/*.whl >&2
}

# make_it_cuda FOLDER: gives the unpacked wheel the name of TESSERA_CUDA (cuda13). CUDA's runtime library is linked
# statically.
make_it_cuda() {
  local folder=$1 info
  info=$(basename "$folder"/*.dist-info)
  sed -i "s/^Name: .*/&-$TESSERA_CUDA/" "$folder/$info/METADATA"
  mv "$folder/$info" "$folder/${info/tessera_linalg/tessera_linalg_$TESSERA_CUDA}"
}

try_it() {
  say "trying it in a clean environment"
  python3 -m venv "$out/clean"
  "$out/clean/bin/pip" install --quiet "$out"/dist/*.whl >&2
  cd "$out"
  "$out/clean/bin/python" -P "$here/src/python/try_wheel.py" # not the package next to it
}

# The same with NumPy of the Debian root, and pip of the tools: both take long to install in an emulator.
try_emulated() {
  say "trying it in an emulator"
  python3 -m venv --without-pip --system-site-packages "$out/clean"
  "$out/clean/bin/python" "$out"/tools/lib/python3*/site-packages/pip install --quiet --no-compile --no-deps "$out"/dist/*.whl >&2
  cd "$out"
  OMP_WAIT_POLICY=passive "$out/clean/bin/python" -B -P "$here/src/python/try_wheel.py"
}

run_tests() {
  # Every package that a test or a notebook needs, but PyTorch: .ci/torch has that.
  "$out/clean/bin/pip" install --quiet anndata array-api-strict astropy cloudpickle 'dask[array,dataframe,distributed]' dask-ml h5py \
    hypothesis ipykernel jax joblib matplotlib ml_dtypes mypy nbclient nbformat netCDF4 numpydoc pandas polars pyarrow \
    'pyright[nodejs]' pytest safetensors scanpy scikit-learn scipy threadpoolctl tqdm xarray zarr >&2
  # Next to a package with another Kokkos.
  cmake -G Ninja -S "$here/tests/python/other" -B "$out/other" -DCMAKE_BUILD_TYPE=Release >&2
  cmake --build "$out/other" >&2
  [[ ! -e $out/other/other_package.so ]] || export TESSERA_OTHER_PACKAGE=$out/other/other_package.so
  env OMP_WAIT_POLICY=passive "$out/clean/bin/python" -B "$here/tests/python/run.py" | tee "$out/tests.log"
  if grep -E 'NOT RUN|not installed|could not import' "$out/tests.log" | grep -v torch >&2; then exit 1; fi
  say "$(echo "$out"/dist/*.whl)"
}

(($#)) || set -- get_tools build repair try_it run_tests
for step; do "$step"; done
