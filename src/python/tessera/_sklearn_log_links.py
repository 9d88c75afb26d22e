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
        X : array or StreamedMatrix
            Dense matrix of shape (n_samples, n_features) on the host.
        y : array
            Counts or other numbers, one per row of X: at least 0, and above 0 if the power is 2 or more.
        sample_weight : array or float, optional
            Weights of the rows, at least 0.
        offset : array or float, optional
            Added to the logarithm of the expected value. For an exposure pass its logarithm.

        Returns
        -------
        self
            The fitted estimator.
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
        X : array or StreamedMatrix
            Dense matrix of shape (n_samples, n_features) on the host.

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
        X : array or StreamedMatrix
            Dense matrix of shape (n_samples, n_features) on the host.
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
    alpha : float, default 1.0
        Factor of the penalty alpha * ‖coef‖² / 2, which is added to the mean of the losses.
    fit_intercept : bool, default True
        Whether to fit an intercept. It is not penalised.
    max_iter : int or None, default 100
        Most iterations.
    tol : float, default 0.0
        Bound of the scaled gradient and the Newton decrement, relative to the root of the deviance. 0 means
        1e-10, and the root of the precision of X's type for more than 512 columns.
    solver : {"auto", "newton-cholesky", "newton-cg", "lbfgs"}, default "auto"
        "newton-cholesky" makes the whole Hessian in each pass over X: few passes, standard errors, and the most work
        per pass. "lbfgs" and "newton-cg" need more passes, with little work: with X in memory they are often
        faster. Their default tol is the root of the precision of X's type. "auto" is "newton-cholesky" for up to
        512 columns, and "newton-cg" above.
    warm_start, verbose : bool, int
        Accepted as by scikit-learn, and not used: each fit starts from zero, and prints nothing.

    Attributes
    ----------
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
    deviance_, aic_ : float
        Deviance, and Akaike's criterion; NaN for more than 512 columns.

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
    alpha : float, default 1.0
        Factor of the penalty alpha * ‖coef‖² / 2, which is added to the mean of the losses.
    fit_intercept : bool, default True
        Whether to fit an intercept. It is not penalised.
    max_iter : int or None, default 100
        Most iterations.
    tol : float, default 0.0
        Bound of the scaled gradient and the Newton decrement, relative to the root of the deviance. 0 means
        1e-10, and the root of the precision of X's type for more than 512 columns.
    solver : {"auto", "newton-cholesky", "newton-cg", "lbfgs"}, default "auto"
        "newton-cholesky" makes the whole Hessian in each pass over X: few passes, standard errors, and the most work
        per pass. "lbfgs" and "newton-cg" need more passes, with little work: with X in memory they are often
        faster. Their default tol is the root of the precision of X's type. "auto" is "newton-cholesky" for up to
        512 columns, and "newton-cg" above.
    warm_start, verbose : bool, int
        Accepted as by scikit-learn, and not used: each fit starts from zero, and prints nothing.

    Attributes
    ----------
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
    alpha : float, default 1.0
        Factor of the penalty alpha * ‖coef‖² / 2, which is added to the mean of the losses.
    fit_intercept : bool, default True
        Whether to fit an intercept. It is not penalised.
    max_iter : int or None, default 100
        Most iterations.
    tol : float, default 0.0
        Bound of the scaled gradient and the Newton decrement, relative to the root of the deviance. 0 means
        1e-10, and the root of the precision of X's type for more than 512 columns.
    solver : {"auto", "newton-cholesky", "newton-cg", "lbfgs"}, default "auto"
        "newton-cholesky" makes the whole Hessian in each pass over X: few passes, standard errors, and the most work
        per pass. "lbfgs" and "newton-cg" need more passes, with little work: with X in memory they are often
        faster. Their default tol is the root of the precision of X's type. "auto" is "newton-cholesky" for up to
        512 columns, and "newton-cg" above.
    link : {"auto", "log"}, default "auto"
        The link is the logarithm.
    warm_start, verbose : bool, int
        Accepted as by scikit-learn, and not used: each fit starts from zero, and prints nothing.

    Attributes
    ----------
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
