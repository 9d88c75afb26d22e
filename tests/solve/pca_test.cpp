// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/solve.hpp>

#include "solve/host_source.hpp"
#include "solve/plain_operator.hpp"
#include "support/cases.hpp"
#include "support/data.hpp"
#include "support/device_data.hpp"
#include "support/host_matrix.hpp"
#include "support/refusal.hpp"
#include "support/same_bits.hpp"
#include "support/sha256.hpp"
#include "support/shapes.hpp"

/// Principal components.
namespace tessera::test {
namespace {

using solve::PcaOptions;
using solve::SmallMatrix;
using solve::Stop;

template <class C>
class Pca : public testing::Test {
 protected:
  using Exec = typename C::Exec;
  using T = typename C::Scalar;
  static constexpr double eps = std::numeric_limits<T>::epsilon();
  static constexpr Index rows = 64;
  static constexpr Index cols = 9;

  static double entry(Index i, Index j) {
    if (j == 4) return 7;
    return whole_number<double>(3, static_cast<std::size_t>(i * cols + j), 8) *
               static_cast<double>(j + 1) +
           static_cast<double>(5 * j);
  }
  static HostMatrix<T> matrix() {
    bool const by_rows = C::order == Order::row_major;
    std::vector<T> elements;
    for (Index i = 0; i < rows * cols; ++i) {
      elements.push_back(
          static_cast<T>(by_rows ? entry(i / cols, i % cols) : entry(i % rows, i / rows)));
    }
    return {Shape{rows, cols}, C::order, std::move(elements)};
  }
  static std::vector<double> host_rows(solve::Rows<Exec, T> const& rows) {
    auto const copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), rows);
    return {copy.data(), copy.data() + copy.size()};
  }

  static constexpr std::array<Index, 2> ways{solve::direct_columns, 0};

  struct Expected {
    std::vector<double> mean = std::vector<double>(cols);
    std::vector<double> deviation = std::vector<double>(cols);
    solve::SmallSvd svd;
    double total = 0;
  };
  static Expected expected(bool scale) {
    Expected result;
    SmallMatrix A(rows, cols);
    for (Index j = 0; j < cols; ++j) {
      auto const at = static_cast<std::size_t>(j);
      for (Index i = 0; i < rows; ++i) result.mean[at] += entry(i, j) / rows;
      double sum = 0;
      for (Index i = 0; i < rows; ++i) sum += std::pow(entry(i, j) - result.mean[at], 2);
      result.deviation[at] = std::sqrt(sum / (rows - 1));
      double const unit = scale && sum > 0 ? result.deviation[at] : 1;
      for (Index i = 0; i < rows; ++i) A(i, j) = (entry(i, j) - result.mean[at]) / unit;
      result.total += sum / (rows - 1) / (unit * unit);
    }
    result.svd = solve::small_svd(A);
    return result;
  }
};
TYPED_TEST_SUITE(Pca, Cases, CaseName);

TYPED_TEST(Pca, FindsTheComponentsOfTheCentredMatrix) {
  for (int const kind : {0, 1, 2, 3}) {
    bool const scale = kind % 2 == 1;
    solve::MatrixOperator const op(typename TypeParam::Exec(),
                                   matrix_on_device<TypeParam>(this->matrix()));
    Index const k = 4;
    auto const found = solve::pca(
        op, k,
        {.svd = {.direct = kind / 2 == 0 ? TestFixture::ways.front() : TestFixture::ways.back()},
         .scale = scale});
    auto const expected = this->expected(scale);
    ASSERT_EQ(found.svd.stop, Stop::converged);
    double const few = 300 * TestFixture::eps;
    for (std::size_t j = 0; j < expected.mean.size(); ++j) {
      EXPECT_NEAR(static_cast<double>(found.mean[j]), expected.mean[j], few * 50);
      EXPECT_NEAR(found.deviation[j], expected.deviation[j], few * 50);
    }
    auto const VT = this->host_rows(found.svd.VT);
    for (Index i = 0; i < k; ++i) {
      auto const at = static_cast<std::size_t>(i);
      double const s = expected.svd.s[at];
      EXPECT_NEAR(found.svd.s[at], s, few * expected.svd.s[0]);
      double const variance = s * s / (TestFixture::rows - 1);
      EXPECT_NEAR(found.explained_variance[at] / variance, 1, 4 * few);
      EXPECT_NEAR(found.explained_variance_ratio[at], variance / expected.total, 4 * few);
      double along = 0;
      for (Index j = 0; j < TestFixture::cols; ++j) {
        along += VT[at * TestFixture::cols + static_cast<std::size_t>(j)] * expected.svd.V(j, i);
      }
      EXPECT_NEAR(std::abs(along), 1, few);
    }
  }
}

TYPED_TEST(Pca, HasTheCommittedBits) {
  using T = typename TypeParam::Scalar;
  constexpr bool is_float = std::same_as<T, float>;
  constexpr bool has_rows = TypeParam::order == Order::row_major;
  HostMatrix<T> const A{Shape{700, 300}, TypeParam::order, whole_numbers<T>(700 * 300, 2, 9)};
  solve::MatrixOperator const op(typename TypeParam::Exec(), matrix_on_device<TypeParam>(A));
  auto const digest = [&](Index way) {
    auto const found = solve::pca(op, 2, {.svd = {.tol = 0.01, .direct = way}, .scale = true});
    EXPECT_EQ(found.svd.stop, Stop::converged);
    std::vector<double> all = found.explained_variance_ratio;
    all.insert(all.end(), found.mean.begin(), found.mean.end());
    auto const VT = this->host_rows(found.svd.VT);
    all.insert(all.end(), VT.begin(), VT.end());
    return sha256(all);
  };
  EXPECT_EQ(digest(0),
            is_float
                ? (has_rows ? "593a158a46627168e43c3386a90d25a3e9b2c6a426d3a03edf93c9330451c1a0"
                            : "5cee619d358de086cbadc976d88e6be9b6b4d5150773fc249ddc5d9b8060b6df")
                : (has_rows ? "32b62bbeeffbecafbcd248b900264ac444d55560303c48c3c37e8706c823de02"
                            : "07a8505fa3bfa68f9aa95fa6f9b822515af1d330aa6f23e02b16b3847bef3ec0"));
  EXPECT_EQ(digest(solve::direct_columns),
            is_float
                ? (has_rows ? "5c3105d2e231df78d8cccc7827cc3428f1849445c4a5abf232af551ae053eb3a"
                            : "b0d6b1fccaee91dbde9bd18ee6cdbcfed31ea4ce65b2628e1e4abd45f13113a4")
                : (has_rows ? "a068559571e6f6c0da90d5474e529fc211de2eff9789d9bcbf4bfa93125650fb"
                            : "3c828d7c4e175dd1f95526e1d307925c09d21fa998e1addaf7bb2fcecabc56c2"));
}

TYPED_TEST(Pca, ReadsTheMatrixOnceAStepAndTwiceBefore) {
  using Exec = typename TypeParam::Exec;
  auto const A = this->matrix();
  solve::MatrixOperator const op(Exec(), matrix_on_device<TypeParam>(A));
  std::atomic<Index> elements = 0;
  auto const source = source_of<TypeParam>(A, TestFixture::rows, TestFixture::cols, &elements);
  solve::StreamOperator const streamed(Exec(), source);
  for (bool const want_u : {false, true}) {
    for (Index const way : TestFixture::ways) {
      PcaOptions const options{.svd = {.want_u = want_u, .direct = way}, .scale = true};
      elements = 0;
      auto const from_stream = solve::pca(streamed, 4, options);
      EXPECT_EQ(elements, from_stream.svd.reads * TestFixture::rows * TestFixture::cols);
      Index const before = op.reads();
      auto const found = solve::pca(op, 4, options);
      EXPECT_EQ(found.svd.reads, op.reads() - before);
      // A stream shifts the first product; memory takes another read.
      Index const reads =
          way > 0 ? found.svd.iterations + (want_u ? 1 : 0) : from_stream.svd.iterations + 3;
      EXPECT_EQ(from_stream.svd.reads, reads);
      EXPECT_TRUE(way == 0 || found.svd.iterations <= 3);
      EXPECT_THAT(from_stream.svd.s, same_bits_as(found.svd.s));
      EXPECT_THAT(from_stream.svd.residuals, same_bits_as(found.svd.residuals));
      EXPECT_THAT(from_stream.deviation, same_bits_as(found.deviation));
      EXPECT_THAT(from_stream.mean, same_bits_as(found.mean));
      EXPECT_THAT(this->host_rows(from_stream.svd.VT), same_bits_as(this->host_rows(found.svd.VT)));
      EXPECT_THAT(this->host_rows(from_stream.svd.UT), same_bits_as(this->host_rows(found.svd.UT)));
    }
  }
}

TYPED_TEST(Pca, LosesNoDigitsFarFromTheOrigin) {
  using T = typename TypeParam::Scalar;
  auto elements = this->matrix().memory();
  for (T& element : elements) element = element + static_cast<T>(1048576);
  HostMatrix<T> const A(this->matrix().shape(), TypeParam::order, std::move(elements));
  solve::MatrixOperator const far(typename TypeParam::Exec(), matrix_on_device<TypeParam>(A));
  for (bool const scale : {false, true}) {
    auto const found = solve::pca(far, 4, {.svd = {.want_u = true}, .scale = scale});
    auto const expected = this->expected(scale);
    ASSERT_EQ(found.svd.stop, Stop::converged);
    EXPECT_LE(found.svd.iterations, 3);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(found.svd.s[i], expected.svd.s[i], 100 * TestFixture::eps * expected.svd.s[0]);
    }
    for (std::size_t j = 0; j < expected.deviation.size(); ++j) {
      EXPECT_NEAR(found.deviation[j], expected.deviation[j],
                  100 * TestFixture::eps * expected.deviation[j]);
    }
  }
}

TYPED_TEST(Pca, ExplainsAllVarianceByAllComponents) {
  solve::MatrixOperator const op(typename TypeParam::Exec(),
                                 matrix_on_device<TypeParam>(this->matrix()));
  for (Index const way : TestFixture::ways) {
    auto const found = solve::pca(op, TestFixture::cols, {.svd = {.direct = way}});
    EXPECT_EQ(found.svd.stop, Stop::converged);
    double sum = 0;
    for (double const ratio : found.explained_variance_ratio) sum += ratio;
    EXPECT_NEAR(sum, 1, 100 * TestFixture::eps);
    EXPECT_EQ(found.svd.s.back(), 0);
  }
}

TYPED_TEST(Pca, HandlesHugeAndTinyValues) {
  using Exec = typename TypeParam::Exec;
  using T = typename TypeParam::Scalar;
  auto const A = this->matrix();
  int const far = std::numeric_limits<T>::max_exponent * 2 / 3;
  for (int const kind : {0, 1, 2, 3}) {
    bool const scale = kind % 2 == 1;
    PcaOptions const options{
        .svd = {.want_u = true,
                .direct = kind / 2 == 0 ? TestFixture::ways.front() : TestFixture::ways.back()},
        .scale = scale};
    solve::MatrixOperator const op(Exec(), matrix_on_device<TypeParam>(A));
    auto const plain = solve::pca(op, 3, options);
    for (int const power : {-far, far}) {
      auto elements = A.memory();
      for (T& element : elements) element = std::ldexp(element, power);
      HostMatrix<T> const other(A.shape(), A.order(), std::move(elements));
      auto const source = source_of<TypeParam>(other, TestFixture::rows, TestFixture::cols);
      solve::MatrixOperator const in_memory(Exec(), matrix_on_device<TypeParam>(other));
      solve::StreamOperator const streamed(Exec(), source);
      for (bool const streams : {false, true}) {
        auto const found =
            streams ? solve::pca(streamed, 3, options) : solve::pca(in_memory, 3, options);
        EXPECT_EQ(found.svd.stop, Stop::converged);
        EXPECT_THAT(found.explained_variance_ratio, same_bits_as(plain.explained_variance_ratio));
        auto const VT = this->host_rows(found.svd.VT);
        auto const expected = this->host_rows(plain.svd.VT);
        for (std::size_t j = 0; j < expected.size(); ++j) {
          EXPECT_NEAR(VT[j], expected[j], TestFixture::eps)
              << j;  // tiny ones are subnormal internally
        }
        for (std::size_t j = 0; j < plain.deviation.size(); ++j) {
          EXPECT_EQ(found.deviation[j], std::ldexp(plain.deviation[j], power));
        }
        for (std::size_t i = 0; i < plain.svd.s.size(); ++i) {
          EXPECT_EQ(found.svd.s[i], std::ldexp(plain.svd.s[i], scale ? 0 : power));
        }
      }
    }
  }
}

TYPED_TEST(Pca, LeavesOutColumnsThatAreConstantButForRounding) {
  using T = typename TypeParam::Scalar;
  constexpr bool by_rows = TypeParam::order == Order::row_major;
  for (Index const m : {2, 3, 64, 1000, 50000}) {
    for (Index const way : TestFixture::ways) {
      auto const with = [&](std::vector<double> const& constants) {
        auto const n = static_cast<Index>(constants.size());
        std::vector<T> elements;
        for (Index at = 0; at < m * n; ++at) {
          Index const i = by_rows ? at / n : at % m;
          Index const j = by_rows ? at % n : at / m;
          double const constant = constants[static_cast<std::size_t>(j)];
          elements.push_back(static_cast<T>(constant != 0 ? constant : TestFixture::entry(i, j)));
        }
        HostMatrix<T> const A(Shape{m, n}, TypeParam::order, std::move(elements));
        solve::MatrixOperator const op(typename TypeParam::Exec(), matrix_on_device<TypeParam>(A));
        return solve::pca(op, 2, {.svd = {.direct = way}, .scale = true});
      };
      constexpr double tiny = 5 * static_cast<double>(std::numeric_limits<T>::denorm_min());
      constexpr double huge = static_cast<double>(std::numeric_limits<T>::max()) / 1e5;
      auto const mixed = with({0, 0.1, 0, 0, 1e6 + 0.1, -1 / 3.0, tiny, huge, 0});
      auto const exact = with({0, 1, 0, 0, 2, 4, 8, 16, 0});
      EXPECT_EQ(mixed.svd.stop, Stop::converged);
      for (Index const j : {1, 4, 5, 6, 7}) {
        EXPECT_EQ(mixed.deviation[static_cast<std::size_t>(j)], 0) << m << ", " << j;
      }
      EXPECT_THAT(mixed.deviation, same_bits_as(exact.deviation));
      EXPECT_NEAR(mixed.svd.s[0], exact.svd.s[0], 100 * TestFixture::eps * exact.svd.s[0]);
      EXPECT_NEAR(mixed.explained_variance_ratio[0], exact.explained_variance_ratio[0],
                  200 * TestFixture::eps);
      auto const none = with({0.1, 0.1, 0.1});
      EXPECT_THAT(none.deviation, testing::Each(0));
      EXPECT_THAT(none.svd.s, testing::Each(0));
      EXPECT_THAT(none.explained_variance_ratio, testing::Each(0));
    }
  }
}

TYPED_TEST(Pca, KeepsColumnsThatDifferALittle) {
  using T = typename TypeParam::Scalar;
  constexpr bool by_rows = TypeParam::order == Order::row_major;
  constexpr Index m = 64;
  constexpr Index n = 3;
  std::vector<T> elements;
  for (Index at = 0; at < m * n; ++at) {
    Index const i = by_rows ? at / n : at % m;
    Index const j = by_rows ? at % n : at / m;
    auto const off = static_cast<T>(i == 17 ? 1 : 0);
    elements.push_back(j == 1 ? T(1) + off * std::numeric_limits<T>::epsilon()
                              : static_cast<T>(TestFixture::entry(i, j)));
  }
  HostMatrix<T> const A(Shape{m, n}, TypeParam::order, std::move(elements));
  solve::MatrixOperator const op(typename TypeParam::Exec(), matrix_on_device<TypeParam>(A));
  for (Index const way : TestFixture::ways) {
    auto const found = solve::pca(op, 2, {.svd = {.direct = way}, .scale = true});
    EXPECT_EQ(found.svd.stop, Stop::converged);
    EXPECT_NEAR(found.deviation[1] / TestFixture::eps, 1 / 8.0, 1e-6);
  }
}

TYPED_TEST(Pca, AddsNumbersWhoseSumOverflows) {
  using T = typename TypeParam::Scalar;
  auto A = this->matrix();
  auto elements = A.memory();
  constexpr bool by_rows = TypeParam::order == Order::row_major;
  for (Index i = 0; i < TestFixture::rows; ++i) {
    auto const at = static_cast<std::size_t>(by_rows ? i * TestFixture::cols : i);
    elements[at] = std::numeric_limits<T>::max();
  }
  HostMatrix<T> const other(A.shape(), A.order(), std::move(elements));
  solve::MatrixOperator const op(typename TypeParam::Exec(), matrix_on_device<TypeParam>(other));
  auto const found = solve::pca(op, 2, {.scale = true});
  EXPECT_EQ(found.svd.stop, Stop::converged);
  EXPECT_EQ(found.deviation[0], 0);
  EXPECT_EQ(static_cast<double>(found.mean[0]), static_cast<double>(std::numeric_limits<T>::max()));
}

TYPED_TEST(Pca, HasTheBitsOfTheMatrixInMemoryOfAStream) {
  using Exec = typename TypeParam::Exec;
  auto const A = this->matrix();
  auto const source = source_of<TypeParam>(A, TestFixture::rows, TestFixture::cols);
  solve::MatrixOperator const in_memory(Exec(), matrix_on_device<TypeParam>(A));
  solve::StreamOperator const streamed(Exec(), source);
  for (Index const way : TestFixture::ways) {
    PcaOptions const options{.svd = {.want_u = true, .direct = way}, .scale = true};
    auto const found = solve::pca(streamed, 3, options);
    auto const expected = solve::pca(in_memory, 3, options);
    EXPECT_THAT(found.svd.s, same_bits_as(expected.svd.s));
    EXPECT_THAT(found.deviation, same_bits_as(expected.deviation));
    EXPECT_THAT(found.explained_variance_ratio, same_bits_as(expected.explained_variance_ratio));
    EXPECT_THAT(this->host_rows(found.svd.VT), same_bits_as(this->host_rows(expected.svd.VT)));
    EXPECT_THAT(this->host_rows(found.svd.UT), same_bits_as(this->host_rows(expected.svd.UT)));
  }
}

TYPED_TEST(Pca, GoesOnFromAStateOfItsOwnOnly) {
  using T = typename TypeParam::Scalar;
  solve::MatrixOperator const op(typename TypeParam::Exec(),
                                 matrix_on_device<TypeParam>(this->matrix()));
  for (Index const way : TestFixture::ways) {
    PcaOptions const options{.svd = {.direct = way}};
    std::optional<solve::State<T>> kept;
    auto const whole =
        solve::pca(op, 2, options,
                   {.wants_state = [](solve::Step const& step) { return step.iteration == 1; },
                    .on_state = [&](solve::State<T> const& state) { kept = state; }});
    ASSERT_TRUE(kept);
    auto const rest = solve::pca(op, 2, options, {.resume = &*kept});
    EXPECT_THAT(rest.svd.s, same_bits_as(whole.svd.s));
    EXPECT_THAT(this->host_rows(rest.svd.VT), same_bits_as(this->host_rows(whole.svd.VT)));
    EXPECT_THAT([&] { solve::svd(op, 2, options.svd, {.resume = &*kept}); },
                refuses("pca of 64 x 9"));
  }
}

/// Genotypes of three groups of samples: two components separate the groups, the others are noise.
TYPED_TEST(Pca, ConvergesAmongComponentsOfNoise) {
  using T = typename TypeParam::Scalar;
  constexpr Index m = 120;
  constexpr Index n = 300;
  constexpr Index k = 5;
  constexpr bool by_rows = TypeParam::order == Order::row_major;
  auto const uniform = [](std::uint64_t seed, Index i) {
    return 0.5 + std::ldexp(whole_number<double>(seed, static_cast<std::size_t>(i), 1 << 20), -21);
  };
  auto const genotype = [&](Index i, Index j) {
    double const shift = 0.35 * (uniform(4, 3 * j + i % 3) - 0.5);
    double const p = std::clamp(0.1 + 0.8 * uniform(3, j) + shift, 0.05, 0.95);
    Index const at = 2 * (i * n + j);
    return (uniform(5, at) < p ? 1.0 : 0.0) + (uniform(5, at + 1) < p ? 1.0 : 0.0);
  };
  std::vector<T> elements;
  for (Index at = 0; at < m * n; ++at) {
    elements.push_back(
        static_cast<T>(by_rows ? genotype(at / n, at % n) : genotype(at % m, at / m)));
  }
  HostMatrix<T> const A(Shape{m, n}, TypeParam::order, std::move(elements));
  solve::MatrixOperator const op(typename TypeParam::Exec(), matrix_on_device<TypeParam>(A));
  auto const found = solve::pca(op, k, {.svd = {.direct = 0}, .scale = true});
  auto const direct = solve::pca(op, k, {.scale = true});
  ASSERT_EQ(found.svd.stop, Stop::converged) << sentence(found.svd.stop);
  auto const standard = [&](Index i, Index j) {
    auto const at = static_cast<std::size_t>(j);
    return (genotype(i, j) - static_cast<double>(direct.mean[at])) / direct.deviation[at];
  };
  double const largest = direct.svd.s[0];
  auto const VT = this->host_rows(found.svd.VT);
  for (Index l = 0; l < k; ++l) {
    auto const at = static_cast<std::size_t>(l);
    double const s = found.svd.s[at];
    EXPECT_NEAR(s, direct.svd.s[at], 48 * TestFixture::eps * largest) << l;
    std::vector<double> Av(m);
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) {
        Av[static_cast<std::size_t>(i)] +=
            standard(i, j) * VT[at * n + static_cast<std::size_t>(j)];
      }
    }
    double square = 0;
    for (Index j = 0; j < n; ++j) {
      double sum = -s * s * VT[at * n + static_cast<std::size_t>(j)];
      for (Index i = 0; i < m; ++i) sum += standard(i, j) * Av[static_cast<std::size_t>(i)];
      square += sum * sum;
    }
    EXPECT_LE(std::sqrt(square), 48 * TestFixture::eps * largest * largest) << l;
  }
}

/// Products with the means round more than 48·ε·s_1.
TYPED_TEST(Pca, SaysThatPrecisionLimitsItFarFromTheOrigin) {
  using T = typename TypeParam::Scalar;
  constexpr Index k = 3;
  HostMatrix<T> const near(Shape{60, 100}, TypeParam::order, whole_numbers<T>(60 * 100, 6, 100));
  auto elements = near.memory();
  for (T& element : elements) element += T(1 << 17);
  HostMatrix<T> const A(near.shape(), TypeParam::order, std::move(elements));
  solve::MatrixOperator const op(typename TypeParam::Exec(), matrix_on_device<TypeParam>(A));
  PcaOptions const options{.svd = {.want_u = true, .direct = 0}};
  std::vector<solve::State<T>> states;
  auto const found =
      solve::pca(op, k, options,
                 {.wants_state = [](solve::Step const&) { return true; },
                  .on_state = [&](solve::State<T> const& state) { states.push_back(state); }});
  EXPECT_EQ(found.svd.stop, Stop::precision_limit) << sentence(found.svd.stop);
  auto const direct = solve::pca(op, k);
  double const largest = direct.svd.s[0];
  for (std::size_t i = 0; i < k; ++i) {
    EXPECT_NEAR(found.svd.s[i], direct.svd.s[i], 2 * found.svd.residuals[i]) << i;
    EXPECT_GT(found.svd.residuals[i], 8 * TestFixture::eps * largest) << i;
    EXPECT_LT(found.svd.residuals[i], 0.01 * largest) << i;
  }
  ASSERT_GT(states.size(), 10U);
  for (std::size_t i = 0; i < states.size(); i += std::max<std::size_t>(1, states.size() / 6)) {
    auto const& state = states[states.size() - 1 - i];
    auto const resumed = solve::pca(op, k, options, {.resume = &state});
    EXPECT_EQ(resumed.svd.stop, found.svd.stop);
    EXPECT_EQ(resumed.svd.iterations, found.svd.iterations);
    EXPECT_THAT(resumed.svd.s, same_bits_as(found.svd.s));
    EXPECT_THAT(resumed.svd.residuals, same_bits_as(found.svd.residuals));
    EXPECT_THAT(this->host_rows(resumed.svd.VT), same_bits_as(this->host_rows(found.svd.VT)));
    EXPECT_THAT(this->host_rows(resumed.svd.UT), same_bits_as(this->host_rows(found.svd.UT)));
  }
}

TYPED_TEST(Pca, RefusesAMatrixOfOneRow) {
  DeviceMatrix<TypeParam> const A("A", 1, 3);
  solve::MatrixOperator const op(typename TypeParam::Exec(), A);
  EXPECT_THAT([&] { solve::pca(op, 1); },
              refuses("pca: expected a matrix of at least two rows, found 1"));
}

}  // namespace
}  // namespace tessera::test
