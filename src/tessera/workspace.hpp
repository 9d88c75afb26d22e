// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/checks.hpp>

namespace tessera {
namespace detail {

struct FillBytes {
  std::byte* bytes;
  std::byte value;

  KOKKOS_FUNCTION void operator()(std::size_t i) const { bytes[i] = value; }
};

template <class Exec>
void fill_bytes(Exec const& exec, std::byte* bytes, std::size_t size, std::byte value) {
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>;
  Kokkos::parallel_for("tessera::workspace::fill", Policy(exec, 0, size), FillBytes{bytes, value});
}

}  // namespace detail

namespace detail {
template <class Exec>
class WorkspaceOfCall;
}  // namespace detail

/// Device memory for partial results, kept by the caller so that repeated calls allocate nothing.
/// It grows to the largest need, which may fence. A moved-from workspace is empty and usable.
///
/// Clear a static workspace before Kokkos::finalize(), or Kokkos aborts.
///
/// It serves one call at a time; another thread's call throws std::invalid_argument. If the
/// previous call was on another instance of a GPU, a call fences all.
///
/// A CUDA graph uses the workspace of the calls that it captured. Make a call of the same sizes
/// before the capture. The workspace must not grow while the graph exists, and no other call may
/// use it while the graph runs.
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// Kokkos::View<double*> v("v", 30), C("C", 30);
/// tessera::Workspace<Kokkos::DefaultExecutionSpace> workspace;
/// for (int i = 0; i < 100; ++i) {
///   tessera::atax(Kokkos::DefaultExecutionSpace(), A, v, C, {.workspace = &workspace});
/// }
/// ```
template <class Exec>
class Workspace {
 public:
  using memory_space = typename Exec::memory_space;

  Workspace() = default;
  Workspace(Workspace const&) = delete;
  Workspace& operator=(Workspace const&) = delete;
  Workspace(Workspace&& other) noexcept
      : buffer_(std::exchange(other.buffer_, Buffer())),
        exchange_(std::exchange(other.exchange_, Buffer())),
        instance_(other.instance_) {}
  Workspace& operator=(Workspace&& other) noexcept {
    if (this != &other) {
      buffer_ = std::exchange(other.buffer_, Buffer());
      exchange_ = std::exchange(other.exchange_, Buffer());
      instance_ = other.instance_;
    }
    return *this;
  }
  ~Workspace() = default;

  /// Releases all memory, which may fence.
  /// @throws std::invalid_argument while a call uses it
  void clear() {
    Turn const turn(*this);
    buffer_ = {};
    exchange_ = {};
  }
  [[nodiscard]] std::size_t bytes() const { return buffer_.extent(0) + exchange_.extent(0); }

 private:
  friend class detail::WorkspaceOfCall<Exec>;
  using Buffer = Kokkos::View<std::byte*, memory_space>;

  class Turn {
   public:
    explicit Turn(Workspace& workspace) : workspace_(workspace) {
      if (workspace.is_taken_.exchange(true, std::memory_order_acquire)) {
        checks::fail("Workspace",
                     "another call is using this workspace; give each concurrent call its own "
                     "workspace");
      }
    }
    Turn(Turn const&) = delete;
    Turn& operator=(Turn const&) = delete;
    ~Turn() { workspace_.is_taken_.store(false, std::memory_order_release); }

   private:
    Workspace& workspace_;
  };

  /// Work of another instance may still use the memory.
  void wait_for_others(Exec const& exec) {
    std::uint32_t const instance = Kokkos::Tools::Experimental::device_id(exec);
    if (bytes() > 0 && instance != instance_) {
      Kokkos::fence("tessera::Workspace: another instance used it");
    }
    instance_ = instance;
  }

  Buffer buffer_;
  Buffer exchange_;
  std::uint32_t instance_ = 0;  ///< of the previous call, in Kokkos' numbering
  std::atomic<bool> is_taken_ = false;
};

namespace detail {

/// The caller's workspace, or a temporary one.
template <class Exec>
class WorkspaceOfCall {
 public:
  explicit WorkspaceOfCall(Workspace<Exec>* kept) : workspace_(kept != nullptr ? *kept : own_) {
    if (kept != nullptr) turn_.emplace(*kept);
  }

  struct Memory {
    int* arrivals;        ///< backends::counters<Exec> counters of teams; zero between calls
    std::byte* exchange;  ///< between teams; undefined contents
    std::byte* data;      ///< undefined contents, aligned to a cache line
  };
  /// Throws Kokkos' exception if memory runs out, and std::invalid_argument if the size overflows.
  Memory reserve(Exec const& exec, std::size_t bytes, std::size_t exchanged = 0) {
    if constexpr (backends::Backend<Exec>::is_gpu) workspace_.wait_for_others(exec);
    if (bytes_for(bytes) > workspace_.buffer_.extent(0)) {
      grow(exec, workspace_.buffer_, "tessera::workspace", bytes_for(bytes));
      fill_bytes(exec, workspace_.buffer_.data(), header_bytes, std::byte{0});
    }
    if (exchanged > workspace_.exchange_.extent(0)) {
      grow(exec, workspace_.exchange_, "tessera::exchange", exchanged);
    }
    return {reinterpret_cast<int*>(workspace_.buffer_.data()), workspace_.exchange_.data(),
            workspace_.buffer_.data() + header_bytes};
  }
  static constexpr std::size_t bytes_for(std::size_t bytes) {
    if (bytes > std::numeric_limits<std::size_t>::max() - header_bytes) {
      checks::fail("Workspace", "no memory has " + std::to_string(bytes) + " bytes");
    }
    return header_bytes + bytes;
  }

 private:
  using Buffer = typename Workspace<Exec>::Buffer;
  static constexpr std::size_t header_bytes =
      static_cast<std::size_t>(backends::counters<Exec>) * sizeof(int);

  /// The buffer is empty if that fails.
  static void grow(Exec const& exec, Buffer& buffer, char const* label, std::size_t bytes) {
    if constexpr (requires { backends::Backend<Exec>::capture_of(exec); }) {
      if (backends::Backend<Exec>::capture_of(exec) != 0) {
        checks::fail("Workspace",
                     "a graph that captures a call cannot allocate its " + std::to_string(bytes) +
                         " bytes; make a call with the same sizes in this stream before");
      }
    }
    buffer = {};  // release before allocating: the peak is the larger, not the sum
    buffer =
        Buffer(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label)), bytes);
  }

  Workspace<Exec> own_;
  Workspace<Exec>& workspace_;
  std::optional<typename Workspace<Exec>::Turn> turn_;
};

}  // namespace detail

}  // namespace tessera
