// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "support/case_test.hpp"
#include "support/methods.hpp"
#include "support/whole_arithmetic.hpp"

/// C = A^T (A v).
namespace tessera::test {
namespace {

template <class C>
using Atax = CaseTest<C>;
TYPED_TEST_SUITE(Atax, Cases, CaseName);

TYPED_TEST(Atax, IsExactOnWholeNumbersOfEveryShapeByEveryMethod) {
  using T = typename TypeParam::Scalar;
  for (Shape const& shape : all_shapes()) {
    auto const [A, v, B] = whole_problem<T>(shape, TestFixture::order, 31);
    auto const expected = whole::atax(A, v);
    for (Method const method : all_methods) {
      EXPECT_THAT(this->runner().atax(A, v, {.method = method}), same_bits_as(expected))
          << shape << ", " << name_of(method);
    }
  }
}

TYPED_TEST(Atax, HasTheBitsOfTheReferenceForEveryShapeByEveryMethod) {
  using T = typename TypeParam::Scalar;
  for (Shape const& shape : all_shapes()) {
    auto const [A, v, B] = real_problem<T>(shape, TestFixture::order, 32);
    auto const expected = reference::atax(A.for_reference(), v);
    for (Method const method : all_methods) {
      EXPECT_THAT(this->runner().atax(A, v, {.method = method, .kept_workspace = true}),
                  same_bits_as(expected))
          << shape << ", " << name_of(method);
    }
  }
}

TYPED_TEST(Atax, FusedEqualsTwoStageBitForBit) {
  using T = typename TypeParam::Scalar;
  for (Shape const& shape : few_shapes()) {
    auto const [A, v, B] = real_problem<T>(shape, TestFixture::order, 33);
    auto const fused = this->runner().atax(A, v, {.method = Method::fused});
    auto const product = this->runner().multiply(A, v);
    EXPECT_THAT(this->runner().atax(A, v, {.method = Method::two_stage}), same_bits_as(fused))
        << shape;
    EXPECT_THAT(this->runner().multiply_transposed(A, product), same_bits_as(fused)) << shape;
  }
}

TYPED_TEST(Atax, GivesTheIntermediateProductOnRequest) {
  using T = typename TypeParam::Scalar;
  for (Shape const& shape : few_shapes()) {
    auto const [A, v, unused] = real_problem<T>(shape, TestFixture::order, 34);
    for (Method const method : all_methods) {
      auto const [B, C] = this->runner().atax_with_intermediate(A, v, {.method = method});
      EXPECT_THAT(B, same_bits_as(reference::multiply(A.for_reference(), v)))
          << shape << ", " << name_of(method);
      EXPECT_THAT(C, same_bits_as(reference::atax(A.for_reference(), v)))
          << shape << ", " << name_of(method);
    }
  }
}

TYPED_TEST(Atax, ReadsOnlyItsPartOfALargerMatrix) {
  using T = typename TypeParam::Scalar;
  for (Margin const margin : {Margin{0, 0, 1}, Margin{1, 3, 0}, Margin{2, 1, 64}}) {
    for (Shape const& shape : few_shapes()) {
      auto const [A, v, B] = real_problem<T>(shape, TestFixture::order, 35, margin);
      for (Method const method : all_methods) {
        EXPECT_THAT(this->runner().atax(A, v, {.method = method}),
                    same_bits_as(reference::atax(A.for_reference(), v)))
            << shape << ", " << A.leading() << " between lines, " << name_of(method);
      }
    }
  }
}

// 512 lines make 64 panels: on a GPU with large scratch, rings of one team, two and four.
TYPED_TEST(Atax, ReadsNothingAroundLongLinesThatBeginAndEndWithinWords) {
  using T = typename TypeParam::Scalar;
  constexpr Index lanes = summation::lanes<T>;
  for (Index const length : {46 * lanes + 1, 64 * lanes + 2, 120 * lanes + 3, 270 * lanes + 1}) {
    for (Margin const margin : {Margin{}, Margin{0, 1, 0}, Margin{0, 2, 3}, Margin{1, 3, 0}}) {
      Shape const shape =
          TestFixture::order == Order::row_major ? Shape{512, length} : Shape{length, 512};
      auto const [A, v, unused] = real_problem<T>(shape, TestFixture::order, 39, margin);
      auto const [B, C] = this->runner().atax_with_intermediate(A, v, {.method = Method::fused});
      auto const product = reference::multiply(A.for_reference(), v);
      EXPECT_THAT(B, same_bits_as(product)) << shape << ", " << A.leading() << " between lines";
      EXPECT_THAT(C, same_bits_as(reference::multiply_transposed(A.for_reference(), product)))
          << shape << ", " << A.leading() << " between lines";
    }
  }
}

TYPED_TEST(Atax, TakesVectorsOfAnyStride) {
  using T = typename TypeParam::Scalar;
  for (Index const stride : {2, 7}) {
    for (Shape const& shape : few_shapes()) {
      auto const [A, v, unused] = real_problem<T>(shape, TestFixture::order, 36);
      for (Method const method : all_methods) {
        Call const call{.method = method, .vector_stride = stride};
        auto const [B, C] = this->runner().atax_with_intermediate(A, v, call);
        EXPECT_THAT(B, same_bits_as(reference::multiply(A.for_reference(), v))) << shape;
        EXPECT_THAT(C, same_bits_as(reference::atax(A.for_reference(), v)))
            << shape << ", stride " << stride << ", " << name_of(method);
      }
    }
  }
}

}  // namespace
}  // namespace tessera::test
