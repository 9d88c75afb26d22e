# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Matrices that other packages keep: in blocks, on disk, or in a data frame.

Sources are read in units of whole rows, which are as large as the chunks of the source where the limit permits. The
last two units stay in memory, since blocks end within units and several threads ask for them.
"""

import collections
import json
import math
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy

from tessera import _arrays, _core
from tessera._core import StreamedMatrix
from tessera._matrices import _bytes
from tessera._matrices import open as _open
from tessera._names import dtype_of
from tessera._packages import package

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
    edges = _regular_units(function, shape[0], chunk, source.row_bytes, _bytes(memory_limit))
    return _stream_in_units(_InUnits(source, edges), shape, source.dtype, memory_limit)


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
    memory_limit : int or str, default "1GiB"
        Memory that a pass may use, in bytes or with a unit.

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
        _arrays.require_dense("tessera.from_blocks", block)
        if isinstance(block, StreamedMatrix):
            raise TypeError(f"tessera.from_blocks: expected arrays, found a streamed matrix as block {k}")
        arrays.append(block if hasattr(block, "shape") and hasattr(block, "dtype") else numpy.asarray(block))
    for k, block in enumerate(arrays):
        if len(block.shape) != 2 or block.shape[1] != arrays[0].shape[1]:
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
    memory_limit : int or str, default "1GiB"
        Memory that a pass may use, in bytes or with a unit.

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


# With their neutral values: netCDF readers change numbers by these.
_CHANGES = {"scale_factor": 1.0, "add_offset": 0.0, "_FillValue": math.nan, "missing_value": math.nan}


def from_zarr(
    source: Any, *, name: str | None = None, dtype: Any = None, memory_limit: int | str = "1GiB"
) -> StreamedMatrix:
    """Create a matrix from an array of Zarr, format 2 or 3.

    Parameters
    ----------
    source : str, path-like, zarr.Array or zarr.Group
        The array, or where it is stored.
    name : str, optional
        Path of the array within a group.
    dtype : data-type, optional
        Type of the elements, float32 or float64. By default float32 if they are float16 or float32, otherwise float64.
    memory_limit : int or str, default "1GiB"
        Memory that a pass may use, in bytes or with a unit. If four chunks of whole rows do not fit, each chunk is
        unpacked several times in a pass.

    Returns
    -------
    StreamedMatrix
        A matrix for the functions of `tessera` and `tessera.linalg`. The result does not depend on the chunks.

    Raises
    ------
    ImportError
        If the package zarr is not installed.
    ValueError
        If `source` is a group and `name` is not given, or the array does not have two dimensions.

    Examples
    --------
    >>> import tessera
    >>> import zarr  # doctest: +SKIP
    >>> A = tessera.from_zarr("counts.zarr", name="X", memory_limit="2GiB")  # doctest: +SKIP
    """
    array = source
    if isinstance(source, (str, os.PathLike)):
        zarr = package("zarr", "tessera.from_zarr")
        try:
            array = zarr.open(os.fspath(source), mode="r")
        except (ValueError, FileNotFoundError) as error:
            if isinstance(error, FileNotFoundError) and not os.path.exists(source):
                raise
            raise OSError(f"{os.fspath(source)}: expected an array or a group of Zarr, found neither") from None
    if not hasattr(array, "attrs") or not hasattr(array, "store"):
        raise TypeError(f"tessera.from_zarr: expected a path, an array or a group of Zarr, found {type(array).__name__}")
    if name is not None:
        if hasattr(array, "chunks"):
            raise ValueError(f"tessera.from_zarr: name is for groups, found {name!r} with an array")
        if name not in array:
            raise ValueError(f"tessera.from_zarr: expected one of the names {', '.join(sorted(array)) or 'none'}, found {name!r}")
        array = array[name]
    if not hasattr(array, "chunks"):
        names = ", ".join(sorted(array)) if hasattr(array, "__iter__") else ""
        if {"data", "indices", "indptr"} <= set(names.split(", ")):
            raise TypeError(_sparse("from_zarr", name or "the group", "a group of data, indices and indptr"))
        raise ValueError(
            f"tessera.from_zarr: expected an array, found {type(array).__name__}; name one of it: {names or 'it is empty'}"
        )
    for key, harmless in _CHANGES.items():
        value = dict(array.attrs).get(key, harmless)
        if value != harmless and not (value == "NaN" or value != value):
            raise ValueError(
                f"tessera.from_zarr: expected elements that are numbers as they are, found the attribute {key} = {value}; "
                "open the array with xarray and use tessera.from_xarray"
            )
    chunk = (getattr(array, "shards", None) or array.chunks)[0] if len(array.shape) == 2 else 1
    return _of_chunks("from_zarr", array, chunk, dtype, memory_limit)


def _sparse(function: str, name: str, found: str) -> str:
    return (
        f"tessera.{function}: {name} is sparse: expected a dense matrix, found {found}; store its .toarray(), for example "
        "as a layer, and pass layer="
    )


def from_anndata(
    source: Any,
    *,
    layer: str | None = None,
    obsm: str | None = None,
    dtype: Any = None,
    memory_limit: int | str = "1GiB",
) -> StreamedMatrix:
    """Create a matrix from a dense part of AnnData: `X`, a layer, or an entry of `obsm`.

    Parameters
    ----------
    source : str, path-like or anndata.AnnData
        A .h5ad file, a Zarr folder, or an object in memory or backed by a file.
    layer : str, optional
        Name of a layer, instead of `X`.
    obsm : str, optional
        Name of an entry of `obsm`, instead of `X`.
    dtype : data-type, optional
        Type of the elements, float32 or float64. By default float32 if they are float32, otherwise float64.
    memory_limit : int or str, default "1GiB"
        Memory that a pass may use, in bytes or with a unit.

    Returns
    -------
    StreamedMatrix
        Observations are rows, variables are columns.

    Raises
    ------
    OSError or TypeError
        If the matrix is sparse. Store its `.toarray()`, for example as a layer, and pass `layer`.

    Notes
    -----
    A .h5ad file is read by Tessera itself; no other package is needed.

    Examples
    --------
    >>> import tessera
    >>> A = tessera.from_anndata("cells.h5ad", layer="log1p", memory_limit="2GiB")  # doctest: +SKIP
    """
    if layer is not None and obsm is not None:
        raise ValueError(f"tessera.from_anndata: expected layer or obsm, found both: {layer!r} and {obsm!r}")
    name = f"layers/{layer}" if layer is not None else f"obsm/{obsm}" if obsm is not None else "X"
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        if os.path.isdir(path):
            return from_zarr(path, name=name, dtype=dtype, memory_limit=memory_limit)
        return _open(f"{path}:/{name}", dtype=dtype, memory_limit=memory_limit)
    if not hasattr(source, "obsm"):
        raise TypeError(f"tessera.from_anndata: expected a path or an AnnData, found {type(source).__name__}")
    array = source.layers[layer] if layer is not None else source.obsm[obsm] if obsm is not None else source.X
    if array is None:
        raise ValueError(f"tessera.from_anndata: expected a matrix {name}, found none")
    is_sparse = hasattr(array, "toarray") or hasattr(array, "indptr") or "Sparse" in type(array).__name__
    if is_sparse and not isinstance(array, numpy.ndarray):  # dense views also have toarray()
        raise TypeError(_sparse("from_anndata", name, f"{type(array).__name__} of shape {tuple(array.shape)}"))
    if hasattr(array, "compute"):
        return from_dask(array, dtype=dtype, memory_limit=memory_limit)
    array = array.to_numpy() if hasattr(array, "to_numpy") else array
    chunks = getattr(array, "chunks", None)
    return _of_chunks("from_anndata", array, chunks[0] if chunks else 1, dtype, memory_limit)


class _Tensor:
    """The `read` of a tensor in a file of safetensors."""

    TYPES = {
        "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
        "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "?",
    }  # fmt: skip

    def __init__(self, path: str, name: str | None, dtype: Any) -> None:
        self.path, self.identity = os.path.abspath(path), _identity(path)
        tensors, begin = self._header()
        if name is None and len(tensors) == 1:
            (name,) = tensors
        if name not in tensors:
            shown = ", ".join(list(tensors)[:8]) + (", …" if len(tensors) > 8 else "")
            found = "none is named" if name is None else f"found the name {name!r}"
            raise ValueError(f"{path}: expected the name of a tensor, one of {shown or 'none'}; {found}")
        facts = tensors[name]
        self.stored, self.shape, (first, end) = facts["dtype"], tuple(facts["shape"]), facts["data_offsets"]
        if self.stored not in self.TYPES:
            raise ValueError(f"{path}: tensor {name!r} is of type {self.stored}: expected one of {', '.join(self.TYPES)}")
        kind = {"F16": "float16", "BF16": "bfloat16"}.get(self.stored, numpy.dtype(self.TYPES[self.stored]).name)
        self.dtype = _type_of("from_safetensors", [kind], dtype)
        if len(self.shape) != 2 or 0 in self.shape:
            raise ValueError(f"{path}: expected a matrix with rows and columns, found tensor {name!r} of shape {self.shape}")
        needed = math.prod(self.shape) * numpy.dtype(self.TYPES[self.stored]).itemsize
        if not 0 <= first <= end or end - first != needed or begin + end > self.identity[0]:
            raise OSError(
                f"{path}: is truncated or damaged: expected {needed} bytes of tensor {name!r}, found bytes {first} to {end} "
                f"of {self.identity[0] - begin}"
            )
        self.offset = begin + first
        self.array = self._map()

    def _header(self) -> tuple[dict[str, Any], int]:
        with open(self.path, "rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if 8 + length > self.identity[0]:
                raise OSError(f"{self.path}: is no safetensors file: expected a header of {length} bytes, found the end")
            try:
                header = json.loads(file.read(length))
                tensors = {name: facts for name, facts in header.items() if name != "__metadata__"}
                for facts in tensors.values():
                    facts["dtype"], [int(size) for size in facts["shape"]], [int(at) for at in facts["data_offsets"]]
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise OSError(f"{self.path}: is no safetensors file: expected a header in JSON, found: {error}") from None
        return tensors, 8 + length

    def _map(self) -> Any:
        return numpy.memmap(self.path, self.TYPES[self.stored], "r", self.offset, self.shape)

    def __getstate__(self) -> Any:
        return {key: value for key, value in vars(self).items() if key != "array"}

    def __setstate__(self, state: Any) -> None:
        vars(self).update(state)
        _require_same(self.path, self.identity)
        self.array = self._map()

    def __call__(self, rows: slice, cols: slice) -> Any:
        _require_same(self.path, self.identity)
        part = numpy.asarray(self.array[rows, cols])
        if self.stored == "BF16":  # the upper half of a float32
            part = (part.astype(numpy.uint32) << 16).view(numpy.float32)
        return _numbers("from_safetensors", part, self.dtype, rows.start)


def from_safetensors(
    path: str | os.PathLike[str],
    name: str | None = None,
    *,
    dtype: Any = None,
    memory_limit: int | str = "1GiB",
) -> StreamedMatrix:
    """Create a matrix from a tensor in a file of safetensors.

    Parameters
    ----------
    path : str or path-like
        The file.
    name : str, optional
        Name of a tensor of two dimensions. It can be left out if the file has one tensor.
    dtype : data-type, optional
        Type of the elements, float32 or float64. By default float32 for F16, BF16 and F32, otherwise float64.
    memory_limit : int or str, default "1GiB"
        Memory that a pass may use, in bytes or with a unit.

    Returns
    -------
    StreamedMatrix
        A matrix for the functions of `tessera` and `tessera.linalg`. Only the rows that a pass needs are read.

    Raises
    ------
    OSError
        If the file is damaged or has changed.
    ValueError
        If there is no tensor of this name, or it is not a matrix.

    Examples
    --------
    >>> import tessera
    >>> A = tessera.from_safetensors("model.safetensors", "lm_head.weight")  # doctest: +SKIP
    """
    tensor = _Tensor(os.fspath(path), name, dtype)
    return _stream(tensor, tensor.shape, tensor.dtype, memory_limit, 0)


class _Fits:
    """A source whose rows are those of an image in a FITS file, or images of a cube."""

    def __init__(self, path: str, hdu: Any, dtype: Any) -> None:
        self.path, self.identity, self.hdu = os.path.abspath(path), _identity(path), hdu
        self._begin()
        if len(self.image.shape) not in (2, 3) or 0 in self.image.shape:
            raise ValueError(
                f"{path}: expected an image or a cube of images, found shape {tuple(self.image.shape)} in {self._name()}"
            )
        rows, *others = self.image.shape
        self.shape = (rows, math.prod(others))
        self.chunk = (getattr(self.image, "tile_shape", None) or (1,))[0]
        self.dtype = _type_of("from_fits", [self.image.section[0:1].dtype], dtype)
        self.row_bytes = self.shape[1] * self.dtype.itemsize

    def _begin(self) -> None:
        fits = package("astropy.io.fits", "tessera.from_fits")
        self.file = fits.open(self.path, memmap=False)  # `section` reads the requested rows
        images = [k for k, each in enumerate(self.file) if each.is_image and len(each.shape) >= 2]
        if self.hdu is None and not images:
            raise ValueError(f"{self.path}: expected an image, found none")
        self.image = self.file[images[0] if self.hdu is None else self.hdu]
        if not self.image.is_image:
            raise ValueError(f"{self.path}: expected an image, found a table in {self._name()}; images are in {images}")

    def _name(self) -> str:
        return f"HDU {self.file.index_of(self.image)}"

    def __getstate__(self) -> Any:
        return {key: x for key, x in vars(self).items() if key not in ("file", "image")}

    def __setstate__(self, state: Any) -> None:
        vars(self).update(state)
        _require_same(self.path, self.identity)
        self._begin()

    def rows(self, first: int, end: int) -> Any:
        _require_same(self.path, self.identity)
        part = numpy.asarray(self.image.section[first:end])
        return _numbers("from_fits", part.reshape(end - first, -1), self.dtype, first)


def from_fits(
    path: str | os.PathLike[str],
    hdu: int | str | None = None,
    *,
    dtype: Any = None,
    memory_limit: int | str = "1GiB",
) -> StreamedMatrix:
    """Create a matrix from an image of a FITS file, or from a cube of images.

    Parameters
    ----------
    path : str or path-like
        The file.
    hdu : int or str, optional
        Number or name of the header and data unit. By default the first that has an image.
    dtype : data-type, optional
        Type of the elements, float32 or float64. By default float32 if they are float32, otherwise float64.
    memory_limit : int or str, default "1GiB"
        Memory that a pass may use, in bytes or with a unit.

    Returns
    -------
    StreamedMatrix
        The rows of an image, or of a cube one flattened image per row. BSCALE and BZERO are applied. Undefined pixels
        are NaN.

    Raises
    ------
    ImportError
        If the package astropy is not installed.
    OSError
        If the file is damaged or has changed.
    ValueError
        If there is no image with two or three dimensions.

    Notes
    -----
    Only the rows that a pass needs are read; compressed images are unpacked.

    Examples
    --------
    >>> import tessera
    >>> A = tessera.from_fits("survey.fits", memory_limit="2GiB")  # doctest: +SKIP
    """
    source = _Fits(os.fspath(path), hdu, dtype)
    edges = _regular_units("from_fits", source.shape[0], source.chunk, source.row_bytes, _bytes(memory_limit))
    return _stream_in_units(_InUnits(source, edges), source.shape, source.dtype, memory_limit)


def _require_nulls(function: str, nulls: str) -> None:
    if nulls not in ("error", "mean"):
        raise ValueError(f'tessera.{function}: nulls must be "error" or "mean", found {nulls!r}')


def _null_sentence(function: str, name: Any, count: int) -> str:
    return (
        f'tessera.{function}: column {name!r} has {count} missing values: expected none; nulls="mean" replaces them by the '
        "mean of the column"
    )


def _mean(function: str, name: Any, values: Iterable[Any]) -> float:
    """The mean of arrays, by an exact sum: the same for all chunks."""
    count = 0

    def each() -> Iterator[float]:
        nonlocal count
        for part in values:
            count += len(part)
            yield from part.tolist()

    total = math.fsum(each())
    if count == 0 or not math.isfinite(total):
        raise ValueError(f"tessera.{function}: column {name!r} has no mean: expected finite numbers, found none or one that is infinite or NaN")
    return total / count


class _Columns:
    """Columns of numbers of Arrow, which become rows of a matrix."""

    function: str
    nulls: str

    def _choose(self, schemas: Sequence[tuple[str, Any]], columns: Sequence[str] | None, dtype: Any) -> None:
        """Takes these columns of all schemas, each with a name for errors; None: all of the first."""
        types = package("pyarrow.types", f"tessera.{self.function}")
        if isinstance(columns, (str, bytes)) or not all(isinstance(name, str) for name in columns or ()):
            raise TypeError(f"tessera.{self.function}: columns must be a sequence of names, found {columns!r}")
        self.columns = list(schemas[0][1].names if columns is None else columns)
        kinds = []
        for path, found in schemas:
            for name in self.columns:
                if len(found.get_all_field_indices(name)) != 1:
                    raise ValueError(f"{path}: expected one column {name!r}, found the columns {', '.join(found.names[:20])}")
                kind = found.field(name).type
                if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
                    numeric = [n for n, t in zip(found.names, found.types) if types.is_integer(t) or types.is_floating(t)]
                    raise TypeError(
                        f"{path}: expected columns of numbers, found column {name!r} of type {kind}; choose columns, for "
                        f"example columns={numeric[:8]!r}"
                    )
                kinds.append({"halffloat": "float16", "float": "float32", "double": "float64"}.get(str(kind), str(kind)))
        self.dtype = _type_of(self.function, kinds, dtype)
        self.is_plain = set(kinds) == {self.dtype.name}
        self.row_bytes = len(self.columns) * self.dtype.itemsize

    def _batches_of(self, name: str) -> Iterable[Any]:
        """Batches with at least this column."""
        raise NotImplementedError

    def _find_means(self, counts: dict[str, int | None]) -> None:
        """Finds the means of columns with missing values. None: their number is not known."""
        self.means: dict[str, float] = {}
        for name, count in counts.items():
            if count and self.nulls == "error":
                raise ValueError(_null_sentence(self.function, name, count))
            if count != 0 and self.nulls == "mean":
                parts = (
                    batch.column(name).drop_null().to_numpy(zero_copy_only=False) for batch in self._batches_of(name)
                )
                self.means[name] = _mean(self.function, name, parts)

    def _values(self, column: Any, name: str, first: int) -> Any:
        if column.null_count:
            if self.nulls == "error":
                raise ValueError(_null_sentence(self.function, name, column.null_count))
            column = column.cast("float64").fill_null(self.means[name])
        return _numbers(self.function, column.to_numpy(zero_copy_only=False)[:, None], self.dtype, first)[:, 0]

    def _convert(self, batch: Any, first: int, out: Any) -> None:
        batch = batch.select(self.columns)
        if self.is_plain and not any(column.null_count for column in batch.columns):
            out[:] = batch.to_tensor(row_major=True).to_numpy()  # all columns at once
            return
        for j, name in enumerate(self.columns):
            out[:, j] = self._values(batch.column(name), name, first)


class _Parquet(_Columns):
    """A source whose rows are in files of Parquet, which are read in their order."""

    function = "from_parquet"

    def __init__(self, paths: Sequence[str], columns: Sequence[str] | None, dtype: Any, nulls: str) -> None:
        self.paths, self.nulls = [os.path.abspath(path) for path in paths], nulls
        self.identities = [_identity(path) for path in self.paths]
        self._begin()
        self._choose([(path, file.schema_arrow) for path, file in zip(self.paths, self.files)], columns, dtype)
        self.groups = [
            (k, g, file.metadata.row_group(g).num_rows)
            for k, file in enumerate(self.files)
            for g in range(file.metadata.num_row_groups)
        ]
        self.begins = numpy.concatenate([[0], numpy.cumsum([rows for _, _, rows in self.groups], dtype=numpy.int64)])
        self._find_means(self._null_counts())

    def _begin(self) -> None:
        parquet = package("pyarrow.parquet", "tessera.from_parquet")
        self.files = []
        for path in self.paths:
            if os.path.isdir(path):
                raise IsADirectoryError(f"{path}: expected a Parquet file, found a folder; pass a list of its files in order")
            try:
                self.files.append(parquet.ParquetFile(path))
            except ValueError as error:  # ArrowInvalid
                raise OSError(f"{path}: expected a Parquet file, found: {error}") from None
        self.position, self.batches, self.rest = -1, None, None

    def __getstate__(self) -> Any:
        return {key: x for key, x in vars(self).items() if key not in ("files", "batches", "rest", "position")}

    def __setstate__(self, state: Any) -> None:
        vars(self).update(state)
        for path, identity in zip(self.paths, self.identities):
            _require_same(path, identity)
        self._begin()

    def _null_counts(self) -> dict[str, int | None]:
        """Missing values by the statistics of the files; None: they do not tell."""
        counts: dict[str, int | None] = dict.fromkeys(self.columns, 0)
        for k, g, _ in self.groups:
            group = self.files[k].metadata.row_group(g)
            for c in range(group.num_columns):
                column = group.column(c)
                if column.path_in_schema in counts:
                    known = column.statistics is not None and column.statistics.has_null_count
                    before = counts[column.path_in_schema]
                    counts[column.path_in_schema] = (
                        before + column.statistics.null_count if known and before is not None else None
                    )
        return counts

    def _batches_of(self, name: str) -> Iterable[Any]:
        return (batch for file in self.files for batch in file.iter_batches(columns=[name]))

    def _from(self, position: int) -> Iterator[Any]:
        g = int(numpy.searchsorted(self.begins, position, side="right")) - 1
        skip = position - int(self.begins[g])
        size = max(1, min(1 << 16, _UNIT // self.row_bytes))
        for k, group, _ in self.groups[g:]:
            for batch in self.files[k].iter_batches(size, row_groups=[group], columns=self.columns):
                if skip < batch.num_rows:
                    yield batch.slice(skip)
                skip = max(0, skip - batch.num_rows)

    def rows(self, first: int, end: int) -> Any:
        for path, identity in zip(self.paths, self.identities):
            _require_same(path, identity)
        if self.position != first:
            self.batches, self.rest = self._from(first), None
        self.position = -1  # if the code below raises
        out = numpy.empty((end - first, len(self.columns)), self.dtype)
        at = first
        while at < end:
            batch = self.rest if self.rest is not None else next(self.batches)
            count = min(batch.num_rows, end - at)
            self._convert(batch.slice(0, count), at, out[at - first : at - first + count])
            self.rest = batch.slice(count) if count < batch.num_rows else None
            at += count
        self.position = end
        return out


def from_parquet(
    path: Any,
    *,
    columns: Sequence[str] | None = None,
    nulls: str = "error",
    dtype: Any = None,
    memory_limit: int | str = "1GiB",
) -> StreamedMatrix:
    """Create a matrix from the columns of Parquet files.

    Parameters
    ----------
    path : str, path-like or sequence of them
        A file, or several with the same columns, whose rows follow each other.
    columns : sequence of str, optional
        Names of columns of numbers, in the order of the matrix. By default all columns of the first file.
    nulls : {"error", "mean"}, default "error"
        Whether missing values raise an error, or are replaced by the mean of their column.
    dtype : data-type, optional
        Type of the elements, float32 or float64. By default float32 if all columns are float16 or float32, otherwise
        float64.
    memory_limit : int or str, default "1GiB"
        Memory that a pass may use, in bytes or with a unit.

    Returns
    -------
    StreamedMatrix
        A matrix for the functions of `tessera` and `tessera.linalg`. The result does not depend on files and row groups.

    Raises
    ------
    ImportError
        If the package pyarrow is not installed.
    TypeError
        If a column does not hold numbers.
    ValueError
        If values are missing, or an integer is not exact in `dtype`.

    Examples
    --------
    >>> import tessera
    >>> A = tessera.from_parquet("trips.parquet", columns=["distance", "fare"], nulls="mean")  # doctest: +SKIP
    """
    _require_nulls("from_parquet", nulls)
    is_one = isinstance(path, (str, os.PathLike))
    if not is_one and not isinstance(path, Iterable):
        raise TypeError(f"tessera.from_parquet: expected a path or a sequence of paths, found {type(path).__name__}")
    paths = [path] if is_one else list(path)
    if not paths:
        raise ValueError("tessera.from_parquet: expected at least one file, found none")
    package("pyarrow", "tessera.from_parquet")
    source = _Parquet([os.fspath(each) for each in paths], columns, dtype, nulls)
    shape = (int(source.begins[-1]), len(source.columns))
    if 0 in shape:
        raise ValueError(f"tessera.from_parquet: expected at least one row and one column, found shape {shape}")
    edges = _regular_units("from_parquet", shape[0], 1, source.row_bytes, _bytes(memory_limit))
    return _stream_in_units(_InUnits(source, edges), shape, source.dtype, memory_limit)


class _Arrow(_Columns):
    """A source whose rows are in record batches: of a table in memory, or of an IPC file that is mapped."""

    function = "from_arrow"

    def __init__(self, source: Any, columns: Sequence[str] | None, dtype: Any, nulls: str) -> None:
        self.table, self.nulls = source, nulls
        self.path = os.path.abspath(source) if isinstance(source, (str, os.PathLike)) else None
        self.identity = _identity(self.path) if self.path else None
        self._begin()
        self._choose([(self.path or "tessera.from_arrow", self.schema)], columns, dtype)
        counts: dict[str, int | None] = dict.fromkeys(self.columns, 0)
        sizes = []
        for batch in map(self._batch, range(self.count)):
            sizes.append(batch.num_rows)
            counts = {name: (count or 0) + batch.column(name).null_count for name, count in counts.items()}
        self.begins = numpy.concatenate([[0], numpy.cumsum(sizes, dtype=numpy.int64)])
        self._find_means(counts)

    def _begin(self) -> None:
        arrow = package("pyarrow", "tessera.from_arrow")
        if self.path is None:
            self.batches = self.table.to_batches()
            self.schema, self.count = self.table.schema, len(self.batches)
            return
        ipc = package("pyarrow.ipc", "tessera.from_arrow")
        try:
            self.batches = ipc.open_file(arrow.memory_map(self.path))
        except arrow.ArrowInvalid as error:
            raise OSError(f"{self.path}: expected an Arrow IPC file, found: {error}") from None
        self.schema, self.count = self.batches.schema, self.batches.num_record_batches

    def __getstate__(self) -> Any:
        return {key: x for key, x in vars(self).items() if key not in ("batches", "schema")}

    def __setstate__(self, state: Any) -> None:
        vars(self).update(state)
        if self.path is not None:
            _require_same(self.path, self.identity)
        self._begin()

    def _batch(self, k: int) -> Any:
        return self.batches[k] if self.path is None else self.batches.get_batch(k)

    def _batches_of(self, name: str) -> Iterable[Any]:
        return map(self._batch, range(self.count))

    def rows(self, first: int, end: int) -> Any:
        if self.path is not None:
            _require_same(self.path, self.identity)
        out = numpy.empty((end - first, len(self.columns)), self.dtype)
        at = first
        while at < end:
            k = int(numpy.searchsorted(self.begins, at, side="right")) - 1
            batch = self._batch(k).slice(at - int(self.begins[k]), end - at)
            self._convert(batch, at, out[at - first : at - first + batch.num_rows])
            at += batch.num_rows
        return out


def from_arrow(
    source: Any,
    *,
    columns: Sequence[str] | None = None,
    nulls: str = "error",
    dtype: Any = None,
    memory_limit: int | str = "1GiB",
) -> StreamedMatrix:
    """Create a matrix from the columns of an Arrow table, or of an Arrow IPC (Feather) file.

    Parameters
    ----------
    source : pyarrow.Table, str or path-like
        A table in memory, or a file, which is mapped.
    columns : sequence of str, optional
        Names of columns of numbers, in the order of the matrix. By default all columns.
    nulls : {"error", "mean"}, default "error"
        Whether missing values raise an error, or are replaced by the mean of their column.
    dtype : data-type, optional
        Type of the elements, float32 or float64. By default float32 if all columns are float16 or float32, otherwise
        float64.
    memory_limit : int or str, default "1GiB"
        Memory that a pass may use, in bytes or with a unit, without a table in memory.

    Returns
    -------
    StreamedMatrix
        A matrix for the functions of `tessera` and `tessera.linalg`. The result does not depend on record batches.

    Raises
    ------
    ImportError
        If the package pyarrow is not installed.
    OSError
        If the file is no Arrow IPC file or has changed.
    TypeError
        If a column does not hold numbers.
    ValueError
        If values are missing, or an integer is not exact in `dtype`.

    Notes
    -----
    A compressed record batch is unpacked as a whole, each time that a pass needs rows of it.

    Examples
    --------
    >>> import tessera
    >>> import pyarrow  # doctest: +SKIP
    >>> table = pyarrow.table({"a": [1, 2], "b": [0.5, 1.5]})  # doctest: +SKIP
    >>> tessera.matvec(tessera.from_arrow(table), [1.0, 2.0])  # doctest: +SKIP
    array([2., 5.])
    """
    _require_nulls("from_arrow", nulls)
    if not isinstance(source, (str, os.PathLike)) and not hasattr(source, "to_batches"):
        raise TypeError(f"tessera.from_arrow: expected a pyarrow.Table or a path, found {type(source).__name__}")
    read = _Arrow(source, columns, dtype, nulls)
    shape = (int(read.begins[-1]), len(read.columns))
    if 0 in shape:
        raise ValueError(f"tessera.from_arrow: expected at least one row and one column, found shape {shape}")
    edges = _regular_units("from_arrow", shape[0], 1, read.row_bytes, _bytes(memory_limit))
    return _stream_in_units(_InUnits(read, edges), shape, read.dtype, memory_limit)


def _of_columns(
    function: str, rows: int, names: Sequence[Any], types: Sequence[Any], nulls: str, dtype: Any, order: str, column: Any
) -> Any:
    """A new array of columns: column(j) returns the values that are there, and which are missing, or None."""
    kind = _type_of(function, types, dtype)
    out = numpy.empty((rows, len(names)), kind, order=order)
    for j, name in enumerate(names):
        values, missing = column(j)
        if missing is not None and nulls == "error":
            raise ValueError(_null_sentence(function, name, int(missing.sum())))
        there = slice(None) if missing is None else ~missing
        out[there, j] = _numbers(function, values[:, None], kind, 0)[:, 0]
        if missing is not None:
            out[missing, j] = _mean(function, name, [values])
    return out


def _order(function: str, order: str | None) -> str:
    if order not in (None, "C", "F"):
        raise ValueError(f'tessera.{function}: order must be "C", "F" or None, found {order!r}')
    return order or "F"


def from_pandas(frame: Any, *, nulls: str = "error", dtype: Any = None, order: str | None = None) -> Any:
    """Return the numbers of a pandas data frame as an array, without a copy if possible.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns of numbers.
    nulls : {"error", "mean"}, default "error"
        Whether missing values (NaN, None, NA) raise an error, or are replaced by the mean of their column.
    dtype : data-type, optional
        Type of the elements, float32 or float64. By default float32 if all columns are float16 or float32, otherwise
        float64.
    order : {"C", "F"}, optional
        Layout of the result. By default that of the frame, and "F" if it is copied. The layout decides the order of
        summation, and with it the last bits.

    Returns
    -------
    numpy.ndarray
        Matrix of the values. It shares the memory of the frame if all columns have the same type, float32 or float64,
        and are stored together.

    Raises
    ------
    TypeError
        If a column does not hold numbers.
    ValueError
        If values are missing.

    Examples
    --------
    >>> import tessera
    >>> import pandas  # doctest: +SKIP
    >>> tessera.from_pandas(pandas.DataFrame({"a": [1, 2], "b": [0.5, 1.5]}))  # doctest: +SKIP
    array([[1. , 0.5],
           [2. , 1.5]])
    """
    function = "from_pandas"
    _require_nulls(function, nulls)
    if not hasattr(frame, "iloc") or not hasattr(frame, "columns"):
        raise TypeError(f"tessera.from_pandas: expected a pandas.DataFrame, found {type(frame).__name__}")
    _shape_of(function, frame)
    layout = _order(function, order)
    types = []
    for name, kind in zip(frame.columns, frame.dtypes):
        numpy_kind = kind.subtype if type(kind).__name__ == "SparseDtype" else getattr(kind, "numpy_dtype", kind)
        if getattr(numpy_kind, "kind", "O") not in "fiub":
            raise TypeError(f"tessera.from_pandas: expected columns of numbers, found column {name!r} of type {kind}")
        types.append(numpy_kind)
    if len(set(frame.dtypes)) == 1 and frame.dtypes.iloc[0] == _type_of(function, types, dtype):
        missing = frame.isna().any().to_numpy()
        array = frame.to_numpy(copy=False)
        is_there = numpy.shares_memory(array, frame.iloc[:, -1].to_numpy(copy=False))
        if is_there and not missing.any() and (order is None or array.flags[f"{order}_CONTIGUOUS"]):
            return array

    def column(j: int) -> tuple[Any, Any]:
        series = frame.iloc[:, j]
        missing = series.isna().to_numpy()
        return series.dropna().to_numpy(dtype=types[j]), missing if missing.any() else None

    return _of_columns(function, len(frame), list(frame.columns), types, nulls, dtype, layout, column)


def from_polars(frame: Any, *, nulls: str = "error", dtype: Any = None, order: str | None = None) -> Any:
    """Return the numbers of a Polars data frame as an array, without a copy if possible.

    Parameters
    ----------
    frame : polars.DataFrame
        Columns of numbers.
    nulls : {"error", "mean"}, default "error"
        Whether missing values (null) raise an error, or are replaced by the mean of their column.
    dtype : data-type, optional
        Type of the elements, float32 or float64. By default float32 if all columns are float32, otherwise float64.
    order : {"C", "F"}, optional
        Layout of the result, by default "F". The layout decides the order of summation, and with it the last bits.

    Returns
    -------
    numpy.ndarray
        Matrix of the values. It shares the memory of the frame if all columns have the same type, float32 or float64,
        and are adjacent in memory.

    Raises
    ------
    TypeError
        If a column does not hold numbers.
    ValueError
        If values are missing.

    Examples
    --------
    >>> import tessera
    >>> import polars  # doctest: +SKIP
    >>> tessera.from_polars(polars.DataFrame({"a": [1, 2], "b": [0.5, 1.5]}))  # doctest: +SKIP
    array([[1. , 0.5],
           [2. , 1.5]])
    """
    function = "from_polars"
    _require_nulls(function, nulls)
    if not hasattr(frame, "get_columns"):
        advice = "; call its collect()" if hasattr(frame, "collect") else ""
        raise TypeError(f"tessera.from_polars: expected a polars.DataFrame, found {type(frame).__name__}{advice}")
    _shape_of(function, frame)
    layout = _order(function, order)
    types = []
    for series in frame.get_columns():
        if not (series.dtype.is_integer() or series.dtype.is_float() or str(series.dtype) == "Boolean"):
            raise TypeError(f"tessera.from_polars: expected columns of numbers, found column {series.name!r} of type {series.dtype}")
        name = "bool" if str(series.dtype) == "Boolean" else str(series.dtype).lower()
        if _kind(name) == "O":
            raise TypeError(f"tessera.from_polars: expected a type of NumPy, found column {series.name!r} of type {series.dtype}")
        types.append(numpy.dtype(name))
    has_nulls = any(series.null_count() for series in frame.get_columns())
    if set(types) == {_type_of(function, types, dtype)} and not has_nulls and layout == "F":
        try:
            array = frame.to_numpy(allow_copy=False)
        except RuntimeError:  # its columns are not adjacent
            array = None
        if array is not None and array.flags.f_contiguous:
            return array

    def column(j: int) -> tuple[Any, Any]:
        series = frame.get_columns()[j]
        return series.drop_nulls().to_numpy(), series.is_null().to_numpy() if series.null_count() else None

    return _of_columns(function, len(frame), frame.columns, types, nulls, dtype, layout, column)


for _function in (
    from_anndata, from_arrow, from_blocks, from_dask, from_fits, from_pandas, from_parquet, from_polars,
    from_safetensors, from_xarray, from_zarr
):  # fmt: skip
    _function.__module__ = "tessera"
