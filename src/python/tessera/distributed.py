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

import numbers
import os
from typing import Any

from tessera import _core, _distributed_files, _distributed_products, _docs
from tessera._collectives import Collectives, DistributedError
from tessera._core import StreamedMatrix
from tessera._dask import run_on_dask
from tessera._distributed_matrix import Matrix, agreed, is_by_rows
from tessera._names import dtype_of

__all__ = ["DistributedError", "Matrix", "World", "run_on_dask"]


def __dir__() -> list[str]:
    return list(__all__)


class World(Collectives):
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

    def rows_of(
        self, m: int, n: int, *, dtype: Any = "float64", order: str = "C", blocks: bool = False
    ) -> slice:
        """Return the rows that this rank owns of a matrix of shape (m, n).

        Parameters
        ----------
        m, n : int
            Shape of the whole matrix.
        dtype : data-type, default "float64"
            Type of the elements: float32, float64, or a type of 8 or 16 bits, whose rows are those of float32.
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
        world
        >>> world.rows_of(3, 2)
        slice(0, 3, None)
        """
        by_rows = is_by_rows("rows_of", order)
        if not isinstance(m, numbers.Integral) or not isinstance(n, numbers.Integral):
            raise TypeError(f"tessera.distributed.World.rows_of: expected whole numbers, found {m!r} x {n!r}")
        if m < 0 or n < 0:
            raise ValueError(f"tessera.distributed.World.rows_of: expected sizes of at least 0, found {m} x {n}")
        bytes_of_scalar = max(4, dtype_of(dtype).itemsize)
        first, end = _core._rows_of(m, n, bytes_of_scalar, by_rows, blocks, self.rank, self.size)
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
        world
        >>> world.matrix(np.ones((3, 2))).shape
        (3, 2)
        """
        return agreed(self, "matrix", A, order, copy=copy)

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
            A file that `tessera.open` reads: .npy files and raw elements are mapped; of others, such as HDF5 datasets,
            each rank reads its rows into memory. Or the whole matrix, which each rank has opened
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
        world
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile(suffix=".npy") as file:
        ...     np.save(file, np.ones((3, 2)))
        ...     file.flush()
        ...     world.open(file.name).shape
        (3, 2)
        """
        return _distributed_files.open(self, path, dtype, shape, order, blocks)

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
        world
        >>> world.matvec(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 1.0]))
        array([3., 7.])
        """
        return _distributed_products.matvec(self, A, x, order, copy)

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
        world
        >>> world.rmatvec(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 1.0]))
        array([4., 6.])
        """
        return _distributed_products.rmatvec(self, A, u, order, copy)

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
            share the reads of A.
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
        world
        >>> world.atax(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, -1.0]), return_b=True)
        (array([-4., -6.]), array([-1., -1.]))
        """
        return _distributed_products.atax(
            self, A, v, weights, minus, map, alpha, beta, z, return_b, order, copy
        )

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
        world
        >>> world.dot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
        11.0
        """
        return _distributed_products.dot(self, x, y, copy)

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
        world
        >>> world.aslinearoperator(np.array([[1.0, 2.0], [3.0, 4.0]])).matvec(np.array([1.0, 1.0]))
        array([3., 7.])
        """
        return _distributed_products.linear_operator(self, A, order, copy)

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
        world
        >>> world.NormalOperator(np.array([[1.0, 2.0], [3.0, 4.0]])).matvec(np.array([1.0, -1.0]))
        array([-4., -6.])
        """
        return _distributed_products.normal_operator(self, A, order, copy)

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
        world
        >>> world.gather_rows(np.array([1.0, 2.0]))
        array([1., 2.])
        """
        return self._gather_arrays(b)


for _thing in (DistributedError, Matrix, run_on_dask):
    _thing.__module__ = __name__  # for users and pickles
_docs.complete(World, _docs.RANKS)
