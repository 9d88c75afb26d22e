# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Products of matrices and vectors whose rows are distributed."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy

from tessera import _arrays, _core, _operators
from tessera._distributed_matrix import Matrix, agreed, columns_of, copied, require_entries

if TYPE_CHECKING:
    from tessera.distributed import World


def matvec(world: "World", A: Any, x: Any, order: str | None, copy: bool) -> Any:
    if copy:
        A, x = copied(world, A, order, x)
    a = agreed(world, "matvec", A, order, whole={"x": x}, copy=copy)

    def product(x: Any) -> Any:
        def part() -> Any:
            require_entries("matvec", "x", x, a.shape[1], columns_of(x))
            return _core._matvec_part(a.array, x, a.shape[0], a.order == "C")

        return world._together(part)

    return _each(a, x, a.array.shape[0], product)


def rmatvec(world: "World", A: Any, u: Any, order: str | None, copy: bool) -> Any:
    if copy:
        A, u = copied(world, A, order, u)
    return _rmatvec(agreed(world, "rmatvec", A, order, facts=lambda _: {"vectors": columns_of(u)}, copy=copy), u)


def _rmatvec(a: Matrix, u: Any) -> Any:
    def product(u: Any) -> Any:
        def part(first: int, end: int) -> Any:
            return _core._rmatvec_part(a.array, u, a.shape[0], a.order == "C", first, end - first)

        a.world._together(lambda: require_entries("rmatvec", "u", u, a.array.shape[0], columns_of(u)))
        return _arrays.of_numbers(u, _sum(a, part, columns_of(u)), a.dtype)

    return _each(a, u, a.shape[1], product)


def atax(
    world: "World",
    A: Any,
    v: Any,
    weights: Any,
    minus: Any,
    map: str | None,
    alpha: float,
    beta: float,
    z: Any,
    return_b: bool,
    order: str | None,
    copy: bool,
) -> Any:
    if copy:
        A, v, weights, minus, z = copied(world, A, order, v, weights, minus, z)
    kind, of_map = "", None

    def facts(A: Any) -> dict[str, Any]:
        nonlocal kind, of_map, alpha, beta, return_b
        kind, of_map = _core._map_of(weights, minus, map)
        alpha, beta, return_b = float(alpha), float(beta), bool(return_b)
        if kind:
            require_entries("atax", "weights" if of_map is weights else "minus", of_map, A.shape[0])
        if z is None and beta != 0:
            raise ValueError("atax: beta needs z")
        if z is not None:
            if getattr(v, "ndim", 0) != 1:
                raise ValueError("atax: z is added to one vector, found a block of them")
            require_entries("atax", "z", z, A.shape[1])
        return {"map, alpha, beta and return_b": (kind, alpha, beta, return_b)}

    a = agreed(world, "atax", A, order, facts=facts, whole={"v": v, "z": z}, copy=copy)
    count = a.array.shape[0]

    def product(v: Any) -> Any:
        shape = (count, *columns_of(v))
        b = world._together(lambda: _arrays.empty(v, shape, a.dtype.name)) if return_b else None

        def part(first: int, end: int) -> Any:
            return _core._atax_part(a.array, v, a.shape[0], a.order == "C", first, end - first, kind, of_map, b)

        def add_terms() -> None:
            _core._scale(alpha, sums.reshape(-1))
            if beta != 0:
                _core.axpby(beta, _arrays.on_host(z), 1.0, sums)

        world._together(lambda: require_entries("atax", "v", v, a.shape[1], columns_of(v)))
        sums = _sum(a, part, columns_of(v))
        world._together(add_terms)
        c = _arrays.of_numbers(v, sums, a.dtype)
        return (c, _arrays.finished(b)) if return_b else c

    return _each(a, v, (a.shape[1], count) if return_b else a.shape[1], product)


def dot(world: "World", x: Any, y: Any, copy: bool) -> float:
    if copy:
        x, y = copied(world, x, None, y)
    column = world._together(lambda: _arrays.contiguous(_column(x)))
    return float(_rmatvec(agreed(world, "dot", column, None, is_vector=True), y)[0])


def linear_operator(world: "World", A: Any, order: str | None, copy: bool) -> Any:
    from scipy.sparse.linalg import LinearOperator

    a = agreed(world, "aslinearoperator", A, order, copy=copy)

    def matvec(x: Any) -> Any:
        return world.gather_rows(world.matvec(a, world._together(lambda: _flat(x, a.dtype))))

    def rmatvec(u: Any) -> Any:
        return world.rmatvec(a, world._together(lambda: _flat(u, a.dtype)[a.rows]))

    return _operators.without_masks(LinearOperator(a.shape, matvec=matvec, rmatvec=rmatvec, dtype=a.dtype))


def normal_operator(world: "World", A: Any, order: str | None, copy: bool) -> Any:
    from scipy.sparse.linalg import LinearOperator

    a = agreed(world, "NormalOperator", A, order, copy=copy)

    def product(x: Any) -> Any:
        return world.atax(a, world._together(lambda: _flat(x, a.dtype)))

    return _operators.without_masks(
        LinearOperator((a.shape[1], a.shape[1]), matvec=product, rmatvec=product, dtype=a.dtype)
    )


def _each(a: Matrix, x: Any, sizes: Any, product: Callable[[Any], Any]) -> Any:
    """product(x), or, if x is a block and A or x is empty, the products with its columns side by side.

    `sizes` is how many entries a product has, or each of a pair of them.
    """
    if getattr(x, "ndim", 1) != 2 or 0 not in (*a.shape, x.shape[1]):
        return product(x)
    count = x.shape[1]
    is_pair = isinstance(sizes, tuple)
    blocks = a.world._together(
        lambda: [_arrays.empty(x, (size, count), a.dtype.name) for size in (sizes if is_pair else (sizes,))]
    )
    for j in range(count):
        columns = product(x[:, j])
        for block, column in zip(blocks, columns if is_pair else (columns,), strict=True):
            block[:, j] = column
    results = tuple(_arrays.finished(block) for block in blocks)
    return results if is_pair else results[0]


def _sum(a: Matrix, part: Callable[[int, int], Any], columns: tuple[int, ...] = ()) -> Any:
    """The sum over all ranks' rows; part(first, end) is that of some of this rank's, with a row for each column."""
    m, n = a.shape
    length = n * columns[0] if columns else n
    if m == 0 or n == 0:
        a.world._together(lambda: part(0, a.array.shape[0]))  # ranks with rows still compute B
        return a.world._together(lambda: numpy.zeros(n, dtype=a.dtype))

    def make_roots() -> tuple[list[int], Any]:
        parts = _core._parts_of(m, n, a.dtype.itemsize, a.order == "C", a.rows.start, a.array.shape[0])
        roots = numpy.empty((len(parts), length), dtype=a.dtype)
        for root, (first, end, _) in zip(roots, parts, strict=True):
            root[:] = _arrays.on_host(part(first, end)).reshape(-1)
        return [level for _, _, level in parts], roots

    sums = a.world._add_roots(make_roots, length, a.dtype)
    return a.world._together(lambda: numpy.ascontiguousarray(sums.reshape(-1, n).T)) if columns else sums


def _column(x: Any) -> Any:
    if getattr(x, "ndim", 0) != 1:
        raise ValueError(f"dot: x must be a vector, found {type(x).__name__}")
    return x.reshape(-1, 1)


def _flat(x: Any, dtype: Any) -> Any:
    _arrays.require_unmasked("tessera.distributed.World", x=x)
    return numpy.ascontiguousarray(_arrays.real(numpy.asarray(x)), dtype=dtype).reshape(-1)
