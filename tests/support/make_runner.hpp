// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "support/kokkos_resident.hpp"
#include "support/kokkos_runner.hpp"

/// Two sources compile in parallel.
namespace tessera::test::detail {

template <class T>
struct Makers {
  std::map<std::string, std::function<std::unique_ptr<Runner<T>>()>> runner;
  std::map<std::string, std::function<std::unique_ptr<Resident<T>>(Instance)>> resident;
};

template <class T, class C>
void add_makers(Makers<T>& makers) {
  if constexpr (std::same_as<typename C::Scalar, T>) {
    makers.runner[case_name<C>()] = [] { return std::make_unique<KokkosRunner<C>>(); };
    makers.resident[case_name<C>()] = [](Instance instance) {
      return std::make_unique<KokkosResident<C>>(instance);
    };
  }
}

template <class T, class... AllCasesOf>
Makers<T> all_makers(std::tuple<AllCasesOf...> const* /*only for its type*/) {
  Makers<T> makers;
  (add_makers<T, AllCasesOf>(makers), ...);
  return makers;
}

template <class T>
Makers<T> const& makers() {
  static auto const all = all_makers<T>(static_cast<AllCases const*>(nullptr));
  return all;
}

}  // namespace tessera::test::detail

namespace tessera::test {

template <std::floating_point T>
std::unique_ptr<Runner<T>> make_runner(std::string const& name) {
  return detail::makers<T>().runner.at(name)();
}

template <std::floating_point T>
std::unique_ptr<Resident<T>> make_resident(std::string const& name, Instance instance) {
  return detail::makers<T>().resident.at(name)(instance);
}

}  // namespace tessera::test
