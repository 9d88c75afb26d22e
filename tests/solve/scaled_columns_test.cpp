// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/multiply_transposed.hpp>
#include <tessera/solve.hpp>

#include "solve/host_source.hpp"
#include "solve/householder.hpp"
#include "solve/plain_operator.hpp"
#include "solve/triplets.hpp"
#include "support/cases.hpp"
#include "support/data.hpp"
#include "support/device_data.hpp"
#include "support/host_matrix.hpp"
#include "support/refusal.hpp"
#include "support/same_bits.hpp"
#include "support/shapes.hpp"

/// Sums of squares, and LSMR with scaled columns.
namespace tessera::test {
namespace {

using solve::Stop;

class PeakOfBytes {
 public:
  PeakOfBytes() {
    held() = {};
    Kokkos::Tools::Experimental::set_allocate_data_callback(
        [](Kokkos::Tools::SpaceHandle, char const*, void const* data, std::uint64_t bytes) {
          held().of[data] = bytes;
          held().now += bytes;
          held().most = std::max(held().most, held().now);
        });
    Kokkos::Tools::Experimental::set_deallocate_data_callback(
        [](Kokkos::Tools::SpaceHandle, char const*, void const* data, std::uint64_t) {
          held().now -= held().of[data];
          held().of.erase(data);
        });
  }
  PeakOfBytes(PeakOfBytes const&) = delete;
  PeakOfBytes& operator=(PeakOfBytes const&) = delete;
  PeakOfBytes(PeakOfBytes&&) = delete;
  PeakOfBytes& operator=(PeakOfBytes&&) = delete;
  ~PeakOfBytes() {
    Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
    Kokkos::Tools::Experimental::set_deallocate_data_callback(nullptr);
  }
  [[nodiscard]] std::uint64_t most() const { return held().most; }

 private:
  struct Held {
    std::map<void const*, std::uint64_t> of;
    std::uint64_t now = 0;
    std::uint64_t most = 0;
  };
  // Kokkos' callbacks are plain functions.
  static Held& held() {
    static Held held;
    return held;
  }
};

template <class C>
class ScaledColumns : public TripletsTest<C> {
 protected:
  using Exec = typename C::Exec;
  using T = typename C::Scalar;
  using Options = solve::LeastSquaresOptions<Exec, T>;
  using Operator = solve::NormalOperator<Exec, T>;
  using Result = solve::LeastSquares<Exec, T>;
  using Control = solve::Control<T>;

  static DeviceVector<C> on_device(std::vector<T> const& x) { return vector_on_device<C>(x); }
  template <class View>
  static std::vector<T> copy_of(View const& x) {
    return elements_of(x);
  }

  /// Σ (units_j·(a_ij - mean_j))².
  static std::vector<T> squares_by(Operator const& op, std::vector<T> const& mean,
                                   std::vector<T> const& units) {
    DeviceVector<C> const c("c", mean.size());
    op.sums_of_squares(on_device(mean), on_device(units), c);
    return copy_of(c);
  }

  static constexpr Index rows = 300;
  static constexpr Index cols = 24;
  /// A power of two from 2^-13 to 2^13: the scaled matrix is exact.
  static double unit(Index j) { return std::ldexp(1.0, static_cast<int>((7 * j) % cols) - 11); }
  static double even_entry(Index i, Index j) {
    return static_cast<double>(whole_number<T>(3, static_cast<std::size_t>(i * cols + j), 50)) +
           (i == j ? 60 : 0);
  }
  static HostMatrix<T> even() { return TripletsTest<C>::matrix(rows, cols, even_entry); }
  static HostMatrix<T> uneven() {
    return TripletsTest<C>::matrix(rows, cols,
                                   [](Index i, Index j) { return unit(j) * even_entry(i, j); });
  }
  static std::vector<T> right_side() {
    return whole_numbers<T>(static_cast<std::size_t>(rows), 5, 9);
  }
  static auto op_of(HostMatrix<T> const& A, Kernels kernels = Kernels::automatic) {
    return solve::MatrixOperator<Exec, DeviceMatrix<C>>(Exec(), matrix_on_device<C>(A),
                                                        {.kernels = kernels});
  }
  /// By QR of A with √λ·I below it.
  static std::vector<long double> exact(HostMatrix<T> const& A, double lambda,
                                        std::vector<T> const& x0 = {}) {
    LongRows all;
    std::vector<long double> right;
    auto const b = right_side();
    for (Index i = 0; i < A.shape().rows; ++i) {
      auto& row = all.emplace_back();
      for (Index j = 0; j < A.shape().cols; ++j) row.push_back(TripletsTest<C>::entry(A, i, j));
      right.push_back(b[static_cast<std::size_t>(i)]);
    }
    auto const damp = std::sqrt(static_cast<long double>(lambda));
    for (Index j = 0; j < A.shape().cols && lambda > 0; ++j) {
      all.emplace_back(static_cast<std::size_t>(A.shape().cols))[static_cast<std::size_t>(j)] =
          damp;
      right.push_back(x0.empty() ? 0 : damp * x0[static_cast<std::size_t>(j)]);
    }
    return solve_by_householder(all, right);
  }
  /// Relative to the largest contribution of an entry to A·x.
  static void expect_near(std::vector<T> const& found, std::vector<long double> const& expected,
                          double bound, std::string const& what) {
    ASSERT_EQ(found.size(), expected.size());
    long double largest = 0;
    for (std::size_t j = 0; j < found.size(); ++j) {
      largest = std::max(largest, std::fabs(expected[j] * unit(static_cast<Index>(j))));
    }
    for (std::size_t j = 0; j < found.size(); ++j) {
      auto const off = std::fabs(found[j] - expected[j]) * unit(static_cast<Index>(j)) / largest;
      EXPECT_LE(static_cast<double>(off), bound) << what << ", entry " << j;
    }
  }
  static constexpr double near = std::same_as<T, float> ? 2e-5 : 1e-13;
};
TYPED_TEST_SUITE(ScaledColumns, Cases, CaseName);

TYPED_TEST(ScaledColumns, SumsOfSquaresHaveTheBitsOfAProduct) {
  using C = TypeParam;
  using T = typename TypeParam::Scalar;
  using Exec = typename TypeParam::Exec;
  for (Shape const shape : {Shape{1, 300}, Shape{300, 1}, Shape{9, 257}, Shape{129, 513},
                            Shape{8200, 40}, Shape{3, 300000}, Shape{300000, 3}, Shape{700, 900}}) {
    auto const A = this->matrix(shape.rows, shape.cols, [&](Index i, Index j) {
      return real_numbers<T>(1, static_cast<std::uint64_t>(i * shape.cols + j) + 9).front();
    });
    std::vector<T> mean;
    std::vector<T> units;
    for (Index j = 0; j < shape.cols; ++j) {
      mean.push_back(static_cast<T>(j % 5) / T(7));
      units.push_back(std::ldexp(T(1), static_cast<int>(j % 3) - 1));
    }
    auto const squares = this->matrix(shape.rows, shape.cols, [&](Index i, Index j) {
      auto const k = static_cast<std::size_t>(j);
      T const difference = units[k] * (static_cast<T>(this->entry(A, i, j)) - mean[k]);
      return difference * difference;
    });
    DeviceVector<C> const c("c", mean.size());
    tessera::multiply_transposed(
        Exec(), matrix_on_device<C>(squares),
        this->on_device(std::vector<T>(static_cast<std::size_t>(shape.rows), 1)), c);
    auto const expected = this->copy_of(c);
    auto const source = source_of<C>(A, shape.rows, shape.cols);
    EXPECT_THAT(this->squares_by(this->op_of(A), mean, units), same_bits_as(expected)) << shape;
    EXPECT_THAT(this->squares_by(this->op_of(A, Kernels::portable), mean, units),
                same_bits_as(expected))
        << shape;
    EXPECT_THAT(this->squares_by(solve::StreamOperator(Exec(), source), mean, units),
                same_bits_as(expected))
        << shape;
  }
}

TYPED_TEST(ScaledColumns, SumsOfSquaresCopyASmallPartOfTheMatrix) {
  using T = typename TypeParam::Scalar;
  constexpr std::size_t bytes = std::size_t{16} << 20U;
  DeviceMatrix<TypeParam> const A("A", 2048, bytes / sizeof(T) / 2048);
  solve::MatrixOperator const op(typename TypeParam::Exec(), A);
  std::vector<T> const mean(A.extent(1));
  std::vector<T> const units(A.extent(1), 1);
  PeakOfBytes const peak;
  this->squares_by(op, mean, units);
  EXPECT_GT(peak.most(), 0);
  EXPECT_LT(peak.most(), bytes / 4);
}

TYPED_TEST(ScaledColumns, ReadAsOftenAsEvenOnes) {
  auto const b = this->on_device(this->right_side());
  auto const even = this->op_of(this->even());
  auto const uneven = this->op_of(this->uneven());
  auto const of_even = solve::lstsq(even, b, {.direct = 0});
  auto const found = solve::lstsq(uneven, b, {.history = true, .direct = 0});
  EXPECT_FALSE(of_even.has_scaled_columns);
  EXPECT_TRUE(found.has_scaled_columns);
  EXPECT_TRUE(solve::is_success(found.stop)) << solve::sentence(found.stop);
  EXPECT_LE(2 * found.reads, 3 * of_even.reads);
  EXPECT_EQ(found.reads, uneven.reads());
  EXPECT_EQ(found.history.back().reads, found.reads);
  this->expect_near(this->copy_of(found.x), this->exact(this->uneven(), 0), this->near, "lstsq");
  auto const plain = solve::lsmr(uneven, b, {.atol = this->eps, .btol = this->eps, .conlim = 0});
  EXPECT_FALSE(plain.has_scaled_columns);
  EXPECT_TRUE(plain.stop == Stop::iteration_limit || plain.reads > 2 * found.reads);
}

TYPED_TEST(ScaledColumns, OfEvenNormsHaveTheBitsOfLsmr) {
  auto const b = this->on_device(this->right_side());
  auto const op = this->op_of(this->even());
  typename TestFixture::Options const options{
      .atol = this->eps, .btol = this->eps, .conlim = 0, .maxiter = 200};
  auto const plain = solve::lsmr(op, b, options);
  auto const found = solve::lstsq(op, b, options);
  EXPECT_THAT(this->copy_of(found.x), same_bits_as(this->copy_of(plain.x)));
  EXPECT_EQ(found.iterations, plain.iterations);
  EXPECT_EQ(found.reads, plain.reads + 1);
}

TYPED_TEST(ScaledColumns, PenaltiesAreThoseOfTheColumnsAsTheyAre) {
  using T = typename TypeParam::Scalar;
  auto const A = this->uneven();
  auto const b = this->on_device(this->right_side());
  auto const op = this->op_of(A);
  std::vector<T> x0;
  for (Index j = 0; j < this->cols; ++j) {
    x0.push_back(static_cast<T>(static_cast<double>(j % 3 - 1) / (64 * this->unit(j))));
  }
  std::vector<double> const lambdas{0, 1e-4, 1, 1e4, 1e12};
  auto const path = solve::ridge_path(op, b, lambdas, {.direct = 0});
  for (std::size_t i = 0; i < lambdas.size(); ++i) {
    std::string const what = "lambda " + std::to_string(lambdas[i]);
    auto const one = solve::ridge(op, b, lambdas[i], {.direct = 0});
    EXPECT_THAT(this->copy_of(path[i].x), same_bits_as(this->copy_of(one.x))) << what;
    EXPECT_EQ(one.has_scaled_columns, lambdas[i] < 1e12) << what;
    EXPECT_TRUE(solve::is_success(one.stop)) << what << ": " << solve::sentence(one.stop);
    this->expect_near(this->copy_of(one.x), this->exact(A, lambdas[i]), this->near, what);
    auto const from_x0 = solve::ridge(op, b, lambdas[i], {.x0 = this->on_device(x0), .direct = 0});
    this->expect_near(this->copy_of(from_x0.x), this->exact(A, lambdas[i], x0), 20 * this->near,
                      what + " from x0");
    long double square = 0;
    for (T const x : this->copy_of(one.x)) square += static_cast<long double>(x) * x;
    EXPECT_NEAR(one.normx, static_cast<double>(std::sqrt(square)), 1e-6 * one.normx);
  }
  EXPECT_LE(path.front().reads, 6 * solve::lstsq(op, b, {.direct = 0}).reads);
}

/// 1e12 leaves the columns even, and 0 has no rows below them.
TYPED_TEST(ScaledColumns, OfManyPenaltiesShareTheReads) {
  using Exec = typename TypeParam::Exec;
  auto const A = this->uneven();
  auto const b = this->on_device(this->right_side());
  auto const x0 = this->on_device(std::vector<typename TypeParam::Scalar>(this->cols, 3));
  auto const source = source_of<TypeParam>(A, this->rows, this->cols);
  std::vector<double> const lambdas{0, 1e-4, 1e12, 1, 1e4, 1};
  for (bool const from_x0 : {false, true}) {
    typename TestFixture::Options options{.history = true, .direct = 0};
    if (from_x0) options.x0 = x0;
    std::vector<typename TestFixture::Result> single;
    Index most = 0;
    for (double const lambda : lambdas) {
      single.push_back(solve::ridge(this->op_of(A), b, lambda, options));
      most = std::max(most, single.back().iterations);
    }
    auto const check = [&](typename TestFixture::Operator const& op, Index at_once) {
      options.at_once = at_once;
      auto const path = solve::ridge_path(op, b, lambdas, options);
      EXPECT_EQ(path.size(), lambdas.size());
      for (std::size_t i = 0; i < path.size(); ++i) {
        EXPECT_THAT(this->copy_of(path[i].x), same_bits_as(this->copy_of(single[i].x)));
        EXPECT_EQ(path[i].stop, single[i].stop);
        EXPECT_EQ(path[i].iterations, single[i].iterations);
        EXPECT_EQ(path[i].normr, single[i].normr);
        EXPECT_EQ(path[i].normx, single[i].normx);
        EXPECT_EQ(path[i].has_scaled_columns, lambdas[i] < 1e12);
        EXPECT_EQ(path[i].history.size(), static_cast<std::size_t>(single[i].iterations));
        EXPECT_LE(path[i].history.back().reads, path[i].reads);
        if (path[i].iterations == most && at_once >= static_cast<Index>(lambdas.size())) {
          EXPECT_EQ(path[i].history.back().reads, path[i].reads);
        }
      }
      return path.front().reads;
    };
    solve::StreamOperator const streamed(Exec(), source);
    // For the norms of the columns and the start; each λ multiplies with x0 in its own units.
    EXPECT_EQ(check(streamed, 16), most + 2 + (from_x0 ? static_cast<Index>(lambdas.size()) : 0));
    EXPECT_GT(check(streamed, 2), check(streamed, 16));
    check(this->op_of(A), 16);
    check(PlainOperator<Exec, typename TypeParam::Scalar>(this->op_of(A)), 3);
  }
}

TYPED_TEST(ScaledColumns, OfManyRightSidesWithAPenaltyShareTheReads) {
  using T = typename TypeParam::Scalar;
  using Exec = typename TypeParam::Exec;
  auto const A = this->uneven();
  Kokkos::View<T**, Kokkos::LayoutLeft, typename Exec::memory_space> const B(
      "B", static_cast<std::size_t>(this->rows), 3);
  auto const on_host = Kokkos::create_mirror_view(B);
  for (std::size_t i = 0; i < on_host.extent(0); ++i) {
    for (std::size_t j = 0; j < 3; ++j) on_host(i, j) = whole_number<T>(5 + j, i, 9);
  }
  Kokkos::deep_copy(B, on_host);
  auto const source = source_of<TypeParam>(A, this->rows, this->cols);
  solve::StreamOperator const streamed(Exec(), source);
  typename TestFixture::Options const options{.direct = 0};
  auto const all = solve::ridge(streamed, B, 0.5, options);
  Index most = 0;
  for (std::size_t j = 0; j < 3; ++j) {
    auto const one = solve::ridge(this->op_of(A), Kokkos::subview(B, Kokkos::ALL, j), 0.5, options);
    EXPECT_TRUE(one.has_scaled_columns);
    EXPECT_THAT(this->copy_of(all[j].x), same_bits_as(this->copy_of(one.x)));
    EXPECT_EQ(all[j].iterations, one.iterations);
    most = std::max(most, one.iterations);
  }
  EXPECT_EQ(all.front().reads, most + 2);
}

TYPED_TEST(ScaledColumns, LeaveColumnsOfZerosAtZero) {
  for (Index const zero : {Index{0}, Index{7}}) {
    auto const A = this->matrix(this->rows, this->cols, [&](Index i, Index j) {
      return j == zero ? 0 : this->unit(j) * this->even_entry(i, j);
    });
    for (double const lambda : {0.0, 1e-2}) {
      auto const found =
          solve::ridge(this->op_of(A), this->on_device(this->right_side()), lambda, {.direct = 0});
      EXPECT_TRUE(found.has_scaled_columns);
      EXPECT_TRUE(solve::is_success(found.stop)) << solve::sentence(found.stop);
      EXPECT_EQ(this->copy_of(found.x)[static_cast<std::size_t>(zero)], 0);
    }
    auto const even = this->matrix(this->rows, this->cols, [&](Index i, Index j) {
      return j == zero ? 0 : this->even_entry(i, j);
    });
    EXPECT_FALSE(solve::lstsq(this->op_of(even), this->on_device(this->right_side()), {.direct = 0})
                     .has_scaled_columns);
  }
}

/// The shortest for the unscaled columns is wanted.
TYPED_TEST(ScaledColumns, AreNotScaledWhereThereAreMoreThanRows) {
  auto const A = this->matrix(this->cols / 2, this->cols, [&](Index i, Index j) {
    return (j % 2 == 0 ? 1 : 32) * this->even_entry(i, j);
  });
  auto b = this->right_side();
  b.resize(static_cast<std::size_t>(this->cols / 2));
  auto const op = this->op_of(A);
  auto const found = solve::lstsq(op, this->on_device(b), {.direct = 0});
  EXPECT_FALSE(found.has_scaled_columns);
  EXPECT_TRUE(solve::is_success(found.stop));
  auto const penalised = solve::ridge(op, this->on_device(b), 0.5, {.direct = 0});
  EXPECT_TRUE(penalised.has_scaled_columns);
}

TYPED_TEST(ScaledColumns, HaveTheSameBitsHoweverTheMatrixIsRead) {
  using Exec = typename TypeParam::Exec;
  auto const A = this->uneven();
  auto const b = this->on_device(this->right_side());
  auto const source = source_of<TypeParam>(A, this->rows, this->cols);
  solve::StreamOperator const streamed(Exec(), source);
  auto const op = this->op_of(A);
  PlainOperator<Exec, typename TypeParam::Scalar> const plain(op);
  for (double const lambda : {0.0, 0.5}) {
    typename TestFixture::Options const options{.direct = 0};
    auto const whole = this->copy_of(solve::ridge(op, b, lambda, options).x);
    EXPECT_THAT(this->copy_of(solve::ridge(streamed, b, lambda, options).x), same_bits_as(whole));
    EXPECT_THAT(this->copy_of(solve::ridge(plain, b, lambda, options).x), same_bits_as(whole));
    EXPECT_THAT(
        this->copy_of(solve::ridge(this->op_of(A, Kernels::portable), b, lambda, options).x),
        same_bits_as(whole));
  }
}

TYPED_TEST(ScaledColumns, HaveTheBitsOfOneRunWhereverTheyAreInterrupted) {
  using T = typename TypeParam::Scalar;
  auto const b = this->on_device(this->right_side());
  auto const op = this->op_of(this->uneven());
  std::vector<double> const lambdas{0, 1e12, 0.5, 2e12};
  typename TestFixture::Options const options{.maxiter = 12, .history = true};
  std::vector<solve::State<T>> states;
  auto const whole = solve::ridge_path(op, b, lambdas, options,
                                       {.wants_state = [](auto const&) { return true; },
                                        .on_state = [&](auto const& s) { states.push_back(s); },
                                        .wants_last_state = true});
  ASSERT_GT(states.size(), 20);
  for (auto const& state : states) {
    EXPECT_EQ(state.of.operation, "ridge");
    std::vector<solve::State<T>> later;
    auto const rest = solve::ridge_path(op, b, lambdas, options,
                                        {.wants_state = [](auto const&) { return true; },
                                         .on_state = [&](auto const& s) { later.push_back(s); },
                                         .resume = &state});
    for (std::size_t i = 0; i < lambdas.size(); ++i) {
      EXPECT_THAT(this->copy_of(rest[i].x), same_bits_as(this->copy_of(whole[i].x)));
      EXPECT_EQ(rest[i].stop, whole[i].stop);
      EXPECT_EQ(rest[i].iterations, whole[i].iterations);
      EXPECT_EQ(rest[i].history.size(), whole[i].history.size());
    }
    for (auto const& next : later) EXPECT_GE(next.numbers.end()[-2], state.numbers.end()[-2]);
  }
  auto const& state = states.front();
  expect_refused([&] { solve::lsmr(op, b, options, {.resume = &state}); },
                 "expected a state of lsmr of 300 x 24");
  expect_refused([&] { solve::lstsq(op, b, options, {.resume = &state}); },
                 "expected a state of lstsq of 300 x 24");
  // In even units, the state has the same sizes.
  expect_refused(
      [&] {
        solve::ridge_path(this->op_of(this->even()), b, lambdas, options,
                          {.resume = &states.back()});
      },
      "the state is damaged, or belongs to other options");
  for (double const number : {-1.0, 0.5, 99.0, std::nan("")}) {
    auto damaged = state;
    damaged.numbers.end()[-2] = number;
    expect_refused([&] { solve::ridge_path(op, b, lambdas, options, {.resume = &damaged}); },
                   "the state is damaged");
  }
  auto damaged = state;
  damaged.numbers.resize(1);
  expect_refused([&] { solve::ridge_path(op, b, lambdas, options, {.resume = &damaged}); },
                 "the state is damaged");
}

TYPED_TEST(ScaledColumns, ManyRightSidesResumeEachByItself) {
  using T = typename TypeParam::Scalar;
  auto const op = this->op_of(this->uneven());
  Kokkos::View<T**, Kokkos::LayoutLeft, typename TypeParam::Exec::memory_space> const B(
      "B", static_cast<std::size_t>(this->rows), 2);
  auto const on_host = Kokkos::create_mirror_view(B);
  for (std::size_t i = 0; i < on_host.extent(0); ++i) {
    on_host(i, 0) = whole_number<T>(5, i, 9);
    on_host(i, 1) = static_cast<T>(i % 11);
  }
  Kokkos::deep_copy(B, on_host);
  typename TestFixture::Options const options{.direct = 0};
  std::vector<solve::State<T>> states;
  auto const both = solve::lstsq(op, B, options,
                                 {.wants_state = [](auto const&) { return true; },
                                  .on_state = [&](auto const& s) { states.push_back(s); }});
  auto const directly = solve::lstsq(op, B);
  for (std::size_t j = 0; j < 2; ++j) {
    auto const b = Kokkos::subview(B, Kokkos::ALL, j);
    EXPECT_THAT(this->copy_of(both[j].x),
                same_bits_as(this->copy_of(solve::lstsq(op, b, options).x)));
    EXPECT_THAT(this->copy_of(directly[j].x), same_bits_as(this->copy_of(solve::lstsq(op, b).x)));
  }
  for (std::size_t const i : {std::size_t{0}, states.size() - 1}) {
    auto const rest = solve::lstsq(op, B, options, {.resume = &states[i]});
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_THAT(this->copy_of(rest[j].x), same_bits_as(this->copy_of(both[j].x))) << i;
    }
  }
}

TYPED_TEST(ScaledColumns, OfNumbersOfAnySizeAreScaled) {
  using T = typename TypeParam::Scalar;
  int const far = std::numeric_limits<T>::max_exponent * 2 / 3;
  for (int const power : {-far, far}) {
    auto const A = this->matrix(this->rows, this->cols, [&](Index i, Index j) {
      return std::ldexp(this->even_entry(i, j), j == 0 ? power : static_cast<int>(j));
    });
    auto const found =
        solve::lstsq(this->op_of(A), this->on_device(this->right_side()), {.direct = 0});
    EXPECT_TRUE(found.has_scaled_columns);
    EXPECT_TRUE(solve::is_success(found.stop)) << solve::sentence(found.stop);
    auto const of_even = this->exact(this->even(), 0);
    double const x = std::ldexp(static_cast<double>(this->copy_of(found.x)[0]), power);
    EXPECT_NEAR(x, static_cast<double>(of_even[0]), 1e-4 * std::fabs(x));
  }
}

}  // namespace
}  // namespace tessera::test
