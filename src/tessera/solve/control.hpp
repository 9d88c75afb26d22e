// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <tessera/detail/digest.hpp>
#include <tessera/solve/stop.hpp>
#include <tessera/stream/state.hpp>
#include <tessera/summation.hpp>

/// What all solvers have in common: what they tell, and how they go on.
namespace tessera::solve {

using summation::Index;

/// Where a solver stands between two steps: with it, the same matrix, inputs and options, it goes
/// on as if it had never stopped. It says what it is of, and is refused elsewhere.
template <class T>
struct State {
  stream::StateOf of;  ///< operation: the method
  Index iteration = 0;
  std::vector<double> numbers{};
  std::vector<std::vector<T>> vectors{};
  std::vector<Step> history{};
};

/// Callbacks of every solver; each may be empty.
template <class T>
struct Control {
  /// Called after each step. False: stop, with Stop::cancelled. What it throws ends the call.
  std::function<bool(Step const&)> on_step{};
  /// Asked after each step whether `on_state` wants the state.
  std::function<bool(Step const&)> wants_state{};
  std::function<void(State<T> const&)> on_state{};
  /// Where to go on; null: at the beginning.
  State<T> const* resume = nullptr;
  /// If true, `on_state` also receives the state of the last step of a run that a limit or a
  /// callback stops, without being asked: a run with a larger limit resumes from it.
  bool wants_last_state = false;
};

namespace detail {

/// Of what every solver is called with; it adds its options and vectors for NormalOperator::agree.
template <class T>
tessera::detail::Digest digest_of(Control<T> const& control) {
  tessera::detail::Digest digest;
  digest.add(control.resume != nullptr);
  if (control.resume == nullptr) return digest;
  digest.add(control.resume->iteration).add(control.resume->numbers);
  for (auto const& vector : control.resume->vectors) digest.add(vector);
  return digest;
}

/// Hands on the state of the last step of a run, if it is wanted.
template <class T, class MakeState>
void offer_last_state(Control<T> const& control, MakeState const& state) {
  if (control.wants_last_state && control.on_state) control.on_state(state());
}

/// Hands on state(), if it is wanted after this step.
/// @param is_last whether a limit or a callback stops the run after this step
template <class T, class MakeState>
void offer_state(Control<T> const& control, Step const& step, MakeState const& state,
                 bool is_last = false) {
  if (control.wants_state && control.on_state && control.wants_state(step)) {
    control.on_state(state());
  } else if (is_last) {
    offer_last_state(control, state);
  }
}

}  // namespace detail

}  // namespace tessera::solve
