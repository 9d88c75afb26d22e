// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tessera/summation.hpp>

/// The state of a streamed operation between two blocks.
namespace tessera::stream {

using summation::Index;

/// Version of the order of summation (docs/summation.md). Changes if any bit of a sum or of its
/// parts does.
inline constexpr int order_version = 1;

/// Identifies the operation of a state, which alone resumes from it.
struct StateOf {
  std::string operation;  ///< "atax", "atax with B", "multiply" or "multiply_transposed"
  std::string scalar;     ///< "float" or "double"
  std::string layout;     ///< "rows" or "columns": the contiguous ones
  int order = 0;          ///< order_version
  Index rows = 0;
  Index cols = 0;

  friend bool operator==(StateOf const&, StateOf const&) = default;
};

/// "atax of 3 x 5 float, rows contiguous, order of summation 1".
inline std::string to_string(StateOf const& of) {
  return of.operation + " of " + std::to_string(of.rows) + " x " + std::to_string(of.cols) + " " +
         of.scalar + ", " + of.layout + " contiguous, order of summation " +
         std::to_string(of.order);
}

/// Partial results, from which the operation continues with the same bits. Other operations refuse
/// them. The caller ensures that matrix and vectors are the same.
template <class T>
struct State {
  StateOf of;
  Index blocks_done = 0;
  Index block_lines = 0;  ///< per block, the same for all resumed runs
  std::vector<std::vector<T>>
      waiting;            ///< finished subtrees by level, the whole tree last; empty: not there
  std::vector<T> chain;   ///< of a panel that has begun, or empty
  std::vector<T> output;  ///< completed entries of an output along the lines
};

}  // namespace tessera::stream
