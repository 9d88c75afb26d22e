#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Measures this processor against its BLAS, shape by shape, and writes what benchmarks/results shows.

    benchmarks/host.py run build/openmp/bin/tessera_benchmark benchmarks/results/host.json
    benchmarks/host.py run "./dev shell -- build/openmp/bin/tessera_benchmark" benchmarks/results/host.json
    benchmarks/host.py report benchmarks/results/host.json          (host.md, and host.svg with matplotlib)

All contenders of a shape run in one process and take turns; figures are medians over the turns.
"""

import argparse
import json
import os
import platform
import shlex
import subprocess
import sys
from pathlib import Path

from results import OPERATIONS, TYPES, Figures, in_words, require_figures, rows_of, run_or_report, save, size_of, start_pyplot, write

SHAPES = [
    "16384x16384", "262144x1024", "1048576x256", "65536x4096", "4096x65536",
    "12345x6789", "4096x4096", "2048x2048", "1024x1024", "1000x1000", "512x512", "256x256",
]


def processor() -> dict:
    text = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    first = dict(line.split(":", 1) for line in text.split("\n\n")[0].splitlines() if ":" in line)
    known = {key.strip(): value.strip() for key, value in first.items()}
    name = known.get("model name", platform.processor())
    if "cpu family" in known:  # virtual machines report only the manufacturer
        name += f", family {known['cpu family']} model {known.get('model', '?')}"
    return {"name": name, "cores": os.cpu_count(), "caches": caches()}


def caches() -> dict:
    """The size of each cache for data that a core sees, by level."""
    found = {}
    for index in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        if (index / "type").read_text().strip() != "Instruction":
            found["L" + (index / "level").read_text().strip()] = (index / "size").read_text().strip()
    return found


def measure(binary: str, shape: str, scalar: str, turns: int, seconds: float) -> dict:
    command = [
        *shlex.split(binary), shape, scalar, "--json=-", f"--benchmark_repetitions={turns}", f"--seconds={seconds}",
    ]
    environment = {"OMP_PROC_BIND": "true"} | os.environ
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    require_figures(command, run.returncode, run.stderr)
    return json.loads(run.stdout)


def run(arguments: argparse.Namespace) -> None:
    target = Path(arguments.json)
    data = json.loads(target.read_text()) if arguments.add and target.exists() else {"results": []}
    note = arguments.note or data.get("context", {}).get("note")
    for shape in arguments.shapes.split(","):
        for scalar in arguments.types.split(","):
            output = measure(arguments.binary, shape, scalar, arguments.turns, arguments.seconds)
            keys = ("tessera", "commit", "kokkos", "execution_space", "concurrency", "compiler", "peers", "date")
            data["context"] = {key: output["context"].get(key) for key in keys} | {"processor": processor()}
            if note:
                data["context"]["note"] = note
            rows, columns, _ = size_of(shape)
            data["results"] = [r for r in data["results"] if (r["rows"], r["cols"], r["type"]) != (rows, columns, scalar)]
            data["results"] += [row | {"commit": data["context"]["commit"]} for row in rows_of(output)]
            write(data, target)
            print(f"{shape} {scalar}", file=sys.stderr)


def table(figures: Figures, scalar: str, suffix: str) -> list:
    lines = [
        "| m x n | read stream | " + " | ".join(
            f"{formula} ours / OpenBLAS | ratio" for formula in OPERATIONS.values()) + " |",
        "|---|---|" + "---|---|" * len(OPERATIONS),
    ]
    for shape in SHAPES:
        stream = figures.gb_per_s("read", "read stream", scalar, shape)
        if stream is None:
            continue
        cells = [in_words(shape), f"{stream:.1f}"]
        for operation in OPERATIONS:
            ours_name = ("tessera auto" if operation == "atax" else "tessera") + suffix
            ours = figures.gb_per_s(operation, ours_name, scalar, shape)
            peer = figures.gb_per_s(operation, "openblas" + suffix, scalar, shape)
            cells += ["–", "–"] if ours is None or peer is None else [f"{ours:.1f} / {peer:.1f}", f"{ours / peer:.2f}"]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def chart(figures: Figures, target: Path) -> None:
    pyplot = start_pyplot()
    if pyplot is None:
        return
    shapes = [s for s in SHAPES if figures.gb_per_s("read", "read stream", "f32", s) is not None]
    series = {
        "reading A once (plain loop)": ("read", "read stream"),
        "Tessera, fused: A read once": ("atax", "tessera fused"),
        "Tessera, two stages": ("atax", "tessera two-stage"),
        "OpenBLAS, two gemv": ("atax", "openblas"),
    }
    figure, axes = pyplot.subplots(figsize=(11, 4.5))
    width = 0.8 / len(series)
    for k, (label, (operation, name)) in enumerate(series.items()):
        values = [figures.gb_per_s(operation, name, "f32", shape) or 0 for shape in shapes]
        axes.bar([i + (k - 1.5) * width for i in range(len(shapes))], values, width, label=label)
    axes.set_xticks(range(len(shapes)), [s.replace("x", "\nx ") for s in shapes], fontsize=8)
    axes.set_ylabel("bytes of A / time, GB/s")
    axes.set_title("C = Aᵀ(A·v), f32, row-major: " + figures.context["processor"]["name"] +
                   f", {figures.context['concurrency']} threads")
    axes.legend()
    axes.grid(axis="y", alpha=0.3)
    save(figure, target)


def commits_in_words(figures: list, context: dict) -> str:
    """All that results are of: a run with --add keeps what another commit measured."""
    commits = list(dict.fromkeys(figure.get("commit", context["commit"]) for figure in figures))
    if len(commits) == 1:
        return f"commit {commits[0]}"
    return f"commits {', '.join(commits)} (of each result: in the JSON)"


def caches_in_words(processor: dict) -> str:
    sizes = [f"{level} {size}" for level, size in processor.get("caches", {}).items()]
    return f" ({', '.join(sizes)})" if sizes else ""


def report(arguments: argparse.Namespace) -> None:
    source = Path(arguments.json)
    data = json.loads(source.read_text())
    figures = Figures(data)
    context = figures.context
    lines = [
        f"# Results: {context['processor']['name']}, {context['concurrency']} threads", "",
        f"Made by `benchmarks/host.py` from [{source.name}]({source.name}). Tessera {context['tessera']} at "
        f"{commits_in_words(data['results'], context)}, Kokkos {context['kokkos']} ({context['execution_space']}), {context['compiler']}, "
        f"peer {context['peers']}, {context['date']}. {context['processor']['cores']} cores of a virtual machine{caches_in_words(context['processor'])}.", "",
        "Figures are bytes of A over time in GB/s, medians of turns taken within one process. For Aᵀ(A·v) that counts A once, "
        "so two perfect products reach half of the read stream, a plain Kokkos loop over A. Matrices of 32 MB and less are read from "
        "cache. The machine is shared and the speed of its memory varies: compare within a row, not between rows.", "",
        *([context["note"], ""] if "note" in context else []),
        "![chart](" + source.with_suffix(".svg").name + ")", "",
    ]
    for scalar in TYPES:
        lines += [f"## {scalar}, row-major", "", *table(figures, scalar, ""), ""]
    for scalar in TYPES:
        lines += [f"## {scalar}, column-major", "", *table(figures, scalar, " column-major"), ""]
    source.with_suffix(".md").write_text("\n".join(lines))
    chart(figures, source.with_suffix(".svg"))


def options(runner: argparse.ArgumentParser) -> None:
    runner.add_argument("binary", help="tessera_benchmark, or a command that runs it")
    runner.add_argument("json")
    runner.add_argument("--shapes", default=",".join(SHAPES))
    runner.add_argument("--types", default=",".join(TYPES))
    runner.add_argument("--turns", type=int, default=7)
    runner.add_argument("--seconds", type=float, default=0.05, help="least time of one turn")
    runner.add_argument("--note", help="what readers have to know of this machine or its peer")
    runner.add_argument("--add", action="store_true", help="keep what the file has of other shapes")


if __name__ == "__main__":
    run_or_report(__doc__, run, report, "write the page and the chart", options)
