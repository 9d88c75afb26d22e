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

/// The execution space that works on arrays in memory of the host.
using Host = Kokkos::DefaultHostExecutionSpace;

/// What a call works in on a host.
struct Lane {
  std::map<int, Host> instances;  ///< by their numbers of threads
  Workspace<Host> workspace;
};

/// One call's turn. Calls of several threads come one after the other, and find Kokkos running.
///
/// A call that runs a function of the caller's keeps its turn, and the function may wait for
/// another thread, which may call tessera: such calls get a lane of their own meanwhile, with one
/// thread.
class Turn {
 public:
  using Function = python::Function;

  /// What a call needs: any lane, or the first, which alone may use GPUs and change how many
  /// threads there are.
  enum class Needs { lane, first_lane };

  /// Waits for a turn, and starts Kokkos if it does not run. Throws std::runtime_error in a process
  /// that was forked after Kokkos had started, after Kokkos has ended, and within a Function;
  /// std::invalid_argument for an environment that Kokkos cannot read; what the function of
  /// `call_while_waiting` throws.
  /// @param threads_at_start at least, if it starts now
  explicit Turn(Needs needs = Needs::lane, int threads_at_start = 0);
  ~Turn();
  Turn(Turn const&) = delete;
  Turn& operator=(Turn const&) = delete;

  /// An instance for work that reads so many bytes, or takes as long: with one thread if others
  /// would not have started before it is done, else with as many as the caller's thread has set.
  [[nodiscard]] Host const& host(
      std::int64_t bytes = std::numeric_limits<std::int64_t>::max()) const;
  [[nodiscard]] Workspace<Host>& workspace() const { return lane_->workspace; }

 private:
  Lane* lane_ = nullptr;
};

}  // namespace tessera::python
