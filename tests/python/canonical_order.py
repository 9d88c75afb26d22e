# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""The canonical order of summation in NumPy, written from docs/summation.md alone.

It shares no code with Tessera and does not import it. `python3 canonical_order.py` prints the worked example and the
digests of the page.
"""

import hashlib
import math

import numpy as np


def two_sum(a, b):
    """a + b rounded, and its error, in double."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def two_product(a, b):
    """a·b rounded, and its error, in double: Dekker's product of halves."""

    def halves(x):
        scaled = x * 134217729.0  # 2^27 + 1
        high = scaled - (scaled - x)
        return high, x - high

    p = a * b
    (ah, al), (bh, bl) = halves(a), halves(b)
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


def to_odd(rounded, error):
    """The double beside `rounded + error` whose last bit is 1; a sum without error stays as it is."""
    rounded, error = np.broadcast_arrays(np.asarray(rounded, np.float64), np.asarray(error, np.float64))
    is_even = (np.ascontiguousarray(rounded).view(np.uint64).reshape(rounded.shape) & 1) == 0
    other = np.nextafter(rounded, np.where(error > 0, np.inf, -np.inf))
    return np.where((error != 0) & np.isfinite(error) & is_even, other, rounded)


def fma(a, b, c):
    """a·b + c with one rounding, in the type of the arguments. Of moderate numbers: nothing underflows on the way."""
    dtype = np.result_type(a, b, c)
    a, b, c = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in (a, b, c)))
    with np.errstate(all="ignore"):
        if dtype == np.float32:  # the product is exact in double
            return to_odd(*two_sum(a * b, c)).astype(np.float32)
        # S. Boldo and G. Melquiond, Emulation of a FMA and Correctly Rounded Sums, 2008.
        uh, ul = two_product(a, b)
        th, tl = two_sum(c, ul)
        vh, vl = two_sum(uh, th)
        found = vh + to_odd(*two_sum(tl, vl))
        return np.where(np.isfinite(found), found, a * b + c)


def power_of_two_above(count):
    return 1 << max(0, int(count) - 1).bit_length()


def tree(x, log=None):
    """The adjacent-pair tree over the first axis; +0 of nothing. `log` gets what each level leaves."""
    shape = (power_of_two_above(len(x)), *x.shape[1:])
    values = np.zeros(shape, x.dtype)
    values[: len(x)] = x
    while len(values) > 1:
        values = values[0::2] + values[1::2]
        if log is not None:
            log.append(values.copy())
    return values[0]


def lanes(dtype):
    return 256 // np.dtype(dtype).itemsize


def dot(lines, x, log=None):
    """d[i] = Σ_j lines[i, j]·x[j]."""
    count, length = lines.shape
    width, steps = lanes(lines.dtype), 4
    segments = -(-length // (steps * width))
    padded = np.zeros((count, segments * steps * width), lines.dtype)
    factors = np.zeros(segments * steps * width, lines.dtype)
    padded[:, :length], factors[:length] = lines, x
    padded, factors = padded.reshape(count, segments, steps, width), factors.reshape(segments, steps, width)
    chains = np.zeros((count, segments, width), lines.dtype)
    for t in range(steps):
        chains = fma(padded[:, :, t], factors[:, t], chains)
    values = chains.reshape(count, segments * width).T
    if log is not None:
        log.append(values)
    return tree(values, log) + lines.dtype.type(0)


def panel_lines(count, length):
    if length <= 16384:
        most = min(max(2**22 // length, 1024), 32768)
    else:
        most = 8 * max(1, 2**20 // length)
    return max(8, -(-count // most))


def sum_lines(lines, y, log=None):
    """s[j] = Σ_i y[i]·lines[i, j]."""
    count, length = lines.shape
    height = panel_lines(count, length) if length else 8
    panels = -(-count // height)
    padded = np.zeros((panels * height, length), lines.dtype)
    factors = np.zeros(panels * height, lines.dtype)
    padded[:count], factors[:count] = lines, y
    padded, factors = padded.reshape(panels, height, length), factors.reshape(panels, height, 1)
    chains = np.zeros((panels, length), lines.dtype)
    for i in range(min(height, count)):
        chains = fma(factors[:, i], padded[:, i], chains)
        if log is not None:
            log.append(chains)
    return tree(chains, log) + lines.dtype.type(0)


def lines_are_rows(order, shape):
    return order == "row-major" or 1 in shape


def multiply(A, v, order="row-major", log=None):
    """A·v of a matrix in an order."""
    return dot(A, v, log) if lines_are_rows(order, A.shape) else sum_lines(A.T, v, log)


def multiply_transposed(A, u, order="row-major", log=None):
    """Aᵀ·u."""
    return sum_lines(A, u, log) if lines_are_rows(order, A.shape) else dot(A.T, u, log)


def atax(A, v, order="row-major", f=None, alpha=1, beta=0, z=None):
    """α·Aᵀ·f(A·v) + β·z."""
    T = A.dtype.type
    b = multiply(A, v, order)
    c = multiply_transposed(A, b if f is None else f(b), order)
    if T(alpha) != 1 or T(beta) != 0:
        c = T(alpha) * c
    return c if T(beta) == 0 else fma(T(beta), z, c)


def chains_of_product(A, B, length, count):
    """The parts of each element of A·B in chains of `length` products: count x rows x cols."""
    rows, depth = A.shape
    cols = B.shape[1]
    left = np.zeros((count * length, rows), A.dtype)
    right = np.zeros((count * length, cols), A.dtype)
    left[:depth], right[:depth] = A.T, B
    left, right = left.reshape(count, length, rows, 1), right.reshape(count, length, 1, cols)
    parts = np.zeros((count, rows, cols), A.dtype)
    for k in range(min(length, depth)):
        parts = fma(left[:, k], right[:, k], parts)
    return parts


def gemm(A, B):
    """A·B."""
    rows, depth = A.shape
    cols = B.shape[1]
    if rows * cols * depth == 0:
        return np.zeros((rows, cols), A.dtype)
    wanted = max(1, min(2**20 // (rows * cols), -(-depth // 256)))
    length = -(-(-(-depth // wanted)) // 16) * 16
    return tree(chains_of_product(A, B, length, -(-depth // length))) + A.dtype.type(0)


def block_products(A, V):
    """B = A·V and C = Aᵀ·B of a BlockOperator."""

    def product(left, right, length):
        return tree(chains_of_product(left, right, length, -(-left.shape[1] // length))) + A.dtype.type(0)

    B = product(A, V, 256)
    return B, product(np.ascontiguousarray(A.T), B, 4 * lanes(A.dtype))


CONSTANTS = {
    np.dtype(np.float32): {"h": 355 / 512, "l": float.fromhex("-0x1.bd0106p-13"), "w": 1.5 * 2**23, "exp_last": 7,
                           "infinite": 89, "zero": -104, "log_last": 4, "bits": 24, "least": -126},
    np.dtype(np.float64): {"h": float.fromhex("0x1.62e42feep-1"), "l": float.fromhex("0x1.a39ef35793c76p-33"),
                           "w": 1.5 * 2**52, "exp_last": 13, "infinite": 710, "zero": -746, "log_last": 10,
                           "bits": 53, "least": -1022},
}  # fmt: skip


def horner(x, coefficients):
    """The polynomial of these coefficients, the last first, each step one fma."""
    T = x.dtype.type
    value = np.full_like(x, T(coefficients[-1]))
    for c in reversed(coefficients[:-1]):
        value = fma(value, x, T(c))
    return value


def exp(x):
    x = np.asarray(x)
    T, C = x.dtype.type, CONSTANTS[x.dtype]
    h, l, w = T(C["h"]), T(C["l"]), T(C["w"])
    inside = (x >= C["zero"]) & (x < C["infinite"])
    safe = np.where(inside, x, T(0))
    k = fma(safe, T(float.fromhex("0x1.71547652b82fep0")), w) - w
    r = fma(-k, l, fma(-k, h, safe))
    value = horner(r, [1 / math.factorial(n) for n in range(C["exp_last"] + 1)])
    half = np.trunc(k / T(2)).astype(int)
    with np.errstate(invalid="ignore", over="ignore"):
        value = value * np.ldexp(T(1), half) * np.ldexp(T(1), k.astype(int) - half)
        return np.where(inside, value, np.where(x < C["zero"], T(0), x + T(np.inf)))


def log(x):
    x = np.asarray(x)
    T, C = x.dtype.type, CONSTANTS[x.dtype]
    h, l = T(C["h"]), T(C["l"])
    inside = (x > 0) & (x < np.inf)
    m, e = np.frexp(np.where(inside, x, T(1)))  # in [1/2, 1): exact, subnormal numbers too
    m, k = m * T(2), (e - 1).astype(x.dtype)
    high = m > T(float.fromhex("0x1.6a09e667f3bcdp0"))
    m, k = np.where(high, m * T(0.5), m), np.where(high, k + T(1), k)
    f = m - T(1)
    s = f / (T(2) + f)
    z = s * s
    R = z * horner(z, [2 / (2 * n + 1) for n in range(1, C["log_last"] + 1)])
    g = T(0.5) * f
    value = fma(k, h, f - fma(g, f, -fma(s, fma(g, f, R), k * l)))
    special = np.where(x == 0, T(-np.inf), np.where(x == np.inf, x, T(np.nan)))
    return np.where(inside, value, special)


def log1p(x):
    x = np.asarray(x)
    u = x.dtype.type(1) + x
    added = u - x.dtype.type(1)
    as_it_is = (added == 0) | (u == np.inf)
    return np.where(as_it_is, x, log(u) * (x / np.where(as_it_is, x.dtype.type(1), added)))


def map_of(name, x, gamma=0):
    """f of the page's table."""
    T = x.dtype.type
    gamma, one = T(gamma), T(1)

    def logistic_weights(b):
        e = exp(-np.abs(x))
        d = one + e
        return b * (e / (d * d))

    return {
        "weights": lambda b: x * b,
        "minus": lambda b: b - x,
        "plus": lambda b: fma(gamma, x, b),
        "logistic": lambda b: one / (one + exp(-(b + gamma))) - x,
        "logistic_weights": logistic_weights,
        "poisson": lambda b: exp(b + gamma) - x,
        "poisson_weights": lambda b: b * exp(x),
    }[name]


SHAPES = [(1, 1), (3, 9), (1, 300), (300, 1), (9, 257), (129, 513), (1000, 64), (8200, 40), (300007, 2), (24, 20001)]
COLUMNS = [("float", "row-major"), ("float", "column-major"), ("double", "row-major"), ("double", "column-major")]
DTYPES = {"float": np.float32, "double": np.float64}


def numbers(count, series, dtype):
    """The page's numbers in [-1, 1)."""
    k = np.arange(1, count + 1, dtype=np.uint64)
    mask = np.uint64(0xFFFFFFFF)
    u = (k * np.uint64(2654435769) + np.uint64(series * 374761393)) & mask
    u ^= u >> np.uint64(15)
    u = (u * np.uint64(2246822519)) & mask
    u ^= u >> np.uint64(13)
    return ((u.astype(np.float64) - 2.0**31) / 2.0**31).astype(dtype)


def problem(shape, dtype):
    m, n = shape
    return numbers(m * n, 1, dtype).reshape(m, n), numbers(n, 2, dtype)


def digest(values):
    values = np.ascontiguousarray(values)
    return hashlib.sha256(values.astype(values.dtype.newbyteorder("<")).tobytes()).hexdigest()[:16]


def digest_table():
    lines = ["| m x n | " + " | ".join(f"{name}, {order}" for name, order in COLUMNS) + " |", "|---|" + "---|" * 4]
    for shape in SHAPES:
        found = [digest(atax(*problem(shape, DTYPES[name]), order)) for name, order in COLUMNS]
        lines.append(f"| {shape[0]} x {shape[1]} | " + " | ".join(found) + " |")
    return "\n".join(lines)


def function_values(name, dtype):
    """The arguments of the page's table of functions, and what they give."""
    x = numbers(4096, 4, dtype)
    k = np.arange(4096)
    T = np.dtype(dtype).type
    if name == "exp":
        x = x * T(110 if dtype == np.float32 else 750)
        return x, exp(x)
    if name == "log":
        x = np.abs(x) * np.ldexp(T(1), 8 * (k % 31) - 120)
        return x, log(x)
    x = x * np.ldexp(T(1), -(k % 30))
    return x, log1p(x)


def function_table():
    lines = ["| | float | double |", "|---|---|---|"]
    for name in ("exp", "log", "log1p"):
        found = [digest(function_values(name, dtype)[1]) for dtype in DTYPES.values()]
        lines.append(f"| {name} | {found[0]} | {found[1]} |")
    for product, what in enumerate(("B", "C")):
        found = []
        for dtype in DTYPES.values():
            A, V = numbers(700 * 300, 1, dtype).reshape(700, 300), numbers(300 * 3, 2, dtype).reshape(300, 3)
            found.append(digest(block_products(A, V)[product]))
        lines.append(f"| {what} of a block | {found[0]} | {found[1]} |")
    return "\n".join(lines)


def worked_example():
    """Every sum of A·v and Aᵀ·(A·v), 3 x 9, float, in both orders."""
    A, v = problem((3, 9), np.float32)
    lines = []

    def show(name, values):
        lines.append(f"{name:10}" + " ".join(f"{x!s:>13}" for x in np.atleast_1d(values)))

    def show_dot(name, log, count):
        for i in range(count):
            used = (log[0].shape[0], 9) if name == "row" else (log[0].shape[0], 3)
            left = used[1]
            show(f"{name} {i}", log[0][:left, i])
            for level, values in enumerate(log[1:]):
                left = -(-left // 2)
                show(f"  o = {2**level}", values[:left, i])
                if left == 1:
                    break

    show("v", v)
    for i in range(3):
        show(f"A row {i}", A[i])
    lines.append("")
    lines.append("Row-major. A·v by dot: the chains of each row, then the levels of its tree.")
    log = []
    b = multiply(A, v, "row-major", log)
    show_dot("row", log, 3)
    show("B", b)
    lines.append("Aᵀ·B by sum, H = 8, one panel: its chains after each line.")
    log = []
    c = multiply_transposed(A, b, "row-major", log)
    for i in range(3):
        show(f"line {i}", log[i][0])
    show("C", c)
    lines.append("")
    lines.append("Column-major. A·v by sum, H = 8, two panels: their chains after each line.")
    log = []
    b = multiply(A, v, "column-major", log)
    for i in range(8):
        show(f"line {i}", log[i][0])
    show("line 8", log[0][1])
    show("o = 1", log[8][0])
    show("B", b)
    lines.append("Aᵀ·B by dot: the chains of each column, then the levels of its tree.")
    log = []
    c = multiply_transposed(A, b, "column-major", log)
    show_dot("column", log, 9)
    show("C", c)
    return "\n".join(line.rstrip() for line in lines)


if __name__ == "__main__":
    print(worked_example(), digest_table(), function_table(), sep="\n\n")
