// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tessera/summation.hpp>

/// The state of a streamed operation between two blocks.
namespace tessera::stream {

using summation::Index;

/// Version of the order of summation (docs/summation.md). Any change of the bits of a sum, or of a
/// part of it, changes this number.
inline constexpr int order_version = 1;

/// Identifies the operation of a state. An operation only resumes from its own states.
struct StateOf {
  std::string operation;  ///< "atax", "atax with B", "multiply" or "multiply_transposed"
  std::string scalar;     ///< "float" or "double"
  std::string layout;     ///< "rows" or "columns", whichever are contiguous
  int order = 0;          ///< order_version
  Index rows = 0;
  Index cols = 0;

  friend bool operator==(StateOf const&, StateOf const&) = default;
};

/// Returns the identity for messages: "atax of 3 x 5 float, rows contiguous, order of summation 1".
inline std::string to_string(StateOf const& of) {
  return of.operation + " of " + std::to_string(of.rows) + " x " + std::to_string(of.cols) + " " +
         of.scalar + ", " + of.layout + " contiguous, order of summation " +
         std::to_string(of.order);
}

/// Partial results of a streamed operation. With a state and the same matrix and vectors, the
/// operation continues as if it had never stopped. The state identifies its operation, and other
/// operations refuse it. The caller has to ensure that the elements are the same.
template <class T>
struct State {
  StateOf of;
  Index blocks_done = 0;
  Index block_lines = 0;  ///< lines per block, which remain the same for all resumed runs
  std::vector<std::vector<T>>
      waiting;            ///< finished subtrees by level, the whole tree last; empty: not there
  std::vector<T> chain;   ///< of a panel that has begun; empty: no such panel
  std::vector<T> output;  ///< completed entries of an output along the lines
};

}  // namespace tessera::stream
