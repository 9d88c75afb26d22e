// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <tessera/checks.hpp>
#include <tessera/detail/digest.hpp>
#include <tessera/solve/stop.hpp>
#include <tessera/stream/state.hpp>
#include <tessera/summation.hpp>

/// Callbacks of all solvers, and states.
namespace tessera::solve {

using summation::Index;

/// Taken between iterations. With the same matrix, inputs and options, a resumed run continues as
/// if it had never stopped.
template <class T>
struct State {
  stream::StateOf of;  ///< `operation`: the method
  Index iteration = 0;
  std::vector<double> numbers{};
  std::vector<std::vector<T>> vectors{};
  std::vector<Step> history{};
};

/// Each may be empty.
template <class T>
struct Control {
  /// After each iteration; false stops the solver with Stop::cancelled.
  std::function<bool(Step const&)> on_step{};
  std::function<bool(Step const&)> wants_state{};
  std::function<void(State<T> const&)> on_state{};
  State<T> const* resume = nullptr;
  /// `on_state` also receives the last state of a run that a limit or a callback stops.
  bool wants_last_state = false;
};

namespace detail {

template <class T>
tessera::detail::Digest digest_of(Control<T> const& control) {
  tessera::detail::Digest digest;
  digest.add(control.resume != nullptr);
  if (control.resume == nullptr) return digest;
  digest.add(control.resume->iteration).add(control.resume->numbers);
  for (auto const& vector : control.resume->vectors) digest.add(vector);
  return digest;
}

template <class T, class MakeState>
void offer_last_state(Control<T> const& control, MakeState const& state) {
  if (control.wants_last_state && control.on_state) control.on_state(state());
}

template <class T, class MakeState>
void offer_state(Control<T> const& control, Step const& step, MakeState const& state,
                 bool is_last = false) {
  if (control.wants_state && control.on_state && control.wants_state(step)) {
    control.on_state(state());
  } else if (is_last) {
    offer_last_state(control, state);
  }
}

template <class T, class Operator>
stream::StateOf state_of(char const* method, Operator const& op) {
  return {.operation = method,
          .scalar = sizeof(T) == sizeof(float) ? "float" : "double",
          .layout = op.layout(),
          .order = stream::order_version,
          .rows = op.rows(),
          .cols = op.cols()};
}
inline void require_state_of(char const* method, stream::StateOf const& found,
                             stream::StateOf const& expected) {
  if (found == expected) return;
  checks::fail(method,
               "expected a state of " + to_string(expected) + ", found one of " + to_string(found));
}
inline bool all_finite(std::vector<double> const& numbers) {
  return std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); });
}

[[noreturn]] inline void fail_of_state(char const* method) {
  checks::fail(method, "the state is damaged, or belongs to other options");
}

template <class Numbers>
void append(std::vector<double>& to, Numbers const& numbers) {
  constexpr std::size_t count = sizeof(Numbers) / sizeof(double);
  auto const values = std::bit_cast<std::array<double, count>>(numbers);
  to.insert(to.end(), values.begin(), values.end());
}
template <class Numbers, class Iterator>
Numbers take(Iterator& from) {
  constexpr std::size_t count = sizeof(Numbers) / sizeof(double);
  std::array<double, count> values;
  std::copy_n(from, count, values.begin());
  from += static_cast<std::ptrdiff_t>(count);
  return std::bit_cast<Numbers>(values);
}

}  // namespace detail

}  // namespace tessera::solve
