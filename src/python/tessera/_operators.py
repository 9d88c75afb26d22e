# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Matrices as SciPy's LinearOperators, for its solvers; of CuPy arrays as those of CuPy."""

from typing import Any

import numpy

from tessera import _arrays, _core, _pictures


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
        _arrays.require_dense(A)
        if type(A).__module__ == "tessera.distributed":
            raise TypeError(f"tessera: expected an array or a streamed matrix, found {A!r}; call the method of its world")
        dtype, shape = getattr(A, "dtype", type(A).__name__), tuple(getattr(A, "shape", ()))
        if str(dtype).removeprefix("torch.") not in ("float32", "float64"):
            raise TypeError(
                f"tessera: A must be an array of float32 or float64, found {dtype} of shape {shape}{_arrays.advice(A)}"
            )
        if len(shape) != 2:
            raise ValueError(f"tessera: A must have two dimensions, found shape {shape}")
        self.A = A
        self.dtype = numpy.dtype(str(dtype).removeprefix("torch."))
        self.products = 0

    def _of(self, x: Any) -> Any:
        raise NotImplementedError

    def __call__(self, x: Any) -> Any:
        module = _module(self.A)
        _arrays.require_unmasked("tessera", x=x)
        x = module.asarray(_arrays.real(module.asarray(x)), dtype=self.dtype)
        if any(stride < 0 for stride in x.strides):
            x = module.ascontiguousarray(x)
        self.products += 1
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


class _Html:
    """What notebooks show of an operator: an object, so that operators can be pickled."""

    def __init__(self, title: str, *products: _Product) -> None:
        self.title, self.products = title, products

    def __call__(self) -> str:
        first = self.products[0]
        reads = first.A.reads if isinstance(first.A, _core.StreamedMatrix) else sum(p.products for p in self.products)
        facts = [("matrix", _pictures.size_of(first.A.shape)), ("dtype", first.dtype), ("reads", f"{reads:.4g}")]
        return _pictures.table(self.title, facts)


def _operator(title: str, shape: tuple[int, int], matvec: _Product, rmatvec: _Product) -> Any:
    made = _linear_operator(matvec.A)(
        shape, matvec=matvec, rmatvec=rmatvec, dtype=matvec.dtype, matmat=matvec, rmatmat=rmatvec
    )
    made._repr_html_ = _Html(title, *([matvec] if rmatvec is matvec else [matvec, rmatvec]))
    return without_masks(made)


def aslinearoperator(A: Any, *, copy: bool = False) -> Any:
    """Wrap A as a SciPy LinearOperator with its products and those with its transpose.

    Parameters
    ----------
    A : array or StreamedMatrix
        Matrix of shape (m, n), float32 or float64, with contiguous rows or columns.
    copy : bool, default False
        Copy an array of another type or layout, once. By default it raises an error.

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
    A = _arrays.suitable(A, "tessera.aslinearoperator: A must be") if copy else A
    return _operator("tessera.aslinearoperator", tuple(getattr(A, "shape", ())), _Forward(A), _Transposed(A))


def NormalOperator(A: Any, *, shift: float = 0.0, copy: bool = False) -> Any:
    """Wrap A.T @ A + shift * I as a SciPy LinearOperator with one pass over A per product.

    Parameters
    ----------
    A : array or StreamedMatrix
        Matrix of shape (m, n), float32 or float64, with contiguous rows or columns.
    shift : float, default 0
        Added to the diagonal.
    copy : bool, default False
        Copy an array of another type or layout, once. By default it raises an error.

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
    A = _arrays.suitable(A, "tessera.NormalOperator: A must be") if copy else A
    product = _Normal(A, shift)
    return _operator("tessera.NormalOperator", (A.shape[1], A.shape[1]), product, product)
