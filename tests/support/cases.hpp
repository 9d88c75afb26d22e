// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <tessera/backends/backends.hpp>

#include "support/reference.hpp"

/// Every backend with every layout and scalar type.
namespace tessera::test {

/// A build that only compiles for a GPU omits the hosts (.ci/compile_only).
#if defined(TESSERA_TEST_CASES_OF_GPUS)
using Tested = backends::Spaces<Kokkos::Cuda>;
#else
using Tested = backends::Enabled;
#endif

template <class ExecT, class LayoutT, std::floating_point ScalarT>
struct Case {
  using Exec = ExecT;
  using Layout = LayoutT;
  using Scalar = ScalarT;
  static constexpr reference::Order order = std::same_as<Layout, Kokkos::LayoutRight>
                                                ? reference::Order::row_major
                                                : reference::Order::column_major;
};

/// Add new layouts and types here.
template <class Exec>
using EveryCaseOn =
    std::tuple<Case<Exec, Kokkos::LayoutRight, float>, Case<Exec, Kokkos::LayoutRight, double>,
               Case<Exec, Kokkos::LayoutLeft, float>, Case<Exec, Kokkos::LayoutLeft, double>>;
/// Each layout and type once, if only compiled, with sanitizers, or in a second preset.
template <class Exec>
#if defined(TESSERA_TEST_CASES_OF_GPUS) || defined(TESSERA_TEST_SOME_CASES)
using CasesOn =
    std::tuple<Case<Exec, Kokkos::LayoutRight, float>, Case<Exec, Kokkos::LayoutLeft, double>>;
#else
using CasesOn = EveryCaseOn<Exec>;
#endif

template <class C>
std::string case_name() {
  return std::string(C::Exec::name()) +
         (std::same_as<typename C::Scalar, float> ? "_float" : "_double") +
         (C::order == reference::Order::row_major ? "_right" : "_left");
}

struct CaseName {
  template <class C>
  static std::string GetName(int /*index*/) {
    return case_name<C>();
  }
};

template <class Exec>
using RowMajorCasesOn =
    std::tuple<Case<Exec, Kokkos::LayoutRight, float>, Case<Exec, Kokkos::LayoutRight, double>>;

namespace detail {

template <template <class> class CasesOnOne, class List>
struct CasesOnAll;
template <template <class> class CasesOnOne, template <class...> class List, class... Exec>
struct CasesOnAll<CasesOnOne, List<Exec...>> {
  using Type = decltype(std::tuple_cat(std::declval<CasesOnOne<Exec>>()...));
};

template <class Tuple>
struct AsTestingTypes;
template <class... Cases>
struct AsTestingTypes<std::tuple<Cases...>> {
  using Type = testing::Types<Cases...>;
};

}  // namespace detail

using AllCases = detail::CasesOnAll<EveryCaseOn, Tested>::Type;
using EveryCase = detail::AsTestingTypes<AllCases>::Type;
using Cases = detail::AsTestingTypes<detail::CasesOnAll<CasesOn, Tested>::Type>::Type;
using RowMajorCases =
    detail::AsTestingTypes<detail::CasesOnAll<RowMajorCasesOn, Tested>::Type>::Type;

}  // namespace tessera::test
