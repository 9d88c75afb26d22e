// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "support/kokkos_runner.hpp"

/// Body of make_runner<T>, for runner_float.cpp and runner_double.cpp, which are two so that they
/// compile side by side.
namespace tessera::test::detail {

template <class T>
using Makers = std::map<std::string, std::function<std::unique_ptr<Runner<T>>()>>;

/// Adds the maker of case C if its scalar type is T.
template <class T, class C>
void add_maker(Makers<T>& makers) {
  if constexpr (std::same_as<typename C::Scalar, T>) {
    makers[case_name<C>()] = [] { return std::make_unique<KokkosRunner<C>>(); };
  }
}

/// One maker for every case with scalar type T.
template <class T, class... AllCasesOf>
Makers<T> all_makers(std::tuple<AllCasesOf...> const* /*only for its type*/) {
  Makers<T> makers;
  (add_maker<T, AllCasesOf>(makers), ...);
  return makers;
}

}  // namespace tessera::test::detail

namespace tessera::test {

template <std::floating_point T>
std::unique_ptr<Runner<T>> make_runner(std::string const& name) {
  static auto const makers = detail::all_makers<T>(static_cast<AllCases const*>(nullptr));
  return makers.at(name)();
}

}  // namespace tessera::test
