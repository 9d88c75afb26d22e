// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/solve.hpp>

#include "solve/householder.hpp"
#include "support/cases.hpp"
#include "support/data.hpp"
#include "support/device_data.hpp"
#include "support/refusal.hpp"
#include "support/same_bits.hpp"
#include "support/sha256.hpp"

/// Least squares by `lsmr` and `lsqr`.
namespace tessera::test {
namespace {

using solve::Stop;

template <class C>
class LeastSquares : public testing::Test {
 protected:
  using Exec = typename C::Exec;
  using T = typename C::Scalar;
  using Vector = std::vector<T>;
  using Options = solve::LeastSquaresOptions<Exec, T>;
  using Operator = solve::NormalOperator<Exec, T>;
  using Control = solve::Control<T>;
  static constexpr double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());

  struct Result : solve::LeastSquares<Exec, T> {
    Vector solution;
  };
  using Call = std::function<Result(Operator const&, Vector const&, Options, Control const&)>;
  struct Method {
    char const* name;
    Call run;
    Result operator()(Operator const& A, Vector const& b, Options const& options = {},
                      Control const& control = {}) const {
      return run(A, b, options, control);
    }
  };
  static Result on_host(solve::LeastSquares<Exec, T> result) {
    return {std::move(result), copy_of(result.x)};
  }
  static std::array<Method, 2> methods() {
    return {Method{"lsmr",
                   [](Operator const& A, Vector const& b, Options const& options,
                      Control const& control) {
                     return on_host(solve::lsmr(A, on_device(b), options, control));
                   }},
            Method{"lsqr", [](Operator const& A, Vector const& b, Options const& options,
                              Control const& control) {
                     return on_host(solve::lsqr(A, on_device(b), options, control));
                   }}};
  }

  static DeviceVector<C> on_device(Vector const& x) { return vector_on_device<C>(x); }
  template <class View>
  static Vector copy_of(View const& x) {
    return elements_of(x);
  }

  struct Matrix {
    template <class Entry>
    Matrix(std::size_t m, std::size_t n, Entry const& entry)
        : rows(m), cols(n), on_device("A", m, n) {
      auto const mirror = Kokkos::create_mirror_view(on_device);
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < n; ++j) mirror(i, j) = static_cast<T>(entry(i, j));
      }
      Kokkos::deep_copy(on_device, mirror);
      host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), on_device);
    }
    auto op(Kernels kernels = Kernels::automatic) const {
      return solve::MatrixOperator<Exec, DeviceMatrix<C>>(Exec(), on_device, {.kernels = kernels});
    }
    Vector times(Vector const& x) const {
      Vector y(rows);
      for (std::size_t i = 0; i < rows; ++i) {
        long double sum = 0;
        for (std::size_t j = 0; j < cols; ++j) sum += static_cast<long double>(host(i, j)) * x[j];
        y[i] = static_cast<T>(sum);
      }
      return y;
    }
    std::pair<double, double> residuals(Vector const& x, Vector const& b) const {
      std::vector<long double> r(rows);
      long double square = 0;
      for (std::size_t i = 0; i < rows; ++i) {
        r[i] = b[i];
        for (std::size_t j = 0; j < cols; ++j) r[i] -= static_cast<long double>(host(i, j)) * x[j];
        square += r[i] * r[i];
      }
      long double gradient = 0;
      for (std::size_t j = 0; j < cols; ++j) {
        long double sum = 0;
        for (std::size_t i = 0; i < rows; ++i) sum += static_cast<long double>(host(i, j)) * r[i];
        gradient += sum * sum;
      }
      return {static_cast<double>(std::sqrt(square)), static_cast<double>(std::sqrt(gradient))};
    }
    std::vector<long double> solve(Vector const& b, long double damp = 0) const {
      LongRows all(rows + (damp > 0 ? cols : 0), std::vector<long double>(cols));
      std::vector<long double> right(all.size());
      for (std::size_t i = 0; i < rows; ++i) {
        right[i] = b[i];
        for (std::size_t j = 0; j < cols; ++j) all[i][j] = host(i, j);
      }
      for (std::size_t i = rows; i < all.size(); ++i) all[i][i - rows] = damp;
      return solve_by_householder(all, right);
    }

    std::size_t rows;
    std::size_t cols;
    DeviceMatrix<C> on_device;
    Kokkos::View<T**, typename C::Layout, Kokkos::HostSpace> host;
  };
  static Matrix random_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed = 1) {
    return Matrix(rows, cols, [=](std::size_t i, std::size_t j) {
      return whole_number<T>(seed, i * cols + j, 50) + (i == j ? 100 : 0);
    });
  }
  static Matrix bidiagonal(std::size_t rows, std::size_t cols) {
    return Matrix(rows, cols, [](std::size_t i, std::size_t j) {
      return i == j ? static_cast<double>(j + 1) : i == j + 1 ? static_cast<double>(j + 1) : 0.0;
    });
  }
  static Matrix identity(std::size_t n) {
    return Matrix(n, n, [](std::size_t i, std::size_t j) { return i == j ? 1 : 0; });
  }
  static Vector counting_down(std::size_t n) {
    return generate<T>(n, [=](std::size_t i) { return static_cast<T>(n - i); });
  }

  static Options to_the_end(Index steps) {
    return {.atol = 0, .btol = 0, .conlim = 0, .maxiter = steps};
  }
  template <class Expected>
  static void expect_near(Vector const& found, Expected const& expected, double bound,
                          std::string const& what) {
    ASSERT_EQ(found.size(), expected.size()) << what;
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(found[i]), static_cast<double>(expected[i]), bound)
          << what << ", entry " << i;
    }
  }
};
TYPED_TEST_SUITE(LeastSquares, Cases, CaseName);

TYPED_TEST(LeastSquares, OfWholeNumbersHaveTheKnownSolution) {
  using T = typename TypeParam::Scalar;
  // (1, 1, -1) is orthogonal to both columns.
  typename TestFixture::Matrix const A(
      3, 2, [](std::size_t i, std::size_t j) { return i == j || i == 2 ? 1 : 0; });
  for (auto const& solve_it : this->methods()) {
    auto const exact = solve_it(A.op(), {3, 4, 7});
    this->expect_near(exact.solution, std::vector<T>{3, 4}, 50 * this->epsilon, solve_it.name);
    EXPECT_EQ(exact.stop, Stop::solved);
    auto const fitted = solve_it(A.op(), {3 + 5, 4 + 5, 7 - 5});
    this->expect_near(fitted.solution, std::vector<T>{3, 4}, 50 * this->epsilon, solve_it.name);
    EXPECT_EQ(fitted.stop, Stop::least_squares);
    EXPECT_NEAR(fitted.normr, std::sqrt(75.0), 1e-5);
    EXPECT_LE(fitted.iterations, 2);
  }
}

TYPED_TEST(LeastSquares, OfPublishedCasesHaveThePublishedSolutions) {
  // From scipy/sparse/linalg/_isolve/tests/test_lsmr.py.
  using Vector = typename TestFixture::Vector;
  // Rounding in float destroys orthogonality before all columns are used.
  Index const steps = std::same_as<typename TypeParam::Scalar, double> ? 10 : 40;
  auto const identity = this->identity(10);
  auto const bidiagonal = this->bidiagonal(20, 10);
  for (auto const& solve_it : this->methods()) {
    for (Vector const& x : {Vector(10, 0), Vector(10, 1), this->counting_down(10)}) {
      auto const result = solve_it(identity.op(), x);
      this->expect_near(result.solution, x, 1e-5, solve_it.name);
    }
    Vector const x = this->counting_down(10);
    Vector const b = bidiagonal.times(x);
    auto const result = solve_it(bidiagonal.op(), b, {.maxiter = steps});
    this->expect_near(result.solution, x, 1e-4, solve_it.name);
    auto const [normr, normar] = bidiagonal.residuals(result.solution, b);
    EXPECT_NEAR(result.normr, normr, 1e-4);
    EXPECT_NEAR(result.normar, normar, 1e-3);
    EXPECT_NEAR(result.normx, std::sqrt(385.0), 1e-4);
    typename TestFixture::Matrix const row(1, 2, [](std::size_t, std::size_t j) { return j + 1; });
    auto const shortest = solve_it(row.op(), {3});
    this->expect_near(shortest.solution, Vector{0.6F, 1.2F}, 1e-6, solve_it.name);
  }
}

TYPED_TEST(LeastSquares, AgreeWithADirectSolution) {
  using T = typename TypeParam::Scalar;
  using Matrix = typename TestFixture::Matrix;
  std::vector<std::pair<std::string, Matrix>> const problems{
      {"tall", this->random_matrix(200, 30)},
      {"square", this->random_matrix(40, 40)},
      {"one column", this->random_matrix(300, 1)},
      {"one element", Matrix(1, 1, [](std::size_t, std::size_t) { return 7; })},
      {"Läuchli", Matrix(9, 8,
                         [](std::size_t i, std::size_t j) {
                           return i == 0 ? 1.0 : i == j + 1 ? 0.125 : 0.0;
                         })},
      {"Vandermonde", Matrix(20, 4,
                             [](std::size_t i, std::size_t j) {
                               return std::pow((static_cast<double>(i) - 9.5) / 10,
                                               static_cast<double>(j));
                             })},
      {"Hilbert", Matrix(6, 3, [](std::size_t i, std::size_t j) {
         return 1.0 / static_cast<double>(i + j + 1);
       })}};
  for (auto const& [what, A] : problems) {
    auto const b = whole_numbers<T>(A.rows, 3, 9);
    for (double const damp : {0.0, 0.5}) {
      auto const direct = A.solve(b, damp);
      double size = 0;
      for (long double const x : direct) size = std::fmax(size, std::fabs(static_cast<double>(x)));
      for (auto const& solve_it : this->methods()) {
        auto options = this->to_the_end(4 * static_cast<Index>(A.cols) + 20);
        options.damp = damp;
        auto const result = solve_it(A.op(), b, options);
        EXPECT_TRUE(solve::is_success(result.stop) || result.stop == Stop::iteration_limit)
            << solve::sentence(result.stop);
        // Sensitivity of least squares, with cond(A) in the Frobenius norm.
        double const bound = 4 * this->epsilon * size * (1 + result.conda * result.conda);
        this->expect_near(result.solution, direct, bound, what + " by " + solve_it.name);
      }
    }
  }
}

TYPED_TEST(LeastSquares, OfDeficientRankAreTheShortest) {
  using T = typename TypeParam::Scalar;
  typename TestFixture::Matrix const twins(
      5, 2, [](std::size_t i, std::size_t) { return static_cast<double>(i + 1); });
  typename TestFixture::Matrix const wide(
      2, 4, [](std::size_t i, std::size_t j) { return i == 0 || j % 2 == 0 ? 1 : -1; });
  typename TestFixture::Matrix const constant(
      6, 2, [](std::size_t, std::size_t j) { return j == 0 ? 3 : 0; });
  for (auto const& solve_it : this->methods()) {
    double const bound = 100 * this->epsilon;
    this->expect_near(solve_it(twins.op(), {2, 4, 6, 8, 10}).solution, std::vector<T>{1, 1}, bound,
                      solve_it.name);
    this->expect_near(solve_it(wide.op(), {8, 4}).solution, std::vector<T>{3, 1, 3, 1}, bound,
                      solve_it.name);
    this->expect_near(solve_it(constant.op(), {1, 2, 3, 4, 5, 6}).solution,
                      std::vector<T>{T(3.5) / 3, 0}, bound, solve_it.name);
  }
}

TYPED_TEST(LeastSquares, OfZerosAreZero) {
  using T = typename TypeParam::Scalar;
  typename TestFixture::Matrix const zeros(4, 3, [](std::size_t, std::size_t) { return 0; });
  auto const A = this->random_matrix(4, 3);
  for (auto const& solve_it : this->methods()) {
    for (auto const& result :
         {solve_it(zeros.op(), {1, 2, 3, 4}), solve_it(A.op(), {0, 0, 0, 0})}) {
      EXPECT_EQ(result.stop, Stop::zero_solution);
      EXPECT_EQ(result.solution, (std::vector<T>{0, 0, 0}));
      EXPECT_EQ(result.iterations, 0);
      EXPECT_LE(result.reads, 1);
    }
  }
}

TYPED_TEST(LeastSquares, BeginWhereTheyAreTold) {
  using T = typename TypeParam::Scalar;
  auto const A = this->random_matrix(60, 12);
  auto const x = whole_numbers<T>(12, 5, 9);
  auto const b = A.times(x);
  auto near = x;
  for (T& entry : near) entry += T(0.5);
  for (auto const& solve_it : this->methods()) {
    typename TestFixture::Options options;
    options.x0 = this->on_device(near);
    auto const result = solve_it(A.op(), b, options);
    this->expect_near(result.solution, x, 1e-3, solve_it.name);
    EXPECT_EQ(result.reads, result.iterations + 2);
    options.x0 = this->on_device(x);
    auto const at_once = solve_it(A.op(), b, options);
    EXPECT_EQ(at_once.iterations, 0);
    EXPECT_EQ(at_once.stop, Stop::solved);
    EXPECT_EQ(at_once.solution, x);
  }
}

/// b = 0: (AᵀA + damp²·I)·x = damp²·x0.
TYPED_TEST(LeastSquares, OfZerosWithAPenaltyAreNearTheStart) {
  using T = typename TypeParam::Scalar;
  typename TestFixture::Matrix const A(
      3, 2, [](std::size_t i, std::size_t j) { return i == j ? j + 1 : 0; });
  typename TestFixture::Options options;
  options.x0 = this->on_device({10, 10});
  options.damp = 2;
  for (auto const& solve_it : this->methods()) {
    auto const result = solve_it(A.op(), {0, 0, 0}, options);
    this->expect_near(result.solution, std::vector<T>{8, 5}, 1e-4, solve_it.name);
  }
  auto const path = solve::ridge_path(A.op(), this->on_device({0, 0, 0}), {0, 4},
                                      {.x0 = options.x0, .direct = 0});
  EXPECT_EQ(this->copy_of(path[0].x), (std::vector<T>{0, 0}));
  this->expect_near(this->copy_of(path[1].x), std::vector<T>{8, 5}, 1e-4, "ridge_path");
  auto const direct = solve::ridge(A.op(), this->on_device({0, 0, 0}), 4, {.x0 = options.x0});
  EXPECT_TRUE(direct.is_direct);
  this->expect_near(this->copy_of(direct.x), std::vector<T>{8, 5}, 1e-6, "ridge");
}

TYPED_TEST(LeastSquares, ScaleWithTheMatrix) {
  using T = typename TypeParam::Scalar;
  int const far = std::numeric_limits<T>::max_exponent * 2 / 3;
  for (int const exponent : {-far, far}) {
    T const factor = std::scalbn(T(1), exponent);
    auto const A = this->random_matrix(30, 5);
    auto const x = whole_numbers<T>(5, 5, 9);
    auto const b = A.times(x);
    typename TestFixture::Matrix const scaled_A(
        30, 5, [&](std::size_t i, std::size_t j) { return factor * A.host(i, j); });
    auto scaled_b = b;
    for (T& entry : scaled_b) entry *= factor;
    for (auto const& solve_it : this->methods()) {
      auto const plain = solve_it(A.op(), b);
      auto const result = solve_it(scaled_A.op(), scaled_b);
      this->expect_near(result.solution, x, 1e-4, solve_it.name);
      EXPECT_EQ(result.iterations, plain.iterations);
      auto const tiny = solve_it(A.op(), scaled_b);
      for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_NEAR(static_cast<double>(tiny.solution[i] / factor), static_cast<double>(x[i]),
                    1e-4);
      }
    }
  }
}

TYPED_TEST(LeastSquares, SayThatNumbersAreNotFinite) {
  using T = typename TypeParam::Scalar;
  T const infinity = std::numeric_limits<T>::infinity();
  auto const A = this->random_matrix(30, 5);
  for (T const bad : {infinity, std::numeric_limits<T>::quiet_NaN()}) {
    typename TestFixture::Matrix const with_bad(30, 5, [&](std::size_t i, std::size_t j) {
      return i == 17 && j == 3 ? bad : A.host(i, j);
    });
    auto b = whole_numbers<T>(30, 5, 9);
    for (auto const& solve_it : this->methods()) {
      auto const result = solve_it(with_bad.op(), b);
      EXPECT_EQ(result.stop, Stop::not_finite);
      EXPECT_TRUE(std::isnan(result.normr));
      auto with_bad_b = b;
      with_bad_b[29] = bad;
      EXPECT_EQ(solve_it(A.op(), with_bad_b).stop, Stop::not_finite);
      typename TestFixture::Matrix const small(
          3, 1, [](std::size_t, std::size_t) { return std::numeric_limits<T>::min(); });
      T const large = std::numeric_limits<T>::max() / 4;
      EXPECT_EQ(solve_it(small.op(), {large, large, large}).stop, Stop::not_finite);
    }
  }
}

TYPED_TEST(LeastSquares, SayWhyTheyStop) {
  using T = typename TypeParam::Scalar;
  auto const A = this->random_matrix(60, 12);
  auto const b = whole_numbers<T>(60, 5, 9);
  for (auto const& solve_it : this->methods()) {
    EXPECT_EQ(solve_it(A.op(), b, {.maxiter = 3}).stop, Stop::iteration_limit);
    EXPECT_EQ(solve_it(A.op(), b, {.maxiter = 0}).iterations, 0);
    EXPECT_EQ(solve_it(A.op(), b, {.atol = 0, .btol = 0, .conlim = 1.5}).stop,
              Stop::condition_limit);
    auto const cancelled = solve_it(
        A.op(), b, {.atol = 0}, {.on_step = [](auto const& step) { return step.iteration < 4; }});
    EXPECT_EQ(cancelled.stop, Stop::cancelled);
    EXPECT_EQ(cancelled.iterations, 4);
    EXPECT_EQ(cancelled.solution, solve_it(A.op(), b, {.atol = 0, .maxiter = 4}).solution);
    auto const end = solve_it(A.op(), b, {.atol = 0, .btol = 0, .conlim = 0, .maxiter = 100});
    EXPECT_EQ(end.stop, Stop::least_squares_to_precision) << solve::sentence(end.stop);
  }
}

TYPED_TEST(LeastSquares, ReportLimitOfPrecision) {
  using T = typename TypeParam::Scalar;
  auto const A = this->random_matrix(60, 12);
  for (auto const& solve_it : this->methods()) {
    auto const exact = solve_it(A.op(), A.times(this->counting_down(12)), this->to_the_end(200));
    EXPECT_EQ(exact.stop, Stop::solved_to_precision) << solve::sentence(exact.stop);
  }
  // The estimate of cond(A) reaches float's precision first.
  if constexpr (std::same_as<T, float>) {
    auto const value = [](std::size_t j) {
      double const t = static_cast<double>(j) / 19;
      return std::pow(1e-6, t * t);
    };
    typename TestFixture::Matrix const graded(21, 20, [&](std::size_t i, std::size_t j) {
      return i == j ? value(j) : i == j + 1 ? value(j) / 2 : 0;
    });
    auto const b =
        generate<T>(21, [&](std::size_t i) { return i < 20 ? static_cast<T>(value(i)) : T(1e-3); });
    auto const found = this->methods()[1](graded.op(), b, this->to_the_end(1000));
    EXPECT_EQ(found.stop, Stop::condition_to_precision) << solve::sentence(found.stop);
    EXPECT_FALSE(solve::is_success(found.stop));
    EXPECT_GT(found.conda, 1 / this->epsilon);
  }
}

TYPED_TEST(LeastSquares, ReadTheMatrixOnceAStepAndTellWhatIsLeft) {
  using T = typename TypeParam::Scalar;
  auto const A = this->random_matrix(60, 12);
  auto const b = whole_numbers<T>(60, 5, 9);
  for (auto const& solve_it : this->methods()) {
    auto const op = A.op();
    Index steps = 0;
    auto const result = solve_it(op, b, {.history = true}, {.on_step = [&](auto const& step) {
                                   EXPECT_EQ(step.iteration, ++steps);
                                   EXPECT_EQ(step.reads, steps + 1);
                                   return true;
                                 }});
    EXPECT_GT(steps, 3);
    EXPECT_EQ(result.iterations, steps);
    EXPECT_EQ(result.reads, steps + 1);
    EXPECT_EQ(op.reads(), steps + 1);
    ASSERT_EQ(result.history.size(), static_cast<std::size_t>(steps));
    for (std::size_t i = 1; i < result.history.size(); ++i) {
      EXPECT_LE(result.history[i].objective, result.history[i - 1].objective * (1 + 1e-6));
    }
    EXPECT_LE(result.history.back().residual, result.history.back().tolerance);
    EXPECT_EQ(result.history.back().objective, result.normr);
    auto const [normr, normar] = A.residuals(result.solution, b);
    EXPECT_NEAR(result.normr, normr, 1e-4 * normr);
    EXPECT_LE(normar, 1e-4 * result.norma * normr);
  }
}

TYPED_TEST(LeastSquares, GoOnFromEveryStepWithTheSameBits) {
  using T = typename TypeParam::Scalar;
  using Layout = typename TypeParam::Layout;
  auto const A = this->random_matrix(90, 14);
  auto const b = whole_numbers<T>(90, 5, 9);
  for (auto const& solve_it : this->methods()) {
    typename TestFixture::Options options;
    options.damp = 0.25;
    options.atol = 0;
    options.maxiter = 8;
    options.history = true;
    auto const whole = solve_it(A.op(), b, options);
    ASSERT_EQ(whole.iterations, 8);
    std::vector<solve::State<T>> states;
    solve_it(A.op(), b, options,
             {.wants_state = [](auto const&) { return true; },
              .on_state = [&](auto const& state) { states.push_back(state); }});
    ASSERT_EQ(states.size(), 7U);
    for (auto const& state : states) {
      auto const rest = solve_it(A.op(), b, options, {.resume = &state});
      EXPECT_THAT(rest.solution, same_bits_as(whole.solution)) << state.iteration;
      EXPECT_EQ(rest.iterations, whole.iterations);
      EXPECT_EQ(rest.reads, whole.iterations - state.iteration);
      EXPECT_EQ(rest.normr, whole.normr);
      EXPECT_EQ(rest.normar, whole.normar);
      EXPECT_EQ(rest.history.size(), whole.history.size());
    }
    auto const expect_refused = [&](solve::State<T> const& state, char const* why) {
      EXPECT_THAT([&] { solve_it(A.op(), b, options, {.resume = &state}); }, refuses(why));
    };
    solve::State<T> state = states[0];
    state.of.operation = "svd";
    expect_refused(state, "expected a state of");
    state = states[0];
    state.of.layout = std::same_as<Layout, Kokkos::LayoutRight> ? "columns" : "rows";
    expect_refused(state, "expected a state of");
    state = states[0];
    state.vectors[1].pop_back();
    expect_refused(state, "the state is damaged");
    state = states[0];
    state.numbers.pop_back();
    expect_refused(state, "the state is damaged");
    for (std::size_t i = 0; i < states[0].numbers.size(); ++i) {
      state = states[0];
      state.numbers[i] = std::numeric_limits<double>::quiet_NaN();
      expect_refused(state, "the state is damaged");
    }
    state = states[0];
    state.numbers[2] = 1e300;  // the exponent
    expect_refused(state, "the state is damaged");
  }
}

TYPED_TEST(LeastSquares, HaveTheSameBitsFromAStreamAndWithPortableKernels) {
  using T = typename TypeParam::Scalar;
  using Exec = typename TypeParam::Exec;
  constexpr bool has_rows = TypeParam::order == reference::Order::row_major;
  Index const rows = 700;
  Index const cols = 90;
  auto const A =
      this->random_matrix(static_cast<std::size_t>(rows), static_cast<std::size_t>(cols));
  auto const b = whole_numbers<T>(static_cast<std::size_t>(rows), 5, 9);
  auto const source = stream::make_source<T, typename TypeParam::Layout>(
      rows, cols, [&](stream::Block const& block, T* to) {
        for (Index i = 0; i < block.rows; ++i) {
          for (Index j = 0; j < block.cols; ++j) {
            to[has_rows ? i * block.cols + j : j * block.rows + i] =
                A.host(block.first_row + i, block.first_col + j);
          }
        }
      });
  solve::StreamOperator<Exec, std::remove_const_t<decltype(source)>> const streamed(
      Exec(), source, {.memory_limit = std::size_t{1} << 21});
  for (auto const& solve_it : this->methods()) {
    auto const options = this->to_the_end(8);
    auto const in_memory = solve_it(A.op(), b, options);
    EXPECT_THAT(solve_it(A.op(Kernels::portable), b, options).solution,
                same_bits_as(in_memory.solution));
    EXPECT_THAT(solve_it(streamed, b, options).solution, same_bits_as(in_memory.solution));
    std::size_t const needed = streamed.bytes_needed();
    EXPECT_GE(streamed.bytes_needed({.block = 20}), needed);
    solve::StreamOperator<Exec, std::remove_const_t<decltype(source)>> const tight(
        Exec(), source, {.memory_limit = needed});
    EXPECT_THAT(solve_it(tight, b, options).solution, same_bits_as(in_memory.solution));
    solve::StreamOperator<Exec, std::remove_const_t<decltype(source)>> const tighter(
        Exec(), source, {.memory_limit = needed - 1});
    EXPECT_THROW(solve_it(tighter, b, options), stream::LimitError);
  }
}

TYPED_TEST(LeastSquares, RefuseWhatDoesNotFit) {
  auto const A = this->random_matrix(6, 4);
  for (auto const& solve_it : this->methods()) {
    auto const expect_refused = [&](std::size_t size, typename TestFixture::Options const& options,
                                    std::string const& why) {
      EXPECT_THAT([&] { solve_it(A.op(), typename TestFixture::Vector(size, 1), options); },
                  refuses("tessera::" + std::string(solve_it.name) + ": " + why));
    };
    expect_refused(5, {}, "b must have 6 entries, found 5");
    expect_refused(6, {.x0 = this->on_device({1, 2})}, "x0 must have 4 entries, found 2");
    expect_refused(6, {.damp = -1}, "damp must be a number of at least 0, found -1");
    expect_refused(6, {.atol = std::nan("")}, "atol must be a number of at least 0, found nan");
    expect_refused(6, {.maxiter = -1}, "maxiter must be a number of at least 0, found -1");
  }
}

TYPED_TEST(LeastSquares, OfManyPenaltiesHaveTheBitsOfEach) {
  using T = typename TypeParam::Scalar;
  auto const A = this->random_matrix(80, 20);
  auto const b = this->on_device(whole_numbers<T>(80, 5, 9));
  std::vector<double> const lambdas{0, 0.25, 1e4, 1e8};
  auto const op = A.op();
  std::vector<solve::State<T>> states;
  auto const path = solve::ridge_path(op, b, lambdas, {.history = true, .direct = 0},
                                      {.wants_state = [](auto const&) { return true; },
                                       .on_state = [&](auto const& s) { states.push_back(s); }});
  ASSERT_EQ(path.size(), lambdas.size());
  Index most = 0;
  for (std::size_t i = 0; i < lambdas.size(); ++i) {
    auto const single = solve::ridge(A.op(), b, lambdas[i], {.history = true, .direct = 0});
    EXPECT_THAT(this->copy_of(path[i].x), same_bits_as(this->copy_of(single.x)));
    EXPECT_EQ(path[i].stop, single.stop);
    EXPECT_EQ(path[i].iterations, single.iterations);
    EXPECT_EQ(path[i].normr, single.normr);
    EXPECT_EQ(path[i].history.size(), static_cast<std::size_t>(single.iterations));
    most = std::max(most, single.iterations);
    if (lambdas[i] > 0) {
      double const size = std::sqrt(static_cast<double>(lambdas[i]));
      auto const direct = A.solve(whole_numbers<T>(80, 5, 9), size);
      this->expect_near(this->copy_of(single.x), direct, 1e-4, "ridge");
    }
  }
  EXPECT_EQ(op.reads(), most + 2);  // one for the norms of the columns
  ASSERT_FALSE(states.empty());
  for (auto const& state : states) {
    auto const rest =
        solve::ridge_path(op, b, lambdas, {.history = true, .direct = 0}, {.resume = &state});
    for (std::size_t i = 0; i < lambdas.size(); ++i) {
      EXPECT_THAT(this->copy_of(rest[i].x), same_bits_as(this->copy_of(path[i].x)));
      EXPECT_EQ(rest[i].iterations, path[i].iterations);
      EXPECT_EQ(rest[i].history.size(), path[i].history.size());
    }
  }
  EXPECT_THAT([&] { solve::ridge(op, b, -1); },
              refuses("tessera::ridge: lambda must be a number of at least 0"));
  EXPECT_THAT([&] { solve::ridge_path(op, b, {}); },
              refuses("tessera::ridge: expected at least one lambda, found none"));
  auto const other = [&] {
    solve::ridge_path(op, b, {0, 0.5, 1e4, 1e8}, {.direct = 0}, {.resume = &states[0]});
  };
  EXPECT_THAT(other, refuses("the state is damaged, or belongs to other options"));
}

TYPED_TEST(LeastSquares, OfManyRightSidesHaveTheBitsOfEach) {
  using T = typename TypeParam::Scalar;
  auto const A = this->random_matrix(70, 9);
  auto const op = A.op();
  auto const options = this->to_the_end(5);
  auto const right_sides = [&]<class Layout>(Layout) {
    Kokkos::View<T**, Layout, typename TypeParam::Exec::memory_space> const B("B", 70, 3);
    auto const on_host = Kokkos::create_mirror_view(B);
    for (std::size_t i = 0; i < 70; ++i) {
      for (std::size_t j = 0; j < 3; ++j) on_host(i, j) = whole_number<T>(2, i * 3 + j, 50);
    }
    Kokkos::deep_copy(B, on_host);
    auto const lsmr = solve::lsmr(op, B, options);
    auto const lsqr = solve::lsqr(op, B, options);
    ASSERT_EQ(lsmr.size(), 3);
    ASSERT_EQ(lsqr.size(), 3);
    for (std::size_t j = 0; j < 3; ++j) {
      typename TestFixture::Vector b(70);
      for (std::size_t i = 0; i < b.size(); ++i) b[i] = on_host(i, j);
      auto const [by_lsmr, by_lsqr] = this->methods();
      EXPECT_THAT(this->copy_of(lsmr[j].x), same_bits_as(by_lsmr(op, b, options).solution));
      EXPECT_THAT(this->copy_of(lsqr[j].x), same_bits_as(by_lsqr(op, b, options).solution));
      EXPECT_EQ(lsmr[j].iterations, 5);
      EXPECT_EQ(lsmr[j].reads, lsmr[0].reads);
    }
  };
  right_sides(Kokkos::LayoutRight{});
  right_sides(Kokkos::LayoutLeft{});
  EXPECT_TRUE(solve::lsmr(op, DeviceMatrix<TypeParam>("B", 70, 0)).empty());
  EXPECT_THROW(solve::lsmr(op, DeviceMatrix<TypeParam>("B", 69, 1)), std::invalid_argument);
}

/// Column 1 is zero, 2 needs another number of iterations than 0, 3 has an infinity.
TYPED_TEST(LeastSquares, OfManyRightSidesShareTheReads) {
  using T = typename TypeParam::Scalar;
  using Exec = typename TypeParam::Exec;
  constexpr std::size_t m = 300;
  constexpr std::size_t n = 40;
  auto const A = this->random_matrix(m, n);
  Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space> const B("B", m, 5);
  auto const on_host = Kokkos::create_mirror_view(B);
  for (std::size_t i = 0; i < m; ++i) {
    on_host(i, 0) = whole_number<T>(2, i, 50);
    on_host(i, 1) = 0;
    on_host(i, 2) = A.host(i, 3);
    on_host(i, 3) = i == 7 ? std::numeric_limits<T>::infinity() : T(1);
    on_host(i, 4) = 2 * on_host(i, 0);
  }
  Kokkos::deep_copy(B, on_host);
  auto const source = stream::make_source<T, typename TypeParam::Layout>(
      Index{m}, Index{n}, [&A](stream::Block const& block, T* to) {
        bool const by_rows = TypeParam::order == reference::Order::row_major;
        for (Index i = 0; i < block.rows; ++i) {
          for (Index j = 0; j < block.cols; ++j) {
            to[by_rows ? i * block.cols + j : j * block.rows + i] =
                A.host(static_cast<std::size_t>(block.first_row + i),
                       static_cast<std::size_t>(block.first_col + j));
          }
        }
      });
  solve::StreamOperator<Exec, std::remove_const_t<decltype(source)>> const streamed(Exec(), source);
  auto const in_memory = A.op();
  typename TestFixture::Options const options{.direct = 0};
  auto const check = [&](typename TestFixture::Operator const& op, bool is_streamed) {
    Index before = op.reads();
    auto const all = solve::lstsq(op, B, options);
    Index const shared = op.reads() - before;
    ASSERT_EQ(all.size(), 5);
    before = op.reads();
    for (std::size_t j = 0; j < 5; ++j) {
      auto const one = solve::lstsq(op, Kokkos::subview(B, Kokkos::ALL, j), options);
      EXPECT_EQ(all[j].stop, one.stop) << j;
      EXPECT_EQ(all[j].iterations, one.iterations) << j;
      EXPECT_EQ(all[j].reads, shared) << j;
      if (j == 3) continue;
      EXPECT_THAT(this->copy_of(all[j].x), same_bits_as(this->copy_of(one.x))) << j;
    }
    EXPECT_LT(shared, op.reads() - before);
    // One for the norms of the columns, and one for the start.
    if (is_streamed) {
      EXPECT_EQ(shared, std::max(all[0].iterations, all[2].iterations) + 2);
    }
    EXPECT_EQ(all[1].stop, Stop::zero_solution);
    EXPECT_EQ(all[3].stop, Stop::not_finite);
    EXPECT_NE(all[2].iterations, all[0].iterations);

    std::vector<Index> told;
    auto const some = solve::lstsq(op, B, options, {.on_step = [&](solve::Step const& step) {
                                     told.push_back(step.iteration);
                                     return step.iteration < 3;
                                   }});
    EXPECT_THAT(told, testing::ElementsAre(1, 2, 3));
    EXPECT_EQ(some[0].stop, Stop::cancelled);
    EXPECT_EQ(some[4].stop, Stop::cancelled);
    EXPECT_EQ(some[4].iterations, 3);
  };
  check(in_memory, false);
  check(streamed, true);
}

TYPED_TEST(LeastSquares, HaveTheCommittedBits) {
  using T = typename TypeParam::Scalar;
  constexpr bool is_float = std::same_as<T, float>;
  constexpr bool has_rows = TypeParam::order == reference::Order::row_major;
  auto const A = this->random_matrix(1500, 320, 7);
  auto const b = whole_numbers<T>(1500, 5, 9);
  using Digests = std::array<std::string, 2>;
  Digests const expected =
      is_float
          ? (has_rows ? Digests{"479eea4915367a9a6ca79d079b2a05763db327a686db0f1af7a04e19824dc865",
                                "3176b2720755a2412cbd38de3355ec8c64a34343488d0ecf95fffef9f8899a01"}
                      : Digests{"b4494a4eba53aa6f7e60fbeb4ca71ce46bd9d04baeb91d6825ba34b055ad0a0e",
                                "d98f71d1dccffe0637025c8a451fe8b538bfabd27e2479ba4ab397bb6a5bb640"})
          : (has_rows
                 ? Digests{"bdbf0d0927e8ab2c46ce88bd14102c090dd6442e0b991a0bec837f9b7835eb72",
                           "e7618e9aaf6543c079197b5f49b86f69b0a8654eeb4d86a5a230e73b07a0ccc5"}
                 : Digests{"892688c55cb80a09addfbfe93f79da33504bfe816c682e0adc942b89711f4add",
                           "b0f8f2be964117eae465a5ce18864d6ea179d61a32bdb639838c8bf35d292566"});
  auto const methods = this->methods();
  for (std::size_t i = 0; i < methods.size(); ++i) {
    auto options = this->to_the_end(20);
    options.damp = 0.5;
    auto const result = methods[i](A.op(), b, options);
    EXPECT_EQ(sha256(result.solution), expected[i]) << methods[i].name;
  }
}

}  // namespace
}  // namespace tessera::test
