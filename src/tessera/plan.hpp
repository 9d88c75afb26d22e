// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/atax.hpp>
#include <tessera/kernels.hpp>

/// Describes what an operation would do for a shape, without running it.
namespace tessera {

/// One kernel of an operation.
struct StagePlan {
  std::string name;  ///< "fused", "multiply" or "multiply_transposed"
  Index teams;
  int team_size;
  int lines_per_step;         ///< lines that a team handles together
  Index panels;               ///< 0: not a sum
  Index lines_per_panel;      ///< 0: not a sum
  Index panels_per_team;      ///< 0: not a sum
  std::size_t scratch_bytes;  ///< per team
};

struct Plan {
  Method method;  ///< single products: two_stage
  Kernels kernels;
  std::vector<StagePlan> stages;
  std::size_t workspace_bytes;  ///< for contiguous vectors
};

namespace detail {

template <class T, class Layout>
Lines<T> lines_of_shape(Index rows, Index cols) {
  if constexpr (std::is_same_v<Layout, Kokkos::LayoutRight>) {
    return {nullptr, rows, cols, cols};
  } else {
    return {nullptr, cols, rows, rows};
  }
}

template <class Exec, class T>
std::size_t workspace_bytes(Index scalars) {
  if (scalars == 0) return 0;
  return WorkspaceOfCall<Exec>::bytes_for(static_cast<std::size_t>(scalars) * sizeof(T));
}

template <class Exec>
Plan no_plan(Kernels wanted) {
  return {Method::two_stage, kernels_used<Exec>(wanted), {}, 0};
}

template <class Set, class Exec, class T>
Plan dot_plan(Exec const& exec, std::string name, Lines<T> const& lines, Tuning const& tuning) {
  DotOf<Exec, T, Set> const plan(exec, lines, tuning);
  return {Method::two_stage,
          Set::kind,
          {{std::move(name), plan.teams(), plan.threads(), plan.lines_side_by_side(), 0, 0, 0, 0}},
          workspace_bytes<Exec, T>(whole_words<T>(plan.workspace(lines)))};
}

template <class Set, class T, class Exec, class SumPlan>
Plan sum_plan(Method method, std::string name, SumPlan const& plan, Lines<T> const& lines) {
  return {
      method,
      Set::kind,
      {{std::move(name), plan.teams(), plan.threads(), plan.lines_side_by_side(), plan.panels.count,
        plan.panels.lines, plan.panels_of_team(), scratch_bytes<T>(plan.scratch_of(lines))}},
      workspace_bytes<Exec, T>(whole_words<T>(plan.workspace(lines)))};
}

/// A·v, or Aᵀ·b if `is_transposed`.
template <bool is_transposed, Scalar T, ContiguousLayout Layout, class Exec>
Plan plan_product(Exec const& exec, Index rows, Index cols, Options<Exec> const& options) {
  constexpr auto name = is_transposed ? "multiply_transposed" : "multiply";
  checks::require_size(std::string("plan_") + name, rows, cols, sizeof(T));
  if (rows == 0 || cols == 0) return no_plan<Exec>(options.kernels);
  constexpr bool row_major = std::is_same_v<Layout, Kokkos::LayoutRight>;
  if (!row_major && summation::lines_are_rows(row_major, rows, cols)) {
    return plan_product<is_transposed, T, Kokkos::LayoutRight>(exec, rows, cols, options);
  }
  auto const lines = lines_of_shape<T, Layout>(rows, cols);
  return with_kernels<Exec>(options.kernels, [&]<class Set>(Set) {
    Tuning const tuning = tuning_for<T, row_major, Set>(exec, rows, cols, options.tuning);
    if constexpr (row_major != is_transposed) {
      return dot_plan<Set>(exec, name, lines, tuning);
    } else {
      return sum_plan<Set, T, Exec>(Method::two_stage, name,
                                    SumOf<Exec, T, Set>(exec, lines, tuning), lines);
    }
  });
}

}  // namespace detail

/// Plan of `multiply`; no stages without elements.
/// @throws std::invalid_argument for impossible sizes, missing kernels, and an unusable tuning
///
/// ```cpp
/// Kokkos::DefaultExecutionSpace const exec;
/// tessera::Plan const plan =
///     tessera::plan_multiply<float, Kokkos::LayoutRight>(exec, 100000, 300);
/// for (auto const& stage : plan.stages) std::printf("%s\n", stage.name.c_str());
/// ```
template <Scalar T, ContiguousLayout Layout, ExecutionSpace Exec>
Plan plan_multiply(Exec const& exec, Index rows, Index cols,
                   std::type_identity_t<Options<Exec>> const& options = {}) {
  return detail::plan_product<false, T, Layout>(exec, rows, cols, options);
}

/// As plan_multiply.
template <Scalar T, ContiguousLayout Layout, ExecutionSpace Exec>
Plan plan_multiply_transposed(Exec const& exec, Index rows, Index cols,
                              std::type_identity_t<Options<Exec>> const& options = {}) {
  return detail::plan_product<true, T, Layout>(exec, rows, cols, options);
}

/// As plan_multiply.
template <Scalar T, ContiguousLayout Layout, ExecutionSpace Exec>
Plan plan_atax(Exec const& exec, Index rows, Index cols,
               std::type_identity_t<AtaxOptions<Exec, T>> const& options = {}) {
  checks::require_size("plan_atax", rows, cols, sizeof(T));
  if (rows == 0 || cols == 0) return detail::no_plan<Exec>(options.kernels);
  constexpr bool row_major = std::is_same_v<Layout, Kokkos::LayoutRight>;
  if (!row_major && summation::lines_are_rows(row_major, rows, cols)) {
    return plan_atax<T, Kokkos::LayoutRight>(exec, rows, cols, options);
  }
  auto const lines = detail::lines_of_shape<T, Layout>(rows, cols);
  return detail::with_kernels<Exec>(options.kernels, [&]<class Set>(Set) {
    Tuning const tuning = detail::tuning_for<T, row_major, Set>(exec, rows, cols, options.tuning);
    if (!detail::is_fused<Exec, row_major, Set>(options.method, tuning, lines)) {
      Options<Exec> const stage_options{
          .workspace = options.workspace, .tuning = tuning, .kernels = options.kernels};
      Plan plan = plan_multiply<T, Layout>(exec, rows, cols, stage_options);
      Plan second = plan_multiply_transposed<T, Layout>(exec, rows, cols, stage_options);
      plan.stages.push_back(std::move(second.stages.front()));
      // Both stages and B share one workspace.
      plan.workspace_bytes = detail::workspace_bytes<Exec, T>(
          detail::whole_words<T>(rows) +
          detail::whole_words<T>(
              detail::DotOf<Exec, T, Set>(exec, lines, tuning).workspace(lines)) +
          detail::whole_words<T>(
              detail::SumOf<Exec, T, Set>(exec, lines, tuning).workspace(lines)));
      return plan;
    }
    return detail::with_fused_kernels<Set, row_major>(exec, lines, tuning, [&]<class Fused>(Fused) {
      detail::FusedOf<Exec, T, row_major, Fused> const fused(
          exec, lines, detail::tuning_for<T, row_major, Fused>(exec, rows, cols, options.tuning));
      Plan plan = detail::sum_plan<Fused, T, Exec>(Method::fused, "fused", fused, lines);
      if (Index const exchanged = fused.exchanged(lines); exchanged > 0) {
        plan.workspace_bytes =
            std::max(plan.workspace_bytes, detail::WorkspaceOfCall<Exec>::bytes_for(0)) +
            static_cast<std::size_t>(exchanged) * sizeof(T);
      }
      return plan;
    });
  });
}

/// The method of the first pass of `atax` over `vectors` >= 1 vectors; as plan_multiply.
///
/// ```cpp
/// Kokkos::DefaultExecutionSpace const exec;
/// tessera::Method const method =
///     tessera::method_of_blocks<float, Kokkos::LayoutRight>(exec, 100000, 300, 8);
/// std::printf("%s\n", method == tessera::Method::fused ? "fused" : "two-stage");
/// ```
template <Scalar T, ContiguousLayout Layout, ExecutionSpace Exec>
Method method_of_blocks(Exec const& exec, Index rows, Index cols, Index vectors,
                        std::type_identity_t<AtaxOptions<Exec, T>> const& options = {}) {
  checks::require_size("method_of_blocks", rows, cols, sizeof(T));
  if (vectors < 1) {
    checks::fail("method_of_blocks",
                 "expected one vector at least, found " + std::to_string(vectors));
  }
  if (rows == 0 || cols == 0) return Method::two_stage;
  constexpr bool row_major = std::is_same_v<Layout, Kokkos::LayoutRight>;
  if (!row_major && summation::lines_are_rows(row_major, rows, cols)) {
    return method_of_blocks<T, Kokkos::LayoutRight>(exec, rows, cols, vectors, options);
  }
  auto const at_once = static_cast<Index>(detail::columns_at_once<Exec, T>(options.kernels));
  Index const count = summation::ceil_div(vectors, summation::ceil_div(vectors, at_once));
  if (count == 1) return plan_atax<T, Layout>(exec, rows, cols, options).method;
  return detail::with_kernels<Exec>(options.kernels, [&]<class Set>(Set) {
    Tuning const tuning = detail::tuning_for<T, row_major, Set>(
        exec, rows, cols, options.tuning, detail::SomeColumns{static_cast<int>(count)});
    bool const fused = detail::is_fused<Exec, row_major, Set>(
        options.method, tuning, detail::lines_of_shape<T, Layout>(rows, cols),
        detail::SomeColumns{static_cast<int>(count)});
    return fused ? Method::fused : Method::two_stage;
  });
}

/// As plan_multiply.
template <Scalar T, ContiguousLayout Layout, ExecutionSpace Exec>
Plan plan_multiply_both(Exec const& exec, Index rows, Index cols,
                        std::type_identity_t<Options<Exec>> const& options = {}) {
  // Lines are treated as rows, and no vector is needed between the products.
  bool const row_major =
      summation::lines_are_rows(std::is_same_v<Layout, Kokkos::LayoutRight>, rows, cols);
  Index const count = row_major ? rows : cols;
  Index const length = row_major ? cols : rows;
  Plan plan = plan_atax<T, Kokkos::LayoutRight>(exec, count, length, options);
  if (plan.method == Method::fused || plan.stages.empty()) return plan;
  auto const workspace_of = [](Plan const& one) { return one.workspace_bytes; };
  plan.workspace_bytes = std::max(
      workspace_of(plan_multiply<T, Kokkos::LayoutRight>(exec, count, length, options)),
      workspace_of(plan_multiply_transposed<T, Kokkos::LayoutRight>(exec, count, length, options)));
  if (!row_major) std::swap(plan.stages[0].name, plan.stages[1].name);
  return plan;
}

}  // namespace tessera
