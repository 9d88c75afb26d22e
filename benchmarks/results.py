# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""What the scripts share: running a program, its JSON, the files of results, tables and charts."""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "results"
TYPES = ["f32", "f64"]
OPERATIONS = {"atax": "Aᵀ(A·v)", "multiply": "A·v", "multiply_transposed": "Aᵀ·b"}


def size_of(shape: str) -> tuple:
    """Rows, columns and padding of "4096x4096" or "4096x4096+3"."""
    plain, _, padding = shape.partition("+")
    rows, columns = plain.split("x")
    return int(rows), int(columns), int(padding or 0)


def matrix_bytes(shape: str, scalar: str) -> int:
    rows, columns, _ = size_of(shape)
    return rows * columns * (4 if scalar == "f32" else 8)


def ratio(a, b) -> str:
    """a over b for a table, or a dash where one of them is not known."""
    return f"{a / b:.2f}" if a and b else "–"


def short_name(machine: str) -> str:
    """A machine's name, without what a GPU has."""
    return machine.split(", sm_")[0]


def in_words(shape: str) -> str:
    return shape.replace("x", " x ").replace("+", " + ")


def extents_of(shape: str) -> dict:
    """What results say of a shape; "MxNxK" is the product of an MxK and a KxN matrix."""
    if shape.count("x") == 2:
        rows, factor_columns, columns = map(int, shape.split("x"))
        return {"rows": rows, "cols": columns, "factor_cols": factor_columns}
    rows, columns, padding = size_of(shape)
    return {"rows": rows, "cols": columns} | ({"padding": padding} if padding else {})


def rows_of(output: dict) -> list:
    """One result for every contender and matrix: medians over the turns of Google Benchmark's JSON."""
    turns: dict = {}
    for entry in output["benchmarks"]:
        if entry["run_type"] == "iteration":
            operation, name, scalar, shape = entry["name"].split("/")[:4]
            turns.setdefault((operation, name, scalar, shape), []).append(entry)
    results = []
    for (operation, name, scalar, shape), entries in turns.items():
        result = {"operation": operation, "name": name, **extents_of(shape), "type": scalar}
        errors = [entry["error_message"] for entry in entries if entry.get("error_occurred")]
        if errors:
            results.append(result | {"error": errors[0]})
            continue
        seconds = [entry["real_time"] * 1e-6 for entry in entries]
        result["seconds"] = {"min": min(seconds), "median": statistics.median(seconds), "max": max(seconds)}
        result["gb_per_s"] = statistics.median(entry["effective_GB_per_s"] for entry in entries)
        if "host_seconds" in entries[0]:
            result["host_seconds"] = statistics.median(entry["host_seconds"] for entry in entries)
            result["kernels"] = int(entries[0]["kernels"])
        results.append(result)
    return results


def write(data: dict, target: Path) -> None:
    """Writes JSON with one result a line."""
    def rounded(value):
        if isinstance(value, dict):
            return {key: rounded(part) for key, part in value.items()}
        return float(f"{value:.5g}") if isinstance(value, float) else value

    context = json.dumps(data["context"], indent=1, ensure_ascii=False)
    lines = [json.dumps(rounded(result), ensure_ascii=False) for result in data["results"]]
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text('{"context": ' + context + ',\n"results": [\n' + ",\n".join(lines) + "\n]}\n")


def require_figures(command: list, returncode: int, output: str = "") -> None:
    """Ends the program if tessera_benchmark failed. Where it refused wrong results (1) it has said so, and measured the others."""
    if returncode == 1:
        print(f"!!! {' '.join(command)}: some results are WRONG and were not timed\n{output}", file=sys.stderr)
    elif returncode != 0:
        sys.exit(f"{' '.join(command)}: failed\n{output}")


def run_json(command: list, accepted: tuple = (0, 1)) -> dict:
    """The JSON that a program prints. Exit status 1: a method did not converge."""
    run = subprocess.run(command, check=False, capture_output=True, text=True)
    if run.returncode not in accepted:
        sys.exit(f"{' '.join(command)}: failed\n{run.stderr}")
    return json.loads(run.stdout)


def parser_of(doc: str) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)


def run_or_report(doc: str, run, report, page: str, options) -> None:
    """A script with the commands `run`, to which options() adds its options, and `report`; both name the JSON file."""
    parser = parser_of(doc)
    commands = parser.add_subparsers(required=True)
    measure = commands.add_parser("run", help="measure")
    options(measure)
    show = commands.add_parser("report", help=page)
    show.add_argument("json")
    for command, function in ((measure, run), (show, report)):
        command.set_defaults(function=function)
    arguments = parser.parse_args()
    arguments.function(arguments)


def run_before_page(doc: str, run, page, file: Path, options=lambda parser: None) -> None:
    """A script that measures if it is called with the word `run`, and writes the page next to `file` in any case."""
    parser = parser_of(doc)
    parser.add_argument("what", nargs="?", choices=["run"])
    options(parser)
    arguments = parser.parse_args()
    if arguments.what == "run":
        run(arguments)
    file.with_suffix(".md").write_text(page())


def data_of(name: str):
    """The data of every machine."""
    for path in sorted(FOLDER.glob(f"{name}-*.json")):
        yield json.loads(path.read_text())


def write_page(name: str, folder: Path, page) -> None:
    """Makes the page of all machines, unless data went elsewhere."""
    if folder.resolve() == FOLDER and any(FOLDER.glob(f"{name}-*.json")):
        (FOLDER / f"{name}.md").write_text(page())


class Figures:
    """Results by what they are of."""

    def __init__(self, data: dict):
        self.context = data["context"]
        self.results = {}
        for result in data["results"]:
            if "factor_cols" in result:
                continue  # with two matrices
            shape = f"{result['rows']}x{result['cols']}" + (f"+{result['padding']}" if "padding" in result else "")
            self.results[result["operation"], result["name"], result["type"], shape] = result

    def get(self, operation: str, name: str, scalar: str, shape: str):
        """The result, or None where there is none or it is an error."""
        result = self.results.get((operation, name, scalar, shape))
        return result if result is not None and "error" not in result else None

    def gb_per_s(self, operation: str, name: str, scalar: str, shape: str):
        result = self.get(operation, name, scalar, shape)
        return result and result["gb_per_s"]

    def seconds(self, operation: str, name: str, scalar: str, shape: str):
        result = self.get(operation, name, scalar, shape)
        return result and result["seconds"]["median"]

    def stream(self, scalar: str, shape: str):
        """The fastest way to read the matrix once."""
        found = [result for (operation, _, *matrix), result in self.results.items()
                 if operation == "read" and matrix == [scalar, shape] and "error" not in result]
        return min(found, key=lambda result: result["seconds"]["median"], default=None)

    def shapes(self, scalar: str) -> list:
        """The shapes that were measured, in the order of measurement."""
        return list(dict.fromkeys(shape for (_, _, its_scalar, shape) in self.results if its_scalar == scalar))

    def errors(self) -> list:
        return [(key, result["error"]) for key, result in self.results.items() if "error" in result]


def start_pyplot():
    """matplotlib.pyplot for SVG that is the same each time, or None, said loudly."""
    try:
        import matplotlib
    except ImportError:
        print("!!! no matplotlib: the chart was NOT drawn", file=sys.stderr)
        return None
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "tessera"
    from matplotlib import pyplot
    return pyplot


def save(figure, target: Path) -> None:
    figure.tight_layout()
    figure.savefig(target, metadata={"Date": None})
