# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""What carries messages between the ranks of tessera.distributed: MPI, a process group of PyTorch, or dask.

All have `rank`, `size`, `allgather(object)`, a list of all ranks' objects, and

- `gather(mine, every, counts)`: every = all ranks' vectors, one after the other, of counts[r] elements;
- `exchange(sent, sizes, got, its_sizes)`: the first sizes[0] elements of `sent` go to rank 0, the next sizes[1] to
  rank 1, ...; got = what comes, its_sizes[0] elements from rank 0, ...

on vectors of NumPy that are contiguous, of one dtype, the same on all ranks, whose elements have a fixed size.
"""

import os
import pickle
import sys
import weakref
from collections.abc import Sequence
from typing import Any

import numpy

from tessera._dask import DaskRanks


def ranks_of(comm: Any) -> "MpiRanks | TorchRanks | DaskRanks":
    """The ranks of an mpi4py communicator, of a process group of torch.distributed, or of workers of dask."""
    if isinstance(comm, DaskRanks):
        return comm
    if comm is None:
        raise RuntimeError(
            "tessera.distributed.World: comm is None, as torch.distributed.group.WORLD is before "
            "torch.distributed.init_process_group"
        )
    torch_group = getattr(sys.modules.get("torch.distributed"), "ProcessGroup", None)
    if torch_group is not None and isinstance(comm, torch_group):
        return TorchRanks(comm)
    for name in ("Dup", "allgather", "Alltoallv", "Allgatherv"):
        if not hasattr(comm, name):
            raise TypeError(
                "tessera.distributed.World: comm must be a communicator of mpi4py or a process group of "
                f"torch.distributed, found {type(comm).__name__}"
            )
    return MpiRanks(comm)


class MpiRanks:
    """Those of the duplicate of an mpi4py communicator."""

    def __init__(self, comm: Any) -> None:
        self._comm = _duplicate(comm)
        self.rank = int(comm.Get_rank())
        self.size = int(comm.Get_size())
        if self.size == 1:
            _require_known_launcher(comm)

    def allgather(self, mine: Any) -> list[Any]:
        return list(self._comm.allgather(mine))

    def gather(self, mine: Any, every: Any, counts: Sequence[int]) -> None:
        kind = _mpi_type(every.dtype)
        sent = [_as_bytes(mine), (counts[self.rank], 0), kind]
        self._comm.Allgatherv(sent, [_as_bytes(every), (counts, begins(counts)), kind])

    def exchange(self, sent: Any, sizes: Sequence[int], got: Any, its_sizes: Sequence[int]) -> None:
        kind = _mpi_type(sent.dtype)
        self._comm.Alltoallv([sent, (sizes, begins(sizes)), kind], [got, (its_sizes, begins(its_sizes)), kind])


class TorchRanks:
    """Those of a process group of torch.distributed, by its backend gloo.

    A group of all processes is duplicated once, of whatever backend it is. A group of some of them must be of gloo:
    PyTorch makes groups by calls of all processes.
    """

    def __init__(self, group: Any) -> None:
        import torch.distributed as dist

        self._torch, self._dist = sys.modules["torch"], dist
        if not dist.is_initialized():
            raise RuntimeError("tessera.distributed.World: the process group is destroyed")
        if dist.get_world_size(group) == dist.get_world_size():
            group = _duplicate_of_group(dist, group)
        elif "gloo" not in dist.get_backend(group):  # also for cpu:gloo,cuda:nccl
            raise ValueError(
                "tessera.distributed.World: a group of some processes must have the backend gloo, found "
                f'{dist.get_backend(group)}: torch.distributed.new_group(ranks, backend="gloo")'
            )
        self._group = group
        self.rank = int(dist.get_rank(group))
        self.size = int(dist.get_world_size(group))
        self._of_all = [dist.get_global_rank(group, rank) for rank in range(self.size)]  # ranks in messages

    def allgather(self, mine: Any) -> list[Any]:
        """One round of messages where objects are short, a second for what is longer."""
        text = pickle.dumps(mine)
        message = len(text).to_bytes(8, "little") + text
        firsts = self._gather_bytes(message[:_SHORT].ljust(_SHORT), [_SHORT] * self.size)
        ends = [8 + int.from_bytes(first[:8], "little") for first in firsts]
        rests = self._gather_bytes(message[_SHORT:], [max(0, end - _SHORT) for end in ends])
        return [pickle.loads((first + rest)[8:end]) for first, rest, end in zip(firsts, rests, ends, strict=True)]

    def _gather_bytes(self, mine: bytes, counts: Sequence[int]) -> list[bytes]:
        every = numpy.empty(sum(counts), dtype=numpy.uint8)
        self.gather(numpy.frombuffer(mine, dtype=numpy.uint8), every, counts)
        return [every[begin : begin + count].tobytes() for begin, count in zip(begins(counts), counts, strict=True)]

    def gather(self, mine: Any, every: Any, counts: Sequence[int]) -> None:
        every[sum(counts[: self.rank]) :][: counts[self.rank]] = mine
        size = every.dtype.itemsize
        parts = self._torch.from_numpy(_as_bytes(every)).split([count * size for count in counts])
        messages = [
            self._dist.broadcast(part, sender, group=self._group, async_op=True)
            for part, sender in zip(parts, self._of_all, strict=True)
            if part.numel() > 0
        ]
        for message in messages:
            message.wait()

    def exchange(self, sent: Any, sizes: Sequence[int], got: Any, its_sizes: Sequence[int]) -> None:
        to_each = self._torch.from_numpy(sent).split(list(sizes))
        from_each = self._torch.from_numpy(got).split(list(its_sizes))
        messages = []
        for rank, other in enumerate(self._of_all):
            if rank == self.rank:
                from_each[rank].copy_(to_each[rank])
                continue
            if from_each[rank].numel() > 0:
                messages.append(self._dist.irecv(from_each[rank], other, group=self._group, tag=_TAG))
            if to_each[rank].numel() > 0:
                messages.append(self._dist.isend(to_each[rank], other, group=self._group, tag=_TAG))
        for message in messages:
            message.wait()


# Bytes of the first message; eight hold the object's length.
_SHORT = 256

# Of messages in a group that its owner also uses.
_TAG = 20739


def begins(counts: Sequence[int]) -> list[int]:
    return [sum(counts[:i]) for i in range(len(counts))]


_keyval: int | None = None  # attribute with a communicator's duplicate
_types: dict[int, Any] = {}  # by bytes per element


def _duplicate(comm: Any) -> Any:
    """The communicator's duplicate, which is made once: MPI has some thousands of communicators only.

    It is an attribute of the communicator, and is freed with it.
    """
    from mpi4py import MPI  # the caller has a communicator

    global _keyval
    if comm == MPI.COMM_NULL:
        raise ValueError("tessera.distributed.World: comm is MPI.COMM_NULL: this process is not in the communicator")
    if comm.Is_inter():
        raise ValueError(
            "tessera.distributed.World: comm must be an intracommunicator, found an intercommunicator: its Merge() makes one"
        )
    if _keyval is None:
        _keyval = MPI.Comm.Create_keyval(delete_fn=_free_duplicate)
    duplicate = comm.Get_attr(_keyval)
    if duplicate is None:
        duplicate = comm.Dup()
        comm.Set_attr(_keyval, duplicate)
    return duplicate


# Of PyTorch's groups of all processes. Each owns threads and sockets until the groups are
# destroyed.
_groups: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()


def _duplicate_of_group(dist: Any, group: Any) -> Any:
    """The duplicate of a group of all processes, which is made once; all make it in the same call.

    It ends in destroy_process_group, as the group does.
    """
    duplicate = _groups.get(group)
    if duplicate is None:
        duplicate = dist.new_group(backend="gloo")
        _groups[group] = duplicate
    return duplicate


def _free_duplicate(comm: Any, keyval: int, duplicate: Any) -> None:
    from mpi4py import MPI

    if comm not in (MPI.COMM_WORLD, MPI.COMM_SELF):  # these live as long as MPI
        duplicate.Free()


def _require_known_launcher(comm: Any) -> None:
    """Refuses to be one of several processes that MPI does not know of: each would do the whole work."""
    from mpi4py import MPI

    if comm == MPI.COMM_SELF or MPI.COMM_WORLD.Get_size() > 1:
        return
    if "TORCHELASTIC_RUN_ID" in os.environ and int(os.environ.get("WORLD_SIZE", 1)) > 1:
        raise RuntimeError(
            f"tessera.distributed.World: torchrun has started {os.environ['WORLD_SIZE']} processes, and MPI "
            "knows of this one alone: take torch.distributed.group.WORLD"
        )
    for name in ("PMI_SIZE", "SLURM_STEP_NUM_TASKS"):
        text = os.environ.get(name, "1")
        if text.isdecimal() and int(text) > 1:
            raise RuntimeError(
                f"tessera.distributed.World: {text} processes are started ({name}), and MPI knows of this one alone: "
                "start them with the launcher of mpi4py's MPI (such as srun --mpi=pmix), or pass MPI.COMM_SELF for one "
                "World per process"
            )


def _mpi_type(dtype: Any) -> Any:
    from mpi4py import MPI

    if dtype in (numpy.float32, numpy.float64):
        return MPI.FLOAT if dtype == numpy.float32 else MPI.DOUBLE
    if dtype.itemsize not in _types:
        _types[dtype.itemsize] = MPI.BYTE.Create_contiguous(dtype.itemsize).Commit()
    return _types[dtype.itemsize]


def _as_bytes(x: Any) -> Any:
    """The bytes of a contiguous vector, for libraries that do not know its dtype."""
    return x.view(numpy.uint8) if x.size > 0 else numpy.empty(0, numpy.uint8)
