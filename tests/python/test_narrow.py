# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Products with matrices of 8- and 16-bit elements have the bits of those with the widened matrix."""

import numpy as np
import pytest

import tessera

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
