// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "distributed/world.hpp"

/// All ranks throw, and can then work together.
namespace tessera::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class DistributedErrors : public testing::Test {
 protected:
  using Exec = Kokkos::DefaultExecutionSpace;
  using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Exec::memory_space>;
  using Vector = Kokkos::View<double*, Exec::memory_space>;

  [[nodiscard]] static bool is_last() { return rank() + 1 == ranks(); }
  [[nodiscard]] static std::string last() { return "rank " + std::to_string(ranks() - 1) + ": "; }

  template <class Call>
  static std::string thrown_by(Call const& call) {
    try {
      call();
    } catch (DistributedError const& error) {
      return error.what();
    }
    return "";
  }
  void expect_work() {
    Matrix const A("A", 2, 3);
    Kokkos::deep_copy(A, 1);
    Vector const v("v", 3), c("c", 3);
    Kokkos::deep_copy(v, 1);
    world.atax(A, v, c);
    EXPECT_EQ(to_vector(c), std::vector<double>(3, 6.0 * ranks()));
  }

  Distributed<Exec> world{MPI_COMM_WORLD};
};

TEST_F(DistributedErrors, OfOneRankAreThoseOfAll) {
  EXPECT_EQ(thrown_by([&] {
              world.together([&] {
                if (is_last()) throw std::runtime_error("the file ends too early");
              });
            }),
            last() + "the file ends too early");
  expect_work();
  EXPECT_THAT(thrown_by([&] {
                world.together([&] {
                  if (is_last()) throw std::bad_alloc();
                });
              }),
              testing::StartsWith(last()));
  expect_work();
}

TEST_F(DistributedErrors, MeetCollectiveCallsOfOtherRanks) {
  Matrix const A("A", 2, 3);
  Vector const v("v", 3), c("c", 3);
  EXPECT_EQ(thrown_by([&] {
              world.together([&] {
                for (int step = 0; step < 5; ++step) {
                  if (is_last() && step == 3) throw std::runtime_error("it failed on the way");
                  world.atax(A, v, c);
                }
              });
            }),
            last() + "it failed on the way");
  expect_work();
}

TEST_F(DistributedErrors, NameTheFirstOfSeveralRanks) {
  try {
    world.together([] { throw std::runtime_error("all fail"); });
    FAIL() << "nothing is thrown";
  } catch (DistributedError const& error) {
    EXPECT_EQ(error.rank(), 0);
  }
}

TEST_F(DistributedErrors, AreSizesThatDoNotFitOnOneRank) {
  Matrix const A("A", 2, 3);
  Vector const v("v", is_last() ? 4 : 3), c("c", 3);
  EXPECT_EQ(thrown_by([&] { world.atax(A, v, c); }),
            last() + "tessera::Distributed::atax: v must have 3 entries, found 4");
  expect_work();
}

TEST_F(DistributedErrors, AreSizesAndNumbersThatDifferBetweenRanks) {
  if (ranks() == 1) GTEST_SKIP() << "there is one rank";
  std::size_t const cols = is_last() ? 5 : 3;
  Matrix const A("A", 2, cols);
  Vector const v("v", cols), c("c", cols);
  EXPECT_EQ(thrown_by([&] { world.atax(A, v, c); }),
            last() + "tessera::Distributed::atax: expected what rank 0 has, 3 columns, found 5");
  Matrix const same("A", 2, 3);
  Vector const x("x", 3), y("y", 3);
  EXPECT_THAT(thrown_by([&] { world.atax(same, x, y, {.alpha = is_last() ? 2.0 : 1.0}); }),
              AllOf(HasSubstr(last()), HasSubstr("found another alpha")));
  EXPECT_THAT(thrown_by([&] {
                if (is_last()) return world.multiply_transposed(same, Vector("b", 2), y);
                world.atax(same, x, y);
              }),
              HasSubstr("found another operation"));
  expect_work();
}

TEST_F(DistributedErrors, RefuseRowsOutsideTheVector) {
  using distributed::Rows;
  auto const size = static_cast<std::int64_t>(ranks());
  auto const shared = [&](Rows const& mine, std::int64_t length) {
    return thrown_by(
        [&] { world.share_rows(Vector("x", static_cast<std::size_t>(length)), mine); });
  };
  Rows const good{2 * rank(), 2};
  EXPECT_EQ(shared(good, 2 * size), "");
  std::string const begin = last() + "tessera::Distributed::share_rows: expected rows ";
  std::string const place = std::to_string(2 * size - 2);
  std::string const after = "that begin at row " + place + " of " + std::to_string(2 * size) +
                            ", after those of the rank before, found ";
  auto const instead = [&](Rows const& its) { return is_last() ? its : good; };
  EXPECT_EQ(shared(instead({2 * size - 2, 3}), 2 * size),
            begin + after + "3 rows from row " + place + " on");
  EXPECT_EQ(shared(instead({2 * size - 1, 1}), 2 * size),
            begin + after + "1 rows from row " + std::to_string(2 * size - 1) + " on");
  EXPECT_EQ(shared(instead({-1, 2}), 2 * size), begin + after + "2 rows from row -1 on");
  EXPECT_EQ(shared(instead({2 * size - 2, -2}), 2 * size),
            begin + after + "-2 rows from row " + place + " on");
  EXPECT_EQ(shared(instead({2 * size - 2, 1}), 2 * size),
            begin + "up to the last entry of x, " + std::to_string(2 * size) +
                ", found rows up to " + std::to_string(2 * size - 1));
  EXPECT_EQ(shared(is_last() ? Rows{99, 0} : good, 2 * size - 2), "");
  if (ranks() > 1) {
    EXPECT_THAT(shared(good, 2 * size + (is_last() ? 1 : 0)),
                HasSubstr(last() + "tessera::Distributed::share_rows: expected a vector of "));
    EXPECT_NE(shared({2 * (size - 1 - rank()), 2}, 2 * size), "");
  }
  EXPECT_EQ(
      thrown_by([&] {
        world.share_rows(Vector("x", 1), std::vector<Rows>(static_cast<std::size_t>(size) + 1));
      }),
      "rank 0: tessera::Distributed::share_rows: expected rows of " + std::to_string(ranks()) +
          " ranks, found those of " + std::to_string(ranks() + 1));
  Matrix const z("z", static_cast<std::size_t>(2 * size), 2);
  EXPECT_EQ(thrown_by([&] { world.share_rows(Kokkos::subview(z, Kokkos::ALL, 0), good); }),
            "rank 0: tessera::Distributed::share_rows: x must be contiguous, found a stride of 2 "
            "elements");
  expect_work();
}

}  // namespace
}  // namespace tessera::test
