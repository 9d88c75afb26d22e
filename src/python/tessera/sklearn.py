# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Estimators with the interface of scikit-learn, for arrays and for matrices of `tessera.open` and `tessera.from_callback`.

They give the same results for any number of threads. X is dense and on the host; y has one column, and of
`LinearRegression`, `Ridge` and `RidgeCV` any number.

>>> import numpy as np
>>> from tessera.sklearn import LinearRegression
>>> model = LinearRegression().fit(np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 3.0, 5.0]))
>>> np.round(model.predict(np.array([[10.0]])), 6)
array([21.])
"""

try:
    from sklearn.utils.validation import validate_data as _new_in_1_6  # noqa: F401
except ImportError as error:
    raise ImportError("tessera.sklearn needs scikit-learn 1.6 or newer") from error

from tessera import _docs
from tessera._sklearn_least_squares import LinearRegression, Ridge
from tessera._sklearn_log_links import GammaRegressor, PoissonRegressor, TweedieRegressor
from tessera._sklearn_logistic import LogisticRegression
from tessera._sklearn_models import PerfectSeparationWarning
from tessera._sklearn_pca import PCA
from tessera._sklearn_ridge_cv import RidgeCV
from tessera._sklearn_truncated_svd import TruncatedSVD

__all__ = [
    "GammaRegressor",
    "LinearRegression",
    "LogisticRegression",
    "PCA",
    "PerfectSeparationWarning",
    "PoissonRegressor",
    "Ridge",
    "RidgeCV",
    "TruncatedSVD",
    "TweedieRegressor",
]
for _name in __all__:
    globals()[_name].__module__ = __name__  # of pickles
    _of_targets = _name in ("LinearRegression", "Ridge", "RidgeCV")  # y has any number of columns
    _docs.complete(globals()[_name], _docs.TARGETS if _of_targets else _docs.ESTIMATORS)


def __dir__() -> list[str]:
    return list(__all__)
