# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""as_torchrun.py N PROGRAM: so many processes of a Python program on this host, as torchrun starts them.

Debian's PyTorch has no torchrun that runs: its stores want libuv, which Debian's is built without, whatever USE_LIBUV
says. Where one process fails, the others are ended, and its status is the result.
"""

import os
import socket
import subprocess
import sys
import time

count, program = int(sys.argv[1]), sys.argv[2:]
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
every = []
for rank in range(count):
    its = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": count, "LOCAL_WORLD_SIZE": count, "MASTER_PORT": port}
    its |= {"MASTER_ADDR": "127.0.0.1", "TORCHELASTIC_RUN_ID": "none", "USE_LIBUV": 0, "GLOO_SOCKET_IFNAME": "lo"}
    environment = os.environ | {name: str(value) for name, value in its.items()}
    every.append(subprocess.Popen([sys.executable, "-B", *program], env=environment))
status = 0
running = every
while running and status == 0:
    time.sleep(0.05)
    status = next((process.returncode for process in every if process.poll()), 0)
    running = [process for process in every if process.poll() is None]
for process in running:
    process.kill()
    process.wait()
sys.exit(abs(status))
