// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "support/case_test.hpp"
#include "support/whole_arithmetic.hpp"

/// B = A v.
namespace tessera::test {
namespace {

template <class C>
using Multiply = CaseTest<C>;
TYPED_TEST_SUITE(Multiply, Cases, CaseName);

TYPED_TEST(Multiply, IsExactOnWholeNumbersOfEveryShape) {
  using T = typename TypeParam::Scalar;
  for (Shape const& shape : all_shapes()) {
    auto const [A, v, B] = whole_problem<T>(shape, TestFixture::order, 11);
    EXPECT_THAT(this->runner().multiply(A, v), same_bits_as(whole::multiply(A, v))) << shape;
  }
}

TYPED_TEST(Multiply, HasTheBitsOfTheReferenceForEveryShape) {
  using T = typename TypeParam::Scalar;
  for (Shape const& shape : all_shapes()) {
    auto const [A, v, B] = real_problem<T>(shape, TestFixture::order, 12);
    EXPECT_THAT(this->runner().multiply(A, v, {.kept_workspace = true}),
                same_bits_as(reference::multiply(A.for_reference(), v)))
        << shape;
  }
}

TYPED_TEST(Multiply, ReadsOnlyItsPartOfALargerMatrix) {
  using T = typename TypeParam::Scalar;
  for (Margin const margin : {Margin{0, 0, 1}, Margin{1, 3, 0}, Margin{2, 1, 64}}) {
    for (Shape const& shape : few_shapes()) {
      auto const [A, v, B] = real_problem<T>(shape, TestFixture::order, 13, margin);
      EXPECT_THAT(this->runner().multiply(A, v),
                  same_bits_as(reference::multiply(A.for_reference(), v)))
          << shape << ", " << A.leading() << " between lines";
    }
  }
}

TYPED_TEST(Multiply, TakesVectorsOfAnyStride) {
  using T = typename TypeParam::Scalar;
  for (Index const stride : {2, 7}) {
    for (Shape const& shape : few_shapes()) {
      auto const [A, v, B] = real_problem<T>(shape, TestFixture::order, 14);
      EXPECT_THAT(this->runner().multiply(A, v, {.vector_stride = stride}),
                  same_bits_as(reference::multiply(A.for_reference(), v)))
          << shape << ", stride " << stride;
    }
  }
}

}  // namespace
}  // namespace tessera::test
