// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <tessera/options.hpp>
#include <tessera/summation.hpp>

namespace tessera::stream {

using summation::Index;

/// How far a streamed operation is.
struct Progress {
  Index blocks_done;
  Index blocks;
  std::size_t bytes_done;  ///< of the matrix
  std::size_t bytes;
};

/// What a streamed operation has found so far: with it, and the same source, an operation goes on
/// as if it had never stopped.
template <class T>
struct State {
  Index blocks_done = 0;
  Index block_lines = 0;  ///< of a block, the same for all that goes on from here
  std::vector<std::vector<T>>
      waiting;            ///< finished subtrees by level, the whole tree last; empty: there is none
  std::vector<T> chain;   ///< of a panel that has begun; empty: there is none
  std::vector<T> output;  ///< entries that are done of the output along the lines
};

/// Options of streamed operations.
template <class T>
struct Options {
  /// Bytes that a call may allocate, on the host and on a device each.
  std::size_t memory_limit = std::size_t{1} << 30;
  /// Threads that read ahead; 0: as many as there are processors that the work leaves; -1: none, so
  /// that the work's own threads read each block (on a GPU as 0).
  int readers = 0;
  /// How atax goes over a block.
  Method method = Method::automatic;
  /// Called after each block, from the calling thread; may be empty. What it throws ends the call.
  std::function<void(Progress const&)> on_progress{};
  /// Asked after each block whether `on_state` wants the state; may be empty.
  std::function<bool(Progress const&)> wants_state{};
  std::function<void(State<T> const&)> on_state{};
  /// Where to go on; null: at the beginning.
  State<T> const* resume = nullptr;
};

/// What a streamed operation did.
struct Report {
  Index blocks = 0;
  std::size_t block_bytes = 0;   ///< of the largest block
  std::size_t host_bytes = 0;    ///< allocated on the host
  std::size_t device_bytes = 0;  ///< allocated on a device
  std::size_t bytes_read = 0;    ///< of the matrix, by this call
  double seconds_waiting_for_data = 0;
  double seconds_waiting_for_work = 0;
};

}  // namespace tessera::stream
