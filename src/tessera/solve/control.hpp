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

/// Common types of all solvers: callbacks, and states to resume from.
namespace tessera::solve {

using summation::Index;

/// The state of a solver between two iterations. With the same matrix, inputs and options, a run
/// that resumes from it continues as if it had never stopped. A state of another problem is
/// refused.
template <class T>
struct State {
  stream::StateOf of;  ///< `operation` is the name of the method
  Index iteration = 0;
  std::vector<double> numbers{};
  std::vector<std::vector<T>> vectors{};
  std::vector<Step> history{};
};

/// Callbacks of every solver; each may be empty.
template <class T>
struct Control {
  /// Called after each iteration. If it returns false, the solver stops with Stop::cancelled. If it
  /// throws, the call ends.
  std::function<bool(Step const&)> on_step{};
  /// Called after each iteration; returns whether `on_state` wants the state.
  std::function<bool(Step const&)> wants_state{};
  std::function<void(State<T> const&)> on_state{};
  /// The state to resume from; null: starts at the beginning.
  State<T> const* resume = nullptr;
  /// If true, `on_state` also receives the state of the last iteration of a run that a limit or a
  /// callback stops, without a call of `wants_state`. A run with a larger limit can resume from it.
  bool wants_last_state = false;
};

namespace detail {

/// A digest of the state to resume from. Solvers add their options and vectors for
/// NormalOperator::agree.
template <class T>
tessera::detail::Digest digest_of(Control<T> const& control) {
  tessera::detail::Digest digest;
  digest.add(control.resume != nullptr);
  if (control.resume == nullptr) return digest;
  digest.add(control.resume->iteration).add(control.resume->numbers);
  for (auto const& vector : control.resume->vectors) digest.add(vector);
  return digest;
}

/// Passes the state of the last iteration of a run to `on_state`, if it is wanted.
template <class T, class MakeState>
void offer_last_state(Control<T> const& control, MakeState const& state) {
  if (control.wants_last_state && control.on_state) control.on_state(state());
}

/// Passes state() to `on_state`, if it is wanted after this iteration.
/// @param is_last whether a limit or a callback stops the run after this iteration
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
