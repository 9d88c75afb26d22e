#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Measures principal components of genotypes against PLINK 2, and writes what benchmarks/results shows.

    benchmarks/genotypes.py run PROGRAM [--sizes 20000x10000 --turns 3]
    benchmarks/genotypes.py          (the page alone)

PROGRAM is the command line program. It needs NumPy, and plink2 on the path. The samples are of four groups, so three
components mean something: their angles are to those of NumPy's singular value decomposition in double, for the scaling of
each program. The programs take turns.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from host import processor
from results import in_words, run_before_page, size_of, write

FILE = Path(__file__).parent / "results" / "genotypes.json"
GROUPS, COUNT = 4, 10
SMALL = "2000x5000"  # for the angles


def make(path: Path, shape: str):
    """Writes genotypes, of which 1 in 500 is missing, and returns the numbers of A1 alleles with NaN."""
    import numpy

    samples, variants, _ = size_of(shape)
    random = numpy.random.default_rng(0)
    group = random.integers(0, GROUPS, samples)
    codes = numpy.array([0b11, 0b10, 0b00, 0b01], numpy.uint8)
    kept = []
    with path.open("wb") as file:
        file.write(bytes([0x6C, 0x1B, 1]))
        for _ in range(variants):
            frequency = random.uniform(0.05, 0.95) + random.normal(0, 0.05, GROUPS)
            alleles = random.binomial(2, frequency.clip(0.01, 0.99)[group]).astype(numpy.uint8)
            alleles[random.random(samples) < 1 / 500] = 3
            packed = numpy.zeros(-(-samples // 4) * 4, numpy.uint8)
            packed[:samples] = codes[alleles]
            file.write((packed.reshape(-1, 4) << numpy.array([0, 2, 4, 6], numpy.uint8)).sum(axis=1, dtype=numpy.uint8).tobytes())
            if shape == SMALL:
                kept.append(numpy.where(alleles == 3, numpy.nan, alleles))
    path.with_suffix(".fam").write_text("".join(f"f{i} s{i} 0 0 0 -9\n" for i in range(samples)))
    path.with_suffix(".bim").write_text("".join(f"1 v{i} 0 {i + 1} A C\n" for i in range(variants)))
    return numpy.array(kept).T


def commands_of(program: str, path: Path, threads: int) -> dict:
    """The first two write scores.npy and rough.npy, the third a.eigenvec."""
    shared = ["--threads", str(threads)]
    pca = [program, "pca", path.name, "-k", str(COUNT), "--scale", *shared, "--scores"]
    return {"tessera pca --scale": [*pca, "scores.npy"],
            "tessera pca --scale --tol 1e-3": [*pca, "rough.npy", "--tol", "1e-3"],
            "plink2 --pca approx": ["plink2", "--bfile", path.stem, *shared, "--out", path.stem, "--pca", "approx", str(COUNT)]}


def seconds_of(commands: dict, folder: Path, turns: int) -> dict:
    seconds = {name: [] for name in commands}
    for _ in range(turns):
        for name, command in commands.items():
            start = time.perf_counter()
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"{' '.join(command)}: {done.stdout}{done.stderr}")
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(of) for name, of in seconds.items()}


def angle(a, b) -> float:
    """The sine of the largest angle between the columns of a and of b."""
    import numpy

    (p, _), (q, _) = numpy.linalg.qr(a), numpy.linalg.qr(b)
    return float(numpy.linalg.norm(q - p @ (p.T @ q), 2))


def angles_of(folder: Path, genotypes) -> list:
    """In the order of the commands."""
    import numpy

    mean = numpy.nanmean(genotypes, axis=0)
    centred = numpy.where(numpy.isnan(genotypes), 0, genotypes - mean)
    meaningful = GROUPS - 1
    true = [numpy.linalg.svd(centred / scale, full_matrices=False)[0][:, :meaningful]
            for scale in (centred.std(axis=0), numpy.sqrt(mean * (1 - mean / 2)))]
    vectors = numpy.loadtxt(folder / "a.eigenvec", skiprows=1, usecols=range(2, 2 + meaningful))
    found = [(numpy.load(folder / name)[:, :meaningful], true[0]) for name in ("scores.npy", "rough.npy")] + [(vectors, true[1])]
    return [angle(*pair) for pair in found]


def run(arguments: argparse.Namespace) -> None:
    about = processor()
    version = subprocess.run([arguments.program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    plink = subprocess.run(["plink2", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    results = []
    for shape in [SMALL, *arguments.sizes]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.bed"
            genotypes = make(path, shape)
            seconds = seconds_of(commands_of(arguments.program, path, arguments.threads), Path(folder), arguments.turns)
            angles = angles_of(Path(folder), genotypes) if shape == SMALL else [None] * len(seconds)
            results += [{"shape": shape, "command": name, "seconds": seconds[name], "angle": sine} for name, sine in zip(seconds, angles)]
    context = {"script": "benchmarks/genotypes.py", "device": about["name"], "threads": arguments.threads, "turns": arguments.turns,
               "tessera": version, "plink2": plink, "date": time.strftime("%Y-%m-%d", time.gmtime())}
    write({"context": context, "results": results}, FILE)


def page() -> str:
    data = json.loads(FILE.read_text())
    context = data["context"]
    lines = ["# Results: principal components of genotypes", "", f"Made by `benchmarks/genotypes.py` from [{FILE.name}]({FILE.name}).", "",
             f"Elapsed time of each command for {COUNT} components of a `.bed` file, and the sine of the largest angle between its first "
             f"{GROUPS - 1} components and those of NumPy in double. The data have {GROUPS} groups: the other components are noise, with "
             "nearly equal values.", "",
             f"- Processor: {context['device']}; {context['threads']} threads", f"- Programs: {context['tessera']}; {context['plink2']}",
             f"- Date: {context['date']}", f"- Medians of {context['turns']} turns", "", "| Samples x variants | Command | s | Angle |", "|---|---|--:|--:|"]
    for row in data["results"]:
        sine = "" if row["angle"] is None else f"{row['angle']:.1e}"
        lines.append(f"| {in_words(row['shape'])} | `{row['command']}` | {row['seconds']:.1f} | {sine} |")
    return "\n".join(lines) + "\n"


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("program", nargs="?", default="tessera")
    parser.add_argument("--sizes", nargs="+", default=["20000x10000"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--turns", type=int, default=3)


if __name__ == "__main__":
    run_before_page(__doc__, run, page, FILE, options)
