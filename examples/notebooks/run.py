#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""run.py [--write] [NOTEBOOK…]: runs the notebooks of this folder, and compares their outputs with those stored.

Each notebook runs in an empty folder, which is deleted afterwards. Numbers may differ by rounding, text may not.
--write stores the new outputs. Exit status 77: packages are missing, which are named.
"""

import importlib.util
import math
import pathlib
import re
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
RUNNERS = ("nbformat", "nbclient", "ipykernel")
TOLERANCE = 2e-4  # the last printed digit may differ between processors

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def missing_for(path):
    """Packages that the notebook imports, or a run needs, and Python does not have."""
    source = path.read_text(encoding="utf-8")
    names = set(re.findall(r'"(?:import|from) (\w+)', source)) | set(RUNNERS)
    if "from dask.distributed" in source:
        names.add("distributed")
    return sorted(name for name in names if importlib.util.find_spec(name) is None)


def outputs_of(notebook):
    """The text of each cell that shows something. Warnings and pictures are errors: they may have paths in them."""
    texts = []
    for k, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        text = ""
        for output in cell.outputs:
            if output.output_type != "stream" or output.name != "stdout":
                raise ValueError(f"cell {k}: expected text on standard output, found {output}")
            text += output.text
        if re.search(r"/(?:home|root|tmp|usr|work)/", text):
            raise ValueError(f"cell {k}: expected no path of a machine, found {text}")
        texts.append(text)
    return texts


def difference(expected, found):
    """Where two lists of texts differ by more than rounding; empty if nowhere."""
    if len(expected) != len(found):
        return f"expected {len(expected)} cells, found {len(found)}"
    for k, (before, now) in enumerate(zip(expected, found)):
        if _NUMBER.sub("#", before).split() != _NUMBER.sub("#", now).split():
            return f"code cell {k}: expected {before!r}, found {now!r}"
        for a, b in zip(map(float, _NUMBER.findall(before)), map(float, _NUMBER.findall(now))):
            if not math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE / 10):
                return f"code cell {k}: expected {a:g}, found {b:g}"
    return ""


def execute(path):
    """The notebook with new outputs."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, 4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": folder}}, record_timing=False
        )
        client.execute()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            _join_streams(cell)
    notebook.metadata.language_info = {"name": "python"}  # no version
    return notebook


def _join_streams(cell):
    """Text that came in several messages as one output: how it is divided is a matter of time."""
    joined = []
    for output in cell.outputs:
        if joined and output.output_type == "stream" and joined[-1].get("name") == output.name:
            joined[-1].text += output.text
        else:
            joined.append(output)
    cell.outputs = joined


def main(arguments):
    write = "--write" in arguments
    paths = [pathlib.Path(name) for name in arguments if name != "--write"] or NOTEBOOKS
    status = 0
    for path in paths:
        if missing := missing_for(path):
            print(f"{path.name}: NOT RUN: Python has no {', '.join(missing)}")
            status = status or 77
            continue
        import nbformat

        expected = nbformat.read(path, 4)
        made = execute(path)
        found = outputs_of(made)
        if write:
            nbformat.write(made, path)
        elif reason := difference(outputs_of(expected), found):
            print(f"{path.name}: {reason}")
            status = 1
            continue
        print(f"{path.name}: {'written' if write else 'as stored'}")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
