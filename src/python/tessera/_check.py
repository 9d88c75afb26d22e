# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Results beside references of higher precision."""

from typing import Any, NamedTuple

from tessera import _core


class Verdict(NamedTuple):
    """What a check found: it has passed where no element has failed, and each could be judged."""

    passed: bool
    elements: int
    failed: int
    not_judged: int
    sentence: str


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
) -> Verdict:
    """Whether c is A.T @ (A @ v) as far as rounding allows, beside a reference of higher precision.

    With the keywords of `atax` it is what they make of that: alpha * A.T @ f(A @ v) + beta * z. An element fails where it is further from the reference than the roundings of Tessera's order of summation can take
    it. Where they decide whether it is a number, it is not judged. Arrays lie on the host, the rows or the columns of A
    without gaps.

    >>> import numpy as np, tessera
    >>> A, v = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, -1.0])
    >>> tessera.check(A, v, tessera.atax(A, v)).passed
    True
    >>> tessera.check(A, v, np.array([-4.0, -6.1])).failed
    1
    >>> tessera.check(A, v, tessera.atax(A, v, minus=v, alpha=0.5), minus=v, alpha=0.5).passed
    True
    """
    failed, not_judged, elements, sentence = _core._check(A, v, c, weights, minus, map, alpha, beta, z)
    return Verdict(failed == 0 and not_judged == 0, elements, failed, not_judged, sentence)
