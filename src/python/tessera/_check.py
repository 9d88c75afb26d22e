# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Compares results with references of higher precision."""

from typing import Any, NamedTuple

import numpy

from tessera import _arrays, _core, _docs
from tessera._sentences import in_one_sentence


class Verdict(NamedTuple):
    """Result of a check: it passed if no element failed and each could be judged.

    Attributes
    ----------
    passed : bool
        Whether the result is right.
    elements, failed, not_judged : int
        Numbers of elements.
    sentence : str
        The verdict in words.
    """

    passed: bool
    elements: int
    failed: int
    not_judged: int
    sentence: str


@in_one_sentence
def check(
    A: Any,
    v: Any,
    c: Any,
    *,
    weights: Any = None,
    minus: Any = None,
    map: str | None = None,
    alpha: float = 1.0,
    beta: float = 0.0,
    z: Any = None,
    copy: bool = False,
) -> Verdict:
    """Compare a result of `atax` with a reference of higher precision.

    Parameters
    ----------
    A : array
        Matrix of shape (m, n) on the host.
    v : array
        Vector of n entries.
    c : array
        The result to check.
    weights, minus, map, alpha, beta, z, copy

    Returns
    -------
    Verdict
        Whether it passed, and how many elements failed or could not be judged.

    Notes
    -----
    An element fails if it differs from the reference by more than the roundings of Tessera's order of
    summation allow. An element is not judged if these roundings decide whether it is a number.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> A, v = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, -1.0])
    >>> tessera.check(A, v, tessera.atax(A, v)).passed
    True
    >>> tessera.check(A, v, np.array([-4.0, -6.1])).failed
    1
    >>> tessera.check(A, v, tessera.atax(A, v, minus=v, alpha=0.5), minus=v, alpha=0.5).passed
    True
    """
    if copy:
        A = _arrays.on_host(_arrays.suitable(A, "tessera.check: A must be"))
        A = A if A.flags.forc else A.copy()  # contiguous rows or columns
        dtype = _arrays.dtype_name(A)
        v, c, weights, minus, z = (
            None if x is None else _arrays.copied(x, dtype, f"tessera.check: {name} must be")
            for name, x in (("v", v), ("c", c), ("weights", weights), ("minus", minus), ("z", z))
        )
    elif isinstance(A, numpy.ndarray) and _arrays.is_narrow(A):
        A = A.astype(numpy.float32)
    failed, not_judged, elements, sentence = _core._check(A, v, c, weights, minus, map, alpha, beta, z)
    return Verdict(failed == 0 and not_judged == 0, elements, failed, not_judged, sentence)


_docs.complete(check, _docs.PRODUCTS)
