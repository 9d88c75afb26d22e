# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""The function of JAX: bits, `jit`, gradients and `vmap`."""

import doctest

import numpy as np
import pytest
from optional import package

import tessera

M, N, K = 40, 7, 3


def x64(jax, is_on):
    """Whether JAX keeps float64, by its present or its earlier name."""
    return (jax if hasattr(jax, "enable_x64") else package("jax.experimental")).enable_x64(is_on)


@pytest.fixture
def jax():
    jax = package("jax")
    with jax.default_device(jax.devices("cpu")[0]), x64(jax, True):
        yield jax


@pytest.fixture
def atax(jax):
    import tessera.jax

    return tessera.jax.atax


def arrays(jax, *shapes, dtype="float64"):
    random = np.random.default_rng(1)
    return [jax.numpy.asarray(random.standard_normal(shape).astype(dtype)) for shape in shapes]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(N,), (N, K)])
def test_bits(jax, atax, shape, dtype):
    A, v = arrays(jax, (M, N), shape, dtype=dtype)
    c, b = tessera.atax(np.asarray(A), np.asarray(v), return_b=True)
    for call in (atax, jax.jit(atax, static_argnames="return_b")):
        found = call(A, v, return_b=True)
        assert all(isinstance(x, jax.Array) for x in found)
        assert [np.asarray(x).tobytes() for x in found] == [c.tobytes(), b.tobytes()]
        assert np.asarray(call(A, v)).tobytes() == c.tobytes()


@pytest.mark.parametrize("shape", [(), (K,)])
def test_gradients(jax, atax, shape):
    A, v, minus, g, h = arrays(jax, (M, N), (N, *shape), (M, *shape), (N, *shape), (M, *shape))

    def by(product):
        def loss(A, v, minus):
            c, b = product(A, v, minus)
            return (c * g).sum() + (b * h).sum()

        return jax.jit(jax.grad(loss, argnums=(0, 1, 2)))(A, v, minus)

    def plain(A, v, minus):
        return A.T @ (A @ v - minus), A @ v - minus

    for found, expected in zip(
        by(lambda A, v, minus: atax(A, v, minus=minus, return_b=True)), by(plain), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    only_v = jax.grad(lambda v: (atax(A, v) * g).sum())(v)
    assert np.asarray(only_v).tobytes() == tessera.atax(np.asarray(A), np.asarray(g)).tobytes()


def test_vmap(jax, atax):
    A, V = arrays(jax, (M, N), (5, N))
    found = jax.vmap(atax, in_axes=(None, 0))(A, V)
    expected = [tessera.atax(np.asarray(A), np.asarray(v)) for v in V]
    assert np.asarray(found).tobytes() == np.stack(expected).tobytes()


def test_arguments_that_do_not_match(jax, atax):
    A, v = arrays(jax, (M, N), (N,))
    with pytest.raises(ValueError, match=r"v must have shape \(n,\) or \(n, k\) .* found \(6,\) for \(40, 7\)"):
        atax(A, v[:-1])
    with pytest.raises(TypeError, match="all float32 or all float64, found float64, float32 and float64"):
        atax(A, v.astype("float32"))
    with pytest.raises(TypeError, match="found int64, int64 and int64"):
        atax(A.astype(int), v.astype(int))
    with pytest.raises(ValueError, match=r"minus must have the shape \(40,\) of A @ v, found \(7,\)"):
        atax(A, v, minus=v)


def test_examples(jax, atax):
    import tessera.jax

    with x64(jax, False):
        text = (tessera.jax.__doc__ + "\n\n" + tessera.jax.atax.__doc__).replace("  # doctest: +SKIP", "")
        examples = doctest.DocTestParser().get_doctest(text, {}, "tessera.jax", None, None)
        assert len(examples.examples) == 8
        assert doctest.DocTestRunner().run(examples).failed == 0
