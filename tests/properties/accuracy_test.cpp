// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <vector>

#include <tessera/summation.hpp>

#include "support/case_test.hpp"
#include "support/double_double.hpp"

/// Errors stay below the bound of the summation's depth.
namespace tessera::test {
namespace {

template <class T>
double gamma(Index roundings) {
  double const ku =
      static_cast<double>(roundings) * static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  return ku / (1 - ku);
}

template <class C>
class Accuracy : public CaseTest<C> {
 protected:
  using T = typename C::Scalar;
  static constexpr bool row_major = C::order == Order::row_major;

  static double multiply_gamma(Shape const& s) {
    return gamma<T>(row_major ? summation::dot_depth<T>(s.cols)
                              : summation::sum_depth(s.cols, s.rows));
  }
  static double multiply_transposed_gamma(Shape const& s) {
    return gamma<T>(row_major ? summation::sum_depth(s.rows, s.cols)
                              : summation::dot_depth<T>(s.rows));
  }

  static void expect_within(double factor, Truth const& truth, std::vector<T> const& found,
                            Shape const& shape) {
    ASSERT_EQ(found.size(), truth.value.size());
    // Error of the truth: fewer than 2^20 terms, 2^-100 each.
    double const slack = std::ldexp(1.0, -80);
    for (std::size_t i = 0; i < found.size(); ++i) {
      double const error = std::abs(truth.value[i].error_of(static_cast<double>(found[i])));
      ASSERT_LE(error, (factor + slack) * truth.magnitude[i]) << shape << ", element " << i;
    }
  }
};
TYPED_TEST_SUITE(Accuracy, Cases, CaseName);

TYPED_TEST(Accuracy, MultiplyIsWithinItsBound) {
  using T = typename TypeParam::Scalar;
  for (Shape const& shape : few_shapes()) {
    auto const [A, v, B] = real_problem<T>(shape, TestFixture::order, 51);
    this->expect_within(this->multiply_gamma(shape), true_product(A, exactly(v), false),
                        this->runner().multiply(A, v), shape);
  }
}

TYPED_TEST(Accuracy, MultiplyTransposedIsWithinItsBound) {
  using T = typename TypeParam::Scalar;
  for (Shape const& shape : few_shapes()) {
    auto const [A, v, B] = real_problem<T>(shape, TestFixture::order, 52);
    this->expect_within(this->multiply_transposed_gamma(shape), true_product(A, exactly(B), true),
                        this->runner().multiply_transposed(A, B), shape);
  }
}

TYPED_TEST(Accuracy, AtaxIsWithinTheBoundOfBothStages) {
  using T = typename TypeParam::Scalar;
  for (Shape const& shape : few_shapes()) {
    auto const [A, v, B] = real_problem<T>(shape, TestFixture::order, 53);
    double const first = this->multiply_gamma(shape);
    double const second = this->multiply_transposed_gamma(shape);
    Truth const truth = true_product(A, true_product(A, exactly(v), false), true);
    this->expect_within(first + second + first * second, truth, this->runner().atax(A, v), shape);
  }
}

}  // namespace
}  // namespace tessera::test
