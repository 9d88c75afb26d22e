// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/multiply_both.hpp>

#include "support/cases.hpp"
#include "support/device_data.hpp"
#include "support/host_matrix.hpp"
#include "support/reference.hpp"
#include "support/refusal.hpp"
#include "support/same_bits.hpp"
#include "support/shapes.hpp"

/// y = A·x and w = Aᵀ·u.
namespace tessera::test {
namespace {

template <class C>
class MultiplyBoth : public testing::Test {
 protected:
  using Exec = typename C::Exec;
  using T = typename C::Scalar;

  static void expect_both(Shape shape, Index stride, Options<Exec> const& options = {}) {
    HostMatrix<T> const A(shape, C::order,
                          real_numbers<T>(static_cast<std::size_t>(shape.size()), 1));
    auto const x = real_numbers<T>(static_cast<std::size_t>(shape.cols), 2);
    auto const u = real_numbers<T>(static_cast<std::size_t>(shape.rows), 3);
    GuardedVector<C> const y(shape.rows, stride);
    GuardedVector<C> const w(shape.cols, stride);
    multiply_both(Exec(), matrix_on_device<C>(A), GuardedVector<C>(x, stride).strided(),
                  GuardedVector<C>(u, stride).strided(), y.strided(), w.strided(), options);
    Kokkos::fence();
    EXPECT_THAT(y.to_host(), same_bits_as(reference::multiply(A.for_reference(), x))) << shape;
    EXPECT_THAT(w.to_host(), same_bits_as(reference::multiply_transposed(A.for_reference(), u)))
        << shape;
  }
};
TYPED_TEST_SUITE(MultiplyBoth, Cases, CaseName);

TYPED_TEST(MultiplyBoth, HasTheBitsOfBothProducts) {
  Workspace<typename TypeParam::Exec> workspace;
  for (Shape const& shape : all_shapes()) {
    this->expect_both(shape, 1, {.workspace = &workspace});
    this->expect_both(shape, 1, {.kernels = Kernels::portable});
  }
}

TYPED_TEST(MultiplyBoth, MatchesBothProductsForLargeMatrices) {
  for (Shape const& shape : large_shapes()) this->expect_both(shape, 1);
}

TYPED_TEST(MultiplyBoth, TakesVectorsOfAnyStride) {
  for (Shape const& shape : few_shapes()) this->expect_both(shape, 3);
}

TYPED_TEST(MultiplyBoth, OfNoRowsOrColumnsIsZero) {
  using Exec = typename TypeParam::Exec;
  DeviceVector<TypeParam> const none("none", 0);
  DeviceVector<TypeParam> const nothing("nothing", 0);
  GuardedVector<TypeParam> const in(3, 1);
  GuardedVector<TypeParam> const out(3, 1);
  std::vector<typename TypeParam::Scalar> const zeros(3);
  multiply_both(Exec(), DeviceMatrix<TypeParam>("A", 0, 3), in.contiguous(), none, nothing,
                out.contiguous());
  EXPECT_EQ(out.to_host(), zeros);
  multiply_both(Exec(), DeviceMatrix<TypeParam>("A", 3, 0), none, in.contiguous(), out.contiguous(),
                nothing);
  EXPECT_EQ(out.to_host(), zeros);
}

TEST(MultiplyBothOnHost, RefusesWhatDoesNotFit) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  using Vector = Kokkos::View<float*, Kokkos::HostSpace>;
  Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace> const A("A", 4, 3);
  Vector const three("three", 3);
  Vector const four("four", 4);
  Vector const rows("rows", 4);
  Vector const cols("cols", 3);
  expect_refused([&] { multiply_both(Exec(), A, four, four, rows, cols); },
                 "multiply_both: x must have 3 entries, found 4");
  expect_refused([&] { multiply_both(Exec(), A, three, three, rows, cols); },
                 "u must have 4 entries, found 3");
  expect_refused([&] { multiply_both(Exec(), A, three, four, four, cols); },
                 "y must not overlap u");
  expect_refused([&] { multiply_both(Exec(), A, three, four, rows, three); },
                 "w must not overlap x");
}

}  // namespace
}  // namespace tessera::test
