// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <vector>

#include "support/host_matrix.hpp"

/// Products of whole numbers in 64-bit integers. If every partial sum fits the scalar type in every
/// order, floating-point arithmetic must give exactly these. Instantiated for float and double.
namespace tessera::test::whole {

/// A v. Throws std::logic_error if T may not hold an element or a partial sum exactly.
template <std::floating_point T>
std::vector<T> multiply(HostMatrix<T> const& A, std::vector<T> const& v);

/// A^T B. Throws as multiply does.
template <std::floating_point T>
std::vector<T> multiply_transposed(HostMatrix<T> const& A, std::vector<T> const& B);

/// A^T (A v). Throws as multiply does.
template <std::floating_point T>
std::vector<T> atax(HostMatrix<T> const& A, std::vector<T> const& v);

}  // namespace tessera::test::whole
