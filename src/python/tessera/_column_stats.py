# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Statistics of columns."""

from typing import Any

import numpy

from tessera import _arrays, _core
from tessera._results import ColumnStats
from tessera._sentences import found
from tessera._solvers import is_array, is_whole, on_all_ranks, shape_of


@on_all_ranks
def column_stats(A: Any, *, ddof: int = 0, missing: float | None = None, copy: bool = False) -> ColumnStats:
    """Compute means, variances, extremes and counts of the columns of A, with one read of A.

    All sums are in double, without cancellation: variances are right for columns whose mean is far larger than their
    deviation, and 0 for columns of equal entries. The result is the same in memory, streamed, and with any number of
    threads.

    Parameters
    ----------
    A : array, StreamedMatrix or tessera.distributed.Matrix
        Matrix of shape (m, n), float32 or float64. An array may be float16, bfloat16, int8, uint8, int16 or uint16, and
        is read as stored.
    ddof : int, default 0
        The divisor of a variance is the number of entries minus ddof.
    missing : float, optional
        Entries equal to it, rounded to the type of the matrix, are left out; NaN leaves out NaN. By default NaN makes the
        mean and the variance of its column NaN.
    copy

    Returns
    -------
    ColumnStats
        NumPy arrays with an entry for each column.

    Examples
    --------
    >>> import numpy as np
    >>> from tessera.linalg import column_stats
    >>> found = column_stats(np.array([[1.0, 7.0], [3.0, 7.0], [np.nan, 7.0]]), missing=np.nan)
    >>> found.mean, found.variance, found.missing
    (array([2., 7.]), array([1., 0.]), array([1, 0]))
    """
    name = "linalg.column_stats"
    if not is_whole(ddof) or ddof < 0:
        raise ValueError(f"tessera.{name}: `ddof` must be an integer of at least 0, found {found(ddof)}")
    if copy and is_array(A):
        A = _arrays.array(A, f"tessera.{name}: A must be")
    shape_of("tessera." + name, A)
    result = _core._column_stats(name, A, int(ddof), missing, copy)
    return ColumnStats(*(
        numpy.array(result[field], "float64" if field in ("mean", "variance", "min", "max") else "int64")
        for field in ColumnStats._fields
    ))
