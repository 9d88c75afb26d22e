// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>

#include <Kokkos_Core.hpp>

namespace tessera::app {

/// What Kokkos reads of an environment, by its name; null: not set.
using Environment = char const* (*)(char const* name);

/// Throws a Failure (usage) with a sentence if a variable of Kokkos has a value that Kokkos would
/// abort at, or read as another one.
void require_kokkos_environment(Environment const& variable);

/// The threads that Kokkos is to have on the host; says on stderr, in one sentence, where they are
/// fewer than were asked for. `wanted`: --threads, 0 if it was not given.
int host_threads(int wanted);

/// Kokkos, from its start to its end. What it and its tools print meanwhile goes to stderr, since
/// stdout is for results.
class KokkosSession {
 public:
  /// With --threads (0: not given) and on a GPU (none: there is no backend for one).
  KokkosSession(int threads, std::optional<int> device);
  ~KokkosSession();
  KokkosSession(KokkosSession const&) = delete;
  KokkosSession& operator=(KokkosSession const&) = delete;
};

}  // namespace tessera::app
