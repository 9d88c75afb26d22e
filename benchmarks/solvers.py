#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Solvers beside fused atax, SciPy's and CuPy's lsmr and svds, and scikit-learn's logistic regression.

    benchmarks/solvers.py --run build/openmp/bin/tessera --machine host
    benchmarks/solvers.py --run build/cuda-hopper/bin/tessera --backend cuda --machine h100
    benchmarks/solvers.py                      the page again, of what was measured before

Data go to benchmarks/results/solvers-MACHINE.json, and benchmarks/results/solvers.md is made of all of them. In a Debian root, put
`./dev shell --` before it: that root has NumPy, SciPy and scikit-learn. CuPy is measured where it is.
"""

import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from host import processor
from results import FOLDER, data_of, in_words, parser_of, ratio, run_json, short_name, write, write_page

SHAPES = {"cuda": ("16384x4096", "16384x16384", "1048576x1024"), "openmp": ("16384x8192", "262144x1024")}
TABLES = ("500000x200",)  # for logistic regression
PRODUCTS = 30
STEPS = (30, 230)  # iterations of lsmr; their difference is timed
VALUES = 10


def report_of(program: str, *arguments: str) -> dict:
    return run_json([*shlex.split(program), *arguments, "--format", "json"])


def generate(program: str, path: Path, rows: int, cols: int, seed: int = 0) -> None:
    subprocess.run([*shlex.split(program), "gen", "--rows", str(rows), "--cols", str(cols), "--distribution", "normal",
                    "--seed", str(seed), "--output", str(path)], check=True)


def least(turns: int, call) -> float:
    """Seconds of the fastest of some calls."""
    seconds = []
    for _ in range(turns):
        begin = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


def step_of(seconds) -> float:
    """Seconds of a step, of those that runs of STEPS take."""
    few, many = seconds
    return (many - few) / (STEPS[1] - STEPS[0])


def peer_of(name: str, linalg, finish, A, scaled, b, turns: int) -> dict:
    """Seconds of a step of lsmr and of all of svds; finish() waits for what has been begun."""
    def lsmr(steps: int) -> None:
        if int(linalg.lsmr(scaled, b, maxiter=steps, atol=0, btol=0, conlim=0)[2]) != steps:
            sys.exit(f"lsmr of {name} ended before {steps} steps")
        finish()

    def svds() -> None:
        linalg.svds(A, k=VALUES)
        finish()

    return {"peer": name, "lsmr": step_of([least(turns, lambda steps=steps: lsmr(steps)) for steps in STEPS]),
            "svd": least(turns, svds)}


def peers_of(backend: str, A, scaled, b, turns: int) -> dict:
    """What the backend's users have beside: on the host or on a GPU."""
    if backend != "cuda":
        from scipy.sparse import linalg
        return peer_of("SciPy", linalg, lambda: None, A, scaled, b, turns)
    try:
        import cupy
        from cupyx.scipy.sparse import linalg
    except ImportError:
        print("!!! no CuPy: it was NOT measured", file=sys.stderr)
        return {}
    return peer_of("CuPy", linalg, cupy.cuda.Device().synchronize, *map(cupy.asarray, (A, scaled, b)), turns)


def matrix_row(program: str, backend: str, folder: Path, shape: str, turns: int) -> dict:
    import numpy

    rows, cols = map(int, shape.split("x"))
    A, scaled, b = (folder / f"{name}.npy" for name in ("a", "scaled", "b"))
    generate(program, A, rows, cols)
    generate(program, b, rows, 1, 1)
    matrix = numpy.load(A)
    # So that lsmr needs more iterations than are measured.
    scaled_matrix = matrix * numpy.logspace(0, -4, cols, dtype=matrix.dtype)
    numpy.save(scaled, scaled_matrix)
    on = ("--backend", backend)

    def lsmr(steps: int) -> float:
        report = report_of(program, "lstsq", str(scaled), str(b), *on, "--atol", "0", "--btol", "0", "--conlim", "0", "--maxiter", str(steps))
        if report["iterations"] != steps:
            sys.exit(f"lsmr ended before {steps} steps: {report['stop']}")
        return report["seconds"]

    # Runs alternate in several processes: placement of pages affects speed, and the machine's speed
    # drifts.
    runs = [(report_of(program, "atax", str(A), *on, "--method", "fused", "--repeat", str(PRODUCTS)), *map(lsmr, STEPS))
            for _ in range(turns)]
    products, *steps = zip(*runs, strict=True)
    atax = min(products, key=lambda run: run["seconds"]["median"])
    svd = {method: [report_of(program, "svd", str(A), *on, "-k", str(VALUES), "--method", method) for _ in range(turns)]
           for method in ("lanczos", "randomized")}
    ours = {"atax": atax["seconds"]["median"],
            "lsmr": step_of(map(min, steps)),
            "svd": min(run["seconds"] for run in svd["lanczos"]),
            "svd_reads": svd["lanczos"][0]["reads"],
            "randomized": min(run["seconds"] for run in svd["randomized"])}
    theirs = peers_of(backend, matrix, scaled_matrix, numpy.load(b).ravel(), turns)
    return {"what": "matrix", "device": atax["device"], "rows": rows, "cols": cols, "type": "f32", "ours": ours, "theirs": theirs}


def table_row(program: str, backend: str, folder: Path, shape: str, turns: int) -> dict:
    """A logistic regression: ours goes on until its gradient is as small as scikit-learn's was."""
    import numpy
    from sklearn.linear_model import LogisticRegression

    rows, cols = map(int, shape.split("x"))
    A, labels = folder / "a.npy", folder / "labels.npy"
    generate(program, A, rows, cols)
    X = numpy.load(A)
    random = numpy.random.default_rng(1)
    y = (X @ random.standard_normal(cols).astype(X.dtype) + random.standard_normal(rows) > 0).astype(numpy.uint8)
    numpy.save(labels, y)
    seconds = least(turns, lambda: LogisticRegression(C=1.0).fit(X, y))
    fit = LogisticRegression(C=1.0).fit(X, y)

    def scaled_gradient(x, intercept):
        eta = X.astype(float) @ x + intercept
        off = 1 / (1 + numpy.exp(-eta)) - y
        deviance = 2 * (numpy.logaddexp(0, eta) - y * eta).sum()
        norms = numpy.sqrt(rows) * X.std(0, dtype=float)
        by_column = numpy.abs(X.T @ off + x) / norms
        return max(by_column.max(), abs(off.sum()) / numpy.sqrt(rows)) / numpy.sqrt(deviance)

    reached = scaled_gradient(fit.coef_[0].astype(float), fit.intercept_[0])
    ours = {}
    for solver in ("lbfgs", "newton-cg"):
        runs = [report_of(program, "fit", "logistic", str(A), str(labels), "--backend", backend, "--penalty", "1",
                          "--solver", solver, "--tol", repr(float(reached))) for _ in range(turns)]
        ours[solver] = {"seconds": min(run["seconds"] for run in runs), "reads": runs[0]["reads"], "converged": runs[0]["converged"]}
    return {"what": "table", "rows": rows, "cols": cols, "type": "f32", "gradient": float(reached), "ours": ours,
            "theirs": {"peer": "scikit-learn", "seconds": seconds, "iterations": int(fit.n_iter_[0])}}


def measure(program: str, backend: str, shapes, tables, turns: int) -> dict:
    info = report_of(program, "info")
    results = []
    with tempfile.TemporaryDirectory() as name:
        for shape in shapes:
            results.append(matrix_row(program, backend, Path(name), shape, turns))
            print(shape, file=sys.stderr)
        for shape in tables:
            results.append(table_row(program, backend, Path(name), shape, turns))
            print(shape, file=sys.stderr)
    context = {"version": info["version"], "commit": info["commit"], "backend": backend, "processor": processor()}
    return {"context": context, "results": results}


def milliseconds(seconds) -> str:
    return f"{seconds * 1e3:.2f}" if seconds else "–"


def page() -> str:
    lines = ["# Results: solvers", "",
             "Made by `benchmarks/solvers.py` from `solvers-*.json` in this folder: the shortest of several runs, float, the matrix in memory.", "",
             "- *lsmr*: an iteration, without the first ones of a run; *to atax*: divided by the time of one fused product Aᵀ·(A·v).",
             f"- *svd*: the {VALUES} largest singular values to the precision of float.",
             "- *peer to …*: the peer's time divided by Tessera's.",
             "- *logistic*: until the gradient is as small as scikit-learn's.",
             "- –: not measured."]
    for data in data_of("solvers"):
        context = data["context"]
        on = context["processor"]["name"]
        if context["backend"] == "cuda":
            on = f"{data['results'][0]['device']} with {on}"
        else:
            on += data["results"][0]["device"].removeprefix(on.split(",")[0])  # adds the threads
        lines += ["", f"## {short_name(on)}", "",
                  f"Tessera {context['version']} at commit {context['commit']}, {context['backend']}, {on}.", "",
                  "| matrix | atax, ms | lsmr, ms | to atax | peer to lsmr | svd, ms | reads | peer to svd | randomized, ms | peer |",
                  "|---|--:|--:|--:|--:|--:|--:|--:|--:|---|"]
        for row in (row for row in data["results"] if row["what"] == "matrix"):
            ours, theirs = row["ours"], row["theirs"]
            lines.append(f"| {in_words(str(row['rows']) + 'x' + str(row['cols']))} | {ours['atax'] * 1e3:.2f} | {milliseconds(ours.get('lsmr'))} | "
                         f"{ratio(ours.get('lsmr'), ours['atax'])} | {ratio(theirs.get('lsmr'), ours.get('lsmr'))} | {ours['svd'] * 1e3:.0f} | "
                         f"{ours['svd_reads']} | {ratio(theirs.get('svd'), ours['svd'])} | {ours['randomized'] * 1e3:.0f} | "
                         f"{theirs.get('peer', '–')} |")
        lines += ["", "| logistic | L-BFGS, ms | reads | peer to L-BFGS | Newton, ms | reads | peer to Newton | gradient relative to start | peer |",
                  "|---|--:|--:|--:|--:|--:|--:|--:|---|"]
        for row in (row for row in data["results"] if row["what"] == "table"):
            lbfgs, newton, theirs = row["ours"]["lbfgs"], row["ours"]["newton-cg"], row["theirs"]
            lines.append(f"| {in_words(str(row['rows']) + 'x' + str(row['cols']))} | {lbfgs['seconds'] * 1e3:.1f} | {lbfgs['reads']} | "
                         f"{ratio(theirs['seconds'], lbfgs['seconds'])} | {newton['seconds'] * 1e3:.1f} | {newton['reads']} | "
                         f"{ratio(theirs['seconds'], newton['seconds'])} | {row['gradient']:.1e} | {theirs['peer']} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--run", help="tessera, and what starts it")
    parser.add_argument("--backend", default="openmp", choices=SHAPES)
    parser.add_argument("--machine", default="host", help="names the file")
    parser.add_argument("--shapes", help="of matrices, instead of those of the backend")
    parser.add_argument("--tables", default=",".join(TABLES), help="of logistic regressions")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--output", type=Path, default=FOLDER, help="folder of the data; the page is made where that is benchmarks/results")
    arguments = parser.parse_args()
    if arguments.run:
        shapes = arguments.shapes.split(",") if arguments.shapes else SHAPES[arguments.backend]
        data = measure(arguments.run, arguments.backend, shapes, arguments.tables.split(","), arguments.turns)
        write(data, arguments.output / f"solvers-{arguments.machine}.json")
    write_page("solvers", arguments.output, page)


if __name__ == "__main__":
    main()
