// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <bit>
#include <check/verdict.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/atax.hpp>
#include <tessera/gemm.hpp>
#include <tessera/multiply.hpp>
#include <tessera/narrow.hpp>

namespace tessera::check {
namespace {

template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();

template <class T>
io::VectorView<T> vector_of(std::size_t size, T value) {
  io::VectorView<T> vector("vector", size);
  Kokkos::deep_copy(vector, value);
  return vector;
}

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
    for (auto const& [operation, x, result] : {std::tuple{Operation::multiply, v, B},
                                               {Operation::multiply_transposed, B, C},
                                               {Operation::atax, v, C}}) {
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
  Verdict const verdict = judge(Operation::atax, A, v, C, "test");
  EXPECT_EQ(verdict.worst_in_bounds, 0);
  EXPECT_EQ(verdict.greatest_ulp, 0);
}

TYPED_TEST(VerdictTest, one_rounding_error_too_many_fails) {
  using T = typename TypeParam::non_const_value_type;
  TypeParam A("A", 1, 1);
  A(0, 0) = 1;
  auto const v = vector_of<T>(1, T{1});
  auto const B = vector_of<T>(1, T{1});
  EXPECT_TRUE(judge(Operation::multiply, A, v, B, "test").passed());
  B(0) = 1 + 16 * std::numeric_limits<T>::epsilon();
  Verdict const verdict = judge(Operation::multiply, A, v, B, "test");
  EXPECT_FALSE(verdict.passed());
  EXPECT_EQ(verdict.greatest_ulp, 16);
  EXPECT_EQ(verdict.failed, 1);
}

template <class Matrix>
Verdict judge_one(Matrix const& A, typename Matrix::non_const_value_type v,
                  typename Matrix::non_const_value_type result,
                  Summation order = Summation::canonical) {
  using T = typename Matrix::non_const_value_type;
  return judge(Operation::multiply, A, vector_of<T>(A.extent(1), v), vector_of<T>(1, result),
               "test", order);
}

template <class Matrix>
Matrix row_of(std::vector<typename Matrix::non_const_value_type> const& elements) {
  Matrix A("A", 1, elements.size());
  for (std::size_t j = 0; j < elements.size(); ++j) A(0, j) = elements[j];
  return A;
}

/// C = α·f(v) + β·z with the 1 x 1 matrix 1.
template <class T>
Judgement judge_terms(maps::Kind map, T x, T v, T result, double alpha = 1, T z = 0,
                      double beta = 0) {
  io::MatrixView<T, Kokkos::LayoutRight> const A("A", 1, 1);
  A(0, 0) = 1;
  Terms const terms{.map = map,
                    .of_map = vector_of<T>(1, x),
                    .alpha = alpha,
                    .beta = beta,
                    .z = vector_of<T>(1, z)};
  return judge(Operation::atax, A, vector_of<T>(1, v), vector_of<T>(1, result), "test",
               Summation::canonical, terms)
      .judgement();
}

TYPED_TEST(VerdictTest, terms_are_judged_within_a_few_roundings) {
  using T = typename TypeParam::non_const_value_type;
  using maps::Kind;
  T const some = 40 * std::numeric_limits<T>::epsilon();
  for (T const v : {T(-3), T(0.3), T(5)}) {
    for (Kind const map : {Kind::weights, Kind::minus, Kind::logistic, Kind::logistic_weights,
                           Kind::poisson, Kind::poisson_weights}) {
      T const right = maps::Function<T>{map, &v}(0, v);
      EXPECT_EQ(judge_terms<T>(map, v, v, right), Judgement::passed) << maps::name_of(map);
      T const scale = right == 0 ? T(1) : right;
      EXPECT_EQ(judge_terms<T>(map, v, v, right + some * scale * 4), Judgement::failed)
          << maps::name_of(map) << " of " << v;
    }
  }
  EXPECT_EQ(judge_terms<T>(Kind::minus, 1, 4, 3 * T(0.3) + 7, 0.3, 2, 3.5), Judgement::passed);
  EXPECT_EQ(judge_terms<T>(Kind::minus, 1, 4, 3 * T(0.3) + 7 + some, 0.3, 2, 3.5),
            Judgement::failed);
}

TYPED_TEST(VerdictTest, terms_that_are_infinite_or_overflow_are_judged) {
  using T = typename TypeParam::non_const_value_type;
  using maps::Kind;
  T const nan = std::numeric_limits<T>::quiet_NaN();
  auto const expect = [](Judgement found, Judgement wanted) { EXPECT_EQ(found, wanted); };
  expect(judge_terms<T>(Kind::weights, infinity<T>, 2, infinity<T>), Judgement::passed);
  expect(judge_terms<T>(Kind::weights, infinity<T>, 2, 5), Judgement::failed);
  expect(judge_terms<T>(Kind::weights, infinity<T>, 0, nan), Judgement::not_judged);
  expect(judge_terms<T>(Kind::minus, nan, 2, nan), Judgement::passed);
  expect(judge_terms<T>(Kind::poisson, 3, 1000, infinity<T>), Judgement::passed);
  expect(judge_terms<T>(Kind::poisson, 3, 1000, 7), Judgement::failed);
  expect(judge_terms<T>(Kind::poisson, 3, -1000, -3), Judgement::passed);
  expect(judge_terms<T>(Kind::poisson_weights, 1000, -2, -infinity<T>), Judgement::passed);
  expect(judge_terms<T>(Kind::poisson_weights, 1000, 0, nan), Judgement::not_judged);
  expect(judge_terms<T>(Kind::logistic, 1, -1000, -1), Judgement::passed);
  expect(judge_terms<T>(Kind::logistic, 0, infinity<T>, 1), Judgement::passed);
  T const half = std::numeric_limits<T>::max() / 2;
  expect(judge_terms<T>(Kind::minus, 0, half, infinity<T>, 4), Judgement::passed);
  expect(judge_terms<T>(Kind::minus, 0, half, half, 4), Judgement::failed);
  expect(judge_terms<T>(Kind::minus, 0, 1, infinity<T>, 1, infinity<T>, 2), Judgement::passed);
}

TYPED_TEST(VerdictTest, where_the_order_decides_about_overflow_numbers_are_judged_alone) {
  using T = typename TypeParam::non_const_value_type;
  T const largest = std::numeric_limits<T>::max();
  auto const A = row_of<TypeParam>({largest, -largest});
  Verdict const good = judge_one(A, 2, 0);
  EXPECT_EQ(good.judgement(), Judgement::passed) << to_sentence(good);
  EXPECT_EQ(judge_one(A, 2, largest / 2).judgement(), Judgement::failed);
  for (T const value : {infinity<T>, -infinity<T>, std::numeric_limits<T>::quiet_NaN()}) {
    Verdict const verdict = judge_one(A, 2, value);
    EXPECT_EQ(verdict.judgement(), Judgement::not_judged);
    EXPECT_FALSE(verdict.passed());
    EXPECT_EQ(verdict.failed, 0);
    EXPECT_EQ(verdict.not_judged, 1);
    EXPECT_EQ(to_sentence(verdict),
              "NOT JUDGED: 1 of 1 not judged, element 0 the first: rounding and the order of "
              "summation decide whether it is a number, an infinity or NaN");
  }
}

TYPED_TEST(VerdictTest, overflow_that_every_order_has_is_judged) {
  using T = typename TypeParam::non_const_value_type;
  T const largest = std::numeric_limits<T>::max();
  T const nan = std::numeric_limits<T>::quiet_NaN();
  auto const A = row_of<TypeParam>({largest, largest, -1});
  EXPECT_EQ(judge_one(A, 1, infinity<T>).judgement(), Judgement::passed);
  for (T const wrong : {T(0), largest, nan, -infinity<T>}) {
    Verdict const verdict = judge_one(A, 1, wrong);
    EXPECT_EQ(verdict.judgement(), Judgement::failed) << wrong;
    EXPECT_EQ(verdict.worst_reference, std::numeric_limits<double>::infinity());
  }
  EXPECT_EQ(judge_one(A, -1, -infinity<T>).judgement(), Judgement::passed);
  EXPECT_EQ(judge_one(A, -1, infinity<T>).judgement(), Judgement::failed);
}

TYPED_TEST(VerdictTest, zeros_are_no_result_of_a_product_that_overflows) {
  using T = typename TypeParam::non_const_value_type;
  TypeParam A("A", 10, 20);
  Kokkos::deep_copy(A, std::is_same_v<T, float> ? T(4e18) : T(4e153));
  auto const v = vector_of<T>(20, 1);
  for (auto const& [value, judgement] : {std::pair{T(0), Judgement::failed},
                                         {infinity<T>, Judgement::passed},
                                         {-infinity<T>, Judgement::failed}}) {
    Verdict const verdict = judge(Operation::atax, A, v, vector_of<T>(20, value), "test");
    EXPECT_EQ(verdict.judgement(), judgement) << to_sentence(verdict);
    EXPECT_EQ(verdict.failed, judgement == Judgement::failed ? 20 : 0);
  }
}

TYPED_TEST(VerdictTest, what_overflowed_in_b_goes_on_into_c) {
  using T = typename TypeParam::non_const_value_type;
  T const largest = std::numeric_limits<T>::max();
  TypeParam A("A", 2, 3);
  A(0, 0) = A(0, 1) = largest;
  A(0, 2) = 0;
  A(1, 0) = 1;
  A(1, 1) = -1;
  A(1, 2) = 1;
  auto const v = vector_of<T>(3, 1);
  auto const C = vector_of<T>(3, infinity<T>);
  C(2) = std::numeric_limits<T>::quiet_NaN();
  Verdict const verdict = judge(Operation::atax, A, v, C, "test");
  EXPECT_EQ(verdict.judgement(), Judgement::passed) << to_sentence(verdict);
  C(2) = infinity<T>;
  EXPECT_EQ(judge(Operation::atax, A, v, C, "test").worst, 2);
  C(2) = 1;
  EXPECT_EQ(judge(Operation::atax, A, v, C, "test").worst, 2);
}

TYPED_TEST(VerdictTest, magnitudes_beyond_range_do_not_keep_a_sum_from_being_judged) {
  using T = typename TypeParam::non_const_value_type;
  T const most = std::ldexp(T(1), std::numeric_limits<T>::max_exponent - 1);
  auto const A = row_of<TypeParam>({most, -most, 1});
  EXPECT_EQ(judge_one(A, 1, 1).judgement(), Judgement::passed);
  EXPECT_EQ(judge_one(A, 1, infinity<T>).judgement(), Judgement::failed);
  auto const B = row_of<TypeParam>({most, most, -most});
  EXPECT_EQ(judge_one(B, 1, most).worst_in_bounds, 0);
  EXPECT_EQ(judge_one(B, 1, most * T(1.001)).judgement(), Judgement::failed);
}

TYPED_TEST(VerdictTest, elements_that_are_not_judged_are_listed_in_runs) {
  using T = typename TypeParam::non_const_value_type;
  T const largest = std::numeric_limits<T>::max();
  TypeParam A("A", 6, 2);
  Kokkos::deep_copy(A, T(1));
  for (std::size_t const i : {std::size_t{1}, std::size_t{2}, std::size_t{4}}) {
    A(i, 0) = largest;
    A(i, 1) = -largest;
  }
  auto const v = vector_of<T>(2, 2);
  auto const B = vector_of<T>(6, 4);
  B(1) = B(2) = B(4) = infinity<T>;
  Verdict verdict = judge(Operation::multiply, A, v, B, "test");
  EXPECT_EQ(verdict.judgement(), Judgement::not_judged);
  EXPECT_EQ(verdict.not_judged, 3);
  EXPECT_EQ(verdict.judged(), 3);
  ASSERT_EQ(verdict.which_not_judged.size(), 2u);
  EXPECT_EQ(verdict.which_not_judged[0].first, 1);
  EXPECT_EQ(verdict.which_not_judged[0].last, 2);
  EXPECT_EQ(verdict.which_not_judged[1].first, 4);
  EXPECT_EQ(verdict.which_not_judged[1].last, 4);
  EXPECT_EQ(to_sentence(verdict),
            "NOT JUDGED: greatest error 0 of the bound at element 0, 0 ulp at element 0; 0 of 6 "
            "fail; 3 of 6 not judged, element 1 the first: rounding and the order of summation "
            "decide whether it is a number, an infinity or NaN");
  B(5) = 5;
  verdict = judge(Operation::multiply, A, v, B, "test");
  EXPECT_EQ(verdict.judgement(), Judgement::failed) << "an error is one beside what is not judged";
  EXPECT_EQ(verdict.worst, 5);
}

TEST(Verdict, roundings_without_a_bound_are_not_judged) {
  using Matrix = io::MatrixView<float, Kokkos::LayoutRight>;
  std::size_t const n = std::size_t{1} << 23;
  Matrix A("A", 1, n);
  A(0, 0) = 1;
  Verdict const verdict = judge_one(A, 1, 1, Summation::any);
  EXPECT_EQ(verdict.judgement(), Judgement::not_judged);
  ASSERT_EQ(verdict.which_not_judged.size(), 1u);
  EXPECT_STREQ(verdict.which_not_judged[0].why, "no bound holds after so many roundings");
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
  EXPECT_TRUE(judge(Operation::multiply, A, v, B, "test").passed());
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
    Verdict const verdict = judge(Operation::multiply, A, v, B, "test");
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
  EXPECT_TRUE(judge(Operation::multiply, A, v, vector_of<T>(1, T{0}), "test").passed());
}

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

// Bounds by hand from docs/accuracy.md, with results of matching errors. u = 2^-24 or 2^-53; g(k) =
// k u / (1 - k u) = k u + (k u)^2 + ...

using FloatRow = io::MatrixView<float, Kokkos::LayoutRight>;
using FloatColumn = io::MatrixView<float, Kokkos::LayoutLeft>;
using DoubleRow = io::MatrixView<double, Kokkos::LayoutRight>;

TEST(BoundByHand, one_product_of_floats) {
  // g(1) of float + g(4) of double (reference: chains of 2, two roundings). At most 1 + 8
  // roundings: 1 + g(9) is 1 + 5 * 2^-52.
  double const bound = 0x1p-24 * (1 + 0x1p-24 + 0x1p-27 + 21 * 0x1p-52);
  Verdict const exact = judge_one(row_of<FloatRow>({1}), 1, 1);
  EXPECT_EQ(exact.worst_bound, bound);
  EXPECT_EQ(exact.worst_in_bounds, 0);
  Verdict const next = judge_one(row_of<FloatRow>({1}), 1, 1 + 0x1p-23f);
  EXPECT_EQ(next.worst_in_bounds, 0x1p-23 / bound);
  EXPECT_EQ(next.greatest_ulp, 1);
  EXPECT_EQ(next.judgement(), Judgement::failed);
}

TEST(BoundByHand, one_product_of_doubles) {
  // g(1) = 2^-53 (1 + 2^-52); the reference adds 2 g(4)^2 + 2^-102 = 3 * 2^-102.
  EXPECT_EQ(judge_one(row_of<DoubleRow>({1}), 1, 1).worst_bound, 0x1p-53 * (1 + 30 * 0x1p-52));
}

TEST(BoundByHand, products_that_underflow) {
  // Twice the smallest number per term.
  FloatRow const A("A", 1, 3);
  Kokkos::deep_copy(A, std::numeric_limits<float>::min());
  Verdict const floats = judge_one(A, std::numeric_limits<float>::min(), 0);
  EXPECT_EQ(floats.worst_bound, 6 * 0x1p-149);
  EXPECT_EQ(floats.judgement(), Judgement::passed);
  DoubleRow const B("B", 1, 3);
  Kokkos::deep_copy(B, std::numeric_limits<double>::min());
  EXPECT_EQ(judge_one(B, std::numeric_limits<double>::min(), 0).worst_bound, 6 * 0x1p-1074);
}

TEST(BoundByHand, factors_below_the_smallest_normal_number) {
  Verdict const verdict = judge_one(row_of<DoubleRow>({0x1p1000}), 0x1p-1060, 0x1p-60);
  EXPECT_EQ(verdict.worst_bound, 0x1p-113 * (1 + 30 * 0x1p-52));
}

TEST(BoundByHand, a_line_of_floats) {
  // Chains of 4, 6 levels: g(10) of float; reference: chains of 256 / 16 + 1, g(19) of double. 1 +
  // g(264) = 1 + 132 * 2^-52.
  FloatRow const A("A", 1, 256);
  Kokkos::deep_copy(A, 1.0f);
  double const relative = 10 * 0x1p-24 + 100 * 0x1p-48 + 1000 * 0x1p-72 + 19 * 0x1p-53;
  EXPECT_EQ(judge_one(A, 1, 256).worst_bound, 256 * (relative + 165 * 0x1p-73));
}

TEST(BoundByHand, a_sum_over_lines) {
  // Two panels of 8: g(9) of float, g(3) of double. 1 + g(24) = 1 + 12 * 2^-52 adds at least 13.5
  // units in the last place: 14.
  FloatColumn const A("A", 2, 16);  // a single row counts as row-major
  Kokkos::deep_copy(A, 1.0f);
  double const relative = 9 * 0x1p-24 + 81 * 0x1p-48 + 729 * 0x1p-72 + 3 * 0x1p-53;
  Verdict const verdict = judge(Operation::multiply, A, vector_of<float>(16, 1),
                                vector_of<float>(2, 16), "test", Summation::canonical);
  EXPECT_EQ(verdict.worst_bound, 16 * (relative + 14 * 0x1p-73));
}

TEST(BoundByHand, two_products_one_after_the_other) {
  // The bound is (1 + b + b / r) r (1 + g(9)), with b above, r = g(1) + g(3) of the reference
  // (chain of 1) = 2^-24 (1 + 2^-24 + 3 * 2^-29 + 2^-48) and b / r = 1 + 2^-29 + 4 * 2^-52. In
  // first order 103 * 2^-30 = 2^-24 + 3 * 2^-29 + 2^-25 + 2^-30; 41 = 16 + 9 + 11 + 5 units in the
  // last place.
  Verdict const verdict = judge(Operation::atax, row_of<FloatRow>({1}), vector_of<float>(1, 1.0f),
                                vector_of<float>(1, 1.0f), "test");
  EXPECT_EQ(verdict.worst_bound, 0x1p-23 * (1 + 103 * 0x1p-30 + 41 * 0x1p-52));
}

TEST(BoundByHand, products_of_matrices) {
  // Two chains of 256 and one addition, or 512 roundings in any order. Reference: chains of 512 /
  // 16 + 1, g(35) of double. 1 + g(520) = 1 + 260 * 2^-52.
  FloatRow const A("A", 1, 512), B("B", 512, 1), C("C", 1, 1);
  Kokkos::deep_copy(A, 1.0f);
  Kokkos::deep_copy(B, 1.0f);
  Kokkos::deep_copy(C, 512.0f);
  // In units of 2^-68: 257^3 * 2^-72 + 257^4 * 2^-96 is 1060928, and 260 * 2^-52 of the whole 261.
  double const canonical =
      257 * 0x1p-24 + 66049 * 0x1p-48 + 35 * 0x1p-53 + (1060928 + 261) * 0x1p-68;
  EXPECT_EQ(judge_product(A, B, C, "test").worst_bound, 512 * canonical);
  double const any = 1 + 0x1p-15 + 0x1p-30 + 35 * 0x1p-38 + 0x1p-45 + 260 * 0x1p-52;
  EXPECT_EQ(judge_product(A, B, C, "test", Summation::any).worst_bound, 0x1p-6 * any);
}

TEST(ReferenceByHand, keeps_what_a_sum_of_doubles_rounds_away) {
  Verdict const verdict = judge_one(row_of<DoubleRow>({1, 0x1p-60}), 1, 1);
  EXPECT_EQ(verdict.worst_reference, 1);
  EXPECT_EQ(verdict.greatest_ulp, 0x1p-8);
}

TEST(ReferenceByHand, keeps_what_a_product_of_doubles_rounds_away) {
  Verdict const verdict = judge_one(row_of<DoubleRow>({1 + 0x1p-30}), 1 + 0x1p-30, 1 + 0x1p-29);
  EXPECT_EQ(verdict.greatest_ulp, 0x1p-8);
}

TEST(ReferenceByHand, keeps_what_the_first_of_two_products_rounds_away) {
  auto const C = vector_of<double>(2, 1);
  C(1) = 0x1p-60;
  Verdict const verdict =
      judge(Operation::atax, row_of<DoubleRow>({1, 0x1p-60}), vector_of<double>(2, 1), C, "test");
  EXPECT_EQ(verdict.greatest_ulp, 0x1p-8);
  EXPECT_EQ(verdict.ulp_index, 0);
}

TEST(ReferenceByHand, has_products_of_floats_exactly) {
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24, which float rounds to even.
  Verdict const verdict = judge_one(row_of<FloatRow>({1 + 0x1p-12f}), 1 + 0x1p-12f, 1 + 0x1p-11f);
  EXPECT_EQ(verdict.greatest_ulp, 0.5);
  EXPECT_EQ(verdict.worst_reference, 1 + 0x1p-11 + 0x1p-24);
}

TEST(Verdict, plain_loop_over_a_million_terms_fails) {
  std::size_t const n = 1 << 20;
  io::MatrixView<float, Kokkos::LayoutRight> A("A", 1, n);
  Kokkos::deep_copy(A, 0.1f);
  auto const v = vector_of<float>(n, 1.0f);
  auto const B = vector_of<float>(1, 0.0f);
  for (std::size_t j = 0; j < n; ++j) B(0) += A(0, j);
  EXPECT_FALSE(judge(Operation::multiply, A, v, B, "test").passed());
  EXPECT_TRUE(judge(Operation::multiply, A, v, B, "test", Summation::any).passed());

  Kokkos::DefaultHostExecutionSpace const exec;
  multiply(exec, A, v, B);
  exec.fence();
  EXPECT_TRUE(judge(Operation::multiply, A, v, B, "test").passed());
}

template <class Layout>
class StoredVerdictTest : public ::testing::Test {};
using Layouts = ::testing::Types<Kokkos::LayoutRight, Kokkos::LayoutLeft>;
TYPED_TEST_SUITE(StoredVerdictTest, Layouts);

template <class S, class Bits, class Layout>
void expect_the_verdicts_of_floats(io::ElementType type, std::size_t m, std::size_t n) {
  io::MatrixView<Bits, Layout> stored("stored", m, n);
  io::MatrixView<float, Layout> A("A", m, n);
  std::mt19937 random(1);
  for (std::size_t k = 0; k < stored.size(); ++k) {
    stored.data()[k] = static_cast<Bits>(random());  // also infinities and NaN
    A.data()[k] = widen(std::bit_cast<S>(stored.data()[k]));
  }
  io::VectorView<float> v("v", n), B("B", m), C("C", n);
  fill<float>(v, 2);
  Kokkos::DefaultHostExecutionSpace const exec;
  atax(exec, A, v, B, C);
  exec.fence();
  B(m / 2) *= 1.01F;  // wrong unless zero, infinite or NaN
  for (auto const& [operation, x, result] : {std::tuple{Operation::multiply, v, B},
                                             {Operation::multiply_transposed, B, C},
                                             {Operation::atax, v, C}}) {
    Verdict const of_floats = judge(operation, A, x, result, "test");
    Verdict const found = judge(operation, stored, type, x, result, "test");
    EXPECT_EQ(found.elements, of_floats.elements);
    EXPECT_EQ(found.failed, of_floats.failed) << to_sentence(found);
    EXPECT_EQ(found.not_judged, of_floats.not_judged);
    EXPECT_EQ(to_sentence(found), to_sentence(of_floats)) << m << " x " << n;
    EXPECT_EQ(found.worst_in_bounds, of_floats.worst_in_bounds);
    EXPECT_EQ(found.greatest_ulp, of_floats.greatest_ulp);
  }
}

TYPED_TEST(StoredVerdictTest, is_that_of_the_widened_matrix) {
  using enum io::ElementType;
  // Of several tasks, and of lines that are shorter than what is widened at a time.
  for (auto const& [m, n] :
       {std::pair<std::size_t, std::size_t>{1, 1}, {300, 257}, {17, 70000}, {70000, 17}}) {
    expect_the_verdicts_of_floats<std::uint8_t, std::uint8_t, TypeParam>(u8, m, n);
  }
  expect_the_verdicts_of_floats<std::int8_t, std::uint8_t, TypeParam>(i8, 70, 300);
  expect_the_verdicts_of_floats<Float16, std::uint16_t, TypeParam>(f16, 70, 300);
  expect_the_verdicts_of_floats<Bfloat16, std::uint16_t, TypeParam>(bf16, 70, 300);
  expect_the_verdicts_of_floats<std::int16_t, std::uint16_t, TypeParam>(i16, 70, 300);
  expect_the_verdicts_of_floats<std::uint16_t, std::uint16_t, TypeParam>(u16, 70, 300);
}

}  // namespace
}  // namespace tessera::check
