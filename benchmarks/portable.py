#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""The portable kernels beside the accelerated ones and the vendors' libraries, measured with `tessera bench`.

    benchmarks/portable.py --run build/openmp/bin/tessera --machine host
    benchmarks/portable.py --run build/cuda-hopper/bin/tessera --backend cuda --machine h100
    benchmarks/portable.py                     the page again, of what was measured before

Data go to benchmarks/results/portable-MACHINE.json, and benchmarks/results/portable.md is made of all of them.
"""

import json
import math
import shlex
import subprocess

from results import FOLDER, data_of, in_words, parser_of, require_figures, write

OPERATIONS = {"atax": "Aᵀ(A·v)", "gemv": "A·v", "gemvt": "Aᵀ·b", "transpose": "transpose", "gemm": "A·B"}
SHAPES = {
    "cuda": {
        "products": "16384x16384,8192x8192,4096x4096,1024x1024,1000x1000,1048576x1024,65536x4096,4096x65536,262144x256,"
                    "262144x400,4194304x64,64x4194304,256x262144,12347x6789,100003x777,1000003x17,33x1000003",
        "transpose": "16384x16384,8192x8192,1024x1024,1000003x97,12345x6789",
        "gemm": "4096,2048,1024,1000,8192x512x512,512x512x8192",
    },
    "host": {
        "products": "16384x16384,262144x1024,65536x4096,4096x65536,1048576x256,4096x4096,1000x1000,256x256,12345x6789",
        "transpose": "8192x8192,1024x1024,1000003x97",
        "gemm": "2048,1024,1000,512",
    },
}
OURS = ("tessera", "tessera auto")
TWO_SEGMENTS = {"f32": 512, "f64": 256}  # elements of the longest lines that fused_short.hpp computes


def is_short(row: dict) -> bool:
    return row["cols"] <= TWO_SEGMENTS[row["type"]]


# Folder of backends, files of an acceleration, what it replaces, and the rows of a measurement that show its gain.
ACCELERATIONS = [
    ("gpu", ["dot"], "A·v row-major, Aᵀ·b column-major",
     lambda row: (row["operation"], row["layout"]) in (("gemv", "row-major"), ("gemvt", "column-major"))),
    ("gpu", ["sum"], "Aᵀ·b row-major, A·v column-major",
     lambda row: (row["operation"], row["layout"]) in (("gemvt", "row-major"), ("gemv", "column-major"))),
    ("gpu", ["fused_short"], "Aᵀ(A·v) row-major, rows of one or two segments",
     lambda row: (row["operation"], row["layout"]) == ("atax", "row-major") and is_short(row)),
    ("gpu", ["fused_team", "fused_ring", "fused_parts"], "Aᵀ(A·v) row-major, longer rows",
     lambda row: (row["operation"], row["layout"]) == ("atax", "row-major") and not is_short(row)),
    ("gpu", ["fused_slices"], "Aᵀ(A·v) column-major; most shapes use `dot` and `sum`",
     lambda row: (row["operation"], row["layout"]) == ("atax", "column-major")),
    ("host", ["dot"], "A·v row-major, Aᵀ·b column-major",
     lambda row: (row["operation"], row["layout"]) in (("gemv", "row-major"), ("gemvt", "column-major"))),
    ("host", ["sum"], "Aᵀ·b row-major, A·v column-major",
     lambda row: (row["operation"], row["layout"]) in (("gemvt", "row-major"), ("gemv", "column-major"))),
    ("host", ["fused_lines"], "Aᵀ(A·v) row-major", lambda row: (row["operation"], row["layout"]) == ("atax", "row-major")),
    ("host", ["fused_tiles"], "Aᵀ(A·v) column-major",
     lambda row: (row["operation"], row["layout"]) == ("atax", "column-major")),
    ("*", ["transpose"], "transpose", lambda row: row["operation"] == "transpose"),
    ("*", ["gemm"], "A·B", lambda row: row["operation"] == "gemm"),
]


def measure(program: str, backend: str) -> dict:
    shapes = SHAPES["cuda" if backend == "cuda" else "host"]
    reports = []
    for operation in OPERATIONS:
        for scalar in ("f32", "f64"):
            for layout in ("row-major", "column-major") if operation not in ("transpose", "gemm") else ("row-major",):
                command = [*shlex.split(program), "bench", operation, "--variants", "none", "--backend", backend, "--type", scalar,
                           "--layout", layout, "--shapes", shapes.get(operation, shapes["products"]), "--repeat", "5",
                           "--format", "json"]
                run = subprocess.run(command, check=False, capture_output=True, text=True)
                require_figures(command, run.returncode, run.stderr)
                reports.append(json.loads(run.stdout))
    context = reports[0]["context"]
    results = []
    for report in reports:
        for table in report["tables"]:
            row = {"operation": report["operation"], "type": report["type"], "layout": report["layout"],
                   **{key: table[key] for key in ("rows", "cols", "factor_cols", "padding") if table.get(key)}}
            seconds = {result["name"]: result["seconds"] and result["seconds"]["median"] for result in table.get("results", [])}
            stream = table.get("stream")
            results.append(row | {"stream": stream and stream["seconds"], "seconds": seconds})
    return {"context": context, "results": results}


def shape_of(row: dict) -> str:
    shape = f"{row['rows']}x{row.get('factor_cols', '')}x{row['cols']}" if row["operation"] == "gemm" else f"{row['rows']}x{row['cols']}"
    return in_words(shape + (f"+{row['padding']}" if "padding" in row else ""))


def table(rows: list) -> list:
    lines = ["| matrix | type | layout | portable, µs | of the stream | accelerated to portable | portable to peer | peer |",
             "|---|---|---|--:|--:|--:|--:|---|"]
    for row in rows:
        seconds = row["seconds"]
        portable = seconds.get("tessera portable")
        if not portable:
            continue
        ours = next((seconds[name] for name in OURS if seconds.get(name)), None)
        peers = {name: value for name, value in seconds.items() if value and not name.startswith("tessera")}
        peer = min(peers, key=peers.get) if peers else None
        share = f"{row['stream'] / portable:.2f}" if row["stream"] and row["operation"] != "gemm" else "–"
        lines.append(f"| {shape_of(row)} | {row['type']} | {row['layout']} | {portable * 1e6:.1f} | "
                     f"{share} | {f'{portable / ours:.2f}' if ours else '–'} | "
                     f"{f'{peers[peer] / portable:.2f}' if peer else '–'} | {peer or '–'} |")
    return lines


def gains(rows: list) -> list:
    return [row["seconds"]["tessera portable"] / row["seconds"][name] for row in rows for name in OURS
            if row["seconds"].get(name) and row["seconds"].get("tessera portable")]


def mean(rows: list) -> float:
    ratios = gains(rows)
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


def accelerations(data: dict) -> list:
    """One line per acceleration: its size and its gain over the portable kernel."""
    folder = "gpu" if data["context"]["execution_space"] == "Cuda" else "host"
    backends = FOLDER.parent.parent / "backends"
    lines = ["| files of `backends/" + folder + "` | lines | replaces | shapes | gain: mean | least | most | at least 1.1 |",
             "|---|--:|---|--:|--:|--:|--:|--:|"]
    for place, files, replaced, chosen in ACCELERATIONS:
        ratios = gains([row for row in data["results"] if chosen(row)])
        if place not in (folder, "*") or not ratios:
            continue
        size = sum(len((backends / folder / f"{file}.hpp").read_text().splitlines()) for file in files)
        mean_of_ratios = math.exp(sum(map(math.log, ratios)) / len(ratios))
        lines.append(f"| {', '.join(f'`{file}`' for file in files)} | {size} | {replaced} | {len(ratios)} | {mean_of_ratios:.2f} | "
                     f"{min(ratios):.2f} | {max(ratios):.2f} | {sum(ratio >= 1.1 for ratio in ratios)} |")
    return lines


def page() -> str:
    lines = ["# Results: portable kernels", "",
             "Made by `benchmarks/portable.py` from `portable-*.json` in this folder, measured by `tessera bench`: medians of five runs;",
             "the implementations run alternately, and the factors are not in the cache.", "",
             "- *of the stream*: the time to read (for `transpose`, to copy) the matrix once, divided by the portable kernel's.",
             "- *accelerated to portable*: the speed-up of the accelerated kernels.",
             "- *portable to peer*: the speed-up of the portable kernel over the fastest library."]
    for data in data_of("portable"):
        context = data["context"]
        lines += ["", f"## {context['backend_device']}", "",
                  f"Tessera {context['tessera']} at commit {context['commit']}, Kokkos {context['kokkos']} ({context['execution_space']}), "
                  f"{context['compiler']}, peers: {context['peers']}.", "", "### Gain of each acceleration", "", *accelerations(data)]
        for operation, words in OPERATIONS.items():
            rows = [row for row in data["results"] if row["operation"] == operation]
            if rows:
                lines += ["", f"### {words}", "", f"The accelerated kernels are {mean(rows):.2f} times as fast in the geometric mean.", "",
                          *table(rows)]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--run", help="the program, and what starts it")
    parser.add_argument("--backend", default="openmp")
    parser.add_argument("--machine", default="host", help="names the file")
    arguments = parser.parse_args()
    if arguments.run:
        write(measure(arguments.run, arguments.backend), FOLDER / f"portable-{arguments.machine}.json")
    (FOLDER / "portable.md").write_text(page())


if __name__ == "__main__":
    main()
