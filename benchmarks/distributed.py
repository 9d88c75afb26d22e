#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Many processes: atax, a step of lsmr and svd(10) over ranks, what an exchange costs, and a model of more ranks.

    benchmarks/distributed.py --run build/openmp/bin/tessera --machine host --ranks 1,2 --threads 2
    benchmarks/distributed.py --run build/cuda-hopper/bin/tessera --backend cuda --machine h200 --ranks 1,2,4
    benchmarks/distributed.py                      the page again, of what was measured before

Data go to benchmarks/results/distributed-MACHINE.json, and benchmarks/results/distributed.md is made of all of them. --threads are those
of all ranks together. On a GPU PyTorch's products and its all-reduce by NCCL are measured, too, where PyTorch is.
"""

import argparse
import math
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from host import processor
from results import FOLDER, data_of, in_words, parser_of, ratio, run_json, short_name, write, write_page
from solvers import generate, step_of

STRONG = {"cuda": ("32768x16384", "2097152x1024"), "openmp": ("16384x8192", "262144x1024")}
WEAK = {"cuda": "65536x16384", "openmp": "8192x8192"}  # per rank
EXCHANGED = (64, 16384, 262144)  # columns
STEPS, VALUES = 200, 10  # the first exchange takes milliseconds
PREDICTED = (8, 64, 1024)


class Program:
    """tessera by some ranks."""

    def __init__(self, run: str, mpirun: str, backend: str, ranks: int, threads: int):
        self.ranks = ranks
        self.alone = shlex.split(run)
        self.command = [*shlex.split(mpirun), "-n", str(ranks), *self.alone] if ranks > 1 else self.alone
        self.options = ["--backend", backend, *(["--threads", str(max(1, threads // ranks))] if backend != "cuda" else [])]

    def report(self, *arguments: str) -> dict:
        return run_json([*self.command, *arguments, *self.options, "--format", "json"])

    def atax(self, A: Path, repeat: int = 20) -> dict:
        return self.report("atax", str(A), "--method", "fused" if self.ranks == 1 else "auto", "--repeat", str(repeat))

    def lsmr(self, A: Path, b: Path):
        """Seconds of a step."""
        many, one = (min((self.report("lstsq", str(A), str(b), "--atol", "0", "--btol", "0", "--conlim", "0", "--maxiter", str(most))
                          for _ in range(3)), key=lambda run: run["seconds"]) for most in (STEPS, 1))
        return step_of(many["seconds"], one["seconds"], many["iterations"])


def peer(shape: str) -> None:
    """Run by mpirun: rank 0 prints the seconds of PyTorch's A.T @ (A @ v) and the all-reduce of its sum by NCCL."""
    import torch
    import torch.distributed as dist

    rank, ranks = int(os.environ["OMPI_COMM_WORLD_RANK"]), int(os.environ["OMPI_COMM_WORLD_SIZE"])
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29533")
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=ranks)
    rows, cols = map(int, shape.split("x"))
    A, v = torch.randn(rows // ranks, cols, device="cuda"), torch.randn(cols, device="cuda")

    def product() -> None:
        dist.all_reduce(A.T @ (A @ v))

    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    seconds = []
    for _ in range(20):
        for _ in range(5):
            product()
        begin.record()
        for _ in range(20):
            product()
        end.record()
        torch.cuda.synchronize()
        seconds.append(begin.elapsed_time(end) * 1e-3 / 20)
    if rank == 0:
        print(min(seconds))
    dist.destroy_process_group()


def peer_seconds(mpirun: str, backend: str, ranks: int, shape: str):
    if backend != "cuda":
        return None
    run = subprocess.run([*shlex.split(mpirun), "-n", str(ranks), sys.executable, __file__, "--peer", shape], check=False,
                         capture_output=True, text=True)
    if run.returncode != 0:
        print(f"!!! PyTorch on {ranks} ranks was NOT measured: {run.stderr[-300:]}", file=sys.stderr)
        return None
    return float(run.stdout.split()[-1])


def measure(arguments, shapes, weak: str) -> dict:
    programs = [Program(arguments.run, arguments.mpirun, arguments.backend, ranks, arguments.threads) for ranks in arguments.ranks]
    info = run_json([*programs[0].alone, "info", "--format", "json"])
    results, device = [], None
    with tempfile.TemporaryDirectory(dir=arguments.temporary) as name:
        A, b = Path(name) / "a.npy", Path(name) / "b.npy"

        def make(rows: int, cols: int) -> None:
            generate(arguments.run, A, rows, cols)
            generate(arguments.run, b, rows, 1, 1)

        for shape in shapes:
            rows, cols = map(int, shape.split("x"))
            make(rows, cols)
            digests = set()
            for program in programs:
                atax = program.atax(A)
                device = atax["device"]
                digests.add(atax["sha256"])
                svd = program.report("svd", str(A), "-k", str(VALUES))
                results.append({"what": "strong", "ranks": program.ranks, "rows": rows, "cols": cols, "exchange": atax.get("exchange"),
                                "atax": atax["seconds"]["min"], "lsmr": program.lsmr(A, b), "svd": svd["seconds"],
                                "peer": peer_seconds(arguments.mpirun, arguments.backend, program.ranks, shape)})
            if len(digests) != 1:
                sys.exit(f"{shape}: the bits differ over ranks")
            print(shape, file=sys.stderr)
        rows, cols = map(int, weak.split("x"))
        for program in programs if arguments.backend == "cuda" else ():  # ranks on a host share its
                                                                         # cores
            make(rows * program.ranks, cols)
            results.append({"what": "weak", "ranks": program.ranks, "rows": rows, "cols": cols, "atax": program.atax(A)["seconds"]["min"]})
        # Eight rows per rank take little time compared with the exchange.
        for cols in EXCHANGED:
            make(8, cols)
            alone = programs[0].atax(A, 50)["seconds"]["min"]
            for program in programs[1:]:
                make(8 * program.ranks, cols)
                seconds = program.atax(A, 50)["seconds"]["min"] - alone
                results.append({"what": "exchange", "ranks": program.ranks, "cols": cols, "seconds": max(seconds, 0.0)})
    context = {"version": info["version"], "commit": info["commit"], "backend": arguments.backend, "device": device,
               "threads": None if arguments.backend == "cuda" else arguments.threads, "processor": processor()}
    return {"context": context, "results": results}


def exchange_model(results: list) -> tuple:
    """(seconds of latency for each doubling of ranks, bytes a second of a rank), of what was measured on the most ranks.

    Infinitely many bytes where more columns took no longer.
    """
    rows = [row for row in results if row["what"] == "exchange"]
    most = max(row["ranks"] for row in rows)
    seconds = {row["cols"]: row["seconds"] for row in rows if row["ranks"] == most}
    few, many = min(seconds), max(seconds)
    sent = 2 * 4 * (many - few) * (most - 1) / most
    longer = seconds[many] - seconds[few]
    return seconds[few] / math.log2(most), sent / longer if longer > 0 else math.inf


def predicted(product: float, cols: int, ranks: int, latency: float, bandwidth: float) -> float:
    """Seconds: each rank's share of the read, and the exchange."""
    return product / ranks + latency * math.log2(ranks) + 2 * 4 * cols * (ranks - 1) / ranks / bandwidth


def microseconds(seconds) -> str:
    return "–" if seconds is None else f"{seconds * 1e6:.0f}"


def tables_of(data: dict) -> list:
    results = data["results"]
    strong = [row for row in results if row["what"] == "strong"]
    alone = {(row["rows"], row["cols"]): row for row in strong if row["ranks"] == 1}
    lines = ["### One matrix, more ranks", "",
             "| matrix | ranks | exchange | atax, µs | faster | lsmr, µs | faster | svd, ms | faster | peer to atax |",
             "|---|--:|---|--:|--:|--:|--:|--:|--:|--:|"]
    for row in strong:
        one = alone[(row["rows"], row["cols"])]
        lines.append(f"| {in_words(str(row['rows']) + 'x' + str(row['cols']))} | {row['ranks']} | {row['exchange'] or '–'} | {microseconds(row['atax'])} | "
                     f"{ratio(one['atax'], row['atax'])} | {microseconds(row['lsmr'])} | {ratio(one['lsmr'], row['lsmr'])} | {row['svd'] * 1e3:.1f} | "
                     f"{ratio(one['svd'], row['svd'])} | {ratio(row['peer'], row['atax'])} |")
    weak = [row for row in results if row["what"] == "weak"]
    if weak:
        lines += ["", "### A matrix for each rank", "", "| matrix of a rank | ranks | atax, µs | of one rank's speed |", "|---|--:|--:|--:|"]
    for row in weak:
        lines.append(f"| {in_words(str(row['rows']) + 'x' + str(row['cols']))} | {row['ranks']} | {microseconds(row['atax'])} | {ratio(weak[0]['atax'], row['atax'])} |")
    exchanges = [row for row in results if row["what"] == "exchange"]
    lines += ["", "### Time of an exchange", "", "| columns | ranks | µs |", "|--:|--:|--:|"]
    lines += [f"| {row['cols']} | {row['ranks']} | {microseconds(row['seconds'] or None)} |" for row in exchanges]
    if not weak:
        return lines
    latency, bandwidth = exchange_model(results)
    lines += ["", "### Predicted", "",
              f"A doubling of ranks costs {latency * 1e6:.0f} µs; "
              + ("more columns took no longer." if math.isinf(bandwidth) else f"a rank sends {bandwidth / 1e9:.2f} GB/s."), "",
              "| matrix | " + " | ".join(f"{ranks} ranks, µs" for ranks in PREDICTED) + " | exchange is half of all at |",
              "|---|" + "--:|" * (len(PREDICTED) + 1)]
    for (rows, cols), row in alone.items():
        cells = [microseconds(predicted(row["atax"], cols, ranks, latency, bandwidth)) for ranks in PREDICTED]
        half = next((2**k for k in range(1, 31) if predicted(row["atax"], cols, 2**k, latency, bandwidth) > 2 * row["atax"] / 2**k), None)
        lines.append(f"| {in_words(f'{rows}x{cols}')} | " + " | ".join(cells) + f" | {half or '–'} ranks |")
    return lines


def page() -> str:
    lines = ["# Results: many processes", "",
             "Made by `benchmarks/distributed.py` from `distributed-*.json` in this folder: the shortest of several runs, float, row-major. "
             "Results of all numbers of ranks are bitwise identical.", "",
             f"- *lsmr*: an iteration after the first; *svd*: the {VALUES} largest singular values.",
             "- *peer*: the time of PyTorch's two products and NCCL's all-reduce, divided by Tessera's.",
             "- *exchange*: the time of a product with eight rows per rank, minus the time of one process with eight rows.",
             "- *predicted*: the time of one rank divided by the ranks, a latency for each doubling of the ranks, and 2·n·(R - 1)/R scalars "
             "per rank. No machine with 8 GPUs or more was available: those columns come from the model only.",
             "- A matrix can use at most as many ranks as it has [units](../../docs/distributed.md).", "- –: not measured, or smaller than the scatter of the runs."]
    for data in data_of("distributed"):
        context = data["context"]
        of = f", {context['threads']} threads in all" if context["threads"] else ""
        lines += ["", f"## {short_name(context['device'] if context['backend'] == 'cuda' else context['processor']['name'])}", "",
                  f"Tessera {context['version']} at commit {context['commit']}, {context['backend']}{of}, {context['device']}, {context['processor']['name']}.", "",
                  *tables_of(data)]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--run", help="tessera")
    parser.add_argument("--mpirun", default="mpirun --allow-run-as-root --oversubscribe --bind-to none")
    parser.add_argument("--backend", default="openmp", choices=STRONG)
    parser.add_argument("--machine", default="host", help="names the file")
    parser.add_argument("--ranks", default="1,2", type=lambda text: [int(word) for word in text.split(",")], help="the first is 1")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--shapes", help="of one matrix, instead of those of the backend")
    parser.add_argument("--weak", help="of a matrix for each rank, instead of that of the backend")
    parser.add_argument("--temporary", help="folder for the matrices")
    parser.add_argument("--peer", help=argparse.SUPPRESS)
    parser.add_argument("--output", type=Path, default=FOLDER, help="folder of the data; the page is made where that is benchmarks/results")
    arguments = parser.parse_args()
    if arguments.peer:
        peer(arguments.peer)
        return
    if arguments.run:
        if arguments.ranks[0] != 1:
            parser.error("--ranks: the first is 1, which others are compared with")
        shapes = arguments.shapes.split(",") if arguments.shapes else STRONG[arguments.backend]
        data = measure(arguments, shapes, arguments.weak or WEAK[arguments.backend])
        write(data, arguments.output / f"distributed-{arguments.machine}.json")
    write_page("distributed", arguments.output, page)


if __name__ == "__main__":
    main()
