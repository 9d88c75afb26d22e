#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Measures again what a tuning value was chosen by: the entries of benchmarks/results/tuning.md.

    benchmarks/verify_tuning.py --list
    benchmarks/verify_tuning.py host-dot [--program "./dev run"] [--backend openmp] [--seconds 2] [--most-bytes 1G]

For each shape of the entry `tessera tune` tries every launch that the backend could have chosen, in a
cache folder of its own. The table says how long the backend's choice takes over the best one: 1.00 is
the best. The exit status is 1 where a choice takes more than 1.10 times as long.
"""

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from math import prod
from pathlib import Path

ENTRIES = json.loads((Path(__file__).parent / "tuning.json").read_text())
WORST = 1.10


def bytes_of(case: dict) -> int:
    sizes = [int(size) for size in case["shape"].split("x")]
    return prod(sizes[:2]) * (4 if case["type"] == "f32" else 8)


def tune(arguments: argparse.Namespace, entry: dict, case: dict) -> dict:
    backend = arguments.backend or ("cuda" if entry["backend"] == "cuda" else "openmp")
    with tempfile.TemporaryDirectory() as folder:
        command = ["env", f"XDG_CACHE_HOME={folder}", *shlex.split(arguments.program), "tune", entry["operation"], "--backend", backend,
                   "--shape", case["shape"], "--type", case["type"], "--layout", entry["layout"], "--seconds", str(arguments.seconds)]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"{shlex.join(command)}: exit status {run.returncode}\n{run.stderr}")
        (file,) = Path(folder).glob("tessera/*.json")
        (found,) = json.loads(file.read_text())["tunings"]
        return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("entry", nargs="?", choices=ENTRIES, metavar="ENTRY")
    parser.add_argument("--list", action="store_true", help="say which entries there are")
    parser.add_argument("--program", default="tessera", help="the command that runs tessera (tessera)")
    parser.add_argument("--backend", help="cuda for entries of CUDA, else openmp")
    parser.add_argument("--seconds", type=float, default=2, help="of a search, at least (2)")
    parser.add_argument("--most-bytes", default="1G", help="matrices above are left out (1G)")
    arguments = parser.parse_args()
    if arguments.list or not arguments.entry:
        for name, entry in ENTRIES.items():
            print(f"{name:22} {entry['operation']}, {len(entry['cases'])} shapes")
        return 0
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    most = int(arguments.most_bytes.rstrip("KMG")) * units.get(arguments.most_bytes[-1], 1)
    entry = ENTRIES[arguments.entry]
    worst, left_out = 0.0, 0
    print(f"{'operation':10} {'shape':>18} {'type':4} {'backend us':>11} {'best us':>11} {'ratio':>6}")
    for case in entry["cases"]:
        if bytes_of(case) > most:
            left_out += 1
            continue
        found = tune(arguments, entry, case)
        ratio = found["backend_seconds"] / found["seconds"]
        worst = max(worst, ratio)
        print(f"{entry['operation']:10} {case['shape']:>18} {case['type']:4} {found['backend_seconds'] * 1e6:11.1f} {found['seconds'] * 1e6:11.1f} {ratio:6.2f}",
              flush=True)
    if left_out:
        print(f"LEFT OUT: {left_out} shapes above --most-bytes {arguments.most_bytes}")
    print(f"{arguments.entry}: the backend's choice takes at most {worst:.2f} times as long as the best")
    return int(worst > WORST)


if __name__ == "__main__":
    sys.exit(main())
