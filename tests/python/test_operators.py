# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""SciPy's solvers on linear operators of tessera's."""

import numpy as np
import pytest

import tessera

linalg = pytest.importorskip("scipy.sparse.linalg")

A = np.random.default_rng(1).standard_normal((60, 20))
B = np.random.default_rng(2).standard_normal(60)


@pytest.fixture(params=["array", "Fortran", "stream"])
def a(request):
    if request.param == "Fortran":
        return np.asfortranarray(A)
    if request.param == "stream":
        return tessera.from_callback(60, 20, lambda rows, cols: A[rows, cols])
    return A


def test_solvers_that_take_a_matrix(a):
    operator = tessera.aslinearoperator(a)
    assert operator.shape == (60, 20) and operator.dtype == np.float64
    expected = np.linalg.lstsq(A, B)[0]
    np.testing.assert_allclose(linalg.lsqr(operator, B, atol=1e-14, btol=1e-14)[0], expected, rtol=1e-10)
    np.testing.assert_allclose(linalg.lsmr(operator, B, atol=1e-14, btol=1e-14)[0], expected, rtol=1e-10)
    values = np.linalg.svd(A, compute_uv=False)
    np.testing.assert_allclose(np.sort(linalg.svds(operator, 3)[1])[::-1], values[:3], rtol=1e-10)


@pytest.mark.parametrize("shift", [0.0, 2.5])
def test_solvers_that_take_a_normal_matrix(a, shift):
    operator = tessera.NormalOperator(a, shift=shift)
    normal = A.T @ A + shift * np.eye(20)
    assert operator.shape == (20, 20)
    x = np.random.default_rng(3).standard_normal((20, 3))
    np.testing.assert_allclose(operator @ x, normal @ x, rtol=1e-12)
    np.testing.assert_allclose(operator @ x[:, 0], normal @ x[:, 0], rtol=1e-12)
    assert (operator @ x[:, :1]).shape == operator.matmat(x[:, :1]).shape == (20, 1)
    found, status = linalg.cg(operator, A.T @ B, rtol=1e-12)
    assert status == 0
    np.testing.assert_allclose(found, np.linalg.solve(normal, A.T @ B), rtol=1e-8)
    largest = np.linalg.eigvalsh(normal)[-2:]
    np.testing.assert_allclose(np.sort(linalg.eigsh(operator, 2)[0]), largest, rtol=1e-10)
    start = np.random.default_rng(4).standard_normal((20, 2))
    found = linalg.lobpcg(operator, start, maxiter=500, tol=1e-9)[0]
    np.testing.assert_allclose(np.sort(found), largest, rtol=1e-8)


@pytest.mark.parametrize("make", [tessera.aslinearoperator, tessera.NormalOperator])
def test_refusals(make):
    with pytest.raises(TypeError, match=r"float32 or float64, found int64 of shape \(60, 20\)"):
        make(A.astype(np.int64))
    with pytest.raises(TypeError, match="float32 or float64, found list"):
        make([[1.0]])
    with pytest.raises(ValueError, match=r"two dimensions, found shape \(60,\)"):
        make(B)
    with pytest.raises(TypeError, match=r"expected an array of real numbers, found complex128 of shape \(20,\)"):
        make(A) @ np.full(20, 1j)


@pytest.mark.parametrize("make", [tessera.aslinearoperator, tessera.NormalOperator])
def test_masks(make):
    for masked in (np.ma.masked_greater(A, 1.0), np.ma.array(A)):
        with pytest.raises(TypeError, match=r"A must not be a masked array; pass its filled\(\.\.\.\)"):
            make(masked)
    operator = make(A)
    x, X = np.arange(20.0), np.arange(40.0).reshape(20, 2)
    v, V = (B, A[:, :2]) if operator.shape[0] == 60 else (x, X)

    def masked(y):
        return np.ma.masked_greater(y, 0.5)

    for call in (
        lambda: operator @ masked(x),
        lambda: operator @ masked(X),
        lambda: operator @ masked(X[:, :1]),
        lambda: operator @ [0.0, np.ma.masked, *x[2:]],
        lambda: operator.dot(masked(x)),
        lambda: operator(masked(x)),
        lambda: operator.matvec(masked(x)),
        lambda: operator.matmat(masked(X)),
        lambda: operator.rmatvec(masked(v)),
        lambda: operator.rmatmat(masked(V)),
    ):
        with pytest.raises(TypeError, match=r"x must not have masked elements; pass its filled\(\.\.\.\)"):
            call()
    np.testing.assert_array_equal(operator @ np.ma.array(x), operator @ x)
    np.testing.assert_array_equal((2 * operator) @ x, 2 * (operator @ x))
    assert (operator @ operator.T).shape == (operator.shape[0],) * 2


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_negative_strides(dtype):
    a = A.astype(dtype)
    x, u = np.arange(20.0).astype(dtype), np.arange(60.0).astype(dtype)
    X, U = np.arange(40.0).reshape(20, 2).astype(dtype), np.arange(120.0).reshape(60, 2).astype(dtype)
    for operator in (tessera.aslinearoperator(a), tessera.NormalOperator(a), tessera.NormalOperator(a, shift=2.0)):
        v, V = (u, U) if operator.shape[0] == 60 else (x, X)
        for y in (x[::-1], X[:, ::-1], X[::-1], np.broadcast_to(x[:1], 20)):
            assert (operator @ y).tobytes() == (operator @ y.copy()).tobytes()
        for y in (v[::-1], V[:, ::-1], V[::-1]):
            found = operator.rmatvec(y) if y.ndim == 1 else operator.rmatmat(y)
            expected = operator.rmatvec(y.copy()) if y.ndim == 1 else operator.rmatmat(y.copy())
            assert found.tobytes() == expected.tobytes()
    s = linalg.svds(tessera.aslinearoperator(a), 3, solver="lobpcg", rng=0)[1]
    np.testing.assert_allclose(np.sort(s), np.sort(np.linalg.svd(a, compute_uv=False))[-3:], rtol=1e-3)


def test_operators_copy_on_request():
    counts = np.arange(12).reshape(4, 3)
    apart = np.arange(48.0).reshape(8, 6)[::2, ::2]
    for a in (counts, counts.astype(np.float16), counts.tolist(), apart, apart[:, ::-1]):
        dense = np.asarray(a, np.float64)
        for make in (tessera.aslinearoperator, tessera.NormalOperator):
            with pytest.raises((TypeError, ValueError, AttributeError)):
                make(a) @ np.ones(3)
            expected = dense @ np.ones(3)
            expected = expected if make is tessera.aslinearoperator else dense.T @ expected
            np.testing.assert_allclose(make(a, copy=True) @ np.ones(3), expected)
    plain = np.ones((4, 3))
    operator = tessera.aslinearoperator(plain, copy=True)
    plain[:] = 2
    assert (operator @ np.ones(3)).tolist() == [6] * 4
    assert tessera.check([[1, 2], [3, 4]], [1, -1], [-4, -6], copy=True).passed
    assert tessera.check(plain.T[:, ::2], np.ones(2), [24.0, 24.0], copy=True).passed
