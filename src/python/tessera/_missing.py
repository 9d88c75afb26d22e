# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Matrices whose missing entries are read as numbers, one for each column."""

import numbers
from typing import Any

import numpy

from tessera import _arrays, _core, _matrices, _sources
from tessera._core import StreamedMatrix
from tessera._sentences import found, in_one_sentence


class _Part:
    """The `read` of an array in memory."""

    def __init__(self, array: Any, dtype: numpy.dtype) -> None:
        self.array, self.dtype = array, dtype

    def __call__(self, rows: slice, cols: slice) -> Any:
        return _sources._numbers("fill_missing", self.array[rows, cols], self.dtype, rows.start)


class _Filled:
    """Another `read` without missing entries."""

    def __init__(self, read: Any, missing: float, means: Any) -> None:
        with numpy.errstate(over="ignore"):
            code = means.dtype.type(missing)
        # A number beyond the largest stays as it is: infinite entries are not equal to it.
        self.read, self.missing, self.means = read, numpy.float64(missing) if numpy.isinf(code) else code, means

    def __call__(self, rows: slice, cols: slice) -> Any:
        part = numpy.asarray(self.read(rows, cols))
        is_missing = numpy.isnan(part) if numpy.isnan(self.missing) else part == self.missing
        return numpy.where(is_missing, self.means[cols], part) if is_missing.any() else part


@in_one_sentence
def fill_missing(
    A: Any,
    missing: float = numpy.nan,
    *,
    means: Any = None,
    memory_limit: int | str | None = None,
    copy: bool = False,
) -> StreamedMatrix:
    """Read missing entries of a matrix as the mean of their column.

    A is neither changed nor widened: each pass converts some rows at a time.

    Parameters
    ----------
    A : array or StreamedMatrix
        Matrix of shape (m, n), float32 or float64. An array may be float16, bfloat16, int8, uint8, int16 or uint16, and is
        read as float32. Files have the argument `missing` of `tessera.open` instead.
    missing : float, default nan
        Entries equal to it, rounded to the type of the matrix, or NaN if it is NaN, are missing.
    means : array, optional
        Numbers to read in their place, one for each column. By default the means of the other entries of each column, for
        which A is read once; 0 in a column without other entries. Pass the means of the training data for new data.
    memory_limit : int or str, optional
        Memory that a pass may use, in bytes or with a unit. By default that of A if it is streamed, otherwise "1GiB".
    copy : bool, default False
        Copy arrays of other types or layouts. By default they raise an error.

    Returns
    -------
    StreamedMatrix
        A matrix for the functions of `tessera` and `tessera.linalg` and the estimators of `tessera.sklearn`. Results have
        the bits of the array in which the means were written.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> X = np.array([[1.0, 7.0], [np.nan, 7.0], [3.0, 7.0]])
    >>> tessera.matvec(tessera.fill_missing(X), np.array([1.0, 0.0]))
    array([1., 2., 3.])
    >>> coded = np.array([[0, 2], [-9, 1]], np.int8)
    >>> tessera.linalg.pca(tessera.fill_missing(coded, -9), 1).mean
    array([0. , 1.5], dtype=float32)
    """
    if not isinstance(missing, numbers.Real):
        raise TypeError(f"tessera.fill_missing: missing must be a number, found {found(missing)}")
    if isinstance(A, StreamedMatrix):
        read, held, order = _source_of(A)
        limit: int | str = A.memory_limit
    else:
        _arrays.require_no_masked_array("tessera.fill_missing", A)
        if copy:
            expected = "tessera.fill_missing: A must be"
            A = _arrays.array(A, expected)
            A = A if len(A.shape) == 2 and _arrays.is_narrow(A) else _arrays.suitable(A, expected)
        if 0 in getattr(A, "shape", ()):
            raise ValueError(f"tessera.fill_missing: A must not be empty, found shape {tuple(A.shape)}")
        read, held, order, limit = None, 0, "C", "1GiB"
    must_be = "tessera.fill_missing: means must be"
    if means is None:
        stats = _core._column_stats("fill_missing", A, 0, missing, copy)
        means = [mean if count > 0 else 0.0 for mean, count in zip(stats["mean"], stats["count"])]
    else:
        means = _arrays.copied(_arrays.on_host(_arrays.array(means, must_be)), "float64", must_be)
        if numpy.isnan(means).any():
            raise ValueError(f"{must_be} numbers, found NaN at index {int(numpy.isnan(means).argmax())}")
    dtype = numpy.dtype(_arrays.scalar_name(A))
    means = numpy.asarray(means, dtype)
    if means.shape != (A.shape[1],):
        raise ValueError(f"tessera.fill_missing: means must have {A.shape[1]} entries, found {found(means)}")
    if read is None:
        read = _Part(A, dtype)
        strides = _arrays.strides(A)
        order = "F" if A.shape[0] > 1 and strides and strides[0] < strides[1] else "C"
    limit = limit if memory_limit is None else memory_limit
    return _sources._stream(_Filled(read, missing, means), A.shape, dtype, limit, held, order)


def _source_of(A: StreamedMatrix) -> tuple[Any, int, str]:
    """The function that reads A's blocks, the bytes that it keeps, and A's order."""
    again, arguments = A.__reduce__()
    if again is _sources._stream:
        return arguments[0], arguments[4], arguments[5]
    if again is _matrices._call_again:
        return arguments[2], 0, arguments[4]
    raise TypeError("tessera.fill_missing: A must not be a matrix of a file; pass missing= to tessera.open")
