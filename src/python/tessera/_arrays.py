# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Calls of array libraries for the compiled module. Libraries that the caller does not use are not imported."""

import decimal
import numbers
import sys

import numpy


def _library(x):
    """The module that an array comes from, by its name: "torch", "cupy", "jax"."""
    name = type(x).__module__.partition(".")[0]
    if name in ("numpy", "torch", "cupy", "jax"):
        return name
    if isinstance(x, getattr(sys.modules.get("torch"), "Tensor", ())):
        return "torch"  # a class of the caller
    return "jax" if name == "jaxlib" else name


def require_unmasked(where, **arrays):
    """Refuses arrays, and lists of arrays, with masked elements: NumPy's conversions would take these as numbers."""
    for name, x in arrays.items():
        if _has_masks(x):
            raise TypeError(f"{where}: {name} must not have masked elements; pass its filled(...)")


def _has_masks(x):
    if isinstance(x, numpy.ma.MaskedArray):
        return bool(numpy.ma.is_masked(x))
    return isinstance(x, (list, tuple)) and any(
        _has_masks(item) for item in x if isinstance(item, (list, tuple, numpy.ma.MaskedArray))
    )


def require_no_masked_array(where, A):
    """Refuses a masked matrix early: the first product would refuse it."""
    if isinstance(A, numpy.ma.MaskedArray):
        raise TypeError(f"{where}: A must not be a masked array; pass its filled(...), or its data")


def _is_sparse(x):
    """Whether x is a sparse matrix of SciPy, or of a library with its interface."""
    return hasattr(x, "toarray") and not isinstance(x, numpy.ndarray)


def require_dense(x, expected="tessera: expected"):
    """Refuses sparse matrices."""
    if _is_sparse(x):
        raise TypeError(f"{expected} a dense array, found {type(x).__name__} of shape {tuple(x.shape)}; pass its toarray()")


def advice(x):
    """What to do with something that is no array of numbers, for the end of an error; empty if nothing helps."""
    if _is_sparse(x):
        return "; pass its toarray()"
    if isinstance(x, numpy.ndarray):
        return "; copy=True makes a copy of numbers" if x.dtype.kind in "fiubO" or is_narrow(x) else ""
    # Of pandas, Polars or xarray, and no tensor of PyTorch, which is not converted.
    is_ours = type(x).__module__.startswith("tessera")
    is_table = hasattr(x, "__array__") and hasattr(x, "shape") and not hasattr(x, "__dlpack__") and not is_ours
    return "; copy=True makes an array of it" if is_table or isinstance(x, (list, tuple)) else ""


def through_interface(x):
    """The array behind an array interface, not copied; None if there is none."""
    try:
        if getattr(x, "__cuda_array_interface__", None) is not None:
            import cupy

            return cupy.asarray(x)
        if getattr(x, "__array_interface__", None) is not None:
            return numpy.asarray(x)
    except RuntimeError:
        pass  # PyTorch's sparse tensors
    return None


def on_host(x):
    """A NumPy array with the elements of any array, copied only from a GPU."""
    if isinstance(x, numpy.ndarray):
        return x
    library = _library(x)
    if library == "torch":
        return x.detach().cpu().resolve_neg().resolve_conj().numpy()
    if library == "cupy":
        return x.get()
    if library == "jax":
        return numpy.asarray(x)
    if getattr(x, "__cuda_array_interface__", None) is not None:
        return through_interface(x).get()
    return numpy.from_dlpack(x) if hasattr(x, "__dlpack__") else numpy.asarray(array(x))


def array(x, expected="tessera: expected"):
    """Returns arrays unchanged, or in a type that can be exported; converts anything else with NumPy.

    Errors begin with `expected`.
    """
    if _library(x) == "torch":
        return x.resolve_neg().resolve_conj()
    if any(hasattr(x, name) for name in ("__dlpack__", "__array_interface__", "__cuda_array_interface__")):
        return _plain(x, expected) if isinstance(x, numpy.ndarray) else x
    require_unmasked("tessera", list=x)
    require_dense(x, expected)
    try:
        return _plain(numpy.asarray(x), expected)
    except ValueError as error:
        raise ValueError(f"{expected} an array of numbers, found a {type(x).__name__}: {error}") from None


def _plain(x, expected):
    """Numbers in native byte order, at most float64, with strides of whole elements."""
    if x.dtype.kind == "O":
        strange = [item for item in x.flat if not isinstance(item, numbers.Real | decimal.Decimal)]
        if strange and x.ndim == 0:  # NumPy does not know what it is
            what = "None" if strange[0] is None else f"a {type(strange[0]).__name__}"
            raise TypeError(f"{expected} an array of numbers, found {what}")
        if strange:  # NumPy makes None NaN and text a number
            raise TypeError(f"{expected} an array of numbers, found {strange[0]!r} in one of shape {x.shape}")
        return x.astype(numpy.float64)
    if x.dtype.kind == "f" and x.dtype.itemsize > 8:
        return x.astype(numpy.float64)
    if x.dtype.kind not in "fiucb":
        return x
    if not x.dtype.isnative:
        return x.astype(x.dtype.newbyteorder("="))
    if any(stride % x.dtype.itemsize for stride in x.strides):
        return x.copy()  # field of packed records
    return x


def real(x):
    """Returns x; refuses complex numbers."""
    if x.dtype.kind == "c":
        raise TypeError(f"tessera: expected an array of real numbers, found {x.dtype} of shape {tuple(x.shape)}")
    return x


def contiguous(x):
    """The same array, its elements row by row: a copy if they are not."""
    require_unmasked("tessera", array=x)
    library = _library(x)
    if library == "torch":
        return x.contiguous()
    if library == "cupy":
        return sys.modules["cupy"].ascontiguousarray(x)
    if library == "jax":
        return x
    return numpy.require(on_host(x), requirements=["C_CONTIGUOUS", "ALIGNED"])


def copied(x, dtype, expected="tessera: expected"):
    """A copy of this type, row by row, by the library that the array comes from. Errors begin with `expected`."""
    if "complex" in str(getattr(x, "dtype", "")):
        raise TypeError(f"{expected} an array of real numbers, found {x.dtype} of shape {tuple(x.shape)}")
    require_unmasked("tessera", array=x)
    if isinstance(x, numpy.ndarray) and x.dtype.kind not in "fiubO":  # NumPy makes texts and times numbers
        raise TypeError(f"{expected} an array of numbers, found {x.dtype} of shape {x.shape}")
    library = _library(x)
    if library == "torch":
        torch = sys.modules["torch"]
        return x.detach().resolve_neg().to(getattr(torch, dtype), copy=True, memory_format=torch.contiguous_format)
    if library == "cupy":
        return sys.modules["cupy"].array(x, dtype=dtype, order="C")
    if library == "jax":  # row by row without an order; float32 unless jax_enable_x64 is set
        jax = sys.modules["jax"]
        return jax.numpy.array(x, dtype=jax.dtypes.canonicalize_dtype(dtype))
    if hasattr(x, "__array_namespace__") and not isinstance(x, numpy.ndarray):
        xp = x.__array_namespace__()
        return xp.asarray(xp.astype(x, getattr(xp, dtype), copy=True), copy=True)
    return numpy.array(x, dtype=dtype, order="C")


_NARROW = ("float16", "bfloat16", "int8", "uint8", "int16", "uint16")


def dtype_name(x):
    """The name that NumPy has for the type of an array, also of PyTorch."""
    return str(x.dtype).rpartition(".")[2]


def is_narrow(x):
    """Whether an array has a type that products and solvers widen while they read it."""
    return dtype_name(x) in _NARROW


def scalar_name(x):
    """The type of vectors and results of products with x: of a narrow matrix float32."""
    return "float32" if is_narrow(x) else dtype_name(x)


def strides(x):
    """Elements between neighbours of each dimension; empty for arrays that do not tell (JAX)."""
    if hasattr(x, "stride"):  # PyTorch
        return tuple(x.stride())
    return tuple(stride // x.dtype.itemsize for stride in getattr(x, "strides", ()))


def suitable(x, expected="tessera: expected"):
    """A matrix as operations take it: as it is if it has their type and contiguous rows or columns, else a copy."""
    if type(x).__name__ == "StreamedMatrix":
        return x
    x = array(x, expected)
    name = dtype_name(x)
    if name in ("float32", "float64") and 1 in strides(x) and min(strides(x)) > 0:
        return x
    return copied(x, "float32" if name in ("float16", "bfloat16", "float32") else "float64", expected)


def empty(like, shape, dtype):
    """A new array of the kind and in the place of another."""
    library = _library(like)
    if library == "torch":
        torch = sys.modules["torch"]
        return torch.empty(shape, dtype=getattr(torch, dtype), device=like.device)
    if library == "cupy":
        return sys.modules["cupy"].empty(shape, dtype)
    if library == "jax":
        if next(iter(like.devices())).platform != "cpu":
            raise TypeError("tessera: JAX arrays on a GPU cannot be written: pass arrays, or out=, of CuPy or PyTorch")
        return numpy.empty(shape, dtype).view(_ForJax)
    if hasattr(like, "__array_namespace__"):
        xp = like.__array_namespace__()
        return xp.empty(shape, dtype=getattr(xp, dtype), device=like.device)
    return numpy.empty(shape, dtype)


def of_numbers(like, values, dtype):
    """A new vector of the kind and in the place of another array."""
    vector = numpy.array(values, dtype)
    library = _library(like)
    if library == "torch":
        return sys.modules["torch"].from_numpy(vector).to(like.device)
    if library == "cupy":
        return sys.modules["cupy"].asarray(vector)
    if library == "jax":
        return sys.modules["jax"].numpy.asarray(vector)
    if hasattr(like, "__array_namespace__") and not isinstance(like, numpy.ndarray):
        return like.__array_namespace__().asarray(vector)
    return vector


def written(x):
    """Tells autograd that a tensor is overwritten: a backward pass that has saved it then raises an error."""
    if _library(x) == "torch" and not x.is_inference():
        x.detach()[:0].zero_()  # changes no element; all versions of PyTorch count it


class _ForJax(numpy.ndarray):
    """A result for JAX, whose own arrays cannot be written."""


def finished(result):
    """A result as the caller gets it."""
    if isinstance(result, _ForJax):
        return sys.modules["jax"].numpy.from_dlpack(result.view(numpy.ndarray))
    return result


def stream(x):
    """The caller's CUDA stream, as a number."""
    library = _library(x)
    if library == "torch":
        torch = sys.modules["torch"]
        number = getattr(torch._C, "_cuda_getCurrentRawStream", None)  # creates no Stream object
        return number(x.device.index) if number else torch.cuda.current_stream(x.device).cuda_stream
    if library == "cupy":
        return sys.modules["cupy"].cuda.get_current_stream(x.device.id).ptr
    interface = getattr(x, "__cuda_array_interface__", {})
    return interface.get("stream") or 0


def block(read, dtype, first_row, rows, first_col, cols):
    """Calls read(rows, cols) with slices; checks the result, and neither casts nor broadcasts it."""
    found = read(slice(first_row, first_row + rows), slice(first_col, first_col + cols))
    if _has_masks(found):
        count = f"{numpy.ma.count_masked(found)} of them" if isinstance(found, numpy.ndarray) else "some"
        raise TypeError(
            f"tessera.from_callback: read must return an array without masked elements, found {count} in rows from "
            f"{first_row} on; return its filled(...)"
        )
    found = numpy.asarray(found)
    if found.shape != (rows, cols):
        raise ValueError(
            f"tessera.from_callback: read must return an array of shape {(rows, cols)}, found shape {found.shape}"
        )
    if found.dtype != dtype:
        raise TypeError(
            f"tessera.from_callback: read must return an array of {dtype}, found {found.dtype} of shape {found.shape}"
        )
    return found
