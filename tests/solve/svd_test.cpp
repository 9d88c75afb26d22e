// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/solve.hpp>

#include "solve/damaged_states.hpp"
#include "solve/host_source.hpp"
#include "solve/plain_operator.hpp"
#include "solve/triplets.hpp"
#include "support/cases.hpp"
#include "support/data.hpp"
#include "support/device_data.hpp"
#include "support/host_matrix.hpp"
#include "support/refusal.hpp"
#include "support/same_bits.hpp"
#include "support/sha256.hpp"
#include "support/shapes.hpp"

/// Largest singular values.
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
  static constexpr std::array<Index, 2> ways{solve::direct_columns, 0};

  static void expect_decomposed(HostMatrix<T> const& A, Index k, std::string const& what) {
    for (Index const way : ways) {
      SCOPED_TRACE(what + (way > 0 ? ", directly" : ", by blocks"));
      auto const found = run(A, k, {.want_u = true, .direct = way});
      ASSERT_EQ(found.stop, Stop::converged)
          << sentence(found.stop) << testing::PrintToString(found.residuals);
      TripletsTest<C>::expect_triplets_of(A, k, found, false);
    }
  }
  static HostMatrix<T> reflected(std::vector<double> const& s) {
    auto const n = static_cast<Index>(s.size());
    double sum_of_squares = 0;
    for (Index i = 1; i <= n; ++i) sum_of_squares += static_cast<double>(i * i);
    return TripletsTest<C>::matrix(n, n, [&](Index i, Index j) {
      double sum = 0;
      for (Index l = 0; l < n; ++l) {
        double const u =
            (i == l ? 1 : 0) - 2 * static_cast<double>((i + 1) * (l + 1)) / sum_of_squares;
        double const v =
            (j == l ? 1 : 0) - 2 * static_cast<double>((n - j) * (n - l)) / sum_of_squares;
        sum += u * s[static_cast<std::size_t>(l)] * v;
      }
      return sum;
    });
  }
};
TYPED_TEST_SUITE(Svd, Cases, CaseName);

TYPED_TEST(Svd, FindsTheLargestValuesOfADiagonalMatrix) {
  std::vector<double> s;
  for (int i = 60; i > 0; --i) s.push_back(i);
  for (Index const way : TestFixture::ways) {
    auto const found = this->run(this->diagonal(70, 60, s), 5, {.direct = way});
    EXPECT_EQ(found.stop, Stop::converged);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_NEAR(found.s[i], s[i], 60 * 50 * TestFixture::eps);
      EXPECT_NEAR(found.VT[i * 60 + i], 1, 50 * TestFixture::eps);
    }
  }
}

TYPED_TEST(Svd, DecomposesMatricesOfEveryShape) {
  this->for_every_shape([&](auto const&... of) { this->expect_decomposed(of...); });
}

/// tests/edge.R and tests/test.R of bwlewis/irlba, with other orthogonal matrices.
TYPED_TEST(Svd, SolvesThePublishedCasesOfIrlba) {
  constexpr double eps = TestFixture::eps;
  auto const expect = [&](auto const& A, std::vector<double> const& known, double tol) {
    auto const k = static_cast<Index>(known.size());
    for (Index const way : TestFixture::ways) {
      auto const found = this->run(A, k, {.tol = tol, .want_u = true, .direct = way});
      EXPECT_EQ(found.stop, Stop::converged) << sentence(found.stop);
      ASSERT_EQ(found.s.size(), known.size());
      for (std::size_t i = 0; i < known.size(); ++i) {
        EXPECT_NEAR(found.s[i], known[i], (tol + 100 * eps) * known[0]) << i;
        EXPECT_LE(found.residuals[i], (tol + 100 * eps) * known[0]) << i;
      }
    }
  };
  // The basis becomes invariant before it is full.
  expect(this->diagonal(9, 9, {1, 2, 3, 4, 5}), {5, 4, 3, 2}, 0);
  auto const with_values = [&](std::vector<double> const& s) { return this->reflected(s); };
  expect(with_values({1, 1, 1, 1, 1, 1, 1, 1, 1, 1e-12}), {1, 1, 1}, 0);
  expect(with_values({10, -9, 8, -7, 6, -5, 4, -3, 2, -1}), {10, 9, 8}, 0);
  auto const far = with_values({1e-5, 1e-9, 1e-9, 1e-9, 1e-9, 1e-9, 1e-9, 1e-9, 1e-9, 1e-9});
  for (int digits = 7; digits <= 12; ++digits) {
    double const tol = std::pow(10, -digits);
    if (tol >= eps) expect(far, {1e-5, 1e-9, 1e-9}, tol);
  }
}

TYPED_TEST(Svd, HandlesHugeAndTinyValues) {
  auto const A = this->whole_matrix(60, 40);
  for (Index const way : TestFixture::ways) {
    auto const first = this->run(A, 3, {.direct = way});
    for (int const power : {-100, 100}) {
      auto elements = A.memory();
      for (auto& element : elements) element = std::ldexp(element, power);
      auto const found =
          this->run(HostMatrix<typename TypeParam::Scalar>(A.shape(), A.order(), elements), 3,
                    {.direct = way});
      EXPECT_EQ(found.stop, Stop::converged);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(found.s[i], std::ldexp(first.s[i], power));
      EXPECT_THAT(found.VT, same_bits_as(first.VT));
    }
  }
}

TYPED_TEST(Svd, HandlesValuesWhoseSquaresUnderflow) {
  using T = typename TypeParam::Scalar;
  int const far = std::numeric_limits<T>::max_exponent * 2 / 3;
  auto const A = this->whole_matrix(60, 40);
  auto const first = this->run(A, 3, {.want_u = true});
  for (int const power : {-far, far}) {
    auto elements = A.memory();
    for (auto& element : elements) element = std::ldexp(element, power);
    auto const found =
        this->run(HostMatrix<T>(A.shape(), A.order(), elements), 3, {.want_u = true});
    EXPECT_EQ(found.stop, Stop::converged);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(found.s[i], std::ldexp(first.s[i], power));
    EXPECT_THAT(found.VT, same_bits_as(first.VT));
    EXPECT_THAT(found.UT, same_bits_as(first.UT));
  }
}

TYPED_TEST(Svd, ReadsTheMatrixOnceAStep) {
  auto const A = this->whole_matrix(200, 90);
  auto const found = this->run(A, 4, {.want_u = true, .direct = 0});
  EXPECT_EQ(found.reads, found.iterations + 1);
  EXPECT_GT(found.iterations, 8);  // it restarted
  auto const directly = this->run(A, 4);
  EXPECT_EQ(directly.reads, directly.iterations);
  EXPECT_LE(directly.reads, 2);
  EXPECT_EQ(this->run(A, 4, {.want_u = true}).reads, directly.reads + 1);
}

TYPED_TEST(Svd, ReadsTheMatrixAsRarelyAsItCan) {
  using Exec = typename TypeParam::Exec;
  using T = typename TypeParam::Scalar;
  auto const A = this->whole_matrix(150, 90);
  solve::MatrixOperator const in_memory(Exec(), matrix_on_device<TypeParam>(A));
  std::atomic<Index> elements = 0;
  auto const source = source_of<TypeParam>(A, 150, 90, &elements);
  solve::StreamOperator const streamed(Exec(), source);
  PlainOperator<Exec, T> const plain(in_memory);
  for (Index const k : {1, 8, 20}) {
    SvdOptions const options{.want_u = true, .direct = 0};
    auto const one_by_one = this->run(plain, k, options);
    EXPECT_GT(one_by_one.reads, 2 * one_by_one.iterations);
    auto const at_once = this->run(in_memory, k, options);
    // Up to 32 vectors at once. A GPU may fuse two columns of a column-major matrix one by one,
    // with two reads; two stages read twice, counted once.
    bool const may_fuse_each = backends::Backend<Exec>::is_gpu &&
                               std::same_as<typename TypeParam::Layout, Kokkos::LayoutLeft>;
    EXPECT_GE(at_once.reads, at_once.iterations + 1);
    EXPECT_LE(at_once.reads, (may_fuse_each ? 2 : 1) * at_once.iterations + 1);
    elements = 0;
    auto const from_stream = this->run(streamed, k, options);
    EXPECT_EQ(from_stream.reads, from_stream.iterations + 1);
    EXPECT_EQ(elements, from_stream.reads * 150 * 90);
    expect_same_bits(at_once, one_by_one);
    expect_same_bits(from_stream, one_by_one);
  }
}

TYPED_TEST(Svd, HasTheBitsOfOneRunWhereverItIsInterrupted) {
  using T = typename TypeParam::Scalar;
  auto const expect_same_resumed = [](auto const& op, Index k, SvdOptions const& options,
                                      Index least) {
    auto const whole = TestFixture::run(op, k, options);
    EXPECT_EQ(whole.stop, Stop::converged);
    EXPECT_GT(whole.iterations, least);
    for (Index step = 1; step <= whole.iterations; step += 1 + step / 4) {
      std::optional<solve::State<T>> kept;
      solve::Control<T> control{
          .on_step = [&](solve::Step const& now) { return now.iteration < step; },
          .wants_state = [&](solve::Step const& now) { return now.iteration == step; },
          .on_state = [&](solve::State<T> const& state) { kept = state; }};
      auto const part = TestFixture::run(op, k, options, control);
      EXPECT_TRUE(step == whole.iterations || part.stop == Stop::cancelled);
      ASSERT_TRUE(kept);
      expect_same_bits(TestFixture::run(op, k, options, {.resume = &*kept}), whole);
    }
  };
  using Exec = typename TypeParam::Exec;
  auto const tall = matrix_on_device<TypeParam>(this->whole_matrix(80, 50));
  auto const wide = matrix_on_device<TypeParam>(this->whole_matrix(40, 70));
  solve::MatrixOperator const of_tall(Exec(), tall);
  solve::MatrixOperator const of_wide(Exec(), wide);
  expect_same_resumed(of_tall, 3, {.ncv = 8, .want_u = true}, 8);
  expect_same_resumed(of_wide, 3, {.ncv = 8, .want_u = true}, 8);
  expect_same_resumed(of_tall, 50, {.want_u = true}, 0);
}

TYPED_TEST(Svd, HasTheBitsOfTheMatrixInMemoryOfAStream) {
  using Exec = typename TypeParam::Exec;
  auto const A = this->whole_matrix(700, 70);
  auto const source = source_of<TypeParam>(A, 700, 70);
  solve::StreamOperator const streamed(Exec(), source);
  for (Index const way : TestFixture::ways) {
    SvdOptions const options{.want_u = true, .direct = way};
    expect_same_bits(this->run(streamed, 4, options), this->run(A, 4, options));
  }
}

TYPED_TEST(Svd, HasTheSameBitsWithPortableKernels) {
  using T = typename TypeParam::Scalar;
  using Exec = typename TypeParam::Exec;
  auto const A = this->whole_matrix(700, 70);
  solve::MatrixOperator const portable(Exec(), matrix_on_device<TypeParam>(A),
                                       AtaxOptions<Exec, T>{.kernels = Kernels::portable});
  for (Index const way : TestFixture::ways) {
    SvdOptions const options{.want_u = true, .direct = way};
    expect_same_bits(this->run(portable, 4, options), this->run(A, 4, options));
  }
}

TYPED_TEST(Svd, HasTheCommittedBits) {
  constexpr bool is_float = std::same_as<typename TypeParam::Scalar, float>;
  constexpr bool has_rows = TypeParam::order == Order::row_major;
  auto const digest = [&](Index way) {
    auto const found = this->run(this->whole_matrix(700, 300), 3, {.want_u = true, .direct = way});
    EXPECT_EQ(found.stop, Stop::converged);
    std::vector<double> all = found.s;
    all.insert(all.end(), found.VT.begin(), found.VT.end());
    all.insert(all.end(), found.UT.begin(), found.UT.end());
    return sha256(all);
  };
  EXPECT_EQ(digest(0),
            is_float
                ? (has_rows ? "4db777a3ebd14d93dc3901606811b29977bb52e9c76a26a8dabb7d3ae385d13b"
                            : "6effd05d6a35876e3768fe834ad4276466c6888b30dbc1acc77cdcd721e430fc")
                : (has_rows ? "c131006a57e6614012e3eb233ffb0915431c77d1cc248627f026bc0d287686bf"
                            : "b14215e034c4ac73ce6522d04727ebcad0682610564f221446064458bf470e9d"));
  // Gram matrices have equal bits in each layout.
  EXPECT_EQ(digest(solve::direct_columns),
            is_float ? "0313ecff5c91fb9d4c26c071c8357bfcf66c3d914c5d641dc6fde93ba617667c"
                     : "d8800891650daa9a6002a994f302f533dcd3a2459fc1b6f358bbce6837dbe246");
}

TYPED_TEST(Svd, FindsValuesOfEverySize) {
  std::vector<double> s;
  for (int i = 0; i < 16; ++i) s.push_back(std::ldexp(1, -4 * i));
  std::vector<double> root;
  for (int i = 0; i < 12; ++i) root.push_back(std::pow(TestFixture::eps, 0.8 * i / 11));
  this->expect_decomposed(this->diagonal(20, 16, s), 16, "a diagonal");
  this->expect_decomposed(this->reflected(root), 12, "down to below the root of epsilon");
  this->expect_decomposed(this->reflected(root), 4, "the largest of these");
}

TYPED_TEST(Svd, FindsRepeatedValuesAndZeros) {
  auto const expect = [&](std::vector<double> const& s, std::size_t k, double tol) {
    for (Index const way : TestFixture::ways) {
      auto const size = static_cast<Index>(s.size());
      auto const found = this->run(this->diagonal(size + 3, size, s), static_cast<Index>(k),
                                   {.tol = tol, .want_u = true, .direct = way});
      EXPECT_EQ(found.stop, Stop::converged);
      for (std::size_t i = 0; i < k; ++i) {
        EXPECT_NEAR(found.s[i], s[i], (tol + 100 * TestFixture::eps) * s[0]) << i << ", " << way;
      }
    }
  };
  std::vector<double> tens(10, 10);
  for (int i = 0; i < 100; ++i) tens.push_back(9 - 0.08 * i);
  expect(tens, 6, 0);
  expect(tens, 12, 0);
  std::vector<double> fours{10, 10, 10, 10, 9, 9, 9, 9};
  for (int i = 0; i < 300; ++i) fours.push_back(8 - 7.0 * i / 300);
  expect(fours, 4, 0);
  expect(fours, 3, 1e-3);
  std::vector<double> low(40);
  for (std::size_t i = 0; i < 5; ++i) low[i] = static_cast<double>(5 - i);
  for (Index const way : TestFixture::ways) {
    auto const found = this->run(this->reflected(low), 9, {.want_u = true, .direct = way});
    EXPECT_EQ(found.stop, Stop::converged);
    for (std::size_t i = 5; i < 9; ++i) EXPECT_EQ(found.s[i], 0) << way;
  }
  this->expect_decomposed(this->reflected(low), 40, "of rank 5, all");
}

TYPED_TEST(Svd, ConvergesInsideAClusterOfValues) {
  std::vector<double> below_two{100, 50};
  std::vector<double> flat;
  for (int i = 0; i < 118; ++i) below_two.push_back(10 - 1e-3 * i);
  for (int i = 0; i < 120; ++i) flat.push_back(1 + 1e-3 * std::cos(3 * i));
  std::ranges::sort(flat, std::greater());
  auto const expect_converged = [&](HostMatrix<typename TypeParam::Scalar> const& A, Index k,
                                    std::vector<double> const& s) {
    auto const found = this->run(A, k, {.want_u = true, .direct = 0});
    ASSERT_EQ(found.stop, Stop::converged) << sentence(found.stop);
    EXPECT_EQ(found.reads, found.iterations + 1);
    for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i) {
      EXPECT_NEAR(found.s[i], s[i], 48 * TestFixture::eps * s[0]) << i;
      EXPECT_LE(found.residuals[i], 48 * TestFixture::eps * s[0]) << i;
    }
  };
  for (auto const& [rows, cols] : {std::pair<Index, Index>(120, 300), {300, 120}}) {
    expect_converged(this->diagonal(rows, cols, below_two), 5, below_two);
    expect_converged(this->diagonal(rows, cols, flat), 12, flat);
  }
  // The edge of noise.
  for (auto const& [rows, cols] : {std::pair<Index, Index>(60, 400), {400, 60}}) {
    auto const A = this->whole_matrix(rows, cols);
    expect_converged(A, 10, this->all_values(A));
  }
}

TYPED_TEST(Svd, ConvergesWhereTheSpaceIsInvariant) {
  for (Index const way : TestFixture::ways) {
    EXPECT_EQ(this->run(this->diagonal(9, 7, {3, 3, 2}), 7, {.direct = way}).stop, Stop::converged);
    EXPECT_EQ(this->run(this->whole_matrix(30, 5), 5, {.direct = way}).stop, Stop::converged);
    EXPECT_EQ(this->run(this->whole_matrix(20, 90), 20, {.direct = way}).stop, Stop::converged);
  }
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
    for (Index const way : TestFixture::ways) {
      auto const found =
          this->run(HostMatrix<T>(A.shape(), A.order(), elements), 3, {.direct = way});
      EXPECT_EQ(found.stop, x == 0 ? Stop::converged : Stop::not_finite);
      EXPECT_EQ(found.s.empty(), x != 0);
    }
  }
}

TYPED_TEST(Svd, RefusesWhatDoesNotFit) {
  using T = typename TypeParam::Scalar;
  auto const A = matrix_on_device<TypeParam>(this->whole_matrix(8, 5));
  solve::MatrixOperator const op(typename TypeParam::Exec(), A);
  expect_refused([&] { this->run(op, 0); }, "svd: expected k from 1");
  expect_refused([&] { this->run(op, 6); }, "smaller size of the matrix, 5, found 6");
  expect_refused([&] { this->run(op, 3, {.ncv = 3}); }, "expected ncv to be more than k, found 3");
  expect_refused([&] { this->run(op, 3, {.tol = -1}); }, "tol and maxiter must be at least 0");

  for (Index const way : TestFixture::ways) {
    SvdOptions const options{.direct = way};
    std::optional<solve::State<T>> kept;
    this->run(op, 2, options,
              {.wants_state = [](solve::Step const& step) { return step.iteration == 1; },
               .on_state = [&](solve::State<T> const& state) { kept = state; }});
    ASSERT_TRUE(kept);
    auto const resume = [&](solve::State<T> const& state) {
      return [&, state] { this->run(op, 2, options, {.resume = &state}); };
    };
    EXPECT_NO_THROW(resume(*kept)());
    auto other = *kept;
    other.of.rows = 9;
    expect_refused(resume(other), "svd of 9 x 5");
    expect_refused([&] { this->run(op, 3, options, {.resume = &*kept}); },
                   "the state belongs to another run");
    resume_with_wrong_numbers(*kept, [&](auto const& state) { resume(state)(); });
    auto shorter = *kept;
    if (way == 0) {
      shorter.vectors[0].pop_back();
    } else {
      shorter.numbers.pop_back();
    }
    expect_refused(resume(shorter), "is damaged");
  }
}

}  // namespace
}  // namespace tessera::test
