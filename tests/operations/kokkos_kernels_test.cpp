// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <KokkosBlas2_gemv.hpp>

#include <tessera/summation.hpp>

#include "support/case_test.hpp"
#include "support/device_data.hpp"
#include "support/double_double.hpp"

/// Kokkos Kernels adds in another order: results differ by at most both error bounds.
namespace tessera::test {
namespace {

template <class C>
class KokkosKernels : public CaseTest<C> {
 protected:
  using T = typename C::Scalar;

  static std::vector<T> gemv(char const* mode, HostMatrix<T> const& A, std::vector<T> const& x) {
    bool const transposed = mode[0] == 'T';
    GuardedVector<C> const in(x, 1);
    GuardedVector<C> const out(transposed ? A.shape().cols : A.shape().rows, 1);
    KokkosBlas::gemv(mode, T(1), matrix_on_device<C>(A), in.contiguous(), T(0), out.contiguous());
    Kokkos::fence();
    return out.to_host();
  }

  static double gamma(Index roundings) {
    double const unit = static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
    double const ku = static_cast<double>(roundings) * unit;
    return ku / (1 - ku);
  }

  /// n products in any order: at most n + 1 roundings each.
  static void expect_close(Index depth, Index products, Truth const& truth,
                           std::vector<T> const& found, std::vector<T> const& theirs) {
    ASSERT_EQ(found.size(), theirs.size());
    double const factor = gamma(depth) + gamma(products + 1);
    for (std::size_t i = 0; i < found.size(); ++i) {
      double const difference =
          std::abs(static_cast<double>(found[i]) - static_cast<double>(theirs[i]));
      ASSERT_LE(difference, factor * truth.magnitude[i]) << "element " << i;
    }
  }
};
TYPED_TEST_SUITE(KokkosKernels, Cases, CaseName);

TYPED_TEST(KokkosKernels, GemvAgreesWithMultiplyWithinBothBounds) {
  using T = typename TypeParam::Scalar;
  bool const row_major = TestFixture::order == Order::row_major;
  for (Shape const& shape : few_shapes()) {
    SCOPED_TRACE(testing::PrintToString(shape));
    auto const [A, v, B] = real_problem<T>(shape, TestFixture::order, 101);
    Index const depth = row_major ? summation::dot_depth<T>(shape.cols)
                                  : summation::sum_depth(shape.cols, shape.rows);
    this->expect_close(depth, shape.cols, true_product(A, exactly(v), false),
                       this->runner().multiply(A, v), this->gemv("N", A, v));
  }
}

TYPED_TEST(KokkosKernels, TransposedGemvAgreesWithMultiplyTransposedWithinBothBounds) {
  using T = typename TypeParam::Scalar;
  bool const row_major = TestFixture::order == Order::row_major;
  for (Shape const& shape : few_shapes()) {
    SCOPED_TRACE(testing::PrintToString(shape));
    auto const [A, v, B] = real_problem<T>(shape, TestFixture::order, 102);
    Index const depth = row_major ? summation::sum_depth(shape.rows, shape.cols)
                                  : summation::dot_depth<T>(shape.rows);
    this->expect_close(depth, shape.rows, true_product(A, exactly(B), true),
                       this->runner().multiply_transposed(A, B), this->gemv("T", A, B));
  }
}

TYPED_TEST(KokkosKernels, GemvEqualsMultiplyOnWholeNumbers) {
  using T = typename TypeParam::Scalar;
  for (Shape const& shape : few_shapes()) {
    auto const [A, v, B] = whole_problem<T>(shape, TestFixture::order, 103);
    EXPECT_EQ(this->runner().multiply(A, v), this->gemv("N", A, v)) << shape;
    EXPECT_EQ(this->runner().multiply_transposed(A, B), this->gemv("T", A, B)) << shape;
  }
}

}  // namespace
}  // namespace tessera::test
