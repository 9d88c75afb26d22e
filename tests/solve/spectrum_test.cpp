// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/solve.hpp>

#include "solve/damaged_states.hpp"
#include "support/cases.hpp"
#include "support/data.hpp"
#include "support/device_data.hpp"
#include "support/refusal.hpp"
#include "support/same_bits.hpp"
#include "support/sha256.hpp"

/// Extreme singular values.
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
    // Within each residual is a singular value.
    double const slack = 60 * 50 * this->eps;
    EXPECT_LE(std::abs(found.largest - std::round(found.largest)), found.largest_residual + slack);
    EXPECT_LE(std::abs(found.smallest - std::round(found.smallest)),
              found.smallest_residual + slack);
  }
}

TYPED_TEST(Spectrum, SingleElementIsItsOwnSpectrum) {
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
  EXPECT_EQ(solve::power_iteration(op, {.tol = 0}, {.on_step = at_once}).stop, Stop::cancelled);
  EXPECT_EQ(solve::condition_estimate(op, {.tol = 0}, {.on_step = at_once}).stop, Stop::cancelled);
  EXPECT_EQ(solve::power_iteration(op, {.tol = 0, .maxiter = 3}).stop, Stop::iteration_limit);
  for (auto const& call :
       {+[](decltype(op) const& A) { solve::power_iteration(A, {.tol = -1}); },
        +[](decltype(op) const& A) { solve::condition_estimate(A, {.maxiter = -1}); }}) {
    EXPECT_THAT([&] { call(op); }, refuses("tol and maxiter must be at least 0"));
  }
}

/// Aᵀ·u is representable, Aᵀ·(A·v) is not.
TYPED_TEST(Spectrum, PowersBreakDownWhereProductsUnderflow) {
  using T = typename TypeParam::Scalar;
  auto const tiny = static_cast<double>(std::numeric_limits<T>::denorm_min());
  auto const found = solve::power_iteration(
      this->matrix(40, 3, [=](std::size_t i, std::size_t) { return i % 2 == 0 ? tiny : -tiny; }));
  EXPECT_EQ(found.stop, Stop::breakdown) << sentence(found.stop);
  EXPECT_FALSE(solve::is_success(found.stop));
  EXPECT_EQ(found.s, 0);
}

/// 1 x 1: β is 0 after an iteration.
TYPED_TEST(Spectrum, ConditionConvergesWhereTheSpaceIsInvariant) {
  std::optional<solve::State<typename TypeParam::Scalar>> kept;
  auto const found = solve::condition_estimate(
      this->matrix(1, 1, [](std::size_t, std::size_t) { return 2; }), {.tol = 0},
      {.wants_state = [](solve::Step const&) { return true; },
       .on_state = [&](auto const& state) { kept = state; }});
  EXPECT_EQ(found.stop, Stop::converged);
  EXPECT_EQ(found.condition, 1);
  EXPECT_FALSE(kept);
}

template <class Op, class Options, class Control>
std::vector<double> numbers_of(bool is_power, Op const& op, Options const& options,
                               Control const& control, Stop& stop, solve::Index& iterations) {
  using Exec = std::remove_cvref_t<decltype(op.exec())>;
  if (is_power) {
    auto const found = solve::power_iteration(op, options, control);
    stop = found.stop;
    iterations = found.iterations;
    std::vector<double> numbers{found.s, found.residual};
    auto const v =
        solve::detail::to_host<Exec, typename decltype(found.v)::value_type>(op.exec(), found.v);
    numbers.insert(numbers.end(), v.begin(), v.end());
    return numbers;
  }
  auto const found = solve::condition_estimate(op, options, control);
  stop = found.stop;
  iterations = found.iterations;
  return {found.largest, found.smallest, found.largest_residual, found.smallest_residual,
          found.condition};
}

TYPED_TEST(Spectrum, HasTheBitsOfOneRunWhereverItIsInterrupted) {
  using T = typename TypeParam::Scalar;
  auto const op = this->whole_numbers_of(60, 40);
  for (bool const is_power : {true, false}) {
    for (bool const converges : {true, false}) {
      solve::SpectrumOptions const options{.tol = converges ? 1e-1 : 0,
                                           .maxiter = converges ? 0 : 17};
      Stop stop{};
      solve::Index steps = 0;
      auto const whole = numbers_of(is_power, op, options, solve::Control<T>{}, stop, steps);
      EXPECT_EQ(stop, converges ? Stop::converged : Stop::iteration_limit);
      EXPECT_GT(steps, 5);
      solve::Index told = 0;
      for (solve::Index step = 1; step <= steps; ++step) {
        std::optional<solve::State<T>> kept;
        solve::Control<T> const control{
            .on_step =
                [&](solve::Step const& now) {
                  ++told;
                  EXPECT_EQ(now.reads, now.iteration + 1);
                  EXPECT_GT(now.objective, 0);
                  return now.iteration < step;
                },
            .wants_state = [&](solve::Step const& now) { return now.iteration == step; },
            .on_state = [&](solve::State<T> const& state) { kept = state; }};
        Stop why{};
        solve::Index done = 0;
        auto const part = numbers_of(is_power, op, options, control, why, done);
        EXPECT_EQ(done, step);
        EXPECT_EQ(why, step < steps ? Stop::cancelled : stop);
        auto cut = options;
        cut.maxiter = step;
        EXPECT_THAT(part,
                    same_bits_as(numbers_of(is_power, op, cut, solve::Control<T>{}, why, done)));
        ASSERT_TRUE(kept);
        solve::Index const before = op.reads();
        EXPECT_THAT(
            numbers_of(is_power, op, options, solve::Control<T>{.resume = &*kept}, why, done),
            same_bits_as(whole));
        EXPECT_EQ(op.reads() - before, steps - step);
        EXPECT_EQ(done, steps);
        EXPECT_EQ(why, stop);
      }
      EXPECT_EQ(told, steps * (steps + 1) / 2);
    }
  }
}

TYPED_TEST(Spectrum, RefusesStatesThatDoNotFit) {
  using T = typename TypeParam::Scalar;
  auto const op = this->whole_numbers_of(60, 40);
  auto const narrow = this->whole_numbers_of(60, 39);
  Stop stop{};
  solve::Index steps = 0;
  solve::SpectrumOptions const options{.maxiter = 9};
  auto const expect_refused = [&](bool is_power, auto const& of, solve::State<T> const& state,
                                  char const* why) {
    EXPECT_THAT(
        [&] {
          numbers_of(is_power, of, options, solve::Control<T>{.resume = &state}, stop, steps);
        },
        refuses(why));
  };
  for (bool const is_power : {true, false}) {
    std::optional<solve::State<T>> kept;
    solve::Control<T> const control{
        .wants_state = [](solve::Step const& now) { return now.iteration == 5; },
        .on_state = [&](solve::State<T> const& state) { kept = state; }};
    numbers_of(is_power, op, options, control, stop, steps);
    ASSERT_TRUE(kept);
    char const* const of = is_power ? "found one of power_iteration of 60 x 40"
                                    : "found one of condition_estimate of 60 x 40";
    expect_refused(!is_power, op, *kept, of);
    expect_refused(is_power, narrow, *kept, of);
    for (std::size_t i = 0; i < 2; ++i) {
      auto shorter = *kept;
      shorter.vectors[i].pop_back();
      expect_refused(is_power, op, shorter, "the state is damaged");
    }
    for (solve::Index const iteration : {solve::Index{0}, solve::Index{-1}}) {
      auto other = *kept;
      other.iteration = iteration;
      expect_refused(is_power, op, other, "the state is damaged");
    }
    auto fewer = *kept;
    fewer.numbers.pop_back();
    expect_refused(is_power, op, fewer, "the state is damaged");
    resume_with_wrong_numbers(*kept, [&](auto const& state) {
      numbers_of(is_power, op, options, solve::Control<T>{.resume = &state}, stop, steps);
    });
    for (std::size_t i = 0; i < kept->numbers.size(); ++i) {
      auto damaged = *kept;
      damaged.numbers[i] = std::numeric_limits<double>::quiet_NaN();
      expect_refused(is_power, op, damaged, "the state is damaged");
    }
  }
}

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
