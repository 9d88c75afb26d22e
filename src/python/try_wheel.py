# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Fails unless an installed wheel works with the libraries that are inside it, and gives the committed bits."""

import hashlib
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
for library in ("libtessera", "libkokkos", "libgomp"):
    foreign = [path for path in mapped if library in path and not path.startswith(site)]
    assert not foreign, f"{library} comes from outside the wheel: {foreign}"


def symbols(path):
    listed = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    return [line.split()[-1] for line in listed.splitlines()]


core = next(path for path in mapped if "tessera/_core" in path)
assert symbols(core) == ["PyInit__core"], symbols(core)
for library in (path for path in mapped if "libkokkos" in path or "libtessera" in path):
    seen = [name for name in symbols(library) if "kokkos" in name.lower() or "tessera" in name.lower()]
    seen = [name for name in seen if not name.startswith("tessera_")]
    assert not seen, f"another library could be taken for {library}: {seen}"


def random_numbers(count, seed, dtype):
    """real_numbers of tests/support/data.hpp."""
    x = np.uint64((seed + 1) * 0xD1342543DE82EF95 % 2**64) + np.arange(count, dtype=np.uint64) * np.uint64(
        0x9E3779B97F4A7C15
    )
    x = (x ^ (x >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    x = (x ^ (x >> np.uint64(29))) * np.uint64(0xA0761D6478BD642F)
    x ^= x >> np.uint64(32)
    digits = np.finfo(dtype).nmant + 1
    significand = np.uint64(1 << (digits - 1)) | (x >> np.uint64(65 - digits))
    values = np.ldexp(significand.astype(dtype), (x & np.uint64(15)).astype(np.int32) - 8 - (digits - 1))
    return np.where(x >> np.uint64(4) & np.uint64(1), -values, values)


# The promise of equal bits, without the largest shapes.
digests = pathlib.Path(__file__).resolve().parents[2] / "tests/data/digests.txt"
operations = {"atax": tessera.atax, "multiply": tessera.matvec, "multiply_transposed": tessera.rmatvec}
compared = set()
with np.errstate(over="ignore"):  # numbers modulo 2**64
    for line in digests.read_text().splitlines():
        if line.startswith("#"):
            continue
        operation, kind, order, rows, cols, seed, sha256 = line.split()
        shape, seed = (int(rows), int(cols)), int(seed)
        if shape[0] * shape[1] > 2_000_000:
            continue
        dtype = np.float32 if kind == "f32" else np.float64
        values = random_numbers(shape[0] * shape[1], seed, dtype)
        matrix = values.reshape(shape, order="C" if order == "row-major" else "F")
        length = shape[0] if operation == "multiply_transposed" else shape[1]
        vector = random_numbers(length, seed ^ 0x5BF03635DCD2D3B1, dtype)
        result = operations[operation](matrix, vector)
        assert hashlib.sha256(result.tobytes()).hexdigest() == sha256, f"other bits than the committed ones: {line}"
        compared.add((operation, kind, order, shape))
assert len(compared) >= 16, compared

for command in ([sys.executable, "-m", "tessera"], [pathlib.Path(sysconfig.get_path("scripts"), "tessera")]):
    version = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert tessera.__version__ in version.stdout, command
print(f"the wheel of tessera {tessera.__version__} works, with Kokkos {tessera.info()['kokkos']} inside, and {len(compared)} digests are equal")
