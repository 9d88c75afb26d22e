# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""tessera.distributed on the ranks that mpirun has started: the bits of one process."""

import doctest
import sys

import numpy as np
import tessera
import tessera.distributed
from mpi4py import MPI
from tessera.distributed import DistributedError, World

world = World(MPI.COMM_WORLD)
last = world.rank + 1 == world.size
compared = 0


def expect_same(found, expected, what):
    global compared
    compared += 1
    assert found.dtype == expected.dtype, what
    assert found.tobytes() == expected.tobytes(), f"rank {world.rank}: {what}"


def expect_error(call, sentence, rank):
    global compared
    compared += 1
    try:
        call()
    except DistributedError as error:
        assert sentence in str(error), error
        assert error.rank == rank, error
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
        x, y = (random.standard_normal(100_000).astype(dtype) for _ in range(2))
        mine = world.rows_of(x.size, 1, dtype=dtype, order="F")
        assert world.dot(x[mine], y[mine]) == tessera.dot(x, y), f"dot {dtype}"

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
if world.size == 1:
    results = doctest.testmod(tessera.distributed)
    assert results.attempted > 0
    assert results.failed == 0
assert compared > 100
print(f"rank {world.rank}: {compared} results compared")
sys.stdout.flush()
