// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// A user's program with exact results.

#include <cstdio>

#include <Kokkos_Core.hpp>

#include <tessera/stream.hpp>
#include <tessera/tessera.hpp>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;
using Vector = Kokkos::View<double*, Exec>;

bool is(char const* name, Vector const& x, double first, double second) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, x);
  std::printf("%s = [%g %g], expected [%g %g]\n", name, host(0), host(1), first, second);
  return host(0) == first && host(1) == second;
}

// A = [1 2; 3 4; 5 6], v = [1 -2] -> B = [-3 -5 -7], C = [-53 -68], A^T A = [35 44; 44 56].
bool all_is_right() {
  Matrix const a("a", 3, 2);
  Vector const v("v", 2);
  auto const host_a = Kokkos::create_mirror_view(a);
  auto const host_v = Kokkos::create_mirror_view(v);
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 2; ++column) {
      host_a(row, column) = 2 * row + column + 1;
    }
  }
  host_v(0) = 1;
  host_v(1) = -2;
  Kokkos::deep_copy(a, host_a);
  Kokkos::deep_copy(v, host_v);

  Exec const exec{};
  tessera::Workspace<Exec> workspace;
  Vector const b("b", 3);
  Vector const c("c", 2);
  tessera::atax(exec, a, v, c, {.workspace = &workspace});
  exec.fence();
  bool right = is("atax", c, -53, -68);
  tessera::multiply(exec, a, v, b, {.workspace = &workspace});
  tessera::multiply_transposed(exec, a, b, c, {.workspace = &workspace});
  exec.fence();
  right = is("two products", c, -53, -68) && right;

  Matrix const turned("turned", 2, 3);
  Matrix const gram("gram", 2, 2);
  tessera::transpose(exec, a, turned);
  tessera::gemm(exec, turned, a, gram, {.workspace = &workspace});
  tessera::transpose_in_place(exec, gram);
  exec.fence();
  right = is("gemm, row 0", Kokkos::subview(gram, 0, Kokkos::ALL), 35, 44) && right;

  auto const source = tessera::stream::make_source<double>(
      3, 2, [](tessera::stream::Block const& block, double* to) {
        for (tessera::Index row = block.first_row; row < block.first_row + block.rows; ++row) {
          for (tessera::Index column = block.first_col; column < block.first_col + block.cols;
               ++column) {
            *to++ = static_cast<double>(2 * row + column + 1);
          }
        }
      });
  tessera::stream::atax(exec, source, v, c);
  right = is("stream::atax", c, -53, -68) && right;
  try {  // an exception of the library, which may be a shared one
    tessera::stream::atax(exec, source, v, c, {.memory_limit = 1});
    return false;
  } catch (tessera::stream::LimitError const& error) {
    std::printf("a limit that works: %zu bytes\n", error.needed());
    return error.needed() > 1 && right;
  }
}

bool has_the_bits() {
  constexpr int rows = 7;
  constexpr int cols = 3;
  Matrix const a("a", rows, cols);
  Vector const v("v", cols);
  Vector const y("y", rows);
  auto const host_a = Kokkos::create_mirror_view(a);
  auto const host_v = Kokkos::create_mirror_view(v);
  auto const host_y = Kokkos::create_mirror_view(y);
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < cols; ++column)
      host_a(row, column) = 1.0 / (row + 2 * column + 1);
    host_y(row) = row % 2;
  }
  for (int column = 0; column < cols; ++column) host_v(column) = 0.7 - column / 3.0;
  Kokkos::deep_copy(a, host_a);
  Kokkos::deep_copy(v, host_v);
  Kokkos::deep_copy(y, host_y);
  Vector const c("c", cols);
  tessera::atax(Exec{}, a, v, c, {.map = tessera::maps::logistic(y)});
  auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, c);
  std::printf("gradient = [%a %a %a]\n", found(0), found(1), found(2));
  return found(0) == 0x1.62ff4c9f64374p-1 && found(1) == 0x1.07684af5902dep-2 &&
         found(2) == 0x1.52edf77f9f25bp-3;
}

}  // namespace

int main() {
  Kokkos::ScopeGuard const kokkos;
  return !tessera::version.empty() && all_is_right() && has_the_bits() ? 0 : 1;
}
