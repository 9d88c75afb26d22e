// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>

#include <tessera/options.hpp>
#include <tessera/stream/state.hpp>
#include <tessera/summation.hpp>

namespace tessera::stream {

/// How far a streamed operation is.
struct Progress {
  Index blocks_done;
  Index blocks;
  std::size_t bytes_done;  ///< of the matrix
  std::size_t bytes;
};

/// Most threads that read ahead.
inline constexpr int most_readers = 256;

/// Thrown for a limit of memory that is too small.
class LimitError : public std::invalid_argument {
 public:
  LimitError(std::string const& operation, std::size_t needed, std::size_t found)
      : std::invalid_argument("tessera::" + operation + ": expected a limit of at least " +
                              std::to_string(needed) + " bytes, found " + std::to_string(found)),
        operation_(operation),
        needed_(needed) {}
  /// The operation that needs more, without "tessera::".
  [[nodiscard]] std::string const& operation() const noexcept { return operation_; }
  /// Bytes of a limit that would do.
  [[nodiscard]] std::size_t needed() const noexcept { return needed_; }

 private:
  std::string operation_;
  std::size_t needed_;
};

/// Options of streamed operations.
template <class T>
struct Options {
  /// Bytes that a call may allocate, on the host and on a device each.
  std::size_t memory_limit = std::size_t{1} << 30;
  /// Threads that read ahead, at most `most_readers`. 0: as many as there are processors that the
  /// work leaves, and one where it leaves none; but none where the work's own threads may read
  /// (may_read_in_kernels). One is enough for a source that is read in whole blocks
  /// (bytes_at_once). -1: none: each block is read by the work's own threads if they may, else by
  /// the calling one (on a GPU as 0).
  int readers = 0;
  /// How atax goes over a block.
  Method method = Method::automatic;
  Kernels kernels = Kernels::automatic;  ///< see Kernels
  /// Called after each block, from the calling thread; may be empty. What it throws ends the call.
  std::function<void(Progress const&)> on_progress{};
  /// Called about twenty times a second while the calling thread waits for data that other threads
  /// read, so that it can end the call: what it throws ends it, as soon as no thread reads any
  /// more. May be empty.
  std::function<void()> while_waiting{};
  /// Asked after each block whether `on_state` wants the state; may be empty. With both, a state
  /// counts against the limit.
  std::function<bool(Progress const&)> wants_state{};
  std::function<void(State<T> const&)> on_state{};
  /// Where to go on; null: at the beginning. It is not looked at any more once a callback is
  /// called.
  State<T> const* resume = nullptr;
};

/// What a streamed operation did.
struct Report {
  Index blocks = 0;
  Kernels kernels = Kernels::automatic;  ///< that ran: portable or accelerated
  std::size_t block_bytes = 0;           ///< of the largest block
  std::size_t host_bytes = 0;            ///< that the call allocates on the host, at most
  std::size_t device_bytes = 0;          ///< the same on a device
  std::size_t bytes_read = 0;            ///< of the matrix, by this call
  double seconds_waiting_for_data = 0;
  double seconds_waiting_for_work = 0;
};

}  // namespace tessera::stream
