# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Logistic regression of tessera.sklearn."""

from typing import Any

import numpy
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from tessera import _arrays
from tessera._sklearn_inputs import _class_weights, _columns, _linear, _matrix, _number, _require_default, _scalar, _weights, _with_intercepts
from tessera._sklearn_models import _LinearModel


class LogisticRegression(ClassifierMixin, _LinearModel):
    """Fit logistic regression of two or more classes, like sklearn.linear_model.LogisticRegression.

    Parameters
    ----------
    C : float, default 1.0
        Inverse of the penalty: ‖coef‖² / 2 is added to C times the sum of the losses.
    fit_intercept, max_iter, tol
    class_weight : dict or "balanced", optional
        Factors of the rows' weights by class: {class: factor}, 1 for a class that is not there. "balanced" gives
        all classes the same total weight.
    solver : {"auto", "newton-cholesky", "newton-cg", "lbfgs"}, default "auto"
        "newton-cholesky" makes the whole Hessian in each pass over X: few passes, standard errors, and the most work
        per pass. "lbfgs" and "newton-cg" need more passes, with little work: with X in memory they are often
        faster. Their default tol is the root of the precision of X's type. "auto" is "newton-cholesky" for up to
        512 columns, and "newton-cg" above. More than two classes are fitted by Newton's method, whatever the name.
    penalty : {"l2", None}, default "l2"
        None fits without a penalty, as C=inf does.
    l1_ratio : float, default 0.0
        An absolute penalty is not supported: only 0.
    dual : bool, default False
        The dual problem is not supported: only False.
    intercept_scaling : float, default 1
        Accepted as by scikit-learn, whose solver "liblinear" alone uses it, and not used.
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
    n_iter_, n_reads_
    standard_errors_ : array
        Standard errors of the coefficients and of the intercept, which is the last. Empty with a penalty, for more
        than two classes, and for more than 512 columns.
    deviance_, aic_

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
        dual: bool = False,
        intercept_scaling: float = 1,
        random_state: Any = None,
        n_jobs: int | None = None,
        warm_start: bool = False,
        verbose: int = 0,
    ):
        self.penalty = penalty
        self.l1_ratio = l1_ratio
        self.dual = dual
        self.intercept_scaling = intercept_scaling
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
        X
        y : array
            Labels of two or more kinds, one per row of X.
        sample_weight

        Returns
        -------
        self
        """
        if y is None:
            raise ValueError("LogisticRegression requires y to be passed, but the target y is None")
        _require_default(self, "penalty", "l2", None)
        _require_default(self, "l1_ratio", 0, None)
        _require_default(self, "dual", False)
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
        coefficients, intercept = self._minimise(
            loss, X, labels.astype(_scalar(X)), penalty, weights, classes=count,
        )
        self.coef_ = coefficients.reshape(count, -1)
        self.intercept_ = numpy.array(numpy.ravel(intercept), _scalar(X))
        self.n_iter_ = numpy.array([self.n_iter_])
        return self

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the fraction of rows whose class is predicted.

        Parameters
        ----------
        X
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
        X

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
        X

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
        X

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
        X

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
