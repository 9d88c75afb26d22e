# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Docstrings of public names are complete: a summary, each parameter, the result, an example."""

import importlib
import inspect
import re

import pytest

import tessera


def of_modules():
    """(full name, object) of functions, classes, and the methods and properties that they define."""
    for module in ("tessera", "tessera.linalg", "tessera.sklearn", "tessera.distributed", "tessera.torch", "tessera.jax"):
        try:
            names = importlib.import_module(module)
        except ImportError:  # without its package
            continue
        for name in [*names.__all__, *(["open"] if module == "tessera" else [])]:
            thing = getattr(names, name)
            yield f"{module}.{name}", thing
            if inspect.isclass(thing):
                for member, value in vars(thing).items():
                    if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                        yield f"{module}.{name}.{member}", value


THINGS = dict(of_modules())
COMPILED = [name for name in THINGS if name.startswith("tessera.StreamedMatrix")]
FIELDS = [name for name, thing in THINGS.items() if hasattr(thing, "_fields")]
PRIVATE = ["tessera.distributed.Matrix"]  # users do not call its constructor
METHODS_OF_ESTIMATORS = [name for name in THINGS if name.startswith("tessera.sklearn.") and name.count(".") > 2]


def sections_of(doc):
    parts = re.split(r"^([A-Z][A-Za-z ]+)\n-+$", inspect.cleandoc(doc), flags=re.MULTILINE)
    return parts[0], dict(zip(parts[1::2], parts[2::2], strict=True))


def names_in(section):
    return [name for line in re.findall(r"^\*{0,2}(\w[\w, ]*?) :", section, re.MULTILINE) for name in line.split(", ")]


def is_function(name):
    thing = THINGS[name]
    return callable(thing) and not inspect.isclass(thing)


@pytest.mark.parametrize("name", THINGS)
def test_summary(name):
    text, _ = sections_of(THINGS[name].__doc__)
    summary = text.strip().split("\n")[0]
    assert summary[0].isupper() and summary.endswith("."), summary


@pytest.mark.parametrize("name", [name for name in THINGS if name not in COMPILED + FIELDS + PRIVATE])
def test_parameters(name):
    thing = THINGS[name]
    is_exception = inspect.isclass(thing) and issubclass(thing, BaseException) and "__init__" not in vars(thing)
    if isinstance(thing, property) or is_exception:
        return
    _, sections = sections_of(thing.__doc__)
    expected = [parameter for parameter in inspect.signature(thing).parameters if parameter != "self"]
    assert names_in(sections.get("Parameters", "")) == expected


@pytest.mark.parametrize("name", FIELDS)
def test_fields(name):
    _, sections = sections_of(THINGS[name].__doc__)
    expected = {*THINGS[name]._fields, *inspect.get_annotations(THINGS[name])}
    assert sorted(names_in(sections["Attributes"])) == sorted(expected)


@pytest.mark.parametrize("name", [name for name in THINGS if is_function(name)])
def test_result(name):
    if inspect.signature(THINGS[name]).return_annotation is not None:
        assert "Returns" in sections_of(THINGS[name].__doc__)[1]


@pytest.mark.parametrize("name", [name for name in THINGS if is_function(name) and name not in METHODS_OF_ESTIMATORS])
def test_example(name):
    assert ">>> " in sections_of(THINGS[name].__doc__)[1]["Examples"]


@pytest.mark.parametrize("name", THINGS)
def test_by_numpydoc(name):
    validate = pytest.importorskip("numpydoc.validate").validate
    # Matters of taste; named tuples document attributes, not parameters.
    left_out = {"ES01", "SA01", "EX01"} | ({"PR01"} if name in FIELDS + PRIVATE else set())
    # The compiled class ends its docstring differently.
    left_out |= {"GL02"} if name in COMPILED else set()
    assert [error for error in validate(name)["errors"] if error[0] not in left_out] == []


def test_finds_what_is_missing():
    assert len(THINGS) > 60
    assert names_in(sections_of("Do it.\n\nParameters\n----------\nx, y : int\n    Two.\n")[1]["Parameters"]) == ["x", "y"]
    assert tessera.atax in THINGS.values()
