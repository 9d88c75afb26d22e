# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers of data frames as arrays."""

from collections.abc import Sequence
from typing import Any

import numpy

from tessera._sources import _kind, _numbers, _shape_of, _type_of
from tessera._tables import _mean, _null_sentence, _require_nulls


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
    dtype
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
