#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""A table of a profiler's metrics for each kernel, from the CSV of NVIDIA Nsight Compute.

  tools/ncu_metrics.py --command tessera bench transpose --variants all --shapes 1024x1024
  # prints the ncu command line that collects the metrics into ncu.csv; run it on the GPU, then
  tools/ncu_metrics.py ncu.csv              # the table in Markdown
  tools/ncu_metrics.py ncu.csv --json       # the same as JSON

A kernel is called by its functor, and one that moves elements by its policy: MoveElements of
Naive along rows is the variant naive-row. A kernel that ran several
times has the median of its runs. Metrics as the eleven transposes' tables have them: how much of
what global memory moves was asked for (efficiency), sectors of 32 bytes that moved, wavefronts of
shared memory, how many warps were there of those that could be, how many branches threads of a
warp took together, and the time.
"""
import argparse
import csv
import json
import re
import shlex
import statistics
import sys
from pathlib import Path

# title, unit, profiler's name, format
METRICS = [
    ("time", "us", "gpu__time_duration.sum", "{:.2f}"),
    ("load efficiency", "%", "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", "{:.1f}"),
    ("store efficiency", "%", "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", "{:.1f}"),
    ("load sectors", "", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "{:.0f}"),
    ("store sectors", "", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "{:.0f}"),
    ("shared load wavefronts", "", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "{:.0f}"),
    ("shared store wavefronts", "", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "{:.0f}"),
    ("achieved occupancy", "%", "sm__warps_active.avg.pct_of_peak_sustained_active", "{:.1f}"),
    ("branch efficiency", "%", "smsp__sass_average_branch_targets_threads_uniform.pct", "{:.1f}"),
]
# A shared functor: padding, and blocks per tile.
PUBLISHED = {"tile (0, 1)": "tile", "tile (1, 1)": "tile-padded", "tile (1, 2)": "tile-unrolled-padded"}
# In microseconds.
TIME_UNITS = {"ns": 1e-3, "nsecond": 1e-3, "us": 1.0, "usecond": 1.0, "ms": 1e3, "msecond": 1e3, "s": 1e6, "second": 1e6}


def command(program):
    metrics = ",".join(name for _, _, name, _ in METRICS)
    return ("ncu --csv --page raw --log-file ncu.csv --kernel-name-base demangled "
            f"--kernel-name 'regex:tessera' --metrics {metrics} {shlex.join(program)}")


def kernel_name(demangled):
    """The functor that Kokkos' launch was instantiated with, and its template's numbers, as words:
    WarpTree<…> is warp-tree, WithTeam<…, (int)4> is with-team (4)."""
    # It shortens names: tessera::published::detail::Tile may be published::Tile.
    found = re.search(r"ParallelFor<(?:[a-z_]\w*::)*(?:EachBlock<[\w:]+, *(?:[a-z_]\w*::)*)?([A-Z]\w*)(?=<)", demangled)
    if not found:
        return None
    moved = re.match(r"<[\w:]+, *[\w ]+, *(?:[a-z_]\w*::)*([A-Z]\w*), *(?:\([\w: ]+\))?(\d)", demangled[found.end():])
    if found[1] == "MoveElements" and moved:
        return f"{moved[1].lower()}-{'col' if moved[2] == '1' else 'row'}"
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", found[1]).lower()
    numbers, depth = [], 0
    for part in re.findall(r"<|>|(?:\([a-z ]+\)|(?<=[ ,<]))\d+", demangled[found.end():]):
        depth += {"<": 1, ">": -1}.get(part, 0)
        if depth == 0:
            break
        if depth == 1 and part not in "<>":
            numbers.append(part.split(")")[-1])
    if numbers:
        name += f" ({', '.join(numbers)})"
    return PUBLISHED.get(name, name)


def number(text, unit, title, kernel):
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        raise SystemExit(f"ncu_metrics: {kernel}: '{text}' is no number for {title}") from None
    if title == "time":
        if unit not in TIME_UNITS:
            raise SystemExit(f"ncu_metrics: unknown unit of time '{unit}'")
        value *= TIME_UNITS[unit]
    return value


def read(path):
    """[{kernel, launches, block, metric...}] in the order of time."""
    lines = path.read_text().splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if first is None:
        raise SystemExit(f'ncu_metrics: {path}: no table: expected a line that starts with "ID"')
    rows = list(csv.DictReader(lines[first:]))
    missing = [name for _, _, name, _ in METRICS if not rows or name not in rows[0]]
    if missing:
        raise SystemExit(f"ncu_metrics: {path}: no {', '.join(missing)}; see --command")
    units, launches = rows[0], rows[1:]
    runs = {}
    for row in launches:
        name = kernel_name(row["Kernel Name"])
        if name:
            runs.setdefault((name, row["Block Size"], row["Grid Size"]), []).append(row)
    if not runs:
        raise SystemExit(f"ncu_metrics: {path}: no kernel of Tessera was profiled")
    table = []
    for (name, block, grid), rows_of_kernel in runs.items():
        entry = {"kernel": name, "block": block, "grid": grid, "launches": len(rows_of_kernel),
                 "device": rows_of_kernel[0].get("Device Name", rows_of_kernel[0].get("Device", ""))}
        for title, _, metric, _ in METRICS:
            entry[title] = statistics.median(
                number(row[metric], units[metric], title, name) for row in rows_of_kernel)
        table.append(entry)
    return sorted(table, key=lambda entry: entry["time"])


def markdown(table):
    titles = ["kernel", "threads", "blocks"] + [t + (f", {u}" if u else "") for t, u, _, _ in METRICS]
    lines = ["| " + " | ".join(titles) + " |", "|---" * 3 + "|---:" * len(METRICS) + "|"]
    for entry in table:
        sizes = [" x ".join(n for n in re.findall(r"\d+", entry[key]) if n != "1") or "1" for key in ("block", "grid")]
        cells = [entry["kernel"], *sizes] + [f.format(entry[t]) for t, _, _, f in METRICS]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", type=Path, nargs="?", help="what ncu --csv --page raw wrote")
    parser.add_argument("--json", action="store_true", help="JSON instead of Markdown")
    parser.add_argument("--command", nargs=argparse.REMAINDER, metavar="PROGRAM",
                        help="print the ncu command line for a program and its arguments")
    arguments = parser.parse_args()
    if arguments.command is not None:
        if not arguments.command:
            parser.error("--command needs a program")
        print(command(arguments.command))
    elif arguments.csv is None:
        parser.error("a CSV file or --command")
    else:
        table = read(arguments.csv)
        print(json.dumps(table, indent=1) if arguments.json else markdown(table))
    return 0


if __name__ == "__main__":
    sys.exit(main())
