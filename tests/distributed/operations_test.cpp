// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <tessera/atax.hpp>
#include <tessera/multiply.hpp>
#include <tessera/multiply_transposed.hpp>
#include <tessera/vectors.hpp>

#include "distributed/world.hpp"
#include "support/cases.hpp"
#include "support/digests.hpp"
#include "support/same_bits.hpp"
#include "support/sha256.hpp"

/// Equal bits for any distribution of rows.
namespace tessera::test {
namespace {

using distributed::Rows;

template <class C>
class DistributedOperations : public testing::Test {
 protected:
  using Exec = typename C::Exec;
  using T = typename C::Scalar;
  using Layout = typename C::Layout;
  using Matrix = Kokkos::View<T**, Layout, typename Exec::memory_space>;
  using Vector = Kokkos::View<T*, typename Exec::memory_space>;

  static Matrix matrix(Shape const& shape, std::uint64_t seed) {
    auto const size = static_cast<std::size_t>(shape.rows * shape.cols);
    return matrix_of<Exec, T, Layout>(real_numbers<T>(size, seed), shape.rows, shape.cols);
  }
  static Vector vector(std::int64_t size, std::uint64_t seed) {
    return to_device<Exec>(real_numbers<T>(static_cast<std::size_t>(size), seed));
  }
  static Vector poisoned(std::int64_t size) {
    return to_device<Exec>(std::vector<T>(static_cast<std::size_t>(size), poison<T>()));
  }
  std::vector<Rows> splits(Shape const& shape) const {
    std::vector<Rows> all{world.template rows_of<T, Layout>(shape.rows, shape.cols)};
    bool const is_large = shape.rows * shape.cols > 100'000;
    for (std::uint64_t seed = 0; seed < (is_large ? 1 : 5); ++seed) {
      all.push_back(random_rows(shape.rows, seed));
    }
    bool const is_last = rank() + 1 == ranks();
    all.push_back(is_last ? Rows{0, shape.rows} : Rows{0, 0});
    return all;
  }
  /// Fewer rows, panels or segments than ranks; panels of over eight lines.
  static std::vector<Shape> shapes() {
    return {{1, 1},     {3, 5},    {7, 1000},   {100, 100}, {129, 17},
            {1000, 33}, {5000, 8}, {80'000, 2}, {2, 80'000}};
  }

  Exec exec;
  Distributed<Exec> world{MPI_COMM_WORLD, exec};
};
TYPED_TEST_SUITE(DistributedOperations, Cases, CaseName);

TYPED_TEST(DistributedOperations, HaveTheBitsOfOneProcess) {
  for (Shape const& shape : this->shapes()) {
    auto const [m, n] = shape;
    auto const A = this->matrix(shape, 1);
    auto const v = this->vector(n, 2);
    auto const u = this->vector(m, 3);
    auto const b = this->poisoned(m);
    auto const c = this->poisoned(n);
    auto const c_of_u = this->poisoned(n);
    atax(this->exec, A, v, b, c);
    multiply_transposed(this->exec, A, u, c_of_u);
    auto const b_of_u = this->poisoned(m);
    aatx(this->exec, A, u, b_of_u);
    auto const number = dot(this->exec, u, b);
    for (Rows const& rows : this->splits(shape)) {
      auto const mine = rows_of(A, rows);
      auto const its_b = this->poisoned(rows.count);
      auto const its_c = this->poisoned(n);
      this->world.multiply(mine, v, its_b);
      EXPECT_THAT(to_vector(its_b), same_bits_as(to_vector(entries_of(b, rows))));
      this->world.multiply_transposed(mine, entries_of(u, rows), its_c);
      EXPECT_THAT(to_vector(its_c), same_bits_as(to_vector(c_of_u)));
      this->world.aatx(mine, entries_of(u, rows), its_c, its_b);
      EXPECT_THAT(to_vector(its_b), same_bits_as(to_vector(entries_of(b_of_u, rows)))) << shape;
      for (Method const method : {Method::automatic, Method::fused, Method::two_stage}) {
        Kokkos::deep_copy(its_b, poison<typename TypeParam::Scalar>());
        Kokkos::deep_copy(its_c, poison<typename TypeParam::Scalar>());
        this->world.atax(mine, v, its_b, its_c, {.method = method});
        EXPECT_THAT(to_vector(its_b), same_bits_as(to_vector(entries_of(b, rows))));
        EXPECT_THAT(to_vector(its_c), same_bits_as(to_vector(c)));
      }
      EXPECT_TRUE(same_bits(this->world.dot(entries_of(u, rows), entries_of(b, rows)), number));
    }
  }
}

TYPED_TEST(DistributedOperations, OfOneRowOrColumnHaveTheBitsOfARowMajorMatrix) {
  using T = typename TypeParam::Scalar;
  using Exec = typename TypeParam::Exec;
  auto const one_each = [](std::int64_t m) {
    auto const first = std::min<std::int64_t>(rank(), m);
    return Rows{first, rank() + 1 == ranks() ? m - first : std::min<std::int64_t>(1, m - first)};
  };
  for (Shape const& shape : {Shape{1, 1}, Shape{1, 300}, Shape{ranks(), 1}, Shape{300, 1},
                             Shape{1, 4999}, Shape{4999, 1}}) {
    auto const [m, n] = shape;
    auto const elements = real_numbers<T>(static_cast<std::size_t>(m * n), 1);
    auto const v = this->vector(n, 2);
    auto const u = this->vector(m, 3);
    auto const b = this->poisoned(m);
    auto const c = this->poisoned(n);
    auto const c_of_u = this->poisoned(n);
    auto const row_major = matrix_of<Exec, T, Kokkos::LayoutRight>(elements, m, n);
    atax(this->exec, row_major, v, b, c);
    multiply_transposed(this->exec, row_major, u, c_of_u);
    auto const A = matrix_of<Exec, T, typename TypeParam::Layout>(elements, m, n);
    auto all_splits = this->splits(shape);
    all_splits.push_back(one_each(m));
    for (Rows const& rows : all_splits) {
      auto const expect = [&](auto const& mine) {
        auto const its_b = this->poisoned(rows.count);
        auto const its_c = this->poisoned(n);
        this->world.multiply(mine, v, its_b);
        EXPECT_THAT(to_vector(its_b), same_bits_as(to_vector(entries_of(b, rows)))) << shape;
        this->world.multiply_transposed(mine, entries_of(u, rows), its_c);
        EXPECT_THAT(to_vector(its_c), same_bits_as(to_vector(c_of_u))) << shape;
        for (Method const method : {Method::fused, Method::two_stage}) {
          this->world.atax(mine, v, its_b, its_c, {.method = method});
          EXPECT_THAT(to_vector(its_b), same_bits_as(to_vector(entries_of(b, rows)))) << shape;
          EXPECT_THAT(to_vector(its_c), same_bits_as(to_vector(c))) << shape;
        }
      };
      expect(rows_of(A, rows));
      typename TestFixture::Matrix const wide("wide", A.extent(0) + 2, A.extent(1) + 3);
      auto const some = Kokkos::subview(wide, Kokkos::pair(rows.first, rows.end()),
                                        Kokkos::pair(std::size_t{1}, A.extent(1) + 1));
      Kokkos::deep_copy(some,
                        Kokkos::subview(A, Kokkos::pair(rows.first, rows.end()), Kokkos::ALL));
      expect(some);
    }
    EXPECT_EQ(this->world.place_of(rows_of(A, one_each(m))).by_rows, true) << shape;
  }
}

TYPED_TEST(DistributedOperations, TakeTheLayoutOfASingleRowFromOtherRanks) {
  using T = typename TypeParam::Scalar;
  using Exec = typename TypeParam::Exec;
  using Strided = Kokkos::View<T**, Kokkos::LayoutStride, typename Exec::memory_space>;
  constexpr bool by_rows = std::same_as<typename TypeParam::Layout, Kokkos::LayoutRight>;
  Shape const shape{2 * ranks() - 1, 2};
  auto const [m, n] = shape;
  auto const A = this->matrix(shape, 1);
  auto const v = this->vector(n, 2);
  auto const c = this->poisoned(n);
  atax(this->exec, A, v, c);
  std::int64_t const first = 2 * rank();
  Rows const rows{first, std::min<std::int64_t>(2, m - first)};
  auto const mine = rows_of(A, rows);
  auto const stride = [&](bool along) {
    return along || rows.count == 1 ? std::size_t{1} : mine.extent(by_rows ? 1 : 0);
  };
  Strided const strided(mine.data(), Kokkos::LayoutStride(mine.extent(0), stride(!by_rows),
                                                          mine.extent(1), stride(by_rows)));
  auto const its_c = this->poisoned(n);
  this->world.atax(strided, v, its_c);
  EXPECT_THAT(to_vector(its_c), same_bits_as(to_vector(c)));
  EXPECT_EQ(this->world.place_of(strided).by_rows, by_rows || ranks() == 1);
}

TYPED_TEST(DistributedOperations, HaveTheBitsOfOneProcessWithMapsAndTerms) {
  using T = typename TypeParam::Scalar;
  using Exec = typename TypeParam::Exec;
  for (Shape const& shape : {Shape{100, 100}, Shape{1000, 33}}) {
    auto const [m, n] = shape;
    auto const A = this->matrix(shape, 1);
    auto const v = this->vector(n, 2);
    auto const x = this->vector(m, 3);
    auto const z = this->vector(n, 4);
    for (bool const keep : {false, true}) {
      auto const options_with = [&](auto const& of_map) {
        return AtaxOptions<Exec, T>{.map = maps::plus(T(0.5), of_map),
                                    .alpha = T(-0.75),
                                    .beta = T(3),
                                    .z = z,
                                    .keep_product = keep};
      };
      auto const b = this->poisoned(m);
      auto const c = this->poisoned(n);
      atax(this->exec, A, v, b, c, options_with(x));
      for (Rows const& rows : this->splits(shape)) {
        auto const mine = rows_of(A, rows);
        auto const its_b = this->poisoned(rows.count);
        auto const its_c = this->poisoned(n);
        auto const its_x = entries_of(x, rows);
        this->world.atax(mine, v, its_b, its_c, options_with(its_x));
        EXPECT_THAT(to_vector(its_b), same_bits_as(to_vector(entries_of(b, rows))));
        EXPECT_THAT(to_vector(its_c), same_bits_as(to_vector(c)));
        Kokkos::deep_copy(its_c, poison<T>());
        this->world.atax(mine, v, its_c, options_with(its_x));
        EXPECT_THAT(to_vector(its_c), same_bits_as(to_vector(c)));
      }
    }
  }
}

TYPED_TEST(DistributedOperations, HaveTheBitsOfOneProcessInBlocks) {
  using Exec = typename TypeParam::Exec;
  using T = typename TypeParam::Scalar;
  Shape const shape{300, 40};
  auto const A = this->matrix(shape, 1);
  auto const block = [](std::int64_t rows, std::uint64_t seed) {
    return matrix_of<Exec, T, Kokkos::LayoutRight>(
        real_numbers<T>(static_cast<std::size_t>(rows) * 3, seed), rows, 3);
  };
  auto const V = block(shape.cols, 2);
  auto const B = block(shape.rows, 3);
  auto const C = block(shape.cols, 4);
  multiply(this->exec, A, V, B);
  atax(this->exec, A, V, C);
  auto const column = [](auto const& of, std::size_t j) {
    auto const on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), of);
    return to_vector(Kokkos::subview(on_host, Kokkos::ALL, j));
  };
  for (Rows const& rows : this->splits(shape)) {
    auto const mine = rows_of(A, rows);
    auto const expected_b = rows_of(B, rows);
    auto const its_b = block(rows.count, 5);
    auto const its_c = block(shape.cols, 6);
    this->world.multiply(mine, V, its_b);
    this->world.atax(mine, V, its_c);
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_THAT(column(its_b, j), same_bits_as(column(expected_b, j)));
      EXPECT_THAT(column(its_c, j), same_bits_as(column(C, j)));
    }
    this->world.multiply_transposed(mine, its_b, its_c);
    EXPECT_THAT(column(its_c, 1), same_bits_as(column(C, 1)));
  }
}

TYPED_TEST(DistributedOperations, ComputeWithoutRowsOrColumns) {
  using T = typename TypeParam::Scalar;
  auto const v = this->vector(4, 1);
  auto const c = this->poisoned(4);
  this->world.multiply_transposed(this->matrix({0, 4}, 1), this->vector(0, 1), c);
  EXPECT_THAT(to_vector(c), same_bits_as(std::vector<T>(4)));
  auto const b = this->poisoned(2);
  this->world.atax(this->matrix({2, 0}, 1), this->vector(0, 1), b, this->vector(0, 1));
  EXPECT_THAT(to_vector(b), same_bits_as(std::vector<T>(2)));
}

TYPED_TEST(DistributedOperations, MeetTheCommittedDigests) {
  using T = typename TypeParam::Scalar;
  using Exec = typename TypeParam::Exec;
  using Layout = typename TypeParam::Layout;
  std::string const type = std::same_as<T, float> ? "f32" : "f64";
  std::string const order =
      std::same_as<Layout, Kokkos::LayoutRight> ? "row-major" : "column-major";
  int compared = 0;
  for (Digest const& digest : read_digests(TESSERA_TEST_DATA_DIR "/digests.txt")) {
    if (digest.type != type || digest.order != order) continue;
    auto const [m, n] = digest.shape;
    if (m * n > 400'000) continue;
    auto const A = matrix_of<Exec, T, Layout>(digest_matrix<T>(digest), m, n);
    auto const x = to_device<Exec>(digest_vector<T>(digest));
    auto const rows = random_rows(m, digest.seed);
    auto const mine = rows_of(A, rows);
    auto const y = this->poisoned(digest.operation == "multiply" ? m : n);
    if (digest.operation == "multiply") {
      this->world.multiply(mine, x, Kokkos::subview(y, Kokkos::pair(rows.first, rows.end())));
      this->world.share_rows(y, rows);
    } else if (digest.operation == "atax") {
      this->world.atax(mine, x, y);
    } else {
      this->world.multiply_transposed(mine, entries_of(x, rows), y);
    }
    EXPECT_EQ(sha256(to_vector(y)), digest.sha256) << digest;
    ++compared;
  }
  EXPECT_GE(compared, 12);
}

}  // namespace
}  // namespace tessera::test
