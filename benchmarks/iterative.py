#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""What iterative methods need from one read of A, beside plain atax and beside two products of the vendor's library.

    benchmarks/iterative.py --run "./dev shell -- build/openmp/bin/tessera_benchmark" --machine host
    benchmarks/iterative.py --run build/cuda-hopper/bin/tessera_benchmark --machine h100
    benchmarks/iterative.py                     the page again, of what was measured before

Data go to benchmarks/results/iterative-MACHINE.json, and benchmarks/results/iterative.md is made of all of them.
"""

import json
import shlex
import subprocess
import sys

from host import processor
from results import FOLDER, Figures, data_of, in_words, parser_of, ratio, require_figures, rows_of, write

SHAPES = ("16384x16384", "1048576x1024", "65536x4096", "8192x8192", "4194304x64", "300000x300")
OPERATIONS = ("atax", "weights", "logistic", "multiply_both")
PEERS = ("openblas", "cublas")
# C is M x N with K products per element.
BLOCKS = ("16384x4x16384", "16384x8x16384", "16384x16x16384", "16384x32x16384", "1048576x8x1024", "1048576x16x1024",
          "12347x2x6789", "12347x4x6789", "12347x8x6789")
LONG_SUMS = ("1x1x10000000", "8x8x1000000", "16x16x1000000")


def measure(program: str, shapes: str, turns: int) -> dict:
    data: dict = {"results": []}
    for shape in (*shapes.split(","), *BLOCKS, *LONG_SUMS):
        which = ["-", f"--products={shape}"] if shape in BLOCKS + LONG_SUMS else [shape]
        for scalar in ("f32", "f64"):
            # Some methods of the fused product take seconds on long sums.
            operations = ("gemm",) if shape in LONG_SUMS else ("read", "gemm", "atax_block", *OPERATIONS)
            command = [*shlex.split(program), which[0], scalar, *which[1:], "--json=-", f"--benchmark_repetitions={turns}",
                       f"--benchmark_filter=^({'|'.join(operations)})/"]
            run = subprocess.run(command, check=False, capture_output=True, text=True)
            require_figures(command, run.returncode, run.stderr)
            output = json.loads(run.stdout)
            keys = ("tessera", "commit", "kokkos", "execution_space", "concurrency", "compiler", "peers", "device")
            data["context"] = {key: output["context"].get(key) for key in keys} | {"processor": processor()}
            data["results"] += rows_of(output)
            print(f"{shape} {scalar}", file=sys.stderr)
    return data


def table(figures: Figures) -> list:
    lines = ["| matrix | type | layout | atax, µs | weights | logistic | peer to weights | peer to logistic | both, µs | peer to both | peer |",
             "|---|---|---|--:|--:|--:|--:|--:|--:|--:|---|"]
    for scalar in ("f32", "f64"):
        for shape in figures.shapes(scalar):
            for layout, suffix in (("row-major", ""), ("column-major", " column-major")):
                def seconds(operation: str, name: str):
                    return figures.seconds(operation, name + suffix, scalar, shape)

                plain = seconds("atax", "tessera auto")
                if not plain:
                    continue
                peer = next((name for name in PEERS if seconds("atax", name)), None)
                ours = {operation: seconds(operation, "tessera") for operation in OPERATIONS[1:]}
                theirs = {operation: peer and seconds(operation, peer) for operation in OPERATIONS[1:]}
                both = ours["multiply_both"]
                lines.append(f"| {in_words(shape)} | {scalar} | {layout} | {plain * 1e6:.1f} | {ratio(ours['weights'], plain)} | "
                             f"{ratio(ours['logistic'], plain)} | {ratio(theirs['weights'], ours['weights'])} | "
                             f"{ratio(theirs['logistic'], ours['logistic'])} | {f'{both * 1e6:.1f}' if both else '–'} | "
                             f"{ratio(theirs['multiply_both'], both)} | {peer or '–'} |")
    return lines


def table_of_products(data: dict) -> list:
    """Products whose second factor is a block of vectors, and long sums; nothing where none were measured."""
    seconds = {}
    for result in data["results"]:
        if "factor_cols" in result and "error" not in result:
            shape = f"{result['rows']}x{result['factor_cols']}x{result['cols']}"
            seconds[result.get("operation", "gemm"), shape, result["type"], result["name"]] = result["seconds"]["median"]
    if not seconds:
        return []
    lines = ["", "| rows x columns x depth | type | layout | multiply, µs | gemm, µs | atax, µs | peer to multiply | peer to gemm | peer to atax | peer |",
             "|---|---|---|--:|--:|--:|--:|--:|--:|---|"]
    for shape, scalar in dict.fromkeys((shape, scalar) for _, shape, scalar, _ in seconds):
        for layout, suffix in (("row-major", ""), ("column-major", " column-major")):
            def of(operation: str, name: str):
                return seconds.get((operation, shape, scalar, name + suffix))

            block, product, atax = of("gemm", "tessera multiply"), of("gemm", "tessera"), of("atax_block", "tessera")
            peer = next((name for name in PEERS if of("gemm", name)), None)
            theirs, both = (peer and of(operation, peer) for operation in ("gemm", "atax_block"))
            if block and product:
                lines.append(f"| {in_words(shape)} | {scalar} | {layout} | {block * 1e6:.1f} | {product * 1e6:.1f} | "
                             f"{f'{atax * 1e6:.1f}' if atax else '–'} | {ratio(theirs, block)} | {ratio(theirs, product)} | {ratio(both, atax)} | "
                             f"{peer or '–'} |")
    return lines


def page() -> str:
    lines = ["# Results: iterative methods", "",
             "Made by `benchmarks/iterative.py` from `iterative-*.json` in this folder, measured by `tessera_benchmark`: medians over the runs of one",
             "process per matrix and type.", "",
             "- *weights*, *logistic*: the time of Aᵀ·(w∘(A·v)) and of the logistic gradient Aᵀ·(σ(A·v) - y), over that of plain `atax`.",
             "- *peer to …*: the time of two `gemv` of the library, with a kernel between them for weights and the logistic gradient, divided by Tessera's.",
             "- *both*: A·x and Aᵀ·u by `multiply_both`.",
             "- *multiply*, *gemm*: A·B, where B is a block of vectors for `multiply`; the library uses its `gemm`.",
             "- *atax* in the second table: Aᵀ·(A·B) of the block; the library uses two `gemm`."]
    for data in data_of("iterative"):
        figures = Figures(data)
        context = figures.context
        lines += ["", f"## {context.get('device') or context['processor']['name']}", "",
                  f"Tessera {context['tessera']} at commit {context['commit']}, Kokkos {context['kokkos']} ({context['execution_space']}, "
                  f"concurrency {context['concurrency']}), {context['compiler']}, peers: {context['peers']}.", "", *table(figures),
                  *table_of_products(data)]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--run", help="tessera_benchmark, and what starts it")
    parser.add_argument("--machine", default="host", help="names the file")
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--turns", type=int, default=7)
    arguments = parser.parse_args()
    if arguments.run:
        write(measure(arguments.run, arguments.shapes, arguments.turns), FOLDER / f"iterative-{arguments.machine}.json")
    (FOLDER / "iterative.md").write_text(page())


if __name__ == "__main__":
    main()
