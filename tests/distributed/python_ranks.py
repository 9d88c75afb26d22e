# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""tessera.distributed on the ranks that mpirun or torchrun has started: the bits of one process.

An argument is the backend of PyTorch's process group, gloo if there is none.
"""

import contextlib
import ctypes
import doctest
import importlib.util
import io
import os
import platform
import pathlib
import re
import sys
import tempfile

import numpy as np
import tessera
import tessera.distributed
from tessera import linalg
from tessera.distributed import DistributedError, World

by_torch = "TORCHELASTIC_RUN_ID" in os.environ


def expect_refusal(call, error_type, sentence):
    try:
        call()
    except error_type as error:
        assert sentence in str(error), error
    else:
        raise AssertionError(f"nothing is raised: {sentence}")


expect_refusal(lambda: World(object()), TypeError, "a communicator of mpi4py or a process group of torch.distributed")
expect_refusal(lambda: World(None), RuntimeError, "before torch.distributed.init_process_group")

page = pathlib.Path(__file__).resolve().parents[2] / "docs/guide/many-processes.md"
blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
assert len(blocks) == 7  # the last: test_dask_ranks.py
shown = {}
if by_torch:
    import torch.distributed as dist

    expect_refusal(lambda: World(dist.group.WORLD), RuntimeError, "before torch.distributed.init_process_group")
    backend = sys.argv[1] if len(sys.argv) > 1 else "gloo"
    exec(blocks[1].replace('"gloo"', f'"{backend}"'), shown)
    world = shown["world"]
    assert (world.rank, world.size) == (dist.get_rank(), dist.get_world_size())
    alone, others = (dist.new_group(ranks, backend="gloo") if ranks else None for ranks in ([0], range(1, world.size)))
    part = alone if world.rank == 0 else others
    if world.size > 1 and backend != "gloo":
        group = dist.new_group([world.size - 1])
        if world.rank + 1 == world.size:
            expect_refusal(lambda: World(group), ValueError, f"must have the backend gloo, found {backend}")
else:
    from mpi4py import MPI

    exec(blocks[0], shown)
    world = shown["world"]
    assert (world.rank, world.size) == (MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size)
    part = MPI.COMM_WORLD.Split(world.rank > 0)
last = world.rank + 1 == world.size
compared = 0


def expect_same(found, expected, what):
    global compared
    compared += 1
    assert found.dtype == expected.dtype, what
    has_gaps = found.dtype == np.longdouble  # bytes without a meaning
    assert np.array_equal(found, expected) if has_gaps else found.tobytes() == expected.tobytes(), f"rank {world.rank}: {what}"


def expect_error(call, sentence, rank=None):
    global compared
    compared += 1
    try:
        call()
    except DistributedError as error:
        assert sentence in str(error), error
        assert rank is None or error.rank == rank, error
        return error.rank
    else:
        raise AssertionError(f"nothing is raised: {sentence}")


for dtype in ("float32", "float64"):
    for order in ("C", "F"):
        for m, n in ((2, 3), (3, 5), (7, 1000), (129, 17), (5000, 33), (60000, 3)):
            random = np.random.default_rng(m)
            A = np.asarray(random.standard_normal((m, n)), dtype=dtype, order=order)
            v, u, w = (random.standard_normal(k).astype(dtype) for k in (n, m, m))
            mine = world.rows_of(m, n, dtype=dtype, order=order)
            its, what = A[mine], f"{m} x {n} {dtype} {order}"
            expect_same(world.matvec(its, v, order=order), tessera.matvec(A, v)[mine], f"matvec {what}")
            expect_same(world.rmatvec(its, u[mine], order=order), tessera.rmatvec(A, u), f"rmatvec {what}")
            expect_same(world.atax(its, v, order=order), tessera.atax(A, v), f"atax {what}")
            c, b = world.atax(its, v, weights=w[mine], return_b=True, order=order)
            expected_c, expected_b = tessera.atax(A, v, weights=w, return_b=True)
            expect_same(c, expected_c, f"atax with weights {what}")
            expect_same(b, expected_b[mine], f"B of atax with weights {what}")
            expect_same(world.gather_rows(b), expected_b, f"all of B {what}")
            terms = {"alpha": -0.3, "beta": 0.7, "z": random.standard_normal(n).astype(dtype)}
            found = world.atax(its, v, minus=w[mine], map="logistic", order=order, **terms)
            expect_same(found, tessera.atax(A, v, minus=w, map="logistic", **terms), f"atax with terms {what}")
            v2, u2 = (random.standard_normal((k, 2)).astype(dtype) for k in (n, m))
            expect_same(world.matvec(its, v2, order=order), tessera.matvec(A, v2)[mine], f"matvec of a block {what}")
            expect_same(world.rmatvec(its, u2[mine], order=order), tessera.rmatvec(A, u2), f"rmatvec of a block {what}")
            c, b = world.atax(its, v2, alpha=-0.7, return_b=True, order=order)
            expected_c, expected_b = tessera.atax(A, v2, alpha=-0.7, return_b=True)
            expect_same(c, expected_c, f"atax of a block without a map {what}")
            expect_same(b, expected_b[mine], f"B of atax of a block without a map {what}")
            c, b = world.atax(its, v2, weights=w[mine], alpha=3.5, return_b=True, order=order)
            expected_c, expected_b = tessera.atax(A, v2, weights=w, alpha=3.5, return_b=True)
            expect_same(c, expected_c, f"atax of a block {what}")
            expect_same(b, expected_b[mine], f"B of atax of a block {what}")
        x, y = (random.standard_normal(100_000).astype(dtype) for _ in range(2))
        mine = world.rows_of(x.size, 1, dtype=dtype, order="F")
        assert world.dot(x[mine], y[mine]) == tessera.dot(x, y), f"dot {dtype}"

for dtype in ("float32", "float64"):
    for order in ("C", "F"):
        for m, n in ((3, 2), (700, 12), (3000, 7)):
            random = np.random.default_rng(n)
            A = np.asarray(random.standard_normal((m, n)) + 0.5, dtype=dtype, order=order)
            b = random.standard_normal(m).astype(dtype)
            mine, what = world.rows_of(m, n, dtype=dtype, order=order), f"{m} x {n} {dtype} {order}"
            M = world.matrix(A[mine], order=order)
            assert M.shape == A.shape
            assert M.rows == mine
            expect_same(world.atax(M, A[0]), tessera.atax(A, A[0]), f"atax of a matrix {what}")
            start = np.ones(n, dtype=dtype)
            for solver in (linalg.lsmr, linalg.lsqr):
                found, expected = (solver(a, y, damp=0.1, x0=start) for a, y in ((M, b[mine]), (A, b)))
                expect_same(found.x, expected.x, f"{solver.__name__} {what}")
                assert found[1:3] == expected[1:3]
            expect_same(linalg.lstsq(M, b[mine])[0], linalg.lstsq(A, b)[0], f"lstsq {what}")
            two = np.stack([b, b[::-1]], axis=1)
            expect_same(linalg.lstsq(M, two[mine])[0], linalg.lstsq(A, two)[0], f"lstsq of two vectors {what}")
            found, expected = (linalg.lstsq(a, y, maxiter=500)[0] for a, y in ((M, two[mine]), (A, two)))
            expect_same(found, expected, f"lstsq of two vectors by iterations {what}")
            for found, expected in zip(
                linalg.ridge_path(M, b[mine], [0.5, 2.0]), linalg.ridge_path(A, b, [0.5, 2.0]), strict=True
            ):
                expect_same(found.x, expected.x, f"ridge_path {what}")
            expect_same(linalg.ridge(M, b[mine], 0.5).x, linalg.ridge(A, b, 0.5).x, f"ridge {what}")
            U = np.asarray(A * 10 ** np.linspace(-3, 3, n), dtype=dtype, order=order)
            uneven = world.matrix(U[mine], order=order)
            expect_same(
                linalg.lstsq(uneven, b[mine], maxiter=500)[0], linalg.lstsq(U, b, maxiter=500)[0], f"scaled lstsq {what}"
            )
            scaled = linalg.ridge(U, b, 0.5, maxiter=500)
            assert scaled.has_scaled_columns
            expect_same(linalg.ridge(uneven, b[mine], 0.5, maxiter=500).x, scaled.x, f"scaled ridge {what}")
            u, s, vh = linalg.svds(M, 2)
            expected_u, expected_s, expected_vh = linalg.svds(A, 2)
            expect_same(s, expected_s, f"singular values {what}")
            expect_same(vh, expected_vh, f"right vectors {what}")
            expect_same(u, expected_u[mine], f"left vectors {what}")
            for scale in (False, True):
                for found, expected in zip(linalg.pca(M, 2, scale=scale), linalg.pca(A, 2, scale=scale), strict=True):
                    expect_same(found, expected, f"pca {what}")
            holes = A.copy(order="A")
            holes[::3, 1] = np.nan
            expected = linalg.column_stats(holes, ddof=1, missing=np.nan)
            for rows in (mine, world.rows_of(m, n, dtype=dtype, order=order, blocks=True)):
                found = linalg.column_stats(world.matrix(holes[rows], order=order), ddof=1, missing=np.nan)
                for name in expected._fields:
                    expect_same(getattr(found, name), getattr(expected, name), f"{name} of column_stats {what}")
            mine = world.rows_of(m, n, dtype=dtype, order=order, blocks=True)
            found = linalg.randomized_svd(world.matrix(A[mine], order=order), 2)
            expected_u, expected_s, expected_vh = linalg.randomized_svd(A, 2)
            expect_same(found[0], expected_u[mine], f"left vectors of randomized_svd {what}")
            expect_same(found[1], expected_s, f"randomized_svd {what}")
            expect_same(found[2], expected_vh, f"right vectors of randomized_svd {what}")

A = np.random.default_rng(2).standard_normal((3000, 30))
mine = world.rows_of(*A.shape)
M = world.matrix(A[mine])


def exchanges(call):
    """How often `call` exchanges sums."""
    counted = 0
    exchange = world._ranks.exchange

    def count(*arguments):
        nonlocal counted
        counted += 1
        return exchange(*arguments)

    world._ranks.exchange = count
    try:
        call()
    finally:
        world._ranks.exchange = exchange
    return counted


one, four = (np.repeat(A[:, :1] + A[:, 1:2] ** 2, k, axis=1) for k in (1, 4))
of_one, of_four = (exchanges(lambda: linalg.lstsq(M, b[mine], maxiter=500)) for b in (one, four))
assert 0 < of_four <= of_one + 2, (of_one, of_four)
four = np.stack([A[:, 0], A[:, 1] ** 2, A[:, 2], A[:, 3] ** 3], axis=1)
assert exchanges(lambda: world.rmatvec(M, four[mine])) == 1
assert exchanges(lambda: world.atax(M, np.ones((30, 4)), return_b=True)) == 1
assert exchanges(lambda: world.atax(M, np.ones((30, 4)), minus=A[mine, 0], map="poisson", return_b=True)) == 1


def callback(step):
    if last and step.iteration == 2:
        raise KeyError("long " * 200 + "enough")


expect_error(lambda: linalg.lsmr(M, A[mine, 0], callback=callback), "enough", world.size - 1)
expect_error(lambda: linalg.svds(M, 3, maxiter=100, callback=callback), "enough", world.size - 1)
expect_error(lambda: linalg.lsmr(M, A[mine, 0][:1] if last else A[mine, 0]), "b must have", world.size - 1)
expect_error(lambda: linalg.lsmr(M, A[mine, 0].astype("float32") if last else A[mine, 0]), "copy=True", world.size - 1)
expect_same(linalg.lsmr(M, A[mine, 0]).x, linalg.lsmr(A, A[:, 0]).x, "lsmr after errors")
if world.size > 1:
    expect_error(lambda: world.atax(M, A[0], alpha=2.0 if last else 1.0), "map, alpha, beta", world.size - 1)
    expect_error(lambda: world.matvec(M, A[:1].T if last else A[0]), "vectors ()", world.size - 1)
    odd = world.matrix(A[0:3] if world.rank == 0 else A[3:] if world.rank == 1 else A[:0])
    expect_same(linalg.svds(odd, 2)[1], linalg.svds(A, 2)[1], "direct svds of any split")
    expect_error(lambda: linalg.svds(odd, 2, maxiter=100), "World.rows_of", 0)
    expect_same(linalg.randomized_svd(odd, 2)[1], linalg.randomized_svd(A, 2)[1], "randomized_svd of any split")


def leave(error):
    def callback(step):
        if last and step.iteration == 2:
            raise error

    return callback


for error in 2 * (SystemExit(3), KeyboardInterrupt()):
    if last:
        expect_refusal(lambda: linalg.lsmr(M, A[mine, 0], callback=leave(error)), type(error), str(error))
    else:
        expect_error(lambda: linalg.lsmr(M, A[mine, 0], callback=leave(error)), type(error).__name__, world.size - 1)
expect_same(linalg.lsmr(M, A[mine, 0]).x, linalg.lsmr(A, A[:, 0]).x, "lsmr after what ends programs")
expect_error(lambda: world.atax(M, A[0], alpha="x" if last else 1.0), "could not convert", world.size - 1)
expect_error(lambda: world.atax(M, [1.0] if last else A[0]), "found a list", world.size - 1)
if world.size > 1:
    for wrong, sentence in (
        ({"damp": 0.5}, "damp 0.0, found 0.5"),
        ({"x0": A[0]}, "x0 None, found with digest "),
        ({"maxiter": 3}, "maxiter None, found 3"),
        ({"atol": "x"}, "atol 1e-06, found x"),
        ({"callback": 5}, "callback must be a function"),
        ({"nothing": 5}, "unexpected keyword argument 'nothing'"),
    ):
        expect_error(lambda: linalg.lsmr(M, A[mine, 0], **(wrong if last else {})), sentence, world.size - 1)
    expect_error(lambda: linalg.lsmr(M, A[mine, 0], x0=A[1] if last else A[0]), "x0 with digest ", world.size - 1)
    expect_error(lambda: linalg.svds(M, 3 if last else 2), "k 2, found 3", world.size - 1)
    expect_error(lambda: linalg.ridge_path(M, A[mine, 0], ["x" if last else 1.0]), "linalg.ridge_path", world.size - 1)
    expect_error(lambda: world.matvec(M, A[1] if last else A[0]), "x with digest ", world.size - 1)
    expect_error(lambda: world.atax(M, A[1] if last else A[0]), "v with digest ", world.size - 1)
    expect_error(
        lambda: world.atax(M, A[0], beta=2.0, z=A[1] if last else A[0]), "z with digest ", world.size - 1
    )


class OnGpu:
    """What shows itself as an array of CuPy, with its elements on the host."""

    __cuda_array_interface__ = {}

    def __init__(self, x):
        self.x, self.shape, self.ndim, self.dtype = x, x.shape, x.ndim, x.dtype

    def get(self):
        return self.x.copy()


OnGpu.__module__ = "cupy"
if world.size > 1:
    differing = OnGpu(np.nextafter(A[0], 9) if last else A[0])
    expect_error(lambda: world.matvec(M, differing), "x with digest ", world.size - 1)
    expect_error(lambda: world.atax(M, differing), "v with digest ", world.size - 1)
    expect_error(lambda: world.atax(M, A[0], beta=2.0, z=differing), "z with digest ", world.size - 1)
    expect_error(lambda: linalg.lsmr(M, A[mine, 0], x0=differing), "x0 with digest ", world.size - 1)
expect_refusal(lambda: linalg.lsmr(M, A[mine, 0] * np.nan), ValueError, "has an infinity or a NaN")
expect_refusal(lambda: linalg.svds(M, 0), ValueError, "`k` must be")
printed = io.StringIO()
with contextlib.redirect_stdout(printed):
    linalg.lsmr(M, A[mine, 0], show=True)
assert (len(printed.getvalue().splitlines()) > 2) == (world.rank == 0), printed.getvalue()

for dtype in "bool int8 int16 int32 int64 float16 float32 float64 longdouble complex64 complex128 M8[s] S5".split():
    every = (np.arange(60) * 7 % 11 % 3).astype("i8").astype(dtype)
    begin = 60 * world.rank // world.size
    its = slice(begin, 60 * (world.rank + 1) // world.size)
    expect_same(world.gather_rows(every[its]), every, f"gather_rows of {dtype}")
    for shape in ((60, 1), (30, 2), (15, 2, 2)):
        rows = every[: np.prod(shape)].reshape(shape)
        its = slice(shape[0] * world.rank // world.size, shape[0] * (world.rank + 1) // world.size)
        found = world.gather_rows(rows[its])
        assert found.shape == shape
        expect_same(found, rows, f"gather_rows of {dtype} {shape}")
pairs = np.zeros(world.size, [("a", "i1"), ("b", "f8")])
pairs["b"] = np.arange(world.size)
expect_same(world.gather_rows(pairs[world.rank :][:1]), pairs, "gather_rows of records")
assert world.gather_rows(np.ones((2, 0))).shape == (2 * world.size, 0)
assert world.gather_rows([1.5]).tolist() == [1.5] * world.size
expect_error(lambda: world.gather_rows(np.array([None])), "elements of a fixed size", 0)
expect_error(lambda: world.gather_rows(np.ma.ones(3)), "not masked", 0)
expect_error(lambda: world.gather_rows(np.float64(1)), "an array of rows", 0)
if world.size > 1:
    expect_error(lambda: world.gather_rows(np.ones(2, "f4" if last else "f8")), "float64, found float32", world.size - 1)
    expect_error(lambda: world.gather_rows(np.ones((2, 3 if last else 2))), "(2,), found (3,)", world.size - 1)

for m, n in ((5, 0), (0, 4), (0, 0)):
    for order in ("C", "F"):
        random = np.random.default_rng(m)
        A, b, v = np.asarray(random.standard_normal((m, n)), order=order), random.standard_normal(m), np.ones(n)
        mine, what = slice(m * world.rank // world.size, m * (world.rank + 1) // world.size), f"{m} x {n} {order}"
        junk = [np.full(m, 7.25) for _ in range(50)]
        del junk
        for how in ({}, {"weights": b}, {"minus": b}, {"minus": b, "map": "logistic"}):
            its = {name: x[mine] if name != "map" else x for name, x in how.items()}
            found, expected = world.atax(A[mine], v, return_b=True, **its), tessera.atax(A, v, return_b=True, **how)
            expect_same(found[0], expected[0], f"atax {what} {list(how)}")
            expect_same(found[1], expected[1][mine], f"B of atax {what} {list(how)}")
        expect_same(world.rmatvec(A[mine], b[mine]), tessera.rmatvec(A, b), f"rmatvec {what}")
        expect_same(world.matvec(A[mine], v), tessera.matvec(A, v)[mine], f"matvec {what}")
        M = world.matrix(A[mine])
        for solver in (linalg.lsmr, linalg.lsqr):
            expect_same(solver(M, b[mine]).x, solver(A, b).x, f"{solver.__name__} {what}")
        expect_same(linalg.lstsq(M, b[mine])[0], linalg.lstsq(A, b)[0], f"lstsq {what}")
        expect_same(linalg.ridge(M, b[mine], 0.5).x, linalg.ridge(A, b, 0.5).x, f"ridge {what}")

for dtype in ("float32", "float64"):
    for m in (3, 16, 600, 5000):
        random = np.random.default_rng(m)
        two, u = random.standard_normal((m, 2)).astype(dtype), random.standard_normal(m).astype(dtype)
        mine = world.rows_of(m, 1, dtype=dtype)
        ones = np.ones(1, dtype)
        for name, whole in {"C": two, "F": np.asfortranarray(two)}.items():
            for order in (None, "C", "F"):
                column, what = whole[:, 1:], f"a column of {name} {m} {dtype} {order}"
                its = column[mine]
                expect_same(world.rmatvec(its, u[mine], order=order), tessera.rmatvec(two[:, 1:].copy(), u), f"rmatvec {what}")
                expect_same(world.atax(its, ones, order=order), tessera.atax(two[:, 1:].copy(), ones), f"atax {what}")
                expect_same(world.matvec(its, ones, order=order), column[mine, 0], f"matvec {what}")
                M = world.matrix(its, order=order)
                expect_same(linalg.lsmr(M, u[mine]).x, linalg.lsmr(two[:, 1:].copy(), u).x, f"lsmr {what}")
            its = world.rows_of(m, 1, dtype=dtype, order="F")
            found = world.dot(whole[its, 0], whole[its, 1])
            assert found == tessera.dot(whole[:, 0].copy(), whole[:, 1].copy()), f"dot {what}"
A = np.arange(1.0, 1201.0).reshape(600, 2)
for wrong, whole in (("F", A), ("C", np.asfortranarray(A))):
    mine = world.rows_of(600, 2, order=wrong)
    for call in (
        lambda: world.atax(whole[mine], np.ones(2), order=wrong),
        lambda: world.matvec(whole[mine], np.ones(2), order=wrong),
        lambda: world.rmatvec(whole[mine], np.ones(600)[mine], order=wrong),
        lambda: world.matrix(whole[mine], order=wrong),
    ):
        # A single row fits both orders.
        rank = expect_error(call, f"of adjacent elements, for order='{wrong}', found strides of ")
        assert world.rank > rank or (len(whole[mine]) > 1) == (world.rank == rank), (world.rank, rank)
expect_error(lambda: world.matvec(np.ones((600, 4))[mine][:, ::2], np.ones(2)), "since rows are not adjacent", 0)
expect_error(lambda: world.matvec(A[mine].astype(">f8"), np.ones(2)), "found >f8", 0)
expect_error(lambda: world.matvec(A[mine][::-1], np.ones(2)), "negative stride; copy=True makes a copy", 0)

masked_rows, u = np.ma.masked_less(A[mine], 1e9), np.ma.array(np.ones(len(A[mine])), mask=True)
masked_v = np.ma.array(np.ones(2), mask=[False, True])
M = world.matrix(A[mine])
for call, sentence in (
    (lambda: world.matrix(masked_rows), "matrix: A must not be a masked array"),
    (lambda: world.atax(masked_rows, np.ones(2)), "atax: A must not be a masked array"),
    (lambda: world.aslinearoperator(masked_rows), "aslinearoperator: A must not be a masked array"),
    (lambda: world.NormalOperator(masked_rows), "NormalOperator: A must not be a masked array"),
    (lambda: world.matvec(M, masked_v), "x must not be a masked array"),
    (lambda: world.matvec(M, np.ma.array(np.ones((2, 2)), mask=True)), "x must not be a masked array"),
    (lambda: world.atax(M, np.ones(2), beta=1.0, z=masked_v), "x must not be a masked array"),
    (lambda: world.atax(M, np.ones(2), weights=u), "must not be a masked array"),
    (lambda: world.rmatvec(M, u), "u must not be a masked array"),
    (lambda: world.dot(u, np.ones(len(u))), "must not have masked elements"),
    (lambda: world.aslinearoperator(M).matvec(masked_v), "must not have masked elements"),
    (lambda: world.aslinearoperator(M).rmatvec(np.ma.array(np.ones(600), mask=True)), "must not have masked elements"),
    (lambda: world.NormalOperator(M).matvec(masked_v), "must not have masked elements"),
    (lambda: linalg.lsmr(M, u), "not masked"),
    (lambda: linalg.lsmr(M, u.astype("f4"), copy=True), "must not have masked elements"),
    (lambda: linalg.lsmr(M, np.ones(len(u)), x0=masked_v), "x0 must not be a masked array"),
):
    expect_error(call, sentence, 0)
for operator in (world.aslinearoperator(M), world.NormalOperator(M)):
    expect_refusal(lambda: operator @ masked_v, TypeError, "must not have masked elements")
misplaced = np.zeros(A[mine].nbytes + 8, np.uint8)[4:-4].view(np.float64).reshape(-1, 2)
expect_error(lambda: world.atax(misplaced, np.ones(2)), "must be aligned, found elements of 8 bytes", 0)
expect_refusal(lambda: world.rows_of(-1, 3), ValueError, "expected sizes of at least 0, found -1 x 3")

if platform.machine() in ("x86_64", "aarch64") and sys.platform == "linux":
    upward = {"x86_64": 0x800, "aarch64": 0x400000}[platform.machine()]
    A, u = (np.random.default_rng(5).standard_normal(shape) for shape in ((3000, 30), 3000))
    mine = world.rows_of(*A.shape)
    expected = tessera.rmatvec(A, u), tessera.atax(A, A[0], alpha=0.3, beta=0.7, z=A[1])
    libm = ctypes.CDLL("libm.so.6")
    before = libm.fegetround()
    try:
        assert libm.fesetround(upward) == 0
        found = world.rmatvec(A[mine], u[mine]), world.atax(A[mine], A[0], alpha=0.3, beta=0.7, z=A[1])
    finally:
        libm.fesetround(before)
    expect_same(found[0], expected[0], "rmatvec in another mode of rounding")
    expect_same(found[1], expected[1], "atax in another mode of rounding")

A = np.random.default_rng(1).standard_normal((300, 20))
b = A @ np.arange(20.0)
mine = world.rows_of(*A.shape)
try:
    from scipy.sparse.linalg import eigsh, lsqr
except ImportError:
    print("SKIPPED: solvers: there is no SciPy")
else:
    x = lsqr(world.aslinearoperator(A[mine]), b, atol=1e-14, btol=1e-14)[0]
    expect_same(x, lsqr(tessera.aslinearoperator(A), b, atol=1e-14, btol=1e-14)[0], "lsqr")
    start = np.ones(20)
    values = eigsh(world.NormalOperator(A[mine]), k=3, v0=start, return_eigenvectors=False)
    expect_same(values, eigsh(tessera.NormalOperator(A), k=3, v0=start, return_eigenvectors=False), "eigsh")

v = np.ones(20)
expect_error(lambda: world.atax(A[mine], v[:4] if last else v), "v must have 20 entries", world.size - 1)
expect_error(lambda: world.matvec(A[mine].astype("int64") if last else A[mine], v), "float32 or float64", world.size - 1)
if world.size > 1:
    odd = slice(0, 3) if world.rank == 0 else slice(3, 300) if world.rank == 1 else slice(0, 0)
    expect_error(lambda: world.atax(A[odd], v), "World.rows_of", 0)
    expect_error(lambda: world.atax(A[mine][:, :19] if last else A[mine], v), "columns 20, found 19", world.size - 1)
expect_same(world.atax(A[mine], v), tessera.atax(A, v), "after errors")

few = World(part)
assert (few.rank, few.size) == ((0, 1) if world.rank == 0 else (world.rank - 1, world.size - 1))
mine = few.rows_of(*A.shape)
expect_same(few.atax(A[mine], v), tessera.atax(A, v), "atax of some ranks")
expect_error(lambda: few.atax(A[mine], v[:4] if few.rank + 1 == few.size else v), "v must have", few.size - 1)

if by_torch and importlib.util.find_spec("mpi4py"):
    from mpi4py import MPI

    if world.size == 1:
        assert World(MPI.COMM_WORLD).size == 1
    else:
        sentence = f"torchrun has started {world.size} processes, and MPI knows of this one alone"
        expect_refusal(lambda: World(MPI.COMM_WORLD), RuntimeError, sentence)
if by_torch:
    duplicates = [World(dist.group.WORLD)._ranks._group for _ in range(3)]
    assert duplicates[0] is duplicates[1] is duplicates[2] is world._ranks._group is not dist.group.WORLD
    every_process = dist.new_group(backend="gloo")
    another = World(every_process)
    assert another._ranks._group not in (duplicates[0], every_process)
    assert World(every_process)._ranks._group is another._ranks._group
    assert another.gather_rows(np.ones(2)).tolist() == [1] * 2 * world.size
if not by_torch:
    duplicates = [World(MPI.COMM_WORLD)._ranks._comm for _ in range(3)]
    assert duplicates[0] == duplicates[1] == duplicates[2] != MPI.COMM_WORLD
    for _ in range(3000):  # more than MPICH has
        mine_alone = MPI.COMM_SELF.Dup()
        kept = World(mine_alone)
        assert kept.size == 1 and kept.gather_rows(np.ones(2)).tolist() == [1, 1]
        mine_alone.Free()
        assert kept._ranks._comm == MPI.COMM_NULL
    expect_refusal(lambda: World(MPI.COMM_NULL), ValueError, "MPI.COMM_NULL")
    if world.size > 1:
        leader = 1 if world.rank == 0 else 0
        between = MPI.COMM_WORLD.Split(world.rank > 0).Create_intercomm(0, MPI.COMM_WORLD, leader)
        expect_refusal(lambda: World(between), ValueError, "found an intercommunicator")
if world.size == 1 and not by_torch:
    for name in ("PMI_SIZE", "SLURM_STEP_NUM_TASKS"):
        before = os.environ.get(name)
        os.environ[name] = "3"
        expect_refusal(lambda: World(MPI.COMM_WORLD), RuntimeError, f"3 processes are started ({name}), and MPI knows")
        assert World(MPI.COMM_SELF).size == 1
        os.environ[name] = "1"
        assert World(MPI.COMM_WORLD).size == 1
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
    os.environ.update(TORCHELASTIC_RUN_ID="none", WORLD_SIZE="4")
    expect_refusal(lambda: World(MPI.COMM_WORLD), RuntimeError, "torchrun has started 4 processes")
    os.environ.update(WORLD_SIZE="1")
    assert World(MPI.COMM_WORLD).size == 1
    results = doctest.testmod(tessera.distributed)
    assert results.attempted > 0
    assert results.failed == 0

folder = tempfile.TemporaryDirectory() if world.rank == 0 else None
os.chdir(world._ranks.allgather(folder.name if folder else None)[0])
A = np.random.default_rng(3).standard_normal((3000, 30))
files = {"a.npy": A, "f.npy": np.asfortranarray(A), "s.npy": A.astype("float32"), "v.npy": A[0]}
if folder:
    for name, array in files.items():
        np.save(name, array)
    A.tofile("a.bin")
    A.T.tofile("f.bin")
world.gather_rows(v)
opened = [(world.open(name), files[name]) for name in ("a.npy", "f.npy", "s.npy")]
opened.append((world.open("a.bin", shape=A.shape, dtype="float64"), files["a.npy"]))
opened.append((world.open("f.bin", shape=A.shape, dtype="float64", order="F"), files["f.npy"]))
for M, a in opened:
    assert isinstance(M.array, np.memmap)
    assert M.shape == a.shape
    expect_same(world.atax(M, a[0]), tessera.atax(a, a[0]), "atax of a file")
    expect_same(linalg.lsmr(M, np.ascontiguousarray(a[M.rows, 0])).x, linalg.lsmr(a, a[:, 0]).x, "lsmr of a file")
if folder:
    np.save("big.npy", A.astype(">f8"))
    A.astype(">f4").tofile("big.bin")
world.gather_rows(v)
expect_same(world.atax(world.open("big.npy"), A[0]), tessera.atax(A, A[0]), "atax of a file of the other order of bytes")
single = A.astype("f4")
M = world.open("big.bin", shape=A.shape, dtype=">f4")
expect_same(world.atax(M, single[0]), tessera.atax(single, single[0]), "atax of raw elements of the other order of bytes")
if world.size > 1:
    os.mkdir(f"folder{world.rank}")
    os.chdir(f"folder{world.rank}")
    np.save("same.npy", A[: 3000 - (100 if last else 0)])
    expect_error(lambda: world.open("same.npy"), "same.npy with 3000 x 30", world.size - 1)
    os.chdir("..")
    expect_error(lambda: world.open("a.npy", blocks=last), "blocks False, found True", world.size - 1)
found = linalg.randomized_svd(world.open("a.npy", blocks=True), 2)[1]
expect_same(found, linalg.randomized_svd(A, 2)[1], "randomized_svd of a file")
expect_error(lambda: world.matrix(tessera.open("a.npy")), "World.open reads the rows of this rank", 0)

# Streamed matrices of which each rank reads its rows.
asked = []


def read(rows, cols):
    asked.append((rows, cols))
    return A[rows, cols]


by_columns = np.asfortranarray(A)
has_h5 = tessera.info()["hdf5"] and importlib.util.find_spec("h5py")
if folder:
    np.savez("a.npz", x=A)
    np.savez_compressed("f.npz", x=by_columns)
    np.save("half.npy", A.astype("f2"))
    if has_h5:
        import h5py

        with h5py.File("a.h5ad", "w") as file:
            file["X"] = A
            file.create_dataset("layers/log1p", data=A, chunks=(170, 7), compression="gzip")
world.gather_rows(v)
parts_of_h5 = [
    lambda: "a.h5ad:/X",
    lambda: tessera.from_anndata("a.h5ad"),
    lambda: tessera.from_anndata("a.h5ad", layer="log1p", memory_limit="256KiB"),
] if has_h5 else []  # fmt: skip
for make, a in (
    (lambda: tessera.from_callback(*A.shape, read, memory_limit="64KiB"), A),
    (lambda: tessera.from_callback(*A.shape, lambda rows, cols: A[rows, cols], order="F"), by_columns),
    (lambda: tessera.from_blocks([A[:700], A[700:701], A[701:]]), A),
    (lambda: tessera.from_blocks([A.astype("f4"), A[:3].astype("f4")]), np.concatenate([A, A[:3]]).astype("f4")),
    (lambda: tessera.open("a.npy"), A),
    (lambda: tessera.open("f.npy"), by_columns),
    (lambda: tessera.open("big.npy"), A),
    (lambda: tessera.open("a.npy", shape=A.shape), A),
    (lambda: tessera.open("a.bin", shape=A.shape, dtype="float64"), A),
    (lambda: tessera.open("f.bin", shape=A.shape, dtype="float64", order="F"), by_columns),
    (lambda: tessera.open("a.npz:x"), A),
    (lambda: tessera.open("f.npz:x"), by_columns),
    (lambda: "a.npz:x", A),
    (lambda: "half.npy", A.astype("f2").astype("f4")),
    *((part, A) for part in parts_of_h5),
):
    M = world.open(make())
    mine = world.rows_of(*a.shape, dtype=a.dtype, order=M.order)
    assert (M.shape, M.rows, M.dtype) == (a.shape, mine, a.dtype)
    expect_same(world.atax(M, a[0]), tessera.atax(a, a[0]), "atax of a streamed matrix")
    expect_same(linalg.lsmr(M, np.ascontiguousarray(a[mine, 0])).x, linalg.lsmr(a, a[:, 0]).x, "lsmr of a streamed matrix")
its = world.rows_of(*A.shape)
assert asked and all(its.start <= rows.start < rows.stop <= its.stop for rows, _ in asked)
assert max(rows.stop - rows.start for rows, _ in asked) * A.shape[1] * 8 <= 2**16
found = linalg.randomized_svd(world.open(tessera.from_blocks([A]), blocks=True), 2)[1]
expect_same(found, linalg.randomized_svd(A, 2)[1], "randomized_svd of a streamed matrix")
expect_error(lambda: world.open(A), "expected a path or a streamed matrix, found ndarray", 0)
expect_error(lambda: world.open(tessera.from_blocks([A]), shape=A.shape), "shape is for files, found (3000, 30) with a streamed matrix", 0)
if world.size > 1:
    expect_error(lambda: world.open(tessera.from_blocks([A[: 3000 - last]])), "found 2999 x 30 elements", world.size - 1)
    failing = tessera.from_callback(*A.shape, lambda rows, cols: 1 / 0 if last else A[rows, cols])
    expect_error(lambda: world.open(failing), "ZeroDivisionError", world.size - 1)

M = world.matrix(A[world.rows_of(*A.shape)])
assert repr(M).startswith("<tessera.distributed.Matrix of 3000 x 30, float64, rows from ")
for call in (
    lambda: tessera.atax(M, A[0]),
    lambda: tessera.check(M, A[0], A[0]),
    lambda: tessera.aslinearoperator(M),
    lambda: tessera.NormalOperator(M),
):
    expect_refusal(call, TypeError, "; call the method of its world")
expect_refusal(lambda: np.asarray(M), TypeError, "found a distributed matrix of shape (3000, 30)")
expect_refusal(lambda: world.rows_of("3", 2), TypeError, "expected whole numbers, found '3' x 2")
expect_error(lambda: world.matrix(A.tolist()), "A must be an array, found list; copy=True makes an array of it", 0)
expect_error(lambda: world.matrix(A[0]), "A must have two dimensions, found ndarray of shape (30,)", 0)

# Arrays of other types and layouts.
wide = np.zeros((3000, 60), "i4")
wide[:, ::2] = np.arange(90000).reshape(3000, 30) % 17
its = wide[:, ::2][world.rows_of(3000, 30)]
a = np.ascontiguousarray(wide[:, ::2]).astype(float)
x, u = np.arange(30), np.arange(3000) % 5
mine = world.rows_of(3000, 30)
expect_error(lambda: world.matvec(its, x), "float64, or of 8 or 16 bits, found int32; copy=True makes a copy", 0)
expect_same(world.matvec(its, x, copy=True), tessera.matvec(a, x.astype(float))[mine], "matvec of a copy")
expect_same(world.matvec(its.tolist(), x.tolist(), copy=True), tessera.matvec(a, x.astype(float))[mine], "matvec of lists")
expect_same(world.rmatvec(its, u[mine], copy=True), tessera.rmatvec(a, u.astype(float)), "rmatvec of a copy")
found = world.atax(its, x, minus=u[mine], beta=2, z=x, return_b=True, copy=True)
expected = tessera.atax(a, x.astype(float), minus=u.astype(float), beta=2.0, z=x.astype(float), return_b=True)
expect_same(found[0], expected[0], "atax of a copy")
expect_same(found[1], expected[1][mine], "B of atax of a copy")
M = world.matrix(its, copy=True)
expect_same(linalg.lsmr(M, u[mine].tolist(), copy=True).x, linalg.lsmr(a, u.astype(float)).x, "lsmr of a list")
expect_same(linalg.lsmr(M, u[mine], copy=True).x, linalg.lsmr(a, u.astype(float)).x, "lsmr of a copy")
by_columns = np.asfortranarray(a)
segments = world.rows_of(3000, 30, order="F")
M = world.matrix(wide[:, ::2][segments], order="F", copy=True)
assert M.order == "F"
assert world.matrix(a[mine], order="row-major").order == "C"
assert world.matrix(by_columns[mine], order="column-major").order == "F"
expect_same(world.atax(M, a[0]), tessera.atax(by_columns, a[0]), "atax of a copy by columns")
expect_same(world.matvec(M, x, copy=True), tessera.matvec(by_columns, x.astype(float))[segments], "matvec of a matrix")
mixed = world.matrix(by_columns[mine] if last else a[mine], copy=True)
assert mixed.order == ("F" if world.size == 1 else "C")
if world.size > 1:
    expect_same(world.atax(mixed, a[0]), tessera.atax(a, a[0]), "atax of a copy of two layouts")
    expect_error(lambda: world.matrix(a[mine].astype("f4") if last else its, copy=True), "found float32", world.size - 1)
# Narrow rows stay as stored.
codes = np.random.default_rng(3).integers(0, 100, (3000, 30))
labels = (np.arange(3000) % 7).astype("f4")
pair = np.stack([labels, labels[::-1]], axis=1)
for dtype, order in (("u1", "C"), ("u1", "F"), ("i2", "C"), ("f2", "F")):
    stored = np.asarray(codes, dtype=dtype, order=order)
    floats, what = stored.astype("f4", order="K"), f"of {dtype} {order}"
    rows = world.rows_of(3000, 30, dtype=dtype, order=order)
    assert rows == world.rows_of(3000, 30, dtype="float32", order=order)
    M = world.matrix(stored[rows], order=order)
    assert M.array.dtype == stored.dtype and M.dtype == np.float32
    expect_same(world.matvec(M, floats[0]), tessera.matvec(floats, floats[0])[rows], f"matvec {what}")
    expect_same(world.rmatvec(M, pair[rows]), tessera.rmatvec(floats, pair), f"rmatvec of a block {what}")
    found = world.atax(M, floats[:2].T, minus=labels[rows], return_b=True)
    expected = tessera.atax(floats, floats[:2].T, minus=labels, return_b=True)
    expect_same(found[0], expected[0], f"atax of a block {what}")
    expect_same(found[1], expected[1][rows], f"B of atax {what}")
    expect_same(linalg.lsmr(M, labels[rows]).x, linalg.lsmr(floats, labels).x, f"lsmr {what}")
    expect_same(linalg.lstsq(M, pair[rows])[0], linalg.lstsq(floats, pair)[0], f"lstsq {what}")
    expect_same(linalg.svds(M, 2)[1], linalg.svds(floats, 2)[1], f"svds {what}")
    expect_same(linalg.column_stats(M).mean, linalg.column_stats(floats).mean, f"column_stats {what}")
    expect_same(world.NormalOperator(M).matvec(floats[0]), tessera.atax(floats, floats[0]), f"NormalOperator {what}")
    expect_error(lambda: world.matvec(M, floats[0].astype(float)), "x must be float32 as a vector of A", 0)
expect_error(lambda: world.dot(codes[:, 0].astype("u1"), labels), "A must have elements float32 or float64, found uint8", 0)
expect_same(linalg.lstsq(M, pair[rows].astype(float), copy=True)[0], linalg.lstsq(floats, pair)[0], "lstsq of doubles")
if world.rank == 0:
    np.save("codes.npy", codes.astype("u1"))
world.gather_rows(v)  # the file is there
M = world.open("codes.npy")
assert isinstance(M.array, np.memmap) and M.array.dtype == np.uint8
floats = codes.astype("f4")
expect_same(world.atax(M, floats[0]), tessera.atax(floats, floats[0]), "atax of a file of uint8")

ends = world.rows_of(3000, 1, order="F")
assert world.dot(u[ends], u[ends][::-1], copy=True) == world.dot(u[ends] * 1.0, u[ends][::-1] * 1.0)
for make in (world.aslinearoperator, world.NormalOperator):
    expect_error(lambda: make(its), "A must have elements float32 or float64", 0)
    assert make(its, copy=True).dtype == a.dtype
expect_same(world.NormalOperator(its, copy=True).matvec(a[0]), tessera.atax(a, a[0]), "NormalOperator of a copy")
expect_error(lambda: world.matrix(np.ma.masked_less(its, 3), copy=True), "must not be a masked array", 0)
expect_error(lambda: world.matrix(np.array([["a"]]), copy=True), "expected an array of numbers, found <U1", 0)
expect_error(lambda: world.open("none.npy"), "none.npy: does not exist: expected a file", 0)
expect_error(lambda: world.open("v.npy"), "v.npy: expected a matrix, found an array of one dimension", 0)
expect_error(lambda: world.open("a.bin", shape=(3001, 30), dtype="float64"), "open: a.bin: ", 0)
expect_error(lambda: world.open("a.bin", shape=(2999, 30), dtype="float64"), "a.bin has 720000 bytes", 0)
expect_error(lambda: world.open("a.bin", shape=(3000, 30)), "expected dtype with the shape of raw elements, found none", 0)
expect_error(lambda: world.open("a.bin", dtype="float64"), "a.bin", 0)
expect_error(lambda: world.open("a.bin"), "a.bin", 0)

for block in blocks[2:6]:
    exec(block, shown)
mine = shown["A"].rows
b = tessera.matvec(A, np.ones(30))
expect_same(shown["C"], tessera.atax(A, np.ones(30)), "C of the guide")
expect_same(shown["b"], b[mine], "b of the guide")
expect_same(shown["x"], linalg.lsmr(A, b).x, "x of the guide")
u, s, vh = linalg.svds(A, 3)
expect_same(shown["u"], u[mine], "u of the guide")
expect_same(shown["s"], s, "s of the guide")
expect_same(shown["vh"], vh, "vh of the guide")
assert shown["D"].tolist() == [6e5] * 30
assert shown["P"].shape == (800, 30)
world.gather_rows(v)
os.chdir("/")
if folder:
    folder.cleanup()
assert compared > 100
print(f"rank {world.rank}: {compared} results compared")
sys.stdout.flush()
if by_torch and world.size > 1:
    if last:
        os._exit(0)
    expect_refusal(lambda: world.atax(A[:3], A[0]), RuntimeError, "onnection")  # gloo's message
