// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include <Kokkos_Core.hpp>

namespace tessera {

/// Device memory for partial results, kept by the caller so that repeated calls allocate nothing.
/// It grows to the largest need seen and never shrinks; growing allocates and may fence. One
/// workspace serves one execution space instance at a time: calls on instances that run at the same
/// time need workspaces of their own.
template <class Exec>
class Workspace {
 public:
  using memory_space = typename Exec::memory_space;

  /// Memory for at least `bytes` bytes, aligned for any scalar. Contents are undefined.
  /// Throws what Kokkos throws when memory runs out.
  std::byte* reserve(Exec const& exec, std::size_t bytes) {
    if (bytes > buffer_.extent(0)) {
      buffer_ = {};
      buffer_ = Buffer(
          Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("tessera::workspace")),
          bytes);
    }
    return buffer_.data();
  }
  /// Bytes held.
  [[nodiscard]] std::size_t bytes() const { return buffer_.extent(0); }

 private:
  using Buffer = Kokkos::View<std::byte*, memory_space>;
  Buffer buffer_;
};

}  // namespace tessera
