# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Regressions of tessera.sklearn with a log link."""

import math
from typing import Any

import numpy
from sklearn.metrics import d2_tweedie_score

from tessera import _arrays
from tessera._sklearn_inputs import _number, _require_default
from tessera._sklearn_models import _Regressor


class _LogLinkRegressor(_Regressor):
    """Regressions of a mean exp(eta) whose variance grows as a power of the mean."""

    def __init__(
        self, alpha: float = 1.0, *, fit_intercept: bool = True, max_iter: int | None = 100, tol: float = 0.0,
        solver: str = "auto", warm_start: bool = False, verbose: int = 0,
    ):  # fmt: skip
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.warm_start = warm_start
        self.verbose = verbose

    def _variance_power(self) -> float:
        return 1.0

    def fit(self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None) -> Any:
        """Fit the model.

        Parameters
        ----------
        X
        y : array
            Counts or other numbers, one per row of X: at least 0, and above 0 if the power is 2 or more.
        sample_weight
        offset : array or float, optional
            Added to the logarithm of the expected value. For an exposure pass its logarithm.

        Returns
        -------
        self
        """
        alpha = _number(self, "alpha", self.alpha)
        power = self._variance_power()
        _arrays.require_unmasked(type(self).__name__, y=y)
        values = numpy.ravel(numpy.asarray([] if y is None else y))
        if values.dtype.kind in "iufb":
            for bad, what in (((values < 0), "negative"), ((values == 0) & (power >= 2), "0")):
                if bad.any():
                    row = int(bad.argmax())
                    raise ValueError(f"{type(self).__name__}: y must not be {what}, found {values[row]} at row {row}")
        loss = "poisson" if power == 1 else "gamma" if power == 2 else "tweedie"
        return self._fit(loss, X, y, lambda total: alpha * total, sample_weight, offset, power)

    def predict(self, X: Any) -> Any:
        """Return the expected value for each row of X, without an offset.

        Parameters
        ----------
        X

        Returns
        -------
        array of shape (n_samples,)
            Expected values.
        """
        return numpy.exp(self._eta(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the fraction of the deviance that is explained.

        Parameters
        ----------
        X
        y : array
            Numbers, one per row of X.
        sample_weight : array, optional
            Weights of the rows.

        Returns
        -------
        float
            1 of a perfect fit, 0 of an intercept alone. If all targets are equal, 1 of a perfect fit and 0 of others.
        """
        _arrays.require_unmasked(type(self).__name__, y=y, sample_weight=sample_weight)
        expected = self.predict(X)
        if numpy.shape(y) == expected.shape and len(expected) > 1 and 0 <= numpy.min(y) == numpy.max(y):
            # The deviance of an intercept alone is 0.
            bound = math.sqrt(numpy.finfo(expected.dtype).eps)
            return float(numpy.allclose(expected, y, rtol=bound, atol=bound))
        return d2_tweedie_score(y, expected, sample_weight=sample_weight, power=self._variance_power())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags


class PoissonRegressor(_LogLinkRegressor):
    """Fit Poisson regression with a log link, like sklearn.linear_model.PoissonRegressor.

    Parameters
    ----------
    alpha, fit_intercept, max_iter, tol, solver, warm_start, verbose

    Attributes
    ----------
    coef_, intercept_, n_iter_, n_reads_, standard_errors_, deviance_, aic_

    Notes
    -----
    Columns are centred and scaled while X is read, without a copy. If columns depend on each other, the
    coefficients are the shortest.

    Examples
    --------
    >>> import numpy as np
    >>> from tessera.sklearn import PoissonRegressor
    >>> model = PoissonRegressor(alpha=0.0).fit(np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([1, 3, 7, 9]))
    >>> np.round(model.predict(np.array([[0.0], [1.0]])), 6)
    array([2., 8.])
    """


class GammaRegressor(_LogLinkRegressor):
    """Fit gamma regression with a log link, like sklearn.linear_model.GammaRegressor.

    Parameters
    ----------
    alpha, fit_intercept, max_iter, tol, solver, warm_start, verbose

    Attributes
    ----------
    coef_, intercept_, n_iter_, n_reads_, standard_errors_, dispersion_, deviance_, aic_

    Notes
    -----
    Columns are centred and scaled while X is read, without a copy. If columns depend on each other, the
    coefficients are the shortest.

    Examples
    --------
    >>> import numpy as np
    >>> from tessera.sklearn import GammaRegressor
    >>> model = GammaRegressor(alpha=0.0).fit(np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([1.0, 3.0, 7.0, 9.0]))
    >>> np.round(model.predict(np.array([[0.0], [1.0]])), 6)
    array([2., 8.])
    """

    def _variance_power(self) -> float:
        return 2.0


class TweedieRegressor(_LogLinkRegressor):
    """Fit Tweedie regression with a log link, like sklearn.linear_model.TweedieRegressor with link="log".

    Parameters
    ----------
    power : float, default 1.5
        The variance of y grows as the mean to this power: 1 is Poisson, 2 gamma, 3 inverse Gaussian regression. It
        must be at least 1.
    alpha, fit_intercept, max_iter, tol, solver
    link : {"auto", "log"}, default "auto"
        The link is the logarithm.
    warm_start, verbose

    Attributes
    ----------
    coef_, intercept_, n_iter_, n_reads_, standard_errors_, dispersion_
    deviance_, aic_ : float
        Deviance, and Akaike's criterion; NaN for more than 512 columns. Akaike's criterion is NaN if the power is
        not 1 or 2.

    Notes
    -----
    Columns are centred and scaled while X is read, without a copy. If columns depend on each other, the
    coefficients are the shortest.
    scikit-learn's default power is 0, which has no logarithm as link there; it is refused here.
    y may be 0 if the power is below 2. If the power is above 2, the loss is not convex, and more iterations are
    needed.

    Examples
    --------
    >>> import numpy as np
    >>> from tessera.sklearn import TweedieRegressor
    >>> model = TweedieRegressor(power=1.5, alpha=0.0).fit(np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([1.0, 3.0, 7.0, 9.0]))
    >>> np.round(model.predict(np.array([[0.0], [1.0]])), 6)
    array([2., 8.])
    """

    def __init__(
        self,
        *,
        power: float = 1.5,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int | None = 100,
        tol: float = 0.0,
        solver: str = "auto",
        link: str = "auto",
        warm_start: bool = False,
        verbose: int = 0,
    ):
        super().__init__(
            alpha, fit_intercept=fit_intercept, max_iter=max_iter, tol=tol, solver=solver, warm_start=warm_start,
            verbose=verbose,
        )  # fmt: skip
        self.power = power
        self.link = link

    def _variance_power(self) -> float:
        _require_default(self, "link", "auto", "log")
        power = _number(self, "power", self.power)
        if not 1 <= power < math.inf:
            raise ValueError(f"TweedieRegressor: power must be a finite number of at least 1, found {self.power!r}")
        return power
