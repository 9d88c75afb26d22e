// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include "kernels/factors.hpp"

namespace tessera::test {
namespace {

using RowsOfDoubles = FactorsOf<Kokkos::LayoutRight, double>::Type;
INSTANTIATE_TYPED_TEST_SUITE_P(RowsOfDoubles, Factors, RowsOfDoubles, CaseName);

}  // namespace
}  // namespace tessera::test
