# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Estimators: scikit-learn's own checks, its results, and matrices in files."""

import doctest
import subprocess
import sys

import numpy as np
import pytest

import tessera

pytest.importorskip("sklearn", minversion="1.6")

from sklearn import datasets, decomposition, linear_model
from sklearn.utils.estimator_checks import parametrize_with_checks

from tessera import sklearn as of_tessera

ESTIMATORS = [
    of_tessera.LinearRegression(),
    of_tessera.LogisticRegression(),
    of_tessera.PCA(),
    of_tessera.PoissonRegressor(),
    of_tessera.Ridge(),
    of_tessera.TruncatedSVD(),
    of_tessera.TruncatedSVD(algorithm="randomized"),
]


@parametrize_with_checks(ESTIMATORS)
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


def scaled(X):
    return (X - X.mean(0)) / X.std(0)


def stream_of(X, tmp_path):
    np.save(tmp_path / "x.npy", X)
    return tessera.open(tmp_path / "x.npy", memory_limit="1MiB")


def close(found, expected, **tolerances):
    np.testing.assert_allclose(found, expected, **{"rtol": 1e-6, "atol": 1e-6, **tolerances})


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("name", ["LinearRegression", "Ridge"])
def test_linear_models(name, intercept, tmp_path):
    X, y = datasets.load_diabetes(return_X_y=True)
    found = getattr(of_tessera, name)(fit_intercept=intercept, tol=1e-12).fit(X, y)
    expected = getattr(linear_model, name)(fit_intercept=intercept).fit(X, y)
    close(found.coef_, expected.coef_)
    close(found.intercept_, expected.intercept_)
    close(found.predict(X), expected.predict(X))
    close(found.score(X, y), expected.score(X, y))
    stream = stream_of(X, tmp_path)
    again = getattr(of_tessera, name)(fit_intercept=intercept, tol=1e-12).fit(stream, y)
    assert again.coef_.tobytes() == found.coef_.tobytes()
    assert again.predict(stream).tobytes() == found.predict(X).tobytes()


@pytest.mark.parametrize("C", [0.01, 1.0])
def test_logistic_regression(C, tmp_path):
    X, y = datasets.load_breast_cancer(return_X_y=True)
    X, names = scaled(X), np.array(["malignant", "benign"])[y]
    found = of_tessera.LogisticRegression(C=C, tol=1e-10).fit(X, names)
    expected = linear_model.LogisticRegression(C=C, tol=1e-10, max_iter=10000).fit(X, names)
    assert found.classes_.tolist() == ["benign", "malignant"]
    close(found.coef_, expected.coef_, rtol=1e-4)
    close(found.intercept_, expected.intercept_, rtol=1e-4)
    close(found.predict_proba(X), expected.predict_proba(X), atol=1e-4)
    assert (found.predict(X) == expected.predict(X)).all()
    stream = stream_of(X, tmp_path)
    again = of_tessera.LogisticRegression(C=C, tol=1e-10).fit(stream, names)
    assert again.coef_.tobytes() == found.coef_.tobytes()
    assert (again.predict(stream) == found.predict(X)).all()


def test_poisson_regression(tmp_path):
    X, y = datasets.load_diabetes(return_X_y=True)
    X = scaled(X)
    found = of_tessera.PoissonRegressor(alpha=0.1, tol=1e-10).fit(X, y)
    expected = linear_model.PoissonRegressor(alpha=0.1, tol=1e-10, max_iter=10000).fit(X, y)
    close(found.coef_, expected.coef_, rtol=1e-4)
    close(found.predict(X), expected.predict(X), rtol=1e-4)
    close(found.score(X, y), expected.score(X, y))
    again = of_tessera.PoissonRegressor(alpha=0.1, tol=1e-10).fit(stream_of(X, tmp_path), y)
    assert again.coef_.tobytes() == found.coef_.tobytes()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_projections(dtype, tmp_path):
    X = datasets.load_digits().data.astype(dtype)
    stream = stream_of(X, tmp_path)
    tolerance = {"rtol": 1e-3, "atol": 2e-3} if dtype == np.float32 else {}
    for name in ("PCA", "TruncatedSVD"):
        found = getattr(of_tessera, name)(n_components=3).fit(X)
        exact = {"PCA": {"svd_solver": "full"}, "TruncatedSVD": {"algorithm": "arpack"}}[name]
        expected = getattr(decomposition, name)(n_components=3, **exact).fit(X)
        close(found.singular_values_, expected.singular_values_, **tolerance)
        signs = np.sign((found.components_ * expected.components_).sum(1))
        close(found.components_ * signs[:, None], expected.components_, **tolerance)
        points = found.transform(X)
        assert points.dtype == dtype
        close(points * signs, expected.transform(X), **tolerance)
        close(found.inverse_transform(points), expected.inverse_transform(points * signs), **tolerance)
        again = getattr(of_tessera, name)(n_components=3).fit(stream)
        assert again.components_.tobytes() == found.components_.tobytes()
        close(again.transform(stream), points, **tolerance)
        names = found.get_feature_names_out().tolist()
        assert names == [f"{name.lower()}{i}" for i in range(3)]
    ratio = of_tessera.PCA(n_components=3).fit(X).explained_variance_ratio_
    close(ratio, decomposition.PCA(n_components=3).fit(X).explained_variance_ratio_, **tolerance)


def test_randomized_algorithm(tmp_path):
    X = datasets.load_digits().data
    arguments = {"n_components": 3, "algorithm": "randomized", "n_iter": 20}
    found = of_tessera.TruncatedSVD(**arguments).fit(X)
    expected = of_tessera.TruncatedSVD(3).fit(X)
    close(found.singular_values_, expected.singular_values_)
    close(found.components_, expected.components_, atol=1e-5)
    again = of_tessera.TruncatedSVD(**arguments).fit(stream_of(X, tmp_path))
    assert again.components_.tobytes() == found.components_.tobytes()
    with pytest.raises(ValueError, match='algorithm must be "lanczos" or "randomized", found \'arpack\''):
        of_tessera.TruncatedSVD(algorithm="arpack").fit(X)


def test_refusals(tmp_path):
    X, y = datasets.load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="OneVsRestClassifier makes it binary"):
        of_tessera.LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match="y must not be negative"):
        of_tessera.PoissonRegressor().fit(X, y - 1)
    with pytest.raises(ValueError, match="C must be positive, found 0"):
        of_tessera.LogisticRegression(C=0).fit(X, y)
    stream = stream_of(X, tmp_path)
    with pytest.raises(ValueError, match="y has 3 entries, and X 150 rows"):
        of_tessera.Ridge().fit(stream, y[:3])
    with pytest.raises(ValueError, match="X has 4 features, but Ridge is expecting 2 features"):
        of_tessera.Ridge().fit(X[:, :2], y).predict(stream)
    with pytest.raises(ValueError, match="n_components=9 must be between 1 and"):
        of_tessera.PCA(n_components=9).fit(X)


def test_what_does_not_converge_warns():
    from sklearn.exceptions import ConvergenceWarning

    X, y = datasets.load_breast_cancer(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="the limit of iterations was reached"):
        of_tessera.LogisticRegression(max_iter=1).fit(scaled(X), y)


def test_without_scikit_learn():
    program = "import sys; sys.modules['sklearn'] = None\nimport tessera\ntry:\n import tessera.sklearn\n"
    program += "except ImportError as error: print(error)"
    done = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True, timeout=100, check=True)
    assert done.stdout == "tessera.sklearn needs scikit-learn 1.6 or newer\n"


def test_examples():
    assert doctest.testmod(of_tessera).failed == 0
