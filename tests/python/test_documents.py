# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""The Python that README.md and the guide show runs as printed, links lead to files, and the glossary names its headers."""

import pathlib
import re

import numpy as np
import pytest

import tessera

SOURCES = pathlib.Path(__file__).resolve().parents[2]


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```$", (SOURCES / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(("page", "count"), [("README.md", 1), ("docs/guide/python.md", 7)])
def test_pages(page, count, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    found = blocks(page)
    assert len(found) == count
    for block in found:
        for package in ("scipy", "sklearn"):
            if package in block:
                pytest.importorskip(package)
        exec(block, names)
    assert names["C"].tolist() == [1.5e7] * 300
    assert capsys.readouterr().out == f"{names['C'][0]!s} {tessera.digest(names['C'])}\n"
    assert names.get("status", 0) == 0


def test_genotypes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    (block,) = blocks("docs/guide/files.md")
    exec(block, names)
    # The groups are far from each other compared with their spread.
    first, second = (names["scores"][names["group"] == each] for each in (0, 1))
    assert abs(first.mean() - second.mean()) > 2 * (first.std() + second.std())


def test_column_statistics():
    names = {}
    for block in blocks("docs/guide/column-statistics.md"):
        exec(block, names)
    assert abs(names["standard"].std(0, ddof=1) - 1).max() < 1e-9
    assert (names["known"].max == 254).all()
    assert np.isfinite(names["found"].components).all() and np.isfinite(names["x"]).all()


def test_the_readme_begins_as_the_guide():
    assert blocks("README.md")[0] == blocks("docs/guide/python.md")[0]


def test_the_reference_has_every_name():
    page = (SOURCES / "docs/reference/python.md").read_text(encoding="utf-8")
    for name in [*tessera.__all__, *tessera.linalg.__all__]:
        assert f"`{name}" in page
    for name in ("tessera.torch.atax", "tessera.jax.atax"):
        assert f"`{name}(" in page


PAGES = sorted(
    page.relative_to(SOURCES).as_posix()
    for folder in (".", "docs", "docs/*", "benchmarks/results", "paper", "tests", "tests/data")
    for page in SOURCES.glob(f"{folder}/*.md")
)


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files(page):
    text = re.sub(r"```.*?```|`[^`\n]*`", "", (SOURCES / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    links = re.findall(r"\]\(<?([^)>#\s]+)", text)
    assert [link for link in links if ":" not in link and not (SOURCES / page).parent.joinpath(link).is_file()] == []


def test_each_term_of_the_glossary_is_defined_in_the_header_that_it_names():
    page = (SOURCES / "docs/architecture/glossary.md").read_text(encoding="utf-8")
    terms = re.findall(r"^(.+)\n: (.+)$", page, re.MULTILINE)
    assert 0 < len(terms) <= 25
    assert [term for term, _ in terms] == sorted(term for term, _ in terms)
    for term, text in terms:
        name, header = re.search(r"\(`(\w+)` in `([\w/]+\.hpp)`\)\.$", text).groups()
        defined = rf"(?:(?:struct|class|concept)(?: alignas\(.+\))?|enum class|inline constexpr \w+|\] \w+) {name}\b(?!;)"
        assert re.search(defined, (SOURCES / header).read_text(encoding="utf-8")), f"{term}: {header} does not define {name}"
