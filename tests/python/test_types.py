# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""What a checker of types says of a program that uses the package."""

import subprocess
import sys

import pytest

PROGRAM = """
import numpy as np
import tessera
from tessera import distributed, linalg, sklearn

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
WRONG = [
    ("tessera.nothing", "attr-defined"),
    ("tessera.atax(A)", "call-arg"),
    ("text: str = tessera.dot(A[0], A[0])", "assignment"),
    ('linalg.lsmr(A, y, damp="much")', "arg-type"),
]


def errors_of(program, folder):
    (folder / "program.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "program.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.stderr == ""
    return [line for line in done.stdout.splitlines() if ": error: " in line]


def test_programs(tmp_path):
    pytest.importorskip("mypy")
    assert errors_of(PROGRAM, tmp_path) == []
    errors = errors_of(PROGRAM + "".join(line + "\n" for line, _ in WRONG), tmp_path)
    assert len(errors) == len(WRONG), errors
    for error, (_, kind) in zip(errors, WRONG, strict=True):
        assert f"[{kind}]" in error
