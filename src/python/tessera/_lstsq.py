# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Least squares with rank and residues."""

import numbers
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from tessera import _arrays, _core
from tessera._least_squares import solve
from tessera._results import Step
from tessera._singular_values import svds
from tessera._solvers import column_of, counted, type_of_results, is_array, is_distributed, not_finite_in, on_all_ranks, shape_of


@on_all_ranks
def lstsq(
    A: Any,
    b: Any,
    rcond: float | None = None,
    *,
    maxiter: int | None = None,
    copy: bool = False,
    callback: Callable[[Step], Any] | None = None,
    progress: bool = False,
) -> tuple[Any, Any, int | None, Any]:
    """Compute the shortest x that minimises ‖A x - b‖, like scipy.linalg.lstsq.

    Parameters
    ----------
    A
    b : array
        Right-hand side of m entries, or several as an array of shape (m, k).
    rcond : float, optional
        Singular values of A up to this part of the largest count as zero, as in NumPy. A must have at most 512 columns,
        and must not be distributed. By default those of the scaled A are compared with the precision; see Notes.
    maxiter : int, optional
        Use LSMR with at most this number of iterations.
    copy, callback, progress

    Returns
    -------
    tuple
        The solution x, residues, rank and singular values. residues is the square of the residual norm. It is an empty
        array if A does not have full column rank, or no more rows than columns. rank is None if LSMR was used. The
        singular values are computed if `rcond` is given, and None otherwise.

    Raises
    ------
    numpy.linalg.LinAlgError
        If LSMR does not converge within `maxiter` iterations.

    Notes
    -----
    A matrix with at most 512 columns is solved directly, unless `maxiter` is given, with the same few passes for all
    right-hand sides. Columns are scaled to equal norms inside. Singular values of the scaled matrix count as zero if they are at most 2 eps (float32) or
    8 n eps (float64) times the largest.

    Otherwise `lsmr` runs. If m >= n and the norms of the columns differ by more than a factor of 10, the columns are
    scaled inside. If scaled columns depend on each other, x is the shortest solution for the scaled columns.

    Examples
    --------
    >>> import numpy as np
    >>> from tessera.linalg import lstsq
    >>> x, residues, rank, s = lstsq(np.array([[1.0], [1.0]]), np.array([1.0, 3.0]))
    >>> np.round(x, 12), round(residues, 12)
    (array([2.]), 2.0)
    """
    name = "tessera.linalg.lstsq"
    if copy and not isinstance(A, _core.StreamedMatrix):
        A = _arrays.array(A, f"{name}: A must be") if is_array(A) else A
        b = _arrays.array(b, f"{name}: b must be")
    rows, cols = shape_of(name, A)
    truncated = None if rcond is None else _Truncated(name, A, rcond, maxiter, copy, progress)
    values = None if truncated is None else truncated.values

    def solve_all(columns: Sequence[Any]) -> list[tuple[Any, float, int | None]]:
        if truncated is not None and truncated.rank < cols:
            return [truncated.solve(column) for column in columns]
        results = solve(
            "lstsq", A, columns, [0.0], atol=None, btol=None, conlim=None, maxiter=maxiter, x0=None, copy=copy,
            callback=callback, progress=progress
        )
        for result in results:
            if result["istop"] == 7:
                raise numpy.linalg.LinAlgError(
                    f"{name}: {result['why']}, after {counted(result['iterations'])}; raise maxiter"
                )
        if truncated is not None and any(result["rank"] < cols for result in results):  # which rcond counts
            return [truncated.solve(column) for column in columns]
        no_rank = 0 if 0 in (rows, cols) else None
        return [
            (result["x"], result["normr"] ** 2, result["rank"] if result["rank"] >= 0 else no_rank) for result in results
        ]

    def has_residues(rank: int | None) -> bool:
        return rows > cols and rank in (None, cols)

    if len(getattr(b, "shape", ())) != 2:
        ((x, square, rank),) = solve_all([b])
        return x, square if has_residues(rank) else _arrays.of_numbers(x, [], "float64"), rank, values
    if not hasattr(b, "dtype"):
        raise TypeError(f"{name}: b must be an array, found {type(b).__name__}; copy=True makes an array of it")
    if not is_distributed(A) and b.shape[0] != rows:
        raise ValueError(f"{name}: b must have shape ({rows},) or ({rows}, k) for A of shape {(rows, cols)}, found {tuple(b.shape)}")
    solutions = solve_all([b[:, j] for j in range(b.shape[1])]) if b.shape[1] else []
    rank = truncated.rank if truncated is not None else solutions[0][2] if solutions else None
    dtype = _arrays.dtype_name(solutions[0][0]) if solutions else type_of_results(name, A).name
    x = _arrays.empty(A if is_array(A) else b, (cols, b.shape[1]), dtype)
    for j, (column, _, _) in enumerate(solutions):
        x[:, j] = column
    squares = [square for _, square, _ in solutions] if has_residues(rank) else []
    return _arrays.finished(x), _arrays.of_numbers(x, squares, "float64"), rank, values


class _Truncated:
    """Least squares without the small singular values, by the decomposition of A.

    A is not stored twice: x = V S^-2 V.T A.T b is corrected by the gradient at x, which reads A once, until the
    correction no longer shrinks. That gives back the digits that S^-2 loses, but for columns that depend on each other
    so nearly that the first x has none. Where nothing is left out, `lstsq` therefore solves without the decomposition.
    """

    MOST_COLUMNS = 512
    MOST_CORRECTIONS = 8

    def __init__(self, name: str, A: Any, rcond: float, maxiter: int | None, copy: bool, progress: bool) -> None:
        if not isinstance(rcond, numbers.Real) or not 0 <= rcond < 1:
            raise ValueError(f"{name}: rcond must be a number of at least 0 and below 1, found {rcond!r}")
        if maxiter is not None:
            raise ValueError(f"{name}: expected rcond or maxiter, found both: {rcond!r} and {maxiter!r}")
        rows, cols = shape_of(name, A)
        if is_distributed(A) or cols > self.MOST_COLUMNS:
            where = "a distributed matrix" if is_distributed(A) else f"{cols} columns"
            raise ValueError(f"{name}: rcond is for matrices of one process with at most {self.MOST_COLUMNS} columns, found {where}")
        if 0 in (rows, cols):
            raise ValueError(f"{name}: rcond is for matrices with elements, found shape {(rows, cols)}")
        self.A = _arrays.suitable(A, f"{name}: A must be") if copy else A
        self.copy = copy
        _, values, vh = svds(self.A, min(rows, cols), return_singular_vectors="vh", progress=progress)
        values, host = values[::-1] if isinstance(values, numpy.ndarray) else values.flip(0), _arrays.on_host(values)
        self.rank = int((host > rcond * host.max()).sum())
        self.values = values
        self.vh = vh[-self.rank :] if self.rank else vh[:0]
        self.squares = _arrays.of_numbers(vh, host[len(host) - self.rank :] ** 2, host.dtype)

    def solve(self, b: Any) -> tuple[Any, float, int]:
        b = column_of(b)
        dtype = _arrays.dtype_name(self.vh)
        x = _arrays.of_numbers(self.vh, numpy.zeros(self.vh.shape[1]), dtype)
        gradient, residual = _core.atax(self.A, x, minus=b, return_b=True, copy=self.copy)
        last = numpy.inf
        for _ in range(self.MOST_CORRECTIONS):
            correction = ((self.vh @ gradient) / self.squares) @ self.vh
            size = float((correction @ correction) ** 0.5)
            if not size < last / 2:
                break
            x, last = x - correction, size
            gradient, residual = _core.atax(self.A, x, minus=b, return_b=True, copy=self.copy)
        if not numpy.isfinite(last):
            raise ValueError(f"tessera.linalg.lstsq: {not_finite_in('b', b) or 'b has an infinity or a NaN'}")
        return x, float(_core.dot(residual, residual)), self.rank
