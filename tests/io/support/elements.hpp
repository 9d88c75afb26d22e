// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include <io/matrix_reader.hpp>
#include <io/types.hpp>

namespace tessera::io::test {

template <class T = double>
std::vector<T> elements_of(std::string const& path) {
  MatrixReader const reader(path);
  std::vector<T> elements(reader.info().elements());
  reader.read(Part::matrix, 0, std::span(elements));
  reader.check_unchanged();
  return elements;
}

}  // namespace tessera::io::test
