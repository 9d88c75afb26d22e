// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include "support/narrow.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include <tessera/aatx.hpp>
#include <tessera/atax.hpp>
#include <tessera/distributed/operator.hpp>
#include <tessera/multiply.hpp>
#include <tessera/multiply_transposed.hpp>
#include <tessera/narrow.hpp>
#include <tessera/solve.hpp>

#include "distributed/world.hpp"
#include "support/data.hpp"
#include "support/same_bits.hpp"

/// Narrow matrices on ranks have the bits of the widened matrix on one process.
namespace tessera::test {
namespace {

using distributed::Rows;

template <class Layout>
class DistributedNarrow : public testing::Test {
 protected:
  using Exec = Kokkos::DefaultExecutionSpace;
  using T = float;
  using Memory = typename Exec::memory_space;
  using Vector = Kokkos::View<T*, Kokkos::LayoutRight, Memory>;
  template <class S>
  using Matrix = Kokkos::View<S**, Layout, Memory>;

  /// The same numbers, narrow and widened.
  template <class S>
  static std::pair<Matrix<S>, Matrix<T>> both(Shape const& shape, std::uint64_t seed) {
    std::vector<S> stored;
    std::vector<T> widened;
    for (std::int64_t k = 0; k < shape.rows * shape.cols; ++k) {
      stored.push_back(number<S>(seed, k, 0));
      widened.push_back(value_of(stored.back()));
    }
    return {matrix_of<Exec, S, Layout>(stored, shape.rows, shape.cols),
            matrix_of<Exec, T, Layout>(widened, shape.rows, shape.cols)};
  }
  static Vector vector(std::int64_t size, std::uint64_t seed) { return numbers<T>(size, seed); }
  template <class Scalar>
  static Kokkos::View<Scalar*, Kokkos::LayoutRight, Memory> numbers(std::int64_t size,
                                                                    std::uint64_t seed) {
    return to_device<Exec>(real_numbers<Scalar>(static_cast<std::size_t>(size), seed));
  }
  static Kokkos::View<T**, Kokkos::LayoutLeft, Memory> block(std::int64_t rows,
                                                             std::uint64_t seed) {
    return matrix_of<Exec, T, Kokkos::LayoutLeft>(
        real_numbers<T>(static_cast<std::size_t>(rows) * 3, seed), rows, 3);
  }
  template <class View>
  static std::vector<T> entries(View const& x) {
    return to_vector(Kokkos::View<T*, Memory>(x.data(), x.size()));
  }
  std::vector<Rows> splits(Shape const& shape) const {
    return {world.template rows_of<T, Layout>(shape.rows, shape.cols), random_rows(shape.rows, 0)};
  }

  template <class S>
  void expect_the_products_of_floats(Shape const& shape) {
    auto const [m, n] = shape;
    auto const [narrow, A] = both<S>(shape, 1);
    auto const v = vector(n, 2);
    auto const u = vector(m, 3);
    auto const b = vector(m, 4);
    auto const c = vector(n, 5);
    auto const c_of_u = vector(n, 5);
    auto const b_of_u = vector(m, 5);
    atax(exec, A, v, b, c, {.map = maps::minus(u), .alpha = 0.5F});
    multiply_transposed(exec, A, u, c_of_u);
    aatx(exec, A, u, b_of_u);
    for (Rows const& rows : splits(shape)) {
      auto const mine = rows_of(narrow, rows);
      auto const its_u = entries_of(u, rows);
      auto const its_b = vector(rows.count, 6);
      auto const its_c = vector(n, 6);
      for (Method const method : {Method::fused, Method::two_stage}) {
        for (Kernels const kernels : {Kernels::automatic, Kernels::portable}) {
          world.atax(
              mine, v, its_b, its_c,
              {.method = method, .kernels = kernels, .map = maps::minus(its_u), .alpha = 0.5F});
          EXPECT_THAT(to_vector(its_b), same_bits_as(to_vector(entries_of(b, rows)))) << shape;
          EXPECT_THAT(to_vector(its_c), same_bits_as(to_vector(c))) << shape;
        }
      }
      world.multiply_transposed(mine, its_u, its_c);
      EXPECT_THAT(to_vector(its_c), same_bits_as(to_vector(c_of_u))) << shape;
      world.aatx(mine, its_u, its_c, its_b);
      EXPECT_THAT(to_vector(its_c), same_bits_as(to_vector(c_of_u))) << shape;
      EXPECT_THAT(to_vector(its_b), same_bits_as(to_vector(entries_of(b_of_u, rows)))) << shape;
    }
  }

  Exec exec;
  Distributed<Exec> world{MPI_COMM_WORLD, exec};
};
using Layouts = testing::Types<Kokkos::LayoutRight, Kokkos::LayoutLeft>;
TYPED_TEST_SUITE(DistributedNarrow, Layouts);

TYPED_TEST(DistributedNarrow, HasTheProductsOfFloats) {
  for (Shape const& shape : {Shape{1, 1}, Shape{3, 5}, Shape{129, 17}, Shape{1000, 33},
                             Shape{5000, 8}, Shape{1, 300}, Shape{20'000, 2}, Shape{2, 20'000}}) {
    this->template expect_the_products_of_floats<std::uint8_t>(shape);
    this->template expect_the_products_of_floats<Float16>(shape);
  }
  this->template expect_the_products_of_floats<std::int8_t>({300, 40});
  this->template expect_the_products_of_floats<std::int16_t>({300, 40});
  this->template expect_the_products_of_floats<std::uint16_t>({300, 40});
}

TYPED_TEST(DistributedNarrow, HasTheBlocksOfFloats) {
  Shape const shape{1300, 40};
  auto const [narrow, A] = this->template both<std::int8_t>(shape, 1);
  auto const V = this->block(shape.cols, 2);
  auto const B = this->block(shape.rows, 3);
  auto const C = this->block(shape.cols, 4);
  atax(this->exec, A, V, B, C);
  for (Rows const& rows : this->splits(shape)) {
    auto const mine = rows_of(narrow, rows);
    auto const expected = rows_of(B, rows);
    auto const its_b = this->block(rows.count, 5);
    auto const its_c = this->block(shape.cols, 6);
    this->world.atax(mine, V, its_b, its_c);
    EXPECT_THAT(this->entries(its_b), same_bits_as(this->entries(expected)));
    EXPECT_THAT(this->entries(its_c), same_bits_as(this->entries(C)));
    auto const of_v = this->block(rows.count, 7);
    this->world.multiply(mine, V, of_v);
    EXPECT_THAT(this->entries(of_v), same_bits_as(this->entries(expected)));
    auto const of_b = this->block(shape.cols, 8);
    this->world.multiply_transposed(mine, its_b, of_b);
    EXPECT_THAT(this->entries(of_b), same_bits_as(this->entries(C)));
  }
}

TYPED_TEST(DistributedNarrow, HasTheProductsOfDoubles) {
  using Exec = typename TestFixture::Exec;
  Shape const shape{300, 40};
  auto const [narrow, floats] = this->template both<std::int16_t>(shape, 1);
  Kokkos::View<double**, TypeParam, typename Exec::memory_space> const A("A", 300, 40);
  Kokkos::deep_copy(A, floats);
  auto const v = this->template numbers<double>(40, 2);
  auto const b = this->template numbers<double>(300, 3);
  multiply(this->exec, A, v, b);
  auto const rows = this->world.template rows_of<double, TypeParam>(300, 40);
  auto const its_b = this->template numbers<double>(rows.count, 4);
  this->world.multiply(rows_of(narrow, rows), v, its_b);
  EXPECT_THAT(to_vector(its_b), same_bits_as(to_vector(entries_of(b, rows))));
}

TYPED_TEST(DistributedNarrow, HasTheSolutionsOfFloats) {
  using Exec = typename TestFixture::Exec;
  std::int64_t const m = 1300, n = 12;
  auto const [narrow, A] = this->template both<std::uint8_t>({m, n}, 1);
  auto const y = this->vector(m, 2);
  auto const run = [&](auto const& op) {
    std::vector<std::vector<float>> found;
    auto const direct = solve::lstsq(op, y);
    auto const iterated = solve::lsmr(op, y, {.damp = 0.5});
    found.push_back(to_vector(direct.x));
    found.push_back(to_vector(iterated.x));
    found.push_back({static_cast<float>(iterated.iterations)});
    auto const triplets = solve::pca(op, 3, {.scale = true});
    found.push_back(this->entries(triplets.svd.VT));
    auto const random = solve::randomized_svd(op, 3);
    found.push_back(this->entries(random.VT));
    return found;
  };
  auto const expected = run(solve::MatrixOperator<Exec, decltype(A)>(this->exec, A));
  auto const segments =
      distributed::detail::even_rows({m, summation::segment<float>}, rank(), ranks());
  auto const mine = rows_of(narrow, segments);
  auto const found = run(solve::DistributedOperator(this->world, mine));
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_THAT(found[i], same_bits_as(expected[i])) << "result " << i;
  }
}

}  // namespace
}  // namespace tessera::test
