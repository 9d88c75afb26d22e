# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""What projections of tessera.sklearn have in common."""

import numbers
from typing import Any

import numpy
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from tessera import _arrays, _core
from tessera._sklearn_inputs import _FLOATS, _columns, _matrix, _type_for


class _Projection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """What PCA and TruncatedSVD have in common."""

    def transform(self, X: Any) -> Any:
        """Return the coordinates of the rows of X.

        Parameters
        ----------
        X

        Returns
        -------
        array of shape (n_samples, n_components)
            Coordinates with respect to `components_`.
        """
        return self._coordinates(X)

    def inverse_transform(self, X: Any) -> Any:
        """Return rows from their coordinates.

        Parameters
        ----------
        X : array
            Coordinates of shape (n_samples, n_components), as `transform` returns them.

        Returns
        -------
        array of shape (n_samples, n_features)
            Rows in the space of the data.
        """
        return self._rows(X)

    def _coordinates(self, X: Any) -> Any:
        return self._project(X)[0]

    def _rows(self, X: Any) -> Any:
        return self._back(X)

    def _project(self, X: Any) -> tuple[Any, Any]:
        """X @ components_.T, and the components in its type."""
        check_is_fitted(self)
        X, _ = _matrix(self, X, reset=False)
        components = numpy.asarray(self.components_, _type_for(X, self.components_))
        if isinstance(X, _core.StreamedMatrix):
            return _columns(X, components), components
        if X.dtype == components.dtype:
            return _core.matmul(X, components.T, copy=True), components
        projected = numpy.empty((len(X), len(components)), components.dtype)
        rows = 4096  # avoids a widened copy as large as X
        for begin in range(0, len(X), rows):
            some = X[begin : begin + rows].astype(components.dtype)
            projected[begin : begin + rows] = _core.matmul(some, components.T, copy=True)
        return projected, components

    def _back(self, X: Any, scales: Any = None) -> Any:
        check_is_fitted(self)
        _arrays.require_unmasked(type(self).__name__, X=X)
        X = check_array(X, dtype=_FLOATS)
        if X.shape[1] != len(self.components_):
            raise ValueError(
                f"X has {X.shape[1]} coordinates, but {type(self).__name__} has {len(self.components_)} components"
            )
        X = X if scales is None else X * scales(X.dtype)
        return _core.matmul(X, numpy.asarray(self.components_, X.dtype), copy=True)

    def _components_of(self, X: Any, count: int) -> int:
        rows, cols = X.shape
        if not isinstance(count, numbers.Integral) or isinstance(count, bool):
            raise ValueError(f"{type(self).__name__}: n_components must be a whole number, found {count!r}")
        if not 1 <= count <= min(rows, cols):
            raise ValueError(
                f"n_components={count} must be between 1 and min(n_samples, n_features)={min(rows, cols)}, found "
                f"n_samples={rows} and n_features={cols}"
            )
        return count

    @property
    def _n_features_out(self) -> int:
        return self.components_.shape[0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _with_signs(components: Any) -> Any:
    """Rows whose largest entry is positive."""
    largest = numpy.abs(components).argmax(axis=1)
    return components * numpy.sign(components[numpy.arange(len(components)), largest])[:, None]
