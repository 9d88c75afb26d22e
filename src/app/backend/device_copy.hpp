// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>

namespace tessera::app {

/// Bytes of each half of the pinned buffer.
inline constexpr std::size_t pinned_half = 8U << 20U;

/// Copies bytes of the host with all host threads.
inline void copy_on_host(std::byte const* from, std::byte* to, std::size_t bytes) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  constexpr std::size_t piece = 256U << 10U;
  Kokkos::parallel_for("tessera::app::fill_pinned",
                       Kokkos::RangePolicy<Host, Kokkos::IndexType<std::size_t>>(
                           Host(), 0, (bytes + piece - 1) / piece),
                       [=](std::size_t i) {
                         std::memcpy(to + i * piece, from + i * piece,
                                     std::min(piece, bytes - i * piece));
                       });
  Host().fence("tessera::app::fill_pinned");
}

/// Copies bytes of ordinary host memory to a GPU, and returns when they are there.
///
/// They go through two pinned halves: while the GPU fetches one, host threads fill the other. To
/// read files straight into pinned memory would spare that copy, but it would pin a whole matrix,
/// which takes longer than to copy it and leaves the system no way to move it; pieces read and sent
/// one by one would leave nothing on the host for --check. So the matrix is in host memory once,
/// and 16 MiB are pinned, whatever its size.
template <class Exec>
void copy_to_device(Exec const& exec, void const* from, void* to, std::size_t bytes) {
  using Pinned = typename backends::Backend<Exec>::PinnedSpace;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  using OnDevice = Kokkos::View<std::byte*, typename Exec::memory_space, Unmanaged>;
  using InPinned = Kokkos::View<std::byte const*, Pinned, Unmanaged>;
  using Buffer = typename backends::Backend<Exec>::PinnedBuffer;

  std::size_t const half = std::min(bytes, pinned_half);
  std::array<Buffer, 2> buffers{Buffer(half), Buffer(bytes > half ? half : 0)};
  // Where something is thrown the buffers are freed, too, after the copies that are under way.
  struct Streams {
    std::array<Exec, 2> each;
    void fence() const {
      for (Exec const& stream : each) stream.fence("tessera::app::copy_to_device");
    }
    ~Streams() {
      try {
        fence();
      } catch (...) {  // NOLINT(bugprone-empty-catch): it has failed, and uses nothing any more
      }
    }
  } const streams{Kokkos::Experimental::partition_space(exec, 1, 1)};
  auto const* const source = static_cast<std::byte const*>(from);
  auto* const target = static_cast<std::byte*>(to);
  exec.fence("tessera::app::copy_to_device");  // the target may be in use
  std::size_t turn = 0;
  for (std::size_t done = 0; done < bytes; done += half, turn = 1 - turn) {
    std::size_t const count = std::min(half, bytes - done);
    Buffer& buffer = buffers[turn];
    streams.each[turn].fence("tessera::app::pinned");  // the copy out of this half is over
    copy_on_host(source + done, buffer.data(), count);
    buffer.pin(exec);
    Kokkos::deep_copy(streams.each[turn], OnDevice(target + done, count),
                      InPinned(buffer.data(), count));
  }
  streams.fence();
}

}  // namespace tessera::app
