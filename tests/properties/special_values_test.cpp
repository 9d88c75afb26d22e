// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "support/case_test.hpp"
#include "support/methods.hpp"

/// NaN, infinity, signed zeros and subnormals.
namespace tessera::test {
namespace {

template <class C>
class SpecialValues : public CaseTest<C> {
 protected:
  using T = typename C::Scalar;
  using Limits = std::numeric_limits<T>;

  static std::vector<Shape> shapes() {
    return {{1, 1},      {3, 5},      {40, 70},   {7, 513},  {513, 7},
            {130, 1025}, {1025, 130}, {2, 16385}, {16385, 2}};
  }

  static std::size_t last(Shape const& shape) { return static_cast<std::size_t>(shape.size() - 1); }

  void expect_reference(HostMatrix<T> const& A, std::vector<T> const& v, std::vector<T> const& B) {
    EXPECT_THAT(this->runner().multiply(A, v),
                same_bits_as(reference::multiply(A.for_reference(), v)))
        << A.shape();
    EXPECT_THAT(this->runner().multiply_transposed(A, B),
                same_bits_as(reference::multiply_transposed(A.for_reference(), B)))
        << A.shape();
    for (Method const method : all_methods) {
      EXPECT_THAT(this->runner().atax(A, v, {.method = method}),
                  same_bits_as(reference::atax(A.for_reference(), v)))
          << A.shape() << ", " << name_of(method);
    }
  }

  void expect_reference(Shape const& shape, std::vector<T> const& elements) {
    auto const v = real_numbers<T>(static_cast<std::size_t>(shape.cols), 41);
    auto const B = real_numbers<T>(static_cast<std::size_t>(shape.rows), 42);
    expect_reference({shape, C::order, elements}, v, B);
  }
};
TYPED_TEST_SUITE(SpecialValues, Cases, CaseName);

TYPED_TEST(SpecialValues, NaNsOfTheMatrixReachTheirResultsAndNoOthers) {
  using T = typename TypeParam::Scalar;
  for (Shape const& shape : this->shapes()) {
    for (std::size_t const place : {std::size_t{0}, this->last(shape) / 2, this->last(shape)}) {
      auto elements = real_numbers<T>(this->last(shape) + 1, 43);
      elements[place] = std::numeric_limits<T>::quiet_NaN();
      this->expect_reference(shape, elements);
    }
  }
}

TYPED_TEST(SpecialValues, InfinitiesOfTheMatrixPropagate) {
  using T = typename TypeParam::Scalar;
  T const infinity = std::numeric_limits<T>::infinity();
  for (Shape const& shape : this->shapes()) {
    auto elements = real_numbers<T>(this->last(shape) + 1, 44);
    elements[0] = infinity;
    this->expect_reference(shape, elements);
    elements[this->last(shape)] = -infinity;
    this->expect_reference(shape, elements);
  }
}

TYPED_TEST(SpecialValues, OneNaNInAVectorReachesEveryResult) {
  using T = typename TypeParam::Scalar;
  for (Shape const& shape : this->shapes()) {
    auto [A, v, B] = real_problem<T>(shape, TestFixture::order, 45);
    v.back() = std::numeric_limits<T>::quiet_NaN();
    B.back() = std::numeric_limits<T>::quiet_NaN();
    for (T const b : this->runner().multiply(A, v)) ASSERT_TRUE(std::isnan(b)) << shape;
    for (T const c : this->runner().multiply_transposed(A, B)) ASSERT_TRUE(std::isnan(c)) << shape;
    this->expect_reference(A, v, B);
  }
}

TYPED_TEST(SpecialValues, InfinityTimesZeroIsNaN) {
  using T = typename TypeParam::Scalar;
  HostMatrix<T> const A({2, 2}, TestFixture::order, {0, 1, 1, 0});
  std::vector<T> const v{std::numeric_limits<T>::infinity(), 1};
  auto const B = this->runner().multiply(A, v);
  EXPECT_TRUE(std::isnan(B[0]));
  EXPECT_TRUE(std::isinf(B[1]));
}

/// 2^k whole segments or panels: nothing is padded with +0.
std::vector<Shape> whole_shapes() {
  return {{1, 256},  {5, 256},  {256, 5},  {64, 256}, {16, 512}, {512, 16},
          {3, 1024}, {1024, 3}, {3, 2048}, {2048, 3}, {3, 4096}, {4096, 3}};
}

TYPED_TEST(SpecialValues, AResultIsNeverMinusZero) {
  using T = typename TypeParam::Scalar;
  T const tiny = std::numeric_limits<T>::denorm_min();
  auto shapes = this->shapes();
  for (Shape const& shape : whole_shapes()) shapes.push_back(shape);
  for (Shape const& shape : shapes) {
    std::vector<T> const elements(this->last(shape) + 1, tiny);
    HostMatrix<T> const A(shape, TestFixture::order, elements);
    std::vector<T> const v(static_cast<std::size_t>(shape.cols), -tiny);
    std::vector<T> const B(static_cast<std::size_t>(shape.rows), -tiny);
    std::vector<T> const no_B(B.size(), T(0));
    std::vector<T> const no_C(v.size(), T(0));
    for (Index const stride : {1, 3}) {
      EXPECT_THAT(this->runner().multiply(A, v, {.vector_stride = stride}), same_bits_as(no_B))
          << shape << ", stride " << stride;
      EXPECT_THAT(this->runner().multiply_transposed(A, B, {.vector_stride = stride}),
                  same_bits_as(no_C))
          << shape << ", stride " << stride;
      for (Method const method : all_methods) {
        auto const [found_B, found_C] = this->runner().atax_with_intermediate(
            A, v, {.method = method, .vector_stride = stride});
        EXPECT_THAT(found_B, same_bits_as(no_B))
            << shape << ", " << name_of(method) << ", stride " << stride;
        EXPECT_THAT(found_C, same_bits_as(no_C))
            << shape << ", " << name_of(method) << ", stride " << stride;
      }
    }
  }
}

TYPED_TEST(SpecialValues, ZerosOfEitherSignAreData) {
  using T = typename TypeParam::Scalar;
  for (Shape const& shape : this->shapes()) {
    auto elements = whole_numbers<T>(this->last(shape) + 1, 46, 1);
    for (std::size_t i = 0; i < elements.size(); i += 3) elements[i] = -elements[i];
    this->expect_reference(shape, elements);
  }
}

TYPED_TEST(SpecialValues, SubnormalsAreKept) {
  using T = typename TypeParam::Scalar;
  using Limits = std::numeric_limits<T>;
  for (Shape const& shape : this->shapes()) {
    auto const whole = whole_numbers<T>(this->last(shape) + 1, 47, 1000);
    auto elements = whole;
    for (T& x : elements) x *= Limits::denorm_min();
    std::vector<T> const v(static_cast<std::size_t>(shape.cols), T(1));
    std::vector<T> const B(static_cast<std::size_t>(shape.rows), T(1));
    HostMatrix<T> const A(shape, TestFixture::order, elements);
    this->expect_reference(A, v, B);
    // Sums of subnormals are exact: scaled sums of whole numbers.
    auto expected = this->runner().multiply({shape, TestFixture::order, whole}, v);
    for (T& b : expected) b *= Limits::denorm_min();
    EXPECT_THAT(this->runner().multiply(A, v), same_bits_as(expected)) << shape;
  }
}

TYPED_TEST(SpecialValues, SumsMayOverflowToInfinity) {
  using T = typename TypeParam::Scalar;
  for (Shape const& shape : this->shapes()) {
    auto elements = whole_numbers<T>(this->last(shape) + 1, 48, 1);
    for (T& x : elements) x *= std::numeric_limits<T>::max() / 2;
    this->expect_reference(shape, elements);
  }
}

}  // namespace
}  // namespace tessera::test
