# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Iterative least squares, and ridge regression."""

import numbers
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from tessera import _arrays, _core
from tessera._results import LsmrResult, LsqrResult, Step
from tessera._sentences import found
from tessera._solvers import ITERATION_LIMIT, ConvergenceWarning, Telling, column_of, counted, is_distributed, level_of_caller
from tessera._solvers import on_all_ranks, on_ranks_of, require_finite


def solve(
    method: str,
    A: Any,
    sides: Sequence[Any],
    damps: Sequence[float],
    *,
    atol: float | None,
    btol: float | None,
    conlim: float | None,
    maxiter: int | None,
    x0: Any,
    copy: bool,
    callback: Callable[[Step], Any] | None,
    progress: bool,
    show: bool = False,
    history: bool = False,
    name: str | None = None,
) -> list[dict]:
    """Results for each right-hand side, and for each of `damps`."""
    name = "linalg." + (name or method)
    sides = [column_of(b) for b in sides]
    if is_distributed(A):
        sides = [A._whole("b", b, copy) for b in sides]
    telling = Telling("tessera." + name, callback, progress, show, history)
    with telling as on_step:
        results = on_ranks_of(A, lambda: _core._least_squares(
            name, method, A, sides, None if x0 is None else column_of(x0), damps, atol, btol, conlim or 0.0, maxiter, on_step,
            copy
        ))
    for i, result in enumerate(results):
        require_finite("tessera." + name, result, A=A, b=sides[i // len(damps)], x0=x0)
        result["history"] = telling.history or ()
        result["istop"] = 7 if result["stop"] == ITERATION_LIMIT else result["stop"]
        # As in SciPy: with an explicit maxiter, lsmr and lsqr report it in istop only.
        if result["istop"] == 7 and method != "lstsq" and (maxiter is None or method == "ridge"):
            warnings.warn(
                f"tessera.{name}: {result['why']}, after {counted(result['iterations'])}: normar is "
                f"{result['normar']:.3g}; raise maxiter, or the tolerances",
                ConvergenceWarning,
                stacklevel=level_of_caller(),
            )
        if show:
            print(result["why"])
    return results


def _lsmr_result(result: dict) -> LsmrResult:
    made = LsmrResult(
        *(result[key] for key in ("x", "istop", "iterations", "normr", "normar", "norma", "conda", "normx"))
    )
    made.has_scaled_columns, made.history = result["has_scaled_columns"], result["history"]
    return made


@on_all_ranks
def lsmr(
    A: Any,
    b: Any,
    damp: float = 0.0,
    atol: float = 1e-6,
    btol: float = 1e-6,
    conlim: float | None = 1e8,
    maxiter: int | None = None,
    show: bool = False,
    x0: Any = None,
    *,
    copy: bool = False,
    callback: Callable[[Step], Any] | None = None,
    progress: bool = False,
    history: bool = False,
) -> LsmrResult:
    """Minimise ‖A x - b‖² + damp² ‖x - x0‖² by LSMR, like scipy.sparse.linalg.lsmr.

    Parameters
    ----------
    A, b, damp
    atol, btol : float, default 1e-6
        Relative errors of A and b at which an iterative method stops.
    conlim
    maxiter : int, optional
        Most iterations, by default min(m, n).
    show, x0, copy, callback, progress, history

    Returns
    -------
    LsmrResult
        The solution and how it was found. istop is SciPy's: 0 x = 0; 1 solved; 2 least squares solved; 3 condition
        limit; 4 to 6 the same to machine precision; 7 iteration limit.

    Raises
    ------
    ValueError
        If A or b has an infinity or a NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from tessera.linalg import lsmr
    >>> A = np.array([[2.0, 0.0], [0.0, 4.0], [0.0, 0.0]])
    >>> result = lsmr(A, np.array([2.0, 8.0, 5.0]))
    >>> np.round(result.x, 6), result.istop
    (array([1., 2.]), 2)
    """
    (result,) = solve(
        "lsmr", A, [b], [damp], atol=atol, btol=btol, conlim=conlim, maxiter=maxiter, x0=x0, copy=copy,
        callback=callback, progress=progress, show=show, history=history
    )
    return _lsmr_result(result)


@on_all_ranks
def lsqr(
    A: Any,
    b: Any,
    damp: float = 0.0,
    atol: float = 1e-6,
    btol: float = 1e-6,
    conlim: float | None = 1e8,
    iter_lim: int | None = None,
    show: bool = False,
    calc_var: bool = False,
    x0: Any = None,
    *,
    copy: bool = False,
    callback: Callable[[Step], Any] | None = None,
    progress: bool = False,
    history: bool = False,
) -> LsqrResult:
    """Minimise ‖A x - b‖² + damp² ‖x - x0‖² by LSQR, like scipy.sparse.linalg.lsqr.

    Parameters
    ----------
    A, b, damp
    atol, btol : float, default 1e-6
        Relative errors of A and b at which an iterative method stops.
    conlim
    iter_lim : int, optional
        Most iterations, by default 2 n.
    show
    calc_var : bool, default False
        Variances are not computed; True raises ValueError.
    x0, copy, callback, progress, history

    Returns
    -------
    LsqrResult
        The solution and how it was found.

    Examples
    --------
    >>> import numpy as np
    >>> from tessera.linalg import lsqr
    >>> A = np.array([[2.0, 0.0], [0.0, 4.0], [0.0, 0.0]])
    >>> np.round(lsqr(A, np.array([2.0, 8.0, 5.0]))[0], 6)
    array([1., 2.])
    """
    if calc_var:
        raise ValueError("tessera.linalg.lsqr: calc_var=True is not supported")
    if isinstance(iter_lim, numbers.Real) and iter_lim < 0:
        raise ValueError(f"tessera.linalg.lsqr: iter_lim must be a whole number of at least 0, found {iter_lim!r}")
    (result,) = solve(
        "lsqr", A, [b], [damp], atol=atol, btol=btol, conlim=conlim, maxiter=iter_lim, x0=x0, copy=copy,
        callback=callback, progress=progress, show=show, history=history
    )
    x, norm = result["x"], result["normr"]
    r1norm = norm
    if damp != 0:
        moved = x if x0 is None else x - column_of(x0)
        square = norm**2 - damp**2 * _core.dot(moved, moved)
        r1norm = float(numpy.copysign(numpy.sqrt(abs(square)), square))
    made = LsqrResult(
        x, result["istop"], result["iterations"], r1norm, norm, result["norma"], result["conda"], result["normar"],
        result["normx"], _arrays.of_numbers(x, numpy.zeros(len(x)), "float64")
    )
    made.history = result["history"]
    return made


@on_all_ranks
def ridge(
    A: Any,
    b: Any,
    alpha: float,
    *,
    atol: float | None = None,
    btol: float | None = None,
    conlim: float | None = 1e8,
    maxiter: int | None = None,
    x0: Any = None,
    copy: bool = False,
    callback: Callable[[Step], Any] | None = None,
    progress: bool = False,
) -> LsmrResult:
    """Minimise ‖A x - b‖² + alpha ‖x - x0‖², without an intercept.

    Parameters
    ----------
    A, b
    alpha : float
        Factor of the penalty.
    atol, btol : float, optional
        Relative errors of A and b at which an iterative method stops, by default the precision of A.
    conlim
    maxiter : int, optional
        Most iterations of LSMR, by default max(10 min(m, n), 100).
    x0, copy, callback, progress

    Returns
    -------
    LsmrResult
        As of `lsmr`. If it was solved directly, itn counts passes over A.

    Warns
    -----
    ConvergenceWarning
        If the iteration limit is reached.

    Notes
    -----
    A matrix with at most 512 columns is solved directly, unless `maxiter` is given. Then `atol`,
    `btol` and `conlim` are not used. Otherwise `lsmr` runs. If the norms of the columns of A, with sqrt(alpha) I below
    it, differ by more than a factor of 10, the columns are scaled inside. The penalty is still on x.

    Examples
    --------
    >>> import numpy as np
    >>> from tessera.linalg import ridge
    >>> ridge(np.array([[1.0], [1.0]]), np.array([3.0, 3.0]), alpha=1.0).x
    array([2.])
    """
    return _penalised(
        "ridge", A, b, [alpha], atol=atol, btol=btol, conlim=conlim, maxiter=maxiter, x0=x0, copy=copy, callback=callback,
        progress=progress
    )[0]


@on_all_ranks
def ridge_path(
    A: Any,
    b: Any,
    alphas: Sequence[float],
    *,
    atol: float | None = None,
    btol: float | None = None,
    conlim: float | None = 1e8,
    maxiter: int | None = None,
    x0: Any = None,
    copy: bool = False,
    callback: Callable[[Step], Any] | None = None,
    progress: bool = False,
) -> list[LsmrResult]:
    """Solve `ridge` for several penalties, which share the passes over A.

    Parameters
    ----------
    A, b
    alphas : sequence of float
        Factors of the penalty, at least one. They may repeat.
    atol, btol : float, optional
        Relative errors of A and b at which an iterative method stops, by default the precision of A.
    conlim
    maxiter : int, optional
        Most iterations of LSMR, by default max(10 min(m, n), 100).
    x0, copy
    callback : callable, optional
        Receives a `Step` after each iteration of the first penalty that still runs. An exception in it ends the call.
    progress

    Returns
    -------
    list of LsmrResult
        One result per alpha, bitwise identical to that of `ridge`.

    Raises
    ------
    ValueError
        If `alphas` is empty or has a negative number, or if A or b has an infinity or a NaN.

    Notes
    -----
    Each alpha stops on its own. A is read as often as for the alpha with the most iterations. If columns are scaled
    inside, up to 16 penalties share a pass over A.

    Examples
    --------
    >>> import numpy as np
    >>> from tessera.linalg import ridge_path
    >>> [round(float(r.x[0]), 12) for r in ridge_path(np.array([[1.0], [1.0]]), np.array([3.0, 3.0]), [0.0, 1.0])]
    [3.0, 2.0]
    """
    return _penalised(
        "ridge_path", A, b, alphas, atol=atol, btol=btol, conlim=conlim, maxiter=maxiter, x0=x0, copy=copy,
        callback=callback, progress=progress
    )


def _penalty(name: str, alpha: Any) -> float:
    try:
        number = numpy.nan if isinstance(alpha, str) or numpy.shape(alpha) != () else float(alpha)
    except (TypeError, ValueError):
        number = numpy.nan
    if not 0 <= number < numpy.inf:
        raise ValueError(f"tessera.linalg.{name}: alpha must be a number of at least 0, found {found(alpha)}")
    return number


def _penalised(name: str, A: Any, b: Any, alphas: Sequence[float], **options: Any) -> list[LsmrResult]:
    try:
        given = list(alphas)
    except TypeError:  # a number
        given = []
    if not given:
        raise ValueError(f"tessera.linalg.{name}: alphas must be a sequence of at least one number, found {alphas!r}")
    results = solve("ridge", A, [b], [_penalty(name, alpha) for alpha in given], name=name, **options)
    return [_lsmr_result(result) for result in results]
