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


def symbols(path):
    listed = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    return [line.split()[-1] for line in listed.splitlines()]


core = next(path for path in mapped if "tessera/_core" in path)
assert symbols(core) == ["PyInit__core"], symbols(core)
for library in (path for path in mapped if "libkokkos" in path):
    seen = [name for name in symbols(library) if "kokkos" in name.lower() and not name.startswith("tessera_")]
    assert not seen, f"another Kokkos could be taken for {library}: {seen}"
version = subprocess.run([sys.executable, "-m", "tessera", "--version"], capture_output=True, text=True, check=True)
assert tessera.__version__ in version.stdout
print(f"the wheel of tessera {tessera.__version__} works, with Kokkos {tessera.info()['kokkos']} inside")
