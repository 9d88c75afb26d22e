// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <memory>

#include <tessera/distributed.hpp>

namespace tessera::app {

/// Null without a session.
std::shared_ptr<distributed::Communicator const>& communicator();

/// This rank's rows of a vector or a block. One without entries stays as it is.
template <class View>
auto some_of(View const& x, distributed::Rows const& rows) {
  auto const first = x.size() == 0 ? std::size_t{0} : static_cast<std::size_t>(rows.first);
  Kokkos::pair const its(first, first + (x.size() == 0 ? 0 : static_cast<std::size_t>(rows.count)));
  if constexpr (View::rank() == 1) {
    return View(Kokkos::subview(x, its));
  } else {
    return Kokkos::subview(x, its, Kokkos::ALL);
  }
}

}  // namespace tessera::app
