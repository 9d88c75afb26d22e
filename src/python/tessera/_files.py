# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Matrices in files of other packages: Zarr, AnnData, safetensors, FITS."""

import json
import math
import os
from typing import Any

import numpy

from tessera._core import StreamedMatrix
from tessera._matrices import open as _open
from tessera._packages import package
from tessera._sentences import in_one_sentence
from tessera._sources import (
    _identity,
    _numbers,
    _of_chunks,
    _require_same,
    _stream,
    _stream_of_chunks,
    _type_of,
    from_dask,
)

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
    memory_limit

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


@in_one_sentence
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
    memory_limit

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
        try:
            self.file = fits.open(self.path, memmap=False)  # `section` reads the requested rows
        except OSError as error:
            raise OSError(f"{self.path}: expected a FITS file, found: {str(error).partition(' If ')[0]}") from None
        images = [k for k, each in enumerate(self.file) if each.is_image and len(each.shape) >= 2]
        if self.hdu is None and not images:
            raise ValueError(f"{self.path}: expected an image, found none")
        try:
            self.image = self.file[images[0] if self.hdu is None else self.hdu]
        except (KeyError, IndexError):
            raise ValueError(f"{self.path}: has no HDU {self.hdu!r}; images are in {images}") from None
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


@in_one_sentence
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
    memory_limit

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
    return _stream_of_chunks("from_fits", source, source.shape, source.chunk, memory_limit)
