// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <type_traits>

#include <app/backend/backends.hpp>
#include <tessera/backends/backends.hpp>

namespace tessera::app {

/// Calls work.template operator()<Exec>() for the execution space of a backend of this build.
template <class Work>
void with_backend(BackendChoice choice, Work const& work) {
  backends::for_each_backend([&]<class Exec>(std::type_identity<Exec>) {
    if (to_string(choice) == backends::Backend<Exec>::name) work.template operator()<Exec>();
  });
}

}  // namespace tessera::app
