#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Compares solvers and estimators with references of higher precision, scikit-learn, statsmodels, SciPy and NIST.

    benchmarks/accuracy.py run         measure: benchmarks/results/accuracy.json, and the pages below
    benchmarks/accuracy.py run --only wine     print the rows of some data sets, and write nothing
    benchmarks/accuracy.py report      write benchmarks/results/accuracy.md and the table in docs/accuracy.md again
    benchmarks/accuracy.py --check     fail if these pages are not as this program writes them

`run` needs tessera, NumPy, SciPy, scikit-learn and statsmodels. Exit status 1 means that a row is beyond its mark and
has no reason. Both sides get the same numbers: for float32, the reference computes with the rounded ones.
"""

import json
import sys
import warnings

from accuracy_page import DATA, MARKS, PROJECT, SEPARATED, pages
from results import parser_of, write

MOST_READS = 12
OF_STATSMODELS = ("anes96", "cancer", "ccard", "committee", "copper", "cpunish", "engel", "fair", "heart", "longley", "randhie",
                  "scotland", "spector", "stackloss", "star98", "statecrime")
NEARLY = "nearly separated classes: a Newton step adds about 1 to η"


def data_sets():
    """Name, X, y and counts."""
    import numpy as np
    from sklearn import datasets
    from statsmodels import datasets as shipped

    for name in ("diabetes", "breast_cancer", "wine", "iris", "digits"):
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        yield name, X, y, y
    X, y = datasets.load_diabetes(return_X_y=True, scaled=False)
    yield "diabetes, raw", X, y, y
    X, Y = datasets.load_linnerud(return_X_y=True)
    for i, target in enumerate(("weight", "waist", "pulse")):
        yield f"linnerud, {target}", X, Y[:, i], Y[:, i]
    for name in OF_STATSMODELS:
        data = getattr(shipped, name).load_pandas()
        X, Y = np.asarray(data.exog, float), np.asarray(data.endog, float)
        X = X.reshape(len(Y), -1)
        kept = np.isfinite(X).all(1) & np.isfinite(Y.reshape(len(Y), -1)).all(1)
        X, Y = X[kept], Y[kept]
        if Y.ndim == 2:  # successes and failures
            yield name, X, Y[:, 0] / Y.sum(1), Y[:, 0]
        else:
            yield name, X, Y, np.floor(np.abs(Y - min(0, Y.min())))


def standardised(X):
    import numpy as np

    deviations = X.std(0)
    return (X - X.mean(0)) / np.where(deviations > 1e-12 * np.abs(X).max(), deviations, 1)


def classes_of(y):
    import numpy as np

    two = (y > np.median(y)).astype(int) if len(np.unique(y)) > 2 else (y == y.max()).astype(int)
    return two if len(np.unique(two)) == 2 else (y >= np.median(y)).astype(int)


def shortest(A, b):
    """The least squares solution in extended precision by Householder's reflections, or by LAPACK without full rank."""
    import numpy as np

    kept = np.abs(A).max(0) > 0
    R, r = A[:, kept].astype(np.longdouble), b.astype(np.longdouble)
    units = np.sqrt((R**2).sum(0))
    R, n = R / units, R.shape[1]
    for j in range(min(n, len(R))):
        v = R[j:, j].copy()
        v[0] += np.copysign(np.sqrt((v**2).sum()), v[0])
        square = (v**2).sum()
        if square == 0:
            break
        R[j:] -= np.outer(v, 2 / square * (v @ R[j:]))
        r = np.concatenate([r[:j], r[j:] - 2 / square * (v @ r[j:]) * v])
    found = np.zeros(A.shape[1])
    if len(R) < n or np.abs(np.diag(R[:n])).min() < 1e-13:
        found[kept] = np.linalg.lstsq(A[:, kept].astype(float), b.astype(float), rcond=1e-12)[0]
        return found
    x = np.zeros(n, np.longdouble)
    for i in reversed(range(n)):
        x[i] = (r[i] - R[i, i + 1 : n] @ x[i + 1 :]) / R[i, i]
    found[kept] = x / units
    return found


def by_newton(loss, X, y, penalty):
    """Coefficients and intercept by Newton's method on standardised columns in extended precision."""
    import numpy as np

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


def is_separable(loss, X, y):
    """Whether a direction never raises the loss and lowers it in a row: by linear programming."""
    import numpy as np
    from scipy.optimize import linprog

    Z = np.c_[standardised(X), np.ones(len(X))]
    if loss == "logistic":
        side, equal = (2 * y - 1)[:, None] * Z, None
    else:
        side, equal = -Z[y == 0], Z[y > 0]
    if not len(side):
        return False
    ends = {"A_eq": equal, "b_eq": np.zeros(len(equal))} if equal is not None and len(equal) else {}
    found = linprog(-side.sum(0), A_ub=-side, b_ub=np.zeros(len(side)), bounds=(-1, 1), **ends)
    return found.status == 0 and -found.fun > 1e-6


def of_statsmodels(loss, X, y):
    """Standard errors of the coefficients, deviance and AIC."""
    import numpy as np
    import statsmodels.api as sm

    deviation = X.std(0)
    Z = np.c_[standardised(X), np.ones(len(X))]
    if loss == "linear":
        fit = sm.OLS(y, Z).fit()
        return fit.bse[:-1] / deviation, fit.ssr, fit.aic
    family = sm.families.Binomial() if loss == "logistic" else sm.families.Poisson()
    fit = sm.GLM(y, Z, family=family).fit(tol=1e-14, maxiter=200)
    return fit.bse[:-1] / deviation, fit.deviance, fit.aic


def largest(off, size):
    import numpy as np

    size = float(np.abs(size).max())
    return float(np.abs(off).max()) / (size if size > 0 else 1)


def regressions(X, y, counts):
    """The rows of one matrix, without its name."""
    import numpy as np

    from tessera import sklearn as of_tessera

    two, exact = classes_of(y), X.astype(float)
    for name, loss, target, penalty, model in (
        ("LinearRegression()", "linear", y, 0, of_tessera.LinearRegression()),
        ("Ridge(1)", "linear", y, 1, of_tessera.Ridge(1.0)),
        ("LogisticRegression(1)", "logistic", two, 1, of_tessera.LogisticRegression(1.0)),
        ("LogisticRegression(inf)", "logistic", two, 0, of_tessera.LogisticRegression(np.inf)),
        ("PoissonRegressor(1)", "poisson", counts, len(y), of_tessera.PoissonRegressor(1.0)),
        ("PoissonRegressor(0)", "poisson", counts, 0, of_tessera.PoissonRegressor(0.0)),
    ):
        target = target.astype(X.dtype).astype(float)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(X, target)
        row = {"model": name, "reads": model.n_reads_, "reason": ""}
        names = {type(warning.message).__name__ for warning in caught}
        if "PerfectSeparationWarning" in names and penalty == 0 and is_separable(loss, exact, target):
            yield row | {"reason": SEPARATED}
            continue
        deviation = exact.std(0)
        if loss == "linear":
            mean = exact.mean(0, dtype=np.longdouble)
            Z, centre = exact - mean, target - target.mean(dtype=np.longdouble)
            Z[:, deviation <= 1e-14 * np.abs(mean)] = 0
            if penalty:
                Z = np.vstack([Z, np.sqrt(np.longdouble(penalty)) * np.eye(Z.shape[1])])
                centre = np.concatenate([centre, np.zeros(Z.shape[1])])
            coefficients = shortest(Z, centre)
            intercept = target.mean(dtype=np.longdouble) - mean @ coefficients
        else:
            coefficients, intercept = by_newton(loss, exact, target, penalty)
        eta = exact.astype(np.longdouble) @ coefficients + intercept
        with np.errstate(over="ignore"):
            expected = {"linear": eta, "logistic": 1 / (1 + np.exp(-eta)), "poisson": np.exp(eta)}[loss]
        found = model.predict_proba(X)[:, 1] if loss == "logistic" else model.predict(X)
        row["coefficients"] = largest((np.ravel(model.coef_) - coefficients) * deviation, coefficients * deviation)
        row["predictions"] = largest(found - expected, expected)
        if names:
            row["warnings"] = ", ".join(sorted(names))
        if loss == "logistic" and np.abs(eta).max() > 30:
            row["reason"] = NEARLY
        varies = deviation > 1e-12 * np.abs(exact).max(0)
        if penalty == 0 and varies.all() and np.isfinite(model.standard_errors_).all() and model.deviance_ > 1e-10:
            errors, deviance, aic = of_statsmodels(loss, exact, target)
            off = [model.deviance_ / deviance - 1, (model.aic_ - aic) / max(abs(aic), 1)]
            row["statistics"] = largest([*(model.standard_errors_[:-1] / errors - 1), *off], 1)
        yield row


def reads_of(call):
    """The result of a solver, and its passes over A."""
    steps = []
    found = call(steps.append)
    return found, steps[-1].reads


def decompositions(X, y):
    import numpy as np
    from sklearn import decomposition

    from tessera import linalg
    from tessera import sklearn as of_tessera

    A = np.ascontiguousarray(np.c_[np.ones(len(X), X.dtype), X])
    exact, b = A.astype(float), y.astype(X.dtype)
    units = np.sqrt((exact**2).sum(0))
    for name, alpha in (("lstsq", 0), ("ridge(1)", 1)):
        if alpha:
            found, reads = reads_of(lambda tell: linalg.ridge(A, b, 1.0, callback=tell).x)
            both = np.vstack([exact, np.eye(A.shape[1])])
            x = shortest(both, np.concatenate([b.astype(float), np.zeros(A.shape[1])]))
        else:
            found, reads = reads_of(lambda tell: linalg.lstsq(A, b, callback=tell)[0])
            x = shortest(exact, b.astype(float))
        eta = exact.astype(np.longdouble) @ x
        yield {"model": name, "coefficients": largest((found - x) * units, x * units), "reads": reads, "reason": "",
               "predictions": largest(exact.astype(np.longdouble) @ found - eta, eta)}
    for name in ("svds", "TruncatedSVD", "pca", "PCA"):
        mean = X.mean(0, dtype=np.longdouble)
        centred = (X - mean).astype(float) if name in ("pca", "PCA") else X.astype(float)
        u, s, vh = np.linalg.svd(centred, full_matrices=False)
        most = min(10, len(s) - 1)
        # At the largest gap, so that the vectors' space is well defined.
        k = int(np.argmax(s[:most] - s[1 : most + 1])) + 1 if most else 1
        near = (u[:, :k] * s[:k]) @ vh[:k]
        near = near + mean.astype(float) if name in ("pca", "PCA") else near
        row = {"model": name, "reason": ""}
        if name == "svds":
            (left, values, right), row["reads"] = reads_of(lambda tell: linalg.svds(X, k, callback=tell))
            again = (left.astype(float) * values) @ right
            values = values[::-1]
        elif name == "pca":
            found, row["reads"] = reads_of(lambda tell: linalg.pca(X, k, callback=tell))
            values, right = found.singular_values, found.components.astype(float)
            again = (X - mean).astype(float) @ right.T @ right + mean.astype(float)
            row["variance"] = largest(found.explained_variance - s[:k] ** 2 / (len(X) - 1), s[:k] ** 2 / (len(X) - 1))
            row["variance"] = max(row["variance"], largest(found.explained_variance_ratio - s[:k] ** 2 / (s**2).sum(), 1))
        else:
            model = getattr(of_tessera, name)(k).fit(X)
            values, again = model.singular_values_, model.inverse_transform(model.transform(X))
            if name == "PCA":
                theirs = decomposition.PCA(k, svd_solver="full").fit(X.astype(float))
                row["variance"] = largest(model.explained_variance_ - theirs.explained_variance_, theirs.explained_variance_)
        yield row | {"values": largest(values - s[:k], s), "predictions": largest(again - near, near)}


def judge(row):
    """The row with whether it is within its mark, or has a reason."""
    off = [row[key] for key in ("coefficients", "predictions", "statistics", "variance", "values") if key in row]
    is_near = all(value <= MARKS[row["type"]] for value in off)
    is_fast = row.get("reads", 0) <= MOST_READS or row["reason"] != ""
    return row | {"good": bool(is_near and is_fast)}


def of_data(only):
    for name, raw, y, counts in data_sets():
        if only and only not in name:
            continue
        for columns, X in (("raw", raw), ("standardised", standardised(raw))):
            for scalar, dtype in (("f64", "float64"), ("f32", "float32")):
                matrix = X.astype(dtype)
                for rows in (regressions(matrix, y, counts), decompositions(matrix, y)):
                    for row in rows:
                        yield judge({"table": "data", "data": name, "columns": columns, "type": scalar} | row)


def of_nist():
    import numpy as np
    from sklearn import linear_model

    from known_answers import NIST, nist, right_digits
    from tessera import linalg
    from tessera.sklearn import LinearRegression

    for name in NIST:
        X, y, has_intercept, certified = nist(name)
        A = np.column_stack([np.ones(len(X)), X]) if has_intercept else X

        def of(model):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.fit(X, y)
            return right_digits(np.r_[model.intercept_, model.coef_] if has_intercept else model.coef_, certified)

        row = {"table": "nist", "data": name, "lstsq": right_digits(linalg.lstsq(A, y)[0], certified),
               "LinearRegression": of(LinearRegression(fit_intercept=has_intercept)),
               "numpy": right_digits(np.linalg.lstsq(A, y, rcond=None)[0], certified),
               "numpy, rcond=0": right_digits(np.linalg.lstsq(A, y, rcond=0)[0], certified),
               "sklearn": of(linear_model.LinearRegression(fit_intercept=has_intercept))}
        theirs = min(14, max(row["numpy"], row["numpy, rcond=0"])) - 0.3
        if row["LinearRegression"] < theirs:
            row["reason"] = "`LinearRegression` decides about rank by the Gram matrix, whose condition number is squared"
        yield row | {"good": row["lstsq"] >= theirs}


def of_families():
    """Errors of each solver in units of its bound."""
    import numpy as np
    import scipy.linalg

    from known_answers import FAMILIES, RNG
    from tessera import linalg

    for name, matrix in FAMILIES.items():
        for scalar, dtype in (("f64", np.float64), ("f32", np.float32)):
            a = np.ascontiguousarray(matrix, dtype=dtype)
            wide, k, eps = a.astype(float), min(a.shape), float(np.finfo(dtype).eps)
            few = (10 + 2 * np.sqrt(max(a.shape))) * eps
            row = {"table": "families", "data": name, "type": scalar}
            u, s, vh = (x.astype(float) for x in linalg.svds(a, k))
            exact = np.linalg.svd(wide, compute_uv=False)
            off = [largest(s[::-1] - exact, exact), largest(u.T @ u - np.eye(k), 1), largest(vh @ vh.T - np.eye(k), 1),
                   largest(np.linalg.norm(wide @ vh.T - u * s, axis=0), exact), largest(np.linalg.norm(wide.T @ u - vh.T * s, axis=0), exact)]
            row["svd"] = max(off) / few
            if len(a) > 1:
                found = linalg.pca(a, k)
                centred = (a - a.mean(0, dtype=np.longdouble)).astype(float)
                exact = np.linalg.svd(centred, compute_uv=False)[:k]
                right = found.components.astype(float)
                floor = max(exact[0], np.abs(wide).max() * 1e-300)
                row["pca"] = max(np.abs(found.singular_values - exact).max() / floor, largest(right @ right.T - np.eye(k), 1)) / few
            b = (wide @ RNG(20).normal(size=a.shape[1]) + RNG(21).normal(size=len(a))).astype(dtype)
            norm = lambda x: np.linalg.norm(wide @ x.astype(float) - b)
            x = linalg.lstsq(a, b)[0]
            size = np.linalg.norm(wide) * np.linalg.norm(x.astype(float)) + np.linalg.norm(b.astype(float))
            row["lstsq"] = max(0.0, norm(x) - norm(scipy.linalg.lstsq(a, b)[0])) / (20 * eps * size)
            both = np.vstack([wide, 0.1 * np.eye(a.shape[1])])
            right = np.concatenate([b.astype(float), np.zeros(a.shape[1])])
            exact, units = shortest(both, right), np.sqrt((both**2).sum(0))
            s = np.linalg.svd(both / units, compute_uv=False)
            residual = np.linalg.norm(both @ exact - right)
            slack = 50 * eps * s[0] / s[-1] * (1 + s[0] / s[-1] * residual / np.linalg.norm(units * exact))
            row["ridge"] = largest((linalg.ridge(a, b, 0.01).x - exact) * units, units * exact) / slack
            yield row | {"good": all(row.get(key, 0) <= 1 for key in ("svd", "pca", "lstsq", "ridge"))}


def of_reads():
    import numpy as np

    from tessera import linalg
    from tessera.sklearn import LogisticRegression

    rng = np.random.default_rng(1)
    A, b = rng.normal(size=(3000, 200)), rng.normal(size=3000)
    y = rng.random(3000) < 1 / (1 + np.exp(-A[:, :5].sum(1)))
    q, p = np.linalg.qr(rng.normal(size=(2000, 600)))[0], np.linalg.qr(rng.normal(size=(600, 600)))[0]
    falling = (q * 0.7 ** np.arange(600)) @ p
    scales = np.logspace(-4, 4, 200)
    for scalar, dtype in (("f64", np.float64), ("f32", np.float32)):
        a, right, fast = A.astype(dtype), b.astype(dtype), falling.astype(dtype)
        bad, many = (A * scales).astype(dtype), rng.normal(size=(3000, 600)).astype(dtype)
        solve = lambda x: reads_of(lambda tell: linalg.lstsq(x, right, callback=tell))[1]
        for what, reads, mark in (
            ("lstsq, 200 columns", solve(a), 3),
            ("ridge, 200 columns", reads_of(lambda tell: linalg.ridge(a, right, 1.0, callback=tell))[1], 3),
            ("pca, 200 columns", reads_of(lambda tell: linalg.pca(a, 10, callback=tell))[1], 3),
            ("logistic regression, 200 columns", LogisticRegression(C=np.inf).fit(a, y).n_reads_, 12),
            ("svd, k = 10, 600 columns, values 0.7^j", reads_of(lambda tell: linalg.svds(fast, 10, callback=tell))[1], 8),
            ("lstsq, 200 columns scaled by 1e-4 to 1e4", solve(bad), int(1.5 * solve(a))),
            ("lstsq, 600 columns scaled by 1e-4 to 1e4", solve(many * np.logspace(-4, 4, 600).astype(dtype)), int(1.5 * solve(many))),
        ):
            row = {"table": "reads", "data": what, "type": scalar, "reads": int(reads), "mark": mark, "reason": ""}
            if mark < reads <= mark + 1 and scalar == "f64" and what.startswith(("lstsq, 200", "ridge")):
                row["reason"] = "a correction was still above ε, and one pass more finds the next one below"
            yield row | {"good": bool(reads <= mark or row["reason"])}


def versions() -> dict:
    import importlib.metadata

    return {name: importlib.metadata.version(package) for name, package in (
        ("NumPy", "numpy"), ("SciPy", "scipy"), ("scikit-learn", "scikit-learn"), ("statsmodels", "statsmodels"))}


def run(only: str) -> int:
    import tessera

    sys.path.insert(0, str(PROJECT / "tests" / "python"))
    rows = list(of_data(only))
    if not only:
        rows += [*of_nist(), *of_families(), *of_reads()]
        kept = [{key: value for key, value in row.items() if value != "" and key != "good"} for row in rows]
        write({"context": {"script": "benchmarks/accuracy.py", "commit": tessera.info()["commit"], "versions": versions()}, "results": kept}, DATA)
    beyond = [row for row in rows if not row["good"]]
    for row in beyond if not only else rows:
        print(("" if row["good"] else "BEYOND ") + json.dumps(row, ensure_ascii=False))
    print(f"{len(rows)} rows, {len(beyond)} beyond their marks", file=sys.stderr)
    return 1 if beyond else 0


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("command", nargs="?", choices=("run", "report"), default="report")
    parser.add_argument("--only", help="data sets whose name has this")
    parser.add_argument("--check", action="store_true", help="compare the pages, and write nothing")
    arguments = parser.parse_args()
    status = run(arguments.only) if arguments.command == "run" else 0
    if arguments.only:
        sys.exit(status)
    stale = {path: text for path, text in pages().items() if not path.exists() or path.read_text() != text}
    if arguments.check and stale:
        sys.exit("not as benchmarks/accuracy.py writes them: " + ", ".join(str(path.relative_to(PROJECT)) for path in stale))
    for path, text in stale.items():
        path.write_text(text)
    sys.exit(status)


if __name__ == "__main__":
    main()
