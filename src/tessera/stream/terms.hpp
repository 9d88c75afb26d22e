// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tessera/maps.hpp>

namespace tessera::stream {

/// As in tessera::AtaxOptions.
template <class Exec, class T>
struct AtaxTerms {
  using memory_space = typename Exec::memory_space;

  RowMap<T, memory_space> map{};
  T alpha = T(1);
  T beta = T(0);
  VectorIn<T, memory_space> z{};
  bool keep_product = false;
};

}  // namespace tessera::stream
