# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""The pages that accuracy.py writes."""

import json
import re
import sys
from pathlib import Path

from results import FOLDER

PROJECT = Path(__file__).resolve().parent.parent
DATA = FOLDER / "accuracy.json"
MARKS = {"f64": 1e-6, "f32": 1e-3}
SEPARATED = "separable classes or counts: no minimum, and PerfectSeparationWarning"
WORST = "| Model | Data sets | Worst, double | Worst, float | Without a minimum |"
COLUMNS = {"coefficients": "coefficients", "predictions": "predictions", "statistics": "statistics", "variance": "variances",
           "values": "singular values"}


def figure(value) -> str:
    return "–" if value is None else "0" if value == 0 else f"{value:.0e}"


def worst(rows: list) -> list:
    lines = [WORST, "|---|--:|--:|--:|--:|"]
    for model in dict.fromkeys(row["model"] for row in rows):
        its = [row for row in rows if row["model"] == model]
        cells = [len({row["data"] for row in its})]
        for scalar in MARKS:
            cells.append(figure(max(row[key] for row in its if row["type"] == scalar for key in COLUMNS if key in row)))
        cells.append(len({row["data"] for row in its if row.get("reason") == SEPARATED}) or "–")
        lines.append(f"| `{model}` | " + " | ".join(map(str, cells)) + " |")
    return [*lines, ""]


def details(rows: list) -> list:
    """A table for each model: the worse of raw and standardised columns."""
    lines = []
    for model in dict.fromkeys(row["model"] for row in rows):
        its = [row for row in rows if row["model"] == model]
        keys = [key for key in COLUMNS if any(key in row for row in its)]
        heads = [f"{COLUMNS[key]}, {scalar}" for scalar in MARKS for key in keys]
        lines += [f"### {model}", "", "| Data set | " + " | ".join(heads) + " | passes | Reason |", "|---|" + "--:|" * (len(heads) + 1) + "---|"]
        for data in dict.fromkeys(row["data"] for row in its):
            here = [row for row in its if row["data"] == data]
            cells = [figure(max((row[key] for row in here if row["type"] == scalar and key in row), default=None))
                     for scalar in MARKS for key in keys]
            reads = {row["reads"] for row in here if "reads" in row}
            cells.append("–" if not reads else str(min(reads)) if len(reads) == 1 else f"{min(reads)} to {max(reads)}")
            reasons = "; ".join(sorted({row["reason"] for row in here if row.get("reason")}))
            lines.append(f"| {data} | " + " | ".join(cells) + f" | {reasons} |")
        lines.append("")
    return lines


def page(data: dict) -> str:
    rows = {table: [row for row in data["results"] if row["table"] == table] for table in ("data", "nist", "families", "reads")}
    versions = ", ".join(f"{name} {version}" for name, version in data["context"]["versions"].items())
    digits = ("lstsq", "LinearRegression", "numpy", "numpy, rcond=0", "sklearn")
    lines = [
        "# Results: accuracy", "",
        f"Made by `benchmarks/accuracy.py` from [accuracy.json](accuracy.json). Tessera at commit {data['context']['commit']}, {versions}.", "",
        "## Data sets", "",
        "The data sets of scikit-learn and statsmodels, with raw and with standardised columns. Accepted are differences of at most 1e-6 (double) and 1e-3 (float). "
        "References have higher precision: Householder reflections and Newton's method in extended precision, LAPACK's SVD in double. "
        "Both sides get the same rounded numbers.", "",
        "- *coefficients*: the largest difference relative to the largest coefficient, each times the deviation of its column (`lstsq`, `ridge`: times its norm)",
        "- *predictions*: the largest difference relative to the largest prediction; for decompositions that of A by k components",
        "- *statistics*: the largest relative difference of standard errors, deviance and AIC to statsmodels",
        "- *variances*, *singular values*: the largest difference relative to the largest value. A backward stable method can promise no more for small values", "",
        *worst(rows["data"]),
        "## NIST's certified regressions", "",
        "Right digits of the worst coefficient, in double. Powers of x are rounded, so 15 digits are not always possible.", "",
        "| Data set | `lstsq` | `LinearRegression` | NumPy | NumPy, `rcond=0` | scikit-learn | Reason |", "|---|" + "--:|" * 5 + "---|",
        *(f"| {row['data']} | " + " | ".join(f"{row[key]:.1f}" for key in digits) + f" | {row.get('reason', '')} |" for row in rows["nist"]), "",
        "## Families of hard matrices", "",
        "Errors in units of their bounds: 1 is the bound. svd, pca: (10 + 2·√max(m, n))·ε·s₁ for values and residuals, without s₁ for orthogonality. "
        "lstsq: the residual exceeds that of LAPACK by at most 20·ε·(‖A‖·‖x‖ + ‖b‖). ridge, λ = 0.01: 50·ε times the condition number of least squares.", "",
        "| Family | Type | svd | pca | lstsq | ridge |", "|---|---|--:|--:|--:|--:|",
        *(f"| {row['data']} | {row['type']} | " + " | ".join(f"{row[key]:.1g}" if key in row else "–" for key in ("svd", "pca", "lstsq", "ridge")) + " |"
          for row in rows["families"]), "",
        "## Passes over A", "", "| Problem | Type | Passes | Accepted | Reason |", "|---|---|--:|--:|---|",
        *(f"| {row['data']} | {row['type']} | {row['reads']} | {row['mark']} | {row.get('reason', '')} |" for row in rows["reads"]), "",
        "## Each data set", "", *details(rows["data"]),
    ]
    return "\n".join(lines).rstrip() + "\n"


def pages() -> dict:
    """Each page, and its text as it is to be."""
    data = json.loads(DATA.read_text())
    summary = PROJECT / "docs" / "accuracy.md"
    table = "\n".join(worst([row for row in data["results"] if row["table"] == "data"]))
    text, count = re.subn(re.escape(WORST) + r"\n(\|.*\n)+", lambda _: table, summary.read_text())
    if count != 1:
        sys.exit(f"{summary} has {count} tables that begin with {WORST}")
    return {FOLDER / "accuracy.md": page(data), summary: text}
