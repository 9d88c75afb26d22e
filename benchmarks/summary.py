#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Sums up all measured machines in benchmarks/results/summary.md: ratios to their vendors' libraries.

    benchmarks/summary.py           writes it, and its first table into README.md and docs/performance/index.md
    benchmarks/summary.py --check   says what it would change, and changes nothing

It reads what host.py and device.py have written, and the products of matrices of `tessera bench`. The tables of
docs/evaluations.md are renewed in the same way (evaluation_tables.py).
"""

import json
import re
import statistics
import sys
from pathlib import Path

from evaluation_tables import with_tables
from results import FOLDER, OPERATIONS, TYPES, Figures, matrix_bytes

PROJECT = Path(__file__).resolve().parent.parent
MACHINES = {"h200": "H200", "h100": "H100", "host-xeon": "Xeon (Emerald Rapids), 16 cores", "host-zen5": "EPYC (Zen 5), 2 cores",
            "host-zen4": "EPYC (Zen 4), 2 cores", "host": "EPYC (Zen 3), 2 cores"}
CAVEATS = {"host-zen5": "kernels before AVX-512", "host": "of earlier kernels"}
PRODUCTS = {"h200-gemm-float": "H200", "h200-gemm-double": "H200", "portable-h100": "H100", "portable-host": "EPYC, 2 threads"}


def last_cache(context: dict) -> int:
    if "l2_bytes" in context:
        return int(context["l2_bytes"])
    sizes = context["processor"]["caches"]
    return int(sizes[max(sizes)].removesuffix("K")) * 1024


def ratios(figures: Figures, operation: str, suffix: str, scalar: str, in_cache: bool) -> list:
    """Time of the library over ours, of each shape in or out of the last cache."""
    library = "cublas" if "l2_bytes" in figures.context else "openblas"
    ours = "tessera auto" if operation == "atax" else "tessera"
    found = []
    for shape in figures.shapes(scalar):
        theirs = figures.seconds(operation, library + suffix, scalar, shape)
        mine = figures.seconds(operation, ours + suffix, scalar, shape)
        if theirs and mine and (matrix_bytes(shape, scalar) <= last_cache(figures.context)) == in_cache:
            found.append(theirs / mine)
    return found


def spread(found: list) -> str:
    return "–" if not found else f"{min(found):.2f} … **{statistics.median(found):.2f}** … {max(found):.2f}"


def table_of(machines: dict, title: str, suffix: str, in_cache: bool, operations: dict) -> list:
    lines = [f"### {title}", "", "| Machine | " + " | ".join(f"{formula}, {scalar}" for formula in operations.values() for scalar in TYPES) + " |",
             "|---|" + "---|" * (len(operations) * len(TYPES))]
    for name, figures in machines.items():
        cells = [spread(ratios(figures, operation, suffix, scalar, in_cache)) for operation in operations for scalar in TYPES]
        lines.append(f"| [{MACHINES[name]}]({name}.md) | " + " | ".join(cells) + " |")
    return [*lines, ""]


ONE_READ = "| Machine | Baseline | float | double | float, column-major | GB/s, float |"


def gigabytes(figures: Figures) -> float:
    """Bytes of A over the time of fused ATAX, row-major float: the median over the shapes larger than the last cache."""
    return statistics.median(matrix_bytes(shape, "f32") / seconds / 1e9 for shape in figures.shapes("f32")
                             if (seconds := figures.seconds("atax", "tessera auto", "f32", shape))
                             and matrix_bytes(shape, "f32") > last_cache(figures.context))


def one_read(machines: dict) -> list:
    """The table of README.md: fused ATAX of matrices larger than the last cache."""
    lines = [ONE_READ, "|---|---|--:|--:|--:|--:|"]
    for name, figures in machines.items():
        library = "cuBLAS" if "l2_bytes" in figures.context else "OpenBLAS"
        medians = [statistics.median(ratios(figures, "atax", suffix, scalar, False))
                   for suffix, scalar in (("", "f32"), ("", "f64"), (" column-major", "f32"))]
        lines.append(f"| {MACHINES[name]} | {library} | {medians[0]:.2f} | {medians[1]:.2f} | {medians[2]:.2f} | {gigabytes(figures):.0f} |")
    return [*lines, ""]


def products_of(name: str) -> list:
    """Rows of matrix products: machine, type, shape, ours in GFLOP/s, ratios to the libraries."""
    data = json.loads((FOLDER / f"{name}.json").read_text())
    if "tables" in data:
        for table in data["tables"]:
            seconds = {row["name"]: row["seconds"]["median"] for row in table["results"] if row.get("seconds")}
            yield data["type"], (table["rows"], table["cols"], table["factor_cols"]), seconds
    else:
        for row in data["results"]:
            if row["operation"] == "gemm" and row["layout"] == "row-major":
                yield row["type"], (row["rows"], row["cols"], row["factor_cols"]), row["seconds"]


def products() -> list:
    lines = ["| Machine | Type | M x K x N | GFLOP/s | to cuBLAS pedantic | to cuBLAS or OpenBLAS | to Kokkos Kernels |", "|---|---|---|--:|--:|--:|--:|"]
    for name, machine in PRODUCTS.items():
        for scalar, (m, k, n), seconds in products_of(name):
            ours = seconds["tessera"]
            library = seconds.get("cublas", seconds.get("openblas"))
            cells = [f"{other / ours:.2f}" if other else "–" for other in (seconds.get("cublas pedantic"), library, seconds.get("kokkos-kernels"))]
            shape = str(m) if m == k == n else f"{m} x {k} x {n}"
            lines.append(f"| [{machine}]({name}.json) | {scalar} | {shape} | {2 * m * k * n / ours / 1e9:.0f} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def with_one_read(page: Path, table: list) -> str:
    """The text of a page with its table of one read as it is now."""
    text, count = re.subn(re.escape(ONE_READ) + r"\n(\|.*\n)+", "\n".join(table), page.read_text())
    if count != 1:
        sys.exit(f"{page} has {count} tables that begin with {ONE_READ}")
    return text


def main() -> None:
    machines = {name: Figures(json.loads((FOLDER / f"{name}.json").read_text())) for name in MACHINES}
    commits = ", ".join(f"{MACHINES[name]} {figures.context['commit']}" + (f" ({CAVEATS[name]})" if name in CAVEATS else "")
                        for name, figures in machines.items())
    plain = {key: OPERATIONS[key] for key in ("multiply", "multiply_transposed")}
    fused = {"atax": OPERATIONS["atax"]}
    lines = [
        "# Summary of all machines", "",
        "Made by `benchmarks/summary.py` from the JSON files in this folder. A number is the time of the vendor's library divided by Tessera's: above 1 "
        "Tessera is faster. Minimum, **median** and maximum over all shapes. Aᵀ(A·v) is two `gemv` of the library. "
        "*From memory* is a matrix larger than the last cache.", "", f"Commits: {commits}.", "",
        "## One pass: Aᵀ(A·v), from memory, medians", "", *one_read(machines),
        "## Products with a vector", "",
        *table_of(machines, "Aᵀ(A·v), row-major, from memory", "", False, fused),
        *table_of(machines, "Aᵀ(A·v), row-major, in cache", "", True, fused),
        *table_of(machines, "Aᵀ(A·v), column-major, from memory", " column-major", False, fused),
        *table_of(machines, "Aᵀ(A·v), column-major, in cache", " column-major", True, fused),
        *table_of(machines, "Plain products, row-major, from memory", "", False, plain),
        *table_of(machines, "Plain products, row-major, in cache", "", True, plain),
        *table_of(machines, "Plain products, column-major, from memory", " column-major", False, plain),
        *table_of(machines, "Plain products, column-major, in cache", " column-major", True, plain),
        "## Transposes", "",
        *table_of(machines, "Transposes, from memory", "", False, {"transpose": "Aᵀ"}),
        *table_of(machines, "Transposes, in cache", "", True, {"transpose": "Aᵀ"}),
        "## Matrix products", "",
        "*Pedantic* is the cuBLAS mode that uses only the arithmetic of the type. For double cuBLAS uses tensor cores all the same, which add in another order.", "",
        *products(),
    ]
    pages = {FOLDER / "summary.md": "\n".join(lines)}
    for page in (PROJECT / "README.md", PROJECT / "docs" / "performance" / "index.md"):
        pages[page] = with_one_read(page, one_read(machines))
    evaluations = PROJECT / "docs" / "evaluations.md"
    pages[evaluations] = with_tables(evaluations.read_text())
    stale = [page for page, text in pages.items() if page.read_text() != text]
    if sys.argv[1:] == ["--check"]:
        if stale:
            sys.exit("not as benchmarks/summary.py writes them: " + ", ".join(str(page.relative_to(PROJECT)) for page in stale))
        return
    for page in stale:
        page.write_text(pages[page])


if __name__ == "__main__":
    main()
