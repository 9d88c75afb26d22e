#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Compares estimators and lsmr with those of scikit-learn and SciPy, on the same data in turn.

    benchmarks/estimators.py run             measure, write benchmarks/results/estimators.json and its page
    benchmarks/estimators.py                 write the page again from the JSON file

In a Debian root, put `./dev shell --` before it: that root has NumPy, SciPy and scikit-learn.
"""

import json
import time
import warnings

from host import processor
from results import FOLDER, ratio, run_before_page, write

ROWS, COLS = 200_000, 300
TURNS = 3


def seconds_of(call) -> tuple[float, object]:
    begin = time.perf_counter()
    result = call()
    return time.perf_counter() - begin, result


def cases():
    """name, type, what Tessera runs, what the other runs, a precise result in double."""
    import numpy as np
    import scipy.sparse.linalg
    import sklearn.decomposition
    import sklearn.linear_model as theirs

    import tessera.linalg
    import tessera.sklearn as ours

    rng = np.random.default_rng(0)
    for dtype in (np.float32, np.float64):
        X = rng.normal(size=(ROWS, COLS)).astype(dtype) * np.linspace(1, 3, COLS, dtype=dtype)
        eta = X @ rng.normal(size=COLS).astype(dtype) / 20
        y = (eta + rng.normal(size=ROWS)).astype(dtype)
        labels = (rng.random(ROWS) < 1 / (1 + np.exp(-eta))).astype(int)
        X64, y64 = X.astype(float), y.astype(float)
        logistic = theirs.LogisticRegression(C=1.0, max_iter=1000)
        precise = theirs.LogisticRegression(C=1.0, solver="newton-cholesky", tol=1e-10)
        for name, estimator, other, target, exact in (
            ("LinearRegression", ours.LinearRegression(), theirs.LinearRegression(), y, theirs.LinearRegression()),
            ("Ridge", ours.Ridge(alpha=1.0), theirs.Ridge(alpha=1.0), y, theirs.Ridge(alpha=1.0)),
            ("LogisticRegression", ours.LogisticRegression(), logistic, labels, precise),
            ("LogisticRegression, lbfgs, tol=5e-5", ours.LogisticRegression(solver="lbfgs", tol=5e-5), logistic,
             labels, precise),
        ):  # fmt: skip
            yield (name, X.dtype.name, lambda e=estimator, t=target: e.fit(X, t).coef_,
                   lambda e=other, t=target: e.fit(X, t).coef_,
                   lambda e=exact, t=target: e.fit(X64, t.astype(float)).coef_)
        yield ("PCA, 10 components", X.dtype.name, lambda: ours.PCA(10).fit(X).explained_variance_,
               lambda: sklearn.decomposition.PCA(10, svd_solver="randomized", random_state=0).fit(X).explained_variance_,
               lambda: sklearn.decomposition.PCA(10, svd_solver="covariance_eigh").fit(X64).explained_variance_)
        yield ("lsmr, to 1e-6", X.dtype.name, lambda: tessera.linalg.lsmr(X, y, conlim=0).x,
               lambda: scipy.sparse.linalg.lsmr(X, y, conlim=0)[0], lambda: np.linalg.lstsq(X64, y64)[0])


def measure() -> dict:
    import numpy as np
    import scipy
    import sklearn

    import tessera

    rows = []
    for name, dtype, ours, theirs, exact in cases():
        times = {"tessera": [], "other": []}
        for _ in range(TURNS):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the other's, of its limit of iterations
                for key, call in (("tessera", ours), ("other", theirs)):
                    seconds, result = seconds_of(call)
                    times[key].append(seconds)
                    times[key + " result"] = np.ravel(result).astype(float)
        right = np.ravel(exact()).astype(float)
        differences = [float(np.abs(times[key + " result"] - right).max() / np.abs(right).max())
                       for key in ("tessera", "other")]
        rows.append({"name": name, "type": dtype, "tessera": min(times["tessera"]), "other": min(times["other"]),
                     "differences": differences})
        print(rows[-1], flush=True)
    context = {"script": "benchmarks/estimators.py", "commit": tessera.info()["commit"], "processor": processor(),
               "threads": tessera.threads(), "rows": ROWS, "cols": COLS,
               "versions": {"scikit-learn": sklearn.__version__, "SciPy": scipy.__version__, "NumPy": np.__version__}}
    return {"context": context, "results": rows}


def page(data: dict) -> str:
    context = data["context"]
    versions = ", ".join(f"{name} {version}" for name, version in context["versions"].items())
    lines = [
        "# Estimators compared with scikit-learn and SciPy", "",
        f"Made by `benchmarks/estimators.py` from [estimators.json](estimators.json). {context['rows']} x {context['cols']} random numbers on "
        f"{context['processor']['name']}, {context['threads']} threads. Tessera at commit {context['commit']}, {versions}.", "",
        f"Each runs with its default options unless the row names others, so tolerances differ. A time is the fastest of {TURNS} runs, "
        "taken in turn. An error is the largest difference of coefficients or variances from precise ones in double, relative to the "
        "largest of them.", "",
        "By default, Tessera makes the whole Gram matrix or Hessian of up to 512 columns, with few passes over X and standard errors. "
        "`solver` chooses other methods.", "",
        "| estimator | type | Tessera, s | other, s | ratio | error, Tessera | error, other |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in data["results"]:
        lines.append(f"| {row['name']} | {row['type']} | {row['tessera']:.2f} | {row['other']:.2f} | "
                     f"{ratio(row['other'], row['tessera'])} | " + " | ".join(f"{d:.0e}" for d in row["differences"]) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    FILE = FOLDER / "estimators.json"
    run_before_page(__doc__, lambda _: write(measure(), FILE), lambda: page(json.loads(FILE.read_text())), FILE)
