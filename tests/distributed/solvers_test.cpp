// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <gmock/gmock.h>

#include <tessera/distributed/operator.hpp>
#include <tessera/solve.hpp>

#include "distributed/world.hpp"
#include "support/cases.hpp"
#include "support/same_bits.hpp"

/// Solvers have the bits of one process.
namespace tessera::test {
namespace {

using distributed::Rows;

template <class C>
class DistributedSolvers : public testing::Test {
 protected:
  using Exec = typename C::Exec;
  using T = typename C::Scalar;
  using Layout = typename C::Layout;
  using Matrix = Kokkos::View<T**, Layout, typename Exec::memory_space>;
  using Vector = Kokkos::View<T*, Kokkos::LayoutRight, typename Exec::memory_space>;

  template <class Run>
  void expect_same_bits(Run const& run) {
    solve::MatrixOperator<Exec, Matrix> const whole(exec, A);
    auto const expected = run(whole);
    for (Rows const& rows : {world.template rows_of<T, Layout>(m, n), random_rows(m, 1)}) {
      solve::DistributedOperator<Exec, Matrix> const op(world, rows_of(A, rows));
      EXPECT_EQ(op.rows(), m);
      auto const found = run(op);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_THAT(found[i], same_bits_as(expected[i])) << "result " << i;
      }
    }
  }
  template <class Run>
  void expect_same_bits_of_blocks(Run const& run) {
    solve::MatrixOperator<Exec, Matrix> const whole(exec, A);
    auto const expected = run(whole);
    auto const expect = [&](auto const& op, char const* what) {
      auto const found = run(op);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_THAT(found[i], same_bits_as(expected[i])) << what << ", result " << i;
      }
    };
    auto const segments =
        distributed::detail::even_rows({m, summation::segment<T>}, rank(), ranks());
    Matrix const mine = rows_of(A, segments);
    expect(solve::DistributedOperator<Exec, Matrix>(world, mine), "in memory");
    auto const source = source_of_a();
    using Source = std::remove_const_t<decltype(source)>;
    expect(solve::DistributedStreamOperator<Exec, Source>(world, source), "streamed");
  }
  auto source_of_a() const {
    return stream::make_source<T, Layout>(m, n, [this](stream::Block const& block, T* to) {
      bool const by_rows = std::is_same_v<Layout, Kokkos::LayoutRight>;
      for (std::int64_t i = 0; i < block.rows; ++i) {
        for (std::int64_t j = 0; j < block.cols; ++j) {
          auto const row = block.first_row + i, col = block.first_col + j;
          to[by_rows ? i * block.cols + j : j * block.rows + i] =
              values[static_cast<std::size_t>(by_rows ? row * n + col : col * m + row)];
        }
      }
    });
  }
  template <class View>
  static std::vector<T> flat(View const& x) {
    return to_vector(Vector(x.data(), x.size()));
  }
  static std::vector<T> numbers(std::vector<double> const& x) { return {x.begin(), x.end()}; }

  std::int64_t m = 600;
  std::int64_t const n = 12;
  std::vector<T> values = whole_numbers<T>(600 * 12, 1, 9);
  Exec exec;
  Distributed<Exec> world{MPI_COMM_WORLD, exec};
  Matrix A = matrix_of<Exec, T, Layout>(whole_numbers<T>(600 * 12, 1, 9), 600, 12);
  Vector b = to_device<Exec>(whole_numbers<T>(600, 2, 9));
};
TYPED_TEST_SUITE(DistributedSolvers, Cases, CaseName);

TYPED_TEST(DistributedSolvers, OfLeastSquaresHaveTheBitsOfOneProcess) {
  using T = typename TypeParam::Scalar;
  this->expect_same_bits([&](auto const& op) {
    std::vector<std::vector<T>> found;
    for (auto const& result : {solve::lsmr(op, this->b, {.damp = 0.5}), solve::lsqr(op, this->b),
                               solve::ridge(op, this->b, 2.0, {.direct = 0})}) {
      found.push_back(this->flat(result.x));
      found.push_back({static_cast<T>(result.iterations), static_cast<T>(result.normr)});
    }
    return found;
  });
}

TYPED_TEST(DistributedSolvers, OfSeveralRightHandSidesHaveTheBitsOfOneProcess) {
  using Exec = typename TypeParam::Exec;
  using T = typename TypeParam::Scalar;
  auto const Y = matrix_of<Exec, T, Kokkos::LayoutLeft>(whole_numbers<T>(600 * 3, 2, 9), 600, 3);
  auto const run = [&](auto const& op) {
    std::vector<std::vector<T>> found;
    for (auto const& results : {solve::lsmr(op, Y, {.damp = 0.5}), solve::lsqr(op, Y),
                                solve::lstsq(op, Y, {.direct = 0})}) {
      for (auto const& result : results) {
        found.push_back(this->flat(result.x));
        found.push_back({static_cast<T>(result.iterations), static_cast<T>(result.normr)});
      }
    }
    return found;
  };
  this->expect_same_bits(run);
  this->expect_same_bits_of_blocks(run);
}

TYPED_TEST(DistributedSolvers, OfScaledColumnsHaveTheBitsOfOneProcess) {
  using T = typename TypeParam::Scalar;
  bool const by_rows = std::is_same_v<typename TypeParam::Layout, Kokkos::LayoutRight>;
  auto const entry = [&](std::size_t i) {
    std::size_t const col = by_rows ? i % 12 : i / 600;
    return std::ldexp(whole_number<T>(1, i, 9), static_cast<int>(2 * col) - 12);
  };
  this->A = matrix_of<typename TypeParam::Exec, T, typename TypeParam::Layout>(
      generate<T>(600 * 12, entry), 600, 12);
  std::vector<T> const mean(12, static_cast<T>(0.3));
  std::vector<T> const units(12, 2);
  auto const run = [&](auto const& op) {
    typename TestFixture::Vector const squares("squares", 12);
    op.sums_of_squares(to_device<typename TypeParam::Exec>(mean),
                       to_device<typename TypeParam::Exec>(units), squares);
    auto const plain = solve::lstsq(op, this->b, {.direct = 0});
    auto const penalised = solve::ridge(op, this->b, 0.5, {.direct = 0});
    EXPECT_TRUE(plain.has_scaled_columns);
    EXPECT_TRUE(penalised.has_scaled_columns);
    return std::vector<std::vector<T>>{this->flat(squares), this->flat(plain.x),
                                       this->flat(penalised.x)};
  };
  this->expect_same_bits(run);
  this->values = generate<T>(600 * 12, entry);
  this->expect_same_bits_of_blocks(run);
}

TYPED_TEST(DistributedSolvers, OfLongRowsHaveTheSumsOfSquaresOfOneProcess) {
  using Exec = typename TypeParam::Exec;
  using Matrix = typename TestFixture::Matrix;
  using T = typename TypeParam::Scalar;
  std::size_t const cols = 100'000;
  auto const all = matrix_of<Exec, T, typename TypeParam::Layout>(
      whole_numbers<T>(20 * cols, 1, 9), 20, static_cast<std::int64_t>(cols));
  auto const mean = to_device<Exec>(std::vector<T>(cols, static_cast<T>(0.3)));
  auto const units = to_device<Exec>(std::vector<T>(cols, 2));
  auto const squares_by = [&](auto const& op) {
    typename TestFixture::Vector const squares("squares", cols);
    op.sums_of_squares(mean, units, squares);
    return this->flat(squares);
  };
  auto const mine = rows_of(all, random_rows(20, 1));
  EXPECT_THAT(squares_by(solve::DistributedOperator<Exec, Matrix>(this->world, mine)),
              same_bits_as(squares_by(solve::MatrixOperator<Exec, Matrix>(this->exec, all))));
}

TYPED_TEST(DistributedSolvers, OfConjugateGradientsHaveTheBitsOfOneProcess) {
  using T = typename TypeParam::Scalar;
  this->expect_same_bits([&](auto const& op) {
    return std::vector<std::vector<T>>{this->flat(solve::cgls(op, this->b).x)};
  });
}

TYPED_TEST(DistributedSolvers, OfSingularValuesHaveTheBitsOfOneProcess) {
  using T = typename TypeParam::Scalar;
  this->expect_same_bits([&](auto const& op) {
    auto const svd = solve::svd(op, 3, {.want_u = true, .direct = 0});
    return std::vector<std::vector<T>>{this->numbers(svd.s), this->flat(svd.VT),
                                       this->flat(svd.UT)};
  });
}

TYPED_TEST(DistributedSolvers, OfBlocksAndStreamsHaveTheBitsOfOneProcess) {
  using T = typename TypeParam::Scalar;
  this->expect_same_bits_of_blocks([&](auto const& op) {
    auto const svd = solve::randomized_svd(op, 3, {.want_u = true});
    auto const fit = solve::lsmr(op, this->b, {.damp = 0.5});
    auto const pca = solve::pca(op, 2, {.svd = {.want_u = true}, .scale = true});
    auto const far = solve::pca(op, 2, {.svd = {.want_u = true, .direct = 0}, .scale = true});
    auto const direct = solve::svd(op, 2, {.want_u = true});
    auto const x = solve::lstsq(op, this->b);
    auto const ridge = solve::ridge(op, this->b, 2.0);
    return std::vector<std::vector<T>>{
        this->numbers(svd.s),   this->flat(svd.VT),     this->flat(svd.UT),    this->flat(fit.x),
        this->flat(pca.svd.VT), this->flat(pca.svd.UT), this->flat(direct.UT), pca.mean,
        this->flat(far.svd.VT), this->flat(far.svd.UT), this->flat(x.x),       this->flat(ridge.x)};
  });
}

TYPED_TEST(DistributedSolvers, OfColumnStatisticsHaveTheBitsOfOneProcess) {
  using T = typename TypeParam::Scalar;
  // Entries of many magnitudes, so that each order of joins has other bits; some are missing.
  constexpr std::int64_t m = 3000;
  bool const by_rows = std::is_same_v<typename TypeParam::Layout, Kokkos::LayoutRight>;
  auto const entry = [&](std::size_t i) {
    std::size_t const row = by_rows ? i / 12 : i % m;
    std::size_t const col = by_rows ? i % 12 : i / m;
    if ((row * 31 + col) % 11 == 3 || (col == 5 && row < 1500)) return static_cast<T>(-9);
    return std::ldexp(whole_number<T>(1, i, 1 << 20), static_cast<int>(row % 37) - 20);
  };
  this->m = m;
  this->values = generate<T>(static_cast<std::size_t>(m) * 12, entry);
  this->A = matrix_of<typename TypeParam::Exec, T, typename TypeParam::Layout>(this->values, m, 12);
  this->expect_same_bits_of_blocks([&](auto const& op) {
    std::vector<std::vector<double>> found;
    for (auto const& missing : {std::optional<double>(), std::optional<double>(-9)}) {
      auto const of = solve::column_statistics(op, {.ddof = 1, .missing = missing});
      found.insert(found.end(), {of.mean, of.variance, of.min, of.max});
      found.emplace_back(of.count.begin(), of.count.end());
      found.emplace_back(of.nonfinite.begin(), of.nonfinite.end());
    }
    return found;
  });
}

TYPED_TEST(DistributedSolvers, OfStreamsKeepTheirOwnStates) {
  using Exec = typename TypeParam::Exec;
  using T = typename TypeParam::Scalar;
  auto const source = this->source_of_a();
  using Source = std::remove_const_t<decltype(source)>;
  int calls = 0;
  stream::State<T> const half;
  stream::Options<T> const options{.memory_limit = 300'000,
                                   .wants_state = [](auto const&) { return true; },
                                   .on_state = [&](stream::State<T> const&) { ++calls; },
                                   .resume = &half};
  auto const expected = solve::lsmr(
      solve::DistributedStreamOperator<Exec, Source>(this->world, source), this->b, {.maxiter = 3});
  auto const found =
      solve::lsmr(solve::DistributedStreamOperator<Exec, Source>(this->world, source, options),
                  this->b, {.maxiter = 3});
  EXPECT_EQ(calls, 0);
  EXPECT_THAT(this->flat(found.x), same_bits_as(this->flat(expected.x)));
  auto const alone = solve::lsmr(solve::StreamOperator<Exec, Source>(this->exec, source, options),
                                 this->b, {.maxiter = 3});
  EXPECT_EQ(calls, 0);
  EXPECT_THAT(this->flat(alone.x), same_bits_as(this->flat(expected.x)));
}

TYPED_TEST(DistributedSolvers, ExpectTheSameCallOnAllRanks) {
  using Exec = typename TypeParam::Exec;
  using Matrix = typename TestFixture::Matrix;
  using T = typename TypeParam::Scalar;
  if (ranks() == 1) GTEST_SKIP() << "there is one rank";
  auto const rows = this->world.template rows_of<T, typename TypeParam::Layout>(this->m, this->n);
  solve::DistributedOperator<Exec, Matrix> const op(this->world, rows_of(this->A, rows));
  auto const source = this->source_of_a();
  solve::DistributedStreamOperator<Exec, std::remove_const_t<decltype(source)>> const streamed(
      this->world, source);
  bool const is_last = rank() + 1 == ranks();
  auto const expect = [&](std::string const& method, auto const& call) {
    try {
      call();
      ADD_FAILURE() << method << ": nothing is thrown";
    } catch (DistributedError const& error) {
      EXPECT_EQ(error.what(), "rank " + std::to_string(ranks() - 1) + ": tessera::" + method +
                                  ": expected the method, the options, the vectors and the state "
                                  "that rank 0 has, found others");
    }
  };
  auto b = this->b;
  if (is_last) {
    b = to_device<Exec>(whole_numbers<T>(600, 9, 9));
  }
  auto const x0 = to_device<Exec>(whole_numbers<T>(12, is_last ? 1 : 2, 9));
  double const half = is_last ? 0.5 : 0.25;
  std::int64_t const two = is_last ? 2 : 3;
  expect("lsmr", [&] { solve::lsmr(op, b); });
  expect("lsmr", [&] { solve::lsmr(streamed, b); });
  expect("lsmr", [&] { solve::lsmr(op, this->b, {.damp = half}); });
  expect("lsmr", [&] { solve::lsmr(op, this->b, {.atol = half}); });
  expect("lsmr", [&] { solve::lsmr(op, this->b, {.maxiter = two}); });
  expect("lsqr", [&] { solve::lsqr(op, this->b, {.x0 = x0}); });
  expect("lsqr", [&] { solve::lsqr(op, this->b, {.btol = half}); });
  expect("ridge", [&] { solve::ridge(op, this->b, half, {.direct = 0}); });
  expect("lsmr", [&] { solve::lstsq(op, b, {.direct = 0}); });
  expect("cgls", [&] { solve::cgls(op, b); });
  expect("cgls", [&] { solve::cgls(op, this->b, {.maxiter = two}); });
  expect("svd", [&] { solve::svd(op, two, {.direct = 0}); });
  expect("svd", [&] { solve::svd(op, 2, {.want_u = is_last, .direct = 0}); });
  expect("pca", [&] { solve::pca(op, 2, {.scale = is_last}); });
  expect("randomized_svd",
         [&] { solve::randomized_svd(streamed, 2, {.seed = 7 + (is_last ? 1U : 0U)}); });
  expect("linear_regression", [&] { solve::linear_regression(op, this->b, {.penalty = half}); });
  expect("linear_regression", [&] { solve::linear_regression(op, b); });
  Kokkos::View<T const**, Kokkos::LayoutLeft, typename Exec::memory_space> const Y(
      this->b.data(), this->b.extent(0), 1);
  expect("linear_regression", [&] { solve::linear_regressions(op, Y, {}, {half}); });
  expect("power_iteration", [&] { solve::power_iteration(op, {.tol = half}); });
  expect("condition_estimate", [&] { solve::condition_estimate(op, {.maxiter = two}); });
  expect("direct lstsq", [&] { solve::lstsq(streamed, b); });
  expect("direct lstsq", [&] { solve::lstsq(streamed, this->b, {.x0 = x0}); });
  expect("direct ridge", [&] { solve::ridge(streamed, this->b, half); });
  expect("direct svd", [&] { solve::svd(streamed, two); });
  expect("direct svd", [&] { solve::svd(streamed, 2, {.want_u = is_last}); });
  expect("pca", [&] { solve::pca(streamed, 2, {.svd = {.direct = is_last ? 0 : 512}}); });
  expect(is_last ? "lsqr" : "lsmr", [&] {
    if (is_last) {
      solve::lsqr(op, this->b);
    } else {
      solve::lsmr(op, this->b);
    }
  });
  std::vector<solve::State<T>> states;
  solve::lsmr(op, this->b, {.maxiter = 3},
              {.wants_state = [](solve::Step const&) { return true; },
               .on_state = [&](solve::State<T> const& s) { states.push_back(s); }});
  ASSERT_GT(states.size(), 1);
  expect("lsmr", [&] { solve::lsmr(op, this->b, {}, {.resume = is_last ? &states[0] : nullptr}); });
  expect("lsmr", [&] { solve::lsmr(op, this->b, {}, {.resume = &states[is_last ? 1 : 0]}); });
  EXPECT_THAT(this->flat(solve::lsmr(op, this->b).x),
              same_bits_as(this->flat(solve::lsmr(streamed, this->b).x)));
}

TYPED_TEST(DistributedSolvers, ExpectWholeSegmentsForBlocks) {
  using Exec = typename TypeParam::Exec;
  using Matrix = typename TestFixture::Matrix;
  if (ranks() == 1) GTEST_SKIP() << "there is one rank";
  std::int64_t const first = rank() == 0 ? 0 : 7;
  Rows const odd{first, rank() == 0 ? 7 : rank() == 1 ? this->m - 7 : 0};
  solve::DistributedOperator<Exec, Matrix> const op(this->world, rows_of(this->A, odd));
  EXPECT_THROW(solve::randomized_svd(op, 3, {}), DistributedError);
}

TYPED_TEST(DistributedSolvers, OfRegressionsHaveTheBitsOfOneProcess) {
  using T = typename TypeParam::Scalar;
  auto const labels = to_device<typename TypeParam::Exec>(
      generate<T>(600, [](std::size_t i) { return static_cast<T>(random_bits(3, i) >> 63U); }));
  auto const results_by = [&](auto const& op, solve::RegressionSolver solver) {
    auto const fit = solve::logistic_regression(op, labels, {.penalty = 1, .solver = solver});
    return std::vector<std::vector<T>>{this->flat(fit.x),
                                       {static_cast<T>(fit.intercept), static_cast<T>(fit.loss)}};
  };
  this->expect_same_bits(
      [&](auto const& op) { return results_by(op, solve::RegressionSolver::newton_cg); });
  this->expect_same_bits_of_blocks(
      [&](auto const& op) { return results_by(op, solve::RegressionSolver::newton); });
  this->expect_same_bits_of_blocks([&](auto const& op) {
    auto const fit = solve::multinomial_regression(op, {.y = labels}, 2, {.penalty = 1});
    return std::vector<std::vector<T>>{this->flat(fit.x), {static_cast<T>(fit.loss)}};
  });
  auto const targets = to_device<typename TypeParam::Exec>(
      generate<T>(1200, [](std::size_t i) { return static_cast<T>(random_bits(4, i) >> 60U); }));
  Kokkos::View<T const**, Kokkos::LayoutLeft, typename TypeParam::Exec::memory_space> const Y(
      targets.data(), 600, 2);
  this->expect_same_bits_of_blocks([&](auto const& op) {
    auto const fits = solve::linear_regressions(op, Y, labels, {0, 1});
    return std::vector<std::vector<T>>{this->flat(fits[0].x), this->flat(fits[1].x)};
  });
}

TYPED_TEST(DistributedSolvers, AllRanksThrowIfOneThrows) {
  using Exec = typename TypeParam::Exec;
  using Matrix = typename TestFixture::Matrix;
  auto const rows = this->world.rows_of(this->m, this->n);
  solve::DistributedOperator<Exec, Matrix> const op(this->world, rows_of(this->A, rows));
  bool const is_last = rank() + 1 == ranks();
  EXPECT_THROW(this->world.together([&] {
    solve::lsmr(op, this->b, {}, {.on_step = [&](solve::Step const& step) {
                  if (is_last && step.iteration == 3) throw std::runtime_error("no more");
                  return true;
                }});
  }),
               DistributedError);
}

}  // namespace
}  // namespace tessera::test
