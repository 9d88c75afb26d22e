// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include <Kokkos_Core.hpp>

#include <tessera/workspace.hpp>

namespace tessera::python {

/// The execution space that works on arrays in memory of the host.
using Host = Kokkos::DefaultHostExecutionSpace;

/// One call's turn: calls of several threads come one after the other, and find Kokkos running.
class Turn {
 public:
  /// While there is one, a thread that has no turn runs a function of the caller's for a call that
  /// has: a call in there would wait for ever, and is refused.
  class Function {
   public:
    Function();
    ~Function();
    Function(Function const&) = delete;
    Function& operator=(Function const&) = delete;
  };

  /// Starts Kokkos unless it runs already. Throws std::runtime_error in a process that was forked
  /// after Kokkos had started, after Kokkos has ended, and within a Function.
  /// @param threads_at_start if it starts now; 0: as many as the environment says
  explicit Turn(int threads_at_start = 0);

  [[nodiscard]] Host const& host() const;
  [[nodiscard]] Workspace<Host>& workspace() const;

 private:
  std::unique_lock<std::timed_mutex> lock_;
};

}  // namespace tessera::python
