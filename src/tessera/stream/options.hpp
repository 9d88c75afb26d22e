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

/// Progress of a streamed operation.
struct Progress {
  Index blocks_done;
  Index blocks;
  std::size_t bytes_done;  ///< of the matrix
  std::size_t bytes;
};

/// Maximum number of read-ahead threads.
inline constexpr int most_readers = 256;

/// Thrown if the memory limit is too small.
class [[gnu::visibility("default")]] LimitError : public std::invalid_argument {
 public:
  LimitError(std::string const& operation, std::size_t needed, std::size_t found)
      : std::invalid_argument("tessera::" + operation + ": expected a limit of at least " +
                              std::to_string(needed) + " bytes, found " + std::to_string(found)),
        operation_(operation),
        needed_(needed) {}
  /// The operation, without "tessera::".
  [[nodiscard]] std::string const& operation() const noexcept { return operation_; }
  /// A limit that works, in bytes.
  [[nodiscard]] std::size_t needed() const noexcept { return needed_; }

 private:
  std::string operation_;
  std::size_t needed_;
};

/// Options of streamed operations.
template <class T>
struct Options {
  /// Maximum bytes that a call allocates, on the host and on a device each.
  std::size_t memory_limit = std::size_t{1} << 30;
  /// Read-ahead threads, at most `most_readers`.
  /// - 0: one per processor that the work leaves idle. If none is idle: one, or none if worker
  ///   threads may read (may_read_in_kernels).
  /// - -1: none. Worker threads read if they may, otherwise the calling thread. On a GPU as 0.
  int readers = 0;
  /// How `atax` reads a block.
  Method method = Method::automatic;
  Kernels kernels = Kernels::automatic;  ///< see Kernels
  /// Called after each block, in the calling thread. An exception ends the call.
  std::function<void(Progress const&)> on_progress{};
  /// Called about 20 times a second while the calling thread waits for data. An exception ends the
  /// call when no thread reads.
  std::function<void()> while_waiting{};
  /// Called after each block: whether `on_state` wants the state. If both are set, a state counts
  /// against the limit.
  std::function<bool(Progress const&)> wants_state{};
  std::function<void(State<T> const&)> on_state{};
  /// The state to resume from, or null. Not accessed after the first callback.
  State<T> const* resume = nullptr;
};

/// Statistics of a streamed operation.
struct Report {
  Index blocks = 0;
  Kernels kernels = Kernels::automatic;  ///< that ran
  std::size_t block_bytes = 0;           ///< of the largest block
  std::size_t host_bytes = 0;            ///< maximum that the call allocates
  std::size_t device_bytes = 0;          ///< the same on a device
  std::size_t bytes_read = 0;            ///< by this call
  double seconds_waiting_for_data = 0;
  double seconds_waiting_for_work = 0;
};

}  // namespace tessera::stream
