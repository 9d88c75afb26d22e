// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/solve.hpp>

#include "solve/householder.hpp"
#include "support/cases.hpp"
#include "support/data.hpp"
#include "support/device_data.hpp"
#include "support/host_matrix.hpp"
#include "support/refusal.hpp"
#include "support/same_bits.hpp"
#include "support/sha256.hpp"

/// Least squares by `cgls`.
namespace tessera::test {
namespace {

using solve::Stop;

template <class C>
class Cgls : public testing::Test {
 protected:
  using Exec = typename C::Exec;
  using T = typename C::Scalar;
  using Options = solve::CglsOptions<Exec, T>;
  static constexpr Index rows = 90;
  static constexpr Index cols = 14;

  static T element(Index i, Index j, Index n = cols) {
    auto const index = static_cast<std::uint64_t>(i * n + j);
    return whole_number<T>(1, index, 50) + (i == j ? T(300) : T(0));
  }
  static DeviceMatrix<C> matrix(Index m = rows, Index n = cols) {
    DeviceMatrix<C> const A("A", static_cast<std::size_t>(m), static_cast<std::size_t>(n));
    auto const mirror = Kokkos::create_mirror_view(A);
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) mirror(i, j) = element(i, j, n);
    }
    Kokkos::deep_copy(A, mirror);
    return A;
  }
  static DeviceVector<C> vector(std::vector<T> const& x) {
    return GuardedVector<C>(x, 1).contiguous();
  }
  static std::vector<T> on_host(solve::Values<Exec, T> const& x) {
    auto const mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
    return std::vector<T>(mirror.data(), mirror.data() + mirror.size());
  }
  static std::vector<T> right_side() { return whole_numbers<T>(rows, 5, 9); }

  solve::LeastSquares<Exec, T> run(std::vector<T> const& b, Options const& options = {},
                                   solve::Control<T> const& control = {}) const {
    solve::MatrixOperator const op(Exec(), matrix());
    return solve::cgls(op, vector(b), options, control);
  }
};
TYPED_TEST_SUITE(Cgls, Cases, CaseName);

TYPED_TEST(Cgls, AgreesWithADirectSolution) {
  Index const rows = TestFixture::rows;
  Index const cols = TestFixture::cols;
  for (double const damp : {0.0, 40.0}) {
    auto const all = static_cast<std::size_t>(rows + (damp > 0 ? cols : 0));
    LongRows A(all, std::vector<long double>(static_cast<std::size_t>(cols)));
    std::vector<long double> b(all);
    auto const right = TestFixture::right_side();
    for (Index i = 0; i < static_cast<Index>(all); ++i) {
      auto& row = A[static_cast<std::size_t>(i)];
      if (i < rows) b[static_cast<std::size_t>(i)] = right[static_cast<std::size_t>(i)];
      for (Index j = 0; j < cols; ++j) {
        row[static_cast<std::size_t>(j)] = i < rows        ? TestFixture::element(i, j)
                                           : i - rows == j ? static_cast<long double>(damp)
                                                           : 0;
      }
    }
    auto const direct = solve_by_householder(A, b);
    auto const found = this->run(right, {.damp = damp, .rtol = 1e-6, .history = true});
    EXPECT_EQ(found.stop, Stop::least_squares) << solve::sentence(found.stop);
    EXPECT_EQ(found.reads, found.iterations + 2);
    EXPECT_EQ(found.history.size(), static_cast<std::size_t>(found.iterations));
    auto const x = TestFixture::on_host(found.x);
    for (std::size_t j = 0; j < x.size(); ++j) {
      EXPECT_NEAR(static_cast<double>(x[j]), static_cast<double>(direct[j]),
                  1e-5 * (1 + std::fabs(static_cast<double>(direct[j]))));
    }
  }
}

TYPED_TEST(Cgls, SaysWhyItStops) {
  using T = typename TypeParam::Scalar;
  auto const b = TestFixture::right_side();
  EXPECT_EQ(this->run(b, {.maxiter = 2}).stop, Stop::iteration_limit);
  EXPECT_EQ(this->run(std::vector<T>(b.size())).stop, Stop::zero_solution);
  auto bad = b;
  bad[7] = std::numeric_limits<T>::quiet_NaN();
  auto const not_finite = this->run(bad);
  EXPECT_EQ(not_finite.stop, Stop::not_finite);
  EXPECT_TRUE(std::isnan(not_finite.normr));
  EXPECT_EQ(this->run(b, {}, {.on_step = [](auto const&) { return false; }}).stop, Stop::cancelled);
  auto const exact = this->run(b, {.rtol = 1e-30, .maxiter = 200});
  EXPECT_EQ(exact.stop, Stop::least_squares_to_precision) << solve::sentence(exact.stop);
  EXPECT_THAT([&] { this->run(b, {.rtol = -1}); },
              refuses("tessera::cgls: rtol must be a number of at least 0, found -1"));
}

TYPED_TEST(Cgls, SaysThatAConsistentSystemIsSolved) {
  using T = typename TypeParam::Scalar;
  DeviceMatrix<TypeParam> const A("A", 3, 2);
  auto const mirror = Kokkos::create_mirror_view(A);
  mirror(0, 0) = mirror(2, 0) = mirror(1, 1) = mirror(2, 1) = T(1);
  Kokkos::deep_copy(A, mirror);
  solve::MatrixOperator const op(typename TestFixture::Exec(), A);
  auto const found = solve::cgls(op, this->vector({2, 3, 5}), {.rtol = 1e-5});
  EXPECT_EQ(found.stop, Stop::solved) << solve::sentence(found.stop);
  auto const x = TestFixture::on_host(found.x);
  EXPECT_NEAR(static_cast<double>(x[0]), 2, 1e-4);
  EXPECT_NEAR(static_cast<double>(x[1]), 3, 1e-4);
}

/// Aᵀ·b is representable, A·(Aᵀ·b) is not.
TYPED_TEST(Cgls, BreaksDownWhereProductsUnderflow) {
  using T = typename TypeParam::Scalar;
  DeviceMatrix<TypeParam> const A("A", 3, 2);
  Kokkos::deep_copy(A, std::ldexp(T(1), std::numeric_limits<T>::min_exponent * 3 / 4));
  solve::MatrixOperator const op(typename TestFixture::Exec(), A);
  auto const found = solve::cgls(op, this->vector({2, 3, 5}));
  EXPECT_EQ(found.stop, Stop::breakdown) << solve::sentence(found.stop);
  EXPECT_FALSE(solve::is_success(found.stop));
  EXPECT_EQ(found.iterations, 0);
  EXPECT_EQ(TestFixture::on_host(found.x), (std::vector<T>{0, 0}));
}

TYPED_TEST(Cgls, ResumesFromEveryIterationWithSameBits) {
  using T = typename TypeParam::Scalar;
  auto const b = TestFixture::right_side();
  typename TestFixture::Options const options{.damp = 2, .rtol = 0, .maxiter = 9};
  std::vector<solve::State<T>> states;
  auto const whole = this->run(b, options,
                               {.wants_state = [](auto const&) { return true; },
                                .on_state = [&](auto const& s) { states.push_back(s); }});
  ASSERT_EQ(states.size(), 8U);
  for (auto& state : states) {
    auto const rest = this->run(b, options, {.resume = &state});
    EXPECT_THAT(TestFixture::on_host(rest.x), same_bits_as(TestFixture::on_host(whole.x)));
    EXPECT_EQ(rest.normr, whole.normr);
    EXPECT_EQ(rest.reads, 9 - state.iteration);
    state.vectors.pop_back();
    EXPECT_THAT([&] { this->run(b, options, {.resume = &state}); },
                refuses("the state is damaged"));
  }
}

TYPED_TEST(Cgls, HandsOnItsLastState) {
  using T = typename TypeParam::Scalar;
  auto const b = TestFixture::right_side();
  std::vector<solve::State<T>> states;
  solve::Control<T> const keeping{.on_state = [&](auto const& s) { states.push_back(s); },
                                  .wants_last_state = true};
  this->run(b, {.damp = 2, .rtol = 0, .maxiter = 4}, keeping);
  ASSERT_EQ(states.size(), 1U);
  EXPECT_EQ(states.front().iteration, 4);
  typename TestFixture::Options const options{.damp = 2, .rtol = 0, .maxiter = 9};
  auto const whole = this->run(b, options, {});
  auto const rest = this->run(b, options, {.resume = &states.front()});
  EXPECT_THAT(TestFixture::on_host(rest.x), same_bits_as(TestFixture::on_host(whole.x)));
}

TYPED_TEST(Cgls, HasTheCommittedBits) {
  using T = typename TypeParam::Scalar;
  constexpr bool is_float = std::same_as<T, float>;
  constexpr bool has_rows = TypeParam::order == reference::Order::row_major;
  std::string const expected =
      is_float ? (has_rows ? "4063134eb7a62b46f429bcc383d6053939fba5b571d9bfa4cb12d5f1f79fae1a"
                           : "927cbe2148b9a1389c794838c48e64d4148bcbca5f3ed129ab981082c8730e0a")
               : (has_rows ? "433a5e2eb77a88c585d47de5363b39a91528c26f8bafd88a03f02234e641b2a5"
                           : "a0bf88dd5a1361ff889e7800b9598157d1419c456d495f3704c036cdfd46cda8");
  solve::MatrixOperator const op(typename TestFixture::Exec(), this->matrix(1500, 320));
  auto const b = this->vector(whole_numbers<T>(1500, 5, 9));
  auto const found = solve::cgls(op, b, {.damp = 2, .rtol = 0, .maxiter = 20});
  EXPECT_EQ(sha256(TestFixture::on_host(found.x)), expected);
}

}  // namespace
}  // namespace tessera::test
