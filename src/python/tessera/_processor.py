# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Whether this processor runs the compiled part, which would end the process if it does not."""

import os

from tessera._requirements import host_arch, instructions

affinity = os.sched_getaffinity(0)  # with OMP_PROC_BIND, loading the compiled part binds this thread


def missing(needed: tuple[str, ...], cpuinfo: str = "/proc/cpuinfo") -> list[str]:
    """Which of the needed instructions the processor lacks, as Linux names them; none if that is not known."""
    try:
        with open(cpuinfo, encoding="ascii", errors="replace") as file:
            flags = next((line.partition(":")[2].split() for line in file if line.startswith("flags")), None)
    except OSError:
        return []
    return [] if flags is None else [name for name in needed if name not in flags]


def require(needed: tuple[str, ...] = instructions, cpuinfo: str = "/proc/cpuinfo") -> None:
    """Raises ImportError if the processor lacks what the compiled part was built for."""
    if lacks := missing(needed, cpuinfo):
        raise ImportError(
            f"tessera: this package was built for {host_arch} processors, and this one has no {', '.join(lacks)}; build it "
            "with -C cmake.define.TESSERA_HOST_ARCH=baseline"
        )
