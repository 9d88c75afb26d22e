// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/solve.hpp>

#include "support/cases.hpp"
#include "support/data.hpp"
#include "support/device_data.hpp"
#include "support/same_bits.hpp"
#include "support/sha256.hpp"

/// The ends of spectra, on every backend, layout and scalar type.
namespace tessera::test {
namespace {

using solve::Stop;

template <class C>
class Spectrum : public testing::Test {
 protected:
  using Exec = typename C::Exec;
  using T = typename C::Scalar;
  static constexpr double eps = std::numeric_limits<T>::epsilon();

  template <class Entry>
  static auto matrix(std::size_t rows, std::size_t cols, Entry const& entry) {
    DeviceMatrix<C> const A("A", rows, cols);
    auto const mirror = Kokkos::create_mirror_view(A);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < cols; ++j) mirror(i, j) = static_cast<T>(entry(i, j));
    }
    Kokkos::deep_copy(A, mirror);
    return solve::MatrixOperator<Exec, DeviceMatrix<C>>(Exec(), A);
  }
  static auto diagonal(std::size_t rows, std::vector<double> const& s) {
    return matrix(rows, s.size(), [&](std::size_t i, std::size_t j) { return i == j ? s[i] : 0; });
  }
  static auto whole_numbers_of(std::size_t rows, std::size_t cols) {
    return matrix(rows, cols, [=](std::size_t i, std::size_t j) {
      return whole_number<T>(1, i * cols + j, 9);
    });
  }
};
TYPED_TEST_SUITE(Spectrum, Cases, CaseName);

TYPED_TEST(Spectrum, PowersFindTheLargestValue) {
  auto const op = this->diagonal(9, {1, 8, 4, 2, 0.5});
  auto const found = solve::power_iteration(op, {.tol = 1e-3});
  EXPECT_EQ(found.stop, Stop::converged);
  EXPECT_NEAR(found.s, 8, 8e-3);
  EXPECT_LE(found.residual, 8e-3);
  EXPECT_EQ(found.reads, found.iterations + 1);
  auto const v = solve::detail::to_host<typename TypeParam::Exec, typename TypeParam::Scalar>(
      op.exec(), found.v);
  EXPECT_NEAR(std::abs(v[1]), 1, 2e-3);
}

TYPED_TEST(Spectrum, PowersFindValuesOfAnySize) {
  for (int const power : {-100, 100}) {
    auto const found = solve::power_iteration(this->matrix(3, 2, [&](std::size_t i, std::size_t j) {
      return i == j ? std::ldexp(1.0 + static_cast<double>(i), power) : 0;
    }));
    EXPECT_EQ(found.stop, Stop::converged);
    EXPECT_NEAR(std::ldexp(found.s, -power), 2, 2e-2);
  }
}

TYPED_TEST(Spectrum, ConditionIsThatOfAKnownSpectrum) {
  auto const found = solve::condition_estimate(this->diagonal(9, {1, 8, 4, 2, 0.5}), {.tol = 1e-4});
  EXPECT_EQ(found.stop, Stop::converged);
  EXPECT_NEAR(found.largest, 8, 8e-4);
  EXPECT_NEAR(found.smallest, 0.5, 0.5e-4 + 200 * this->eps);
  EXPECT_NEAR(found.condition, 16, 16e-3);
  EXPECT_LE(found.iterations, 10);
  EXPECT_EQ(found.reads, found.iterations + 1);
}

TYPED_TEST(Spectrum, ConditionIsFoundFromBelow) {
  std::vector<double> s;
  for (int i = 0; i < 60; ++i) s.push_back(1 + i);
  for (solve::Index const steps : {1, 2, 5, 17}) {
    auto const found = solve::condition_estimate(this->diagonal(80, s), {.maxiter = steps});
    EXPECT_EQ(found.stop, Stop::iteration_limit);
    EXPECT_EQ(found.iterations, steps);
    EXPECT_LE(found.largest, 60 * (1 + 20 * this->eps));
    EXPECT_GE(found.smallest, 1 - 60 * 20 * this->eps);
    // A value of the spectrum lies within each residual.
    double const slack = 60 * 50 * this->eps;
    EXPECT_LE(std::abs(found.largest - std::round(found.largest)), found.largest_residual + slack);
    EXPECT_LE(std::abs(found.smallest - std::round(found.smallest)),
              found.smallest_residual + slack);
  }
}

TYPED_TEST(Spectrum, OfOneElementIsIt) {
  auto const one = this->matrix(1, 1, [](std::size_t, std::size_t) { return -3; });
  EXPECT_NEAR(solve::power_iteration(one).s, 3, 10 * this->eps);
  auto const found = solve::condition_estimate(one);
  EXPECT_EQ(found.stop, Stop::converged);
  EXPECT_NEAR(found.condition, 1, 10 * this->eps);
}

TYPED_TEST(Spectrum, SaysWhyItStops) {
  auto const zeros = this->matrix(4, 3, [](std::size_t, std::size_t) { return 0; });
  EXPECT_EQ(solve::power_iteration(zeros).stop, Stop::zero_solution);
  EXPECT_EQ(solve::condition_estimate(zeros).stop, Stop::zero_solution);
  auto const bad = this->matrix(4, 3, [](std::size_t i, std::size_t j) {
    return i == 2 && j == 1 ? std::numeric_limits<double>::infinity() : 1;
  });
  EXPECT_EQ(solve::power_iteration(bad).stop, Stop::not_finite);
  EXPECT_EQ(solve::condition_estimate(bad).stop, Stop::not_finite);
  auto const op = this->whole_numbers_of(60, 40);
  auto const at_once = [](solve::Step const&) { return false; };
  EXPECT_EQ(solve::power_iteration(op, {.tol = 0, .on_step = at_once}).stop, Stop::cancelled);
  EXPECT_EQ(solve::condition_estimate(op, {.tol = 0, .on_step = at_once}).stop, Stop::cancelled);
  EXPECT_EQ(solve::power_iteration(op, {.tol = 0, .maxiter = 3}).stop, Stop::iteration_limit);
  for (auto const& call :
       {+[](decltype(op) const& A) { solve::power_iteration(A, {.tol = -1}); },
        +[](decltype(op) const& A) { solve::condition_estimate(A, {.maxiter = -1}); }}) {
    EXPECT_THAT([&] { call(op); }, testing::ThrowsMessage<std::invalid_argument>(
                                       testing::HasSubstr("expected tol and maxiter")));
  }
}

/// ctest runs this with several numbers of threads.
TYPED_TEST(Spectrum, HasTheCommittedBits) {
  constexpr bool is_float = std::same_as<typename TypeParam::Scalar, float>;
  constexpr bool has_rows = TypeParam::order == Order::row_major;
  auto const op = this->whole_numbers_of(700, 300);
  auto const power = solve::power_iteration(op, {.maxiter = 20});
  auto const condition = solve::condition_estimate(op, {.maxiter = 40});
  std::vector<double> const all{power.s,
                                power.residual,
                                condition.largest,
                                condition.smallest,
                                condition.largest_residual,
                                condition.smallest_residual};
  EXPECT_EQ(sha256(all),
            is_float
                ? (has_rows ? "9d7450e50540dd022eb69372462caa531b7e60e4de9e3d9285e3d82c3bc3d516"
                            : "d538775eab0a19e8bfecc1ce971bd7c1fb1ab618576d41c4e31aa11cdc78cca5")
                : (has_rows ? "e45aac401385224bc7598d1221e990583a8ec7fb205f24fe14ee3c17f1130677"
                            : "7ba7e2d318ea1c124ce3e132d18193dcbd6fbc7dcc7676935aa506a37c46433e"));
}

}  // namespace
}  // namespace tessera::test
