# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays in memory of a GPU: the bits of the host, in the caller's stream, never copied."""

import os

import numpy as np
import pytest

import tessera
from tessera import linalg


def _why_not():
    if not tessera.info()["gpu"]:
        return "tessera was built without CUDA"
    try:
        import cupy

        cupy.cuda.Device().use()
    except Exception as error:
        return f"CuPy cannot use a GPU: {error}"
    return None


if reason := _why_not():
    if os.environ.get("TESSERA_TEST_NEEDS_DEVICE"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(f"arrays on GPUs were NOT TESTED: {reason}", allow_module_level=True)

import cupy  # noqa: E402


def _torch(x):
    torch = pytest.importorskip("torch")
    return torch.from_numpy(np.array(x)).cuda()


def host(x):
    return x.cpu().numpy() if hasattr(x, "cpu") else cupy.asnumpy(x)


@pytest.fixture(params=[np.float32, np.float64])
def dtype(request):
    return request.param


@pytest.fixture(params=["cupy", "torch"])
def to_gpu(request):
    return cupy.asarray if request.param == "cupy" else _torch


def random(shape, dtype, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def same(found, expected):
    np.testing.assert_array_equal(host(found), expected)


@pytest.mark.parametrize("shape", [(1, 1), (300, 70), (70, 3000), (5, 1), (0, 4)])
@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray])
def test_bits_are_those_of_the_host(to_gpu, dtype, shape, layout):
    m, n = shape
    a, v, u = layout(random(shape, dtype)), random(n, dtype, 1), random(m, dtype, 2)
    A = to_gpu(a.T).T if layout is np.asfortranarray else to_gpu(a)
    V, U = to_gpu(v), to_gpu(u)
    found = tessera.atax(A, V)
    assert type(found) is type(V)
    same(found, tessera.atax(a, v))
    assert tessera.digest(found) == tessera.digest(tessera.atax(a, v))
    same(tessera.matvec(A, V), tessera.matvec(a, v))
    same(tessera.rmatvec(A, U), tessera.rmatvec(a, u))
    same(tessera.atax(A, V, map="logistic", minus=U), tessera.atax(a, v, map="logistic", minus=u))
    same(tessera.atax(A, V, beta=2.5, z=V), tessera.atax(a, v, beta=2.5, z=v))
    for on_gpu, on_host in zip(tessera.matvec_both(A, V, U), tessera.matvec_both(a, v, u)):
        same(on_gpu, on_host)
    same(tessera.transpose(A), a.T)
    assert tessera.dot(U, U) == tessera.dot(u, u)


def test_blocks_and_products_of_matrices(to_gpu, dtype):
    a, v = random((200, 60), dtype), random((60, 3), dtype, 1)
    same(tessera.atax(to_gpu(a), to_gpu(v)), tessera.atax(a, v))
    same(tessera.matmul(to_gpu(a), to_gpu(v)), tessera.matmul(a, v))


def test_strided_rows_stay_where_they_are(dtype):
    wide = cupy.asarray(random((100, 50), dtype))
    v = cupy.ones(20, dtype)
    same(tessera.atax(wide[::2, :20], v), tessera.atax(host(wide)[::2, :20], host(v)))
    with pytest.raises(ValueError, match="contiguous rows or columns"):
        tessera.atax(wide[:, ::2], cupy.ones(25, dtype))


def test_no_copy_of_the_matrix():
    a, v = cupy.ones((4096, 4096), np.float32), cupy.ones(4096, np.float32)
    tessera.atax(a, v)
    before = cupy.cuda.runtime.memGetInfo()[0]
    tessera.atax(a, v)
    assert before - cupy.cuda.runtime.memGetInfo()[0] < a.nbytes / 4


def test_out_is_written_and_returned(to_gpu):
    a, v = to_gpu(random((30, 20), np.float32)), to_gpu(random(20, np.float32, 1))
    out = to_gpu(np.zeros(20, np.float32))
    assert tessera.atax(a, v, out=out) is out
    same(out, tessera.atax(host(a), host(v)))


def test_calls_go_into_the_callers_stream():
    a, v = cupy.asarray(random((3000, 3000), np.float32)), cupy.empty(3000, np.float32)
    cupy.cuda.Device().synchronize()
    for value in (1.0, 2.0, 3.0):
        with cupy.cuda.Stream(non_blocking=True) as stream:
            for _ in range(50):
                v.fill(0)
            v.fill(value)  # the call must run after these
            found = tessera.atax(a, v)
            found *= 2  # and before this
            stream.synchronize()
        expected = tessera.atax(host(a), np.full(3000, value, np.float32)) * 2
        same(found, expected)


def test_the_stream_of_torch():
    torch = pytest.importorskip("torch")
    a, v = torch.ones((2000, 2000), device="cuda"), torch.zeros(2000, device="cuda")
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        v.fill_(1)
        found = tessera.atax(a, v) + 1
    stream.synchronize()
    same(found, np.full(2000, 2000.0 * 2000 + 1, np.float32))


def torch_with_operator():
    torch = pytest.importorskip("torch")
    import tessera.torch

    return torch, tessera.torch.atax


def test_the_operator_of_torch_in_its_stream():
    torch, atax = torch_with_operator()
    a, v = torch.ones((2000, 2000), device="cuda"), torch.zeros(2000, device="cuda", requires_grad=True)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        x = torch.sin(v) + 1
        found = atax(a, x)
        (gradient,) = torch.autograd.grad(found.sum(), v)
    stream.synchronize()
    same(found.detach(), np.full(2000, 2000.0 * 2000, np.float32))
    same(gradient, np.full(2000, 2000.0 * 2000, np.float32))


@pytest.mark.parametrize("columns", [(), (3,)])
def test_graphs_of_torch(columns):
    """Of a product and its gradient, launched in another stream, after larger calls in the first."""
    torch, atax = torch_with_operator()
    a = _torch(random((900, 500), np.float32))
    v = torch.zeros((500, *columns), device="cuda", requires_grad=True)
    graph, stream = torch.cuda.CUDAGraph(), torch.cuda.Stream()

    def step():
        c = atax(a, v)
        return c, torch.autograd.grad(c, v, torch.ones_like(c))[0]

    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        step()
    stream.synchronize()
    with torch.cuda.graph(graph, stream=stream):
        captured = step()
    larger = torch.ones((3000, 2000), device="cuda"), torch.ones(2000, device="cuda")
    for seed in range(3):
        with torch.no_grad():
            v.copy_(_torch(random((500, *columns), np.float32, seed)))
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            beside = [tessera.atax(*larger) for _ in range(5)]
        graph.replay()
        torch.cuda.synchronize()
        expected = tessera.atax(host(a), host(v.detach()))
        same(captured[0].detach(), expected)
        same(captured[1], tessera.atax(host(a), np.ones((500, *columns), np.float32)))
        for found in beside:
            same(found, np.full(2000, 2000.0 * 3000, np.float32))


def test_a_graph_of_torch_whose_first_call_is_captured():
    torch, atax = torch_with_operator()
    a, v = torch.ones((700, 300), device="cuda"), torch.ones(300, device="cuda")
    torch.cuda.synchronize()
    with pytest.raises(ValueError, match="make a call with the same sizes in this stream before"):
        with torch.cuda.graph(torch.cuda.CUDAGraph(), stream=torch.cuda.Stream()):
            atax(a, v)
    torch.cuda.synchronize()
    same(atax(a, v), np.full(300, 300.0 * 700, np.float32))


@pytest.mark.parametrize("mode", ["default", "reduce-overhead"])
def test_compiled_functions_of_torch(mode):
    """The second mode launches CUDA graphs."""
    torch, atax = torch_with_operator()
    pytest.importorskip("triton")
    a, v = _torch(random((900, 500), np.float32)), _torch(random(500, np.float32, 1))
    step = torch.compile(lambda v: atax(a, v * 2) + 1, mode=mode, fullgraph=True)
    for seed in range(5):
        v = _torch(random(500, np.float32, seed))
        found = step(v).clone()
        torch.cuda.synchronize()
        same(found, tessera.atax(host(a), host(v) * 2) + 1)


def test_graphs_of_cupy():
    a, v = cupy.ones((3000, 2000), np.float32), cupy.empty(2000, np.float32)
    out = cupy.empty_like(v)
    with cupy.cuda.Stream(non_blocking=True) as stream:
        tessera.atax(a, v, out=out)
        stream.synchronize()
        stream.begin_capture()
        tessera.atax(a, v, out=out)
        graph = stream.end_capture()
        for value in (1, 2):
            v.fill(value)
            graph.launch(stream)
            stream.synchronize()
            same(out, np.full(2000, 2000.0 * 3000 * value, np.float32))


def test_places_are_not_mixed():
    a = cupy.ones((3, 2), np.float32)
    with pytest.raises(TypeError, match="on the host"):
        tessera.atax(a, np.ones(2, np.float32))
    with pytest.raises(TypeError, match="on the host"):
        tessera.atax(a, cupy.ones(2, np.float32), out=np.ones(2, np.float32))


def test_jax_reads_and_takes_what_it_is_given():
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX was NOT TESTED on a GPU: it has no CUDA")
    a, v = jax.numpy.ones((5, 4), "float32"), jax.numpy.ones(4, "float32")
    jax.block_until_ready((a, v))
    out = cupy.empty(4, np.float32)
    assert tessera.atax(a, v, out=out) is out
    same(out, np.full(4, 20, np.float32))
    with pytest.raises(TypeError, match="JAX arrays on a GPU cannot be written"):
        tessera.atax(a, v)


def test_operators_for_the_solvers_of_cupy():
    linalg = pytest.importorskip("cupyx.scipy.sparse.linalg")
    a, b = random((60, 20), np.float64), random(60, np.float64, 1)
    expected = np.linalg.lstsq(a, b)[0]
    A, B = cupy.asarray(a), cupy.asarray(b)
    found = linalg.cg(tessera.NormalOperator(A), A.T @ B)[0]
    np.testing.assert_allclose(host(found), expected, rtol=1e-3)
    found = linalg.lsmr(tessera.aslinearoperator(A), B, atol=1e-13, btol=1e-13)[0]
    np.testing.assert_allclose(host(found), expected, rtol=1e-8)


class OnBoth:
    """A matrix and a vector, on the host and on the GPU."""

    def __init__(self, to_gpu, dtype, order, shape=(90, 30)):
        a, self.b = random(shape, dtype), random(shape[0], dtype, 1)
        self.a = np.asarray(a, order=order)
        self.A = to_gpu(a) if order == "C" else to_gpu(a.T.copy()).T
        self.B = to_gpu(self.b)
        self.to_gpu = to_gpu

    def same(self, found, expected):
        """Arrays are of the GPU's kind and have the host's bits; numbers are the host's."""
        assert len(found) == len(expected)
        for on_gpu, on_host in zip(found, expected):
            if isinstance(on_host, np.ndarray):
                assert type(on_gpu) is type(self.A) and on_gpu.device == self.A.device
                same(on_gpu, on_host)
            else:
                assert on_gpu == on_host


@pytest.fixture(params=["C", "F"])
def both(request, to_gpu, dtype):
    return OnBoth(to_gpu, dtype, request.param)


@pytest.mark.parametrize("method", ["lsmr", "lsqr"])
@pytest.mark.parametrize("damp", [0.0, 0.7])
def test_least_squares_have_the_bits_of_the_host(both, method, damp):
    solve = getattr(linalg, method)
    both.same(solve(both.A, both.B, damp), solve(both.a, both.b, damp))
    x0 = random(30, both.a.dtype, 2)
    X0 = both.to_gpu(x0)
    both.same(solve(both.A, both.B, damp, x0=X0), solve(both.a, both.b, damp, x0=x0))


def test_ridge_paths_have_the_bits_of_the_host(both):
    found = linalg.ridge_path(both.A, both.B, [0.0, 0.5, 20.0])
    expected = linalg.ridge_path(both.a, both.b, [0.0, 0.5, 20.0])
    assert len(found) == 3
    for on_gpu, on_host in zip(found, expected):
        both.same(on_gpu, on_host)


def test_triplets_have_the_bits_of_the_host(both):
    both.same(linalg.svds(both.A, 4), linalg.svds(both.a, 4))
    values = {"return_singular_vectors": False}
    both.same([linalg.svds(both.A, 2, **values)], [linalg.svds(both.a, 2, **values)])
    both.same(linalg.randomized_svd(both.A, 4), linalg.randomized_svd(both.a, 4))
    for scale in (False, True):
        both.same(linalg.pca(both.A, 3, scale=scale), linalg.pca(both.a, 3, scale=scale))


def test_several_right_sides(both):
    columns = random((90, 3), both.a.dtype, 3)
    both.same(linalg.lstsq(both.A, both.to_gpu(columns)), linalg.lstsq(both.a, columns))


def test_strided_matrices_of_solvers(to_gpu, dtype):
    wide = random((120, 50), dtype)
    a, b = wide[::2, :20], wide[::2, 30]
    on_gpu = to_gpu(wide)
    A, B = on_gpu[::2, :20], on_gpu[::2, 30]
    same(linalg.lsmr(A, B).x, linalg.lsmr(a, b).x)
    same(linalg.svds(A, 2)[0], linalg.svds(a, 2)[0])
    same(linalg.pca(A, 2).components, linalg.pca(a, 2).components)


def test_solvers_work_in_the_callers_stream():
    a, b = random((3000, 200), np.float32), random(3000, np.float32, 1)
    expected = linalg.lsmr(a, b * 3).x * 2
    A, B = cupy.asarray(a), cupy.asarray(b)
    cupy.cuda.Device().synchronize()
    with cupy.cuda.Stream(non_blocking=True) as stream:
        scaled = cupy.zeros_like(B)
        for _ in range(50):
            scaled.fill(0)
        scaled += B * 3  # the call must run after these
        found = linalg.lsmr(A, scaled).x * 2
        stream.synchronize()
    same(found, expected)


def test_callbacks_and_refusals_of_solvers(to_gpu):
    a, b = random((90, 30), np.float64), random(90, np.float64, 1)
    A, B = to_gpu(a), to_gpu(b)
    steps, expected = [], []
    linalg.lsmr(A, B, callback=steps.append)
    linalg.lsmr(a, b, callback=expected.append)
    assert steps == expected
    with pytest.raises(ZeroDivisionError):
        linalg.svds(A, 2, callback=lambda step: 1 / 0)
    with pytest.raises(TypeError, match="b of shape .90,. is on the host, and A of shape .90, 30. on GPU"):
        linalg.lsmr(A, b)
    same(linalg.lsmr(A, B).x, linalg.lsmr(a, b).x)
