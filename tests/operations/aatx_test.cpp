// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/aatx.hpp>
#include <tessera/stream/aatx.hpp>

#include "support/cases.hpp"
#include "support/device_data.hpp"
#include "support/host_matrix.hpp"
#include "support/reference.hpp"
#include "support/refusal.hpp"
#include "support/same_bits.hpp"
#include "support/shapes.hpp"

/// B = A·(Aᵀ·u).
namespace tessera::test {
namespace {

template <class T>
std::vector<T> reference_aatx(HostMatrix<T> const& A, std::vector<T> const& u) {
  reference::Matrix<T> at = A.for_reference();
  std::swap(at.rows, at.cols);
  at.order = at.order == Order::row_major ? Order::column_major : Order::row_major;
  return reference::atax(at, u);
}

template <class C>
class Aatx : public testing::Test {
 protected:
  using Exec = typename C::Exec;
  using T = typename C::Scalar;

  static HostMatrix<T> matrix(Shape shape) {
    return {shape, C::order, real_numbers<T>(static_cast<std::size_t>(shape.size()), 1)};
  }
  static std::vector<T> vector(Shape shape, std::uint64_t seed = 3) {
    return real_numbers<T>(static_cast<std::size_t>(shape.rows), seed);
  }
  static auto source_of(HostMatrix<T> const& A) {
    return stream::make_source<T, typename C::Layout>(
        A.shape().rows, A.shape().cols, [&](stream::Block const& block, T* to) {
          bool const by_rows = C::order == Order::row_major;
          Index const first = by_rows ? block.first_row : block.first_col;
          Index const begin = by_rows ? block.first_col : block.first_row;
          Index const length = by_rows ? block.cols : block.rows;
          for (Index i = 0; i < (by_rows ? block.rows : block.cols); ++i) {
            to = std::copy_n(A.line(first + i) + begin, length, to);
          }
        });
  }
  static void expect_aatx(Shape shape, Index stride, AtaxOptions<Exec, T> const& options = {}) {
    HostMatrix<T> const A = matrix(shape);
    auto const u = vector(shape);
    GuardedVector<C> const b(shape.rows, stride);
    aatx(Exec(), matrix_on_device<C>(A), GuardedVector<C>(u, stride).strided(), b.strided(),
         options);
    Kokkos::fence();
    EXPECT_THAT(b.to_host(), same_bits_as(reference_aatx(A, u))) << shape;
  }
};
TYPED_TEST_SUITE(Aatx, Cases, CaseName);

TYPED_TEST(Aatx, HasTheBitsOfAtaxOfTheTranspose) {
  Workspace<typename TypeParam::Exec> workspace;
  for (Shape const& shape : all_shapes()) {
    for (Method const method : {Method::automatic, Method::two_stage}) {
      this->expect_aatx(shape, 1, {.method = method, .workspace = &workspace});
    }
    this->expect_aatx(shape, 1, {.kernels = Kernels::portable});
  }
}

TYPED_TEST(Aatx, MatchesTheReferenceForLargeMatrices) {
  for (Shape const& shape : large_shapes()) this->expect_aatx(shape, 1);
}

TYPED_TEST(Aatx, TakesVectorsOfAnyStride) {
  for (Shape const& shape : few_shapes()) this->expect_aatx(shape, 3);
}

TYPED_TEST(Aatx, StreamedHasTheSameBits) {
  using T = typename TypeParam::Scalar;
  struct Trial {
    Shape shape;
    std::size_t limit;
    std::uint64_t reads_of_rows = 1;
  };
  constexpr std::size_t MiB = std::size_t{1} << 20U;
  for (auto const& [shape, limit, reads_of_rows] : {Trial{{1, 1}, MiB},
                                                    {{1, 900}, MiB},
                                                    {{900, 1}, MiB},
                                                    {{37, 2000}, MiB},
                                                    {{1025, 3000}, 8 * MiB},
                                                    {{20'000, 40}, 32 * MiB},
                                                    {{20'000, 40}, 2 * MiB, 2}}) {
    SCOPED_TRACE(testing::PrintToString(shape.rows) + " x " + testing::PrintToString(shape.cols));
    auto const A = this->matrix(shape);
    auto const u = this->vector(shape);
    auto const expected = reference_aatx(A, u);
    bool const is_row_major = TypeParam::order == Order::row_major;
    std::uint64_t const bytes =
        static_cast<std::uint64_t>(shape.size()) * sizeof(T) * (is_row_major ? reads_of_rows : 1);
    GuardedVector<TypeParam> const in(u, 2), out(shape.rows, 2), w(shape.cols, 2);
    typename TypeParam::Exec const exec;
    auto report = stream::aatx(exec, this->source_of(A), in.strided(), out.strided(),
                               {.memory_limit = limit});
    EXPECT_THAT(out.to_host(), same_bits_as(expected));
    EXPECT_EQ(report.bytes_read, bytes);
    report = stream::aatx(exec, this->source_of(A), in.strided(), w.strided(), out.strided(),
                          {.memory_limit = limit});
    EXPECT_THAT(out.to_host(), same_bits_as(expected));
    EXPECT_EQ(report.bytes_read, bytes);
    if (shape.rows > 1 && shape.cols > 1) {
      EXPECT_THAT(w.to_host(), same_bits_as(reference::multiply_transposed(A.for_reference(), u)));
    }
  }
}

TYPED_TEST(Aatx, WithStatesReadsOnceOrIsRefused) {
  using T = typename TypeParam::Scalar;
  Shape const shape{20'000, 40};
  auto const A = this->matrix(shape);
  GuardedVector<TypeParam> const in(this->vector(shape), 1), out(shape.rows, 1);
  stream::Options<T> const options{.memory_limit = std::size_t{2} << 20U,
                                   .wants_state = [](auto const&) { return true; },
                                   .on_state = [](auto const&) {}};
  auto const call = [&] {
    stream::aatx(typename TypeParam::Exec(), this->source_of(A), in.strided(), out.strided(),
                 options);
  };
  if (TypeParam::order == Order::row_major) {
    EXPECT_THROW(call(), stream::LimitError);
  } else {
    EXPECT_NO_THROW(call());
  }
}

TYPED_TEST(Aatx, OfABlockHasTheBitsOfItsColumns) {
  using Exec = typename TypeParam::Exec;
  using T = typename TypeParam::Scalar;
  using Block = Kokkos::View<T**, Kokkos::LayoutLeft, typename Exec::memory_space>;
  constexpr std::size_t k = 5;
  Shape const shape{130, 70};
  auto const rows = static_cast<std::size_t>(shape.rows);
  auto const A = this->matrix(shape);
  Block const U("U", rows, k), B("B", rows, k), streamed("streamed", rows, k);
  auto const column = [](Block const& block, std::size_t j) {
    return Kokkos::subview(block, Kokkos::ALL, j);
  };
  for (std::size_t j = 0; j < k; ++j) {
    Kokkos::deep_copy(column(U, j),
                      GuardedVector<TypeParam>(this->vector(shape, j), 1).contiguous());
  }
  aatx(Exec(), matrix_on_device<TypeParam>(A), U, B);
  stream::aatx(Exec(), this->source_of(A), U, streamed);
  Kokkos::fence();
  for (std::size_t j = 0; j < k; ++j) {
    auto const expected = reference_aatx(A, this->vector(shape, j));
    for (Block const& found : {B, streamed}) {
      GuardedVector<TypeParam> const its(shape.rows, 1);
      Kokkos::deep_copy(its.contiguous(), column(found, j));
      EXPECT_THAT(its.to_host(), same_bits_as(expected)) << j;
    }
  }
}

TYPED_TEST(Aatx, OfNoRowsOrColumns) {
  using Exec = typename TypeParam::Exec;
  DeviceVector<TypeParam> const none("none", 0);
  aatx(Exec(), DeviceMatrix<TypeParam>("A", 0, 3), none, DeviceVector<TypeParam>("B", 0));
  GuardedVector<TypeParam> const in(3, 1), out(3, 1);
  aatx(Exec(), DeviceMatrix<TypeParam>("A", 3, 0), in.contiguous(), out.contiguous());
  EXPECT_EQ(out.to_host(), std::vector<typename TypeParam::Scalar>(3));
}

TEST(AatxOnHost, TakesNarrowMatricesAndStrides) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  Kokkos::View<std::int8_t**, Kokkos::LayoutRight, Kokkos::HostSpace> const narrow("A", 30, 50);
  Kokkos::View<float**, Kokkos::LayoutStride, Kokkos::HostSpace> const wide(
      "wide", Kokkos::LayoutStride(30, 60, 50, 1));
  Kokkos::View<float*, Kokkos::HostSpace> const u("u", 30), of_narrow("B", 30), of_wide("B", 30);
  for (int i = 0; i < 30; ++i) {
    u(i) = 0.1F * static_cast<float>(i - 7);
    for (int j = 0; j < 50; ++j) {
      narrow(i, j) = static_cast<std::int8_t>((i * 37 + j * 11) % 100 - 50);
      wide(i, j) = static_cast<float>(narrow(i, j));
    }
  }
  aatx(Exec(), narrow, u, of_narrow);
  aatx(Exec(), wide, u, of_wide);
  Kokkos::fence();
  EXPECT_NE(of_wide(0), 0);
  for (int i = 0; i < 30; ++i) EXPECT_EQ(of_narrow(i), of_wide(i)) << i;
}

TEST(AatxOnHost, RefusesWhatDoesNotFit) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace> const A("A", 4, 3);
  Kokkos::View<float*, Kokkos::HostSpace> const three("three", 3), four("four", 4), out("out", 4);
  Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace> const U("U", 3, 2), B("B", 4, 2);
  auto const source = stream::make_source<float>(4, 3, [](stream::Block const&, float*) {});
  expect_refused([&] { aatx(Exec(), A, three, out); }, "aatx: u must have 4 entries, found 3");
  expect_refused([&] { aatx(Exec(), A, four, three); }, "aatx: B must have 4 entries, found 3");
  expect_refused([&] { aatx(Exec(), A, four, four); }, "aatx: B must not overlap u");
  expect_refused([&] { aatx(Exec(), A, U, B); }, "aatx: U must have 4 rows, found 3 x 2");
  expect_refused([&] { stream::aatx(Exec(), source, three, out); },
                 "stream::aatx: u must have 4 entries, found 3");
  expect_refused([&] { stream::aatx(Exec(), source, U, B); }, "stream::aatx: U must have 4 rows");
}

}  // namespace
}  // namespace tessera::test
