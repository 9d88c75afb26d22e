# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Solvers: what they find, in every layout and from files, with the bits of the command line program's."""

import inspect
import os
import signal
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

import tessera
from tessera import linalg

M, N = 90, 30


def matrix(dtype=np.float64, rows=M, cols=N, seed=1):
    return np.random.default_rng(seed).standard_normal((rows, cols)).astype(dtype)


def right_side(dtype=np.float64, rows=M):
    return np.random.default_rng(2).standard_normal(rows).astype(dtype)


def streamed(a):
    order = "C" if a.flags.c_contiguous else "F"
    return tessera.from_callback(*a.shape, lambda rows, cols: a[rows, cols], dtype=a.dtype, order=order)


@pytest.fixture(params=[np.float32, np.float64])
def dtype(request):
    return request.param


@pytest.fixture(params=["C", "F"])
def a(request, dtype):
    return np.asarray(matrix(dtype), order=request.param)


def close(found, expected, dtype, times=100):
    np.testing.assert_allclose(found, expected, rtol=0, atol=times * np.finfo(dtype).eps * np.abs(expected).max())


@pytest.mark.parametrize("method", ["lsmr", "lsqr"])
def test_least_squares(a, method):
    b = right_side(a.dtype)
    precise = (1e-15, 1e-15, 1e8, 100)
    found = getattr(linalg, method)(a, b, 0.0, *precise)
    expected = np.linalg.lstsq(a, b)[0]
    assert found.x.dtype == a.dtype and found.istop in (2, 5)
    close(found.x, expected, a.dtype)
    close(found[3], np.linalg.norm(b - a @ expected), a.dtype)
    both = np.vstack([a, 2 * np.eye(N, dtype=a.dtype)])
    damped = getattr(linalg, method)(a, b, 2.0, *precise, x0=np.ones(N, a.dtype))
    off = np.linalg.lstsq(both, np.concatenate([b - a.sum(1), np.zeros(N, a.dtype)]))[0]
    close(damped.x, 1 + off, a.dtype)


def test_norms_of_lsqr():
    a, b = matrix(), right_side()
    for x0 in (None, np.ones(N)):
        found = linalg.lsqr(a, b, damp=2, x0=x0)
        residual = np.linalg.norm(b - a @ found.x)
        moved = np.linalg.norm(found.x - (0 if x0 is None else x0))
        np.testing.assert_allclose(found.r1norm, residual, rtol=1e-6)
        np.testing.assert_allclose(found.r2norm, np.hypot(residual, 2 * moved), rtol=1e-6)
        np.testing.assert_allclose(found.xnorm, np.linalg.norm(found.x), rtol=1e-12)


def test_a_limit_that_is_named_is_enough_for_several_sides():
    random = np.random.default_rng(3)
    a, b = random.standard_normal((700, 40)), random.standard_normal((700, 9))

    def solve(limit):
        return linalg.lstsq(tessera.from_callback(700, 40, lambda r, c: a[r, c], memory_limit=limit), b)[0]

    with pytest.raises(ValueError, match="expected a limit of at least ([0-9]+) bytes, found 8000$") as refused:
        solve(8000)
    enough = int(str(refused.value).split("at least ")[1].split(" ")[0])
    assert solve(enough).tobytes() == linalg.lstsq(a, b)[0].tobytes()


@pytest.mark.parametrize("rows", [30, 300])
def test_equal_columns(rows):
    b = np.arange(1.0, rows + 1)
    for n in range(10, 50):
        a = np.tile(b[:, None], (1, n))
        x, _, rank, _ = linalg.lstsq(a, b)
        assert rank == 1
        np.testing.assert_allclose(x, np.full(n, 1 / n), rtol=1e-11)
        np.testing.assert_allclose(linalg.ridge(a, b, 0.0).x, x, rtol=1e-11)
        k = min(rows, n)
        values = np.append(np.zeros(k - 1), np.sqrt(n) * np.linalg.norm(b))
        np.testing.assert_allclose(linalg.svds(a, k, return_singular_vectors=False), values, rtol=1e-12, atol=1e-10 * values[-1])
        components = linalg.pca(a, k).components
        np.testing.assert_allclose(components @ components.T, np.eye(k), atol=1e-12)


@pytest.mark.parametrize("shape", [(0, 3), (6, 0), (0, 0)])
def test_lstsq_of_an_empty_matrix_has_rank_zero(shape):
    a, b = np.zeros(shape), np.arange(float(shape[0]))
    x, residues, rank, _ = linalg.lstsq(a, b)
    assert x.tolist() == [0.0] * shape[1] and rank == 0
    np.testing.assert_array_equal(np.ravel(residues), [b @ b] if shape == (6, 0) else [])
    assert linalg.lstsq(a, np.stack([b, b], axis=1))[2] == 0


def test_lstsq(a):
    b = np.stack([right_side(a.dtype), a @ np.ones(N, a.dtype)], axis=1)
    x, residues, rank, s = linalg.lstsq(a, b)
    expected, sums, *_ = np.linalg.lstsq(a, b)
    close(x, expected, a.dtype)
    close(residues, sums, a.dtype)
    assert rank == N and s is None and x.dtype == a.dtype
    each = [linalg.lstsq(a, b[:, j])[0] for j in range(b.shape[1])]
    assert x.T.copy().tobytes() == b"".join(one.tobytes() for one in each)
    stream = streamed(a)
    linalg.lstsq(stream, b[:, 0].copy())
    alone = stream.reads
    linalg.lstsq(stream, np.stack([b[:, 0]] * 5, axis=1))
    assert stream.reads == 2 * alone  # as often for five columns as for one
    iterated = linalg.lstsq(a, b, maxiter=1000)
    assert iterated[2] is None
    close(iterated[0], expected, a.dtype)
    one = linalg.lstsq(a, b[:, 0])
    assert one[0].tobytes() == np.ascontiguousarray(x[:, 0]).tobytes() and one[1] == residues[0]
    streams = linalg.lstsq(streamed(a), b)
    assert streams[0].tobytes() == x.tobytes()


def test_rank_deficiency_gives_the_shortest():
    a = matrix(rows=40, cols=8) @ matrix(rows=8, cols=20, seed=5)
    b = right_side(rows=40)
    x, residues, rank, _ = linalg.lstsq(a, b)
    np.testing.assert_allclose(x, np.linalg.lstsq(a, b)[0], atol=1e-12)
    # Like SciPy, without full column rank or with too few rows.
    assert rank == 8 and residues.shape == (0,)
    assert linalg.lstsq(a[:10], b[:10])[1].shape == (0,)
    assert linalg.lstsq(a[:10], b[:10], maxiter=500)[1].shape == (0,)


def test_ridge(a):
    b = right_side(a.dtype)
    alphas = [0.1, 1.0, 10.0]
    path = linalg.ridge_path(a, b, alphas, atol=1e-15, btol=1e-15)
    for alpha, found in zip(alphas, path):
        expected = np.linalg.solve(a.T @ a + alpha * np.eye(N, dtype=a.dtype), a.T @ b)
        close(found.x, expected, a.dtype, 1000)
        alone = linalg.ridge(a, b, alpha, atol=1e-15, btol=1e-15)
        assert alone.x.tobytes() == found.x.tobytes()


def diabetes(kind):
    datasets = pytest.importorskip("sklearn.datasets")
    a, b = datasets.load_diabetes(return_X_y=True, scaled=kind != "unscaled")
    if kind == "offset":
        a = a + 100
    if kind == "rank-deficient":
        a = np.hstack([a, a[:, :3] - a[:, 3:6]])
    return np.ascontiguousarray(a), b


@pytest.mark.parametrize("kind", ["scaled", "unscaled", "offset", "rank-deficient"])
@pytest.mark.parametrize("maxiter", [None, 20000])
def test_ridge_path_of_data_of_scikit_learn(kind, maxiter):
    a, b = diabetes(kind)
    alphas = [1e-2, 0.5, 30.0, 1e3, 0.5]
    path = linalg.ridge_path(a, b, alphas, maxiter=maxiter, conlim=None)
    singular = np.linalg.norm(a, 2)
    for alpha, found in zip(alphas, path):
        below = np.vstack([a, np.sqrt(alpha) * np.eye(a.shape[1])])
        expected = np.linalg.lstsq(below, np.append(b, np.zeros(a.shape[1])), rcond=None)[0]
        condition = np.hypot(singular, np.sqrt(alpha)) / np.sqrt(alpha)
        np.testing.assert_allclose(found.x, expected, rtol=0, atol=1e-13 * condition * np.abs(expected).max())
        alone = linalg.ridge(a, b, alpha, maxiter=maxiter, conlim=None)
        assert found.x.tobytes() == alone.x.tobytes() and found.istop == alone.istop
        assert found.normr == alone.normr and found.normx == alone.normx
        assert maxiter is None or found.itn == alone.itn  # the direct method counts the reads of all
    stream = streamed(a)
    of_stream = linalg.ridge_path(stream, b, alphas, maxiter=maxiter, conlim=None)
    assert [one.x.tobytes() for one in of_stream] == [one.x.tobytes() for one in path]
    most = max(one.itn for one in path)
    # An iterative run also reads A for the norms of its columns, and to start.
    assert stream.reads == (most if maxiter is None else most + 2)


def test_a_limit_is_never_silent():
    a = matrix() * np.logspace(0, 3, N)
    b = right_side()
    with pytest.warns(linalg.ConvergenceWarning, match="tessera.linalg.ridge: the limit of iterations was reached") as of_ridge:
        assert linalg.ridge(a, b, 1e-3, maxiter=3, atol=1e-14, btol=1e-14).istop == 7
    with pytest.warns(linalg.ConvergenceWarning, match="tessera.linalg.lsmr: the limit") as of_lsmr:
        assert linalg.lsmr(a, b, atol=0, btol=0, conlim=0).istop == 7
    for warned in (of_ridge, of_lsmr):
        assert [warning.filename for warning in warned] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert linalg.lsmr(a, b, maxiter=3).istop == 7
        found = linalg.ridge(a, b, 1e-3)
    expected = np.linalg.solve(a.T @ a + 1e-3 * np.eye(N), a.T @ b)
    np.testing.assert_allclose(found.x, expected, rtol=1e-9)


def test_a_penalty_counts_from_the_start():
    a, start = matrix(), np.arange(N, dtype=float)
    expected = start - np.linalg.solve(a.T @ a + np.eye(N), a.T @ (a @ start))
    for b in (np.zeros(M), np.full(M, 1e-300)):
        for solve in (linalg.lsmr, linalg.lsqr):
            np.testing.assert_allclose(solve(a, b, 1.0, 1e-12, 1e-12, x0=start)[0], expected, rtol=1e-9)
        np.testing.assert_allclose(linalg.ridge(a, b, 1.0, x0=start).x, expected, rtol=1e-9)


def test_svds_without_vectors():
    for no in (False, 0, np.False_):
        np.testing.assert_allclose(linalg.svds(np.eye(3), 1, return_singular_vectors=no), [1])


def test_copies_of_a_value():
    for spectrum, k in (([10.0] * 10 + list(np.linspace(9, 1, 100)), 6), ([10.0] * 4 + [9.0] * 4 + list(np.linspace(8, 1, 1000)), 4)):
        for dtype in ("f4", "f8"):
            s = linalg.svds(np.diag(spectrum).astype(dtype), k)[1]
            np.testing.assert_allclose(s, 10, rtol=20 * np.finfo(dtype).eps)
    np.testing.assert_allclose(linalg.svds(np.diag([10.0] * 4 + [9.0] * 4), 3, ncv=4)[1], 10)


def test_wide_and_large_matrices():
    """More columns than are decomposed directly; one with fewer rows than components could be."""
    random = np.random.default_rng(3)
    for shape, k in (((40, 700), 40), ((900, 600), 7), ((700, 520), 1)):
        for dtype in ("f4", "f8"):
            a = random.normal(size=shape).astype(dtype)
            u, s, vh = linalg.svds(a, k)
            eps = float(np.finfo(dtype).eps)
            expected = np.linalg.svd(a.astype(float), compute_uv=False)
            np.testing.assert_allclose(s[::-1], expected[:k], rtol=0, atol=100 * eps * expected[0])
            for off in (a @ vh.T - u * s, a.T @ u - vh.T * s):
                assert np.linalg.norm(off, axis=0).max() <= 100 * eps * expected[0]
            near = linalg.pca(a + dtype_of(a, 3), min(k, 39))
            centred = a.astype(float) - a.mean(0, dtype=float)
            expected = np.linalg.svd(centred, compute_uv=False)[: min(k, 39)]
            np.testing.assert_allclose(near.singular_values, expected, rtol=0, atol=1000 * eps * expected[0])


def dtype_of(a, number):
    return a.dtype.type(number)


def test_svds(a):
    values = np.linalg.svd(a, compute_uv=False)
    u, s, vh = linalg.svds(a, 4)
    close(s, values[3::-1], a.dtype)
    close(u * s, a @ vh.T, a.dtype)
    assert u.shape == (M, 4) and {u.dtype, s.dtype, vh.dtype} == {a.dtype}
    assert linalg.svds(a, 4, return_singular_vectors="u")[2] is None
    only = linalg.svds(a, 4, return_singular_vectors="vh")
    assert only[0] is None and only[2].tobytes() == vh.tobytes()
    close(linalg.svds(a, N, return_singular_vectors=False), values[::-1], a.dtype)
    zeros = linalg.svds(np.zeros((4, 3)), 1)
    assert zeros[1] == 0 and np.linalg.norm(zeros[2]) == 1


def test_randomized_svd(a, tmp_path):
    low = (matrix(a.dtype, cols=3) @ matrix(a.dtype, rows=3, seed=3)).astype(a.dtype)
    low = np.asarray(low, order="F" if a.flags.f_contiguous else "C")
    u, s, vh = linalg.randomized_svd(low, 3)
    close(s, np.linalg.svd(low, compute_uv=False)[:3], a.dtype)
    close((u * s) @ vh, low, a.dtype)
    assert u.shape == (M, 3) and vh.shape == (3, N) and {u.dtype, s.dtype, vh.dtype} == {a.dtype}
    close(linalg.randomized_svd(a, N, n_iter=0)[1], np.linalg.svd(a, compute_uv=False), a.dtype)

    arguments = {"n_components": 4, "n_oversamples": 5, "n_iter": 2, "random_state": 7}
    expected = [x.tobytes() for x in linalg.randomized_svd(a, **arguments)]
    np.save(tmp_path / "a.npy", a)
    for same in (a, np.ascontiguousarray(a), np.asfortranarray(a), streamed(a), tessera.open(tmp_path / "a.npy")):
        assert [x.tobytes() for x in linalg.randomized_svd(same, **arguments)] == expected
    other = linalg.randomized_svd(a, **{**arguments, "random_state": 8})
    assert other[1].tobytes() != expected[1]
    steps = []
    linalg.randomized_svd(a, 2, callback=steps.append)
    assert [step.iteration for step in steps] == [1, 2, 3, 4] and steps[-1].reads == 5


def test_pca(a):
    for scale in (False, True):
        found = linalg.pca(a + 1, 3, scale=scale)
        centred = a + 1 - (a + 1).mean(0)
        if scale:
            centred = centred / centred.std(0, ddof=1)
        s = np.linalg.svd(centred, compute_uv=False)
        close(found.singular_values, s[:3], a.dtype)
        close(found.explained_variance, s[:3] ** 2 / (M - 1), a.dtype)
        close(found.explained_variance_ratio, s[:3] ** 2 / (s**2).sum(), a.dtype)
        close(found.mean, (a + 1).mean(0), a.dtype)
        close(found.deviation, (a + 1).std(0, ddof=1), a.dtype)
        close(found.components @ found.components.T, np.eye(3), a.dtype)


def test_files_and_functions_have_the_bits_of_arrays(a, tmp_path):
    np.save(tmp_path / "a.npy", a)
    b = right_side(a.dtype)
    for stream in (streamed(a), tessera.open(tmp_path / "a.npy", memory_limit="1MiB")):
        assert linalg.lsmr(stream, b).x.tobytes() == linalg.lsmr(a, b).x.tobytes()
        assert linalg.lsqr(stream, b).x.tobytes() == linalg.lsqr(a, b).x.tobytes()
        for found, expected in zip(linalg.svds(stream, 3), linalg.svds(a, 3)):
            assert found.tobytes() == expected.tobytes()
        for found, expected in zip(linalg.pca(stream, 2), linalg.pca(a, 2)):
            assert found.tobytes() == expected.tobytes()


def test_the_command_line_program_has_the_same_bits(tmp_path):
    a, b = matrix(np.float32), right_side(np.float32)
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "b.npy", b)

    def program(*arguments):
        command = [sys.executable, "-B", "-m", "tessera", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=100, check=True, cwd=tmp_path).stdout

    printed = program("lstsq", "a.npy", "b.npy", "--output", "x.npy")
    assert tessera.digest(linalg.lstsq(a, b)[0]) in printed
    printed = program("lstsq", "a.npy", "b.npy", "--method", "lsmr", "--output", "x.npy")
    assert tessera.digest(linalg.lsmr(a, b).x) in printed
    printed = program("lstsq", "a.npy", "b.npy", "--method", "lsqr", "--output", "x.npy")
    assert tessera.digest(linalg.lsqr(a, b).x) in printed
    printed = program("ridge", "a.npy", "b.npy", "--lambda", "0.5", "--output", "x.npy")
    assert tessera.digest(linalg.ridge(a, b, 0.5).x) in printed
    program("svd", "a.npy", "-k", "3", "--vt", "vt.npy", "--u", "u.npy", "--s", "s.npy")
    u, s, vh = linalg.svds(a, 3)
    for name, rising in (("u", u[:, ::-1]), ("s", s[::-1]), ("vt", vh[::-1])):
        assert tessera.digest(np.load(tmp_path / f"{name}.npy")) == tessera.digest(rising)
    program("svd", "a.npy", "-k", "3", "--method", "randomized", "--seed", "7", "--vt", "vt.npy", "--u", "u.npy")
    u, _, vh = linalg.randomized_svd(a, 3, random_state=7)
    for name, found in (("u", u), ("vt", vh)):
        assert tessera.digest(np.load(tmp_path / f"{name}.npy")) == tessera.digest(found)
    program("pca", "a.npy", "-k", "2", "--components", "c.npy", "--ratio", "ratio.npy")
    found = linalg.pca(a, 2)
    assert tessera.digest(np.load(tmp_path / "c.npy")) == tessera.digest(found.components)
    assert tessera.digest(np.load(tmp_path / "ratio.npy")) == tessera.digest(found.explained_variance_ratio)


def test_unconverged_values_warn():
    a, b = matrix(), right_side()
    assert linalg.lsmr(a, b, maxiter=2).istop == 7 and linalg.lsmr(a, b, maxiter=2).itn == 2
    assert linalg.lsmr(a, np.zeros(M)).istop == 0
    with pytest.raises(np.linalg.LinAlgError, match="tessera.linalg.lstsq: the limit of iterations was reached"):
        linalg.lstsq(a, b, maxiter=2)
    with pytest.raises(np.linalg.LinAlgError, match="tessera.linalg.svds: the limit of iterations was reached"):
        linalg.svds(a, 3, maxiter=4)
    nan = a.copy()
    nan[3, 4] = np.nan
    infinite = b.copy()
    infinite[7] = np.inf
    for solve in (linalg.lsmr, linalg.lsqr, linalg.lstsq, lambda a, b: linalg.ridge(a, b, 1.0)):
        with pytest.raises(ValueError, match="A has an infinity or a NaN at row 3, column 4"):
            solve(nan, b)
        with pytest.raises(ValueError, match="b has an infinity or a NaN at row 7$"):
            solve(a, infinite)
    for decompose in (linalg.svds, linalg.pca, linalg.randomized_svd):
        with pytest.raises(ValueError, match="A has an infinity or a NaN at row 3, column 4"):
            decompose(nan, 2)
        with pytest.raises(ValueError, match="the input has an infinity or a NaN"):
            decompose(streamed(nan), 2)


def test_refusals():
    a, b = matrix(), right_side()
    with pytest.raises(TypeError, match=r"tessera.linalg.lsmr: b must be float64 as A of shape \(90, 30\) is, found float32"):
        linalg.lsmr(a, b.astype(np.float32))
    assert linalg.lsmr(a, b.astype(np.float32), copy=True).x.dtype == np.float64
    with pytest.raises(ValueError, match=r"b must have shape \(90,\) for A of shape \(90, 30\), found shape \(30,\)"):
        linalg.lsmr(a, np.ones(N))
    with pytest.raises(TypeError, match="A must be float32 or float64, found int64"):
        linalg.svds(np.ones((3, 4), int), 1)
    with pytest.raises(TypeError, match="svds: A must be an array of real numbers, found complex128"):
        linalg.svds(np.ones((3, 4), complex), 1, copy=True)
    with pytest.raises(ValueError, match="damp"):
        linalg.lsmr(a, b, damp=-1)
    for alpha in (-1.0, np.nan, np.inf, "1", None):
        with pytest.raises(ValueError, match=f"linalg.ridge: alpha must be a number of at least 0, found {alpha!r}"):
            linalg.ridge(a, b, alpha)
        with pytest.raises(ValueError, match=f"linalg.ridge_path: alpha must be a number of at least 0, found {alpha!r}"):
            linalg.ridge_path(a, b, [1.0, alpha])
    for alphas in ([], (), np.array([]), 0.5):
        with pytest.raises(ValueError, match="linalg.ridge_path: alphas must be a sequence of at least one number, found"):
            linalg.ridge_path(a, b, alphas)
    with pytest.raises(ValueError, match="calc_var=True is not supported"):
        linalg.lsqr(a, b, calc_var=True)
    with pytest.warns(linalg.ConvergenceWarning, match="tessera.linalg.ridge: .* after 1 iteration: normar is"):
        linalg.ridge(np.diag([1.0, 2.0, 3.0]), np.ones(3), 0.0, maxiter=1)
    with pytest.raises(ValueError, match="alpha must be a number of at least 0, found ndarray of shape"):
        linalg.ridge(a, b, np.ones(2))
    for k in ("2", np.nan, 2.5):
        with pytest.raises(ValueError, match=f"`k` must be an integer .* found {k!r}"):
            linalg.svds(a, k)
    with pytest.raises(TypeError, match="`k` must be an integer .* found None"):
        linalg.svds(a, None)
    for call in (lambda: linalg.lstsq(a.tolist(), b), lambda: linalg.svds(a.tolist(), 2)):
        with pytest.raises(TypeError, match="A must be an array, found list; copy=True makes an array of it"):
            call()
    assert linalg.svds(a.tolist(), 2, copy=True)[1].tobytes() == linalg.svds(a, 2)[1].tobytes()
    with pytest.raises(ValueError, match="`n_components` must be an integer"):
        linalg.randomized_svd(a, 31)
    with pytest.raises(ValueError, match="`n_iter` must be a whole number of at least 0, found 'auto'"):
        linalg.randomized_svd(a, 2, n_iter="auto")
    with pytest.raises(ValueError, match="expected a seed below 2.24"):
        linalg.randomized_svd(a, 2, random_state=2**24)
    with pytest.raises(ValueError, match="at least two rows"):
        linalg.pca(np.ones((1, 3)), 1)


def test_callbacks():
    a, b = matrix(), right_side()
    steps = []
    found = linalg.lsmr(a, b, callback=steps.append)
    assert [step.iteration for step in steps] == list(range(1, found.itn + 1))
    assert steps[-1].residual <= steps[-1].tolerance and steps[-1].objective == found.normr
    svd = []
    linalg.svds(a, 2, callback=svd.append)
    assert svd[-1].reads == len(svd)
    assert np.isfinite(svd[-1].tolerance)
    with pytest.raises(ZeroDivisionError):
        linalg.lsmr(a, b, callback=lambda step: 1 / 0)
    with pytest.raises(RuntimeError, match="cannot call tessera itself"):
        linalg.lsmr(a, b, callback=lambda step: tessera.dot(b, b))
    with pytest.raises(TypeError, match="callback must be a function, found int"):
        linalg.lsmr(a, b, callback=3)
    assert linalg.lsmr(a, b).x.tobytes() == found.x.tobytes()


def test_progress(capsys):
    pytest.importorskip("tqdm")
    found = linalg.lsmr(matrix(), right_side(), progress=True)
    assert f"tessera.linalg.lsmr: {found.itn} steps" in capsys.readouterr().err


def test_show(capsys):
    found = linalg.lsqr(matrix(), right_side(), show=True)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == found.itn + 1 and lines[-1] == "the least-squares problem is solved within atol"


def test_control_c_ends_a_run(control_c):
    a, b = matrix(), right_side()
    assert threading.current_thread() is threading.main_thread()
    with pytest.raises(KeyboardInterrupt):
        linalg.lsmr(a, b, callback=lambda step: os.kill(os.getpid(), signal.SIGINT))


def test_gil_is_released_during_solve():
    """A run lets go of the GIL: its callback waits for another thread."""
    begun, go_on = threading.Event(), threading.Event()

    def callback(step):
        begun.set()
        assert go_on.wait(30)

    other = threading.Thread(target=lambda: begun.wait(30) and go_on.set())
    other.start()
    linalg.lsmr(matrix(), right_side(), callback=callback)
    other.join()


def test_torch():
    torch = pytest.importorskip("torch")
    a, b = matrix(), right_side()
    found = linalg.lsmr(torch.from_numpy(a), torch.from_numpy(b)).x
    assert type(found) is torch.Tensor and found.numpy().tobytes() == linalg.lsmr(a, b).x.tobytes()
    u, s, vh = linalg.svds(torch.from_numpy(a), 2)
    assert {type(u), type(s), type(vh)} == {torch.Tensor}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("shape", [(200, 12), (12, 12), (8, 12)])
@pytest.mark.parametrize("rcond", [0.3, 1e-3])
def test_lstsq_without_small_singular_values(dtype, shape, rcond, tmp_path):
    random = np.random.default_rng(6)
    u, _ = np.linalg.qr(random.standard_normal((shape[0], min(shape))))
    v, _ = np.linalg.qr(random.standard_normal((shape[1], min(shape))))
    a = ((u * 2.0 ** -np.arange(min(shape)) * 0.99) @ v.T).astype(dtype)
    b = random.standard_normal((shape[0], 2)).astype(dtype)
    x, residues, rank, s = np.linalg.lstsq(a, b, rcond=rcond)
    for matrix in (a, tessera.from_blocks([a])):
        found = tessera.linalg.lstsq(matrix, b, rcond)
        tolerance = 1e-11 if dtype == np.float64 else 1e-3
        assert found[2] == rank and found[1].shape == residues.shape
        np.testing.assert_allclose(found[0], x, atol=tolerance * np.abs(x).max())
        np.testing.assert_allclose(found[3], s, rtol=1e-3 if dtype == np.float32 else 1e-9)
        np.testing.assert_allclose(found[1], residues, rtol=1e-4)
    one = tessera.linalg.lstsq(a, b[:, 0], rcond=rcond)
    np.testing.assert_allclose(one[0], x[:, 0], atol=tolerance * np.abs(x).max())


def test_lstsq_keeps_the_digits_of_an_ill_conditioned_matrix():
    random = np.random.default_rng(7)
    u, _ = np.linalg.qr(random.standard_normal((300, 20)))
    v, _ = np.linalg.qr(random.standard_normal((20, 20)))
    a = (u * 10.0 ** -np.linspace(0, 12, 20)) @ v.T
    b = a @ np.ones(20)
    found = tessera.linalg.lstsq(a, b, rcond=1e-7)
    expected = np.linalg.lstsq(a, b, rcond=1e-7)
    assert found[2] == expected[2] < 20
    np.testing.assert_allclose(found[0], expected[0], atol=1e-8)
    assert tessera.linalg.lstsq(np.zeros((4, 3)), np.ones(4), rcond=0.1)[0].tolist() == [0, 0, 0]
    for wrong in (-1, 1.0, float("nan"), "small"):
        with pytest.raises(ValueError, match="rcond must be a number of at least 0 and below 1, found"):
            tessera.linalg.lstsq(a, b, rcond=wrong)
    with pytest.raises(ValueError, match="expected rcond or maxiter, found both"):
        tessera.linalg.lstsq(a, b, 1e-3, maxiter=5)
    with pytest.raises(ValueError, match="at most 512 columns, found 600 columns"):
        tessera.linalg.lstsq(np.ones((700, 600)), np.ones(700), 1e-3)
    with pytest.raises(ValueError, match="b has an infinity or a NaN at row 1"):
        tessera.linalg.lstsq(a, np.where(np.arange(300) == 1, np.nan, b), 1e-3)


def test_svds_takes_the_arguments_of_scipy():
    sparse_linalg = pytest.importorskip("scipy.sparse.linalg")
    names = [*inspect.signature(sparse_linalg.svds).parameters]
    ours = [*inspect.signature(tessera.linalg.svds).parameters]
    assert ours[: len(names)] == names
    a = np.random.default_rng(8).standard_normal((60, 30))
    expected = tessera.linalg.svds(a, 3)
    for arguments in ({"v0": np.ones(30)}, {"rng": 5}, {"solver": "lobpcg"}, {"random_state": np.random.RandomState(1)},
                      {"solver": "propack", "v0": np.ones(60)}):
        for found, part in zip(tessera.linalg.svds(a, 3, **arguments), expected):
            assert found.tobytes() == part.tobytes()
    for arguments, error, sentence in (
        ({"v0": np.ones(5)}, ValueError, r"`v0` must have shape \(30,\), found \(5,\)"),
        ({"v0": np.arange(30)}, TypeError, "`v0` must be of floating or complex"),
        ({"solver": "jacobi"}, ValueError, "`solver` must be one of"),
        ({"options": {"maxiter": 3}}, ValueError, r"`options` must be empty, found \['maxiter'\]"),
        ({"rng": "seed"}, TypeError, ""),
    ):
        with pytest.raises(error, match=sentence):
            tessera.linalg.svds(a, 3, **arguments)


COLUMNS = {
    "ordinary": lambda rng, m: rng.standard_normal(m),
    "far from zero": lambda rng, m: rng.normal(1e6, 1, m),
    "far from the first row": lambda rng, m: np.append(1e6, rng.standard_normal(m - 1)),
    "constant": lambda rng, m: np.full(m, 0.1),
    "tiny": lambda rng, m: 1e-30 * rng.standard_normal(m),
}


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("order", ["C", "F"])
def test_column_stats(dtype, order, ddof):
    rng = np.random.default_rng(5)
    a = np.asarray(np.column_stack([make(rng, 5000) for make in COLUMNS.values()]).astype(dtype), order=order)
    found = linalg.column_stats(a, ddof=ddof)
    exact = a.astype(np.longdouble)
    np.testing.assert_allclose(found.mean, exact.mean(0).astype(float), rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(found.variance, exact.var(0, ddof=ddof).astype(float), rtol=1e-13, atol=0)
    constant = list(COLUMNS).index("constant")
    assert found.variance[constant] == 0 and found.mean[constant] == a[0, constant]
    np.testing.assert_array_equal(found.min, a.min(0))
    np.testing.assert_array_equal(found.max, a.max(0))
    np.testing.assert_array_equal(found.deviation, np.sqrt(found.variance))
    assert (found.count == 5000).all() and not found.missing.any() and not found.nonfinite.any()
    for same in (streamed(a), a[:, :]):
        for x, y in zip(linalg.column_stats(same, ddof=ddof), found):
            assert x.tobytes() == y.tobytes() and x.dtype == y.dtype


def test_column_stats_without_missing_entries_are_those_of_scikit_learn():
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    rng = np.random.default_rng(6)
    a = rng.normal(1000, 1, (700, 9))
    a[rng.random(a.shape) < 0.1] = np.nan
    scaler = preprocessing.StandardScaler().fit(a)
    found = linalg.column_stats(a, missing=np.nan)
    np.testing.assert_allclose(found.mean, scaler.mean_, rtol=1e-14)
    np.testing.assert_allclose(found.variance, scaler.var_, rtol=1e-10)  # scikit-learn's own error is 1e-12
    np.testing.assert_array_equal(found.count, scaler.n_samples_seen_)
    plain = linalg.column_stats(a)
    assert np.isnan(plain.mean).all() and (plain.nonfinite == found.missing).all()
    np.testing.assert_array_equal(plain.min, np.nanmin(a, 0))


@pytest.mark.parametrize("rcond", [0, 1e-15, 1e-12])
def test_rcond_that_leaves_nothing_out_changes_no_bit(rcond):
    t = np.linspace(0, 1, 50)
    a, b = np.vander(t, 14, increasing=True), np.sin(6 * t)  # condition number 4e9
    x, residues, rank, s = linalg.lstsq(a, b, rcond)
    expected = linalg.lstsq(a, b)
    assert x.tobytes() == expected[0].tobytes() and residues == expected[1] and rank == 14 and len(s) == 14
    np.testing.assert_allclose(np.linalg.norm(a @ x - b), np.linalg.norm(a @ np.linalg.lstsq(a, b)[0] - b), rtol=1e-6)


def test_column_stats_of_narrow_arrays():
    a = np.random.default_rng(7).integers(0, 256, (600, 5), dtype=np.uint8)
    found = linalg.column_stats(a, missing=255)
    present = np.ma.masked_equal(a, 255)
    np.testing.assert_allclose(found.mean, present.mean(0), rtol=1e-14)
    np.testing.assert_array_equal(found.missing, (a == 255).sum(0))
    for x, y in zip(found, linalg.column_stats(a.astype(np.float32), missing=255)):
        assert x.tobytes() == y.tobytes()


def test_column_stats_refuses_wrong_arguments():
    a = np.ones((3, 2))
    with pytest.raises(ValueError, match="`ddof` must be an integer of at least 0, found -1"):
        linalg.column_stats(a, ddof=-1)
    with pytest.raises(TypeError, match="missing must be a number"):
        linalg.column_stats(a, missing="255")
    with pytest.raises(ValueError, match="A must have two dimensions"):
        linalg.column_stats(a[0])
    with pytest.raises(TypeError, match="A must be an array, found list; copy=True"):
        linalg.column_stats([[1.0]])
    assert linalg.column_stats([[1.0, 3.0]], copy=True).mean.tolist() == [1, 3]
    assert np.isnan(linalg.column_stats(np.empty((0, 2))).mean).all()


def test_ranks_of_dependent_columns_are_those_of_numpy():
    for seed in range(120):
        rng = np.random.default_rng(seed)
        cols = int(rng.integers(2, 20))
        X = rng.normal(size=(int(rng.integers(cols + 2, 800)), cols)) + rng.choice([0, 3, 30])
        dependent = (X[:, :1], X[:, :2].sum(1, keepdims=True), np.hstack([1 - X[:, :1], np.ones((len(X), 1))]))[seed % 3]
        A, b = np.hstack([X, dependent]), rng.normal(size=len(X))
        x, _, rank, _ = linalg.lstsq(A, b)
        assert rank == np.linalg.matrix_rank(A), seed
        np.testing.assert_allclose(A @ x, A @ np.linalg.lstsq(A, b)[0], rtol=0, atol=1e-9)
