// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "support/case_test.hpp"
#include "support/whole_arithmetic.hpp"

/// C = A^T B.
namespace tessera::test {
namespace {

template <class C>
using MultiplyTransposed = CaseTest<C>;
TYPED_TEST_SUITE(MultiplyTransposed, Cases, CaseName);

TYPED_TEST(MultiplyTransposed, IsExactOnWholeNumbersOfEveryShape) {
  using T = typename TypeParam::Scalar;
  for (Shape const& shape : all_shapes()) {
    auto const [A, v, B] = whole_problem<T>(shape, TestFixture::order, 21);
    EXPECT_THAT(this->runner().multiply_transposed(A, B),
                same_bits_as(whole::multiply_transposed(A, B)))
        << shape;
  }
}

TYPED_TEST(MultiplyTransposed, HasTheBitsOfTheReferenceForEveryShape) {
  using T = typename TypeParam::Scalar;
  for (Shape const& shape : all_shapes()) {
    auto const [A, v, B] = real_problem<T>(shape, TestFixture::order, 22);
    EXPECT_THAT(this->runner().multiply_transposed(A, B, {.kept_workspace = true}),
                same_bits_as(reference::multiply_transposed(A.for_reference(), B)))
        << shape;
  }
}

TYPED_TEST(MultiplyTransposed, ReadsOnlyItsPartOfALargerMatrix) {
  using T = typename TypeParam::Scalar;
  for (Margin const margin : {Margin{0, 0, 1}, Margin{1, 3, 0}, Margin{2, 1, 64}}) {
    for (Shape const& shape : few_shapes()) {
      auto const [A, v, B] = real_problem<T>(shape, TestFixture::order, 23, margin);
      EXPECT_THAT(this->runner().multiply_transposed(A, B),
                  same_bits_as(reference::multiply_transposed(A.for_reference(), B)))
          << shape << ", " << A.leading() << " between lines";
    }
  }
}

TYPED_TEST(MultiplyTransposed, TakesVectorsOfAnyStride) {
  using T = typename TypeParam::Scalar;
  for (Index const stride : {2, 7}) {
    for (Shape const& shape : few_shapes()) {
      auto const [A, v, B] = real_problem<T>(shape, TestFixture::order, 24);
      EXPECT_THAT(this->runner().multiply_transposed(A, B, {.vector_stride = stride}),
                  same_bits_as(reference::multiply_transposed(A.for_reference(), B)))
          << shape << ", stride " << stride;
    }
  }
}

}  // namespace
}  // namespace tessera::test
