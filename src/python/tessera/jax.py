# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Products as functions of JAX, for `jit` and `grad`.

They run on the host, by `jax.pure_callback`. Arrays on a GPU are copied to the host and back in each call.

>>> import jax  # doctest: +SKIP
>>> import tessera.jax  # doctest: +SKIP
>>> A, v = jax.numpy.array([[1.0, 2.0], [3.0, 4.0]]), jax.numpy.array([1.0, -1.0])  # doctest: +SKIP
>>> jax.jit(tessera.jax.atax)(A, v)  # doctest: +SKIP
Array([-4., -6.], dtype=float32)
"""

from typing import Any

import numpy as _numpy

try:
    import jax as _jax
except ImportError as error:
    raise ImportError("tessera.jax needs the package jax: pip install jax") from error

from tessera import _core

__all__ = ["atax"]


def __dir__() -> list[str]:
    return list(__all__)


def _on_host(A: Any, v: Any, minus: Any) -> tuple[Any, Any]:
    A, v, minus = (_numpy.ascontiguousarray(x) for x in (A, v, minus))
    if not minus.any():
        return _core.atax(A, v, return_b=True)
    if v.ndim == 1:
        return _core.atax(A, v, minus=minus, return_b=True)
    # The compiled part subtracts one vector.
    found = [_core.atax(A, x, minus=y, return_b=True) for x, y in zip(v.T.copy(), minus.T.copy(), strict=True)]
    return _numpy.stack([c for c, _ in found], axis=1), _numpy.stack([b for _, b in found], axis=1)


@_jax.custom_vjp
def _atax(A: Any, v: Any, minus: Any) -> tuple[Any, Any]:
    """The pair (A.T @ b, b) with b = A @ v - minus."""
    shapes = tuple(_jax.ShapeDtypeStruct((size, *v.shape[1:]), A.dtype) for size in (A.shape[1], A.shape[0]))
    return _jax.pure_callback(_on_host, shapes, A, v, minus, vmap_method="sequential")


def _forward(A: Any, v: Any, minus: Any) -> tuple[Any, Any]:
    c, b = _atax(A, v, minus)
    return (c, b), (A, v, b)


def _backward(kept: tuple[Any, Any, Any], of_result: tuple[Any, Any]) -> tuple[Any, Any, Any]:
    """With h = A @ of_c + of_b: A.T @ h by v, -h by minus, and b of_c.T + h v.T by A."""
    A, v, b = kept
    of_c, of_b = of_result
    by_v, h = _atax(A, of_c, -of_b)
    return _outer(b, of_c) + _outer(h, v), by_v, -h


def _outer(x: Any, y: Any) -> Any:
    return _jax.numpy.outer(x, y) if x.ndim == 1 else x @ y.T


_atax.defvjp(_forward, _backward)


def atax(A: Any, v: Any, *, minus: Any = None, return_b: bool = False) -> Any:
    """Compute A.T @ (A @ v - minus) on the host, under `jit` too, differentiable by all arguments.

    Parameters
    ----------
    A : jax.Array
        Matrix of shape (m, n), float32 or float64.
    v : jax.Array
        Vector of n entries, or a block of vectors of shape (n, k), of the type of A.
    minus : jax.Array, optional
        Subtracted from A @ v; of its shape and type.
    return_b : bool, default False
        Also return B = A @ v - minus.

    Returns
    -------
    jax.Array or tuple of jax.Array
        C, of the shape of `v`; with `return_b` the pair (C, B).

    Raises
    ------
    TypeError
        If the arguments are not float32 or float64, or of different types.
    ValueError
        If shapes do not match.

    Notes
    -----
    The result has the bits of `tessera.atax`. The gradient by `v` is one more product of this kind, and reads A once.
    `vmap` calls it for one element after the other. With `minus`, a block of k vectors reads A k times.

    Examples
    --------
    >>> import jax  # doctest: +SKIP
    >>> import tessera.jax  # doctest: +SKIP
    >>> A, v = jax.numpy.array([[1.0, 2.0], [3.0, 4.0]]), jax.numpy.array([1.0, -1.0])  # doctest: +SKIP
    >>> jax.jit(tessera.jax.atax)(A, v)  # doctest: +SKIP
    Array([-4., -6.], dtype=float32)
    """
    A, v = _jax.numpy.asarray(A), _jax.numpy.asarray(v)
    if A.ndim != 2 or v.ndim not in (1, 2) or v.shape[0] != A.shape[1]:
        raise ValueError(
            f"tessera.jax.atax: v must have shape (n,) or (n, k) for A of shape (m, n), found {v.shape} for {A.shape}"
        )
    shape = (A.shape[0], *v.shape[1:])
    minus = _jax.numpy.zeros(shape, A.dtype) if minus is None else _jax.numpy.asarray(minus)
    if A.dtype not in (_numpy.float32, _numpy.float64) or {v.dtype, minus.dtype} != {A.dtype}:
        raise TypeError(
            "tessera.jax.atax: arguments must be all float32 or all float64, found "
            f"{A.dtype}, {v.dtype} and {minus.dtype}"
        )
    if minus.shape != shape:
        raise ValueError(f"tessera.jax.atax: minus must have the shape {shape} of A @ v, found {minus.shape}")
    c, b = _atax(A, v, minus)
    return (c, b) if return_b else c
