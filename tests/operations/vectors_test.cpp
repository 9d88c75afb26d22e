// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/vectors.hpp>

#include "support/cases.hpp"
#include "support/data.hpp"
#include "support/device_data.hpp"
#include "support/reference.hpp"
#include "support/refusal.hpp"
#include "support/same_bits.hpp"

/// Dot products, sums and multiples.
namespace tessera::test {
namespace {

template <class C>
class Vectors : public testing::Test {
 protected:
  using T = typename C::Scalar;
  static constexpr std::array<std::size_t, 8> sizes{1, 2, 63, 256, 257, 1000, 5000, 300007};
  static std::vector<T> numbers(std::size_t size, std::uint64_t seed) {
    return real_numbers<T>(size, seed);
  }
};
TYPED_TEST_SUITE(Vectors, RowMajorCases, CaseName);

TYPED_TEST(Vectors, HaveDotProductsOfAFixedOrder) {
  using Exec = typename TypeParam::Exec;
  using T = typename TypeParam::Scalar;
  for (std::size_t const size : TestFixture::sizes) {
    auto const x = this->numbers(size, 1);
    auto const y = this->numbers(size, 2);
    auto const dot_of = [&](std::vector<T> const& of) {
      auto const length = static_cast<Index>(size);
      return reference::dot(reference::Lines<T>{of.data(), 1, length, length}, y);
    };
    for (Index const stride : {1, 2}) {
      GuardedVector<TypeParam> const x_on_device(x, stride);
      GuardedVector<TypeParam> const y_on_device(y, stride);
      GuardedVector<TypeParam> const result(1, 1);
      dot(Exec(), x_on_device.strided(), y_on_device.strided(), result.contiguous());
      Kokkos::fence();
      EXPECT_THAT(result.to_host(), same_bits_as(dot_of(x))) << size << ", stride " << stride;
      EXPECT_TRUE(same_bits(
          dot(Exec(), x_on_device.strided(), y_on_device.strided(), {.kernels = Kernels::portable}),
          dot_of(x)[0]));
      EXPECT_TRUE(same_bits(sum_of_squares(Exec(), y_on_device.strided()), dot_of(y)[0]));
    }
  }
}

TYPED_TEST(Vectors, AreCopiedOnceForTheirSumOfSquares) {
  using Exec = typename TypeParam::Exec;
  auto const x = this->numbers(50000, 6);
  GuardedVector<TypeParam> const strided(x, 2);
  GuardedVector<TypeParam> const other(x, 2);
  GuardedVector<TypeParam> const result(1, 1);
  Workspace<Exec> of_one;
  Workspace<Exec> of_two;
  sum_of_squares(Exec(), strided.strided(), result.contiguous(), {.workspace = &of_one});
  dot(Exec(), strided.strided(), other.strided(), result.contiguous(), {.workspace = &of_two});
  Kokkos::fence();
  EXPECT_LT(of_one.bytes(), of_two.bytes());
}

TYPED_TEST(Vectors, OfNoEntriesHaveADotProductOfZero) {
  DeviceVector<TypeParam> const none("none", 0);
  EXPECT_EQ(dot(typename TypeParam::Exec(), none, none), 0);
}

TYPED_TEST(Vectors, AreAddedWithOneRounding) {
  using Exec = typename TypeParam::Exec;
  using T = typename TypeParam::Scalar;
  for (std::size_t const size : TestFixture::sizes) {
    for (T const b : {T(0), T(1), T(-0.7)}) {
      auto const x = this->numbers(size, 3);
      auto y = this->numbers(size, 4);
      GuardedVector<TypeParam> const y_on_device(y, 2);
      axpby(Exec(), T(1.7), GuardedVector<TypeParam>(x, 3).strided(), b, y_on_device.strided());
      Kokkos::fence();
      for (std::size_t i = 0; i < size; ++i) y[i] = std::fma(T(1.7), x[i], b * y[i]);
      EXPECT_THAT(y_on_device.to_host(), same_bits_as(y)) << size << ", b " << b;
    }
  }
}

TYPED_TEST(Vectors, AreNotReadWhereTheyCountForNothing) {
  using T = typename TypeParam::Scalar;
  GuardedVector<TypeParam> const x(std::vector<T>{2}, 1);
  GuardedVector<TypeParam> const y(1, 1);
  axpby(typename TypeParam::Exec(), T(3), x.contiguous(), T(0), y.contiguous());
  Kokkos::fence();
  EXPECT_EQ(y.to_host(), std::vector<T>{6});
}

TYPED_TEST(Vectors, AreScaled) {
  using T = typename TypeParam::Scalar;
  auto x = this->numbers(5000, 5);
  GuardedVector<TypeParam> const on_device(x, 2);
  scale(typename TypeParam::Exec(), T(-1.1), on_device.strided());
  Kokkos::fence();
  for (T& entry : x) entry = T(-1.1) * entry;
  EXPECT_THAT(on_device.to_host(), same_bits_as(x));
}

TYPED_TEST(Vectors, TakeFactorsFromMemory) {
  using Exec = typename TypeParam::Exec;
  using T = typename TypeParam::Scalar;
  for (std::size_t const size : TestFixture::sizes) {
    auto const x = this->numbers(size, 7);
    auto const y = this->numbers(size, 8);
    for (T const b : {T(0), T(-0.7)}) {
      GuardedVector<TypeParam> const a_on_device(std::vector<T>{T(1.7)}, 1);
      GuardedVector<TypeParam> const b_on_device(std::vector<T>{b}, 1);
      GuardedVector<TypeParam> const x_on_device(x, 2);
      auto const result_of = [&](auto const& a_factor, auto const& b_factor) {
        GuardedVector<TypeParam> const result(y, 1);
        axpby(Exec(), a_factor, x_on_device.strided(), b_factor, result.contiguous());
        scale(Exec(), a_factor, result.contiguous());
        Kokkos::fence();
        return result.to_host();
      };
      auto const expected = result_of(T(1.7), b);
      EXPECT_THAT(result_of(a_on_device.contiguous(), b_on_device.contiguous()),
                  same_bits_as(expected));
      EXPECT_THAT(result_of(a_on_device.contiguous(), b), same_bits_as(expected));
      EXPECT_THAT(result_of(T(1.7), b_on_device.contiguous()), same_bits_as(expected));
    }
  }
}

TYPED_TEST(Vectors, TakeFactorsAsTheyAreWhenTheKernelRuns) {
  using Exec = typename TypeParam::Exec;
  using T = typename TypeParam::Scalar;
  GuardedVector<TypeParam> const x(std::vector<T>{3, 4}, 1);
  GuardedVector<TypeParam> const y(2, 1);
  GuardedVector<TypeParam> const square(1, 1);
  GuardedVector<TypeParam> const zero(std::vector<T>{0}, 1);
  Exec const exec;
  sum_of_squares(exec, x.contiguous(), square.contiguous());
  axpby(exec, square.contiguous(), x.contiguous(), zero.contiguous(), y.contiguous());
  exec.fence();
  EXPECT_EQ(y.to_host(), (std::vector<T>{75, 100}));
}

TEST(VectorsOnHost, RefuseWhatDoesNotFit) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  Kokkos::View<double*, Kokkos::HostSpace> const three("three", 3);
  Kokkos::View<double*, Kokkos::HostSpace> const four("four", 4);
  expect_refused([&] { dot(Exec(), three, four); }, "dot: y must have 3 entries, found 4");
  expect_refused([&] { dot(Exec(), three, three, four); },
                 "dot: the result must have 1 entries, found 4");
  expect_refused([&] { axpby(Exec(), 1, three, 1, four); },
                 "axpby: x must have 4 entries, found 3");
  expect_refused([&] { axpby(Exec(), 1, four, 1, four); }, "axpby: y must not overlap x");
  Kokkos::View<double*, Kokkos::HostSpace> const other("other", 3);
  expect_refused([&] { axpby(Exec(), four, three, 1, other); },
                 "axpby: a must have 1 entries, found 4");
  expect_refused([&] { axpby(Exec(), 1, three, Kokkos::subview(other, std::pair(2, 3)), other); },
                 "axpby: y must not overlap b");
  expect_refused([&] { scale(Exec(), Kokkos::subview(three, std::pair(0, 1)), three); },
                 "scale: x must not overlap a");
  expect_refused(
      [&] { scale(Exec(), Kokkos::View<double*, Kokkos::HostSpace>(nullptr, 1), three); },
      "scale: a has no memory");
}

}  // namespace
}  // namespace tessera::test
