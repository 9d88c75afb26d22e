// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include "kernels/factors.hpp"

namespace tessera::test {
namespace {

using ColumnsOfDoubles = FactorsOf<Kokkos::LayoutLeft, double>::Type;
INSTANTIATE_TYPED_TEST_SUITE_P(ColumnsOfDoubles, Factors, ColumnsOfDoubles, CaseName);

}  // namespace
}  // namespace tessera::test
