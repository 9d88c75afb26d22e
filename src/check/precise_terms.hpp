// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <check/precise.hpp>

#include <io/types.hpp>
#include <tessera/maps.hpp>

namespace tessera::check {

/// b[i] = f(i, b[i]), with the errors of T (docs/accuracy.md).
template <class T>
void apply_map(maps::Kind map, io::VectorView<T> const& x, PreciseVector& b);

/// c[j] = α·c[j], then fma(β, z[j], c[j]) if z has entries.
template <class T>
void scale_and_add(T alpha, T beta, io::VectorView<T> const& z, PreciseVector& c);

}  // namespace tessera::check
