# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""What estimators check of their parameters and arrays, and products with X."""

import math
import numbers
from collections.abc import Iterator
from typing import Any

import numpy
from sklearn.utils.validation import check_array, column_or_1d, validate_data

from tessera import _arrays, _core

_FLOATS = [numpy.float64, numpy.float32]
# Types whose matrices are read as stored.
_STORED = [*_FLOATS, numpy.float16, numpy.int8, numpy.uint8, numpy.int16, numpy.uint16]


def _scalar(X: Any) -> numpy.dtype:
    """The type of results for X, which may be narrow."""
    return X.dtype if X.dtype in _FLOATS else numpy.dtype(numpy.float32)


def _matrix(
    estimator: Any, X: Any, y: Any = None, *, reset: bool, least_rows: int = 1, several: bool = False
) -> tuple[Any, Any]:
    """X, which may be streamed, and y as it is, both checked; `several` columns of y are taken."""
    _arrays.require_unmasked(type(estimator).__name__, X=X, y=y)
    _require_no_times(estimator, X)
    if not isinstance(X, _core.StreamedMatrix):
        if y is None:
            return validate_data(estimator, X, reset=reset, dtype=_STORED, ensure_min_samples=least_rows), None
        return validate_data(
            estimator, X, y, reset=reset, dtype=_STORED, ensure_min_samples=least_rows, multi_output=several,
            y_numeric=several
        )
    rows, cols = X.shape
    if reset:
        estimator.n_features_in_ = cols
        vars(estimator).pop("feature_names_in_", None)  # of an earlier fit
    elif cols != estimator.n_features_in_:
        raise ValueError(
            f"X has {cols} features, but {type(estimator).__name__} is expecting {estimator.n_features_in_} features as input"
        )
    if y is not None:
        y = check_array(y, ensure_2d=False, dtype="numeric" if several else None, input_name="y")
        y = y if several else column_or_1d(y)
        if len(y) != rows:
            raise ValueError(f"y has {len(y)} entries, and X {rows} rows")
    return X, y


def _require_no_times(estimator: Any, X: Any) -> None:
    """NumPy makes a time the number of its ticks, in a unit that the caller does not see."""
    for kind in X.dtypes if hasattr(X, "dtypes") else [getattr(X, "dtype", None)]:
        if getattr(kind, "kind", "") in ("m", "M"):
            raise TypeError(f"{type(estimator).__name__}: X must have numbers, found {kind}; make numbers of the times first")


def _type_for(X: Any, coefficients: Any) -> numpy.dtype:
    """The type of a product of X. Coefficients of float64 are not rounded for a narrow X."""
    return X.dtype if X.dtype in _FLOATS else numpy.result_type(coefficients, numpy.float32)


def _linear(X: Any, coefficients: Any, intercept: Any) -> Any:
    return _with_intercepts(_core.matvec(X, coefficients, copy=True), intercept)


def _with_intercepts(products: Any, intercepts: Any) -> Any:
    return products + numpy.asarray(intercepts, products.dtype)


def _columns(X: Any, vectors: Any) -> Any:
    """X @ vectors.T, with one pass over X."""
    # Copies of vectors that are not contiguous would count towards the limit of a stream.
    return _core.matvec(X, numpy.ascontiguousarray(vectors, _type_for(X, vectors)).T, copy=True)


_ROWS = 256


def _blocks_of_rows(X: Any) -> Iterator[tuple[slice, Any]]:
    """Rows of X in float64, so many that sums by blocks do not depend on the memory limit of a stream."""
    rows, cols = X.shape
    if not isinstance(X, _core.StreamedMatrix):
        for begin in range(0, rows, _ROWS):
            some = slice(begin, min(begin + _ROWS, rows))
            yield some, X[some].astype(float, order="C")
        return
    at_once = max(1, min(16, X.memory_limit // (4 * 8 * cols * _ROWS))) * _ROWS
    for first in range(0, rows, at_once):
        part = _core._rows_of_stream(X, first, min(first + at_once, rows))
        for begin in range(0, len(part), _ROWS):
            some = part[begin : begin + _ROWS].astype(float, order="C")
            yield slice(first + begin, first + begin + len(some)), some


def _number(estimator: Any, name: str, value: Any, *, positive: bool = False) -> float:
    """A parameter that is a number of at least 0, or above 0."""
    expected = "a number above 0" if positive else "a number of at least 0"
    if isinstance(value, numpy.ndarray) and value.ndim == 0:
        value = value[()]
    is_number = isinstance(value, numbers.Real) and not isinstance(value, (bool, numpy.bool_))
    if not is_number or not (value > 0 if positive else value >= 0):
        raise ValueError(f"{type(estimator).__name__}: {name} must be {expected}, found {value!r}")
    if math.isinf(value) and not positive:
        raise ValueError(f"{type(estimator).__name__}: {name} must be finite, found {value!r}")
    return float(value)


def _require_flag(estimator: Any, name: str) -> None:
    """A parameter that is True or False: of a text such as "False" the truth is True."""
    value = getattr(estimator, name)
    if not isinstance(value, (bool, numpy.bool_)):
        raise ValueError(f"{type(estimator).__name__}: {name} must be True or False, found {value!r}")


def _require_default(estimator: Any, name: str, *values: Any) -> None:
    """A parameter of scikit-learn whose other values are not supported."""
    value = getattr(estimator, name)
    if not isinstance(value, (str, numpy.bool_, numbers.Real, type(None))) or value not in values:
        raise ValueError(
            f"{type(estimator).__name__}: {name} must be {' or '.join(map(repr, values))}: other values are not supported, "
            f"found {value!r}"
        )


def _whole(estimator: Any, name: str, least: int) -> int:
    """A parameter that is a whole number of at least this."""
    value = getattr(estimator, name)
    if not isinstance(value, numbers.Integral) or isinstance(value, (bool, numpy.bool_)) or value < least:
        raise ValueError(f"{type(estimator).__name__}: {name} must be a whole number of at least {least}, found {value!r}")
    return int(value)


def _vector(estimator: Any, name: str, values: Any, X: Any) -> Any:
    """A vector with a finite number for each row of X, or None."""
    if values is None:
        return None
    _arrays.require_unmasked(type(estimator).__name__, **{name: values})
    values = numpy.asarray(values)
    if values.dtype.kind == "c":  # NumPy drops the imaginary part
        raise ValueError(f"{type(estimator).__name__}: {name} must have real numbers, found {values.dtype}")
    if values.ndim == 0:
        values = numpy.full(X.shape[0], values)
    if values.shape != (X.shape[0],):
        raise ValueError(
            f"{type(estimator).__name__}: {name}.shape == {values.shape}, expected {(X.shape[0],)}: one entry per row of X"
        )
    try:
        return numpy.asarray(values, _scalar(X))
    except (TypeError, ValueError):
        raise ValueError(
            f"{type(estimator).__name__}: {name} must have numbers, found {values.flat[0]!r}"
        ) from None


def _weights(estimator: Any, sample_weight: Any, X: Any) -> Any:
    weights = _vector(estimator, "sample_weight", sample_weight, X)
    if weights is None:
        return None
    for bad, what in ((~numpy.isfinite(weights), "finite"), (weights < 0, "at least 0")):
        if bad.any():
            row = int(bad.argmax())
            raise ValueError(
                f"{type(estimator).__name__}: sample_weight must be {what}, found {weights[row]} at row {row}"
            )
    if not weights.any():
        raise ValueError(f"{type(estimator).__name__}: every sample_weight is zero: expected one above 0")
    return weights


def _class_weights(estimator: Any, classes: Any, labels: Any, weights: Any) -> Any:
    """The factor of the weight of each class by the parameter class_weight, or None."""
    name = type(estimator).__name__
    wanted = estimator.class_weight
    if wanted is None:
        return None
    if isinstance(wanted, str) and wanted == "balanced":
        counts = numpy.bincount(labels, weights, len(classes)).astype(float)
        return counts.sum() / (len(classes) * counts)
    if not isinstance(wanted, dict):
        raise ValueError(f'{name}: class_weight must be None, "balanced" or a dict, found {wanted!r}')
    known = classes.tolist()
    factors = numpy.ones(len(classes))
    for label, factor in wanted.items():
        if label not in known:
            raise ValueError(f"{name}: class_weight has the class {label!r}, which y does not have: it has {known}")
        is_number = isinstance(factor, numbers.Real) and not isinstance(factor, bool)
        if not is_number or not 0 < factor < math.inf:
            raise ValueError(f"{name}: class_weight of {label!r} must be a finite number above 0, found {factor!r}")
        factors[known.index(label)] = factor
    return factors
