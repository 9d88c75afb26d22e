// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bench/published/gemv/detail/common.hpp>
#include <string>
#include <string_view>

#include <Kokkos_Core.hpp>

namespace tessera::published::gemv {

inline constexpr TeamShape ex3_team{1, 128};
/// Elements of the vector in scratch.
inline constexpr Index ex3_part = 1792;

namespace detail {

/// Lines whose sums are in scratch.
inline constexpr Index ex3_most_lines = 1024;

struct Ex3Plan {
  Index lines;
  Index length;
  Index run;
  Index part;
  TeamShape team;
  Index teams;

  [[nodiscard]] Index scratch() const { return part + team.threads() + run; }
};

template <class T, class Exec>
Ex3Plan ex3_plan(std::string_view name, Exec const& exec, Index lines, Index length,
                 VariantOptions<Exec> const& options) {
  published::detail::require_teams(name, options);
  TeamShape const preset = published::detail::default_team(exec, ex3_team);
  TeamShape const team = published::detail::checked_team(name, exec, options.team, preset);
  published::detail::require_tile(name, options.tile);
  if (options.tiling != Tiling::automatic) {
    checks::fail(name, "this variant always checks the ends: leave tiling alone");
  }
  Index const at_a_time = std::max(Index{1}, Index{exec.concurrency()} / team.threads());
  Index const teams = options.teams > 0 ? options.teams : at_a_time;
  Index const run = std::min(ceil_div(lines, teams), ex3_most_lines);
  Index const part = std::min(length, options.tile > 0 ? options.tile : ex3_part);
  Ex3Plan const plan{lines, length, run, part, team, options.teams};
  published::detail::require_scratch<T, Exec>(name, plan.scratch());
  return plan;
}

template <bool Transposed, class Exec, class T, bool RowMajor>
struct Ex3 {
  Elements<T const, RowMajor> A;
  Strided<T const> x;
  Strided<T> y;
  Ex3Plan plan;

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member, Index tile, T* scratch) const {
    TeamShape const team = plan.team;
    int const thread = member.team_rank();
    Place const place = Tiles<true>{0, 0, team}.place(thread);
    T* const sX = scratch;                     // (part)
    T* const sPartials = sX + plan.part;       // (rows, cols)
    T* const sY = sPartials + team.threads();  // (run)
    Index const begin = tile * plan.run;
    Index const count = Kokkos::min(plan.run, plan.lines - begin);
    for (Index first = 0; first < plan.length; first += plan.part) {
      Index const size = Kokkos::min(plan.part, plan.length - first);
      for (Index k = thread; k < size; k += team.threads()) sX[k] = x[first + k];
      member.team_barrier();
      for (Index together = 0; together < count; together += team.rows) {
        Index const line = together + place.row;
        T sum = T(0);
        if (line < count) {
          for (Index k = place.col; k < size; k += team.cols) {
            T const a = Transposed ? A(first + k, begin + line) : A(begin + line, first + k);
            sum = Kokkos::fma(a, sX[k], sum);
          }
        }
        sPartials[place.row * team.cols + place.col] = sum;
        fold_rows(member, sPartials, team.cols, place);
        if (place.col == 0 && line < count) {
          T const folded = sPartials[place.row * team.cols];
          sY[line] = first == 0 ? folded : sY[line] + folded;
        }
        member.team_barrier();
      }
    }
    for (Index line = thread; line < count; line += team.threads()) y[begin + line] = sY[line];
    member.team_barrier();
  }
};

template <bool Transposed, class Exec, class T, bool RowMajor>
void run_ex3(Exec const& exec, std::string const& label, Elements<T const, RowMajor> const& A,
             Strided<T const> x, Strided<T> y, Ex3Plan const& plan) {
  published::detail::for_each_tile<T>(exec, label, ceil_div(plan.lines, plan.run), plan.teams,
                                      plan.team, plan.scratch(),
                                      Ex3<Transposed, Exec, T, RowMajor>{A, x, y, plan});
}

}  // namespace detail

/// B = A·v: each team has a run of consecutive rows and stages v in scratch, part by part.
///
/// As `atomic`, with teams of R x C threads (published: 1 x 128) for R rows at a time.
/// Published `tile`: 1792; `teams`: 0: as many as run at a time. Reproducible with an equal launch;
/// bits depend only on C and on the tile.
///
/// Source: the first kernel of ex3, a course project in CUDA, for multiples of 128.
template <ExecutionSpace Exec, OrderedMatrixOf<Exec> A, VectorOf<Exec, A> V,
          OutputVectorOf<Exec, A> B>
void ex3(Exec const& exec, A const& a, V const& v, B const& b,
         VariantOptions<Exec> const& options = {}) {
  using T = typename A::non_const_value_type;
  constexpr auto name = "published::gemv::ex3";
  detail::require_product(name, a, v, b);
  auto const plan = detail::ex3_plan<T>(name, exec, static_cast<Index>(a.extent(0)),
                                        static_cast<Index>(a.extent(1)), options);
  detail::run_ex3<false>(exec, std::string("tessera::") + name, detail::elements_of(a),
                         detail::input(v), detail::output(b), plan);
}

/// C = Aᵀ·B: as `ex3`, with columns for rows.
///
/// Source: the second kernel of ex3.
template <ExecutionSpace Exec, OrderedMatrixOf<Exec> A, VectorOf<Exec, A> B,
          OutputVectorOf<Exec, A> C>
void ex3_transposed(Exec const& exec, A const& a, B const& b, C const& c,
                    VariantOptions<Exec> const& options = {}) {
  using T = typename A::non_const_value_type;
  constexpr auto name = "published::gemv::ex3_transposed";
  checks::require_matrix(name, a);
  checks::require_elements(name, "A", a);
  checks::require_input(name, "B", b, a.extent(0));
  checks::require_output(name, "C", c, a.extent(1));
  checks::require_apart(name, "C", c, "A", a);
  checks::require_apart(name, "C", c, "B", b);
  auto const plan = detail::ex3_plan<T>(name, exec, static_cast<Index>(a.extent(1)),
                                        static_cast<Index>(a.extent(0)), options);
  detail::run_ex3<true>(exec, std::string("tessera::") + name, detail::elements_of(a),
                        detail::input(b), detail::output(c), plan);
}

}  // namespace tessera::published::gemv
