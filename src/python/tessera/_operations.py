# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""The operations as functions of Python, which can be pickled and inspected."""

from typing import Any

from tessera import _arrays, _core, _docs
from tessera._sentences import in_one_sentence


@in_one_sentence
def atax(
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
    out: Any = None,
    copy: bool = False,
) -> Any:
    """Compute alpha * A.T @ f(A @ v) + beta * z with one pass over A.

    Parameters
    ----------
    A
    v : array
        Vector of n entries, or a block of vectors of shape (n, k).
    weights, minus, map, alpha, beta, z
    return_b : bool, default False
        Also return B = f(A @ v), the vector that A.T multiplies.
    out : array or pair of arrays, optional
        Receives the result; a pair (C, B) with `return_b`. By default new arrays are returned.
    copy

    Returns
    -------
    array or tuple of array
        C of n entries or of shape (n, k); with `return_b` the pair (C, B). The arrays are of the same library
        and on the same device as A.

    Raises
    ------
    TypeError
        If an argument is not an array, has another type than A, or is on another device.
    ValueError
        If a shape or layout does not match, or memory overlaps.

    Notes
    -----
    The result is bitwise identical for any number of threads, on any device and from a file. Column-major
    matrices with more than about 400 columns need two passes.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> A = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> tessera.atax(A, np.array([1.0, -1.0]))
    array([ -9., -12.])
    >>> tessera.atax(A, np.array([1.0, -1.0]), minus=np.array([1.0, 0.0, 0.0]), return_b=True)
    (array([-10., -14.]), array([-2., -1., -1.]))
    """
    return _core.atax(A, v, weights, minus, map, alpha, beta, z, return_b, out, copy)


@in_one_sentence
def matvec(A: Any, x: Any, *, out: Any = None, copy: bool = False) -> Any:
    """Compute A @ x.

    Parameters
    ----------
    A
    x : array
        Vector of n entries, or a block of vectors of shape (n, k).
    out, copy

    Returns
    -------
    array
        Vector of m entries, or an array of shape (m, k).

    Examples
    --------
    >>> import numpy as np, tessera
    >>> tessera.matvec(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 1.0]))
    array([3., 7.])
    """
    return _core.matvec(A, x, out, copy)


@in_one_sentence
def rmatvec(A: Any, u: Any, *, out: Any = None, copy: bool = False) -> Any:
    """Compute A.T @ u.

    Parameters
    ----------
    A, u, out, copy

    Returns
    -------
    array
        Vector of n entries, or an array of shape (n, k).

    Examples
    --------
    >>> import numpy as np, tessera
    >>> tessera.rmatvec(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 1.0]))
    array([4., 6.])
    """
    return _core.rmatvec(A, u, out, copy)


@in_one_sentence
def aatx(A: Any, u: Any, *, out: Any = None, copy: bool = False) -> Any:
    """Compute A @ (A.T @ u).

    Parameters
    ----------
    A, u, out, copy

    Returns
    -------
    array
        Vector of m entries, or an array of shape (m, k).

    Notes
    -----
    The result has the bits of `atax` of A.T. Row-major matrices with more than about 400 rows need two passes. A
    StreamedMatrix is read once; a row-major one twice, if its memory limit is below 1 KiB per row.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> tessera.aatx(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 0.0]))
    array([ 5., 11.])
    """
    return _core.aatx(A, u, out, copy)


@in_one_sentence
def matvec_both(A: Any, x: Any, u: Any, *, out: Any = None, copy: bool = False) -> tuple[Any, Any]:
    """Compute A @ x and A.T @ u with one pass over A.

    Parameters
    ----------
    A : array or StreamedMatrix
        Matrix of shape (m, n), float32 or float64, with contiguous rows or columns.
    x : array
        Vector of n entries.
    u : array
        Vector of m entries.
    out : pair of arrays, optional
        Arrays that receive the results. By default new arrays are returned.
    copy

    Returns
    -------
    tuple of array
        The pair (A @ x, A.T @ u).

    Examples
    --------
    >>> import numpy as np, tessera
    >>> A = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> tessera.matvec_both(A, np.array([1.0, 1.0]), np.array([1.0, 0.0]))
    (array([3., 7.]), array([1., 2.]))
    """
    return _core.matvec_both(A, x, u, out, copy)


@in_one_sentence
def transpose(A: Any, *, out: Any = None, copy: bool = False) -> Any:
    """Transpose a matrix into a new array.

    Parameters
    ----------
    A : array
        Matrix of shape (m, n) with elements of 4 or 8 bytes.
    out
    copy : bool, default False
        Accept lists and arrays of any strides, which are copied first.

    Returns
    -------
    array
        A.T, of shape (n, m).

    Examples
    --------
    >>> import numpy as np, tessera
    >>> tessera.transpose(np.array([[1, 2, 3], [4, 5, 6]]))
    array([[1, 4],
           [2, 5],
           [3, 6]])
    """
    return _core.transpose(A, out, copy)


@in_one_sentence
def matmul(A: Any, B: Any, *, out: Any = None, copy: bool = False) -> Any:
    """Compute A @ B for two matrices.

    Parameters
    ----------
    A : array
        Matrix of shape (m, k), float32 or float64.
    B : array
        Matrix of shape (k, n), of the type of A.
    out, copy

    Returns
    -------
    array
        Matrix of shape (m, n).

    Examples
    --------
    >>> import numpy as np, tessera
    >>> tessera.matmul(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]))
    array([[11.]])
    """
    return _core.matmul(A, B, out, copy)


@in_one_sentence
def dot(x: Any, y: Any, *, copy: bool = False) -> float:
    """Compute the dot product of two vectors.

    Parameters
    ----------
    x, y : array
        Vectors of the same length and type.
    copy

    Returns
    -------
    float
        The dot product.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> tessera.dot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    return _core.dot(x, y, copy)


@in_one_sentence
def axpby(a: float, x: Any, b: float, y: Any, *, copy: bool = False) -> None:
    """Compute y = a * x + b * y in place.

    Parameters
    ----------
    a : float
        Factor of `x`.
    x : array
        Vector of the length and type of `y`.
    b : float
        Factor of `y`.
    y : array
        Vector that is overwritten.
    copy : bool, default False
        Copy an `x` of another type or layout. By default it raises an error.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> y = np.array([1.0, 2.0])
    >>> tessera.axpby(2.0, np.array([10.0, 20.0]), 3.0, y)
    >>> y
    array([23., 46.])
    """
    if copy:
        if not hasattr(y, "dtype"):
            raise TypeError(f"tessera.axpby: y must be an array, found {type(y).__name__}")
        expected = "tessera.axpby: x must be"
        x = _arrays.array(x, expected)
        if str(x.dtype) != str(y.dtype) or any(stride < 0 for stride in getattr(x, "strides", ())):
            x = _arrays.copied(x, _arrays.dtype_name(y), expected)
    _core.axpby(a, x, b, y)


@in_one_sentence
def threads(n: int | None = None) -> int:
    """Return the number of host threads, and set it if `n` is given.

    Parameters
    ----------
    n : int, optional
        Number of threads from now on. More than the default is possible only before the first call.

    Returns
    -------
    int
        Number of threads.

    Notes
    -----
    The default is KOKKOS_NUM_THREADS, otherwise OMP_NUM_THREADS, otherwise one per processor. Limits that a
    thread has set for OpenMP, for example by threadpoolctl, are honoured. The number does not change a result.

    Examples
    --------
    >>> import tessera
    >>> tessera.threads() >= 1
    True
    """
    return _core.threads(n)


def info() -> dict[str, Any]:
    """Return facts about this build and its state.

    Returns
    -------
    dict
        Version, commit, host backend, GPUs, HDF5, version of Kokkos, whether it runs, and threads.

    Examples
    --------
    >>> import tessera
    >>> tessera.info()["version"] == tessera.__version__
    True
    """
    return _core.info()


for _function in (atax, aatx, matvec, rmatvec, matvec_both, transpose, matmul, dot, axpby, threads, info):
    _function.__module__ = "tessera"  # for users and pickles
    _docs.complete(_function, _docs.PRODUCTS)
