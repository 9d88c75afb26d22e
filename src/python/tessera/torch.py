# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Products as operators of PyTorch: differentiable, and without a graph break in `torch.compile`.

The operator is registered as `torch.ops.tessera.atax`.

>>> import torch  # doctest: +SKIP
>>> import tessera.torch  # doctest: +SKIP
>>> v = torch.tensor([1.0, -1.0], requires_grad=True)  # doctest: +SKIP
>>> tessera.torch.atax(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), v).sum().backward()  # doctest: +SKIP
>>> v.grad  # doctest: +SKIP
tensor([24., 34.])
"""

from typing import Any

try:
    import torch as _torch
    from torch.autograd.forward_ad import unpack_dual as _unpack_dual
    from torch.library import custom_op as _custom_op
except ImportError as error:
    raise ImportError("tessera.torch needs PyTorch 2.4 or newer: pip install torch") from error

from tessera import _core

__all__ = ["atax"]


def __dir__() -> list[str]:
    return list(__all__)


@_custom_op(
    "tessera::atax",
    mutates_args=(),
    schema="(Tensor A, Tensor v, Tensor? minus=None) -> (Tensor, Tensor)",
)
def _atax(A: Any, v: Any, minus: Any = None) -> tuple[Any, Any]:
    """The pair (A.T @ b, b) with b = A @ v - minus."""
    A, v = A.detach(), v.detach().contiguous()
    if minus is None:
        return _core.atax(A, v, return_b=True)
    minus = minus.detach().contiguous()
    if v.dim() == 1:
        return _core.atax(A, v, minus=minus, return_b=True)
    # The compiled part subtracts one vector.
    columns = zip(v.unbind(1), minus.unbind(1), strict=True)
    found = [_core.atax(A, x.contiguous(), minus=y.contiguous(), return_b=True) for x, y in columns]
    return _torch.stack([c for c, _ in found], dim=1), _torch.stack([b for _, b in found], dim=1)


@_atax.register_fake
def _(A: Any, v: Any, minus: Any = None) -> tuple[Any, Any]:
    _torch._check(A.dim() == 2, lambda: f"tessera.torch.atax: A must have two dimensions, found {A.dim()}")
    _torch._check(v.dim() in (1, 2), lambda: f"tessera.torch.atax: v must have one or two dimensions, found {v.dim()}")
    return A.new_empty((A.shape[1], *v.shape[1:])), A.new_empty((A.shape[0], *v.shape[1:]))


def _keep(ctx: Any, inputs: tuple[Any, ...], output: tuple[Any, Any]) -> None:
    A, v, minus = inputs
    ctx.set_materialize_grads(False)
    ctx.has_minus = minus is not None
    ctx.save_for_backward(A, v, output[1])


def _gradients(context: Any, of_c: Any, of_b: Any) -> tuple[Any, Any, Any]:
    """With h = A @ of_c + of_b: A.T @ h by v, -h by minus, and b of_c.T + h v.T by A."""
    A, v, b = context.saved_tensors
    if of_c is None:
        if of_b is None:
            return None, None, None
        of_c = _torch.zeros_like(v)
    by_v, h = _atax(A, of_c, None if of_b is None else -of_b)
    by_A = None
    if context.needs_input_grad[0]:
        by_A = _outer(b, of_c) + _outer(h, v)
    return by_A, by_v, -h if context.has_minus else None


def _outer(x: Any, y: Any) -> Any:
    return _torch.outer(x, y) if x.dim() == 1 else x @ y.T


_atax.register_autograd(_gradients, setup_context=_keep)


def atax(A: Any, v: Any, *, minus: Any = None, return_b: bool = False) -> Any:
    """Compute A.T @ (A @ v - minus), differentiable by all arguments.

    Parameters
    ----------
    A : torch.Tensor
        Matrix of shape (m, n), float32 or float64, with contiguous rows or columns.
    v : torch.Tensor
        Vector of n entries, or a block of vectors of shape (n, k).
    minus : torch.Tensor, optional
        Subtracted from A @ v; of its shape.
    return_b : bool, default False
        Also return B = A @ v - minus.

    Returns
    -------
    torch.Tensor or tuple of torch.Tensor
        C, of the shape of `v`; with `return_b` the pair (C, B).

    Raises
    ------
    NotImplementedError
        If an argument has a tangent of forward-mode differentiation.

    Notes
    -----
    The result has the bits of `tessera.atax`. The gradient by `v` is one more product of this kind, and reads A once.
    The gradient by A is computed if A requires one: it needs two more products of the size of A. With `minus`, a block
    of k vectors reads A k times.

    Examples
    --------
    >>> import torch  # doctest: +SKIP
    >>> import tessera.torch  # doctest: +SKIP
    >>> A = torch.tensor([[1.0, 2.0], [3.0, 4.0]])  # doctest: +SKIP
    >>> step = torch.compile(lambda v: tessera.torch.atax(A, v), fullgraph=True)  # doctest: +SKIP
    >>> step(torch.tensor([1.0, -1.0]))  # doctest: +SKIP
    tensor([-4., -6.])
    """
    for name, x in (("A", A), ("v", v), ("minus", minus)):
        if x is not None and _unpack_dual(x).tangent is not None:  # PyTorch drops it without an error
            raise NotImplementedError(
                f"tessera.torch.atax: {name} must have no tangent: forward mode, such as torch.func.jvp, is not supported; "
                "use torch.autograd"
            )
    c, b = _atax(A, v, minus)
    return (c, b) if return_b else c
