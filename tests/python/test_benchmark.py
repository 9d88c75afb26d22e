# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""The script that measures the package runs, and makes a page of what it has found."""

import json
import pathlib
import subprocess
import sys

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "benchmarks/python.py"


def test_a_small_run(tmp_path):
    def script(*arguments):
        command = [sys.executable, "-B", SCRIPT, *arguments]
        subprocess.run(command, cwd=tmp_path, check=True, timeout=100, capture_output=True)

    for _ in range(2):
        script("run", "python.json", "--size", "100", "--turns", "2", "--seconds", "0.001")
    rows = json.loads((tmp_path / "python.json").read_text())["results"]
    assert len({(row["what"], row["name"]) for row in rows}) == len(rows)
    assert {row["what"] for row in rows} >= {"atax", "call", "import"}
    script("report", "python.json")
    page = (tmp_path / "python.md").read_text()
    assert "float32, 100 x 100" in page and "| NumPy | " in page and "| C++ | " in page
