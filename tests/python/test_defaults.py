# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""What a first call gives on ordinary data, and how often it reads them."""

import warnings

import numpy as np
import pytest

from tessera import linalg

sklearn = pytest.importorskip("sklearn")
from sklearn import datasets, linear_model  # noqa: E402
from sklearn.exceptions import ConvergenceWarning  # noqa: E402

from tessera import sklearn as of_tessera  # noqa: E402

RNG = np.random.default_rng
X, Y = datasets.load_diabetes(return_X_y=True)

kind = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def reads_of(solve):
    steps = []
    solve(steps.append)
    return steps[-1].reads


@kind
def test_small_matrices_are_read_a_few_times(dtype):
    rng = RNG(1)
    a, b = rng.normal(size=(900, 80)).astype(dtype), rng.normal(size=900).astype(dtype)
    scaled = a * np.logspace(-4, 4, 80).astype(dtype)
    plain = reads_of(lambda tell: linalg.lstsq(a, b, callback=tell))
    most = 1 if dtype == np.float32 else 3  # float64: the Gram matrix and two corrections
    assert plain <= most
    assert reads_of(lambda tell: linalg.lstsq(scaled, b, callback=tell)) <= 1.5 * plain
    assert reads_of(lambda tell: linalg.ridge(a, b, 1.0, callback=tell)) <= most
    assert reads_of(lambda tell: linalg.pca(a, 10, callback=tell)) <= 3
    likely = rng.random(900) < 1 / (1 + np.exp(-a[:, :5].sum(1)))
    assert of_tessera.LogisticRegression(C=np.inf).fit(a, likely).n_reads_ <= 12


@kind
def test_falling_values_of_many_columns_take_few_reads(dtype):
    rng = RNG(2)
    q, p = (np.linalg.qr(rng.normal(size=(rows, 520)))[0] for rows in (600, 520))
    a = ((q * 0.7 ** np.arange(520)) @ p).astype(dtype)
    values = []
    assert reads_of(lambda tell: values.extend(linalg.svds(a, 10, callback=tell)[1])) <= 8
    np.testing.assert_allclose(values[::-1], 0.7 ** np.arange(10), rtol=0, atol=50 * np.finfo(dtype).eps)


@pytest.mark.parametrize("mean", [0, 10, 100, 1000, 1e4])
@pytest.mark.parametrize("estimator", [of_tessera.LinearRegression(), of_tessera.Ridge(alpha=1.0)])
def test_many_columns_far_from_the_origin(estimator, mean):
    rng = RNG(0)
    table = (rng.normal(size=(1500, 600)) + mean).astype("f4")
    exact = table.astype(float) - mean
    y = (exact @ rng.normal(size=600) + 5 * rng.normal(size=1500)).astype("f4")
    expected = linear_model.Ridge(alpha=1e-12 if type(estimator).__name__ == "LinearRegression" else 1.0).fit(exact, y)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = estimator.fit(table, y)
    eta = exact @ found.coef_.astype(float)
    eta += y.mean(dtype=float) - eta.mean()
    lost = ((eta - y) ** 2).sum() / ((expected.predict(exact) - y) ** 2).sum() - 1
    assert lost < 0.01 or (told and issubclass(told[0].category, ConvergenceWarning)), lost
    assert mean > 100 or (lost < 0.01 and not told)


def _residual(exact, found):
    """Largest residual of the components, relative to the square of the largest value."""
    v = found.components.T.astype(float)
    s = found.singular_values.astype(float)
    return np.linalg.norm(exact.T @ (exact @ v) - v * s**2, axis=0).max() / np.linalg.norm(exact, 2) ** 2


@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("shape", [(300, 900), (900, 600)])
def test_components_of_genotypes_are_accurate(shape, scale):
    rng = RNG(5)
    rows, cols = shape
    p = np.clip(rng.uniform(0.1, 0.9, cols) + 0.1 * rng.normal(size=(3, cols)), 0.05, 0.95)
    table = rng.binomial(2, p[np.arange(rows) % 3]).astype("f4")
    exact = table.astype(float) - table.mean(0, dtype=float)
    if scale:
        exact /= exact.std(0, ddof=1)
    found = linalg.pca(table, 5, scale=scale)  # the last three are noise
    s = np.linalg.svd(exact, compute_uv=False)
    eps = np.finfo("f4").eps
    np.testing.assert_allclose(found.singular_values, s[:5], rtol=0, atol=10 * eps * s[0])
    assert _residual(exact, found) < 48 * eps


@pytest.mark.parametrize("mean", [0, 10, 100, 1000, 1e4])
def test_components_of_many_columns_far_from_the_origin(mean):
    table = (RNG(0).normal(size=(200, 600)) + mean).astype("f4")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = linalg.pca(table, 3)
    lost = _residual(table.astype(float) - table.mean(0, dtype=float), found)
    assert lost < 60 * np.finfo("f4").eps or (told and told[0].category is linalg.ConvergenceWarning), lost
    assert lost < 3e-6 * max(mean, 1), lost
    assert mean > 10 or not told


@pytest.mark.parametrize("alpha", [1e-9, 1e-3, 1.0])
@pytest.mark.parametrize("data", [datasets.load_iris, datasets.load_wine])
def test_penalties_of_columns_far_from_the_origin_without_an_intercept(data, alpha):
    X, y = data(return_X_y=True)
    names = X.shape[1]
    for mean in (0, 1e3, 1e6):
        table = X + mean
        both = np.vstack([table, np.sqrt(alpha) * np.eye(names)])
        expected = np.linalg.lstsq(both, np.append(y, np.zeros(names)), rcond=None)[0]
        found = of_tessera.Ridge(alpha, fit_intercept=False).fit(table, y).coef_
        assert np.linalg.norm(found - expected) < 1e-7 * np.linalg.norm(expected), mean


@pytest.mark.parametrize("data", [datasets.load_iris, datasets.load_wine])
def test_penalties_that_rounding_hides_are_told(data):
    X, y = data(return_X_y=True)
    for mean in (1e7, 3e8):
        with pytest.warns(ConvergenceWarning, match="leave out columns that nearly depend"):
            of_tessera.Ridge(1e-3, fit_intercept=False).fit(X + mean, y)


@pytest.mark.parametrize("alpha", [1e-9, 1.0])
def test_a_penalty_divides_equal_columns(alpha):
    X, y = datasets.load_diabetes(return_X_y=True)
    found = of_tessera.Ridge(alpha).fit(np.hstack([X, X, X[:, :1]]), y).coef_
    np.testing.assert_allclose(found[:10], found[10:20], rtol=1e-6)
    np.testing.assert_allclose(found[0], found[20], rtol=1e-6)


@kind
def test_penalties_of_many_columns(dtype):
    rng = RNG(4)
    a = (rng.normal(size=(900, 600)) * np.logspace(-1, 1, 600)).astype(dtype)
    b = (a @ rng.normal(size=600) + rng.normal(size=900)).astype(dtype)
    exact = np.linalg.solve(a.T.astype(float) @ a + np.eye(600), a.T.astype(float) @ b)
    found = linalg.ridge(a, b, 1.0)
    assert found.istop != 7
    error = np.abs(found.x - exact).max() / np.abs(exact).max()
    assert error < (1e-3 if dtype == np.float32 else 1e-11), error


def _one_hot(count):
    return np.eye(4)[np.arange(count) % 4]


TABLES = {
    "column-major": np.asfortranarray(X),
    "every other row and column": X[::2, ::2],
    "backwards": X[::-1],
    "half": X.astype(np.float16),
    "whole numbers": np.round(X * 1000).astype(int),
    "far from the origin": X * 20 + 1e6,
    "a timestamp": np.c_[1.7e9 + 86400 * np.arange(442), X[:, 2:4]],
    "tiny": X * 1e-160,
    "huge": X * 1e160,
    "copies of columns": np.c_[X, X],
    "dummies of a factor": _one_hot(442),
    "a constant column": np.c_[X[:, :3], np.ones(442)],
    "constant columns": np.ones((442, 2)),
    "zeros": np.zeros((442, 3)),
    "two rows": X[:2],
    "one row": X[:1],
    "fewer rows than columns": X[:7],
    "one column": X[:, :1],
    "repeated rows": np.repeat(X[:20], 5, axis=0),
}


@pytest.mark.parametrize("name", TABLES)
def test_ordinary_tables_are_fitted_as_scikit_learn_does(name):
    table = TABLES[name]
    y = Y[: len(table)]
    found = of_tessera.LinearRegression().fit(table, y)
    exact = table.astype(float)
    # scikit-learn drops relatively small values.
    sizes = np.ptp(exact, axis=0)
    sizes[sizes <= 1e-15 * np.abs(exact).max(0)] = 1
    scale = 2.0 ** np.round(np.log2(sizes))
    even = (exact - exact.mean(0)) / scale
    expected = linear_model.LinearRegression().fit(even, y)
    eta = found.predict(table)
    np.testing.assert_allclose(eta, expected.predict(even), rtol=0, atol=1e-7 * np.abs(y).max())
    if name in ("copies of columns", "dummies of a factor", "constant columns", "zeros", "fewer rows than columns"):
        shortest = linear_model.LinearRegression().fit(exact, y)
        np.testing.assert_allclose(found.coef_, shortest.coef_, rtol=1e-6, atol=1e-6 * max(1, np.abs(shortest.coef_).max()))


def test_frames_of_pandas():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=[f"c{i}" for i in range(10)])
    found = of_tessera.LinearRegression().fit(frame, pandas.Series(Y))
    assert found.coef_.tobytes() == of_tessera.LinearRegression().fit(X, Y).coef_.tobytes()
    assert found.summary().splitlines()[1].startswith("c0 ")
    assert linalg.svds(frame, 2, copy=True)[1].tobytes() == linalg.svds(X, 2)[1].tobytes()


def test_answers_that_are_constant():
    found = of_tessera.LinearRegression().fit(X, np.full(442, 3.0))
    assert not found.coef_.any() and found.intercept_ == 3
    assert found.score(X, np.full(442, 3.0)) == 1


@pytest.mark.parametrize("k", [1, 10])
def test_all_values_of_a_table(k):
    np.testing.assert_allclose(linalg.svds(X, k)[1][::-1], np.linalg.svd(X, compute_uv=False)[:k], rtol=1e-13)
    with pytest.raises(ValueError, match=r"0 < k <= min\(A.shape\)`, found 11"):
        linalg.svds(X, 11)


@kind
def test_uneven_norms_of_many_columns(dtype):
    rng = RNG(5)
    even = rng.normal(size=(900, 600)).astype(dtype)
    units = (2.0 ** rng.integers(-13, 14, size=600)).astype(dtype)
    b = (even @ rng.normal(size=600) + rng.normal(size=900)).astype(dtype)
    exact = np.linalg.lstsq(even.astype(float), b.astype(float))[0]
    near = 1e-3 if dtype == np.float32 else 1e-11
    plain = reads_of(lambda tell: linalg.lstsq(even, b, callback=tell))
    assert reads_of(lambda tell: linalg.lstsq(even * units, b, callback=tell)) <= 1.5 * plain
    x = linalg.lstsq(even * units, b)[0]
    assert np.abs(x * units - exact).max() / np.abs(exact).max() < near
    all_rows = np.vstack([(even * units).astype(float), np.eye(600)])
    norms = np.linalg.norm(all_rows, axis=0)
    exact = np.linalg.lstsq(all_rows / norms, np.append(b, np.zeros(600)))[0] / norms
    found = linalg.ridge(even * units, b, 1.0)
    assert found.has_scaled_columns
    assert not linalg.ridge(even, b, 1.0).has_scaled_columns
    assert np.abs((found.x - exact) * units).max() / np.abs(exact * units).max() < near
