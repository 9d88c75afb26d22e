#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/_static/one-pass.svg, the picture of README.md and the site: a matrix read twice, and once.

    docs/one_pass.py           writes the picture
    docs/one_pass.py --check   fails if the committed picture is another
"""

import sys
from pathlib import Path

PICTURE = Path(__file__).resolve().parent / "_static" / "one-pass.svg"
WIDTH, HEIGHT = 760, 236
ROWS, BLUE, GREY, INK = 6, "#2f6fb7", "#dfe5ec", "#24292f"


def text(x: float, y: float, words: str, size: int = 14, anchor: str = "middle", weight: str = "normal") -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}" fill="{INK}">{words}</text>'


def matrix(x: float, y: float, read: int) -> list:
    """A matrix of ROWS rows, of which the first `read` have been read."""
    return [f'<rect x="{x}" y="{y + 17 * row}" width="104" height="13" rx="2" fill="{BLUE if row < read else GREY}"/>' for row in range(ROWS)]


def arrow(x: float, y: float, length: float) -> str:
    return f'<path d="M{x} {y}h{length}m-6 -5l6 5l-6 5" fill="none" stroke="{INK}" stroke-width="1.5"/>'


def picture() -> str:
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" font-family="sans-serif" '
        'aria-label="Two matrix-vector products read A from memory twice. Tessera reads it once.">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#ffffff"/>',
        text(190, 30, "two matrix-vector products", 15, weight="bold"), text(585, 30, "Tessera", 15, weight="bold"),
        *matrix(30, 70, ROWS), text(82, 60, "B = A·v"), text(82, 196, "read A"), arrow(146, 120, 56),
        *matrix(214, 70, ROWS), text(266, 60, "C = Aᵀ·B"), text(266, 196, "read A again"), arrow(330, 120, 28),
        text(370, 125, "C", 16, weight="bold"),
        f'<path d="M420 24V212" stroke="{GREY}" stroke-width="2"/>',
        *matrix(505, 70, ROWS), text(557, 60, "C = Aᵀ·(A·v)"), text(590, 196, "read A once: each row is used for both products", 13),
        arrow(621, 120, 56), text(692, 125, "C", 16, weight="bold"),
        text(190, 222, "memory traffic: 2 × size of A", 13), text(585, 222, "memory traffic: 1 × size of A", 13),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        if PICTURE.read_text(encoding="utf-8") != picture():
            sys.exit("docs/_static/one-pass.svg is not as docs/one_pass.py draws it")
    else:
        PICTURE.write_text(picture(), encoding="utf-8")
