# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""The worked examples run as printed, and make the pictures that stand beside them."""

import pathlib
import re

import pytest

import tessera.linalg

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs/notebooks"
PAGES = sorted(path.stem for path in FOLDER.glob("*.md") if path.stem != "index")


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
