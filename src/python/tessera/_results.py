# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Results of tessera.linalg."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy

from tessera import _arrays, _pictures


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
