// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <tessera/backends/backends.hpp>
#include <tessera/narrow.hpp>

#include "support/cases.hpp"
#include "support/data.hpp"
#include "support/guarded_matrix.hpp"

/// Numbers and cases of narrow types.
namespace tessera::test {

/// Another way than Tessera's.
inline float value_of(Float16 x) {
  int const exponent = x.bits >> 10U & 31U;
  int const fraction = x.bits & 1023U;
  float const sign = (x.bits & 0x8000U) != 0 ? -1.0F : 1.0F;
  if (exponent == 31) {
    return fraction == 0 ? sign * std::numeric_limits<float>::infinity()
                         : std::numeric_limits<float>::quiet_NaN();
  }
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
}
inline float value_of(Bfloat16 x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16U);
}
template <std::integral S>
float value_of(S x) {
  return static_cast<float>(x);
}

/// Numbers whose sums are finite and inexact.
template <class S>
S number(std::uint64_t seed, Index i, Index j) {
  auto const bits = static_cast<std::uint16_t>(
      random_bits(seed, static_cast<std::uint64_t>(i * 1000003 + j)) & 0xffffU);
  if constexpr (std::is_same_v<S, Float16>) {
    // Exponents of 2^-8 to 2^7; one of sixteen is subnormal.
    bool const is_subnormal = (bits & 0x3c00U) == 0;
    auto const exponent =
        static_cast<std::uint16_t>(is_subnormal ? 0U : (bits & 0x3c00U) + 0x1c00U);
    return {static_cast<std::uint16_t>((bits & 0x83ffU) | exponent)};
  } else if constexpr (std::is_same_v<S, Bfloat16>) {
    return {static_cast<std::uint16_t>((bits & 0x87ffU) | 0x3c00U)};
  } else {
    return static_cast<S>(bits);
  }
}

template <class ExecT, class StoredT>
struct NarrowCase {
  using Exec = ExecT;
  using Element = StoredT;
  using Scalar = float;
  using Layout = Kokkos::LayoutRight;
};

/// Calls body(narrow, widened) with views of the same values.
template <class C>
void with_matrices(Shape const& shape, Stored const& stored, auto const& element,
                   auto const& body) {
  GuardedMatrix<typename C::Exec, typename C::Element> const narrow(shape, stored);
  GuardedMatrix<typename C::Exec, float> const widened(shape, stored);
  narrow.fill_with(element);
  widened.fill_with([&](Index i, Index j) { return value_of(element(i, j)); });
  narrow.visit([&](auto const& a) {
    widened.visit([&](auto const& wide) {
      if constexpr (std::is_same_v<typename std::decay_t<decltype(a)>::array_layout,
                                   typename std::decay_t<decltype(wide)>::array_layout>) {
        body(a, wide);
      }
    });
  });
}
template <class C>
void with_numbers(Shape const& shape, Stored const& stored, auto const& body) {
  with_matrices<C>(
      shape, stored, [](Index i, Index j) { return number<typename C::Element>(7, i, j); }, body);
}

struct NarrowCaseName {
  template <class C>
  static std::string GetName(int /*index*/) {
    using S = typename C::Element;
    return std::string(C::Exec::name()) + "_" +
           std::array{
               "float16", "bfloat16", "int8", "uint8", "int16", "uint16"}[static_cast<std::size_t>(
               StorageOf<S>::value)];
  }
};

/// All types, or one of floats, one signed and one unsigned of both sizes.
template <class... Exec>
auto cases_on(backends::Spaces<Exec...>) {
#ifdef TESSERA_TEST_SOME_CASES
  return std::tuple_cat(std::tuple<NarrowCase<Exec, Float16>, NarrowCase<Exec, std::int8_t>,
                                   NarrowCase<Exec, std::uint16_t>>{}...);
#else
  return std::tuple_cat(
      std::tuple<NarrowCase<Exec, Float16>, NarrowCase<Exec, Bfloat16>,
                 NarrowCase<Exec, std::int8_t>, NarrowCase<Exec, std::uint8_t>,
                 NarrowCase<Exec, std::int16_t>, NarrowCase<Exec, std::uint16_t>>{}...);
#endif
}
template <class Tuple>
struct TypesOf;
template <class... C>
struct TypesOf<std::tuple<C...>> {
  using Type = testing::Types<C...>;
};
using NarrowCases = typename TypesOf<decltype(cases_on(Tested{}))>::Type;

}  // namespace tessera::test
