# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Matrices that are read block by block have the bits of those in memory."""

import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import tessera
import tessera.linalg

M, N = 3000, 600
LIMIT = "4MiB"


@pytest.fixture(params=[np.float32, np.float64])
def a(request):
    return np.random.default_rng(1).standard_normal((M, N)).astype(request.param)


def same(stream, a, is_packed=False):
    v = np.random.default_rng(2).standard_normal(N).astype(a.dtype)
    u = np.random.default_rng(3).standard_normal(len(a)).astype(a.dtype)
    z = np.ones(N, a.dtype)
    assert stream.shape == a.shape and stream.dtype == a.dtype and stream.ndim == 2
    pairs = [
        (tessera.atax(stream, v), tessera.atax(a, v)),
        (tessera.matvec(stream, v), tessera.matvec(a, v)),
        (tessera.rmatvec(stream, u), tessera.rmatvec(a, u)),
        (tessera.atax(stream, v, minus=u, alpha=2, beta=3, z=z), tessera.atax(a, v, minus=u, alpha=2, beta=3, z=z)),
        *zip(tessera.atax(stream, v, return_b=True), tessera.atax(a, v, return_b=True)),
        *zip(tessera.matvec_both(stream, v, u), tessera.matvec_both(a, v, u)),
        *pairs_of_blocks(stream, a),
    ]
    if not is_packed:  # its rows are read in order
        pairs.append((tessera.aatx(stream, u), tessera.atax(a.T, u)))
    for found, expected in pairs:
        assert found.dtype == expected.dtype
        assert found.tobytes() == expected.tobytes()


def pairs_of_blocks(stream, a):
    """Products with blocks of vectors, each in one pass, and those with their columns."""
    x, u = (np.random.default_rng(4).standard_normal((size, 3)).astype(a.dtype) for size in (N, len(a)))
    calls = [
        (tessera.matvec, x, {}),
        (tessera.rmatvec, np.asfortranarray(u), {}),
        (tessera.atax, x, {"minus": u[:, 0].copy(), "alpha": 2.0}),
    ]
    for product, block, arguments in calls:
        before = stream.reads
        found = product(stream, block, **arguments)
        assert stream.reads - before == 1
        yield found, np.stack([product(a, np.ascontiguousarray(one), **arguments) for one in block.T], axis=1)
    C, B = tessera.atax(stream, x[:, :2], return_b=True)
    yield from zip((C[:, 1].copy(), B[:, 1].copy()), tessera.atax(a, x[:, 1].copy(), return_b=True))


@pytest.mark.parametrize("order", ["C", "F"])
def test_files(a, order, tmp_path):
    a = np.asarray(a, order=order)
    np.save(tmp_path / "a.npy", a)
    stream = tessera.open(tmp_path / "a.npy", memory_limit=LIMIT)
    assert stream.order == order and stream.memory_limit == 4 * 2**20
    same(stream, a)
    assert tessera.open(os.fsencode(tmp_path / "a.npy")).shape == a.shape
    a.T.tofile(tmp_path / "a.raw") if order == "F" else a.tofile(tmp_path / "a.raw")
    same(tessera.open(tmp_path / "a.raw", shape=(M, N), dtype=a.dtype, order=order, memory_limit=LIMIT), a)


def test_files_of_another_type(a, tmp_path):
    np.save(tmp_path / "a.npy", np.rint(8 * a).astype(np.int16))
    same(tessera.open(tmp_path / "a.npy", dtype=a.dtype, memory_limit=LIMIT), np.rint(8 * a))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", ["<f2", ">f2", "|i1", "|u1", "<i2", "<u2", ">u2"])
def test_files_of_narrow_types(kind, order, tmp_path):
    least, most = (-128, 128) if np.dtype(kind).kind in "fi" else (0, 256)
    narrow = np.random.default_rng(1).integers(least, most, (M, N)).astype(kind)
    np.save(tmp_path / "a.npy", np.asarray(narrow, order=order))
    stream = tessera.open(tmp_path / "a.npy", memory_limit=LIMIT)
    assert stream.order == order and stream.dtype == np.float32
    same(stream, np.asarray(narrow, np.float32, order=order))


def write_bed(path, genotypes):
    """A PLINK 1 file of a matrix of 0, 1, 2 (numbers of A1 alleles) and 3 (missing)."""
    samples, variants = genotypes.shape
    codes = np.zeros((variants, -(-samples // 4) * 4), np.uint8)
    codes[:, :samples] = np.array([3, 2, 0, 1])[genotypes.T]
    packed = (codes.reshape(variants, -1, 4) << np.array([0, 2, 4, 6])).sum(axis=2).astype(np.uint8)
    path.write_bytes(b"\x6c\x1b\x01" + packed.tobytes())
    path.with_suffix(".fam").write_text("".join(f"0 {i} 0 0 0 -9\n" for i in range(samples)))
    path.with_suffix(".bim").write_text("".join(f"1 {j} 0 {j} A G\n" for j in range(variants)))


def test_genotypes(a, tmp_path):
    genotypes = np.random.default_rng(1).integers(0, 4, (M - 1, N))
    genotypes[: M // 2, ::2] %= 2  # so that few iterations find a component
    genotypes[:, 7] = 3
    write_bed(tmp_path / "a.bed", genotypes)
    known = genotypes < 3
    counts = known.sum(axis=0)
    means = np.where(known, genotypes, 0).sum(axis=0) / np.maximum(counts, 1)
    widened = np.asarray(np.where(known, genotypes, means), a.dtype, order="F")
    for limit in (LIMIT, "1GiB"):
        stream = tessera.open(tmp_path / "a.bed", dtype=a.dtype, memory_limit=limit)
        assert stream.order == "F" and stream.shape == (M - 1, N)
        same(stream, widened)
    assert tessera.open(tmp_path / "a.bed").dtype == np.float32
    b = np.random.default_rng(2).standard_normal(M - 1).astype(a.dtype)
    stream = tessera.open(tmp_path / "a.bed", dtype=a.dtype, memory_limit=LIMIT)
    assert tessera.linalg.lsmr(stream, b, atol=0.1, btol=0.1).x.tobytes() == tessera.linalg.lsmr(widened, b, atol=0.1, btol=0.1).x.tobytes()
    for scale in (False, True):
        found = tessera.linalg.pca(stream, 1, scale=scale, tol=1e-2)
        expected = tessera.linalg.pca(widened, 1, scale=scale, tol=1e-2)
        assert found.components.tobytes() == expected.components.tobytes()
        assert found.mean.tobytes() == expected.mean.tobytes()
    (tmp_path / "a.fam").unlink()
    with pytest.raises(OSError, match=r"a.bed: has no .fam file: expected .*a.fam with one line for each sample"):
        tessera.open(tmp_path / "a.bed")


def test_packed_arrays_are_read_in_order_alone(a, tmp_path):
    np.savez_compressed(tmp_path / "c.npz", a=a)
    rows = tessera.open(f"{tmp_path}/c.npz:a", memory_limit=LIMIT)
    same(rows, a, is_packed=True)
    with pytest.raises(OSError, match="c.npz:a: is row-major, and cannot be streamed sequentially"):
        tessera.aatx(rows, np.ones(M, a.dtype))
    np.savez_compressed(tmp_path / "f.npz", a=np.asfortranarray(a))
    stream = tessera.open(f"{tmp_path}/f.npz:a", memory_limit=LIMIT)
    assert stream.order == "F"
    v, u = np.ones(N, a.dtype), np.ones(M, a.dtype)
    assert tessera.matvec(stream, v).tobytes() == tessera.matvec(np.asfortranarray(a), v).tobytes()
    assert tessera.rmatvec(stream, u).tobytes() == tessera.rmatvec(np.asfortranarray(a), u).tobytes()
    before = stream.reads
    found = tessera.matvec(stream, np.stack([v, 2 * v], axis=1))
    assert stream.reads - before == 1
    assert found[:, 0].tobytes() == tessera.matvec(np.asfortranarray(a), v).tobytes()
    assert tessera.aatx(stream, u).tobytes() == tessera.aatx(np.asfortranarray(a), u).tobytes()
    for call in (
        lambda: tessera.atax(stream, v),
        lambda: tessera.atax(stream, v, return_b=True),
        lambda: tessera.matvec_both(stream, v, u),
        lambda: tessera.linalg.lsmr(stream, u),
        lambda: tessera.linalg.svds(stream, 1),
    ):
        with pytest.raises(OSError, match="f.npz:a: is column-major, and cannot be streamed sequentially.* found a compressed member"):
            call()


@pytest.mark.parametrize("layout", ["C", "F"])
def test_a_limit_that_is_named_is_enough_for_a_solver(layout, tmp_path):
    a = np.asarray(np.random.default_rng(4).standard_normal((900, 60)), order=layout)
    np.save(tmp_path / "a.npy", a)
    with pytest.raises(ValueError, match=r"^tessera.linalg.lsmr: expected a limit of at least ([0-9]+) bytes, found 1$") as refused:
        tessera.linalg.lsmr(tessera.open(tmp_path / "a.npy", memory_limit=1), np.ones(900))
    enough = int(str(refused.value).split("at least ")[1].split(" ")[0])
    found = tessera.linalg.lsmr(tessera.open(tmp_path / "a.npy", memory_limit=enough), np.ones(900))
    assert found.x.tobytes() == tessera.linalg.lsmr(a, np.ones(900)).x.tobytes()


@pytest.mark.parametrize("order", ["C", "F"])
def test_callbacks(a, order):
    a = np.asarray(a, order=order)
    reads = []

    def read(rows, cols):
        reads.append((rows, cols))
        return a[rows, cols]

    same(tessera.from_callback(M, N, read, dtype=a.dtype, order=order, memory_limit=LIMIT), a)
    assert len(reads) > 6


def test_hdf5(a, tmp_path):
    if not tessera.info()["hdf5"]:
        pytest.skip("this build has no HDF5")
    np.save(tmp_path / "a.npy", a)
    subprocess.run(
        [sys.executable, "-B", "-m", "tessera", "convert", str(tmp_path / "a.npy"), f"{tmp_path}/a.h5:/a"], check=True
    )
    same(tessera.open(f"{tmp_path}/a.h5:/a", memory_limit=LIMIT), a)
    subprocess.run(
        [sys.executable, "-B", "-m", "tessera", "convert", str(tmp_path / "a.npy"), f"{tmp_path}/b.h5:/a"]
        + ["--chunk", f"{M}x7", "--deflate", "1"],
        check=True,
    )
    for limit in (LIMIT, "64MiB"):
        same(tessera.open(f"{tmp_path}/b.h5:/a", memory_limit=limit), a)


def test_packed_values_of_netcdf_are_refused():
    if not tessera.info()["hdf5"]:
        pytest.skip("this build reads no HDF5 files")
    samples = pathlib.Path(__file__).parents[1] / "data" / "io" / "attributes.h5"
    with pytest.raises(OSError, match="scaled or missing elements.*scale_factor = 0.5"):
        tessera.open(f"{samples}:/scaled")
    assert tessera.matvec(tessera.open(f"{samples}:/harmless"), np.ones(5, np.float32))[1] == 35


def test_refusals(tmp_path):
    with pytest.raises(FileNotFoundError, match="missing.npy"):
        tessera.open(tmp_path / "missing.npy")
    np.save(tmp_path / "v.npy", np.ones(4))
    with pytest.raises(OSError, match="expected a matrix, found an array of one dimension"):
        tessera.open(tmp_path / "v.npy")
    np.save(tmp_path / "a.npy", np.ones((3, 4)))
    with pytest.raises(ValueError, match=r"expected the shape \(2, 2\), found \(3, 4\) in .*a.npy"):
        tessera.open(tmp_path / "a.npy", shape=(2, 2))
    for limit in ("2 GB", "much", "-1"):
        with pytest.raises(ValueError, match="memory_limit must be a number of bytes or a text such as"):
            tessera.open(tmp_path / "a.npy", memory_limit=limit)
    with pytest.raises(ValueError, match="memory_limit must be positive, found 0"):
        tessera.open(tmp_path / "a.npy", memory_limit=0)
    with pytest.raises(ValueError, match="expected a limit of at least"):
        tessera.atax(tessera.open(tmp_path / "a.npy", memory_limit=1), np.ones(4))
    with pytest.raises(TypeError, match="dtype must be float32 or float64, found int32"):
        tessera.open(tmp_path / "a.npy", dtype=np.int32)
    stream = tessera.open(tmp_path / "a.npy")
    assert repr(stream) == "<tessera.StreamedMatrix of 3 x 4, float64>"
    with pytest.raises(ValueError, match=r"v must have shape \(4,\) or \(4, k\) for A of shape \(3, 4\), found shape \(3,\)"):
        tessera.atax(stream, np.ones(3))
    with pytest.raises(ValueError, match=r"found shape \(3, 2\)"):
        tessera.atax(stream, np.ones((3, 2)))
    with pytest.raises(ValueError, match=r"x must have shape \(4,\) for A of shape \(3, 4\), found shape \(4, 2\)"):
        tessera.matvec_both(stream, np.ones((4, 2)), np.ones(3))
    assert tessera.matvec(stream, np.ones((4, 0))).shape == (3, 0)
    with pytest.raises(TypeError, match="A must be an array, found a matrix that is streamed"):
        tessera.matmul(stream, np.ones((4, 4)))
    with pytest.raises(ValueError, match="expected at least one row and one column, found 0 x 4"):
        tessera.from_callback(0, 4, lambda rows, cols: None)
    with pytest.raises(TypeError, match="read must be a function, found int"):
        tessera.from_callback(3, 4, 5)


@pytest.mark.parametrize("name, dtype", [("f32", "float32"), ("f64", "float64"), ("double", "float64"), ("single", "float32")])
@pytest.mark.parametrize("order, short", [("row-major", "C"), ("column-major", "F")])
def test_types_and_orders_have_the_names_of_the_command_line_too(name, dtype, order, short, tmp_path):
    a = np.asarray(np.random.default_rng(1).standard_normal((7, 5)), dtype, order=short)
    a.ravel(order="K").tofile(tmp_path / "a.bin")
    made = tessera.from_callback(7, 5, lambda rows, cols: a[rows, cols], dtype=name, order=order)
    read = tessera.open(tmp_path / "a.bin", dtype=name, order=order, shape=(7, 5))
    for matrix in (made, read):
        assert matrix.dtype == dtype
        assert matrix.order == short
        assert tessera.matvec(matrix, np.ones(5, dtype)).tobytes() == tessera.matvec(a, np.ones(5, dtype)).tobytes()
    with pytest.raises(ValueError, match="order must be"):
        tessera.from_callback(7, 5, lambda rows, cols: a, order="rows")


def test_a_file_that_changes_is_told(tmp_path):
    np.save(tmp_path / "a.npy", np.ones((3, 4)))
    stream = tessera.open(tmp_path / "a.npy")
    tessera.matvec(stream, np.ones(4))
    os.utime(tmp_path / "a.npy", (1, 1))
    with pytest.raises(OSError, match="a.npy"):
        tessera.matvec(stream, np.ones(4))


@pytest.mark.parametrize(
    ("read", "error", "sentence"),
    [
        (lambda rows, cols: np.ones(3), ValueError, "read must return an array of shape"),
        (lambda rows, cols: np.ones((3, 4), np.float32), TypeError, "read must return an array of float64, found float32"),
        (lambda rows, cols: 1 / 0, ZeroDivisionError, "division by zero"),
        (lambda rows, cols: tessera.dot(np.ones(2), np.ones(2)), RuntimeError, "cannot call tessera itself"),
    ],
)
def test_callbacks_that_fail(read, error, sentence):
    with pytest.raises(error, match=sentence):
        tessera.matvec(tessera.from_callback(3, 4, read), np.ones(4))


def test_units_of_limits():
    for limit, expected in (
        (1000, 1000), ("1000", 1000), ("7B", 7), ("3KiB", 3072), (" 0.5 MiB ", 2**19), ("2GiB", 2**31), ("1TiB", 2**40),
    ):
        assert tessera.from_callback(3, 4, lambda rows, cols: None, memory_limit=limit).memory_limit == expected


def test_masked_blocks():
    masked = np.ma.masked_greater(np.arange(12.0).reshape(4, 3), 9.0)
    stream = tessera.from_callback(4, 3, lambda rows, cols: masked[rows, cols])
    with pytest.raises(TypeError, match="without masked elements, found 2 of them in rows from 0 on"):
        tessera.matvec(stream, np.ones(3))
    stream = tessera.from_callback(4, 3, lambda rows, cols: list(masked[rows, cols]))
    with pytest.raises(TypeError, match="without masked elements, found some in rows from 0 on"):
        tessera.matvec(stream, np.ones(3))
    whole = np.ma.masked_greater(np.arange(12.0).reshape(4, 3), 99.0)
    found = tessera.matvec(tessera.from_callback(4, 3, lambda rows, cols: whole[rows, cols]), np.ones(3))
    assert found.tolist() == [3, 12, 21, 30]


def test_control_c_ends_a_pass(control_c):
    reads = []

    def read(rows, cols):
        reads.append(rows)
        if len(reads) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return np.ones((rows.stop - rows.start, cols.stop - cols.start))

    assert threading.current_thread() is threading.main_thread()
    stream = tessera.from_callback(1 << 20, 512, read, memory_limit="2MiB")
    with pytest.raises(KeyboardInterrupt):
        tessera.rmatvec(stream, np.ones(1 << 20))
    assert len(reads) < 200


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(("dtype", "code"), [("u1", 255), ("f4", np.nan), ("f8", np.nan)])
def test_missing_entries_of_a_file_are_means(tmp_path, dtype, code, order):
    rng = np.random.default_rng(4)
    a = np.asarray(rng.integers(0, 200, (700, 30)), dtype, order=order)
    is_missing = rng.random(a.shape) < 0.1
    is_missing[:, 3] = True  # nothing is left
    columns = zip(a.T.astype(float), is_missing.T)
    exact = np.array([column[~gone].mean() if not gone.all() else 0 for column, gone in columns])
    a[is_missing] = code
    means = np.nan_to_num(tessera.linalg.column_stats(a, missing=code).mean)
    np.testing.assert_allclose(means, exact, rtol=1e-15)
    whole = np.where(is_missing, means, a).astype("f8" if dtype == "f8" else "f4", order=order)
    np.save(tmp_path / "a.npy", a)
    stream = tessera.open(tmp_path / "a.npy", memory_limit="16MiB", missing=code)
    for matrix in (stream, pickle.loads(pickle.dumps(stream))):
        found, expected = (tessera.linalg.pca(x, 2, scale=True) for x in (matrix, whole))
        assert all(x.tobytes() == y.tobytes() for x, y in zip(found, expected))
    # 0 after centring
    assert np.abs(whole - tessera.linalg.pca(stream, 1).mean)[is_missing].max() < 1e-4


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(("dtype", "code"), [("i1", -9), ("u1", 3), ("f2", np.nan), ("f4", np.nan), ("f8", np.nan), ("i8", -9)])
def test_missing_entries_of_an_array_are_means(dtype, code, order):
    rng = np.random.default_rng(4)
    a = np.asarray(rng.integers(0, 3, (700, 30)), dtype, order=order)
    is_missing = rng.random(a.shape) < 0.1
    is_missing[:, 3] = True  # nothing is left
    a[is_missing] = code
    copy = dtype == "i8"
    means = np.nan_to_num(tessera.linalg.column_stats(a, missing=code, copy=copy).mean)
    whole = np.where(is_missing, means, a).astype("f8" if dtype in ("f8", "i8") else "f4", order=order)
    stream = tessera.fill_missing(a, code, copy=copy, memory_limit="16MiB")
    assert stream.order == ("C" if copy else order) and stream.dtype == whole.dtype
    whole = np.ascontiguousarray(whole) if copy else whole
    b = rng.standard_normal(700).astype(whole.dtype)
    for matrix in (stream, pickle.loads(pickle.dumps(stream))):
        for call in (tessera.matvec, tessera.atax):
            assert call(matrix, b[:30]).tobytes() == call(whole, b[:30]).tobytes()
        found, expected = (tessera.linalg.pca(x, 2, scale=True) for x in (matrix, whole))
        assert all(x.tobytes() == y.tobytes() for x, y in zip(found, expected))
        assert tessera.linalg.ridge(matrix, b, 2.0).x.tobytes() == tessera.linalg.ridge(whole, b, 2.0).x.tobytes()
    new = a[:50] if order == "C" else np.asfortranarray(a[:50])
    filled = tessera.fill_missing(new, code, means=means, copy=copy)
    assert tessera.matvec(filled, b[:30]).tobytes() == tessera.matvec(np.asarray(whole[:50], order=stream.order), b[:30]).tobytes()
    assert a[is_missing].tobytes() == np.full(is_missing.sum(), code, dtype).tobytes()  # not changed


@pytest.mark.parametrize("code", [-99.9, 0.1, 1e20, np.float32(0.1)])
def test_codes_are_rounded_to_the_type_of_the_matrix(tmp_path, code):
    a = np.array([[1, 2], [3, 4], [code, 6]], np.float32)
    whole = np.array([[1, 2], [3, 4], [2, 6]], np.float32)
    np.save(tmp_path / "a.npy", a)
    found = tessera.linalg.column_stats(a, missing=code)
    assert found.mean.tolist() == [2, 4] and found.missing.tolist() == [1, 0]
    v = np.array([1, -2], "f4")
    for matrix in (tessera.fill_missing(a, code), tessera.open(tmp_path / "a.npy", missing=code)):
        assert tessera.matvec(matrix, v).tolist() == (whole @ v).tolist()


def test_a_code_beyond_the_type_is_no_infinity(tmp_path):
    a = np.array([[1, 2], [3, np.inf]], np.float32)
    np.save(tmp_path / "a.npy", a)
    assert not tessera.linalg.column_stats(a, missing=1e300).missing.any()
    for matrix in (tessera.fill_missing(a, 1e300), tessera.open(tmp_path / "a.npy", missing=1e300)):
        assert tessera.matvec(matrix, np.ones(2, "f4")).tolist() == [3, np.inf]


def test_missing_entries_of_a_stream_are_means(tmp_path):
    a = np.random.default_rng(4).standard_normal((700, N))
    whole = a.copy()
    a[::7, 2] = np.nan
    whole[::7, 2] = tessera.linalg.column_stats(a, missing=np.nan).mean[2]
    blocks = tessera.from_blocks([a[:300], a[300:]], memory_limit=LIMIT)
    read = tessera.from_callback(*a.shape, lambda rows, cols: a[rows, cols], memory_limit=LIMIT)
    for stream in (blocks, read):
        filled = tessera.fill_missing(stream)
        assert filled.memory_limit == stream.memory_limit
        same(filled, whole)
    np.save(tmp_path / "a.npy", a)
    with pytest.raises(TypeError, match="A must not be a matrix of a file; pass missing= to tessera.open"):
        tessera.fill_missing(tessera.open(tmp_path / "a.npy"))


def test_missing_must_be_a_number(tmp_path):
    np.save(tmp_path / "a.npy", np.ones((3, 2)))
    with pytest.raises(TypeError, match="missing must be a number"):
        tessera.open(tmp_path / "a.npy", missing="nan")
