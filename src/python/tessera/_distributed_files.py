# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Matrices of which each rank maps or reads its own rows."""

import os
from typing import TYPE_CHECKING, Any

import numpy

from tessera import _arrays, _matrices, _sources
from tessera._core import StreamedMatrix
from tessera._distributed_matrix import Matrix, is_by_rows
from tessera._names import dtype_of

if TYPE_CHECKING:
    from tessera.distributed import World


def open(world: "World", path: Any, dtype: Any, shape: tuple[int, int] | None, order: str, blocks: bool) -> Matrix:
    rows = None
    its_order = "C"

    def read_rows() -> tuple[dict[str, Any], None]:
        nonlocal rows, its_order
        whole = _opened(path, dtype, shape, order)
        is_streamed = isinstance(whole, StreamedMatrix)
        its_order = whole.order if is_streamed else "C" if whole.flags.c_contiguous else "F"
        mine = world.rows_of(*whole.shape, dtype=whole.dtype, order=its_order, blocks=blocks)
        rows = _sources.rows_of(whole, mine.start, mine.stop) if is_streamed else whole[mine]
        if not rows.dtype.isnative:
            rows = rows.astype(rows.dtype.newbyteorder("="), order=its_order)
        what = "a streamed matrix with" if whole is path else f"a file {os.fspath(path)} with"
        content = f"{whole.shape[0]} x {whole.shape[1]} elements of {whole.dtype} in order {its_order}"
        return {what: content, "blocks": blocks}, None

    world._require_alike("open", read_rows)
    return world.matrix(rows, order=its_order)


def _opened(source: Any, dtype: Any, shape: tuple[int, int] | None, order: str) -> Any:
    """The whole matrix: a mapped file if its elements can be used as they are stored, else a streamed matrix."""
    if isinstance(source, StreamedMatrix):
        for name, value in (("dtype", dtype), ("shape", shape)):
            if value is not None:
                raise ValueError(f"open: {name} is for files, found {value} with a streamed matrix")
        return source
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(
            f"open: expected a path or a streamed matrix, found {type(source).__name__}: tessera.from_blocks, from_dask, "
            "from_zarr and others make one; an array of this rank's rows needs World.matrix"
        )
    path = os.fspath(source)
    if shape is not None:
        return _mapped_elements(path, dtype, shape, is_by_rows("open", order))
    whole = _mapped_npy(path) if dtype is None else None
    return _matrices.open(path, dtype=dtype) if whole is None else whole


def _mapped_npy(path: str) -> Any:
    """The matrix in a .npy file whose elements products can read, which is mapped; None: other contents."""
    try:
        whole = numpy.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError):
        return None
    is_matrix = isinstance(whole, numpy.memmap) and whole.ndim == 2
    return whole if is_matrix and (whole.dtype.name in ("float32", "float64") or _arrays.is_narrow(whole)) else None


def _mapped_elements(path: str, dtype: Any, shape: tuple[int, int], by_rows: bool) -> Any:
    if dtype is None:
        raise ValueError("open: expected dtype with the shape of raw elements, found none")
    try:
        whole = numpy.memmap(path, dtype_of(dtype), "r", shape=tuple(shape), order="C" if by_rows else "F")
    except ValueError as error:
        raise ValueError(f"open: {path}: {error}") from error
    if whole.ndim != 2:
        raise ValueError(f"open: expected the shape of a matrix, found {shape}")
    if whole.nbytes != os.path.getsize(path):
        raise ValueError(f"open: {path} has {os.path.getsize(path)} bytes, and {whole.shape} of {whole.dtype} {whole.nbytes}")
    return whole
