// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "contenders.hpp"

namespace benchmarks {

template <class T>
std::vector<Contender<T>>& contenders() {
  static std::vector<Contender<T>> rows;
  return rows;
}

std::vector<std::string>& peers() {
  static std::vector<std::string> names;
  return names;
}

template std::vector<Contender<float>>& contenders<float>();
template std::vector<Contender<double>>& contenders<double>();

}  // namespace benchmarks
