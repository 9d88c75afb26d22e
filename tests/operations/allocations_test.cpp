// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/tessera.hpp>

#include "support/counted_allocations.hpp"

/// Allocations per call, and regions for Kokkos' tools.
namespace tessera {
namespace {

using testing::ElementsAre;

using Exec = Kokkos::DefaultHostExecutionSpace;
using Right = Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace>;
using Left = Kokkos::View<float**, Kokkos::LayoutLeft, Kokkos::HostSpace>;
using Vector = Kokkos::View<float*, Kokkos::HostSpace>;
using Strided = Kokkos::View<float*, Kokkos::LayoutStride, Kokkos::HostSpace>;

class Calls {
 public:
  Calls(std::size_t m, std::size_t n)
      : right_("A", m, n),
        left_("A", m, n),
        turned_("At", n, m),
        square_("S", m, m),
        product_("P", m, m),
        memory_v_("v", 2 * n),
        memory_b_("B", 2 * m),
        memory_c_("C", 2 * n),
        memory_u_("u", 2 * m),
        memory_z_("z", 2 * n),
        result_("result", 1) {}

  template <class Visit>
  void each(Visit const& visit) {
    of(right_, visit);
    of(left_, visit);
    visit("gemm", [&] { gemm(exec_, right_, turned_, product_, {.workspace = &workspace_}); });
    visit("transpose", [&] { transpose(exec_, right_, turned_); });
    visit("transpose_in_place", [&] { transpose_in_place(exec_, square_); });
  }

 private:
  template <class Matrix, class Visit>
  void of(Matrix const& A, Visit const& visit) {
    for (std::size_t const stride : {std::size_t{1}, std::size_t{2}}) {
      Strided const v(memory_v_.data(), Kokkos::LayoutStride(A.extent(1), stride));
      Strided const B(memory_b_.data(), Kokkos::LayoutStride(A.extent(0), stride));
      Strided const C(memory_c_.data(), Kokkos::LayoutStride(A.extent(1), stride));
      visit("multiply", [&] { multiply(exec_, A, v, B, {.workspace = &workspace_}); });
      visit("multiply_transposed",
            [&] { multiply_transposed(exec_, A, B, C, {.workspace = &workspace_}); });
      Strided const u(memory_u_.data(), Kokkos::LayoutStride(A.extent(0), stride));
      Strided const z(memory_z_.data(), Kokkos::LayoutStride(A.extent(1), stride));
      visit("multiply_both",
            [&] { multiply_both(exec_, A, v, u, B, C, {.workspace = &workspace_}); });
      visit("aatx", [&] { aatx(exec_, A, u, B, {.workspace = &workspace_}); });
      visit("dot", [&] { dot(exec_, C, z, result_, {.workspace = &workspace_}); });
      visit("dot", [&] { sum_of_squares(exec_, z, result_, {.workspace = &workspace_}); });
      for (Method const method : {Method::automatic, Method::fused, Method::two_stage}) {
        visit("atax", [&] { atax(exec_, A, v, C, {.method = method, .workspace = &workspace_}); });
        visit("atax",
              [&] { atax(exec_, A, v, B, C, {.method = method, .workspace = &workspace_}); });
        visit("atax", [&] {
          atax(exec_, A, v, B, C,
               {.method = method,
                .workspace = &workspace_,
                .map = maps::logistic(u),
                .beta = 2,
                .z = z});
        });
      }
    }
  }

  Exec exec_;
  Right right_;
  Left left_;
  Right turned_;
  Right square_;
  Right product_;
  Vector memory_v_;
  Vector memory_b_;
  Vector memory_c_;
  Vector memory_u_;
  Vector memory_z_;
  Vector result_;
  Workspace<Exec> workspace_;
};

TEST(Allocations, AreCounted) {
  int const before = test::allocations();
  std::string const label(40, 'x');
  EXPECT_EQ(test::allocations(), before + 1) << label;
}

struct Nothing {
  template <class Argument>
  KOKKOS_FUNCTION void operator()(Argument const&) const {}
};

int allocations_of_launches() {
  std::string const label;
  auto const launches = [&] {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(Exec(), 0, 1), Nothing{});
    Kokkos::parallel_for(label, Kokkos::TeamPolicy<Exec>(Exec(), 1, 1), Nothing{});
  };
  launches();
  int const before = test::allocations();
  launches();
  return test::allocations() - before;
}

TEST(Allocations, AreNoneWithAKeptWorkspace) {
  if (int const own = allocations_of_launches(); own > 0) {
    GTEST_SKIP() << "this Kokkos allocates " << own << " times to launch two kernels: NOT TESTED";
  }
  for (auto const& [m, n] : std::vector<std::pair<std::size_t, std::size_t>>{
           {20, 30}, {900, 300}, {300, 900}, {3, 20000}, {0, 7}, {7, 0}}) {
    Calls calls(m, n);
    calls.each([](char const*, auto const& call) { call(); });
    calls.each([m = m, n = n](char const* name, auto const& call) {
      int const before = test::allocations();
      call();
      EXPECT_EQ(test::allocations() - before, 0) << name << " of " << m << " x " << n;
    });
  }
}

std::vector<std::string>& regions() {
  static std::vector<std::string> result;
  return result;
}
int open_regions = 0;

TEST(Regions, NameEachCallAndItsShape) {
  Calls calls(5, 3);
  Kokkos::Tools::Experimental::set_push_region_callback([](char const* name) {
    regions().emplace_back(name);
    ++open_regions;
  });
  Kokkos::Tools::Experimental::set_pop_region_callback([] { --open_regions; });
  calls.each([](std::string const& name, auto const& call) {
    regions().clear();
    call();
    EXPECT_EQ(open_regions, 0);
    std::string const shape = name == "gemm"                 ? "5 x 3 x 5"
                              : name == "transpose_in_place" ? "5 x 5"
                              : name == "dot"                ? "1 x 3"
                                                             : "5 x 3";
    std::string const region = name == "aatx" ? "atax 3 x 5" : name + " " + shape;
    EXPECT_THAT(regions(), ElementsAre("tessera::" + region));
  });
  regions().clear();
  Right const A("A", 4, 4);
  EXPECT_THROW(transpose(Exec(), A, Right("At", 4, 4), {.tuning = TransposeTuning{.team_size = 3}}),
               std::invalid_argument);
  EXPECT_EQ(open_regions, 0);
  Kokkos::Tools::Experimental::set_push_region_callback(nullptr);
  Kokkos::Tools::Experimental::set_pop_region_callback(nullptr);
}

}  // namespace
}  // namespace tessera
