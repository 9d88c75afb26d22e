#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Registers, spills, scratch and occupancy of the kernels, from the compiler's output.

Reads what `nvcc -Xptxas -v` printed while it compiled the kernels (it tells spills), or what
`cuobjdump --dump-resource-usage` says of a binary (it tells the stack only):

  .ci/compile_only cuda-turing                     # leaves build/compile-only/cuda-turing/ptxas.log
  tools/kernel_resources.py ptxas.log              # a table in Markdown
  tools/kernel_resources.py ptxas.log --spills     # only what spills; fails if anything does
  tools/kernel_resources.py ptxas.log --titan-rtx  # the page benchmarks/results/titan-rtx.md

tools/titan_rtx.sh does all of that for the page.
"""
import argparse
import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Processor:
    """What a multiprocessor of an architecture can hold (CUDA C++ Programming Guide)."""

    registers: int  # of 4 bytes
    warps: int
    shared_bytes: int
    blocks: int
    reserved_shared: int  # bytes per block, of the system


PROCESSORS = {
    "sm_75": Processor(65536, 32, 64 * 1024, 16, 0),
    "sm_90": Processor(65536, 64, 228 * 1024, 32, 1024),
}


@dataclass(frozen=True)
class Device:
    name: str
    arch: str
    multiprocessors: int
    l2: int  # bytes
    bandwidth: float  # per second, theoretical
    share: float  # of it, reached by a read stream, assumed
    latency: float  # seconds of a load, assumed
    double_rate: float  # double fma per second


# 384 bits of GDDR6 at 14 Gbit/s; 72 multiprocessors with 2 double units each at 1.77 GHz.
TITAN_RTX = Device("Titan RTX", "sm_75", 72, 6 << 20, 672e9, 0.88, 1e-6, 72 * 2 * 1.77e9)


@dataclass
class Kernel:
    name: str  # "FusedTeam<float, true, 1, 2, 2>"
    base: str  # "FusedTeam"
    scalar: str
    numbers: list  # the other template arguments
    threads: int  # most threads of a team
    registers: int
    static_shared: int
    stack: int
    spills: int | None  # bytes stored and loaded

    @property
    def size(self):
        return 4 if self.scalar == "float" else 8

    @property
    def scratch(self):
        """Bytes of team scratch at most."""
        scalars = FACTS[self.base].scratch(self)
        return scalars * self.size + 64 if scalars else 0

    @property
    def bytes_in_flight(self):
        """Of the matrix, that a thread has asked for while it waits; 0: does not read the matrix."""
        return 16 * FACTS[self.base].words(self)

    def teams(self, processor):
        """Teams that a multiprocessor runs at a time, and what limits them."""
        warps = -(-self.threads // 32)
        # Allocated to warps in blocks of 256.
        per_warp = -(-self.registers * 32 // 256) * 256
        # Four schedulers have a quarter each.
        resident = processor.registers // 4 // per_warp * 4
        shared = self.static_shared + self.scratch + processor.reserved_shared
        return min(
            (processor.warps // warps, "warps"),
            (resident // warps, "registers"),
            (processor.shared_bytes // shared if shared else processor.blocks, "scratch"),
            (processor.blocks, "teams"),
            key=lambda limit: limit[0],
        )

    def warps(self, processor):
        return self.teams(processor)[0] * -(-self.threads // 32)

    def in_flight(self, device):
        """Bytes a second that what is in flight on the whole device could keep up."""
        threads = 32 * self.warps(PROCESSORS[device.arch]) * device.multiprocessors
        return threads * self.bytes_in_flight / device.latency


@dataclass(frozen=True)
class Facts:
    """What the compiler's output does not tell of a kernel; see backends/gpu."""

    scratch: object  # most scalars, of a Kernel
    words: object  # 16-byte words of A in flight per thread


# Template arguments after the scalar; Aligned first.
FACTS = {
    "ClearExchange": Facts(lambda k: 0, lambda k: 0),
    "CombineRuns": Facts(lambda k: 0, lambda k: 0),
    "CombineVectors": Facts(lambda k: k.threads, lambda k: 0),
    "DotLong": Facts(lambda k: 0, lambda k: 8),  # two rows or spans
    "DotShort": Facts(lambda k: 0, lambda k: k.numbers[2] * k.numbers[3]),  # threads, words, rows
    "FusedCache": Facts(lambda k: 128, lambda k: 4 * k.numbers[1]),  # rows
    "FusedParts": Facts(  # slots; dot products of warps and line, twice
        lambda k: k.numbers[1] * 4 * k.threads * (16 // k.size) + 10,
        lambda k: 4 * 2,
    ),
    "FusedRing": Facts(  # on words, teams; two slots of a piece and a row
        lambda k: 2 * (8 * k.threads + k.threads // 4) * (16 // k.size) + 1408 // k.size,
        lambda k: 2 * 8,
    ),
    "FusedShort": Facts(  # threads and words of a panel: a line per panel
        lambda k: k.threads * k.numbers[2] * (16 // k.size),
        lambda k: k.numbers[2] * k.numbers[3],
    ),
    "FusedTeam": Facts(  # spans, rows, buffers
        lambda k: 2 * k.numbers[2] * 32,
        lambda k: 4 * k.numbers[1] * k.numbers[2] * k.numbers[3],
    ),
    # Scratch of a sum, and a word per thread for a tile's part of B; lines.
    "FusedTiles": Facts(lambda k: 6 * k.threads * (16 // k.size), lambda k: 8),
    # Two words per thread, at most three for stacks; spacing, lines.
    "Sum": Facts(lambda k: 5 * k.threads * (16 // k.size), lambda k: k.numbers[1]),
}


def portable_scratch(k):
    """Scalars: the leaves of trees, with what is above them, twice."""
    _, kept, lines = k.numbers[:3]
    return 3 * lines * k.threads * max(kept, 1)


def portable_words(k):
    width, kept, lines = k.numbers[:3]
    return lines * max(kept, 1) * CHAIN_STEPS * width * k.size / 16


CHAIN_STEPS = 4  # per lane of a segment
# The Shape's: scalars per word, items per thread, lines per iteration.
PORTABLE = ("Dot", "Sum", "FusedRows", "FusedColumns")
FACTS |= {f"portable {name}": Facts(portable_scratch, portable_words) for name in PORTABLE}


def demangle(names):
    output = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True)
    return output.stdout.splitlines()


def kernels_of(text, arch):
    """Our kernels in the output of ptxas or cuobjdump."""
    found = {}  # mangled name: (registers, shared, stack, spills)
    ptxas = re.compile(
        rf"Compiling entry function '(\S+)' for '{arch}'\n.*\n"
        r"\s*(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads\n"
        r".*Used (\d+) registers(.*)"
    )
    for name, stack, stores, loads, registers, rest in ptxas.findall(text):
        shared = re.search(r"(\d+) bytes smem", rest)
        found[name] = (int(registers), int(shared[1]) if shared else 0, int(stack), int(stores) + int(loads))
    usage = re.compile(r"Function (\S+):\n\s*REG:(\d+) STACK:(\d+) SHARED:(\d+) LOCAL:(\d+)")
    for part in re.split(r"(?=arch = sm_\d+)", text):
        if re.match(rf"arch = {arch}\b", part):
            for name, registers, stack, shared, local in usage.findall(part):
                found.setdefault(name, (int(registers), int(shared), int(stack) + int(local), None))
    kernels = []
    for name, row in zip(demangle(found), found.values()):
        ours = (re.search(r"detail::gpu::(\w+)<Kokkos::\w+, (float|double)([^>]*)>", name) or
                re.search(rf"kernels::({'|'.join(PORTABLE)})<(float|double), tessera::kernels::Shape<([^>]*)>", name))
        bounds = re.search(r"(?:LaunchBounds|run_kernel_of_teams)<(\d+)u?, (\d+)u?\b", name)
        if not ours or not bounds:
            continue  # Kokkos' own, and copies of vectors
        if ours[1] == "GemmTiles":
            continue  # waits for arithmetic
        base = ("portable " if "kernels::OnTeams<" in name else "") + ours[1]
        if base not in FACTS:
            sys.exit(f"{base} is not in the table FACTS of this script")
        rest = [argument for argument in ours[3].split(", ") if argument and "::" not in argument]  # no types
        numbers = [int(a) if a.isdigit() else a for a in rest]
        full = f"{base}<{', '.join([ours[2]] + rest)}>"
        kernels.append(Kernel(full, base, ours[2], numbers, int(bounds[1]), row[0], row[1], row[2], row[3]))
    return sorted(kernels, key=lambda k: (k.base, k.scalar, k.name, k.threads))


def table(kernels, processor, device=None):
    """Markdown; with a device also the bandwidth that the bytes in flight could keep up there."""
    head = ["kernel", "team", "registers", "spills", "stack", "scratch", "warps", "limit"]
    rows = [head + ["GB/s"] if device else head, ["---"] + ["--:"] * (len(head) - 2) + ["---"]]
    if device:
        rows[1].append("--:")
    for k in kernels:
        row = [f"`{k.name}`", k.threads, k.registers, "?" if k.spills is None else k.spills, k.stack, k.scratch]
        row += [f"{k.warps(processor)} of {processor.warps}", k.teams(processor)[1]]
        if device:
            row.append(f"{k.in_flight(device) / 1e9:.0f}" if k.bytes_in_flight else "")
        rows.append(row)
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows)


def paragraph(text):
    return textwrap.fill(" ".join(text.split()), 120, break_on_hyphens=False)


def percent(share):
    return f"{share * 100:.0f} %"


def document(kernels, device):
    processor = PROCESSORS[device.arch]
    stream = device.share * device.bandwidth
    needed = device.bandwidth * device.latency / device.multiprocessors
    spilling = sum(1 for k in kernels if k.spills)
    verdict = f"{spilling} of the {len(kernels)} kernels spill registers." if spilling else "No kernel spills registers."
    all_readers = [k for k in kernels if k.bytes_in_flight]
    readers = [k for k in all_readers if not k.base.startswith("portable")]
    least = min(readers, key=lambda k: k.in_flight(device))
    short = [k for k in readers if k.in_flight(device) < stream]
    if short:
        bandwidth = "Fewer bytes in flight than the stream needs, so that they are expected below it, have " + ", ".join(
            f"`{k.name}` ({k.in_flight(device) / 1e9:.0f} GB/s)" for k in short
        )
    else:
        bandwidth = (
            f"Every accelerated kernel that reads the matrix could keep up more than the stream, the least "
            f"`{least.name}` with {least.in_flight(device) / 1e9:.0f} GB/s. "
            f"So {stream / 1e9:.0f} GB/s are expected of all of them"
        )
    times = "\n".join(
        f"| {m} x {n} | " + " | ".join(f"{m * n * read / stream * 1e6:.0f}" for read in (4, 8, 8, 16)) + " |"
        for m, n in [(4096, 4096), (8192, 8192), (65536, 4096), (1048576, 256)]
    )
    device_text = f"""{device.multiprocessors} multiprocessors, each with {processor.registers} registers, {processor.warps} warps,
{processor.shared_bytes >> 10} KiB of shared memory and {processor.blocks} teams; {device.l2 >> 20} MiB of L2;
{device.bandwidth / 1e9:.0f} GB/s to memory. Two assumptions: a read stream reaches {percent(device.share)} of these,
{stream / 1e9:.0f} GB/s; a load takes {device.latency * 1e6:.0f} µs while memory is busy."""
    scratch_text = f"""{verdict} The largest scratch of a team is {max(k.scratch for k in kernels)} bytes; 40936 are allowed, and a
test enforces this for every tuning."""
    bandwidth_text = f"""By Little's law, {device.bandwidth / 1e9:.0f} GB/s x {device.latency * 1e6:.0f} µs =
{device.bandwidth * device.latency / 1024:.0f} KiB have to be in flight to keep memory busy, {needed / 1024:.1f} KiB a
multiprocessor. What a kernel has in flight is its resident warps times 32 threads times the bytes of the matrix that a
thread asks for before it uses them; over the latency, that is the bandwidth which it could keep up. {bandwidth}, for a
matrix that occupies every multiprocessor and is not in L2, without launches (some 5 µs each) and without the
combination of partial results."""
    double_text = f"""Double precision has a 32nd of the units of single precision. Fused ATAX at the stream's speed needs two fma for
each 8 bytes, {percent(stream / 8 * 2 / device.double_rate)} of the peak: memory stays the limit, with less to
spare than for float."""
    least_portable = min((k for k in all_readers if k not in readers), key=lambda k: k.in_flight(device))
    portable_text = f"""Of the portable kernels `{least_portable.name}` has the least in flight, for {least_portable.in_flight(device) / 1e9:.0f} GB/s.
That they wait at barriers, and how much they compute between loads, does not show in these figures: on an H100, where they have as much in
flight, they reach from a fifth to all of the stream ([portable kernels](portable.md)). So sm_75 keeps the accelerated kernels."""
    long_text = f"""Lines of more than 64 KiB are not kept in registers. A fused kernel would read them again from L2, where the
lines that {device.multiprocessors} teams work on take more than its {device.l2 >> 20} MiB; `Method::automatic` takes two
stages there."""
    return f"""\
# {device.name}: estimate

**Derived, not measured.** Nothing on this page was run on a {device.name}. It follows from the kernels as compiled for
{device.arch} and from the device's data sheet; `tools/titan_rtx.sh` makes it again.

## The device

{paragraph(device_text)}

## Occupancy

{paragraph(scratch_text)}

- *team*: threads at most, for which registers are limited; *spills*: bytes stored and loaded; a *stack* without spills
  is an array that is indexed at run time; *scratch*: bytes of it at most.
- *warps*: how many a multiprocessor runs at a time, and their *limit*.
- *GB/s*: the bandwidth that the bytes in flight can sustain, as below.

{table(kernels, processor, device)}

The template arguments are the scalar; whether lines are aligned to words (for `Sum`, how far a thread's columns are
apart, 1 if they are); then, for `DotLong` and `FusedCache`, lines side by side; for `DotShort` and `FusedShort`,
threads, words per line and lines; for `FusedTeam`, spans of a warp, lines and sets of registers for them; for
`FusedParts`, lines that wait; for `Sum`, lines; for portable kernels, scalars of a word, items of a line that a thread
keeps (0: it reads them again), lines per step, threads at most, and vectors of a block.

## Bandwidth

{paragraph(bandwidth_text)}

{paragraph(double_text)}

{paragraph(portable_text)}

Times of C = Aᵀ(A·v) that follow, in µs, for shapes whose lines a fused kernel keeps in registers:

| m x n | fused, float | two stages, float | fused, double | two stages, double |
|---|--:|--:|--:|--:|
{times}

{paragraph(long_text)}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="output of ptxas -v or of cuobjdump --dump-resource-usage")
    parser.add_argument("--arch", choices=PROCESSORS, default="sm_75")
    parser.add_argument("--spills", action="store_true", help="only what spills; fails if anything does")
    parser.add_argument("--titan-rtx", action="store_true", help="the whole page benchmarks/results/titan-rtx.md")
    arguments = parser.parse_args()

    kernels = kernels_of(arguments.file.read_text(errors="replace"), arguments.arch)
    if not kernels:
        sys.exit(f"no kernels of Tessera for {arguments.arch} in {arguments.file}")
    if arguments.titan_rtx:
        print(document(kernels, TITAN_RTX), end="")
    elif arguments.spills:
        if any(k.spills is None for k in kernels):
            sys.exit("this output does not tell spills; take that of nvcc -Xptxas -v")
        spilling = [k for k in kernels if k.spills]
        print(table(spilling, PROCESSORS[arguments.arch]) if spilling else "no spills")
        sys.exit(1 if spilling else 0)
    else:
        print(table(kernels, PROCESSORS[arguments.arch]))


if __name__ == "__main__":
    main()
