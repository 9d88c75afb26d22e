# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""What the solvers of tessera.linalg share: progress, ranks, errors and warnings."""

import functools
import inspect
import numbers
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy

from tessera import _arrays, _core, _docs
from tessera._packages import package
from tessera._results import Step
from tessera._sentences import in_one_sentence

# As numbered by the compiled part.
CONVERGED, ITERATION_LIMIT, NOT_FINITE, PRECISION_LIMIT, NOT_SOLVABLE = 7, 8, 11, 13, 14


class ConvergenceWarning(UserWarning):
    """A solver reached its iteration limit; the result is not within the tolerance."""


class Telling:
    """What a solver calls after each step; the bar is gone at its end."""

    def __init__(
        self,
        name: str,
        callback: Callable[[Step], Any] | None,
        progress: bool,
        show: bool = False,
        history: bool = False,
    ):
        self.callback, self.show, self.bar = callback, show, None
        self.history: list[Step] | None = [] if history else None
        if callback is not None and not callable(callback):
            raise TypeError(f"{name}: callback must be a function, found {type(callback).__name__}")
        if progress:
            self.bar = package("tqdm.auto", f"{name}: progress=True").tqdm(desc=name, unit=" steps")

    def __enter__(self) -> Callable[..., None] | None:
        is_told = self.show or any(each is not None for each in (self.callback, self.bar, self.history))
        return self._step if is_told else None

    def __exit__(self, *_: Any) -> None:
        if self.bar is not None:
            self.bar.close()

    def _step(self, *numbers: Any) -> None:
        step = Step(*numbers)
        if self.history is not None:
            self.history.append(step)
        if self.bar is not None:
            self.bar.set_postfix_str(f"residual {step.residual:.2g} of {step.tolerance:.2g}", refresh=False)
            self.bar.update()
        if self.show:
            print(f"{step.iteration:6} {step.residual:12.5e} {step.tolerance:12.5e} {step.objective:12.5e}")
        if self.callback is not None:
            self.callback(step)


_P = ParamSpec("_P")
_R = TypeVar("_R")

# Arguments that may differ between ranks.
_OF_A_RANK = ("A", "b", "copy", "callback", "progress", "show", "v0", "rng", "random_state")


def on_all_ranks(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """A solver that also takes matrices on many processes.

    Its other arguments are compared, since ranks with different ones would wait for each other for ever. Whatever a
    rank raises, all raise. One rank shows how far the solver is.
    """
    function.__module__ = "tessera.linalg"  # for users and pickles
    _docs.complete(function, _docs.SOLVERS)
    signature = inspect.signature(function)
    function = in_one_sentence(function)

    @functools.wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        A = args[0] if args else kwargs.get("A")
        if not is_distributed(A):
            return function(*args, **kwargs)
        world = A.world
        bound = world._together(lambda: signature.bind(*args, **kwargs))
        bound.apply_defaults()
        world._require_same_arguments(
            f"linalg.{function.__name__}", {k: x for k, x in bound.arguments.items() if k not in _OF_A_RANK}
        )
        if world.rank > 0:
            bound.arguments.update({name: False for name in ("progress", "show") if name in bound.arguments})
        try:
            return world._together(lambda: function(*bound.args, **bound.kwargs), keep_common=True)
        finally:
            world._told = None

    return call


def level_of_caller() -> int:
    """The `stacklevel` of a warning in the caller's function that blames the program, and no line of this package."""
    folder = os.path.dirname(__file__)
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == folder:
        frame, level = frame.f_back, level + 1
    return level


def not_finite_in(name: str, x: Any) -> str:
    """Where a NumPy array has its first infinity or NaN; empty if it has none, or for other arrays."""
    if not isinstance(x, numpy.ndarray) or x.dtype.kind != "f":
        return ""
    rows = 4096  # avoids a mask as large as the array
    for begin in range(0, len(x), rows):
        bad = ~numpy.isfinite(x[begin : begin + rows])
        if bad.any():
            place = numpy.argwhere(bad)[0] + numpy.array([begin, 0])[: x.ndim]
            where = ", ".join(f"{axis} {i}" for axis, i in zip(("row", "column"), place))
            return f"{name} has an infinity or a NaN at {where}"
    return ""


def require_finite(name: str, result: dict, **inputs: Any) -> None:
    if result["stop"] == NOT_FINITE:
        places = (not_finite_in(key, x) for key, x in inputs.items())
        raise ValueError(f"{name}: {next(filter(None, places), result['why'])}")


def require_converged(name: str, result: dict, **inputs: Any) -> None:
    require_finite(name, result, **inputs)
    if result["stop"] == PRECISION_LIMIT:
        warnings.warn(
            f"{name}: {result['why']}; subtract rough means of the columns first, or use float64",
            ConvergenceWarning,
            stacklevel=level_of_caller(),
        )
    elif result["stop"] != CONVERGED:
        raise numpy.linalg.LinAlgError(f"{name}: {result['why']}")


def column_of(b: Any) -> Any:
    """A number as a vector, and a matrix of one column, too."""
    if isinstance(b, (int, float)):
        return numpy.array([float(b)])
    shape = tuple(getattr(b, "shape", ()))
    if len(shape) != 2 or shape[1] != 1:
        return b
    return b.reshape(-1) if hasattr(b, "reshape") else b.iloc[:, 0] if hasattr(b, "iloc") else b


def is_array(A: Any) -> bool:
    return not isinstance(A, _core.StreamedMatrix) and not is_distributed(A)


def is_distributed(A: Any) -> bool:
    return type(A).__module__ == "tessera.distributed" and type(A).__name__ == "Matrix"


def is_whole(x: Any) -> bool:
    """Also of a float without a fraction, as in SciPy."""
    return isinstance(x, numbers.Real) and numpy.isfinite(x) and int(x) == x


def counted(iterations: int) -> str:
    return f"{iterations} iteration" + ("" if iterations == 1 else "s")


def on_ranks_of(A: Any, body: Callable[[], Any]) -> Any:
    """body(); of a matrix on many processes, what it raises on one it raises on all."""
    return A.world._together(body) if is_distributed(A) else body()


def shape_of(name: str, A: Any) -> tuple[int, int]:
    if not hasattr(A, "shape"):
        raise TypeError(f"{name}: A must be an array, found {type(A).__name__}{_arrays.advice(A)}")
    shape = tuple(A.shape)
    if len(shape) != 2:
        raise ValueError(f"{name}: A must have two dimensions, found {type(A).__name__} of shape {shape}")
    return shape


def type_of_results(name: str, A: Any) -> numpy.dtype:
    """The type that a call computes in."""
    if not is_distributed(A) and _arrays.is_narrow(A):
        return numpy.dtype("float32")
    dtype = _arrays.dtype_name(A)
    return numpy.dtype(dtype if dtype in ("float32", "float64") else "float64")
