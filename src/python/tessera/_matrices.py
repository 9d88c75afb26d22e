# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Matrices that are read block by block, since they are larger than memory."""

import numbers
import os
import re
from collections.abc import Callable
from typing import Any

import numpy

from tessera import _core
from tessera._core import StreamedMatrix
from tessera._names import dtype_of, order_of
from tessera._sentences import found, in_one_sentence

_UNITS = {"": 1, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


def _bytes(memory_limit: int | str) -> int:
    if isinstance(memory_limit, str):
        parts = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*", memory_limit)
        if parts is None or parts[2] not in _UNITS:
            raise ValueError(
                f"tessera: memory_limit must be a number of bytes or a text such as \"2GiB\", with B, KiB, MiB, GiB or TiB, found {memory_limit!r}"
            )
        memory_limit = int(float(parts[1]) * _UNITS[parts[2]])
    if not isinstance(memory_limit, numbers.Real):
        raise TypeError(
            f"tessera: memory_limit must be a number of bytes or a text such as \"2GiB\", found {found(memory_limit)}"
        )
    if memory_limit < 1:
        raise ValueError(f"tessera: memory_limit must be positive, found {memory_limit}")
    return int(memory_limit)


@in_one_sentence
def open(
    path: str | os.PathLike[str],
    *,
    memory_limit: int | str = "1GiB",
    dtype: Any = None,
    shape: tuple[int, int] | None = None,
    order: str = "C",
    missing: float | None = None,
) -> StreamedMatrix:
    """Open a matrix file that is read in blocks.

    Parameters
    ----------
    path : str or path-like
        A .npy, .bed or ex3 file, an array "file.npz:array", an HDF5 dataset "file.h5:dataset", or a file of raw elements.
    memory_limit : int or str, default "1GiB"
        Memory that a pass over the file may use, in bytes or with a unit, in addition to its vectors.
    dtype : data-type, optional
        Type of the elements, float32 or float64. Elements of another type are converted. Required for raw
        elements.
    shape : tuple of int, optional
        Shape (m, n) of raw elements.
    order : {"C", "F"}, default "C"
        Order of raw elements; "row-major" and "column-major" are accepted too.
    missing : float, optional
        Entries equal to it, rounded to the type of the matrix, or NaN if it is NaN, are read as the mean of the other
        entries of their column. Opening reads the file once for the means.

    Returns
    -------
    StreamedMatrix
        A matrix for the functions of `tessera` and `tessera.linalg`. Each pass reads the file once.

    Raises
    ------
    OSError
        If the file cannot be read, or has other contents.

    Examples
    --------
    >>> import numpy as np, tempfile, tessera
    >>> file = tempfile.NamedTemporaryFile(suffix=".npy")
    >>> np.save(file, np.array([[1.0, 2.0], [3.0, 4.0]])); file.flush()
    >>> tessera.matvec(tessera.open(file.name, memory_limit="16MiB"), np.array([1.0, 1.0]))
    array([3., 7.])
    """
    name = None if dtype is None else dtype_of(dtype).name
    order = order_of(order)
    path = os.fsdecode(path)
    recipe = (_open_again, (os.path.abspath(path), memory_limit, name, shape, order, missing))
    of_file = (path, _bytes(memory_limit), name, shape, order, recipe)
    try:
        matrix = _core._open(*of_file)
        if missing is not None:
            stats = _core._column_stats("open", matrix, 0, missing, False)
            means = [mean if count > 0 else 0.0 for mean, count in zip(stats["mean"], stats["count"])]
            matrix = _core._open(*of_file, missing, means)
    except OSError as error:
        if "does not exist: expected a file" in str(error):
            raise FileNotFoundError(str(error)) from None
        raise
    if shape is not None and tuple(shape) != matrix.shape:
        raise ValueError(f"tessera.open: expected the shape {tuple(shape)}, found {matrix.shape} in {path}")
    return matrix


def _open_again(
    path: str, memory_limit: int | str, dtype: str | None, shape: Any, order: str, missing: float | None = None
) -> StreamedMatrix:
    """What pickles of a file's matrix call."""
    return open(path, memory_limit=memory_limit, dtype=dtype, shape=shape, order=order, missing=missing)


@in_one_sentence
def from_callback(
    rows: int,
    cols: int,
    read: Callable[[slice, slice], Any],
    *,
    dtype: Any = numpy.float64,
    order: str = "C",
    memory_limit: int | str = "1GiB",
) -> StreamedMatrix:
    """Create a matrix whose blocks a function returns.

    Parameters
    ----------
    rows, cols : int
        Shape of the matrix.
    read : callable
        Function of two slices that returns that part of the matrix, as an array of `dtype` without masked
        elements. It is called by several threads, one at a time, and must return the same each time.
    dtype : data-type, default float64
        Type of the elements, float32 or float64.
    order : {"C", "F"}, default "C"
        "C" reads blocks of whole rows, "F" blocks of whole columns.
    memory_limit

    Returns
    -------
    StreamedMatrix
        A matrix for the functions of `tessera` and `tessera.linalg`.

    Notes
    -----
    Ctrl-C does not wait for `read`: it ends by itself, and its result is not used. `read` must not call
    Tessera itself.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> A = np.arange(6.0).reshape(3, 2)
    >>> tessera.matvec(tessera.from_callback(3, 2, lambda rows, cols: A[rows, cols]), np.ones(2))
    array([1., 5., 9.])
    """
    if not callable(read):
        raise TypeError(f"tessera.from_callback: read must be a function, found {type(read).__name__}")
    name, order = dtype_of(dtype).name, order_of(order)
    recipe = (_call_again, (rows, cols, read, name, order, memory_limit))
    return _core._from_callback(rows, cols, read, name, order, _bytes(memory_limit), recipe)


def _call_again(rows: int, cols: int, read: Any, dtype: str, order: str, memory_limit: int | str) -> StreamedMatrix:
    """What pickles of a function's matrix call."""
    return from_callback(rows, cols, read, dtype=dtype, order=order, memory_limit=memory_limit)


def refuse_array(A: StreamedMatrix, dtype: Any = None, copy: bool | None = None) -> Any:
    """What NumPy calls to make an array. Without it an array of one object would be made, which is misleading."""
    raise TypeError(
        f"tessera: expected an array, found a streamed matrix of shape {A.shape}: it is not an array in memory; pass it to "
        "functions of tessera, such as matvec, or to estimators of tessera.sklearn"
    )
