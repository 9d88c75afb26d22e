# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Principal components of tessera.sklearn."""

import math
import numbers
from typing import Any

import numpy
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from tessera import linalg
from tessera._sklearn_inputs import _blocks_of_rows, _matrix, _number, _require_flag, _scalar
from tessera._sklearn_projections import _Projection, _with_signs


def _likeliest_dimension(variances: Any, rows: int) -> int:
    """The number of components that Minka's Bayesian estimate finds likeliest, of all variances, descending."""
    n = len(variances)
    tiny = numpy.finfo(variances.dtype).eps * variances[0]
    best, likeliest = -math.inf, 1
    frame = 0.0  # log of the volume of frames of k directions
    for k in range(1, n):
        half = (n - k + 1) / 2
        frame += math.lgamma(half) - half * math.log(math.pi) - math.log(2)
        if not variances[k - 1] > tiny:
            break
        noise = max(tiny, variances[k:].mean())
        model = numpy.append(variances[:k], numpy.full(n - k, noise))
        logarithm = 0.0  # log of the Hessian's determinant at the maximum
        for i in range(k):
            gaps = (variances[i] - variances[i + 1 :]) * (1 / model[i + 1 :] - 1 / model[i])
            with numpy.errstate(divide="ignore"):
                logarithm += numpy.log(gaps).sum() + (n - i - 1) * math.log(rows)
        freedom = n * k - k * (k + 1) / 2
        value = (
            frame
            - rows / 2 * (numpy.log(variances[:k]).sum() + (n - k) * math.log(noise))
            + (freedom + k) / 2 * math.log(2 * math.pi)
            - logarithm / 2
            - k / 2 * math.log(rows)
        )
        if value > best:
            best, likeliest = value, k
    return likeliest


def _mean_of_rest(variances: Any, ratios: Any, count: int, most: int) -> float:
    """The mean of the variances after the first `count` of `most`."""
    if count == most:
        return 0.0
    if len(variances) == most:  # the total minus the large ones would cancel
        return float(variances[count:].mean(dtype=float))
    part = ratios.sum(dtype=float)
    total = variances.sum(dtype=float) / part if part > 0 else 0.0
    return max(0.0, total - variances.sum(dtype=float)) / (most - count)


_SVD_SOLVERS = ("auto", "full", "covariance_eigh", "arpack", "randomized")


class PCA(_Projection):
    """Compute principal components, like sklearn.decomposition.PCA; X is neither centred nor copied.

    Parameters
    ----------
    n_components : int, float, "mle" or None, default None
        Number of components; None keeps all. A number between 0 and 1 keeps as many as explain more than this part of
        the variance, "mle" as many as Minka's estimate tells; both compute all first.
    whiten : bool, default False
        Divide the coordinates of `transform` by their standard deviations.
    svd_solver : {"auto", "full", "covariance_eigh", "arpack", "randomized"}, default "auto"
        Name of a method of scikit-learn. Tessera uses its own method for all of them, to the same tolerance. It depends
        on the shape of X alone.
    tol : float, default 0.0
        Largest residual, relative to the largest singular value. 0 is the precision of X's type.
    random_state : int, numpy.random.RandomState or None, default None
        Accepted as by scikit-learn, and not used: there are no random numbers.
    copy, iterated_power, n_oversamples, power_iteration_normalizer : bool, int or str
        Accepted as by scikit-learn, and not used: X is not changed, and the tolerance determines the iterations.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        Components, one per row.
    explained_variance_, explained_variance_ratio_, singular_values_ : array
        One entry per component.
    mean_ : array
        Mean of each column.
    n_components_ : int
        Number of components.
    noise_variance_ : float
        Mean variance of the components that are left out, by the model of probabilistic PCA.

    Examples
    --------
    >>> import numpy as np
    >>> from tessera.sklearn import PCA
    >>> model = PCA(1).fit(np.array([[1.0, 7.0], [3.0, 7.0], [5.0, 7.0]]))
    >>> np.round(model.transform(np.array([[4.0, 7.0]])), 6)
    array([[1.]])
    """

    def __init__(
        self,
        n_components: int | float | str | None = None,
        *,
        whiten: bool = False,
        svd_solver: str = "auto",
        tol: float = 0.0,
        random_state: Any = None,
        copy: bool = True,
        iterated_power: int | str = "auto",
        n_oversamples: int = 10,
        power_iteration_normalizer: str = "auto",
    ):
        self.n_components = n_components
        self.whiten = whiten
        self.svd_solver = svd_solver
        self.tol = tol
        self.random_state = random_state
        self.copy = copy
        self.iterated_power = iterated_power
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer

    def fit(self, X: Any, y: Any = None) -> "PCA":
        """Fit the model.

        Parameters
        ----------
        X
        y : None
            Ignored.

        Returns
        -------
        self
        """
        X, _ = _matrix(self, X, reset=True, least_rows=2)
        _number(self, "tol", self.tol)
        _require_flag(self, "whiten")
        check_random_state(self.random_state)
        if self.svd_solver not in _SVD_SOLVERS:
            raise ValueError(f"PCA: svd_solver must be one of {', '.join(_SVD_SOLVERS)}, found {self.svd_solver!r}")
        wanted, most = self.n_components, min(X.shape)
        is_part = isinstance(wanted, numbers.Real) and not isinstance(wanted, numbers.Integral) and 0 < wanted < 1
        is_mle = isinstance(wanted, str) and wanted == "mle"
        if is_mle and X.shape[0] < X.shape[1]:
            raise ValueError(
                f'n_components="mle" is only supported if n_samples >= n_features, found shape {tuple(X.shape)}'
            )
        count = most if wanted is None or is_part or is_mle else self._components_of(X, wanted)
        # A direct solution has all components anyway.
        found = linalg.pca(X, most if X.shape[1] <= 512 else count, tol=self.tol, copy=True)
        variance, ratio = found.explained_variance, found.explained_variance_ratio
        if is_part:
            count = min(most, int(numpy.searchsorted(numpy.cumsum(ratio, dtype=float), wanted, side="right")) + 1)
        elif is_mle:
            count = _likeliest_dimension(variance.astype(float), X.shape[0])
        self.components_ = _with_signs(found.components[:count])
        self.explained_variance_ = variance[:count]
        self.explained_variance_ratio_ = ratio[:count]
        self.singular_values_ = found.singular_values[:count]
        self.mean_ = found.mean
        self.noise_variance_ = _scalar(X).type(_mean_of_rest(variance, ratio, count, most))
        self.n_components_ = count
        self.n_samples_ = X.shape[0]
        return self

    def _scales(self, dtype: Any) -> Any:
        """Standard deviations of the coordinates; those of components without variance cannot be divided by."""
        scales = numpy.sqrt(self.explained_variance_)
        return numpy.maximum(scales, numpy.finfo(dtype).eps * (scales[0] or 1)).astype(dtype)

    def _signal(self) -> Any:
        """Variances of the components above the noise."""
        return numpy.maximum(self.explained_variance_.astype(float) - float(self.noise_variance_), 0)

    def _coordinates(self, X: Any) -> Any:
        projected, components = self._project(X)
        projected = projected - components @ numpy.asarray(self.mean_, components.dtype)
        return projected / self._scales(projected.dtype) if self.whiten else projected

    def _rows(self, X: Any) -> Any:
        back = self._back(X, self._scales if self.whiten else None)
        return back + numpy.asarray(self.mean_, back.dtype)

    def get_covariance(self) -> Any:
        """Return the covariance of the model of probabilistic PCA.

        Returns
        -------
        array of shape (n_features, n_features)
            Covariance of the components, and `noise_variance_` in all directions.
        """
        check_is_fitted(self)
        covariance = (self.components_.T * self._signal()) @ self.components_
        covariance.flat[:: len(covariance) + 1] += self.noise_variance_
        return covariance

    def get_precision(self) -> Any:
        """Return the inverse of the covariance of the model.

        Returns
        -------
        array of shape (n_features, n_features)
            Inverse of `get_covariance()`.

        Raises
        ------
        numpy.linalg.LinAlgError
            If the covariance has no inverse.
        """
        check_is_fitted(self)
        noise = float(self.noise_variance_)
        if noise == 0:
            return numpy.linalg.inv(self.get_covariance())
        signal = self._signal()
        precision = -(self.components_.T * (signal / (signal + noise))) @ self.components_
        precision.flat[:: len(precision) + 1] += 1
        return precision / noise

    def score_samples(self, X: Any) -> Any:
        """Return the log-likelihood of each row of X by the model of probabilistic PCA.

        Parameters
        ----------
        X

        Returns
        -------
        array of shape (n_samples,)
            Log-likelihoods.
        """
        check_is_fitted(self)
        X, _ = _matrix(self, X, reset=False)
        precision = self.get_precision()
        result = numpy.empty(X.shape[0])
        for rows, part in _blocks_of_rows(X):
            centred = part - self.mean_
            result[rows] = -0.5 * ((centred @ precision) * centred).sum(axis=1)
        log_determinant = numpy.linalg.slogdet(precision)[1]
        return result - 0.5 * (X.shape[1] * math.log(2 * math.pi) - log_determinant)

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean log-likelihood of the rows of X.

        Parameters
        ----------
        X
        y : None
            Ignored.

        Returns
        -------
        float
            Mean of `score_samples(X)`.
        """
        return float(self.score_samples(X).mean())
