# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""What notebooks show of matrices, operators and results."""

import html
from collections.abc import Sequence
from typing import Any

from tessera._core import StreamedMatrix
from tessera._packages import package


def table(title: str, facts: Sequence[tuple[str, Any]]) -> str:
    """A table in HTML with a row for each fact."""
    rows = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(str(fact))}</td></tr>" for name, fact in facts)
    return f"<table><caption>{html.escape(title)}</caption>{rows}</table>"


def size_of(shape: Sequence[int]) -> str:
    return " x ".join(str(extent) for extent in shape)


def of_stream(stream: StreamedMatrix) -> str:
    return table(
        "tessera.StreamedMatrix",
        [
            ("shape", size_of(stream.shape)),
            ("dtype", stream.dtype),
            ("order", stream.order),
            ("memory limit", f"{stream.memory_limit / 2**20:g} MiB"),
            ("reads", f"{stream.reads:.4g}"),
        ],
    )


def axes(name: str, ax: Any) -> Any:
    """Axes to draw on: the caller's, or new ones of matplotlib."""
    if ax is not None:
        return ax
    return package("matplotlib.pyplot", name).figure().add_subplot()
