# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Matrices as SciPy's LinearOperators, for its solvers; of CuPy arrays as those of CuPy."""

from typing import Any

import numpy

from tessera import _arrays, _core


def _module(A: Any) -> Any:
    """The library of the vectors that solvers hand over."""
    if _arrays._library(A) == "cupy":
        import cupy

        return cupy
    return numpy


def _linear_operator(A: Any) -> Any:
    if _arrays._library(A) == "cupy":
        from cupyx.scipy.sparse.linalg import LinearOperator
    else:
        from scipy.sparse.linalg import LinearOperator
    return LinearOperator


class _Product:
    """A product with a matrix that takes what solvers hand over: columns, copies, numbers of another type.

    It is an object, and not a function in another, so that operators can be pickled.
    """

    def __init__(self, A: Any) -> None:
        _arrays.require_no_masked_array("tessera", A)
        dtype, shape = getattr(A, "dtype", type(A).__name__), tuple(getattr(A, "shape", ()))
        if str(dtype).removeprefix("torch.") not in ("float32", "float64"):
            raise TypeError(f"tessera: A must be an array of float32 or float64, found {dtype} of shape {shape}")
        if len(shape) != 2:
            raise ValueError(f"tessera: A must have two dimensions, found shape {shape}")
        self.A = A
        self.dtype = numpy.dtype(str(dtype).removeprefix("torch."))

    def _of(self, x: Any) -> Any:
        raise NotImplementedError

    def __call__(self, x: Any) -> Any:
        module = _module(self.A)
        _arrays.require_unmasked("tessera", x=x)
        x = module.asarray(_arrays.real(module.asarray(x)), dtype=self.dtype)
        if any(stride < 0 for stride in x.strides):
            x = module.ascontiguousarray(x)
        if x.ndim == 2 and x.shape[1] == 1:
            return self._of(x.reshape(-1)).reshape(-1, 1)
        return self._of(x)


class _Forward(_Product):
    def _of(self, x: Any) -> Any:
        return _core.matvec(self.A, x)


class _Transposed(_Product):
    def _of(self, x: Any) -> Any:
        return _core.rmatvec(self.A, x)


class _Normal(_Product):
    def __init__(self, A: Any, shift: float) -> None:
        super().__init__(A)
        self.shift = shift

    def _of(self, x: Any) -> Any:
        if self.shift == 0:
            return _core.atax(self.A, x)
        if x.ndim == 1:
            return _core.atax(self.A, x, beta=self.shift, z=x)
        result = _core.atax(self.A, x)
        for j in range(x.shape[1]):
            _core.axpby(self.shift, x[:, j], 1.0, result[:, j])
        return result


class _Dot:
    """The `dot` of a LinearOperator, which @ calls: SciPy's own drops masks before the product sees the vector."""

    def __init__(self, operator: Any) -> None:
        self.operator = operator

    def __call__(self, x: Any) -> Any:
        _arrays.require_unmasked("tessera", x=x)
        return type(self.operator).dot(self.operator, x)


def without_masks(operator: Any) -> Any:
    """The same LinearOperator, whose @ refuses vectors with masked elements."""
    operator.dot = _Dot(operator)
    return operator


def aslinearoperator(A: Any) -> Any:
    """Wrap A as a SciPy LinearOperator with its products and those with its transpose.

    Parameters
    ----------
    A : array or StreamedMatrix
        Matrix of shape (m, n), float32 or float64, with contiguous rows or columns.

    Returns
    -------
    scipy.sparse.linalg.LinearOperator
        For `lsqr`, `lsmr` and `svds`. For a CuPy array it is CuPy's LinearOperator.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> from scipy.sparse.linalg import lsqr
    >>> A = np.array([[2.0, 0.0], [0.0, 4.0], [0.0, 0.0]])
    >>> lsqr(tessera.aslinearoperator(A), np.array([2.0, 8.0, 0.0]))[0]
    array([1., 2.])
    """
    matvec, rmatvec = _Forward(A), _Transposed(A)
    blocks = {} if isinstance(A, _core.StreamedMatrix) else {"matmat": matvec, "rmatmat": rmatvec}
    return without_masks(
        _linear_operator(A)(tuple(A.shape), matvec=matvec, rmatvec=rmatvec, dtype=matvec.dtype, **blocks)
    )


def NormalOperator(A: Any, *, shift: float = 0.0) -> Any:
    """Wrap A.T @ A + shift * I as a SciPy LinearOperator with one pass over A per product.

    Parameters
    ----------
    A : array or StreamedMatrix
        Matrix of shape (m, n), float32 or float64, with contiguous rows or columns.
    shift : float, default 0
        Added to the diagonal.

    Returns
    -------
    scipy.sparse.linalg.LinearOperator
        For `eigsh`, `lobpcg` and `cg`. For a CuPy array it is CuPy's LinearOperator.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> from scipy.sparse.linalg import cg
    >>> A = np.array([[2.0, 0.0], [0.0, 4.0], [0.0, 0.0]])
    >>> cg(tessera.NormalOperator(A), np.array([4.0, 16.0]))[0]
    array([1., 1.])
    """
    product = _Normal(A, shift)
    blocks = {} if isinstance(A, _core.StreamedMatrix) else {"matmat": product, "rmatmat": product}
    n = A.shape[1]
    return without_masks(_linear_operator(A)((n, n), matvec=product, rmatvec=product, dtype=product.dtype, **blocks))
