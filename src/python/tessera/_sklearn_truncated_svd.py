# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Truncated singular values of tessera.sklearn."""

import numbers
from typing import Any

from sklearn.utils import check_random_state

from tessera import linalg
from tessera._sklearn_inputs import _matrix, _number, _scalar, _whole
from tessera._sklearn_projections import _Projection, _with_signs


def _seed(random_state: Any, generator: Any) -> int:
    return random_state if isinstance(random_state, numbers.Integral) else int(generator.randint(1 << 24))


def _total_variance(X: Any) -> float:
    """The sum of the variances of the columns, of deviations from the mean."""
    if X.shape[0] < 2:
        return 0.0
    deviation = linalg.pca(X, 1, tol=0.5, copy=True).deviation
    return float((deviation.astype(float) ** 2).sum()) * (X.shape[0] - 1) / X.shape[0]


class TruncatedSVD(_Projection):
    """Compute the largest singular values and right vectors, like sklearn.decomposition.TruncatedSVD.

    Parameters
    ----------
    n_components : int, default 2
        Number of values.
    algorithm : {"lanczos", "randomized"}, default "lanczos"
        "lanczos" converges to `tol`; the accuracy of "randomized" depends on `n_iter` and `n_oversamples`.
    n_iter : int, default 4
        Power iterations of "randomized".
    n_oversamples : int, default 10
        Additional vectors of "randomized".
    random_state : int, numpy.random.RandomState or None, default 0
        Seed of "randomized". None takes another seed in each call, from NumPy's global generator.
    tol : float, default 0.0
        Largest residual of "lanczos", relative to the largest value. 0 is the precision of X's type.
    power_iteration_normalizer : str, default "auto"
        Accepted as by scikit-learn, and not used: the vectors are made orthogonal in each power iteration.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        Right singular vectors, one per row.
    singular_values_ : array
        Singular values, descending.
    explained_variance_ : array
        Variance of each coordinate of the rows of X.
    explained_variance_ratio_ : array
        The same as a part of the sum of the variances of the columns of X.

    Notes
    -----
    X is not centred, so that explained variances need not descend. Their ratio needs a few more passes over X.

    Examples
    --------
    >>> import numpy as np
    >>> from tessera.sklearn import TruncatedSVD
    >>> np.round(TruncatedSVD(1).fit(np.array([[3.0, 0.0], [0.0, 5.0], [0.0, 0.0]])).singular_values_, 6)
    array([5.])
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        algorithm: str = "lanczos",
        n_iter: int = 4,
        n_oversamples: int = 10,
        random_state: Any = 0,
        tol: float = 0.0,
        power_iteration_normalizer: str = "auto",
    ):
        self.n_components = n_components
        self.algorithm = algorithm
        self.n_iter = n_iter
        self.n_oversamples = n_oversamples
        self.random_state = random_state
        self.tol = tol
        self.power_iteration_normalizer = power_iteration_normalizer

    def fit(self, X: Any, y: Any = None) -> "TruncatedSVD":
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
        X, _ = _matrix(self, X, reset=True)
        _number(self, "tol", self.tol)
        count = self._components_of(X, self.n_components)
        n_iter, n_oversamples = _whole(self, "n_iter", 0), _whole(self, "n_oversamples", 0)
        generator = check_random_state(self.random_state)
        if self.algorithm == "randomized":
            u, s, vh = linalg.randomized_svd(
                X, count, n_iter=n_iter, n_oversamples=n_oversamples, random_state=_seed(self.random_state, generator),
                copy=True
            )
        elif self.algorithm == "lanczos":
            u, s, vh = linalg.svds(X, count, tol=self.tol, copy=True)
            u, s, vh = u[:, ::-1], s[::-1].copy(), vh[::-1]
        else:
            raise ValueError(f'TruncatedSVD: algorithm must be "lanczos" or "randomized", found {self.algorithm!r}')
        self.components_ = _with_signs(vh)
        self.singular_values_ = s
        self.explained_variance_ = (u * s).var(axis=0)
        total = _total_variance(X)
        self.explained_variance_ratio_ = self.explained_variance_ / _scalar(X).type(total if total > 0 else 1.0)
        return self
