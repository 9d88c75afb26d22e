// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <utility>

#include <Kokkos_Core.hpp>

#include <app/solve/progress.hpp>
#include <app/solve/triplets.hpp>
#include <tessera/solve.hpp>

namespace tessera::app {
namespace {

template <class Exec, class T>
void take(solve::SvdResult<Exec, T>& result, Triplets& found) {
  found.run.take(result);
  found.s = std::move(result.s);
  found.residuals = std::move(result.residuals);
  if (result.VT.extent(0) > 0) {
    found.VT = io::MatrixView<T, Kokkos::LayoutRight>(
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result.VT));
  }
  if (result.UT.extent(0) > 0) {
    auto const UT = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result.UT);
    io::MatrixView<T, Kokkos::LayoutRight> const U(
        Kokkos::view_alloc("tessera::app::U", Kokkos::WithoutInitializing), UT.extent(1),
        UT.extent(0));
    for (std::size_t i = 0; i < U.extent(0); ++i) {
      for (std::size_t j = 0; j < U.extent(1); ++j) U(i, j) = UT(j, i);
    }
    found.U = U;
  }
}

template <class Exec, class T>
void solve_on(TripletOptions const& options, SolveRequest const& request,
              solve::NormalOperator<Exec, T> const& op, Triplets& found) {
  std::int64_t const limit = limit_of(options, request.reader.info());
  solve::SvdOptions const how{.tol = options.tol,
                              .maxiter = limit,
                              .ncv = options.ncv.value_or(0),
                              .want_u = options.wants_u()};
  io::HostVector const none = io::VectorView<T>();
  if (!options.is_pca()) {
    auto result = run_solver<T>(
        options, request, "svd", "", none, limit, found.run,
        [&](solve::Control<T> const& control) { return solve::svd(op, options.k, how, control); });
    return take(result, found);
  }
  auto result = run_solver<T>(options, request, options.scale ? "pca of scaled columns" : "pca", "",
                              none, limit, found.run, [&](solve::Control<T> const& control) {
                                return solve::pca(op, options.k,
                                                  {.svd = how, .scale = options.scale}, control);
                              });
  take(result.svd, found);
  found.mean.assign(result.mean.begin(), result.mean.end());
  found.deviation = std::move(result.deviation);
  found.variance = std::move(result.explained_variance);
  found.ratio = std::move(result.explained_variance_ratio);
}

}  // namespace

std::int64_t basis_of(TripletOptions const& options, io::MatrixInfo const& info) {
  auto const rows = static_cast<std::int64_t>(info.rows);
  auto const cols = static_cast<std::int64_t>(info.cols);
  std::int64_t const wanted = options.ncv.value_or(std::max<std::int64_t>(2 * options.k + 1, 20));
  return std::min({cols, std::min(rows, cols) + 1, wanted});
}

std::int64_t limit_of(TripletOptions const& options, io::MatrixInfo const& info) {
  return options.maxiter.value_or(100 * basis_of(options, info));
}

std::uint64_t vector_bytes(TripletOptions const& options, io::MatrixInfo const& info,
                           io::ScalarType type) {
  auto const basis = static_cast<std::uint64_t>(basis_of(options, info)) + 1;
  auto const k = static_cast<std::uint64_t>(options.k);
  std::uint64_t values = 2 * info.rows + (2 * basis + 4 + k) * info.cols;
  if (options.is_pca()) values += 3 * info.rows + 5 * info.cols;
  if (options.wants_u()) values += 3 * k * info.rows;
  if (!options.checkpoint.empty()) values += info.rows + basis * info.cols;
  return values * io::size_of(type);
}

Triplets find_triplets(TripletOptions const& options, SolveRequest const& request) {
  Triplets found;
  solve_with(request, found.run,
             [&]<class Exec, class T>(solve::NormalOperator<Exec, T> const& op) {
               solve_on(options, request, op, found);
             });
  return found;
}

}  // namespace tessera::app
