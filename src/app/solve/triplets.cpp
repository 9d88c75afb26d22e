// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <utility>

#include <Kokkos_Core.hpp>

#include <app/solve/solve.hpp>
#include <app/solve/solve_typed.hpp>
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

solve::RandomizedSvdOptions randomized(TripletOptions const& options) {
  solve::RandomizedSvdOptions how{.tol = options.tol, .want_u = options.wants_u()};
  how.oversampling = options.oversampling.value_or(how.oversampling);
  how.power_iterations = options.power_iterations.value_or(how.power_iterations);
  how.seed = options.seed.value_or(how.seed);
  return how;
}

template <class Exec, class T>
void solve_on(TripletOptions const& options, SolveRequest const& request,
              solve::NormalOperator<Exec, T> const& op, Triplets& found) {
  std::int64_t const limit = limit_of(options, request.reader.info());
  bool const directly = is_direct(options, request.reader.info());
  solve::SvdOptions const how{.tol = options.tol,
                              .maxiter = directly ? 0 : limit,
                              .ncv = directly ? 0 : options.ncv.value_or(0),
                              .want_u = options.wants_u(),
                              .direct = directly ? op.cols() : 0};
  std::string const prefix = directly ? "direct " : "";
  io::HostVector const none = io::VectorView<T>();
  std::string const size = "k " + std::to_string(options.k) + ", ";
  std::string const basis = std::to_string(basis_of(options, request.reader.info()));
  std::string const limits = "tol " + shortest(options.tol);
  StateSubject const subject{
      .name = prefix + (options.scale ? "pca of scaled columns" : options.command),
      .b = none,
      .options = size + "ncv " + basis,
      .limits = limits};
  if (options.is_randomized()) {
    auto const& blocks = dynamic_cast<solve::BlockOperator<Exec, T> const&>(op);
    StateSubject const of_block{.name = "randomized_svd",
                                .b = none,
                                .options = size + "blocks of " + basis + ", seed " +
                                           std::to_string(randomized(options).seed),
                                .limits = limits};
    auto result = run_solver<T>(
        options, request, of_block, limit, found.run, [&](solve::Control<T> const& control) {
          return solve::randomized_svd(blocks, options.k, randomized(options), control);
        });
    return take(result, found);
  }
  if (!options.is_pca()) {
    auto result = run_solver<T>(
        options, request, subject, limit, found.run,
        [&](solve::Control<T> const& control) { return solve::svd(op, options.k, how, control); });
    return take(result, found);
  }
  auto result = run_solver<T>(
      options, request, subject, limit, found.run, [&](solve::Control<T> const& control) {
        return solve::pca(op, options.k, {.svd = how, .scale = options.scale}, control);
      });
  take(result.svd, found);
  found.mean.assign(result.mean.begin(), result.mean.end());
  found.deviation = std::move(result.deviation);
  found.variance = std::move(result.explained_variance);
  found.ratio = std::move(result.explained_variance_ratio);
}

}  // namespace

bool is_direct(TripletOptions const& options, io::MatrixInfo const& info) {
  if (options.method != TripletMethod::automatic) return options.method == TripletMethod::direct;
  return static_cast<solve::Index>(info.cols) <= solve::direct_columns && !options.ncv &&
         !options.maxiter && !continues_iterations(options);
}

std::int64_t gram_width(TripletOptions const& options, io::MatrixInfo const& info) {
  // With a column of ones.
  if (is_direct(options, info)) return static_cast<std::int64_t>(info.cols) + 1;
  return options.is_pca() ? -1 : 0;
}

std::int64_t basis_of(TripletOptions const& options, io::MatrixInfo const& info) {
  auto const rows = static_cast<std::int64_t>(info.rows);
  auto const cols = static_cast<std::int64_t>(info.cols);
  if (options.is_randomized()) {
    return std::min({rows, cols, options.k + randomized(options).oversampling});
  }
  std::int64_t const wanted = options.ncv.value_or(std::max<std::int64_t>(2 * options.k + 1, 20));
  return std::min({cols, std::min(rows, cols) + 1, wanted});
}

std::int64_t limit_of(TripletOptions const& options, io::MatrixInfo const& info) {
  if (options.is_randomized()) return randomized(options).power_iterations;
  if (is_direct(options, info)) return 3;
  return options.maxiter.value_or(100 * basis_of(options, info));
}

std::uint64_t vector_bytes(TripletOptions const& options, io::MatrixInfo const& info,
                           io::ScalarType type) {
  auto const k = static_cast<std::uint64_t>(options.k);
  if (options.is_randomized()) {
    auto const block = static_cast<std::uint64_t>(basis_of(options, info));
    std::uint64_t values = 2 * block * info.rows + (3 * block + 4 + 2 * k) * info.cols;
    if (options.wants_u()) values += 3 * k * info.rows;
    if (!options.checkpoint.empty()) values += block * info.cols;
    return values * io::size_of(type);
  }
  if (is_direct(options, info)) {
    std::uint64_t const of_u = options.wants_u() ? 3 * k * info.rows : 0;
    return (of_u + (k + 2) * info.cols) * io::size_of(type);
  }
  auto const basis = static_cast<std::uint64_t>(basis_of(options, info)) + 1;
  std::uint64_t values = 2 * info.rows + (2 * basis + 4 + k) * info.cols;
  if (options.is_pca()) values += 3 * info.rows + (6 + (options.wants_u() ? k : 0)) * info.cols;
  if (options.wants_u()) values += 3 * k * info.rows;
  if (!options.checkpoint.empty()) values += info.rows + basis * info.cols;
  return values * io::size_of(type);
}

std::uint64_t bytes_in_memory(TripletOptions const& options, io::MatrixInfo const& info,
                              io::ScalarType type) {
  if (is_direct(options, info)) return gram_bytes(info, type, 1);
  // Deviations of columns need a copy of A; blocks need partial sums.
  if (options.is_pca()) return info.elements() * io::size_of(type);
  if (!options.is_randomized()) return 0;
  constexpr std::uint64_t bytes_of_block = std::uint64_t{64} << 20U;
  std::uint64_t const blocks = 1 + info.elements() * io::size_of(type) / bytes_of_block;
  using Sums = solve::detail::BlockSums<Kokkos::DefaultHostExecutionSpace, double>;
  auto const whole = [](std::uint64_t x) { return static_cast<std::int64_t>(x); };
  return Sums::bytes(basis_of(options, info), whole(info.cols), whole(info.rows / blocks + 1),
                     whole(blocks));
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
