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

/// The execution space for arrays on the host.
using Host = Kokkos::DefaultHostExecutionSpace;

/// What a call works with on a host.
struct Lane {
  std::map<int, Host> instances;  ///< by their numbers of threads
  Workspace<Host> workspace;
};

/// One call's turn. Calls of several threads run one after the other. Kokkos is initialised.
///
/// A call that runs a function of the caller keeps its turn, and the function may wait for another
/// thread that calls tessera. Such calls get a separate lane with one thread.
class Turn {
 public:
  using Function = python::Function;

  /// What a call needs: any lane, or the first lane, which alone may use GPUs and change the number
  /// of threads.
  enum class Needs { lane, first_lane };

  /// Waits for a turn, and initialises Kokkos if necessary.
  /// @param threads_at_start least number of threads if Kokkos is initialised now
  /// @throws std::runtime_error in a process that was forked after Kokkos had started, after Kokkos
  /// has ended, and within a Function; std::invalid_argument if Kokkos cannot read the environment;
  /// and everything that the function of `call_while_waiting` throws
  explicit Turn(Needs needs = Needs::lane, int threads_at_start = 0);
  ~Turn();
  Turn(Turn const&) = delete;
  Turn& operator=(Turn const&) = delete;

  /// An instance for work that reads so many bytes, or takes as long. It has one thread if others
  /// would start too late to help, otherwise the number that the caller's thread has set.
  [[nodiscard]] Host const& host(
      std::int64_t bytes = std::numeric_limits<std::int64_t>::max()) const;
  [[nodiscard]] Workspace<Host>& workspace() const { return lane_->workspace; }

 private:
  Lane* lane_ = nullptr;
};

}  // namespace tessera::python
