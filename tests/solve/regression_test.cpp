// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/solve.hpp>

#include "solve/host_source.hpp"
#include "support/cases.hpp"
#include "support/data.hpp"
#include "support/device_data.hpp"
#include "support/host_matrix.hpp"
#include "support/same_bits.hpp"
#include "support/sha256.hpp"
#include "support/shapes.hpp"

/// Linear, logistic and Poisson regression, on every backend, layout and scalar type.
namespace tessera::test {
namespace {

using solve::Loss;
using solve::RegressionOptions;
using solve::RegressionSolver;
using solve::Stop;

constexpr Loss every_loss[]{Loss::squares, Loss::logistic, Loss::poisson};
constexpr RegressionSolver every_solver[]{RegressionSolver::newton_cg, RegressionSolver::lbfgs};

/// A fit on the host.
struct Fit {
  std::vector<double> x;
  double intercept;
  Stop stop;
  Index iterations;
  Index reads;
  double loss;
  double gradient_norm;
};

void expect_same_bits(Fit const& found, Fit const& expected) {
  EXPECT_THAT(found.x, same_bits_as(expected.x));
  EXPECT_TRUE(same_bits(found.intercept, expected.intercept));
  EXPECT_TRUE(same_bits(found.loss, expected.loss));
  EXPECT_TRUE(same_bits(found.gradient_norm, expected.gradient_norm));
  EXPECT_EQ(found.stop, expected.stop);
  EXPECT_EQ(found.iterations, expected.iterations);
}

template <class C>
class Regressions : public testing::Test {
 protected:
  using Exec = typename C::Exec;
  using T = typename C::Scalar;
  using Operator = solve::NormalOperator<Exec, T>;
  using Control = solve::Control<T>;
  static constexpr double eps = std::numeric_limits<T>::epsilon();
  static constexpr Index rows = 200;
  static constexpr Index cols = 6;

  static double entry(Index i, Index j) {
    return whole_number<double>(7, static_cast<std::size_t>(i * cols + j), 4) / 4;
  }
  static HostMatrix<T> matrix(Index m = rows) {
    bool const by_rows = C::order == Order::row_major;
    std::vector<T> elements;
    for (Index i = 0; i < m * cols; ++i) {
      elements.push_back(static_cast<T>(by_rows ? entry(i / cols, i % cols) : entry(i % m, i / m)));
    }
    return {Shape{m, cols}, C::order, std::move(elements)};
  }
  /// Labels of which some are on the wrong side, counts, or numbers.
  static std::vector<T> answers(Loss loss) {
    std::vector<T> y;
    for (Index i = 0; i < rows; ++i) {
      double const noise = whole_number<double>(9, static_cast<std::size_t>(i), 3);
      double const line = entry(i, 0) - 2 * entry(i, 1) + 0.5 + noise / 2;
      y.push_back(static_cast<T>(loss == Loss::logistic  ? (line > 0 ? 1 : 0)
                                 : loss == Loss::poisson ? std::floor(std::abs(line))
                                                         : line));
    }
    return y;
  }

  static Fit run(Loss loss, Operator const& op, std::vector<T> const& y,
                 RegressionOptions const& options = {}, Control const& control = {}) {
    solve::Values<Exec, T> const on_device("y", y.size());
    solve::detail::from_host<Exec, T>(Exec(), y, on_device);
    auto const fit =
        loss == Loss::squares    ? solve::linear_regression(op, on_device, options, control)
        : loss == Loss::logistic ? solve::logistic_regression(op, on_device, options, control)
                                 : solve::poisson_regression(op, on_device, options, control);
    auto const x = solve::detail::to_host<Exec, T>(Exec(), fit.x);
    return {std::vector<double>(x.begin(), x.end()),
            fit.intercept,
            fit.stop,
            fit.iterations,
            fit.reads,
            fit.loss,
            fit.gradient_norm};
  }

  /// SHA-256 of what fits of every loss have found.
  static std::string digest_by(RegressionSolver solver) {
    solve::MatrixOperator const op(Exec(), matrix_on_device<C>(matrix()));
    std::vector<double> all;
    for (Loss const loss : every_loss) {
      auto const fit = run(loss, op, answers(loss), {.penalty = 0.25, .solver = solver});
      all.insert(all.end(), fit.x.begin(), fit.x.end());
      all.push_back(fit.intercept);
      all.push_back(fit.loss);
    }
    return sha256(all);
  }

  /// The loss and the norm of its gradient, in double on the host.
  struct Objective {
    double loss = 0;
    double gradient_norm = 0;
  };
  static Objective objective(Loss loss, std::vector<T> const& y, std::vector<double> const& x,
                             double intercept, RegressionOptions const& options) {
    Objective result;
    std::vector<double> gradient(cols + 1);
    for (Index i = 0; i < rows; ++i) {
      auto const y_i = static_cast<double>(y[static_cast<std::size_t>(i)]);
      double eta = intercept;
      for (Index j = 0; j < cols; ++j) eta += entry(i, j) * x[static_cast<std::size_t>(j)];
      double first = eta - y_i;
      double value = first * first / 2;
      if (loss == Loss::logistic) {
        first = 1 / (1 + std::exp(-eta)) - y_i;
        value = std::log1p(std::exp(eta)) - y_i * eta;
      } else if (loss == Loss::poisson) {
        first = std::exp(eta) - y_i;
        value = std::exp(eta) - y_i * eta;
      }
      result.loss += value;
      for (Index j = 0; j < cols; ++j) gradient[static_cast<std::size_t>(j)] += first * entry(i, j);
      if (options.has_intercept) gradient[cols] += first;
    }
    for (std::size_t j = 0; j < x.size(); ++j) {
      gradient[j] += options.penalty * x[j];
      result.loss += options.penalty * x[j] * x[j] / 2;
    }
    for (double const g : gradient) result.gradient_norm += g * g;
    result.gradient_norm = std::sqrt(result.gradient_norm);
    return result;
  }
};
TYPED_TEST_SUITE(Regressions, Cases, CaseName);

TYPED_TEST(Regressions, FindWhereTheGradientIsZero) {
  solve::MatrixOperator const op(typename TypeParam::Exec(),
                                 matrix_on_device<TypeParam>(this->matrix()));
  for (Loss const loss : every_loss) {
    auto const y = this->answers(loss);
    for (bool const has_intercept : {false, true}) {
      for (double const penalty : {0.0, 2.0}) {
        for (auto const solver : every_solver) {
          RegressionOptions const options{
              .penalty = penalty, .has_intercept = has_intercept, .solver = solver};
          auto const fit = this->run(loss, op, y, options);
          EXPECT_EQ(fit.stop, Stop::converged) << solve::sentence(fit.stop);
          auto const at_0 =
              this->objective(loss, y, std::vector<double>(TestFixture::cols), 0, options);
          auto const found = this->objective(loss, y, fit.x, fit.intercept, options);
          double const root = std::sqrt(TestFixture::eps);
          EXPECT_LE(found.gradient_norm, 2 * root * at_0.gradient_norm);
          EXPECT_NEAR(found.loss, fit.loss, 100 * TestFixture::eps * at_0.loss);
          EXPECT_LE(fit.reads, 100);
          EXPECT_EQ(fit.intercept != 0, has_intercept);
        }
      }
    }
  }
}

TYPED_TEST(Regressions, OfLbfgsReadTheMatrixOnceAStepButForTheFirst) {
  solve::MatrixOperator const op(typename TypeParam::Exec(),
                                 matrix_on_device<TypeParam>(this->matrix()));
  for (Loss const loss : every_loss) {
    auto const fit = this->run(loss, op, this->answers(loss), {.solver = RegressionSolver::lbfgs});
    // One at 0, and some to find how long a first step is.
    EXPECT_LE(fit.reads, fit.iterations + 8);
  }
}

TYPED_TEST(Regressions, FindTheLineThatPassesThroughAllPoints) {
  solve::MatrixOperator const op(typename TypeParam::Exec(),
                                 matrix_on_device<TypeParam>(this->matrix()));
  std::vector<typename TypeParam::Scalar> y;
  for (Index i = 0; i < TestFixture::rows; ++i) {
    double sum = 3;
    for (Index j = 0; j < TestFixture::cols; ++j) {
      sum += static_cast<double>(j - 2) * this->entry(i, j);
    }
    y.push_back(static_cast<typename TypeParam::Scalar>(sum));
  }
  auto const fit = this->run(Loss::squares, op, y, {.tol = 100 * TestFixture::eps});
  EXPECT_EQ(fit.stop, Stop::converged);
  for (std::size_t j = 0; j < fit.x.size(); ++j) {
    EXPECT_NEAR(fit.x[j], static_cast<double>(j) - 2, 1000 * TestFixture::eps);
  }
  EXPECT_NEAR(fit.intercept, 3, 1000 * TestFixture::eps);
}

TYPED_TEST(Regressions, FindTheMeanWhereTheMatrixSaysNothing) {
  using T = typename TypeParam::Scalar;
  solve::MatrixOperator const op(typename TypeParam::Exec(),
                                 DeviceMatrix<TypeParam>("zeros", 8, 2));
  auto const intercept_of = [&](Loss loss, std::vector<T> const& y) {
    auto const fit = this->run(loss, op, y, {.tol = 64 * TestFixture::eps});
    EXPECT_EQ(fit.stop, Stop::converged);
    EXPECT_EQ(fit.x, (std::vector<double>{0, 0}));
    return fit.intercept;
  };
  double const few = 200 * TestFixture::eps;
  EXPECT_NEAR(intercept_of(Loss::squares, {1, 2, 3, 4, 5, 6, 7, 12}), 5, few);
  EXPECT_NEAR(intercept_of(Loss::logistic, {1, 0, 0, 0, 1, 0, 0, 0}), std::log(1 / 3.0), few);
  EXPECT_NEAR(intercept_of(Loss::poisson, {1, 2, 3, 4, 5, 6, 7, 12}), std::log(5), few);
}

TYPED_TEST(Regressions, HaveTheSameBitsHoweverTheMatrixIsRead) {
  using T = typename TypeParam::Scalar;
  using Exec = typename TypeParam::Exec;
  auto const A = this->matrix();
  auto const source = source_of<TypeParam>(A, TestFixture::rows, TestFixture::cols);
  auto const on_device = matrix_on_device<TypeParam>(A);
  solve::MatrixOperator const in_memory(Exec(), on_device);
  solve::MatrixOperator const portable(Exec(), on_device,
                                       AtaxOptions<Exec, T>{.kernels = Kernels::portable});
  solve::StreamOperator const streamed(Exec(), source);
  for (Loss const loss : every_loss) {
    auto const y = this->answers(loss);
    for (auto const solver : every_solver) {
      RegressionOptions const options{.penalty = 0.5, .solver = solver};
      auto const expected = this->run(loss, in_memory, y, options);
      expect_same_bits(this->run(loss, portable, y, options), expected);
      expect_same_bits(this->run(loss, streamed, y, options), expected);
    }
  }
}

TYPED_TEST(Regressions, HaveTheBitsOfOneRunWhereverTheyAreInterrupted) {
  using T = typename TypeParam::Scalar;
  solve::MatrixOperator const op(typename TypeParam::Exec(),
                                 matrix_on_device<TypeParam>(this->matrix()));
  for (Loss const loss : every_loss) {
    auto const y = this->answers(loss);
    for (auto const solver : every_solver) {
      RegressionOptions const options{.solver = solver};
      auto const whole = this->run(loss, op, y, options);
      ASSERT_GE(whole.iterations, 1);
      for (Index step = 1; step <= whole.iterations; ++step) {
        std::optional<solve::State<T>> kept;
        auto const part =
            this->run(loss, op, y, options,
                      {.on_step = [&](solve::Step const& now) { return now.iteration < step; },
                       .wants_state = [&](solve::Step const& now) { return now.iteration == step; },
                       .on_state = [&](solve::State<T> const& state) { kept = state; }});
        EXPECT_EQ(part.stop, step == whole.iterations ? Stop::converged : Stop::cancelled);
        ASSERT_TRUE(kept);
        expect_same_bits(this->run(loss, op, y, options, {.resume = &*kept}), whole);
        kept->vectors.back().pop_back();
        EXPECT_THAT(
            [&] { this->run(loss, op, y, options, {.resume = &*kept}); },
            testing::ThrowsMessage<std::invalid_argument>(testing::HasSubstr("is damaged")));
      }
    }
  }
}

TYPED_TEST(Regressions, EndOrRefuseWhateverANumberOfTheirStateBecomes) {
  using T = typename TypeParam::Scalar;
  solve::MatrixOperator const op(typename TypeParam::Exec(),
                                 matrix_on_device<TypeParam>(this->matrix()));
  auto const y = this->answers(Loss::logistic);
  for (auto const solver : every_solver) {
    RegressionOptions const options{.solver = solver};
    std::optional<solve::State<T>> kept;
    this->run(Loss::logistic, op, y, options,
              {.wants_state = [](solve::Step const& now) { return now.iteration == 2; },
               .on_state = [&](solve::State<T> const& state) { kept = state; }});
    ASSERT_TRUE(kept);
    for (std::size_t i = 0; i < kept->numbers.size(); ++i) {
      for (double const x : {-1.0, 0.5, 3.0, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
        auto damaged = *kept;
        damaged.numbers[i] = x;
        try {
          this->run(Loss::logistic, op, y, options, {.resume = &damaged});
        } catch (std::invalid_argument const&) {
          continue;
        }
      }
    }
    auto other = options;
    other.solver =
        solver == RegressionSolver::lbfgs ? RegressionSolver::newton_cg : RegressionSolver::lbfgs;
    EXPECT_THAT(
        [&] { this->run(Loss::logistic, op, y, other, {.resume = &*kept}); },
        testing::ThrowsMessage<std::invalid_argument>(testing::HasSubstr("found one of logistic")));
  }
}

/// ctest runs this with several numbers of threads.
TYPED_TEST(Regressions, HasTheCommittedBits) {
  constexpr bool is_float = std::same_as<typename TypeParam::Scalar, float>;
  constexpr bool has_rows = TypeParam::order == Order::row_major;
  EXPECT_EQ(this->digest_by(RegressionSolver::newton_cg),
            is_float
                ? (has_rows ? "7ac033b3a5220f17f14c232c1aa2540f50ba951eee826c4d79ec403a0947f867"
                            : "c2f18279d176e1cca7d258c7fa1c940bba284c0b2b1af511bc1f5c09077c21e1")
                : (has_rows ? "88db087c4181d5406df59e11d78badbd2e747bf94763bb6e3debc9b39efd4657"
                            : "49a36df7f1f98fc6f5c9d7801147b1327372cb487d4a3acce26093fd79782a3a"));
}

/// As the test before.
TYPED_TEST(Regressions, HaveByLbfgsTheCommittedBits) {
  constexpr bool is_float = std::same_as<typename TypeParam::Scalar, float>;
  constexpr bool has_rows = TypeParam::order == Order::row_major;
  EXPECT_EQ(this->digest_by(RegressionSolver::lbfgs),
            is_float
                ? (has_rows ? "4e42e88c78a9fb69b27219093d9b391127e4e325c9c857929b585dcb3883768f"
                            : "6ee814ace1bc86ad39f7a6ae67bd96d96f35fd94981383ce616c45f938a421f6")
                : (has_rows ? "6c23eeb75ced1bccaad7bfdedb5139185ce04bc784b961fefe6089c596eae7df"
                            : "f6f5b0c71f4dfe2b70f55646601360054fa5c210a2c04463cfc2ee62df3ae245"));
}

TYPED_TEST(Regressions, SayWhyTheyStop) {
  using T = typename TypeParam::Scalar;
  solve::MatrixOperator const op(typename TypeParam::Exec(),
                                 matrix_on_device<TypeParam>(this->matrix()));
  for (Loss const loss : every_loss) {
    auto y = this->answers(loss);
    EXPECT_EQ(this->run(loss, op, y, {.maxiter = 0}).stop, Stop::iteration_limit);
    y[3] = std::numeric_limits<T>::quiet_NaN();
    EXPECT_EQ(this->run(loss, op, y).stop, Stop::not_finite);
    y.pop_back();
    EXPECT_THAT([&] { this->run(loss, op, y); },
                testing::ThrowsMessage<std::invalid_argument>(
                    testing::HasSubstr("_regression: y must have 200 entries, found 199")));
  }
  EXPECT_THAT([&] { this->run(Loss::squares, op, this->answers(Loss::squares), {.penalty = -1}); },
              testing::ThrowsMessage<std::invalid_argument>(
                  testing::HasSubstr("linear_regression: expected options that are not negative")));
}

/// Numbers whose gradient is one of the type, and whose Hessian is none.
TYPED_TEST(Regressions, DoNotConvergeWhereProductsUnderOrOverflow) {
  using T = typename TypeParam::Scalar;
  auto const A = this->matrix();
  for (bool const is_large : {false, true}) {
    int const power =
        (is_large ? std::numeric_limits<T>::max_exponent : std::numeric_limits<T>::min_exponent) *
        3 / 4;
    auto elements = A.memory();
    for (T& element : elements) element = std::ldexp(element, power);
    solve::MatrixOperator const op(
        typename TypeParam::Exec(),
        matrix_on_device<TypeParam>(HostMatrix<T>(A.shape(), A.order(), std::move(elements))));
    for (Loss const loss : every_loss) {
      for (auto const solver : every_solver) {
        auto const fit =
            this->run(loss, op, this->answers(loss), {.has_intercept = false, .solver = solver});
        EXPECT_EQ(fit.stop, is_large ? Stop::not_finite : Stop::breakdown)
            << sentence(fit.stop) << ", loss " << static_cast<int>(loss) << ", solver "
            << static_cast<int>(solver);
        EXPECT_FALSE(solve::is_success(fit.stop));
        EXPECT_TRUE(is_large || fit.gradient_norm > 0);
      }
    }
  }
}

}  // namespace
}  // namespace tessera::test
