// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/solve.hpp>

#include "solve/host_source.hpp"
#include "solve/triplets.hpp"
#include "support/cases.hpp"
#include "support/data.hpp"
#include "support/device_data.hpp"
#include "support/host_matrix.hpp"
#include "support/refusal.hpp"
#include "support/same_bits.hpp"
#include "support/sha256.hpp"
#include "support/shapes.hpp"

/// Direct least squares of few columns.
namespace tessera::test {
namespace {

using solve::Stop;

template <class C>
class Direct : public TripletsTest<C> {
 protected:
  using Exec = typename C::Exec;
  using T = typename C::Scalar;
  using Options = solve::LeastSquaresOptions<Exec, T>;

  static DeviceVector<C> on_device(std::vector<T> const& x) { return vector_on_device<C>(x); }
  static std::vector<double> x_of(solve::LeastSquares<Exec, T> const& result) {
    auto const mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result.x);
    return {mirror.data(), mirror.data() + mirror.size()};
  }
  static std::vector<T> times(HostMatrix<T> const& A, std::vector<double> const& x) {
    std::vector<T> b;
    for (Index i = 0; i < A.shape().rows; ++i) {
      double sum = 0;
      for (Index j = 0; j < A.shape().cols; ++j) {
        sum += TripletsTest<C>::entry(A, i, j) * x[static_cast<std::size_t>(j)];
      }
      b.push_back(static_cast<T>(sum));
    }
    return b;
  }
  /// Nearly dependent: 1, t, t², … for t in [0, 1], of sizes from 1e-4 to 1e4.
  static HostMatrix<T> powers(Index rows, Index cols) {
    return TripletsTest<C>::matrix(rows, cols, [&](Index i, Index j) {
      double const t = static_cast<double>(i + 1) / static_cast<double>(rows);
      return std::pow(t, static_cast<double>(j)) *
             std::pow(10, -4 + 8.0 * static_cast<double>(j) / static_cast<double>(cols));
    });
  }
};
TYPED_TEST_SUITE(Direct, Cases, CaseName);

TYPED_TEST(Direct, SolvesWhatIterationsOfAnEstimateDoNot) {
  using T = typename TypeParam::Scalar;
  Index const n = std::same_as<T, float> ? 4 : 10;
  auto const A = this->powers(300, n);
  solve::MatrixOperator const op(typename TypeParam::Exec(), matrix_on_device<TypeParam>(A));
  std::vector<double> x;
  for (Index j = 0; j < n; ++j) x.push_back(static_cast<double>(j % 3 + 1));
  auto const found = solve::lstsq(op, this->on_device(this->times(A, x)));
  EXPECT_TRUE(found.is_direct);
  EXPECT_TRUE(solve::is_success(found.stop));
  EXPECT_EQ(found.rank, n);
  EXPECT_LE(found.reads, (std::same_as<T, float> ? 1 : 5));
  EXPECT_EQ(found.reads, op.reads());
  auto const solution = this->x_of(found);
  double const small = 20 * TestFixture::eps * found.conda;
  // Relative to the columns' sizes, because b = A·x was rounded.
  for (std::size_t j = 0; j < x.size(); ++j) {
    double const size = std::pow(10, -4 + 8.0 * static_cast<double>(j) / static_cast<double>(n));
    EXPECT_NEAR(solution[j] * size, x[j] * size, small * 1e4 * 3) << j;
  }
}

TYPED_TEST(Direct, FindsTheShortestOfManySolutions) {
  auto const A = this->matrix(40, 4, [](Index i, Index j) {
    return static_cast<double>(j == 3 ? 0 : j == 1 ? i % 5 - 1 : (i * i) % 7 + 1);
  });
  solve::MatrixOperator const op(typename TypeParam::Exec(), matrix_on_device<TypeParam>(A));
  auto const found = solve::lstsq(op, this->on_device(this->times(A, {2, -1, 6, 0})));
  EXPECT_EQ(found.rank, 2);
  auto const x = this->x_of(found);
  std::vector<double> const shortest{4, -1, 4, 0};
  for (std::size_t j = 0; j < x.size(); ++j) {
    EXPECT_NEAR(x[j], shortest[j], 200 * TestFixture::eps) << j;
  }
  auto const wide =
      this->matrix(2, 3, [](Index i, Index j) { return static_cast<double>(i == 0 ? 1 : j); });
  solve::MatrixOperator const of_wide(typename TypeParam::Exec(),
                                      matrix_on_device<TypeParam>(wide));
  auto const flat = this->x_of(solve::lstsq(of_wide, this->on_device({3, 3})));
  for (double const entry : flat) EXPECT_NEAR(entry, 1, 100 * TestFixture::eps);
}

TYPED_TEST(Direct, ManyPenaltiesAndRightSidesHaveTheBitsOfEach) {
  using T = typename TypeParam::Scalar;
  auto const A = this->powers(400, 6);
  solve::MatrixOperator const op(typename TypeParam::Exec(), matrix_on_device<TypeParam>(A));
  auto const b = this->on_device(whole_numbers<T>(400, 5, 9));
  std::vector<double> const lambdas{0, 1e-6, 0.5, 1e4};
  auto const path = solve::ridge_path(op, b, lambdas);
  for (std::size_t i = 0; i < lambdas.size(); ++i) {
    auto const one = solve::ridge(op, b, lambdas[i]);
    EXPECT_THAT(this->x_of(path[i]), same_bits_as(this->x_of(one))) << lambdas[i];
    EXPECT_EQ(path[i].normr, one.normr);
    EXPECT_EQ(path[i].normar, one.normar);
  }
  Kokkos::View<T**, Kokkos::LayoutRight, typename TypeParam::Exec::memory_space> const B("B", 400,
                                                                                         2);
  auto const on_host = Kokkos::create_mirror_view(B);
  for (std::size_t i = 0; i < 400; ++i) {
    on_host(i, 0) = whole_number<T>(5, i, 9);
    on_host(i, 1) = static_cast<T>(i % 11);
  }
  Kokkos::deep_copy(B, on_host);
  auto const both = solve::lstsq(op, B);
  auto const of_first = solve::lstsq(op, Kokkos::subview(B, Kokkos::ALL, 0));
  EXPECT_THAT(this->x_of(both[0]), same_bits_as(this->x_of(of_first)));
  EXPECT_EQ(both[0].reads, both[1].reads);
}

TYPED_TEST(Direct, HasTheSameBitsFromAStreamAndWithPortableKernelsAndResumed) {
  using T = typename TypeParam::Scalar;
  using Exec = typename TypeParam::Exec;
  auto const A = this->powers(1500, 7);
  auto const b = this->on_device(whole_numbers<T>(1500, 5, 9));
  auto const source = source_of<TypeParam>(A, 1500, 7);
  solve::StreamOperator const streamed(Exec(), source);
  solve::MatrixOperator const op(Exec(), matrix_on_device<TypeParam>(A));
  solve::MatrixOperator const portable(Exec(), matrix_on_device<TypeParam>(A),
                                       AtaxOptions<Exec, T>{.kernels = Kernels::portable});
  auto const whole = solve::lstsq(op, b);
  EXPECT_THAT(this->x_of(solve::lstsq(streamed, b)), same_bits_as(this->x_of(whole)));
  EXPECT_THAT(this->x_of(solve::lstsq(portable, b)), same_bits_as(this->x_of(whole)));
  for (Index read = 1; read <= whole.reads; ++read) {
    std::optional<solve::State<T>> kept;
    solve::Control<T> const control{
        .on_step = [&](solve::Step const& step) { return step.iteration < read; },
        .wants_state = [&](solve::Step const& step) { return step.iteration == read; },
        .on_state = [&](solve::State<T> const& state) { kept = state; }};
    EXPECT_EQ(solve::lstsq(op, b, {}, control).stop, Stop::cancelled);
    ASSERT_TRUE(kept);
    auto const rest = solve::lstsq(op, b, {}, {.resume = &*kept});
    EXPECT_THAT(this->x_of(rest), same_bits_as(this->x_of(whole)));
    EXPECT_EQ(rest.reads, whole.reads - read);
    EXPECT_THAT([&] { solve::ridge(op, b, 1, {}, {.resume = &*kept}); },
                refuses("found one of direct lstsq of 1500 x 7"));
  }
}

TYPED_TEST(Direct, LeavesNumbersOfAnySizeToLsmr) {
  using T = typename TypeParam::Scalar;
  int const far = std::numeric_limits<T>::max_exponent * 2 / 3;
  for (int const power : {-far, far}) {
    auto const A = this->matrix(20, 3, [&](Index i, Index j) {
      return std::ldexp(static_cast<double>((i * (j + 2)) % 7 + j), power);
    });
    solve::MatrixOperator const op(typename TypeParam::Exec(), matrix_on_device<TypeParam>(A));
    double const unit = std::ldexp(1.0, -power);
    auto const found = solve::lstsq(op, this->on_device(this->times(A, {unit, 2 * unit, unit})));
    EXPECT_TRUE(solve::is_success(found.stop)) << solve::sentence(found.stop);
    EXPECT_EQ(found.is_direct, (std::same_as<T, float>));
    EXPECT_EQ(found.reads, op.reads());
    EXPECT_NEAR(this->x_of(found)[1] * std::ldexp(1.0, power), 2, 1e-4);
  }
}

TYPED_TEST(Direct, SolvesEqualColumns) {
  using T = typename TypeParam::Scalar;
  for (Index const n : {12, 30, 200}) {
    SCOPED_TRACE(n);
    auto const A = this->matrix(300, n, [](Index, Index) { return 1.0; });
    solve::MatrixOperator const op(typename TypeParam::Exec(), matrix_on_device<TypeParam>(A));
    auto const found = solve::lstsq(op, this->on_device(std::vector<T>(300, 3)));
    EXPECT_TRUE(solve::is_success(found.stop)) << solve::sentence(found.stop);
    EXPECT_EQ(found.rank, 1);
    for (double const x : this->x_of(found)) {
      EXPECT_NEAR(x, 3 / static_cast<double>(n), 100 * TestFixture::eps);
    }
    EXPECT_EQ(solve::svd(op, 2).stop, Stop::converged);
    EXPECT_EQ(solve::pca(op, 2).svd.stop, Stop::converged);
  }
}

TYPED_TEST(Direct, SaysWhyThereIsNothing) {
  using T = typename TypeParam::Scalar;
  auto const A = this->whole_matrix(30, 4);
  auto elements = A.memory();
  elements[7] = std::numeric_limits<T>::quiet_NaN();
  solve::MatrixOperator const op(
      typename TypeParam::Exec(),
      matrix_on_device<TypeParam>(HostMatrix<T>(A.shape(), A.order(), elements)));
  EXPECT_EQ(solve::lstsq(op, this->on_device(std::vector<T>(30, 1))).stop, Stop::not_finite);
  solve::MatrixOperator const good(typename TypeParam::Exec(), matrix_on_device<TypeParam>(A));
  std::vector<T> b(30, 1);
  b[3] = std::numeric_limits<T>::infinity();
  EXPECT_EQ(solve::lstsq(good, this->on_device(b)).stop, Stop::not_finite);
  EXPECT_EQ(solve::lstsq(good, this->on_device(std::vector<T>(30))).stop, Stop::zero_solution);
  EXPECT_THAT([&] { solve::lstsq(good, this->on_device(std::vector<T>(29))); },
              testing::Throws<std::invalid_argument>());
}

TYPED_TEST(Direct, HasTheCommittedBits) {
  using T = typename TypeParam::Scalar;
  auto const A = this->powers(3000, 40);
  solve::MatrixOperator const op(typename TypeParam::Exec(), matrix_on_device<TypeParam>(A));
  auto const b = this->on_device(whole_numbers<T>(3000, 5, 9));
  std::vector<double> all = this->x_of(solve::lstsq(op, b));
  for (auto const& result : solve::ridge_path(op, b, {1e-8, 2})) {
    auto const x = this->x_of(result);
    all.insert(all.end(), x.begin(), x.end());
  }
  EXPECT_EQ(sha256(all),
            (std::same_as<T, float>
                 ? "5b8d01b0768eb58efdb2aa509cd16bb7b39deb0f3258800965ad18fdfa9c3a13"
                 : "e2bbd1ddf07771ce13d7bf0b00369b794c8ae446160c9013426cdca7ff915a37"));
}

}  // namespace
}  // namespace tessera::test
