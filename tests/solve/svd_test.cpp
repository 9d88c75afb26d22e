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

/// The largest singular values of matrices, on every backend, layout and scalar type.
namespace tessera::test {
namespace {

using solve::SmallMatrix;
using solve::Stop;
using solve::SvdOptions;

/// What a run has found, on the host.
struct Found {
  std::vector<double> s;
  std::vector<double> VT;
  std::vector<double> UT;
  std::vector<double> residuals;
  Stop stop;
  Index iterations;
  Index reads;
};

void expect_same_bits(Found const& found, Found const& expected) {
  EXPECT_THAT(found.s, same_bits_as(expected.s));
  EXPECT_THAT(found.VT, same_bits_as(expected.VT));
  EXPECT_THAT(found.UT, same_bits_as(expected.UT));
  EXPECT_THAT(found.residuals, same_bits_as(expected.residuals));
  EXPECT_EQ(found.stop, expected.stop);
  EXPECT_EQ(found.iterations, expected.iterations);
}

template <class C>
class Svd : public testing::Test {
 protected:
  using Exec = typename C::Exec;
  using T = typename C::Scalar;
  static constexpr double eps = std::numeric_limits<T>::epsilon();

  /// The matrix with these entries.
  template <class Entry>
  static HostMatrix<T> matrix(Index rows, Index cols, Entry const& entry) {
    bool const by_rows = C::order == Order::row_major;
    std::vector<T> elements;
    for (Index i = 0; i < rows * cols; ++i) {
      Index const line = i / (by_rows ? cols : rows);
      Index const place = i % (by_rows ? cols : rows);
      elements.push_back(static_cast<T>(by_rows ? entry(line, place) : entry(place, line)));
    }
    return {Shape{rows, cols}, C::order, std::move(elements)};
  }
  static HostMatrix<T> diagonal(Index rows, Index cols, std::vector<double> const& s) {
    return matrix(rows, cols, [&](Index i, Index j) {
      return i == j && i < static_cast<Index>(s.size()) ? s[static_cast<std::size_t>(i)] : 0;
    });
  }
  static HostMatrix<T> whole_matrix(Index rows, Index cols) {
    return matrix(rows, cols, [&](Index i, Index j) {
      return whole_number<T>(1, static_cast<std::size_t>(i * cols + j), 9);
    });
  }
  static double entry(HostMatrix<T> const& A, Index i, Index j) {
    return static_cast<double>(C::order == Order::row_major ? A.line(i)[j] : A.line(j)[i]);
  }

  static Found run(solve::NormalOperator<Exec, T> const& op, Index k,
                   SvdOptions const& options = {}, solve::Control<T> const& control = {}) {
    auto const result = solve::svd(op, k, options, control);
    auto const host = [](auto const& rows) {
      auto const copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), rows);
      return std::vector<double>(copy.data(), copy.data() + copy.size());
    };
    return {result.s,    host(result.VT),   host(result.UT), result.residuals,
            result.stop, result.iterations, result.reads};
  }
  static Found run(HostMatrix<T> const& A, Index k, SvdOptions const& options = {}) {
    solve::MatrixOperator const op(Exec(), matrix_on_device<C>(A));
    return run(op, k, options);
  }

  /// The singular values of the whole matrix, found on the host.
  static std::vector<double> all_values(HostMatrix<T> const& A) {
    Index const rows = std::max(A.shape().rows, A.shape().cols);
    Index const cols = std::min(A.shape().rows, A.shape().cols);
    SmallMatrix whole(rows, cols);
    for (Index j = 0; j < cols; ++j) {
      for (Index i = 0; i < rows; ++i) {
        whole(i, j) = A.shape().rows == rows ? entry(A, i, j) : entry(A, j, i);
      }
    }
    return solve::small_svd(std::move(whole)).s;
  }

  /// It is what all values of A say, and A·v = s·u, Aᵀ·u = s·v for orthonormal v and u.
  static void expect_decomposed(HostMatrix<T> const& A, Index k, std::string const& what) {
    SCOPED_TRACE(what);
    auto const found = run(A, k, {.want_u = true});
    ASSERT_EQ(found.stop, Stop::converged)
        << sentence(found.stop) << testing::PrintToString(found.residuals);
    ASSERT_EQ(static_cast<Index>(found.s.size()), k);
    auto const all = all_values(A);
    Index const m = A.shape().rows;
    Index const n = A.shape().cols;
    double const bound = 200 * eps * std::max(all[0], 1e-300);
    for (Index i = 0; i < k; ++i) {
      auto const at = static_cast<std::size_t>(i);
      EXPECT_NEAR(found.s[at], all[at], bound) << i;
      double const* const v = found.VT.data() + i * n;
      double const* const u = found.UT.data() + i * m;
      double off = 0;
      for (Index row = 0; row < m; ++row) {
        double sum = -found.s[at] * u[row];
        for (Index j = 0; j < n; ++j) sum += entry(A, row, j) * v[j];
        off += sum * sum;
      }
      EXPECT_LE(std::sqrt(off), bound) << i;
      off = 0;
      for (Index j = 0; j < n; ++j) {
        double sum = -found.s[at] * v[j];
        for (Index row = 0; row < m; ++row) sum += entry(A, row, j) * u[row];
        off += sum * sum;
      }
      EXPECT_LE(std::sqrt(off), found.residuals[at] + bound) << i;
      for (Index other = 0; other <= i; ++other) {
        double vv = other == i ? -1 : 0;
        double uu = vv;
        for (Index j = 0; j < n; ++j) vv += v[j] * found.VT.data()[other * n + j];
        for (Index j = 0; j < m; ++j) uu += u[j] * found.UT.data()[other * m + j];
        EXPECT_NEAR(vv, 0, 100 * eps) << i << ", " << other;
        EXPECT_NEAR(uu, 0, 100 * eps) << i << ", " << other;
      }
    }
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
  EXPECT_EQ(this->run(A, 4, {.want_u = true}).reads, found.iterations + 1 + 4);
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
