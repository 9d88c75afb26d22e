// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/solve.hpp>

#include "support/data.hpp"
#include "support/device_data.hpp"
#include "support/guarded_matrix.hpp"
#include "support/narrow.hpp"
#include "support/same_bits.hpp"
#include "support/shapes.hpp"

/// Solvers of a narrow matrix give the bits of the widened one.
namespace tessera::test {
namespace {

using solve::Loss;

/// Everything that a solver returns, in double.
struct Outcome {
  std::vector<double> numbers;
  int stop = 0;
  Index iterations = 0;
};

template <class View>
void append(Outcome& to, View const& x) {
  for (auto const value : elements_of(x)) to.numbers.push_back(static_cast<double>(value));
}
void append(Outcome& to, std::vector<double> const& x) {
  to.numbers.insert(to.numbers.end(), x.begin(), x.end());
}

template <class Exec, class T>
Outcome outcome_of(solve::LeastSquares<Exec, T> const& found) {
  Outcome outcome{{found.normr, found.normar, found.norma, found.conda, found.normx,
                   static_cast<double>(found.rank)},
                  static_cast<int>(found.stop),
                  found.iterations};
  append(outcome, found.x);
  return outcome;
}
template <class Exec, class T>
Outcome outcome_of(solve::SvdResult<Exec, T> const& found) {
  Outcome outcome{found.s, static_cast<int>(found.stop), found.iterations};
  append(outcome, found.residuals);
  append(outcome, found.VT);
  append(outcome, found.UT);
  return outcome;
}
template <class Exec, class T>
Outcome outcome_of(solve::PcaResult<Exec, T> const& found) {
  Outcome outcome = outcome_of(found.svd);
  append(outcome, std::vector<double>(found.mean.begin(), found.mean.end()));
  append(outcome, found.deviation);
  append(outcome, found.explained_variance_ratio);
  return outcome;
}
template <class Exec, class T>
Outcome outcome_of(solve::Regression<Exec, T> const& found) {
  Outcome outcome{{found.intercept, found.loss, found.gradient_norm, found.deviance, found.aic},
                  static_cast<int>(found.stop),
                  found.iterations};
  append(outcome, found.intercepts);
  append(outcome, found.standard_errors);
  append(outcome, found.x);
  return outcome;
}

template <class Exec, class T>
struct Solver {
  char const* name;
  std::function<Outcome(solve::BlockOperator<Exec, T> const&)> run;
};

/// Vectors of `rows` entries: real numbers, and labels below `classes`.
template <class Exec, class T>
solve::Values<Exec, T> right_side(Index rows, int classes) {
  solve::Values<Exec, T> const y("y", static_cast<std::size_t>(rows));
  auto const mirror = Kokkos::create_mirror_view(y);
  for (std::size_t i = 0; i < mirror.size(); ++i) {
    mirror(i) = classes == 0 ? whole_number<T>(3, i, 1000) / T(64)
                             : static_cast<T>(random_bits(4, i) % static_cast<unsigned>(classes));
  }
  Kokkos::deep_copy(y, mirror);
  return y;
}

template <class Exec, class T>
std::vector<Solver<Exec, T>> solvers(Index rows) {
  using Operator = solve::BlockOperator<Exec, T>;
  auto const b = right_side<Exec, T>(rows, 0);
  auto const binary = right_side<Exec, T>(rows, 2);
  auto const labels = right_side<Exec, T>(rows, 3);
  return {
      {"lsmr", [=](Operator const& A) { return outcome_of(solve::lsmr(A, b, {.maxiter = 7})); }},
      {"lsqr", [=](Operator const& A) { return outcome_of(solve::lsqr(A, b, {.maxiter = 7})); }},
      {"cgls", [=](Operator const& A) { return outcome_of(solve::cgls(A, b, {.maxiter = 7})); }},
      {"lstsq", [=](Operator const& A) { return outcome_of(solve::lstsq(A, b)); }},
      {"iterative lstsq",
       [=](Operator const& A) { return outcome_of(solve::lstsq(A, b, {.maxiter = 9})); }},
      {"ridge", [=](Operator const& A) { return outcome_of(solve::ridge(A, b, 10.0)); }},
      {"iterative ridge",
       [=](Operator const& A) {
         auto const found = solve::ridge_path(A, b, {0.0, 1000.0}, {.maxiter = 9});
         Outcome outcome = outcome_of(found.front());
         append(outcome, found.back().x);
         return outcome;
       }},
      {"svd", [](Operator const& A) { return outcome_of(solve::svd(A, 2, {.want_u = true})); }},
      {"iterative svd",
       [](Operator const& A) {
         return outcome_of(solve::svd(A, 2, {.maxiter = 3, .want_u = true}));
       }},
      {"randomized svd",
       [](Operator const& A) { return outcome_of(solve::randomized_svd(A, 2, {.want_u = true})); }},
      {"pca", [](Operator const& A) { return outcome_of(solve::pca(A, 2, {.scale = true})); }},
      {"iterative pca",
       [](Operator const& A) {
         return outcome_of(solve::pca(A, 2, {.svd = {.maxiter = 3}, .scale = true}));
       }},
      {"linear regression",
       [=](Operator const& A) { return outcome_of(solve::linear_regression(A, b)); }},
      {"logistic regression",
       [=](Operator const& A) {
         return outcome_of(solve::logistic_regression(A, binary, {.penalty = 1.0, .maxiter = 3}));
       }},
      {"logistic regression by L-BFGS",
       [=](Operator const& A) {
         return outcome_of(solve::logistic_regression(
             A, binary, {.penalty = 1.0, .solver = solve::RegressionSolver::lbfgs, .maxiter = 4}));
       }},
      {"multinomial regression",
       [=](Operator const& A) {
         return outcome_of(
             solve::multinomial_regression(A, {.y = labels}, 3, {.penalty = 1.0, .maxiter = 2}));
       }},
  };
}

template <class C>
class NarrowSolvers : public testing::Test {
 protected:
  using Exec = typename C::Exec;
  using S = typename C::Element;

  template <class T>
  static void expect_same(solve::BlockOperator<Exec, T> const& found,
                          solve::BlockOperator<Exec, T> const& expected, std::string const& what) {
    EXPECT_STREQ(found.layout(), expected.layout()) << what;
    for (auto const& solver : solvers<Exec, T>(found.rows())) {
      std::string const which = what + ", " + solver.name;
      Outcome const narrow = solver.run(found);
      Outcome const wide = solver.run(expected);
      EXPECT_THAT(narrow.numbers, same_bits_as(wide.numbers)) << which;
      EXPECT_EQ(narrow.stop, wide.stop) << which;
      EXPECT_EQ(narrow.iterations, wide.iterations) << which;
    }
  }
};
TYPED_TEST_SUITE(NarrowSolvers, NarrowCases, NarrowCaseName);

/// Several groups of rows, with rests; wide; a single row or column.
constexpr std::array shapes{Shape{1500, 11}, Shape{70, 130}, Shape{40, 3}};

TYPED_TEST(NarrowSolvers, HaveTheBitsOfTheWidenedMatrix) {
  using Exec = typename TypeParam::Exec;
  for (Shape const& shape : shapes) {
    for (Stored const& stored :
         {Stored{MatrixLayout::right}, Stored{MatrixLayout::left},
          Stored{MatrixLayout::right, 3, 1}, Stored{MatrixLayout::left, 5, 3}}) {
      with_numbers<TypeParam>(shape, stored, [&](auto const& a, auto const& wide) {
        solve::MatrixOperator const of_narrow(Exec(), a);
        solve::MatrixOperator const of_wide(Exec(), wide);
        TestFixture::template expect_same<float>(of_narrow, of_wide,
                                                 to_string(shape) + " " + name_of(stored));
      });
    }
  }
}

/// Without the kernels that widen in registers.
TYPED_TEST(NarrowSolvers, MayUsePortableKernels) {
  using Exec = typename TypeParam::Exec;
  with_numbers<TypeParam>({300, 7}, {MatrixLayout::right}, [&](auto const& a, auto const& wide) {
    solve::MatrixOperator const of_narrow(Exec(), a, {.kernels = Kernels::portable});
    solve::MatrixOperator const of_wide(Exec(), wide);
    TestFixture::template expect_same<float>(of_narrow, of_wide, "portable");
  });
}

std::uint64_t allocated_bytes = 0;

/// Rows are widened in memory that the operator keeps.
TYPED_TEST(NarrowSolvers, AllocateWidenedRowsOnce) {
  using Exec = typename TypeParam::Exec;
  constexpr Index rows = 1500;
  constexpr Index cols = 110;
  with_numbers<TypeParam>({rows, cols}, {MatrixLayout::right}, [&](auto const& a, auto const&) {
    solve::MatrixOperator const op(Exec(), a);
    solve::Rows<Exec, float> const UT("UT", 1, rows);
    solve::Rows<Exec, float> const CT("CT", 1, cols);
    Kokkos::Tools::Experimental::set_allocate_data_callback(
        [](Kokkos::Tools::SpaceHandle, char const*, void const*, std::uint64_t const bytes) {
          allocated_bytes += bytes;
        });
    op.multiply_transposed_block(UT, CT);
    std::uint64_t const first = std::exchange(allocated_bytes, 0);
    op.multiply_transposed_block(UT, CT);
    std::uint64_t const second = std::exchange(allocated_bytes, 0);
    Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
    EXPECT_LT(20 * second, first);
  });
}

TYPED_TEST(NarrowSolvers, TakeOneLineWithGaps) {
  using Exec = typename TypeParam::Exec;
  for (Shape const& shape : {Shape{1, 90}, Shape{90, 1}}) {
    Stored const stored{MatrixLayout::strided, 2, 1};
    with_numbers<TypeParam>(shape, stored, [&](auto const& a, auto const& wide) {
      solve::MatrixOperator const of_narrow(Exec(), a);
      solve::MatrixOperator const of_wide(Exec(), wide);
      auto const b = right_side<Exec, float>(shape.rows, 0);
      EXPECT_THAT(outcome_of(solve::lstsq(of_narrow, b)).numbers,
                  same_bits_as(outcome_of(solve::lstsq(of_wide, b)).numbers));
      EXPECT_THAT(outcome_of(solve::svd(of_narrow, 1)).numbers,
                  same_bits_as(outcome_of(solve::svd(of_wide, 1)).numbers));
      EXPECT_THAT(outcome_of(solve::randomized_svd(of_narrow, 1)).numbers,
                  same_bits_as(outcome_of(solve::randomized_svd(of_wide, 1)).numbers));
    });
  }
}

}  // namespace
}  // namespace tessera::test
