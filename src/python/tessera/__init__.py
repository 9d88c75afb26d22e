# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Matrix products that read the matrix once and give the same bits everywhere.

>>> import numpy as np, tessera
>>> A = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
>>> tessera.atax(A, np.array([1.0, -1.0]))  # A.T @ (A @ v), A read once
array([ -9., -12.])
"""

import atexit as _atexit
import importlib as _importlib
import inspect as _inspect
import typing as _typing
from importlib.util import find_spec as _find_spec

from tessera import _processor

_processor.require()

from tessera import _core, _docs, _matrices, _pictures, linalg  # noqa: E402
from tessera._check import Verdict, check  # noqa: E402
from tessera._core import StreamedMatrix  # noqa: E402
from tessera._digest import digest  # noqa: E402
from tessera._files import from_anndata, from_fits, from_safetensors, from_zarr  # noqa: E402
from tessera._frames import from_pandas, from_polars  # noqa: E402
from tessera._matrices import from_callback  # noqa: E402
from tessera._matrices import open as open  # noqa: E402
from tessera._missing import fill_missing  # noqa: E402
from tessera._operations import (  # noqa: E402
    aatx,
    atax,
    axpby,
    dot,
    info,
    matmul,
    matvec,
    matvec_both,
    rmatvec,
    threads,
    transpose,
)
from tessera._operators import NormalOperator, aslinearoperator  # noqa: E402
from tessera._sources import from_blocks, from_dask, from_xarray  # noqa: E402
from tessera._tables import from_arrow, from_parquet  # noqa: E402

__version__ = info()["version"]
# Without `open`: `import *` would replace Python's.
__all__ = [
    "NormalOperator",
    "StreamedMatrix",
    "Verdict",
    "aatx",
    "aslinearoperator",
    "atax",
    "axpby",
    "check",
    "digest",
    "dot",
    "fill_missing",
    "from_anndata",
    "from_arrow",
    "from_blocks",
    "from_callback",
    "from_dask",
    "from_fits",
    "from_pandas",
    "from_parquet",
    "from_polars",
    "from_safetensors",
    "from_xarray",
    "from_zarr",
    "info",
    "matmul",
    "matvec",
    "matvec_both",
    "rmatvec",
    "threads",
    "transpose",
]

for _name in __all__:
    if _name.startswith("from_"):
        globals()[_name].__module__ = "tessera"
        _docs.complete(globals()[_name], _docs.SOURCES)
StreamedMatrix.__signature__ = _inspect.Signature()  # `open` and `from_callback` create them
StreamedMatrix._repr_html_ = _pictures.of_stream
StreamedMatrix.__array__ = _matrices.refuse_array
_atexit.register(_core._finish)


if not _typing.TYPE_CHECKING:  # it would accept every name

    def __getattr__(name: str) -> object:
        """Modules that need other packages are imported at their first use."""
        if name in ("distributed", "jax", "sklearn", "torch"):
            return _importlib.import_module(f"tessera.{name}")
        raise AttributeError(f"module 'tessera' has no attribute {name!r}")


def __dir__() -> list[str]:
    optional = [name for name in ("jax", "torch") if _find_spec(name) is not None]
    return [*__all__, "__version__", "distributed", "linalg", "open", "sklearn", *optional]
