# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""What counts as an array: of other libraries, and lying in memory in any way."""

import array
import re
import sys
import types
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from optional import package

import tessera
import tessera.linalg

A = np.arange(12.0).reshape(3, 4)
V = np.array([1.0, -1.0, 2.0, 3.0])
EXPECTED = A.T @ (A @ V)


class OnlyDlpack:
    """An array of a library without a name, that shows DLPack and nothing else."""

    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **arguments):
        return self.x.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


class OnlyInterface:
    def __init__(self, x):
        self.x = x
        self.__array_interface__ = x.__array_interface__


class OfTheStandard(OnlyDlpack):
    """An array of a library that keeps to the array API standard."""

    device = "cpu"

    def __array_namespace__(self):
        return types.SimpleNamespace(
            float32=np.float32,
            float64=np.float64,
            empty=lambda shape, dtype, device: OfTheStandard(np.empty(shape, dtype)),
        )


@pytest.mark.parametrize("kind", [OnlyDlpack, OnlyInterface, memoryview])
def test_arrays_without_a_library(kind):
    found = tessera.atax(kind(A), kind(V))
    assert type(found) is np.ndarray
    np.testing.assert_array_equal(found, EXPECTED)
    out = np.empty(4)
    assert type(tessera.atax(kind(A), kind(V), out=kind(out))) is kind
    np.testing.assert_array_equal(out, EXPECTED)


def test_results_are_of_the_callers_kind():
    found = tessera.atax(OfTheStandard(A), OfTheStandard(V))
    assert type(found) is OfTheStandard
    np.testing.assert_array_equal(found.x, EXPECTED)


def test_arrays_of_python():
    np.testing.assert_array_equal(tessera.atax(A, array.array("d", V)), EXPECTED)


def test_arrays_in_files(tmp_path):
    np.save(tmp_path / "a.npy", A)
    found = tessera.atax(np.load(tmp_path / "a.npy", mmap_mode="r"), V)
    assert type(found) is np.ndarray
    np.testing.assert_array_equal(found, EXPECTED)


def test_copy_accepts_any_strides():
    records = np.zeros(5, [("a", "i1"), ("x", "f8")])
    records["x"] = np.arange(5)
    assert tessera.dot(records["x"], np.ones(5), copy=True) == 10
    odd = np.zeros(41, np.uint8)[1:].view(np.float64)  # no multiple of 8
    odd[:] = np.arange(5)
    assert not odd.flags.aligned and tessera.dot(odd, np.ones(5), copy=True) == 10
    table = np.zeros((3, 4), [("a", "i1"), ("x", "f8")])
    table["x"] = A
    np.testing.assert_array_equal(tessera.atax(table["x"], V, copy=True), EXPECTED)
    with pytest.raises(TypeError, match="native numbers, found ndarray of float64 and shape .*; copy=True makes a copy"):
        tessera.atax(table["x"], V)
    with pytest.raises(TypeError, match="native numbers, found ndarray .*; copy=True makes a copy of numbers"):
        tessera.axpby(1.0, records["x"], 1.0, np.ones(5))
    fractions = A.astype(object) * Fraction(1, 1)
    np.testing.assert_array_equal(tessera.atax(fractions, V.astype(int).astype(object), copy=True), EXPECTED)
    np.testing.assert_array_equal(tessera.atax(A.tolist(), [Fraction(x) for x in V], copy=True), EXPECTED)
    for strange in (None, "3", 1j):
        with pytest.raises(TypeError, match=r"x must be an array of numbers, found .* in one of shape \(2,\)"):
            tessera.dot(np.array([1, strange], object), np.ones(2), copy=True)
    with pytest.raises(TypeError, match="must not be a masked array"):
        tessera.dot(np.ma.masked_greater(np.arange(5.0), 2), np.ones(5), copy=True)


def misplaced(x, by=1):
    """The same array at an address that is not a multiple of an element's size."""
    x = np.asarray(x)
    order = "C" if x.flags.c_contiguous else "F"
    memory = np.zeros(x.nbytes + 64, np.uint8)
    start = -memory.ctypes.data % 16 + by
    found = memory[start : start + x.nbytes].view(x.dtype).reshape(x.shape, order=order)
    found[...] = x
    assert not found.flags.aligned or found.size == 0
    return found


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_that_are_not_aligned(dtype, order):
    a = np.asarray(A, dtype, order=order)
    v, u = V.astype(dtype), np.array([1, -2, 3], dtype)
    block, block_u = np.stack([v, -v], axis=1), np.stack([u, -u], axis=1)
    odd = misplaced(a, by=a.itemsize // 2)
    calls = {
        "A": [
            lambda copy: tessera.matvec(odd, v, copy=copy),
            lambda copy: tessera.rmatvec(odd, u, copy=copy),
            lambda copy: tessera.atax(odd, v, copy=copy),
            lambda copy: tessera.matvec_both(odd, v, u, copy=copy)[0],
            lambda copy: tessera.atax(odd, block, copy=copy),
            lambda copy: tessera.matmul(odd, block, copy=copy),
            lambda copy: tessera.transpose(odd, copy=copy),
            lambda copy: tessera.linalg.lsmr(odd, u, copy=copy).x,
            lambda copy: tessera.linalg.lstsq(odd, u, copy=copy)[0],
            lambda copy: tessera.linalg.svds(odd, 1, copy=copy)[1],
            lambda copy: tessera.linalg.pca(odd, 1, copy=copy).components,
            lambda copy: tessera.linalg.randomized_svd(odd, 1, copy=copy)[1],
        ],
        "x": [
            lambda copy: tessera.matvec(a, misplaced(v), copy=copy),
            lambda copy: tessera.matvec(a, misplaced(block), copy=copy),
            lambda copy: tessera.dot(misplaced(v), v, copy=copy),
        ],
        "u": [lambda copy: tessera.rmatvec(a, misplaced(block_u), copy=copy)],
        "v": [lambda copy: tessera.atax(a, misplaced(v), copy=copy)],
        "weights": [lambda copy: tessera.atax(a, v, weights=misplaced(u), copy=copy)],
        "z": [lambda copy: tessera.atax(a, v, beta=1.0, z=misplaced(v), copy=copy)],
        "b": [
            lambda copy: tessera.linalg.lsmr(a, misplaced(u), copy=copy).x,
            lambda copy: tessera.linalg.lstsq(a, misplaced(block_u), copy=copy)[0],
        ],
    }
    for name, its in calls.items():
        for call in its:
            with pytest.raises(ValueError, match=f"{name} of shape .* must be aligned, found .*; copy=True makes a copy"):
                call(False)
    a = np.ascontiguousarray(a)
    expected = {
        "A": [
            tessera.matvec(a, v), tessera.rmatvec(a, u), tessera.atax(a, v), tessera.matvec_both(a, v, u)[0],
            tessera.atax(a, block), tessera.matmul(a, block), tessera.transpose(a), tessera.linalg.lsmr(a, u).x,
            tessera.linalg.lstsq(a, u)[0], tessera.linalg.svds(a, 1)[1], tessera.linalg.pca(a, 1).components,
            tessera.linalg.randomized_svd(a, 1)[1],
        ],
        "x": [tessera.matvec(a, v), tessera.matvec(a, block), tessera.dot(v, v)],
        "u": [tessera.rmatvec(a, block_u)],
        "v": [tessera.atax(a, v)],
        "weights": [tessera.atax(a, v, weights=u)],
        "z": [tessera.atax(a, v, beta=1.0, z=v)],
        "b": [tessera.linalg.lsmr(a, u).x, tessera.linalg.lstsq(a, block_u)[0]],
    }
    for name, its in calls.items():
        for call, right in zip(its, expected[name], strict=True):
            np.testing.assert_array_equal(call(True), right)
    np.testing.assert_array_equal(tessera.matvec(OnlyInterface(odd), v, copy=True), tessera.matvec(a, v))
    np.testing.assert_array_equal(tessera.transpose(OnlyInterface(odd), copy=True), a.T)


def test_results_that_are_not_aligned():
    for call in (
        lambda copy: tessera.atax(A, V, out=misplaced(np.zeros(4)), copy=copy),
        lambda copy: tessera.matvec(A, np.stack([V, V], axis=1), out=misplaced(np.zeros((3, 2))), copy=copy),
        lambda copy: tessera.transpose(A, out=misplaced(np.zeros((4, 3))), copy=copy),
        lambda copy: tessera.matmul(A, A.T, out=misplaced(np.zeros((3, 3))), copy=copy),
    ):
        for copy in (False, True):
            with pytest.raises(ValueError, match=r"out of shape .* must be aligned, found elements of 8 bytes .* of 8$"):
                call(copy)
    with pytest.raises(ValueError, match="y of shape .* must be aligned"):
        tessera.axpby(1.0, V, 1.0, misplaced(V))
    assert tessera.matvec(misplaced(np.zeros((0, 4))), V).shape == (0,)


def test_masked_elements_are_never_taken_as_numbers():
    rows = list(np.ma.masked_greater(A, 9.0))
    for call in (
        lambda: tessera.matvec(rows, V, copy=True),
        lambda: tessera.matvec(A, [1.0, np.ma.masked, 2.0, 3.0], copy=True),
        lambda: tessera.linalg.lstsq(rows, np.ones(3), copy=True),
    ):
        with pytest.raises(TypeError, match=r"must not have masked elements; pass its filled\(\.\.\.\)"):
            call()
    for call in (
        lambda copy: tessera.matvec(np.ma.masked_greater(A, 9.0), V, copy=copy),
        lambda copy: tessera.linalg.lsmr(A, np.ma.array(np.ones(3), mask=[0, 0, 1]), copy=copy),
        lambda copy: tessera.linalg.svds(np.ma.masked_greater(A, 9.0), 1, copy=copy),
        lambda copy: tessera.atax(A, V, weights=np.ma.array(np.ones(3), mask=[0, 0, 1]), copy=copy),
    ):
        for copy in (False, True):
            with pytest.raises(TypeError, match="must not be a masked array; pass its filled"):
                call(copy)


def test_arrays_on_a_gpu_are_copied_to_the_host(monkeypatch):
    """Modules stand for libraries: their arrays show where they are, and lie on the host."""

    class OnGpu:
        def __init__(self, x):
            self.x, self.__cuda_array_interface__ = x, {"stream": None}

        def get(self):
            return self.x.copy()

    class OfCupy(OnGpu):
        __module__ = "cupy"

    class Other(OnGpu):
        """Of a library that this package does not know."""

        def get(self):
            raise AssertionError("this is not CuPy")

    monkeypatch.setitem(sys.modules, "cupy", types.SimpleNamespace(asarray=lambda other: OfCupy(other.x)))
    for kind in (OfCupy, Other):
        assert tessera.digest(kind(V)) == tessera.digest(V) != tessera.digest(kind(-V))


def test_transposes_of_copies():
    for x in (A[::-1], A[:, ::-2], A.astype(">f8"), A.tolist(), np.arange(6, dtype="i4").reshape(2, 3)[::-1]):
        found = tessera.transpose(x, copy=True)
        np.testing.assert_array_equal(found, np.asarray(x).T)
        assert found.dtype == np.asarray(x).dtype.newbyteorder("=")
        out = np.empty(np.asarray(x).T.shape, found.dtype)
        assert tessera.transpose(x, out=out, copy=True) is out
        np.testing.assert_array_equal(out, found)
    with pytest.raises(ValueError, match="negative stride; copy=True makes a copy"):
        tessera.transpose(A[::-1])


def test_error_suggests_existing_argument():
    y, c = np.ones(3), tessera.atax(A, V)
    with pytest.raises(TypeError, match="x must be float64 as y of shape .*, found int64 of shape .*; copy=True makes a copy"):
        tessera.axpby(1.0, np.arange(3), 1.0, y)
    tessera.axpby(1.0, np.arange(3), 1.0, y, copy=True)
    assert y.tolist() == [1, 2, 3]
    for wrong in (y.astype(int), y.astype("f4")[:, None], y[None]):
        for copy in (False, True):
            with pytest.raises((TypeError, ValueError), match="y must (be float32 or float64|have one dimension)") as error:
                tessera.axpby(1.0, y, 1.0, wrong, copy=copy)
            assert "copy=True" not in str(error.value)
    wide = np.zeros((3, 8))
    wide[:, ::2] = A
    for bad in (A.astype(int), wide[:, ::2], A[::-1][:, ::-1]):
        with pytest.raises((TypeError, ValueError), match="; copy=True makes a copy"):
            tessera.check(bad, V, c)
        assert tessera.check(bad, V, tessera.atax(bad, V, copy=True), copy=True).passed


@pytest.mark.parametrize("shape", [(), (2, 2, 2)])
def test_error_names_the_dimensions_that_an_argument_needs(shape):
    bad = np.ones(shape)
    for call, expected in (
        (lambda: tessera.atax(bad, V), "A must have two dimensions"),
        (lambda: tessera.transpose(bad), "A must have two dimensions"),
        (lambda: tessera.matmul(A, bad), "B must have two dimensions"),
        (lambda: tessera.linalg.lsmr(bad, np.ones(3)), "A must have two dimensions"),
        (lambda: tessera.matvec(A, bad), "x must have one or two dimensions"),
        (lambda: tessera.matvec(A, V, out=bad), "out must have one dimension"),
        (lambda: tessera.atax(A, V, weights=bad), "weights must have one dimension"),
        (lambda: tessera.matvec_both(A, bad, np.ones(3)), "x must have one dimension"),
        (lambda: tessera.dot(bad, V), "x must have one dimension"),
        (lambda: tessera.dot(V, bad), "y must have one dimension"),
    ):
        with pytest.raises(ValueError, match=re.escape(f"{expected}, found shape {shape}")):
            call()


def test_torch():
    torch = pytest.importorskip("torch")
    a, v = torch.from_numpy(A), torch.from_numpy(V)
    for found in (tessera.atax(a, v), tessera.atax(a.to(torch.int64), v, copy=True)):
        assert type(found) is torch.Tensor
        np.testing.assert_array_equal(found.numpy(), EXPECTED)
    out = torch.empty(4, dtype=torch.float64)
    assert tessera.atax(a, v, out=out) is out
    with pytest.raises(TypeError, match="A must not require grad"):
        tessera.atax(a.clone().requires_grad_(), v)
    with pytest.raises(TypeError, match="out must not require grad"):
        tessera.atax(a, v, out=torch.empty(4, dtype=torch.float64, requires_grad=True))
    for sparse in (a.to_sparse(), a.to_sparse_csr()):
        with pytest.raises(TypeError, match="A must be an array with DLPack or a buffer"):
            tessera.atax(sparse, v)
    negative = torch.complex(v, v).conj().imag  # v in memory
    with pytest.raises(TypeError, match="x must not be negated lazily"):
        tessera.matvec(a, negative)
    assert torch.equal(tessera.matvec(a, negative, copy=True), -(a @ v))
    assert tessera.digest(negative) == tessera.digest(-V)


def test_torch_tensors_that_are_conjugated_lazily():
    torch = package("torch")
    z = torch.complex(torch.from_numpy(A[:2]), torch.from_numpy(A[1:3])).to(torch.complex64)
    with pytest.raises(TypeError, match=r"A must not be conjugated lazily; pass its resolve_conj\(\)"):
        tessera.transpose(torch.conj(z))
    assert torch.equal(tessera.transpose(torch.conj(z), copy=True), torch.conj(z).T)
    assert tessera.digest(torch.conj(z).real) == tessera.digest(z.real)


def test_classes_of_torch_tensors_stay_with_torch():
    torch = package("torch")

    class Named(torch.Tensor):
        pass

    a, v = torch.from_numpy(A).as_subclass(Named), torch.from_numpy(V).as_subclass(Named)
    for x in (a, torch.nn.Parameter(torch.from_numpy(A), requires_grad=False)):
        for copy in (False, True):
            found = tessera.atax(x, v, copy=copy)
            assert isinstance(found, torch.Tensor)
            np.testing.assert_array_equal(found.numpy(), EXPECTED)
    assert isinstance(tessera.linalg.lstsq(a.double(), torch.ones(len(A), dtype=torch.float64))[0], torch.Tensor)


def test_autograd_of_torch_sees_what_is_overwritten():
    torch = package("torch")
    w = torch.ones(4, dtype=torch.float64, requires_grad=True)
    a, v = torch.from_numpy(A), torch.from_numpy(V)
    for write in (lambda x: tessera.atax(a, v, out=x), lambda x: tessera.axpby(1.0, v, 1.0, x)):
        x = torch.ones(4, dtype=torch.float64)
        product = (w * x).sum()
        write(x)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            product.backward()
        (w * x).sum().backward()
    with torch.inference_mode():
        out = torch.empty(4, dtype=torch.float64)
    assert tessera.atax(a, v, out=out) is out


def test_jax():
    jax = pytest.importorskip("jax")
    with jax.default_device(jax.devices("cpu")[0]):
        a, v = jax.numpy.asarray(A, dtype="float32"), jax.numpy.asarray(V, dtype="float32")
    found = tessera.atax(a, v)
    assert isinstance(found, jax.Array)
    np.testing.assert_array_equal(np.asarray(found), EXPECTED)
    for kind in ("int32", "uint8", "bool", "float16"):
        counts = a.astype(kind)
        expected = tessera.atax(np.asarray(counts, "float32"), V.astype("float32"))
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # JAX has no float64 by default
            found = tessera.atax(counts, v, copy=True)
            assert isinstance(tessera.linalg.lstsq(counts, a[:, 0].astype("int32"), copy=True)[0], jax.Array)
        assert isinstance(found, jax.Array)
        np.testing.assert_array_equal(np.asarray(found), expected)


def test_array_api_strict():
    xp = pytest.importorskip("array_api_strict")
    found = tessera.atax(xp.asarray(A), xp.asarray(V))
    assert type(found) is type(xp.asarray(V))
    np.testing.assert_array_equal(np.from_dlpack(found), EXPECTED)


@pytest.mark.parametrize("shape", [(37, 1), (1, 37)])
def test_stride_of_single_entry_is_ignored(shape):
    a = np.random.default_rng(1).standard_normal(shape)
    v, u = np.random.default_rng(2).standard_normal(shape[1]), np.random.default_rng(3).standard_normal(shape[0])
    m, n = (8 * extent for extent in shape)
    for strides in [(8, 8), (n, 8), (8, m), (n, 160), (160, 8), (8, 0), (0, 8)]:
        if all(extent == 1 or stride == 8 for extent, stride in zip(shape, strides)):
            same = np.lib.stride_tricks.as_strided(a, shape, strides)
            assert tessera.digest(tessera.rmatvec(same, u)) == tessera.digest(tessera.rmatvec(a, u))
            assert tessera.digest(tessera.matvec(same, v)) == tessera.digest(tessera.matvec(a, v))
            np.testing.assert_allclose(tessera.atax(same, v), a.T @ (a @ v), rtol=1e-12)


def test_any_shape_and_layout():
    hypothesis = pytest.importorskip("hypothesis")
    st = hypothesis.strategies

    @hypothesis.settings(max_examples=150, deadline=None, database=None, derandomize=True)
    @hypothesis.given(
        rows=st.integers(0, 70),
        cols=st.integers(0, 70),
        dtype=st.sampled_from(["f4", "f8"]),
        by_columns=st.booleans(),
        step=st.integers(1, 3),
        gap=st.integers(0, 5),
        vector_step=st.integers(1, 3),
    )
    def check(rows, cols, dtype, by_columns, step, gap, vector_step):
        lines, length = (cols, rows) if by_columns else (rows, cols)
        random = np.random.default_rng(1)
        whole = random.integers(-3, 4, (lines * step, length + gap)).astype(dtype)
        a = whole[::step, :length]
        a = a.T if by_columns else a
        v = random.integers(-3, 4, cols * vector_step).astype(dtype)[::vector_step]
        u = random.integers(-3, 4, rows * vector_step).astype(dtype)[::vector_step]
        np.testing.assert_array_equal(tessera.atax(a, v), a.T @ (a @ v))
        np.testing.assert_array_equal(tessera.matvec(a, v), a @ v)
        np.testing.assert_array_equal(tessera.rmatvec(a, u), a.T @ u)
        np.testing.assert_array_equal(tessera.transpose(a), a.T)
        np.testing.assert_array_equal(tessera.matmul(a, a.T), a @ a.T)

    check()


def stream():
    return tessera.from_blocks([A])


SENTENCES = [
    (lambda: tessera.atax(None, V), TypeError, "tessera.atax: A must be an array, found None"),
    (lambda: tessera.matvec(A, None), TypeError, "tessera.matvec: x must be an array, found None"),
    (lambda: tessera.rmatvec(A, None), TypeError, "tessera.rmatvec: u must be an array, found None"),
    (lambda: tessera.matvec_both(A, V, None), TypeError, "tessera.matvec_both: u must be an array, found None"),
    (lambda: tessera.transpose(None), TypeError, "tessera.transpose: A must be an array, found None"),
    (lambda: tessera.matmul(A, None), TypeError, "tessera.matmul: B must be an array, found None"),
    (lambda: tessera.dot(V, None), TypeError, "tessera.dot: y must be an array, found None"),
    (lambda: tessera.axpby("a", V, 1.0, V), TypeError, "tessera.axpby: a must be a number, found 'a'"),
    (lambda: tessera.axpby(1.0, [1.0] * 4, 1.0, V), TypeError, "tessera.axpby: x must be an array"),
    (lambda: tessera.axpby(1.0, V, 1.0, V), ValueError, "tessera.axpby: y must not overlap x"),
    (lambda: tessera.check(A, V, None), TypeError, "tessera.check: c must be an array, found None"),
    (lambda: tessera.atax(A, V, alpha="2"), TypeError, "tessera.atax: alpha must be a number, found '2'"),
    (lambda: tessera.atax(A, V, beta=V), TypeError, r"tessera.atax: beta must be a number, found ndarray of shape \(4,\)"),
    (lambda: tessera.atax(A, V, copy="no"), TypeError, "tessera.atax: copy must be True or False, found 'no'"),
    (lambda: tessera.threads(1.5), TypeError, "tessera.threads: n must be a whole number, found 1.5"),
    (lambda: tessera.open("a.npy", shape=3), TypeError, "tessera.open: shape must be a pair of whole numbers, found 3"),
    (lambda: tessera.open(Path("a.npy"), shape=3), TypeError, "tessera.open: shape must be a pair of whole numbers, found 3"),
    (lambda: tessera.open(b"a.npy", shape=3), TypeError, "tessera.open: shape must be a pair of whole numbers, found 3"),
    (lambda: tessera.open(3), TypeError, "tessera.open: path must be a text or a path, found 3"),
    (lambda: tessera.open(None), TypeError, "tessera.open: path must be a text or a path, found None"),
    (lambda: tessera.fill_missing(A, "nan"), TypeError, "tessera.fill_missing: missing must be a number, found 'nan'"),
    (lambda: tessera.fill_missing(A[0]), ValueError, r"fill_missing: A must have two dimensions, found shape \(4,\)"),
    (lambda: tessera.fill_missing(A.astype(int)), TypeError, "fill_missing: A must .*; copy=True makes a copy"),
    (lambda: tessera.fill_missing(A, means=[1.0]), ValueError, r"fill_missing: means must have 4 entries, found .* of shape \(1,\)"),
    (lambda: tessera.open("a.npy", dtype="fp"), TypeError, "tessera: dtype must be float32 or float64, found 'fp'"),
    (lambda: tessera.open("a.npy", memory_limit=None), TypeError, "memory_limit must be a number of bytes or a text"),
    (lambda: tessera.open("a.npy", memory_limit="1GB"), ValueError, "with B, KiB, MiB, GiB or TiB, found '1GB'"),
    (lambda: tessera.from_callback(3.5, 4, print), TypeError, "tessera.from_callback: rows must be a whole number, found 3.5"),
    (lambda: tessera.linalg.lsmr(None, V), TypeError, "tessera.linalg.lsmr: A must be an array, found None"),
    (lambda: tessera.linalg.svds(None), TypeError, "tessera.linalg.svds: A must be an array, found NoneType"),
    (lambda: tessera.linalg.lsmr(A, A[:, 0], damp="a"), TypeError, "tessera.linalg.lsmr: damp must be a number, found 'a'"),
    (lambda: tessera.linalg.lsmr(A, A[:, 0], damp=-1), ValueError, "tessera.linalg.lsmr: damp must be a number of at least 0"),
    (lambda: tessera.linalg.lsmr(A, A[:, 0], maxiter=3.5), TypeError, "lsmr: maxiter must be a whole number, found 3.5"),
    (lambda: tessera.linalg.ridge(A, A[:, 0], -1), ValueError, "tessera.linalg.ridge: alpha must be a number of at least 0, found -1"),
    (lambda: tessera.linalg.ridge_path(A, A[:, 0], 1), ValueError, "ridge_path: alphas must be a sequence of at least one number, found 1"),
    (lambda: tessera.linalg.ridge_path(A, A[:, 0], ["a"]), ValueError, "alpha must be a number of at least 0, found 'a'"),
    (lambda: tessera.linalg.lstsq(A, A[:1]), ValueError, r"b must have shape \(3,\) or \(3, k\) for A of shape \(3, 4\), found \(1, 4\)"),
    (lambda: tessera.linalg.pca(A, None), TypeError, "tessera.linalg.pca: `k` must be an integer .*, found None"),
    (lambda: tessera.linalg.svds(A, 1, tol="a"), ValueError, "tessera.linalg.svds: `tol` must be .*, found 'a'"),
    (lambda: tessera.linalg.svds(A, 1, ncv="a"), ValueError, "tessera.linalg.svds: `ncv` must be .*, found 'a'"),
    (lambda: tessera.linalg.pca(A, 1, maxiter="a"), ValueError, "tessera.linalg.pca: `maxiter` must be .*, found 'a'"),
    (lambda: tessera.linalg.pca(A, 1, tol=None), ValueError, "tessera.linalg.pca: `tol` must be .*, found None"),
    (lambda: tessera.atax((x for x in A), V, copy=True), TypeError, "tessera.atax: A must be an array of numbers, found a generator"),
    (lambda: tessera.atax([[1.0], [1.0, 2.0]], V, copy=True), ValueError, "tessera.atax: A must be an array of numbers, found a list: "),
    (lambda: np.asarray(stream()), TypeError, r"expected an array, found a streamed matrix of shape \(3, 4\)"),
    (lambda: stream() @ V, TypeError, "found a streamed matrix"),
    (lambda: tessera.digest(stream()), TypeError, "found a streamed matrix"),
    (lambda: tessera.aslinearoperator(A.astype(str), copy=True), TypeError, r"aslinearoperator: A must be an array of numbers, found <U32 of shape \(3, 4\)"),
    (lambda: tessera.aslinearoperator(A.astype("M8[s]"), copy=True), TypeError, "aslinearoperator: A must be an array of numbers, found datetime64"),
    (lambda: tessera.atax(A + 0j, V, copy=True), TypeError, r"tessera.atax: A must be an array of real numbers, found complex128 of shape \(3, 4\)"),
    (lambda: tessera.atax(A, V + 0j, copy=True), TypeError, "tessera.atax: v must be an array of real numbers, found complex128"),
    (lambda: tessera.linalg.lsmr(A, "a", copy=True), TypeError, "tessera.linalg.lsmr: b must be an array"),
    (lambda: tessera.linalg.lstsq(A, None, copy=True), TypeError, "tessera.linalg.lstsq: b must be an array of numbers, found None"),
    (lambda: tessera.linalg.pca(None, 1, copy=True), TypeError, "tessera.linalg.pca: A must be an array of numbers, found None"),
    (lambda: tessera.linalg.column_stats([[None]], copy=True), TypeError, "column_stats: A must be an array of numbers, found None"),
    (lambda: tessera.check(A, V, V + 0j, copy=True), TypeError, "tessera.check: c must be an array of real numbers"),
    (lambda: tessera.axpby(1.0, V + 0j, 1.0, V.copy(), copy=True), TypeError, "tessera.axpby: x must be an array of real numbers"),
    (lambda: tessera.linalg.lsqr(A, A[:, 0], iter_lim=-1), ValueError, "lsqr: iter_lim must be a whole number of at least 0, found -1"),
    (lambda: tessera.linalg.column_stats(A, ddof=1.5), ValueError, "column_stats: `ddof` must be an integer of at least 0, found 1.5"),
    (lambda: tessera.linalg.column_stats(A, ddof="a"), ValueError, "column_stats: `ddof` must be an integer of at least 0, found 'a'"),
    (lambda: tessera.linalg.lstsq(A[:0], V[:0], 0.1), ValueError, r"lstsq: rcond is for matrices with elements, found shape \(0, 4\)"),
    (lambda: tessera.fill_missing(A, None), TypeError, "fill_missing: missing must be a number, found None"),
    (lambda: tessera.fill_missing(A[:0]), ValueError, r"fill_missing: A must not be empty, found shape \(0, 4\)"),
    (lambda: tessera.fill_missing(A, means=[1, 2, np.nan, 4]), ValueError, "fill_missing: means must be numbers, found NaN at index 2"),
    (lambda: tessera.fill_missing(A, means="abc"), TypeError, "fill_missing: means must be an array of numbers, found <U3"),
    (lambda: tessera.aslinearoperator(A.tolist()), TypeError, "found list of shape .*; copy=True makes an array of it"),
    (lambda: tessera.aslinearoperator(A.astype(int)), TypeError, "found int64 of shape .*; copy=True makes a copy"),
    (lambda: tessera.aslinearoperator(A + 0j), TypeError, r"found complex128 of shape \(3, 4\)$"),
]


@pytest.mark.parametrize("case", range(len(SENTENCES)))
def test_arguments_of_a_wrong_kind_are_named_in_one_sentence(case):
    call, error_type, sentence = SENTENCES[case]
    with pytest.raises(error_type, match=sentence) as caught:
        call()
    assert "\n" not in str(caught.value) and "tessera::" not in str(caught.value)


def test_advice_to_copy_is_given_where_a_copy_works():
    """What an error advises works, and what does not work is not advised."""
    for bad in (A.tolist(), A.astype(object), A.astype(">f8"), A.astype(int), A.astype(np.longdouble), A[::-1]):
        for solve in (lambda a, **more: tessera.atax(a, V, **more), lambda a, **more: tessera.linalg.lsqr(a, A[:, 0], **more)[0]):
            with pytest.raises((TypeError, ValueError), match="; copy=True makes a"):
                solve(bad)
            assert solve(bad, copy=True).shape == (4,)
    for bad in (V + 0j, V.astype(str), V.astype("M8[s]"), "text"):
        for copy in (False, True):
            with pytest.raises(TypeError, match="tessera.atax: v must be") as caught:
                tessera.atax(A, bad, copy=copy)
            assert "copy=True" not in str(caught.value)
    for call in (lambda: tessera.atax(A, V, out=[0.0] * 4), lambda: tessera.atax(A, V, out=np.zeros(4, ">f8"))):
        with pytest.raises(TypeError, match="out must be an array") as caught:
            call()
        assert "copy=True" not in str(caught.value)


def test_sparse_matrices_are_refused_with_advice():
    sparse = pytest.importorskip("scipy.sparse")
    for kind in (sparse.csr_matrix, sparse.coo_array):
        S = kind(A)
        for call in (
            lambda: tessera.atax(S, V, copy=True),
            lambda: tessera.linalg.lsmr(S, A[:, 0], copy=True),
            lambda: tessera.linalg.svds(S, 1, copy=True),
            lambda: tessera.aslinearoperator(S),
            lambda: tessera.NormalOperator(S),
            lambda: tessera.from_blocks([S]),
        ):
            with pytest.raises(TypeError, match=rf"found {kind.__name__} of shape \(3, 4\); pass its toarray\(\)"):
                call()
        for call in (lambda: tessera.atax(S, V), lambda: tessera.linalg.svds(S, 1)):
            with pytest.raises(TypeError, match=rf"found .*{kind.__name__}; pass its toarray\(\)"):
                call()


def test_right_hand_sides_of_pandas():
    pandas = package("pandas")
    tall, b = A.T.copy(), V
    expected = tessera.linalg.lsmr(tall, b).x
    for side in (pandas.Series(b), pandas.DataFrame(b)):
        assert tessera.linalg.lsmr(tall, side, copy=True).x.tobytes() == expected.tobytes()
        with pytest.raises(TypeError, match="b must be an array .*; copy=True makes an array of it"):
            tessera.linalg.lsmr(tall, side)
        with pytest.raises(TypeError, match="b must be an array"):
            tessera.linalg.lstsq(tall, side)


def test_axpby_copies_what_it_reads():
    for x in ([1, 2, 3, 4], np.arange(1, 5, dtype="f4"), np.arange(4.0, 0.0, -1.0)[::-1]):
        y = np.ones(4)
        tessera.axpby(2.0, x, 3.0, y, copy=True)
        assert y.tolist() == [5, 7, 9, 11]
    with pytest.raises(TypeError, match="y must be"):
        tessera.axpby(1.0, V, 1.0, [1.0] * 4, copy=True)
