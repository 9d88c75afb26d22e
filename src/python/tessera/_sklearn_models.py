# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""What regressions and classifiers of tessera.sklearn have in common."""

import math
import numbers
import warnings
from typing import Any

import numpy
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from tessera import _arrays, _core
from tessera._sentences import renamed
from tessera._sklearn_inputs import _columns, _linear, _matrix, _number, _require_flag, _scalar, _vector, _weights, _with_intercepts
from tessera._solvers import CONVERGED, NOT_FINITE, NOT_SOLVABLE, PRECISION_LIMIT, level_of_caller


class PerfectSeparationWarning(ConvergenceWarning):
    """The loss has no minimum: it decreases without end while coefficients grow."""


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
        limit, solver = self._check_parameters(), self._solver()
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
                solver if classes == 1 else "automatic",
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
        name = type(self).__name__
        why = result["detail"] or result["why"]
        if result["stop"] == NOT_FINITE:
            raise ValueError(f"{name}: {why}")
        if result["stop"] == NOT_SOLVABLE:
            warnings.warn(f"{name}: {why}", PerfectSeparationWarning, stacklevel=level_of_caller())
        elif result["stop"] != CONVERGED:
            advice = "raise max_iter or tol"
            quantity, bound = result["quantity"], result["bound"]
            if result["stop"] == PRECISION_LIMIT:  # more iterations change nothing
                advice = "raise the penalty" if quantity <= bound else "raise tol"
                advice += ", leave out columns that nearly depend on others, or subtract rough means first"
            if quantity > bound:
                why += f": the scaled gradient is {quantity:.2e}, expected at most {bound:.1e}"
            warnings.warn(
                f"{name}: {why}; {advice}",
                ConvergenceWarning,
                stacklevel=level_of_caller(),
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
    _flattens_one_target = False  # whether coef_ has one dimension if y has the shape (n_samples, 1)

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
        X
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
        if hasattr(self, "solver"):
            automatic = "cholesky" if X.shape[1] <= 512 else "sparse_cg"
            self.solver_ = automatic if self.solver == "auto" else self.solver
        intercepts = numpy.array([result["intercept"] for result in results], _scalar(X))
        if y.ndim == 1:
            self.coef_, self.intercept_ = x, intercepts[0]
            return self
        coefficients = x.reshape(count, -1)
        self.coef_ = coefficients[0] if count == 1 and self._flattens_one_target else coefficients
        self.intercept_ = intercepts
        for name, of_all in _STATISTICS.items():
            setattr(self, name, of_all([each[name] for each in statistics]))
        return self

    def _eta(self, X: Any) -> Any:
        check_is_fitted(self)
        X, _ = _matrix(self, X, reset=False)
        if self.coef_.ndim == 1:
            return _linear(X, self.coef_, self.intercept_)
        return _with_intercepts(_columns(X, self.coef_), self.intercept_)


def _errors_of_targets(found: list[Any]) -> Any:
    """Targets with a penalty have none: NaN beside those of others."""
    most = max(map(len, found))
    return numpy.array([errors if len(errors) == most else numpy.full(most, numpy.nan) for errors in found])


# How to combine them over targets.
_STATISTICS: dict[str, Any] = {
    "n_iter_": max, "n_reads_": max, "deviance_": numpy.array, "aic_": numpy.array, "dispersion_": numpy.array,
    "standard_errors_": _errors_of_targets,
}  # fmt: skip
