# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""silent_network.py CMAKE SCRIPT: fails unless CanReach.cmake stops early if a network accepts packets and never answers."""

import socket
import subprocess
import sys
import time

cmake, script = sys.argv[1:]
with socket.create_server(("127.0.0.1", 0)) as server:
    url = f"https://127.0.0.1:{server.getsockname()[1]}/"
    start = time.monotonic()
    status = subprocess.run([cmake, f"-DURL={url}", "-P", script], check=False).returncode
    seconds = time.monotonic() - start
print(f"status {status} after {seconds:.1f} s")
sys.exit(status == 0 or seconds > 8)
