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

namespace tessera::backends::cuda {

/// Host memory pinned in place (docs/decisions/pinned-copies-to-gpus.md). Threads that write before
/// pin() allocate its pages, most of the cost, in parallel.
class PinnedBuffer {
 public:
  explicit PinnedBuffer(std::size_t bytes)
      : bytes_(bytes), memory_(static_cast<std::byte*>(::operator new(bytes, alignment))) {
    // A hint; it excludes the rest behind the last whole page.
    std::size_t const whole = bytes / page * page;
    if (whole > 0) static_cast<void>(::madvise(memory_.get(), whole, MADV_HUGEPAGE));
  }
  ~PinnedBuffer() {
    if (is_pinned_) static_cast<void>(cudaHostUnregister(memory_.get()));
  }
  PinnedBuffer(PinnedBuffer const&) = delete;
  PinnedBuffer& operator=(PinnedBuffer const&) = delete;

  [[nodiscard]] std::byte* data() const { return memory_.get(); }

  /// Call between the first write and the first copy.
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
