// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
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
#include "solve/triplets.hpp"
#include "support/cases.hpp"
#include "support/data.hpp"
#include "support/device_data.hpp"
#include "support/host_matrix.hpp"
#include "support/refusal.hpp"
#include "support/same_bits.hpp"
#include "support/sha256.hpp"
#include "support/shapes.hpp"

/// Singular values by products with blocks.
namespace tessera::test {
namespace {

using solve::RandomizedSvdOptions;
using solve::Stop;

template <class C>
class RandomizedSvd : public TripletsTest<C> {
 protected:
  using Exec = typename C::Exec;
  using T = typename C::Scalar;
  using Rows = solve::Rows<Exec, T>;
  using Operator = solve::BlockOperator<Exec, T>;

  static Found run(Operator const& op, Index k, RandomizedSvdOptions const& options = {},
                   solve::Control<T> const& control = {}) {
    return TripletsTest<C>::found_in(solve::randomized_svd(op, k, options, control));
  }
  static Found run(HostMatrix<T> const& A, Index k, RandomizedSvdOptions const& options = {}) {
    solve::MatrixOperator const op(Exec(), matrix_on_device<C>(A));
    return run(op, k, options);
  }

  static Rows rows_of_numbers(Index count, Index size) {
    Rows const rows("rows", static_cast<std::size_t>(count), static_cast<std::size_t>(size));
    auto const copy = Kokkos::create_mirror_view(rows);
    for (std::size_t i = 0; i < copy.size(); ++i) copy.data()[i] = whole_number<T>(2, i, 5);
    Kokkos::deep_copy(rows, copy);
    return rows;
  }

  static void expect_decomposed(HostMatrix<T> const& A, Index k, std::string const& what) {
    SCOPED_TRACE(what);
    auto const found = run(A, k, {.power_iterations = 12, .want_u = true});
    ASSERT_EQ(found.stop, Stop::all_done) << sentence(found.stop);
    TripletsTest<C>::expect_triplets_of(A, k, found, true);
  }
};
TYPED_TEST_SUITE(RandomizedSvd, Cases, CaseName);

TYPED_TEST(RandomizedSvd, ProductsWithBlocksAreThoseOfWholeNumbers) {
  using Exec = typename TypeParam::Exec;
  using Rows = typename TestFixture::Rows;
  for (auto const& [rows, cols] : {std::pair<Index, Index>{1, 1}, {700, 300}, {3, 600}, {600, 3}}) {
    Index const count = 5;
    auto const A = this->whole_matrix(rows, cols);
    auto const source = source_of<TypeParam>(A, rows, cols);
    solve::MatrixOperator const in_memory(Exec(), matrix_on_device<TypeParam>(A));
    solve::StreamOperator const streamed(Exec(), source,
                                         {.memory_limit = static_cast<std::size_t>(4) << 20U});
    Rows const VT = this->rows_of_numbers(count, cols);
    Rows const UT = this->rows_of_numbers(count, rows);
    auto const v = this->on_host(VT);
    auto const u = this->on_host(UT);
    std::vector<double> B(static_cast<std::size_t>(count * rows));
    std::vector<double> C(static_cast<std::size_t>(count * cols));
    std::vector<double> D(C.size());
    for (Index q = 0; q < count; ++q) {
      for (Index i = 0; i < rows; ++i) {
        double& b = B[static_cast<std::size_t>(q * rows + i)];
        for (Index j = 0; j < cols; ++j) b += this->entry(A, i, j) * v.data()[q * cols + j];
        for (Index j = 0; j < cols; ++j) {
          C[static_cast<std::size_t>(q * cols + j)] += this->entry(A, i, j) * b;
          D[static_cast<std::size_t>(q * cols + j)] +=
              this->entry(A, i, j) * u.data()[q * rows + i];
        }
      }
    }
    for (typename TestFixture::Operator const* op :
         {static_cast<typename TestFixture::Operator const*>(&in_memory),
          static_cast<typename TestFixture::Operator const*>(&streamed)}) {
      Rows const BT("B", 5, static_cast<std::size_t>(rows));
      Rows const CT("C", 5, static_cast<std::size_t>(cols));
      op->atax_block(VT, BT, CT);
      EXPECT_EQ(this->on_host(BT), B);
      EXPECT_EQ(this->on_host(CT), C);
      op->atax_block(VT, {}, CT);
      EXPECT_EQ(this->on_host(CT), C);
      op->multiply_transposed_block(UT, CT);
      EXPECT_EQ(this->on_host(CT), D);
      EXPECT_EQ(op->reads(), 3);
    }
  }
}

TYPED_TEST(RandomizedSvd, FindsTheValuesOfAFallingSpectrum) {
  std::vector<double> s;
  for (int i = 0; i < 60; ++i) s.push_back(std::ldexp(1, -i));
  auto const found = this->run(this->diagonal(70, 60, s), 5);
  EXPECT_EQ(found.stop, Stop::all_done);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(found.s[i], s[i], 50 * TestFixture::eps) << i;
    EXPECT_NEAR(std::abs(found.VT[i * 60 + i]), 1, 2000 * TestFixture::eps) << i;
    EXPECT_LE(found.residuals[i], 50 * TestFixture::eps) << i;
  }
}

TYPED_TEST(RandomizedSvd, DecomposesMatricesOfEveryShape) {
  this->for_every_shape([&](auto const&... of) { this->expect_decomposed(of...); });
}

TYPED_TEST(RandomizedSvd, HandlesHugeAndTinyValues) {
  auto const A = this->whole_matrix(60, 40);
  auto const first = this->run(A, 3);
  for (int const power : {-100, 100}) {
    auto elements = A.memory();
    for (auto& element : elements) element = std::ldexp(element, power);
    auto const found =
        this->run(HostMatrix<typename TypeParam::Scalar>(A.shape(), A.order(), elements), 3);
    EXPECT_EQ(found.stop, Stop::all_done);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(found.s[i], std::ldexp(first.s[i], power));
    EXPECT_THAT(found.VT, same_bits_as(first.VT));
  }
}

TYPED_TEST(RandomizedSvd, ReadsTheMatrixOnceAPowerIteration) {
  auto const A = this->whole_matrix(200, 90);
  for (Index const iterations : {0, 1, 7}) {
    auto const found = this->run(A, 4, {.power_iterations = iterations, .want_u = true});
    EXPECT_EQ(found.iterations, iterations);
    EXPECT_EQ(found.reads, iterations + 2);
  }
}

TYPED_TEST(RandomizedSvd, HasTheSameBitsStreamedAndWithPortableKernels) {
  using T = typename TypeParam::Scalar;
  using Exec = typename TypeParam::Exec;
  auto const A = this->whole_matrix(1500, 70);
  auto const expected = this->run(A, 4, {.want_u = true});
  solve::MatrixOperator const portable(Exec(), matrix_on_device<TypeParam>(A),
                                       AtaxOptions<Exec, T>{.kernels = Kernels::portable});
  expect_same_bits(this->run(portable, 4, {.want_u = true}), expected);
  auto const source = source_of<TypeParam>(A, 1500, 70);
  for (std::size_t const limit : {std::size_t{2} << 20U, std::size_t{64} << 20U}) {
    solve::StreamOperator const streamed(Exec(), source, {.memory_limit = limit});
    expect_same_bits(this->run(streamed, 4, {.want_u = true}), expected);
  }
}

TYPED_TEST(RandomizedSvd, HasTheBitsOfOneRunWhereverItIsInterrupted) {
  using T = typename TypeParam::Scalar;
  auto const A = matrix_on_device<TypeParam>(this->whole_matrix(80, 50));
  solve::MatrixOperator const op(typename TypeParam::Exec(), A);
  RandomizedSvdOptions const options{.seed = 7, .want_u = true};
  auto const whole = this->run(op, 3, options);
  for (Index step = 1; step <= whole.iterations; ++step) {
    std::optional<solve::State<T>> kept;
    solve::Control<T> control{
        .on_step = [&](solve::Step const& now) { return now.iteration < step; },
        .wants_state = [&](solve::Step const& now) { return now.iteration == step; },
        .on_state = [&](solve::State<T> const& state) { kept = state; }};
    EXPECT_EQ(this->run(op, 3, options, control).stop, Stop::cancelled);
    ASSERT_TRUE(kept);
    expect_same_bits(this->run(op, 3, options, {.resume = &*kept}), whole);
  }
}

TYPED_TEST(RandomizedSvd, HasTheCommittedBits) {
  constexpr bool is_float = std::same_as<typename TypeParam::Scalar, float>;
  auto const found = this->run(this->whole_matrix(700, 300), 3, {.want_u = true});
  EXPECT_EQ(found.stop, Stop::all_done);
  std::vector<double> all = found.s;
  all.insert(all.end(), found.VT.begin(), found.VT.end());
  all.insert(all.end(), found.UT.begin(), found.UT.end());
  EXPECT_EQ(sha256(all), is_float
                             ? "9e409b9dc0c8b5e61818013fedb31c00d32f1410621ab3aa8717caf471b9c45a"
                             : "a10d9a7da8fdcce797fcc0259e91df1e750a37c5c7d19f243322f30986f86eff");
}

TYPED_TEST(RandomizedSvd, SaysWhyItStops) {
  using T = typename TypeParam::Scalar;
  auto const A = this->whole_matrix(80, 50);
  EXPECT_EQ(this->run(A, 3, {.power_iterations = 1, .tol = 1e-6}).stop, Stop::iteration_limit);
  EXPECT_EQ(this->run(A, 3, {.power_iterations = 1, .tol = 1}).stop, Stop::converged);
  for (double const x :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    auto elements = A.memory();
    elements[77] = static_cast<T>(x);
    auto const found = this->run(HostMatrix<T>(A.shape(), A.order(), elements), 3);
    EXPECT_EQ(found.stop, Stop::not_finite);
    EXPECT_TRUE(found.s.empty());
  }
}

TYPED_TEST(RandomizedSvd, RefusesWhatDoesNotFit) {
  using T = typename TypeParam::Scalar;
  auto const A = matrix_on_device<TypeParam>(this->whole_matrix(8, 5));
  solve::MatrixOperator const op(typename TypeParam::Exec(), A);
  expect_refused([&] { this->run(op, 0); }, "randomized_svd: expected k from 1");
  expect_refused([&] { this->run(op, 6); }, "smaller size of the matrix, 5, found 6");
  expect_refused([&] { this->run(op, 3, {.oversampling = -1}); },
                 "oversampling, power_iterations and tol must be at least 0");
  expect_refused([&] { this->run(op, 3, {.seed = 1 << 24}); }, "a seed below 2^24");

  std::optional<solve::State<T>> kept;
  this->run(op, 2, {},
            {.wants_state = [](solve::Step const& step) { return step.iteration == 2; },
             .on_state = [&](solve::State<T> const& state) { kept = state; }});
  ASSERT_TRUE(kept);
  auto const resume = [&](solve::State<T> const& state, RandomizedSvdOptions const& options = {}) {
    return [this, &op, state, options] { this->run(op, 2, options, {.resume = &state}); };
  };
  EXPECT_NO_THROW(resume(*kept)());
  expect_refused(resume(*kept, {.seed = 1}), "is damaged, or belongs to other options");
  auto other = *kept;
  other.of.rows = 9;
  expect_refused(resume(other), "found one of randomized_svd of 9 x 5");
  resume_with_wrong_numbers(*kept, [&](auto const& state) { resume(state)(); });
  auto shorter = *kept;
  shorter.vectors[0].pop_back();
  expect_refused(resume(shorter), "is damaged");
}

}  // namespace
}  // namespace tessera::test
