// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <gmock/gmock.h>

#include <tessera/solve/small_eigen.hpp>
#include <tessera/solve/small_svd.hpp>

/// Small matrices, on the host.
namespace tessera::test {
namespace {

using solve::Index;
using solve::small_eigen;
using solve::small_svd;
using solve::SmallEigen;
using solve::SmallMatrix;
using solve::SmallSvd;

constexpr double eps = std::numeric_limits<double>::epsilon();

template <class Entry>
SmallMatrix matrix(Index rows, Index cols, Entry const& entry) {
  SmallMatrix A(rows, cols);
  for (Index j = 0; j < cols; ++j) {
    for (Index i = 0; i < rows; ++i) A(i, j) = static_cast<double>(entry(i, j));
  }
  return A;
}

double distance_from_orthonormal(SmallMatrix const& X) {
  double most = 0;
  for (Index i = 0; i < X.cols(); ++i) {
    for (Index j = 0; j < X.cols(); ++j) {
      double sum = i == j ? -1 : 0;
      for (Index r = 0; r < X.rows(); ++r) sum += X(r, i) * X(r, j);
      most = std::isnan(sum) ? sum : std::max(most, std::abs(sum));  // keeps NaN
    }
  }
  return most;
}

double distance_from(SmallMatrix const& A, SmallSvd const& svd) {
  double most = 0;
  for (Index i = 0; i < A.rows(); ++i) {
    for (Index j = 0; j < A.cols(); ++j) {
      double sum = -A(i, j);
      for (Index k = 0; k < A.cols(); ++k) {
        sum += svd.U(i, k) * svd.s[static_cast<std::size_t>(k)] * svd.V(j, k);
      }
      most = std::isnan(sum) ? sum : std::max(most, std::abs(sum));  // keeps NaN
    }
  }
  return most;
}

void expect_decomposed(SmallMatrix const& A) {
  SmallSvd const svd = small_svd(A);
  ASSERT_TRUE(svd.is_converged);
  EXPECT_TRUE(std::is_sorted(svd.s.rbegin(), svd.s.rend()));
  double const few = 8 * static_cast<double>(A.rows()) * eps;
  EXPECT_LE(distance_from_orthonormal(svd.U), few);
  EXPECT_LE(distance_from_orthonormal(svd.V), few);
  EXPECT_LE(distance_from(A, svd), few * svd.s[0]);
}

TEST(SmallSvd, OfADiagonalMatrixIsExact) {
  SmallSvd const svd = small_svd(matrix(4, 4, [](Index i, Index j) { return i == j ? i - 2 : 0; }));
  EXPECT_EQ(svd.s, (std::vector<double>{2, 1, 1, 0}));
  EXPECT_TRUE(svd.is_converged);
}

TEST(SmallSvd, FindsTheValuesOfTheSecondDifference) {
  // 2 - 2 cos(πk/(n + 1)): 2 on the diagonal, -1 next to it.
  Index const n = 40;
  SmallSvd const svd = small_svd(
      matrix(n, n, [](Index i, Index j) { return i == j ? 2 : (std::abs(i - j) == 1 ? -1 : 0); }));
  for (Index k = 0; k < n; ++k) {
    double const angle = 3.14159265358979323846 * static_cast<double>(n - k) / (n + 1);
    EXPECT_NEAR(svd.s[static_cast<std::size_t>(k)], 2 - 2 * std::cos(angle), 40 * eps);
  }
}

TEST(SmallSvd, KeepsSmallValuesOfGradedColumns) {
  // Orthogonal columns with lengths 10^-3j.
  SmallSvd const svd = small_svd(matrix(
      2, 2, [](Index i, Index j) { return (j == 0 ? 1.0 : 1e-30) * (i == 1 && j == 1 ? -1 : 1); }));
  EXPECT_NEAR(svd.s[0] / std::sqrt(2.0), 1, 4 * eps);
  EXPECT_NEAR(svd.s[1] / std::sqrt(2.0) * 1e30, 1, 4 * eps);
}

TEST(SmallSvd, ReproducesTheMatrix) {
  expect_decomposed(matrix(1, 1, [](Index, Index) { return -3.0; }));
  expect_decomposed(matrix(3, 3, [](Index, Index) { return 0.0; }));
  expect_decomposed(matrix(5, 4, [](Index, Index) { return 1.0; }));
  expect_decomposed(
      matrix(12, 12, [](Index i, Index j) { return 1 / static_cast<double>(i + j + 1); }));
  expect_decomposed(
      matrix(30, 17, [](Index i, Index j) { return static_cast<double>((i * 7 + j * j) % 11); }));
  expect_decomposed(matrix(20, 20, [](Index i, Index j) {
    return j == i ? static_cast<double>(i + 1) : (j == i + 1 ? 0.5 : 0);
  }));
}

TEST(SmallSvd, HandlesHugeAndTinyValues) {
  auto const shape = [](Index i, Index j) { return static_cast<double>(i * 2 + j + 1); };
  double const first = small_svd(matrix(3, 2, shape)).s[0];
  for (int const power : {-1000, 1000}) {
    auto const svd =
        small_svd(matrix(3, 2, [&](Index i, Index j) { return std::ldexp(shape(i, j), power); }));
    EXPECT_EQ(svd.s[0], std::ldexp(first, power));
  }
}

TEST(SmallSvd, SaysThatItHasNotConvergedOfWhatIsNotFinite) {
  for (double const x :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_FALSE(
        small_svd(matrix(3, 2, [&](Index i, Index j) { return i + j == 1 ? x : 1; })).is_converged);
  }
}

void expect_eigen_decomposed(SmallMatrix const& A) {
  SmallEigen const eigen = small_eigen(A);
  ASSERT_TRUE(eigen.is_converged);
  EXPECT_TRUE(std::is_sorted(eigen.values.rbegin(), eigen.values.rend()));
  double const few = 8 * static_cast<double>(A.rows()) * eps;
  EXPECT_LE(distance_from_orthonormal(eigen.V), few);
  SmallSvd const as_svd{.U = eigen.V, .s = eigen.values, .V = eigen.V, .is_converged = true};
  EXPECT_LE(distance_from(A, as_svd), few * eigen.values[0]);
}

TEST(SmallEigen, DecomposesMatricesOfLowRank) {
  // Each reflection leaves rounding of 1e-16 times the matrix before: squares become subnormal.
  for (Index n = 1; n <= 64; ++n) {
    SCOPED_TRACE(n);
    expect_eigen_decomposed(matrix(n, n, [](Index, Index) { return 0.1; }));
    expect_eigen_decomposed(matrix(
        n, n, [](Index i, Index j) { return std::sqrt(static_cast<double>(i + j + i * j + 1)); }));
    expect_eigen_decomposed(matrix(n, n, [](Index i, Index j) {
      return std::ldexp(1.0, static_cast<int>(-100 * std::abs(i - j)));
    }));
  }
}

}  // namespace
}  // namespace tessera::test
