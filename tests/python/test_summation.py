# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""The package has the bits of docs/summation.md, as NumPy computes them from the page alone."""

import pathlib

import canonical_order as page
import numpy as np
import pytest

import tessera

TEXT = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "summation.md").read_text(encoding="utf-8")
TYPES = [np.float32, np.float64]
ORDERS = {"row-major": np.ascontiguousarray, "column-major": np.asfortranarray}
SHAPES = [
    *page.SHAPES[:6], (1, 1000), (1000, 1), (2, 2), (7, 64), (8, 65), (9, 127), (17, 129), (31, 255), (64, 256), (65, 1025),
    (127, 33), (128, 128), (255, 31), (257, 9), (513, 129), (1025, 65), (2049, 16), (4097, 5), (9000, 3), (3, 9000),
    (9, 16385), (16385, 9), (33000, 2), (2, 33000),
]  # fmt: skip


def same_bits(found, expected):
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    whole = np.uint32 if found.dtype == np.float32 else np.uint64
    np.testing.assert_array_equal(
        np.ascontiguousarray(found).view(whole), np.ascontiguousarray(expected).view(whole)
    )


@pytest.fixture(params=TYPES)
def dtype(request):
    return request.param


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: f"{s[0]}x{s[1]}")
def test_products(dtype, order, shape):
    A, v = page.problem(shape, dtype)
    u = page.numbers(shape[0], 3, dtype)
    stored = ORDERS[order](A)
    same_bits(tessera.matvec(stored, v), page.multiply(A, v, order))
    same_bits(tessera.rmatvec(stored, u), page.multiply_transposed(A, u, order))
    same_bits(tessera.atax(stored, v), page.atax(A, v, order))
    y, w = tessera.matvec_both(stored, v, u)
    same_bits(y, page.multiply(A, v, order))
    same_bits(w, page.multiply_transposed(A, u, order))


MAPS = {
    "weights": lambda x: {"weights": x},
    "minus": lambda x: {"minus": x},
    "logistic": lambda x: {"minus": x, "map": "logistic"},
    "logistic_weights": lambda x: {"weights": x, "map": "logistic_weights"},
    "poisson": lambda x: {"minus": x, "map": "poisson"},
    "poisson_weights": lambda x: {"weights": x, "map": "poisson_weights"},
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("shape", [(1, 1), (129, 513), (700, 33), (33, 700), (400, 1), (1, 400)])
def test_maps_and_terms(dtype, order, name, shape):
    A, v = page.problem(shape, dtype)
    A = A * dtype(2)
    x, z = page.numbers(shape[0], 3, dtype), page.numbers(shape[1], 5, dtype)
    stored, f = ORDERS[order](A), page.map_of(name, x)
    same_bits(tessera.atax(stored, v, **MAPS[name](x)), page.atax(A, v, order, f))
    for alpha, beta in ((1, 0), (0.7, 0), (1, -1.3), (0.7, -1.3)):
        same_bits(
            tessera.atax(stored, v, alpha=alpha, beta=beta, z=z, **MAPS[name](x)),
            page.atax(A, v, order, f, alpha, beta, z),
        )


@pytest.mark.parametrize("order", ORDERS)
def test_columns_of_a_block_are_single_vectors(dtype, order):
    A, _ = page.problem((300, 70), dtype)
    V, U = page.numbers(210, 2, dtype).reshape(70, 3), page.numbers(900, 3, dtype).reshape(300, 3)
    stored = ORDERS[order](A)
    found = tessera.atax(stored, V), tessera.matvec(stored, V), tessera.rmatvec(stored, U)
    for j in range(3):
        same_bits(found[0][:, j], page.atax(A, V[:, j], order))
        same_bits(found[1][:, j], page.multiply(A, V[:, j], order))
        same_bits(found[2][:, j], page.multiply_transposed(A, U[:, j], order))


@pytest.mark.parametrize(
    "sizes", [(1, 1, 1), (1, 1, 3000), (5, 7, 255), (7, 5, 257), (3, 2, 4111), (64, 64, 700), (1030, 1020, 20), (40, 1, 90)]
)
def test_gemm(dtype, sizes):
    rows, cols, depth = sizes
    A, B = page.numbers(rows * depth, 1, dtype).reshape(rows, depth), page.numbers(depth * cols, 2, dtype).reshape(depth, cols)
    expected = page.gemm(A, B)
    for left in ORDERS.values():
        for right in ORDERS.values():
            same_bits(tessera.matmul(left(A), right(B)), expected)


@pytest.mark.parametrize("size", [1, 5, 64, 257, 5000])
def test_dot(dtype, size):
    x, y = page.numbers(size, 1, dtype), page.numbers(size, 2, dtype)
    assert dtype(tessera.dot(x, y)) == page.dot(x[None, :], y)[0]


def test_exp(dtype):
    x, expected = page.function_values("exp", dtype)
    ones = np.ones(1, dtype)
    # Each by a 1 x 1 matrix: B = f(A·v).
    for i in range(0, x.size, 37):
        found = tessera.atax(ones[None, :], ones, weights=x[i : i + 1], map="poisson_weights")
        same_bits(found, expected[i : i + 1])


@pytest.mark.parametrize("order", ORDERS)
def test_empty_inputs_give_zeros(dtype, order):
    for shape in ((0, 3), (3, 0)):
        A = ORDERS[order](np.zeros(shape, dtype))
        v = np.ones(shape[1], dtype)
        same_bits(tessera.atax(A, v), page.atax(A, v, order))
    same_bits(tessera.matmul(np.ones((2, 0), dtype), np.ones((0, 3), dtype)), page.gemm(np.ones((2, 0), dtype), np.ones((0, 3), dtype)))


def test_the_page_has_its_example_and_its_digests():
    assert f"```text\n{page.worked_example()}\n```" in TEXT
    assert page.digest_table() in TEXT
    assert page.function_table() in TEXT


def test_the_package_has_the_digests_of_the_page():
    for shape in page.SHAPES:
        row = next(line for line in TEXT.splitlines() if line.startswith(f"| {shape[0]} x {shape[1]} |"))
        for (name, order), digest in zip(page.COLUMNS, row.split("|")[2:6], strict=True):
            A, v = page.problem(shape, page.DTYPES[name])
            assert tessera.digest(tessera.atax(ORDERS[order](A), v)).startswith(digest.strip())


def ways_to_hold(A):
    """One column, or one row, in every way that NumPy has."""
    m, n = A.shape
    yield "C", np.ascontiguousarray(A)
    yield "Fortran", np.asfortranarray(A)
    yield "transposed", np.ascontiguousarray(A.T).T
    for gap in (1, 5):
        wide = np.full((m + gap, n + gap), np.nan, A.dtype)
        for order, whole in (("C", wide), ("Fortran", np.asfortranarray(wide))):
            part = whole[:m, :n]
            part[...] = A
            yield f"{order} part, gap {gap}", part
            part = whole[gap:, gap:]
            part[...] = A
            yield f"{order} part at the end, gap {gap}", part
    rows, columns = np.full((2 * m, n), np.nan, A.dtype), np.full((m, 2 * n), np.nan, A.dtype)
    rows[::2], columns[:, ::2] = A, A
    if n == 1:
        yield "every other row", rows[::2]
    if m == 1:
        yield "every other column", columns[:, ::2]


@pytest.mark.parametrize("shape", [(1, 1), (300, 1), (1, 300), (4999, 1), (1, 4999)])
def test_one_column_or_row_has_one_digest(dtype, shape, tmp_path):
    A, v = page.problem(shape, dtype)
    u = page.numbers(shape[0], 3, dtype)
    expected = page.multiply(A, v), page.multiply_transposed(A, u), page.atax(A, v)

    def compare(held):
        same_bits(tessera.matvec(held, v), expected[0])
        same_bits(tessera.rmatvec(held, u), expected[1])
        same_bits(tessera.atax(held, v), expected[2])

    for name, held in ways_to_hold(A):
        np.testing.assert_array_equal(held, A, err_msg=name)
        compare(held)
    header = {"descr": np.dtype(dtype).newbyteorder("<").str, "shape": shape}
    for fortran in (False, True):
        with (tmp_path / "a.npy").open("wb") as file:
            np.lib.format.write_array_header_1_0(file, {**header, "fortran_order": fortran})
            file.write(A.astype(header["descr"]).tobytes())
        compare(tessera.open(tmp_path / "a.npy"))
    for order in ("C", "F"):
        compare(tessera.from_callback(*shape, lambda r, c: A[r, c], dtype=dtype, order=order))
