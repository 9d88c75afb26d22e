# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Products and solvers of matrices of 8- and 16-bit elements have the bits of those of the widened matrix."""

import subprocess
import sys

import numpy as np
import pytest

import tessera
from tessera import linalg

TYPES = ["float16", "int8", "uint8", "int16", "uint16"]
SHAPES = [(1, 1), (7, 5), (3, 300), (1000, 17), (257, 1025)]


def numbers(shape, name, seed=1):
    random = np.random.default_rng(seed)
    if name == "float16":
        return random.standard_normal(shape).astype(np.float16)
    limits = np.iinfo(name)
    return random.integers(limits.min, limits.max, shape, dtype=name, endpoint=True)


def floats(shape, seed=2):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def same(a, b):
    assert a.dtype == b.dtype == np.float32
    assert a.tobytes() == b.tobytes()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", TYPES)
def test_products_have_the_bits_of_the_widened_matrix(name, shape):
    m, n = shape
    whole = numbers((m + 1, n + 1), name)
    for A in (numbers(shape, name), np.asfortranarray(numbers(shape, name)), whole[1:, 1:], np.asfortranarray(whole)[1:, 1:]):
        wide = A.astype(np.float32)
        for width in ((), (3,)):
            x, u = floats((n, *width)), floats((m, *width), 3)
            same(tessera.matvec(A, x), tessera.matvec(wide, x))
            same(tessera.rmatvec(A, u), tessera.rmatvec(wide, u))
            same(tessera.atax(A, x), tessera.atax(wide, x))


def test_terms_of_atax_are_those_of_the_widened_matrix():
    A, v, w, z = numbers((50, 20), "int8"), floats(20), floats(50, 3), floats(20, 4)
    wide = A.astype(np.float32)
    for terms in ({"weights": w}, {"minus": w, "alpha": -2.0}, {"map": "logistic", "minus": w}, {"z": z, "beta": 0.5}):
        c, b = tessera.atax(A, v, **terms, return_b=True)
        expected_c, expected_b = tessera.atax(wide, v, **terms, return_b=True)
        same(c, expected_c)
        same(b, expected_b)
    out = np.empty(20, np.float32)
    assert tessera.atax(A, v, out=out) is out
    same(out, tessera.atax(wide, v))


def test_infinities_and_nan_pass():
    A = np.array([[np.inf, 1.0], [np.nan, 6e-8]], np.float16)
    result = tessera.matvec(A, np.ones(2, np.float32))
    assert result[0] == np.inf and np.isnan(result[1])
    same(tessera.matvec(A[1:, 1:], np.ones(1, np.float32)), A[1:, 1].astype(np.float32))


def test_doubles_need_a_copy():
    A, x = numbers((6, 4), "uint8"), np.ones(4)
    with pytest.raises(TypeError, match=r"tessera.matvec: vectors must be float32 for A of uint8, found float64 of shape \(4,\); copy=True"):
        tessera.matvec(A, x)
    np.testing.assert_array_equal(tessera.matvec(A, x, copy=True), A.astype(float) @ x)
    assert tessera.matvec(A, x, copy=True).dtype == np.float64
    same(tessera.matvec(A, x.astype(np.float32), copy=True), tessera.matvec(A, x.astype(np.float32)))


def test_other_calls_refuse_them():
    A, x = numbers((6, 4), "uint8"), np.ones(4, np.float32)
    for call in (lambda: tessera.matvec_both(A, x, np.ones(6, np.float32)), lambda: tessera.matmul(A, A.T)):
        with pytest.raises(TypeError, match="A must be float32 or float64, found uint8"):
            call()
    with pytest.raises(TypeError, match="A must be float32 or float64, found int64"):
        tessera.matvec(A.astype(np.int64), x)
    with pytest.raises(TypeError, match="out must be float32 as a vector of A of shape"):
        tessera.matvec(A, x, out=np.empty(6))
    with pytest.raises(ValueError, match="x must have shape"):
        tessera.matvec(A, x[:3])


def test_bfloat16_of_torch():
    torch = pytest.importorskip("torch")
    A = torch.from_numpy(floats((40, 30))).to(torch.bfloat16)
    x = torch.from_numpy(floats(30))
    assert torch.equal(tessera.atax(A, x), tessera.atax(A.to(torch.float32), x))


def test_bfloat16_of_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    A, x = floats((40, 30)).astype(ml_dtypes.bfloat16), floats(30)
    same(tessera.atax(A, x), tessera.atax(A.astype(np.float32), x))
    with pytest.raises(TypeError, match="found bfloat16"):
        tessera.matmul(A, A)


def counts(name, shape=(700, 12), seed=5):
    """Columns that differ, of small numbers."""
    return (np.random.default_rng(seed).poisson(3, shape) + np.arange(shape[1]) % 5).astype(name)


B = floats(700, 6)

SOLVERS = {
    "lsmr": lambda A: linalg.lsmr(A, B, maxiter=5).x,
    "lsqr": lambda A: linalg.lsqr(A, B, iter_lim=5)[0],
    "lstsq": lambda A: linalg.lstsq(A, B)[0],
    "lstsq of two": lambda A: linalg.lstsq(A, np.stack([B, B[::-1]], axis=1))[0],
    "lstsq by rcond": lambda A: linalg.lstsq(A, B, rcond=1e-6)[0],
    "ridge": lambda A: linalg.ridge(A, B, 2.0).x,
    "ridge_path": lambda A: linalg.ridge_path(A, B, [1.0, 100.0])[1].x,
    "svds": lambda A: np.concatenate([x.ravel() for x in linalg.svds(A, 3)]),
    "iterative svds": lambda A: np.concatenate([x.ravel() for x in linalg.svds(A, 2, ncv=6)]),
    "randomized_svd": lambda A: np.concatenate([x.ravel() for x in linalg.randomized_svd(A, 3)]),
    "pca": lambda A: np.concatenate([x.ravel() for x in linalg.pca(A, 3)]),
    "pca of scaled columns": lambda A: np.concatenate([x.ravel() for x in linalg.pca(A, 3, scale=True)]),
}


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", TYPES)
def test_solvers_have_the_bits_of_the_widened_matrix(name, solver):
    solve = SOLVERS[solver]
    whole = counts(name, (701, 13))
    for A in (counts(name), np.asfortranarray(counts(name)), whole[1:, 1:], np.asfortranarray(whole)[1:, 1:]):
        same(solve(A), solve(A.astype(np.float32)))


def test_vectors_decide_the_type_of_solvers():
    A, b = counts("uint8"), B.astype(float)
    with pytest.raises(TypeError, match="tessera.linalg.lsmr: vectors must be float32 for A of uint8, found float64"):
        linalg.lsmr(A, b)
    for solve in (lambda A, b: linalg.lsmr(A, b, copy=True).x, lambda A, b: linalg.lstsq(A, b, copy=True)[0]):
        wide = solve(A.astype(float), b)
        assert wide.dtype == np.float64
        np.testing.assert_array_equal(solve(A, b), wide)
    two = np.stack([b, b], axis=1)
    np.testing.assert_array_equal(linalg.lstsq(A, two, copy=True)[0], linalg.lstsq(A.astype(float), two)[0])
    same(linalg.lsmr(A, B, copy=True).x, linalg.lsmr(A, B).x)
    same(linalg.svds(A, 2, copy=True)[1], linalg.svds(A, 2)[1])


def test_solvers_take_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    A = floats((300, 9)).astype(ml_dtypes.bfloat16)
    same(linalg.svds(A, 2)[1], linalg.svds(A.astype(np.float32), 2)[1])
    same(linalg.lstsq(A, floats(300))[0], linalg.lstsq(A.astype(np.float32), floats(300))[0])


@pytest.mark.parametrize("name", ["bfloat16", "float16", "uint8"])
def test_solvers_take_tensors(name):
    torch = pytest.importorskip("torch")
    A = torch.from_numpy(np.abs(floats((300, 9))) * 20).to(getattr(torch, name))
    b, wide = torch.from_numpy(floats(300)), A.to(torch.float32)
    for solve in (
        lambda A: linalg.lsmr(A, b).x,
        lambda A: linalg.lstsq(A, b)[0],
        lambda A: linalg.pca(A, 2, scale=True).components,
        lambda A: linalg.svds(A, 2, ncv=5)[1],
    ):
        found = solve(A)
        assert found.dtype == torch.float32
        assert torch.equal(found, solve(wide))


def test_check_widens():
    A, v = counts("int8"), floats(12)
    assert tessera.check(A, v, tessera.atax(A, v)).passed
    assert not tessera.check(A, v, tessera.atax(A, v) * 2).passed


@pytest.mark.parametrize("name", TYPES)
def test_estimators_have_the_bits_of_the_widened_matrix(name):
    estimators = pytest.importorskip("tessera.sklearn")
    A, labels = counts(name), np.arange(700) % 3
    wide = A.astype(np.float32)
    for model, y in (
        (estimators.LinearRegression(), B),
        (estimators.Ridge(), np.stack([B, B[::-1]], axis=1)),
        (estimators.RidgeCV(), B),
        (estimators.LogisticRegression(max_iter=5), labels),
        (estimators.LogisticRegression(max_iter=5), labels % 2),
        (estimators.PoissonRegressor(), labels),
        (estimators.LinearRegression(), B.astype(float)),
    ):
        fitted = [type(model)(**model.get_params()).fit(X, y) for X in (A, wide)]
        same(fitted[0].coef_, fitted[1].coef_)
        np.testing.assert_array_equal(fitted[0].intercept_, fitted[1].intercept_)
        np.testing.assert_array_equal(fitted[0].predict(A), fitted[1].predict(wide))
    for model in (estimators.PCA(3), estimators.TruncatedSVD(3), estimators.TruncatedSVD(3, algorithm="randomized")):
        fitted = [type(model)(**model.get_params()).fit(X) for X in (A, wide)]
        same(fitted[0].components_, fitted[1].components_)
        same(fitted[0].explained_variance_ratio_, fitted[1].explained_variance_ratio_)
        same(fitted[0].transform(A), fitted[1].transform(wide))


def test_a_model_of_doubles_predicts_of_narrow_rows():
    estimators = pytest.importorskip("tessera.sklearn")
    A = counts("uint8")
    model = estimators.LinearRegression().fit(A.astype(float), B.astype(float))
    np.testing.assert_array_equal(model.predict(A), model.predict(A.astype(float)))
    model = estimators.PCA(2).fit(A.astype(float))
    np.testing.assert_array_equal(model.transform(A), model.transform(A.astype(float)))


_PEAK = """
import resource, sys
import numpy as np
from tessera import linalg
rows, cols = 20000, 2000
A = np.random.default_rng(1).integers(0, 256, (rows, cols), dtype=np.uint8)
b = np.ones(rows, np.float32)
linalg.svds(A[:50], 1, ncv=5)  # what libraries allocate once
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
linalg.lsmr(A, b, maxiter=2)
linalg.randomized_svd(A, 4, n_iter=1)
try:
    linalg.pca(A, 2, scale=True, maxiter=1, ncv=5)
except np.linalg.LinAlgError:
    pass
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss has other units")
def test_no_solver_makes_a_widened_copy():
    """A has 38 MiB, 153 MiB as floats."""
    mebibytes = float(subprocess.run([sys.executable, "-c", _PEAK], capture_output=True, text=True, check=True).stdout)
    assert mebibytes < 60
