#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the seeds in tests/data/fuzz with NumPy and h5py; run once, the files are committed."""

import io
import pathlib
import struct
import zlib

import h5py
import numpy as np

folder = pathlib.Path(__file__).parent.parent / "data" / "fuzz"
A = np.arange(6, dtype="<f4").reshape(2, 3)
B = np.arange(35, dtype="<f4").reshape(7, 5)


def seed(target, name, content):
    (folder / target).mkdir(parents=True, exist_ok=True)
    (folder / target / name).write_bytes(content)


def npy(array, version=(1, 0)):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version=version)
    return stream.getvalue()


def ex3(rows, cols, content):
    return struct.pack("<4I", cols, rows, 0, 0) + content


seed("npy", "f4_c", npy(A))
seed("npy", "f8_fortran", npy(np.asfortranarray(A.astype("f8"))))
seed("npy", "big_v2", npy(A.astype(">f4"), (2, 0)))
seed("npy", "vector_v3", npy(A.ravel().astype(">f8"), (3, 0)))
seed("npy", "integers", npy(A.astype("i4")))
seed("npy", "python2", npy(A).replace(b"(2, 3)", b"(2L,3L)"))

whole = ex3(2, 3, A.tobytes() + np.ones(3, "<f4").tobytes())
seed("ex3", "matrix", whole)
seed("ex3", "one", ex3(1, 1, bytes(8)))
seed("ex3", "huge", ex3(0xFFFFFFFF, 0xFFFFFFFF, b""))

# A byte of type, order and width, the shape, the elements: raw_fuzz.cpp.
seed("raw", "f4", b"\0" + struct.pack("<2H", 2, 3) + A.tobytes())
seed("raw", "f8_column", b"\3" + struct.pack("<2H", 3, 2) + A.astype("f8").tobytes())
seed("raw", "wide", b"\4" + struct.pack("<2Q", 2, 3) + A.tobytes())
seed("raw", "vector", bytes(5) + A.tobytes())
seed("raw", "overflow", b"\4" + struct.pack("<2Q", 1 << 62, 1 << 62) + A.tobytes())

# A byte of format and type, the file: vector_fuzz.cpp.
seed("vector", "npy", b"\0" + npy(np.arange(3, dtype="f4")))
seed("vector", "npy_f8", b"\1" + npy(np.arange(3, dtype="f8").reshape(3, 1)))
seed("vector", "bin", b"\2" + A.tobytes())
seed("vector", "bin_f8", b"\3" + A.astype("f8").tobytes())
seed("vector", "ex3", b"\4" + whole)


def shuffled(content):
    return b"".join(content[k::4] for k in range(4))


def with_checksum(content):
    low = high = 0
    for i in range(0, len(content), 2):
        word = content[i] << 8 | (content[i + 1] if i + 1 < len(content) else 0)
        low = (low + word) % 65535
        high = (high + low) % 65535
    return content + struct.pack("<I", high << 16 | low)


# Filters, their order, those left out, the shape less 1, the chunk: chunk_fuzz.cpp.
def chunk(name, filters, order, left_out, content):
    seed("chunk", name, bytes([2 * filters, order, left_out]) + struct.pack("<2H", 2, 3) + content)


C = np.arange(12, dtype="<f4").tobytes()
chunk("plain", 0, 0, 0, C)
chunk("deflate", 1, 0, 0, zlib.compress(C))
chunk("deflate_shuffle", 2, 2, 0, zlib.compress(shuffled(C)))
chunk("all", 3, 2, 0, with_checksum(zlib.compress(shuffled(C))))
chunk("checksum_inside", 3, 3, 0, zlib.compress(with_checksum(shuffled(C))))
chunk("left_out", 1, 0, 1, C)
chunk("bomb", 1, 0, 0, zlib.compress(bytes(5000)))


def hdf5(name, libver="latest"):
    (folder / "hdf5").mkdir(exist_ok=True)
    return h5py.File(folder / "hdf5" / name, "w", libver=libver)


def dataset(name, libver="latest", **options):
    with hdf5(name, libver) as file:
        file.create_dataset("A", track_times=False, **options)


dataset("contiguous", "earliest", data=B)
dataset("contiguous_big", data=B.astype(">f8"))
dataset("deflate", data=B, chunks=(3, 2), compression="gzip")
dataset("all_filters", "earliest", data=B, chunks=(4, 5), compression="gzip", shuffle=True, fletcher32=True)
dataset("vector", data=B.ravel(), chunks=(8,), compression="gzip")
dataset("implicit", data=B, chunks=(3, 2))
dataset("single", data=B, chunks=(7, 5), compression="gzip")
dataset("external_storage", shape=(2, 2), dtype="f4", external=[("raw.dat", 0, 16)])
with hdf5("hole") as file:
    holes = file.create_dataset(
        "A", (7, 5), "f8", chunks=(2, 2), fillvalue=9.5, maxshape=(None, None), track_times=False
    )
    holes[2:4, 0:2] = 1
with hdf5("soft_link") as file:
    file.create_dataset("B", data=B, track_times=False)
    file["A"] = h5py.SoftLink("/B")
with hdf5("external_link") as file:
    file["A"] = h5py.ExternalLink("b.h5", "/A")
with hdf5("virtual") as file:
    layout = h5py.VirtualLayout(shape=(7, 5), dtype="f4")
    layout[:] = h5py.VirtualSource("b.h5", "A", shape=(7, 5))
    file.create_virtual_dataset("A", layout)
with hdf5("compact") as file:
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_layout(h5py.h5d.COMPACT)
    creation.set_obj_track_times(False)
    space = h5py.h5s.create_simple(B.shape)
    made = h5py.h5d.create(file.id, b"A", h5py.h5t.IEEE_F32BE, space, creation)
    made.write(space, space, B)
