# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Ranks of tessera.distributed that are workers of dask.distributed.

Messages are sent by dask's own connections, so that its security applies to them. The client installs an inbox on each
worker before the ranks start: a rank may send before another has begun.
"""

import asyncio
import pickle
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from tessera import _core
from tessera._names import dtype_of

_PATIENCE = 5  # seconds until a rank asks whether the sender is alive
_PING, _END = -1, -2  # instead of a message number


class _Inbox:
    """Messages to the ranks of one worker, until they are taken."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.messages: dict[tuple[str, int, int], bytes] = {}

    def put(self, run: str, sender: int, number: int, data: bytes) -> None:
        with self.changed:
            if number != _PING:
                self.messages[run, sender, number] = data
            self.changed.notify_all()

    def take(self, run: str, sender: int, number: int) -> bytes | None:
        """The message; None: it has not come in time."""
        with self.changed:
            self.changed.wait_for(lambda: not self.messages.keys().isdisjoint(self._keys(run, sender, number)), _PATIENCE)
            if (run, sender, number) in self.messages:
                return self.messages.pop((run, sender, number))
            if (run, sender, _END) in self.messages:
                raise RuntimeError(f"rank {sender}: {self.messages[run, sender, _END].decode()}")
            return None

    @staticmethod
    def _keys(run: str, sender: int, number: int) -> list[tuple[str, int, int]]:
        return [(run, sender, number), (run, sender, _END)]

    def forget(self, run: str) -> None:
        with self.changed:
            self.messages = {key: data for key, data in self.messages.items() if key[0] != run}


_inboxes: dict[str, _Inbox] = {}  # by worker's address


def _install(dask_worker: Any) -> None:
    inbox = _inboxes.setdefault(dask_worker.address, _Inbox())
    dask_worker.handlers["tessera_message"] = inbox.put


def _forget(run: str, dask_worker: Any) -> None:
    if dask_worker.address in _inboxes:  # not if dask has restarted the worker
        _inboxes[dask_worker.address].forget(run)


class DaskRanks:
    """One rank per worker, see tessera._ranks."""

    def __init__(self, run: str, addresses: Sequence[str], rank: int) -> None:
        from distributed import get_worker

        self.rank, self.size = rank, len(addresses)
        self._run, self._addresses, self._worker = run, addresses, get_worker()
        self._inbox = _inboxes[self._worker.address]
        self._number = 0

    def allgather(self, mine: Any) -> list[Any]:
        got = self._swap([pickle.dumps(mine)] * self.size)
        return [pickle.loads(data) for data in got]

    def gather(self, mine: Any, every: Any, counts: Sequence[int]) -> None:
        got = self._swap([mine.tobytes()] * self.size)
        every[:] = numpy.frombuffer(b"".join(got), every.dtype)

    def exchange(self, sent: Any, sizes: Sequence[int], got: Any, its_sizes: Sequence[int]) -> None:
        ends = numpy.cumsum(sizes)
        parts = [sent[end - size : end].tobytes() for end, size in zip(ends, sizes)]
        got[: sum(its_sizes)] = numpy.frombuffer(b"".join(self._swap(parts)), got.dtype)

    def _swap(self, to_each: Sequence[bytes]) -> list[bytes]:
        """Sends a message to each rank, and returns those of each."""
        self._number += 1
        self._send({rank: data for rank, data in enumerate(to_each) if rank != self.rank}, self._number)
        got = []
        for rank in range(self.size):
            data = to_each[rank] if rank == self.rank else self._inbox.take(self._run, rank, self._number)
            while data is None:
                self._send({rank: b""}, _PING)
                data = self._inbox.take(self._run, rank, self._number)
            got.append(data)
        return got

    def _send(self, messages: dict[int, bytes], number: int) -> None:
        from distributed.utils import sync

        async def send(rank: int, data: bytes) -> None:
            try:
                await self._worker.rpc(self._addresses[rank]).tessera_message(
                    run=self._run, sender=self.rank, number=number, data=data
                )
            except OSError as error:
                raise RuntimeError(f"rank {rank}: the worker {self._addresses[rank]} is gone: {error}") from error

        async def send_all() -> None:
            await asyncio.gather(*(send(rank, data) for rank, data in messages.items()))

        sync(self._worker.loop, send_all)

    def end(self, sentence: str) -> None:
        """Tells ranks that wait for this one that it has ended. Ranks that are gone do not wait."""
        for rank in range(self.size):
            if rank != self.rank:
                try:
                    self._send({rank: sentence.encode()}, _END)
                except RuntimeError:
                    pass


def _on_rank(run: str, addresses: Sequence[str], rank: int, program: Any, arguments: Sequence[Any], divided: Any) -> Any:
    """What a worker executes."""
    from tessera.distributed import World

    ranks = DaskRanks(run, addresses, rank)
    sentence = "its program has returned"
    try:
        whole = list(arguments)
        for place, rows in divided.items():
            whole[place] = numpy.ascontiguousarray(rows)
        # dask's buffers are not aligned.
        whole = [numpy.require(x, requirements="A") if isinstance(x, numpy.ndarray) else x for x in whole]
        return program(World(ranks), *whole)
    except BaseException as error:
        sentence = f"{type(error).__name__}: {error}"
        raise
    finally:
        ranks.end(sentence)


def run_on_dask(client: Any, program: Callable[..., Any], *arguments: Any) -> list[Any]:
    """Call program(world, *arguments) on all workers of a dask cluster, which are the ranks of world.

    Parameters
    ----------
    client : distributed.Client
        Client of a cluster whose workers are processes. Each worker needs Tessera and one free thread.
    program : callable
        Function that is called on each worker with a `World`, followed by `arguments`.
    *arguments : object
        Arguments of the program. Of a dask array, each worker receives its rows as a NumPy array. The first one with
        two dimensions determines the rows, the others must have the same number of rows.

    Returns
    -------
    list
        The results of all ranks.

    Raises
    ------
    ValueError
        If there are no workers, they are threads, or dask arrays have different numbers of rows.
    DistributedError
        If a rank fails in a call of `World` or of a solver.
    RuntimeError
        If a worker is lost, or a rank returns while another waits for it.

    Notes
    -----
    Calls for the same cluster run one after the other. Results are bitwise identical for any number of workers.

    Examples
    --------
    >>> import tessera.distributed
    >>> def solve(world, A, b):
    ...     return tessera.linalg.lsmr(world.matrix(A), b).x
    >>> x = tessera.distributed.run_on_dask(client, solve, A, b)[0]  # doctest: +SKIP
    """
    import uuid

    from distributed import Lock, as_completed, wait

    addresses = sorted(client.nthreads())
    name = "tessera.distributed.run_on_dask"
    if not addresses:
        raise ValueError(f"{name}: expected a client with workers, found none")
    if addresses[0].startswith("inproc://"):
        raise ValueError(f"{name}: expected workers that are processes, found {addresses[0]}; use processes=True")
    places = [k for k, x in enumerate(arguments) if hasattr(x, "chunks") and hasattr(x, "compute")]
    matrices = [arguments[k] for k in places if arguments[k].ndim == 2]
    for k in places:
        if not matrices or arguments[k].shape[0] != matrices[0].shape[0]:
            expected = f"{matrices[0].shape[0]} rows, as of the first matrix" if matrices else "a matrix among the dask arrays"
            raise ValueError(f"{name}: expected {expected}, found a dask array of shape {arguments[k].shape}")
    kept = [None if k in places else x for k, x in enumerate(arguments)]
    identity = uuid.uuid4().hex
    client.run(_install)
    futures = []
    with client.as_current(), Lock(name):  # two programs could wait for each other's workers
        try:
            parts = []
            for rank in range(len(addresses)):
                first, end = 0, 0
                if places:
                    itemsize = dtype_of(matrices[0].dtype).itemsize
                    first, end = _core._rows_of(*matrices[0].shape, itemsize, True, True, rank, len(addresses))
                parts.append({k: client.compute(arguments[k][first:end]) for k in places})
            # Ranks occupy threads, and wait for ranks that would still wait for their rows.
            wait([future for its in parts for future in its.values()])
            for rank, (address, divided) in enumerate(zip(addresses, parts)):
                futures.append(client.submit(
                    _on_rank, identity, addresses, rank, program, kept, divided, workers=[address],
                    allow_other_workers=False, pure=False, retries=0,
                ))  # fmt: skip
            for future in as_completed(futures):
                if future.status != "finished":
                    future.result()
            return [future.result() for future in futures]
        finally:
            client.cancel(futures)
            client.run(_forget, identity)
