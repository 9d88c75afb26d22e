// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "contenders.hpp"

namespace benchmarks {

template <class T>
std::vector<Contender<T>>& contenders() {
  static std::vector<Contender<T>> rows;
  return rows;
}

std::string& host_blas() {
  static std::string name = "none";
  return name;
}

template std::vector<Contender<float>>& contenders<float>();
template std::vector<Contender<double>>& contenders<double>();

}  // namespace benchmarks
