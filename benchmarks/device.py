#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Shows what a GPU reaches beside its peers: writes NAME.json, NAME.md and (with matplotlib) NAME.svg.

    benchmarks/device.py --run build/cuda-hopper/bin/tessera_benchmark --output benchmarks/results/h200
    benchmarks/device.py --json FILE --output benchmarks/results/h200    what tessera_benchmark --json=FILE has written
    benchmarks/device.py --run build/cuda-hopper/bin/tessera_benchmark --shapes quick
    benchmarks/device.py --report benchmarks/results/h200.json           the page and the chart again

Without --output the files are named after the device and lie in benchmarks/results. All contenders of a matrix run in
one process and take turns; figures are medians over the turns.
"""

import json
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from results import (FOLDER, OPERATIONS, TYPES, Figures, in_words, matrix_bytes, parser_of, require_figures, rows_of, save, size_of,
                     start_pyplot, write)

CONTEXT = ("tessera", "commit", "device", "compute_capability", "processors", "memory_bytes", "l2_bytes", "peak_GB_per_s",
           "driver", "cuda_driver", "cuda_runtime", "kokkos", "execution_space", "compiler", "peers", "date")
LAYOUTS = {"row-major": "", "column-major": " column-major"}


def ours(operation: str, suffix: str) -> str:
    return ("tessera auto" if operation == "atax" else "tessera") + suffix


def measure(binary: str, shapes: str, limit: float) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "output.json"
        command = [*shlex.split(binary), shapes, ",".join(TYPES), f"--json={target}", f"--limit={limit}"]
        require_figures(command, subprocess.run(command, check=False).returncode)
        return json.loads(target.read_text())


def compact(output: dict) -> dict:
    context = {key: output["context"][key] for key in CONTEXT if key in output["context"]}
    if "device" not in context:
        sys.exit("this JSON is not of a GPU: see benchmarks/host.py")
    return {"context": context, "results": rows_of(output)}


def microseconds(seconds) -> str:
    return "–" if seconds is None else f"{seconds * 1e6:.1f}"


def quotient(dividend, divisor) -> str:
    return "–" if dividend is None or divisor is None else f"{dividend / divisor:.2f}"


def table(figures: Figures, scalar: str, suffix: str) -> list:
    """One line a matrix: for each operation cuBLAS, ours, the share of the read stream, and the ratio."""
    lines = [
        "| m x n | read µs | GB/s | " + " | ".join(
            f"{formula}: cuBLAS µs | ours µs | of read | ratio" for formula in OPERATIONS.values()) + " |",
        "|---|---|---|" + "---|---|---|---|" * len(OPERATIONS),
    ]
    for shape in figures.shapes(scalar):
        stream = figures.stream(scalar, shape)
        if stream is None:
            continue
        read = stream["seconds"]["median"]
        cells = [in_words(shape), microseconds(read), f"{stream['gb_per_s']:.0f}"]
        for operation in OPERATIONS:
            peer = figures.seconds(operation, "cublas" + suffix, scalar, shape)
            mine = figures.seconds(operation, ours(operation, suffix), scalar, shape)
            cells += [microseconds(peer), microseconds(mine), quotient(read, mine), quotient(peer, mine)]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def methods_table(figures: Figures, scalar: str) -> list:
    """What `auto` chooses from, and the copy stream."""
    lines = [
        "| m x n | " + " | ".join(f"{layout}: fused µs | two-stage µs | auto µs" for layout in LAYOUTS) + " | copy µs | GB/s |",
        "|---|" + "---|---|---|" * len(LAYOUTS) + "---|---|",
    ]
    for shape in figures.shapes(scalar):
        cells = [in_words(shape)]
        for suffix in LAYOUTS.values():
            cells += [microseconds(figures.seconds("atax", f"tessera {method}{suffix}", scalar, shape))
                      for method in ("fused", "two-stage", "auto")]
        copy = figures.get("copy", "copy stream", scalar, shape)
        cells += ["–", "–"] if copy is None else [microseconds(copy["seconds"]["median"]), f"{2 * copy['gb_per_s']:.0f}"]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def kokkos_kernels_table(figures: Figures, scalar: str) -> list:
    lines = []
    for shape in figures.shapes(scalar):
        cells = []
        for suffix in LAYOUTS.values():
            for operation in OPERATIONS:
                peer = figures.seconds(operation, "kokkos-kernels" + suffix, scalar, shape)
                mine = figures.seconds(operation, ours(operation, suffix), scalar, shape)
                cells += [microseconds(peer), quotient(peer, mine)]
        if any(cell != "–" for cell in cells):
            lines.append("| " + " | ".join([in_words(shape), *cells]) + " |")
    if not lines:
        return ["Kokkos Kernels was not part of this build."]
    heads = [f"{formula} {layout} µs | ratio" for layout in LAYOUTS for formula in OPERATIONS.values()]
    return ["| m x n | " + " | ".join(heads) + " |", "|---|" + "---|---|" * len(heads), *lines]


def host_table(figures: Figures) -> list:
    """What a call costs the host: the median over all matrices, and the worst."""
    empty: dict = {}
    calls: dict = {}
    for (operation, name, scalar, _), result in figures.results.items():
        if "host_seconds" in result:
            where = empty if operation == "launch" else calls
            where.setdefault((operation, name), []).append((result["host_seconds"], result["kernels"]))
    if not empty:
        return ["Not measured."]

    def median(values) -> float:
        return sorted(values)[len(values) // 2]

    launch = median([seconds for seconds, _ in empty[("launch", "empty kernel of Kokkos")]])
    lines = ["| call | kernels | median µs | worst µs | median beyond empty launches µs |", "|---|---|---|---|---|"]
    for (operation, name), values in [*empty.items(), *calls.items()]:
        if operation in ("read", "copy"):
            continue
        counts = sorted({count for _, count in values})
        kernels = "–" if counts == [0] else "–".join(str(count) for count in dict.fromkeys([counts[0], counts[-1]]))
        beyond = "–" if counts == [0] or operation == "launch" else microseconds(
            median([seconds - count * launch for seconds, count in values]))
        label = name if operation == "launch" else f"{OPERATIONS.get(operation, operation)}, {name}"
        seconds = [value for value, _ in values]
        lines.append(f"| {label} | {kernels} | {microseconds(median(seconds))} | {microseconds(max(seconds))} | {beyond} |")
    return lines


def errors_list(figures: Figures) -> list:
    """What could not be measured, with one line for all that failed alike on a matrix."""
    alike: dict = {}
    for (operation, name, scalar, shape), error in figures.errors():
        alike.setdefault((scalar, shape, error), []).append(f"{operation} by {name}")
    lines = []
    for (scalar, shape, error), rows in alike.items():
        everything = sum(key[2:] == (scalar, shape) for key in figures.results)
        lines.append(f"- {in_words(shape)}, {scalar}, {'everything' if len(rows) == everything else ', '.join(rows)}: {error}")
    return lines


SERIES = {  # label, contender, marker by operation
    "multiply": [("Tessera", "tessera", "o"), ("Tessera, column-major", "tessera column-major", "^"),
                 ("cuBLAS", "cublas", "s"), ("cuBLAS, column-major", "cublas column-major", "v"),
                 ("Kokkos Kernels", "kokkos-kernels", "x")],
    "atax": [("Tessera, auto", "tessera auto", "o"), ("Tessera, two stages", "tessera two-stage", "^"),
             ("cuBLAS, two calls", "cublas", "s"), ("Kokkos Kernels, two calls", "kokkos-kernels", "x")],
}
SERIES["multiply_transposed"] = SERIES["multiply"]


def bandwidth_panel(axes, figures: Figures, operation: str, scalar: str) -> None:
    """Bytes of A over time against bytes of A; a line joins square matrices, marks are all others."""
    shapes = sorted(figures.shapes(scalar), key=lambda shape: matrix_bytes(shape, scalar))

    def draw(label, marker, value_of, color=None):
        found = [(matrix_bytes(shape, scalar), value_of(shape), size_of(shape)) for shape in shapes]
        found = [(size, value, shape) for size, value, shape in found if value is not None]
        if not found:
            return
        squares = [(size, value) for size, value, (rows, columns, padding) in found if rows == columns and not padding]
        line, = axes.plot([x for x, _ in squares], [y for _, y in squares], "-", color=color, linewidth=1.2, label=label,
                          marker=marker, markersize=5)
        others = [(size, value) for size, value, (rows, columns, padding) in found if rows != columns or padding]
        axes.plot([x for x, _ in others], [y for _, y in others], marker, color=line.get_color(), markersize=3.5, alpha=0.55)

    def stream(shape):
        result = figures.stream(scalar, shape)
        return result and result["gb_per_s"]

    draw("read stream", ".", stream, "black")
    if operation == "multiply":
        draw("copy stream (read and write)", ".", lambda shape: (lambda one: one and 2 * one)(
            figures.gb_per_s("copy", "copy stream", scalar, shape)), "grey")
    for label, name, marker in SERIES[operation]:
        draw(label, marker, lambda shape, name=name: figures.gb_per_s(operation, name, scalar, shape))
    axes.set_xscale("log", base=2)
    axes.set_title(f"{OPERATIONS[operation]}, {scalar}", fontsize=10)
    axes.set_xlabel("bytes of A", fontsize=8)
    axes.set_ylabel("bytes of A / time, GB/s", fontsize=8)
    ticks = [2 ** power for power in range(22, 36, 3)]
    axes.set_xticks(ticks, [f"{tick >> 20} MiB" if tick < 2 ** 30 else f"{tick >> 30} GiB" for tick in ticks], fontsize=7)
    axes.tick_params(axis="y", labelsize=7)
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=6.5, loc="lower right")


def gain_panel(axes, figures: Figures) -> None:
    """How often one ATAX of ours fits into the two calls of cuBLAS."""
    shapes = list(dict.fromkeys(shape for scalar in TYPES for shape in figures.shapes(scalar)))
    width = 0.8 / len(TYPES)
    for k, scalar in enumerate(TYPES):
        places, gains = [], []
        for place, shape in enumerate(shapes):
            peer = figures.seconds("atax", "cublas", scalar, shape)
            mine = figures.seconds("atax", "tessera auto", scalar, shape)
            if peer is not None and mine is not None:
                places.append(place + (k - 0.5) * width)
                gains.append(peer / mine)
        axes.bar(places, gains, width, label=scalar)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.axhline(2, color="black", linewidth=0.8, linestyle=":")
    axes.set_xticks(range(len(shapes)), [shape.replace("x", "\nx ").replace("+", "\n+ ") for shape in shapes], fontsize=6)
    axes.set_ylabel("time of cuBLAS / time of Tessera", fontsize=8)
    axes.set_title("Aᵀ(A·v), row-major: gain over two calls of cuBLAS (2: a perfect pair against one perfect read)", fontsize=10)
    axes.grid(axis="y", alpha=0.3)
    axes.legend(fontsize=8)


def chart(figures: Figures, target: Path) -> bool:
    pyplot = start_pyplot()
    if pyplot is None:
        return False
    types = [scalar for scalar in TYPES if figures.shapes(scalar)]
    figure = pyplot.figure(figsize=(15, 4.2 * len(types) + 4))
    grid = figure.add_gridspec(len(types) + 1, len(OPERATIONS))
    for row, scalar in enumerate(types):
        for column, operation in enumerate(("multiply", "multiply_transposed", "atax")):
            bandwidth_panel(figure.add_subplot(grid[row, column]), figures, operation, scalar)
    gain_panel(figure.add_subplot(grid[len(types), :]), figures)
    figure.suptitle(f"{figures.context['device']}: a line joins square matrices, pale marks are other shapes", fontsize=12)
    save(figure, target)
    return True


def page(figures: Figures, target: Path, has_chart: bool) -> str:
    context = figures.context
    lines = [
        f"# Results: {context['device']}", "",
        f"Made by `benchmarks/device.py` from [{target.name}.json]({target.name}.json). Tessera {context['tessera']} at commit "
        f"{context['commit']}, Kokkos {context['kokkos']} ({context['execution_space']}), {context['compiler']}, "
        f"CUDA runtime {context['cuda_runtime']}, driver {context.get('driver', '')} for CUDA {context['cuda_driver']}, peers: {context['peers']}; "
        f"{context['date']}. The device has compute capability {context['compute_capability']}, "
        f"{context['processors']} processors, {int(context['memory_bytes']) / 2**30:.0f} GiB of memory with a peak of "
        f"{context['peak_GB_per_s']} GB/s by its clock, and {int(context['l2_bytes']) / 2**20:.0f} MiB of L2 cache.", "",
        "All implementations ran alternately in one process, in random order. A run is many calls between two events, launches "
        "included, without graphs. Figures are medians of the runs. Copies of A are rotated so that no call finds A in L2.", "",
        "*read*: the fastest of several kernels that only read A once. *of read*: its time divided by Tessera's; 1.00 is a product "
        "at the speed of memory. *ratio*: time of cuBLAS divided by Tessera's. For Aᵀ(A·v) cuBLAS is called twice, and Tessera uses "
        "`Method::automatic`. `+ p`: p unused elements follow each line.", "",
    ]
    if has_chart:
        lines += [f"![charts]({target.name}.svg)", ""]
    for layout, suffix in LAYOUTS.items():
        for scalar in TYPES:
            if figures.shapes(scalar):
                lines += [f"## {scalar}, {layout}", "", *table(figures, scalar, suffix), ""]
    for scalar in TYPES:
        if figures.shapes(scalar):
            lines += [f"## Methods of Aᵀ(A·v), and copying A: {scalar}", "", *methods_table(figures, scalar), ""]
    for scalar in TYPES:
        if figures.shapes(scalar):
            lines += [f"## Kokkos Kernels: {scalar}", "", *kokkos_kernels_table(figures, scalar), ""]
    lines += ["## Host time per call", "",
              "Time until a call returns, with a workspace; nothing waits for the device. cuBLAS does not report how many kernels "
              "it starts.", "", *host_table(figures), ""]
    if figures.errors():
        lines += ["## Not measured", "", *errors_list(figures), ""]
    return "\n".join(lines)


def report(data: dict, target: Path) -> None:
    figures = Figures(data)
    has_chart = chart(figures, target.parent / (target.name + ".svg"))
    (target.parent / (target.name + ".md")).write_text(page(figures, target, has_chart))


def main() -> None:
    parser = parser_of(__doc__)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--run", metavar="BINARY", help="tessera_benchmark, or a command that runs it")
    source.add_argument("--json", metavar="FILE", help="what `tessera_benchmark --json=FILE` has written")
    source.add_argument("--report", metavar="FILE", help="what this script has written")
    parser.add_argument("--output", metavar="NAME", help="path of the results, without suffix")
    parser.add_argument("--shapes", default="grid", help="shapes to run (default: grid)")
    parser.add_argument("--limit", type=float, default=600, help="begin no further matrix after so many seconds")
    arguments = parser.parse_args()

    if arguments.report:
        source_file = Path(arguments.report)
        report(json.loads(source_file.read_text()), Path(arguments.output or source_file.with_suffix("")))
        return
    output = measure(arguments.run, arguments.shapes, arguments.limit) if arguments.run else json.loads(
        Path(arguments.json).read_text())
    data = compact(output)
    name = re.sub(r"[^a-z0-9]+", "-", data["context"]["device"].lower().replace("nvidia", "")).strip("-")
    target = Path(arguments.output or FOLDER / name)
    write(data, target.parent / (target.name + ".json"))
    report(data, target)


if __name__ == "__main__":
    main()
