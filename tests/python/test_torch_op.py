# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""The operator of PyTorch: bits, gradients, and compilation without a graph break."""

import doctest

import numpy as np
import pytest
from optional import package

import tessera

M, N, K = 40, 7, 3


@pytest.fixture
def torch():
    return package("torch")


@pytest.fixture
def atax(torch):
    import tessera.torch

    return tessera.torch.atax


def tensors(torch, *shapes, grad=True):
    random = np.random.default_rng(1)
    return [torch.from_numpy(random.standard_normal(shape)).requires_grad_(grad) for shape in shapes]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(N,), (N, K)])
def test_bits_of_torch_tensors(torch, atax, shape, dtype):
    A, v = (x.to(getattr(torch, dtype)) for x in tensors(torch, (M, N), shape, grad=False))
    c, b = tessera.atax(A.numpy(), v.numpy(), return_b=True)
    for matrix in (A, A.T.contiguous().T):
        found = atax(matrix, v, return_b=True)
        assert all(type(x) is torch.Tensor and not x.requires_grad for x in found)
        if matrix is A:
            assert [x.numpy().tobytes() for x in found] == [c.tobytes(), b.tobytes()]
        np.testing.assert_allclose(found[0].numpy(), c, rtol=1e-4)
    (op,) = (torch.ops.tessera.atax,)
    assert torch.equal(op(A, v)[0], atax(A, v))


@pytest.mark.parametrize("shape", [(), (K,)])
def test_gradients_of_torch(torch, atax, shape):
    A, v, minus = tensors(torch, (M, N), (N, *shape), (M, *shape))
    assert torch.autograd.gradcheck(lambda *x: atax(*x, return_b=True), (A, v))
    assert torch.autograd.gradcheck(lambda A, v, y: atax(A, v, minus=y, return_b=True), (A, v, minus))
    assert torch.autograd.gradcheck(lambda v, y: atax(A.detach(), v, minus=y, return_b=True)[1], (v, minus))
    assert torch.autograd.gradgradcheck(lambda A, v: atax(A, v), (A, v))
    # An expanded gradient, of stride 0.
    atax(A, v).sum().backward()
    expected = torch.autograd.grad((A.T @ (A @ v)).sum(), (A, v))
    torch.testing.assert_close(A.grad, expected[0])
    torch.testing.assert_close(v.grad, expected[1])


def test_the_gradient_of_torch_by_the_vector_is_one_product(torch, atax):
    A, v, g = tensors(torch, (M, N), (N,), (N,))
    atax(A.detach(), v).backward(g.detach())
    assert v.grad.numpy().tobytes() == tessera.atax(A.detach().numpy(), g.detach().numpy()).tobytes()


@pytest.mark.parametrize("shape", [(N,), (N, K)])
def test_torch_compiles_without_a_graph_break(torch, atax, shape):
    A, v = tensors(torch, (M, N), shape)

    def loss(A, v):
        return (atax(A, torch.tanh(v)) ** 2).sum()

    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True)
    for a, x in ((A, v), (A[:20], v)):  # the second shape is dynamic
        expected = torch.autograd.grad(loss(a, x), (A, v))
        found = compiled(a, x)
        assert found.item() == loss(a, x).item()
        for one, other in zip(torch.autograd.grad(found, (A, v)), expected, strict=True):
            torch.testing.assert_close(one, other)


@pytest.mark.parametrize("shape", [(), (K,)])
def test_torch_finds_no_fault_in_the_operator(torch, atax, shape):
    A, v, minus = tensors(torch, (M, N), (N, *shape), (M, *shape))
    for arguments in ((A, v), (A, v, minus)):
        torch.library.opcheck(torch.ops.tessera.atax.default, arguments)


def test_forward_mode_of_torch_is_refused(torch, atax):
    A, v, minus = tensors(torch, (M, N), (N,), (M,), grad=False)
    calls = {
        "A": (lambda x: atax(x, v), A),
        "v": (lambda x: atax(A, x), v),
        "minus": (lambda x: atax(A, v, minus=x, return_b=True), minus),
    }
    for name, (call, x) in calls.items():
        with pytest.raises(NotImplementedError, match=f"{name} must have no tangent: .* use torch.autograd"):
            torch.func.jvp(call, (x,), (x,))
    found, tangent = torch.func.jvp(lambda x: x * atax(A, v).sum(), (v,), (v,))
    assert torch.equal(found, tangent)


def test_torch_tensors_that_do_not_match(torch, atax):
    A, v = tensors(torch, (M, N), (N,), grad=False)
    with pytest.raises(ValueError, match="must have shape"):
        atax(A, v[:-1])
    with pytest.raises(TypeError, match="float32"):
        atax(A, v.float())
    with pytest.raises(RuntimeError, match="A must have two dimensions, found 1"):
        torch.compile(atax, backend="aot_eager", fullgraph=True)(v, v)


def test_the_examples_of_torch(torch, atax):
    import tessera.torch

    text = (tessera.torch.__doc__ + "\n\n" + tessera.torch.atax.__doc__).replace("  # doctest: +SKIP", "")
    examples = doctest.DocTestParser().get_doctest(text, {}, "tessera.torch", None, None)
    examples.examples = [each for each in examples.examples if "torch.compile" not in each.source and "step(" not in each.source]
    assert len(examples.examples) > 5
    assert doctest.DocTestRunner().run(examples).failed == 0
