# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Least squares and singular values on the processes of torchrun. The digests do not depend on their number.

torchrun --nproc-per-node 3 examples/torchrun.py
"""

import numpy as np
import torch
import torch.distributed

import tessera
import tessera.distributed

ROWS, COLS = 30_000, 40

torch.distributed.init_process_group("gloo")  # or "nccl"
world = tessera.distributed.World(torch.distributed.group.WORLD)

# Each process generates its own rows. A row depends only on its index.
mine = world.rows_of(ROWS, COLS)
numbers = torch.arange(mine.start, mine.stop, dtype=torch.float64)[:, None]
A = world.matrix(torch.sin(numbers * torch.arange(1, COLS + 1)) + 1 / (1 + numbers))
truth = torch.arange(1, COLS + 1, dtype=torch.float64)

b = world.matvec(A, truth)  # the entries of this process
x = tessera.linalg.lsmr(A, b, atol=1e-12, btol=1e-12).x  # complete on every process
_, s, vh = tessera.linalg.svds(A, 3)
np.testing.assert_allclose(x, truth, rtol=1e-8)
if world.rank == 0:
    print("x ", tessera.digest(x))
    print("s ", tessera.digest(s))
    print("vh", tessera.digest(vh))
torch.distributed.destroy_process_group()
