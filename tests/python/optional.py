# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Packages that only some tests need."""

import pytest


def package(name):
    """The package, or a skip that pytest reports with its reason. Not at the top of a file: -k deselects no such skip."""
    return pytest.importorskip(name, reason=f"NOT RUN: the package {name} is not installed", exc_type=ImportError)
