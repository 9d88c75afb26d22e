#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Measures products of narrow matrices against those of floats, and writes what benchmarks/results shows.

    benchmarks/narrow.py run [--shapes 16384x16384 262144x4096 --on host|cuda]
    benchmarks/narrow.py          (the page alone)

It runs in an environment that has the package and NumPy; with ml_dtypes it measures bfloat16, too. On a GPU it needs CuPy.
Each product is compared with that of the same matrix of floats: the bits must be equal, and the two take turns. A run adds
to the results of other machines.
"""

import argparse
import json
import sys
import time
from pathlib import Path

from host import processor
from python import take_turns
from results import OPERATIONS, in_words, run_before_page, write

FILE = Path(__file__).parent / "results" / "narrow.json"
LAYOUTS = {"C": "row-major", "F": "column-major"}


def types_of(on: str) -> dict:
    import numpy

    types = {"float16": numpy.float16, "int8": numpy.int8, "uint8": numpy.uint8, "uint16": numpy.uint16}
    try:
        import ml_dtypes
    except ImportError:
        print("!!! no ml_dtypes: bfloat16 is NOT measured", file=sys.stderr)
        return types
    return types if on == "cuda" else {"bfloat16": ml_dtypes.bfloat16} | types  # CuPy has no bfloat16


def measure(shape: str, order: str, name: str, stored, arguments: argparse.Namespace) -> list:
    """The seconds of each product, of the narrow matrix and of the same matrix of floats."""
    import numpy
    import tessera

    if arguments.on == "cuda":
        import cupy as arrays

        synchronise = arrays.cuda.runtime.deviceSynchronize
    else:
        arrays, synchronise = numpy, lambda: None
    rows, cols = map(int, shape.split("x"))
    random = numpy.random.default_rng(1)
    whole = random.integers(0, 100, (rows, cols), dtype=numpy.uint8)
    narrow = arrays.asarray(whole.astype(stored), order=order)
    floats = arrays.asarray(whole.astype(numpy.float32), order=order)
    v, u = (arrays.asarray(random.standard_normal(size, numpy.float32)) for size in (cols, rows))
    calls = {"atax": lambda A: tessera.atax(A, v), "multiply": lambda A: tessera.matvec(A, v),
             "multiply_transposed": lambda A: tessera.rmatvec(A, u)}
    results = []
    for operation, call in calls.items():
        if not (call(narrow) == call(floats)).all():
            sys.exit(f"{operation} of {name} {shape}, {LAYOUTS[order]}, does not have the bits of the matrix of floats")
        seconds = take_turns({name: lambda: call(narrow), "float32": lambda: call(floats)}, arguments.turns, synchronise,
                             arguments.seconds)
        results.append({"operation": operation, "shape": shape, "layout": LAYOUTS[order], "type": name,
                        "seconds": seconds[name], "seconds_of_floats": seconds["float32"]})
    return results


def run(arguments: argparse.Namespace) -> None:
    import tessera

    device = processor()["name"]
    if arguments.on == "cuda":
        import cupy

        device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    about, types = tessera.info(), types_of(arguments.on)
    context = {"device": device, "on": arguments.on, "version": about["version"], "commit": about["commit"],
               "threads": tessera.threads(), "turns": arguments.turns, "date": time.strftime("%Y-%m-%d", time.gmtime())}
    rows = [context | row for shape in arguments.shapes for order in LAYOUTS
            for name, stored in types.items() for row in measure(shape, order, name, stored, arguments)]
    kept = json.loads(FILE.read_text())["results"] if FILE.exists() else []
    kept = [row for row in kept if (row["device"], row["on"]) != (device, arguments.on)]
    write({"context": {"script": "benchmarks/narrow.py"}, "results": kept + rows}, FILE)


def table(rows: list) -> list:
    """One machine's part of the page."""
    first = rows[0]
    lines = [f"## {first['device']}" + (f", {first['threads']} threads" if first["on"] == "host" else ""), "",
             f"Tessera {first['version']} at commit {first['commit']}, {first['date']}; medians of {first['turns']} turns.", "",
             "| Matrix | Type | " + " | ".join(OPERATIONS.values()) + " |", "|---|---|" + "---|" * len(OPERATIONS)]
    ratios = {(row["shape"], row["layout"], row["type"], row["operation"]):
              row["seconds_of_floats"]["median"] / row["seconds"]["median"] for row in rows}
    for shape, layout, name in dict.fromkeys(key[:3] for key in ratios):
        cells = [f"{ratios[shape, layout, name, operation]:.2f}" for operation in OPERATIONS]
        lines.append(f"| {in_words(shape)}, {layout} | {name} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def page() -> str:
    rows = json.loads(FILE.read_text())["results"]
    lines = ["# Results: narrow matrices", "", f"Made by `benchmarks/narrow.py` from [{FILE.name}]({FILE.name}).", "",
             "The time of the product with the matrix of floats, over the time with the narrow matrix. Both have the same bits.", ""]
    for place in dict.fromkeys((row["device"], row["on"]) for row in rows):
        lines += table([row for row in rows if (row["device"], row["on"]) == place])
    return "\n".join(lines).rstrip() + "\n"


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--shapes", nargs="+", default=["16384x16384", "262144x4096"])
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.1, help="least time of a turn")
    parser.add_argument("--on", choices=("host", "cuda"), default="host")


if __name__ == "__main__":
    run_before_page(__doc__, run, page, FILE, options)
