# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Matrices whose rows lie on several processes of MPI, with the bits of one process.

Each rank has the rows that follow those of the rank before. mpi4py carries what ranks tell each
other, by whichever MPI it was built for.

>>> import numpy as np, tessera.distributed
>>> from mpi4py import MPI
>>> world = tessera.distributed.World(MPI.COMM_WORLD)
>>> rows = world.rows_of(3, 2)  # of this rank
>>> A = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])[rows]
>>> world.atax(A, np.array([1.0, -1.0]))
array([ -9., -12.])
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy

from tessera import _arrays, _core

__all__ = ["DistributedError", "World"]


class DistributedError(RuntimeError):
    """What went wrong on one rank, thrown on all. `rank` is that rank."""

    def __init__(self, rank: int, sentence: str) -> None:
        super().__init__(f"rank {rank}: {sentence}")
        self.rank = rank


class _Matrix:
    """A rank's rows of a matrix, and what all ranks know of the whole one."""

    def __init__(self, rows: Any, by_rows: bool, dtype: Any, counts: Sequence[int], rank: int) -> None:
        self.rows = rows
        self.by_rows = by_rows
        self.dtype = dtype
        self.counts = counts
        self.m = sum(counts)
        self.n = rows.shape[1]
        self.first = sum(counts[:rank])


class World:
    """The ranks of an mpi4py communicator, which is duplicated.

    All ranks call each method but `rank`, `size` and `rows_of`, with the same arguments but for
    their rows. A matrix is a rank's rows, vectors as long as a column are each rank's entries of
    them, and vectors as long as a row are whole on every rank. Where a rank throws, all throw a
    DistributedError with its sentence.
    """

    def __init__(self, comm: Any) -> None:
        for name in ("Dup", "allgather", "Alltoallv", "Allgatherv"):
            if not hasattr(comm, name):
                raise TypeError(
                    f"tessera.distributed.World: comm must be a communicator of mpi4py, found {type(comm).__name__}"
                )
        self._comm = comm.Dup()

    @property
    def rank(self) -> int:
        return int(self._comm.Get_rank())

    @property
    def size(self) -> int:
        return int(self._comm.Get_size())

    def rows_of(self, m: int, n: int, *, dtype: Any = "float64", order: str = "C") -> slice:
        """The rows of a matrix of m x n that this rank has: about as many on each."""
        by_rows = _by_rows("rows_of", order)
        first, end = _core._rows_of(m, n, numpy.dtype(dtype).itemsize, by_rows, self.rank, self.size)
        return slice(first, end)

    def matvec(self, A: Any, x: Any, *, order: str | None = None) -> Any:
        """This rank's entries of A @ x; x is whole."""
        a = self._agree("matvec", A, order)
        return self._together(lambda: _core._matvec_part(a.rows, x, a.m, a.by_rows))

    def rmatvec(self, A: Any, u: Any, *, order: str | None = None) -> Any:
        """A.T @ u, whole on every rank; u is this rank's entries."""
        a = self._agree("rmatvec", A, order)

        def part(first: int, end: int) -> Any:
            return _core._rmatvec_part(a.rows[first:end], u[first:end], a.m, a.by_rows)

        self._together(lambda: _require_entries("rmatvec", "u", u, a.rows.shape[0]))
        return self._sum(a, part, like=u)

    def atax(
        self,
        A: Any,
        v: Any,
        *,
        weights: Any = None,
        minus: Any = None,
        return_b: bool = False,
        order: str | None = None,
    ) -> Any:
        """A.T @ f(A @ v), whole on every rank, each of which reads its rows once.

        f is the identity; `weights` w makes it w * b, `minus` y makes it b - y, each this rank's
        entries. With return_b=True the result is the pair C, B, where B is this rank's entries.
        """
        a = self._agree("atax", A, order)
        count = a.rows.shape[0]
        if weights is not None and minus is not None:
            raise ValueError("tessera.distributed.World.atax: expected weights or minus, found both")
        name, of_map = ("weights", weights) if weights is not None else ("minus", minus)
        if of_map is None:
            name = ""
        else:
            self._together(lambda: _require_entries("atax", name, of_map, count))
        b = self._together(lambda: _arrays.empty(v, count, a.dtype.name)) if return_b else None

        def part(first: int, end: int) -> Any:
            its_map = None if of_map is None else of_map[first:end]
            its_b = None if b is None else b[first:end]
            return _core._atax_part(a.rows[first:end], v, a.m, a.by_rows, name, its_map, its_b)

        self._together(lambda: _require_entries("atax", "v", v, a.n))
        c = self._sum(a, part, like=v)
        return (c, b) if return_b else c

    def dot(self, x: Any, y: Any) -> float:
        """x @ y of vectors that lie on all ranks, with the bits of `tessera.dot`."""
        column = self._together(lambda: _column(x))
        return float(self.rmatvec(column, y, order="F")[0])

    def aslinearoperator(self, A: Any, *, order: str | None = None) -> Any:
        """A as SciPy's LinearOperator, for its lsqr, lsmr and svds on every rank alike.

        Vectors are whole on every rank, so that all decide the same.
        """
        from scipy.sparse.linalg import LinearOperator

        a = self._agree("aslinearoperator", A, order)
        mine = slice(a.first, a.first + a.rows.shape[0])

        def matvec(x: Any) -> Any:
            return self.gather_rows(self.matvec(A, _flat(x, a.dtype), order=order))

        def rmatvec(u: Any) -> Any:
            return self.rmatvec(A, _flat(u, a.dtype)[mine], order=order)

        return LinearOperator((a.m, a.n), matvec=matvec, rmatvec=rmatvec, dtype=a.dtype)

    def NormalOperator(self, A: Any, *, order: str | None = None) -> Any:
        """A.T @ A as SciPy's LinearOperator, for eigsh, lobpcg and cg on every rank alike."""
        from scipy.sparse.linalg import LinearOperator

        a = self._agree("NormalOperator", A, order)

        def product(x: Any) -> Any:
            return self.atax(A, _flat(x, a.dtype), order=order)

        return LinearOperator((a.n, a.n), matvec=product, rmatvec=product, dtype=a.dtype)

    def gather_rows(self, b: Any) -> Any:
        """All ranks' entries of a vector, on every rank, one rank's after the other's."""
        mine = self._together(lambda: numpy.ascontiguousarray(_arrays.on_host(b)))
        counts = self._comm.allgather(mine.shape[0])
        every = numpy.empty(sum(counts), dtype=mine.dtype)
        self._comm.Allgatherv(mine, [every, (counts, _begins(counts)), _mpi_type(mine.dtype)])
        return _arrays.of_numbers(b, every, mine.dtype)

    def _together(self, body: Callable[[], Any]) -> Any:
        """body() on each rank; where it throws on one, all throw."""
        error: Exception | None = None
        result = None
        try:
            result = body()
        except Exception as thrown:
            error = thrown
        sentences = self._comm.allgather(None if error is None else f"{type(error).__name__}: {error}")
        for rank, sentence in enumerate(sentences):
            if sentence is not None:
                raise DistributedError(rank, sentence) from error
        return result

    def _agree(self, operation: str, A: Any, order: str | None) -> _Matrix:
        """What this rank has of a matrix; all throw where ranks mean different calls."""

        def look() -> tuple[Any, ...]:
            if getattr(A, "ndim", 0) != 2:
                raise ValueError(f"A must be a matrix, found {type(A).__name__}")
            dtype = numpy.dtype(str(A.dtype).removeprefix("torch."))
            if dtype.name not in ("float32", "float64"):
                raise TypeError(f"A must have elements float32 or float64, found {dtype.name}")
            by_rows = _order_of(A) if order is None else _by_rows(operation, order)
            return operation, dtype.name, A.shape[1], by_rows, A.shape[0]

        mine = self._together(look)
        every = self._comm.allgather(mine)
        names = ("operation", "dtype", "columns")
        for rank, its in enumerate(every):
            for name, found, expected in zip(names, its, every[0], strict=False):
                if found != expected:
                    raise DistributedError(
                        rank, f"{operation}: expected what rank 0 has, {name} {expected}, found {found}"
                    )
        # A rank with one row or none has either order.
        orders = {its[3] for its in every if its[3] is not None and its[4] > 0}
        if len(orders) > 1:
            raise DistributedError(0, f"{operation}: ranks have rows in different orders")
        return _Matrix(A, orders.pop() if orders else True, numpy.dtype(mine[1]), [its[4] for its in every], self.rank)

    def _sum(self, a: _Matrix, part: Callable[[int, int], Any], like: Any) -> Any:
        """The tree over the sums of all ranks' aligned subtrees: docs/distributed.md.

        Each rank owns a slice of the columns, adds it, and hands it to all.
        """
        if a.m == 0 or a.n == 0:
            return _arrays.of_numbers(like, numpy.zeros(a.n), a.dtype)

        def make_roots() -> tuple[list[int], Any]:
            parts = _core._parts_of(a.m, a.n, a.dtype.itemsize, a.by_rows, a.first, a.counts[self.rank])
            roots = numpy.empty((len(parts), a.n), dtype=a.dtype)
            for root, (first, end, _) in zip(roots, parts, strict=True):
                root[:] = _arrays.on_host(part(first, end))
            return [level for _, _, level in parts], roots

        own, roots = self._together(make_roots)
        levels = self._comm.allgather(own)
        edges = [a.n * r // self.size for r in range(self.size + 1)]
        widths = [edges[r + 1] - edges[r] for r in range(self.size)]
        width = widths[self.rank]
        kind = _mpi_type(a.dtype)

        def pack() -> tuple[Any, Any, Any]:
            slices = [roots[:, edges[r] : edges[r + 1]].ravel() for r in range(self.size)]
            count = sum(len(its) for its in levels)
            return (
                numpy.concatenate(slices),
                numpy.empty((count, width), dtype=a.dtype),
                numpy.empty(a.n, dtype=a.dtype),
            )

        sent, got, sums = self._together(pack)
        counts = [len(own) * w for w in widths]
        its_counts = [len(its) * width for its in levels]
        self._comm.Alltoallv(
            [sent, (counts, _begins(counts)), kind], [got, (its_counts, _begins(its_counts)), kind]
        )
        mine = _add_tree(got, [level for its in levels for level in its])
        self._comm.Allgatherv([mine, width, kind], [sums, (widths, _begins(widths)), kind])
        return _arrays.of_numbers(like, sums, a.dtype)


def _add_tree(vectors: Any, levels: Sequence[int]) -> Any:
    """Two subtrees of one level that follow each other are halves of the next."""
    waiting: list[tuple[Any, int]] = []

    def join() -> None:
        right, _ = waiting.pop()
        left, level = waiting.pop()
        waiting.append((left + right, level + 1))

    for vector, level in zip(vectors, levels, strict=True):
        waiting.append((vector, level))
        while len(waiting) > 1 and waiting[-1][1] == waiting[-2][1]:
            join()
    while len(waiting) > 1:
        join()
    return waiting[0][0] + waiting[0][0].dtype.type(0)


def _begins(counts: Sequence[int]) -> list[int]:
    return [sum(counts[:i]) for i in range(len(counts))]


def _mpi_type(dtype: Any) -> Any:
    from mpi4py import MPI  # whoever has a communicator has it

    return MPI.FLOAT if dtype.itemsize == 4 else MPI.DOUBLE


def _by_rows(operation: str, order: str) -> bool:
    if order not in ("C", "F"):
        raise ValueError(f"tessera.distributed.World.{operation}: order must be 'C' or 'F', found {order!r}")
    return order == "C"


def _order_of(A: Any) -> bool | None:
    """Whether rows are contiguous; None where one row, or one column, says neither."""
    down, across = _strides(A)
    if A.shape[0] < 2:
        return None if across == 1 else False
    return across == 1 and (A.shape[1] > 1 or down == 1)


def _strides(A: Any) -> tuple[int, int]:
    if hasattr(A, "strides"):
        return A.strides[0] // A.dtype.itemsize, A.strides[1] // A.dtype.itemsize
    return A.stride(0), A.stride(1)  # of torch


def _require_entries(operation: str, name: str, x: Any, entries: int) -> None:
    if tuple(getattr(x, "shape", ())) != (entries,):
        raise ValueError(f"{operation}: {name} must have {entries} entries, found {getattr(x, 'shape', None)}")


def _column(x: Any) -> Any:
    if getattr(x, "ndim", 0) != 1:
        raise ValueError(f"dot: x must be a vector, found {type(x).__name__}")
    return x.reshape(-1, 1)


def _flat(x: Any, dtype: Any) -> Any:
    return numpy.ascontiguousarray(x, dtype=dtype).reshape(-1)
