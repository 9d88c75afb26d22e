# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Packages that only some functions need."""

import importlib
from typing import Any


def package(name: str, user: str, install: str | None = None) -> Any:
    """Imports a module for `user`; `install` is the name for pip if it is another."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        install = install or name.partition(".")[0]
        raise ImportError(f"{user} needs the package {install}: pip install {install}") from error
