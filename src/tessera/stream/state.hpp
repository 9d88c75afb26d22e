// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tessera/summation.hpp>

/// What a streamed operation leaves between two blocks.
namespace tessera::stream {

using summation::Index;

/// Version of the order of summation (docs/summation.md): whatever changes the bits of a sum, or of
/// a part of it, changes this number.
inline constexpr int order_version = 1;

/// What a state is of. An operation goes on from a state of its own only.
struct StateOf {
  std::string operation;  ///< "atax", "atax with B", "multiply" or "multiply_transposed"
  std::string scalar;     ///< "float" or "double"
  std::string layout;     ///< "rows" or "columns", whichever are contiguous
  int order = 0;          ///< order_version
  Index rows = 0;
  Index cols = 0;

  friend bool operator==(StateOf const&, StateOf const&) = default;
};

/// "atax of 3 x 5 float, rows contiguous, order of summation 1": for messages.
inline std::string to_string(StateOf const& of) {
  return of.operation + " of " + std::to_string(of.rows) + " x " + std::to_string(of.cols) + " " +
         of.scalar + ", " + of.layout + " contiguous, order of summation " +
         std::to_string(of.order);
}

/// What a streamed operation has found so far: with it, and the same matrix and vectors, an
/// operation goes on as if it had never stopped. It says what it is of, and is refused elsewhere;
/// that the elements are the same ones is up to the caller.
template <class T>
struct State {
  StateOf of;
  Index blocks_done = 0;
  Index block_lines = 0;  ///< of a block, the same for all that goes on from here
  std::vector<std::vector<T>>
      waiting;            ///< finished subtrees by level, the whole tree last; empty: there is none
  std::vector<T> chain;   ///< of a panel that has begun; empty: there is none
  std::vector<T> output;  ///< entries that are done of the output along the lines
};

}  // namespace tessera::stream
