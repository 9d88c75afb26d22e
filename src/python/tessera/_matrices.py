# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Matrices that are read block by block, since they are larger than memory."""

import os
import re
from collections.abc import Callable
from typing import Any

import numpy

from tessera import _core
from tessera._core import StreamedMatrix

_UNITS = {"": 1, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


def _bytes(memory_limit: int | str) -> int:
    if isinstance(memory_limit, str):
        parts = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*", memory_limit)
        if parts is None or parts[2] not in _UNITS:
            raise ValueError(
                f"tessera: memory_limit must be a number of bytes or a text such as \"2GiB\", found {memory_limit!r}"
            )
        memory_limit = int(float(parts[1]) * _UNITS[parts[2]])
    if memory_limit < 1:
        raise ValueError(f"tessera: memory_limit must be positive, found {memory_limit}")
    return int(memory_limit)


def open(
    path: str | os.PathLike[str],
    *,
    memory_limit: int | str = "1GiB",
    dtype: Any = None,
    shape: tuple[int, int] | None = None,
    order: str = "C",
) -> StreamedMatrix:
    """A matrix in a file, which is read block by block and never as a whole.

    The file is .npy, HDF5 ("file.h5:dataset") where this build has it, ex3, or raw elements, whose
    `shape`, `dtype` and `order` are given. Elements of another type than `dtype` are converted.
    Each call of a function reads the file once, within `memory_limit` beside its vectors.

    >>> import numpy as np, tempfile, tessera
    >>> file = tempfile.NamedTemporaryFile(suffix=".npy")
    >>> np.save(file, np.array([[1.0, 2.0], [3.0, 4.0]])); file.flush()
    >>> tessera.matvec(tessera.open(file.name, memory_limit="16MiB"), np.array([1.0, 1.0]))
    array([3., 7.])
    """
    name = None if dtype is None else numpy.dtype(dtype).name
    path = os.fsdecode(path)
    recipe = (_open_again, (os.path.abspath(path), memory_limit, name, shape, order))
    return _core._open(path, _bytes(memory_limit), name, shape, order, recipe)


def _open_again(path: str, memory_limit: int | str, dtype: str | None, shape: Any, order: str) -> StreamedMatrix:
    """What pickles of a file's matrix call."""
    return open(path, memory_limit=memory_limit, dtype=dtype, shape=shape, order=order)


def from_callback(
    rows: int,
    cols: int,
    read: Callable[[slice, slice], Any],
    *,
    dtype: Any = numpy.float64,
    order: str = "C",
    memory_limit: int | str = "1GiB",
) -> StreamedMatrix:
    """A matrix of rows x cols that read(rows, cols) gives in blocks.

    `read` gets two slices and returns that part of the matrix as an array of `dtype`, without masked
    elements. It is called by several threads, one at a time, and returns the same each time. Ctrl-C
    does not wait for it: it ends on its own, and what it returns is not used. `order` says whether blocks
    are of whole rows ("C") or of whole columns ("F").

    >>> import numpy as np, tessera
    >>> A = np.arange(6.0).reshape(3, 2)
    >>> tessera.matvec(tessera.from_callback(3, 2, lambda rows, cols: A[rows, cols]), np.ones(2))
    array([1., 5., 9.])
    """
    if not callable(read):
        raise TypeError(f"tessera.from_callback: read must be a function, found {type(read).__name__}")
    name = numpy.dtype(dtype).name
    recipe = (_call_again, (rows, cols, read, name, order, memory_limit))
    return _core._from_callback(rows, cols, read, name, order, _bytes(memory_limit), recipe)


def _call_again(rows: int, cols: int, read: Any, dtype: str, order: str, memory_limit: int | str) -> StreamedMatrix:
    """What pickles of a function's matrix call."""
    return from_callback(rows, cols, read, dtype=dtype, order=order, memory_limit=memory_limit)
