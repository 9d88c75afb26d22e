# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Matrices that other packages keep: the units in which they are read, and arrays in blocks.

Sources are read in units of whole rows, which are as large as the chunks of the source where the limit permits. The
last two units stay in memory, since blocks end within units and several threads ask for them.
"""

import collections
import math
import os
import threading
from collections.abc import Iterable, Sequence
from typing import Any

import numpy

from tessera import _arrays, _core
from tessera._core import StreamedMatrix
from tessera._matrices import _bytes
from tessera._names import dtype_of

_HELD = 2  # units in memory
_UNIT = 8 << 20  # of small chunks read together
_DASK_UNIT = 64 << 20  # computed by a cluster at a time


def _type_name(dtype: Any) -> str:
    """ "float32" for types of NumPy, PyTorch and others."""
    return str(getattr(dtype, "name", None) or dtype).rpartition(".")[2]


def _kind(name: str) -> str:
    """The kind of a type of NumPy, "O" of other types."""
    try:
        return numpy.dtype(name).kind
    except TypeError:
        return "O"


def _type_of(function: str, types: Iterable[Any], dtype: Any) -> numpy.dtype:
    """The type that elements of these types are converted to."""
    names = [_type_name(each) for each in types]
    for name in names:
        if name not in ("bfloat16", "float128", "longdouble") and _kind(name) not in "fiub":
            raise TypeError(f"tessera.{function}: expected real numbers, found elements of type {name}")
    if dtype is not None:
        wanted = dtype_of(dtype)
        if wanted.name not in ("float32", "float64"):
            raise TypeError(f"tessera.{function}: dtype must be float32 or float64, found {wanted.name}")
        return wanted
    return numpy.dtype("float32" if set(names) <= {"float16", "bfloat16", "float32"} else "float64")


def _numbers(function: str, part: Any, dtype: numpy.dtype, first_row: int) -> Any:
    """Elements on the host in this type. Integers that it does not hold, and masked elements, are refused."""
    if numpy.ma.is_masked(part):
        raise TypeError(
            f"tessera.{function}: expected elements that are there, found {numpy.ma.count_masked(part)} masked ones in "
            f"rows from {first_row} on; fill them first, for example with filled(...)"
        )
    if _type_name(part.dtype) == "bfloat16":
        part = part.float() if _arrays._library(part) == "torch" else part.astype("float32")
    found = numpy.asarray(_arrays.on_host(part))
    if found.dtype == dtype:
        return found
    with numpy.errstate(over="ignore"):
        result = found.astype(dtype)
    digits = numpy.finfo(dtype).nmant + 1
    if found.dtype.kind in "iu" and 8 * found.dtype.itemsize - (found.dtype.kind == "i") > digits:
        bound = found.dtype.type(2) ** digits
        bad = found > bound if found.dtype.kind == "u" else (found > bound) | (found < -bound)
        bad[bad] = [int(old) != int(new) for old, new in zip(found[bad], result[bad])]
        what = "does not hold exactly"
    elif found.dtype.kind == "f" and found.dtype.itemsize > dtype.itemsize:
        bad = numpy.isinf(result) & numpy.isfinite(found)
        what = "does not hold"
    else:
        return result
    if bad.any():
        row, col = numpy.argwhere(bad)[0]
        raise ValueError(
            f"tessera.{function}: found {found[row, col]} in row {first_row + row}, which {dtype.name} {what}"
        )
    return result


def _require_unit(function: str, rows: int, row_bytes: int, limit: int, advice: str) -> None:
    if rows * row_bytes * 2 * _HELD > limit:
        raise ValueError(
            f"tessera.{function}: expected a memory_limit of at least {rows * row_bytes * 2 * _HELD} bytes, found {limit}: "
            f"{rows} rows of {row_bytes} bytes are read at once{advice}"
        )


def _regular_units(function: str, rows: int, chunk: int, row_bytes: int, limit: int) -> Any:
    """Where units begin, and the end. Chunks that are too tall for the limit are read in parts.

    A matrix that fits is one unit: later passes find it in memory.
    """
    most = limit // (2 * _HELD) // row_bytes
    if rows <= most:
        return numpy.array([0, rows])
    if most == 0:
        _require_unit(function, 1, row_bytes, limit, "")
    chunk = min(max(chunk, 1), rows)
    unit = min(most, chunk) if chunk > most // 2 else chunk * max(1, min(most, _UNIT // row_bytes) // chunk)
    return numpy.append(numpy.arange(0, rows, unit), rows)


def _joined_units(function: str, counts: Sequence[int], row_bytes: int, limit: int, advice: str) -> Any:
    """The same of chunks of any size, which are read whole."""
    if sum(counts) <= limit // (2 * _HELD) // row_bytes:
        return numpy.array([0, sum(counts)])
    most = max(1, min(_DASK_UNIT, limit // (2 * _HELD)) // row_bytes)
    edges, end = [0], 0
    for count in counts:
        _require_unit(function, count, row_bytes, limit, advice)
        if end > edges[-1] and end + count - edges[-1] > most:
            edges.append(end)
        end += count
    return numpy.array([*edges, end])


class _InUnits:
    """The `read` of a stream, by a source whose `rows(first, end)` are whole rows."""

    def __init__(self, source: Any, edges: Any) -> None:
        self.source, self.edges = source, edges
        self._begin()

    def _begin(self) -> None:
        self.lock = threading.Lock()  # a read that nobody waits for may still run
        self.held: collections.OrderedDict[int, Any] = collections.OrderedDict()

    def __getstate__(self) -> Any:
        return self.source, self.edges

    def __setstate__(self, state: Any) -> None:
        self.source, self.edges = state
        self._begin()

    def _unit(self, k: int) -> Any:
        if k in self.held:
            self.held.move_to_end(k)
            return self.held[k]
        while len(self.held) >= _HELD:
            self.held.popitem(last=False)
        first, end = int(self.edges[k]), int(self.edges[k + 1])
        self.held[k] = part = self._read(first, end)
        return part

    def _read(self, first: int, end: int) -> Any:
        part = self.source.rows(first, end)
        if part.shape[0] != end - first:
            raise ValueError(f"tessera: expected rows {first} to {end} of a source, found {part.shape[0]} rows")
        return part

    def __call__(self, rows: slice, cols: slice) -> Any:
        with self.lock:
            k = int(numpy.searchsorted(self.edges, rows.start, side="right")) - 1
            parts, begin = [], rows.start
            while begin < rows.stop:
                first, end = int(self.edges[k]), min(int(self.edges[k + 1]), rows.stop)
                parts.append(self._unit(k)[begin - first : end - first, cols])
                begin, k = end, k + 1
            return parts[0] if len(parts) == 1 else numpy.concatenate(parts)

    def direct(self, first: int, end: int) -> Any:
        """Rows that are not kept in memory."""
        with self.lock:
            return self._read(first, end)

    @property
    def bytes(self) -> int:
        sizes = numpy.diff(self.edges)
        return int(sizes.max()) * self.source.row_bytes * min(_HELD, len(sizes))


def _stream(
    read: Any, shape: tuple[int, int], dtype: numpy.dtype, memory_limit: Any, held: int, order: str = "C"
) -> StreamedMatrix:
    recipe = (_stream, (read, shape, dtype, memory_limit, held, order))
    return _core._from_callback(
        int(shape[0]), int(shape[1]), read, dtype.name, order, _bytes(memory_limit), recipe, int(held)
    )


def _stream_in_units(read: _InUnits, shape: tuple[int, int], dtype: numpy.dtype, limit: Any) -> StreamedMatrix:
    return _stream(read, shape, dtype, limit, read.bytes)


def _stream_of_chunks(
    function: str, source: Any, shape: tuple[int, int], chunk: int, memory_limit: Any
) -> StreamedMatrix:
    """A source whose chunks have so many rows."""
    if 0 in shape:
        raise ValueError(f"tessera.{function}: expected at least one row and one column, found shape {shape}")
    edges = _regular_units(function, shape[0], chunk, source.row_bytes, _bytes(memory_limit))
    return _stream_in_units(_InUnits(source, edges), shape, source.dtype, memory_limit)


def _shape_of(function: str, x: Any, what: str = "") -> tuple[int, int]:
    shape = tuple(getattr(x, "shape", ()))
    if len(shape) != 2:
        raise ValueError(f"tessera.{function}: expected a matrix{what}, found {type(x).__name__} of shape {shape}")
    if 0 in shape:
        raise ValueError(f"tessera.{function}: expected at least one row and one column{what}, found shape {shape}")
    return shape[0], shape[1]


_ROWS_AT_ONCE = 64 << 20  # bytes


def rows_of(A: StreamedMatrix, first: int, end: int) -> Any:
    """Rows of a streamed matrix as an array in its order. Sources of other packages keep nothing in memory."""
    function, arguments = A.__reduce__()
    if function is not _stream or not isinstance(arguments[0], _InUnits):
        return _core._rows_of_stream(A, first, end)
    rows = numpy.empty((end - first, A.shape[1]), A.dtype)
    step = max(1, min(_ROWS_AT_ONCE, A.memory_limit // 4) // (A.shape[1] * A.dtype.itemsize))
    for begin in range(first, end, step):
        last = min(begin + step, end)
        rows[begin - first : last - first] = arguments[0].direct(begin, last)
    return rows


class _Sliced:
    """An array of another package whose slices are arrays: of h5py, Zarr, xarray, dask."""

    def __init__(self, function: str, array: Any, dtype: numpy.dtype) -> None:
        self.function, self.array, self.dtype = function, array, dtype
        self.row_bytes = array.shape[1] * dtype.itemsize

    def rows(self, first: int, end: int) -> Any:
        part = self.array[first:end]
        part = part.compute() if hasattr(part, "compute") else part
        part = part.values if hasattr(part, "values") else part
        return _numbers(self.function, part, self.dtype, first)


def _of_chunks(function: str, array: Any, chunk: int, dtype: Any, memory_limit: Any) -> StreamedMatrix:
    shape = _shape_of(function, array)
    source = _Sliced(function, array, _type_of(function, [array.dtype], dtype))
    return _stream_of_chunks(function, source, shape, chunk, memory_limit)


class _Blocks:
    """The `read` of blocks of rows, each an array that is sliced where it is."""

    def __init__(self, blocks: Sequence[Any], edges: Any, dtype: numpy.dtype) -> None:
        self.blocks, self.edges, self.dtype = blocks, edges, dtype

    def __call__(self, rows: slice, cols: slice) -> Any:
        k = int(numpy.searchsorted(self.edges, rows.start, side="right")) - 1
        parts, begin = [], rows.start
        while begin < rows.stop:
            first, end = int(self.edges[k]), min(int(self.edges[k + 1]), rows.stop)
            if end > begin:
                part = self.blocks[k][begin - first : end - first, cols]
                parts.append(_numbers("from_blocks", part, self.dtype, begin))
            begin, k = end, k + 1
        return parts[0] if len(parts) == 1 else numpy.concatenate(parts)


def from_blocks(blocks: Iterable[Any], *, dtype: Any = None, memory_limit: int | str = "1GiB") -> StreamedMatrix:
    """Create a matrix from arrays that are blocks of its rows.

    Parameters
    ----------
    blocks : sequence of array
        Arrays of shape (m_i, n), of any numbers of rows: of NumPy, PyTorch, CuPy, h5py, or `numpy.memmap`.
    dtype : data-type, optional
        Type of the elements, float32 or float64. By default float32 if all blocks are float16, bfloat16 or float32,
        otherwise float64.
    memory_limit

    Returns
    -------
    StreamedMatrix
        A matrix for the functions of `tessera` and `tessera.linalg`. Blocks are not copied: the rows that a pass needs
        are sliced from them.

    Raises
    ------
    ValueError
        If the blocks have different numbers of columns, or an integer is not exact in `dtype`.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> tessera.matvec(tessera.from_blocks([np.ones((1, 2)), np.eye(2)]), np.array([3.0, 4.0]))
    array([7., 3., 4.])
    """
    if hasattr(blocks, "shape") or isinstance(blocks, (str, bytes)) or not hasattr(blocks, "__iter__"):
        what = "None" if blocks is None else f"one {type(blocks).__name__}"
        raise TypeError(f"tessera.from_blocks: expected a sequence of matrices, found {what}")
    arrays = []
    for k, block in enumerate(blocks):
        _arrays.require_dense(block, "tessera.from_blocks: expected")
        if isinstance(block, StreamedMatrix):
            raise TypeError(f"tessera.from_blocks: expected arrays, found a streamed matrix as block {k}")
        arrays.append(block if hasattr(block, "shape") and hasattr(block, "dtype") else numpy.asarray(block))
    for k, block in enumerate(arrays):
        if len(block.shape) != 2:
            raise ValueError(f"tessera.from_blocks: expected matrices, found shape {tuple(block.shape)} of block {k}")
        if block.shape[1] != arrays[0].shape[1]:
            raise ValueError(
                f"tessera.from_blocks: expected matrices with {arrays[0].shape[-1]} columns, found shape "
                f"{tuple(block.shape)} of block {k}"
            )
    edges = numpy.concatenate([[0], numpy.cumsum([block.shape[0] for block in arrays], dtype=numpy.int64)])
    if edges[-1] == 0 or arrays[0].shape[1] == 0:
        raise ValueError(f"tessera.from_blocks: expected at least one row and one column, found {len(arrays)} empty blocks")
    kind = _type_of("from_blocks", (block.dtype for block in arrays), dtype)
    return _stream(_Blocks(arrays, edges, kind), (int(edges[-1]), int(arrays[0].shape[1])), kind, memory_limit, 0)


def from_dask(x: Any, *, dtype: Any = None, memory_limit: int | str = "1GiB") -> StreamedMatrix:
    """Create a matrix from a dask array, which is computed in groups of row chunks.

    Parameters
    ----------
    x : dask.array.Array
        Matrix with chunks of any shape.
    dtype : data-type, optional
        Type of the elements, float32 or float64. By default float32 if `x` is float16 or float32, otherwise float64.
    memory_limit : int or str, default "1GiB"
        Memory that a pass may use, in bytes or with a unit. Four row chunks must fit.

    Returns
    -------
    StreamedMatrix
        A matrix for the functions of `tessera` and `tessera.linalg`. The result does not depend on the chunks or the
        number of workers. Each pass computes each chunk, unless the matrix fits into a quarter of `memory_limit`.

    Raises
    ------
    ValueError
        If sizes of chunks are unknown, or a row chunk is larger than a quarter of `memory_limit`.

    Notes
    -----
    Chunks are computed by dask's scheduler: threads, or the current client of dask.distributed. If chunks take long to
    compute, call `x.persist()` first.

    Examples
    --------
    >>> import tessera
    >>> import dask.array  # doctest: +SKIP
    >>> x = dask.array.ones((3, 2), chunks=(2, 1))  # doctest: +SKIP
    >>> tessera.matvec(tessera.from_dask(x), [1.0, 2.0])  # doctest: +SKIP
    array([3., 3., 3.])
    """
    if not hasattr(x, "chunks") or not hasattr(x, "compute"):
        advice = "; call its to_dask_array(lengths=True)" if hasattr(x, "to_dask_array") else ""
        raise TypeError(f"tessera.from_dask: expected a dask array, found {type(x).__name__}{advice}")
    if any(math.isnan(size) for size in x.shape):
        raise ValueError(f"tessera.from_dask: expected chunks of known sizes, found shape {x.shape}; call x.compute_chunk_sizes()")
    shape = _shape_of("from_dask", x)
    source = _Sliced("from_dask", x, _type_of("from_dask", [x.dtype], dtype))
    edges = _joined_units(
        "from_dask", x.chunks[0], source.row_bytes, _bytes(memory_limit), "; x.rechunk((rows, -1)) makes smaller chunks"
    )
    return _stream_in_units(_InUnits(source, edges), shape, source.dtype, memory_limit)


def from_xarray(x: Any, *, dtype: Any = None, memory_limit: int | str = "1GiB") -> StreamedMatrix:
    """Create a matrix from an xarray variable, in memory, in a file, or of dask chunks.

    Parameters
    ----------
    x : xarray.DataArray
        Variable of two dimensions; the first one gives the rows.
    dtype : data-type, optional
        Type of the elements, float32 or float64. By default float32 if `x` is float16 or float32, otherwise float64.
    memory_limit

    Returns
    -------
    StreamedMatrix
        A matrix for the functions of `tessera` and `tessera.linalg`. Missing elements are NaN, as xarray decodes them.

    Examples
    --------
    >>> import tessera
    >>> import xarray  # doctest: +SKIP
    >>> x = xarray.DataArray([[1.0, 2.0], [3.0, 4.0]])  # doctest: +SKIP
    >>> tessera.matvec(tessera.from_xarray(x), [1.0, 1.0])  # doctest: +SKIP
    array([3., 7.])
    """
    if not hasattr(x, "dims") or not hasattr(x, "variable"):
        advice = "; name one of its variables: ds[\"name\"]" if hasattr(x, "data_vars") else ""
        raise TypeError(f"tessera.from_xarray: expected an xarray.DataArray, found {type(x).__name__}{advice}")
    _shape_of("from_xarray", x, " of two dimensions")
    if x.chunks is not None:
        return from_dask(x.data, dtype=dtype, memory_limit=memory_limit)
    sizes = x.encoding.get("preferred_chunks") or {}
    return _of_chunks("from_xarray", x, sizes.get(x.dims[0], 1), dtype, memory_limit)


def _identity(path: str) -> tuple[int, int, int]:
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns, status.st_ino


def _require_same(path: str, identity: tuple[int, int, int]) -> None:
    if _identity(path) != identity:
        raise OSError(f"{path}: has changed since it was opened: expected the same file during all passes")
