// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <sys/mman.h>

#include <Kokkos_Core.hpp>

#include <tessera/backends/cuda/errors.hpp>

/// Host memory that a GPU copies from asynchronously.
namespace tessera::backends::cuda {

/// Ordinary memory that is pinned in place. Most of the cost of pinning is allocating the pages:
/// cudaHostAlloc does this in one thread, and copies of other threads wait for it. Here, threads
/// that write before pin() allocate the pages in parallel, and pin() itself is fast.
class PinnedBuffer {
 public:
  explicit PinnedBuffer(std::size_t bytes)
      : bytes_(bytes), memory_(static_cast<std::byte*>(::operator new(bytes, alignment))) {
    // Only advice. Not for the rest behind the last whole page.
    std::size_t const whole = bytes / page * page;
    if (whole > 0) static_cast<void>(::madvise(memory_.get(), whole, MADV_HUGEPAGE));
  }
  ~PinnedBuffer() {
    if (is_pinned_) static_cast<void>(cudaHostUnregister(memory_.get()));
  }
  PinnedBuffer(PinnedBuffer const&) = delete;
  PinnedBuffer& operator=(PinnedBuffer const&) = delete;

  [[nodiscard]] std::byte* data() const { return memory_.get(); }

  /// Call this after the memory has been written, before the first copy from it.
  void pin(Kokkos::Cuda const& exec) {
    if (is_pinned_) return;
    require_success(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
    require_success(cudaHostRegister(memory_.get(), bytes_, cudaHostRegisterPortable),
                    "pinning " + std::to_string(bytes_) + " bytes of the host's memory");
    is_pinned_ = true;
  }

 private:
  static constexpr std::size_t page = std::size_t{2} << 20U;
  static constexpr std::align_val_t alignment{page};
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete(memory, alignment); }
  };

  std::size_t bytes_;
  std::unique_ptr<std::byte, Free> memory_;
  bool is_pinned_ = false;
};

}  // namespace tessera::backends::cuda
