# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Fails unless an installed wheel works with the libraries that are inside it."""

import pathlib
import subprocess
import sys
import sysconfig

import numpy as np

import tessera

site = sysconfig.get_paths()["platlib"]
a = np.arange(12, dtype=np.float32).reshape(3, 4)
v = np.ones(4, np.float32)
assert (tessera.atax(a, v) == a.T @ (a @ v)).all()
assert tessera.__file__.startswith(site), tessera.__file__

mapped = {line.split()[-1] for line in pathlib.Path("/proc/self/maps").read_text().splitlines() if ".so" in line}
for library in ("libkokkos", "libgomp"):
    foreign = [path for path in mapped if library in path and not path.startswith(site)]
    assert not foreign, f"{library} comes from outside the wheel: {foreign}"
core = next(path for path in mapped if "tessera/_core" in path)
exported = subprocess.run(["nm", "-D", "--defined-only", core], capture_output=True, text=True, check=True).stdout
names = [line.split()[-1] for line in exported.splitlines()]
assert names == ["PyInit__core"], names
version = subprocess.run([sys.executable, "-m", "tessera", "--version"], capture_output=True, text=True, check=True)
assert tessera.__version__ in version.stdout
print(f"the wheel of tessera {tessera.__version__} works, with Kokkos {tessera.info()['kokkos']} inside")
