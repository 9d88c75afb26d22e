# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Problems with known answers: NIST's linear regressions, and families of hard matrices.

The tests of this folder and benchmarks/accuracy.py use them.
"""

import json
import pathlib

import numpy as np

NIST = json.loads((pathlib.Path(__file__).resolve().parents[1] / "data" / "nist_strd.json").read_text())


def nist(name):
    """Columns without the intercept, y, whether there is an intercept, and the certified coefficients."""
    data = NIST[name]
    x = np.array(data["X"], float)
    X = np.hstack([x**power for power in range(1, data["degree"] + 1)])
    return X, np.array(data["y"], float), data["intercept"], np.array(data["certified"])


def right_digits(x, exact):
    """The fewest right digits of an entry, from 0 to 15."""
    with np.errstate(divide="ignore"):
        digits = -np.log10(np.abs(x - exact) / np.abs(exact))
    return float(np.clip(digits, 0, 15).min())


def _of_values(s, rows, seed):
    rng = np.random.default_rng(seed)
    q = np.linalg.qr(rng.normal(size=(rows, len(s))))[0]
    p = np.linalg.qr(rng.normal(size=(len(s), len(s))))[0]
    return (q * s) @ p


def _kahan(n, angle=1.2):
    s, c = np.sin(angle), np.cos(angle)
    return s ** np.arange(n)[:, None] * (np.eye(n) - c * np.triu(np.ones((n, n)), 1))


def _duplicates(rng):
    a = rng.normal(size=(60, 6))
    return np.hstack([a, a[:, :3]])


def _with_zeros(rng):
    a = rng.normal(size=(50, 8))
    a[:, [0, 5]] = 0
    return a


RNG = np.random.default_rng
FAMILIES = {
    "hilbert": 1 / (np.arange(12)[:, None] + np.arange(12) + 1.0),
    "vandermonde": np.vander(np.linspace(0, 1, 30), 15),
    "kahan": _kahan(30),
    "lauchli": np.vstack([np.ones(10), 1e-7 * np.eye(10)]),
    "repeated": np.diag([10.0] * 10 + list(np.linspace(9, 1, 100))),
    "clustered": _of_values(1 + 1e-10 * np.arange(20), 80, 1),
    "graded": _of_values(np.logspace(0, -8, 12), 60, 2),
    "duplicates": _duplicates(RNG(3)),
    "zeros": _with_zeros(RNG(4)),
    "row": RNG(5).normal(size=(1, 7)),
    "column": RNG(6).normal(size=(9, 1)),
    "rank_one_and_noise": np.outer(RNG(7).normal(size=70), RNG(8).normal(size=25)) + 1e-6 * RNG(9).normal(size=(70, 25)),
    "wide": RNG(10).normal(size=(20, 60)),
    "far": RNG(11).normal(size=(200, 5)) * [5, 4, 3, 2, 1] + 1e5,
    "scaled": RNG(12).normal(size=(300, 8)) * np.logspace(-4, 4, 8),
    "constant": np.full((10, 4), 0.1),
}
