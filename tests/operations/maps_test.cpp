// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/atax.hpp>
#include <tessera/maps.hpp>

#include "support/cases.hpp"
#include "support/device_data.hpp"
#include "support/digests.hpp"
#include "support/host_matrix.hpp"
#include "support/reference.hpp"
#include "support/refusal.hpp"
#include "support/same_bits.hpp"
#include "support/sha256.hpp"
#include "support/shapes.hpp"

/// C = α·Aᵀ·f(A·v) + β·z.
namespace tessera::test {
namespace {

template <class C>
class Maps : public testing::Test {
 protected:
  using Exec = typename C::Exec;
  using T = typename C::Scalar;
  using Values = std::vector<T>;
  using Options = AtaxOptions<Exec, T>;
  static constexpr T gamma = T(digest_gamma);

  static Values numbers(Index size, std::uint64_t seed, T scale = T(1)) {
    auto values = real_numbers<T>(static_cast<std::size_t>(size), seed);
    for (T& value : values) value *= scale;
    return values;
  }
  struct Problem {
    explicit Problem(Shape s, Index stride = 1)
        : shape(s),
          A(s, C::order, numbers(s.size(), 1)),
          v(numbers(s.cols, 2, T(0x1p-13))),
          x(numbers(s.rows, 3, T(0x1p-5))),
          z(numbers(s.cols, 4)),
          on_device(matrix_on_device<C>(A)),
          v_on_device(v, stride),
          x_on_device(x, stride),
          z_on_device(z, stride),
          B(s.rows, stride),
          C_(s.cols, stride) {}
    [[nodiscard]] Values product() const { return reference::multiply(A.for_reference(), v); }
    [[nodiscard]] Values transposed(Values const& b) const {
      return reference::multiply_transposed(A.for_reference(), b);
    }

    Shape shape;
    HostMatrix<T> A;
    Values v;
    Values x;
    Values z;
    DeviceMatrix<C> on_device;
    GuardedVector<C> v_on_device;
    GuardedVector<C> x_on_device;
    GuardedVector<C> z_on_device;
    GuardedVector<C> B;
    GuardedVector<C> C_;
  };

  template <class View>
  static auto every_map(View const& x) {
    using Map = RowMap<T, typename Exec::memory_space>;
    return std::vector<std::pair<std::string, Map>>{{"weights", maps::weights(x)},
                                                    {"minus", maps::minus(x)},
                                                    {"plus", maps::plus(gamma, x)},
                                                    {"logistic", maps::logistic(x)},
                                                    {"logistic_weights", maps::logistic_weights(x)},
                                                    {"poisson", maps::poisson(x)},
                                                    {"poisson_weights", maps::poisson_weights(x)}};
  }
};
TYPED_TEST_SUITE(Maps, Cases, CaseName);

TYPED_TEST(Maps, ComeBetweenTheProducts) {
  using Exec = typename TypeParam::Exec;
  for (Shape const& shape : few_shapes()) {
    typename TestFixture::Problem const p(shape);
    auto const product = p.product();
    for (auto const& [name, map] : this->every_map(p.x_on_device.contiguous())) {
      auto const mapped = reference::map(name, product, p.x, TestFixture::gamma);
      for (Method const method : {Method::automatic, Method::fused, Method::two_stage}) {
        atax(Exec(), p.on_device, p.v_on_device.contiguous(), p.B.contiguous(), p.C_.contiguous(),
             {.method = method, .map = map});
        EXPECT_THAT(p.B.to_host(), same_bits_as(mapped)) << name << ", " << shape;
        EXPECT_THAT(p.C_.to_host(), same_bits_as(p.transposed(mapped))) << name << ", " << shape;
      }
      atax(Exec(), p.on_device, p.v_on_device.contiguous(), p.B.contiguous(), p.C_.contiguous(),
           {.map = map, .keep_product = true});
      EXPECT_THAT(p.B.to_host(), same_bits_as(product)) << name << ", " << shape;
      EXPECT_THAT(p.C_.to_host(), same_bits_as(p.transposed(mapped))) << name << ", " << shape;
    }
  }
}

TYPED_TEST(Maps, MeetTheCommittedDigests) {
  using Exec = typename TypeParam::Exec;
  using T = typename TypeParam::Scalar;
  std::string const type = std::is_same_v<T, float> ? "f32" : "f64";
  std::string const order =
      TypeParam::order == reference::Order::row_major ? "row-major" : "column-major";
  int met = 0;
  for (Digest const& digest : read_digests(TESSERA_TEST_DATA_DIR "/map_digests.txt")) {
    if (digest.type != type || digest.order != order) continue;
    ++met;
    GuardedVector<TypeParam> const v(digest_vector<T>(digest), 1);
    GuardedVector<TypeParam> const x(digest_map_vector<T>(digest), 1);
    GuardedVector<TypeParam> const c(digest.shape.cols, 1);
    auto const A = matrix_on_device<TypeParam>(
        HostMatrix<T>(digest.shape, TypeParam::order, digest_matrix<T>(digest)));
    for (auto const& [name, map] : this->every_map(x.contiguous())) {
      if (name != digest.operation) continue;
      for (Method const method : {Method::fused, Method::two_stage}) {
        for (Kernels const kernels : {Kernels::automatic, Kernels::portable}) {
          atax(Exec(), A, v.contiguous(), c.contiguous(),
               {.method = method, .kernels = kernels, .map = map});
          Kokkos::fence();
          EXPECT_EQ(sha256(c.to_host()), digest.sha256) << digest;
        }
      }
    }
  }
  EXPECT_EQ(met, 42);
}

TYPED_TEST(Maps, TakeVectorsOfAnyStride) {
  using Exec = typename TypeParam::Exec;
  for (Shape const& shape : {Shape{33, 70}, Shape{300, 5}}) {
    typename TestFixture::Problem const p(shape, 3);
    auto const mapped = reference::map("minus", p.product(), p.x);
    atax(Exec(), p.on_device, p.v_on_device.strided(), p.B.strided(), p.C_.strided(),
         {.map = maps::minus(p.x_on_device.strided()),
          .alpha = 3,
          .beta = 2,
          .z = p.z_on_device.strided()});
    EXPECT_THAT(p.B.to_host(), same_bits_as(mapped)) << shape;
    EXPECT_THAT(p.C_.to_host(), same_bits_as(reference::scale_and_add<typename TypeParam::Scalar>(
                                    3, p.transposed(mapped), 2, p.z)))
        << shape;
  }
}

TYPED_TEST(Maps, AreFollowedByAScaleAndASum) {
  using Exec = typename TypeParam::Exec;
  using T = typename TypeParam::Scalar;
  typename TestFixture::Problem const p(Shape{129, 513});
  auto const C = reference::atax(p.A.for_reference(), p.v);
  for (T const alpha : {T(1), T(-0.7), T(0)}) {
    for (T const beta : {T(0), T(1), T(1.3)}) {
      atax(Exec(), p.on_device, p.v_on_device.contiguous(), p.C_.contiguous(),
           {.alpha = alpha, .beta = beta, .z = p.z_on_device.contiguous()});
      EXPECT_THAT(p.C_.to_host(), same_bits_as(reference::scale_and_add(alpha, C, beta, p.z)))
          << alpha << ", " << beta;
    }
  }
}

TYPED_TEST(Maps, OfNoRowsLeaveTheVectorThatIsAdded) {
  using Exec = typename TypeParam::Exec;
  using T = typename TypeParam::Scalar;
  std::vector<T> const z{1, -2, 3};
  GuardedVector<TypeParam> const v(z, 1);
  GuardedVector<TypeParam> const out(3, 1);
  atax(Exec(), DeviceMatrix<TypeParam>("A", 0, 3), v.contiguous(), out.contiguous(),
       {.beta = 2, .z = v.contiguous()});
  EXPECT_EQ(out.to_host(), (std::vector<T>{2, -4, 6}));
}

TYPED_TEST(Maps, OfNoColumnsMapZeros) {
  using Exec = typename TypeParam::Exec;
  using T = typename TypeParam::Scalar;
  GuardedVector<TypeParam> const y(std::vector<T>{1, -2, 3}, 1);
  GuardedVector<TypeParam> const B(3, 1);
  DeviceVector<TypeParam> const none("none", 0);
  DeviceVector<TypeParam> const nothing("nothing", 0);
  atax(Exec(), DeviceMatrix<TypeParam>("A", 3, 0), none, B.contiguous(), nothing,
       {.map = maps::minus(y.contiguous())});
  EXPECT_EQ(B.to_host(), (std::vector<T>{-1, 2, -3}));
}

template <class T>
struct ClipAndCount {
  T limit;
  KOKKOS_FUNCTION T operator()(Index i, T b) const {
    return (b > limit ? limit : b) * static_cast<T>(i % 3);
  }
};

template <class T>
class OwnFunctions : public testing::Test {};
using BothScalars = testing::Types<float, double>;
TYPED_TEST_SUITE(OwnFunctions, BothScalars);

TYPED_TEST(OwnFunctions, ComeBetweenTheProducts) {
  using T = TypeParam;
  using Exec = Kokkos::DefaultExecutionSpace;
  using C = Case<Exec, Kokkos::LayoutRight, T>;
  for (Shape const& shape : few_shapes()) {
    HostMatrix<T> const A(shape, C::order,
                          real_numbers<T>(static_cast<std::size_t>(shape.size()), 1));
    auto const v = real_numbers<T>(static_cast<std::size_t>(shape.cols), 2);
    ClipAndCount<T> const f{T(0.5)};
    auto mapped = reference::multiply(A.for_reference(), v);
    for (std::size_t i = 0; i < mapped.size(); ++i) mapped[i] = f(static_cast<Index>(i), mapped[i]);
    GuardedVector<C> const v_on_device(v, 1);
    GuardedVector<C> const B(shape.rows, 1);
    GuardedVector<C> const c(shape.cols, 1);
    auto const on_device = matrix_on_device<C>(A);
    auto const expected = reference::multiply_transposed(A.for_reference(), mapped);
    atax(Exec(), on_device, v_on_device.contiguous(), B.contiguous(), c.contiguous(), f,
         {.kernels = Kernels::portable});
    EXPECT_THAT(B.to_host(), same_bits_as(mapped)) << shape;
    EXPECT_THAT(c.to_host(), same_bits_as(expected)) << shape;
    atax(Exec(), on_device, v_on_device.contiguous(), c.contiguous(), f);
    EXPECT_THAT(c.to_host(), same_bits_as(expected)) << shape;
  }
}

TEST(MapsOnHost, AddAVectorWhateverTheCallersModeMakesOfSmallNumbers) {
#if defined(__x86_64__)
  using Exec = Kokkos::DefaultHostExecutionSpace;
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> const A("A", 1, 1);
  Kokkos::View<double*, Kokkos::HostSpace> const v("v", 1);
  Kokkos::View<double*, Kokkos::HostSpace> const z("z", 1);
  Kokkos::View<double*, Kokkos::HostSpace> const C("C", 1);
  z(0) = 1e308;
  unsigned const mode = _mm_getcsr();
  _mm_setcsr(mode | 0x8040);  // subnormal numbers are zeros
  atax(Exec(), A, v, C, {.beta = 1e-310, .z = z});
  _mm_setcsr(mode);
  EXPECT_EQ(C(0), 1e-310 * 1e308);
#else
  GTEST_SKIP() << "SKIPPED: modes are set on x86-64 only";
#endif
}

template <class Space>
constexpr bool takes_shared_memory =
    std::is_constructible_v<VectorIn<float, Space>,
                            Kokkos::View<float*, Kokkos::SharedHostPinnedSpace>> &&
    std::is_constructible_v<RowMap<float, Space>,
                            decltype(maps::minus(
                                Kokkos::View<float*, Kokkos::SharedHostPinnedSpace>()))>;
static_assert(takes_shared_memory<Kokkos::DefaultExecutionSpace::memory_space>);

TEST(MapsOnHost, RefusesWhatDoesNotFit) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> const A("A", 4, 3);
  Kokkos::View<double*, Kokkos::HostSpace> const v("v", 3);
  Kokkos::View<double*, Kokkos::HostSpace> const w("w", 4);
  Kokkos::View<double*, Kokkos::HostSpace> const C("C", 3);
  expect_refused([&] { atax(Exec(), A, v, C, {.map = maps::weights(v)}); },
                 "the map's vector must have 4 entries, found 3");
  expect_refused([&] { atax(Exec(), A, v, C, {.beta = 1, .z = w}); },
                 "z must have 3 entries, found 4");
  expect_refused([&] { atax(Exec(), A, v, C, {.beta = 1}); }, "z must have 3 entries, found 0");
  expect_refused([&] { atax(Exec(), A, v, C, {.beta = 1, .z = C}); }, "C must not overlap z");
  expect_refused([&] { atax(Exec(), A, v, w, C, {.map = maps::minus(w)}); },
                 "B must not overlap the map's vector");
  expect_refused([&] { atax(Exec(), A, v, C, ClipAndCount<double>{1}, {.map = maps::minus(w)}); },
                 "expected a function or a map between the products, found both");
}

}  // namespace
}  // namespace tessera::test
