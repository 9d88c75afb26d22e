#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Measures the Python package against the libraries that its users have, and writes what benchmarks/results shows.

    benchmarks/python.py run benchmarks/results/python.json [--size 16384 --turns 7 --on host|cuda]
    benchmarks/python.py report benchmarks/results/python.json          (python.md)

It runs in an environment that has the package, and NumPy; SciPy, PyTorch and CuPy where they are to be measured, too. A run
adds to the results of other machines, and to those on a GPU. Contenders take turns, in another order each turn.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

from host import processor
from results import run_or_report, write

SMALL = 64  # rows and columns of calls that measure the overhead
STEPS = 10  # iterations of lsmr


def median_of(seconds: list) -> dict:
    return {"min": min(seconds), "median": statistics.median(seconds), "max": max(seconds)}


def take_turns(contenders: dict, turns: int, synchronise, least: float) -> dict:
    """Seconds of a call of each, by its name; a turn has so many calls that it takes `least` seconds."""
    def seconds_of(call, count: int) -> float:
        synchronise()
        start = time.perf_counter()
        for _ in range(count):
            call()
        synchronise()
        return (time.perf_counter() - start) / count

    counts = {}
    for name, call in contenders.items():
        call()
        counts[name] = max(1, int(least / max(seconds_of(call, 1), 1e-7)))
    seconds = {name: [] for name in contenders}
    for _ in range(turns):
        names = list(contenders)
        random.shuffle(names)
        for name in names:
            seconds[name].append(seconds_of(contenders[name], counts[name]))
    return {name: median_of(values) for name, values in seconds.items()}


def libraries(on: str) -> tuple:
    """{name: what makes an array of NumPy's its own}, and what waits for a GPU."""
    import numpy

    found, synchronise = ({"NumPy": numpy.asarray}, lambda: None) if on == "host" else ({}, None)
    try:
        import torch
        if on == "host":
            found["PyTorch"] = torch.from_numpy
        elif torch.cuda.is_available():
            found["PyTorch"] = lambda x: torch.from_numpy(x).cuda()
            synchronise = torch.cuda.synchronize
    except ImportError:
        print("!!! no PyTorch: it is NOT measured", file=sys.stderr)
    if on == "cuda":
        try:
            import cupy
            found["CuPy"] = cupy.asarray
            synchronise = cupy.cuda.runtime.deviceSynchronize
        except ImportError:
            print("!!! no CuPy: it is NOT measured", file=sys.stderr)
        if not found:
            sys.exit("neither PyTorch nor CuPy has a GPU here")
    return found, synchronise


def products(size: int, turns: int, on: str, least: float) -> dict:
    """A.T @ (A @ v) of each library, and tessera.atax on its arrays."""
    import numpy
    import tessera

    seconds = {}
    A = numpy.random.default_rng(1).standard_normal((size, size), numpy.float32)
    v = numpy.random.default_rng(2).standard_normal(size, numpy.float32)
    found, synchronise = libraries(on)
    contenders = {}
    for name, own in found.items():
        a, x = own(A), own(v)
        contenders[name] = lambda a=a, x=x: a.T @ (a @ x)
        contenders[f"tessera on {name}"] = lambda a=a, x=x: tessera.atax(a, x)
    seconds |= take_turns(contenders, turns, synchronise, least)
    return seconds


def steps_of_lsmr(size: int, turns: int, least: float) -> dict:
    """A step of lsmr, of SciPy and of tessera."""
    import numpy
    import tessera.linalg

    try:
        from scipy.sparse.linalg import lsmr
    except ImportError:
        print("!!! no SciPy: its lsmr is NOT measured", file=sys.stderr)
        return {}
    A = numpy.random.default_rng(1).standard_normal((size, size), numpy.float32)
    b = numpy.random.default_rng(2).standard_normal(size, numpy.float32)
    how = {"maxiter": STEPS, "atol": 0, "btol": 0, "conlim": 0}
    seconds = take_turns({"SciPy": lambda: lsmr(A, b, **how), "tessera": lambda: tessera.linalg.lsmr(A, b, **how)}, turns,
                         lambda: None, least)
    return {name: {key: value / STEPS for key, value in of.items()} for name, of in seconds.items()}


def small_calls(turns: int, on: str, least: float) -> dict:
    """A call of 64 x 64 into an array that is there, from Python and in C++."""
    import numpy
    import tessera

    found, synchronise = libraries(on)
    contenders = {}
    for name, own in found.items():
        a, v = own(numpy.ones((SMALL, SMALL), numpy.float32)), own(numpy.ones(SMALL, numpy.float32))
        out = own(numpy.empty(SMALL, numpy.float32))
        contenders[f"tessera on {name}"] = lambda a=a, v=v, out=out: tessera.atax(a, v, out=out)
    seconds = take_turns(contenders, turns, synchronise, least)
    command = [sys.executable, "-m", "tessera", "bench", "atax", "--shapes", f"{SMALL}x{SMALL}", "--type", "f32", "--variants",
               "none", "--repeat", str(turns), "--format", "json", "--backend", "cuda" if on == "cuda" else "auto"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"!!! the C++ call is NOT measured: {done.stderr}", file=sys.stderr)
        return seconds
    ours = [row["seconds"] for row in json.loads(done.stdout)["tables"][0]["results"] if row["name"] == "tessera auto"]
    return seconds | {"C++": ours[0]}


def imports(turns: int) -> dict:
    """What a Python takes that imports, and nothing else."""
    seconds = {"numpy": [], "numpy, tessera": []}
    for _ in range(turns):
        for name, values in seconds.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", f"import {name}"], check=True)
            values.append(time.perf_counter() - start)
    return {name: median_of(values) for name, values in seconds.items()}


def run(arguments: argparse.Namespace) -> None:
    import numpy
    import tessera

    target, size, turns, on, least = Path(arguments.json), arguments.size, arguments.turns, arguments.on, arguments.seconds
    device = processor()["name"]
    if on == "cuda":
        command = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
        device = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    measured = {"atax": products(size, turns, on, least), "call": small_calls(turns, on, least)}
    if on == "host":
        measured |= {"lsmr": steps_of_lsmr(size, turns, least), "import": imports(turns)}
    about = tessera.info()
    context = {"version": about["version"], "commit": about["commit"], "numpy": numpy.__version__, "threads": tessera.threads(),
               "turns": turns, "date": time.strftime("%Y-%m-%d", time.gmtime())}
    kept = json.loads(target.read_text())["results"] if target.exists() else []
    rows = [{"device": device, "on": on, "what": what, "name": name, "size": SMALL if what == "call" else size,
             "seconds": seconds} | context for what, of in measured.items() for name, seconds in of.items()]
    kept = [row for row in kept if (row["device"], row["on"]) != (device, on)]
    write({"context": {"script": "benchmarks/python.py"}, "results": kept + rows}, target)


def table(rows: list) -> list:
    """One machine's part of the page."""
    first = rows[0]
    seconds = {(row["what"], row["name"]): row["seconds"]["median"] for row in rows}
    size = next(row["size"] for row in rows if row["what"] == "atax")
    lines = [f"## {first['device']}" + (f", {first['threads']} threads" if first["on"] == "host" else ""), "",
             f"Tessera {first['version']} at commit {first['commit']}, NumPy {first['numpy']}, {first['date']}; medians of"
             f" {first['turns']} turns.", "", f"Aᵀ·(A·v), float32, {size} x {size}:", "",
             "| Arrays of | A.T @ (A @ v), ms | tessera.atax, ms | ratio |", "|---|---|---|---|"]
    for what, name in seconds:
        ours = seconds.get(("atax", f"tessera on {name}"))
        if what == "atax" and ours is not None:
            theirs = seconds[what, name]
            lines.append(f"| {name} | {theirs * 1e3:.3g} | {ours * 1e3:.3g} | {theirs / ours:.2f} |")
    if ("lsmr", "SciPy") in seconds:
        theirs, ours = seconds["lsmr", "SciPy"], seconds["lsmr", "tessera"]
        lines += ["", "An iteration of lsmr on the same matrix:", "", "| SciPy, ms | tessera.linalg, ms | ratio |", "|---|---|---|",
                  f"| {theirs * 1e3:.3g} | {ours * 1e3:.3g} | {theirs / ours:.2f} |"]
    lines += ["", f"A call of {SMALL} x {SMALL}:", "", "| | µs | more than C++, µs |", "|---|---|---|"]
    bare = seconds.get(("call", "C++"))
    for (what, name), value in seconds.items():
        if what == "call":
            beyond = "–" if bare is None or name == "C++" else f"{(value - bare) * 1e6:.2f}"
            lines.append(f"| {name} | {value * 1e6:.2f} | {beyond} |")
    if ("import", "numpy") in seconds:
        alone, both = seconds["import", "numpy"], seconds["import", "numpy, tessera"]
        lines += ["", f"Python with NumPy starts in {alone:.2f} s, one that imports tessera, too, {both:.2f} s."]
    return [*lines, ""]


def report(arguments: argparse.Namespace) -> None:
    source = Path(arguments.json)
    rows = json.loads(source.read_text())["results"]
    lines = ["# Results: the Python package", "", f"Made by `benchmarks/python.py` from [{source.name}]({source.name}).", ""]
    for place in dict.fromkeys((row["device"], row["on"]) for row in rows):
        lines += table([row for row in rows if (row["device"], row["on"]) == place])
    source.with_suffix(".md").write_text("\n".join(lines).rstrip() + "\n")


def options(measure: argparse.ArgumentParser) -> None:
    measure.add_argument("json")
    measure.add_argument("--size", type=int, default=16384)
    measure.add_argument("--turns", type=int, default=7)
    measure.add_argument("--seconds", type=float, default=0.1, help="least time of a turn")
    measure.add_argument("--on", choices=("host", "cuda"), default="host")


if __name__ == "__main__":
    run_or_report(__doc__, run, report, "write the page", options)
