// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <python/runtime.hpp>

#include <Kokkos_Core.hpp>

#include <tessera/workspace.hpp>

namespace tessera::python {

using Host = Kokkos::DefaultHostExecutionSpace;

struct Lane {
  std::map<int, Host> instances;  ///< by numbers of threads
  Workspace<Host> workspace;
};

/// Calls of several threads run one after the other. A function of the caller may wait for another
/// thread's call, which gets a lane with one thread.
class Turn {
 public:
  using Function = python::Function;

  /// Only the first lane may use GPUs and change the number of threads.
  enum class Needs { lane, first_lane };

  /// Initialises Kokkos if necessary.
  /// @param threads_at_start at least, if Kokkos is initialised now
  /// @throws std::runtime_error if forked after Kokkos' start, after its end, and within a
  /// Function; std::invalid_argument for Kokkos' environment; and as call_while_waiting()'s
  /// function
  explicit Turn(Needs needs = Needs::lane, int threads_at_start = 0);
  ~Turn();
  Turn(Turn const&) = delete;
  Turn& operator=(Turn const&) = delete;

  /// For work that takes as long as to read so many bytes: one thread if others would start too
  /// late to help.
  [[nodiscard]] Host const& host(
      std::int64_t bytes = std::numeric_limits<std::int64_t>::max()) const;
  [[nodiscard]] Workspace<Host>& workspace() const { return lane_->workspace; }

 private:
  Lane* lane_ = nullptr;
};

}  // namespace tessera::python
