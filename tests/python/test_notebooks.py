# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""The worked examples run as printed, and make the pictures next to them; notebooks give the stored outputs."""

import importlib.util
import pathlib
import re

import pytest

import tessera.linalg

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs/notebooks"
PAGES = sorted(path.stem for path in FOLDER.glob("*.md") if path.stem != "index")
NOTEBOOKS = FOLDER.parents[1] / "examples/notebooks"
_spec = importlib.util.spec_from_file_location("run_notebooks", NOTEBOOKS / "run.py")
runner = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(runner)


@pytest.mark.parametrize("page", PAGES)
def test_page(page, tmp_path, monkeypatch):
    text = (FOLDER / f"{page}.md").read_text(encoding="utf-8")
    if "sklearn" in text:
        pytest.importorskip("sklearn")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(FOLDER)
    monkeypatch.delenv("TESSERA_ROWS", raising=False)
    names = {}
    for block in re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        exec(block, names)
    assert f"]({page}.svg)" in text
    drawn = (tmp_path / f"{page}.svg").read_text(encoding="utf-8")
    assert drawn == (FOLDER / f"{page}.svg").read_text(encoding="utf-8")


def test_the_index_has_every_page():
    text = (FOLDER / "index.md").read_text(encoding="utf-8")
    assert len(PAGES) == 3
    for page in PAGES:
        assert f"]({page}.md)" in text


@pytest.mark.parametrize("path", runner.NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path):
    if missing := runner.missing_for(path):
        pytest.skip(f"NOT RUN: the packages {', '.join(missing)} are not installed")
    import nbformat

    stored = nbformat.read(path, 4)
    assert any(runner.outputs_of(stored))
    assert runner.difference(runner.outputs_of(stored), runner.outputs_of(runner.execute(path))) == ""


def test_the_index_has_every_notebook():
    text = (FOLDER / "index.md").read_text(encoding="utf-8")
    assert len(runner.NOTEBOOKS) == 7
    for path in runner.NOTEBOOKS:
        assert f"`examples/notebooks/{path.name}`" in text


@pytest.mark.parametrize(
    ("before", "now", "sentence"),
    [
        ("norm 1.2345", "norm 1.2346", ""),
        ("norm 1.2345", "norm 1.3345", "code cell 0: expected 1.2345, found 1.3345"),
        ("equal True", "equal False", "code cell 0: expected 'equal True', found 'equal False'"),
        ("1 2", "1 2 3", "code cell 0: expected '1 2', found '1 2 3'"),
    ],
)
def test_notebook_output_differences_are_detected(before, now, sentence):
    assert runner.difference([before], [now]) == sentence
    assert runner.difference([before], [before, now]) == "expected 1 cells, found 2"
