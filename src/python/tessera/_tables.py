# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Matrices whose columns are those of Parquet files and Arrow tables."""

import math
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy

from tessera._core import StreamedMatrix
from tessera._packages import package
from tessera._sources import _UNIT, _identity, _numbers, _require_same, _stream_of_chunks, _type_of


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
                    advice = f"; choose columns, for example columns={numeric[:8]!r}" if numeric else ""
                    raise TypeError(f"{path}: expected columns of numbers, found column {name!r} of type {kind}{advice}")
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
    nulls, dtype, memory_limit

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
    return _stream_of_chunks("from_parquet", source, shape, 1, memory_limit)


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
    nulls, dtype
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
    return _stream_of_chunks("from_arrow", read, (int(read.begins[-1]), len(read.columns)), 1, memory_limit)
