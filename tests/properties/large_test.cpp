// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "support/case_test.hpp"
#include "support/methods.hpp"

/// Panels of nine, which small matrices do not reach.
namespace tessera::test {
namespace {

template <class C>
using LargeMatrix = CaseTest<C>;
TYPED_TEST_SUITE(LargeMatrix, Cases, CaseName);

TYPED_TEST(LargeMatrix, HasTheBitsOfTheReferenceByEveryMethod) {
  using T = typename TypeParam::Scalar;
  // The formula is equal for both types.
  auto shapes = large_shapes();
  if (sizeof(T) > sizeof(float)) shapes.resize(1);
  for (Shape shape : shapes) {
    if (TestFixture::order == Order::column_major) shape = {shape.cols, shape.rows};
    auto const [A, v, B] = real_problem<T>(shape, TestFixture::order, 95);
    auto const expected = reference::atax(A.for_reference(), v);
    for (Method const method : all_methods) {
      EXPECT_THAT(this->runner().atax(A, v, {.method = method}), same_bits_as(expected))
          << shape << ", " << name_of(method);
    }
  }
}

}  // namespace
}  // namespace tessera::test
