// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <app/solve/solve.hpp>
#include <io/matrix_reader.hpp>
#include <io/types.hpp>
#include <tessera/solve.hpp>

/// A relative error of a thousandth fails.
namespace tessera::app::solution_checks {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
constexpr std::int64_t rows = 80;
constexpr std::int64_t cols = 4;
constexpr double off = 1 + 1e-3;

double entry(std::int64_t i, std::int64_t j) {
  double const x = std::cos(static_cast<double>(i * (2 * j + 3) + j));
  return (x + static_cast<double>(j)) * std::pow(10.0, static_cast<double>(j - 1));
}
double noise(std::int64_t i) {
  return std::sin(static_cast<double>(7 * i * i + 1));
}

class SolutionChecks : public testing::Test {
 protected:
  SolutionChecks()
      : path_(std::filesystem::temp_directory_path() /
              ("tessera_solution_checks-" + std::to_string(::getpid()) + ".npy")),
        A_("A", rows, cols) {
    std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (80, 4), }";
    header.resize(117, ' ');
    header += '\n';
    std::ofstream file(path_, std::ios::binary);
    file << "\x93NUMPY" << '\x01' << '\x00' << static_cast<char>(header.size()) << '\x00' << header;
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < cols; ++j) {
        double const x = entry(i, j);
        file.write(reinterpret_cast<char const*>(&x), sizeof(x));
        A_(i, j) = x;
      }
    }
  }
  ~SolutionChecks() override { std::filesystem::remove(path_); }

  static io::VectorView<double> answers(RegressionLoss loss) {
    io::VectorView<double> const y("y", rows);
    for (std::int64_t i = 0; i < rows; ++i) {
      double const line = entry(i, 0) * 5 - entry(i, 1) / 2 + entry(i, 3) / 200 + noise(i);
      y(static_cast<std::size_t>(i)) = loss == RegressionLoss::linear     ? line
                                       : loss == RegressionLoss::logistic ? (line > 1 ? 1 : 0)
                                       : loss == RegressionLoss::gamma
                                           ? std::exp(line / 3)
                                           : std::floor(std::exp(line / 3));
    }
    return y;
  }
  [[nodiscard]] solve::Regression<Exec, double> fit_of(
      RegressionLoss loss, io::VectorView<double> const& y,
      solve::RegressionOptions const& options) const {
    solve::MatrixOperator const op(Exec(), A_);
    solve::ConstValues<Exec, double> const labels(y);
    switch (loss) {
      case RegressionLoss::linear:
        return solve::linear_regression(op, labels, options);
      case RegressionLoss::logistic:
        return solve::logistic_regression(op, labels, options);
      case RegressionLoss::poisson:
        return solve::poisson_regression(op, labels, options);
      case RegressionLoss::gamma:
        return solve::gamma_regression(op, labels, options);
      case RegressionLoss::tweedie:
        return solve::tweedie_regression(op, labels, options);
    }
    return {};
  }
  [[nodiscard]] solve::Regression<Exec, double> classes_of(
      io::VectorView<double> const& y, std::int64_t classes,
      solve::RegressionOptions const& options) const {
    solve::MatrixOperator const op(Exec(), A_);
    return solve::multinomial_regression(op, {.y = solve::ConstValues<Exec, double>(y)}, classes,
                                         options);
  }
  [[nodiscard]] io::MatrixReader reader() const { return io::MatrixReader(path_.string()); }

 private:
  std::filesystem::path path_;
  Kokkos::View<double**, Kokkos::LayoutRight, Exec> A_;
};

TEST_F(SolutionChecks, fail_where_a_coefficient_of_a_regression_is_off) {
  for (RegressionLoss const loss :
       {RegressionLoss::linear, RegressionLoss::logistic, RegressionLoss::poisson,
        RegressionLoss::gamma, RegressionLoss::tweedie}) {
    for (double const penalty : {0.0, 0.1}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(loss)) + ", " + std::to_string(penalty));
      FitOptions options;
      options.loss = loss;
      options.penalty = penalty;
      if (loss == RegressionLoss::tweedie) options.power = 1.5;
      auto const y = answers(loss);
      auto const found = fit_of(loss, y, {.penalty = penalty});
      ASSERT_EQ(found.stop, solve::Stop::converged) << sentence(found.stop);
      io::VectorView<double> const x("x", cols);
      Kokkos::deep_copy(x, found.x);
      Fit fit;
      fit.x = x;
      fit.intercept = found.intercept;
      fit.bound = found.bound;
      fit.is_newton = true;
      fit.standard_errors = found.standard_errors;
      auto const passes = [&] {
        return check_fit(options, reader(), io::ScalarType::f64, fit, {.y = y}).passed();
      };
      EXPECT_TRUE(passes());
      for (std::size_t j = 0; j < cols; ++j) {
        double const right = x(j);
        x(j) *= off;
        EXPECT_FALSE(passes()) << "column " << j;
        x(j) = right;
      }
      fit.intercept *= off;
      EXPECT_FALSE(passes()) << "intercept";
    }
  }
}

TEST_F(SolutionChecks, fail_where_a_coefficient_of_several_classes_is_off) {
  constexpr std::int64_t classes = 3;
  io::VectorView<double> const y("y", rows);
  for (std::int64_t i = 0; i < rows; ++i) {
    double const line = entry(i, 0) * 5 - entry(i, 1) / 2 + 2 * noise(i);
    y(static_cast<std::size_t>(i)) = line < -1 ? 2 : line < 1 ? 0 : 1;
  }
  FitRows const of_rows{.y = y, .classes = {0, 1, 2}};
  for (double const penalty : {0.0, 0.1}) {
    SCOPED_TRACE(penalty);
    auto const found = classes_of(y, classes, {.penalty = penalty});
    ASSERT_EQ(found.stop, solve::Stop::converged) << sentence(found.stop) << found.detail;
    FitOptions options;
    options.loss = RegressionLoss::logistic;
    options.penalty = penalty;
    io::VectorView<double> const x("x", classes * cols);
    Kokkos::deep_copy(x, found.x);
    Fit fit;
    fit.x = x;
    fit.intercepts = found.intercepts;
    fit.bound = found.bound;
    fit.is_newton = true;
    auto const passes = [&] {
      return check_fit(options, reader(), io::ScalarType::f64, fit, of_rows).passed();
    };
    EXPECT_TRUE(passes());
    for (std::size_t j = 0; j < classes * cols; ++j) {
      double const right = x(j);
      x(j) *= off;
      EXPECT_FALSE(passes()) << "coefficient " << j;
      x(j) = right;
    }
    for (double& intercept : fit.intercepts) {
      double const right = intercept;
      intercept *= off;
      EXPECT_FALSE(passes()) << "intercept " << right;
      intercept = right;
    }
  }
}

TEST_F(SolutionChecks, fail_where_an_entry_of_least_squares_is_off) {
  for (auto const method : {LeastSquaresMethod::direct, LeastSquaresMethod::lsmr}) {
    LeastSquaresOptions options;
    options.method = method;
    auto const b = answers(RegressionLoss::linear);
    auto const found = fit_of(RegressionLoss::linear, b, {.has_intercept = false});
    io::VectorView<double> const x("x", cols);
    Kokkos::deep_copy(x, found.x);
    auto const passes = [&] {
      return check_least_squares(options, reader(), io::ScalarType::f64, x, b).passed();
    };
    EXPECT_TRUE(passes());
    for (std::size_t j = 0; j < cols; ++j) {
      double const right = x(j);
      x(j) *= off;
      EXPECT_FALSE(passes()) << static_cast<int>(method) << ", column " << j;
      x(j) = right;
    }
  }
}

TEST_F(SolutionChecks, tell_of_a_coefficient_that_the_tolerance_does_not_determine) {
  auto const b = answers(RegressionLoss::linear);
  auto const found = fit_of(RegressionLoss::linear, b, {.has_intercept = false});
  io::VectorView<double> const x("x", cols);
  Kokkos::deep_copy(x, found.x);
  auto const check_at = [&](double atol) {
    LeastSquaresOptions options;
    options.method = LeastSquaresMethod::lsmr;
    options.atol = options.btol = atol;
    return check_least_squares(options, reader(), io::ScalarType::f64, x, b);
  };
  EXPECT_TRUE(check_at(1e-10).column.is_determined());
  x(0) *= 1.01;
  auto const loose = check_at(1e-2);
  EXPECT_TRUE(loose.passed());
  EXPECT_FALSE(loose.column.is_determined());
  auto const tight = check_at(1e-10);
  EXPECT_FALSE(tight.passed());
  EXPECT_FALSE(tight.column.passed());
  EXPECT_EQ(tight.column.move, loose.column.move);
}

}  // namespace
}  // namespace tessera::app::solution_checks
