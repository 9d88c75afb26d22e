// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/solve.hpp>

#include "harness.hpp"

// A run from a changed state must end or refuse it. Input: solver, iteration, changes (field: one
// byte, index: two, value: eight).

namespace tessera::fuzz {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Memory = Exec::memory_space;
using State = solve::State<double>;
using Control = solve::Control<double>;

constexpr std::size_t rows = 12;
constexpr std::size_t cols = 5;

struct Problem {
  Problem() {
    for (std::size_t i = 0; i < rows; ++i) {
      b(i) = static_cast<double>(i % 3);
      labels(i) = static_cast<double>(i % 2);
      for (std::size_t j = 0; j < cols; ++j) {
        A(i, j) = static_cast<double>((i * 7 + j * 5) % 11) + (i == j ? 9 : 0);
      }
    }
  }
  Kokkos::View<double**, Kokkos::LayoutRight, Memory> A{"A", rows, cols};
  solve::MatrixOperator<Exec, decltype(A)> op{Exec(), A};
  Kokkos::View<double*, Memory> b{"b", rows};
  Kokkos::View<double*, Memory> labels{"labels", rows};
};

using Solver = void (*)(Problem const&, Control const&);
constexpr std::array<Solver, 12> solvers{
    [](Problem const& p, Control const& control) {
      solve::lsmr(p.op, p.b, {.damp = 0.5, .history = true}, control);
    },
    [](Problem const& p, Control const& control) {
      solve::lsqr(p.op, p.b, {.atol = 0, .maxiter = 6}, control);
    },
    [](Problem const& p, Control const& control) { solve::cgls(p.op, p.b, {}, control); },
    [](Problem const& p, Control const& control) { solve::svd(p.op, 2, {.ncv = 3}, control); },
    [](Problem const& p, Control const& control) {
      solve::logistic_regression(p.op, p.labels, {.penalty = 1}, control);
    },
    [](Problem const& p, Control const& control) {
      solve::logistic_regression(p.op, p.labels,
                                 {.penalty = 1, .solver = solve::RegressionSolver::lbfgs}, control);
    },
    [](Problem const& p, Control const& control) {
      solve::pca(p.op, 2, {.svd = {.ncv = 3}, .scale = true}, control);
    },
    [](Problem const& p, Control const& control) {
      solve::randomized_svd(p.op, 2, {.oversampling = 1, .power_iterations = 3}, control);
    },
    [](Problem const& p, Control const& control) {
      solve::linear_regression(p.op, p.b, {.penalty = 1}, control);
    },
    [](Problem const& p, Control const& control) {
      solve::poisson_regression(p.op, p.b, {.penalty = 1}, control);
    },
    [](Problem const& p, Control const& control) {
      solve::power_iteration(p.op, {.tol = 0, .maxiter = 6}, control);
    },
    [](Problem const& p, Control const& control) {
      solve::condition_estimate(p.op, {.tol = 0, .maxiter = 6}, control);
    }};

struct Recorded {
  Recorded() {
    for (std::size_t i = 0; i < solvers.size(); ++i) {
      solvers[i](problem, {.wants_state = [](auto const&) { return true; },
                           .on_state = [&](State const& state) { states[i].push_back(state); }});
      if (states[i].empty()) broken("a solver leaves no state");
      for (State const& state : states[i]) solvers[i](problem, {.resume = &state});
    }
  }
  Problem problem;
  std::array<std::vector<State>, solvers.size()> states;
};

Recorded const& recorded() {
  static Kokkos::ScopeGuard const guard(Kokkos::InitializationSettings().set_num_threads(1));
  static Recorded const* const all = new Recorded;
  return *all;
}

void change(State& state, unsigned what, std::size_t where, std::uint64_t value) {
  auto const number = std::bit_cast<double>(value);
  auto const change_one = [&](auto& list) {
    if (!list.empty()) list[where % list.size()] = number;
  };
  auto& vectors = state.vectors;
  switch (what % 7) {
    case 0:
      return change_one(state.numbers);
    case 1:
      if (!vectors.empty()) change_one(vectors[where / 256 % vectors.size()]);
      return;
    case 2:
      state.iteration = std::bit_cast<std::int64_t>(value);
      return;
    case 3:
      return state.numbers.resize(where % 256);
    case 4:
      return vectors.resize(where % 64);
    case 5:
      if (!vectors.empty()) vectors[where / 256 % vectors.size()].resize(where % 256);
      return;
    default:
      return state.history.resize(where % 64);
  }
}

}  // namespace
}  // namespace tessera::fuzz

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace tessera::fuzz;
  Bytes bytes(data, size);
  auto const& all = recorded();
  auto const solver = take(bytes, 1) % solvers.size();
  auto const& states = all.states[solver];
  State state = states[take(bytes, 1) % states.size()];
  while (!bytes.empty()) {
    auto const what = static_cast<unsigned>(take(bytes, 1));
    auto const where = static_cast<std::size_t>(take(bytes, 2));
    change(state, what, where, take(bytes, 8));
  }
  try {
    solvers[solver](all.problem, {.resume = &state});
  } catch (std::invalid_argument const&) {
  }
  return 0;
}
