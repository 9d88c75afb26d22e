#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Lists the messages that users can meet, with their places, for a review in one file.

    tools/messages.py           every message of the library, the program and the Python package
    tools/messages.py --check   fails if a message has a phrase that plain English does not use

A message is the text of a call that reports an error or a notice; "…" stands for a value.
"""

import re
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
CALLS = r"\b(?:refuse\w*|notice|stop|fail|fail_value|fail_type|Failure|FileError|LimitError|say|note|invalid_argument|runtime_error|ValidationError|ValueError|TypeError|RuntimeError|LinAlgError|OSError|warn)\s*\("
LITERAL = re.compile(r'f?"((?:[^"\\\n]|\\.)*)"')
ODD = re.compile(r"\b(lies?|lying|beside|(goes?|gone) on|as far as|that there (is|are)|says? so|takes? what)\b")


def argument(text: str, start: int) -> str:
    """The text between a call's parentheses."""
    depth, i = 1, start
    while i < len(text) and depth:
        if text[i] == '"':
            i = LITERAL.match(text, i).end() if LITERAL.match(text, i) else i + 1
            continue
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        i += 1
    return text[start:i]


def messages(path: Path) -> list:
    text, found = path.read_text(encoding="utf-8"), []
    for call in re.finditer(CALLS, text):
        inside = argument(text, call.end())
        parts, end = [], 0
        for literal in LITERAL.finditer(inside):
            parts += ["…"] * bool(re.search(r"\w", inside[end : literal.start()])) + [re.sub(r"\{[^}]*\}", "…", literal.group(1))]
            end = literal.end()
        message = re.sub(r"…+", "…", "".join(parts)).strip()
        if " " in message:
            found.append((text.count("\n", 0, call.start()) + 1, message))
    return found


def main() -> None:
    files = subprocess.run(["git", "ls-files", "src/app", "src/io", "src/tessera", "src/python", "backends"], cwd=PROJECT,
                           capture_output=True, text=True, check=True).stdout.split()
    odd = 0
    for name in files:
        if not name.endswith((".hpp", ".cpp", ".py")):
            continue
        for line, message in messages(PROJECT / name):
            if sys.argv[1:] != ["--check"]:
                print(f"{name}:{line}: {message}")
            elif ODD.search(message):
                print(f"{name}:{line}: {message}")
                odd += 1
    if odd:
        sys.exit(f"{odd} messages have phrases that plain English does not use")


if __name__ == "__main__":
    main()
