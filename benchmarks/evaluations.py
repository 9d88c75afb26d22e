#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""The evaluations of the five published systems, done again with `tessera bench`.

    benchmarks/evaluations.py --run build/openmp/bin/tessera --machine host           measure all
    benchmarks/evaluations.py --run build/cuda-hopper/bin/tessera --machine h200 --only 3 5
    benchmarks/evaluations.py                                                         the charts again

Data go to benchmarks/results/evaluations/MACHINE-N.json, one row a line, and each evaluation's chart of a machine to
benchmarks/results/evaluations/MACHINE-N.svg. docs/evaluations.md says what they show. Needs pandas and matplotlib.
"""

import json
import shlex
import subprocess
import sys
from pathlib import Path

from results import parser_of, save, start_pyplot

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks" / "results" / "evaluations"

# The first system's order.
EX3_SIZES = ["512x768", "1024x1024", "2048x2048", "3072x3072", "4096x4096", "5120x5120", "6144x6144", "7168x7168",
             "8192x8192", "10240x10240", "12288x12288", "14336x14336", "7680x1024", "12288x1024"]
REDUCTIONS = ["repeated-reduction", "team-atomic", "atomic", "grid-sync"]
CACHES = ["none", "l1", "shared", "equal"]
BLOCKS = [f"{x}x{y}" for y in (1, 2, 4, 8, 16, 32) for x in (8, 16, 32, 64, 128, 256) if x * y <= 1024]
TILES = [f"column-tile-{kind} {ends}" for kind in ("static", "dynamic") for ends in ("exact", "inexact")]
TILE_SHAPES = ["1024x1024", "2048x2048", "4096x4096", "8192x8192", "16384x16384", "1000x1000", "12345x6789"]
LARGE_PRODUCT = 10240
SERIAL_LIMIT = 2048  # beyond, time is extrapolated


def rows_first(size):
    columns, lines = size.split("x")
    return f"{lines}x{columns}"


def join(words):
    return ",".join(map(str, words))


def commands(number, gpu):
    """(name, arguments of `tessera bench`) of an evaluation."""
    turns = ["--repeat", "7" if gpu else "3", "--seconds", "0.003"]
    if number == 1:
        shapes = join(map(rows_first, EX3_SIZES))
        return [("", [operation, "--variants", "ex3", "--shapes", shapes, *turns]) for operation in ("gemv", "gemvt")]
    if number == 2:
        size = "16384x16384" if gpu else "4096x4096"
        threads = [2**k for k in range(11)] if gpu else [1, 2]
        runs = [("threads", ["gemv", "--variants", join(REDUCTIONS), "--shapes", size,
                             "--teams", join(f"1x{n}" for n in threads), *turns])]
        if gpu:
            runs += [(cache, ["gemv", "--variants", join(REDUCTIONS), "--shapes", size,
                              "--cache-preference", cache, *turns]) for cache in CACHES]
        return runs
    if number == 3:
        blocks = BLOCKS if gpu else ["32x8", "8x32", "32x32", "256x2"]
        return [("", ["transpose", "--variants", "all", "--shapes", "1024x1024,8192x8192",
                      "--teams", join(blocks), *turns])]
    if number == 4:
        # On a host all sizes would take hours.
        sizes = range(8, 2097, 8) if gpu else [*range(8, 513, 8), 768, 1024, 1536, 2048, 2096]
        once = ["--repeat", "3" if gpu else "1", "--seconds", "0.0005" if gpu else "0"]
        large = ["--variants", "naive,tiled", "--repeat", "3"] if gpu else ["--variants", "none", "--repeat", "1"]
        return [("curve", ["gemm", "--variants", "all", "--shapes", join(sizes), *once]),
                ("large", ["gemm", "--shapes", str(LARGE_PRODUCT), "--seconds", "0", *large])]
    return [("", ["gemv", "--layout", "column-major", "--variants", join(TILES), "--shapes",
                  join(TILE_SHAPES), "--type", scalar, *turns]) for scalar in ("f32", "f64")]


def rows_of(run, report):
    """One flat row for each result of a report."""
    for table in report["tables"]:
        for result in table.get("results", []):
            row = {"run": run, "operation": report["operation"], "type": report["type"], "layout": report["layout"],
                   "rows": table["rows"], "cols": table["cols"]}
            if "factor_cols" in table:
                row["factor_cols"] = table["factor_cols"]
            row |= {key: result[key] for key in ("name", "kind", "team", "why_not") if result.get(key) is not None}
            if result.get("wrong"):
                row["wrong"] = result["check"]
            if "seconds" in result:
                row |= {"seconds": result["seconds"]["median"], "fastest": result["seconds"]["min"],
                        "gb_per_s": result["gb_per_s"], "gflop_per_s": result["gflop_per_s"], "share": result["share"]}
            yield {key: float(f"{v:.4g}") if isinstance(v, float) else v for key, v in row.items() if v is not None}


def measure(binary, machine, number, gpu):
    rows, context = [], None
    for run, arguments in commands(number, gpu):
        command = [*shlex.split(binary), "bench", *arguments, "--backend", "cuda" if gpu else "openmp", "--format", "json"]
        print(shlex.join(command), file=sys.stderr, flush=True)
        done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
        report = json.loads(done.stdout) if done.stdout else {"tables": []}
        found = list(rows_of(run, report))
        # A peer's wrong row is kept and marked, ours is an error.
        wrong = {(row["name"], row["kind"]) for row in found if "wrong" in row}
        if done.returncode != 0 and (not wrong or any(kind != "peer" for _, kind in wrong)):
            sys.exit(f"evaluation {number}: exit status {done.returncode}")
        for name, _ in sorted(wrong):
            print(f"!!! {name}: its results are WRONG, it was not timed", file=sys.stderr)
        context = report["context"]
        rows += found
    if not any("seconds" in row for row in rows):
        sys.exit(f"evaluation {number}: nothing was measured")
    FOLDER.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    head = json.dumps(context, indent=1, ensure_ascii=False)
    (FOLDER / f"{machine}-{number}.json").write_text(f'{{"context": {head},\n"rows": [\n{lines}\n]}}\n')


def frame_of(path):
    import pandas  # not needed to measure

    data = json.loads(path.read_text())
    frame = pandas.DataFrame(data["rows"])
    for column in ("team", "run", "kind", "why_not", "seconds"):
        if column not in frame:
            frame[column] = None
    frame["us"] = frame["seconds"].astype(float) * 1e6
    frame["size"] = frame["rows"].astype(str) + " x " + frame["cols"].astype(str)
    return data["context"], frame


def finish(axes, title, x, y):
    axes.set_title(title)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(True, which="major", alpha=0.3)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize="small")


def draw_ex3(pyplot, frame):
    figure, both = pyplot.subplots(1, 2, figsize=(13, 5))
    for axes, operation in zip(both, ("gemv", "gemvt")):
        part = frame[(frame["operation"] == operation) & frame["us"].notna()]
        table = part.pivot_table(index="size", columns="name", values="gb_per_s", sort=False)
        table.plot.bar(ax=axes, width=0.8)
        finish(axes, {"gemv": "A·v", "gemvt": "Aᵀ·b"}[operation], "lines x columns", "GB/s of matrix")
    return figure


def draw_reductions(pyplot, frame):
    caches = frame[frame["run"] != "threads"]
    figure, panels = pyplot.subplots(1, 1 if caches.empty else 2, figsize=(7 if caches.empty else 13, 5), squeeze=False)
    threads = frame[(frame["run"] == "threads") & frame["us"].notna()].copy()
    variants = threads[threads["kind"] == "variant"].copy()
    variants["threads"] = variants["team"].str.split("x").str[1].astype(int)
    table = variants.pivot_table(index="threads", columns="name", values="us")
    axes = panels[0][0]
    table.plot(ax=axes, marker="o", logx=True, logy=True)
    ours = threads[threads["kind"] == "ours"]["us"].min()
    axes.axhline(ours, color="black", linestyle="--", label="tessera")
    finish(axes, f"A·v, {threads['size'].iloc[0]}", "threads of a team", "µs")
    if not caches.empty:
        axes = panels[0][1]
        part = caches[(caches["kind"] == "variant") & caches["us"].notna()]
        part.pivot_table(index="name", columns="run", values="us")[CACHES].plot.bar(ax=axes, logy=True, rot=0)
        finish(axes, "by preference of caches", "", "µs")
    return figure


def draw_transposes(pyplot, frame):
    sizes = list(dict.fromkeys(frame["size"]))
    figure, panels = pyplot.subplots(1, len(sizes), figsize=(7 * len(sizes), 6), squeeze=False)
    for axes, size in zip(panels[0], sizes):
        part = frame[(frame["size"] == size) & frame["us"].notna()]
        best = part.sort_values("us").drop_duplicates("name").sort_values("gb_per_s")
        labels = best["name"] + best["team"].map(lambda team: f"  {team}" if isinstance(team, str) else "")
        axes.barh(labels, best["gb_per_s"], color=best["kind"].map(
            {"ours": "tab:green", "variant": "tab:blue", "peer": "tab:orange"}))
        finish(axes, f"{size}, each with its best block", "GB/s read and written", "")
    return figure


def draw_products(pyplot, frame):
    timed = frame[frame["us"].notna()]
    curve, large = timed[timed["run"] == "curve"], timed[timed["run"] == "large"]
    figure, panels = pyplot.subplots(1, 2, figsize=(14, 6), width_ratios=[2, 1])
    curve.pivot_table(index="rows", columns="name", values="us").plot(ax=panels[0], logy=True)
    finish(panels[0], "C = A·B, N x N", "N", "µs")
    seconds = large.groupby("name")["seconds"].min()
    serial = curve[(curve["name"] == "serial") & (curve["rows"] == SERIAL_LIMIT)]["seconds"]
    if not serial.empty:
        seconds[f"serial, drawn out\nfrom {SERIAL_LIMIT}"] = serial.min() * (LARGE_PRODUCT / SERIAL_LIMIT) ** 3
    bars = seconds.sort_values().plot.barh(ax=panels[1], logx=True)
    bars.bar_label(bars.containers[0], fmt="%.3g")
    finish(panels[1], f"{LARGE_PRODUCT} x {LARGE_PRODUCT}", "s", "")
    return figure


def draw_tiles(pyplot, frame):
    figure, panels = pyplot.subplots(1, 2, figsize=(13, 5))
    for axes, kind in zip(panels, ("f32", "f64")):
        part = frame[(frame["type"] == kind) & frame["us"].notna()]
        table = part.pivot_table(index="size", columns="name", values="gb_per_s", sort=False)
        table[[name for name in ("tessera", "cublas", *TILES) if name in table]].plot.bar(ax=axes, width=0.8)
        finish(axes, f"A·v, column-major, {kind}", "rows x columns", "GB/s of matrix")
    return figure


DRAWINGS = {1: draw_ex3, 2: draw_reductions, 3: draw_transposes, 4: draw_products, 5: draw_tiles}


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--run", metavar="TESSERA", help="the program to measure with, perhaps with words before it")
    parser.add_argument("--machine", help="what the files are named after; `host` is measured on openmp, others on cuda")
    parser.add_argument("--only", type=int, nargs="+", choices=DRAWINGS, default=list(DRAWINGS), metavar="N")
    arguments = parser.parse_args()
    if arguments.run:
        if not arguments.machine:
            parser.error("--run needs --machine")
        for number in arguments.only:
            measure(arguments.run, arguments.machine, number, arguments.machine != "host")
    pyplot = start_pyplot()
    if pyplot is None:
        return 1
    for path in sorted(FOLDER.glob(f"{arguments.machine or '*'}-[1-5].json")):
        number = int(path.stem[-1])
        if number not in arguments.only:
            continue
        context, frame = frame_of(path)
        figure = DRAWINGS[number](pyplot, frame)
        figure.suptitle(f"{context.get('device') or context.get('backend_device', '')}")
        save(figure, path.with_suffix(".svg"))
        pyplot.close(figure)
        print(path.with_suffix(".svg"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
