// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <vector>

#include "support/host_matrix.hpp"

/// In 64-bit integers: if every partial sum fits T, floating point must give these.
namespace tessera::test::whole {

template <std::floating_point T>
std::vector<T> multiply(HostMatrix<T> const& A, std::vector<T> const& v);

template <std::floating_point T>
std::vector<T> multiply_transposed(HostMatrix<T> const& A, std::vector<T> const& B);

template <std::floating_point T>
std::vector<T> atax(HostMatrix<T> const& A, std::vector<T> const& v);

}  // namespace tessera::test::whole
