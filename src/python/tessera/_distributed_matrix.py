# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""The matrix whose rows are distributed, and the checks that all ranks mean the same product."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from tessera import _arrays, _core
from tessera._collectives import DistributedError, compare, digest_of
from tessera._names import order_of

if TYPE_CHECKING:
    from tessera.distributed import World


class Matrix:
    """Matrix whose rows are distributed over all ranks.

    Use `World.matrix` or `World.open` to create one.

    Attributes
    ----------
    shape : tuple of int
        Shape (m, n) of the whole matrix.
    dtype : numpy.dtype
        Type of vectors and results, float32 or float64. It is float32 if `array` has a narrow type, such as uint8.
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
            require_entries("linalg", name, x, self._counts[self.world.rank])
            if _arrays.dtype_name(x) == self.dtype.name:
                return x
            if not copy:
                found = _arrays.dtype_name(x)
                raise TypeError(f"linalg: {name} must have elements {self.dtype}, found {found}; copy=True makes a copy")
            return _arrays.copied(x, self.dtype.name)

        return self.world.gather_rows(self.world._together(mine))

    # Called by the compiled part within a solver. A rank that has failed and left meets the others
    # here.

    def _add(self, roots: Any, levels: Sequence[int], sums: Any, fields: int) -> None:
        sums[:] = self.world._add_roots(lambda: (levels, roots), sums.shape[0], sums.dtype, fields)

    def _share(self, x: Any) -> None:
        x[:] = self.world._gather(lambda: x[self.rows], self._counts)


class _Rows(NamedTuple):
    """What ranks tell each other of their arrays."""

    count: int
    dtype: str
    are_contiguous: bool
    has_contiguous_columns: bool
    strides: tuple[int, int]


def _rows_of(A: Any) -> _Rows:
    down, across = _arrays.strides(A)
    rows, cols = A.shape
    is_by_rows, is_by_columns = across == 1 or cols <= 1 or rows == 0, down == 1 or rows <= 1 or cols == 0
    return _Rows(int(rows), _arrays.scalar_name(A), is_by_rows, is_by_columns, (down, across))


def agreed(
    world: "World",
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
        nonlocal A, order
        if order is not None:
            order = "C" if is_by_rows(operation, order) else "F"
        if copy:
            A = suitable(A, order)
        _require_matrix(operation, A, copy, may_be_narrow=not is_vector)
        alike = {"operation": operation, "dtype": _arrays.dtype_name(A), "columns": int(A.shape[1]), "order": order}
        if facts is not None:
            alike.update(facts(A))
        digests, fault = _digests_of(operation, A, {} if whole is None else whole, alike)
        return alike, (digests, fault, _rows_of(A))

    every = world._require_alike(operation, look)
    for rank, (_, fault, _) in enumerate(every):
        if fault is not None:
            raise DistributedError(rank, fault)
    compare(operation, [digests for digests, _, _ in every])
    found = [rows for _, _, rows in every]
    counts = [rows.count for rows in found]
    m, n = sum(counts), int(A.shape[1])
    if is_vector:
        by_rows = False
    elif m <= 1 or n <= 1:
        by_rows = True  # one process sums it this way in any order
    elif order is not None:
        by_rows = order == "C"
    else:
        by_rows = all(rows.are_contiguous for rows in found)
        if copy and not by_rows and not all(rows.has_contiguous_columns for rows in found):
            by_rows = True  # no layout of all ranks
            A = world._together(lambda: A if found[world.rank].are_contiguous else _arrays.contiguous(A))
            found = [rows._replace(are_contiguous=True) for rows in found]
    if m == 1 and n > 1 and not found[world.rank].are_contiguous:
        A = _arrays.contiguous(A)
    if m > 1:
        _require_layout(operation, found, by_rows, order)
    return Matrix(world, A, by_rows, numpy.dtype(found[0].dtype), counts)


def _require_matrix(operation: str, A: Any, copy: bool, may_be_narrow: bool) -> None:
    if not hasattr(A, "dtype"):
        advice = "" if A is None else "; copy=True makes an array of it"
        raise TypeError(f"A must be an array, found {type(A).__name__}{advice}")
    if getattr(A, "ndim", 0) != 2:
        raise ValueError(f"A must have two dimensions, found {type(A).__name__} of shape {tuple(A.shape)}")
    _arrays.require_no_masked_array(operation, A)
    if isinstance(A, _core.StreamedMatrix):
        raise TypeError("A must be an array, found a streamed matrix: World.open reads the rows of this rank")
    name, is_native = _arrays.dtype_name(A), getattr(A.dtype, "isnative", True)
    if not is_native or not (name in ("float32", "float64") or (may_be_narrow and _arrays.is_narrow(A))):
        advice = "" if copy else "; copy=True makes a copy"
        others = ", or of 8 or 16 bits" if may_be_narrow else ""
        raise TypeError(f"A must have elements float32 or float64{others}, found {name if is_native else A.dtype}{advice}")


def _digests_of(operation: str, A: Any, whole: dict[str, Any], alike: dict[str, Any]) -> tuple[dict[str, str], str | None]:
    """Digests of vectors that are complete on every rank, and what is wrong with one of them."""
    digests, fault = {}, None
    for name, x in whole.items():
        if x is None and name == "z":
            continue
        alike.setdefault("vectors", columns_of(x))
        try:
            if tuple(getattr(x, "shape", ()))[:1] != (A.shape[1],):
                require_entries(operation, name, x, A.shape[1])
            digests[name] = digest_of(x)
        except ValueError as error:  # not the cause if numbers of columns differ
            fault = f"ValueError: {error}"
    return digests, fault


def _require_layout(operation: str, found: Sequence[_Rows], by_rows: bool, order: str | None) -> None:
    for rank, rows in enumerate(found):
        if not (rows.are_contiguous if by_rows else rows.has_contiguous_columns):
            lines = "rows" if by_rows else "columns"
            reason = f"for order={order!r}" if order is not None else "since rows are not adjacent on all ranks"
            raise DistributedError(
                rank,
                f"{operation}: A must have {lines} of adjacent elements, {reason}, found strides of {rows.strides[0]} and "
                f"{rows.strides[1]} elements; pass numpy.{'ascontiguousarray' if by_rows else 'asfortranarray'}(A)",
            )


def copied(world: "World", A: Any, order: str | None, *vectors: Any) -> list[Any]:
    """A, or a vector, and vectors of its type; arrays that have the type and the layout are not copied."""

    def convert() -> list[Any]:
        is_matrix = isinstance(A, Matrix)
        a = A.array if is_matrix else suitable(A, order)
        name = A.dtype.name if is_matrix else _arrays.dtype_name(a)
        others = [x if x is None else _arrays.array(x) for x in vectors]
        return [A if is_matrix else a] + [
            x if x is None or _arrays.dtype_name(x) == name else _arrays.copied(x, name) for x in others
        ]

    return list(world._together(convert))


def suitable(A: Any, order: str | None) -> Any:
    """A as `copy=True` takes it: with a type and a layout of the library, in this order if it is given."""
    if isinstance(A, _core.StreamedMatrix):
        return A  # refused later
    A = _arrays.array(A)
    _arrays.require_no_masked_array("tessera.distributed.World", A)
    A = _arrays.suitable(A)
    if order is None or A.ndim != 2 or 1 in A.shape:
        return A
    down, across = _arrays.strides(A)
    if is_by_rows("copy", order):
        return A if across == 1 else _arrays.contiguous(A)
    return A if down == 1 else _arrays.contiguous(A.T).T


def is_by_rows(operation: str, order: str) -> bool:
    order = order_of(order)
    if order not in ("C", "F"):
        raise ValueError(f"tessera.distributed.World.{operation}: order must be 'C' or 'F', found {order!r}")
    return order == "C"


def require_entries(operation: str, name: str, x: Any, entries: int, columns: tuple[int, ...] = ()) -> None:
    """Of a vector, or of each vector of a block with `columns`."""
    if tuple(getattr(x, "shape", ())) != (entries, *columns):
        found = getattr(x, "shape", f"a {type(x).__name__}")
        raise ValueError(f"{operation}: {name} must have {entries} entries, found {found}")


def columns_of(x: Any) -> tuple[int, ...]:
    """How many vectors a block has; nothing of one vector."""
    return tuple(getattr(x, "shape", ()))[1:]
