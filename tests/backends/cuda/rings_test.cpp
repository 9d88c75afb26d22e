// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <optional>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/atax.hpp>

/// backends/gpu/fused_ring.hpp with any number of slots.
namespace tessera::test {
namespace {

using Exec = Kokkos::Cuda;
using Index = std::int64_t;
using T = double;
using Plan = detail::gpu::FusedLinesPlan<Exec, T>;

struct Fill {
  T* values;
  std::uint32_t seed;

  KOKKOS_FUNCTION void operator()(Index i) const {
    std::uint32_t x = (static_cast<std::uint32_t>(i) + seed) * 2654435761U;
    x = (x ^ (x >> 15)) * 2246822519U;
    values[i] = static_cast<T>(static_cast<std::int32_t>(x ^ (x >> 13))) / 2147483648.0;
  }
};

struct CountDifferences {
  T const* a;
  T const* b;

  KOKKOS_FUNCTION void operator()(Index i, Index& count) const {
    if (Kokkos::bit_cast<std::uint64_t>(a[i]) != Kokkos::bit_cast<std::uint64_t>(b[i])) ++count;
  }
};

template <class Body>
void for_all(Exec const& exec, Index count, Body const& body) {
  Kokkos::parallel_for("test::fill",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, count), body);
}

detail::AtaxLabels const labels("test");

Index differences_of(Exec const& exec, T const* a, T const* b, Index count) {
  Index differences = 0;
  Kokkos::parallel_reduce("test::compare",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, count),
                          CountDifferences{a, b}, differences);
  return differences;
}

// Copies overtook loads with two slots and sixteen busy warps.
TEST(Rings, FillNoSlotThatIsStillBeingRead) {
  if constexpr (!backends::Backend<Exec>::Warp::has_clusters) {
    GTEST_SKIP() << "rings need clusters, which this architecture has not: NOT TESTED";
  } else {
    constexpr Index count = 8192;
    constexpr Index length = 16384;
    Exec const exec;
    for (Index const padding : {0, 1}) {
      Index const leading = length + padding;
      Kokkos::View<T*, Exec> const A(Kokkos::view_alloc(Kokkos::WithoutInitializing, "A"),
                                     static_cast<std::size_t>(count * leading));
      Kokkos::View<T*, Exec> const v("v", length);
      Kokkos::View<T*, Exec> const fused("fused", length);
      Kokkos::View<T*, Exec> const expected("expected", length);
      for_all(exec, length, Fill{v.data(), 7});
      detail::Lines<T> const lines{A.data(), count, length, leading};
      auto const tuning = detail::tuning_for<T, true>(exec, count, length, std::nullopt);
      Workspace<Exec> workspace;
      for (int const slots : {1, 2}) {
        Plan plan(exec, lines, tuning);
        ASSERT_EQ(plan.way, Plan::Way::ring);
        plan.ring.slots = slots;
        plan.scratch_parts = 0;
        Kokkos::View<T*, Exec> const memory("memory",
                                            static_cast<std::size_t>(plan.workspace(lines)));
        for (std::uint32_t run = 0; run < 12; ++run) {
          for_all(exec, count * leading, Fill{A.data(), run});
          detail::launch_two_stage<true, detail::AcceleratedKernels>(
              exec, labels, lines, detail::vector_in(v), detail::OutputVector<T>{},
              {expected.data(), 1}, &workspace, tuning, kernels::Identity{});
          detail::gpu::fused_lines(exec, labels.fused, lines, static_cast<T const*>(v.data()),
                                   detail::OutputVector<T>{}, {fused.data(), 1}, memory.data(),
                                   detail::Meeting<T>{}, plan, kernels::Identity{});
          EXPECT_EQ(differences_of(exec, fused.data(), expected.data(), length), 0)
              << slots << " slots, run " << run << ", padding " << padding;
        }
      }
    }
  }
}

TEST(PartsOfLines, NeedNothingThatTheCallBeforeHasLeft) {
  constexpr Index count = 40;
  constexpr Index length = 36000;
  Exec const exec;
  Kokkos::View<T*, Exec> const A("A", count * length);
  Kokkos::View<T*, Exec> const v("v", length);
  Kokkos::View<T*, Exec> const fused("fused", length);
  Kokkos::View<T*, Exec> const expected("expected", length);
  for_all(exec, count * length, Fill{A.data(), 3});
  for_all(exec, length, Fill{v.data(), 4});
  detail::Lines<T> const lines{A.data(), count, length, length};
  auto const tuning = detail::tuning_for<T, true>(exec, count, length, std::nullopt);
  Plan const plan(exec, lines, tuning);
  if (plan.way != Plan::Way::parts) GTEST_SKIP() << "no lines in parts on this device: NOT TESTED";
  detail::launch_two_stage<true, detail::AcceleratedKernels>(
      exec, labels, lines, detail::vector_in(v), detail::OutputVector<T>{}, {expected.data(), 1},
      static_cast<Workspace<Exec>*>(nullptr), tuning, kernels::Identity{});
  Workspace<Exec> workspace;
  for (std::uint32_t run = 0; run < 3; ++run) {
    auto const memory = detail::WorkspaceOfCall<Exec>(&workspace)
                            .reserve(exec, 0, plan.exchanged(lines) * sizeof(T));
    for_all(exec, plan.exchanged(lines), Fill{reinterpret_cast<T*>(memory.exchange), run});
    detail::launch_fused<true, detail::AcceleratedKernels>(
        exec, labels, lines, detail::vector_in(v), detail::OutputVector<T>{}, {fused.data(), 1},
        &workspace, tuning, kernels::Identity{});
    EXPECT_EQ(differences_of(exec, fused.data(), expected.data(), length), 0) << run;
  }
}

}  // namespace
}  // namespace tessera::test
