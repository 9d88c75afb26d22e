// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "solve/lapack.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/solve.hpp>

#include "support/data.hpp"

/// Solvers against LAPACK, in double.
namespace tessera::test {
namespace {

using Vector = std::vector<double>;
using Exec = Kokkos::DefaultExecutionSpace;
using solve::Stop;
constexpr double eps = std::numeric_limits<double>::epsilon();

struct Problem {
  template <class Entry>
  Problem(std::string what, int m, int n, Entry const& entry)
      : name(std::move(what)), rows(m), cols(n) {
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < m; ++i) A.push_back(static_cast<double>(entry(i, j)));
    }
  }
  [[nodiscard]] double at(int i, int j) const {
    return A[static_cast<std::size_t>(j) * static_cast<std::size_t>(rows) +
             static_cast<std::size_t>(i)];
  }
  [[nodiscard]] Vector right_side() const {
    Vector b;
    for (int i = 0; i < rows; ++i) {
      b.push_back(whole_number<double>(5, static_cast<std::size_t>(i), 9) / 8);
    }
    return b;
  }

  std::string name;
  int rows;
  int cols;
  Vector A;
};

double random_entry(int i, int j) {
  return whole_number<double>(1, static_cast<std::size_t>(i) * 4096 + static_cast<std::size_t>(j),
                              1000) /
         512;
}

std::vector<Problem> problems() {
  return {
      {"tall", 2000, 500, random_entry},
      {"square", 120, 120, random_entry},
      {"wide", 150, 400, random_entry},
      {"one column", 700, 1, random_entry},
      {"graded columns", 400, 60,
       [](int i, int j) { return std::ldexp(random_entry(i, j), -(j % 12)); }},
      {"Laeuchli", 101, 100, [](int i, int j) { return i == 0       ? 1
                                                       : i == j + 1 ? 1e-3
                                                                    : 0; }},
      {"Vandermonde", 60, 6, [](int i, int j) { return std::pow((i - 29.5) / 30, j); }},
      {"Hilbert", 8, 4, [](int i, int j) { return 1.0 / (i + j + 1); }},
  };
}

template <class Layout>
class BesideLapack : public testing::Test {
 protected:
  void SetUp() override {
    lapack = Lapack::find();
    if (lapack == nullptr) GTEST_SKIP() << "SKIPPED: there is no libopenblas.so.0 with LAPACK";
  }

  static auto op(Problem const& p) {
    using View = Kokkos::View<double**, Layout, Exec::memory_space>;
    View const A("A", static_cast<std::size_t>(p.rows), static_cast<std::size_t>(p.cols));
    auto const mirror = Kokkos::create_mirror_view(A);
    for (int j = 0; j < p.cols; ++j) {
      for (int i = 0; i < p.rows; ++i) mirror(i, j) = p.at(i, j);
    }
    Kokkos::deep_copy(A, mirror);
    return solve::MatrixOperator<Exec, View>(Exec(), A);
  }
  static solve::Values<Exec, double> on_device(Vector const& x) {
    auto const copy =
        solve::detail::make_values<Exec, double>(Exec(), static_cast<Index>(x.size()));
    solve::detail::from_host<Exec, double>(Exec(), x, copy);
    return copy;
  }
  static std::pair<double, double> residuals(Problem const& p, Vector const& x, Vector const& b) {
    std::vector<long double> r(b.begin(), b.end());
    for (int j = 0; j < p.cols; ++j) {
      for (int i = 0; i < p.rows; ++i) {
        r[static_cast<std::size_t>(i)] -=
            static_cast<long double>(p.at(i, j)) * x[static_cast<std::size_t>(j)];
      }
    }
    long double square = 0;
    for (long double const entry : r) square += entry * entry;
    long double of_gradient = 0;
    for (int j = 0; j < p.cols; ++j) {
      long double sum = 0;
      for (int i = 0; i < p.rows; ++i) sum += p.at(i, j) * r[static_cast<std::size_t>(i)];
      of_gradient += sum * sum;
    }
    return {static_cast<double>(std::sqrt(square)), static_cast<double>(std::sqrt(of_gradient))};
  }
  static double norm(Vector const& x) {
    double sum = 0;
    for (double const entry : x) sum += entry * entry;
    return std::sqrt(sum);
  }

  Lapack const* lapack = nullptr;
};
using Layouts = testing::Types<Kokkos::LayoutRight, Kokkos::LayoutLeft>;
class LayoutName {
 public:
  template <class Layout>
  static std::string GetName(int) {
    return std::is_same_v<Layout, Kokkos::LayoutRight> ? "rows" : "columns";
  }
};
TYPED_TEST_SUITE(BesideLapack, Layouts, LayoutName);

TYPED_TEST(BesideLapack, LeastSquaresAreThoseOfDgelsd) {
  for (Problem const& p : problems()) {
    auto const A = this->op(p);
    auto const b = p.right_side();
    auto const s = this->lapack->singular_values(p.rows, p.cols, p.A);
    auto const expected = this->lapack->least_squares(p.rows, p.cols, p.A, b);
    solve::LeastSquaresOptions<Exec, double> const options{
        .atol = 0, .btol = 0, .conlim = 0, .maxiter = 10 * p.cols + 100};
    for (bool const is_lsmr : {true, false}) {
      SCOPED_TRACE(p.name + (is_lsmr ? " by lsmr" : " by lsqr"));
      auto const found = is_lsmr ? solve::lsmr(A, this->on_device(b), options)
                                 : solve::lsqr(A, this->on_device(b), options);
      EXPECT_TRUE(solve::is_success(found.stop) || found.stop == Stop::iteration_limit)
          << solve::sentence(found.stop);
      auto const x = solve::detail::to_host<Exec, double>(Exec(), found.x);
      Vector off(x.size());
      for (std::size_t j = 0; j < x.size(); ++j) off[j] = x[j] - expected[j];
      auto const [normr, normar] = this->residuals(p, x, b);
      auto const [lapack_normr, lapack_normar] = this->residuals(p, expected, b);
      // A stable method: n roundings of each product.
      double const n = p.rows + p.cols;
      EXPECT_LE(normar, n * eps * s[0] * (s[0] * this->norm(x) + this->norm(b)));
      // x - x' = (AᵀA)⁻¹·Aᵀ·(r' - r) for full column rank; A⁺·(r' - r) if wide.
      double const least = s.back();
      double const rounding = n * eps * (s[0] / least) * this->norm(expected);
      double const bound = p.rows >= p.cols ? (normar + lapack_normar) / (least * least)
                                            : (normr + lapack_normr) / least;
      EXPECT_LE(this->norm(off), bound + rounding);
    }
  }
}

TYPED_TEST(BesideLapack, SingularValuesAreThoseOfDgesdd) {
  for (Problem const& p : problems()) {
    auto const A = this->op(p);
    auto const expected = this->lapack->singular_values(p.rows, p.cols, p.A);
    solve::Index const k = std::min(5, std::min(p.rows, p.cols));
    for (bool const is_randomized : {false, true}) {
      SCOPED_TRACE(p.name + (is_randomized ? ", randomized" : ""));
      auto const found =
          is_randomized ? solve::randomized_svd(A, k, {.power_iterations = 30}) : solve::svd(A, k);
      EXPECT_EQ(found.stop, is_randomized ? Stop::all_done : Stop::converged)
          << solve::sentence(found.stop);
      ASSERT_EQ(static_cast<solve::Index>(found.s.size()), k);
      for (std::size_t i = 0; i < found.s.size(); ++i) {
        // A value within the residual may be found instead.
        double const squares = eps * expected[0] * expected[0] / std::max(expected[i], 1e-300);
        double const bound = found.residuals[i] + (p.rows + p.cols) * eps * expected[0] +
                             (expected[i] < std::sqrt(eps) * expected[0] ? squares : 0);
        EXPECT_NEAR(found.s[i], expected[i], bound) << i;
      }
    }
  }
}

TYPED_TEST(BesideLapack, ConditionIsAtMostThatOfDgesdd) {
  for (Problem const& p : problems()) {
    SCOPED_TRACE(p.name);
    auto const s = this->lapack->singular_values(p.rows, p.cols, p.A);
    auto const found = solve::condition_estimate(this->op(p));
    double const rounding = (p.rows + p.cols) * eps * s[0];
    EXPECT_LE(found.largest, s[0] + rounding);
    EXPECT_GE(found.smallest, s.back() - rounding);
    auto const power = solve::power_iteration(this->op(p), {.tol = 1e-3});
    EXPECT_EQ(power.stop, Stop::converged);
    EXPECT_LE(power.s, s[0] + rounding);
    EXPECT_GE(power.s, 0.9 * s[0]);
  }
}

}  // namespace
}  // namespace tessera::test
