# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""The names of types and orders that are taken: those of NumPy, and those of the command line."""

from typing import Any

import numpy

_TYPES = {"f32": "float32", "f64": "float64"}
_ORDERS = {"row-major": "C", "column-major": "F"}


def dtype_of(dtype: Any) -> numpy.dtype:
    """The type that a name means. "float" is NumPy's, which has 64 bits."""
    try:
        return numpy.dtype(_TYPES.get(dtype, dtype) if isinstance(dtype, str) else dtype)
    except TypeError:
        raise TypeError(f"tessera: dtype must be float32 or float64, found {dtype!r}") from None


def order_of(order: Any) -> Any:
    """ "C" or "F" for any name of an order; what is none stays as it is."""
    return _ORDERS.get(order, order) if isinstance(order, str) else order
