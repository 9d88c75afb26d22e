#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the seeds in tests/data/fuzz with NumPy and h5py; run once, the files are committed."""

import hashlib
import io
import json
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
for kind in "f2 i1 u1 i2 u2 i4 u4 i8 u8".split():
    seed("npy", kind, npy(A.astype("<" + kind)))
    seed("npy", kind + "_big", npy(A.astype(">" + kind)))
seed("npy", "inexact", npy(np.array([[2**53 + 1, 2**24 + 1]])))
seed("npy", "two_arrays", npy(A) + npy(A))
seed("npy", "python2", npy(A).replace(b"(2, 3)", b"(2L,3L)"))



def npz(save, **arrays):
    stream = io.BytesIO()
    save(stream, **arrays)
    return stream.getvalue()


def raw_deflate(content):
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(content) + packer.flush()


seed("npz", "stored", b"\0" + npz(np.savez, A=A, B=B))
seed("npz", "deflated", b"\0" + npz(np.savez_compressed, A=B.astype("f8"), B=A))
seed("npz", "half", b"\0" + npz(np.savez_compressed, A=B.astype(">f2")))
seed("npz", "member_deflated", b"\1" + struct.pack("<I", len(npy(B))) + raw_deflate(npy(B)))
seed("npz", "member_columns", b"\1" + struct.pack("<I", len(npy(B.T))) + raw_deflate(npy(B.T)))
seed("npz", "member_stored", b"\2" + bytes(4) + npy(A))
wide = np.zeros((300, 300))
seed("npz", "member_bomb", b"\1" + struct.pack("<I", len(npy(wide))) + raw_deflate(npy(wide)))
zip64 = bytearray(npz(np.savez, A=A))
end = len(zip64) - 22
count, size, start = struct.unpack("<HII", zip64[end + 10 : end + 20])
zip64[end:] = (
    struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, count, count, size, start)
    + struct.pack("<IIQI", 0x07064B50, 0, end, 1)
    + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
)
seed("npz", "zip64", b"\0" + bytes(zip64))


def bed(samples, variants, content, fam=None):
    """Bytes of lengths, then the .fam, .bim and .bed files."""
    fam = b"f i 0 0 0 -9\n" * samples if fam is None else fam
    bim = b"1 v 0 1 A G\n" * variants
    return struct.pack("<HH", len(fam), len(bim)) + fam + bim + content


seed("bed", "four", bed(4, 2, b"\x6c\x1b\x01\xe4\x1b"))
seed("bed", "five", bed(5, 3, b"\x6c\x1b\x01\xdc\x03\xe7\x01\x6b\x02"))
seed("bed", "one", bed(1, 1, b"\x6c\x1b\x01\x02"))
seed("bed", "missing", bed(3, 1, b"\x6c\x1b\x01\x15"))
seed("bed", "padding", bed(1, 2, b"\x6c\x1b\x01\xff\xfd"))
seed("bed", "by_sample", bed(2, 1, b"\x6c\x1b\x00\x00\x01"))
seed("bed", "truncated", bed(9, 2, b"\x6c\x1b\x01\x00\x01\x02"))
seed("bed", "crlf", bed(3, 1, b"\x6c\x1b\x01\x24", b"a\r\n\r\nb\r\nc"))
seed("bed", "header", bed(3, 1, b"\x6c\x1b\x01\x24", b"#FID\na\nb\n"))
seed("bed", "no_lines", bed(0, 1, b"\x6c\x1b\x01"))
seed("bed", "wide", bed(70, 5, b"\x6c\x1b\x01" + bytes(range(90))))

market = b"%%MatrixMarket matrix "
seed("mtx", "array", market + b"array real general\n% text\n2 3\n1\n4\n-2e3\n5\n.5\n6\n")
seed("mtx", "array_symmetric", market + b"array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n")
seed("mtx", "array_skew", market + b"array double skew-symmetric\n3 3\n1\n2\n3\n")
seed("mtx", "coordinate", market + b"coordinate real general\r\n20 30 2\r\n20 30 nan\r\n1 1 -0\r\n")
seed("mtx", "coordinate_symmetric", market + b"coordinate integer symmetric\n3 3 2\n3 1 7\n2 2 9\n")
seed("mtx", "coordinate_skew", market + b"coordinate real skew-symmetric\n3 3 1\n3 1 inf\n")
seed("mtx", "coordinate_huge", market + b"coordinate real general\n1000000000 1000000000 1\n1 1 1\n")
seed("mtx", "pattern", market + b"coordinate pattern symmetric\n3 3 2\n3 1\n2 2\n%\n")
seed("mtx", "large_integer", market + b"array integer general\n1 2\n18446744073709551616\n16777217\n")
seed("mtx", "byte_order_mark", b"\xef\xbb\xbf" + market + b"array real general\n1 1\n1\n% end\n")
seed("mtx", "twice", market + b"coordinate real symmetric\n2 2 2\n1 2 1\n2 1 1\n")

seed("csv", "commas", b"a,b,c\n1,2,3\n4,5e3,-6\n")
seed("csv", "semicolons", b"\xef\xbb\xbf\"x\";\"y\"\r\n\"1\"; 2\r\n")
seed("csv", "tabs", b"1\t2\n\n# text\n3\t+4\n")
seed("csv", "blanks", b"  1 2.5   nan\n 3 1e-400 inf \n")
seed("csv", "column", b"1\n2\n3\n")
seed("csv", "quotes", b"\"a;\"\"b\"\"\", c ,\"d\"\n\"1\", 2 ,3\n")
seed("csv", "unclear", b"NA,NA\n1,2\n")
seed("csv", "integers", b"9007199254740992,16777217\n-9007199254740993,1\n")
seed("csv", "utf16", "1,2\n".encode("utf-16"))
seed("csv", "gzip", b"\x1f\x8b\x08\x00" + bytes(6) + raw_deflate(b"1,2\n"))
seed("csv", "returns", b"1,2\r3,4\r")
seed("csv", "ragged", b"1,2\n3\n")

whole = ex3(2, 3, A.tobytes() + np.ones(3, "<f4").tobytes())
seed("ex3", "matrix", whole)
seed("ex3", "one", ex3(1, 1, bytes(8)))
seed("ex3", "huge", ex3(0xFFFFFFFF, 0xFFFFFFFF, b""))

seed("raw", "f4", b"\0" + struct.pack("<2H", 2, 3) + A.tobytes())
seed("raw", "f8_column", b"\3" + struct.pack("<2H", 3, 2) + A.astype("f8").tobytes())
seed("raw", "wide", b"\4" + struct.pack("<2Q", 2, 3) + A.tobytes())
seed("raw", "vector", bytes(5) + A.tobytes())
seed("raw", "overflow", b"\4" + struct.pack("<2Q", 1 << 62, 1 << 62) + A.tobytes())

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


def checkpoint(name, kind, done, lines, waiting, chain=0, output=0, **changes):
    head = {
        "operation": ["atax", "atax with B", "multiply", "multiply_transposed"][kind // 2 % 4],
        "scalar": "double" if kind & 8 else "float",
        "layout": "columns" if kind & 8 else "rows",
        "order": 1,
        "rows": 900 if kind & 8 else 40,
        "cols": 3 if kind & 8 else 300,
        "file_bytes": 48128,
        "file_inode": 1234567,
        "file_modified": 1795300000000000000,
        "file_changed": 1795300000000000001,
        "file_first": 0,
        "file_sha256": hashlib.sha256(bytes(48128)).hexdigest(),
        "dataset": "/A" if kind & 16 else "",
        "elements": "f64 big 0" if kind & 8 else "f32 little 128",
        "vector_sha256": hashlib.sha256(bytes(1200)).hexdigest(),
        "blocks_done": done,
        "block_lines": lines,
        "waiting": waiting,
        "chain": chain,
        "output": output,
    }
    head.update(changes)
    text = json.dumps(head, separators=(",", ":"))
    vectors = bytes(min(sum(waiting) + chain + output, 1 << 13))
    whole = b"tessera checkpoint 2\n" + text.encode() + b"\n" + vectors
    if not kind & 1:
        whole += hashlib.sha256(whole).hexdigest().encode()
    seed("checkpoint", name, bytes([kind]) + whole)


checkpoint("start", 1, 0, 8, [0, 0, 0, 0])
checkpoint("atax", 1, 3, 8, [1200, 1200, 0, 0])
checkpoint("atax_b", 3, 3, 8, [1200, 1200, 0, 0], output=96)
checkpoint("gemv", 5, 3, 8, [], output=96)
checkpoint("gemvt", 7, 3, 8, [1200, 1200, 0, 0])
checkpoint("inside_panel", 17, 4, 3, [1200, 0, 0, 0], chain=1200)
checkpoint("columns", 9, 3, 256, [24, 24, 0])
checkpoint("columns_b", 11, 2, 256, [0, 24, 0], output=4096)
checkpoint("columns_gemv", 13, 1, 3, [7200])
checkpoint("columns_gemvt", 15, 1, 3, [], output=24)
checkpoint("raw", 0, 3, 8, [1200, 1200, 0, 0])
checkpoint("missing_sums", 1, 3, 8, [0, 0, 0, 0])
checkpoint("part_of_element", 5, 3, 8, [], output=95)
checkpoint("large_block", 1, 3, (1 << 63) - 1, [1200, 1200, 0, 0])
checkpoint("negative", 1, -3, 8, [1200, 1200, 0, 0])
checkpoint("fraction", 1, 3, 8, [1200, 1200, 0, 0], rows=1e300)
checkpoint("liar", 1, 3, 8, [1200, 1200, 0, 0], chain=(1 << 64) - 1200)
checkpoint("escapes", 1, 3, 8, [1200, 1200, 0, 0], operation="\x1b[2J\u00e9" + 300 * "x")
checkpoint("other_order", 1, 3, 8, [1200, 1200, 0, 0], order=2)
checkpoint("other_operation", 1, 3, 8, [1200, 1200, 0, 0], operation="multiply_transposed")

# tuning_cache_fuzz.cpp replaces the first @ by its version.
product = {
    "dot": {"lines_per_step": 4, "lines_per_team": 64, "segments_per_run": 2},
    "sum": {"lines_per_step": 8, "columns_per_team": 512, "panels_per_team": 2},
    "fused_lines": {"lines_per_step": 2, "dot_side_by_side": True, "panels_per_team": 4},
    "fused_tiles": {"segments_per_tile": 1, "tiles_per_team": 8, "lines_per_step": 4},
    "prefer_fused": True,
}
transpose = {"tile_rows": 32, "tile_cols": 32, "team_size": 1, "band": 1, "stream": True}
gemm = {"tile_rows": 64, "tile_cols": 64, "tile_depth": 16, "band": 4}


def record(operation, factor_cols=0, layout="row-major", **launch):
    return {
        "operation": operation, "type": "f32", "layout": layout, "rows": 1000, "cols": 700,
        "factor_cols": factor_cols, "seconds": 0.25, "backend_seconds": 0.5,
    } | launch


def tunings(name, records, **changes):
    file = {
        "format": "tessera tunings", "format_version": 2, "version": "@",
        "backend": "Serial", "device": "abacus", "tunings": records,
    }
    seed("tuning_cache", name, json.dumps(file | changes, separators=(",", ":")).encode())


tunings("product", [record(name, product=product) for name in ("atax", "gemv", "gemvt")])
tunings("two_stage", [record("atax", layout="column-major", product=product | {"prefer_fused": False})])
tunings("transpose", [record("transpose", transpose=transpose)])
tunings("gemm", [record("gemm", 500, gemm=gemm)])
tunings("none", [])
tunings("other_device", [], device="\x1b[2J" + 300 * "x")
tunings("large_number", [record("gemm", 500, gemm=gemm) | {"rows": (1 << 64) - 1}])
tunings("negative", [record("gemm", 500, gemm=gemm | {"band": -1})])
tunings("infinite", [record("transpose", transpose=transpose) | {"seconds": 1e308}])
seed("tuning_cache", "deep", 5000 * b"[")


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
for kind in "f2 i1 u2 i4 u8".split():
    dataset(kind, data=B.astype("<" + kind), chunks=(3, 2), compression="gzip", shuffle=True)
    dataset(kind + "_big", "earliest", data=B.astype(">" + kind))
with h5py.File(folder / "hdf5" / "user_block", "w", userblock_size=512) as file:
    file.create_dataset("A", data=B, chunks=(3, 2), compression="gzip", track_times=False)
dataset("vector", data=B.ravel(), chunks=(8,), compression="gzip")
dataset("implicit", data=B, chunks=(3, 2))
dataset("never_written", shape=(7, 5), dtype="f4", fillvalue=2.5)
with hdf5("attributes") as file:
    packed = file.create_dataset("A", data=B, track_times=False)
    packed.attrs["scale_factor"] = 0.5
    packed.attrs["_FillValue"] = B.dtype.type(-1)
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

for solver in range(12):
    seed("state", f"whole_{solver}", bytes([solver, 1]))
    seed("state", f"number_{solver}", struct.pack("<BBBHd", solver, 0, 0, 2, 3.0))
    seed("state", f"vector_{solver}", struct.pack("<BBBHd", solver, 1, 1, 256, -1e300))
seed("state", "iteration", struct.pack("<BBBHq", 3, 0, 2, 0, 1 << 40))
seed("state", "shorter", struct.pack("<BBBHqBHq", 4, 0, 3, 2, 0, 5, 258, 0))
