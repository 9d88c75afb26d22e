#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the sample files of this folder with NumPy itself; run once, the files are committed.

All good matrices have 3 rows and 4 columns; see sample() for their values.
"""
import pathlib
import struct

import numpy as np

folder = pathlib.Path(__file__).parent


def sample(dtype):
    """A[i, j] = 10 i + j + 0.5, but for a few values that are easily lost."""
    a = np.add.outer(10.0 * np.arange(3), np.arange(4.0)) + 0.5
    a[0, 0] = -0.0
    a[0, 1] = np.nan
    a[1, 0] = np.inf
    a[2, 3] = -np.inf
    return a.astype(dtype)


for name in "<f4", ">f4", "<f8", ">f8":
    label = ("little" if name[0] == "<" else "big") + "_" + name[1:]
    np.save(folder / f"{label}_c.npy", sample(name))
    np.save(folder / f"{label}_fortran.npy", np.asfortranarray(sample(name)))
    np.save(folder / f"{label}_vector.npy", sample(name)[2])

for major in 2, 3:
    with open(folder / f"version_{major}.npy", "wb") as file:
        np.lib.format.write_array(file, sample("<f4"), version=(major, 0))

pairs = np.zeros((3, 4), dtype=[("a", "<f4"), ("b", "<f8")])
np.save(folder / "bad_structured.npy", pairs)
np.save(folder / "bad_object.npy", np.full((3, 4), None, dtype=object))
for name in "<c8", "|b1", "<U3", "|S3", "<M8[s]":
    label = "".join(c for c in name if c.isalnum())
    np.save(folder / f"bad_{label}.npy", np.zeros((3, 4), dtype=name))
np.save(folder / "bad_0d.npy", np.float32(1))
np.save(folder / "bad_3d.npy", np.zeros((2, 3, 4), dtype="<f4"))
np.save(folder / "bad_empty.npy", np.zeros((0, 4), dtype="<f4"))



def ends(dtype):
    """What a type has at its ends, as far as f64 holds it."""
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return np.array([[-0.0, np.inf, -np.inf], [65504, 2.0**-24, -1.5]]).astype(dtype)
    info = np.iinfo(kind)
    greatest = min(int(info.max), 2**63 if kind.kind == "u" else 2**62)
    return np.array([[int(info.min), 0, 1], [2, 100, greatest]], dtype=dtype)


types = [order + kind for order in "<>" for kind in "f2 f4 f8 i1 u1 i2 u2 i4 u4 i8 u8".split()]
arrays = {("little_" if name[0] == "<" else "big_") + name[1:]: ends(name) for name in types}
arrays["columns"] = np.asfortranarray(sample("<f8"))
arrays["vector"] = np.arange(5, dtype="<i2")
np.savez(folder / "stored.npz", **arrays)
np.savez_compressed(folder / "deflated.npz", **arrays)

# Non-zero padding: 4 columns, 3 rows, V = 1, -1, -0.0, 0.5.
with open(folder / "sample.ex3", "wb") as file:
    file.write(struct.pack("<II8s", 4, 3, b"PADDING!"))
    file.write(sample("<f4").tobytes())
    file.write(struct.pack("<4f", 1.0, -1.0, -0.0, 0.5))

# 5 samples, 3 variants; 9 is missing. PLINK 1 stores 2 as 00, missing as 01, 1 as 10, 0 as 11.
genotypes = [[2, 1, 0, 1, 2], [9, 0, 0, 2, 2], [1, 9, 9, 9, 9]]
codes = {2: 0b00, 9: 0b01, 1: 0b10, 0: 0b11}
packed = b"".join(
    sum(codes[g] << 2 * k for k, g in enumerate(variant)).to_bytes(2, "little") for variant in genotypes
)
(folder / "genotypes.bed").write_bytes(b"\x6c\x1b\x01" + packed)
(folder / "genotypes.fam").write_text("".join(f"family{k} sample{k} 0 0 0 -9\n" for k in range(5)))
(folder / "genotypes.bim").write_text("".join(f"1 variant{k} 0 {1000 + k} A G\n" for k in range(3)))
