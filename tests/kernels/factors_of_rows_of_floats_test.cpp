// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include "kernels/factors.hpp"

namespace tessera::test {
namespace {

using RowsOfFloats = FactorsOf<Kokkos::LayoutRight, float>::Type;
INSTANTIATE_TYPED_TEST_SUITE_P(RowsOfFloats, Factors, RowsOfFloats, CaseName);

}  // namespace
}  // namespace tessera::test
