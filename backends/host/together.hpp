// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/backends/platform/arithmetic.hpp>
#include <tessera/summation.hpp>

/// One team with a barrier, so that all threads can wait for each other.
namespace tessera::backends::host {

using summation::Index;

template <class Member>
struct Grid {
  Member const& member;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION Index team() const { return 0; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Index teams() const { return 1; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int thread() const { return member.team_rank(); }
  KOKKOS_INLINE_FUNCTION void sync() const { member.team_barrier(); }
};

template <class Member, class Body>
struct Together {
  Body body;

  KOKKOS_FUNCTION void operator()(Member const& member) const {
    OrdinaryArithmetic const mode;
    body(Grid<Member>{member});
  }
};

template <class Exec, class Body>
void run_together(Exec const& exec, std::string const& label, int threads, Body const& body) {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  Kokkos::parallel_for(label, Kokkos::TeamPolicy<Exec>(exec, 1, threads),
                       Together<Member, Body>{body});
}

}  // namespace tessera::backends::host
