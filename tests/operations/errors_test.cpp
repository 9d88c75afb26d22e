// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/atax.hpp>
#include <tessera/multiply.hpp>
#include <tessera/multiply_transposed.hpp>

#include "support/refusal.hpp"

/// Invalid arguments are rejected before anything is written.
namespace tessera {
namespace {

using test::refuses;

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;
using Vector = Kokkos::View<double*, Exec>;

TEST(Multiply, RefusesVectorsOfTheWrongLength) {
  Matrix const A("A", 3, 5);
  EXPECT_THAT([&] { multiply(Exec(), A, Vector("v", 4), Vector("B", 3)); },
              refuses("multiply", "v must have 5 entries, found 4"));
  EXPECT_THAT([&] { multiply(Exec(), A, Vector("v", 5), Vector("B", 5)); },
              refuses("multiply", "B must have 3 entries, found 5"));
}

TEST(MultiplyTransposed, RefusesVectorsOfTheWrongLength) {
  Matrix const A("A", 3, 5);
  EXPECT_THAT([&] { multiply_transposed(Exec(), A, Vector("B", 5), Vector("C", 5)); },
              refuses("multiply_transposed", "B must have 3 entries, found 5"));
  EXPECT_THAT([&] { multiply_transposed(Exec(), A, Vector("B", 3), Vector("C", 3)); },
              refuses("multiply_transposed", "C must have 5 entries, found 3"));
}

TEST(Atax, RefusesVectorsOfTheWrongLength) {
  Matrix const A("A", 3, 5);
  Vector const v("v", 5);
  Vector const B("B", 3);
  Vector const C("C", 5);
  EXPECT_THAT([&] { atax(Exec(), A, B, C); }, refuses("atax", "v must have 5 entries, found 3"));
  EXPECT_THAT([&] { atax(Exec(), A, v, B); }, refuses("atax", "C must have 5 entries, found 3"));
  EXPECT_THAT([&] { atax(Exec(), A, v, C, Vector("C", 5)); },
              refuses("atax", "B must have 3 entries, found 5"));
  EXPECT_THAT([&] { atax(Exec(), A, v, B, Vector("C", 0)); },
              refuses("atax", "C must have 5 entries, found 0"));
}

TEST(EveryOperation, RefusesAnOutputThatOverlapsAnInput) {
  Matrix const A("A", 4, 4);
  Vector const x("x", 7);
  auto const first = Kokkos::subview(x, Kokkos::make_pair(0, 4));
  auto const second = Kokkos::subview(x, Kokkos::make_pair(3, 7));
  Vector const y("y", 4);
  auto const row = Kokkos::subview(A, 2, Kokkos::ALL);
  std::string const overlap = "must not overlap";
  EXPECT_THAT([&] { multiply(Exec(), A, first, second); },
              refuses("multiply", "B must not overlap v"));
  EXPECT_THAT([&] { multiply(Exec(), A, first, row); },
              refuses("multiply", "B must not overlap A"));
  EXPECT_THAT([&] { multiply_transposed(Exec(), A, first, first); },
              refuses("multiply_transposed", "C must not overlap B"));
  EXPECT_THAT([&] { multiply_transposed(Exec(), A, first, row); },
              refuses("multiply_transposed", "C must not overlap A"));
  EXPECT_THAT([&] { atax(Exec(), A, first, second); }, refuses("atax", "C must not overlap v"));
  EXPECT_THAT([&] { atax(Exec(), A, first, row); }, refuses("atax", "C must not overlap A"));
  EXPECT_THAT([&] { atax(Exec(), A, y, first, second); }, refuses("atax", overlap));
  EXPECT_THAT([&] { atax(Exec(), A, first, second, y); }, refuses("atax", "B must not overlap v"));
  EXPECT_THAT([&] { atax(Exec(), A, first, row, y); }, refuses("atax", "B must not overlap A"));
}

TEST(EveryOperation, AcceptsNeighboursInOneAllocation) {
  Matrix const A("A", 4, 4);
  Vector const x("x", 8);
  auto const first = Kokkos::subview(x, Kokkos::make_pair(0, 4));
  auto const second = Kokkos::subview(x, Kokkos::make_pair(4, 8));
  EXPECT_NO_THROW(multiply(Exec(), A, first, second));
  EXPECT_NO_THROW(multiply_transposed(Exec(), A, second, first));
  EXPECT_NO_THROW(atax(Exec(), A, first, second));
  Exec().fence();
}

TEST(EveryOperation, RefusesATuningThatNoKernelCanFollow) {
  Matrix const A("A", 4, 4);
  Vector const v("v", 4);
  Vector const B("B", 4);
  for (Tuning const& tuning : {
           Tuning{.dot = {.lines_per_step = 3}},
           Tuning{.dot = {.lines_per_step = 0}},
           Tuning{.dot = {.lines_per_team = 0}},
           Tuning{.dot = {.segments_per_run = 3}},
           Tuning{.dot = {.segments_per_run = -1}},
           Tuning{.sum = {.lines_per_step = 16}},
           Tuning{.sum = {.columns_per_team = 0}},
           Tuning{.sum = {.panels_per_team = 3}},
           Tuning{.sum = {.panels_per_team = 0}},
           Tuning{.fused_lines = {.lines_per_step = -1}},
           Tuning{.fused_lines = {.panels_per_team = 6}},
           Tuning{.fused_tiles = {.segments_per_tile = 0}},
           Tuning{.fused_tiles = {.tiles_per_team = 5}},
           Tuning{.fused_tiles = {.lines_per_step = 5}},
       }) {
    EXPECT_THAT([&] { multiply(Exec(), A, v, B, {.tuning = tuning}); },
                refuses("Tuning", "must be"));
    EXPECT_THAT([&] { multiply_transposed(Exec(), A, v, B, {.tuning = tuning}); },
                refuses("Tuning", "must be"));
    EXPECT_THAT([&] { atax(Exec(), A, v, B, {.tuning = tuning}); }, refuses("Tuning", "must be"));
  }
}

TEST(EveryOperation, WritesNothingWhenItRefuses) {
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> const A("A", 3, 5);
  Kokkos::View<double*, Kokkos::HostSpace> const v("v", 4);
  Kokkos::View<double*, Kokkos::HostSpace> const B("B", 3);
  Kokkos::deep_copy(B, 7.0);
  using Host = Kokkos::DefaultHostExecutionSpace;
  EXPECT_THAT([&] { multiply(Host(), A, v, B); }, refuses("multiply", "v must have 5"));
  Host().fence();
  EXPECT_EQ(B(0), 7.0);
  EXPECT_EQ(B(2), 7.0);
}

TEST(EveryOperation, AcceptsConstViewsAsInputs) {
  Matrix const A("A", 2, 2);
  Vector const v("v", 2);
  Vector const B("B", 2);
  Vector const C("C", 2);
  // Some development versions of Kokkos with nvcc 13 do not fill a View.
  auto const host_A = Kokkos::create_mirror_view(A);
  auto const host_v = Kokkos::create_mirror_view(v);
  for (std::size_t i = 0; i < 2; ++i) {
    host_v(i) = 2;
    for (std::size_t j = 0; j < 2; ++j) host_A(i, j) = 1;
  }
  Kokkos::deep_copy(A, host_A);
  Kokkos::deep_copy(v, host_v);
  Kokkos::View<double const**, Kokkos::LayoutRight, Exec> const const_A = A;
  Kokkos::View<double const*, Exec> const const_v = v;
  atax(Exec(), const_A, const_v, B, C);
  Exec().fence();
  auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), C);
  EXPECT_EQ(found(0), 8.0);
  EXPECT_EQ(found(1), 8.0);
}

}  // namespace
}  // namespace tessera
