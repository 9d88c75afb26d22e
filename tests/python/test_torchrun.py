# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""The example for torchrun, on processes that have no MPI."""

import os
import pathlib
import subprocess
import sys

import pytest
from optional import package

SOURCES = pathlib.Path(__file__).resolve().parents[2]


def test_torchrun_gives_the_same_bits_on_any_number_of_processes():
    torch = package("torch")
    if not torch.distributed.is_available() or not torch.distributed.is_gloo_available():
        pytest.skip("NOT RUN: PyTorch has no gloo")
    found = []
    for processes in (1, 2, 3):
        command = [sys.executable, "-B", SOURCES / "tests/distributed/as_torchrun.py", str(processes), SOURCES / "examples/torchrun.py"]
        environment = os.environ | {"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive"}
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, timeout=300, check=True)
        found.append(done.stdout)
    assert [line.split()[0] for line in found[0].splitlines()] == ["x", "s", "vh"]
    assert found == [found[0]] * 3
