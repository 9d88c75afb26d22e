# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""What the functions compute: whole numbers, exactly as NumPy has them."""

import numpy as np
import pytest

import tessera

TYPES = [np.float32, np.float64]
LAYOUTS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "strided rows": lambda a: _padded(a)[:, : a.shape[1]],
    "strided columns": lambda a: _padded(a.T)[:, : a.shape[0]].T,
    "every other row": lambda a: np.repeat(a, 2, axis=0)[::2],
}


def _padded(a):
    wide = np.full((a.shape[0], a.shape[1] + 3), np.nan, a.dtype)
    wide[:, : a.shape[1]] = a
    return wide


def whole(shape, dtype, seed=0):
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(dtype)


def equal(found, expected):
    assert type(found) is np.ndarray
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.fixture(params=TYPES)
def dtype(request):
    return request.param


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(1, 1), (3, 4), (70, 33), (5, 300), (1, 7), (7, 1)])
def test_products_of_every_layout(dtype, layout, shape):
    a = LAYOUTS[layout](whole(shape, dtype))
    m, n = shape
    v, u = whole(n, dtype, 1), whole(m, dtype, 2)
    equal(tessera.atax(a, v), a.T @ (a @ v))
    equal(tessera.matvec(a, v), a @ v)
    equal(tessera.rmatvec(a, u), a.T @ u)
    equal(tessera.aatx(a, u), a @ (a.T @ u))
    y, w = tessera.matvec_both(a, v, u)
    equal(y, a @ v)
    equal(w, a.T @ u)
    equal(tessera.transpose(a), a.T)
    equal(tessera.matmul(a, a.T), a @ a.T)


def test_vectors_of_any_stride(dtype):
    a = whole((6, 5), dtype)
    v = whole(15, dtype)[::3]
    equal(tessera.atax(a, v), a.T @ (a @ v))
    out = np.full(10, np.nan, dtype)
    assert tessera.atax(a, v, out=out[::2]).base is out
    equal(out[::2], a.T @ (a @ v))
    assert np.isnan(out[1::2]).all()


def test_blocks_of_vectors(dtype):
    a, v, u = whole((6, 5), dtype), whole((5, 3), dtype), whole((6, 2), dtype)
    for block in (v, np.asfortranarray(v)):
        equal(tessera.atax(a, block), a.T @ (a @ v))
        equal(tessera.matvec(a, block), a @ v)
    equal(tessera.rmatvec(a, u), a.T @ u)
    c, b = tessera.atax(a, v, return_b=True)
    equal(b, a @ v)
    equal(c, a.T @ (a @ v))


def test_matrices_without_elements(dtype):
    for shape in ((0, 3), (3, 0), (0, 0)):
        a = np.empty(shape, dtype)
        equal(tessera.atax(a, np.ones(shape[1], dtype)), np.zeros(shape[1], dtype))
        equal(tessera.matvec(a, np.ones(shape[1], dtype)), np.zeros(shape[0], dtype))
        equal(tessera.rmatvec(a, np.ones(shape[0], dtype)), np.zeros(shape[1], dtype))
        equal(tessera.transpose(a), a.T)
        equal(tessera.matmul(a, a.T), a @ a.T)


def test_terms_of_atax(dtype):
    a, v, z = whole((6, 5), dtype), whole(5, dtype, 1), whole(5, dtype, 2)
    w = whole(6, dtype, 3)
    equal(tessera.atax(a, v, weights=w), a.T @ (w * (a @ v)))
    equal(tessera.atax(a, v, minus=w), a.T @ (a @ v - w))
    equal(tessera.atax(a, v, alpha=2, beta=3, z=z), 2 * (a.T @ (a @ v)) + 3 * z)
    c, b = tessera.atax(a, v, minus=w, return_b=True)
    equal(b, a @ v - w)
    equal(c, a.T @ b)


@pytest.mark.parametrize(
    ("name", "takes", "function"),
    [
        ("logistic", "minus", lambda b, x: 1 / (1 + np.exp(-b)) - x),
        ("poisson", "minus", lambda b, x: np.exp(b) - x),
        ("logistic_weights", "weights", lambda b, x: b * np.exp(-x) / (1 + np.exp(-x)) ** 2),
        ("poisson_weights", "weights", lambda b, x: b * np.exp(x)),
    ],
)
def test_maps(name, takes, function):
    a, v = whole((6, 5), np.float64) / 8, whole(5, np.float64, 1) / 8
    x = whole(6, np.float64, 2) / 4
    c, b = tessera.atax(a, v, map=name, return_b=True, **{takes: x})
    np.testing.assert_allclose(b, function(a @ v, x), rtol=1e-14)
    np.testing.assert_allclose(c, a.T @ function(a @ v, x), rtol=1e-13)


def test_outputs_are_the_callers(dtype):
    a, v, u = whole((6, 5), dtype), whole(5, dtype), whole(6, dtype)
    c, b = np.empty(5, dtype), np.empty(6, dtype)
    assert tessera.atax(a, v, out=c) is c
    both = tessera.atax(a, v, return_b=True, out=(c, b))
    assert both[0] is c and both[1] is b
    equal(b, a @ v)
    assert tessera.matvec(a, v, out=b) is b
    assert tessera.rmatvec(a, u, out=c) is c
    equal(c, a.T @ u)
    assert tessera.matvec_both(a, v, u, out=(b, c))[0] is b
    at = np.empty((5, 6), dtype, order="F")
    assert tessera.transpose(a, out=at) is at
    equal(at, a.T)
    product = np.empty((6, 6), dtype, order="F")
    assert tessera.matmul(a, a.T, out=product) is product
    equal(product, a @ a.T)


def test_vectors(dtype):
    x, y = whole(1000, dtype, 1), whole(1000, dtype, 2)
    found = tessera.dot(x, y)
    assert type(found) is float and found == float(x @ y)
    assert tessera.dot(x[::2], x[::2]) == float(x[::2] @ x[::2])
    expected = 2 * x + 3 * y
    tessera.axpby(2, x, 3, y)
    equal(y, expected)


@pytest.mark.parametrize("of", ["int32", "int64", "uint32", "float32", "float64", "complex64"])
def test_transposes_of_words(of):
    a = whole((17, 5), np.float64).astype(of)
    equal(tessera.transpose(a), np.ascontiguousarray(a.T))


def test_read_only_arrays_are_read():
    a, v = whole((6, 5), np.float64), whole(5, np.float64)
    a.flags.writeable = v.flags.writeable = False
    equal(tessera.atax(a, v), a.T @ (a @ v))


def test_nothing_is_copied():
    import tracemalloc

    a, v = np.ones((512, 4096), np.float32), np.ones(4096, np.float32)
    tessera.atax(a, v)
    tracemalloc.start()
    tessera.atax(a[:, ::1], v)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < a.nbytes / 16


def test_copies_where_they_are_allowed():
    a, v = np.arange(12).reshape(3, 4), np.array([1, 2, 3, 4])
    equal(tessera.atax(a, v, copy=True), (a.T @ (a @ v)).astype(np.float64))
    equal(tessera.atax(a.tolist(), v.tolist(), copy=True), (a.T @ (a @ v)).astype(np.float64))
    wide = whole((6, 10), np.float32)
    part = wide[::2, ::2]
    equal(tessera.matvec(part, np.ones(5), copy=True), part @ np.ones(5, np.float32))
    backwards = wide[:, ::-1]
    equal(tessera.matvec(backwards, np.ones(10, np.float32), copy=True), wide @ np.ones(10, np.float32))
    assert tessera.dot([1, 2], [3.0, 4.0], copy=True) == 11
    for of in (">f8", ">i4", np.longdouble):
        equal(tessera.atax(a.astype(of), v.astype(of), copy=True), (a.T @ (a @ v)).astype(np.float64))
    equal(tessera.matvec(wide.astype(">f4"), np.ones(10, ">f4"), copy=True), wide @ np.ones(10, np.float32))


A = np.ones((3, 4))
V = np.ones(4)
REFUSED = {
    "dtype of A": (TypeError, lambda: tessera.atax(A.astype(int), V), "A must be float32 or float64, found int64 of shape (3, 4)"),
    "dtype of v": (TypeError, lambda: tessera.atax(A, V.astype("f4")), "v must be float64 as A of shape (3, 4) is, found float32 of shape (4,)"),
    "half": (TypeError, lambda: tessera.atax(A.astype("f2"), V), "vectors must be float32 for A of float16, found float64 of shape (4,)"),
    "big-endian": (TypeError, lambda: tessera.atax(A.astype(">f8"), V), "A must be an array with DLPack or a buffer of native numbers, found ndarray of >f8 and shape (3, 4)"),
    "masked A": (TypeError, lambda: tessera.atax(np.ma.masked_array(A, A == 1), V), "A must not be a masked array"),
    "masked v": (TypeError, lambda: tessera.atax(A, np.ma.masked_array(V, V == 1), copy=True), "v must not be a masked array"),
    "masked out": (TypeError, lambda: tessera.atax(A, V, out=np.ma.masked_array(np.empty(4), V == 1)), "out must not be a masked array"),
    "digest of a masked array": (TypeError, lambda: tessera.digest(np.ma.masked_array(V, V == 1)), "expected an array of numbers, found a masked one"),
    "a list": (TypeError, lambda: tessera.atax([[1.0]], V), "A must be an array with DLPack or a buffer of native numbers, found list"),
    "a number": (ValueError, lambda: tessera.atax(np.float64(1), V), "A must have two dimensions, found shape ()"),
    "three dimensions": (ValueError, lambda: tessera.atax(np.ones((2, 3, 4)), V), "found shape (2, 3, 4)"),
    "a vector as A": (ValueError, lambda: tessera.atax(V, V), "A must have two dimensions, found shape (4,)"),
    "length of v": (ValueError, lambda: tessera.atax(A, np.ones(3)), "v must have shape (4,) or (4, k) for A of shape (3, 4), found shape (3,)"),
    "length of u": (ValueError, lambda: tessera.rmatvec(A, V), "u must have shape (3,) or (3, k) for A of shape (3, 4), found shape (4,)"),
    "both weights and minus": (ValueError, lambda: tessera.atax(A, V, weights=np.ones(3), minus=np.ones(3)), "expected weights or minus, found both"),
    "length of weights": (ValueError, lambda: tessera.atax(A, V, weights=V), "weights must have shape (3,) for A of shape (3, 4), found shape (4,)"),
    "map without a vector": (ValueError, lambda: tessera.atax(A, V, map="logistic"), 'map="logistic" needs minus= and no weights='),
    "unknown map": (ValueError, lambda: tessera.atax(A, V, map="probit", minus=V), "found 'probit'"),
    "beta without z": (ValueError, lambda: tessera.atax(A, V, beta=1), "beta needs z"),
    "z of a block": (ValueError, lambda: tessera.atax(A, np.ones((4, 2)), beta=1, z=V), "z is added to one vector"),
    "layout": (ValueError, lambda: tessera.atax(np.ones((6, 8))[::2, ::2], V), "found strides of 16 and 2 elements; copy=True makes a copy"),
    "backwards": (ValueError, lambda: tessera.atax(A[:, ::-1], V), "A of shape (3, 4) must have strides of at least 0"),
    "shape of out": (ValueError, lambda: tessera.atax(A, V, out=np.ones(3)), "out must have shape (4,) for A of shape (3, 4), found shape (3,)"),
    "dtype of out": (TypeError, lambda: tessera.atax(A, V, out=np.ones(4, "f4")), "out must be float64 as A of shape (3, 4) is, found float32 of shape (4,)"),
    "out of no pair": (ValueError, lambda: tessera.atax(A, V, return_b=True, out=np.ones(4)), "out must be a pair of arrays"),
    "read-only out": (ValueError, lambda: tessera.atax(A, V, out=np.broadcast_to(1.0, 4)), "out of shape (4,) must be writable"),
    "out that overlaps": (ValueError, lambda: tessera.atax(A, V, out=V), "C must not overlap v"),
    "rows of B": (ValueError, lambda: tessera.matmul(A, A), "B must have 4 rows for A of shape (3, 4), found shape (3, 4)"),
    "dtype of B": (TypeError, lambda: tessera.matmul(A, A.T.astype("f4")), "B must be float64 as A of shape (3, 4) is"),
    "bytes to transpose": (TypeError, lambda: tessera.transpose(A.astype("i2")), "A must have elements of 4 or 8 bytes, found int16"),
    "lengths in dot": (ValueError, lambda: tessera.dot(V, np.ones(3)), "y must have the shape of x of shape (4,), found shape (3,)"),
    "no threads": (ValueError, lambda: tessera.threads(0), "expected at least 1 thread, found 0"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refusals(what):
    error, call, sentence = REFUSED[what]
    with pytest.raises(error) as caught:
        call()
    assert sentence in str(caught.value)
    assert str(caught.value).startswith("tessera")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("vectors", [(), (3,)])
def test_check(dtype, order, vectors):
    random = np.random.default_rng(5)
    a = np.asarray(random.standard_normal((70, 40)).astype(dtype), order=order)
    v = random.standard_normal((40, *vectors)).astype(dtype)
    c = tessera.atax(a, v)
    found = tessera.check(a, v, c)
    assert found.passed and found.elements == c.size and (found.failed, found.not_judged) == (0, 0)
    assert found.sentence.startswith("passed: greatest error ")
    c[7] *= 1 + 1000 * np.finfo(dtype).eps
    found = tessera.check(a, v, c)
    assert not found.passed and found.failed == max(c[7].size, 1) and found.sentence.startswith("FAILED: ")
    a[0, 0] = np.finfo(dtype).max
    v[0] = 4
    c[:] = 0
    assert not tessera.check(a, v, c).passed


CHECKED_TERMS = {
    "weights": lambda b, z: {"weights": b},
    "minus": lambda b, z: {"minus": b, "alpha": -0.5},
    "logistic": lambda b, z: {"map": "logistic", "minus": (b > 0.5).astype(b.dtype)},
    "poisson": lambda b, z: {"map": "poisson", "minus": np.floor(9 * b), "alpha": 2.0, "beta": 0.25, "z": z},
    "logistic_weights": lambda b, z: {"map": "logistic_weights", "weights": b},
    "poisson_weights": lambda b, z: {"map": "poisson_weights", "weights": b},
    "z": lambda b, z: {"alpha": 3.0, "beta": -1.5, "z": z},
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("what", CHECKED_TERMS)
def test_check_of_terms(dtype, what):
    random = np.random.default_rng(6)
    a = (random.standard_normal((70, 40)) / 8).astype(dtype)
    v, z = random.standard_normal((2, 40)).astype(dtype)
    terms = CHECKED_TERMS[what](random.uniform(size=70).astype(dtype), z)
    c = tessera.atax(a, v, **terms)
    assert tessera.check(a, v, c, **terms).passed
    assert tessera.check(a, v, c).failed > 0
    c[7] += 1000 * np.finfo(dtype).eps * np.abs(c).max()
    assert tessera.check(a, v, c, **terms).failed == 1


def test_refusals_of_check():
    a, v = np.ones((6, 4)), np.ones(4)
    with pytest.raises(ValueError, match="rows or columns without gaps"):
        tessera.check(a[:, :2], v[:2], v[:2])
    with pytest.raises(ValueError, match="A must not be empty"):
        tessera.check(a[:0], v, v)
    with pytest.raises(ValueError, match="must have as many columns"):
        tessera.check(a, v, np.ones((4, 2)))
    with pytest.raises(ValueError, match="tessera.check: beta needs z"):
        tessera.check(a, v, v, beta=2.0)
    with pytest.raises(TypeError, match="c must be float64 as A of shape"):
        tessera.check(a, v, v.astype("f4"))
