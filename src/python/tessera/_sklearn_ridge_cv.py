# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""The choice of a penalty by cross-validation."""

from typing import Any, Self

import numpy

from tessera import _core, linalg
from tessera._sklearn_inputs import _blocks_of_rows, _matrix, _number, _require_default, _require_flag, _scalar, _weights
from tessera._sklearn_least_squares import _Linear
from tessera._sklearn_models import _RIDGE_SOLVERS


class RidgeCV(_Linear):
    """Choose the penalty of ridge regression by leave-one-out cross-validation, like sklearn.linear_model.RidgeCV.

    Parameters
    ----------
    alphas : sequence of float, default (0.1, 1.0, 10.0)
        Penalties to try, above 0.
    fit_intercept
    max_iter : int or None, default 100
        Most iterations of the last fit.
    tol : float, default 0.0
        Bound of the scaled gradient, as of Ridge.
    criterion : {"loo", "gcv"}, default "loo"
        "loo" is the mean of the squared leave-one-out errors, as in scikit-learn. "gcv" is generalised
        cross-validation: n * RSS / (n - df)**2 of n samples, with the residual sum of squares RSS and the trace df of
        the matrix that maps y to the prediction.
    alpha_per_target : bool, default False
        Whether to choose a penalty for each target, instead of one for all.
    scoring, cv : None
        Other criteria than `criterion` are not supported: only None.
    gcv_mode : str or None, default None
        Accepted as by scikit-learn, and not used: the eigenvectors of XᵀX serve all penalties.
    store_cv_results : bool, default False
        The errors of each sample are not kept: only False.

    Attributes
    ----------
    alpha_ : float or array of shape (n_targets,)
        The penalty with the smallest criterion; an array with `alpha_per_target` and several targets.
    criteria_ : array of shape (n_alphas,) or (n_targets, n_alphas)
        The criterion of each penalty; the second shape with `alpha_per_target` and several targets. Otherwise the mean
        over the targets.
    best_score_ : float or array of shape (n_targets,)
        The smallest criterion, negative.
    coef_ : array of shape (n_features,) or (n_targets, n_features)
        Coefficients; the second shape if y has several columns.
    intercept_
    n_iter_ : int
        Iterations of the last fit.
    n_reads_ : int
        Passes over X of the last fit.

    Notes
    -----
    X is read twice for all penalties and targets, and then by the last fit, which is that of Ridge. The first pass
    computes XᵀX of up to 512 centred columns. The second pass computes the errors of each row with and without it in the
    fit.

    Weights multiply the squared errors. A row of weight 0 counts as a sample in the mean, as in scikit-learn.

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
    _flattens_one_target = True  # as scikit-learn does

    def __init__(
        self, alphas: Any = (0.1, 1.0, 10.0), *, fit_intercept: bool = True, max_iter: int | None = 100,
        tol: float = 0.0, criterion: str = "loo", alpha_per_target: bool = False, scoring: Any = None, cv: Any = None,
        gcv_mode: str | None = None, store_cv_results: bool = False,
    ):  # fmt: skip
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.criterion = criterion
        self.alpha_per_target = alpha_per_target
        self.scoring = scoring
        self.cv = cv
        self.gcv_mode = gcv_mode
        self.store_cv_results = store_cv_results

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose the penalty and fit the model.

        Parameters
        ----------
        X : array or StreamedMatrix
            Dense matrix of shape (n_samples, n_features) on the host, with at most 512 columns.
        y, sample_weight

        Returns
        -------
        self
        """
        if y is None:
            raise ValueError("RidgeCV requires y to be passed, but the target y is None")
        alphas = self._checked_alphas()
        X, y = _matrix(self, X, y, reset=True, least_rows=2, several=True)
        cols = X.shape[1]
        if cols > 512:
            raise ValueError(f"RidgeCV: X has {cols} columns, expected at most 512: compare fits of Ridge instead")
        y = numpy.asarray(y, _scalar(X))
        weights = _weights(self, sample_weight, X)
        self.criteria_ = self._criteria(X, y.astype(float).reshape(len(y), -1), weights, alphas)
        if not self.alpha_per_target or len(self.criteria_) == 1:
            self.criteria_ = self.criteria_.mean(axis=0)
        best = self.criteria_.argmin(axis=-1)
        self.alpha_ = alphas[best] if numpy.ndim(best) else float(alphas[best])
        self.best_score_ = -self.criteria_.min(axis=-1)
        self._fit_checked_targets(X, y, self.alpha_, sample_weight)
        return self

    def _checked_alphas(self) -> Any:
        alphas = [_number(self, "alphas", each, positive=True) for each in numpy.ravel(self.alphas).tolist()]
        if not alphas or not numpy.isfinite(alphas).all():
            raise ValueError(f"RidgeCV: alphas must be finite numbers above 0, found {self.alphas!r}")
        if not isinstance(self.criterion, str) or self.criterion not in ("loo", "gcv"):
            raise ValueError(f'RidgeCV: criterion must be "loo" or "gcv", found {self.criterion!r}')
        _require_flag(self, "alpha_per_target")
        _require_default(self, "scoring", None)
        _require_default(self, "cv", None)
        _require_default(self, "store_cv_results", False)
        self._check_parameters()
        return numpy.array(alphas)

    def _criteria(self, X: Any, y: Any, weights: Any, alphas: Any) -> Any:
        """The criterion of each target and penalty, with two passes over X."""
        weights = numpy.ones(len(y)) if weights is None else weights.astype(float)
        roots = numpy.sqrt(weights)[:, None]
        if self.fit_intercept:
            y = y - numpy.average(y, axis=0, weights=weights)
        y = y * roots
        mean, gram, along = self._moments(X, y, roots)
        _, values, vectors = linalg.svds(gram, len(gram), return_singular_vectors="vh")
        factors = 1 / (values[:, None] + alphas)
        shrunk = (vectors @ along)[:, :, None] * factors[:, None]
        of_intercept = weights / weights.sum() if self.fit_intercept else numpy.zeros(len(y))
        sums = numpy.zeros((y.shape[1], len(alphas)))
        for rows, part in _blocks_of_rows(X):
            coordinates = _core.matmul((part - mean) * roots[rows], vectors.T, copy=True)
            kept = 1.0
            if self.criterion == "loo":
                # Without row i its error is larger by a factor of 1 / (1 - h_ii), with the hat matrix h.
                kept = 1 - of_intercept[rows, None] - _core.matmul(coordinates**2, factors)
            for target, of_target in enumerate(y[rows].T):
                errors = of_target[:, None] - _core.matmul(coordinates, shrunk[:, target], copy=True)
                with numpy.errstate(divide="ignore", invalid="ignore"):
                    sums[target] += ((errors / kept) ** 2).sum(axis=0)
        if self.criterion == "loo":
            return sums / len(y)
        count = numpy.count_nonzero(weights)
        freedom = count - (values[:, None] * factors).sum(axis=0) - bool(self.fit_intercept)
        with numpy.errstate(divide="ignore"):
            return count * sums / numpy.maximum(freedom, 0) ** 2

    def _moments(self, X: Any, y: Any, roots: Any) -> tuple[Any, Any, Any]:
        """The weighted mean of X's rows, or 0; the products of the weighted centred X with itself and with y."""
        cols = X.shape[1]
        shift, sums, gram, along = None, numpy.zeros(cols), numpy.zeros((cols, cols)), numpy.zeros((cols, y.shape[1]))
        for rows, part in _blocks_of_rows(X):
            if shift is None:  # near the mean, so that centring later cancels little
                shift = part.mean(axis=0) if self.fit_intercept else numpy.zeros(cols)
            part = (part - shift) * roots[rows]
            sums += (part * roots[rows]).sum(axis=0)
            gram += _core.matmul(part.T, part, copy=True)
            along += _core.matmul(part.T, y[rows], copy=True)
        if not self.fit_intercept:
            return shift, gram, along
        total = float((roots**2).sum())
        return shift + sums / total, gram - numpy.outer(sums, sums) / total, along
