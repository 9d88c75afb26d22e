# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/evaluations.md, of what benchmarks/evaluations.py has measured; summary.py writes them there."""

import json
import re
from pathlib import Path

from results import in_words

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks" / "results" / "evaluations"
MACHINES = {"h200": "H200", "host": "host"}
LIBRARIES = ("cublas", "cublas pedantic", "openblas")  # in order of preference


def best(rows: list, name) -> dict | None:
    """The fastest row of a name, or of those that a function takes, whatever its team."""
    of_name = name if callable(name) else lambda other: other == name
    return min((row for row in rows if of_name(row["name"]) and row.get("seconds") and not row.get("wrong")), key=lambda row: row["seconds"], default=None)


def library(rows: list) -> dict | None:
    return next((row for row in (best(rows, name) for name in LIBRARIES) if row), None)


def size(row: dict) -> str:
    return in_words(f"{row['rows']}x{row['cols']}")


def gigabytes(row: dict) -> str:
    return f"{row['gb_per_s']:.{0 if row['gb_per_s'] >= 100 else 1}f}"


def milliseconds(row: dict) -> str:
    return f"{row['seconds'] * 1e3:.3g}" if row["seconds"] < 1 else f"{row['seconds'] * 1e3:.0f}"


def table(number: int, unit: str, cell, columns: dict, case_of, wanted) -> list:
    """One line for each machine and case that is wanted, in the order they were measured; a column is a name, or takes all rows."""
    lines = [f"| evaluation {number}, {unit} | " + " | ".join(columns) + " | Tessera | library |", "|---|" + "--:|" * (len(columns) + 2)]
    for machine, title in MACHINES.items():
        cases: dict = {}
        for row in json.loads((FOLDER / f"{machine}-{number}.json").read_text())["rows"]:
            if wanted(row):
                cases.setdefault(case_of(row), []).append(row)
        for case, rows in cases.items():
            found = [*(best(rows, name) for name in columns.values()), best(rows, "tessera"), library(rows)]
            lines.append(f"| {title}, {case} | " + " | ".join(cell(row) if row else "–" for row in found) + " |")
    return lines


def tables() -> list:
    formula = {"gemv": "A·v", "gemvt": "Aᵀ·b"}
    tile = {f"{kind}, {ends}": f"column-tile-{kind} {ends}" for kind in ("static", "dynamic") for ends in ("exact", "inexact")}
    return [
        table(1, "GB/s of the matrix", gigabytes, {"ex3": "ex3"}, lambda row: f"{formula[row['operation']]}, {size(row)}",
              lambda row: (row["rows"], row["cols"]) in ((768, 512), (4096, 4096), (14336, 14336), (1024, 12288))),
        table(2, "ms, of the best team", milliseconds, {f"`{name}`": name for name in ("atomic", "repeated-reduction", "team-atomic", "grid-sync")},
              size, lambda row: row["run"] == "threads"),
        table(3, "GB/s", gigabytes, {"copies": lambda name: name.startswith("copy"), "`naive`": lambda name: name.startswith("naive"),
                                     "`unroll4`": lambda name: name.startswith("unroll4"), "`diagonal`": lambda name: name.startswith("diagonal"),
                                     "tiles": lambda name: name.startswith("tile")}, size, lambda row: True),
        table(4, "ms", milliseconds, {f"`{name}`": name for name in ("serial", "threads", "naive", "tiled")}, lambda row: f"N = {row['rows']}",
              lambda row: row["rows"] in (64, 512, 2048, 2096, 10240)),
        table(5, "GB/s", gigabytes, tile, lambda row: f"{row['type']}, {size(row)}", lambda row: row["rows"] in (8192, 16384)),
    ]


def with_tables(text: str) -> str:
    """The text of docs/evaluations.md with its tables as they are now."""
    for number, lines in enumerate(tables(), 1):
        text, count = re.subn(rf"\| evaluation {number}, .*\n(\|.*\n)+", lambda _, lines=lines: "\n".join(lines) + "\n", text)
        if count != 1:
            raise SystemExit(f"docs/evaluations.md has {count} tables of evaluation {number}")
    return text
