// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include <tessera/distributed/stream.hpp>
#include <tessera/multiply_both.hpp>

#include "distributed/world.hpp"
#include "support/cases.hpp"
#include "support/same_bits.hpp"
#include "support/shapes.hpp"

/// Each rank reads a part.
namespace tessera::test {
namespace {

template <class C>
class DistributedStreams : public testing::Test {
 protected:
  using Exec = typename C::Exec;
  using T = typename C::Scalar;
  using Layout = typename C::Layout;
  using Vector = Kokkos::View<T*, typename Exec::memory_space>;

  struct Held {
    using value_type = T;
    using array_layout = Layout;
    static constexpr bool is_by_rows = std::is_same_v<Layout, Kokkos::LayoutRight>;

    Shape shape;
    std::vector<T> values;
    std::int64_t fails_from = INT64_MAX;  ///< row
    std::shared_ptr<std::atomic<std::int64_t>> elements_read =
        std::make_shared<std::atomic<std::int64_t>>(0);

    [[nodiscard]] std::int64_t rows() const { return shape.rows; }
    [[nodiscard]] std::int64_t cols() const { return shape.cols; }
    void read(stream::Block const& block, T* to) const {
      *elements_read += block.rows * block.cols;
      if (block.first_row + block.rows > fails_from) throw std::runtime_error("no such row");
      auto const lines = is_by_rows ? block.rows : block.cols;
      auto const length = is_by_rows ? block.cols : block.rows;
      auto const line = is_by_rows ? block.first_row : block.first_col;
      auto const place = is_by_rows ? block.first_col : block.first_row;
      auto const pitch = is_by_rows ? shape.cols : shape.rows;
      for (std::int64_t i = 0; i < lines; ++i) {
        std::copy_n(values.data() + (line + i) * pitch + place, length, to + i * length);
      }
    }
  };
  static Held held(Shape const& shape) {
    return {shape, real_numbers<T>(static_cast<std::size_t>(shape.rows * shape.cols), 1)};
  }
  static Vector vector(std::int64_t size, std::uint64_t seed) {
    return to_device<Exec>(real_numbers<T>(static_cast<std::size_t>(size), seed));
  }
  static Vector poisoned(std::int64_t size) {
    return to_device<Exec>(std::vector<T>(static_cast<std::size_t>(size), poison<T>()));
  }
  static std::vector<Shape> shapes() {
    return {{1, 1},    {3, 5},    {7, 1000}, {129, 17},   {1000, 33},
            {5000, 8}, {4999, 1}, {1, 4999}, {60'000, 3}, {2, 60'000}};
  }

  Exec exec;
  Distributed<Exec> world{MPI_COMM_WORLD, exec};
};
TYPED_TEST_SUITE(DistributedStreams, Cases, CaseName);

TYPED_TEST(DistributedStreams, HaveTheBitsOfOneProcess) {
  for (Shape const& shape : this->shapes()) {
    auto const [m, n] = shape;
    auto const A = this->held(shape);
    auto const v = this->vector(n, 2), u = this->vector(m, 3), z = this->vector(n, 4);
    for (std::size_t const limit : {std::size_t{1} << 30, std::size_t{8} << 20}) {
      stream::Options<typename TypeParam::Scalar> const options{.memory_limit = limit};
      auto const b = this->poisoned(m), its_b = this->poisoned(m);
      auto const c = this->poisoned(n), its_c = this->poisoned(n);
      auto const expect_same = [&](char const* what) {
        EXPECT_THAT(to_vector(its_b), same_bits_as(to_vector(b))) << what << " " << m << " x " << n;
        EXPECT_THAT(to_vector(its_c), same_bits_as(to_vector(c))) << what << " " << m << " x " << n;
      };
      stream::multiply(this->exec, A, v, b);
      stream::multiply(this->world, A, v, its_b, options);
      stream::multiply_transposed(this->exec, A, u, c);
      stream::multiply_transposed(this->world, A, u, its_c, options);
      expect_same("products");
      stream::atax(this->exec, A, v, c);
      stream::atax(this->world, A, v, its_c, options);
      expect_same("atax");
      stream::atax(this->exec, A, v, b, c, {},
                   {.map = maps::weights(u), .alpha = 2, .beta = -1, .z = z});
      stream::atax(this->world, A, v, its_b, its_c, options,
                   {.map = maps::weights(u), .alpha = 2, .beta = -1, .z = z});
      expect_same("atax with B");
      stream::multiply_both(this->exec, A, v, u, b, c);
      stream::multiply_both(this->world, A, v, u, its_b, its_c, options);
      expect_same("both products");
      stream::aatx(this->exec, A, u, b);
      stream::aatx(this->world, A, u, its_b, options);
      expect_same("aatx");
    }
  }
}

TYPED_TEST(DistributedStreams, OfBlocksHaveTheBitsOfVectorsAndTheirReads) {
  using T = typename TypeParam::Scalar;
  using Memory = typename TypeParam::Exec::memory_space;
  using ByColumns = Kokkos::View<T**, Kokkos::LayoutLeft, Memory>;
  using ByRows = Kokkos::View<T**, Kokkos::LayoutRight, Memory>;
  constexpr std::int64_t k = 3;
  auto const filled = [&]<class Block>(Block const& block, std::uint64_t seed) {
    for (std::int64_t j = 0; j < k; ++j) {
      Kokkos::deep_copy(Kokkos::subview(block, Kokkos::ALL, j),
                        this->vector(static_cast<std::int64_t>(block.extent(0)),
                                     seed + static_cast<std::uint64_t>(j)));
    }
    return block;
  };
  for (Shape const& shape : {Shape{3, 5}, Shape{5000, 8}, Shape{2, 60'000}}) {
    auto const [m, n] = shape;
    auto const A = this->held(shape);
    auto const weights = this->vector(m, 40);
    ByRows const V = filled(ByRows("V", n, k), 2), U = filled(ByRows("U", m, k), 20);
    stream::AtaxTerms<typename TypeParam::Exec, T> const terms{.map = maps::weights(weights),
                                                               .alpha = 2};
    for (std::size_t const limit : {std::size_t{1} << 30, std::size_t{8} << 20}) {
      stream::Options<T> const options{.memory_limit = limit};
      ByRows const by_rows("B", m, k);
      ByColumns const B("B", m, k), C("C", n, k);
      auto const b = this->poisoned(m), c = this->poisoned(n);
      auto const expect_same = [&](char const* what, auto const& block, auto const& call,
                                   auto const& one) {
        for (std::int64_t j = 0; j < k; ++j) {
          call(j);
          auto const its = this->poisoned(static_cast<std::int64_t>(block.extent(0)));
          Kokkos::deep_copy(its, Kokkos::subview(block, Kokkos::ALL, j));
          EXPECT_THAT(to_vector(its), same_bits_as(to_vector(one)))
              << what << ", " << m << " x " << n << ", column " << j;
        }
      };
      auto const v = [&](std::int64_t j) { return Kokkos::subview(V, Kokkos::ALL, j); };
      auto const u = [&](std::int64_t j) { return Kokkos::subview(U, Kokkos::ALL, j); };
      stream::multiply(this->world, A, V, by_rows, options);
      expect_same(
          "multiply", by_rows, [&](auto j) { stream::multiply(this->exec, A, v(j), b); }, b);
      stream::multiply_transposed(this->world, A, U, C, options);
      expect_same(
          "multiply_transposed", C,
          [&](auto j) { stream::multiply_transposed(this->exec, A, u(j), c); }, c);
      stream::aatx(this->world, A, U, B, options);
      expect_same("aatx", B, [&](auto j) { stream::aatx(this->exec, A, u(j), b); }, b);
      stream::atax(this->world, A, V, C, options);
      expect_same("atax", C, [&](auto j) { stream::atax(this->exec, A, v(j), c); }, c);
      *A.elements_read = 0;
      stream::atax(this->world, A, V, by_rows, C, options, terms);
      auto const reads = this->world.communicator().gather(A.elements_read->load());
      if (limit > (std::size_t{8} << 20)) {
        EXPECT_EQ(std::reduce(reads.begin(), reads.end()), m * n);
      }
      auto const one = [&](auto j) { stream::atax(this->exec, A, v(j), b, c, {}, terms); };
      expect_same("B with a map", by_rows, one, b);
      expect_same("C with a map", C, one, c);
    }
  }
}

TYPED_TEST(DistributedStreams, OfBlocksRefuseStatesAndOtherColumns) {
  using T = typename TypeParam::Scalar;
  using Block = Kokkos::View<T**, Kokkos::LayoutLeft, typename TypeParam::Exec::memory_space>;
  auto const A = this->held({40, 3});
  Block const V("V", 3, 2), B("B", 40, 2), C("C", 3, 2);
  stream::Options<T> const with_states{.wants_state = [](auto const&) { return true; },
                                       .on_state = [](stream::State<T> const&) {}};
  EXPECT_THAT([&] { stream::multiply(this->world, A, V, B, with_states); },
              testing::ThrowsMessage<DistributedError>(testing::HasSubstr("a block of vectors")));
  EXPECT_THAT([&] { stream::atax(this->world, A, V, C, with_states); },
              testing::ThrowsMessage<DistributedError>(testing::HasSubstr("a block of vectors")));
  if (ranks() == 1) return;
  int const columns = rank() == 0 ? 2 : 1;
  Block const its_V("V", 3, columns), its_C("C", 3, columns);
  EXPECT_THAT([&] { stream::atax(this->world, A, its_V, its_C); },
              testing::ThrowsMessage<DistributedError>(testing::HasSubstr("another call")));
}

TYPED_TEST(DistributedStreams, ResumeWithAnyNumberOfProcesses) {
  using T = typename TypeParam::Scalar;
  using State = stream::State<T>;
  std::int64_t const m = 20'000, n = 300;
  auto const A = this->held({m, n});
  auto const v = this->vector(n, 2), u = this->vector(m, 3);
  auto const b = this->poisoned(m), c = this->poisoned(n), c_of_u = this->poisoned(n);
  stream::atax(this->exec, A, v, b, c);
  stream::multiply_transposed(this->exec, A, u, c_of_u);
  std::vector<State> of_atax, of_multiply, of_transposed;
  auto const some = [](std::vector<State> all) {
    std::erase_if(all, [](State const& state) { return !state.chain.empty(); });
    std::vector<State> few;
    for (std::size_t i = 0; i < all.size(); i += 3) few.push_back(std::move(all[i]));
    EXPECT_FALSE(few.empty());
    return few;
  };
  auto const keep = [](std::vector<State>& all, std::size_t mebibytes = 4) {
    return stream::Options<T>{.memory_limit = mebibytes << 20,
                              .wants_state = [](auto const&) { return true; },
                              .on_state = [&all](State const& s) { all.push_back(s); }};
  };
  auto const its_b = this->poisoned(m), its_c = this->poisoned(n);
  auto const clear = [&] {
    Kokkos::deep_copy(its_b, poison<T>());
    Kokkos::deep_copy(its_c, poison<T>());
  };
  auto const expect_atax = [&] {
    EXPECT_THAT(to_vector(its_b), same_bits_as(to_vector(b)));
    EXPECT_THAT(to_vector(its_c), same_bits_as(to_vector(c)));
    clear();
  };
  stream::atax(this->world, A, v, its_b, its_c, keep(of_atax));
  expect_atax();
  ASSERT_FALSE(of_atax.empty());
  stream::atax(this->exec, A, v, its_b, its_c, keep(of_atax));
  for (State const& state : some(of_atax)) {
    clear();
    stream::atax(this->world, A, v, its_b, its_c, {.resume = &state});
    expect_atax();
    stream::atax(this->exec, A, v, its_b, its_c, {.resume = &state});
    expect_atax();
  }
  stream::multiply(this->world, A, v, its_b, keep(of_multiply, 12));
  stream::multiply(this->exec, A, v, its_b, keep(of_multiply, 12));
  for (State const& state : some(of_multiply)) {
    stream::multiply(this->exec, A, v, its_b, {.resume = &state});
    EXPECT_THAT(to_vector(its_b), same_bits_as(to_vector(b)));
    clear();
    stream::multiply(this->world, A, v, its_b, {.resume = &state});
    EXPECT_THAT(to_vector(its_b), same_bits_as(to_vector(b)));
    clear();
  }
  stream::multiply_transposed(this->world, A, u, its_c, keep(of_transposed));
  for (State const& state : some(of_transposed)) {
    stream::multiply_transposed(this->exec, A, u, its_c, {.resume = &state});
    EXPECT_THAT(to_vector(its_c), same_bits_as(to_vector(c_of_u)));
    clear();
    stream::multiply_transposed(this->world, A, u, its_c, {.resume = &state});
    EXPECT_THAT(to_vector(its_c), same_bits_as(to_vector(c_of_u)));
    clear();
  }
}

TYPED_TEST(DistributedStreams, AreCutAlikeWhateverLimitEachRankHas) {
  using T = typename TypeParam::Scalar;
  std::int64_t const m = 20'000, n = 300;
  auto const A = this->held({m, n});
  auto const v = this->vector(n, 2), u = this->vector(m, 3);
  auto const b = this->poisoned(m), its_b = this->poisoned(m);
  auto const c = this->poisoned(n), its_c = this->poisoned(n);
  stream::atax(this->exec, A, v, b, c);
  for (int const larger : {0, ranks() - 1}) {
    std::vector<std::int64_t> states;
    stream::Options<T> const options{
        .memory_limit = std::size_t{rank() == larger ? 64U : 8U} << 20U,
        .wants_state = [](auto const&) { return true; },
        .on_state = [&](stream::State<T> const& s) { states.push_back(s.blocks_done); }};
    stream::atax(this->world, A, v, its_b, its_c, options);
    EXPECT_THAT(to_vector(its_b), same_bits_as(to_vector(b)));
    EXPECT_THAT(to_vector(its_c), same_bits_as(to_vector(c)));
    std::vector<std::size_t> const counts = this->world.communicator().gather(states.size());
    EXPECT_THAT(counts, testing::Each(counts.front()));
    if (ranks() > 1) {
      EXPECT_GT(counts.front(), 0);
    }
    stream::multiply(this->world, A, v, its_b, options);
    EXPECT_THAT(to_vector(its_b), same_bits_as(to_vector(b)));
  }
  stream::multiply_transposed(this->exec, A, u, c);
  stream::multiply_transposed(this->world, A, u, its_c,
                              {.memory_limit = std::size_t{rank() % 2 == 0 ? 8U : 32U} << 20U,
                               .wants_state = [](auto const&) { return true; },
                               .on_state = [](stream::State<T> const&) {}});
  EXPECT_THAT(to_vector(its_c), same_bits_as(to_vector(c)));
}

TYPED_TEST(DistributedStreams, ResumeFromOneStateOrNone) {
  using T = typename TypeParam::Scalar;
  if (ranks() == 1) GTEST_SKIP() << "there is one rank";
  auto const A = this->held({20'000, 300});
  auto const v = this->vector(300, 2);
  auto const c = this->poisoned(300);
  std::vector<stream::State<T>> states;
  stream::atax(this->world, A, v, c,
               {.memory_limit = std::size_t{4} << 20U,
                .wants_state = [](auto const&) { return true; },
                .on_state = [&](stream::State<T> const& s) { states.push_back(s); }});
  ASSERT_FALSE(states.empty());
  stream::State<T> const& state = states.front();
  auto const expect = [&](stream::State<T> const* mine, std::string const& sentence) {
    try {
      stream::atax(this->world, A, v, c, {.resume = mine});
      FAIL() << "nothing is thrown";
    } catch (DistributedError const& error) {
      EXPECT_EQ(error.what(), "rank " + std::to_string(ranks() - 1) +
                                  ": tessera::stream::atax: expected what rank 0 has, " + sentence);
    }
  };
  bool const is_last = rank() + 1 == ranks();
  expect(is_last ? &state : nullptr, "no state to resume from, found one");
  expect(is_last ? nullptr : &state, "a state to resume from, found none");
  stream::State<T> other = state;
  for (auto& sum : other.waiting) {
    if (!sum.empty()) sum.back() = -sum.back();
  }
  expect(is_last ? &other : &state, "found another state to resume from");
}

TYPED_TEST(DistributedStreams, NameALimitThatIsEnoughForAllRanks) {
  auto const A = this->held({3000, 170});
  auto const v = this->vector(170, 2), u = this->vector(3000, 3);
  auto const b = this->poisoned(3000), c = this->poisoned(170);
  auto const expect_named = [&](auto const& call) {
    std::size_t needed = 0;
    try {
      call(std::size_t{100});
      ADD_FAILURE() << "nothing is thrown";
    } catch (DistributedLimitError const& error) {
      needed = error.needed();
      EXPECT_THAT(error.sentence(), testing::HasSubstr("expected a limit of at least " +
                                                       std::to_string(needed) + " bytes"));
    }
    auto const all = this->world.communicator().gather(needed);
    EXPECT_THAT(all, testing::Each(needed));
    EXPECT_THROW(call(needed - 1), DistributedLimitError);
    call(needed);
  };
  expect_named(
      [&](std::size_t limit) { stream::atax(this->world, A, v, c, {.memory_limit = limit}); });
  expect_named(
      [&](std::size_t limit) { stream::multiply(this->world, A, v, b, {.memory_limit = limit}); });
  expect_named([&](std::size_t limit) {
    stream::multiply_transposed(this->world, A, u, c, {.memory_limit = limit});
  });
}

TYPED_TEST(DistributedStreams, EndTogether) {
  auto A = this->held({1000, 33});
  auto const v = this->vector(33, 2);
  auto const c = this->poisoned(33);
  EXPECT_THROW(stream::atax(this->world, A, v, c, {.memory_limit = 100}), DistributedError);
  EXPECT_THROW(stream::atax(this->world, A, v, this->poisoned(4)), DistributedError);
  if (rank() + 1 == ranks()) A.fails_from = 990;
  try {
    stream::atax(this->world, A, v, c);
    FAIL() << "nothing is thrown";
  } catch (DistributedError const& error) {
    EXPECT_EQ(error.rank(), ranks() - 1);
    EXPECT_EQ(error.sentence(), "no such row");
  }
  auto const other = this->held({1000 + (rank() == 1 ? 1 : 0), 33});
  if (ranks() > 1) {
    EXPECT_THROW(stream::atax(this->world, other, v, c), DistributedError);
  }
}

}  // namespace
}  // namespace tessera::test
