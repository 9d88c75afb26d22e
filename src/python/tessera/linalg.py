# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Solvers with the interface of SciPy that read the matrix once per iteration, or solve directly.

A is an array on a host or a GPU, a matrix of `tessera.open` or `tessera.from_callback`, or a
`tessera.distributed.Matrix`, whose rows are distributed over processes. Results are arrays of the same kind and on the
same device; a call waits for them.
"""

import functools
import inspect
import numbers
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy

from tessera import _arrays, _core, _docs, _pictures
from tessera._packages import package
from tessera._sentences import found, in_one_sentence

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


# As numbered by the compiled part.
_CONVERGED, _ITERATION_LIMIT, _NOT_FINITE, _PRECISION_LIMIT, _NOT_SOLVABLE = 7, 8, 11, 13, 14


class ConvergenceWarning(UserWarning):
    """A solver reached its iteration limit; the result is not within the tolerance."""


class Step(NamedTuple):
    """Progress of a solver.

    Attributes
    ----------
    iteration : int
        Number of the iteration.
    reads : int
        Passes over A so far.
    residual, tolerance : float
        The quantity that must become small, and its bound.
    objective : float
        The minimised function.
    """

    iteration: int
    reads: int  # of A
    residual: float  # what the method minimises
    tolerance: float  # stop when `residual` is below
    objective: float  # norm of the residual, or the loss; 0: neither


class _LsmrFields(NamedTuple):
    x: Any
    istop: int
    itn: int
    normr: float
    normar: float
    norma: float
    conda: float
    normx: float


class _LsqrFields(NamedTuple):
    x: Any
    istop: int
    itn: int
    r1norm: float
    r2norm: float
    anorm: float
    acond: float
    arnorm: float
    xnorm: float
    var: Any


class _PcaFields(NamedTuple):
    components: Any
    singular_values: Any
    explained_variance: Any
    explained_variance_ratio: Any
    mean: Any
    deviation: Any


class _Pictured:
    """What results show in notebooks."""

    _fields: tuple[str, ...]

    def _repr_html_(self) -> str:
        def fact(value: Any) -> str:
            shape = getattr(value, "shape", ())
            return f"{value.dtype}, {_pictures.size_of(shape)}" if len(shape) > 0 else f"{value:.6g}"

        facts = [(name, fact(getattr(self, name))) for name in self._fields]
        return _pictures.table(f"tessera.linalg.{type(self).__name__}", facts)


class _Iterated(_Pictured):
    """A result that may have a history: those of least squares."""

    history: Sequence[Step] = ()

    def plot(self, ax: Any = None) -> Any:
        """Draw the residual and its tolerance by iteration, with matplotlib.

        Parameters
        ----------
        ax

        Returns
        -------
        matplotlib.axes.Axes
            The axes with the curves.

        Raises
        ------
        ValueError
            If the solver was called without `history=True`.
        ImportError
            If matplotlib is not installed.

        Examples
        --------
        >>> from tessera.linalg import lsmr
        >>> lsmr(A, b, history=True).plot()  # doctest: +SKIP
        """
        name = type(self).__name__
        if not self.history:
            raise ValueError(f"tessera.linalg.{name}.plot: there is no history: expected a call with history=True that iterated")
        ax = _pictures.axes(f"tessera.linalg.{name}.plot", ax)
        iterations = [step.iteration for step in self.history]
        ax.semilogy(iterations, [step.residual for step in self.history], label="residual")
        ax.semilogy(iterations, [step.tolerance for step in self.history], "--", label="tolerance")
        ax.set_xlabel("iteration")
        ax.legend()
        return ax


class LsmrResult(_LsmrFields, _Iterated):
    """Result of `lsmr`, with the fields of SciPy.

    Attributes
    ----------
    x : array
        Solution of n entries.
    istop : int
        Why the solver stopped, as in `lsmr`.
    itn : int
        Iterations; passes over A if A was solved directly.
    normr : float
        Norm of the residual, including the rows of `damp`.
    normar : float
        Norm of the gradient, A.T times this residual.
    norma, conda : float
        Estimates of the Frobenius norm and of the condition number of A.
    normx : float
        Norm of x.
    has_scaled_columns : bool
        Whether `ridge` ran on scaled columns. normar, norma and conda then describe the scaled problem.
    """

    has_scaled_columns: bool = False


class LsqrResult(_LsqrFields, _Iterated):
    """Result of `lsqr`, with the fields of SciPy.

    Attributes
    ----------
    x : array
        Solution of n entries.
    istop : int
        Why the solver stopped, as in `lsmr`.
    itn : int
        Iterations.
    r1norm, r2norm : float
        Norm of the residual, without and with the rows of `damp`.
    anorm, acond : float
        Estimates of the Frobenius norm and of the condition number of A.
    arnorm : float
        Norm of the gradient, A.T times the residual.
    xnorm : float
        Norm of x.
    var : array
        Zeros; variances are not computed.
    """


class PcaResult(_PcaFields, _Pictured):
    """Result of `pca`: principal components, and statistics of the columns.

    Attributes
    ----------
    components : array of shape (k, n)
        Components, one per row, in descending order of variance.
    singular_values : array
        Singular values of the centred matrix, one per component.
    explained_variance, explained_variance_ratio : array
        Variance of each component, and its part of the total variance.
    mean, deviation : array
        Mean and standard deviation of each column.
    """

    def plot(self, ax: Any = None) -> Any:
        """Draw the part of the variance that each component explains, with matplotlib.

        Parameters
        ----------
        ax

        Returns
        -------
        matplotlib.axes.Axes
            The axes with bars, and the sum of the parts as a line.

        Raises
        ------
        ImportError
            If matplotlib is not installed.

        Examples
        --------
        >>> from tessera.linalg import pca
        >>> pca(A, 10).plot()  # doctest: +SKIP
        """
        ax = _pictures.axes("tessera.linalg.PcaResult.plot", ax)
        parts = _arrays.on_host(self.explained_variance_ratio)
        places = range(1, len(parts) + 1)
        ax.bar(places, parts, label="component")
        ax.plot(places, numpy.cumsum(parts), "o-", color="black", label="sum")
        ax.set_xlabel("component")
        ax.set_ylabel("explained variance")
        ax.legend()
        return ax


class ColumnStats(NamedTuple):
    """Statistics of the columns of a matrix: NumPy arrays with an entry for each column.

    Attributes
    ----------
    mean, variance : array of float64
        Of the entries that are not missing. NaN if there are too few.
    min, max : array of float64
        Of the entries that are not NaN.
    count : array of int64
        Entries that are not missing.
    missing : array of int64
        Entries that are missing.
    nonfinite : array of int64
        NaN and infinite entries that are not missing.
    """

    mean: numpy.ndarray
    variance: numpy.ndarray
    min: numpy.ndarray
    max: numpy.ndarray
    count: numpy.ndarray
    missing: numpy.ndarray
    nonfinite: numpy.ndarray

    @property
    def deviation(self) -> numpy.ndarray:
        """Standard deviations, the roots of the variances."""
        return numpy.sqrt(self.variance)


class _Telling:
    """What a solver calls after each step; the bar is gone at its end."""

    def __init__(
        self,
        name: str,
        callback: Callable[[Step], Any] | None,
        progress: bool,
        show: bool = False,
        history: list[Step] | None = None,
    ):
        self.callback, self.show, self.bar, self.history = callback, show, None, history
        if callback is not None and not callable(callback):
            raise TypeError(f"{name}: callback must be a function, found {type(callback).__name__}")
        if progress:
            self.bar = package("tqdm.auto", f"{name}: progress=True").tqdm(desc=name, unit=" steps")

    def __enter__(self) -> Callable[..., None] | None:
        is_told = self.callback is not None or self.bar is not None or self.show or self.history is not None
        return self._step if is_told else None

    def __exit__(self, *_: Any) -> None:
        if self.bar is not None:
            self.bar.close()

    def _step(self, *numbers: Any) -> None:
        step = Step(*numbers)
        if self.history is not None:
            self.history.append(step)
        if self.bar is not None:
            self.bar.set_postfix_str(f"residual {step.residual:.2g} of {step.tolerance:.2g}", refresh=False)
            self.bar.update()
        if self.show:
            print(f"{step.iteration:6} {step.residual:12.5e} {step.tolerance:12.5e} {step.objective:12.5e}")
        if self.callback is not None:
            self.callback(step)


_P = ParamSpec("_P")
_R = TypeVar("_R")

# Arguments that may differ between ranks.
_OF_A_RANK = ("A", "b", "copy", "callback", "progress", "show", "v0", "rng", "random_state")


def _on_all_ranks(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """A solver that also takes matrices on many processes.

    Its other arguments are compared, since ranks with different ones would wait for each other for ever. Whatever a
    rank raises, all raise. One rank shows how far the solver is.
    """
    signature = inspect.signature(function)
    function = in_one_sentence(function)

    @functools.wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        A = args[0] if args else kwargs.get("A")
        if not _is_distributed(A):
            return function(*args, **kwargs)
        world = A.world
        bound = world._together(lambda: signature.bind(*args, **kwargs))
        bound.apply_defaults()
        world._require_same_arguments(
            f"linalg.{function.__name__}", {k: x for k, x in bound.arguments.items() if k not in _OF_A_RANK}
        )
        if world.rank > 0:
            bound.arguments.update({name: False for name in ("progress", "show") if name in bound.arguments})
        try:
            return world._together(lambda: function(*bound.args, **bound.kwargs), keep_common=True)
        finally:
            world._told = None

    return call


def _level_of_caller() -> int:
    """The `stacklevel` of a warning in the caller's function that blames the program, and no line of this package."""
    folder = os.path.dirname(__file__)
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == folder:
        frame, level = frame.f_back, level + 1
    return level


def _not_finite_in(name: str, x: Any) -> str:
    """Where a NumPy array has its first infinity or NaN; empty if it has none, or for other arrays."""
    if not isinstance(x, numpy.ndarray) or x.dtype.kind != "f":
        return ""
    rows = 4096  # avoids a mask as large as the array
    for begin in range(0, len(x), rows):
        bad = ~numpy.isfinite(x[begin : begin + rows])
        if bad.any():
            place = numpy.argwhere(bad)[0] + numpy.array([begin, 0])[: x.ndim]
            where = ", ".join(f"{axis} {i}" for axis, i in zip(("row", "column"), place))
            return f"{name} has an infinity or a NaN at {where}"
    return ""


def _require_finite(name: str, result: dict, **inputs: Any) -> None:
    if result["stop"] == _NOT_FINITE:
        places = (_not_finite_in(key, x) for key, x in inputs.items())
        raise ValueError(f"{name}: {next(filter(None, places), result['why'])}")


def _require_converged(name: str, result: dict, **inputs: Any) -> None:
    _require_finite(name, result, **inputs)
    if result["stop"] == _PRECISION_LIMIT:
        warnings.warn(
            f"{name}: {result['why']}; subtract rough means of the columns first, or use float64",
            ConvergenceWarning,
            stacklevel=_level_of_caller(),
        )
    elif result["stop"] != _CONVERGED:
        raise numpy.linalg.LinAlgError(f"{name}: {result['why']}")


def _column(b: Any) -> Any:
    """A number as a vector, and a matrix of one column, too."""
    if isinstance(b, (int, float)):
        return numpy.array([float(b)])
    shape = tuple(getattr(b, "shape", ()))
    if len(shape) != 2 or shape[1] != 1:
        return b
    return b.reshape(-1) if hasattr(b, "reshape") else b.iloc[:, 0] if hasattr(b, "iloc") else b


def _is_array(A: Any) -> bool:
    return not isinstance(A, _core.StreamedMatrix) and not _is_distributed(A)


def _is_distributed(A: Any) -> bool:
    return type(A).__module__ == "tessera.distributed" and type(A).__name__ == "Matrix"


def _is_whole(x: Any) -> bool:
    """Also of a float without a fraction, as in SciPy."""
    return isinstance(x, numbers.Real) and numpy.isfinite(x) and int(x) == x


def _counted(iterations: int) -> str:
    return f"{iterations} iteration" + ("" if iterations == 1 else "s")


def _run(A: Any, body: Callable[[], Any]) -> Any:
    """body(); of a matrix on many processes, what it raises on one it raises on all."""
    return A.world._together(body) if _is_distributed(A) else body()


def _solve(
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
    history: list[Step] | None = None,
    name: str | None = None,
) -> list[dict]:
    """Results for each right-hand side, and for each of `damps`."""
    name = "linalg." + (name or method)
    sides = [_column(b) for b in sides]
    if _is_distributed(A):
        sides = [A._whole("b", b, copy) for b in sides]
    with _Telling("tessera." + name, callback, progress, show, history) as on_step:
        results = _run(A, lambda: _core._least_squares(
            name, method, A, sides, None if x0 is None else _column(x0), damps, atol, btol, conlim or 0.0, maxiter, on_step,
            copy
        ))
    for i, result in enumerate(results):
        _require_finite("tessera." + name, result, A=A, b=sides[i // len(damps)], x0=x0)
        result["istop"] = 7 if result["stop"] == _ITERATION_LIMIT else result["stop"]
        # As in SciPy: with an explicit maxiter, lsmr and lsqr report it in istop only.
        if result["istop"] == 7 and method != "lstsq" and (maxiter is None or method == "ridge"):
            warnings.warn(
                f"tessera.{name}: {result['why']}, after {_counted(result['iterations'])}: normar is "
                f"{result['normar']:.3g}; raise maxiter, or the tolerances",
                ConvergenceWarning,
                stacklevel=_level_of_caller(),
            )
        if show:
            print(result["why"])
    return results


def _lsmr_result(result: dict) -> LsmrResult:
    found = LsmrResult(
        *(result[key] for key in ("x", "istop", "iterations", "normr", "normar", "norma", "conda", "normx"))
    )
    found.has_scaled_columns = result["has_scaled_columns"]
    return found


@_on_all_ranks
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
    steps: list[Step] | None = [] if history else None
    (result,) = _solve(
        "lsmr", A, [b], [damp], atol=atol, btol=btol, conlim=conlim, maxiter=maxiter, x0=x0, copy=copy,
        callback=callback, progress=progress, show=show, history=steps
    )
    found = _lsmr_result(result)
    found.history = steps or ()
    return found


@_on_all_ranks
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
    steps: list[Step] | None = [] if history else None
    (result,) = _solve(
        "lsqr", A, [b], [damp], atol=atol, btol=btol, conlim=conlim, maxiter=iter_lim, x0=x0, copy=copy,
        callback=callback, progress=progress, show=show, history=steps
    )
    x, norm = result["x"], result["normr"]
    r1norm = norm
    if damp != 0:
        moved = x if x0 is None else x - _column(x0)
        square = norm**2 - damp**2 * _core.dot(moved, moved)
        r1norm = float(numpy.copysign(numpy.sqrt(abs(square)), square))
    found = LsqrResult(
        x, result["istop"], result["iterations"], r1norm, norm, result["norma"], result["conda"], result["normar"],
        result["normx"], _arrays.of_numbers(x, numpy.zeros(len(x)), "float64")
    )
    found.history = steps or ()
    return found


@_on_all_ranks
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


@_on_all_ranks
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
    results = _solve("ridge", A, [b], [_penalty(name, alpha) for alpha in given], name=name, **options)
    return [_lsmr_result(result) for result in results]


@_on_all_ranks
def lstsq(
    A: Any,
    b: Any,
    rcond: float | None = None,
    *,
    maxiter: int | None = None,
    copy: bool = False,
    callback: Callable[[Step], Any] | None = None,
    progress: bool = False,
) -> tuple[Any, Any, int | None, Any]:
    """Compute the shortest x that minimises ‖A x - b‖, like scipy.linalg.lstsq.

    Parameters
    ----------
    A
    b : array
        Right-hand side of m entries, or several as an array of shape (m, k).
    rcond : float, optional
        Singular values of A up to this part of the largest count as zero, as in NumPy. A must have at most 512 columns,
        and must not be distributed. By default those of the scaled A are compared with the precision; see Notes.
    maxiter : int, optional
        Use LSMR with at most this number of iterations.
    copy, callback, progress

    Returns
    -------
    tuple
        The solution x, residues, rank and singular values. residues is the square of the residual norm. It is an empty
        array if A does not have full column rank, or no more rows than columns. rank is None if LSMR was used. The
        singular values are computed if `rcond` is given, and None otherwise.

    Raises
    ------
    numpy.linalg.LinAlgError
        If LSMR does not converge within `maxiter` iterations.

    Notes
    -----
    A matrix with at most 512 columns is solved directly, unless `maxiter` is given, with the same few passes for all
    right-hand sides. Columns are scaled to equal norms inside. Singular values of the scaled matrix count as zero if they are at most 2 eps (float32) or
    n eps (float64) times the largest.

    Otherwise `lsmr` runs. If m >= n and the norms of the columns differ by more than a factor of 10, the columns are
    scaled inside. If scaled columns depend on each other, x is the shortest solution for the scaled columns.

    Examples
    --------
    >>> import numpy as np
    >>> from tessera.linalg import lstsq
    >>> x, residues, rank, s = lstsq(np.array([[1.0], [1.0]]), np.array([1.0, 3.0]))
    >>> np.round(x, 12), round(residues, 12)
    (array([2.]), 2.0)
    """
    name = "tessera.linalg.lstsq"
    if copy and not isinstance(A, _core.StreamedMatrix):
        A = _arrays.array(A, f"{name}: A must be") if _is_array(A) else A
        b = _arrays.array(b, f"{name}: b must be")
    rows, cols = _shape(name, A)
    values = None
    if rcond is not None:
        truncated = _Truncated(name, A, rcond, maxiter, copy, progress)
        values = truncated.values

    def solve(columns: Sequence[Any]) -> list[tuple[Any, float, int | None]]:
        if rcond is not None:
            return [truncated.solve(column) for column in columns]
        results = _solve(
            "lstsq", A, columns, [0.0], atol=None, btol=None, conlim=None, maxiter=maxiter, x0=None, copy=copy,
            callback=callback, progress=progress
        )
        for result in results:
            if result["istop"] == 7:
                raise numpy.linalg.LinAlgError(
                    f"{name}: {result['why']}, after {_counted(result['iterations'])}; raise maxiter"
                )
        no_rank = 0 if 0 in (rows, cols) else None
        return [
            (result["x"], result["normr"] ** 2, result["rank"] if result["rank"] >= 0 else no_rank) for result in results
        ]

    def has_residues(rank: int | None) -> bool:
        return rows > cols and rank in (None, cols)

    if len(getattr(b, "shape", ())) != 2:
        ((x, square, rank),) = solve([b])
        return x, square if has_residues(rank) else _arrays.of_numbers(x, [], "float64"), rank, values
    if not hasattr(b, "dtype"):
        raise TypeError(f"{name}: b must be an array, found {type(b).__name__}; copy=True makes an array of it")
    if not _is_distributed(A) and b.shape[0] != rows:
        raise ValueError(f"{name}: b must have shape ({rows},) or ({rows}, k) for A of shape {(rows, cols)}, found {tuple(b.shape)}")
    solutions = solve([b[:, j] for j in range(b.shape[1])]) if b.shape[1] else []
    rank = truncated.rank if rcond is not None else solutions[0][2] if solutions else None
    dtype = str(solutions[0][0].dtype).rpartition(".")[2] if solutions else _dtype(name, A).name
    x = _arrays.empty(A if _is_array(A) else b, (cols, b.shape[1]), dtype)
    for j, (column, _, _) in enumerate(solutions):
        x[:, j] = column
    squares = [square for _, square, _ in solutions] if has_residues(rank) else []
    return _arrays.finished(x), _arrays.of_numbers(x, squares, "float64"), rank, values


class _Truncated:
    """Least squares without the small singular values, by the decomposition of A.

    A is not stored twice: x = V S^-2 V.T A.T b is corrected by the gradient at x, which reads A once, until the
    correction no longer shrinks. That gives back the digits that S^-2 loses.
    """

    MOST_COLUMNS = 512
    MOST_CORRECTIONS = 8

    def __init__(self, name: str, A: Any, rcond: float, maxiter: int | None, copy: bool, progress: bool) -> None:
        if not isinstance(rcond, numbers.Real) or not 0 <= rcond < 1:
            raise ValueError(f"{name}: rcond must be a number of at least 0 and below 1, found {rcond!r}")
        if maxiter is not None:
            raise ValueError(f"{name}: expected rcond or maxiter, found both: {rcond!r} and {maxiter!r}")
        rows, cols = _shape(name, A)
        if _is_distributed(A) or cols > self.MOST_COLUMNS:
            where = "a distributed matrix" if _is_distributed(A) else f"{cols} columns"
            raise ValueError(f"{name}: rcond is for matrices of one process with at most {self.MOST_COLUMNS} columns, found {where}")
        if 0 in (rows, cols):
            raise ValueError(f"{name}: rcond is for matrices with elements, found shape {(rows, cols)}")
        self.A = _arrays.suitable(A, f"{name}: A must be") if copy else A
        self.copy = copy
        _, values, vh = svds(self.A, min(rows, cols), return_singular_vectors="vh", progress=progress)
        values, host = values[::-1] if isinstance(values, numpy.ndarray) else values.flip(0), _arrays.on_host(values)
        self.rank = int((host > rcond * host.max()).sum())
        self.values = values
        self.vh = vh[-self.rank :] if self.rank else vh[:0]
        self.squares = _arrays.of_numbers(vh, host[len(host) - self.rank :] ** 2, host.dtype)

    def solve(self, b: Any) -> tuple[Any, float, int]:
        b = _column(b)
        dtype = str(self.vh.dtype).rpartition(".")[2]
        x = _arrays.of_numbers(self.vh, numpy.zeros(self.vh.shape[1]), dtype)
        gradient, residual = _core.atax(self.A, x, minus=b, return_b=True, copy=self.copy)
        last = numpy.inf
        for _ in range(self.MOST_CORRECTIONS):
            correction = ((self.vh @ gradient) / self.squares) @ self.vh
            size = float((correction @ correction) ** 0.5)
            if not size < last / 2:
                break
            x, last = x - correction, size
            gradient, residual = _core.atax(self.A, x, minus=b, return_b=True, copy=self.copy)
        if not numpy.isfinite(last):
            raise ValueError(f"tessera.linalg.lstsq: {_not_finite_in('b', b) or 'b has an infinity or a NaN'}")
        return x, float(_core.dot(residual, residual)), self.rank


def _shape(name: str, A: Any) -> tuple[int, int]:
    if not hasattr(A, "shape"):
        raise TypeError(f"{name}: A must be an array, found {type(A).__name__}{_arrays.advice(A)}")
    shape = tuple(A.shape)
    if len(shape) != 2:
        raise ValueError(f"{name}: A must have two dimensions, found {type(A).__name__} of shape {shape}")
    return shape


def _dtype(name: str, A: Any) -> numpy.dtype:
    """The type that a call computes in."""
    if not _is_distributed(A) and _arrays.is_narrow(A):
        return numpy.dtype("float32")
    dtype = str(A.dtype).rpartition(".")[2]
    return numpy.dtype(dtype if dtype in ("float32", "float64") else "float64")


def _with_triplets(name: str, A: Any, parameter: str, k: int, copy: bool) -> Any:
    """A as an array or a stream, which has k singular values."""
    if copy and _is_array(A):
        A = _arrays.array(A, f"{name}: A must be")
    most = min(_shape(name, A))
    if most == 0:
        raise ValueError(f"{name}: `A` must not be empty, found shape {tuple(A.shape)}")
    is_number = isinstance(k, numbers.Real)
    if not is_number or not 0 < k <= most or int(k) != k:
        is_other = not is_number and not isinstance(k, str)  # SciPy's int(k) is a TypeError
        raise (TypeError if is_other else ValueError)(
            f"{name}: `{parameter}` must be an integer satisfying `0 < {parameter} <= min(A.shape)`, found {found(k)}"
        )
    return A


def _triplets(
    name: str,
    A: Any,
    k: int,
    *,
    tol: float,
    ncv: int | None,
    maxiter: int | None,
    want_u: bool,
    rises: bool,
    is_pca: bool,
    scale: bool,
    copy: bool,
    callback: Callable[[Step], Any] | None,
    progress: bool,
) -> tuple[Any, dict]:
    name = "linalg." + name
    A = _with_triplets("tessera." + name, A, "k", k, copy)
    if ncv is not None and (not _is_whole(ncv) or ncv <= k):
        raise ValueError(f"tessera.{name}: `ncv` must be an integer satisfying `k < ncv`, found {found(ncv)}")
    if not isinstance(tol, numbers.Real) or not 0 <= tol < numpy.inf:
        raise ValueError(f"tessera.{name}: `tol` must be a non-negative floating point value, found {found(tol)}")
    if maxiter is not None and (not _is_whole(maxiter) or maxiter <= 0):
        raise ValueError(f"tessera.{name}: `maxiter` must be a positive integer, found {found(maxiter)}")
    with _Telling("tessera." + name, callback, progress) as on_step:
        result = _run(A, lambda: _core._svd(
            name, A, int(k), float(tol), int(maxiter or 0), int(ncv or 0), want_u, rises, is_pca, scale, on_step, copy
        ))
    _require_converged("tessera." + name, result, A=A)
    dtype = _dtype(name, A).name
    return (lambda values: _arrays.of_numbers(result["vt"], values, dtype)), result


@_on_all_ranks
def svds(
    A: Any,
    k: int = 6,
    ncv: int | None = None,
    tol: float = 0,
    which: str = "LM",
    v0: Any = None,
    maxiter: int | None = None,
    return_singular_vectors: bool | str = True,
    solver: str = "arpack",
    rng: Any = None,
    options: dict[str, Any] | None = None,
    *,
    random_state: Any = None,
    copy: bool = False,
    callback: Callable[[Step], Any] | None = None,
    progress: bool = False,
) -> Any:
    """Compute the k largest singular values and vectors, like scipy.sparse.linalg.svds.

    Parameters
    ----------
    A
    k : int, default 6
        Number of values, at most min(m, n).
    ncv : int, optional
        Size of the basis of the iterative method.
    tol
    which : {"LM"}
        Only the largest values are supported.
    v0 : array, optional
        Starting vector of SciPy's methods, of min(m, n) entries, or m for "propack". It is checked and not used: the
        result does not depend on where a method begins.
    maxiter : int, optional
        Most iterations of the iterative method.
    return_singular_vectors : bool or {"u", "vh"}, default True
        Which vectors are returned.
    solver : {"arpack", "propack", "lobpcg"}, default "arpack"
        Name of a method of SciPy. Tessera uses its own method for all of them, to the same tolerance.
    rng : int, numpy.random.Generator or numpy.random.RandomState, optional
        Accepted as by SciPy, and not used: there are no random numbers.
    options : dict, optional
        Options of SciPy's methods. It must be empty.
    random_state : int, numpy.random.Generator or numpy.random.RandomState, optional
        Earlier name of `rng`.
    copy, callback, progress

    Returns
    -------
    tuple of array or array
        The triple u, s, vh with ascending values, or only s without vectors. The largest entry of each row of vh is positive.

    Raises
    ------
    numpy.linalg.LinAlgError
        If it does not converge.

    Warns
    -----
    ConvergenceWarning
        If the precision of the type allows no smaller residuals. The result is returned.

    Notes
    -----
    A matrix with at most 512 columns is decomposed directly, unless `ncv` or `maxiter` is given. Values that are zero
    to the precision of the largest are exactly 0.

    Examples
    --------
    >>> import numpy as np
    >>> from tessera.linalg import svds
    >>> A = np.array([[3.0, 0.0], [0.0, 5.0], [0.0, 0.0]])
    >>> np.round(svds(A, 2, return_singular_vectors=False), 12)
    array([3., 5.])
    """
    if which != "LM":
        raise ValueError(f'tessera.linalg.svds: `which` must be in {{"LM"}}, found {which!r}')
    if return_singular_vectors not in (True, False, "u", "vh"):
        raise ValueError(
            f'tessera.linalg.svds: `return_singular_vectors` must be in {{True, False, "u", "vh"}}, '
            f"found {return_singular_vectors!r}"
        )
    _check_scipy_options(A, v0, solver, rng if random_state is None else random_state, options)
    want_u = return_singular_vectors in (True, "u")
    made, result = _triplets(
        "svds", A, k, tol=tol, ncv=ncv, maxiter=maxiter, want_u=want_u, rises=True, is_pca=False, scale=False,
        copy=copy, callback=callback, progress=progress
    )
    s = made(result["s"])
    if not return_singular_vectors:
        return s
    return _left(A, result) if want_u else None, s, result["vt"] if return_singular_vectors != "u" else None


def _check_scipy_options(A: Any, v0: Any, solver: str, rng: Any, options: Any) -> None:
    """Refuses what SciPy refuses of arguments that do not change the result."""
    name = "tessera.linalg.svds"
    if solver not in ("arpack", "lobpcg", "propack"):
        raise ValueError(f'{name}: `solver` must be one of {{"arpack", "lobpcg", "propack"}}, found {solver!r}')
    if v0 is not None:
        v0 = numpy.atleast_1d(_arrays.on_host(v0))
        if v0.dtype.kind not in "fc":
            raise TypeError(f"{name}: `v0` must be of floating or complex floating data type, found {v0.dtype}")
        rows, cols = _shape(name, A)
        shape = (rows,) if solver == "propack" else (min(rows, cols),)
        if v0.shape != shape:
            raise ValueError(f"{name}: `v0` must have shape {shape}, found {v0.shape}")
    if options:
        raise ValueError(f"{name}: `options` must be empty, found {sorted(options)}")
    if not isinstance(rng, numpy.random.RandomState):
        numpy.random.default_rng(rng)  # SciPy's error


def _left(A: Any, result: dict) -> Any:
    """Left singular vectors, of a matrix on many processes this rank's rows of them."""
    ut = result["ut"][:, A.rows] if _is_distributed(A) else result["ut"]
    return ut.T


@_on_all_ranks
def randomized_svd(
    A: Any,
    n_components: int,
    *,
    n_oversamples: int = 10,
    n_iter: int = 4,
    random_state: int = 0,
    copy: bool = False,
    callback: Callable[[Step], Any] | None = None,
    progress: bool = False,
) -> tuple[Any, Any, Any]:
    """Approximate the largest singular values and vectors, like sklearn.utils.extmath.randomized_svd.

    Parameters
    ----------
    A
    n_components : int
        Number of values.
    n_oversamples : int, default 10
        Additional vectors of the block.
    n_iter : int, default 4
        Power iterations; A is read n_iter + 2 times.
    random_state : int, default 0
        Seed below 2**24. Two calls with the same seed give the same result.
    copy, callback, progress

    Returns
    -------
    tuple of array
        The triple u, s, vh with descending values. Signs are not normalised.

    Examples
    --------
    >>> import numpy as np
    >>> from tessera.linalg import randomized_svd
    >>> A = np.array([[3.0, 0.0], [0.0, 5.0], [0.0, 0.0]])
    >>> np.round(randomized_svd(A, 2)[1], 12)
    array([5., 3.])
    """
    name = "tessera.linalg.randomized_svd"
    A = _with_triplets(name, A, "n_components", n_components, copy)
    for parameter, value in (("n_oversamples", n_oversamples), ("n_iter", n_iter), ("random_state", random_state)):
        if not isinstance(value, (int, numpy.integer)) or value < 0:
            raise ValueError(f"{name}: `{parameter}` must be a whole number of at least 0, found {value!r}")
    with _Telling(name, callback, progress) as on_step:
        result = _run(A, lambda: _core._randomized_svd(
            "linalg.randomized_svd", A, int(n_components), int(n_oversamples), int(n_iter), int(random_state), on_step,
            copy
        ))
    _require_finite(name, result, A=A)
    return _left(A, result), _arrays.of_numbers(result["vt"], result["s"], _dtype(name, A).name), result["vt"]


@_on_all_ranks
def pca(
    A: Any,
    k: int,
    *,
    scale: bool = False,
    tol: float = 0,
    ncv: int | None = None,
    maxiter: int | None = None,
    copy: bool = False,
    callback: Callable[[Step], Any] | None = None,
    progress: bool = False,
) -> PcaResult:
    """Compute k principal components without centring or copying A.

    Parameters
    ----------
    A
    k : int
        Number of components.
    scale : bool, default False
        Divide the columns by their standard deviation. Columns of equal entries are left out.
    tol
    ncv, maxiter : int, optional
        Size of the basis and most iterations of the iterative method.
    copy, callback, progress

    Returns
    -------
    PcaResult
        The components in descending order of variance, and statistics of the columns.

    Raises
    ------
    numpy.linalg.LinAlgError
        If it does not converge.

    Warns
    -----
    ConvergenceWarning
        If the precision of the type allows no smaller residuals. The result is returned.

    Examples
    --------
    >>> import numpy as np
    >>> from tessera.linalg import pca
    >>> pca(np.array([[1.0, 7.0], [3.0, 7.0], [5.0, 7.0]]), 1).explained_variance
    array([4.])
    """
    made, result = _triplets(
        "pca", A, k, tol=tol, ncv=ncv, maxiter=maxiter, want_u=False, rises=False, is_pca=True, scale=scale, copy=copy,
        callback=callback, progress=progress
    )
    return PcaResult(
        result["vt"], *(made(result[key]) for key in ("s", "variance", "ratio", "mean", "deviation"))
    )


@_on_all_ranks
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
        Entries equal to it are left out; NaN leaves out NaN. By default NaN makes the mean and the variance of its
        column NaN.
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
    if not _is_whole(ddof) or ddof < 0:
        raise ValueError(f"tessera.{name}: `ddof` must be an integer of at least 0, found {found(ddof)}")
    if copy and _is_array(A):
        A = _arrays.array(A, f"tessera.{name}: A must be")
    _shape("tessera." + name, A)
    result = _core._column_stats(name, A, int(ddof), missing, copy)
    return ColumnStats(*(
        numpy.array(result[field], "float64" if field in ("mean", "variance", "min", "max") else "int64")
        for field in ColumnStats._fields
    ))


for _name in __all__:
    _docs.complete(globals()[_name], _docs.SOLVERS)
