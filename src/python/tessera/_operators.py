# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Matrices as SciPy's LinearOperators, for its solvers; of CuPy arrays as those of CuPy."""

from typing import Any

import numpy

from tessera import _arrays, _core


def _kind(A: Any) -> tuple[Any, Any]:
    """The class of linear operators for a matrix, and what makes its vectors of one type."""
    if _arrays._library(A) == "cupy":
        import cupy
        from cupyx.scipy.sparse.linalg import LinearOperator

        return LinearOperator, cupy.asarray
    from scipy.sparse.linalg import LinearOperator

    return LinearOperator, numpy.asarray


def _products(A: Any) -> tuple[Any, Any, Any]:
    """The class, the type, and what makes a function take what solvers hand over: columns, copies."""
    linear_operator, asarray = _kind(A)
    dtype, shape = getattr(A, "dtype", type(A).__name__), tuple(getattr(A, "shape", ()))
    if str(dtype).removeprefix("torch.") not in ("float32", "float64"):
        raise TypeError(f"tessera: A must be an array of float32 or float64, found {dtype} of shape {shape}")
    if len(shape) != 2:
        raise ValueError(f"tessera: A must have two dimensions, found shape {shape}")
    dtype = numpy.dtype(str(dtype).removeprefix("torch."))

    def on_columns(function: Any) -> Any:
        def call(x: Any) -> Any:
            x = asarray(_arrays.real(asarray(x)), dtype=dtype)
            if x.ndim == 2 and x.shape[1] == 1:
                return function(x.reshape(-1)).reshape(-1, 1)
            return function(x)

        return call

    return linear_operator, dtype, on_columns


def aslinearoperator(A: Any) -> Any:
    """A as a LinearOperator: products with A and with its transpose, for lsqr, lsmr, svds.

    >>> import numpy as np, tessera
    >>> from scipy.sparse.linalg import lsqr
    >>> A = np.array([[2.0, 0.0], [0.0, 4.0], [0.0, 0.0]])
    >>> lsqr(tessera.aslinearoperator(A), np.array([2.0, 8.0, 0.0]))[0]
    array([1., 2.])
    """
    linear_operator, dtype, on_columns = _products(A)
    matvec = on_columns(lambda x: _core.matvec(A, x))
    rmatvec = on_columns(lambda x: _core.rmatvec(A, x))
    blocks = {} if isinstance(A, _core.StreamedMatrix) else {"matmat": matvec, "rmatmat": rmatvec}
    return linear_operator(tuple(A.shape), matvec=matvec, rmatvec=rmatvec, dtype=dtype, **blocks)


def NormalOperator(A: Any, *, shift: float = 0.0) -> Any:
    """A.T @ A + shift * I as a LinearOperator that reads A once a product, for eigsh, lobpcg, cg.

    >>> import numpy as np, tessera
    >>> from scipy.sparse.linalg import cg
    >>> A = np.array([[2.0, 0.0], [0.0, 4.0], [0.0, 0.0]])
    >>> cg(tessera.NormalOperator(A), np.array([4.0, 16.0]))[0]
    array([1., 1.])
    """
    linear_operator, dtype, on_columns = _products(A)

    def product(x: Any) -> Any:
        if shift == 0:
            return _core.atax(A, x)
        if x.ndim == 1:
            return _core.atax(A, x, beta=shift, z=x)
        result = _core.atax(A, x)
        for j in range(x.shape[1]):
            _core.axpby(shift, x[:, j], 1.0, result[:, j])
        return result

    call = on_columns(product)
    blocks = {} if isinstance(A, _core.StreamedMatrix) else {"matmat": call, "rmatmat": call}
    n = A.shape[1]
    return linear_operator((n, n), matvec=call, rmatvec=call, dtype=dtype, **blocks)
