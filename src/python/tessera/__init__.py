# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Matrix products that read the matrix once and give the same bits everywhere.

>>> import numpy as np, tessera
>>> A = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
>>> tessera.atax(A, np.array([1.0, -1.0]))  # A.T @ (A @ v), A read once
array([ -9., -12.])
"""

import atexit as _atexit

from tessera import _core, linalg
from tessera._core import (
    StreamedMatrix,
    atax,
    axpby,
    dot,
    info,
    matmul,
    matvec,
    matvec_both,
    rmatvec,
    threads,
    transpose,
)
from tessera._check import Verdict, check
from tessera._digest import digest
from tessera._matrices import from_callback, open
from tessera._operators import NormalOperator, aslinearoperator

__version__ = info()["version"]
__all__ = [
    "NormalOperator",
    "StreamedMatrix",
    "Verdict",
    "aslinearoperator",
    "atax",
    "axpby",
    "check",
    "digest",
    "dot",
    "from_callback",
    "info",
    "matmul",
    "matvec",
    "matvec_both",
    "open",
    "rmatvec",
    "threads",
    "transpose",
]

_atexit.register(_core._finish)
