# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Solvers with the interface of SciPy that read the matrix once per iteration, or solve directly.

A is an array on a host or a GPU, a matrix of `tessera.open` or `tessera.from_callback`, or a
`tessera.distributed.Matrix`, whose rows are distributed over processes. Results are arrays of the same kind and on the
same device; a call waits for them.
"""

from tessera import _docs
from tessera._column_stats import column_stats
from tessera._least_squares import lsmr, lsqr, ridge, ridge_path
from tessera._lstsq import lstsq
from tessera._results import ColumnStats, LsmrResult, LsqrResult, PcaResult, Step
from tessera._singular_values import pca, randomized_svd, svds
from tessera._solvers import ConvergenceWarning

__all__ = [
    "ColumnStats",
    "ConvergenceWarning",
    "LsmrResult",
    "LsqrResult",
    "PcaResult",
    "Step",
    "column_stats",
    "lsmr",
    "lsqr",
    "lstsq",
    "pca",
    "randomized_svd",
    "ridge",
    "ridge_path",
    "svds",
]


def __dir__() -> list[str]:
    return list(__all__)


for _class in (ColumnStats, ConvergenceWarning, LsmrResult, LsqrResult, PcaResult, Step):
    _class.__module__ = __name__  # of pickles
    _docs.complete(_class, _docs.SOLVERS)
