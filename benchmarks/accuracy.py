#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Compares regressions of tessera.sklearn with scikit-learn and statsmodels on the data sets that these ship.

The table has a row for each data set, model and type: the largest difference of a coefficient, relative to the largest
coefficient, both times the standard deviation of their columns; the largest difference of a prediction, relative to the
largest prediction; the reads of X; and what tessera warned of. Both sides get the same numbers: of float32, the
reference computes in float64 with the rounded ones. Exit status 1 means that a row is beyond its mark.

It needs numpy, scikit-learn, tessera and, for its data sets, statsmodels (optional).
"""

import argparse
import sys
import warnings

import numpy as np
from sklearn import datasets, linear_model

from tessera import sklearn as of_tessera

MARKS = {"float64": 1e-6, "float32": 1e-3}
MOST_READS = 12


def of_sklearn():
    for name in ("diabetes", "breast_cancer", "wine", "iris", "digits"):
        yield name, *getattr(datasets, f"load_{name}")(return_X_y=True)
    yield "diabetes raw", *datasets.load_diabetes(return_X_y=True, scaled=False)
    X, Y = datasets.load_linnerud(return_X_y=True)
    yield "linnerud", X, Y[:, 0]


def of_statsmodels():
    try:
        from statsmodels import datasets as shipped
    except ImportError:
        print("statsmodels is not installed: its data sets are LEFT OUT", file=sys.stderr)
        return
    for name in ("longley", "star98", "randhie", "spector", "scotland"):
        data = getattr(shipped, name).load_pandas()
        y = np.asarray(data.endog, float)
        if y.ndim == 2:  # successes and failures
            y = y[:, 0] / y.sum(1)
        yield name, np.asarray(data.exog, float), y


def standardised(X):
    deviations = X.std(0)
    return (X - X.mean(0)) / np.where(deviations > 0, deviations, 1)


def targets(y):
    """The numbers, two classes and counts that a data set's y becomes."""
    two = (y > np.median(y)).astype(int) if len(np.unique(y)) > 2 else (y == y.max()).astype(int)
    if len(np.unique(two)) < 2:
        two = (y >= np.median(y)).astype(int)
    return {"numbers": y, "classes": two, "counts": np.floor(np.abs(y - min(0, y.min())))}


def by_newton(loss, X, y, penalty):
    """An independent fit in extended precision: Newton's method on standardised columns."""
    mean, deviation = X.mean(0, dtype=np.longdouble), X.std(0, dtype=np.longdouble)
    deviation[deviation <= 1e-12 * np.abs(mean)] = np.inf
    Z = np.c_[(X - mean) / deviation, np.ones(len(X))].astype(np.longdouble)
    y = y.astype(np.longdouble)
    P = np.r_[penalty / deviation**2, 0]
    b = np.zeros(Z.shape[1], np.longdouble)
    b[-1] = np.log(y.mean()) if loss == "poisson" else 0

    def objective(b):
        eta = Z @ b
        rows = np.exp(eta) - y * eta if loss == "poisson" else np.logaddexp(0, eta) - y * eta
        return rows.sum() + (P * b * b).sum() / 2

    for _ in range(200):
        eta = Z @ b
        mu = np.exp(eta) if loss == "poisson" else 1 / (1 + np.exp(-eta))
        w = mu if loss == "poisson" else mu * (1 - mu)
        g = Z.T @ (mu - y) + P * b
        H = (Z.T * w) @ Z + np.diag(P)
        step = -np.linalg.lstsq(H.astype(float), g.astype(float), rcond=1e-15)[0]
        length, before = 1.0, objective(b)
        while length > 1e-12 and not objective(b + length * step) <= before + 1e-16 * abs(before):
            length /= 2
        b = b + length * step
        if np.abs(step).max() <= 1e-15 * np.abs(b).max():
            break
    coefficients = b[:-1] / deviation
    return coefficients, b[-1] - mean @ coefficients


def models(y):
    """Name, loss, y, penalty, a model of tessera."""
    rows = len(y["numbers"])
    yield "LinearRegression", "linear", y["numbers"], 0, of_tessera.LinearRegression()
    yield "Ridge(1)", "linear", y["numbers"], 1, of_tessera.Ridge(1.0)
    yield "LogisticRegression(1)", "logistic", y["classes"], 1, of_tessera.LogisticRegression(1.0)
    yield "LogisticRegression(inf)", "logistic", y["classes"], 0, of_tessera.LogisticRegression(np.inf)
    yield "PoissonRegressor(1)", "poisson", y["counts"], rows, of_tessera.PoissonRegressor(1.0)
    yield "PoissonRegressor(0)", "poisson", y["counts"], 0, of_tessera.PoissonRegressor(0.0)


def compare(X, loss, y, penalty, model):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    why = "; ".join(type(w.message).__name__ for w in caught)
    exact = X.astype(float)
    if loss == "linear":
        reference = linear_model.Ridge(penalty, solver="svd") if penalty else linear_model.LinearRegression()
        reference.fit(exact, y.astype(X.dtype).astype(float))
        coefficients, intercept = reference.coef_, reference.intercept_
    else:
        coefficients, intercept = by_newton(loss, exact, y.astype(X.dtype), penalty)
    eta = exact @ coefficients + intercept
    expected = {"linear": eta, "logistic": 1 / (1 + np.exp(-eta)), "poisson": np.exp(eta)}[loss]
    found = model.predict_proba(X)[:, 1] if loss == "logistic" else model.predict(X)
    deviation = exact.std(0)
    size = np.abs(coefficients * deviation).max() or 1
    of_x = float(np.abs((np.ravel(model.coef_) - coefficients) * deviation).max() / size)
    of_y = float(np.abs(found - expected).max() / np.abs(expected).max())
    if loss == "logistic" and np.abs(eta).max() > 30:
        why = "; ".join(filter(None, [why, "nearly separated classes: a Newton step adds about 1 to eta"]))
    return of_x, of_y, model.n_reads_, why


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="data sets whose name has this")
    arguments = parser.parse_args()
    print("| data set | model | type | coefficients | predictions | reads | warnings |")
    print("|---|---|---|---|---|---|---|")
    failed = 0
    for source in (of_sklearn, of_statsmodels):
        for name, raw, y in source():
            if arguments.only and arguments.only not in name:
                continue
            for title, X in ((name, raw), (f"{name} standardised", standardised(raw))):
                for dtype, mark in MARKS.items():
                    for model_name, loss, its_y, penalty, model in models(targets(y)):
                        of_x, of_y, reads, why = compare(X.astype(dtype), loss, its_y, penalty, model)
                        is_fast = reads <= MOST_READS or "nearly separated" in why
                        is_good = max(of_x, of_y) <= mark and is_fast
                        is_excused = "PerfectSeparationWarning" in why
                        note = why + ("" if is_good or is_excused else " BEYOND")
                        failed += not (is_good or is_excused)
                        print(f"| {title} | {model_name} | {dtype} | {of_x:.1e} | {of_y:.1e} | {reads} | {note} |")
    print(f"\n{failed} rows are beyond their marks", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
