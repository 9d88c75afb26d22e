// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/distributed/operator.hpp>
#include <tessera/solve.hpp>

#include "distributed/world.hpp"

namespace {

/// Calls of MPI in which ranks wait for each other, fences, and elements that a source was read
/// for.
struct Calls {
  int agreements = 0;  ///< all-gathers of a few bytes per rank
  int exchanges = 0;   ///< of vectors
  int fences = 0;
};
Calls calls;
std::atomic<std::int64_t> elements{0};  ///< read from a source

void count_fence(char const* /*name*/, std::uint32_t /*device*/, std::uint64_t* /*handle*/) {
  ++calls.fences;
}

}  // namespace

// The profiling interface of MPI: these replace the library's functions.
// NOLINTBEGIN(readability-identifier-naming): MPI has these names.
extern "C" {
int MPI_Allgather(void const* from, int sent, MPI_Datatype sent_type, void* to, int got,
                  MPI_Datatype got_type, MPI_Comm comm) {
  ++calls.agreements;
  return PMPI_Allgather(from, sent, sent_type, to, got, got_type, comm);
}
int MPI_Allgatherv(void const* from, int sent, MPI_Datatype sent_type, void* to, int const* got,
                   int const* begins, MPI_Datatype got_type, MPI_Comm comm) {
  ++calls.exchanges;
  return PMPI_Allgatherv(from, sent, sent_type, to, got, begins, got_type, comm);
}
int MPI_Alltoallv(void const* from, int const* sent, int const* from_begins, MPI_Datatype sent_type,
                  void* to, int const* got, int const* to_begins, MPI_Datatype got_type,
                  MPI_Comm comm) {
  ++calls.exchanges;
  return PMPI_Alltoallv(from, sent, from_begins, sent_type, to, got, to_begins, got_type, comm);
}
}
// NOLINTEND(readability-identifier-naming)

namespace tessera::test {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

/// Solvers on ranks: how often an iteration waits for other ranks.
class Messages : public testing::Test {
 protected:
  using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Exec::memory_space>;

  void SetUp() override {
    Kokkos::Tools::Experimental::set_begin_fence_callback(count_fence);
    // Each rank has complete panels: no chains are passed on.
    mine_ = world_.rows_of<double>(rows, cols);
  }
  void TearDown() override { Kokkos::Tools::Experimental::set_begin_fence_callback(nullptr); }

  [[nodiscard]] Matrix matrix() const {
    return rows_of(matrix_of<Exec, double, Kokkos::LayoutRight>(
                       real_numbers<double>(rows * cols, 1), rows, cols),
                   mine_);
  }
  [[nodiscard]] static Kokkos::View<double**, Kokkos::LayoutLeft, Exec::memory_space> targets(
      std::int64_t count) {
    return matrix_of<Exec, double, Kokkos::LayoutLeft>(
        real_numbers<double>(static_cast<std::size_t>(rows * count), 2), rows, count);
  }
  auto source() const {
    return stream::make_source<double, Kokkos::LayoutRight>(
        rows, cols,
        [values = real_numbers<double>(rows * cols, 1)](stream::Block const& block, double* to) {
          elements += block.rows * block.cols;
          for (std::int64_t i = 0; i < block.rows; ++i) {
            for (std::int64_t j = 0; j < block.cols; ++j) {
              auto const at = (block.first_row + i) * cols + block.first_col + j;
              to[i * block.cols + j] = values[static_cast<std::size_t>(at)];
            }
          }
        });
  }
  /// Of one iteration: the difference of six and five.
  template <class Solver>
  static Calls of_iteration(Solver const& solver) {
    auto const of = [&](std::int64_t iterations) {
      calls = {};
      solver(solve::LeastSquaresOptions<Exec, double>{.atol = 0, .btol = 0, .maxiter = iterations});
      return calls;
    };
    of(6);  // the first call allocates
    Calls const six = of(6);
    Calls const five = of(5);
    return {six.agreements - five.agreements, six.exchanges - five.exchanges,
            six.fences - five.fences};
  }

  static constexpr std::int64_t rows = 4096;
  static constexpr std::int64_t cols = 40;
  Distributed<Exec> world_{MPI_COMM_WORLD, Exec()};
  distributed::Rows mine_;
};

// One product per iteration: its agreement before and after the sums of the own rows, the sums in
// one or two exchanges, and the entries of the product in an agreement and an exchange.
TEST_F(Messages, OfAnIterationAreThoseOfOneProduct) {
  solve::DistributedOperator<Exec, Matrix> const op(world_, matrix());
  auto const B = targets(1);
  auto const b = Kokkos::subview(B, Kokkos::ALL, 0);
  for (Calls const& found :
       {of_iteration([&](auto const& options) { solve::lsmr(op, b, options); }),
        of_iteration([&](auto const& options) { solve::lsqr(op, b, options); })}) {
    EXPECT_EQ(found.agreements, 3);
    EXPECT_GE(found.exchanges, 2);
    EXPECT_LE(found.exchanges, 3);
    EXPECT_LE(found.fences, found.exchanges + 1);
  }
}

// Two products with maps between them, whatever the number of vectors.
TEST_F(Messages, OfAnIterationAreSharedByRightHandSides) {
  solve::DistributedOperator<Exec, Matrix> const op(world_, matrix());
  for (std::int64_t const count : {2, 3, 8}) {
    auto const Y = targets(count);
    for (Calls const& found :
         {of_iteration([&](auto const& options) { solve::lsmr(op, Y, options); }),
          of_iteration([&](auto const& options) { solve::lsqr(op, Y, options); })}) {
      EXPECT_EQ(found.agreements, 7) << count;
      EXPECT_GE(found.exchanges, 2) << count;
      EXPECT_LE(found.exchanges, 3) << count;
      EXPECT_LE(found.fences, found.exchanges + 3) << count;
    }
    auto const several = solve::lsmr(op, Y, {.atol = 0, .btol = 0, .maxiter = 6});
    EXPECT_EQ(several.front().reads, 1 + 2 * 6) << count;
  }
}

TEST_F(Messages, OfAnIterationAreSharedByRightHandSidesOfAStream) {
  auto const rows_of_source = source();
  solve::DistributedStreamOperator<Exec, std::remove_const_t<decltype(rows_of_source)>> const op(
      world_, rows_of_source);
  for (std::int64_t const count : {2, 3, 8}) {
    auto const Y = targets(count);
    Calls const found = of_iteration([&](auto const& options) { solve::lsqr(op, Y, options); });
    EXPECT_EQ(found.agreements, 8) << count;
    EXPECT_LE(found.exchanges, 3) << count;
    elements = 0;
    auto const several = solve::lsqr(op, Y, {.atol = 0, .btol = 0, .maxiter = 6});
    std::int64_t all = 0;
    std::int64_t const mine = elements;
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(several.front().reads, 1 + 6) << count;
    EXPECT_EQ(all, several.front().reads * rows * cols) << count;
  }
}

}  // namespace
}  // namespace tessera::test
