# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Least squares of tessera.sklearn."""

from typing import Any, Self

import numpy

from tessera._sklearn_inputs import _number, _require_default
from tessera._sklearn_models import _RIDGE_SOLVERS, _Regressor


class _Linear(_Regressor):
    """What least squares have in common: y may have several columns."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X, y, sample_weight

        Returns
        -------
        self
        """
        _require_default(self, "positive", False)
        return self._fit_targets(X, y, self._penalties(), sample_weight)

    def _penalties(self) -> Any:
        """The factor of ‖coef‖², of each target or of all."""
        raise NotImplementedError

    def predict(self, X: Any) -> Any:
        """Return the prediction for each row of X.

        Parameters
        ----------
        X

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_targets)
            Predicted targets.
        """
        return self._eta(X)


class LinearRegression(_Linear):
    """Fit ordinary least squares, like sklearn.linear_model.LinearRegression.

    Parameters
    ----------
    fit_intercept, max_iter, tol
    copy_X, n_jobs : bool, int or None
        Accepted as by scikit-learn, and not used: X is not changed, and `tessera.threads` sets the number of threads.
    positive

    Attributes
    ----------
    coef_, intercept_, n_iter_, n_reads_, standard_errors_, deviance_, aic_

    Notes
    -----
    Columns are centred and scaled while X is read, without a copy. If columns depend on each other, the
    coefficients are the shortest. With at most 512 columns, each pass over X serves all targets.

    There are no `rank_` and `singular_`: the fit decomposes scaled columns, whose singular values are others. Those of the
    centred X are `singular_values_` of `tessera.sklearn.PCA`, with a few more passes.

    Examples
    --------
    >>> import numpy as np
    >>> from tessera.sklearn import LinearRegression
    >>> model = LinearRegression().fit(np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 3.0, 5.0]))
    >>> np.round(model.coef_, 6), round(float(model.intercept_), 6)
    (array([2.]), 1.0)
    """

    def __init__(
        self, *, fit_intercept: bool = True, max_iter: int | None = 100, tol: float = 0.0, copy_X: bool = True,
        n_jobs: int | None = None, positive: bool = False,
    ):  # fmt: skip
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.copy_X = copy_X
        self.n_jobs = n_jobs
        self.positive = positive

    def _penalties(self) -> Any:
        return 0.0


class Ridge(_Linear):
    """Fit least squares with a penalty, like sklearn.linear_model.Ridge.

    Parameters
    ----------
    alpha : float or sequence of float, default 1.0
        Factor of the penalty alpha * ‖coef‖²; several are those of the targets.
    fit_intercept, max_iter, tol
    solver : {"auto", "cholesky", "sparse_cg", "lbfgs"}, default "auto"
        "cholesky" makes the whole Hessian in each pass over X: few passes, standard errors, and the most work
        per pass. "lbfgs" and "sparse_cg" need more passes, with little work: with X in memory they are often
        faster. Their default tol is the root of the precision of X's type. "auto" is "cholesky" for up to
        512 columns, and "sparse_cg" above.
    copy_X, random_state : bool, int, numpy.random.RandomState or None
        Accepted as by scikit-learn, and not used: X is not changed, and there are no random numbers.
    positive

    Attributes
    ----------
    coef_ : array of shape (n_features,) or (n_targets, n_features)
        Coefficients; the second shape if y has several columns.
    intercept_, n_iter_, n_reads_, standard_errors_, deviance_, aic_
    solver_ : str
        Name of the solver that "auto" chose, or `solver`.

    Notes
    -----
    Columns are centred and scaled while X is read, without a copy. If columns depend on each other, the
    coefficients are the shortest. With at most 512 columns, each pass over X serves all targets.

    Examples
    --------
    >>> import numpy as np
    >>> from tessera.sklearn import Ridge
    >>> model = Ridge(alpha=2.0).fit(np.array([[-1.0], [1.0]]), np.array([-2.0, 2.0]))
    >>> np.round(model.coef_, 6)
    array([1.])
    """

    _solvers = _RIDGE_SOLVERS
    _flattens_one_target = True  # as scikit-learn does

    def __init__(
        self, alpha: Any = 1.0, *, fit_intercept: bool = True, max_iter: int | None = 100, tol: float = 0.0,
        solver: str = "auto", copy_X: bool = True, random_state: Any = None, positive: bool = False,
    ):  # fmt: skip
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.copy_X = copy_X
        self.random_state = random_state
        self.positive = positive

    def _penalties(self) -> Any:
        if isinstance(self.alpha, (list, tuple, numpy.ndarray)) and numpy.ndim(self.alpha) == 1:
            return [_number(self, "alpha", each) for each in self.alpha]
        return _number(self, "alpha", self.alpha)
