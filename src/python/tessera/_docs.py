# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Entries that docstrings share.

A docstring may name parameters without describing them, on one line: "A, b, damp". `complete` replaces such a line by
the entries of these names, so that `help` shows whole texts. `world` stands for the first lines of an example.
"""

import inspect
import re
import textwrap
from typing import Any

_NAMES = re.compile(r"^( *)(\w+(?:, \w+)*)\n(?!\1 )", re.MULTILINE)  # without a type, and no description below
_ENTRY = re.compile(r"^\S.*\n(?:(?: {4}.*)?\n)+", re.MULTILINE)


def _entries(text: str) -> dict[str, str]:
    """Entries of a section of a docstring, by the names that they describe."""
    found = _ENTRY.findall(inspect.cleandoc(text) + "\n")
    return {name: entry for entry in found for name in entry.partition("\n")[0].partition(" : ")[0].split(", ")}


def complete(thing: Any, entries: dict[str, str]) -> None:
    """Adds entries to the docstring of a function, or to those of a class, its base classes here and their methods."""
    things = [thing]
    if inspect.isclass(thing):
        classes = [base for base in thing.__mro__ if base.__module__.startswith("tessera.")]
        things = [*classes, *(member for base in classes for member in vars(base).values() if inspect.isfunction(member))]
    for each in things:
        if each.__doc__:
            each.__doc__ = _NAMES.sub(lambda line: _described(line, entries), each.__doc__)


def _described(line: re.Match[str], entries: dict[str, str]) -> str:
    names = line[2].split(", ")
    if not entries.keys() >= set(names):
        return line[0]
    several = dict.fromkeys(entries[name] for name in names)  # "atol, btol" are one entry
    return textwrap.indent("".join(several), line[1])


_COPY = """
copy : bool, default False
    Copy arrays of other types or layouts. By default they raise an error.
"""

PRODUCTS = _entries(f"""{_COPY}\
A : array or StreamedMatrix
    Matrix of shape (m, n), float32 or float64, with contiguous rows or columns. With float32 vectors also
    float16, bfloat16, int8, uint8, int16 or uint16, read as stored.
u : array
    Vector of m entries, or a block of vectors of shape (m, k).
weights : array, optional
    Vector w of m entries: f(b) = w * b, or the weights of `map`.
minus : array, optional
    Vector y of m entries: f(b) = b - y, or the labels or counts of `map`.
map : {{"logistic", "poisson", "logistic_weights", "poisson_weights"}}, optional
    The map f, applied to each entry b of A @ v:

    - "logistic": 1 / (1 + exp(-b)) - minus
    - "poisson": exp(b) - minus
    - "logistic_weights": b times the derivative of 1 / (1 + exp(-x)) at x = weights
    - "poisson_weights": b * exp(weights)

    By default f is the identity, or the map of `weights` or `minus`.
alpha, beta : float, default 1 and 0
    Factors of the product and of `z`.
z : array, optional
    Vector of n entries.
out : array, optional
    Array that receives the result. By default a new array is returned.
""")

RANKS = _entries(f"""{_COPY}\
A : array or Matrix
    This rank's rows, float32 or float64, with contiguous rows or columns. They may be float16, bfloat16, int8, uint8,
    int16 or uint16, and are read as stored; vectors are then float32.
order : {{"C", "F"}}, optional
    Layout of A on all ranks, if both are possible. By default "C" if the rows are contiguous on all ranks.
alpha, beta : float, default 1 and 0
    Factors of the product and of `z`.
blocks : bool, default False
    Choose rows that suit products with blocks of vectors, as in `tessera.linalg.randomized_svd`.
DistributedError
    If an argument of some rank has a wrong type, shape or layout, or the ranks pass different arguments.
""")
RANKS["world"] = """\
>>> import numpy as np, tessera.distributed
>>> from mpi4py import MPI
>>> world = tessera.distributed.World(MPI.COMM_SELF)
"""

SOLVERS = _entries(f"""{_COPY}\
A : array, StreamedMatrix or tessera.distributed.Matrix
    Matrix of shape (m, n), float32 or float64. An array may be float16, bfloat16, int8, uint8, int16 or uint16, and
    is read as stored.
b : array
    Right-hand side of m entries.
damp : float, default 0
    Damping.
conlim : float or None, default 1e8
    Stop if the estimate of cond(A) exceeds this.
show : bool, default False
    Print the iterations.
x0 : array, optional
    Starting vector of n entries.
callback : callable, optional
    Receives a `Step` after each iteration. An exception in it ends the call.
progress : bool, default False
    Show a tqdm bar.
history : bool, default False
    Keep the `Step` of each iteration in the attribute `history` of the result, which its `plot` draws.
tol : float, default 0
    Largest residual, relative to the largest value; 0 is the precision of the type.
ax : matplotlib.axes.Axes, optional
    Where to draw. By default a new figure is made.
""")

SOURCES = _entries("""
nulls : {"error", "mean"}, default "error"
    Whether missing values raise an error, or are replaced by the mean of their column.
dtype : data-type, optional
    Type of the elements, float32 or float64. By default float32 if all columns are float16 or float32, otherwise
    float64.
memory_limit : int or str, default "1GiB"
    Memory that a pass may use, in bytes or with a unit.
""")

ESTIMATORS = _entries("""
X : array or StreamedMatrix
    Dense matrix of shape (n_samples, n_features) on the host.
sample_weight : array or float, optional
    Weights of the rows, at least 0.
self
    The fitted estimator.
fit_intercept : bool, default True
    Whether to fit an intercept. It is not penalised.
max_iter : int or None, default 100
    Most iterations.
tol : float, default 0.0
    Bound of the scaled gradient and the Newton decrement, relative to the root of the deviance. 0 means
    1e-10, and the root of the precision of X's type for more than 512 columns.
positive : bool, default False
    Coefficients of at least 0 are not supported: only False.
alpha : float, default 1.0
    Factor of the penalty alpha * ‖coef‖² / 2, which is added to the mean of the losses.
solver : {"auto", "newton-cholesky", "newton-cg", "lbfgs"}, default "auto"
    "newton-cholesky" makes the whole Hessian in each pass over X: few passes, standard errors, and the most work
    per pass. "lbfgs" and "newton-cg" need more passes, with little work: with X in memory they are often
    faster. Their default tol is the root of the precision of X's type. "auto" is "newton-cholesky" for up to
    512 columns, and "newton-cg" above.
warm_start, verbose : bool, int
    Accepted as by scikit-learn, and not used: each fit starts from zero, and prints nothing.
coef_ : array of shape (n_features,)
    Coefficients.
intercept_ : float
    Intercept.
n_iter_ : int
    Iterations.
n_reads_ : int
    Passes over X.
standard_errors_ : array
    Standard errors of the coefficients and of the intercept, which is the last. Empty with a penalty and for
    more than 512 columns.
dispersion_ : float
    Pearson's statistic by n_samples less the number of parameters; standard errors contain its root.
deviance_, aic_ : float
    Deviance, and Akaike's criterion; NaN for more than 512 columns.
""")

TARGETS = ESTIMATORS | _entries("""
y : array
    Targets of shape (n_samples,) or (n_samples, n_targets).
coef_ : array of shape (n_features,) or (n_targets, n_features)
    Coefficients; the second shape if y has two dimensions.
intercept_ : float or array of shape (n_targets,)
    Intercept.
n_iter_ : int
    Iterations, of several targets the most.
n_reads_ : int
    Passes over X, for all targets.
""")
