# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Errors of the compiled part, as one sentence about an argument of the caller."""

import functools
import inspect
import numbers
import os
import re
import types
import typing
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy

_P = ParamSpec("_P")
_R = TypeVar("_R")

# By annotation: the class of its values, and the words for them.
_KINDS: dict[Any, tuple[Any, str]] = {
    float: (numbers.Real, "a number"),
    int: (numbers.Integral, "a whole number"),
    bool: ((bool, numpy.bool_), "True or False"),
    str: (str, "a text"),
    tuple[int, int]: ((), "a pair of whole numbers"),
    os.PathLike[str]: ((bytes, os.PathLike), "a path"),
}


def found(value: Any) -> str:
    """A value in an error: arrays by their shape, and texts cut off."""
    if len(getattr(value, "shape", ())) > 0:
        return f"{type(value).__name__} of shape {tuple(value.shape)}"
    text = repr(value).partition("\n")[0]
    return text if len(text) <= 60 else f"{text[:60]}…"


def _is_pair(value: Any) -> bool:
    return isinstance(value, (tuple, list)) and len(value) == 2 and all(isinstance(x, numbers.Integral) for x in value)


def _expected(parameter: inspect.Parameter, value: Any) -> str | None:
    """What a value should be; None if it is of a kind of its parameter."""
    if parameter.annotation is Any:
        return "an array" if value is None and parameter.default is parameter.empty else None
    is_union = isinstance(parameter.annotation, types.UnionType)
    kinds = typing.get_args(parameter.annotation) if is_union else (parameter.annotation,)
    known = [_KINDS[kind] for kind in kinds if kind in _KINDS]
    if not known or (value is None and type(None) in kinds) or (tuple[int, int] in kinds and _is_pair(value)):
        return None
    return None if any(isinstance(value, classes) for classes, _ in known) else " or ".join(words for _, words in known)


def renamed(error: ValueError, where: str) -> ValueError:
    """The error with the name that users know in place of a C++ function's."""
    return ValueError(re.sub(r"^tessera(::\w+)+", where, str(error)))


def in_one_sentence(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """A function that hands its arguments to the compiled part.

    An argument of a wrong kind raises nanobind's list of signatures there, and one of a wrong value names a C++
    function: users know neither.
    """
    where = ".".join(part for part in f"{function.__module__}.{function.__name__}".split(".") if part[0] != "_")
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            if str(error).endswith("found tessera.distributed.Matrix"):
                raise TypeError(f"{error}; call the method of its world") from None
            if not any(text in str(error) for text in ("incompatible function arguments", "os.PathLike object")):
                raise
        except ValueError as error:
            if not str(error).startswith("tessera::"):
                raise
            raise renamed(error, where) from None
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            expected = _expected(signature.parameters[name], value)
            if expected is not None:
                raise TypeError(f"{where}: {name} must be {expected}, found {found(value)}")
        raise TypeError(f"{where}: expected arguments of other types, found {', '.join(type(x).__name__ for x in args)}")

    return call
