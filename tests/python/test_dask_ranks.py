# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Workers of dask as ranks: the bits of one process, and no waiting for ranks that have ended."""

import os

import numpy as np
import pytest
from optional import package

import tessera
import tessera.linalg
from tessera.distributed import run_on_dask


def solve(world, a, b, v):
    A = world.matrix(a)
    u, s, vh = tessera.linalg.svds(A, 3)
    found = tessera.linalg.lsmr(A, b)
    return [world.atax(A, v), found.x, s, vh, world.gather_rows(u), world.gather_rows(world.matvec(A, v))]


def expected_of(a, b, v):
    u, s, vh = tessera.linalg.svds(a, 3)
    return [tessera.atax(a, v), tessera.linalg.lsmr(a, b).x, s, vh, u, tessera.matvec(a, v)]


def fail(world, a):
    if world.rank == world.size - 1:
        raise KeyError("no such column")
    return world.matvec(a, np.ones(a.shape[1]))


def leave(world, a):
    return None if world.rank == 0 else world.matvec(a, np.ones(a.shape[1]))


def die(world, a):
    if world.rank == 0:
        os._exit(1)
    return world.matvec(a, np.ones(a.shape[1]))


@pytest.fixture
def cluster_of():
    """Clients of new clusters, which are closed at the end."""
    distributed = package("distributed")
    opened = []

    def make(workers, **options):
        cluster = distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None, **options)
        opened.append(cluster)
        opened.append(distributed.Client(cluster))
        return opened[-1]

    yield make
    for each in reversed(opened):
        each.close()


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_bits_of_one_process(workers, cluster_of):
    rng = np.random.default_rng(1)
    a, b, v = rng.standard_normal((1500, 40)), rng.standard_normal(1500), rng.standard_normal(40)
    dask_array = package("dask.array")
    client = cluster_of(workers)
    arrays = dask_array.from_array(a, chunks=(400, 11)), dask_array.from_array(b, chunks=700)
    results = run_on_dask(client, solve, *arrays, v)
    assert len(results) == workers
    for found in results:
        assert [x.tobytes() for x in found] == [np.ascontiguousarray(x).tobytes() for x in expected_of(a, b, v)]


def test_failed_worker_raises_on_all(cluster_of):
    dask_array = package("dask.array")
    client = cluster_of(3)
    x = dask_array.ones((1500, 4), chunks=(500, 4))
    with pytest.raises((KeyError, RuntimeError), match="no such column"):
        run_on_dask(client, fail, x)
    with pytest.raises(RuntimeError, match="rank 0: its program has returned"):
        run_on_dask(client, leave, x)
    assert len(run_on_dask(client, lambda world: world.size)) == 3
    with pytest.raises(ValueError, match=r"expected 1500 rows, as of the first matrix, found a dask array of shape \(7,\)"):
        run_on_dask(client, fail, x, dask_array.ones(7))
    with pytest.raises(ValueError, match="expected a matrix among the dask arrays"):
        run_on_dask(client, fail, dask_array.ones(7))
    with pytest.raises(Exception, match="is gone|died|KilledWorker"):
        run_on_dask(client, die, x)


def test_workers_that_are_threads(cluster_of):
    with pytest.raises(ValueError, match="expected workers that are processes, found inproc://"):
        run_on_dask(cluster_of(1, processes=False), solve)
