// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/published/gemm/tiled.hpp>
#include <bench/published/gemm/untiled.hpp>
#include <string_view>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>

/// All variants of matrix products.
namespace tessera::published::gemm {

template <class Exec, class A, class B, class C>
struct Variant {
  using Run = void (*)(Exec const&, A const&, B const&, C const&, Options const&);

  std::string_view name;
  TeamShape published{};  ///< team of Options{}; 0 x 0: no teams
  bool has_tile = false;
  bool hosts_only = false;
  Reproducible reproducible = Reproducible::always;
  Run run = nullptr;

  [[nodiscard]] bool has_team() const { return published != TeamShape{}; }
  [[nodiscard]] bool takes(TeamShape team) const {
    return has_team() && team.rows >= 1 && team.cols >= 1 &&
           team.threads() <= published::detail::most_team_threads;
  }
};

template <ExecutionSpace Exec, MatrixOf<Exec> A, FactorOf<Exec, A> B, OutputMatrixOf<Exec, A> C>
std::vector<Variant<Exec, A, B, C>> table() {
  using Row = Variant<Exec, A, B, C>;
  Row const of_threads{.name = "threads", .run = &threads<Exec, A, B, C>};
  Row const of_naive{.name = "naive", .published = naive_team, .run = &naive<Exec, A, B, C>};
  Row const of_tiles{
      .name = "tiled", .published = tiled_team, .has_tile = true, .run = &tiled<Exec, A, B, C>};
  if constexpr (backends::Backend<Exec>::is_gpu) {
    return {of_threads, of_naive, of_tiles};
  } else {
    Row const of_one{.name = "serial", .hosts_only = true, .run = &serial<Exec, A, B, C>};
    return {of_one, of_threads, of_naive, of_tiles};
  }
}

}  // namespace tessera::published::gemm
