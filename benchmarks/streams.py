#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Measures streamed operations against reading their file, and writes what benchmarks/results shows.

    benchmarks/streams.py run "./dev run" benchmarks/results/host-streams.json [--folder FOLDER --rows M --cols N]
    benchmarks/streams.py report benchmarks/results/host-streams.json          (host-streams.md)

Contenders take turns, in another order each turn: a plain loop that reads the file into one buffer, by
one thread and by all, `dd`, and the operations within a limit of memory, timed by themselves as their
reports say, reading included. Warm: the file is in memory. Cold: it was dropped from there before each
run, where the system does that. Direct: `dd` past the page cache.
"""

import argparse
import json
import os
import random
import re
import shlex
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

from host import processor
from results import run_or_report, write

BLOCK = 1 << 20
OPERATIONS = {"atax": "v.npy", "gemv": "v.npy", "gemvt": "b.npy"}


def read_part(path: Path, begin: int, end: int) -> None:
    buffer = memoryview(bytearray(BLOCK))
    with open(path, "rb", buffering=0) as file:
        while begin < end:
            count = os.preadv(file.fileno(), [buffer[: min(BLOCK, end - begin)]], begin)
            if count == 0:
                sys.exit(f"{path} has become shorter")
            begin += count


def read_loop(path: Path, threads: int) -> float:
    size = path.stat().st_size
    cuts = [size * k // threads for k in range(threads + 1)]
    start = time.perf_counter()
    workers = [threading.Thread(target=read_part, args=(path, a, b)) for a, b in zip(cuts, cuts[1:])]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return time.perf_counter() - start


def read_by_dd(path: Path, flags: list) -> float:
    run = subprocess.run(["dd", f"if={path}", "of=/dev/null", f"bs={BLOCK}", *flags], capture_output=True, text=True,
                         env=os.environ | {"LC_ALL": "C"}, check=True)
    return float(re.search(r"copied, ([0-9.e+-]+) s", run.stderr).group(1))


def drop(path: Path) -> None:
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


class Program:
    def __init__(self, command: str, folder: Path):
        self.command, self.folder = shlex.split(command), folder
        if "/" in self.command[0]:
            self.command[0] = str(Path(self.command[0]).resolve())

    def __call__(self, *words: str) -> str:
        run = subprocess.run([*self.command, *words], cwd=self.folder, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            sys.exit(f"{' '.join(words)}\n{run.stderr}")
        return run.stdout

    def report(self, *words: str) -> dict:
        return json.loads(self(*words, "--format", "json"))


def run(arguments: argparse.Namespace) -> None:
    folder = Path(arguments.folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    tessera, matrix = Program(arguments.tessera, folder), folder / "a.npy"
    tessera("gen", "--rows", str(arguments.rows), "--cols", str(arguments.cols), "--output", "a.npy",
            "--vector-output", "v.npy")
    tessera("gemv", "a.npy", "--vector", "v.npy", "--output", "b.npy", "--memory-limit", arguments.limit)
    threads = os.cpu_count()
    reports: dict = {}

    def streamed(operation: str) -> float:
        report = tessera.report(operation, "a.npy", "--vector", OPERATIONS[operation], "--memory-limit", arguments.limit)
        reports[operation] = report
        return report["seconds"]["median"]

    readers = {
        "plain loop, 1 thread": lambda: read_loop(matrix, 1),
        f"plain loop, {threads} threads": lambda: read_loop(matrix, threads),
        "dd": lambda: read_by_dd(matrix, []),
    }
    direct = {"dd, direct": lambda: read_by_dd(matrix, ["iflag=direct"])}
    ours = {operation: (lambda operation=operation: streamed(operation)) for operation in OPERATIONS}
    contenders = {("warm", name): call for name, call in (readers | ours).items()}
    contenders |= {("cold", name): call for name, call in (readers | direct | ours).items()}
    seconds: dict = {key: [] for key in contenders}
    for _ in range(arguments.turns):
        for cache in ("warm", "cold"):
            keys = [key for key in contenders if key[0] == cache]
            random.shuffle(keys)
            for key in keys:
                if cache == "cold":
                    drop(matrix)
                else:
                    read_loop(matrix, threads)
                seconds[key].append(contenders[key]())
    size = matrix.stat().st_size
    about = tessera.report("info")
    context = {"version": about["version"], "commit": about["commit"], "device": reports["atax"]["device"]}
    rows = [{"cache": cache, "name": name,
             "seconds": {"min": min(s), "median": statistics.median(s), "max": max(s)},
             "gb_per_s": size / statistics.median(s) * 1e-9} for (cache, name), s in seconds.items()]
    write({"context": context | {"processor": processor(), "bytes": size, "rows": arguments.rows, "cols": arguments.cols,
                                 "memory_limit": arguments.limit, "turns": arguments.turns,
                                 "date": time.strftime("%Y-%m-%d", time.gmtime())},
           "results": rows}, Path(arguments.json))
    for name in ("a.npy", "v.npy", "b.npy"):
        (folder / name).unlink()


def report(arguments: argparse.Namespace) -> None:
    source = Path(arguments.json)
    data = json.loads(source.read_text())
    context, results = data["context"], data["results"]
    lines = [
        f"# Results: streams on {context['processor']['name']}, {context['processor']['cores']} threads", "",
        f"Made by `benchmarks/streams.py` from [{source.name}]({source.name}), Tessera {context['version']} at"
        f" commit {context['commit']}, {context['date']}.", "",
        f"A file of {context['rows']} x {context['cols']} floats, {context['bytes'] / 2**30:.1f} GiB, `--memory-limit "
        f"{context['memory_limit']}`; medians of {context['turns']} runs in random order. Warm: the file is in the page cache;"
        " cold: it is not. Reading, in GB/s:", "",
        "| | warm | cold |", "|---|---|---|"]
    speed = {(row["cache"], row["name"]): row["gb_per_s"] for row in results}
    names = list(dict.fromkeys(row["name"] for row in results))
    cell = lambda cache, name: f"{speed[cache, name]:.2f}" if (cache, name) in speed else "–"
    lines += [f"| {name} | {cell('warm', name)} | {cell('cold', name)} |" for name in names if name not in OPERATIONS]
    lines += ["", "Streamed operations, reading included, relative to the plain loop with one thread, to `dd`, and to the plain loop"
              " with all threads:", "", "| | warm | of 1 thread | of dd | of all threads | cold | of 1 thread | of dd | of all threads |",
              "|---|---|---|---|---|---|---|---|---|"]
    every = next(name for name in names if name.startswith("plain loop") and not name.endswith(" 1 thread"))
    for name in OPERATIONS:
        cells = []
        for cache in ("warm", "cold"):
            own = speed[cache, name]
            cells += [f"{own:.2f}"] + [f"{own / speed[cache, peer]:.2f}" for peer in ("plain loop, 1 thread", "dd", every)]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    source.with_suffix(".md").write_text("\n".join(lines) + "\n")


def options(measure: argparse.ArgumentParser) -> None:
    measure.add_argument("tessera", help="the program and its first arguments")
    measure.add_argument("json")
    measure.add_argument("--folder", default="build/streams", help="where the matrix is kept while this runs")
    measure.add_argument("--rows", type=int, default=262144)
    measure.add_argument("--cols", type=int, default=4096)
    measure.add_argument("--limit", default="256MiB", help="of memory, for the operations")
    measure.add_argument("--turns", type=int, default=5)


if __name__ == "__main__":
    run_or_report(__doc__, run, report, "write the page", options)
