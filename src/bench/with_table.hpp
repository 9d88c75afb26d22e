// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/table.hpp>
#include <stdexcept>
#include <string>

namespace tessera::bench {

/// @throws std::invalid_argument for a backend or scalar that is not in this build
template <class Work>
void with_table(std::string const& backend, std::string const& scalar, Work const& work) {
  bool found = false;
  for_each_table([&]<class Exec, class T>(On<Exec, T>) {
    char const* const name = std::is_same_v<T, float> ? "f32" : "f64";
    if (backends::Backend<Exec>::name != backend || name != scalar) return;
    found = true;
    work(On<Exec, T>{});
  });
  if (!found) throw std::invalid_argument("there is no " + scalar + " on " + backend);
}

}  // namespace tessera::bench
