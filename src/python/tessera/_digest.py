# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""What tells whether two results have the same bits."""

import hashlib
from typing import Any

import numpy

from tessera import _arrays


def digest(array: Any) -> str:
    """Compute the SHA-256 of the elements of an array.

    Parameters
    ----------
    array : array
        Array of numbers, on a host or a GPU.

    Returns
    -------
    str
        Hexadecimal digest of the elements, row by row, as the command line prints it.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> tessera.digest(np.zeros(2, np.float32))[:16]
    'af5570f5a1810b7a'
    """
    array = _arrays.on_host(array)
    if array.dtype.hasobject:
        raise TypeError(f"tessera.digest: expected an array of numbers, found {array.dtype}")
    if isinstance(array, numpy.ma.MaskedArray):
        raise TypeError("tessera.digest: expected an array of numbers, found a masked one")
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("<"))
    result = hashlib.sha256()
    if array.flags.c_contiguous:
        result.update(array.data)
    else:
        for row in array.reshape(1, -1) if array.ndim < 2 else array:
            result.update(numpy.ascontiguousarray(row).data)
    return result.hexdigest()
