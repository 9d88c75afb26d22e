# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""The command line program, which comes with the package."""

import os
import pathlib
import sys

from tessera import _processor


def main() -> None:
    """Becomes the program."""
    program = pathlib.Path(__file__).with_name("bin") / "tessera"
    if not program.exists():
        sys.exit(f"tessera: the command line program was not built with this package: no {program}")
    os.sched_setaffinity(0, _processor.affinity)
    os.execv(program, ["tessera", *sys.argv[1:]])


if __name__ == "__main__":
    main()
