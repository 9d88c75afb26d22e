# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Least squares, singular values and components of matrices that are hard, or degenerate, against LAPACK."""

from fractions import Fraction

import numpy as np
import pytest

from known_answers import FAMILIES, NIST, nist, right_digits

scipy_linalg = pytest.importorskip("scipy.linalg")
linalg = pytest.importorskip("tessera.linalg")
LinearRegression = pytest.importorskip("tessera.sklearn").LinearRegression


RNG = np.random.default_rng

family = pytest.mark.parametrize("name", FAMILIES)
kind = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def _matrix(name, dtype):
    return np.ascontiguousarray(FAMILIES[name], dtype=dtype)


def _values(a):
    return np.linalg.svd(a.astype(np.float64), compute_uv=False)


@family
@kind
@pytest.mark.parametrize("part", [1, 0.5, 0.2])
def test_svds_has_every_value(name, dtype, part):
    a = _matrix(name, dtype)
    k = max(1, int(part * min(a.shape)))
    eps = float(np.finfo(dtype).eps)
    u, s, vh = linalg.svds(a, k)
    expected = _values(a)[:k][::-1]
    largest = expected[-1]
    few = 10 + 2 * np.sqrt(max(a.shape))
    np.testing.assert_allclose(s, expected, rtol=0, atol=few * eps * largest)
    wide = np.float64
    np.testing.assert_allclose(u.T.astype(wide) @ u, np.eye(k), rtol=0, atol=few * eps)
    np.testing.assert_allclose(vh.astype(wide) @ vh.T, np.eye(k), rtol=0, atol=few * eps)
    for residual in (a.astype(wide) @ vh.T - u * s.astype(wide), a.T.astype(wide) @ u - vh.T * s.astype(wide)):
        assert np.linalg.norm(residual, axis=0).max() <= few * eps * largest
    # Positive: the first entry of about the largest size.
    at = (np.abs(vh) > (1 - 1e-5) * np.abs(vh).max(1, keepdims=True)).argmax(1)
    assert (vh[np.arange(k), at] > 0).all()


@family
@kind
@pytest.mark.parametrize("scale", [False, True])
def test_pca_explains_all_variance(name, dtype, scale):
    a = _matrix(name, dtype)
    if a.shape[0] < 2:
        pytest.skip("one observation has no variance")
    eps = float(np.finfo(dtype).eps)
    k = min(a.shape)
    found = linalg.pca(a, k, scale=scale)
    wide = a.astype(np.longdouble)
    centred = wide - wide.mean(0)
    deviation = np.sqrt((centred**2).sum(0) / (len(a) - 1))
    varies = np.ptp(wide, axis=0) > 0
    if scale:
        centred = centred[:, varies] / deviation[varies]
    s = np.linalg.svd(centred.astype(np.float64), compute_uv=False) if centred.size else np.zeros(k)
    s = np.concatenate([s, np.zeros(k)])[:k]
    few = 10 + 2 * np.sqrt(max(a.shape))
    np.testing.assert_allclose(found.singular_values, s, rtol=0, atol=few * eps * max(s[0], 1e-300))
    np.testing.assert_allclose(found.mean, wide.mean(0).astype(float), rtol=4 * eps, atol=eps * np.abs(a).max())
    assert ((np.asarray(found.deviation) > 0) == varies).all()
    np.testing.assert_allclose(found.deviation, deviation.astype(float) * varies, rtol=50 * eps, atol=0)
    components = found.components.astype(np.float64)
    np.testing.assert_allclose(components @ components.T, np.eye(k), rtol=0, atol=few * eps)
    if s[0] > 0:
        np.testing.assert_allclose(sum(found.explained_variance_ratio.astype(float)), 1, atol=few * eps)
        np.testing.assert_allclose(
            found.explained_variance, s**2 / (len(a) - 1), rtol=0, atol=2 * few * eps * s[0] ** 2 / (len(a) - 1)
        )


def _sides(a, rng):
    x = rng.normal(size=a.shape[1])
    consistent = a.astype(np.float64) @ x
    return {"consistent": consistent, "far": consistent + rng.normal(size=a.shape[0])}


@family
@kind
@pytest.mark.parametrize("side", ["consistent", "far"])
def test_lstsq_is_as_good_as_lapack(name, dtype, side):
    """The residual is no larger than LAPACK's, and where the rank is full, so is the error's bound."""
    a = _matrix(name, dtype)
    eps = float(np.finfo(dtype).eps)
    b = _sides(a, RNG(20))[side].astype(dtype)
    x, residues, rank, _ = linalg.lstsq(a, b)
    expected = scipy_linalg.lstsq(a, b)
    wide = a.astype(np.longdouble)
    norm = lambda x: float(np.sqrt(((wide @ x.astype(np.longdouble) - b) ** 2).sum()))
    size = float(np.linalg.norm(a.astype(float))) * float(np.linalg.norm(x.astype(float)))
    rounding = 20 * eps * (size + float(np.linalg.norm(b.astype(float))))
    assert norm(x) <= norm(expected[0]) + rounding
    if residues.size if hasattr(residues, "size") else False:
        assert abs(np.sqrt(float(residues)) - norm(x)) <= rounding
    s = np.linalg.svd(a.astype(float) / np.maximum(np.linalg.norm(a.astype(float), axis=0), 1e-300), compute_uv=False)
    if rank == a.shape[1] == expected[2]:
        best = np.linalg.lstsq(a.astype(np.float64), b.astype(np.float64), rcond=0)[0]
        condition = s[0] / s[-1]
        slack = 50 * eps * condition * (1 + condition * norm(best) / max(size, 1e-300))
        units = np.linalg.norm(a.astype(float), axis=0)
        assert (np.abs(x - best) * units).max() <= slack * (np.abs(best) * units).max()
    elif rank < a.shape[1] and rank == expected[2] and name not in ("hilbert", "vandermonde", "kahan", "graded"):
        assert float(np.linalg.norm(x.astype(float))) <= (1 + 1e3 * eps) * float(np.linalg.norm(expected[0].astype(float)))


@family
@kind
@pytest.mark.parametrize("alpha", [1e-8, 1e-2, 10.0])
def test_ridge_has_a_zero_gradient(name, dtype, alpha):
    a = _matrix(name, dtype)
    eps = float(np.finfo(dtype).eps)
    b = _sides(a, RNG(21))["far"].astype(dtype)
    found = linalg.ridge(a, b, alpha)
    assert found.istop in (1, 2)
    wide = np.vstack([a.astype(np.float64), np.sqrt(alpha) * np.eye(a.shape[1])])
    right = np.concatenate([b.astype(np.float64), np.zeros(a.shape[1])])
    expected = np.linalg.lstsq(wide, right, rcond=0)[0]
    units = np.linalg.norm(wide, axis=0)
    s = np.linalg.svd(wide / units, compute_uv=False)
    condition = s[0] / s[-1]
    residual = np.linalg.norm(wide @ expected - right)
    slack = 50 * eps * condition * (1 + condition * residual / np.linalg.norm(units * expected))
    assert (np.abs(found.x - expected) * units).max() <= max(slack, 50 * eps) * (np.abs(expected) * units).max()
    size = np.linalg.norm(wide) * np.linalg.norm(found.x) + np.linalg.norm(right)
    np.testing.assert_allclose(found.normr, np.linalg.norm(wide @ found.x - right), rtol=100 * eps, atol=50 * eps * size)


def _exact(a, b):
    """The solution in rational numbers, rounded."""
    rows = [[Fraction(float(x)) for x in row] for row in a]
    right = [Fraction(float(x)) for x in b]
    n = a.shape[1]
    g = [[sum(row[i] * row[j] for row in rows) for j in range(n)] for i in range(n)]
    h = [sum(row[i] * y for row, y in zip(rows, right)) for i in range(n)]
    for i in range(n):
        for k in range(i + 1, n):
            factor = g[k][i] / g[i][i]
            g[k] = [x - factor * y for x, y in zip(g[k], g[i])]
            h[k] -= factor * h[i]
    x = [Fraction(0)] * n
    for i in reversed(range(n)):
        x[i] = (h[i] - sum(g[i][j] * x[j] for j in range(i + 1, n))) / g[i][i]
    return np.array([float(value) for value in x])


T = np.linspace(-8.8, -3.1, 82)
REGRESSIONS = {
    "line": (np.column_stack([np.ones(36), np.linspace(0.2, 999, 36)]), np.linspace(0.1, 998, 36) + np.sin(np.arange(36))),
    "degree_10": (np.vander(T, 11, increasing=True), 0.85 + 0.05 * np.sin(3 * T) + 0.01 * np.cos(40 * T)),
}


@pytest.mark.parametrize("name", REGRESSIONS)
def test_regressions_have_as_many_digits_as_lapack(name):
    a, b = REGRESSIONS[name]
    exact = _exact(a, b)
    found = right_digits(linalg.lstsq(np.ascontiguousarray(a), b)[0], exact)
    lapack = max(right_digits(np.linalg.lstsq(a, b, rcond=rcond)[0], exact) for rcond in (None, 0))
    print(f"{name}: {found:.1f} digits, LAPACK {lapack:.1f}")
    assert found >= min(lapack, 15) - 1


@pytest.mark.parametrize("name", NIST)
def test_certified_regressions_have_as_many_digits_as_lapack(name):
    X, y, has_intercept, certified = nist(name)
    A = np.column_stack([np.ones(len(X)), X]) if has_intercept else X
    lapack = max(right_digits(np.linalg.lstsq(A, y, rcond=rcond)[0], certified) for rcond in (None, 0))
    best = right_digits(_exact(A, y), certified)
    assert right_digits(linalg.lstsq(A, y)[0], certified) >= min(lapack, best - 1) - 0.5


@pytest.mark.parametrize("name", NIST)
def test_linear_regression_has_as_many_digits_as_lapack_of_centred_columns(name):
    X, y, has_intercept, certified = nist(name)
    means, mean = (X.mean(axis=0), y.mean()) if has_intercept else (np.zeros(X.shape[1]), 0.0)
    of_lapack = np.linalg.lstsq(X - means, y - mean, rcond=None)[0]
    model = LinearRegression(fit_intercept=has_intercept).fit(X, y)

    def digits(coefficients, intercept):
        return right_digits(np.r_[intercept, coefficients] if has_intercept else coefficients, certified)

    lapack = digits(of_lapack, mean - means @ of_lapack)
    found = digits(model.coef_, model.intercept_)
    print(f"{name}: {found:.1f} digits, LAPACK {lapack:.1f}")
    best = right_digits(_exact(np.column_stack([np.ones(len(X)), X]) if has_intercept else X, y), certified)
    assert found >= min(lapack, best - 1) - 0.5
