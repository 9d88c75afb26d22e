#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
#
# wheel.sh FOLDER: makes the wheel of the Python package there, with the libraries that it needs inside,
# and tries it in a clean environment. Exits with 77 where PyPI does not answer. ./dev wheel calls it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
out=$1
say() { printf 'wheel: %s\n' "$*" >&2; }

# The tools: of the system, and auditwheel.
python3 -m venv --system-site-packages "$out/tools"
if ! "$out/tools/bin/pip" install --quiet 'auditwheel>=6' >&2; then
  echo "PyPI does not answer, which has auditwheel: the wheel was NOT BUILT"
  exit 77
fi

say "building"
rm -rf "$out/built" "$out/dist" "$out/clean" "$out/other"
# As the preset openmp compiles, so that a cache of objects has them.
CXX=${CXX:-c++} CC=${CC:-cc} "$out/tools/bin/pip" wheel --quiet --no-build-isolation --no-deps --wheel-dir "$out/built" \
  -C build-dir="$here/build/wheel-build" -C cmake.define.TESSERA_WARNINGS_AS_ERRORS=ON "$here" >&2

# Another copy of libgomp beside NumPy's or PyTorch's is a pool of threads of its own, and no harm: it
# comes with the wheel on purpose, so that it needs no packages of the system.
say "taking in its libraries"
"$out/tools/bin/auditwheel" show "$out"/built/*.whl >&2
"$out/tools/bin/auditwheel" repair --wheel-dir "$out/dist" "$out"/built/*.whl >&2

say "trying it in a clean environment"
python3 -m venv "$out/clean"
"$out/clean/bin/pip" install --quiet "$out"/dist/*.whl >&2
cd "$out" # not the sources
"$out/clean/bin/python" -P "$here/src/python/try_wheel.py" # not the package beside it
"$out/clean/bin/pip" install --quiet array-api-strict hypothesis jax pytest scipy scikit-learn tqdm >&2
# Beside a package with a Kokkos of its own, where the system has one.
if cmake -S "$here/tests/python/other" -B "$out/other" -DCMAKE_BUILD_TYPE=Release >&2; then
  cmake --build "$out/other" >&2
  export TESSERA_OTHER_PACKAGE=$out/other/other_package.so
fi
env OMP_WAIT_POLICY=passive "$out/clean/bin/python" -B "$here/tests/python/run.py"
say "$(echo "$out"/dist/*.whl)"
