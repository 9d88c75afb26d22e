# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Matrices whose rows lie on several processes, with the bits of one process.

Each rank has the rows that follow those of the rank before. What ranks tell each other is carried by mpi4py, with
whichever MPI it was built for, or by a process group of PyTorch: `World(torch.distributed.group.WORLD)`.

>>> import numpy as np, tessera.distributed
>>> from mpi4py import MPI
>>> world = tessera.distributed.World(MPI.COMM_WORLD)
>>> rows = world.rows_of(3, 2)  # of this rank
>>> A = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])[rows]
>>> world.atax(A, np.array([1.0, -1.0]))
array([ -9., -12.])
>>> M = world.matrix(A)  # for the solvers of tessera.linalg
>>> np.round(tessera.linalg.lsmr(M, A @ np.array([1.0, 2.0])).x, 6)
array([1., 2.])
"""

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from tessera import _arrays, _core, _ranks

__all__ = ["DistributedError", "Matrix", "World"]


class DistributedError(RuntimeError):
    """What went wrong on one rank, thrown on all. `rank` is that rank."""

    def __init__(self, rank: int, sentence: str) -> None:
        super().__init__(f"rank {rank}: {sentence}")
        self.rank = rank


class Matrix:
    """A matrix whose rows lie on all ranks, as `World.matrix` makes it.

    `tessera.linalg` takes it as it takes an array. `b` and `x0` of its calls: b is this rank's entries, x0 whole. Of
    the results x and vh are whole on every rank, u is this rank's rows. All ranks make the same calls, in the same
    order.
    """

    def __init__(self, world: "World", array: Any, by_rows: bool, dtype: Any, counts: Sequence[int]) -> None:
        first = sum(counts[: world.rank])
        self.world = world
        self.array = array  # this rank's rows
        self.order = "C" if by_rows else "F"
        self.dtype = dtype
        self.shape = (sum(counts), int(array.shape[1]))
        self.rows = slice(first, first + counts[world.rank])  # of the matrix, of this rank
        self._counts = counts

    def _whole(self, name: str, x: Any, copy: bool) -> Any:
        """All ranks' entries of a vector as long as a column."""

        def mine() -> Any:
            _require_entries("linalg", name, x, self._counts[self.world.rank])
            if _dtype_of(x) == self.dtype:
                return x
            if not copy:
                raise TypeError(f"linalg: {name} must have elements {self.dtype}, found {_dtype_of(x)}: see copy=True")
            return _arrays.copied(x, self.dtype.name)

        return self.world.gather_rows(self.world._together(mine))

    # What the compiled part calls within a solver. A rank that fails elsewhere leaves the solver, and meets the others
    # in the first exchange here.

    def _add(self, roots: Any, levels: Sequence[int], sums: Any) -> None:
        sums[:] = self.world._add_roots(lambda: (levels, roots), sums.shape[0], self.dtype)

    def _share(self, x: Any) -> None:
        x[:] = self.world._gather(lambda: x[self.rows], self._counts)


class World:
    """The ranks of an mpi4py communicator, or of a process group of torch.distributed; either is duplicated.

    Processes that torchrun starts, or a worker's of Dask, have a process group after
    `torch.distributed.init_process_group`, of any backend: messages are those of gloo, between hosts' memories. A group
    of some processes is taken if it is of gloo, and is not duplicated.

    All ranks call each method but `rank`, `size` and `rows_of`, with the same arguments but for
    their rows. A matrix is a rank's rows, or a `Matrix` made of them, vectors as long as a column are each rank's entries of
    them, and vectors as long as a row are whole on every rank. Where a rank throws, all throw a
    DistributedError with its sentence.
    """

    def __init__(self, comm: Any) -> None:
        self._ranks = _ranks.ranks_of(comm)
        if self.size == 1 and isinstance(self._ranks, _ranks.MpiRanks) and "TORCHELASTIC_RUN_ID" in os.environ:
            if int(os.environ.get("WORLD_SIZE", 1)) > 1:
                raise RuntimeError(
                    f"tessera.distributed.World: torchrun has started {os.environ['WORLD_SIZE']} processes, and MPI "
                    "knows of this one alone: take torch.distributed.group.WORLD"
                )

    @property
    def rank(self) -> int:
        return self._ranks.rank

    @property
    def size(self) -> int:
        return self._ranks.size

    def rows_of(
        self, m: int, n: int, *, dtype: Any = "float64", order: str = "C", blocks: bool = False
    ) -> slice:
        """The rows of a matrix of m x n that this rank has: about as many on each.

        `blocks=True` is for `tessera.linalg.randomized_svd`, which multiplies with blocks of vectors.
        """
        by_rows = _by_rows("rows_of", order)
        first, end = _core._rows_of(m, n, numpy.dtype(dtype).itemsize, by_rows, blocks, self.rank, self.size)
        return slice(first, end)

    def matrix(self, A: Any, *, order: str | None = None) -> Matrix:
        """The matrix of which A is this rank's rows, for the solvers of `tessera.linalg`."""
        return self._agree("matrix", A, order)

    def open(
        self,
        path: str | os.PathLike[str],
        *,
        dtype: Any = None,
        shape: tuple[int, int] | None = None,
        order: str = "C",
        blocks: bool = False,
    ) -> Matrix:
        """The matrix in a file that all ranks see, of which each maps the rows of `rows_of`.

        The file is .npy, or raw elements, whose `dtype`, `shape` and `order` are given. What does not stay in memory
        is read anew by each product.
        """

        def map_rows() -> tuple[Any, str]:
            whole = _mapped(os.fspath(path), dtype, shape, order)
            its_order = "C" if whole.flags.c_contiguous else "F"
            return whole[self.rows_of(*whole.shape, dtype=whole.dtype, order=its_order, blocks=blocks)], its_order

        rows, its_order = self._together(map_rows)
        return self.matrix(rows, order=its_order)

    def matvec(self, A: Any, x: Any, *, order: str | None = None) -> Any:
        """This rank's entries of A @ x; x is whole, a vector or a block of them."""
        a = self._agree("matvec", A, order)

        def product(x: Any) -> Any:
            return self._together(lambda: _core._matvec_part(a.array, x, a.shape[0], a.order == "C"))

        return self._each(a, x, a.array.shape[0], product)

    def rmatvec(self, A: Any, u: Any, *, order: str | None = None) -> Any:
        """A.T @ u, whole on every rank; u is this rank's entries, of a vector or of a block of them."""
        a = self._agree("rmatvec", A, order)

        def product(u: Any) -> Any:
            def part(first: int, end: int) -> Any:
                return _core._rmatvec_part(a.array[first:end], u[first:end], a.shape[0], a.order == "C")

            self._together(lambda: _require_entries("rmatvec", "u", u, a.array.shape[0]))
            return _arrays.of_numbers(u, self._sum(a, part), a.dtype)

        return self._each(a, u, a.shape[1], product)

    def atax(
        self,
        A: Any,
        v: Any,
        *,
        weights: Any = None,
        minus: Any = None,
        map: str | None = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        z: Any = None,
        return_b: bool = False,
        order: str | None = None,
    ) -> Any:
        """alpha * A.T @ f(A @ v) + beta * z, whole on every rank, each of which reads its rows once.

        f is that of `tessera.atax`, by `weights` or `minus`, which are this rank's entries, and `map`; z is whole. v
        may be a block of vectors, which are multiplied one after the other. With return_b=True the result is the pair
        C, B with B = f(A @ v), of which each rank has its entries.
        """
        kind, of_map = self._together(lambda: _core._map_of(weights, minus, map))
        a = self._agree("atax", A, order)
        self._require_alike("map, alpha, beta and return_b", (kind, float(alpha), float(beta), bool(return_b)))
        count = a.array.shape[0]

        def check() -> None:
            if kind:
                _require_entries("atax", "weights" if of_map is weights else "minus", of_map, count)
            if z is None and beta != 0:
                raise ValueError("atax: beta needs z")
            if z is not None:
                if getattr(v, "ndim", 0) != 1:
                    raise ValueError("atax: z is added to one vector, found a block of them")
                _require_entries("atax", "z", z, a.shape[1])

        self._together(check)

        def product(v: Any) -> Any:
            b = self._together(lambda: _arrays.empty(v, count, a.dtype.name)) if return_b else None

            def part(first: int, end: int) -> Any:
                its_map = of_map[first:end] if kind else None
                its_b = None if b is None else b[first:end]
                return _core._atax_part(a.array[first:end], v, a.shape[0], a.order == "C", kind, its_map, its_b)

            def add_terms() -> None:
                with numpy.errstate(all="ignore"):
                    numpy.multiply(sums, a.dtype.type(alpha), out=sums)
                if beta != 0:
                    _core.axpby(beta, _arrays.on_host(z), 1.0, sums)

            self._together(lambda: _require_entries("atax", "v", v, a.shape[1]))
            sums = self._sum(a, part)
            self._together(add_terms)
            c = _arrays.of_numbers(v, sums, a.dtype)
            return (c, _arrays.finished(b)) if return_b else c

        return self._each(a, v, (a.shape[1], count) if return_b else a.shape[1], product)

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
        def matvec(x: Any) -> Any:
            return self.gather_rows(self.matvec(A, _flat(x, a.dtype), order=order))

        def rmatvec(u: Any) -> Any:
            return self.rmatvec(A, _flat(u, a.dtype)[a.rows], order=order)

        return LinearOperator(a.shape, matvec=matvec, rmatvec=rmatvec, dtype=a.dtype)

    def NormalOperator(self, A: Any, *, order: str | None = None) -> Any:
        """A.T @ A as SciPy's LinearOperator, for eigsh, lobpcg and cg on every rank alike."""
        from scipy.sparse.linalg import LinearOperator

        a = self._agree("NormalOperator", A, order)

        def product(x: Any) -> Any:
            return self.atax(A, _flat(x, a.dtype), order=order)

        return LinearOperator((a.shape[1], a.shape[1]), matvec=product, rmatvec=product, dtype=a.dtype)

    def gather_rows(self, b: Any) -> Any:
        """All ranks' entries of a vector, on every rank, one rank's after the other's."""
        mine = self._together(lambda: numpy.ascontiguousarray(_arrays.on_host(b)))
        return _arrays.of_numbers(b, self._gather(lambda: mine, self._ranks.allgather(mine.shape[0])), mine.dtype)

    def _gather(self, mine: Callable[[], Any], counts: Sequence[int]) -> Any:
        """Vectors of all ranks, side by side; mine() is this rank's."""

        def prepare() -> tuple[Any, Any]:
            its = numpy.ascontiguousarray(mine())
            return its, numpy.empty(sum(counts), dtype=its.dtype)

        its, every = self._together(prepare)
        self._ranks.gather(its, every, counts)
        return every

    def _each(self, a: Matrix, x: Any, sizes: Any, product: Callable[[Any], Any]) -> Any:
        """product(x), or, of a block of vectors, the products with its columns side by side.

        `sizes` is how many entries a product has, or each of a pair of them.
        """
        self._require_alike("vectors", tuple(getattr(x, "shape", ()))[1:])
        if getattr(x, "ndim", 1) != 2:
            return product(x)
        count = x.shape[1]
        is_pair = isinstance(sizes, tuple)
        blocks = self._together(
            lambda: [_arrays.empty(x, (size, count), a.dtype.name) for size in (sizes if is_pair else (sizes,))]
        )
        for j in range(count):
            columns = product(x[:, j])
            for block, column in zip(blocks, columns if is_pair else (columns,), strict=True):
                block[:, j] = column
        results = tuple(_arrays.finished(block) for block in blocks)
        return results if is_pair else results[0]

    def _require_alike(self, name: str, mine: Any) -> None:
        every = self._ranks.allgather(mine)
        for rank, its in enumerate(every):
            if repr(its) != repr(every[0]):
                raise DistributedError(rank, f"expected what rank 0 has, {name} {every[0]}, found {its}")

    def _together(self, body: Callable[[], Any]) -> Any:
        """body() on each rank; where it throws on one, all throw."""
        error: Exception | None = None
        result = None
        try:
            result = body()
        except DistributedError:
            raise  # all have it already
        except Exception as thrown:
            error = thrown
        sentences = self._ranks.allgather(None if error is None else f"{type(error).__name__}: {error}")
        for rank, sentence in enumerate(sentences):
            if sentence is not None:
                raise DistributedError(rank, sentence) from error
        return result

    def _agree(self, operation: str, A: Any, order: str | None) -> Matrix:
        """A rank's rows as a matrix; all throw where ranks mean different calls."""
        if isinstance(A, Matrix):
            A, order = A.array, A.order

        def look() -> tuple[Any, ...]:
            if getattr(A, "ndim", 0) != 2:
                raise ValueError(f"A must be a matrix, found {type(A).__name__}")
            if isinstance(A, _core.StreamedMatrix):
                raise TypeError("A must be an array, found a streamed matrix: World.open opens a file on all ranks")
            dtype = _dtype_of(A)
            if dtype.name not in ("float32", "float64"):
                raise TypeError(f"A must have elements float32 or float64, found {dtype.name}")
            by_rows = _order_of(A) if order is None else _by_rows(operation, order)
            return operation, dtype.name, A.shape[1], by_rows, A.shape[0]

        mine = self._together(look)
        every = self._ranks.allgather(mine)
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
        by_rows = orders.pop() if orders else True
        return Matrix(self, A, by_rows, numpy.dtype(mine[1]), [int(its[4]) for its in every])

    def _sum(self, a: Matrix, part: Callable[[int, int], Any]) -> Any:
        """The sum over all ranks' rows; part(first, end) is that of some of this rank's."""
        m, n = a.shape
        if m == 0 or n == 0:
            return numpy.zeros(n, dtype=a.dtype)

        def make_roots() -> tuple[list[int], Any]:
            parts = _core._parts_of(m, n, a.dtype.itemsize, a.order == "C", a.rows.start, a.array.shape[0])
            roots = numpy.empty((len(parts), n), dtype=a.dtype)
            for root, (first, end, _) in zip(roots, parts, strict=True):
                root[:] = _arrays.on_host(part(first, end))
            return [level for _, _, level in parts], roots

        return self._add_roots(make_roots, n, a.dtype)

    def _add_roots(self, make: Callable[[], tuple[Sequence[int], Any]], length: int, dtype: Any) -> Any:
        """The tree over the sums of all ranks' aligned subtrees: docs/distributed.md.

        make() is the levels of this rank's, and the sums, one a row. Each rank owns a slice of the columns, adds it,
        and hands it to all.
        """
        own, roots = self._together(make)
        levels = self._ranks.allgather(own)
        of_all = [level for its in levels for level in its]
        width = max(1, _MOST_ELEMENTS // len(of_all))  # of one exchange
        sums = self._together(lambda: numpy.empty(length, dtype=dtype))
        for begin in range(0, length, width):
            end = min(begin + width, length)
            self._add_columns(roots[:, begin:end], [len(its) for its in levels], of_all, sums[begin:end])
        return sums

    def _add_columns(self, roots: Any, counts: Sequence[int], levels: Sequence[int], sums: Any) -> None:
        """The same of as many columns as one exchange has; counts[r] roots are rank r's."""
        length = sums.shape[0]
        edges = [length * r // self.size for r in range(self.size + 1)]
        widths = [edges[r + 1] - edges[r] for r in range(self.size)]
        width = widths[self.rank]

        def pack() -> tuple[Any, Any]:
            slices = [roots[:, edges[r] : edges[r + 1]].ravel() for r in range(self.size)]
            return numpy.concatenate(slices), numpy.empty((len(levels), width), dtype=sums.dtype)

        sent, got = self._together(pack)
        sizes = [roots.shape[0] * w for w in widths]
        its_sizes = [count * width for count in counts]
        self._ranks.exchange(sent, sizes, got.reshape(-1), its_sizes)
        mine = self._together(lambda: _add_tree(got, levels))
        self._ranks.gather(mine, sums, widths)


# Elements of one exchange at most: MPI counts them in 32 bits.
_MOST_ELEMENTS = 2**28


def _add_tree(vectors: Any, levels: Sequence[int]) -> Any:
    """Two subtrees of one level that follow each other are halves of the next."""
    waiting: list[tuple[Any, int]] = []

    def join() -> None:
        right, _ = waiting.pop()
        left, level = waiting.pop()
        waiting.append((left + right, level + 1))

    with numpy.errstate(all="ignore"):  # an infinity is what one process finds, too
        for vector, level in zip(vectors, levels, strict=True):
            waiting.append((vector, level))
            while len(waiting) > 1 and waiting[-1][1] == waiting[-2][1]:
                join()
        while len(waiting) > 1:
            join()
        return waiting[0][0] + waiting[0][0].dtype.type(0)


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


def _dtype_of(x: Any) -> Any:
    return numpy.dtype(str(x.dtype).removeprefix("torch."))


def _strides(A: Any) -> tuple[int, int]:
    if hasattr(A, "strides"):
        return A.strides[0] // A.dtype.itemsize, A.strides[1] // A.dtype.itemsize
    return A.stride(0), A.stride(1)  # of torch


def _require_entries(operation: str, name: str, x: Any, entries: int) -> None:
    if tuple(getattr(x, "shape", ())) != (entries,):
        raise ValueError(f"{operation}: {name} must have {entries} entries, found {getattr(x, 'shape', None)}")


def _mapped(path: str, dtype: Any, shape: tuple[int, int] | None, order: str) -> Any:
    """The matrix in a file, which is mapped as it is."""
    if (dtype is None) != (shape is None):
        raise ValueError("open: dtype and shape are those of raw elements: expected both of them or neither")
    by_rows = _by_rows("open", order)
    try:
        if shape is None:
            whole = numpy.load(path, mmap_mode="r", allow_pickle=False)
        else:
            whole = numpy.memmap(path, dtype, "r", shape=tuple(shape), order="C" if by_rows else "F")
    except ValueError as error:
        raise ValueError(f"open: {path}: {error}") from error
    if getattr(whole, "ndim", 0) != 2:
        raise ValueError(f"open: expected a matrix in {path}, found {getattr(whole, 'shape', type(whole).__name__)}")
    if shape is not None and whole.nbytes != os.path.getsize(path):
        raise ValueError(f"open: {path} has {os.path.getsize(path)} bytes, and {whole.shape} of {whole.dtype} {whole.nbytes}")
    return whole


def _column(x: Any) -> Any:
    if getattr(x, "ndim", 0) != 1:
        raise ValueError(f"dot: x must be a vector, found {type(x).__name__}")
    return x.reshape(-1, 1)


def _flat(x: Any, dtype: Any) -> Any:
    return numpy.ascontiguousarray(_arrays.real(numpy.asarray(x)), dtype=dtype).reshape(-1)
