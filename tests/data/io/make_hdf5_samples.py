#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Makes old.h5, new.h5, user_block.h5, types.h5, bfloat16.h5, shifted.mat, marked.h5 and attributes.h5 with
h5py: datasets as other programs write them."""

import zlib

import h5py
import numpy as np

A = np.arange(35, dtype="f4").reshape(7, 5)


def compact(file, name, values):
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_layout(h5py.h5d.COMPACT)
    creation.set_obj_track_times(False)
    space = h5py.h5s.create_simple(values.shape)
    dataset = h5py.h5d.create(file.id, name, h5py.h5t.IEEE_F32BE, space, creation)
    dataset.write(space, space, values)


def fill(file):
    def make(name, **options):
        return file.create_dataset(name, track_times=False, **options)

    make("f4", data=A)
    make("group/f8_big", data=A.astype(">f8"))
    make("vector", data=A.ravel().astype("f8"))
    make("chunks", data=A, chunks=(4, 5))
    make("deflate", data=A.astype(">f8"), chunks=(3, 2), compression="gzip")
    make("all_filters", data=A, chunks=(3, 2), compression="gzip", shuffle=True, fletcher32=True)
    make("fletcher32", data=A.astype("f8"), chunks=(3, 3), fletcher32=True)
    make("one_chunk", data=A, chunks=(7, 5), compression="gzip")
    make("resizable", data=A, chunks=(3, 2), maxshape=(None, None), compression="gzip")
    make("appendable", data=A, chunks=(3, 2), maxshape=(None, 5))
    make("vector_chunks", data=A.ravel(), chunks=(8,), compression="gzip")
    holes = make("holes", shape=(7, 5), dtype="f4", chunks=(2, 2), fillvalue=9.5)
    holes[2:4, 0:2] = A[2:4, 0:2]
    compact(file, b"compact", A)
    file["soft"] = h5py.SoftLink("/group/f8_big")

    make("huge", shape=(1 << 20, 1 << 20), dtype="f8", chunks=(1 << 10, 1 << 10))
    thin = make("thin", shape=(1 << 14, 1 << 13), dtype="f8", chunks=(1 << 14, 1 << 13), compression="gzip")
    thin.id.write_direct_chunk((0, 0), zlib.compress(b"thin"))
    bomb = make("bomb", shape=(7, 5), dtype="f4", chunks=(7, 5), compression="gzip")
    bomb.id.write_direct_chunk((0, 0), zlib.compress(bytes(1 << 20)))

    make("integers", data=A.astype("i4"))
    make("half", data=A.astype("f2"))
    make("three", data=np.zeros((2, 2, 2), "f4"))
    make("scalar", data=np.float32(1))
    make("none", shape=(0, 5), dtype="f4")
    make("unwritten", shape=(7, 5), dtype="f4")
    make("lzf", data=A, chunks=(3, 2), compression="lzf")
    file["external"] = h5py.ExternalLink("other.h5", "/f4")
    file["soft_external"] = h5py.SoftLink("/external")
    make("elsewhere", shape=(7, 5), dtype="f4", external=[("other.bin", 0, 140)])
    virtual = h5py.VirtualLayout(shape=(7, 5), dtype="f4")
    virtual[:] = h5py.VirtualSource("other.h5", "f4", shape=(7, 5))
    file.create_virtual_dataset("virtual", virtual)


def ends(dtype):
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return np.array([[-0.0, np.inf, -np.inf], [65504, 2.0**-24, -1.5]]).astype(dtype)
    info = np.iinfo(kind)
    greatest = min(int(info.max), 2**63 if kind.kind == "u" else 2**62)
    return np.array([[int(info.min), 0, 1], [2, 100, greatest]], dtype=dtype)


names = [order + kind for order in "<>" for kind in "f2 f4 f8 i1 u1 i2 u2 i4 u4 i8 u8".split()]
with h5py.File("types.h5", "w", libver="latest") as file:
    for name in names:
        label = ("little_" if name[0] == "<" else "big_") + name[1:]
        file.create_dataset(label, data=ends(name), track_times=False)
        file.create_dataset(
            label + "_packed", data=ends(name), chunks=(2, 2), compression="gzip", shuffle=True, track_times=False
        )
        holes = file.create_dataset(
            label + "_holes", shape=(2, 3), dtype=name, chunks=(1, 1), fillvalue=7, track_times=False
        )
        holes[0, 0] = 5
    file.create_dataset("truth", data=np.ones((2, 3), bool), track_times=False)
    file.create_dataset("complex", data=np.ones((2, 3), "c8"), track_times=False)
    file.create_dataset("inexact", data=np.array([[2**53 + 1]], "<i8"), track_times=False)

# The type that HDF5 2.0 names H5T_FLOAT_BFLOAT16LE and …BE.
with h5py.File("bfloat16.h5", "w") as file:
    values = np.array([[-0.0, np.inf, -np.inf], [-1.5, 2.0**127, 2.0**-133]], "<f4")
    for label, single in ("little", h5py.h5t.IEEE_F32LE), ("big", h5py.h5t.IEEE_F32BE):
        kind = single.copy()
        kind.set_fields(15, 7, 8, 0, 7)
        kind.set_size(2)
        kind.set_ebias(127)
        for name, chunks in (label, None), (label + "_packed", (2, 2)):
            creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            creation.set_obj_track_times(False)
            if chunks:
                creation.set_chunk(chunks)
                creation.set_shuffle()
                creation.set_deflate(6)
            space = h5py.h5s.create_simple(values.shape)
            h5py.h5d.create(file.id, name.encode(), kind, space, creation).write(space, space, values)

# Like MATLAB's: text in the user block; each dataset has another chunk index.
with h5py.File("shifted.mat", "w", libver="latest", userblock_size=512) as file:
    def shifted(name, **options):
        file.create_dataset(name, data=A, track_times=False, **options)

    shifted("single", chunks=(7, 5), compression="gzip")
    shifted("implicit", chunks=(3, 2))
    shifted("fixed", chunks=(3, 2), compression="gzip")
    shifted("extensible", chunks=(3, 2), maxshape=(None, 5), compression="gzip")
    shifted("tree", chunks=(3, 2), maxshape=(None, None), compression="gzip")
with open("shifted.mat", "r+b") as file:
    file.write(b"MATLAB 7.3 MAT-file".ljust(512))

with h5py.File("marked.h5", "w", libver="latest") as file:
    file.create_dataset("A", data=A, track_times=False)
    file.flush()
    with open("marked.h5", "rb") as half:
        marked = half.read()
with open("marked.h5", "wb") as file:
    file.write(marked)

with h5py.File("new.h5", "w", libver="latest") as file:
    fill(file)
with h5py.File("old.h5", "w") as file:
    fill(file)
with h5py.File("user_block.h5", "w", userblock_size=512) as file:
    file.create_dataset("f4", data=A, track_times=False)
    file.create_dataset("chunks", data=A, chunks=(3, 2), track_times=False)

# As netCDF's libraries write them.
with h5py.File("attributes.h5", "w", libver="latest") as file:

    def variable(name, kind, **attributes):
        made = file.create_dataset(name, data=A.astype(kind), track_times=False)
        for key, value in attributes.items():
            made.attrs[key] = value

    variable("scaled", "i2", scale_factor=0.5)
    variable("shifted", "f8", add_offset=np.float32(273.15))
    variable("gaps", "i2", _FillValue=np.int16(-999), scale_factor=1.0)
    variable("missing", "f4", missing_value=np.array([-1e30], "f4"))
    variable("odd", "f4", scale_factor="two")
    variable("several", "f4", add_offset=np.array([0.0, 0.0]))
    variable("harmless", "f4", scale_factor=np.int32(1), add_offset=0.0, _FillValue=np.float32("nan"), units="m")
    file.create_dataset("never", shape=(7, 5), dtype=">i2", fillvalue=258, track_times=False)
