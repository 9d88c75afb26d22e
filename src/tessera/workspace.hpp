// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>

namespace tessera {
namespace detail {

struct FillBytes {
  std::byte* bytes;
  std::byte value;

  KOKKOS_FUNCTION void operator()(std::size_t i) const { bytes[i] = value; }
};

/// Sets `size` bytes of memory that Exec reaches.
template <class Exec>
void fill_bytes(Exec const& exec, std::byte* bytes, std::size_t size, std::byte value) {
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>;
  Kokkos::parallel_for("tessera::workspace::fill", Policy(exec, 0, size), FillBytes{bytes, value});
}

}  // namespace detail

/// Device memory for partial results, kept by the caller so that repeated calls allocate nothing.
/// It grows to the largest need seen and never shrinks; growing allocates and may fence. One
/// workspace serves one execution space instance at a time: calls on instances that run at the same
/// time need workspaces of their own.
template <class Exec>
class Workspace {
 public:
  using memory_space = typename Exec::memory_space;

  /// Counters of teams that a workspace has: hosts use one, and get a line of the cache.
  static constexpr summation::Index counters = backends::Backend<Exec>::is_gpu ? 1024 : 16;
  /// What a call works in.
  struct Memory {
    int* arrivals;        ///< `counters` counters of teams; zero between calls
    std::byte* exchange;  ///< where teams meet; undefined contents
    std::byte* data;      ///< undefined contents, aligned to a cache line
  };

  /// Memory for at least `bytes` bytes and `exchanged` bytes of exchange beside the counters.
  /// Throws what Kokkos throws when memory runs out.
  Memory reserve(Exec const& exec, std::size_t bytes, std::size_t exchanged = 0) {
    if (bytes_for(bytes) > buffer_.extent(0)) {
      buffer_ = {};  // release before allocating: the peak is the larger, not the sum
      buffer_ = Buffer(
          Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("tessera::workspace")),
          bytes_for(bytes));
      detail::fill_bytes(exec, buffer_.data(), header_bytes, std::byte{0});
    }
    if (exchanged > exchange_.extent(0)) {
      exchange_ = {};
      exchange_ = Buffer(
          Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("tessera::exchange")),
          exchanged);
      detail::fill_bytes(exec, exchange_.data(), exchanged, std::byte{0xff});
    }
    return {reinterpret_cast<int*>(buffer_.data()), exchange_.data(),
            buffer_.data() + header_bytes};
  }
  /// Bytes that a workspace holds after reserve(…, bytes).
  static constexpr std::size_t bytes_for(std::size_t bytes) { return header_bytes + bytes; }
  /// Bytes held.
  [[nodiscard]] std::size_t bytes() const { return buffer_.extent(0) + exchange_.extent(0); }

 private:
  using Buffer = Kokkos::View<std::byte*, memory_space>;
  static constexpr std::size_t header_bytes = static_cast<std::size_t>(counters) * sizeof(int);
  Buffer buffer_;
  Buffer exchange_;
};

}  // namespace tessera
