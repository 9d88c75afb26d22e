// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/solve.hpp>

#include "solve/damaged_states.hpp"
#include "solve/host_source.hpp"
#include "support/cases.hpp"
#include "support/data.hpp"
#include "support/device_data.hpp"
#include "support/host_matrix.hpp"
#include "support/refusal.hpp"
#include "support/same_bits.hpp"
#include "support/sha256.hpp"
#include "support/shapes.hpp"

/// Regressions of every loss.
namespace tessera::test {
namespace {

using solve::Loss;
using solve::RegressionOptions;
using solve::RegressionSolver;
using solve::Stop;

constexpr Loss every_loss[]{Loss::squares, Loss::logistic, Loss::poisson, Loss::gamma,
                            Loss::tweedie};
constexpr RegressionSolver every_solver[]{RegressionSolver::newton, RegressionSolver::newton_cg,
                                          RegressionSolver::lbfgs};

struct Fit {
  std::vector<double> x;
  double intercept;
  Stop stop;
  Index iterations;
  Index reads;
  double loss;
  double gradient_norm;
  std::string detail;
  double deviance;
  double aic;
  double dispersion;
  std::vector<double> standard_errors;
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
  static std::vector<T> answers(Loss loss) {
    std::vector<T> y;
    for (Index i = 0; i < rows; ++i) {
      double const noise = whole_number<double>(9, static_cast<std::size_t>(i), 3);
      double const line = entry(i, 0) - 2 * entry(i, 1) + 0.5 + noise / 2;
      y.push_back(static_cast<T>(loss == Loss::logistic  ? (line > 0 ? 1 : 0)
                                 : loss == Loss::poisson ? std::floor(std::abs(line))
                                 : loss == Loss::gamma   ? std::abs(line) + 0.25
                                 : loss == Loss::tweedie ? std::floor(std::abs(line)) / 4
                                                         : line));
    }
    return y;
  }

  static solve::ConstValues<Exec, T> on_device(std::vector<T> const& x) {
    solve::Values<Exec, T> const copy("x", x.size());
    solve::detail::from_host<Exec, T>(Exec(), x, copy);
    return copy;
  }
  static Fit run(Loss loss, Operator const& op, std::vector<T> const& y,
                 RegressionOptions const& options = {}, Control const& control = {}) {
    return run_observed(loss, op, {.y = on_device(y)}, options, control);
  }
  static Fit run_observed(Loss loss, Operator const& op,
                          solve::Observations<Exec, T> const& observed,
                          RegressionOptions const& options = {}, Control const& control = {}) {
    auto const fit =
        loss == Loss::squares    ? solve::linear_regression(op, observed, options, control)
        : loss == Loss::logistic ? solve::logistic_regression(op, observed, options, control)
        : loss == Loss::poisson  ? solve::poisson_regression(op, observed, options, control)
        : loss == Loss::gamma    ? solve::gamma_regression(op, observed, options, control)
                                 : solve::tweedie_regression(op, observed, options, control);
    auto const x = solve::detail::to_host<Exec, T>(Exec(), fit.x);
    return {std::vector<double>(x.begin(), x.end()),
            fit.intercept,
            fit.stop,
            fit.iterations,
            fit.reads,
            fit.loss,
            fit.gradient_norm,
            fit.detail,
            fit.deviance,
            fit.aic,
            fit.dispersion,
            fit.standard_errors};
  }
  static HostMatrix<T> matrix_of(Index m, Index n, std::vector<double> const& by_rows) {
    std::vector<T> elements;
    for (Index k = 0; k < m * n; ++k) {
      Index const i = C::order == Order::row_major ? k / n : k % m;
      Index const j = C::order == Order::row_major ? k % n : k / m;
      elements.push_back(static_cast<T>(by_rows[static_cast<std::size_t>(i * n + j)]));
    }
    return {Shape{m, n}, C::order, std::move(elements)};
  }
  static Fit fit_of(Loss loss, Index n, std::vector<double> const& by_rows,
                    std::vector<double> const& y, RegressionOptions const& options = {}) {
    auto const m = static_cast<Index>(y.size());
    solve::MatrixOperator const op(Exec(), matrix_on_device<C>(matrix_of(m, n, by_rows)));
    return run(loss, op, std::vector<T>(y.begin(), y.end()), options);
  }

  static std::string digest_by(
      RegressionSolver solver,
      std::span<Loss const> losses = std::span<Loss const>(every_loss).first(3)) {
    solve::MatrixOperator const op(Exec(), matrix_on_device<C>(matrix()));
    std::vector<double> all;
    for (Loss const loss : losses) {
      auto const fit = run(loss, op, answers(loss), {.penalty = 0.25, .solver = solver});
      all.insert(all.end(), fit.x.begin(), fit.x.end());
      all.push_back(fit.intercept);
      all.push_back(fit.loss);
    }
    return sha256(all);
  }

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
      } else if (loss == Loss::gamma) {
        first = 1 - y_i * std::exp(-eta);
        value = y_i * std::exp(-eta) + eta;
      } else if (loss == Loss::tweedie) {
        first = std::exp(eta / 2) - y_i * std::exp(-eta / 2);
        value = 2 * std::exp(eta / 2) + 2 * y_i * std::exp(-eta / 2);
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
          EXPECT_LE(found.gradient_norm, 20 * root * at_0.gradient_norm);
          EXPECT_NEAR(found.loss, fit.loss, 100 * TestFixture::eps * at_0.loss);
          EXPECT_LE(fit.reads, 100);
          EXPECT_EQ(fit.intercept != 0, has_intercept);
        }
      }
    }
  }
}

TYPED_TEST(Regressions, LbfgsReadsOncePerIterationAfterTheFirst) {
  solve::MatrixOperator const op(typename TypeParam::Exec(),
                                 matrix_on_device<TypeParam>(this->matrix()));
  for (Loss const loss : every_loss) {
    auto const fit = this->run(loss, op, this->answers(loss), {.solver = RegressionSolver::lbfgs});
    // A read at 0, and some for the first step's length. Losses without a map read twice for a
    // gradient.
    bool const has_map = loss != Loss::gamma && loss != Loss::tweedie;
    EXPECT_LE(fit.reads, (fit.iterations + 8) * (has_map ? 1 : 2));
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

TYPED_TEST(Regressions, ConstantColumnsGiveTheMean) {
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
  for (Loss const loss : {Loss::poisson, Loss::gamma, Loss::tweedie}) {
    EXPECT_NEAR(intercept_of(loss, {1, 2, 3, 4, 5, 6, 7, 12}), std::log(5), few);
  }
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
        if (kept->vectors.empty()) {
          kept->numbers.pop_back();
        } else {
          kept->vectors.back().pop_back();
        }
        EXPECT_THAT([&] { this->run(loss, op, y, options, {.resume = &*kept}); },
                    test::refuses("is damaged"));
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
    resume_with_wrong_numbers(*kept, [&](auto const& state) {
      this->run(Loss::logistic, op, y, options, {.resume = &state});
    });
    auto other = options;
    other.solver =
        solver == RegressionSolver::lbfgs ? RegressionSolver::newton_cg : RegressionSolver::lbfgs;
    EXPECT_THAT([&] { this->run(Loss::logistic, op, y, other, {.resume = &*kept}); },
                test::refuses("found one of logistic"));
  }
}

TYPED_TEST(Regressions, HasTheCommittedBits) {
  constexpr bool is_float = std::same_as<typename TypeParam::Scalar, float>;
  constexpr bool has_rows = TypeParam::order == Order::row_major;
  EXPECT_EQ(this->digest_by(RegressionSolver::newton_cg),
            is_float
                ? (has_rows ? "db69d4b531242bb44a955edffcce525577b695756ec25e5fc802e292e760fdcc"
                            : "a76df4f4a67d1225600a14e7483f33cd8db54a5940a77ca2dc1e0e8505d27059")
                : (has_rows ? "529d752743980a840893837847c49c94bc34d8e1031e87800b599e227906aa07"
                            : "61bf4ffd03391d86aa0bef400ea5840ca747b557777be9f65841647b846bcf50"));
}

/// Sums over rows have the same order in both layouts.
TYPED_TEST(Regressions, HaveByNewtonTheCommittedBits) {
  constexpr bool is_float = std::same_as<typename TypeParam::Scalar, float>;
  EXPECT_EQ(this->digest_by(RegressionSolver::newton),
            is_float ? "06f1d419abd406909e046d277d61e3ce99089d3c65517115bf93f0d83eb5469b"
                     : "621e144be65083be1c231fa6dc2b6937162ec4b48ca254c113ecef58b444dcd8");
}

TYPED_TEST(Regressions, HaveByLbfgsTheCommittedBits) {
  constexpr bool is_float = std::same_as<typename TypeParam::Scalar, float>;
  constexpr bool has_rows = TypeParam::order == Order::row_major;
  EXPECT_EQ(this->digest_by(RegressionSolver::lbfgs),
            is_float
                ? (has_rows ? "b546dbb5bfac361881c409d1bf48c7d0ef859125a87977ba66260a741e878b22"
                            : "c20f6c656986a442aa4d47ce737e9db9f41d4b805244a53d2074768500a0bb11")
                : (has_rows ? "9b35976d178961b694bf2299a48863bf87d349a5cf730bc93e2cc70f820bd7ec"
                            : "9ab9b5e79d37dd5c5d6b1cf90b7fed21d9a1eaeb0009debe0d2c0ac1fbc42dcb"));
}

TYPED_TEST(Regressions, HaveOfGammaAndTweedieTheCommittedBits) {
  constexpr bool is_float = std::same_as<typename TypeParam::Scalar, float>;
  EXPECT_EQ(this->digest_by(RegressionSolver::newton, std::span<Loss const>(every_loss).last(2)),
            is_float ? "36a07d490afdad165fa2f9a7ddd7d80d75337b9427ee4a4902e6a9cae1979568"
                     : "8b517b6fce6e36e807e0c6747124cebb6f70e5fd1d6d03fe956420b8c3e3ff18");
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
                test::refuses("_regression: y must have 200 entries, found 199"));
  }
  EXPECT_THAT([&] { this->run(Loss::squares, op, this->answers(Loss::squares), {.penalty = -1}); },
              test::refuses("most_gram_cols must be at least 0, found -1"));
}

TYPED_TEST(Regressions, ConvergeWhereSquaresUnderOrOverflow) {
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
        auto const fit = this->run(loss, op, this->answers(loss), {.solver = solver});
        EXPECT_EQ(fit.stop, Stop::converged)
            << sentence(fit.stop) << ", loss " << static_cast<int>(loss) << ", solver "
            << static_cast<int>(solver);
        EXPECT_GT(std::abs(std::ldexp(fit.x[0], power)), 0.002);
      }
    }
  }
}

TYPED_TEST(Regressions, DoNotDependOnTheMeansAndSizesOfColumns) {
  using T = typename TypeParam::Scalar;
  for (Loss const loss : every_loss) {
    auto const y = this->answers(loss);
    std::vector<double> plain;
    std::vector<double> far;
    for (Index i = 0; i < TestFixture::rows; ++i) {
      for (Index j = 0; j < TestFixture::cols; ++j) {
        plain.push_back(this->entry(i, j));
        far.push_back(std::ldexp(this->entry(i, j) + (j == 1 ? 1024 : 0), j == 2   ? -13
                                                                          : j == 3 ? 13
                                                                                   : 0));
      }
    }
    std::vector<double> const labels(y.begin(), y.end());
    auto const expected = this->fit_of(loss, TestFixture::cols, plain, labels);
    auto const found = this->fit_of(loss, TestFixture::cols, far, labels);
    EXPECT_EQ(found.stop, Stop::converged) << sentence(found.stop);
    for (std::size_t j = 0; j < found.x.size(); ++j) {
      double const unit = j == 2 ? std::ldexp(1.0, -13) : j == 3 ? std::ldexp(1.0, 13) : 1;
      EXPECT_NEAR(found.x[j] * unit, expected.x[j],
                  10 * std::max(1e-10, static_cast<double>(std::numeric_limits<T>::epsilon())));
    }
    EXPECT_LE(found.reads, 12);
  }
}

TYPED_TEST(Regressions, FindSlopeDespiteLargeMean) {
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 10; ++i) {
    x.push_back(i);
    y.push_back(1e6 + i);
  }
  EXPECT_NEAR(this->fit_of(Loss::squares, 1, x, y).x[0], 1, 1e-10);
}

TYPED_TEST(Regressions, FindRatesOfVeryDifferentSizes) {
  std::vector<double> y;
  for (int i = 0; i < 5; ++i) {
    y.push_back(static_cast<double>(static_cast<typename TypeParam::Scalar>(std::exp(8.0 * i))));
  }
  auto const fit = this->fit_of(Loss::poisson, 1, {0, 1, 2, 3, 4}, y);
  EXPECT_EQ(fit.stop, Stop::converged) << sentence(fit.stop);
  EXPECT_NEAR(fit.x[0], 8, 1e-5);
  EXPECT_LE(fit.reads, 8);
}

TYPED_TEST(Regressions, TellOfClassesThatCanBeSeparated) {
  for (auto const solver : every_solver) {
    auto const fit =
        this->fit_of(Loss::logistic, 1, {-2, -1, 1, 2}, {0, 0, 1, 1}, {.solver = solver});
    EXPECT_EQ(fit.stop, Stop::not_solvable) << sentence(fit.stop);
    EXPECT_THAT(fit.detail, testing::HasSubstr("perfect separation of the classes"));
    auto const one =
        this->fit_of(Loss::logistic, 1, {-2, -1, 1, 2}, {1, 1, 1, 1}, {.solver = solver});
    EXPECT_EQ(one.stop, Stop::not_solvable);
    EXPECT_THAT(one.detail, testing::HasSubstr("y has one class, 1"));
    auto const none =
        this->fit_of(Loss::poisson, 1, {-2, -1, 1, 2}, {0, 0, 0, 0}, {.solver = solver});
    EXPECT_EQ(none.stop, Stop::not_solvable);
    EXPECT_THAT(none.detail, testing::HasSubstr("all counts y are 0"));
  }
  auto const partly =
      this->fit_of(Loss::logistic, 2, {1, 0, 1, 2, 0, 1, 0, 2, 0, 3, 0, 4}, {1, 1, 0, 1, 0, 1});
  EXPECT_EQ(partly.stop, Stop::not_solvable) << sentence(partly.stop);
  EXPECT_THAT(partly.detail,
              testing::HasSubstr("quasi-complete separation of the classes on columns 0"));
  auto const rates = this->fit_of(Loss::poisson, 1, {1, 1, 0, 0, 0}, {0, 0, 3, 1, 2});
  EXPECT_EQ(rates.stop, Stop::not_solvable) << sentence(rates.stop);
  EXPECT_THAT(rates.detail, testing::HasSubstr("rows with y = 0 are separated"));
  auto const fit = this->fit_of(Loss::logistic, 1, {-2, -1, 1, 2}, {0, 0, 1, 1}, {.penalty = 1});
  EXPECT_EQ(fit.stop, Stop::converged);
}

TYPED_TEST(Regressions, FindTheShortestWhereColumnsDepend) {
  auto const labels = this->answers(Loss::squares);
  std::vector<double> const y(labels.begin(), labels.end());
  std::vector<double> plain;
  std::vector<double> twice;
  for (Index i = 0; i < TestFixture::rows; ++i) {
    for (Index j = 0; j < 3; ++j) plain.push_back(this->entry(i, j));
    for (Index j = 0; j < 3; ++j) twice.push_back(this->entry(i, j));
    twice.push_back(this->entry(i, 1));
    twice.push_back(7);
  }
  auto const expected = this->fit_of(Loss::squares, 3, plain, y);
  for (double const tol : {0.0, 1e-14}) {
    auto const found = this->fit_of(Loss::squares, 5, twice, y, {.tol = tol});
    EXPECT_EQ(found.stop, Stop::converged) << sentence(found.stop);
    double const few = 100 * TestFixture::eps;
    EXPECT_NEAR(found.x[0], expected.x[0], few);
    EXPECT_NEAR(found.x[1], expected.x[1] / 2, few);
    EXPECT_NEAR(found.x[3], expected.x[1] / 2, few);
    EXPECT_NEAR(found.x[4], 0, few);
    EXPECT_NEAR(found.loss, expected.loss, 1e-9 * expected.loss);
  }
  // (1, 2) and (3, 4) less the mean.
  auto const wide = this->fit_of(Loss::squares, 3, {1, 0, 5, 3, 0, 9}, {0, 10});
  EXPECT_NEAR(wide.x[0], 1, 1e-6);
  EXPECT_NEAR(wide.x[1], 0, 1e-6);
  EXPECT_NEAR(wide.x[2], 2, 1e-6);
}

TYPED_TEST(Regressions, TakeWeightsAsRepeatedRows) {
  using T = typename TypeParam::Scalar;
  std::vector<double> once;
  std::vector<double> repeated;
  for (Loss const loss : every_loss) {
    auto const all = this->answers(loss);
    once.clear();
    repeated.clear();
    std::vector<T> y;
    std::vector<T> weights;
    std::vector<double> its_y;
    for (Index i = 0; i < TestFixture::rows; ++i) {
      auto const answer = all[static_cast<std::size_t>(i)];
      y.push_back(answer);
      weights.push_back(static_cast<T>(i % 3));
      for (Index j = 0; j < 3; ++j) once.push_back(this->entry(i, j));
      for (Index k = 0; k < i % 3; ++k) {
        its_y.push_back(static_cast<double>(answer));
        for (Index j = 0; j < 3; ++j) repeated.push_back(this->entry(i, j));
      }
    }
    auto const expected = this->fit_of(loss, 3, repeated, its_y);
    solve::MatrixOperator const op(
        typename TypeParam::Exec(),
        matrix_on_device<TypeParam>(this->matrix_of(TestFixture::rows, 3, once)));
    for (auto const solver : every_solver) {
      auto const found = this->run_observed(
          loss, op, {.y = this->on_device(y), .weights = this->on_device(weights)},
          {.solver = solver});
      EXPECT_EQ(found.stop, Stop::converged) << sentence(found.stop);
      double const few =
          solver == RegressionSolver::newton ? 1e-6 : 20 * std::sqrt(TestFixture::eps);
      for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(found.x[j], expected.x[j], few);
      EXPECT_NEAR(found.intercept, expected.intercept, few);
    }
    weights[4] = T(-1);
    EXPECT_THAT(
        [&] {
          this->run_observed(loss, op,
                             {.y = this->on_device(y), .weights = this->on_device(weights)});
        },
        test::refuses("expected weights of at least 0, found -1 at row 4"));
  }
}

TYPED_TEST(Regressions, TakeAnExposureAsAnOffset) {
  using T = typename TypeParam::Scalar;
  // Rates of 2 and 6 per unit of exposure.
  std::vector<T> const y{2, 4, 8, 6, 12, 24};
  std::vector<T> offset;
  for (double const exposure : {1, 2, 4, 1, 2, 4}) {
    offset.push_back(static_cast<T>(std::log(exposure)));
  }
  solve::MatrixOperator const op(
      typename TypeParam::Exec(),
      matrix_on_device<TypeParam>(this->matrix_of(6, 1, {0, 0, 0, 1, 1, 1})));
  for (auto const solver : every_solver) {
    auto const fit = this->run_observed(
        Loss::poisson, op, {.y = this->on_device(y), .offset = this->on_device(offset)},
        {.solver = solver});
    EXPECT_EQ(fit.stop, Stop::converged) << sentence(fit.stop);
    EXPECT_NEAR(fit.x[0], std::log(3.0), 1e-3);
    EXPECT_NEAR(fit.intercept, std::log(2.0), 1e-3);
  }
}

TYPED_TEST(Regressions, KnowTheirStandardErrors) {
  auto const line = this->fit_of(Loss::squares, 1, {-1, 0, 1, 2}, {1, 1, 2, 4});
  // Residuals .5 -.5 -.5 .5: the variance is 1/2 over 5 and 1/4 + 1/20.
  ASSERT_EQ(line.standard_errors.size(), 2U);
  EXPECT_NEAR(line.x[0], 1, 1e-6);
  EXPECT_NEAR(line.deviance, 1, 1e-6);
  EXPECT_NEAR(line.standard_errors[0], std::sqrt(0.1), 1e-6);
  EXPECT_NEAR(line.standard_errors[1], std::sqrt(0.5 * (0.25 + 0.05)), 1e-6);
  auto const odds =
      this->fit_of(Loss::logistic, 1, {0, 0, 0, 0, 1, 1, 1, 1}, {0, 1, 0, 0, 1, 1, 0, 1});
  ASSERT_EQ(odds.standard_errors.size(), 2U);
  EXPECT_NEAR(odds.standard_errors[1], std::sqrt(1 + 1 / 3.0), 1e-5);
  EXPECT_NEAR(odds.standard_errors[0], std::sqrt(2 * (1 + 1 / 3.0)), 1e-5);
}

TYPED_TEST(Regressions, KnowTheStandardErrorsOfGammaAndTweedie) {
  std::vector<double> const y{1, 3, 4, 8};
  auto const gamma = this->fit_of(Loss::gamma, 1, {0, 0, 1, 1}, y);
  EXPECT_EQ(gamma.stop, Stop::converged) << sentence(gamma.stop);
  ASSERT_EQ(gamma.standard_errors.size(), 2U);
  double const of_gamma = (0.5 + 2.0 / 9) / 2;
  EXPECT_NEAR(gamma.intercept, std::log(2.0), 1e-6);
  EXPECT_NEAR(gamma.x[0], std::log(3.0), 1e-6);
  EXPECT_NEAR(gamma.dispersion, of_gamma, 1e-6);
  EXPECT_NEAR(gamma.deviance, -2 * std::log(0.5 * 1.5 * 2 / 3 * 4 / 3), 1e-6);
  EXPECT_NEAR(gamma.standard_errors[1], std::sqrt(of_gamma / 2), 1e-6);
  EXPECT_NEAR(gamma.standard_errors[0], std::sqrt(of_gamma), 1e-6);
  double const shape = 1 / of_gamma;
  double log_density = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    double const rate = shape / (i < 2 ? 2 : 6);
    log_density +=
        shape * std::log(rate) + (shape - 1) * std::log(y[i]) - rate * y[i] - std::lgamma(shape);
  }
  EXPECT_NEAR(gamma.aic, -2 * log_density + 4, 1e-5);

  auto const cubic = this->fit_of(Loss::tweedie, 1, {0, 0, 1, 1}, y, {.power = 3});
  EXPECT_EQ(cubic.stop, Stop::converged) << sentence(cubic.stop);
  ASSERT_EQ(cubic.standard_errors.size(), 2U);
  double const of_cubic = (2.0 / 8 + 8.0 / 216) / 2;
  EXPECT_NEAR(cubic.intercept, std::log(2.0), 1e-6);
  EXPECT_NEAR(cubic.x[0], std::log(3.0), 1e-6);
  EXPECT_NEAR(cubic.dispersion, of_cubic, 1e-6);
  EXPECT_NEAR(cubic.standard_errors[1], std::sqrt(of_cubic), 1e-6);
  EXPECT_NEAR(cubic.standard_errors[0], std::sqrt(4 * of_cubic), 1e-6);
  EXPECT_TRUE(std::isnan(cubic.aic));
}

TYPED_TEST(Regressions, RefuseOfGammaAndTweedieWhatTheyCannotFit) {
  auto const refuses = [&](Loss loss, std::vector<double> const& y, double power,
                           std::string const& sentence) {
    EXPECT_THAT([&] { this->fit_of(loss, 1, {0, 0, 1, 1}, y, {.power = power}); },
                test::refuses(sentence));
  };
  refuses(Loss::gamma, {1, 2, 0, 3}, 0, "gamma_regression: expected y above 0, found 0 at row 2");
  refuses(Loss::tweedie, {1, 2, 0, 3}, 2, "expected y above 0, found 0 at row 2");
  refuses(Loss::tweedie, {1, -2, 0, 3}, 1.5, "expected y of at least 0, found -2 at row 1");
  refuses(Loss::tweedie, {1, 2, 0, 3}, 1, "expected a power above 1, found 1");
  auto const zeros = this->fit_of(Loss::tweedie, 1, {0, 0, 1, 1}, {0, 0, 0, 0});
  EXPECT_EQ(zeros.stop, Stop::not_solvable);
  EXPECT_EQ(zeros.detail, "all y are 0: the intercept falls without bound");
  auto const separated = this->fit_of(Loss::tweedie, 1, {0, 0, 1, 1}, {0, 0, 1, 2});
  EXPECT_EQ(separated.stop, Stop::not_solvable);
  EXPECT_THAT(separated.detail, testing::HasSubstr("rows with y = 0 are separated"));
}

TYPED_TEST(Regressions, OfSeveralClassesHaveTheSameBitsHoweverTheyRun) {
  using T = typename TypeParam::Scalar;
  using Exec = typename TypeParam::Exec;
  using solve::multinomial_regression;
  auto const A = this->matrix();
  auto const source = source_of<TypeParam>(A, TestFixture::rows, TestFixture::cols);
  auto const on_device = matrix_on_device<TypeParam>(A);
  solve::MatrixOperator const op(Exec(), on_device);
  solve::MatrixOperator const portable(Exec(), on_device,
                                       AtaxOptions<Exec, T>{.kernels = Kernels::portable});
  solve::StreamOperator const streamed(Exec(), source);
  std::vector<T> y;
  for (T const answer : this->answers(Loss::squares)) {
    y.push_back(answer < T(-1) ? T(0) : answer < T(2) ? T(1) : T(2));
  }
  auto const numbers_of = [&](solve::Regression<Exec, T> const& fit) {
    EXPECT_EQ(fit.stop, Stop::converged) << sentence(fit.stop);
    auto const x = solve::detail::to_host<Exec, T>(Exec(), fit.x);
    std::vector<double> all(x.begin(), x.end());
    all.insert(all.end(), fit.intercepts.begin(), fit.intercepts.end());
    all.insert(all.end(), {fit.loss, fit.deviance, static_cast<double>(fit.iterations)});
    return all;
  };
  solve::Observations<Exec, T> const observed{.y = this->on_device(y)};
  for (double const penalty : {0.0, 0.5}) {
    RegressionOptions const options{.penalty = penalty};
    auto const whole = multinomial_regression(op, observed, 3, options);
    auto const expected = numbers_of(whole);
    EXPECT_EQ(expected.size(), 3U * (TestFixture::cols + 1) + 3U);
    EXPECT_EQ(whole.reads, whole.iterations + 2);  // the scales, and the first gradient
    EXPECT_THAT(numbers_of(multinomial_regression(portable, observed, 3, options)),
                same_bits_as(expected));
    EXPECT_THAT(numbers_of(multinomial_regression(streamed, observed, 3, options)),
                same_bits_as(expected));
    for (Index step = 1; step < whole.iterations; ++step) {
      std::optional<solve::State<T>> kept;
      multinomial_regression(
          op, observed, 3, options,
          {.on_step = [&](solve::Step const& now) { return now.iteration < step; },
           .wants_state = [&](solve::Step const& now) { return now.iteration == step; },
           .on_state = [&](solve::State<T> const& state) { kept = state; }});
      ASSERT_TRUE(kept);
      EXPECT_THAT(numbers_of(multinomial_regression(op, observed, 3, options, {.resume = &*kept})),
                  same_bits_as(expected));
    }
  }
  // Logistic regression gives the difference of both coefficients.
  for (T& label : y) label = label > T(0) ? T(1) : T(0);
  auto const odds = this->run(Loss::logistic, op, y);
  auto const two = numbers_of(multinomial_regression(op, {.y = this->on_device(y)}, 2));
  for (std::size_t j = 0; j < odds.x.size(); ++j) {
    EXPECT_NEAR(two[odds.x.size() + j] - two[j], odds.x[j], 1e-5);
  }
}

TYPED_TEST(Regressions, OfSeveralTargetsHaveTheBitsOfEachAndShareReads) {
  using T = typename TypeParam::Scalar;
  using Exec = typename TypeParam::Exec;
  using Memory = typename Exec::memory_space;
  auto const A = this->matrix();
  solve::MatrixOperator const in_memory(Exec(), matrix_on_device<TypeParam>(A));
  auto const source = source_of<TypeParam>(A, TestFixture::rows, TestFixture::cols);
  solve::StreamOperator const streamed(Exec(), source);
  auto const y = this->answers(Loss::squares);
  std::vector<std::vector<T>> targets{y, y, y, y};
  std::vector<T> weights;
  for (std::size_t i = 0; i < y.size(); ++i) {
    targets[1][i] = static_cast<T>(i % 7);
    targets[2][i] = T(0);
    weights.push_back(static_cast<T>(i % 3));
  }
  targets[3][5] = std::numeric_limits<T>::quiet_NaN();
  std::vector<double> const penalties{0, 0.25, 2, 1};
  Kokkos::View<T**, Kokkos::LayoutLeft, Memory> const Y("Y", y.size(), targets.size());
  for (std::size_t j = 0; j < targets.size(); ++j) {
    Kokkos::deep_copy(Exec(), Kokkos::subview(Y, Kokkos::ALL, j), this->on_device(targets[j]));
  }
  for (auto const& weight : {this->on_device({}), this->on_device(weights)}) {
    for (bool const has_intercept : {true, false}) {
      for (auto const solver : {RegressionSolver::newton, RegressionSolver::newton_cg}) {
        RegressionOptions options{.has_intercept = has_intercept, .solver = solver};
        Index most = 0;
        Index sum = 0;
        auto const expect_bits_of_each = [&](auto const& op) {
          auto const fits = solve::linear_regressions(op, Y, weight, penalties, options);
          ASSERT_EQ(fits.size(), targets.size());
          most = sum = 0;
          for (std::size_t j = 0; j < fits.size(); ++j) {
            options.penalty = penalties[j];
            auto const alone = solve::linear_regression(
                op, {.y = this->on_device(targets[j]), .weights = weight}, options);
            EXPECT_THAT((solve::detail::to_host<Exec, T>(Exec(), fits[j].x)),
                        same_bits_as(solve::detail::to_host<Exec, T>(Exec(), alone.x)));
            EXPECT_TRUE(same_bits(fits[j].intercept, alone.intercept));
            EXPECT_TRUE(same_bits(fits[j].loss, alone.loss));
            EXPECT_TRUE(same_bits(fits[j].aic, alone.aic));
            EXPECT_EQ(fits[j].standard_errors.size(), alone.standard_errors.size());
            EXPECT_EQ(fits[j].stop, alone.stop);
            EXPECT_EQ(fits[j].detail, alone.detail);
            EXPECT_EQ(fits[j].iterations, alone.iterations);
            most = std::max(most, alone.reads);
            sum += alone.reads;
          }
          bool const shares = solver == RegressionSolver::newton;
          for (auto const& fit : fits) EXPECT_EQ(fit.reads, shares ? most : sum);
        };
        expect_bits_of_each(in_memory);
        expect_bits_of_each(streamed);
        EXPECT_GT(sum, most);
      }
    }
  }
  EXPECT_EQ(solve::linear_regressions(in_memory, Y)[3].detail, "y has a NaN at row 5");
  EXPECT_THAT([&] { solve::linear_regressions(in_memory, Y, {}, {1, 2}); },
              test::refuses("expected one penalty for each of 4 targets, found 2"));
}

TYPED_TEST(Regressions, OfSeveralTargetsNameTheEntryThatIsNotFinite) {
  using T = typename TypeParam::Scalar;
  std::vector<double> entries;
  for (Index k = 0; k < TestFixture::rows * TestFixture::cols; ++k) {
    entries.push_back(k == 62 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(k));
  }
  solve::MatrixOperator const op(
      typename TypeParam::Exec(),
      matrix_on_device<TypeParam>(this->matrix_of(TestFixture::rows, TestFixture::cols, entries)));
  Kokkos::View<T**, typename TypeParam::Exec::memory_space> const Y("Y", TestFixture::rows, 2);
  for (auto const& fit : solve::linear_regressions(op, Y)) {
    EXPECT_EQ(fit.stop, Stop::not_finite);
    EXPECT_EQ(fit.detail, "A has an infinity or a NaN at row 10, column 2");
  }
}

TYPED_TEST(Regressions, RefuseClassesThatTheyCannotFit) {
  using T = typename TypeParam::Scalar;
  using Exec = typename TypeParam::Exec;
  solve::MatrixOperator const op(Exec(), matrix_on_device<TypeParam>(this->matrix()));
  auto const y = this->answers(Loss::logistic);
  auto const refuses = [&](std::vector<T> const& labels, Index classes,
                           RegressionOptions const& options, std::string const& sentence) {
    solve::Observations<Exec, T> const observed{.y = this->on_device(labels)};
    EXPECT_THAT([&] { solve::multinomial_regression(op, observed, classes, options); },
                test::refuses(sentence));
  };
  refuses(y, 1, {}, "multinomial_regression: expected at least 2 classes, found 1");
  refuses(y, 147, {}, "expected at most 1024 parameters, found 147 classes of 7");
  refuses(y, 3, {}, "expected rows of every class with a weight above 0, found none of class 2");
  refuses(y, 3, {.solver = RegressionSolver::lbfgs}, "expected the solver newton");
  auto other = y;
  other[5] = T(0.5);
  refuses(other, 2, {}, "expected labels y of 0 to 1, found 0.5 at row 5");
}

TYPED_TEST(Regressions, NameTheEntryThatIsNotFinite) {
  using T = typename TypeParam::Scalar;
  for (auto const& [row, column] : {std::pair<Index, Index>{0, 0}, {137, 5}, {199, 2}}) {
    std::vector<double> entries;
    for (Index i = 0; i < TestFixture::rows; ++i) {
      for (Index j = 0; j < TestFixture::cols; ++j) {
        bool const is_bad = i == row && j >= column;
        entries.push_back(is_bad ? std::numeric_limits<double>::quiet_NaN() : this->entry(i, j));
      }
    }
    auto const y = this->answers(Loss::logistic);
    for (auto const solver : every_solver) {
      auto const fit = this->fit_of(Loss::logistic, TestFixture::cols, entries,
                                    std::vector<double>(y.begin(), y.end()), {.solver = solver});
      EXPECT_EQ(fit.stop, Stop::not_finite);
      EXPECT_EQ(fit.iterations, 0);
      EXPECT_EQ(fit.detail, "A has an infinity or a NaN at row " + std::to_string(row) +
                                ", column " + std::to_string(column));
    }
  }
  solve::MatrixOperator const op(typename TypeParam::Exec(),
                                 matrix_on_device<TypeParam>(this->matrix()));
  auto y = this->answers(Loss::squares);
  y[7] = std::numeric_limits<T>::infinity();
  EXPECT_EQ(this->run(Loss::squares, op, y).detail, "y has an infinity at row 7");
  EXPECT_THAT([&] { this->run(Loss::logistic, op, this->answers(Loss::squares)); },
              test::refuses("expected labels y of 0 and 1, found"));
}

}  // namespace
}  // namespace tessera::test
