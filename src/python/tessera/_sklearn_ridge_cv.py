# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""The choice of a penalty by cross-validation."""

from typing import Any

import numpy

from tessera import _core, linalg
from tessera._sklearn_inputs import _columns, _matrix, _number, _scalar
from tessera._sklearn_least_squares import _Linear
from tessera._sklearn_models import _RIDGE_SOLVERS


class RidgeCV(_Linear):
    """Choose the penalty of ridge regression by generalised cross-validation, like sklearn.linear_model.RidgeCV.

    Parameters
    ----------
    alphas : sequence of float, default (0.1, 1.0, 10.0)
        Penalties to try, above 0.
    fit_intercept : bool, default True
        Whether to fit an intercept. It is not penalised.
    max_iter : int or None, default 100
        Most iterations of the last fit.
    tol : float, default 0.0
        Bound of the scaled gradient, as of Ridge.

    Attributes
    ----------
    alpha_ : float
        The penalty with the smallest criterion.
    gcv_ : array of shape (n_alphas,)
        The criterion of each penalty: n * RSS / (n - df)**2 of n samples, with the residual sum of squares RSS and
        the trace df of the matrix that maps y to the prediction.
    best_score_ : float
        The smallest criterion, negative.
    coef_ : array of shape (n_features,)
        Coefficients.
    intercept_ : float
        Intercept.
    n_iter_ : int
        Iterations of the last fit.
    n_reads_ : int
        Passes over X of the last fit.

    Notes
    -----
    The principal components of X, up to 512 columns, serve all penalties. X is read once more for the residuals of
    all of them. The last fit is that of Ridge.
    scikit-learn's default criterion is the mean of squared leave-one-out errors. It often chooses the same penalty, or a
    neighbour.

    References
    ----------
    G. H. Golub, M. Heath, G. Wahba, Generalized cross-validation as a method for choosing a good ridge parameter,
    Technometrics 21 (1979).

    Examples
    --------
    >>> import numpy as np
    >>> from tessera.sklearn import RidgeCV
    >>> X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> RidgeCV([0.01, 100.0]).fit(X, np.array([-4.1, -1.9, 2.1, 3.9])).alpha_
    0.01
    """

    _solvers = _RIDGE_SOLVERS

    def __init__(
        self, alphas: Any = (0.1, 1.0, 10.0), *, fit_intercept: bool = True, max_iter: int | None = 100,
        tol: float = 0.0,
    ):  # fmt: skip
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags

    def fit(self, X: Any, y: Any) -> "RidgeCV":
        """Choose the penalty and fit the model.

        Parameters
        ----------
        X : array or StreamedMatrix
            Dense matrix of shape (n_samples, n_features) on the host, with at most 512 columns.
        y : array
            Targets of shape (n_samples,).

        Returns
        -------
        self
            The fitted estimator.
        """
        if y is None:
            raise ValueError("RidgeCV requires y to be passed, but the target y is None")
        alphas = [_number(self, "alphas", each, positive=True) for each in numpy.ravel(self.alphas).tolist()]
        if not alphas or not numpy.isfinite(alphas).all():
            raise ValueError(f"RidgeCV: alphas must be finite numbers above 0, found {self.alphas!r}")
        self._check_parameters()
        X, y = _matrix(self, X, y, reset=True, least_rows=2)
        cols = X.shape[1]
        if cols > 512:
            raise ValueError(f"RidgeCV: X has {cols} columns, expected at most 512: compare fits of Ridge instead")
        y = numpy.asarray(y, _scalar(X))
        self.gcv_ = self._criteria(X, y.astype(float), numpy.array(alphas))
        best = int(self.gcv_.argmin())
        self.alpha_ = alphas[best]
        self.best_score_ = -float(self.gcv_[best])
        return self._fit_checked_targets(X, y, self.alpha_, None)

    def _criteria(self, X: Any, y: Any, alphas: Any) -> Any:
        rows, cols = X.shape
        count = min(rows, cols)
        if self.fit_intercept:
            found = linalg.pca(X, count, copy=True)
            squares, components, mean = found.singular_values, found.components, found.mean.astype(float)
            y = y - y.mean()
        else:
            _, squares, components = linalg.svds(X, count, return_singular_vectors="vh", copy=True)
            mean = numpy.zeros(cols)
        squares, components = squares.astype(float) ** 2, components.astype(float)
        along = _core.rmatvec(X, y.astype(_scalar(X)), copy=True).astype(float) - mean * y.sum()
        shrunk = (components @ along) / (squares + alphas[:, None])
        coefficients = (shrunk @ components).astype(_scalar(X))
        eta = _columns(X, coefficients)
        residuals = y[:, None] - (eta.astype(float) - coefficients.astype(float) @ mean)
        freedom = rows - (squares / (squares + alphas[:, None])).sum(axis=1) - bool(self.fit_intercept)
        with numpy.errstate(divide="ignore"):
            return rows * (residuals**2).sum(axis=0) / numpy.maximum(freedom, 0) ** 2
