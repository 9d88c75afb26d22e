# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""The operations as functions of Python, which can be pickled and inspected."""

from typing import Any

from tessera import _core


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
    """C = alpha * A.T @ f(A @ v) + beta * z, A read once.

    A is an array of m x n, float32 or float64, whose rows or columns lie side by side, or a matrix of `open` or
    `from_callback`. v has n entries, or is a block of n x k, column by column. The result is of A's kind, in a new array
    or in `out`.

    f is the identity; `weights` w makes it w * b, `minus` y makes it b - y, and `map` with one of both:

    - "logistic": 1 / (1 + exp(-b)) - minus
    - "poisson": exp(b) - minus
    - "logistic_weights": b times the derivative of 1 / (1 + exp(-x)) at x = weights
    - "poisson_weights": b * exp(weights)

    With return_b=True the result is the pair C, B with B = f(A @ v), and so is `out`. With copy=True arrays of other
    types or layouts are copied.

    >>> import numpy as np, tessera
    >>> A = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> tessera.atax(A, np.array([1.0, -1.0]))
    array([ -9., -12.])
    >>> tessera.atax(A, np.array([1.0, -1.0]), minus=np.array([1.0, 0.0, 0.0]), return_b=True)
    (array([-10., -14.]), array([-2., -1., -1.]))
    """
    return _core.atax(A, v, weights, minus, map, alpha, beta, z, return_b, out, copy)


def matvec(A: Any, x: Any, *, out: Any = None, copy: bool = False) -> Any:
    """A @ x, for a vector of n entries or a block of n x k.

    >>> import numpy as np, tessera
    >>> tessera.matvec(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 1.0]))
    array([3., 7.])
    """
    return _core.matvec(A, x, out, copy)


def rmatvec(A: Any, u: Any, *, out: Any = None, copy: bool = False) -> Any:
    """A.T @ u, for a vector of m entries or a block of m x k.

    >>> import numpy as np, tessera
    >>> tessera.rmatvec(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 1.0]))
    array([4., 6.])
    """
    return _core.rmatvec(A, u, out, copy)


def matvec_both(A: Any, x: Any, u: Any, *, out: Any = None, copy: bool = False) -> tuple[Any, Any]:
    """The pair A @ x, A.T @ u, A read once.

    >>> import numpy as np, tessera
    >>> A = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> tessera.matvec_both(A, np.array([1.0, 1.0]), np.array([1.0, 0.0]))
    (array([3., 7.]), array([1., 2.]))
    """
    return _core.matvec_both(A, x, u, out, copy)


def transpose(A: Any, *, out: Any = None, copy: bool = False) -> Any:
    """A.T in memory of its own, for elements of 4 or 8 bytes.

    With copy=True A may be a list, or lie in memory in any way.

    >>> import numpy as np, tessera
    >>> tessera.transpose(np.array([[1, 2, 3], [4, 5, 6]]))
    array([[1, 4],
           [2, 5],
           [3, 6]])
    """
    return _core.transpose(A, out, copy)


def matmul(A: Any, B: Any, *, out: Any = None, copy: bool = False) -> Any:
    """A @ B, the product of two matrices.

    >>> import numpy as np, tessera
    >>> tessera.matmul(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]))
    array([[11.]])
    """
    return _core.matmul(A, B, out, copy)


def dot(x: Any, y: Any, *, copy: bool = False) -> float:
    """The dot product of two vectors, as a float.

    >>> import numpy as np, tessera
    >>> tessera.dot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    return _core.dot(x, y, copy)


def axpby(a: float, x: Any, b: float, y: Any) -> None:
    """y = a * x + b * y, in place.

    >>> import numpy as np, tessera
    >>> y = np.array([1.0, 2.0])
    >>> tessera.axpby(2.0, np.array([10.0, 20.0]), 3.0, y)
    >>> y
    array([23., 46.])
    """
    _core.axpby(a, x, b, y)


def threads(n: int | None = None) -> int:
    """How many threads work on the host; with n, from then on n.

    By default they are as many as KOKKOS_NUM_THREADS or OMP_NUM_THREADS says, else all processors. More can be set only
    before the first call. A thread that has set fewer for OpenMP, as threadpoolctl's `threadpool_limits` does, works with
    these. The number changes no bit of a result.
    """
    return _core.threads(n)


def info() -> dict[str, Any]:
    """What this build is, and what runs."""
    return _core.info()


for _function in (atax, matvec, rmatvec, matvec_both, transpose, matmul, dot, axpby, threads, info):
    _function.__module__ = "tessera"  # where users, and pickles, find it
