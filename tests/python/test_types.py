# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""What a checker of types says of a program that uses the package."""

import json
import pathlib
import subprocess
import sys

import pytest
from optional import package

import tessera

PROGRAM = """
import numpy as np
import tessera
from tessera import distributed, jax, linalg, sklearn, torch

A = np.ones((3, 4))
C = tessera.atax(A, A[0])
length: float = tessera.dot(A[0], A[0])
y, w = tessera.matvec_both(A, A[0], A[:, 0])
stream = tessera.open("a.npy", memory_limit="64MiB")
shape: tuple[int, int] = stream.shape
result: linalg.LsmrResult = linalg.lsmr(stream, y)
u, s, vh = linalg.svds(A, k=1)
passed: bool = tessera.check(A, A[0], C).passed
threads: int = tessera.threads(2)
name: str = tessera.digest(result.x) + tessera.__version__
"""
WRONG = [  # program, rule of mypy, rule of pyright
    ("tessera.nothing", "attr-defined", "reportAttributeAccessIssue"),
    ("tessera.atax(A)", "call-arg", "reportCallIssue"),
    ("text: str = tessera.dot(A[0], A[0])", "assignment", "reportAssignmentType"),
    ('linalg.lsmr(A, y, damp="much")', "arg-type", "reportArgumentType"),
]


def by_mypy(program, folder):
    """The rules that lines of a program break."""
    (folder / "program.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "program.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.stderr == ""
    return [line.rpartition("[")[2].rstrip("]") for line in done.stdout.splitlines() if ": error: " in line]


def by_pyright(program, folder):
    (folder / "program.py").write_text(program)
    paths = {"extraPaths": [str(pathlib.Path(tessera.__file__).parents[1])]}
    (folder / "pyrightconfig.json").write_text(json.dumps(paths))
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", "program.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
    )
    found = json.loads(done.stdout)["generalDiagnostics"]
    return [each["rule"] for each in found if each["severity"] == "error"]


@pytest.mark.parametrize(("checker", "rules_of", "column"), [("mypy", by_mypy, 1), ("pyright", by_pyright, 2)])
def test_programs(checker, rules_of, column, tmp_path):
    package(checker)
    if checker == "pyright":  # its Python package fetches the program
        done = subprocess.run([sys.executable, "-m", "pyright", "--version"], capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            pytest.skip(f"NOT RUN: pyright does not start: {done.stderr[-200:]}")
    assert rules_of(PROGRAM, tmp_path) == []
    found = rules_of(PROGRAM + "".join(f"{line[0]}\n" for line in WRONG), tmp_path)
    assert found == [line[column] for line in WRONG]
