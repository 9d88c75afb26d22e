#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
#
# wheel.sh FOLDER: builds the wheel with its libraries there, and tests it in a clean environment.
# Exits with 77 if PyPI does not answer.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
out=$1
say() { printf 'wheel: %s\n' "$*" >&2; }

python3 -m venv --system-site-packages "$out/tools"
if ! "$out/tools/bin/pip" install --quiet 'auditwheel>=6' wheel abi3audit check-wheel-contents twine >&2; then
  echo "PyPI does not answer, which has auditwheel and wheel: the wheel was NOT BUILT"
  exit 77
fi

say "building"
rm -rf "$out"/{built,repaired,unpacked,dist,clean,other}
# As the preset openmp, for the compiler cache.
CXX=${CXX:-c++} CC=${CC:-cc} "$out/tools/bin/pip" wheel --quiet --no-build-isolation --no-deps --wheel-dir "$out/built" \
  -C build-dir="$here/build/wheel-build" -C cmake.define.TESSERA_WARNINGS_AS_ERRORS=ON -C cmake.define.CMAKE_UNITY_BUILD=ON \
  -C cmake.define.OPENSSL_USE_STATIC_LIBS=ON "$here" >&2

# libgomp's thread pools are separate, so that of another package is harmless.
say "taking in its libraries"
"$out/tools/bin/auditwheel" show "$out"/built/*.whl >&2
"$out/tools/bin/auditwheel" repair --wheel-dir "$out/repaired" "$out"/built/*.whl >&2

# Another Kokkos may be found first (RTLD_GLOBAL): unique symbol names.
"$out/tools/bin/wheel" unpack --dest "$out/unpacked" "$out"/repaired/*.whl >&2
kokkos=("$out"/unpacked/*/tessera_linalg.libs/libkokkos*)
if [[ -e ${kokkos[0]} ]]; then
  nm --dynamic --defined-only --format=just-symbols --without-symbol-versions "${kokkos[@]}" | grep -i kokkos | sort -u |
    sed 's/.*/& tessera_&/' >"$out/names"
  for file in "${kokkos[@]}" "$out"/unpacked/*/tessera/{_core*.so,bin/tessera}; do
    patchelf --rename-dynamic-symbols "$out/names" "$file"
  done
fi
mkdir "$out/dist"
# wheel has no option for zlib's level; 9 saves 70 kB.
"$out/tools/bin/python" -c 'import runpy, zlib; zlib.Z_DEFAULT_COMPRESSION = 9; runpy.run_module("wheel", run_name="__main__")' \
  pack --dest-dir "$out/dist" "$out"/unpacked/* >&2

say "checking it"
PATH="$out/tools/bin:$PATH" "$here/src/python/check_wheel.sh" "$out"/dist/*.whl >&2

say "trying it in a clean environment"
python3 -m venv "$out/clean"
"$out/clean/bin/pip" install --quiet "$out"/dist/*.whl >&2
cd "$out"
"$out/clean/bin/python" -P "$here/src/python/try_wheel.py" # not the package next to it
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
