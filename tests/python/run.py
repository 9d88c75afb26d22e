# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests beside this file on the package that Python finds; 77: something is missing."""

import importlib.util
import pathlib
import sys


def main():
    missing = [name for name in ("numpy", "pytest") if importlib.util.find_spec(name) is None]
    if missing:
        names = " and no ".join(missing)
        print(f"SKIPPED: the tests of the Python package were NOT RUN: {sys.executable} has no {names}")
        return 77

    import pytest

    return pytest.main(["-q", "-rs", "-p", "no:cacheprovider", str(pathlib.Path(__file__).parent), *sys.argv[1:]])


if __name__ == "__main__":  # processes that tests spawn import this file
    sys.exit(main())
