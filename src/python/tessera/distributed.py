# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Matrices whose rows are distributed over several processes. Results are bitwise identical to those of one process.

Each rank owns consecutive rows, in the order of the ranks. Messages are sent by mpi4py, with any MPI library, or by a
process group of PyTorch: `World(torch.distributed.group.WORLD)`.

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

import hashlib
import numbers
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from tessera import _arrays, _core, _dask, _docs, _matrices, _operators, _ranks, _sources
from tessera._core import StreamedMatrix
from tessera._names import dtype_of, order_of

__all__ = ["DistributedError", "Matrix", "World", "run_on_dask"]


def __dir__() -> list[str]:
    return list(__all__)


class DistributedError(RuntimeError):
    """Error of one rank, raised on all ranks.

    Parameters
    ----------
    rank : int
        Rank that failed.
    sentence : str
        Its error message.

    Attributes
    ----------
    rank : int
        Rank that failed.
    """

    def __init__(self, rank: int, sentence: str) -> None:
        super().__init__(f"rank {rank}: {sentence}")
        self.rank = rank


class Matrix:
    """Matrix whose rows are distributed over all ranks.

    Use `World.matrix` or `World.open` to create one.

    Attributes
    ----------
    shape : tuple of int
        Shape (m, n) of the whole matrix.
    dtype : numpy.dtype
        Type of the elements, float32 or float64.
    order : {"C", "F"}
        Layout: "C" is row-major, "F" is column-major.
    array : array
        The rows of this rank.
    rows : slice
        Position of these rows in the whole matrix.
    world : World
        The ranks.

    Notes
    -----
    The functions of `tessera.linalg` accept it as A. Then `b` has this rank's entries, and `x0` is complete on every
    rank. In results, x and vh are complete on every rank, and u has this rank's rows. All ranks must make the same
    calls in the same order.
    """

    def __init__(self, world: "World", array: Any, by_rows: bool, dtype: Any, counts: Sequence[int]) -> None:
        first = sum(counts[: world.rank])
        self.world = world
        self.array = array  # this rank's
        self.order = "C" if by_rows else "F"
        self.dtype = dtype
        self.shape = (sum(counts), int(array.shape[1]))
        self.rows = slice(first, first + counts[world.rank])  # of the whole matrix
        self._counts = counts
        # As products with blocks of vectors need.
        segment = 1024 // numpy.dtype(dtype).itemsize
        starts = [sum(counts[:rank]) for rank in range(len(counts)) if counts[rank] > 0]
        self._in_segments = all(start % segment == 0 for start in starts)

    def __repr__(self) -> str:
        return f"<tessera.distributed.Matrix of {self.shape[0]} x {self.shape[1]}, {self.dtype}, rows from {self.rows.start} on>"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """NumPy calls it. Without it an array of one object would be made, which is misleading."""
        raise TypeError(
            f"tessera: expected an array, found a distributed matrix of shape {self.shape}: the methods of its World and the "
            "functions of tessera.linalg take it; array is that of this rank"
        )

    def _whole(self, name: str, x: Any, copy: bool) -> Any:
        """All ranks' entries of a vector as long as a column."""

        def mine() -> Any:
            nonlocal x
            x = _arrays.array(x) if copy else x
            _require_entries("linalg", name, x, self._counts[self.world.rank])
            if _dtype_of(x) == self.dtype:
                return x
            if not copy:
                raise TypeError(f"linalg: {name} must have elements {self.dtype}, found {_dtype_of(x)}; copy=True makes a copy")
            return _arrays.copied(x, self.dtype.name)

        return self.world.gather_rows(self.world._together(mine))

    # Called by the compiled part within a solver. A rank that has failed and left meets the others
    # here.

    def _add(self, roots: Any, levels: Sequence[int], sums: Any, fields: int) -> None:
        sums[:] = self.world._add_roots(lambda: (levels, roots), sums.shape[0], sums.dtype, fields)

    def _share(self, x: Any) -> None:
        x[:] = self.world._gather(lambda: x[self.rows], self._counts)


class World:
    """Products of matrices whose rows are distributed over the ranks of a communicator.

    Parameters
    ----------
    comm : mpi4py.MPI.Intracomm or torch.distributed.ProcessGroup
        Communicator of mpi4py, or process group of PyTorch. It is duplicated. All World objects of one communicator
        or group share the duplicate. A communicator frees it at its own end, PyTorch in destroy_process_group().

    Raises
    ------
    TypeError
        If `comm` is neither a communicator nor a process group.
    ValueError
        If `comm` is an intercommunicator.
    RuntimeError
        If the launcher started several processes, but the MPI library of mpi4py found only one.

    Notes
    -----
    All ranks must call each method, except `rank`, `size` and `rows_of`, with the same arguments except their rows. A
    is the array of this rank's rows, or a `Matrix`. Vectors of m entries are distributed: each rank passes its own
    entries. Vectors of n entries are complete on every rank. If a rank fails, all ranks raise a `DistributedError`
    with its message.

    Processes started by torchrun have a process group after `torch.distributed.init_process_group`. The
    group of all processes may use any backend; messages use gloo, between the hosts' memories. A group of some
    processes must use gloo, and is not duplicated.

    Examples
    --------
    >>> import numpy as np, tessera.distributed
    >>> from mpi4py import MPI
    >>> world = tessera.distributed.World(MPI.COMM_SELF)  # COMM_WORLD under mpirun
    >>> world.atax(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, -1.0]))
    array([-4., -6.])
    """

    def __init__(self, comm: Any) -> None:
        self._ranks = _ranks.ranks_of(comm)
        self._told: BaseException | None = None  # this rank's error, known to all ranks

    @property
    def rank(self) -> int:
        """Number of this process, starting at 0."""
        return self._ranks.rank

    @property
    def size(self) -> int:
        """Number of processes."""
        return self._ranks.size

    def rows_of(
        self, m: int, n: int, *, dtype: Any = "float64", order: str = "C", blocks: bool = False
    ) -> slice:
        """Return the rows that this rank owns of a matrix of shape (m, n).

        Parameters
        ----------
        m, n : int
            Shape of the whole matrix.
        dtype : data-type, default "float64"
            Type of the elements, float32 or float64.
        order : {"C", "F"}, default "C"
            Layout: "C" is row-major, "F" is column-major.
        blocks

        Returns
        -------
        slice
            Rows of this rank. All ranks own about the same number of rows.

        Raises
        ------
        ValueError
            If a size is negative, or an argument is unknown.

        Examples
        --------
        >>> import numpy as np, tessera.distributed
        >>> from mpi4py import MPI
        >>> world = tessera.distributed.World(MPI.COMM_SELF)
        >>> world.rows_of(3, 2)
        slice(0, 3, None)
        """
        by_rows = _by_rows("rows_of", order)
        if not isinstance(m, numbers.Integral) or not isinstance(n, numbers.Integral):
            raise TypeError(f"tessera.distributed.World.rows_of: expected whole numbers, found {m!r} x {n!r}")
        if m < 0 or n < 0:
            raise ValueError(f"tessera.distributed.World.rows_of: expected sizes of at least 0, found {m} x {n}")
        first, end = _core._rows_of(m, n, dtype_of(dtype).itemsize, by_rows, blocks, self.rank, self.size)
        return slice(first, end)

    def matrix(self, A: Any, *, order: str | None = None, copy: bool = False) -> Matrix:
        """Return the matrix of which A is this rank's rows, for the solvers of `tessera.linalg`.

        Parameters
        ----------
        A, order, copy

        Returns
        -------
        Matrix
            The whole matrix. It refers to A, which is not copied, unless `copy` is given and A needs it.

        Raises
        ------
        DistributedError

        Examples
        --------
        >>> import numpy as np, tessera.distributed
        >>> from mpi4py import MPI
        >>> world = tessera.distributed.World(MPI.COMM_SELF)
        >>> world.matrix(np.ones((3, 2))).shape
        (3, 2)
        """
        return self._agree("matrix", A, order, copy=copy)

    def open(
        self,
        path: str | os.PathLike[str] | StreamedMatrix,
        *,
        dtype: Any = None,
        shape: tuple[int, int] | None = None,
        order: str = "C",
        blocks: bool = False,
    ) -> Matrix:
        """Open a matrix of which each rank maps or reads its own rows.

        Parameters
        ----------
        path : str, path-like or StreamedMatrix
            A file that `tessera.open` reads: .npy files and raw elements, float32 or float64, are mapped; of others,
            such as HDF5 datasets, each rank reads its rows into memory. Or the whole matrix, which each rank has opened
            by `tessera.from_anndata`, `from_parquet`, `from_callback` or another function of this kind: its rows are read
            into memory, too. All ranks must be able to read them.
        dtype : data-type, optional
            Type of the elements, float32 or float64. Elements of another type are converted. Required for raw elements.
        shape : tuple of int, optional
            Shape (m, n) of raw elements.
        order : {"C", "F"}, default "C"
            Layout of raw elements.
        blocks

        Returns
        -------
        Matrix
            The matrix, of which this rank owns `rows_of(m, n)`.

        Raises
        ------
        DistributedError
            If a rank cannot read the matrix, or it has another shape, type or layout on some rank.

        Notes
        -----
        The operating system reads a mapped file again in each product if it does not stay in memory. Elements of
        foreign byte order are converted into an array in memory.

        Examples
        --------
        >>> import numpy as np, tessera.distributed
        >>> from mpi4py import MPI
        >>> world = tessera.distributed.World(MPI.COMM_SELF)
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile(suffix=".npy") as file:
        ...     np.save(file, np.ones((3, 2)))
        ...     file.flush()
        ...     world.open(file.name).shape
        (3, 2)
        """
        rows = None
        its_order = "C"

        def read_rows() -> tuple[dict[str, Any], None]:
            nonlocal rows, its_order
            whole = _opened(path, dtype, shape, order)
            is_streamed = isinstance(whole, StreamedMatrix)
            its_order = whole.order if is_streamed else "C" if whole.flags.c_contiguous else "F"
            mine = self.rows_of(*whole.shape, dtype=whole.dtype, order=its_order, blocks=blocks)
            rows = _sources.rows_of(whole, mine.start, mine.stop) if is_streamed else whole[mine]
            if not rows.dtype.isnative:
                rows = rows.astype(rows.dtype.newbyteorder("="), order=its_order)
            what = "a streamed matrix with" if whole is path else f"a file {os.fspath(path)} with"
            content = f"{whole.shape[0]} x {whole.shape[1]} elements of {whole.dtype} in order {its_order}"
            return {what: content, "blocks": blocks}, None

        self._require_alike("open", read_rows)
        return self.matrix(rows, order=its_order)

    def matvec(self, A: Any, x: Any, *, order: str | None = None, copy: bool = False) -> Any:
        """Compute this rank's entries of A @ x.

        Parameters
        ----------
        A
        x : array
            Vector of n entries, or a block of vectors of shape (n, k), complete on every rank.
        order, copy

        Returns
        -------
        array
            One entry, or one row of k entries, per row of this rank.

        Raises
        ------
        DistributedError

        Examples
        --------
        >>> import numpy as np, tessera.distributed
        >>> from mpi4py import MPI
        >>> world = tessera.distributed.World(MPI.COMM_SELF)
        >>> world.matvec(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 1.0]))
        array([3., 7.])
        """
        if copy:
            A, x = self._copied(A, order, x)
        a = self._agree("matvec", A, order, whole={"x": x}, copy=copy)

        def product(x: Any) -> Any:
            def part() -> Any:
                _require_entries("matvec", "x", x, a.shape[1], _columns(x))
                return _core._matvec_part(a.array, x, a.shape[0], a.order == "C")

            return self._together(part)

        return product(x) if _is_block(a, x) else self._each(a, x, a.array.shape[0], product)

    def rmatvec(self, A: Any, u: Any, *, order: str | None = None, copy: bool = False) -> Any:
        """Compute A.T @ u, complete on every rank.

        Parameters
        ----------
        A
        u : array
            This rank's entries of a vector, or its rows of a block of k vectors.
        order, copy

        Returns
        -------
        array
            Vector of n entries, or an array of shape (n, k).

        Raises
        ------
        DistributedError

        Examples
        --------
        >>> import numpy as np, tessera.distributed
        >>> from mpi4py import MPI
        >>> world = tessera.distributed.World(MPI.COMM_SELF)
        >>> world.rmatvec(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 1.0]))
        array([4., 6.])
        """
        if copy:
            A, u = self._copied(A, order, u)
        return self._rmatvec(self._agree("rmatvec", A, order, facts=lambda _: {"vectors": _columns(u)}, copy=copy), u)

    def _rmatvec(self, a: Matrix, u: Any) -> Any:
        def product(u: Any) -> Any:
            def part(first: int, end: int) -> Any:
                return _core._rmatvec_part(a.array, u, a.shape[0], a.order == "C", first, end - first)

            self._together(lambda: _require_entries("rmatvec", "u", u, a.array.shape[0], _columns(u)))
            return _arrays.of_numbers(u, self._sum(a, part, _columns(u)), a.dtype)

        return product(u) if _is_block(a, u) else self._each(a, u, a.shape[1], product)

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
        copy: bool = False,
    ) -> Any:
        """Compute alpha * A.T @ f(A @ v) + beta * z, complete on every rank, with one pass over A.

        Parameters
        ----------
        A
        v : array
            Vector of n entries, or a block of vectors of shape (n, k), complete on every rank. The vectors of a block
            share the reads of A, unless there is a map.
        weights : array, optional
            This rank's entries of the vector w: f(b) = w * b, or the weights of `map`.
        minus : array, optional
            This rank's entries of the vector y: f(b) = b - y, or the labels or counts of `map`.
        map : {"logistic", "poisson", "logistic_weights", "poisson_weights"}, optional
            The map f, as in `tessera.atax`.
        alpha, beta
        z : array, optional
            Vector of n entries, complete on every rank. Only for a single vector v.
        return_b : bool, default False
            Also return B = f(A @ v).
        order, copy

        Returns
        -------
        array or tuple of array
            C of n entries or of shape (n, k). With `return_b` the pair (C, B), where B has this rank's entries.

        Raises
        ------
        DistributedError

        See Also
        --------
        tessera.atax : The same product on one process.

        Examples
        --------
        >>> import numpy as np, tessera.distributed
        >>> from mpi4py import MPI
        >>> world = tessera.distributed.World(MPI.COMM_SELF)
        >>> world.atax(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, -1.0]), return_b=True)
        (array([-4., -6.]), array([-1., -1.]))
        """
        if copy:
            A, v, weights, minus, z = self._copied(A, order, v, weights, minus, z)
        kind, of_map = "", None

        def facts(A: Any) -> dict[str, Any]:
            nonlocal kind, of_map, alpha, beta, return_b
            kind, of_map = _core._map_of(weights, minus, map)
            alpha, beta, return_b = float(alpha), float(beta), bool(return_b)
            if kind:
                _require_entries("atax", "weights" if of_map is weights else "minus", of_map, A.shape[0])
            if z is None and beta != 0:
                raise ValueError("atax: beta needs z")
            if z is not None:
                if getattr(v, "ndim", 0) != 1:
                    raise ValueError("atax: z is added to one vector, found a block of them")
                _require_entries("atax", "z", z, A.shape[1])
            return {"map, alpha, beta and return_b": (kind, alpha, beta, return_b)}

        a = self._agree("atax", A, order, facts=facts, whole={"v": v, "z": z}, copy=copy)
        count = a.array.shape[0]

        def product(v: Any) -> Any:
            shape = (count, *_columns(v))
            b = self._together(lambda: _arrays.empty(v, shape, a.dtype.name)) if return_b else None

            def part(first: int, end: int) -> Any:
                its_rows = (first, end - first)
                if _columns(v):
                    return _core._atax_block_part(a.array, v, a.shape[0], a.order == "C", *its_rows, b)
                return _core._atax_part(a.array, v, a.shape[0], a.order == "C", *its_rows, kind, of_map, b)

            def add_terms() -> None:
                _core._scale(alpha, sums.reshape(-1))
                if beta != 0:
                    _core.axpby(beta, _arrays.on_host(z), 1.0, sums)

            self._together(lambda: _require_entries("atax", "v", v, a.shape[1], _columns(v)))
            sums = self._sum(a, part, _columns(v))
            self._together(add_terms)
            c = _arrays.of_numbers(v, sums, a.dtype)
            return (c, _arrays.finished(b)) if return_b else c

        if _is_block(a, v) and not kind:
            return product(v)
        return self._each(a, v, (a.shape[1], count) if return_b else a.shape[1], product)

    def dot(self, x: Any, y: Any, *, copy: bool = False) -> float:
        """Compute the dot product of two distributed vectors.

        Parameters
        ----------
        x, y : array
            This rank's entries of two vectors of m entries: those of `rows_of(m, 1, order="F")`.
        copy

        Returns
        -------
        float
            The dot product, bitwise identical to that of `tessera.dot`.

        Raises
        ------
        DistributedError

        Examples
        --------
        >>> import numpy as np, tessera.distributed
        >>> from mpi4py import MPI
        >>> world = tessera.distributed.World(MPI.COMM_SELF)
        >>> world.dot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
        11.0
        """
        if copy:
            x, y = self._copied(x, None, y)
        column = self._together(lambda: _arrays.contiguous(_column(x)))
        return float(self._rmatvec(self._agree("dot", column, None, is_vector=True), y)[0])

    def aslinearoperator(self, A: Any, *, order: str | None = None, copy: bool = False) -> Any:
        """Wrap A as a SciPy LinearOperator with its products and those with its transpose.

        Parameters
        ----------
        A, order, copy

        Returns
        -------
        scipy.sparse.linalg.LinearOperator
            For `lsqr`, `lsmr` and `svds`, which all ranks must call alike. Its vectors are complete on every rank.

        Raises
        ------
        DistributedError

        Examples
        --------
        >>> import numpy as np, tessera.distributed
        >>> from mpi4py import MPI
        >>> world = tessera.distributed.World(MPI.COMM_SELF)
        >>> world.aslinearoperator(np.array([[1.0, 2.0], [3.0, 4.0]])).matvec(np.array([1.0, 1.0]))
        array([3., 7.])
        """
        from scipy.sparse.linalg import LinearOperator

        a = self._agree("aslinearoperator", A, order, copy=copy)

        def matvec(x: Any) -> Any:
            return self.gather_rows(self.matvec(a, self._together(lambda: _flat(x, a.dtype))))

        def rmatvec(u: Any) -> Any:
            return self.rmatvec(a, self._together(lambda: _flat(u, a.dtype)[a.rows]))

        return _operators.without_masks(LinearOperator(a.shape, matvec=matvec, rmatvec=rmatvec, dtype=a.dtype))

    def NormalOperator(self, A: Any, *, order: str | None = None, copy: bool = False) -> Any:
        """Wrap A.T @ A as a SciPy LinearOperator with one pass over A per product.

        Parameters
        ----------
        A, order, copy

        Returns
        -------
        scipy.sparse.linalg.LinearOperator
            For `eigsh`, `lobpcg` and `cg`, which all ranks must call alike. Its vectors are complete on every rank.

        Raises
        ------
        DistributedError

        Examples
        --------
        >>> import numpy as np, tessera.distributed
        >>> from mpi4py import MPI
        >>> world = tessera.distributed.World(MPI.COMM_SELF)
        >>> world.NormalOperator(np.array([[1.0, 2.0], [3.0, 4.0]])).matvec(np.array([1.0, -1.0]))
        array([-4., -6.])
        """
        from scipy.sparse.linalg import LinearOperator

        a = self._agree("NormalOperator", A, order, copy=copy)

        def product(x: Any) -> Any:
            return self.atax(a, self._together(lambda: _flat(x, a.dtype)))

        return _operators.without_masks(
            LinearOperator((a.shape[1], a.shape[1]), matvec=product, rmatvec=product, dtype=a.dtype)
        )

    def gather_rows(self, b: Any) -> Any:
        """Concatenate the arrays of all ranks along their first axis, on every rank.

        Parameters
        ----------
        b : array
            This rank's entries or rows, of one or more dimensions. Elements have a fixed size. All ranks pass the
            same type and the same shape, except the number of rows.

        Returns
        -------
        array
            The entries or rows of all ranks, in the order of the ranks.

        Raises
        ------
        DistributedError
            If types or shapes differ, or an array is masked or holds Python objects.

        Examples
        --------
        >>> import numpy as np, tessera.distributed
        >>> from mpi4py import MPI
        >>> world = tessera.distributed.World(MPI.COMM_SELF)
        >>> world.gather_rows(np.array([1.0, 2.0]))
        array([1., 2.])
        """
        mine = None

        def look() -> tuple[dict[str, Any], int]:
            nonlocal mine
            mine = numpy.asanyarray(_arrays.on_host(b))
            if mine.ndim < 1 or mine.dtype.hasobject or isinstance(mine, numpy.ma.MaskedArray):
                raise TypeError(
                    "gather_rows: expected an array of rows, not masked, with elements of a fixed size, found "
                    f"{type(b).__name__} of {mine.dtype} and shape {mine.shape}"
                )
            mine = numpy.ascontiguousarray(mine)
            return {"elements": str(mine.dtype), "rows of shape": mine.shape[1:]}, mine.shape[0]

        counts = self._require_alike("gather_rows", look)
        every = self._gather(lambda: mine, counts)
        return _arrays.of_numbers(b, every, every.dtype)

    def _gather(self, mine: Callable[[], Any], counts: Sequence[int]) -> Any:
        """Arrays of all ranks, one after the other; mine() is this rank's, of counts[rank] rows."""

        def prepare() -> tuple[Any, Any]:
            its = numpy.ascontiguousarray(mine())
            return its, numpy.empty((sum(counts), *its.shape[1:]), dtype=its.dtype)

        its, every = self._together(prepare)
        width = int(numpy.prod(its.shape[1:]))
        if width > 0:
            self._ranks.gather(its.reshape(-1), every.reshape(-1), [count * width for count in counts])
        return every

    def _each(self, a: Matrix, x: Any, sizes: Any, product: Callable[[Any], Any]) -> Any:
        """product(x), or, of a block of vectors, the products with its columns side by side.

        `sizes` is how many entries a product has, or each of a pair of them.
        """
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

    def _all(self, body: Callable[[], Any], *, keep_common: bool = False) -> list[Any]:
        """body() of every rank. If it throws on one, all throw a DistributedError.

        Also what ends a program, such as SystemExit: the rank itself throws that. All ranks meet here in the same
        exchange, whatever body() is. A rank that has left an earlier body() is heard by the others in their next one.
        With `keep_common` each rank throws its own error if all ranks have the same one.
        """
        error: BaseException | None = None
        mine = None
        try:
            mine = body()
        except DistributedError:
            raise  # known to all ranks
        except BaseException as thrown:
            if thrown is self._told:
                raise
            error = thrown
        every = self._ranks.allgather((None if error is None else f"{type(error).__name__}: {error}", mine))
        sentences = [sentence for sentence, _ in every]
        if error is not None:
            is_common = keep_common and sentences == [sentences[0]] * self.size
            if is_common or not isinstance(error, Exception):
                self._told = error
                raise error
        for rank, sentence in enumerate(sentences):
            if sentence is not None:
                raise DistributedError(rank, sentence) from error
        return [its for _, its in every]

    def _together(self, body: Callable[[], Any], *, keep_common: bool = False) -> Any:
        """This rank's body(); if it throws on one rank, all throw."""
        result = None

        def run() -> None:
            nonlocal result
            result = body()

        self._all(run, keep_common=keep_common)
        return result

    def _require_alike(self, operation: str, look: Callable[[], tuple[dict[str, Any], Any]]) -> list[Any]:
        """look() of every rank: facts that are the same on all, by their names, and something else, which is returned."""
        every = self._all(look)
        _compare(operation, [facts for facts, _ in every])
        return [its for _, its in every]

    def _copied(self, A: Any, order: str | None, *vectors: Any) -> list[Any]:
        """A, or a vector, and vectors of its type; arrays that have the type and the layout are not copied."""

        def convert() -> list[Any]:
            a = A.array if isinstance(A, Matrix) else _suitable(A, order)
            name = str(a.dtype).rpartition(".")[2]
            others = [x if x is None else _arrays.array(x) for x in vectors]
            return [A if isinstance(A, Matrix) else a] + [
                x if x is None or str(x.dtype).rpartition(".")[2] == name else _arrays.copied(x, name) for x in others
            ]

        return list(self._together(convert))

    def _require_same_arguments(self, operation: str, arguments: dict[str, Any]) -> None:
        """Refuses a call whose arguments are not the same on all ranks."""

        def look() -> tuple[dict[str, Any], None]:
            facts = {"operation": operation}
            for name, x in arguments.items():
                is_array = getattr(x, "ndim", 0) > 0
                facts[name] = _digest(x) if is_array else x.item() if hasattr(x, "item") else x
            return facts, None

        self._require_alike(operation, look)

    def _agree(
        self,
        operation: str,
        A: Any,
        order: str | None,
        *,
        facts: Callable[[Any], dict[str, Any]] | None = None,
        whole: dict[str, Any] | None = None,
        is_vector: bool = False,
        copy: bool = False,
    ) -> Matrix:
        """A rank's rows as a matrix; all throw if ranks mean different calls.

        `facts` checks this rank's arguments, and returns what has to be the same on all ranks, as have the vectors
        `whole`. Of a vector, the only column is summed as a line.
        """
        if isinstance(A, Matrix):
            A, order = A.array, A.order

        def look() -> tuple[dict[str, Any], Any]:
            nonlocal A
            if copy:
                A = _suitable(A, order)
            if not hasattr(A, "dtype"):
                advice = "" if A is None else "; copy=True makes an array of it"
                raise TypeError(f"A must be an array, found {type(A).__name__}{advice}")
            if getattr(A, "ndim", 0) != 2:
                raise ValueError(f"A must have two dimensions, found {type(A).__name__} of shape {tuple(A.shape)}")
            _arrays.require_no_masked_array(operation, A)
            if isinstance(A, _core.StreamedMatrix):
                raise TypeError("A must be an array, found a streamed matrix: World.open reads the rows of this rank")
            dtype = _dtype_of(A)
            if dtype.name not in ("float32", "float64") or not dtype.isnative:
                advice = "" if copy else "; copy=True makes a copy"
                raise TypeError(f"A must have elements float32 or float64, found {dtype.name if dtype.isnative else dtype}{advice}")
            if order is not None:
                _by_rows(operation, order)
            alike = {"operation": operation, "dtype": dtype.name, "columns": int(A.shape[1]), "order": order}
            if facts is not None:
                alike.update(facts(A))
            digests, fault = {}, None
            for name, x in (whole or {}).items():
                if x is None and name == "z":
                    continue
                alike.setdefault("vectors", _columns(x))
                try:
                    if tuple(getattr(x, "shape", ()))[:1] != (A.shape[1],):
                        _require_entries(operation, name, x, A.shape[1])
                    digests[name] = _digest(x)
                except ValueError as error:  # not the cause if numbers of columns differ
                    fault = f"ValueError: {error}"
            down, across = _arrays.strides(A)
            rows, cols = A.shape
            has_rows = across == 1 or cols <= 1 or rows == 0
            has_columns = down == 1 or rows <= 1 or cols == 0
            return alike, (digests, fault, (int(rows), dtype.name, has_rows, has_columns, (down, across)))

        every = self._require_alike(operation, look)
        for rank, (_, fault, _) in enumerate(every):
            if fault is not None:
                raise DistributedError(rank, fault)
        _compare(operation, [digests for digests, _, _ in every])
        found = [its for _, _, its in every]
        counts = [its[0] for its in found]
        m, n = sum(counts), int(A.shape[1])
        if is_vector:
            by_rows = False
        elif m <= 1 or n <= 1:
            by_rows = True  # one process sums it this way in any order
        elif order is not None:
            by_rows = order == "C"
        else:
            by_rows = all(has_rows for _, _, has_rows, _, _ in found)
            if copy and not by_rows and not all(has_columns for *_, has_columns, _ in found):
                by_rows = True  # no layout of all ranks
                A = self._together(lambda: A if found[self.rank][2] else _arrays.contiguous(A))
                found = [(rows, name, True, *others) for rows, name, _, *others in found]
        if m == 1 and n > 1 and not found[self.rank][2]:
            A = _arrays.contiguous(A)
        for rank, (_, _, has_rows, has_columns, strides) in enumerate(found):
            if m > 1 and not (has_rows if by_rows else has_columns):
                lines = "rows" if by_rows else "columns"
                reason = f"for order={order!r}" if order is not None else "since rows are not adjacent on all ranks"
                raise DistributedError(
                    rank,
                    f"{operation}: A must have {lines} of adjacent elements, {reason}, found strides of {strides[0]} and "
                    f"{strides[1]} elements; pass numpy.{'ascontiguousarray' if by_rows else 'asfortranarray'}(A)",
                )
        return Matrix(self, A, by_rows, numpy.dtype(found[0][1]), counts)

    def _sum(self, a: Matrix, part: Callable[[int, int], Any], columns: tuple[int, ...] = ()) -> Any:
        """The sum over all ranks' rows; part(first, end) is that of some of this rank's, with a row for each column."""
        m, n = a.shape
        length = n * columns[0] if columns else n
        if m == 0 or n == 0:
            self._together(lambda: part(0, a.array.shape[0]))  # ranks with rows still compute B
            return self._together(lambda: numpy.zeros(n, dtype=a.dtype))

        def make_roots() -> tuple[list[int], Any]:
            parts = _core._parts_of(m, n, a.dtype.itemsize, a.order == "C", a.rows.start, a.array.shape[0])
            roots = numpy.empty((len(parts), length), dtype=a.dtype)
            for root, (first, end, _) in zip(roots, parts, strict=True):
                root[:] = _arrays.on_host(part(first, end)).reshape(-1)
            return [level for _, _, level in parts], roots

        sums = self._add_roots(make_roots, length, a.dtype)
        return self._together(lambda: numpy.ascontiguousarray(sums.reshape(-1, n).T)) if columns else sums

    def _add_roots(
        self, make: Callable[[], tuple[Sequence[int], Any]], length: int, dtype: Any, fields: int = 1
    ) -> Any:
        """The tree over the sums of all ranks' aligned subtrees: docs/distributed.md.

        make() is the levels of this rank's, and the sums, one a row. Each rank owns a slice of the columns, adds it,
        and hands it to all. `fields` adjacent elements belong together: one is added, more are moments.
        """
        roots = None

        def make_own() -> Sequence[int]:
            nonlocal roots
            own, roots = make()
            return list(own)

        levels = self._all(make_own)
        of_all = [level for its in levels for level in its]
        width = max(1, _MOST_ELEMENTS // max(1, len(of_all)) // fields) * fields  # columns per exchange
        sums = self._together(lambda: numpy.zeros(length, dtype=dtype))
        if not of_all:
            return sums  # no rows
        for begin in range(0, length, width):
            end = min(begin + width, length)
            self._add_columns(roots[:, begin:end], [len(its) for its in levels], of_all, sums[begin:end], fields)
        return sums

    def _add_columns(self, roots: Any, counts: Sequence[int], levels: Sequence[int], sums: Any, fields: int) -> None:
        """The same of as many columns as one exchange has; counts[r] roots are rank r's."""
        length = sums.shape[0] // fields
        edges = [length * r // self.size * fields for r in range(self.size + 1)]
        widths = [edges[r + 1] - edges[r] for r in range(self.size)]
        width = widths[self.rank]

        def pack() -> tuple[Any, Any]:
            slices = [roots[:, edges[r] : edges[r + 1]].ravel() for r in range(self.size)]
            return numpy.concatenate(slices), numpy.empty((len(levels), width), dtype=sums.dtype)

        sent, got = self._together(pack)
        sizes = [roots.shape[0] * w for w in widths]
        its_sizes = [count * width for count in counts]
        self._ranks.exchange(sent, sizes, got.reshape(-1), its_sizes)

        def add() -> Any:
            mine = numpy.empty(width, dtype=sums.dtype)
            _core._add_roots(got, levels, mine, fields)
            return mine

        self._ranks.gather(self._together(add), sums, widths)


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

    def rows_of(shape: tuple[int, int], dtype: Any, rank: int, size: int) -> Sequence[int]:
        return _core._rows_of(*shape, dtype_of(dtype).itemsize, True, True, rank, size)

    return _dask.run(client, program, arguments, rows_of)


def _compare(operation: str, every: Sequence[dict[str, Any]]) -> None:
    """Refuses facts of ranks that are not those of rank 0."""
    expected = every[0]
    for rank, found in enumerate(every):
        for name in {**expected, **found}:
            if repr(found.get(name)) != repr(expected.get(name)):  # NaN differs from itself
                raise DistributedError(
                    rank, f"{operation}: expected what rank 0 has, {name} {expected.get(name)}, found {found.get(name)}"
                )


# MPI counts in 32 bits.
_MOST_ELEMENTS = 2**28


def _by_rows(operation: str, order: str) -> bool:
    order = order_of(order)
    if order not in ("C", "F"):
        raise ValueError(f"tessera.distributed.World.{operation}: order must be 'C' or 'F', found {order!r}")
    return order == "C"


def _dtype_of(x: Any) -> Any:
    return numpy.dtype(str(x.dtype).removeprefix("torch."))


def _require_entries(operation: str, name: str, x: Any, entries: int, columns: tuple[int, ...] = ()) -> None:
    """Of a vector, or of each vector of a block with `columns`."""
    if tuple(getattr(x, "shape", ())) != (entries, *columns):
        found = getattr(x, "shape", f"a {type(x).__name__}")
        raise ValueError(f"{operation}: {name} must have {entries} entries, found {found}")


def _is_block(a: Matrix, x: Any) -> bool:
    """Whether x has vectors that share a product with a matrix that is not empty."""
    return getattr(x, "ndim", 1) == 2 and 0 not in (*a.shape, x.shape[1])


def _columns(x: Any) -> tuple[int, ...]:
    """How many vectors a block has; nothing of one vector."""
    return tuple(getattr(x, "shape", ()))[1:]


def _digest(x: Any) -> str:
    """What tells vectors of different bits apart. Those on a GPU are copied: they are small beside the matrix."""
    x = numpy.ascontiguousarray(_arrays.on_host(x))
    return f"with digest {hashlib.blake2b(x.data if x.size > 0 else b'', digest_size=8).hexdigest()} of {x.dtype}"


def _opened(source: Any, dtype: Any, shape: tuple[int, int] | None, order: str) -> Any:
    """The whole matrix: a mapped file if its elements can be used as they are stored, else a streamed matrix."""
    if isinstance(source, StreamedMatrix):
        for name, value in (("dtype", dtype), ("shape", shape)):
            if value is not None:
                raise ValueError(f"open: {name} is for files, found {value} with a streamed matrix")
        return source
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(
            f"open: expected a path or a streamed matrix, found {type(source).__name__}: tessera.from_blocks, from_dask, "
            "from_zarr and others make one; an array of this rank's rows needs World.matrix"
        )
    path = os.fspath(source)
    if shape is not None:
        return _mapped_elements(path, dtype, shape, _by_rows("open", order))
    whole = _mapped_npy(path) if dtype is None else None
    return _matrices.open(path, dtype=dtype) if whole is None else whole


def _mapped_npy(path: str) -> Any:
    """The matrix in a .npy file of float32 or float64, which is mapped; None: other contents."""
    try:
        whole = numpy.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError):
        return None
    is_usable = isinstance(whole, numpy.memmap) and whole.ndim == 2 and whole.dtype.kind == "f"
    return whole if is_usable and whole.dtype.itemsize in (4, 8) else None


def _mapped_elements(path: str, dtype: Any, shape: tuple[int, int], by_rows: bool) -> Any:
    if dtype is None:
        raise ValueError("open: expected dtype with the shape of raw elements, found none")
    try:
        whole = numpy.memmap(path, dtype_of(dtype), "r", shape=tuple(shape), order="C" if by_rows else "F")
    except ValueError as error:
        raise ValueError(f"open: {path}: {error}") from error
    if whole.ndim != 2:
        raise ValueError(f"open: expected the shape of a matrix, found {shape}")
    if whole.nbytes != os.path.getsize(path):
        raise ValueError(f"open: {path} has {os.path.getsize(path)} bytes, and {whole.shape} of {whole.dtype} {whole.nbytes}")
    return whole


def _suitable(A: Any, order: str | None) -> Any:
    """A as `copy=True` takes it: with a type and a layout of the library, in this order if it is given."""
    if isinstance(A, _core.StreamedMatrix):
        return A  # refused later
    A = _arrays.array(A)
    _arrays.require_no_masked_array("tessera.distributed.World", A)
    A = _arrays.suitable(A)
    if order is None or A.ndim != 2 or 1 in A.shape:
        return A
    down, across = _arrays.strides(A)
    if _by_rows("copy", order):
        return A if across == 1 else _arrays.contiguous(A)
    return A if down == 1 else _arrays.contiguous(A.T).T


def _column(x: Any) -> Any:
    if getattr(x, "ndim", 0) != 1:
        raise ValueError(f"dot: x must be a vector, found {type(x).__name__}")
    return x.reshape(-1, 1)


def _flat(x: Any, dtype: Any) -> Any:
    _arrays.require_unmasked("tessera.distributed.World", x=x)
    return numpy.ascontiguousarray(_arrays.real(numpy.asarray(x)), dtype=dtype).reshape(-1)


_docs.complete(World, _docs.RANKS)
