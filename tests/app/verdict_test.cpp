// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include <app/verdict.hpp>
#include <kernels/compiled.hpp>
#include <tessera/atax.hpp>
#include <tessera/gemm.hpp>
#include <tessera/multiply.hpp>

namespace tessera::app {
namespace {

template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();

template <class T>
io::VectorView<T> vector_of(std::size_t size, T value) {
  io::VectorView<T> vector("vector", size);
  Kokkos::deep_copy(vector, value);
  return vector;
}

/// Reproducible numbers of many magnitudes and both signs.
template <class T, class View>
void fill(View const& view, unsigned seed) {
  std::mt19937 random(seed);
  for (std::size_t i = 0; i < view.size(); ++i) {
    double const unit = static_cast<double>(random()) / 4294967296.0 - 0.5;
    view.data()[i] = static_cast<T>(std::ldexp(unit, static_cast<int>(random() % 12)));
  }
}

template <class Matrix>
class VerdictTest : public ::testing::Test {};

using Matrices = ::testing::Types<
    io::MatrixView<float, Kokkos::LayoutRight>, io::MatrixView<float, Kokkos::LayoutLeft>,
    io::MatrixView<double, Kokkos::LayoutRight>, io::MatrixView<double, Kokkos::LayoutLeft>>;
TYPED_TEST_SUITE(VerdictTest, Matrices);

TYPED_TEST(VerdictTest, what_the_library_computes_passes_for_all_shapes) {
  using T = typename TypeParam::non_const_value_type;
  Kokkos::DefaultHostExecutionSpace const exec;
  for (auto const& [m, n] : {std::pair<std::size_t, std::size_t>{1, 1},
                             {1, 3000},
                             {3000, 1},
                             {300, 257},
                             {1000, 70},
                             {17, 70000},
                             {70000, 17}}) {
    TypeParam A("A", m, n);
    io::VectorView<T> v("v", n), B("B", m), C("C", n);
    fill<T>(A, 1);
    fill<T>(v, 2);
    atax(exec, A, v, B, C);
    exec.fence();
    for (auto const& [operation, x, result] : {std::tuple{OperationId::multiply, v, B},
                                               {OperationId::multiply_transposed, B, C},
                                               {OperationId::atax, v, C}}) {
      Verdict const verdict = judge(operation, A, x, result, "test");
      EXPECT_TRUE(verdict.passed()) << m << " x " << n << ": " << to_sentence(verdict);
      EXPECT_EQ(verdict.not_judged, 0);
    }
  }
}

TYPED_TEST(VerdictTest, whole_numbers_have_no_error_at_all) {
  using T = typename TypeParam::non_const_value_type;
  TypeParam A("A", 50, 40);
  for (std::size_t i = 0; i < 50; ++i) {
    for (std::size_t j = 0; j < 40; ++j) A(i, j) = static_cast<T>((i * 7 + j * 3) % 5) - 2;
  }
  auto const v = vector_of<T>(40, 3);
  io::VectorView<T> C("C", 40);
  Kokkos::DefaultHostExecutionSpace const exec;
  atax(exec, A, v, C);
  exec.fence();
  Verdict const verdict = judge(OperationId::atax, A, v, C, "test");
  EXPECT_EQ(verdict.worst_in_bounds, 0);
  EXPECT_EQ(verdict.greatest_ulp, 0);
}

TYPED_TEST(VerdictTest, one_rounding_error_too_many_fails) {
  using T = typename TypeParam::non_const_value_type;
  TypeParam A("A", 1, 1);
  A(0, 0) = 1;
  auto const v = vector_of<T>(1, T{1});
  auto const B = vector_of<T>(1, T{1});
  EXPECT_TRUE(judge(OperationId::multiply, A, v, B, "test").passed());
  B(0) = 1 + 16 * std::numeric_limits<T>::epsilon();
  Verdict const verdict = judge(OperationId::multiply, A, v, B, "test");
  EXPECT_FALSE(verdict.passed());
  EXPECT_EQ(verdict.greatest_ulp, 16);
  EXPECT_EQ(verdict.failed, 1);
}

TYPED_TEST(VerdictTest, sums_that_may_overflow_are_not_judged) {
  using T = typename TypeParam::non_const_value_type;
  T const largest = std::numeric_limits<T>::max();
  TypeParam A("A", 2, 2);
  Kokkos::deep_copy(A, largest);
  A(0, 1) = -largest;
  A(1, 0) = A(1, 1) = 1;
  auto const v = vector_of<T>(2, T{2});
  auto const B = vector_of<T>(2, T{4});
  B(0) = std::numeric_limits<T>::quiet_NaN();
  Verdict const verdict = judge(OperationId::multiply, A, v, B, "test");
  EXPECT_TRUE(verdict.passed());
  EXPECT_EQ(verdict.not_judged, 1);
  EXPECT_NE(to_sentence(verdict).find("1 not judged"), std::string::npos);
}

TYPED_TEST(VerdictTest, infinity_and_nan_must_stand_where_the_reference_has_them) {
  using T = typename TypeParam::non_const_value_type;
  T const nan = std::numeric_limits<T>::quiet_NaN();
  TypeParam A("A", 4, 2);
  Kokkos::deep_copy(A, T{1});
  A(0, 0) = infinity<T>;
  A(1, 0) = -infinity<T>;
  A(2, 0) = nan;
  auto const v = vector_of<T>(2, T{1});
  auto const B = vector_of<T>(4, T{2});
  B(0) = infinity<T>;
  B(1) = -infinity<T>;
  B(2) = nan;
  EXPECT_TRUE(judge(OperationId::multiply, A, v, B, "test").passed());
  for (auto const& [place, wrong] : {std::pair{0, -infinity<T>},
                                     {0, nan},
                                     {0, T{2}},
                                     {1, infinity<T>},
                                     {2, infinity<T>},
                                     {2, T{2}},
                                     {3, nan},
                                     {3, infinity<T>}}) {
    T const right = B(place);
    B(place) = wrong;
    Verdict const verdict = judge(OperationId::multiply, A, v, B, "test");
    EXPECT_EQ(verdict.failed, 1) << place << " " << wrong;
    EXPECT_EQ(verdict.worst, place);
    B(place) = right;
  }
}

TYPED_TEST(VerdictTest, products_below_the_smallest_number_are_allowed_for) {
  using T = typename TypeParam::non_const_value_type;
  TypeParam A("A", 1, 3);
  Kokkos::deep_copy(A, std::numeric_limits<T>::min());
  auto const v = vector_of<T>(3, std::numeric_limits<T>::min());
  EXPECT_TRUE(judge(OperationId::multiply, A, v, vector_of<T>(1, T{0}), "test").passed());
}

/// A product by three loops, in the type's own arithmetic.
template <class A, class B>
auto three_loops(A const& a, B const& b) {
  A c("C", a.extent(0), b.extent(1));
  for (std::size_t i = 0; i < c.extent(0); ++i) {
    for (std::size_t j = 0; j < c.extent(1); ++j) {
      typename A::value_type sum = 0;
      for (std::size_t k = 0; k < a.extent(1); ++k) sum += a(i, k) * b(k, j);
      c(i, j) = sum;
    }
  }
  return c;
}

TYPED_TEST(VerdictTest, product_of_matrices_passes_and_one_wrong_element_is_found) {
  using T = typename TypeParam::non_const_value_type;
  TypeParam A("A", 23, 301), B("B", 301, 7);
  fill<T>(A, 3);
  fill<T>(B, 4);
  Kokkos::DefaultHostExecutionSpace const exec;
  TypeParam C("C", 23, 7);
  gemm(exec, A, B, C);
  exec.fence();
  Verdict const right = judge_product(A, B, C, "test");
  EXPECT_TRUE(right.passed()) << to_sentence(right);
  EXPECT_EQ(right.elements, 23 * 7);
  EXPECT_EQ(right.not_judged, 0);
  EXPECT_GT(right.worst_in_bounds, 0);

  auto const loops = three_loops(A, B);
  EXPECT_TRUE(judge_product(A, B, loops, "test", Summation::any).passed());

  C(11, 5) += 1000 * std::numeric_limits<T>::epsilon() * std::abs(C(11, 5)) * 301;
  Verdict const wrong = judge_product(A, B, C, "test", Summation::any);
  EXPECT_FALSE(wrong.passed());
  EXPECT_EQ(wrong.failed, 1);
  EXPECT_EQ(wrong.worst, 11 * 7 + 5);
}

TYPED_TEST(VerdictTest, moved_elements_are_compared_bit_by_bit) {
  using T = typename TypeParam::non_const_value_type;
  TypeParam A("A", 131, 70), At("At", 70, 131), copy("copy", 131, 70);
  fill<T>(A, 5);
  A(3, 4) = std::numeric_limits<T>::quiet_NaN();
  A(5, 6) = T(-0.0);
  for (std::size_t i = 0; i < 131; ++i) {
    for (std::size_t j = 0; j < 70; ++j) At(j, i) = copy(i, j) = A(i, j);
  }
  EXPECT_TRUE(judge_moved(A, At, true).passed());
  EXPECT_TRUE(judge_moved(A, copy, false).passed());
  EXPECT_EQ(judge_moved(A, At, true).elements, 131 * 70);
  At(6, 5) = T(0);
  At(69, 130) = std::nextafter(At(69, 130), T(1e30));
  BitVerdict const wrong = judge_moved(A, At, true);
  EXPECT_FALSE(wrong.passed());
  EXPECT_EQ(wrong.failed, 2);
  EXPECT_EQ(to_sentence(wrong), "FAILED: 2 of 9170 elements have wrong bits");
}

// The bound is that of the library's short order of summation: a plain loop is much worse.
TEST(Verdict, plain_loop_over_a_million_terms_fails) {
  std::size_t const n = 1 << 20;
  io::MatrixView<float, Kokkos::LayoutRight> A("A", 1, n);
  Kokkos::deep_copy(A, 0.1f);
  auto const v = vector_of<float>(n, 1.0f);
  auto const B = vector_of<float>(1, 0.0f);
  for (std::size_t j = 0; j < n; ++j) B(0) += A(0, j);
  EXPECT_FALSE(judge(OperationId::multiply, A, v, B, "test").passed());
  EXPECT_TRUE(judge(OperationId::multiply, A, v, B, "test", Summation::any).passed());

  Kokkos::DefaultHostExecutionSpace const exec;
  multiply(exec, A, v, B);
  exec.fence();
  EXPECT_TRUE(judge(OperationId::multiply, A, v, B, "test").passed());
}

}  // namespace
}  // namespace tessera::app
