# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Estimators with the interface of scikit-learn, for arrays and for matrices of `tessera.open` and `tessera.from_callback`.

They give the same results for any number of threads. X is dense and on the host; y has one column, and of
`LinearRegression` and `Ridge` any number.

>>> import numpy as np
>>> from tessera.sklearn import LinearRegression
>>> model = LinearRegression().fit(np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 3.0, 5.0]))
>>> np.round(model.predict(np.array([[10.0]])), 6)
array([21.])
"""

import math
import numbers
import warnings
from typing import Any

import numpy

try:
    from sklearn.base import (
        BaseEstimator,
        ClassifierMixin,
        ClassNamePrefixFeaturesOutMixin,
        RegressorMixin,
        TransformerMixin,
    )
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.metrics import d2_tweedie_score
    from sklearn.utils import check_random_state
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_array, check_is_fitted, column_or_1d, validate_data
except ImportError as error:
    raise ImportError("tessera.sklearn needs scikit-learn 1.6 or newer") from error

from tessera import _arrays, _core, linalg
from tessera._sentences import renamed

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


def __dir__() -> list[str]:
    return list(__all__)


_FLOATS = [numpy.float64, numpy.float32]
# Types whose matrices are read as stored.
_STORED = [*_FLOATS, numpy.float16, numpy.int8, numpy.uint8, numpy.int16, numpy.uint16]


def _scalar(X: Any) -> numpy.dtype:
    """The type of results for X, which may be narrow."""
    return X.dtype if X.dtype in _FLOATS else numpy.dtype(numpy.float32)


def _matrix(
    estimator: Any, X: Any, y: Any = None, *, reset: bool, least_rows: int = 1, several: bool = False
) -> tuple[Any, Any]:
    """X, which may be streamed, and y as it is, both checked; `several` columns of y are taken."""
    _arrays.require_unmasked(type(estimator).__name__, X=X, y=y)
    if not isinstance(X, _core.StreamedMatrix):
        if y is None:
            return validate_data(estimator, X, reset=reset, dtype=_STORED, ensure_min_samples=least_rows), None
        return validate_data(
            estimator, X, y, reset=reset, dtype=_STORED, ensure_min_samples=least_rows, multi_output=several,
            y_numeric=several
        )
    rows, cols = X.shape
    if reset:
        estimator.n_features_in_ = cols
        vars(estimator).pop("feature_names_in_", None)  # of an earlier fit
    elif cols != estimator.n_features_in_:
        raise ValueError(
            f"X has {cols} features, but {type(estimator).__name__} is expecting {estimator.n_features_in_} features as input"
        )
    if y is not None:
        y = check_array(y, ensure_2d=False, dtype="numeric" if several else None, input_name="y")
        y = y if several else column_or_1d(y)
        if len(y) != rows:
            raise ValueError(f"y has {len(y)} entries, and X {rows} rows")
    return X, y


def _type_for(X: Any, coefficients: Any) -> numpy.dtype:
    """The type of a product of X. Coefficients of float64 are not rounded for a narrow X."""
    return X.dtype if X.dtype in _FLOATS else numpy.result_type(coefficients, numpy.float32)


def _linear(X: Any, coefficients: Any, intercept: Any) -> Any:
    return _with_intercepts(_core.matvec(X, coefficients, copy=True), intercept)


def _with_intercepts(products: Any, intercepts: Any) -> Any:
    return products + numpy.asarray(intercepts, products.dtype)


def _columns(X: Any, vectors: Any) -> Any:
    """X @ vectors.T, with one pass over X."""
    # Copies of vectors that are not contiguous would count towards the limit of a stream.
    return _core.matvec(X, numpy.ascontiguousarray(vectors, _type_for(X, vectors)).T, copy=True)


class PerfectSeparationWarning(ConvergenceWarning):
    """The loss has no minimum: it decreases without end while coefficients grow."""


def _number(estimator: Any, name: str, value: Any, *, positive: bool = False) -> float:
    """A parameter that is a number of at least 0, or above 0."""
    expected = "a number above 0" if positive else "a number of at least 0"
    is_number = isinstance(value, numbers.Real) and not isinstance(value, (bool, numpy.bool_))
    if not is_number or not (value > 0 if positive else value >= 0):
        raise ValueError(f"{type(estimator).__name__}: {name} must be {expected}, found {value!r}")
    if math.isinf(value) and not positive:
        raise ValueError(f"{type(estimator).__name__}: {name} must be finite, found {value!r}")
    return float(value)


def _require_flag(estimator: Any, name: str) -> None:
    """A parameter that is True or False: of a text such as "False" the truth is True."""
    value = getattr(estimator, name)
    if not isinstance(value, (bool, numpy.bool_)):
        raise ValueError(f"{type(estimator).__name__}: {name} must be True or False, found {value!r}")


def _require_default(estimator: Any, name: str, *values: Any) -> None:
    """A parameter of scikit-learn whose other values are not supported."""
    value = getattr(estimator, name)
    if not isinstance(value, (str, numpy.bool_, numbers.Real, type(None))) or value not in values:
        raise ValueError(
            f"{type(estimator).__name__}: {name} must be {' or '.join(map(repr, values))}: other values are not supported, "
            f"found {value!r}"
        )


def _whole(estimator: Any, name: str, least: int) -> int:
    """A parameter that is a whole number of at least this."""
    value = getattr(estimator, name)
    if not isinstance(value, numbers.Integral) or isinstance(value, (bool, numpy.bool_)) or value < least:
        raise ValueError(f"{type(estimator).__name__}: {name} must be a whole number of at least {least}, found {value!r}")
    return int(value)


def _vector(estimator: Any, name: str, values: Any, X: Any) -> Any:
    """A vector with a finite number for each row of X, or None."""
    if values is None:
        return None
    _arrays.require_unmasked(type(estimator).__name__, **{name: values})
    values = numpy.asarray(values)
    if values.ndim == 0:
        values = numpy.full(X.shape[0], values)
    if values.shape != (X.shape[0],):
        raise ValueError(
            f"{type(estimator).__name__}: {name}.shape == {values.shape}, expected {(X.shape[0],)}: one entry per row of X"
        )
    try:
        return numpy.asarray(values, _scalar(X))
    except (TypeError, ValueError):
        raise ValueError(
            f"{type(estimator).__name__}: {name} must have numbers, found {values.flat[0]!r}"
        ) from None


def _weights(estimator: Any, sample_weight: Any, X: Any) -> Any:
    weights = _vector(estimator, "sample_weight", sample_weight, X)
    if weights is None:
        return None
    for bad, what in ((~numpy.isfinite(weights), "finite"), (weights < 0, "at least 0")):
        if bad.any():
            row = int(bad.argmax())
            raise ValueError(
                f"{type(estimator).__name__}: sample_weight must be {what}, found {weights[row]} at row {row}"
            )
    if not weights.any():
        raise ValueError(f"{type(estimator).__name__}: every sample_weight is zero: expected one above 0")
    return weights


def _class_weights(estimator: Any, classes: Any, labels: Any, weights: Any) -> Any:
    """The factor of the weight of each class by the parameter class_weight, or None."""
    name = type(estimator).__name__
    wanted = estimator.class_weight
    if wanted is None:
        return None
    if isinstance(wanted, str) and wanted == "balanced":
        counts = numpy.bincount(labels, weights, len(classes)).astype(float)
        return counts.sum() / (len(classes) * counts)
    if not isinstance(wanted, dict):
        raise ValueError(f'{name}: class_weight must be None, "balanced" or a dict, found {wanted!r}')
    known = classes.tolist()
    factors = numpy.ones(len(classes))
    for label, factor in wanted.items():
        if label not in known:
            raise ValueError(f"{name}: class_weight has the class {label!r}, which y does not have: it has {known}")
        is_number = isinstance(factor, numbers.Real) and not isinstance(factor, bool)
        if not is_number or not 0 < factor < math.inf:
            raise ValueError(f"{name}: class_weight of {label!r} must be a finite number above 0, found {factor!r}")
        factors[known.index(label)] = factor
    return factors


# Solvers by scikit-learn's names, and the library's.
_SOLVERS = {"auto": "automatic", "newton-cholesky": "newton", "newton-cg": "newton_cg", "lbfgs": "lbfgs"}
_RIDGE_SOLVERS = {"auto": "automatic", "cholesky": "newton", "sparse_cg": "newton_cg", "lbfgs": "lbfgs"}


class _LinearModel(BaseEstimator):
    """What regressions have in common."""

    _solvers = _SOLVERS

    def _solver(self) -> str:
        """The library's name of the solver. LinearRegression has no such parameter."""
        wanted = getattr(self, "solver", "auto")
        if not isinstance(wanted, str) or wanted not in self._solvers:
            raise ValueError(f"{type(self).__name__}: solver must be one of {', '.join(self._solvers)}, found {wanted!r}")
        return self._solvers[wanted]

    def _check_parameters(self) -> int:
        """The limit of iterations."""
        _number(self, "tol", self.tol)
        _require_flag(self, "fit_intercept")
        if self.max_iter is None:
            return 100
        is_whole = isinstance(self.max_iter, numbers.Integral) and not isinstance(self.max_iter, bool)
        if not is_whole or self.max_iter < 1:
            raise ValueError(
                f"{type(self).__name__}: max_iter must be a whole number of at least 1, or None, found {self.max_iter!r}"
            )
        return int(self.max_iter)

    def _minimise(
        self, loss: str, X: Any, y: Any, penalty: float, weights: Any = None, offset: Any = None,
        power: float = 1.5, classes: int = 1,
    ) -> tuple[Any, Any]:
        limit = self._check_parameters()
        name = f"sklearn.{type(self).__name__}"
        try:
            result = _core._regression(
                name,
                loss,
                X,
                y,
                weights,
                offset,
                penalty,
                bool(self.fit_intercept),
                power,
                classes,
                float(self.tol),
                self._solver(),
                limit,
                None,
                True,
            )
        except ValueError as error:
            raise renamed(error, type(self).__name__) from None
        self._judge(result)
        self._describe(result)
        return result["x"], result["intercept"] if classes == 1 else result["intercepts"]

    def _judge(self, result: dict) -> None:
        """Raises or warns if a fit did not converge."""
        name = f"sklearn.{type(self).__name__}"
        why = result["detail"] or result["why"]
        if result["stop"] == linalg._NOT_FINITE:
            raise ValueError(f"{name}: {why}")
        if result["stop"] == linalg._NOT_SOLVABLE:
            warnings.warn(f"{type(self).__name__}: {why}", PerfectSeparationWarning, stacklevel=linalg._level_of_caller())
        elif result["stop"] != linalg._CONVERGED:
            warnings.warn(
                f"{type(self).__name__}: {why}: the scaled gradient is {result['quantity']:.2e}, "
                f"expected at most {result['bound']:.1e}; raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=linalg._level_of_caller(),
            )

    def _describe(self, result: dict) -> None:
        """Statistics of a fit whose Hessian is there: of up to 512 columns."""
        self.n_iter_ = max(result["iterations"], 1)
        self.n_reads_ = result["reads"]
        self.deviance_ = result["deviance"] if result["rank"] else numpy.nan
        self.aic_ = result["aic"] if result["rank"] else numpy.nan
        self.dispersion_ = result["dispersion"] if result["rank"] else numpy.nan
        self.standard_errors_ = numpy.array(result["standard_errors"])

    def summary(self) -> str:
        """Return a table of coefficients, standard errors, z and two-sided p.

        The fit must have no penalty and at most 512 columns.

        Returns
        -------
        str
            Table like that of statsmodels.
        """
        check_is_fitted(self)
        if not self.standard_errors_.size or self.standard_errors_.ndim > 1:
            raise ValueError(
                f"{type(self).__name__}: a summary needs a fit without a penalty, with at most 512 columns and one target, "
                "that has a minimum"
            )
        coefficients = [*numpy.ravel(self.coef_), *numpy.ravel(self.intercept_)]
        names = [*getattr(self, "feature_names_in_", [f"x{i}" for i in range(self.n_features_in_)]), "intercept"]
        lines = [f"{'':<16}{'coef':>14}{'std err':>12}{'z':>10}{'P>|z|':>9}"]
        for name, value, error in zip(names, coefficients, self.standard_errors_):
            if name == "intercept" and not self.fit_intercept:
                continue
            z = value / error if error else numpy.nan
            p = math.erfc(abs(z) / math.sqrt(2))
            lines.append(f"{name!s:<16.16}{value:>14.6g}{error:>12.4g}{z:>10.3f}{p:>9.3f}")
        return "\n".join([*lines, f"deviance {self.deviance_:.6g}   AIC {self.aic_:.6g}"])


class _Regressor(RegressorMixin, _LinearModel):
    def _fit(
        self,
        loss: str,
        X: Any,
        y: Any,
        penalty: Any,
        sample_weight: Any = None,
        offset: Any = None,
        power: float = 1.5,
    ) -> Any:
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        X, y = _matrix(self, X, y, reset=True)
        weights = _weights(self, sample_weight, X)
        total = X.shape[0] if weights is None else float(weights.sum(dtype=float))
        self.coef_, intercept = self._minimise(
            loss, X, numpy.asarray(y, _scalar(X)), penalty(total), weights, _vector(self, "offset", offset, X), power
        )
        self.intercept_ = _scalar(X).type(intercept)
        return self

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the coefficient of determination R².

        Parameters
        ----------
        X : array or StreamedMatrix
            Dense matrix of shape (n_samples, n_features) on the host.
        y : array
            Targets, one per row of X.
        sample_weight : array, optional
            Weights of the rows.

        Returns
        -------
        float
            1 of a perfect fit, 0 of the mean alone.
        """
        _arrays.require_unmasked(type(self).__name__, y=y, sample_weight=sample_weight)
        return super().score(X, y, sample_weight)

    def _fit_targets(self, X: Any, y: Any, penalties: Any, sample_weight: Any) -> Any:
        """Least squares for each column of y, with a penalty each or one for all."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        X, y = _matrix(self, X, y, reset=True, several=True)
        return self._fit_checked_targets(X, y, penalties, sample_weight)

    def _fit_checked_targets(self, X: Any, y: Any, penalties: Any, sample_weight: Any) -> Any:
        """The same of X and y as `_matrix` returns them."""
        count = 1 if y.ndim == 1 else y.shape[1]
        if numpy.ndim(penalties) > 0 and len(penalties) not in (1, count):
            raise ValueError(
                f"{type(self).__name__}: alpha has {len(penalties)} penalties for {count} targets: expected one for each"
            )
        penalties = numpy.broadcast_to(penalties, count)
        limit = self._check_parameters()
        weights = _weights(self, sample_weight, X)
        targets = numpy.asarray(y, _scalar(X)).reshape(len(y), count).T
        x, results = _core._regressions(
            f"sklearn.{type(self).__name__}",
            X,
            numpy.ascontiguousarray(targets).reshape(-1),
            weights,
            [float(penalty) for penalty in penalties],
            bool(self.fit_intercept),
            float(self.tol),
            self._solver(),
            limit,
            True,
        )
        statistics = []
        for result in results:
            self._judge(result)
            self._describe(result)
            statistics.append({name: getattr(self, name) for name in _STATISTICS})
        intercepts = numpy.array([result["intercept"] for result in results], _scalar(X))
        if y.ndim == 1:
            self.coef_, self.intercept_ = x, intercepts[0]
            return self
        self.coef_, self.intercept_ = x.reshape(count, -1), intercepts
        for name, of_all in _STATISTICS.items():
            setattr(self, name, of_all([each[name] for each in statistics]))
        return self

    def _eta(self, X: Any) -> Any:
        check_is_fitted(self)
        X, _ = _matrix(self, X, reset=False)
        if self.coef_.ndim == 1:
            return _linear(X, self.coef_, self.intercept_)
        return _with_intercepts(_columns(X, self.coef_), self.intercept_)


# How to combine them over targets.
_STATISTICS: dict[str, Any] = {
    "n_iter_": max, "n_reads_": max, "deviance_": numpy.array, "aic_": numpy.array, "dispersion_": numpy.array,
    "standard_errors_": numpy.array,
}  # fmt: skip


class _Linear(_Regressor):
    """What least squares have in common: y may have several columns."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def predict(self, X: Any) -> Any:
        """Return the prediction for each row of X.

        Parameters
        ----------
        X : array or StreamedMatrix
            Dense matrix of shape (n_samples, n_features) on the host.

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
    fit_intercept : bool, default True
        Whether to fit an intercept. It is not penalised.
    max_iter : int or None, default 100
        Most iterations.
    tol : float, default 0.0
        Bound of the scaled gradient and the Newton decrement, relative to the root of the deviance. 0 means
        1e-10, and the root of the precision of X's type for more than 512 columns.
    copy_X, n_jobs : bool, int or None
        Accepted as by scikit-learn, and not used: X is not changed, and `tessera.threads` sets the number of threads.
    positive : bool, default False
        Coefficients of at least 0 are not supported: only False.

    Attributes
    ----------
    coef_ : array of shape (n_features,) or (n_targets, n_features)
        Coefficients; the second shape if y has two dimensions.
    intercept_ : float or array of shape (n_targets,)
        Intercept.
    n_iter_ : int
        Iterations, of several targets the most.
    n_reads_ : int
        Passes over X, for all targets.
    standard_errors_ : array
        Standard errors of the coefficients and of the intercept, which is the last. Empty with a penalty and for
        more than 512 columns.
    deviance_, aic_ : float
        Deviance, and Akaike's criterion; NaN for more than 512 columns.

    Notes
    -----
    Columns are centred and scaled while X is read, without a copy. If columns depend on each other, the
    coefficients are the shortest. With at most 512 columns, each pass over X serves all targets.

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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "LinearRegression":
        """Fit the model.

        Parameters
        ----------
        X : array or StreamedMatrix
            Dense matrix of shape (n_samples, n_features) on the host.
        y : array
            Targets of shape (n_samples,) or (n_samples, n_targets).
        sample_weight : array or float, optional
            Weights of the rows, at least 0.

        Returns
        -------
        self
            The fitted estimator.
        """
        _require_default(self, "positive", False)
        return self._fit_targets(X, y, 0.0, sample_weight)


class Ridge(_Linear):
    """Fit least squares with a penalty, like sklearn.linear_model.Ridge.

    Parameters
    ----------
    alpha : float or sequence of float, default 1.0
        Factor of the penalty alpha * ‖coef‖²; several are those of the targets.
    fit_intercept : bool, default True
        Whether to fit an intercept. It is not penalised.
    max_iter : int or None, default 100
        Most iterations.
    tol : float, default 0.0
        Bound of the scaled gradient and the Newton decrement, relative to the root of the deviance. 0 means
        1e-10, and the root of the precision of X's type for more than 512 columns.
    solver : {"auto", "cholesky", "sparse_cg", "lbfgs"}, default "auto"
        "cholesky" makes the whole Hessian in each pass over X: few passes, standard errors, and the most work
        per pass. "lbfgs" and "sparse_cg" need more passes, with little work: with X in memory they are often
        faster. Their default tol is the root of the precision of X's type. "auto" is "cholesky" for up to
        512 columns, and "sparse_cg" above.
    copy_X, random_state : bool, int, numpy.random.RandomState or None
        Accepted as by scikit-learn, and not used: X is not changed, and there are no random numbers.
    positive : bool, default False
        Coefficients of at least 0 are not supported: only False.

    Attributes
    ----------
    coef_ : array of shape (n_features,) or (n_targets, n_features)
        Coefficients; the second shape if y has two dimensions.
    intercept_ : float or array of shape (n_targets,)
        Intercept.
    n_iter_ : int
        Iterations, of several targets the most.
    n_reads_ : int
        Passes over X, for all targets.
    standard_errors_ : array
        Standard errors of the coefficients and of the intercept, which is the last. Empty with a penalty and for
        more than 512 columns.
    deviance_, aic_ : float
        Deviance, and Akaike's criterion; NaN for more than 512 columns.

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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "Ridge":
        """Fit the model.

        Parameters
        ----------
        X : array or StreamedMatrix
            Dense matrix of shape (n_samples, n_features) on the host.
        y : array
            Targets of shape (n_samples,) or (n_samples, n_targets).
        sample_weight : array or float, optional
            Weights of the rows, at least 0.

        Returns
        -------
        self
            The fitted estimator.
        """
        _require_default(self, "positive", False)
        if isinstance(self.alpha, (list, tuple, numpy.ndarray)) and numpy.ndim(self.alpha) == 1:
            alpha: Any = [_number(self, "alpha", each) for each in self.alpha]
        else:
            alpha = _number(self, "alpha", self.alpha)
        return self._fit_targets(X, y, alpha, sample_weight)


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


class LogisticRegression(ClassifierMixin, _LinearModel):
    """Fit logistic regression of two or more classes, like sklearn.linear_model.LogisticRegression.

    Parameters
    ----------
    C : float, default 1.0
        Inverse of the penalty: ‖coef‖² / 2 is added to C times the sum of the losses.
    fit_intercept : bool, default True
        Whether to fit an intercept. It is not penalised.
    max_iter : int or None, default 100
        Most iterations.
    tol : float, default 0.0
        Bound of the scaled gradient and the Newton decrement, relative to the root of the deviance. 0 means
        1e-10, and the root of the precision of X's type for more than 512 columns.
    class_weight : dict or "balanced", optional
        Factors of the rows' weights by class: {class: factor}, 1 for a class that is not there. "balanced" gives
        all classes the same total weight.
    solver : {"auto", "newton-cholesky", "newton-cg", "lbfgs"}, default "auto"
        "newton-cholesky" makes the whole Hessian in each pass over X: few passes, standard errors, and the most work
        per pass. "lbfgs" and "newton-cg" need more passes, with little work: with X in memory they are often
        faster. Their default tol is the root of the precision of X's type. "auto" is "newton-cholesky" for up to
        512 columns, and "newton-cg" above. More than two classes need
        "newton-cholesky".
    penalty : {"l2", None}, default "l2"
        None fits without a penalty, as C=inf does.
    l1_ratio : float, default 0.0
        An absolute penalty is not supported: only 0.
    random_state, n_jobs, warm_start, verbose : int, numpy.random.RandomState, bool or None
        Accepted as by scikit-learn, and not used: there are no random numbers, `tessera.threads` sets the number of
        threads, and each fit starts from zero and prints nothing.

    Attributes
    ----------
    classes_ : array
        The classes.
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
        Coefficients; with more than two classes those of each class.
    intercept_ : array of shape (1,) or (n_classes,)
        Intercepts; with more than two classes they add up to 0.
    n_iter_ : int
        Iterations.
    n_reads_ : int
        Passes over X.
    standard_errors_ : array
        Standard errors of the coefficients and of the intercept, which is the last. Empty with a penalty, for more
        than two classes, and for more than 512 columns.
    deviance_, aic_ : float
        Deviance, and Akaike's criterion; NaN for more than 512 columns.

    Notes
    -----
    Columns are centred and scaled while X is read, without a copy. If columns depend on each other, the
    coefficients are the shortest.
    If C is infinite and the classes are separable, PerfectSeparationWarning is issued.
    More than two classes are fitted together: the loss is multinomial. n_classes * (n_features + 1) can be at most
    1024; above, use sklearn.multiclass.OneVsRestClassifier.

    Examples
    --------
    >>> import numpy as np
    >>> from tessera.sklearn import LogisticRegression
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array(["no", "no", "yes", "yes"])
    >>> LogisticRegression().fit(X, y).predict(np.array([[0.5], [2.5]])).tolist()
    ['no', 'yes']
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        fit_intercept: bool = True,
        max_iter: int | None = 100,
        tol: float = 0.0,
        class_weight: Any = None,
        solver: str = "auto",
        penalty: str | None = "l2",
        l1_ratio: float | None = 0.0,
        random_state: Any = None,
        n_jobs: int | None = None,
        warm_start: bool = False,
        verbose: int = 0,
    ):
        self.penalty = penalty
        self.l1_ratio = l1_ratio
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.verbose = verbose
        self.C = C
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "LogisticRegression":
        """Fit the model.

        Parameters
        ----------
        X : array or StreamedMatrix
            Dense matrix of shape (n_samples, n_features) on the host.
        y : array
            Labels of two or more kinds, one per row of X.
        sample_weight : array or float, optional
            Weights of the rows, at least 0.

        Returns
        -------
        self
            The fitted estimator.
        """
        if y is None:
            raise ValueError("LogisticRegression requires y to be passed, but the target y is None")
        _require_default(self, "penalty", "l2", None)
        _require_default(self, "l1_ratio", 0, None)
        penalty = 0.0 if self.penalty is None else 1 / _number(self, "C", self.C, positive=True)
        X, y = _matrix(self, X, y, reset=True)
        check_classification_targets(y)
        weights = _weights(self, sample_weight, X)
        self.classes_, labels = numpy.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"LogisticRegression: y has one class, {self.classes_[0]!s}, expected two")
        for k, name in enumerate(self.classes_):
            if weights is not None and not weights[labels == k].any():
                raise ValueError(f"LogisticRegression: sample_weight is 0 in all rows of the class {name!s}")
        factors = _class_weights(self, self.classes_, labels, weights)
        if factors is not None:
            factors = factors[labels].astype(_scalar(X))
            weights = factors if weights is None else weights * factors
        loss, count = ("logistic", 1) if len(self.classes_) == 2 else ("multinomial", len(self.classes_))
        if count > 1 and self._solver() not in ("automatic", "newton"):
            raise ValueError(
                f'LogisticRegression: solver must be "auto" or "newton-cholesky" for {count} classes, found {self.solver!r}'
            )
        coefficients, intercept = self._minimise(
            loss, X, labels.astype(_scalar(X)), penalty, weights, classes=count
        )
        self.coef_ = coefficients.reshape(count, -1)
        self.intercept_ = numpy.array(numpy.ravel(intercept), _scalar(X))
        self.n_iter_ = numpy.array([self.n_iter_])
        return self

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the fraction of rows whose class is predicted.

        Parameters
        ----------
        X : array or StreamedMatrix
            Dense matrix of shape (n_samples, n_features) on the host.
        y : array
            Labels, one per row of X.
        sample_weight : array, optional
            Weights of the rows.

        Returns
        -------
        float
            1 if all predictions are right.
        """
        _arrays.require_unmasked(type(self).__name__, y=y, sample_weight=sample_weight)
        return super().score(X, y, sample_weight)

    def decision_function(self, X: Any) -> Any:
        """Return the log-odds of the second class for each row of X, or the scores of more classes.

        Parameters
        ----------
        X : array or StreamedMatrix
            Dense matrix of shape (n_samples, n_features) on the host.

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_classes)
            Of two classes: positive if the second one is the likelier one. Of more: the likeliest has the largest.
        """
        check_is_fitted(self)
        X, _ = _matrix(self, X, reset=False)
        if len(self.coef_) == 1:
            return _linear(X, self.coef_[0], self.intercept_[0])
        return _with_intercepts(_columns(X, self.coef_), self.intercept_)

    def predict(self, X: Any) -> Any:
        """Return the likelier class for each row of X.

        Parameters
        ----------
        X : array or StreamedMatrix
            Dense matrix of shape (n_samples, n_features) on the host.

        Returns
        -------
        array of shape (n_samples,)
            Entries of `classes_`.
        """
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Any:
        """Return the probabilities of the classes for each row of X.

        Parameters
        ----------
        X : array or StreamedMatrix
            Dense matrix of shape (n_samples, n_features) on the host.

        Returns
        -------
        array of shape (n_samples, n_classes)
            Columns in the order of `classes_`.
        """
        return numpy.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: Any) -> Any:
        """Return the logarithms of the probabilities of the classes.

        Parameters
        ----------
        X : array or StreamedMatrix
            Dense matrix of shape (n_samples, n_features) on the host.

        Returns
        -------
        array of shape (n_samples, n_classes)
            Columns in the order of `classes_`.
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return -numpy.logaddexp(0, numpy.stack([scores, -scores], axis=1))
        scores = scores - scores.max(axis=1, keepdims=True)
        return scores - numpy.log(numpy.exp(scores).sum(axis=1, keepdims=True))


class _Projection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """What PCA and TruncatedSVD have in common."""

    def _project(self, X: Any) -> tuple[Any, Any]:
        """X @ components_.T, and the components in its type."""
        check_is_fitted(self)
        X, _ = _matrix(self, X, reset=False)
        components = numpy.asarray(self.components_, _type_for(X, self.components_))
        if isinstance(X, _core.StreamedMatrix):
            return _columns(X, components), components
        if X.dtype == components.dtype:
            return _core.matmul(X, components.T, copy=True), components
        projected = numpy.empty((len(X), len(components)), components.dtype)
        rows = 4096  # avoids a widened copy as large as X
        for begin in range(0, len(X), rows):
            some = X[begin : begin + rows].astype(components.dtype)
            projected[begin : begin + rows] = _core.matmul(some, components.T, copy=True)
        return projected, components

    def _back(self, X: Any, scales: Any = None) -> Any:
        check_is_fitted(self)
        _arrays.require_unmasked(type(self).__name__, X=X)
        X = check_array(X, dtype=_FLOATS)
        if X.shape[1] != len(self.components_):
            raise ValueError(
                f"X has {X.shape[1]} coordinates, but {type(self).__name__} has {len(self.components_)} components"
            )
        X = X if scales is None else X * scales(X.dtype)
        return _core.matmul(X, numpy.asarray(self.components_, X.dtype), copy=True)

    def _components_of(self, X: Any, count: int) -> int:
        rows, cols = X.shape
        if not isinstance(count, numbers.Integral) or isinstance(count, bool):
            raise ValueError(f"{type(self).__name__}: n_components must be a whole number, found {count!r}")
        if not 1 <= count <= min(rows, cols):
            raise ValueError(
                f"n_components={count} must be between 1 and min(n_samples, n_features)={min(rows, cols)}, found "
                f"n_samples={rows} and n_features={cols}"
            )
        return count

    @property
    def _n_features_out(self) -> int:
        return self.components_.shape[0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _with_signs(components: Any) -> Any:
    """Rows whose largest entry is positive."""
    largest = numpy.abs(components).argmax(axis=1)
    return components * numpy.sign(components[numpy.arange(len(components)), largest])[:, None]


def _likeliest_dimension(variances: Any, rows: int) -> int:
    """The number of components that Minka's Bayesian estimate finds likeliest, of all variances, descending."""
    n = len(variances)
    tiny = numpy.finfo(variances.dtype).eps
    best, likeliest = -math.inf, 1
    frame = 0.0  # log of the volume of frames of k directions
    for k in range(1, n):
        half = (n - k + 1) / 2
        frame += math.lgamma(half) - half * math.log(math.pi) - math.log(2)
        if variances[k - 1] < tiny:
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
        X : array or StreamedMatrix
            Dense matrix of shape (n_samples, n_features) on the host.
        y : None
            Ignored.

        Returns
        -------
        self
            The fitted estimator.
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
        found = linalg.pca(X, count, tol=self.tol, copy=True)
        variance, ratio = found.explained_variance, found.explained_variance_ratio
        part = ratio.sum(dtype=float)
        total = variance.sum(dtype=float) / part if part > 0 else 0.0
        if is_part:
            count = min(most, int(numpy.searchsorted(numpy.cumsum(ratio, dtype=float), wanted, side="right")) + 1)
        elif is_mle:
            count = _likeliest_dimension(variance.astype(float), X.shape[0])
        self.components_ = _with_signs(found.components[:count])
        self.explained_variance_ = variance[:count]
        self.explained_variance_ratio_ = ratio[:count]
        self.singular_values_ = found.singular_values[:count]
        self.mean_ = found.mean
        rest = max(0.0, total - variance[:count].sum(dtype=float)) if count < most else 0.0
        self.noise_variance_ = _scalar(X).type(rest / (most - count) if count < most else 0.0)
        self.n_components_ = count
        self.n_samples_ = X.shape[0]
        return self

    def _scales(self, dtype: Any) -> Any:
        """Standard deviations of the coordinates; those of components without variance cannot be divided by."""
        return numpy.maximum(numpy.sqrt(self.explained_variance_), numpy.finfo(dtype).eps).astype(dtype)

    def _signal(self) -> Any:
        """Variances of the components above the noise."""
        return numpy.maximum(self.explained_variance_.astype(float) - float(self.noise_variance_), 0)

    def transform(self, X: Any) -> Any:
        """Return the coordinates of the rows of X.

        Parameters
        ----------
        X : array or StreamedMatrix
            Dense matrix of shape (n_samples, n_features) on the host.

        Returns
        -------
        array of shape (n_samples, n_components)
            Coordinates with respect to `components_`.
        """
        projected, components = self._project(X)
        projected = projected - components @ numpy.asarray(self.mean_, components.dtype)
        return projected / self._scales(projected.dtype) if self.whiten else projected

    def inverse_transform(self, X: Any) -> Any:
        """Return rows from their coordinates.

        Parameters
        ----------
        X : array
            Coordinates of shape (n_samples, n_components), as `transform` returns them.

        Returns
        -------
        array of shape (n_samples, n_features)
            Rows in the space of the data.
        """
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
        X : array or StreamedMatrix
            Dense matrix of shape (n_samples, n_features) on the host.

        Returns
        -------
        array of shape (n_samples,)
            Log-likelihoods.
        """
        check_is_fitted(self)
        X, _ = _matrix(self, X, reset=False)
        precision = self.get_precision()
        result = numpy.empty(X.shape[0])
        is_streamed = isinstance(X, _core.StreamedMatrix)
        rows = 4096  # avoids a centred copy as large as X
        if is_streamed:
            rows = max(1, min(rows, X.memory_limit // (4 * 8 * X.shape[1])))
        for begin in range(0, len(result), rows):
            end = min(begin + rows, len(result))
            part = _core._rows_of_stream(X, begin, end) if is_streamed else X[begin:end]
            centred = part.astype(float) - self.mean_
            result[begin:end] = -0.5 * ((centred @ precision) * centred).sum(axis=1)
        log_determinant = numpy.linalg.slogdet(precision)[1]
        return result - 0.5 * (X.shape[1] * math.log(2 * math.pi) - log_determinant)

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean log-likelihood of the rows of X.

        Parameters
        ----------
        X : array or StreamedMatrix
            Dense matrix of shape (n_samples, n_features) on the host.
        y : None
            Ignored.

        Returns
        -------
        float
            Mean of `score_samples(X)`.
        """
        return float(self.score_samples(X).mean())


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
        X : array or StreamedMatrix
            Dense matrix of shape (n_samples, n_features) on the host.
        y : None
            Ignored.

        Returns
        -------
        self
            The fitted estimator.
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

    def transform(self, X: Any) -> Any:
        """Return the coordinates of the rows of X.

        Parameters
        ----------
        X : array or StreamedMatrix
            Dense matrix of shape (n_samples, n_features) on the host.

        Returns
        -------
        array of shape (n_samples, n_components)
            Coordinates with respect to `components_`.
        """
        return self._project(X)[0]

    def inverse_transform(self, X: Any) -> Any:
        """Return rows from their coordinates.

        Parameters
        ----------
        X : array
            Coordinates of shape (n_samples, n_components), as `transform` returns them.

        Returns
        -------
        array of shape (n_samples, n_features)
            Rows in the space of the data.
        """
        return self._back(X)
