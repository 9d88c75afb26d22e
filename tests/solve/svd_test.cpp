// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
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
#include "solve/plain_operator.hpp"
#include "solve/triplets.hpp"
#include "support/cases.hpp"
#include "support/data.hpp"
#include "support/device_data.hpp"
#include "support/host_matrix.hpp"
#include "support/same_bits.hpp"
#include "support/sha256.hpp"
#include "support/shapes.hpp"

/// The largest singular values of matrices, on every backend, layout and scalar type.
namespace tessera::test {
namespace {

using solve::Stop;
using solve::SvdOptions;

template <class C>
class Svd : public TripletsTest<C> {
 protected:
  using Exec = typename C::Exec;
  using T = typename C::Scalar;

  static Found run(solve::NormalOperator<Exec, T> const& op, Index k,
                   SvdOptions const& options = {}, solve::Control<T> const& control = {}) {
    return TripletsTest<C>::found_in(solve::svd(op, k, options, control));
  }
  static Found run(HostMatrix<T> const& A, Index k, SvdOptions const& options = {}) {
    solve::MatrixOperator const op(Exec(), matrix_on_device<C>(A));
    return run(op, k, options);
  }
  static void expect_decomposed(HostMatrix<T> const& A, Index k, std::string const& what) {
    SCOPED_TRACE(what);
    auto const found = run(A, k, {.want_u = true});
    ASSERT_EQ(found.stop, Stop::converged)
        << sentence(found.stop) << testing::PrintToString(found.residuals);
    TripletsTest<C>::expect_triplets_of(A, k, found, false);
  }
};
TYPED_TEST_SUITE(Svd, Cases, CaseName);

TYPED_TEST(Svd, FindsTheLargestValuesOfADiagonalMatrix) {
  std::vector<double> s;
  for (int i = 60; i > 0; --i) s.push_back(i);
  auto const found = this->run(this->diagonal(70, 60, s), 5);
  EXPECT_EQ(found.stop, Stop::converged);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(found.s[i], s[i], 60 * 50 * TestFixture::eps);
    EXPECT_NEAR(std::abs(found.VT[i * 60 + i]), 1, 50 * TestFixture::eps);
  }
}

TYPED_TEST(Svd, DecomposesMatricesOfEveryShape) {
  auto const ones = [](Index, Index) { return 1; };
  this->expect_decomposed(this->matrix(1, 1, [](Index, Index) { return -3; }), 1, "1 x 1");
  this->expect_decomposed(this->matrix(1, 30, ones), 1, "a row");
  this->expect_decomposed(this->matrix(30, 1, ones), 1, "a column");
  this->expect_decomposed(this->matrix(7, 5, [](Index, Index) { return 0; }), 4, "zero");
  this->expect_decomposed(this->matrix(33, 70, ones), 3, "constant");
  this->expect_decomposed(this->diagonal(40, 40, std::vector<double>(40, 2)), 6, "twice identity");
  this->expect_decomposed(this->diagonal(50, 45, {9, 5, 5, 3}), 6, "rank 4");
  this->expect_decomposed(this->whole_matrix(300, 12), 12, "tall, all");
  this->expect_decomposed(this->whole_matrix(12, 300), 12, "wide, all");
  this->expect_decomposed(this->whole_matrix(200, 90), 4, "tall");
  this->expect_decomposed(this->whole_matrix(90, 200), 4, "wide");
}

/// The cases of R's irlba (tests/edge.R, tests/test.R of bwlewis/irlba) whose values are known
/// beforehand. Its random bases are other orthogonal matrices here.
TYPED_TEST(Svd, SolvesThePublishedCasesOfIrlba) {
  constexpr double eps = TestFixture::eps;
  auto const expect = [&](auto const& A, std::vector<double> const& known, double tol) {
    auto const k = static_cast<Index>(known.size());
    auto const found = this->run(A, k, {.tol = tol, .want_u = true});
    EXPECT_EQ(found.stop, Stop::converged) << sentence(found.stop);
    ASSERT_EQ(found.s.size(), known.size());
    for (std::size_t i = 0; i < known.size(); ++i) {
      EXPECT_NEAR(found.s[i], known[i], (tol + 100 * eps) * known[0]) << i;
      EXPECT_LE(found.residuals[i], (tol + 100 * eps) * known[0]) << i;
    }
  };
  // A basis that becomes invariant before it is full.
  expect(this->diagonal(9, 9, {1, 2, 3, 4, 5}), {5, 4, 3, 2}, 0);
  // U·diag(s)·Vᵀ for reflections U and V of ten entries.
  auto const with_values = [&](std::vector<double> const& s) {
    return this->matrix(10, 10, [&](Index i, Index j) {
      double sum = 0;
      for (Index l = 0; l < 10; ++l) {
        double const u = (i == l ? 1 : 0) - 2 * static_cast<double>((i + 1) * (l + 1)) / 385;
        double const v = (j == l ? 1 : 0) - 2 * static_cast<double>((10 - j) * (10 - l)) / 385;
        sum += u * s[static_cast<std::size_t>(l)] * v;
      }
      return sum;
    });
  };
  expect(with_values({1, 1, 1, 1, 1, 1, 1, 1, 1, 1e-12}), {1, 1, 1}, 0);
  expect(with_values({10, -9, 8, -7, 6, -5, 4, -3, 2, -1}), {10, 9, 8}, 0);
  // One value far above the others, which are equal.
  auto const far = with_values({1e-5, 1e-9, 1e-9, 1e-9, 1e-9, 1e-9, 1e-9, 1e-9, 1e-9, 1e-9});
  for (int digits = 7; digits <= 12; ++digits) {
    double const tol = std::pow(10, -digits);
    if (tol >= eps) expect(far, {1e-5, 1e-9, 1e-9}, tol);
  }
}

TYPED_TEST(Svd, IsOfNumbersOfAnySize) {
  auto const A = this->whole_matrix(60, 40);
  auto const first = this->run(A, 3);
  for (int const power : {-100, 100}) {
    auto elements = A.memory();
    for (auto& element : elements) element = std::ldexp(element, power);
    auto const found =
        this->run(HostMatrix<typename TypeParam::Scalar>(A.shape(), A.order(), elements), 3);
    EXPECT_EQ(found.stop, Stop::converged);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(found.s[i], std::ldexp(first.s[i], power));
    EXPECT_THAT(found.VT, same_bits_as(first.VT));
  }
}

TYPED_TEST(Svd, ReadsTheMatrixOnceAStep) {
  auto const A = this->whole_matrix(200, 90);
  auto const found = this->run(A, 4);
  EXPECT_EQ(found.reads, found.iterations + 1);
  EXPECT_GT(found.iterations, 20);  // it has restarted
}

TYPED_TEST(Svd, ReadsTheMatrixForUAsRarelyAsItCan) {
  using Exec = typename TypeParam::Exec;
  using T = typename TypeParam::Scalar;
  auto const A = this->whole_matrix(150, 90);
  solve::MatrixOperator const in_memory(Exec(), matrix_on_device<TypeParam>(A));
  std::atomic<Index> elements = 0;
  auto const source = source_of<TypeParam>(A, 150, 90, &elements);
  solve::StreamOperator const streamed(Exec(), source);
  PlainOperator<Exec, T> const plain(in_memory);
  for (Index const k : {1, 8, 10, 20}) {
    auto const what = testing::PrintToString(k) + " vectors";
    auto const one_by_one = this->run(plain, k, {.want_u = true});
    EXPECT_EQ(one_by_one.reads, one_by_one.iterations + 1 + k) << what;
    auto const at_once = this->run(in_memory, k, {.want_u = true});
    EXPECT_EQ(at_once.reads, at_once.iterations + 2) << what;  // up to 32 vectors at once
    elements = 0;
    auto const from_stream = this->run(streamed, k, {.want_u = true});
    EXPECT_EQ(from_stream.reads, from_stream.iterations + 2) << what;
    EXPECT_EQ(elements, from_stream.reads * 150 * 90) << what;
    expect_same_bits(at_once, one_by_one);
    expect_same_bits(from_stream, one_by_one);
  }
}

TYPED_TEST(Svd, HasTheBitsOfOneRunWhereverItIsInterrupted) {
  using T = typename TypeParam::Scalar;
  auto const A = matrix_on_device<TypeParam>(this->whole_matrix(80, 50));
  solve::MatrixOperator const op(typename TypeParam::Exec(), A);
  SvdOptions const options{.ncv = 8, .want_u = true};
  auto const whole = this->run(op, 3, options);
  EXPECT_GT(whole.iterations, 12);
  for (Index step = 1; step <= whole.iterations; ++step) {
    std::optional<solve::State<T>> kept;
    solve::Control<T> control{
        .on_step = [&](solve::Step const& now) { return now.iteration < step; },
        .wants_state = [&](solve::Step const& now) { return now.iteration == step; },
        .on_state = [&](solve::State<T> const& state) { kept = state; }};
    auto const part = this->run(op, 3, options, control);
    EXPECT_EQ(part.stop, step == whole.iterations ? Stop::converged : Stop::cancelled);
    ASSERT_TRUE(kept);
    expect_same_bits(this->run(op, 3, options, {.resume = &*kept}), whole);
  }
}

TYPED_TEST(Svd, HasTheBitsOfTheMatrixInMemoryOfAStream) {
  using Exec = typename TypeParam::Exec;
  auto const A = this->whole_matrix(150, 70);
  auto const source = source_of<TypeParam>(A, 150, 70);
  solve::StreamOperator const streamed(Exec(), source);
  expect_same_bits(this->run(streamed, 4, {.want_u = true}), this->run(A, 4, {.want_u = true}));
}

TYPED_TEST(Svd, HasTheSameBitsWithPortableKernels) {
  using T = typename TypeParam::Scalar;
  using Exec = typename TypeParam::Exec;
  auto const A = this->whole_matrix(150, 70);
  solve::MatrixOperator const portable(Exec(), matrix_on_device<TypeParam>(A),
                                       AtaxOptions<Exec, T>{.kernels = Kernels::portable});
  expect_same_bits(this->run(portable, 4, {.want_u = true}), this->run(A, 4, {.want_u = true}));
}

/// ctest runs this with several numbers of threads.
TYPED_TEST(Svd, HasTheCommittedBits) {
  constexpr bool is_float = std::same_as<typename TypeParam::Scalar, float>;
  constexpr bool has_rows = TypeParam::order == Order::row_major;
  auto const found = this->run(this->whole_matrix(700, 300), 3, {.want_u = true});
  EXPECT_EQ(found.stop, Stop::converged);
  std::vector<double> all = found.s;
  all.insert(all.end(), found.VT.begin(), found.VT.end());
  all.insert(all.end(), found.UT.begin(), found.UT.end());
  EXPECT_EQ(sha256(all),
            is_float
                ? (has_rows ? "e363e5fdd1254c98ca42bc1b121603caf8f718d9dcf5220cd389c3fce8d4fd25"
                            : "394fd81db770a4fa8e343b9a3828b33ef44edf5a3b92ea8ab215f1209bed64e4")
                : (has_rows ? "f92fa0263f4acf35323d6b0e22fbf5968793b900c3a80cf867e9333b592173ea"
                            : "8856583dfdc2aa8ab145733293fcba1e2fd7b66ec6950152fe483307810f7205"));
}

TYPED_TEST(Svd, SaysWhatRoundingHasDoneToSmallValues) {
  // Values from 1 down to far below ε, all of them wanted.
  std::vector<double> s;
  for (int i = 0; i < 16; ++i) s.push_back(std::ldexp(1, -4 * i));
  auto const A = this->diagonal(20, 16, s);
  auto const found = this->run(A, 16);
  ASSERT_EQ(found.s.size(), s.size());
  double const root = std::sqrt(TestFixture::eps);
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] >= root) {
      EXPECT_NEAR(found.s[i], s[i], 100 * TestFixture::eps) << i;
    } else {
      EXPECT_NEAR(found.s[i], s[i], found.residuals[i] + 100 * TestFixture::eps) << i;
    }
  }
}

/// v is exact to ε, Aᵀ·A·v beside s² therefore to ε·s_1², and the residual to ε·s_1²/s.
TYPED_TEST(Svd, BreaksDownWhereAWantedValueIsFarBelowTheRootOfEpsilon) {
  double const root = std::sqrt(TestFixture::eps);
  std::vector<double> s;
  for (int i = 0; i < 12; ++i) s.push_back(std::pow(root, 1.6 * i / 11));
  auto const with_values = [&](std::vector<double> const& values) {
    // Reflections, so that rounding has something to do.
    return this->matrix(12, 12, [&](Index i, Index j) {
      double sum = 0;
      for (Index l = 0; l < 12; ++l) {
        double const u = (i == l ? 1 : 0) - 2 * static_cast<double>((i + 1) * (l + 1)) / 650;
        double const v = (j == l ? 1 : 0) - 2 * static_cast<double>((12 - j) * (12 - l)) / 650;
        sum += u * values[static_cast<std::size_t>(l)] * v;
      }
      return sum;
    });
  };
  auto const found = this->run(with_values(s), 12);
  EXPECT_EQ(found.stop, Stop::breakdown) << sentence(found.stop);
  EXPECT_FALSE(solve::is_success(found.stop));
  ASSERT_EQ(found.s.size(), s.size());
  EXPECT_GT(*std::max_element(found.residuals.begin(), found.residuals.end()), root * s[0]);
  for (std::size_t i = 0; i < s.size(); ++i) {
    EXPECT_NEAR(found.s[i], s[i], found.residuals[i] + 100 * TestFixture::eps) << i;
  }
  // Those above it alone have converged.
  EXPECT_EQ(this->run(with_values(s), 4).stop, Stop::converged);
}

/// A basis that spans all columns, and one that cannot grow: what is there is exact.
TYPED_TEST(Svd, ConvergesWhereTheSpaceIsInvariant) {
  auto const few = this->run(this->diagonal(9, 7, {3, 3, 2}), 7);
  EXPECT_EQ(few.stop, Stop::converged);
  auto const all = this->run(this->whole_matrix(30, 5), 5, {.tol = 0});
  EXPECT_EQ(all.stop, Stop::converged);
  EXPECT_EQ(all.iterations, 5);
}

TYPED_TEST(Svd, SaysWhyItStops) {
  using T = typename TypeParam::Scalar;
  auto const A = this->whole_matrix(80, 50);
  auto const cut = this->run(A, 3, {.maxiter = 5, .ncv = 8});
  EXPECT_EQ(cut.stop, Stop::iteration_limit);
  EXPECT_EQ(cut.iterations, 5);
  EXPECT_EQ(cut.s.size(), 3U);
  for (double const x :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), 0.0}) {
    auto elements = A.memory();
    elements[77] = static_cast<T>(x);
    auto const found = this->run(HostMatrix<T>(A.shape(), A.order(), elements), 3);
    EXPECT_EQ(found.stop, x == 0 ? Stop::converged : Stop::not_finite);
    EXPECT_EQ(found.s.empty(), x != 0);
  }
}

TYPED_TEST(Svd, RefusesWhatDoesNotFit) {
  using T = typename TypeParam::Scalar;
  auto const A = matrix_on_device<TypeParam>(this->whole_matrix(8, 5));
  solve::MatrixOperator const op(typename TypeParam::Exec(), A);
  auto const expect_refused = [](auto const& call, std::string const& why) {
    EXPECT_THAT(call, testing::ThrowsMessage<std::invalid_argument>(testing::HasSubstr(why)));
  };
  expect_refused([&] { this->run(op, 0); }, "svd: expected k from 1");
  expect_refused([&] { this->run(op, 6); }, "smaller size of the matrix, 5, found 6");
  expect_refused([&] { this->run(op, 3, {.ncv = 3}); }, "expected ncv to be more than k, found 3");
  expect_refused([&] { this->run(op, 3, {.tol = -1}); }, "expected tol and maxiter");

  std::optional<solve::State<T>> kept;
  this->run(op, 2, {},
            {.wants_state = [](solve::Step const& step) { return step.iteration == 2; },
             .on_state = [&](solve::State<T> const& state) { kept = state; }});
  ASSERT_TRUE(kept);
  auto const resume = [&](solve::State<T> const& state) {
    return [&, state] { this->run(op, 2, {}, {.resume = &state}); };
  };
  EXPECT_NO_THROW(resume(*kept)());
  auto other = *kept;
  other.of.rows = 9;
  expect_refused(resume(other), "found one of svd of 9 x 5");
  // Whatever one number of the state becomes, a run ends or refuses it.
  for (std::size_t i = 0; i < kept->numbers.size(); ++i) {
    for (double const x : {-1.0, 0.5, 3.0, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
      auto damaged = *kept;
      damaged.numbers[i] = x;
      try {
        resume(damaged)();
      } catch (std::invalid_argument const&) {
        continue;
      }
    }
  }
  auto shorter = *kept;
  shorter.vectors[0].pop_back();
  expect_refused(resume(shorter), "is damaged");
}

}  // namespace
}  // namespace tessera::test
