// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/kernels/elementary.hpp>
#include <tessera/kernels/elements.hpp>

#include "support/cases.hpp"
#include "support/data.hpp"
#include "support/device_data.hpp"
#include "support/reference.hpp"
#include "support/same_bits.hpp"

/// Bits of the reference, and errors in ulp.
namespace tessera::test {
namespace {

enum class Which { exp, log, log1p };

template <class T>
struct Compute {
  Which which;
  T* x;
  KOKKOS_FUNCTION void operator()(Index i) const {
    switch (which) {
      case Which::exp:
        x[i] = elementary::exp(x[i]);
        return;
      case Which::log:
        x[i] = elementary::log(x[i]);
        return;
      case Which::log1p:
        x[i] = elementary::log1p(x[i]);
    }
  }
};

template <class C>
class Elementary : public testing::Test {
 protected:
  using T = typename C::Scalar;
  using Limits = std::numeric_limits<T>;
  static constexpr std::size_t count = 400000;

  static std::vector<T> arguments() {
    std::vector<T> all;
    for (T const edge : {T(0),
                         T(1),
                         T(2),
                         Limits::min(),
                         Limits::denorm_min(),
                         Limits::max(),
                         Limits::infinity(),
                         Limits::epsilon(),
                         std::sqrt(T(2)),
                         std::sqrt(T(0.5)),
                         std::log(Limits::max()),
                         -std::log(Limits::min()),
                         -std::log(Limits::denorm_min()),
                         T(89),
                         T(104),
                         T(710),
                         T(746),
                         T(0.34657359),
                         T(150),
                         T(800)}) {
      for (T const near : {edge, std::nextafter(edge, T(0)), std::nextafter(edge, Limits::max())}) {
        all.insert(all.end(), {near, -near});
      }
    }
    all.push_back(Limits::quiet_NaN());
    for (std::size_t i = 0; all.size() < count; ++i) {
      auto const bits = static_cast<BitsOf<T>>(random_bits(7, i));
      T const of_any_size = std::bit_cast<T>(bits);
      T const moderate = static_cast<T>(static_cast<double>(random_bits(8, i) >> 11) * 0x1p-53);
      all.insert(all.end(), {of_any_size, T(220) * (moderate - T(0.5)), T(1500) * moderate - T(750),
                             moderate, T(4) * moderate});
    }
    return all;
  }
  static std::vector<T> results(Which which, std::vector<T> const& x) {
    GuardedVector<C> const on_device(x, 1);
    tessera::detail::for_each_element(typename C::Exec(), "elementary",
                                      static_cast<Index>(x.size()),
                                      Compute<T>{which, on_device.contiguous().data()});
    Kokkos::fence();
    return on_device.to_host();
  }
  static void expect(Which which, T (*reference)(T), long double (*exact)(long double),
                     double most_ulp) {
    auto const x = arguments();
    auto const found = results(which, x);
    std::vector<T> expected(x);
    std::transform(x.begin(), x.end(), expected.begin(), reference);
    EXPECT_THAT(found, same_bits_as(expected));
    double worst = 0;
    T at = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      long double const value = exact(static_cast<long double>(x[i]));
      T const rounded = static_cast<T>(value);
      if (!std::isfinite(rounded)) {
        EXPECT_TRUE(same_bits(found[i], rounded)) << "of " << x[i];
        continue;
      }
      int const exponent = std::max(std::ilogb(rounded), Limits::min_exponent - 1);
      long double const ulp = std::ldexp(1.0L, rounded == 0 ? Limits::min_exponent - Limits::digits
                                                            : exponent - Limits::digits + 1);
      auto const error =
          static_cast<double>(std::abs(static_cast<long double>(found[i]) - value) / ulp);
      if (error > worst) {
        worst = error;
        at = x[i];
      }
    }
    EXPECT_LE(worst, most_ulp) << "at " << at;
    testing::Test::RecordProperty("worst_ulp", std::to_string(worst));
  }
};
TYPED_TEST_SUITE(Elementary, RowMajorCases, CaseName);

TYPED_TEST(Elementary, ExpIsTheReferencesAndErrsLittle) {
  this->expect(Which::exp, reference::exp, std::exp, 1);
}

TYPED_TEST(Elementary, LogIsTheReferencesAndErrsLittle) {
  this->expect(Which::log, reference::log, std::log, 1);
}

TYPED_TEST(Elementary, Log1pIsTheReferencesAndErrsLittle) {
  this->expect(Which::log1p, reference::log1p, std::log1p, 3);
}

}  // namespace
}  // namespace tessera::test
